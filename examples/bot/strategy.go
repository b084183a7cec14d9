package main

import (
	"slices"
	"strings"
)

// worthPlaying reports whether three cards, such as "Qh", are Queen, six and four
// or better: any hand from a pair on, and high cards from Q-6-4 on. In the poker
// games this is the best that can be done with a hand when the others are not known
// (docs/mathematics.md).
func worthPlaying(cards []string) bool {
	if len(cards) != 3 || cards[0] == "??" {
		return false
	}
	var ranks []int
	for _, c := range cards {
		ranks = append(ranks, strings.IndexByte("23456789TJQKA", c[0])+2)
	}
	slices.Sort(ranks)
	low, middle, high := ranks[0], ranks[1], ranks[2]
	flush := cards[0][1] == cards[1][1] && cards[1][1] == cards[2][1]
	straight := low+1 == middle && middle+1 == high || low == 2 && middle == 3 && high == 14
	if flush || straight || low == middle || middle == high {
		return true
	}
	return slices.Compare([]int{high, middle, low}, []int{12, 6, 4}) >= 0
}
