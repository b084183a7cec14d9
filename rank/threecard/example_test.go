package threecard_test

import (
	"fmt"

	"trey/card"
	"trey/rank/threecard"
)

func ExampleOf() {
	for _, s := range []string{"Ah Kh Qh", "3c 2h Ad", "Kc Jc 9c", "10c 10h Ks", "Kc Ah 2d"} {
		h, err := card.ParseHand(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		r := threecard.Of(h)
		fmt.Printf("%3d %v\n", r, r)
	}
	// Output:
	// 741 Straight flush A-K-Q
	// 705 Straight 3-2-A
	// 630 Flush K-J-9
	// 381 Pair 10-10-K
	// 265 High card A-K-2
}

func ExampleThreshold() {
	play, err := threecard.Threshold("Q-6-4")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []string{"Qh 6d 3c", "Qh 6d 4c", "Qh 7d 2c"} {
		h, err := card.ParseHand(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		if threecard.Of(h) >= play {
			fmt.Println(h, "play")
		} else {
			fmt.Println(h, "fold")
		}
	}
	// Output:
	// Qh 6d 3c fold
	// Qh 6d 4c play
	// Qh 7d 2c play
}
