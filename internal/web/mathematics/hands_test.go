package mathematics_test

import (
	"trey/card"
)

// flush is a flush that is nothing better.
var flush = card.NewHand(card.New(card.King, card.Hearts), card.New(card.Nine, card.Hearts), card.New(card.Two, card.Hearts))
