package threecard

import (
	"fmt"
	"strings"

	"trey/card"
)

// HighCardRank returns the rank of three cards of those ranks, given in any
// order, that make no pair, straight or flush. It returns 0 where there is no
// such hand, because two of them are equal or the three are a sequence.
func HighCardRank(a, b, c card.Rank) Rank {
	if !a.Valid() || !b.Valid() || !c.Valid() {
		return 0
	}
	r := ranks[keyOf(uint(a-card.Two), uint(b-card.Two), uint(c-card.Two))]
	if r.Category() != HighCard {
		return 0
	}
	return r
}

// Threshold reads the lowest hand that is good enough for something, as books
// and players state it. It takes three forms, in either case:
//
//   - "Q-6-4": that hand, with no pair, straight or flush;
//   - "Q" or "Q-high": the lowest such hand whose highest card is that one,
//     here Q-3-2;
//   - "pair", "flush", "straight", "three of a kind", "straight flush": the
//     lowest hand of that category.
//
// "4-high" is an error, for 4-3-2 is a straight, and "A-high" is A-4-2, for
// A-3-2 is one too.
func Threshold(s string) (Rank, error) {
	for c := Pair; c <= StraightFlush; c++ {
		if strings.EqualFold(s, c.String()) {
			return Lowest(c), nil
		}
	}
	words := strings.Split(s, "-")
	if len(words) == 2 && strings.EqualFold(words[1], "high") {
		words = words[:1]
	}
	given := make([]card.Rank, len(words))
	for i, word := range words {
		r, err := card.ParseRank(word)
		if err != nil {
			return 0, errThreshold(s)
		}
		given[i] = r
	}
	switch len(given) {
	case 1:
		if r := lowestWithTop(given[0]); r.Valid() {
			return r, nil
		}
		return 0, fmt.Errorf("%q is no hand: without a pair, straight or flush the highest card is at least a 5", s)
	case 3:
		if r := HighCardRank(given[0], given[1], given[2]); r.Valid() {
			return r, nil
		}
		return 0, fmt.Errorf("%q is a pair, three of a kind or a straight: give three cards without one, such as Q-6-4", s)
	}
	return 0, errThreshold(s)
}

func errThreshold(s string) error {
	return fmt.Errorf("%q is not a hand: write it such as Q-6-4, Q-high or pair", s)
}

// lowestWithTop returns the lowest high-card rank whose highest card is top, or
// 0 if there is none.
func lowestWithTop(top card.Rank) Rank {
	for r := firstHighCard; r < firstPair; r++ {
		if shapes[r][0] == top {
			return r
		}
	}
	return 0
}
