package house_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/housetest"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A player who bets and takes the bet back without end makes no round without end: its picture
// would grow with each bet until nobody could look at the table. A round with a bet in it is
// ended by its clock, and goes on.
func TestARoundOfBetsTakenBackEnds(t *testing.T) {
	steady.Sequential(t)
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	pace := house.Pace{BettingMs: 9000, DecisionMs: 9000, OptionMs: 9000}
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Mode: house.Automatic, Pace: &pace}); err != nil {
		t.Fatal(err)
	}
	look := func() table.State {
		t.Helper()
		status, err := s.Status("A")
		if err != nil {
			t.Fatal(err)
		}
		raw := housetest.State(status.State)
		if raw.Phase == table.Ready {
			if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
				t.Fatal(err)
			}
			if status, err = s.Status("A"); err != nil {
				t.Fatal(err)
			}
			raw = housetest.State(status.State)
		}
		return raw
	}
	const most = 500
	back := func(times int) {
		for range times {
			look()
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			s.do("A", ann, table.Withdraw{Box: 1, Player: ann.Name, Wager: rules.Ante})
		}
	}
	back(most - 1)
	if at := look(); at.Round != 1 || len(at.Lines) != most-1 {
		t.Fatalf("round %d has %d lines", at.Round, len(at.Lines))
	}
	back(1)
	if at := look(); at.Round != 2 || len(at.Lines) != 0 || at.Phase != table.Betting {
		t.Fatalf("then round %d has %d lines", at.Round, len(at.Lines))
	}
	s.do("A", ben, ante(ben, 2, 10*money.Major))
	back(most + 1)
	if at := look(); at.Round != 2 || at.OnLayout() != 10*money.Major {
		t.Errorf("with a bet of somebody else it is round %d, and %s lie there", at.Round, at.OnLayout())
	}
	s.do("A", ben, table.Withdraw{Box: 2, Player: ben.Name, Wager: rules.Ante})
	if at := look(); at.Round != 3 || len(at.Lines) != 0 {
		t.Errorf("without it round %d has %d lines", at.Round, len(at.Lines))
	}
	s.has("ann", 1000*money.Major)
	s.has("ben", 1000*money.Major)
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	a, err := auditor.Check(ctx(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings() {
		t.Errorf("%+v", f)
	}
	s.restart()
	if at := look(); at.Round != 3 {
		t.Errorf("after a restart it is round %d", at.Round)
	}
}
