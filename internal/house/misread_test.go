package house_test

import (
	"testing"

	"trey/internal/house/auditor"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A card by which a jackpot was paid was entered wrongly. Until the next round begins it
// is corrected, and the money with it: the record is proven and audited, also when it is
// opened again.
func TestACardIsCorrectedAfterThePayment(t *testing.T) {
	s := newSiteOnFile(t)
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.annPlays("As", "Ks", "Qs", "2c", "5d", "9h")
	// The Ante wins 10, its bonus 50, the meter pays 10,002, the Progressive stake stays.
	s.has("ann", 10_157*money.Major)
	s.do("A", dealer, table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.Box(1), Index: 3, Card: cards(t, "Jd")[0]}}})
	s.do("A", supervisor, table.Answer{Answer: "yes"})
	s.do("A", dealer, table.Settle{})
	// A-K-J wins the Ante against a dealer who does not qualify, and nothing else.
	s.has("ann", 105*money.Major)
	if state, _ := s.Jackpot("linked"); state.Meter != 10_002*money.Major {
		t.Errorf("the meter holds %s", state.Meter)
	}
	s.do("A", dealer, table.OpenBets{})
	for range 2 {
		if err := s.Audit(); err != nil {
			t.Error(err)
		}
		s.recount()
		s.proven("A", 1)
		a, err := auditor.Check(ctx(), s.store)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Findings() {
			t.Errorf("the auditor: %+v", f)
		}
		// No leaf commits to the round while it goes on again.
		verified, err := auditor.Run(ctx(), s.store, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range verified.Found {
			t.Errorf("the records of the round: %+v", f)
		}
		s.restart()
	}
}
