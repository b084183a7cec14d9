package house_test

import (
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/house/protection"
	"trey/money"
	"trey/table"
)

// A bet of a player who has not been counted is refused where something depends on what they have
// played: a limit of their own, or the reality check of the house.
func TestABetThatIsNotCountedIsRefused(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		player  string
		checkMs int64
		want    error
	}{
		{"ann", 0, house.ErrUncounted},
		{"ben", 0, nil},
		{"ann", 1, house.ErrUncounted},
		{"ben", 1, house.ErrUncounted},
	} {
		s.reopen(func(w *house.World) { w.RealityCheckMs = test.checkMs })
		if err := s.MayBet("A", test.player, money.Major); !errors.Is(err, test.want) {
			t.Errorf("%s, with a check every %d ms: %v", test.player, test.checkMs, err)
		}
		if _, err := s.Protection(ctx(), test.player); err != nil {
			t.Fatal(err)
		}
		if err := s.MayBet("A", test.player, money.Major); err != nil {
			t.Errorf("%s, with a check every %d ms, when they are counted: %v", test.player, test.checkMs, err)
		}
	}
}

// Only whoever has an option decides.
func TestWhoHasAnOptionDecides(t *testing.T) {
	s := newSite(t)
	s.offersWithdrawal()
	for range 2 {
		if !s.Deciding("ann") || s.Deciding("ben") {
			t.Errorf("ann decides: %t, ben: %t", s.Deciding("ann"), s.Deciding("ben"))
		}
		s.restart()
	}
	s.do("A", ann, table.Choose{Player: "ann", Return: true})
	if s.Deciding("ann") {
		t.Error("ann has chosen, and decides")
	}
}
