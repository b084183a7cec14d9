package api

func (d *door) jackpots() {}
