package pictures_test

import (
	"fmt"

	"trey/card"
	"trey/rank/pictures"
)

func ExampleOf() {
	for _, s := range []string{"Kd Jc Qd", "Qd Jh 9c", "Qd 7c 2d", "6h 9h 4c", "4h 7h 9c"} {
		h, err := card.ParseHand(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		r := pictures.Of(h)
		fmt.Printf("%2d %v: %d points, %d pictures\n", r, r, r.Points(), r.Pictures())
	}
	// Output:
	// 31 Three Pictures: 0 points, 3 pictures
	// 30 Double Picture Nine: 9 points, 2 pictures
	// 29 Single Picture Nine: 9 points, 1 pictures
	// 28 Nine: 9 points, 0 pictures
	//  1 Zero: 0 points, 0 pictures
}
