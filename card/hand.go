package card

import (
	"fmt"
	"slices"
)

// Hand is three cards in the order in which they were dealt. Two hands that
// hold the same cards in another order are different values; compare them by
// [Hand.Sorted], or by their rank in a game.
type Hand [3]Card

// NewHand returns the hand of those three cards. It does not check them, for a
// hand on the table may hold cards whose face is not known; ask [Hand.Valid].
func NewHand(a, b, c Card) Hand { return Hand{a, b, c} }

// ParseHand reads a hand of exactly three different cards, written as
// [ParseList] takes them, such as "Qh 6d 4c".
func ParseHand(s string) (Hand, error) {
	cards, err := ParseList(s)
	if err != nil {
		return Hand{}, err
	}
	if len(cards) != len(Hand{}) {
		return Hand{}, fmt.Errorf("%q is %d cards: a hand is three, such as Qh 6d 4c", s, len(cards))
	}
	return Hand(cards), nil
}

// Valid reports whether h is three different cards, all of them known.
func (h Hand) Valid() bool { return NewSet(h[:]...).Len() == len(h) }

// String returns the three cards in the order dealt, such as "Qh 6d 4c".
func (h Hand) String() string {
	return h[0].String() + " " + h[1].String() + " " + h[2].String()
}

// Symbols returns the three cards as they are shown to people, such as
// "Q♥ 6♦ 4♣".
func (h Hand) Symbols() string {
	return h[0].Symbols() + " " + h[1].Symbols() + " " + h[2].Symbols()
}

// Sorted returns the same cards from the highest rank to the lowest, the ace
// high. Cards of one rank come in a fixed order of suits (spades, hearts,
// diamonds, clubs) only so that the result is always the same; cards whose face
// is not known come last.
func (h Hand) Sorted() Hand {
	slices.SortFunc(h[:], func(a, b Card) int { return int(b) - int(a) })
	return h
}
