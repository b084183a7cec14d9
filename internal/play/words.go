package play

import (
	"strconv"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Short names of wagers for a layout, where their own are too long.
var shortNames = map[rules.Wager]string{
	rules.Progressive:   "Jackpot",
	rules.RoyalPictures: "Royals",
	rules.Envy:          "Envy",
}

// ShortName returns a wager's name as it fits on a betting box.
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

// ResultWord returns the result of a wager in a word.
func ResultWord(r rules.Result) string {
	switch r {
	case rules.Win:
		return "won"
	case rules.Lose:
		return "lost"
	case rules.Push:
		return "pushed"
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

// Name returns the reference of the book, and the variant if there is one.
func (g *Game) Name() string {
	if g.By == "" {
		return g.Book
	}
	return g.Book + ", variant " + g.By
}

// SummaryWords describes a finished round in sentences, every line of it.
func SummaryWords(r *Summary) []string {
	ended := "It was " + r.Ended + "."
	if r.Left {
		ended = "You left it before its end. " + ended
	}
	lines := []string{"Round " + itoa(r.Round) + " at " + r.Table + ", " + r.Name() + ". " + ended}
	if len(r.Dealer) > 0 {
		lines = append(lines, "The dealer: "+Spoken(r.Dealer)+". "+r.DealerRank+".")
	}
	for _, h := range r.Hands {
		words := "Box " + itoa(h.Box) + ": "
		if h.Player != "" {
			words = "Box " + itoa(h.Box) + ", " + h.Player + ": "
		}
		if h.Rank == "" && h.Player != "" {
			words += "face down."
		} else if h.Rank == "" {
			words += "not seen."
		} else {
			words += Spoken(h.Cards) + ". " + h.Rank + "."
		}
		if h.Decision != "" {
			words += " It was " + h.Decision + "."
		}
		lines = append(lines, words)
	}
	for i := range r.Lines {
		lines = append(lines, LineWords(r.Book, &r.Lines[i]))
	}
	return append(lines, "The round changed your balance by "+Signed(r.Net)+", to $"+r.Balance.Display()+".")
}

// LineWords describes one settlement line in a sentence.
func LineWords(book string, l *table.Line) string {
	words := "Box " + itoa(l.Box) + ", "
	if l.Player != Player {
		words += l.Player + ", "
	}
	words += l.Wager.Name()
	if l.Stake != 0 {
		words += " " + l.Stake.Display()
	}
	words += ": " + ResultWord(l.Result)
	if l.Combo > rules.AnyHand {
		words += " with " + l.Combo.Name()
	}
	if l.Pays != 0 {
		words += ", pays " + l.Pays.Display()
	}
	if l.Returned != 0 {
		words += ", back " + l.Returned.Display()
	}
	return words + " (" + book + " " + l.Clause + ")."
}
