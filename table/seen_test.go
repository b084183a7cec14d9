package table

import (
	"testing"

	"trey/card"
)

// A card that lay face up, or that the table has seen, is shown.
func TestCardsThatWereSeenAreShown(t *testing.T) {
	dealt := CardsDealt{Cards: []Dealt{{Card: card.FromIndex(3), Place: 1, FaceUp: true}}}
	if got := Redact(dealt, State{}, Viewer{}).(CardsDealt); got.Cards[0].Card != card.FromIndex(3) {
		t.Errorf("a card that was dealt face up is shown as %s", got.Cards[0].Card)
	}
	s := State{Slots: []Slot{{Card: card.FromIndex(5), Place: 1, seen: seenByTable}}}
	reported := Reported{Report: Report{Note: "x", Cards: []Exposed{{Card: card.FromIndex(5)}, {Card: card.FromIndex(6)}}}}
	if got := Redact(reported, s, Viewer{}).(Reported).Report; len(got.Cards) != 1 || got.Cards[0].Card != card.FromIndex(5) || got.Note != "" {
		t.Errorf("the report is shown as %+v", got)
	}
}
