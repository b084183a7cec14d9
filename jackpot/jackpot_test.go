package jackpot_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
)

// step decides one command and folds its events.
func step(s jackpot.State, c jackpot.Command) (jackpot.State, []jackpot.Event, error) {
	events, err := jackpot.Decide(s, c)
	if err != nil {
		return s, nil, err
	}
	for _, e := range events {
		if s, err = jackpot.Evolve(s, e); err != nil {
			return s, nil, err
		}
	}
	return s, events, nil
}

// after carries out commands, none of which may be refused.
func after(t testing.TB, s jackpot.State, commands ...jackpot.Command) jackpot.State {
	t.Helper()
	for _, c := range commands {
		var err error
		if s, _, err = step(s, c); err != nil {
			t.Fatalf("%#v: %v", c, err)
		}
	}
	return s
}

// only carries out one command and returns its only event.
func only[E jackpot.Event](t testing.TB, s jackpot.State, c jackpot.Command) (jackpot.State, E) {
	t.Helper()
	s, events, err := step(s, c)
	if err != nil {
		t.Fatalf("%#v: %v", c, err)
	}
	e, ok := events[0].(E)
	if !ok || len(events) != 1 {
		t.Fatalf("%#v gave %#v", c, events)
	}
	return s, e
}

func wantReason(t testing.TB, s jackpot.State, c jackpot.Command, want jackpot.Reason) *jackpot.Refusal {
	t.Helper()
	events, err := jackpot.Decide(s, c)
	var r *jackpot.Refusal
	if !errors.As(err, &r) || events != nil {
		t.Fatalf("%#v gave %v, %v; want a refusal for %v", c, events, err, want)
	}
	if r.Reason != want {
		t.Errorf("%#v refused for %v (%s), want %v", c, r.Reason, r.Detail, want)
	}
	return r
}

// small are terms whose figures can be followed in the head: a 10-cent bet, half
// of it to a meter between $1.00 and $2.00.
func small() jackpot.Terms {
	return jackpot.Terms{Bet: 10, Reset: 100, Rate: jackpot.Rate{Num: 1, Den: 2}, Ceiling: 200, Overflow: jackpot.OverflowOnTop}
}

func opened(t testing.TB, terms jackpot.Terms) jackpot.State {
	t.Helper()
	return after(t, jackpot.State{}, jackpot.Open{Terms: terms, FixedReturn: jackpot.FixedReturn{Num: 0, Den: 1}, Meter: terms.Reset})
}

var (
	roundA = jackpot.RoundID{Table: "A", Round: "1"}
	roundB = jackpot.RoundID{Table: "B", Round: "1"}
	hitA   = jackpot.HitID{Table: "A", Round: "1", Box: 1}
	hitB   = jackpot.HitID{Table: "B", Round: "1", Box: 1}
	two    = jackpot.Approvers{First: "Ann", Second: "Bob"}
)

func at(dealtAt, sequence int64) jackpot.Place {
	return jackpot.Place{DealtAtMs: dealtAt, Sequence: sequence}
}

// balance compares meter and reserve.
func balance(t testing.TB, s jackpot.State, meter, reserve money.Amount) {
	t.Helper()
	if s.Meter != meter || s.Reserve != reserve {
		t.Errorf("meter %v and reserve %v, want %v and %v", s.Meter, s.Reserve, meter, reserve)
	}
}

func Test1_15_EachBetIncreasesTheMeter(t *testing.T) {
	s := opened(t, jackpot.Demonstration())
	s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 1})
	balance(t, s, 10_000_00+2_00, 0)
	s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 6})
	balance(t, s, 10_000_00+7*2_00, 0)
}

func Test1_15_NoFractionIsLost(t *testing.T) {
	terms := small()
	terms.Bet, terms.Rate = 1, jackpot.Rate{Num: 1, Den: 3}
	s := opened(t, terms)
	for n := int64(1); n <= 7; n++ {
		s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 1})
		exact := new(big.Rat).SetFrac64(n, 3)
		held := new(big.Rat).Add(new(big.Rat).SetInt64(int64(s.Meter-terms.Reset)), big.NewRat(s.Remainder, s.Denominator))
		if exact.Cmp(held) != 0 {
			t.Errorf("after %d bets the meter holds %v, want %v", n, held, exact)
		}
	}
}

func Test1_15_Ceiling(t *testing.T) {
	for _, c := range []struct {
		name               string
		bets               int64 // 5 cents each, from 100 towards 200
		toMeter, toReserve money.Amount
	}{
		{"just below", 19, 95, 0},
		{"at", 20, 100, 0},
		{"above, split", 21, 100, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, e := only[jackpot.Contributed](t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: c.bets})
			if e.ToMeter != c.toMeter || e.ToReserve != c.toReserve {
				t.Errorf("%v to the meter and %v to the reserve, want %v and %v", e.ToMeter, e.ToReserve, c.toMeter, c.toReserve)
			}
			balance(t, s, 100+c.toMeter, c.toReserve)
		})
	}
}

// hitOnA deals, confirms and pays the Major hand on table A.
func hitOnA(t testing.TB, s jackpot.State) (jackpot.State, jackpot.HitPaid) {
	t.Helper()
	s = after(t, s, jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA})
	return only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
}

func Test1_15_Reset(t *testing.T) {
	for _, c := range []struct {
		name                   string
		overflow               jackpot.Overflow
		bets                   int64
		fromHouse, fromReserve money.Amount
		left                   money.Amount
	}{
		{"no reserve", jackpot.OverflowOnTop, 1, 100, 0, 0},
		{"on top, room for all but a bet's part", jackpot.OverflowOnTop, 39, 100, 95, 0},
		{"on top, exactly to the ceiling", jackpot.OverflowOnTop, 40, 100, 100, 0},
		{"on top, one part stays in reserve", jackpot.OverflowOnTop, 41, 100, 100, 5},
		{"first, no reserve", jackpot.OverflowFirst, 1, 100, 0, 0},
		{"first, the house adds the rest", jackpot.OverflowFirst, 39, 5, 95, 0},
		{"first, the reserve is enough", jackpot.OverflowFirst, 40, 0, 100, 0},
		{"first, one part stays in reserve", jackpot.OverflowFirst, 41, 0, 100, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms := small()
			terms.Overflow = c.overflow
			s := after(t, opened(t, terms), jackpot.Contribute{Round: roundA, Bets: c.bets})
			displayed := s.Displayed()
			s, e := hitOnA(t, s)
			if e.Amount != displayed || e.ResetByHouse != c.fromHouse || e.ResetFromReserve != c.fromReserve {
				t.Errorf("paid %v of %v displayed, reset by house %v and reserve %v; want %v and %v",
					e.Amount, displayed, e.ResetByHouse, e.ResetFromReserve, c.fromHouse, c.fromReserve)
			}
			balance(t, s, c.fromHouse+c.fromReserve, c.left)
		})
	}
}

// bothDealt has both tables' hands in the order, A's at time 5 and B's as given.
func bothDealt(t testing.TB, b jackpot.Place) jackpot.State {
	t.Helper()
	return after(t, opened(t, small()),
		jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.Contribute{Round: roundB, Bets: 2},
		jackpot.HandDealt{Hit: hitA, Place: at(5, 1)}, jackpot.HandDealt{Hit: hitB, Place: b})
}

func Test4_9_1_Order(t *testing.T) {
	for _, c := range []struct {
		name  string
		b     jackpot.Place
		first jackpot.HitID
	}{
		{"B just before A", at(4, 9), hitB},
		{"same time, B's sequence before", at(5, 0), hitB},
		{"same time, B's sequence after", at(5, 2), hitA},
		{"B just after A", at(6, 0), hitA},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bothDealt(t, c.b)
			if got := s.Queue()[0].ID; got != c.first {
				t.Fatalf("%v stands first, want %v", got, c.first)
			}
			second := s.Queue()[1].ID
			s = after(t, s, jackpot.Confirm{Hit: second})

			if r := wantReason(t, s, jackpot.Pay{Hit: second}, jackpot.ReasonEarlierHit); !strings.Contains(r.Detail, c.first.String()) || r.Clause != "rws-3cp@3 4.9.1" {
				t.Errorf("the refusal does not name the earlier hit: %v", r)
			}
			wantReason(t, s, jackpot.Pay{Hit: c.first}, jackpot.ReasonNotConfirmed)
			s = after(t, s, jackpot.Confirm{Hit: c.first})
			wantReason(t, s, jackpot.Pay{Hit: second}, jackpot.ReasonEarlierHit)

			t.Run("earlier paid", func(t *testing.T) {
				s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: c.first})
				if e.Amount != 120 {
					t.Errorf("the first was paid %v, want all 1.20", e.Amount)
				}
				// Bets accepted while the second waits are in the second payment.
				s = after(t, s, jackpot.Contribute{Round: jackpot.RoundID{Table: "C", Round: "1"}, Bets: 3})
				_, e = only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: second})
				if e.Amount != 115 {
					t.Errorf("the second was paid %v, want 1.15", e.Amount)
				}
			})
			t.Run("earlier forfeited", func(t *testing.T) {
				s := after(t, s, jackpot.Forfeit{Hit: c.first, Cause: jackpot.ForfeitFolded})
				_, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: second})
				if e.Amount != 120 {
					t.Errorf("the only one left was paid %v, want all 1.20", e.Amount)
				}
			})
		})
	}
	t.Run("the very same place", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
			jackpot.HandDealt{Hit: hitA, Place: at(5, 1)})
		wantReason(t, s, jackpot.HandDealt{Hit: hitB, Place: at(5, 1)}, jackpot.ReasonSamePlace)
	})
}

func Test4_9_1_HouseDeterminesOrder(t *testing.T) {
	s := bothDealt(t, at(6, 0))
	s, e := only[jackpot.OrderDetermined](t, s, jackpot.DetermineOrder{Hit: hitB, Place: at(4, 0), Approvers: two})
	if e.Before != at(6, 0) || e.After != at(4, 0) || e.Late {
		t.Errorf("recorded %+v", e)
	}
	if s.Queue()[0].ID != hitB {
		t.Errorf("B does not stand first: %+v", s.Queue())
	}
}

func Test4_9_1_KnownTooLate(t *testing.T) {
	for _, c := range []struct {
		name string
		b    jackpot.Place
		late bool
	}{
		{"dealt just before the one paid", at(4, 0), true},
		{"same place as the one paid", at(5, 1), false},
		{"dealt just after the one paid", at(5, 2), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
				jackpot.HandDealt{Hit: hitA, Place: at(5, 1)}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA})
			s, e := only[jackpot.HitRegistered](t, s, jackpot.HandDealt{Hit: hitB, Place: c.b})
			if e.Late != c.late {
				t.Errorf("late is %v, want %v", e.Late, c.late)
			}
			s, paid := only[jackpot.HitPaid](t, after(t, s, jackpot.Confirm{Hit: hitB}), jackpot.Pay{Hit: hitB})
			if paid.Amount != 100 || s.HitsPaid != 2 {
				t.Errorf("paid %v as hit %d", paid.Amount, s.HitsPaid)
			}
		})
	}
}

// A payment out of order does not make the next late hand look punctual.
func Test4_9_1_LateTwice(t *testing.T) {
	s := opened(t, small())
	for i, dealt := range []struct {
		at   int64
		late bool
	}{{5, false}, {3, true}, {4, true}, {6, false}} {
		id := jackpot.HitID{Table: "A", Round: "1", Box: i + 1}
		s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 1})
		var e jackpot.HitRegistered
		s, e = only[jackpot.HitRegistered](t, s, jackpot.HandDealt{Hit: id, Place: at(dealt.at, 0)})
		if e.Late != dealt.late {
			t.Errorf("dealt at %d: late is %v", dealt.at, e.Late)
		}
		s = after(t, s, jackpot.Confirm{Hit: id}, jackpot.Pay{Hit: id})
	}
}

func TestReversal(t *testing.T) {
	voided := func(n int64) jackpot.Command {
		return jackpot.ReverseContributions{Round: roundA, Bets: n, Cause: jackpot.ReversedRoundVoided}
	}
	t.Run("from the meter, with the remainder", func(t *testing.T) {
		terms := small()
		terms.Bet, terms.Rate = 1, jackpot.Rate{Num: 1, Den: 3}
		// A's third and B's two make one cent; without A two thirds are left.
		s := after(t, opened(t, terms), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 2})
		balance(t, s, 101, 0)
		s, e := only[jackpot.ContributionsReversed](t, s, voided(1))
		if e.FromMeter != 1 || e.FromHouse != 0 || s.Remainder != 2 {
			t.Errorf("%+v, remainder %d", e, s.Remainder)
		}
		balance(t, s, 100, 0)
	})
	t.Run("from the reserve first", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.Contribute{Round: roundB, Bets: 19})
		balance(t, s, 200, 5)
		s, e := only[jackpot.ContributionsReversed](t, s, voided(2))
		if e.FromReserve != 5 || e.FromMeter != 5 || e.Stake != 20 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 195, 0)
	})
	t.Run("not from a reserve that is older than the last hit", func(t *testing.T) {
		s := after(t, jackpot.State{}, jackpot.Open{Terms: small(), FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100, Reserve: 50})
		s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 2}, voided(2))
		balance(t, s, 100, 50)
	})
	t.Run("not from what overflowed before the last hit", func(t *testing.T) {
		terms := small()
		terms.Overflow = jackpot.OverflowFirst
		s := after(t, opened(t, terms), jackpot.Contribute{Round: roundA, Bets: 41})
		s, _ = hitOnA(t, s)
		balance(t, s, 100, 5)
		s = after(t, s, jackpot.Contribute{Round: roundB, Bets: 2},
			jackpot.ReverseContributions{Round: roundB, Bets: 2, Cause: jackpot.ReversedHandInvalidated})
		balance(t, s, 100, 5)
	})
	t.Run("made good by the house once the jackpot was paid", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
			jackpot.HandDealt{Hit: hitB, Place: at(1, 0)}, jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB},
			jackpot.Contribute{Round: jackpot.RoundID{Table: "C", Round: "1"}, Bets: 4})
		s, e := only[jackpot.ContributionsReversed](t, s, voided(1))
		if e.FromHouse != 5 || e.FromMeter != 0 || e.FromReserve != 0 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 120, 0)
	})
	t.Run("never below the reset value", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2},
			jackpot.Adjust{Pot: jackpot.PotMeter, Change: -7, Cause: jackpot.AdjustMalfunction, Approvers: two})
		s, e := only[jackpot.ContributionsReversed](t, s, voided(2))
		if e.FromMeter != 3 || e.FromHouse != 7 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 100, 0)
	})
	t.Run("bets on both sides of a hit, the later first", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.Contribute{Round: roundB, Bets: 1},
			jackpot.HandDealt{Hit: hitB, Place: at(1, 0)}, jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB},
			jackpot.Contribute{Round: roundA, Bets: 1})
		_, e := only[jackpot.ContributionsReversed](t, s, voided(2))
		if e.FromMeter != 5 || e.FromHouse != 5 {
			t.Errorf("%+v", e)
		}
	})
	t.Run("a bet under a hit stays", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(1, 0)})
		wantReason(t, s, voided(3), jackpot.ReasonBetsNotHeld)
		wantReason(t, s, voided(2), jackpot.ReasonBetHoldsHit)
		s = after(t, s, voided(1), jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitRoundVoided}, voided(1), jackpot.CloseRound{Round: roundA})
		balance(t, s, 100, 0)
		if s.Rounds != nil || s.Hits != nil {
			t.Errorf("the closed round left %+v %+v", s.Rounds, s.Hits)
		}
	})
}

// A payment that is collected again leaves the jackpot as if the hit had never been
// paid. Every figure is reckoned by hand: a 10-cent bet puts 5 cents into a meter
// between $1.00 and $2.00.
func TestPaymentCollectedAgain(t *testing.T) {
	roundC := jackpot.RoundID{Table: "C", Round: "1"}
	reverse := jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitHandInvalidated}
	back := func(n int64) jackpot.Command {
		return jackpot.ReverseContributions{Round: roundA, Bets: n, Cause: jackpot.ReversedHandInvalidated}
	}
	paid := func(t *testing.T, s jackpot.State) jackpot.State {
		t.Helper()
		return after(t, s, jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA})
	}
	t.Run("at once", func(t *testing.T) {
		s := paid(t, after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}))
		balance(t, s, 100, 0) // 120 were paid
		wantReason(t, s, back(4), jackpot.ReasonBetHoldsHit)
		s, e := only[jackpot.HitReversed](t, s, reverse)
		if e.Amount != 120 || e.ToMeter != 120 || e.ToHouse != 0 || e.ResetToHouse != 100 || e.ToReserve != 0 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 120, 0)
		// The contributions lie in the meter again, and leave it with the bets.
		s, r := only[jackpot.ContributionsReversed](t, s, back(4))
		if r.FromMeter != 20 || r.FromHouse != 0 {
			t.Errorf("%+v", r)
		}
		balance(t, s, 100, 0)
		after(t, s, jackpot.CloseRound{Round: roundA})
	})
	t.Run("after bets of others", func(t *testing.T) {
		s := paid(t, after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}))
		s = after(t, s, jackpot.Contribute{Round: roundC, Bets: 2}, reverse)
		balance(t, s, 130, 0)
	})
	t.Run("after another hit", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 1})
		s = paid(t, s)                                                                                                     // 125, and the meter is at 100
		s = after(t, s, jackpot.HandDealt{Hit: hitB, Place: at(2, 0)}, jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB}) // 100
		s = after(t, s, reverse)
		balance(t, s, 125, 0)
		// The later winner keeps what was displayed, and the contribution of the
		// bets before it with it.
		_, r := only[jackpot.ContributionsReversed](t, s, back(4))
		if r.FromMeter != 0 || r.FromHouse != 20 {
			t.Errorf("%+v", r)
		}
		// Where that payment is collected too, nothing has been won.
		s = after(t, s, jackpot.Reverse{Hit: hitB, Cause: jackpot.ForfeitRoundVoided})
		balance(t, s, 125, 0)
		_, r = only[jackpot.ContributionsReversed](t, s, back(4))
		if r.FromMeter != 20 || r.FromHouse != 0 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("with the reserve", func(t *testing.T) {
		// 41 bets are 205 cents: 100 to the ceiling, 105 into the reserve; of it 100
		// fill the meter after the hit.
		s := paid(t, after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 41}))
		balance(t, s, 200, 5)
		s, e := only[jackpot.HitReversed](t, s, reverse)
		if e.ToMeter != 200 || e.ResetToHouse != 100 || e.ToReserve != 100 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 200, 105)
		s = after(t, s, back(41))
		balance(t, s, 100, 0)
	})
	t.Run("above the ceiling", func(t *testing.T) {
		s := paid(t, after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 18})) // 190
		s = after(t, s, jackpot.Contribute{Round: roundC, Bets: 6}, reverse)
		balance(t, s, 200, 20)
	})
	t.Run("while the system is down", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 1}, jackpot.SystemDown{})
		s = after(t, s, jackpot.ReverseContributions{Round: roundB, Bets: 1, Cause: jackpot.ReversedRoundVoided})
		s = paid(t, s) // 125 as registered: 120 of the meter, 5 of the house
		s, e := only[jackpot.HitReversed](t, s, reverse)
		if e.Amount != 125 || e.ToMeter != 120 || e.ToHouse != 5 {
			t.Errorf("%+v", e)
		}
		balance(t, s, 120, 0)
		if s.Displayed() != 125 {
			t.Errorf("displayed %v, want what was registered", s.Displayed())
		}
	})
	t.Run("once, and not what was never paid", func(t *testing.T) {
		s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1})
		wantReason(t, s, reverse, jackpot.ReasonUnknownHit)
		wantReason(t, after(t, s, jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}), reverse, jackpot.ReasonHitUnpaid)
		s = after(t, paid(t, s), reverse)
		wantReason(t, s, reverse, jackpot.ReasonHitSettled)
		s = after(t, s, jackpot.CloseRound{Round: roundA})
		wantReason(t, s, reverse, jackpot.ReasonUnknownHit)
		wantReason(t, s, jackpot.Reverse{Hit: hitA}, jackpot.ReasonMalformed)
	})
}

// By the other value of the ruling second_hit_down both winners are paid what was
// registered, and the house makes up what the meter has not.
func Test5_17_1_RegisteredValueTwice(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 4},
		jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.HandDealt{Hit: hitB, Place: at(2, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Confirm{Hit: hitB}, jackpot.SystemDown{})
	for i, hit := range []jackpot.HitID{hitA, hitB} {
		var e jackpot.HitPaid
		s, e = only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hit, KeepRegistered: true})
		if e.Amount != 140 || e.FromHouse != []money.Amount{0, 40}[i] {
			t.Errorf("%+v", e)
		}
	}
	s = after(t, s, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitRoundVoided})
	balance(t, s, 140, 0)
	if s.Displayed() != 140 {
		t.Errorf("displayed %v, want what was registered", s.Displayed())
	}
	if s.Totals.PaidByHouse != 40 || s.Totals.RecoveredByHouse != 0 {
		t.Errorf("the house paid %v and recovered %v, want 40 cents and nothing", s.Totals.PaidByHouse, s.Totals.RecoveredByHouse)
	}
	if again := after(t, s, jackpot.Reverse{Hit: hitB, Cause: jackpot.ForfeitRoundVoided}); again.Totals.RecoveredByHouse != 40 {
		t.Errorf("the house recovered %v of its 40 cents", again.Totals.RecoveredByHouse)
	}
	balance(t, after(t, s, jackpot.SystemUp{}), 140, 0)
}

func Test5_17_1_RegisteredValue(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 4},
		jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA})
	s, e := only[jackpot.SystemWentDown](t, s, jackpot.SystemDown{})
	if e.Registered != 140 || s.Displayed() != 140 {
		t.Errorf("registered %v, displayed %v", e.Registered, s.Displayed())
	}
	// 5.17.2 c: no bets of later rounds.
	wantReason(t, s, jackpot.Contribute{Round: roundB, Bets: 1}, jackpot.ReasonSystemDown)
	// 5.20: but one that lay there at the call, and adds nothing to what is registered.
	balance(t, after(t, s, jackpot.Contribute{Round: roundB, Bets: 1, AtCall: true}), 140, 5)
	// 5.16: a round that nobody has looked at is voided; the registered value stands.
	s = after(t, s, jackpot.ReverseContributions{Round: roundB, Bets: 3, Cause: jackpot.ReversedRoundVoided})
	balance(t, s, 125, 0)
	if s.Displayed() != 140 {
		t.Errorf("displayed %v, want what was registered", s.Displayed())
	}
	// What bets that went back have left below it, others fill.
	found := after(t, s, jackpot.Contribute{Round: roundB, Bets: 4, AtCall: true})
	balance(t, found, 140, 5)
	balance(t, after(t, found, jackpot.ReverseContributions{Round: roundB, Bets: 4, Cause: jackpot.ReversedNoAnte}), 125, 0)
	s, paid := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
	if paid.Amount != 140 || paid.FromMeter != 125 || paid.FromHouse != 15 {
		t.Errorf("%+v", paid)
	}
	// A second winner of a round in progress is paid what the reset displays.
	s = after(t, s, jackpot.HandDealt{Hit: hitB, Place: at(2, 0)}, jackpot.Confirm{Hit: hitB})
	s, paid = only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitB})
	if paid.Amount != 100 || paid.FromHouse != 0 {
		t.Errorf("%+v", paid)
	}
	s = after(t, s, jackpot.SystemUp{}, jackpot.Contribute{Round: jackpot.RoundID{Table: "C", Round: "1"}, Bets: 1})
	balance(t, s, 105, 0)
}

func TestTermsWaitForTheNextHit(t *testing.T) {
	next := jackpot.Terms{Bet: 20, Reset: 150, Rate: jackpot.Rate{Num: 1, Den: 3}, Ceiling: 160, Overflow: jackpot.OverflowFirst}
	old := small()
	old.Bet = 1
	s := after(t, opened(t, old), jackpot.ChangeTerms{Terms: next, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two},
		jackpot.Contribute{Round: roundA, Bets: 1}) // half a cent at the old terms
	balance(t, s, 100, 0)
	s, e := hitOnA(t, s)
	if e.NewTerms == nil || *e.NewTerms != next || s.Terms != next || s.NextTerms != nil {
		t.Errorf("the terms did not take effect: %+v", e)
	}
	// The half cent is still there, as 3/6, and 20/3 cents are added to it.
	s = after(t, s, jackpot.Contribute{Round: roundB, Bets: 1})
	balance(t, s, 157, 0)
	if got := big.NewRat(s.Remainder, s.Denominator); got.Cmp(big.NewRat(1, 6)) != 0 {
		t.Errorf("remainder %v, want 1/6", got)
	}
	// The first bet was worth half a cent then, and still is: 1/6 - 1/2 borrows.
	s = after(t, s, jackpot.HandDealt{Hit: hitB, Place: at(9, 0)})
	wantReason(t, s, jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonBetHoldsHit)

	t.Run("withdrawn", func(t *testing.T) {
		s := after(t, opened(t, old), jackpot.ChangeTerms{Terms: next, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two})
		s, e := only[jackpot.TermsChanged](t, s, jackpot.ChangeTerms{Terms: old, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two})
		if e.Before != next || e.After != old || s.NextTerms != nil {
			t.Errorf("%+v, next %+v", e, s.NextTerms)
		}
	})
}

func TestAdjust(t *testing.T) {
	for _, c := range []struct {
		name   string
		change money.Amount
		want   jackpot.Reason // 0: not refused
	}{
		{"to zero", -100, 0},
		{"below zero", -101, jackpot.ReasonOutOfBounds},
		{"just below the ceiling", 99, 0},
		{"to the ceiling", 100, 0},
		{"above the ceiling", 101, jackpot.ReasonOutOfBounds},
		{"far above", math.MaxInt64, jackpot.ReasonOutOfBounds},
		{"far below", math.MinInt64, jackpot.ReasonOutOfBounds},
	} {
		t.Run(c.name, func(t *testing.T) {
			adjust := jackpot.Adjust{Pot: jackpot.PotMeter, Change: c.change, Cause: jackpot.AdjustRegulator, Approvers: two}
			if c.want != 0 {
				wantReason(t, opened(t, small()), adjust, c.want)
				return
			}
			s, e := only[jackpot.Adjusted](t, opened(t, small()), adjust)
			if e.Before != 100 || e.After != 100+c.change || e.Approvers != two {
				t.Errorf("%+v", e)
			}
			balance(t, s, 100+c.change, 0)
		})
	}
	s := after(t, opened(t, small()), jackpot.Adjust{Pot: jackpot.PotReserve, Change: 7, Cause: jackpot.AdjustTransferIn, Approvers: two})
	balance(t, s, 100, 7)
	for _, a := range []jackpot.Approvers{{}, {First: "Ann"}, {First: "Ann", Second: " ann "}, {First: "Ann", Second: " "}} {
		wantReason(t, s, jackpot.Adjust{Pot: jackpot.PotMeter, Change: 1, Cause: jackpot.AdjustMalfunction, Approvers: a}, jackpot.ReasonApprovers)
	}
}

// No round plays for an empty meter: whoever won it would be paid nothing (rws-3cp@3 1.15).
func TestNoRoundPlaysForAnEmptyMeter(t *testing.T) {
	empty := func(by money.Amount) jackpot.Adjust {
		return jackpot.Adjust{Pot: jackpot.PotMeter, Change: by, Cause: jackpot.AdjustTransferOut, Approvers: two}
	}
	played := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1})
	wantReason(t, played, empty(-played.Meter), jackpot.ReasonOutOfBounds)
	balance(t, after(t, played, empty(1-played.Meter)), 1, 0)

	s := after(t, played, jackpot.CloseRound{Round: roundA}, empty(-played.Meter))
	balance(t, s, 0, 0)
	s = after(t, s, jackpot.Contribute{Round: roundB, Bets: 1})
	if s.Meter == 0 {
		t.Error("a bet was accepted at an empty meter and put nothing into it")
	}
	low := small()
	low.Rate = jackpot.Rate{Num: 1, Den: 1_000_000}
	s = opened(t, low)
	wantReason(t, s, empty(-s.Meter), jackpot.ReasonOutOfBounds)
	balance(t, after(t, s, empty(1-s.Meter)), 1, 0)
}

func TestTermsCheck(t *testing.T) {
	change := func(f func(*jackpot.Terms)) jackpot.Terms {
		terms := jackpot.Demonstration()
		f(&terms)
		return terms
	}
	for _, c := range []struct {
		name  string
		terms jackpot.Terms
		fixed jackpot.FixedReturn
		want  string // part of the refusal; empty: accepted
	}{
		{"demonstration", jackpot.Demonstration(), fixed, ""},
		{"fixed pays just below the bet", jackpot.Demonstration(), jackpot.FixedReturn{Num: 4999, Den: 10}, ""},
		{"fixed pays equal to the bet", jackpot.Demonstration(), jackpot.FixedReturn{Num: 5000, Den: 10}, ""},
		{"fixed pays just above the bet", jackpot.Demonstration(), jackpot.FixedReturn{Num: 5001, Den: 10}, "favours the player"},
		{"a $1.35 bet", change(func(x *jackpot.Terms) { x.Bet = 135 }), fixed, "fixed pays return $1.3597 a bet"},
		{"a $1.36 bet", change(func(x *jackpot.Terms) { x.Bet = 136 }), fixed, ""},
		{"negative fixed return", jackpot.Demonstration(), jackpot.FixedReturn{Num: -1, Den: 1}, "no amount"},
		{"no denominator", jackpot.Demonstration(), jackpot.FixedReturn{Num: 1}, "no amount"},
		{"zero bet", change(func(x *jackpot.Terms) { x.Bet = 0 }), fixed, "the bet is $0.00"},
		{"negative reset", change(func(x *jackpot.Terms) { x.Reset = -1 }), fixed, "the reset value is -$0.01"},
		{"zero reset", change(func(x *jackpot.Terms) { x.Reset = 0 }), fixed, "the reset value is zero"},
		{"a reset of a cent", change(func(x *jackpot.Terms) { x.Reset = 1 }), fixed, ""},
		{"zero rate", change(func(x *jackpot.Terms) { x.Rate.Num = 0 }), fixed, "does not increase"},
		{"whole bet", change(func(x *jackpot.Terms) { x.Rate.Num = 100 }), fixed, ""},
		{"rate over the bet", change(func(x *jackpot.Terms) { x.Rate.Num = 101 }), fixed, "more than the whole bet"},
		{"rate without denominator", change(func(x *jackpot.Terms) { x.Rate.Den = 0 }), fixed, "denominator"},
		{"ceiling below reset", change(func(x *jackpot.Terms) { x.Ceiling = x.Reset - 1 }), fixed, "below the reset value"},
		{"ceiling at reset", change(func(x *jackpot.Terms) { x.Ceiling = x.Reset }), fixed, ""},
		{"ceiling too large", change(func(x *jackpot.Terms) { x.Ceiling = jackpot.MaxAmount + 1 }), fixed, "exceeds"},
		{"no use of the overflow", change(func(x *jackpot.Terms) { x.Overflow = 0 }), fixed, "overflow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.terms.Check(c.fixed)
			var r *jackpot.Refusal
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (!errors.As(err, &r) || r.Reason != jackpot.ReasonTerms || !strings.Contains(r.Detail, c.want)):
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
		})
	}
}

// A hit waits for every round that was dealt before it until the hands there are
// known, and for none that was dealt later; the house moves one that is not settled
// (rws-3cp@3 4.9.1).
func TestAHitWaitsForRoundsDealtEarlier(t *testing.T) {
	bets := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.HandDealt{Hit: hitB, Place: at(5, 3)}, jackpot.Confirm{Hit: hitB})
	for _, c := range []struct {
		name  string
		dealt jackpot.Place
		waits bool
	}{
		{"a millisecond before", at(4, 9), true},
		{"in the same instant, first", at(5, 2), true},
		{"in the same instant, second", at(5, 4), false},
		{"a millisecond after", at(6, 0), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := after(t, bets, jackpot.DealRound{Round: roundA, Place: c.dealt})
			if !c.waits {
				after(t, s, jackpot.Pay{Hit: hitB})
				return
			}
			wantReason(t, s, jackpot.Pay{Hit: hitB}, jackpot.ReasonEarlierRound)
			forged := jackpot.HitPaid{Hit: hitB, Place: at(5, 3), Amount: s.Meter, FromMeter: s.Meter, ResetByHouse: 100, After: jackpot.Balance{Meter: 100, Remainder: s.Remainder}}
			if _, err := jackpot.Evolve(s, forged); !errors.Is(err, jackpot.ErrCorrupt) {
				t.Errorf("a payment out of the order is replayed: %v", err)
			}
			after(t, s, jackpot.KnowRound{Round: roundA}, jackpot.Pay{Hit: hitB})
			s, e := only[jackpot.RoundDetermined](t, s, jackpot.DetermineRound{Round: roundA, Place: at(7, 0), Approvers: two})
			if e.Before != c.dealt || e.After != at(7, 0) || e.Approvers != two {
				t.Errorf("%+v", e)
			}
			s = after(t, s, jackpot.Pay{Hit: hitB})
			if r, ok := s.Round(roundA); !ok || !r.Determined || *r.Dealt != at(7, 0) {
				t.Errorf("the round is %+v", r)
			}
		})
	}
}

// Each command is wrong in every way at once, and then in one way less with each
// step; the reasons must come in the order in which they are declared.
func TestPrecedence(t *testing.T) {
	zero := jackpot.State{}
	open := opened(t, small())
	bets := after(t, open, jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1})
	dealt := after(t, bets, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	ordered := after(t, bets, jackpot.DealRound{Round: roundA, Place: at(4, 0)})
	waiting := after(t, ordered, jackpot.HandDealt{Hit: hitB, Place: at(5, 0)})
	confirmed := after(t, dealt, jackpot.Confirm{Hit: hitA})
	both := after(t, dealt, jackpot.HandDealt{Hit: hitB, Place: at(6, 0)})
	paid := after(t, confirmed, jackpot.Pay{Hit: hitA})
	forfeited := after(t, dealt, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitFolded})
	collected := after(t, paid, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitHandInvalidated})
	betless := after(t, forfeited, jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedHandInvalidated})
	displaced := after(t, forfeited, jackpot.HandDealt{Hit: hitB, Place: at(5, 0)})
	down := after(t, open, jackpot.SystemDown{})
	dealtDown := after(t, dealt, jackpot.SystemDown{})
	full := after(t, jackpot.State{}, jackpot.Open{Terms: small(), FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100, Reserve: jackpot.MaxAmount})
	free := jackpot.FixedReturn{Den: 1}
	adjust := func(pot jackpot.Pot, change money.Amount, cause jackpot.AdjustmentCause, by jackpot.Approvers) jackpot.Adjust {
		return jackpot.Adjust{Pot: pot, Change: change, Cause: cause, Approvers: by}
	}
	verifying := func(from money.Amount) jackpot.Terms {
		terms := small()
		terms.VerifyFrom = from
		return terms
	}
	if err := verifying(jackpot.MaxAmount).Check(free); err != nil {
		t.Errorf("hits of the largest amount are not verified: %v", err)
	}
	type link struct {
		state   jackpot.State
		command jackpot.Command
		want    jackpot.Reason
	}
	reached := map[jackpot.Reason]bool{}
	for name, chain := range map[string][]link{
		"nil": {{zero, nil, jackpot.ReasonMalformed}},
		"open": {
			{open, jackpot.Open{}, jackpot.ReasonAlreadyOpened},
			{zero, jackpot.Open{}, jackpot.ReasonTerms},
			{zero, jackpot.Open{Terms: small(), FixedReturn: free, Meter: 99}, jackpot.ReasonOutOfBounds},
			{zero, jackpot.Open{Terms: small(), FixedReturn: free, Meter: 201}, jackpot.ReasonOutOfBounds},
			{zero, jackpot.Open{Terms: small(), FixedReturn: free, Meter: 100, Reserve: -1}, jackpot.ReasonOutOfBounds},
			{zero, jackpot.Open{Terms: small(), FixedReturn: free, Meter: 100, Reserve: jackpot.MaxAmount + 1}, jackpot.ReasonOutOfBounds},
		},
		"contribute": {
			{zero, jackpot.Contribute{Bets: -1}, jackpot.ReasonMalformed},
			{zero, jackpot.Contribute{Round: jackpot.RoundID{Table: "\xff", Round: "1"}, Bets: 1}, jackpot.ReasonMalformed},
			{zero, jackpot.Contribute{Round: roundA}, jackpot.ReasonMalformed},
			{zero, jackpot.Contribute{Round: roundA, Bets: math.MaxInt64}, jackpot.ReasonNotOpened},
			{down, jackpot.Contribute{Round: roundA, Bets: math.MaxInt64}, jackpot.ReasonSystemDown},
			{open, jackpot.Contribute{Round: roundA, Bets: math.MaxInt64}, jackpot.ReasonTooLarge},
			{full, jackpot.Contribute{Round: roundA, Bets: 21}, jackpot.ReasonTooLarge},
		},
		"reverse": {
			{zero, jackpot.ReverseContributions{}, jackpot.ReasonMalformed},
			{zero, jackpot.ReverseContributions{Bets: 9, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonMalformed},
			{zero, jackpot.ReverseContributions{Round: roundA, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonMalformed},
			{zero, jackpot.ReverseContributions{Round: roundA, Bets: 9}, jackpot.ReasonMalformed},
			{zero, jackpot.ReverseContributions{Round: roundA, Bets: 9, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonNotOpened},
			{open, jackpot.ReverseContributions{Round: roundA, Bets: 9, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonUnknownRound},
			{dealt, jackpot.ReverseContributions{Round: roundA, Bets: 2, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonBetsNotHeld},
			{dealt, jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte}, jackpot.ReasonBetHoldsHit},
		},
		"close": {
			{zero, jackpot.CloseRound{}, jackpot.ReasonMalformed},
			{zero, jackpot.CloseRound{Round: roundA}, jackpot.ReasonNotOpened},
			{open, jackpot.CloseRound{Round: roundA}, jackpot.ReasonUnknownRound},
			{dealt, jackpot.CloseRound{Round: roundA}, jackpot.ReasonHitUnpaid},
			{ordered, jackpot.CloseRound{Round: roundA}, jackpot.ReasonEarlierRound},
		},
		"round dealt": {
			{zero, jackpot.DealRound{}, jackpot.ReasonMalformed},
			{zero, jackpot.DealRound{Round: roundA}, jackpot.ReasonMalformed},
			{zero, jackpot.DealRound{Round: roundA, Place: at(4, 0)}, jackpot.ReasonNotOpened},
			{open, jackpot.DealRound{Round: roundA, Place: at(4, 0)}, jackpot.ReasonUnknownRound},
			{ordered, jackpot.DealRound{Round: roundA, Place: at(4, 0)}, jackpot.ReasonDuplicateRound},
			{ordered, jackpot.DealRound{Round: roundB, Place: at(4, 0)}, jackpot.ReasonSamePlace},
			{dealt, jackpot.DealRound{Round: roundB, Place: at(5, 0)}, jackpot.ReasonSamePlace},
		},
		"round known": {
			{zero, jackpot.KnowRound{}, jackpot.ReasonMalformed},
			{zero, jackpot.KnowRound{Round: roundA}, jackpot.ReasonNotOpened},
			{open, jackpot.KnowRound{Round: roundA}, jackpot.ReasonUnknownRound},
			{bets, jackpot.KnowRound{Round: roundA}, jackpot.ReasonUnknownRound},
		},
		"determine round": {
			{zero, jackpot.DetermineRound{}, jackpot.ReasonMalformed},
			{zero, jackpot.DetermineRound{Round: roundA}, jackpot.ReasonMalformed},
			{waiting, jackpot.DetermineRound{Round: roundA, Place: at(4, 1<<53+1), Approvers: two}, jackpot.ReasonMalformed},
			{zero, jackpot.DetermineRound{Round: roundA, Place: at(4, 0), Approvers: two}, jackpot.ReasonNotOpened},
			{waiting, jackpot.DetermineRound{Round: roundA, Place: at(7, 0), Approvers: jackpot.Approvers{First: "Ann", Second: "ann"}}, jackpot.ReasonApprovers},
			{bets, jackpot.DetermineRound{Round: roundA, Place: at(4, 0), Approvers: two}, jackpot.ReasonUnknownRound},
			{waiting, jackpot.DetermineRound{Round: roundA, Place: at(5, 0), Approvers: two}, jackpot.ReasonSamePlace},
		},
		"hand dealt": {
			{zero, jackpot.HandDealt{}, jackpot.ReasonMalformed},
			{zero, jackpot.HandDealt{Hit: hitA}, jackpot.ReasonMalformed},
			{zero, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.ReasonNotOpened},
			{open, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.ReasonUnknownRound},
			{dealt, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.ReasonDuplicateHit},
			{dealt, jackpot.HandDealt{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 2}, Place: at(5, 0)}, jackpot.ReasonBetsNotHeld},
			{dealt, jackpot.HandDealt{Hit: hitB, Place: at(5, 0)}, jackpot.ReasonSamePlace},
		},
		"determine order": {
			{zero, jackpot.DetermineOrder{}, jackpot.ReasonMalformed},
			{zero, jackpot.DetermineOrder{Hit: hitB}, jackpot.ReasonMalformed},
			{both, jackpot.DetermineOrder{Hit: hitB, Place: at(1<<53+1, 0), Approvers: two}, jackpot.ReasonMalformed},
			{zero, jackpot.DetermineOrder{Hit: hitB, Place: at(5, 0), Approvers: two}, jackpot.ReasonNotOpened},
			{both, jackpot.DetermineOrder{Hit: hitB, Place: at(7, 0), Approvers: jackpot.Approvers{First: "Ann"}}, jackpot.ReasonApprovers},
			{dealt, jackpot.DetermineOrder{Hit: hitB, Place: at(5, 0), Approvers: two}, jackpot.ReasonUnknownHit},
			{paid, jackpot.DetermineOrder{Hit: hitA, Place: at(5, 0), Approvers: two}, jackpot.ReasonHitSettled},
			{forfeited, jackpot.DetermineOrder{Hit: hitA, Place: at(5, 0), Approvers: two}, jackpot.ReasonHitSettled},
			{collected, jackpot.DetermineOrder{Hit: hitA, Place: at(5, 0), Approvers: two}, jackpot.ReasonHitSettled},
			{both, jackpot.DetermineOrder{Hit: hitB, Place: at(5, 0), Approvers: two}, jackpot.ReasonSamePlace},
		},
		"confirm": {
			{zero, jackpot.Confirm{}, jackpot.ReasonMalformed},
			{zero, jackpot.Confirm{Hit: hitA}, jackpot.ReasonNotOpened},
			{open, jackpot.Confirm{Hit: hitA}, jackpot.ReasonUnknownHit},
			{paid, jackpot.Confirm{Hit: hitA}, jackpot.ReasonHitSettled},
			{confirmed, jackpot.Confirm{Hit: hitA}, jackpot.ReasonAlreadyConfirmed},
		},
		"forfeit": {
			{zero, jackpot.Forfeit{}, jackpot.ReasonMalformed},
			{zero, jackpot.Forfeit{Hit: hitA}, jackpot.ReasonMalformed},
			{zero, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.ReasonNotOpened},
			{open, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.ReasonUnknownHit},
			{paid, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.ReasonHitSettled},
		},
		"reinstate": {
			{zero, jackpot.Reinstate{}, jackpot.ReasonMalformed},
			{zero, jackpot.Reinstate{Hit: hitA}, jackpot.ReasonNotOpened},
			{open, jackpot.Reinstate{Hit: hitA}, jackpot.ReasonUnknownHit},
			{paid, jackpot.Reinstate{Hit: hitA}, jackpot.ReasonHitSettled},
			{betless, jackpot.Reinstate{Hit: hitA}, jackpot.ReasonBetsNotHeld},
			{displaced, jackpot.Reinstate{Hit: hitA}, jackpot.ReasonSamePlace},
		},
		"pay": {
			{zero, jackpot.Pay{}, jackpot.ReasonMalformed},
			{zero, jackpot.Pay{Hit: hitB}, jackpot.ReasonNotOpened},
			{dealt, jackpot.Pay{Hit: hitB}, jackpot.ReasonUnknownHit},
			{paid, jackpot.Pay{Hit: hitA}, jackpot.ReasonHitSettled},
			{both, jackpot.Pay{Hit: hitB}, jackpot.ReasonEarlierHit},
			{waiting, jackpot.Pay{Hit: hitB}, jackpot.ReasonEarlierRound},
			{both, jackpot.Pay{Hit: hitA}, jackpot.ReasonNotConfirmed},
		},
		"verify": {
			{zero, jackpot.Verify{}, jackpot.ReasonMalformed},
			{zero, jackpot.Verify{Hit: hitA}, jackpot.ReasonNotOpened},
			{open, jackpot.Verify{Hit: hitA}, jackpot.ReasonApprovers},
			{paid, jackpot.Verify{Hit: hitA, Approvers: two}, jackpot.ReasonUnknownHit},
		},
		"deny": {
			{zero, jackpot.Deny{Hit: hitA}, jackpot.ReasonMalformed},
			{zero, jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15"}, jackpot.ReasonNotOpened},
			{open, jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15"}, jackpot.ReasonApprovers},
			{paid, jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15", Approvers: two}, jackpot.ReasonUnknownHit},
			{heldHit(t, 1, true), jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15", Approvers: two}, jackpot.ReasonHitSettled},
			{heldHit(t, 1, false), jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15", Approvers: two}, jackpot.ReasonRoundOpen},
		},
		"change terms": {
			{zero, jackpot.ChangeTerms{}, jackpot.ReasonNotOpened},
			{open, jackpot.ChangeTerms{}, jackpot.ReasonApprovers},
			{open, jackpot.ChangeTerms{Approvers: jackpot.Approvers{Second: "Bob"}}, jackpot.ReasonApprovers},
			{open, jackpot.ChangeTerms{Approvers: two}, jackpot.ReasonTerms},
			{open, jackpot.ChangeTerms{Terms: verifying(-1), FixedReturn: free, Approvers: two}, jackpot.ReasonTerms},
			{open, jackpot.ChangeTerms{Terms: verifying(jackpot.MaxAmount + 1), FixedReturn: free, Approvers: two}, jackpot.ReasonTerms},
		},
		"adjust": {
			{zero, jackpot.Adjust{}, jackpot.ReasonMalformed},
			{zero, adjust(99, 1, jackpot.AdjustTransferIn, two), jackpot.ReasonMalformed},
			{zero, adjust(jackpot.PotMeter, 1, 99, two), jackpot.ReasonMalformed},
			{zero, adjust(jackpot.PotMeter, 0, jackpot.AdjustMalfunction, two), jackpot.ReasonMalformed},
			{zero, adjust(jackpot.PotMeter, 1, jackpot.AdjustTransferOut, jackpot.Approvers{}), jackpot.ReasonMalformed},
			{zero, adjust(jackpot.PotMeter, -1, jackpot.AdjustTransferIn, jackpot.Approvers{}), jackpot.ReasonMalformed},
			{zero, adjust(jackpot.PotMeter, 101, jackpot.AdjustTransferIn, jackpot.Approvers{}), jackpot.ReasonNotOpened},
			{dealtDown, adjust(jackpot.PotMeter, 101, jackpot.AdjustTransferIn, jackpot.Approvers{}), jackpot.ReasonApprovers},
			{dealtDown, adjust(jackpot.PotMeter, 101, jackpot.AdjustTransferIn, two), jackpot.ReasonSystemDown},
			{dealt, adjust(jackpot.PotMeter, 101, jackpot.AdjustTransferIn, two), jackpot.ReasonHitUnpaid},
			{dealt, adjust(jackpot.PotMeter, 101, jackpot.AdjustMalfunction, two), jackpot.ReasonOutOfBounds},
			{full, adjust(jackpot.PotReserve, 1, jackpot.AdjustTransferIn, two), jackpot.ReasonTooLarge},
		},
		"down": {
			{zero, jackpot.SystemDown{}, jackpot.ReasonNotOpened},
			{down, jackpot.SystemDown{}, jackpot.ReasonSystemDown},
		},
		"up": {
			{zero, jackpot.SystemUp{}, jackpot.ReasonNotOpened},
			{open, jackpot.SystemUp{}, jackpot.ReasonSystemUp},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var last jackpot.Reason
			for _, l := range chain {
				r := wantReason(t, l.state, l.command, l.want)
				if r.Reason < last {
					t.Errorf("%v was refused after %v, against the order of precedence", r.Reason, last)
				}
				if !strings.Contains(r.Detail, ";") {
					t.Errorf("%q does not say what to do next", r.Detail)
				}
				last = r.Reason
				reached[r.Reason] = true
			}
		})
	}
	for r := jackpot.ReasonMalformed; r <= jackpot.ReasonTooLarge; r++ {
		if !reached[r] {
			t.Errorf("no case is refused for %v", r)
		}
	}
}

// heldHit is a jackpot after it has paid $1.10 to ann: 100 and half of two bets of 10.
func heldHit(t testing.TB, verifyFrom money.Amount, proven bool) jackpot.State {
	t.Helper()
	terms := small()
	terms.VerifyFrom = verifyFrom
	return after(
		t, opened(t, terms), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA, Winner: "ann", Proven: proven},
	)
}

// A hit below the threshold is paid as ever, one at it waits for people, and only the
// sum whose hand no deck proves is held for them.
func TestAHitIsVerifiedFromTheThresholdOn(t *testing.T) {
	for _, c := range []struct {
		name       string
		verifyFrom money.Amount
		proven     bool
		waits      int
		payable    money.Amount
	}{
		{"no threshold", 0, false, 0, 0},
		{"a cent below it", 111, false, 0, 0},
		{"at it", 110, false, 1, 110},
		{"above it", 1, false, 1, 110},
		{"proved by its deck", 110, true, 1, 0},
	} {
		s := heldHit(t, c.verifyFrom, c.proven)
		if len(s.Unverified) != c.waits || s.Payable() != c.payable {
			t.Errorf("%s: %+v wait, and %s are held", c.name, s.Unverified, s.Payable())
		}
		balance(t, s, 100, 0) // the meter has been reset whatever people find
	}
	terms := small()
	terms.VerifyFrom = 1
	s := after(t, opened(t, terms), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.Confirm{Hit: hitA})
	wantReason(t, s, jackpot.Pay{Hit: hitA}, jackpot.ReasonMalformed)
}

// A payment that was looked at and collected again is not the one that was made since: two people
// verify or deny what both have looked at.
func TestThePaymentThatWasCheckedIsVerified(t *testing.T) {
	first := heldHit(t, 1, false)
	again := after(
		t, first, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitHandInvalidated},
		jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA, Winner: "ann"},
	)
	looked, since := first.Unverified[0].Payment.Number, again.Unverified[0].Payment.Number
	if looked == 0 || since == looked {
		t.Fatalf("payment %d became payment %d", looked, since)
	}
	closed := after(t, again, jackpot.CloseRound{Round: roundA})
	wantReason(t, closed, jackpot.Verify{Hit: hitA, Payment: looked, Approvers: two}, jackpot.ReasonUnknownHit)
	wantReason(t, closed, jackpot.Deny{Hit: hitA, Payment: looked, Clause: "rws-3cp@3 5.15", Approvers: two}, jackpot.ReasonUnknownHit)
	for _, payment := range []int64{0, since} {
		only[jackpot.HitVerified](t, closed, jackpot.Verify{Hit: hitA, Payment: payment, Approvers: two})
		only[jackpot.HitReversed](t, closed, jackpot.Deny{Hit: hitA, Payment: payment, Clause: "rws-3cp@3 5.15", Approvers: two})
	}
}

// The round ends, the next hit is paid, and then two people decide.
func TestAHeldHitIsVerifiedOrDenied(t *testing.T) {
	s := after(
		t, heldHit(t, 1, false), jackpot.CloseRound{Round: roundA},
		jackpot.Contribute{Round: roundB, Bets: 4}, jackpot.HandDealt{Hit: hitB, Place: at(9, 0)},
		jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB, Winner: "ben"}, jackpot.CloseRound{Round: roundB},
		jackpot.Contribute{Round: jackpot.RoundID{Table: "A", Round: "2"}, Bets: 2}, // half of two bets of 10: the meter is at 110
	)
	if s.Payable() != 110+120 {
		t.Fatalf("%s are held", s.Payable())
	}
	verified, e := only[jackpot.HitVerified](t, s, jackpot.Verify{Hit: hitA, Approvers: two})
	if e.Winner != "ann" || e.Amount != 110 || !e.Held || verified.Payable() != 120 {
		t.Errorf("%+v, and %s are held", e, verified.Payable())
	}
	balance(t, verified, 110, 0)
	wantReason(t, verified, jackpot.Verify{Hit: hitA, Approvers: two}, jackpot.ReasonUnknownHit)

	deny := jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.15", Approvers: two}
	denied, gone := only[jackpot.HitReversed](t, s, deny)
	// 110 go back, of which 100 are what the house had reset the meter with.
	if gone.Payable != "ann" || gone.ToMeter != 110 || gone.ResetToHouse != 100 || denied.Payable() != 120 {
		t.Errorf("%+v, and %s are held", gone, denied.Payable())
	}
	balance(t, denied, 120, 0)
	wantReason(t, denied, deny, jackpot.ReasonUnknownHit)
	wantReason(t, denied, jackpot.Verify{Hit: hitA, Approvers: two}, jackpot.ReasonUnknownHit)
	if err := denied.Audit(); err != nil {
		t.Error(err)
	}

	for name, e := range map[string]jackpot.Event{
		"verified by one":        jackpot.HitVerified{Hit: hitA, Winner: "ann", Amount: 110, Held: true, Approvers: jackpot.Approvers{First: "Ann", Second: " ANN"}},
		"verified for another":   jackpot.HitVerified{Hit: hitA, Winner: "ben", Amount: 110, Held: true, Approvers: two},
		"verified for more":      jackpot.HitVerified{Hit: hitA, Winner: "ann", Amount: 111, Held: true, Approvers: two},
		"denied by one":          altered(gone, func(e *jackpot.HitReversed) { e.Approvers.Second = "" }),
		"denied without clause":  altered(gone, func(e *jackpot.HitReversed) { e.Clause = "" }),
		"denied, another's hold": altered(gone, func(e *jackpot.HitReversed) { e.Payable = "ben" }),
	} {
		if _, err := jackpot.Evolve(s, e); !errors.Is(err, jackpot.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An error found before the round is closed takes the sum back as it takes any other,
// from where it is held, and nobody verifies it any more.
func TestAHeldHitIsCollectedAgain(t *testing.T) {
	reverse := jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitHandInvalidated}
	s, e := only[jackpot.HitReversed](t, heldHit(t, 1, false), reverse)
	if e.Payable != "ann" || e.Clause != "" || s.Payable() != 0 || len(s.Unverified) != 0 {
		t.Errorf("%+v, and %+v wait", e, s.Unverified)
	}
	balance(t, s, 110, 0)
	// Once it was handed out, it comes from the winner.
	handed := after(t, heldHit(t, 1, false), jackpot.Verify{Hit: hitA, Approvers: two})
	if s, e = only[jackpot.HitReversed](t, handed, reverse); e.Payable != "" {
		t.Errorf("%+v", e)
	}
	balance(t, s, 110, 0)
	// So does what was handed out at once, before anybody has verified it.
	if s, e = only[jackpot.HitReversed](t, heldHit(t, 1, true), reverse); e.Payable != "" || len(s.Unverified) != 0 {
		t.Errorf("%+v, and %+v wait", e, s.Unverified)
	}
	balance(t, s, 110, 0)
}

func altered[E any](e E, change func(*E)) E {
	change(&e)
	return e
}

// A hit whose payment is collected again and that stands after all is paid what it was paid:
// the jackpot is then as if nothing had been collected, whatever came in between. Every figure
// is reckoned by hand: a 10-cent bet puts 5 cents into a meter between $1.00 and $2.00.
func TestAHitIsPaidAgainWhatItWasPaid(t *testing.T) {
	roundC := jackpot.RoundID{Table: "C", Round: "1"}
	others := func(n int64) jackpot.Command { return jackpot.Contribute{Round: roundC, Bets: n} }
	pay := func(hit jackpot.HitID) []jackpot.Command {
		return []jackpot.Command{jackpot.Confirm{Hit: hit}, jackpot.Pay{Hit: hit}}
	}
	first := append([]jackpot.Command{jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}}, pay(hitA)...)
	undone := []jackpot.Command{jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported}, jackpot.Reinstate{Hit: hitA}}
	tests := []struct {
		name                         string
		before, between, while, then []jackpot.Command
		amount, fromHouse            money.Amount
		meter, reserve               money.Amount
	}{
		{name: "at once", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, amount: 120, meter: 100},
		{name: "after bets", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, between: []jackpot.Command{others(2)}, amount: 120, meter: 110},
		{name: "after bets before and since", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, between: []jackpot.Command{others(2)}, while: []jackpot.Command{others(3)}, amount: 120, meter: 125},
		{name: "with the reserve", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 41}}, amount: 200, meter: 200, reserve: 5},
		{name: "above the ceiling", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 18}}, between: []jackpot.Command{others(6)}, amount: 190, meter: 130},
		{
			name: "after another hit", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 1}},
			between: append([]jackpot.Command{others(1), jackpot.HandDealt{Hit: hitB, Place: at(2, 0)}}, pay(hitB)...), while: []jackpot.Command{others(2)}, amount: 125, meter: 110,
		},
		{name: "once the system is down", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, between: []jackpot.Command{others(2), jackpot.SystemDown{}}, amount: 120, meter: 110},
		{name: "after an adjustment", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, between: []jackpot.Command{
			jackpot.Adjust{Pot: jackpot.PotMeter, Change: -50, Cause: jackpot.AdjustTransferOut, Approvers: two},
		}, amount: 120, fromHouse: 20, meter: 50},
		{name: "new terms wait for the next hit", before: []jackpot.Command{jackpot.Contribute{Round: roundA, Bets: 4}}, between: []jackpot.Command{
			jackpot.ChangeTerms{Terms: altered(small(), func(terms *jackpot.Terms) { terms.Ceiling = 150 }), FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two},
		}, amount: 120, meter: 100},
		{name: "new terms with a ceiling below it", before: []jackpot.Command{
			jackpot.ChangeTerms{Terms: altered(small(), func(terms *jackpot.Terms) { terms.Ceiling = 110 }), FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two},
			jackpot.Contribute{Round: roundA, Bets: 4},
		}, amount: 120, fromHouse: 10, meter: 100},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := after(t, opened(t, small()), append(append(test.before, first...), test.between...)...)
			s = after(t, s, append(undone, test.while...)...)
			if due := s.Due(hitA); due != test.amount {
				t.Errorf("%v is due", due)
			}
			waiting := s.NextTerms
			s = after(t, s, jackpot.Confirm{Hit: hitA})
			s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
			if e.Amount != test.amount || e.FromHouse != test.fromHouse || e.NewTerms != nil || s.NextTerms != waiting {
				t.Errorf("%+v", e)
			}
			balance(t, s, test.meter, test.reserve)
			if e.ResetByHouse+e.FromHouse > 100 {
				t.Errorf("the house pays more than once: %+v", e)
			}
			if s.Displayed() != test.meter {
				t.Errorf("%v is displayed", s.Displayed())
			}
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
			if _, written := s.Round(roundC); !written || s.Down {
				return
			}
			// What the bets of others have added lies in the meter, and leaves it with them.
			round, _ := s.Round(roundC)
			_, r := only[jackpot.ContributionsReversed](t, s, jackpot.ReverseContributions{Round: roundC, Bets: round.Held() - round.Bets[0].Count*int64(len(round.Bets)-1), Cause: jackpot.ReversedRoundVoided})
			if r.FromHouse != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// If the hit turns out not to stand while its payment is collected, and another hit takes the
// meter with that sum in it, the house owes the first one what it was paid.
func TestAHitIsPaidAgainByTheHouse(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4}, jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.HandDealt{Hit: hitA, Place: at(1, 0)}, jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA}, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitMisreported},
		jackpot.HandDealt{Hit: hitB, Place: at(2, 0)}, jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB})
	balance(t, s, 100, 0)
	s = after(t, s, jackpot.Contribute{Round: roundB, Bets: 2}, jackpot.Reinstate{Hit: hitA}, jackpot.Confirm{Hit: hitA})
	s, e := only[jackpot.HitPaid](t, s, jackpot.Pay{Hit: hitA})
	if e.Amount != 125 || e.FromHouse != 125 || e.ResetByHouse != 0 {
		t.Errorf("%+v", e)
	}
	balance(t, s, 110, 0)
	// It goes back to the house if it does not stand in the end.
	s, back := only[jackpot.HitReversed](t, s, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitRoundVoided})
	if back.ToHouse != 125 || back.ToMeter != 0 || back.ResetToHouse != 0 {
		t.Errorf("%+v", back)
	}
	balance(t, s, 110, 0)
}

func TestDenominatorIsBounded(t *testing.T) {
	s := opened(t, small())
	rate := func(den int64) jackpot.ChangeTerms {
		terms := small()
		terms.Rate = jackpot.Rate{Num: 1, Den: den}
		return jackpot.ChangeTerms{Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two}
	}
	s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 9}, rate(499_979)) // a prime
	s, _ = hitOnA(t, s)
	s = after(t, s, rate(1_000_000)) // 2 x prime x 500,000 is still below the bound
	s = after(t, s, rate(499_973))
	s = after(t, s, jackpot.Contribute{Round: roundB, Bets: 9}, jackpot.HandDealt{Hit: hitB, Place: at(7, 0)},
		jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB})
	wantReason(t, s, rate(499_969), jackpot.ReasonTerms)
}

func TestCorruptEventsAreErrors(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	for _, e := range []jackpot.Event{
		nil,
		jackpot.Opened{Terms: small(), FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100},
		jackpot.Contributed{Round: roundA, Bets: 1, Stake: 10, ToMeter: 4, After: jackpot.Balance{Meter: 109}},
		jackpot.Contributed{Round: roundA, Bets: 1, Stake: 10, ToMeter: 5, After: jackpot.Balance{Meter: 111}},
		jackpot.Contributed{Round: roundA, Bets: 1, Stake: 10, ToMeter: math.MinInt64, ToReserve: math.MinInt64},
		jackpot.ContributionsReversed{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte, Stake: 10, FromMeter: 5, After: jackpot.Balance{Meter: 100}},
		jackpot.RoundClosed{Round: roundA},
		jackpot.HitRegistered{Hit: hitA, Place: at(6, 0)},
		jackpot.HitPaid{Hit: hitA, Place: at(5, 0), Amount: 105, FromMeter: 105, ResetByHouse: 100, After: jackpot.Balance{Meter: 100}},
		jackpot.HitForfeited{Hit: hitA},
		jackpot.RoundKnown{Round: roundA},
		jackpot.RoundDealt{Round: roundA, Place: at(0, 0)},
		jackpot.RoundDetermined{Round: roundA, Before: at(1, 0), After: at(2, 0), Approvers: two},
		jackpot.Adjusted{Pot: jackpot.PotMeter, Cause: jackpot.AdjustMalfunction, Before: 104, After: 100, Approvers: two},
		jackpot.SystemCameUp{Displayed: 105},
	} {
		if got, err := jackpot.Evolve(s, e); !errors.Is(err, jackpot.ErrCorrupt) || !reflect.DeepEqual(got, s) {
			t.Errorf("%#v gave %v", e, err)
		}
	}
	// What concerns a round and its hits is held to where they stand.
	ready := after(t, s, jackpot.DealRound{Round: roundA, Place: at(5, 0)})
	confirmed := after(t, s, jackpot.Confirm{Hit: hitA})
	for _, wrong := range []struct {
		state jackpot.State
		event jackpot.Event
	}{
		{after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.DealRound{Round: roundA, Place: at(5, 0)}), jackpot.RoundClosed{Round: roundA}},
		{ready, jackpot.RoundDealt{Round: roundA, Place: at(6, 0)}},
		{ready, jackpot.RoundDetermined{Round: roundA, Before: at(6, 0), After: at(7, 0), Approvers: two}},
		{ready, jackpot.RoundDetermined{Round: roundA, Before: at(5, 0), After: at(7, 0)}},
		{s, jackpot.OrderDetermined{Hit: hitA, Before: at(6, 0), After: at(7, 0), Approvers: two}},
		{s, jackpot.OrderDetermined{Hit: hitA, Before: at(5, 0), After: at(7, 0)}},
		{confirmed, jackpot.HitConfirmed{Hit: hitA}},
	} {
		if _, err := jackpot.Evolve(wrong.state, wrong.event); !errors.Is(err, jackpot.ErrCorrupt) {
			t.Errorf("%#v gave %v", wrong.event, err)
		}
	}
	s.Meter++
	if err := s.Audit(); err == nil || !strings.Contains(err.Error(), "meter identity") {
		t.Errorf("the audit of a cent too much says %v", err)
	}
	if _, err := jackpot.Decide(s, jackpot.Confirm{Hit: hitA}); !errors.Is(err, jackpot.ErrCorrupt) {
		t.Errorf("a State that does not add up still decides: %v", err)
	}
	s.Meter--
	s.Reserve++
	if err := s.Audit(); err == nil || !strings.Contains(err.Error(), "reserve identity") {
		t.Errorf("the audit of a cent too much says %v", err)
	}
}

// The names are stored in logs: they must stay what they are.
func TestNamesAreStored(t *testing.T) {
	for want, value := range map[string]interface{ String() string }{
		"malformed": jackpot.ReasonMalformed, "not-opened": jackpot.ReasonNotOpened, "already-opened": jackpot.ReasonAlreadyOpened,
		"approvers": jackpot.ReasonApprovers, "terms": jackpot.ReasonTerms, "system-down": jackpot.ReasonSystemDown,
		"system-up": jackpot.ReasonSystemUp, "unknown-round": jackpot.ReasonUnknownRound, "duplicate-hit": jackpot.ReasonDuplicateHit,
		"unknown-hit": jackpot.ReasonUnknownHit, "hit-settled": jackpot.ReasonHitSettled, "already-confirmed": jackpot.ReasonAlreadyConfirmed,
		"bets-not-held": jackpot.ReasonBetsNotHeld, "bet-holds-hit": jackpot.ReasonBetHoldsHit, "same-place": jackpot.ReasonSamePlace,
		"duplicate-round": jackpot.ReasonDuplicateRound, "earlier-round": jackpot.ReasonEarlierRound, "round-open": jackpot.ReasonRoundOpen,
		"hit-unpaid": jackpot.ReasonHitUnpaid, "earlier-hit": jackpot.ReasonEarlierHit, "not-confirmed": jackpot.ReasonNotConfirmed,
		"out-of-bounds": jackpot.ReasonOutOfBounds, "too-large": jackpot.ReasonTooLarge,
		"on-top": jackpot.OverflowOnTop, "first": jackpot.OverflowFirst,
		"open": jackpot.StatusOpen, "confirmed": jackpot.StatusConfirmed, "paid": jackpot.StatusPaid, "forfeited": jackpot.StatusForfeited,
		"no-ante": jackpot.ReversedNoAnte, "folded": jackpot.ForfeitFolded, "misreported": jackpot.ForfeitMisreported,
		"meter": jackpot.PotMeter, "reserve": jackpot.PotReserve,
		"malfunction": jackpot.AdjustMalfunction, "transfer-in": jackpot.AdjustTransferIn,
		"transfer-out": jackpot.AdjustTransferOut, "regulator": jackpot.AdjustRegulator,
		"unknown": jackpot.Pot(99),
	} {
		if got := value.String(); got != want {
			t.Errorf("%#v is named %q, want %q", value, got, want)
		}
	}
	if got := jackpot.Reason(0).String(); got != "unknown" {
		t.Errorf("no reason is named %q", got)
	}
	if jackpot.ReversedRoundVoided.String() != jackpot.ForfeitRoundVoided.String() ||
		jackpot.ReversedHandInvalidated.String() != jackpot.ForfeitHandInvalidated.String() {
		t.Error("the causes that a reversal and a forfeit share have two names")
	}
	var r jackpot.Reason
	if err := json.Unmarshal([]byte(`"earlier-hit"`), &r); err != nil || r != jackpot.ReasonEarlierHit {
		t.Errorf("read %v, %v", r, err)
	}
}

func TestListsAreClosed(t *testing.T) {
	for _, e := range []stored.Event{
		{Kind: "hit-forfeited", Body: []byte(`{"hit":{"table":"A","round":"1","box":1},"cause":"tired"}`)},
		{Kind: "hit-stolen", Body: []byte(`{}`)},
		{Kind: "hit-confirmed", Body: []byte(`{"hit":{"table":"A","round":"1","box":1},"by":"x"}`)},
		{Kind: "contributed", Body: []byte(`{"bets":1.5}`)},
		{Kind: "contributed", Body: []byte(`{"bets":9223372036854775808}`)},
		{Kind: "opened"},
	} {
		if read, err := record.JackpotEvents.Parse(e.Kind, e.Body); err == nil {
			t.Errorf("%s %s was read as %#v", e.Kind, e.Body, read)
		}
	}
	if text, err := json.Marshal(jackpot.Refusal{Reason: jackpot.ReasonEarlierHit}); err != nil || !strings.Contains(string(text), `"earlier-hit"`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := json.Marshal(jackpot.Reason(99)); err == nil {
		t.Error("a reason that is not on the list was written")
	}
}

// Each guard of the audit sees its one thing that does not add up: a State that is sound
// and wrong in one place.
func TestTheAuditBites(t *testing.T) {
	s := after(t, opened(t, small()),
		jackpot.Contribute{Round: roundA, Bets: 2},
		jackpot.Contribute{Round: roundB, Bets: 2},
		jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.HandDealt{Hit: hitB, Place: at(6, 0)},
		jackpot.Confirm{Hit: hitA},
		jackpot.Pay{Hit: hitA},
	)
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
	round := func(s *jackpot.State) *jackpot.Round { s.Rounds = slices.Clone(s.Rounds); return &s.Rounds[0] }
	bets := func(s *jackpot.State) *jackpot.BetGroup {
		r := round(s)
		r.Bets = slices.Clone(r.Bets)
		return &r.Bets[0]
	}
	hit := func(s *jackpot.State, i int) *jackpot.Hit { s.Hits = slices.Clone(s.Hits); return &s.Hits[i] }
	payment := func(s *jackpot.State) *jackpot.Payment {
		h := hit(s, 0)
		p := *h.Payment
		h.Payment = &p
		return h.Payment
	}
	// A payment that waits to be verified, beside what is sound.
	waits := func(s *jackpot.State) *jackpot.Unverified {
		s.Unverified = []jackpot.Unverified{{Hit: hitA, Winner: "ann", Amount: 120, Payment: *s.Hits[0].Payment}}
		return &s.Unverified[0]
	}
	if sound := s; waits(&sound) == nil || sound.Audit() != nil {
		t.Fatal(sound.Audit())
	}
	for _, test := range []struct {
		want  string
		alter func(s *jackpot.State)
	}{
		{"never opened", func(s *jackpot.State) { s.Opened = false }},
		{"terms in force", func(s *jackpot.State) { s.Terms.Reset = -1 }},
		{"next terms", func(s *jackpot.State) { next := s.Terms; next.Reset = -1; s.NextTerms = &next }},
		{"denominator", func(s *jackpot.State) { s.Denominator = 0 }},
		{"denominator", func(s *jackpot.State) { s.Denominator = 3 }},
		{"denominator", func(s *jackpot.State) { s.Denominator = 1 << 62 }},
		{"remainder", func(s *jackpot.State) { s.Remainder = -1 }},
		{"remainder", func(s *jackpot.State) { s.Remainder = s.Denominator }},
		{"none can be below zero", func(s *jackpot.State) { s.Totals.PaidByHouse = -1 }},
		{"exceeds", func(s *jackpot.State) { s.Totals.PaidByHouse = jackpot.MaxAmount + 1 }},
		{"meter identity", func(s *jackpot.State) { s.Totals.MeterAdjustments = jackpot.MaxAmount }},
		{"reserve identity", func(s *jackpot.State) { s.Totals.ReserveAdjustments = -jackpot.MaxAmount }},
		{"exceeds", func(s *jackpot.State) { s.Totals.MeterAdjustments = jackpot.MaxAmount + 1 }},
		{"exceeds", func(s *jackpot.State) { s.Totals.ReserveAdjustments = -jackpot.MaxAmount - 1 }},
		{"was collected again", func(s *jackpot.State) { s.Undone = []int64{2} }},
		{"was collected again", func(s *jackpot.State) { s.Undone = []int64{0} }},
		{"hits paid", func(s *jackpot.State) { s.HitsPaid = -1 }},
		{"hits paid", func(s *jackpot.State) { s.LatestPaid = jackpot.Place{} }},
		{"hits paid", func(s *jackpot.State) { s.HitsPaid = 0 }},
		{"between zero and its ceiling", func(s *jackpot.State) { s.Meter, s.Totals.PaidFromMeter = -1, s.Totals.PaidFromMeter+s.Meter+1 }},
		{"between zero and its ceiling", func(s *jackpot.State) { s.Totals.ResetByHouse += 101 - (s.Meter - 100); s.Meter = 201 }},
		{"is below zero", func(s *jackpot.State) {
			s.Reserve, s.Totals.TakenFromReserve = -1, s.Totals.TakenFromReserve+s.Reserve+1
		}},
		{"exceeds", func(s *jackpot.State) {
			s.Totals.OpeningReserve, s.Totals.MeterToReserve, s.Reserve = jackpot.MaxAmount, 1, jackpot.MaxAmount+1
		}},
		{"is not a part of all overflow", func(s *jackpot.State) { s.OverflowSinceHit = -1 }},
		{"is not a part of all overflow", func(s *jackpot.State) { s.OverflowSinceHit = s.Totals.Overflow + 1 }},
		{"meter identity", func(s *jackpot.State) { s.Meter++ }},
		{"reserve identity", func(s *jackpot.State) { s.Reserve++ }},
		{"is below the meter", func(s *jackpot.State) { s.Down, s.Registered = true, s.Meter-1 }},
		{"although the system is up", func(s *jackpot.State) { s.Registered = s.Meter }},
		{"is listed twice", func(s *jackpot.State) { s.Rounds = append(slices.Clone(s.Rounds), s.Rounds[0]) }},
		{"has no name", func(s *jackpot.State) { round(s).ID.Round = "" }},
		{"at an impossible place", func(s *jackpot.State) { round(s).Determined = true }},
		{"at an impossible place", func(s *jackpot.State) { p := at(-1, 0); round(s).Dealt = &p }},
		{"impossible group", func(s *jackpot.State) { bets(s).Count = 0 }},
		{"impossible group", func(s *jackpot.State) { bets(s).Bet = -1 }},
		{"impossible group", func(s *jackpot.State) { bets(s).Bet = 0 }},
		{"impossible group", func(s *jackpot.State) {
			b := *bets(s)
			b.Count = 1
			round(s).Bets = []jackpot.BetGroup{b, b} // both before the same hit
		}},
		{"impossible group", func(s *jackpot.State) { bets(s).HitsPaid = -1 }},
		{"impossible group", func(s *jackpot.State) { bets(s).HitsPaid = s.HitsPaid + 1 }},
		{"impossible group", func(s *jackpot.State) { bets(s).Rate.Num = 0 }},
		{"impossible group", func(s *jackpot.State) { bets(s).Rate.Num = 3 }},
		{"impossible group", func(s *jackpot.State) { bets(s).Rate = jackpot.Rate{Num: 1, Den: 3} }},
		{"holds more than any bets", func(s *jackpot.State) { b := bets(s); b.Count, b.Bet = 1<<40, 1<<40 }},
		{"holds more than any bets", func(s *jackpot.State) {
			b := *bets(s)
			b.Count, b.Bet = 1, jackpot.MaxAmount
			later := b
			later.HitsPaid, later.Bet = 1, 1
			round(s).Bets = []jackpot.BetGroup{b, later}
		}},
		{"holds more than the bets accepted", func(s *jackpot.State) { bets(s).Count = 3 }},
		{"holds more than the bets accepted", func(s *jackpot.State) { s.Totals.StakesReturned = 1 }},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).ID = s.Hits[0].ID }},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).ID.Box = 0 }},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).Status = 250 }},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).Place = at(-1, 0) }},
		{"and was paid", func(s *jackpot.State) { hit(s, 1).Paid = 1 }},
		{"and was paid", func(s *jackpot.State) { hit(s, 0).Paid = -1 }},
		{"and how it was paid is", func(s *jackpot.State) { hit(s, 0).Payment = nil }},
		{"and how it was paid is", func(s *jackpot.State) { hit(s, 1).Payment = s.Hits[0].Payment }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).Number = 2 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).Number = 0 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).FromHouse = 121 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).FromHouse = -1 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).ResetByHouse = -1 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).ResetFromReserve = -1 }},
		{"in a way that cannot be", func(s *jackpot.State) { payment(s).Overflow = -1 }},
		{"behind one that was dealt later", func(s *jackpot.State) { hit(s, 1).Place = at(4, 0) }},
		{"to be verified, is impossible", func(s *jackpot.State) { waits(s).Hit.Box = 0 }},
		{"to be verified, is impossible", func(s *jackpot.State) { waits(s).Winner = " " }},
		{"to be verified, is impossible", func(s *jackpot.State) { waits(s).Amount = -1 }},
		{"to be verified, is impossible", func(s *jackpot.State) { waits(s).Payment.Number = 0 }},
		{"to be verified, is impossible", func(s *jackpot.State) { waits(s).Payment.Number = 2 }},
		{"to be verified, is impossible", func(s *jackpot.State) { u := *waits(s); s.Unverified = append(s.Unverified, u) }},
		{"have the same place", func(s *jackpot.State) {
			h := s.Hits[1]
			h.ID.Box = 2
			s.Hits = append(slices.Clone(s.Hits), h)
		}},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).ID.Table = "" }},
		{"impossible or listed twice", func(s *jackpot.State) { hit(s, 1).Place.Sequence = -1 }},
		{"terms in force", func(s *jackpot.State) { s.Terms.Rate.Den = 1_000_001 }},
		{"terms in force", func(s *jackpot.State) { s.Terms.Bet = jackpot.MaxAmount + 1 }},
		{"belongs to no round", func(s *jackpot.State) { hit(s, 1).ID.Round = "2" }},
		{"has more hits than bets", func(s *jackpot.State) {
			for box := 2; box < 5; box++ {
				h := s.Hits[1]
				h.ID.Box = box
				s.Hits = append(slices.Clone(s.Hits), h)
			}
		}},
	} {
		t.Run(test.want, func(t *testing.T) {
			altered := s
			test.alter(&altered)
			if err := altered.Audit(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the audit says %v, and nothing like %q", err, test.want)
			}
			// Nothing is decided by a jackpot whose money does not add up.
			if s.Meter != altered.Meter || s.Reserve != altered.Reserve {
				if _, err := jackpot.Decide(altered, jackpot.Contribute{Round: roundA, Bets: 1}); !errors.Is(err, jackpot.ErrCorrupt) {
					t.Errorf("it still decides: %v", err)
				}
			}
		})
	}
	if err := s.Audit(); err != nil {
		t.Errorf("the sound State was altered: %v", err)
	}
	// Nothing is decided by a jackpot that was never opened and holds something, and what was
	// stored is read only if it is sound and wholly known.
	if _, err := jackpot.Decide(jackpot.State{Meter: 1}, jackpot.Open{}); !errors.Is(err, jackpot.ErrCorrupt) {
		t.Errorf("a jackpot that was never opened holds a cent and decides: %v", err)
	}
	for _, text := range []string{`{"opened":false,"meter":1}`, `{"opened":false,"colour":"red"}`, `{`} {
		if read, err := jackpot.Restore([]byte(text)); !errors.Is(err, jackpot.ErrCorrupt) || !reflect.DeepEqual(read, jackpot.State{}) {
			t.Errorf("%s is read as %+v, %v", text, read, err)
		}
	}
	if _, err := jackpot.Replay(jackpot.Opened{Terms: small(), FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100}, jackpot.SystemCameUp{}); !errors.Is(err, jackpot.ErrCorrupt) || !strings.Contains(err.Error(), "event 1") {
		t.Errorf("a system that is up comes up, and the replay says %v", err)
	}
}

// The rounds are listed in the order of their deals, whichever had its bets first.
func TestDealtRoundsAreListedInTheirOrder(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.DealRound{Round: roundA, Place: at(6, 0)}, jackpot.DealRound{Round: roundB, Place: at(5, 0)})
	if dealt := s.Dealt(); len(dealt) != 2 || dealt[0].ID != roundB || dealt[1].ID != roundA {
		t.Errorf("%+v", dealt)
	}
	if _, ok := s.Round(jackpot.RoundID{Table: "C", Round: "1"}); ok {
		t.Error("a round without bets is found")
	}
	// The first place that neither of them has.
	if free := s.FreeFrom(at(5, 0)); free != at(5, 1) {
		t.Errorf("the first place free is %v", free)
	}
}
