package money_test

import (
	"fmt"

	"trey/money"
)

func ExampleParse() {
	for _, s := range []string{"$1,250", "-3.05", "12.505"} {
		a, err := money.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(int64(a), a, a.Display())
	}
	// Output:
	// 125000 1250.00 1,250.00
	// -305 -3.05 -3.05
	// "12.505" has more than two decimals: write whole cents, such as 12.50
}

func ExampleOdds_Pay() {
	odds := money.Odds{To: 1, For: 2}
	for _, r := range []money.Rounding{
		{},
		{Unit: money.Major},
		{Unit: money.Major, Favour: money.House},
	} {
		pays, err := odds.Pay(15*money.Major, r)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(odds, "on 15.00 pays", pays, "in units of", max(r.Unit, money.Minor), "in favour of the", r.Favour)
	}
	// Output:
	// 1 to 2 on 15.00 pays 7.50 in units of 0.01 in favour of the player
	// 1 to 2 on 15.00 pays 8.00 in units of 1.00 in favour of the player
	// 1 to 2 on 15.00 pays 7.00 in units of 1.00 in favour of the house
}
