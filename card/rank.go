package card

import (
	"fmt"
	"strings"
)

// Rank is the rank of a card, from [Two] to [Ace]. Its number is the one printed on the
// card; Jack to Ace continue it from 11 to 14, so that in every book where the ace is
// high a greater Rank is the higher card. The zero value is no rank.
type Rank uint8

// The thirteen ranks, from the lowest to the highest.
const (
	Two   Rank = 2
	Three Rank = 3
	Four  Rank = 4
	Five  Rank = 5
	Six   Rank = 6
	Seven Rank = 7
	Eight Rank = 8
	Nine  Rank = 9
	Ten   Rank = 10
	Jack  Rank = 11
	Queen Rank = 12
	King  Rank = 13
	Ace   Rank = 14
)

// rankBytes holds the one-letter form of each rank at the rank's own number.
const rankBytes = "..23456789TJQKA"

// rankNames holds the English name of each rank at the rank's own number.
var rankNames = [...]string{
	Two: "Two", Three: "Three", Four: "Four", Five: "Five", Six: "Six",
	Seven: "Seven", Eight: "Eight", Nine: "Nine", Ten: "Ten",
	Jack: "Jack", Queen: "Queen", King: "King", Ace: "Ace",
}

// Valid reports whether r is one of the thirteen ranks.
func (r Rank) Valid() bool { return r >= Two && r <= Ace }

// String returns the rank as it is printed on a card: "2" to "10", "J", "Q",
// "K", "A". A value that is no rank prints as "Rank(0)".
func (r Rank) String() string {
	switch {
	case !r.Valid():
		return fmt.Sprintf("Rank(%d)", uint8(r))
	case r == Ten:
		return "10"
	}
	return rankBytes[r : r+1]
}

// Byte returns the rank as one letter, with 'T' for the ten, and '?' for a
// value that is no rank.
func (r Rank) Byte() byte {
	if !r.Valid() {
		return '?'
	}
	return rankBytes[r]
}

// Name returns the rank in words, such as "Queen", "Ten" or "Two".
func (r Rank) Name() string {
	if !r.Valid() {
		return r.String()
	}
	return rankNames[r]
}

// Plural returns the rank in words for more than one card, such as "Queens" or
// "Sixes".
func (r Rank) Plural() string {
	switch {
	case !r.Valid():
		return r.String()
	case r == Six:
		return "Sixes"
	}
	return rankNames[r] + "s"
}

// ParseRank reads a rank as [Rank.String] or [Rank.Byte] write it, in either
// case: "7", "10", "T", "q".
func ParseRank(s string) (Rank, error) {
	if s == "10" {
		return Ten, nil
	}
	if len(s) == 1 && s != "." {
		if i := strings.Index(rankBytes, strings.ToUpper(s)); i >= 0 {
			return Rank(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a rank: write 2 to 10, J, Q, K or A", s)
}
