package table_test

import (
	"errors"
	"testing"

	"trey/card"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

// A record with an event at a box that the table does not have is broken.
func TestEventsAtABoxThatIsNotThere(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	betting := g.s
	g.do("dan", table.CloseBets{})
	dealing := g.s
	g.do("dan", dealt("Qh Qd 2c Ks 9c 5s Jh Td 7s"))
	deciding := g.s
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("ben", table.Fold{Box: 2, Player: "ben"})
	unshown := g.s
	g.do("dan", table.Reveal{})
	showing := g.s
	g.do("dan", table.Settle{})
	paid := g.s
	for _, box := range []int{-1, 0, len(g.s.Boxes) + 1} {
		line := func(result rules.Result) []table.Line {
			return []table.Line{{Box: box, Player: "ann", Line: rules.Line{Wager: rules.Ante, Result: result}}}
		}
		for _, tt := range []struct {
			s table.State
			e table.Event
		}{
			{betting, table.BetPlaced{Box: box, Player: "ann", Wager: rules.Ante, Amount: 1000}},
			{betting, table.StakeFound{Box: box, Player: "ann", Wager: rules.Ante, Amount: 1000}},
			{betting, table.MinimumAdvised{Box: box, Player: "ann", Wager: rules.Ante, Minimum: 1000}},
			{betting, table.BetsReturned{Lines: line(rules.GivenBack)}},
			{dealing, table.CardsDealt{Cards: []table.Dealt{{Card: handOf("Ah")[0], Place: table.Box(box), Meant: table.Box(1)}}}},
			{deciding, table.HandExamined{Box: box, Player: "ann"}},
			{deciding, table.HandRaised{Box: box, Player: "ann", Wager: rules.Play, Amount: 1000}},
			{deciding, table.HandFolded{Box: box, Player: "ann"}},
			{deciding, table.HandInvalidated{Box: box}},
			{deciding, table.HandInvalidated{Box: 1, Lines: line(rules.GivenBack)}},
			{deciding, table.RoundVoided{Lines: line(rules.GivenBack)}},
			{deciding, table.DecisionRestored{Box: box, Player: "ann"}},
			{deciding, table.Reported{Report: table.Report{Incident: rules.HandTouched, Box: box, Player: "ann"}}},
			{unshown, table.ForfeitsCollected{Lines: line(rules.Lose)}},
			{showing, table.HandShown{Place: table.Box(box), Hand: card.Hand(handOf("Ah 2h 3h"))}},
			{showing, table.HandKeptDown{Box: box}},
			{showing, table.BoxSettled{Box: box}},
			{showing, table.Settled{Lines: line(rules.Lose)}},
			{paid, table.SettlementUndone{Box: box}},
			{paid, table.PaymentCorrected{Lines: line(rules.GivenBack)}},
			{paid, table.ProgressiveSuspended{Option: table.WithoutBoxes, Boxes: []int{1, box}}},
		} {
			_, err := table.Evolve(tt.s, tt.e)
			var broken *table.Broken
			if !errors.As(err, &broken) {
				t.Errorf("box %d: %#v is taken: %v", box, tt.e, err)
			}
		}
	}
}
