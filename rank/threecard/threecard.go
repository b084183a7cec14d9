// Package threecard is the order of hands in three-card poker: each of the
// 22,100 hands has one of 741 ranks, and of two hands the one of greater rank
// wins.
//
// It will never know a bet or a book: which hand qualifies, which one is worth
// raising and what any of them pays are declared under rules, in terms of the
// ranks that [Lowest], [HighCardRank] and [Threshold] name.
package threecard

import (
	"fmt"

	"trey/card"
)

// Rank is the place of a hand in the order, from 1 for the worst hand, 5-3-2 of
// different suits, to [Count] for the best, ace, king and queen of one suit.
// Hands that stand off have the same rank. The zero value is no rank.
type Rank uint16

// Count is the number of ranks, and the greatest of them.
const Count = 741

// How many ranks each category has. Three different card ranks can be chosen in
// 286 ways, and 12 of those are sequences.
const (
	sequences = 12
	oddCards  = 13*12*11/(3*2*1) - sequences
	pairs     = 13 * 12
	triplets  = 13
)

// The lowest rank of each category.
const (
	firstHighCard      Rank = 1
	firstPair               = firstHighCard + oddCards
	firstFlush              = firstPair + pairs
	firstStraight           = firstFlush + oddCards
	firstThreeOfAKind       = firstStraight + sequences
	firstStraightFlush      = firstThreeOfAKind + triplets
)

// Ranking is one look-up. The key is four bits of rank for each card in the
// order dealt, and one bit more if the suits are all the same. The table takes
// 16 KiB, of which the keys that occur touch less than 11: it stays in the
// processor's nearest cache. Keys that no hand has hold zero.
const (
	cardBits = 4
	suited   = 1 << (3 * cardBits)
	keys     = 2 * suited
)

var (
	ranks  [keys]Rank
	shapes [Count + 1][3]card.Rank // by Rank: the cards' ranks in the order in which they decide

	lowestFlush [card.Ace + 1]Rank // by its highest card
)

// init numbers the hands from the worst to the best, once, in some tens of
// microseconds.
//
//clause:rws-3cp@3 3.1.2
//clause:rws-3cp@3 3.1.3
//clause:us-3cp rules.9
//clause:sm-3cp ranking
func init() {
	var last Rank
	add := func(key uint, a, b, c card.Rank) {
		last++
		shapes[last] = [3]card.Rank{a, b, c}
		for _, p := range [...][3]card.Rank{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
			ranks[key|keyOf(uint(p[0]-card.Two), uint(p[1]-card.Two), uint(p[2]-card.Two))] = last
		}
	}
	addOddCards := func(key uint) {
		for high := card.Two; high <= card.Ace; high++ {
			for middle := card.Two; middle < high; middle++ {
				for low := card.Two; low < middle; low++ {
					if !isSequence(high, middle, low) {
						add(key, high, middle, low)
					}
				}
			}
		}
	}
	addPairs := func() {
		for pair := card.Two; pair <= card.Ace; pair++ {
			for odd := card.Two; odd <= card.Ace; odd++ {
				if odd != pair {
					add(0, pair, pair, odd)
				}
			}
		}
	}
	addSequences := func(key uint) {
		add(key, card.Three, card.Two, card.Ace)
		for high := card.Four; high <= card.Ace; high++ {
			add(key, high, high-1, high-2)
		}
	}
	addTriplets := func() {
		for r := card.Two; r <= card.Ace; r++ {
			add(0, r, r, r)
		}
	}

	addOddCards(0)
	addPairs()
	addOddCards(suited)
	addSequences(0)
	addTriplets()
	addSequences(suited)
	for r := firstStraight - 1; r >= firstFlush; r-- {
		lowestFlush[shapes[r][0]] = r
	}
}

// isSequence reports whether three card ranks, given from high to low with the
// ace high, follow each other. The ace is also one below the two, and nowhere
// else: king, ace and two are no sequence.
//
//clause:rws-3cp@3 3.1.1
func isSequence(high, middle, low card.Rank) bool {
	return high == middle+1 && middle == low+1 ||
		high == card.Ace && middle == card.Three && low == card.Two
}

// keyOf returns the key of three cards of different suits, each given by the
// number of ranks below its own.
func keyOf(a, b, c uint) uint { return a<<(2*cardBits) | b<<cardBits | c }

// Of returns the rank of a hand. The hand must be valid; see [OfCards].
func Of(h card.Hand) Rank { return OfCards(h[0], h[1], h[2]) }

// OfCards returns the rank of three different cards, in any order. If one of
// them is [card.None] it returns zero; what it returns for a card given twice
// means nothing.
//
// Suits decide only whether the three are the same; none is above another.
//
//clause:rws-3cp@3 3.1.1
//clause:rws-3cp@3 3.1.2
//clause:us-3cp rules.9
//clause:sm-3cp ranking
func OfCards(a, b, c card.Card) Rank {
	// The deck is indexed rank by rank, four suits each, so the low two bits of
	// an index are the suit. None wraps to 255, whose four bits of rank are
	// above every rank there is.
	x, y, z := uint(a-1), uint(b-1), uint(c-1)
	key := keyOf(x>>2, y>>2, z>>2)
	if ((x^y)|(x^z))&3 == 0 {
		key |= suited
	}
	return ranks[key%keys]
}

// ByHighestCard returns the rank that stands for all hands equal to one of rank r where
// the cards beside the highest decide nothing between flushes: of the flushes with that
// highest card the lowest. Every other rank stands for itself.
func (r Rank) ByHighestCard() Rank {
	if r < firstFlush || r >= firstStraight {
		return r
	}
	return lowestFlush[shapes[r][0]]
}

// Valid reports whether r is one of the 741 ranks.
func (r Rank) Valid() bool { return r >= 1 && r <= Count }

// String returns the category and the cards' ranks in the order in which they
// decide: "High card Q-6-4", "Pair 10-10-K", "Straight 3-2-A", "Straight flush
// A-K-Q". The form is fixed, for reports and interfaces print it. A value that
// is no rank prints as "Rank(0)".
func (r Rank) String() string {
	if !r.Valid() {
		return fmt.Sprintf("Rank(%d)", uint16(r))
	}
	s := shapes[r]
	return fmt.Sprintf("%v %v-%v-%v", r.Category(), s[0], s[1], s[2])
}
