package table_test

import (
	"reflect"
	"strings"
	"testing"

	"trey/rules"
	"trey/table"
)

// The heading of an event is what is told of it without the lines by which wagers ended.
func TestHeadingsHaveNoLines(t *testing.T) {
	s := ready(t)
	lines := []table.Line{{Box: 2, Player: "ann", Reverses: 500, Line: rules.Line{Wager: rules.Ante, Stake: 1000, Returned: 1000, Result: rules.GivenBack, Clause: "5.20"}}}
	for _, tt := range []struct{ with, without table.Event }{
		{table.BetsReturned{Clause: "5.20", Lines: lines}, table.BetsReturned{Clause: "5.20"}},
		{table.ForfeitsCollected{Clause: "5.20", Lines: lines}, table.ForfeitsCollected{Clause: "5.20"}},
		{table.Settled{Lines: lines}, table.Settled{}},
		{table.BoxSettled{Box: 2, Lines: lines}, table.BoxSettled{Box: 2}},
		{table.SettlementUndone{Box: 2, Clause: "5.20", Lines: lines}, table.SettlementUndone{Box: 2, Clause: "5.20"}},
		{table.RoundVoided{Clause: "5.20", Lines: lines}, table.RoundVoided{Clause: "5.20"}},
		{table.HandInvalidated{Box: 2, Clause: "5.20", Lines: lines}, table.HandInvalidated{Box: 2, Clause: "5.20"}},
		{table.DecisionRestored{Box: 2, Clause: "5.20", Lines: lines}, table.DecisionRestored{Box: 2, Clause: "5.20"}},
	} {
		if got, want := table.Heading(tt.with, s), table.Heading(tt.without, s); !reflect.DeepEqual(got, want) {
			t.Errorf("%T: %v, want %v", tt.with, got, want)
		}
		if table.Text(tt.with, s) == table.Text(tt.without, s) {
			t.Errorf("%T: its lines are not told", tt.with)
		}
	}
}

// Each remedy of an answer is told by its number, with the reason.
func TestSentencesNameEachRemedy(t *testing.T) {
	answered := table.QuestionAnswered{Key: "resolve", Answer: "remedy", By: person("sue"), Clause: "5.23", Remedies: []table.Remedy{
		{Do: table.InvalidateHand, Box: 1, Reason: "seen"},
		{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante},
		{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante, Amount: 500},
		{Do: table.RestoreDecision, Box: 2, Decision: table.Folded},
		{Do: table.KeepFirstThree},
		{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: 700},
		{Do: table.CollectAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: 900, Reason: "paid twice"},
	}}
	got := table.Text(answered, ready(t))
	for _, want := range []string{
		"1. The hand at box 1 is taken out of the round: seen.\n",
		"2. ann's Ante at box 1 is given back.\n",
		"3. 5.00 of ann's Ante at box 1 is given back.\n",
		"4. The decision of box 2 is put right: folded.\n",
		"5. The first three cards at the dealer are the hand.\n",
		"6. 7.00 is awarded to ann on Ante at box 1.\n",
		"7. 9.00 is collected from ann on Ante at box 1: paid twice.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told in\n%s", want, got)
		}
	}
}
