package table_test

import (
	"errors"
	"testing"

	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

// A box that an event names for later, in a question, an option or a report, or that a line
// without a stake or a moved card names, exists as well. Where zero names no box, it holds.
func TestABoxThatIsNamedIsThere(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	betting := g.s
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("Qh Qd 2c Jh Td 7s"))
	deciding := g.s
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	showing := g.s
	g.do("dan", table.Settle{})
	paid := g.s

	// The settlement of the round, with one line more that moves nothing.
	settled := table.Settled{Lines: paid.Lines}
	if _, err := table.Evolve(showing, settled); err != nil {
		t.Fatal(err)
	}
	stakes := []table.LaidStake{{Player: "ann", Wager: rules.Ante, Amount: 1000}, {Player: "ann", Wager: rules.Play, Amount: 1000}}
	for _, box := range []int{-3, -1, 0, 1, len(paid.Boxes), len(paid.Boxes) + 1, 200} {
		asked := func(q table.OpenQuestion) table.Event { return table.QuestionAsked{Question: q} }
		reported := table.Report{Incident: rules.Uncovered, Box: box}
		several := table.Report{Incident: rules.ProgressiveDown, Boxes: []int{1, box}}
		found := table.Found{Box: box, Player: "ann", Wager: rules.Ante, Amount: 1000}
		envy := table.Line{Box: box, Player: "ann", Reverses: 100, Line: rules.Line{Wager: rules.Envy, Result: rules.GivenBack}}
		for what, tt := range map[string]struct {
			s    table.State
			e    table.Event
			none bool // whether zero names no box
		}{
			"a report":                   {deciding, table.Reported{Report: reported}, true},
			"a report of several boxes":  {deciding, table.Reported{Report: several}, true},
			"the hands that it ends":     {deciding, table.Reported{Boxes: []int{1, box}}, true},
			"an option":                  {deciding, table.OffersMade{Offers: []table.Offer{{Player: "ben"}, {Box: box, Player: "ann"}}}, true},
			"a question":                 {deciding, asked(table.OpenQuestion{Key: table.ConfirmFacts, Report: reported}), true},
			"a question of several":      {deciding, asked(table.OpenQuestion{Key: table.ConfirmFacts, Report: several}), true},
			"a question about chips":     {betting, asked(table.OpenQuestion{Key: table.ConfirmFacts, Found: found}), true},
			"a moved card":               {deciding, table.CardsMoved{Moves: []table.Move{{Slot: 0, To: table.Place(box)}}}, false},
			"a line without a stake":     {showing, table.Settled{Lines: append([]table.Line{{Box: box, Player: "ann", Line: rules.Line{Wager: rules.Envy}}}, paid.Lines...)}, false},
			"a bonus that is taken back": {paid, table.SettlementUndone{Box: 1, Stakes: stakes, Lines: []table.Line{envy}}, false},
		} {
			holds := box >= 1 && box <= len(paid.Boxes) || box == 0 && tt.none
			_, err := table.Evolve(tt.s, tt.e)
			var broken *table.Broken
			if holds != (err == nil) || !holds && !errors.As(err, &broken) {
				t.Errorf("%s, box %d: %v", what, box, err)
			}
		}
	}
	for _, place := range []table.Place{0, table.DealerHand, table.Out, table.Out + 1, 255} {
		_, err := table.Evolve(deciding, table.CardsMoved{Moves: []table.Move{{Slot: 0, To: place}}})
		if holds := place == table.DealerHand || place == table.Out; holds != (err == nil) {
			t.Errorf("a card is moved to place %d: %v", place, err)
		}
	}
	asked := func(w rules.Wager) table.Event {
		return table.QuestionAsked{Question: table.OpenQuestion{Key: table.ConfirmFacts, Found: table.Found{Box: 1, Player: "ann", Wager: w, Amount: 1000}}}
	}
	if _, err := table.Evolve(betting, asked(rules.Envy+100)); err == nil {
		t.Error("a question of a wager that no game has is taken")
	}
}
