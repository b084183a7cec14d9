package linked_test

import (
	"fmt"

	"trey/card"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

// A hand that wins the whole meter: the bet contributes when the betting closes, the
// hit is registered once the table has seen the hand, and the settlement pays it and
// sets the meter back.
func ExampleStep() {
	variant := rws3cp.Book().Standard()
	_, meter, err := linked.Open(variant, 25_000*money.Major, 0)
	if err != nil {
		panic(err)
	}
	state, err := table.New(variant, table.Config{Device: rules.Shuffler, Cards: table.Read})
	if err != nil {
		panic(err)
	}
	cards, err := card.ParseFaces("As Ks Qs 2c 5d 9h")
	if err != nil {
		panic(err)
	}
	var deal table.Deal
	for _, face := range cards {
		deal.Cards = append(deal.Cards, table.Drawn{Card: face})
	}
	ann := table.Actor{Name: "ann", Role: rules.Player}
	dan := table.Actor{Name: "dan", Role: rules.Dealer}
	for _, command := range []table.Command{
		{By: dan, Do: table.OpenBets{}},
		{By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major}},
		{By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major}},
		{By: dan, Do: table.CloseBets{}},
		{By: dan, Do: deal},
		{By: ann, Do: table.Raise{Box: 1, Player: "ann"}},
		{By: dan, Do: table.Reveal{}},
		{By: dan, Do: table.Settle{}},
	} {
		done, err := linked.Step("table 1", state, meter, command)
		if err != nil {
			panic(err)
		}
		state, meter = done.State, done.Meter
		if len(done.Moved) > 0 {
			fmt.Printf("%T: %v is displayed\n", command.Do, meter.Displayed())
		}
	}
	for _, line := range state.Lines {
		if line.Wager == rules.Progressive {
			fmt.Printf("%v %v: %v is paid\n", line.Wager, line.Stake, line.Pays)
		}
	}
	// Output:
	// table.CloseBets: 25002.00 is displayed
	// table.Deal: 25002.00 is displayed
	// table.Settle: 10000.00 is displayed
	// progressive 5.00: 25002.00 is paid
}
