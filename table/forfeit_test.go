package table_test

import (
	"errors"
	"slices"
	"testing"

	"trey/money"
	"trey/rules"
	"trey/rules/us3cp"
	"trey/table"
)

// folded is a table at which ann has folded an Ante of 5 with a Pair Plus bet of 3
// on box 1, and ben plays an Ante of 4 on box 2.
func folded(t *testing.T) *game {
	t.Helper()
	g := play(t, us3cp.Book(), rules.Shuffler, table.Unseen)
	g.do("dan", table.OpenBets{})
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major})
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 3 * money.Major})
	g.do("ben", table.Bet{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 4 * money.Major})
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{Cards: make([]table.Drawn, 9)})
	g.do("ann", table.Fold{Box: 1, Player: "ann"})
	g.do("ben", table.Raise{Box: 2, Player: "ben"})
	return g
}

// The forfeited bets leave the layout before the dealer's hand is turned, each by
// one line, and the settlement has none for them.
func TestForfeitsAreCollectedFirst(t *testing.T) {
	g := folded(t)
	if lies := g.s.OnLayout(); lies != 16*money.Major {
		t.Fatalf("%s lies on the layout, want 16", lies)
	}
	events := g.do("dan", table.Reveal{Hand: handOf("Qd 9c 4h")})
	collected, ok := events[0].(table.ForfeitsCollected)
	if !ok {
		t.Fatalf("first comes %T", events[0])
	}
	var sum money.Amount
	for _, l := range collected.Lines {
		if l.Box != 1 || l.Player != "ann" || l.Result != rules.Lose || l.Returned != 0 {
			t.Errorf("collected by %+v", l)
		}
		sum += l.Stake
	}
	if sum != 8*money.Major || g.s.OnLayout() != 8*money.Major {
		t.Errorf("%s is collected and %s lies there, want 8 of each", sum, g.s.OnLayout())
	}
	g.do("dan", table.Show{Box: 2, Hand: handOf("Kh 9d 3c")})
	for _, e := range g.do("dan", table.Settle{}) {
		if settled, ok := e.(table.Settled); ok && slices.ContainsFunc(settled.Lines, func(l table.Line) bool { return l.Box == 1 }) {
			t.Errorf("the settlement has lines for box 1: %+v", settled.Lines)
		}
	}
}

// A record that collects anything but exactly what was forfeited does not hold.
func TestWrongCollectionsAreFound(t *testing.T) {
	line := func(box int, player string, w rules.Wager, stake money.Amount) table.Line {
		return table.Line{Box: box, Player: player, Line: rules.Line{Wager: w, Stake: stake, Result: rules.Lose, Clause: "rules.4"}}
	}
	ante, pairPlus := line(1, "ann", rules.Ante, 5*money.Major), line(1, "ann", rules.PairPlus, 3*money.Major)
	given := ante
	given.Result, given.Returned = rules.GivenBack, given.Stake
	// A bet that is all excess would lose nothing.
	excess := ante
	excess.Excess, excess.Returned = ante.Stake, ante.Stake
	for name, test := range map[string]struct {
		lines []table.Line
		holds bool
	}{
		"a bet that loses nothing":   {[]table.Line{excess, pairPlus}, false},
		"exactly what was forfeited": {[]table.Line{ante, pairPlus}, true},
		"one bet left out":           {[]table.Line{ante}, false},
		"nothing":                    {nil, false},
		"one bet twice":              {[]table.Line{ante, ante}, false},
		"too little of it":           {[]table.Line{line(1, "ann", rules.Ante, 4*money.Major), pairPlus}, false},
		"a hand that plays":          {[]table.Line{ante, pairPlus, line(2, "ben", rules.Ante, 4*money.Major)}, false},
		"another player's":           {[]table.Line{line(1, "ben", rules.Ante, 5*money.Major), pairPlus}, false},
		"a bet given back":           {[]table.Line{given, pairPlus}, false},
		"no box":                     {[]table.Line{line(9, "ann", rules.Ante, 5*money.Major)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := table.Evolve(folded(t).s, table.ForfeitsCollected{Clause: "dealing.5", Lines: test.lines})
			var broken *table.Broken
			if test.holds != (err == nil) || err != nil && !errors.As(err, &broken) {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			if _, err := table.Evolve(s, table.ForfeitsCollected{Clause: "dealing.5", Lines: test.lines}); err == nil {
				t.Error("it is collected twice")
			}
		})
	}
}

// A record that moves a card that was never dealt, or that deals on for nobody, does not hold.
func TestCardsAndPlacesThatAreNotThere(t *testing.T) {
	g := play(t, us3cp.Book(), rules.Shuffler, table.Unseen)
	g.do("dan", table.OpenBets{})
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major})
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{Cards: make([]table.Drawn, 6)})
	for name, test := range map[string]struct {
		event table.Event
		holds bool
	}{
		"the last card":           {table.CardsMoved{Moves: []table.Move{{Slot: len(g.s.Slots) - 1, To: table.Out}}}, true},
		"the card behind it":      {table.CardsMoved{Moves: []table.Move{{Slot: len(g.s.Slots), To: table.Out}}}, false},
		"the card before them":    {table.CardsMoved{Moves: []table.Move{{Slot: -1, To: table.Out}}}, false},
		"a hand that is no place": {table.DealFinished{Hand: table.Out + 1}, false},
		"a hand of no box":        {table.DealFinished{Hand: table.Box(len(g.s.Boxes) + 1)}, false},
	} {
		if _, err := table.Evolve(g.s, test.event); (err == nil) != test.holds {
			t.Errorf("%s: %v", name, err)
		}
	}
}
