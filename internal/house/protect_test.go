package house_test

import (
	"errors"
	"fmt"
	"testing"

	"trey/internal/house"
	"trey/internal/house/protection"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TestACorrectionIsNoNewBet holds that the bets on the layout at the call are corrected after
// the settlement also for a player who may bet no more: the round is played out.
func TestACorrectionIsNoNewBet(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		s := newSite(t)
		s.readTable(func(t *house.Table) { t.Config.Chips = true })
		s.buyIn("ann", 100*money.Major)
		if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
			t.Fatal(err)
		}
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.annPlays("Jh", "Jc", "3s", "Kd", "5d", "9h")
		if err := s.Exclude(ctx(), "", ann, "ann", 0, ""); err != nil {
			t.Fatal(err)
		}
		s.do("A", dealer, table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major, AtCall: true})
		if restarted {
			s.restart()
		}
		s.do("A", supervisor, table.Answer{Answer: "yes"})
		s.has("ann", 125*money.Major) // 10 on the Ante, on Play and 5 on Pair Plus are doubled
		// What lay on the box was played, also where it was settled twice.
		for range 2 {
			p, err := s.Protection(ctx(), "ann")
			if used := p.Used[protection.Key{Kind: protection.Stake, Period: protection.Day}]; err != nil || used != int64(25*money.Major) {
				t.Errorf("restarted %v: %s of 50.00 is used, %v", restarted, money.Amount(used), err)
			}
			s.restart()
		}
	}
}

// TestAStandOffThatIsSettledAnewWasPlayed holds that stakes which go back without a win, because
// a box is settled anew, count as bets: a limit takes no further ones in their place. Of a round
// that is void they do not count.
func TestAStandOffThatIsSettledAnewWasPlayed(t *testing.T) {
	s := newSite(t)
	s.readTable(func(t *house.Table) {
		t.Config.Chips = true
		t.Variant.Choices[rules.FoundAfterPayment] = rules.VoidRound
	})
	s.buyIn("ann", 100*money.Major)
	if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
		t.Fatal(err)
	}
	used := func(want money.Amount) {
		t.Helper()
		for range 2 {
			p, err := s.Protection(ctx(), "ann")
			if used := p.Used[protection.Key{Kind: protection.Stake, Period: protection.Day}]; err != nil || used != int64(want*money.Major) {
				t.Errorf("%s of 50.00 is used, want %d: %v", money.Amount(used), want, err)
			}
			s.restart()
		}
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.annPlays("Kh", "9c", "5s", "Kd", "9h", "5d")
	s.has("ann", 100*money.Major)
	used(20)
	s.do("A", dealer, table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major, AtCall: true})
	s.do("A", supervisor, table.Answer{Answer: "yes"})
	s.has("ann", 95*money.Major)
	used(25)
	s.do("A", dealer, table.Report{Incident: rules.ForeignCard})
	s.do("A", supervisor, table.Answer{Answer: "yes"})
	s.has("ann", 100*money.Major)
	used(0)
}

// TestAConfirmedBetIsHeldToALimitAfterARestart holds that what a second person confirms is held
// to the limits of a player of whom nothing was read since the start of the house.
func TestAConfirmedBetIsHeldToALimitAfterARestart(t *testing.T) {
	s := newSite(t)
	s.readTable(func(t *house.Table) { t.Config.Chips = true })
	s.buyIn("ann", 100*money.Major)
	s.buyIn("ben", 100*money.Major)
	if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ben, ante(ben, 1, 10*money.Major))
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, dealOf(t, "Jh", "Jc", "3s", "Kd", "5d", "9h"))
	s.do("A", ben, table.Examine{Box: 1, Player: "ben"})
	s.do("A", dealer, table.Found{Box: 2, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major, AtCall: true})
	s.restart()
	s.do("A", supervisor, table.Answer{Answer: "yes"})
	s.has("ann", 95*money.Major)
}

// TestNobodyBetsBeyondALimitAfterTheCall holds that what one person says lay on the layout is
// held to the limits of its player as any bet, as long as no card was seen.
func TestNobodyBetsBeyondALimitAfterTheCall(t *testing.T) {
	s := newSite(t)
	s.readTable(func(t *house.Table) { t.Config.Chips = true })
	s.buyIn("ann", 1000*money.Major)
	if err := s.limit(protection.Day, int64(30*money.Major)); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", dealer, table.Found{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	s.do("A", dealer, table.CloseBets{})
	for _, amount := range []money.Amount{20 * money.Major, 10 * money.Major} {
		_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: amount, AtCall: true}})
		var refusal *protection.Refusal
		if over := amount > 10*money.Major; over != errors.As(err, &refusal) || !over && err != nil {
			t.Errorf("%s found after the call: %v", amount, err)
		}
	}
	s.has("ann", 980*money.Major)
}

// The house keeps no more players who come and go in memory than players who play. A player who
// comes back is held to a limit by everything that the record has of them.
func TestPlayersWhoHaveLeftAreLetGo(t *testing.T) {
	defer house.LeastRoom(house.LeastRoom(10))
	s := newSite(t)
	s.buyIn("ann", 1000*money.Major)
	s.install("A", "us-3cp")
	if err := s.limit(protection.Day, int64(25*money.Major)); err != nil {
		t.Fatal(err)
	}
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Fold{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
	most := 0
	for day := range 5 {
		for guest := range 15 {
			if _, err := s.Protection(ctx(), fmt.Sprintf("guest-%d-%d", day, guest)); err != nil {
				t.Fatal(err)
			}
			counted, known := s.CountedPlayers()
			most = max(most, counted, known-1) // ann's limit is kept
		}
		s.clock.Add(2 * 60 * 60 * 1000)
	}
	if most > 35 {
		t.Errorf("of 75 guests %d are known at a time, of whom never more than 15 are there", most)
	}
	s.do("A", dealer, table.OpenBets{})
	var refused *protection.Refusal
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}); !errors.As(err, &refused) {
		t.Errorf("ann, who has staked 10 of 25 and comes back, stakes 10 that a Play may double: %v", err)
	}
	s.do("A", ann, ante(ann, 1, 5*money.Major))
}
