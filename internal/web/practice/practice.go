// Package practice is the practice of hands near the line between play and fold: the page draws
// one after the other, and says what each choice is worth. The figures are those of package
// odds, delivered once with the first hand; from then on the browser needs no network, and the
// house keeps nothing about who practises.
package practice

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"trey/card"
	"trey/internal/web/lang"
	"trey/internal/web/site"
	"trey/odds"
	"trey/rules"
)

// Files are the module and the styles of the practice, for the sections of the site.
//
//go:embed *.css *.js
var Files embed.FS

// near bounds the ranks of hands that are drilled on each side of the line.
const near = 12

// Hand is a hand with the exact value of both choices, in units of the main bet.
type Hand struct {
	Cards        card.Hand
	Played, Fold odds.Fraction
}

// Hands returns the hands near the line, one for each way in which suits can be alike; nil
// where the game asks for no decision.
func Hands(v *rules.Variant, s *odds.Strategy) []Hand {
	if s == nil {
		return nil
	}
	order := v.Book.Ranking
	type kind struct {
		strength int
		suits    [3]int
	}
	var all []Hand
	seen := map[kind]bool{}
	plays := map[int]bool{} // whether some hand of the strength is played
	for c := range s.Hands() {
		h := c.Hand.Sorted()
		k := kind{order.Strength(h), alike(h)}
		plays[k.strength] = plays[k.strength] || c.Play
		if !seen[k] {
			seen[k] = true
			all = append(all, Hand{h, c.Played, c.Folded})
		}
	}
	var strengths []int
	line := 0 // the least strength that is played
	for strength, play := range plays {
		strengths = append(strengths, strength)
		if play && (line == 0 || strength < line) {
			line = strength
		}
	}
	slices.Sort(strengths)
	at := max(slices.Index(strengths, line), 0)
	low, high := strengths[max(at-near, 0)], strengths[min(at+near, len(strengths))-1]
	all = slices.DeleteFunc(all, func(h Hand) bool {
		strength := order.Strength(h.Cards)
		return strength < low || strength > high
	})
	slices.SortStableFunc(all, func(a, b Hand) int { return order.Strength(b.Cards) - order.Strength(a.Cards) })
	return all
}

// alike returns for each card the first card of the same suit.
func alike(h card.Hand) (first [3]int) {
	for i := range h {
		for k := i; k >= 0; k-- {
			if h[k].Suit() == h[i].Suit() {
				first[i] = k
			}
		}
	}
	return first
}

// figures writes the hands for the module: cards, name, and the value of play and of fold.
func figures(p lang.Printer, order rules.Ranking, hands []Hand) string {
	rows := make([][4]string, 0, len(hands))
	for _, h := range hands {
		var cards strings.Builder
		for _, c := range h.Cards {
			cards.WriteString(c.String())
		}
		rows = append(rows, [4]string{cards.String(), p.Hand(order, h.Cards), h.Played.Decimal(4), h.Fold.Decimal(4)})
	}
	text, _ := json.Marshal(rows) // strings can be encoded
	return string(text)
}

// names writes what each card is called, by its letters.
func names(p lang.Printer) string {
	all := map[string]string{}
	for _, c := range card.Deck().Cards() {
		all[c.String()] = p.Card(c)
	}
	text, _ := json.Marshal(all) // strings can be encoded
	return string(text)
}

// Answer answers with the practice of a game, or with the error that the game has none.
func Answer(v *site.Visit, variant *rules.Variant, s *odds.Strategy) error {
	hands := Hands(variant, s)
	if len(hands) == 0 {
		return v.NotFound()
	}
	return v.Fragment(panel(v, variant, hands))
}
