package play

import (
	"fmt"
	"strconv"

	"trey/jackpot"
	"trey/money"
	"trey/rules"
)

// The progressive of the home game follows the round of the table: bets
// contribute when they are closed, a hit takes its place when it is dealt, is
// paid at the settlement, and the meter starts again from its reset value.

// openMeter puts the progressive into service at the first table that has one.
func (d *draft) openMeter() error {
	terms := d.variant.Jackpot
	if terms == nil || d.account.Jackpot != nil {
		return nil
	}
	fixed := d.variant.Pays[rules.Progressive].FixedReturn(d.variant.Book.Ranking)
	d.account.Jackpot = &jackpot.State{}
	return d.meter(jackpot.Open{
		Terms: jackpot.Terms{
			Bet: terms.Bet, Reset: terms.Reset, Rate: jackpot.Rate{Num: terms.RateNum, Den: terms.RateDen},
			Ceiling: terms.Ceiling, Overflow: jackpot.OverflowOnTop,
		},
		FixedReturn: jackpot.FixedReturn{Num: fixed.Num().Int64(), Den: fixed.Denom().Int64()},
		Meter:       terms.Reset,
	})
}

// meter carries out one command at the progressive.
func (d *draft) meter(c jackpot.Command) error {
	s := *d.account.Jackpot
	events, err := jackpot.Decide(s, c)
	for _, e := range events {
		if err == nil {
			s, err = jackpot.Evolve(s, e)
		}
	}
	if err != nil {
		return fmt.Errorf("the progressive: %w", err)
	}
	d.account.Jackpot = &s
	return nil
}

// connected reports whether the table has the progressive.
func (d *draft) connected() bool {
	return d.variant != nil && d.variant.Jackpot != nil && d.account.Jackpot != nil
}

// displayed is the value on the display, zero where there is none.
func (d *draft) displayed() money.Amount {
	if !d.connected() {
		return 0
	}
	return d.account.Jackpot.Displayed()
}

// meterRound names the round in progress to the progressive: rounds are
// numbered for the whole life of the account.
func (d *draft) meterRound() jackpot.RoundID {
	return jackpot.RoundID{Table: "home", Round: strconv.FormatInt(d.account.Rounds+1, 10)}
}

func (d *draft) hit(box int) jackpot.HitID {
	id := d.meterRound()
	return jackpot.HitID{Table: id.Table, Round: id.Round, Box: box}
}

// held is how many bets the progressive holds of the round in progress.
func (d *draft) held() (bets int64, known bool) {
	if d.account.Jackpot == nil {
		return 0, false
	}
	for _, r := range d.account.Jackpot.Rounds {
		if r.ID == d.meterRound() {
			return r.Held(), true
		}
	}
	return 0, false
}

// feedMeter lets the bets of the round contribute.
func (d *draft) feedMeter() error {
	if n := d.state.ProgressiveBets(); d.connected() && n > 0 {
		return d.meter(jackpot.Contribute{Round: d.meterRound(), Bets: int64(n)})
	}
	return nil
}

// meetHits registers the hands that were dealt the jackpot.
func (d *draft) meetHits() error {
	if !d.connected() {
		return nil
	}
	for i, box := range d.state.MajorHits() {
		place := jackpot.Place{DealtAt: max(1, d.state.Boxes[box-1].DealtAtMs) * 1_000_000, Sequence: int64(i)}
		if err := d.meter(jackpot.HandDealt{Hit: d.hit(box), Place: place}); err != nil {
			return err
		}
	}
	return nil
}

// closeMeter pays the hits of a round that has ended, or takes back what a void
// round contributed, and closes the round at the progressive.
func (d *draft) closeMeter(void bool) error {
	bets, known := d.held()
	if !known {
		return nil
	}
	for _, h := range d.account.Jackpot.Queue() {
		won := d.won(h.ID.Box)
		switch {
		case void:
			if err := d.meter(jackpot.Forfeit{Hit: h.ID, Cause: jackpot.ForfeitRoundVoided}); err != nil {
				return err
			}
			continue
		case won == 0:
			if err := d.meter(jackpot.Forfeit{Hit: h.ID, Cause: jackpot.ForfeitFolded}); err != nil {
				return err
			}
			continue
		}
		if err := d.meter(jackpot.Confirm{Hit: h.ID}); err != nil {
			return err
		}
		if err := d.meter(jackpot.Pay{Hit: h.ID}); err != nil {
			return err
		}
		if paid, _ := d.account.Jackpot.Hit(h.ID); paid.Paid != won {
			return fmt.Errorf("this is a fault of the program, and nothing was done: the table pays a jackpot of %s, the meter %s", won.Display(), paid.Paid.Display())
		}
	}
	if void && bets > 0 {
		if err := d.meter(jackpot.ReverseContributions{Round: d.meterRound(), Bets: bets, Cause: jackpot.ReversedRoundVoided}); err != nil {
			return err
		}
	}
	return d.meter(jackpot.CloseRound{Round: d.meterRound()})
}

// won is what the settlement pays a box as the jackpot, zero for nothing.
func (d *draft) won(box int) money.Amount {
	for i := range d.lines {
		if l := &d.lines[i]; l.Box == box && l.Wager == rules.Progressive && l.Result == rules.Win {
			return l.Pays
		}
	}
	return 0
}
