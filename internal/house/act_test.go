package house_test

import (
	"errors"
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/money"
)

// What people do to a jackpot moves the house's money with it, once for each
// key, and is there after a restart.
func TestActsOnAJackpot(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	two := jackpot.Approvers{First: "sue", Second: "tom"}
	up := jackpot.Adjust{Pot: jackpot.PotMeter, Cause: jackpot.AdjustTransferIn, Change: 500 * money.Major, Approvers: two}
	_, first, err := s.Act(ctx(), "k", manager, "linked", up)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		events, seq, err := s.Act(ctx(), "k", manager, "linked", up)
		if err != nil || seq != first || len(events) != 1 {
			t.Fatalf("again: %v, %d instead of %d, %v", events, seq, first, err)
		}
		more := up
		more.Change *= 2
		if _, _, err := s.Act(ctx(), "k", manager, "linked", more); !errors.Is(err, house.ErrOtherInput) {
			t.Errorf("the key with another sum: %v", err)
		}
		s.restart()
	}
	reserve := jackpot.Adjust{Pot: jackpot.PotReserve, Cause: jackpot.AdjustMalfunction, Change: 70 * money.Major, Approvers: two}
	out := jackpot.Adjust{Pot: jackpot.PotReserve, Cause: jackpot.AdjustTransferOut, Change: -20 * money.Major, Approvers: two}
	for _, c := range []jackpot.Command{reserve, out} {
		if _, _, err := s.Act(ctx(), "", manager, "linked", c); err != nil {
			t.Fatal(err)
		}
	}
	for a, want := range map[ledger.Account]money.Amount{
		{Kind: ledger.Meter, Of: "linked"}:   10_500 * money.Major,
		{Kind: ledger.Reserve, Of: "linked"}: 50 * money.Major,
		{Kind: ledger.House}:                 -10_550 * money.Major,
	} {
		if got := s.Balance(a); got != want {
			t.Errorf("%s holds %s, want %s", a, got, want)
		}
	}
	j, _ := s.Jackpot("linked")
	slower := j.Terms
	slower.Rate = jackpot.Rate{Num: 1, Den: 10}
	if _, _, err := s.Act(ctx(), "", manager, "linked", jackpot.ChangeTerms{Terms: slower, FixedReturn: jackpot.FixedReturn{Num: 1, Den: 1}, Approvers: two}); err != nil {
		t.Fatal(err)
	}
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
	before, _ := s.Jackpot("linked")
	s.restart()
	if after, _ := s.Jackpot("linked"); !reflect.DeepEqual(after, before) || after.NextTerms == nil {
		t.Errorf("opened again the jackpot is %+v, and was %+v", after, before)
	}
}

func TestActsThatAreRefused(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	two := jackpot.Approvers{First: "sue", Second: "tom"}
	j, _ := s.Jackpot("linked")
	dearer := j.Terms
	dearer.Bet *= 2
	var refusal *jackpot.Refusal
	for _, test := range []struct {
		name, jackpot string
		c             jackpot.Command
		want          error
	}{
		{"a bet by hand", "linked", jackpot.Contribute{Round: jackpot.RoundID{Table: "A", Round: "1"}, Bets: 1}, house.ErrNotAnAct},
		{"a payment by hand", "linked", jackpot.Pay{}, house.ErrNotAnAct},
		{"another bet", "linked", jackpot.ChangeTerms{Terms: dearer, Approvers: two}, house.ErrNotAnAct},
		{"no such jackpot", "other", jackpot.SystemUp{}, house.ErrNoJackpot},
		{"nothing", "linked", nil, house.ErrNotAnAct},
		{"one person", "linked", jackpot.Adjust{Pot: jackpot.PotMeter, Cause: jackpot.AdjustMalfunction, Change: 1, Approvers: jackpot.Approvers{First: "sue", Second: "Sue"}}, nil},
		{"below zero", "linked", jackpot.Adjust{Pot: jackpot.PotReserve, Cause: jackpot.AdjustRegulator, Change: -1, Approvers: two}, nil},
	} {
		_, _, err := s.Act(ctx(), "", manager, test.jackpot, test.c)
		if test.want != nil && !errors.Is(err, test.want) || test.want == nil && !errors.As(err, &refusal) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if after, _ := s.Jackpot("linked"); !reflect.DeepEqual(after, j) {
		t.Errorf("the jackpot is %+v, and was %+v", after, j)
	}
}
