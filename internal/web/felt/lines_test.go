package felt_test

import (
	"slices"
	"testing"

	"trey/internal/web/felt"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// line returns one of ann's on box 1, in dollars.
func line(w rules.Wager, r rules.Result, stake, returned, reverses money.Amount) table.Line {
	l := table.Line{Box: 1, Player: "ann", Reverses: reverses * money.Major}
	l.Wager, l.Result, l.Stake, l.Returned = w, r, stake*money.Major, returned*money.Major
	return l
}

// TestLinesOfARoundSettledAnew holds what each line changed for the player, and which lines
// hold. A stake is taken once, however often the wager is settled.
func TestLinesOfARoundSettledAnew(t *testing.T) {
	won, lost := line(rules.Ante, rules.Win, 10, 20, 0), line(rules.Ante, rules.Lose, 10, 0, 0)
	tests := []struct {
		name  string
		lines []table.Line
		// nets are of each line, held those of the lines that hold, in dollars.
		nets, held []money.Amount
	}{
		{"settled once", []table.Line{won}, []money.Amount{10}, []money.Amount{10}},
		{
			"won, collected again and lost",
			[]table.Line{won, line(rules.Ante, rules.GivenBack, 0, 0, 20), lost},
			[]money.Amount{10, -20, 0},
			[]money.Amount{-10},
		},
		{
			"lost, and then won: nothing was paid that could be collected",
			[]table.Line{lost, won},
			[]money.Amount{-10, 20},
			[]money.Amount{10},
		},
		{
			"undone, and not settled anew yet",
			[]table.Line{won, line(rules.Ante, rules.GivenBack, 0, 0, 20)},
			[]money.Amount{10, -20},
			nil,
		},
		{
			"settled anew with less than was counted at first",
			[]table.Line{lost, line(rules.Ante, rules.Lose, 8, 0, 0)},
			[]money.Amount{-10, 2},
			[]money.Amount{-8},
		},
		{
			"settled anew with more, of which a part is above the maximum",
			[]table.Line{lost, line(rules.Ante, rules.GivenBack, 5, 5, 0), lost},
			[]money.Amount{-10, 5, -5},
			[]money.Amount{0, -10},
		},
		{
			"found to be below the minimum after it had lost",
			[]table.Line{lost, line(rules.Ante, rules.GivenBack, 3, 3, 0)},
			[]money.Amount{-10, 10},
			[]money.Amount{0},
		},
		{
			"the hand leaves the round after the payment",
			[]table.Line{won, line(rules.Ante, rules.GivenBack, 10, 10, 20)},
			[]money.Amount{10, -10},
			[]money.Amount{0},
		},
		{
			"an award",
			[]table.Line{lost, line(rules.Ante, rules.Win, 0, 4, 0)},
			[]money.Amount{-10, 4},
			[]money.Amount{-10, 4},
		},
		{
			"a part is collected",
			[]table.Line{won, line(rules.Ante, rules.GivenBack, 0, 0, 4)},
			[]money.Amount{10, -4},
			[]money.Amount{10, -4},
		},
		{
			"two Envy Bonuses of which one goes back",
			[]table.Line{
				line(rules.Envy, rules.Win, 0, 100, 0), line(rules.Envy, rules.Win, 0, 5, 0),
				line(rules.Envy, rules.GivenBack, 0, 0, 100),
			},
			[]money.Amount{100, 5, -100},
			[]money.Amount{5},
		},
		{
			"two Envy Bonuses that go back together, and one that follows",
			[]table.Line{
				line(rules.Envy, rules.Win, 0, 100, 0), line(rules.Envy, rules.Win, 0, 25, 0),
				line(rules.Envy, rules.GivenBack, 0, 0, 125), line(rules.Envy, rules.Win, 0, 25, 0),
			},
			[]money.Amount{100, 25, -125, 25},
			[]money.Amount{25},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dollars := func(all []money.Amount) (sum money.Amount, each []money.Amount) {
				for _, a := range all {
					sum, each = sum+a, append(each, a/money.Major)
				}
				return sum, each
			}
			sum, nets := dollars(felt.Nets(test.lines))
			if !slices.Equal(nets, test.nets) {
				t.Errorf("the lines change %d, want %d", nets, test.nets)
			}
			held, of := felt.Held(test.lines)
			heldSum, heldNets := dollars(of)
			if len(held) != len(of) || !slices.Equal(heldNets, test.held) {
				t.Errorf("the lines that hold change %d, want %d", heldNets, test.held)
			}
			if len(held) > 0 && heldSum != sum {
				t.Errorf("the lines that hold change %s together, and all lines %s", heldSum, sum)
			}
		})
	}
}
