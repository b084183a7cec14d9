package lang

import (
	"strings"

	"trey/card"
	"trey/rules"
)

// Card names a card as a screen reader says it, such as "queen of hearts"; a
// card whose face is not known is one that lies face down.
func (p Printer) Card(c card.Card) string {
	if !c.Valid() {
		return p.T("card.down")
	}
	switch p.Language {
	case Chinese:
		return p.Term(c.Suit().Name()) + c.Rank().String()
	case English:
	}
	return strings.ToLower(c.Rank().Name() + " of " + c.Suit().Name())
}

// Hand names a hand in a book's order of hands, such as "High card Q-6-4".
func (p Printer) Hand(order rules.Ranking, h card.Hand) string {
	return p.Shape(order.Describe(h))
}

// Shape translates a hand's name as the order of hands gives it.
func (p Printer) Shape(name string) string {
	if p.Translates(name) {
		return p.Term(name)
	}
	// "High card Q-6-4": what the hand is, and its ranks, which every language
	// writes alike.
	at := strings.LastIndexByte(name, ' ')
	if at < 0 || !p.Translates(name[:at]) {
		return name
	}
	return p.Term(name[:at]) + " " + name[at+1:]
}
