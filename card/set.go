package card

import (
	"iter"
	"math/bits"
	"strings"
)

// Set is any number of different cards, one bit for each: bit [Card.Index] is
// set if the card is in. The zero value is the empty set. Sets are values:
// every method leaves its receiver as it was.
type Set uint64

const deck Set = 1<<count - 1

// Deck returns the set of all fifty-two cards.
func Deck() Set { return deck }

// NewSet returns the set of those cards. A card given twice is in it once, and
// [None] is never in it.
func NewSet(cards ...Card) Set {
	var s Set
	for _, c := range cards {
		s |= bit(c)
	}
	return s
}

// bit returns the set of c alone. For None the shift is by 255 places, which
// leaves the empty set.
func bit(c Card) Set { return 1 << (c - 1) & deck }

// Has reports whether c is in the set. [None] is in no set.
func (s Set) Has(c Card) bool { return s&bit(c) != 0 }

// With returns the set with c added. Adding [None] adds nothing.
func (s Set) With(c Card) Set { return s | bit(c) }

// Without returns the set with c taken out, if it was in.
func (s Set) Without(c Card) Set { return s &^ bit(c) }

// Union returns the cards that are in s, in t or in both.
func (s Set) Union(t Set) Set { return s | t }

// Minus returns the cards that are in s and not in t.
func (s Set) Minus(t Set) Set { return s &^ t }

// Intersect returns the cards that are in both s and t.
func (s Set) Intersect(t Set) Set { return s & t }

// Len returns the number of cards in the set.
func (s Set) Len() int { return bits.OnesCount64(uint64(s & deck)) }

// Cards returns the cards of the set in index order.
func (s Set) Cards() []Card {
	cards := make([]Card, 0, s.Len())
	for rest := s & deck; rest != 0; rest &= rest - 1 {
		cards = append(cards, FromIndex(bits.TrailingZeros64(uint64(rest))))
	}
	return cards
}

// String returns the cards of the set in index order, separated by spaces.
func (s Set) String() string {
	var b strings.Builder
	for i, c := range s.Cards() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.String())
	}
	return b.String()
}

// Hands goes through every hand of three cards that can be dealt from the set,
// each combination once. The cards of a hand, and the hands, come in index
// order.
func (s Set) Hands() iter.Seq[Hand] {
	return func(yield func(Hand) bool) {
		cards := s.Cards()
		for i, a := range cards {
			for j, b := range cards[i+1:] {
				for _, c := range cards[i+1+j+1:] {
					if !yield(Hand{a, b, c}) {
						return
					}
				}
			}
		}
	}
}

// Hands goes through all 22,100 hands of three cards of the deck, in the order
// of [Set.Hands].
func Hands() iter.Seq[Hand] { return deck.Hands() }
