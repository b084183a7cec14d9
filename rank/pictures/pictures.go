// Package pictures is the order of hands in Royal Three Pictures: thirty-one
// ranks, made of a hand's point total and the number of its picture cards.
//
// It will never know a bet: that a win with six points pays less, or what the
// Royal Pictures wager pays, is in the book under rules. In particular it
// settles no tie: two hands of different rank can have the same point total,
// and it is the book that says what that is worth.
package pictures

import (
	"fmt"

	"trey/card"
)

// Rank is the place of a hand in the order, from 1 for Zero, the lowest, to 31
// for [ThreePictures]; the greater wins and equal ones stand off. The zero value
// is no rank.
type Rank uint8

// The ends of the order, and how many ranks it has.
const (
	// Count is the number of ranks.
	Count = 31
	// ThreePictures is the highest rank, any three picture cards.
	ThreePictures Rank = Count
)

// What one card adds to a hand: its points in the low five bits, which hold the
// 27 points of three nines, and above them one for a picture. No card at all
// adds more pictures than a hand has cards, so that no sum with it is a hand's.
const (
	pointBits = 5
	picture   = 1 << pointBits
	noCard    = 4 * picture
)

// lowest is the rank at which the index of the deck begins.
const lowest = card.Two

// worth holds what a card adds, by the number of ranks below its own.
//
//clause:mbs-3pictures@2 3.17.1
//clause:mbs-3pictures@2 3.17.1.1
var worth = [16]uint16{
	card.Two - lowest:   2,
	card.Three - lowest: 3,
	card.Four - lowest:  4,
	card.Five - lowest:  5,
	card.Six - lowest:   6,
	card.Seven - lowest: 7,
	card.Eight - lowest: 8,
	card.Nine - lowest:  9,
	card.Ten - lowest:   0,
	card.Jack - lowest:  picture,
	card.Queen - lowest: picture,
	card.King - lowest:  picture,
	card.Ace - lowest:   1,
	13:                  noCard,
	14:                  noCard,
	15:                  noCard,
}

// ranks holds the rank of three cards by the sum of what they add. It is worked
// out once, and is 512 bytes: it stays in the processor's nearest cache, and a
// look-up in it has no branch to be mispredicted.
//
//clause:mbs-3pictures@2 3.18
//clause:mbs-3pictures@2 3.18.1
//clause:mbs-3pictures@2 3.18.2
//clause:mbs-3pictures@2 3.20
//clause:mbs-3pictures@2 3.22
var ranks = func() (ranks [4 * noCard]Rank) {
	const mostPoints = 3 * 9
	for pictures := range 3 {
		for sum := range mostPoints + 1 {
			// Only the last digit of a sum counts; then, of equal digits, more
			// pictures are better.
			points := sum % 10
			ranks[pictures*picture+sum] = Rank(points*3 + pictures + 1)
		}
	}
	ranks[3*picture] = ThreePictures
	return ranks
}()

// worthOf returns what c adds to a hand. The deck is indexed rank by rank, four
// suits each; [card.None] falls on the last entry of the table.
func worthOf(c card.Card) uint16 { return worth[(c-1)>>2&15] }

// Point returns what a card counts: an ace one, two to nine their number, and
// ten, jack, queen and king nothing. [card.None] counts nothing too.
//
//clause:mbs-3pictures@2 3.17.1
//clause:mbs-3pictures@2 3.17.1.1
func Point(c card.Card) int { return int(worthOf(c) & (picture - 1)) }

// IsPicture reports whether a card is a jack, a queen or a king. A ten counts
// nothing like them, and is no picture.
//
//clause:mbs-3pictures@2 1.1.2
func IsPicture(c card.Card) bool { return worthOf(c) == picture }

// Of returns the rank of a hand. The hand must be valid; see [OfCards].
func Of(h card.Hand) Rank { return OfCards(h[0], h[1], h[2]) }

// OfCards returns the rank of three different cards, in any order. If one of
// them is [card.None] it returns zero; what it returns for a card given twice
// means nothing.
//
// Neither suits nor which pictures they are make a difference.
//
//clause:mbs-3pictures@2 3.17
//clause:mbs-3pictures@2 3.20
//clause:mbs-3pictures@2 3.21
//clause:mbs-3pictures@2 3.22
func OfCards(a, b, c card.Card) Rank {
	return ranks[(worthOf(a)+worthOf(b)+worthOf(c))%uint16(len(ranks))]
}

// Valid reports whether r is one of the thirty-one ranks.
func (r Rank) Valid() bool { return r >= 1 && r <= Count }

// Points returns the point total of a hand of this rank, 0 to 9. Three Pictures
// has 0, for no picture counts anything.
func (r Rank) Points() int {
	if !r.Valid() || r == ThreePictures {
		return 0
	}
	return int(r-1) / 3
}

// Pictures returns the number of picture cards in a hand of this rank, 0 to 3.
func (r Rank) Pictures() int {
	switch {
	case !r.Valid():
		return 0
	case r == ThreePictures:
		return 3
	}
	return int(r-1) % 3
}

var (
	pointNames   = [...]string{"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"}
	pictureNames = [...]string{"", "Single Picture ", "Double Picture "}
)

// String returns the rank as the table announces it: "Three Pictures", "Double
// Picture Nine", "Single Picture Zero", "Nine". A value that is no rank prints
// as "Rank(0)".
func (r Rank) String() string {
	switch {
	case !r.Valid():
		return fmt.Sprintf("Rank(%d)", uint8(r))
	case r == ThreePictures:
		return "Three Pictures"
	}
	return pictureNames[r.Pictures()] + pointNames[r.Points()]
}
