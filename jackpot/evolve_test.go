package jackpot_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"trey/jackpot"
	"trey/money"
)

// Each guard of Evolve sees its one thing that does not fit: an event that followed, changed
// in that alone and in what has to agree with it. The message says which guard it was,
// because the audit behind the guards finds much of it too.
func TestEachGuardOfEvolveBites(t *testing.T) {
	const (
		notOpen   = "the jackpot is not open"
		noRound   = "the round holds no bets"
		noHit     = "the hit is not in the order of payment"
		noPlace   = "the round does not stand there in the order of the deals"
		figures   = "its figures contradict the state before it"
		lostPart  = "a part of a contribution is lost or invented"
		tooLarge  = "an amount exceeds"
		isSo      = "the system is already so"
		dealtLast = "a round that was dealt earlier is not known yet"
		one       = "Ann"
	)
	alone := jackpot.Approvers{First: one, Second: " ann "}
	fixed := jackpot.FixedReturn{Num: 0, Den: 1}
	higher := small()
	higher.Bet = 20

	var none jackpot.State
	open := opened(t, small())
	bets := after(t, open, jackpot.Contribute{Round: roundA, Bets: 2}) // 110 in the meter
	down := after(t, bets, jackpot.SystemDown{})
	dealt := after(t, bets, jackpot.DealRound{Round: roundA, Place: at(5, 0)})
	hit := after(t, bets, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	confirmed := after(t, hit, jackpot.Confirm{Hit: hitA})
	paid := after(t, confirmed, jackpot.Pay{Hit: hitA})
	forfeited := after(t, hit, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitFolded})
	both := after(t, hit, jackpot.Contribute{Round: roundB, Bets: 1}, jackpot.HandDealt{Hit: hitB, Place: at(6, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Confirm{Hit: hitB})
	waits := after(t, confirmed, jackpot.Contribute{Round: roundB, Bets: 1}, jackpot.DealRound{Round: roundB, Place: at(4, 0)})
	changes := after(t, confirmed, jackpot.ChangeTerms{Terms: higher, FixedReturn: fixed, Approvers: two})
	held := heldHit(t, 100, false)
	heldOpen := held
	held = after(t, held, jackpot.CloseRound{Round: roundA})
	handedOut := after(t, heldHit(t, 100, true), jackpot.CloseRound{Round: roundA})

	open1 := jackpot.Opened{Terms: small(), FixedReturn: fixed, Meter: 100}
	_, bet := only[jackpot.Contributed](t, open, jackpot.Contribute{Round: roundA, Bets: 1})
	_, back := only[jackpot.ContributionsReversed](t, bets, jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte})
	_, known := only[jackpot.RoundKnown](t, dealt, jackpot.KnowRound{Round: roundA})
	_, moved := only[jackpot.RoundDetermined](t, dealt, jackpot.DetermineRound{Round: roundA, Place: at(7, 0), Approvers: two})
	_, order := only[jackpot.OrderDetermined](t, hit, jackpot.DetermineOrder{Hit: hitA, Place: at(7, 0), Approvers: two})
	_, again := only[jackpot.HitReinstated](t, forfeited, jackpot.Reinstate{Hit: hitA})
	_, pay := only[jackpot.HitPaid](t, confirmed, jackpot.Pay{Hit: hitA})
	_, payAndChange := only[jackpot.HitPaid](t, changes, jackpot.Pay{Hit: hitA})
	_, verified := only[jackpot.HitVerified](t, held, jackpot.Verify{Hit: hitA, Approvers: two})
	_, denied := only[jackpot.HitReversed](t, held, jackpot.Deny{Hit: hitA, Clause: "rws-3cp@3 5.21", Approvers: two})
	_, reversed := only[jackpot.HitReversed](t, paid, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitRoundVoided})
	_, terms := only[jackpot.TermsChanged](t, open, jackpot.ChangeTerms{Terms: higher, FixedReturn: fixed, Approvers: two})
	_, adjusted := only[jackpot.Adjusted](t, bets, jackpot.Adjust{Pot: jackpot.PotMeter, Change: 1, Cause: jackpot.AdjustMalfunction, Approvers: two})
	_, reserved := only[jackpot.Adjusted](t, bets, jackpot.Adjust{Pot: jackpot.PotReserve, Change: 1, Cause: jackpot.AdjustMalfunction, Approvers: two})
	_, went := only[jackpot.SystemWentDown](t, bets, jackpot.SystemDown{})
	_, came := only[jackpot.SystemCameUp](t, down, jackpot.SystemUp{})

	endless := changes // its next rate has no denominator in common with the one before
	endless.Denominator = 1_000_000_000_000
	odd := higher
	odd.Rate = jackpot.Rate{Num: 1, Den: 3}
	endless.NextTerms = &odd
	far := small()
	far.Rate = jackpot.Rate{Num: 1, Den: 3}
	nearlyEndless := open
	nearlyEndless.Denominator = 1_000_000_000_000

	for _, c := range []struct {
		name  string
		state jackpot.State
		event jackpot.Event
		want  string
	}{
		{"opened twice", open, open1, "opened before"},
		{"a reserve below zero", none, altered(open1, func(e *jackpot.Opened) { e.Reserve = -1 }), figures},
		{"a meter below its reset value", none, altered(open1, func(e *jackpot.Opened) { e.Meter-- }), figures},
		{"terms that contradict themselves", none, altered(open1, func(e *jackpot.Opened) { e.Terms.Bet = 0 }), figures},
		{"a fixed return of no amount", none, altered(open1, func(e *jackpot.Opened) { e.FixedReturn.Den = 0 }), figures},

		{"a bet before the opening", none, bet, notOpen},
		{"a bet that adds to what is registered while the system is down", after(t, open, jackpot.SystemDown{}), bet, figures},
		{"a contribution below zero", open, altered(bet, func(e *jackpot.Contributed) {
			e.ToMeter, e.ToReserve, e.After.Meter, e.After.Reserve = e.ToMeter+1, -1, e.After.Meter+1, -1
		}), figures},
		{"a contribution that no amount holds", open, altered(bet, func(e *jackpot.Contributed) { e.ToMeter = jackpot.MaxAmount + 1 }), tooLarge},
		{"the largest contribution", open, altered(bet, func(e *jackpot.Contributed) { e.ToMeter = jackpot.MaxAmount }), lostPart},
		{"no bets", open, jackpot.Contributed{Round: roundA, After: jackpot.Balance{Meter: 100}}, figures},
		// 5534023222112865485 bets of 10 come to 3 * 2**64 + 2, in 64 bits to 2.
		{"more bets than a sum holds", open, jackpot.Contributed{
			Round: roundA, Bets: 5534023222112865485, Stake: 2, ToMeter: 1, After: jackpot.Balance{Meter: 101},
		}, figures},
		{"another stake", open, altered(bet, func(e *jackpot.Contributed) { e.Stake++ }), figures},
		{"a contribution that is smaller", open, altered(bet, func(e *jackpot.Contributed) { e.ToMeter--; e.After.Meter-- }), lostPart},
		{"another part of a minor unit", open, altered(bet, func(e *jackpot.Contributed) { e.After.Remainder++ }), lostPart},
		{"another meter after a bet", open, altered(bet, func(e *jackpot.Contributed) { e.After.Meter++ }), figures},
		{"a bet in a round without a name", open, altered(bet, func(e *jackpot.Contributed) { e.Round.Round = "" }), "has no name"},

		{"a part below zero taken back", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.FromMeter++; e.FromHouse--; e.After.Meter-- }), figures},
		{"bets of a round without any returned", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.Round = roundB }), noRound},
		{"no bets returned", bets, jackpot.ContributionsReversed{Round: roundA, Cause: jackpot.ReversedNoAnte, After: jackpot.Balance{Meter: 110}}, noRound},
		{"more bets returned than there are", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.Bets = 3 }), noRound},
		{"bets returned for no cause", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.Cause = 99 }), figures},
		{"another stake returned", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.Stake++ }), figures},
		{"less taken back than was contributed", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.FromMeter--; e.After.Meter++ }), lostPart},
		{"another meter after a return", bets, altered(back, func(e *jackpot.ContributionsReversed) { e.After.Meter++ }), figures},

		{"a round without bets closed", bets, jackpot.RoundClosed{Round: roundB}, noRound},
		{"a round with an unpaid hit closed", hit, jackpot.RoundClosed{Round: roundA}, "a hit of the round is unpaid"},
		{"a round with unknown hands closed", dealt, jackpot.RoundClosed{Round: roundA}, "a hand of the round is not known"},
		{"a round without bets dealt", bets, jackpot.RoundDealt{Round: roundB, Place: at(6, 0)}, noRound},
		{"a round dealt twice", dealt, jackpot.RoundDealt{Round: roundA, Place: at(6, 0)}, noPlace},
		{"a round known before it is dealt", bets, known, noPlace},
		{"a round without bets known", dealt, altered(known, func(e *jackpot.RoundKnown) { e.Round = roundB }), noRound},
		{"a place determined before the deal", bets, moved, noPlace},
		{"a place determined instead of another", dealt, altered(moved, func(e *jackpot.RoundDetermined) { e.Before = at(6, 0) }), noPlace},
		{"a place determined by one person", dealt, altered(moved, func(e *jackpot.RoundDetermined) { e.Approvers = alone }), noPlace},

		{"a hit that is late before any was paid", bets, jackpot.HitRegistered{Hit: hitA, Place: at(5, 0), Late: true}, figures},
		{"a hit listed twice", hit, jackpot.HitRegistered{Hit: hitA, Place: at(6, 0)}, "listed twice"},
		{"an order determined as late", hit, altered(order, func(e *jackpot.OrderDetermined) { e.Late = true }), figures},
		{"an order determined by one person", hit, altered(order, func(e *jackpot.OrderDetermined) { e.Approvers = alone }), figures},
		{"an order determined instead of another", hit, altered(order, func(e *jackpot.OrderDetermined) { e.Before = at(6, 0) }), figures},
		{"a hit confirmed that is none", hit, jackpot.HitConfirmed{Hit: hitB}, noHit},
		{"a hit confirmed twice", confirmed, jackpot.HitConfirmed{Hit: hitA}, noHit},
		{"a paid hit forfeited", paid, jackpot.HitForfeited{Hit: hitA, Cause: jackpot.ForfeitFolded}, noHit},
		{"a hit forfeited for no cause", hit, jackpot.HitForfeited{Hit: hitA, Cause: 99}, figures},
		{"a hit reinstated that is none", forfeited, altered(again, func(e *jackpot.HitReinstated) { e.Hit = hitB }), noHit},
		{"an open hit reinstated", hit, again, noHit},
		{"a paid hit reinstated", paid, again, noHit},

		{"a reset below zero", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.ResetByHouse++; e.ResetFromReserve--; e.After.Reserve++ }), figures},
		{"a hit paid that is none", bets, pay, noHit},
		{"a hit paid before its turn", both, altered(pay, func(e *jackpot.HitPaid) {
			e.Hit, e.Amount, e.FromMeter = hitB, 115, 115
		}), noHit},
		{"a hit paid at another place", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.Place = at(6, 0) }), noHit},
		{"an open hit paid", hit, pay, noHit},
		{"a hit paid before a round dealt earlier", waits, altered(pay, func(e *jackpot.HitPaid) { e.Amount, e.FromMeter = 115, 115 }), dealtLast},
		{"a hit paid more than is displayed", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.Amount++; e.FromHouse++ }), figures},
		{"a hit paid by the house", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.FromMeter--; e.FromHouse++ }), figures},
		{"a hit paid more than it comes to", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.FromHouse++ }), figures},
		{"new terms that did not wait", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.NewTerms = &higher }), figures},
		{"terms that wait passed over", changes, altered(payAndChange, func(e *jackpot.HitPaid) { e.NewTerms = nil }), figures},
		{"other terms than those that wait", changes, altered(payAndChange, func(e *jackpot.HitPaid) { same := small(); e.NewTerms = &same }), figures},
		{"new terms without a common denominator", endless, altered(payAndChange, func(e *jackpot.HitPaid) { e.NewTerms = &odd }), figures},
		{"a winner where nobody verifies", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.Winner = "Eve" }), figures},
		{"a sum held for nobody", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.Held = true }), figures},
		{"a registered value kept that is none", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.KeptRegistered = true }), figures},
		{"another meter after a hit", confirmed, altered(pay, func(e *jackpot.HitPaid) { e.After.Meter++ }), figures},

		{"a hit verified that nobody has to", paid, verified, noHit},
		{"a hit verified by one person", held, altered(verified, func(e *jackpot.HitVerified) { e.Approvers = alone }), figures},
		{"a hit verified of another winner", held, altered(verified, func(e *jackpot.HitVerified) { e.Winner = "Eve" }), figures},
		{"another amount verified", held, altered(verified, func(e *jackpot.HitVerified) { e.Amount++ }), figures},
		{"a sum verified as handed out", held, altered(verified, func(e *jackpot.HitVerified) { e.Held = false }), figures},

		{"a hit denied that nobody has to verify", after(t, paid, jackpot.CloseRound{Round: roundA}), denied, noHit},
		{"a hit denied that was handed out", handedOut, denied, noHit},
		{"a hit denied in its round", heldOpen, denied, noHit},
		{"a hit denied by one person", held, altered(denied, func(e *jackpot.HitReversed) { e.Approvers = alone }), figures},
		{"another amount denied", held, altered(denied, func(e *jackpot.HitReversed) { e.Amount++ }), figures},
		{"an unpaid hit collected again", confirmed, reversed, noHit},
		{"an unknown hit collected again", paid, altered(reversed, func(e *jackpot.HitReversed) { e.Hit = hitB }), noHit},
		{"a hit collected again for no cause", paid, altered(reversed, func(e *jackpot.HitReversed) { e.Cause = 99 }), figures},
		{"a hit collected again by two people", paid, altered(reversed, func(e *jackpot.HitReversed) { e.Approvers = two }), figures},
		{"another amount collected again", paid, altered(reversed, func(e *jackpot.HitReversed) { e.Amount++ }), figures},

		{"terms before the opening", none, altered(terms, func(e *jackpot.TermsChanged) { e.Before = jackpot.Terms{} }), figures},
		{"terms in place of others", open, altered(terms, func(e *jackpot.TermsChanged) { e.Before = higher }), figures},
		{"terms by one person", open, altered(terms, func(e *jackpot.TermsChanged) { e.Approvers = alone }), figures},
		{"terms that return more than the bet", open, altered(terms, func(e *jackpot.TermsChanged) { e.FixedReturn.Num = 21 }), figures},
		{"terms without a common denominator", nearlyEndless, altered(terms, func(e *jackpot.TermsChanged) { e.After = far }), figures},

		{"an adjustment below zero", bets, altered(reserved, func(e *jackpot.Adjusted) { e.After = -1 }), figures},
		{"an adjustment before the opening", none, altered(reserved, func(e *jackpot.Adjusted) { e.After = 0 }), notOpen},
		{"an adjustment while the system is down", down, adjusted, notOpen},
		{"an adjustment for no cause", bets, altered(adjusted, func(e *jackpot.Adjusted) { e.Cause = 99 }), figures},
		{"an adjustment by one person", bets, altered(adjusted, func(e *jackpot.Adjusted) { e.Approvers = alone }), figures},
		{"an adjustment of another meter", bets, altered(adjusted, func(e *jackpot.Adjusted) { e.Before++ }), figures},
		{"an adjustment of another reserve", bets, altered(reserved, func(e *jackpot.Adjusted) { e.Before++ }), figures},
		{"an adjustment of nothing", bets, altered(adjusted, func(e *jackpot.Adjusted) { e.Pot = 99 }), figures},

		{"a system that goes down before the opening", none, jackpot.SystemWentDown{}, isSo},
		{"a system that goes down twice", down, went, isSo},
		{"another registered value", bets, altered(went, func(e *jackpot.SystemWentDown) { e.Registered++ }), figures},
		{"a system that comes up twice", bets, came, isSo},
		{"another displayed value", down, altered(came, func(e *jackpot.SystemCameUp) { e.Displayed++ }), figures},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := jackpot.Evolve(c.state, c.event)
			if !errors.Is(err, jackpot.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%#v gave %v, want %q", c.event, err, c.want)
			}
			if !reflect.DeepEqual(got, c.state) {
				t.Errorf("%#v was refused and changed the state", c.event)
			}
		})
	}
}

// The latest place paid is the latest of all, in whatever order they were paid: what is known
// after it is late.
func TestWhatIsKnownAfterALaterHitIsLate(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 4})
	for box, place := range map[int]jackpot.Place{1: at(5, 0), 2: at(7, 0)} {
		s = after(t, s, jackpot.HandDealt{Hit: jackpot.HitID{Table: "A", Round: "1", Box: box}, Place: place})
	}
	for box := 1; box <= 2; box++ {
		h := jackpot.HitID{Table: "A", Round: "1", Box: box}
		s = after(t, s, jackpot.Confirm{Hit: h}, jackpot.Pay{Hit: h})
	}
	third := jackpot.HitID{Table: "A", Round: "1", Box: 3}
	s, e := only[jackpot.HitRegistered](t, s, jackpot.HandDealt{Hit: third, Place: at(6, 0)})
	if !e.Late {
		t.Error("a hit dealt before the latest that was paid is not late")
	}
	// Paying it makes no earlier place the latest.
	s = after(t, s, jackpot.Confirm{Hit: third}, jackpot.Pay{Hit: third})
	if _, e = only[jackpot.HitRegistered](t, s, jackpot.HandDealt{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 4}, Place: at(6, 1)}); !e.Late {
		t.Error("a hit dealt before the latest that was paid is not late once an earlier one was paid")
	}
}

// A payment that was collected again, or a hit that was forfeited, waits again where it was dealt.
func TestAHitIsReinstated(t *testing.T) {
	bets := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.Confirm{Hit: hitA})
	for name, s := range map[string]jackpot.State{
		"forfeited":       after(t, bets, jackpot.Forfeit{Hit: hitA, Cause: jackpot.ForfeitFolded}),
		"collected again": after(t, bets, jackpot.Pay{Hit: hitA}, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitHandInvalidated}),
	} {
		s = after(t, s, jackpot.Reinstate{Hit: hitA})
		if h, ok := s.Hit(hitA); !ok || h.Status != jackpot.StatusOpen || len(s.Queue()) != 1 {
			t.Errorf("%s: reinstated it is %+v, and %+v wait", name, h, s.Queue())
		}
		s, e := only[jackpot.HitPaid](t, after(t, s, jackpot.Confirm{Hit: hitA}), jackpot.Pay{Hit: hitA})
		if e.Amount != 110 {
			t.Errorf("%s: paid %s after all, want $1.10", name, e.Amount)
		}
		balance(t, s, 100, 0)
	}
}

// What stays on display while the system is down is never less than the meter, also where
// new terms reset that to more than was registered.
func TestTheRegisteredValueRisesWithTheReset(t *testing.T) {
	higher := small()
	higher.Reset = 150
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.ChangeTerms{Terms: higher, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two},
		jackpot.SystemDown{}, jackpot.Pay{Hit: hitA, KeepRegistered: true})
	if s.Displayed() != 150 || s.Meter != 150 {
		t.Errorf("$%s is displayed and $%s in the meter, want $1.50", s.Displayed(), s.Meter)
	}
}

// What comes back from a winner goes where it came from, as far as the meter holds it: never
// is the meter left below its reset value for that.
func TestACollectedPaymentLeavesTheResetValue(t *testing.T) {
	// 24 bets of 10 put 120 towards a ceiling of 200: the reserve has 20, and the reset of
	// 120 is 100 of the house and those 20.
	paid := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 24}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA})
	balance(t, paid, 120, 0)
	for _, c := range []struct {
		name                                 string
		correction                           money.Amount // of the meter, before the payment is collected
		toHouse, toReserve, meter, inReserve money.Amount
	}{
		{"nothing was corrected", 0, 100, 20, 200, 20},
		{"less in the meter", -50, 100, 20, 150, 20},                     // 120 - 50 + 200 = 270
		{"not enough for the reserve", -110, 100, 10, 100, 10},           // 120 - 110 + 200 = 210
		{"all that may be taken out of the meter", -119, 100, 1, 100, 1}, // 120 - 119 + 200 = 201
	} {
		s := paid
		if c.correction != 0 {
			s = after(t, s, jackpot.Adjust{Pot: jackpot.PotMeter, Change: c.correction, Cause: jackpot.AdjustMalfunction, Approvers: two})
		}
		s, e := only[jackpot.HitReversed](t, s, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitRoundVoided})
		if e.ResetToHouse != c.toHouse || e.ToReserve != c.toReserve {
			t.Errorf("%s: %s to the house and %s to the reserve, want %s and %s", c.name, e.ResetToHouse, e.ToReserve, c.toHouse, c.toReserve)
		}
		balance(t, s, c.meter, c.inReserve)
	}
	// A small jackpot that was corrected: 40 in the meter and 110 back make 150, of which 50
	// are more than the reset value.
	small := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)},
		jackpot.Confirm{Hit: hitA}, jackpot.Pay{Hit: hitA},
		jackpot.Adjust{Pot: jackpot.PotMeter, Change: -60, Cause: jackpot.AdjustMalfunction, Approvers: two})
	s, e := only[jackpot.HitReversed](t, small, jackpot.Reverse{Hit: hitA, Cause: jackpot.ForfeitRoundVoided})
	if e.ResetToHouse != 50 {
		t.Errorf("%s go back to the house, want 50 cents", e.ResetToHouse)
	}
	balance(t, s, 100, 0)
}

// Bets from before and after a payment that was collected again are given back together: what
// the first of them take from the reserve the others do not find there.
func TestBetsOnBothSidesOfACollectedPayment(t *testing.T) {
	for _, c := range []struct {
		name                    string
		reserve, correction     money.Amount // at the opening, and before the bets are returned
		fromReserve, fromMeter  money.Amount
		leavesMeter, leavesRest money.Amount
	}{
		// 80 cents of the other table's bets stay: 180 in the meter, and the reserve as opened.
		{"enough in the reserve", 500, 0, 30, 20, 180, 500},
		// The reserve lacks 5 of the 30 that went there, and the meter gives them.
		{"less in the reserve", 0, -5, 25, 25, 175, 0},
	} {
		s := after(t, jackpot.State{}, jackpot.Open{Terms: small(), FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100, Reserve: c.reserve})
		s = after(t, s, jackpot.Contribute{Round: roundA, Bets: 6}, jackpot.Contribute{Round: roundB, Bets: 16}, // 110: 10 of it above the ceiling
			jackpot.HandDealt{Hit: hitB, Place: at(5, 0)}, jackpot.Confirm{Hit: hitB}, jackpot.Pay{Hit: hitB},
			jackpot.Reverse{Hit: hitB, Cause: jackpot.ForfeitHandInvalidated},
			jackpot.Contribute{Round: roundA, Bets: 4}) // 20, all above the ceiling
		if c.correction != 0 {
			s = after(t, s, jackpot.Adjust{Pot: jackpot.PotReserve, Change: c.correction, Cause: jackpot.AdjustMalfunction, Approvers: two})
		}
		s, e := only[jackpot.ContributionsReversed](t, s, jackpot.ReverseContributions{Round: roundA, Bets: 10, Cause: jackpot.ReversedRoundVoided})
		if e.FromReserve != c.fromReserve || e.FromMeter != c.fromMeter || e.FromHouse != 0 {
			t.Errorf("%s: %s from the reserve, %s from the meter and %s from the house, want %s, %s and nothing",
				c.name, e.FromReserve, e.FromMeter, e.FromHouse, c.fromReserve, c.fromMeter)
		}
		balance(t, s, c.leavesMeter, c.leavesRest)
	}
}
