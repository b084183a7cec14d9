package jackpot_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/jackpot"
)

// A hit that is paid again never lifts the meter above its ceiling: what the house and the reserve
// put in before is put in again as far as there is room. All figures are reckoned by hand, from a
// 10-cent bet that puts 5 cents into a meter between $1.00 and $2.00.
func TestAPaymentAgainStopsAtTheCeiling(t *testing.T) {
	roundC := jackpot.RoundID{Table: "C", Round: "1"}
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 24},
		jackpot.Adjust{Pot: jackpot.PotMeter, Change: -150, Cause: jackpot.AdjustTransferOut, Approvers: two})
	balance(t, s, 50, 20)
	s = after(t, s, jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA})
	balance(t, s, 120, 0)
	s = after(t, s, jackpot.Contribute{Round: roundC, Bets: 16}, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported})
	balance(t, s, 130, 20) // 200 + 50 - 100 - 20
	s = after(t, s, jackpot.Reinstate{Hit: hitA}, jackpot.Contribute{Round: roundC, Bets: 14}, jackpot.Confirm{Hit: hitA})
	s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
	if e.Amount != 50 || e.FromMeter != 50 || e.ResetByHouse != 50 || e.ResetFromReserve != 0 {
		t.Errorf("%+v", e)
	}
	balance(t, s, 200, 20)
}

// What the house paid of a hit because less lay in the meter than was registered, it pays again,
// and resets the meter as before. Once the system is up no registered value is kept.
func TestAPaymentAgainOfWhatWasRegistered(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 3}, jackpot.SystemDown{},
			jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte},
			jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA})
		s, first := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA, KeepRegistered: keep})
		if first.Amount != 115 || first.FromMeter != 110 || first.FromHouse != 5 || first.KeptRegistered != keep {
			t.Errorf("keep %t: %+v", keep, first)
		}
		s = after(t, s, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
		balance(t, s, 110, 0)
		for name, s := range map[string]jackpot.State{"down": s, "up": after(t, s, jackpot.SystemUp{})} {
			s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
			if e.Amount != 115 || e.FromMeter != 110 || e.FromHouse != 5 || e.ResetByHouse != 100 || e.KeptRegistered != (keep && s.Down) {
				t.Errorf("keep %t, %s: %+v", keep, name, e)
			}
			balance(t, s, 100, 0)
		}
	}
}

// A refusal to pay says what is to be done with the hit before: one that is confirmed is paid.
func TestARefusalToPayNamesWhatComesFirst(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.HandDealt{Hit: hitB, Place: at(6, 0)}, jackpot.Confirm{Hit: hitB})
	for want, s := range map[string]jackpot.State{
		"is open; confirm and pay it, or forfeit it, first": s,
		"is confirmed; pay it first":                        after(t, s, jackpot.Confirm{Hit: hitA}),
	} {
		if r := wantReason(t, s, jackpot.Pay{Hit: hitB}, jackpot.ReasonEarlierHit); !strings.Contains(r.Detail, want) {
			t.Errorf("%q, want %q", r.Detail, want)
		}
	}
}

// A hit may be denied while its sum is held and its round is closed.
func TestWhichHitsMayBeDenied(t *testing.T) {
	held, handedOut := heldHit(t, 1, false), heldHit(t, 1, true)
	for _, c := range []struct {
		name  string
		state jackpot.State
		want  bool
	}{
		{"held, in its round", held, false},
		{"held", after(t, held, jackpot.CloseRound{Round: roundA}), true},
		{"handed out, in its round", handedOut, false},
		{"handed out", after(t, handedOut, jackpot.CloseRound{Round: roundA}), false},
	} {
		if got := c.state.MayBeDenied(&c.state.Unverified[0]); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// All of the reserve is taken out also while a round plays: its winner is paid the meter.
func TestTheReserveMayBeEmpty(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 21})
	balance(t, s, 200, 5)
	s = after(t, s, jackpot.Adjust{Pot: jackpot.PotReserve, Change: -5, Cause: jackpot.AdjustTransferOut, Approvers: two})
	balance(t, s, 200, 0)
}

// A payment that was made again is denied like a first one, also where bets put more above the
// ceiling since: $0.90 of 25 bets fill the meter from $1.10, and $0.35 go to the reserve.
func TestAPaymentMadeAgainIsDenied(t *testing.T) {
	roundC := jackpot.RoundID{Table: "C", Round: "1"}
	s := after(t, heldHit(t, 1, false), jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported},
		jackpot.Contribute{Round: roundC, Bets: 25})
	balance(t, s, 200, 35)
	s = after(t, s, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
	s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA, Winner: "ann"})
	if e.Amount != 110 || e.Winner != "ann" || !e.Held { // $2.00 are displayed
		t.Errorf("%+v", e)
	}
	balance(t, s, 190, 35)
	s, back := only[jackpot.HitReversed](t, after(t, s, jackpot.CloseRound{Round: roundA}), jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15", Approvers: two})
	if back.Amount != 110 || back.ToMeter != 110 || back.ResetToHouse != 100 || back.Payable != "ann" {
		t.Errorf("%+v", back)
	}
	balance(t, s, 200, 35)
	if s.OverflowSinceHit != 35 {
		t.Errorf("%s went to the reserve since the last hit, want $0.35", s.OverflowSinceHit)
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A record may hold a payment of a reinstated hit by what was displayed: that is a payment of its
// own. One of neither sum is none.
func TestAPaymentAgainOfWhatIsDisplayed(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA}, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported},
		jackpot.Contribute{Round: roundB, Bets: 2}, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
	balance(t, s, 120, 0)
	displayed := jackpot.HitPaid{Hit: hitA, Place: at(5, 0), Amount: 120, FromMeter: 120, ResetByHouse: 100, After: jackpot.Balance{Meter: 100}}
	paid, err := jackpot.Evolve(s, displayed)
	if err != nil {
		t.Fatal(err)
	}
	if h, _ := paid.Hit(hitA); h.Paid != 120 || h.Payment.Number != 2 || !slices.Equal(paid.Undone, []int64{1}) {
		t.Errorf("%+v %+v, and undone are %v", h, h.Payment, paid.Undone)
	}
	_, again := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
	for name, e := range map[string]jackpot.Event{
		"less than it was paid": altered(again, func(e *jackpot.HitPaid) {
			e.Amount, e.FromMeter, e.After.Meter = e.Amount-1, e.FromMeter-1, e.After.Meter+1
		}),
		"less than is displayed": altered(displayed, func(e *jackpot.HitPaid) { e.Amount, e.FromMeter, e.After.Meter = 119, 119, 101 }),
		"in part by the house":   altered(displayed, func(e *jackpot.HitPaid) { e.FromMeter, e.FromHouse, e.After.Meter = 119, 1, 101 }),
	} {
		if _, err := jackpot.Evolve(s, e); !errors.Is(err, jackpot.ErrCorrupt) || !strings.Contains(err.Error(), "contradict") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each payment that was collected is undone by itself: one that is made again leaves the others.
func TestOnePaymentMadeAgainLeavesTheOthersUndone(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1})
	for i, h := range []jackpot.HitID{hitA, hitB} {
		s = after(t, s, jackpot.HandDealt{Hit: h, Place: at(int64(5+i), 0)}, jackpot.Confirm{Hit: h}, jackpot.Pay{Hit: h})
	}
	for _, h := range []jackpot.HitID{hitB, hitA} {
		s = after(t, s, jackpot.Reverse{Hit: h, Cause: jackpot.ForfeitMisreported})
	}
	if s.HitsKept() != 0 {
		t.Errorf("%d of none are kept", s.HitsKept())
	}
	s = after(t, s, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA})
	if s.HitsPaid != 3 || s.HitsKept() != 1 {
		t.Errorf("of %d paid %d are kept, want 1 of 3", s.HitsPaid, s.HitsKept())
	}
}

// While the system is down what is displayed follows a payment that is made again: it changes as
// the meter does, and stays above it by the bets that were returned.
func TestADisplayFollowsAPaymentAgain(t *testing.T) {
	roundC := jackpot.RoundID{Table: "C", Round: "1"}
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA}, jackpot.Contribute{Round: roundC, Bets: 4},
		jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.SystemDown{},
		jackpot.ReverseContributions{Round: roundC, Bets: 2, Cause: jackpot.ReversedNoAnte},
		jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
	if s.Displayed() != 130 || s.Meter != 120 {
		t.Fatalf("%s are displayed of %s", s.Displayed(), s.Meter)
	}
	s = after(t, s, jackpot.Pay{Hit: hitA}) // 120 - 110 + 100
	if s.Displayed() != 120 || s.Meter != 110 {
		t.Errorf("%s are displayed of %s, want $1.20 of $1.10", s.Displayed(), s.Meter)
	}
}

// A registered value that was kept is kept no more once the system was up in between.
func TestARegisteredValueIsKeptInItsMalfunction(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.SystemDown{}, jackpot.Pay{Hit: hitA, KeepRegistered: true}, jackpot.SystemUp{},
		jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.SystemDown{}, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
	if _, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA}); e.KeptRegistered {
		t.Errorf("%+v", e)
	}
}
