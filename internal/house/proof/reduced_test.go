package proof_test

import (
	"testing"

	"trey/internal/house/proof"
	"trey/jackpot"
)

// TestReducedKeepsWhatAPaymentBringsBack holds that a payment can be collected again
// from the reduced jackpot as from the whole of it, where contributions had gone above
// the ceiling before the payment.
func TestReducedKeepsWhatAPaymentBringsBack(t *testing.T) {
	hit := jackpot.HitID{Table: "A", Round: "1", Box: 1}
	var s jackpot.State
	do := func(c jackpot.Command) {
		t.Helper()
		events, err := jackpot.Decide(s, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if s, err = jackpot.Evolve(s, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	terms := jackpot.Terms{Bet: 10, Reset: 100, Rate: jackpot.Rate{Num: 1, Den: 2}, Ceiling: 105, Overflow: jackpot.OverflowOnTop}
	do(jackpot.Open{Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: 100})
	// Twenty of the 25 contributed lie above the ceiling.
	do(jackpot.Contribute{Round: hit.RoundID(), Bets: 5})
	if s.OverflowSinceHit != 20 {
		t.Fatalf("%s overflowed, want 0.20", s.OverflowSinceHit)
	}
	do(jackpot.HandDealt{Hit: hit, Place: jackpot.Place{DealtAtMs: 1}})
	do(jackpot.Confirm{Hit: hit})
	do(jackpot.Pay{Hit: hit})
	reverse := jackpot.Reverse{Hit: hit, Cause: jackpot.ForfeitRoundVoided}
	for name, from := range map[string]jackpot.State{"whole": s, "reduced": proof.Reduced(s, "A"), "of another table": proof.Reduced(s, "B")} {
		events, err := jackpot.Decide(from, reverse)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after, err := jackpot.Evolve(from, events[0])
		if err != nil || after.OverflowSinceHit != 20 || after.Meter != 105 {
			t.Errorf("%s: %v, %s in the meter and %s overflowed", name, err, after.Meter, after.OverflowSinceHit)
		}
	}
}
