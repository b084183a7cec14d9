package rules_test

import (
	"fmt"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
)

// A flush beats a dealer who does not qualify: the Ante is paid 1 to 1, the Play
// bet goes back, and Pair Plus is paid by its table whatever the dealer has.
func ExampleVariant_Settle() {
	variant := rws3cp.Book().Standard()
	showdown := rules.Showdown{}
	showdown.Player, _ = card.ParseHand("Kh 9h 4h")
	showdown.Dealer, _ = card.ParseHand("Jd 9c 4s")
	showdown.Stakes[rules.Ante] = 25 * money.Major
	showdown.Stakes[rules.Play] = 25 * money.Major
	showdown.Stakes[rules.PairPlus] = 10 * money.Major

	lines, err := variant.Settle(nil, &showdown)
	if err != nil {
		panic(err)
	}
	for _, line := range lines {
		fmt.Printf("%v %v: %v, pays %v by %s\n", line.Wager, line.Stake, line.Result, line.Pays, variant.Book.ClauseRef(line.Clause))
	}
	// Output:
	// ante 25.00: win, pays 25.00 by rws-3cp@3 3.13
	// play 25.00: push, pays 0.00 by rws-3cp@3 3.13
	// pair-plus 10.00: win, pays 40.00 by rws-3cp@3 4.2
}
