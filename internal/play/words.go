package play

import (
	"strconv"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Short names of wagers for a layout, where their own are too long.
var shortNames = map[rules.Wager]string{
	rules.Progressive:   "Jackpot",
	rules.RoyalPictures: "Royals",
	rules.Envy:          "Envy",
}

// ShortName is a wager's name as it fits on a betting box.
func ShortName(w rules.Wager) string {
	if name, ok := shortNames[w]; ok {
		return name
	}
	return w.Name()
}

// Chips writes a sum as people say it at a table: whole dollars without cents.
func Chips(a money.Amount) string {
	return strings.TrimSuffix(a.Display(), ".00")
}

// Signed writes a change of the balance with its sign, and nothing as "0.00".
func Signed(a money.Amount) string {
	if a > 0 {
		return "+" + a.Display()
	}
	return a.Display()
}

// ResultWord says how a wager ended.
func ResultWord(r rules.Result) string {
	switch r {
	case rules.Win:
		return "won"
	case rules.Lose:
		return "lost"
	case rules.Push:
		return "stood off"
	case rules.GivenBack:
		return "returned"
	}
	return "open"
}

// Spoken names cards in words, for whoever listens to them: "Queen of Hearts,
// Six of Diamonds and Four of Clubs".
func Spoken(cards []card.Card) string {
	var b strings.Builder
	for i, c := range cards {
		switch {
		case i > 0 && i == len(cards)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		if c.Valid() {
			b.WriteString(c.Rank().Name() + " of " + c.Suit().Name())
		} else {
			b.WriteString("a card face down")
		}
	}
	return b.String()
}
