package threecard

import "fmt"

// Category is the kind of a hand, such as a pair; the greater beats the lesser
// whatever their cards. The zero value is no category.
type Category uint8

// The six categories, from the lowest to the highest. With three cards a
// straight is rarer than a flush, and beats it.
//
//clause:rws-3cp@3 3.1.2
//clause:us-3cp rules.9
//clause:sm-3cp ranking
const (
	HighCard Category = iota + 1
	Pair
	Flush
	Straight
	ThreeOfAKind
	StraightFlush
)

var categoryNames = [...]string{
	HighCard:      "High card",
	Pair:          "Pair",
	Flush:         "Flush",
	Straight:      "Straight",
	ThreeOfAKind:  "Three of a kind",
	StraightFlush: "Straight flush",
}

// Valid reports whether c is one of the six categories.
func (c Category) Valid() bool { return c >= HighCard && c <= StraightFlush }

// String returns the category in words, such as "Three of a kind". A value that
// is no category prints as "Category(0)".
func (c Category) String() string {
	if !c.Valid() {
		return fmt.Sprintf("Category(%d)", uint8(c))
	}
	return categoryNames[c]
}

// Lowest returns the lowest rank of a category: 5-3-2 of the high cards, 2-2-3
// of the pairs, 3-2-A of the straights. It returns 0 for an invalid category.
func Lowest(c Category) Rank {
	switch c {
	case HighCard:
		return firstHighCard
	case Pair:
		return firstPair
	case Flush:
		return firstFlush
	case Straight:
		return firstStraight
	case ThreeOfAKind:
		return firstThreeOfAKind
	case StraightFlush:
		return firstStraightFlush
	}
	return 0
}

// Category returns the category of a hand of this rank, or 0 if r is no rank.
func (r Rank) Category() Category {
	switch {
	case !r.Valid():
		return 0
	case r >= firstStraightFlush:
		return StraightFlush
	case r >= firstThreeOfAKind:
		return ThreeOfAKind
	case r >= firstStraight:
		return Straight
	case r >= firstFlush:
		return Flush
	case r >= firstPair:
		return Pair
	}
	return HighCard
}
