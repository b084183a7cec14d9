package table_test

import (
	"errors"
	"fmt"

	"trey/card"
	"trey/rules"
	"trey/rules/us3cp"
	"trey/table"
)

// open returns a table of the US book whose shuffler reads the cards it deals.
func open() table.State {
	state, err := table.New(us3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Read})
	if err != nil {
		panic(err)
	}
	return state
}

// out returns the cards in the order in which they leave the shuffler.
func out(cards string) (deal table.Deal) {
	faces, err := card.ParseFaces(cards)
	if err != nil {
		panic(err)
	}
	for _, face := range faces {
		deal.Cards = append(deal.Cards, table.Drawn{Card: face})
	}
	return deal
}

var (
	ann = table.Actor{Name: "ann", Role: rules.Player}
	dan = table.Actor{Name: "dan", Role: rules.Dealer}
)

// One box is played from the first bet to the settlement. What the book does not
// allow changes nothing, and the refusal names the clause.
func ExampleStep() {
	state := open()
	for _, command := range []table.Command{
		{By: dan, Do: table.OpenBets{}},
		{By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 11_00}},
		{By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10_00}},
		{By: dan, Do: table.CloseBets{}},
		{By: dan, Do: out("Kh 9d 4c Qd 9c 4h")},
		{By: ann, Do: table.Raise{Box: 1, Player: "ann"}},
		{By: dan, Do: table.Reveal{}},
		{By: dan, Do: table.Settle{}},
	} {
		_, after, err := table.Step(state, command)
		var refusal *table.Refusal
		if errors.As(err, &refusal) {
			fmt.Println("refused:", refusal.Clause, refusal.Reason)
			continue
		}
		if err != nil {
			panic(err)
		}
		state = after
	}
	for _, line := range state.Lines {
		fmt.Printf("%v %v: %v by %s, the player gets %v\n", line.Wager, line.Stake, line.Result, line.Clause, line.Returned)
	}
	// Output:
	// refused: us-3cp amounts.ante stake-size
	// play 10.00: win by rules.10, the player gets 20.00
	// ante 10.00: win by rules.10, the player gets 20.00
}

// Until the dealer's hand is turned, nobody is sent its cards; a player sees the
// cards of a hand after looking at it.
func ExampleView() {
	state := open()
	for _, command := range []table.Command{
		{By: dan, Do: table.OpenBets{}},
		{By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10_00}},
		{By: dan, Do: table.CloseBets{}},
		{By: dan, Do: out("Kh 9d 4c Qd 9c 4h")},
		{By: ann, Do: table.Examine{Box: 1, Player: "ann"}},
	} {
		_, after, err := table.Step(state, command)
		if err != nil {
			panic(err)
		}
		state = after
	}
	for _, viewer := range []string{"ann", "ben"} {
		picture := table.View(state, table.Viewer{Player: viewer})
		fmt.Printf("%s: box 1 %v, dealer %v\n", viewer, picture.Boxes[0].Cards, picture.Dealer)
	}
	// Output:
	// ann: box 1 [Kh 9d 4c], dealer [?? ?? ??]
	// ben: box 1 [?? ?? ??], dealer [?? ?? ??]
}
