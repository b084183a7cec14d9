package table_test

import (
	"errors"
	"testing"

	"trey/card"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
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

// Stakes go back to whoever has staked them, as they lie there and in full.
func TestStakesThatDoNotGoBack(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	for name, tt := range map[string]struct {
		change func(l *table.Line)
		holds  bool
	}{
		"all of it":           {func(*table.Line) {}, true},
		"a part":              {func(l *table.Line) { l.Stake, l.Returned = 400, 400 }, true},
		"more than the stake": {func(l *table.Line) { l.Returned++ }, false},
		"less than the stake": {func(l *table.Line) { l.Returned-- }, false},
		"more than lies":      {func(l *table.Line) { l.Stake, l.Returned = 1001, 1001 }, false},
		"another wager":       {func(l *table.Line) { l.Wager = rules.PairPlus }, false},
		"another player":      {func(l *table.Line) { l.Player = "ben" }, false},
		"another box":         {func(l *table.Line) { l.Box = 2 }, false},
	} {
		l := table.Line{Box: 1, Player: "ann", Line: rules.Line{Wager: rules.Ante, Stake: 1000, Returned: 1000, Result: rules.GivenBack}}
		tt.change(&l)
		for _, e := range []table.Event{table.BetsReturned{Lines: []table.Line{l}}, table.HandInvalidated{Box: 1, Lines: []table.Line{l}}, table.RoundVoided{Lines: []table.Line{l}}} {
			_, err := table.Evolve(g.s, e)
			var broken *table.Broken
			if holds := err == nil; holds != tt.holds || !holds && !errors.As(err, &broken) {
				t.Errorf("%s: %T: %v", name, e, err)
			}
		}
	}
}

// A settlement is undone of a box that has one to undo, by lines that do nothing but
// collect what was paid.
func TestASettlementThatIsNotUndone(t *testing.T) {
	g := play(t, us3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben", "cai")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("Qh Qd 2c Ks 9c 5s 4h 4d 8c Jh Td 7s"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("ben", table.Fold{Box: 2, Player: "ben"})
	g.do("cai", table.Raise{Box: 3, Player: "cai"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
	paid := g.s
	g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
	g.do("sue", table.Answer{Answer: "invalidate"})
	invalid := g.s
	g.do("dan", table.OpenBets{})
	undone := func(box int, stakes []table.LaidStake, change func(*table.Line)) table.Event {
		l := table.Line{Box: box, Player: "ann", Reverses: 100, Line: rules.Line{Wager: rules.Ante, Result: rules.GivenBack}}
		change(&l)
		return table.SettlementUndone{Box: box, Stakes: stakes, Lines: []table.Line{l}}
	}
	same := func(*table.Line) {}
	lay := func(player string, wagers ...rules.Wager) (stakes []table.LaidStake) {
		for _, w := range wagers {
			stakes = append(stakes, table.LaidStake{Player: player, Wager: w, Amount: 1000})
		}
		return stakes
	}
	anns := lay("ann", rules.Ante, rules.Play)
	if _, err := table.Evolve(paid, undone(1, anns, same)); err != nil {
		t.Fatalf("it is not undone: %v", err)
	}
	for name, tt := range map[string]struct {
		s table.State
		e table.Event
	}{
		"a box whose forfeits are taken in": {paid, undone(2, lay("ben", rules.Ante), same)},
		"a hand that left the round":        {invalid, undone(1, anns, same)},
		"a hand that left, with no stakes":  {invalid, undone(1, nil, same)},
		"a round that has just begun":       {g.s, undone(1, nil, same)},
		"a table that was closed":           {closed(t, paid), undone(1, anns, same)},
		"with winnings":                     {paid, undone(1, anns, func(l *table.Line) { l.Pays = 100 })},
		"with money back":                   {paid, undone(1, anns, func(l *table.Line) { l.Returned = 100 })},
		"with a loss":                       {paid, undone(1, anns, func(l *table.Line) { l.Result = rules.Lose })},
		"with less than nothing":            {paid, undone(1, anns, func(l *table.Line) { l.Reverses = -1 })},
	} {
		var broken *table.Broken
		if _, err := table.Evolve(tt.s, tt.e); !errors.As(err, &broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func closed(t *testing.T, s table.State) table.State {
	t.Helper()
	s, err := table.Evolve(s, table.TableClosed{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
