package house_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A hand is invalidated, or its round is void, after it was paid the meter and the staff
// awarded more on the same wager. Each of them is collected, and the meter takes back its
// payment once.
func TestAnAwardBesideTheJackpotIsCollectedWithIt(t *testing.T) {
	for name, c := range map[string]struct {
		verifyFrom money.Amount
		answer     string
	}{
		"held, invalid": {1, "invalidate"}, "handed out, invalid": {0, "invalidate"}, "held, void": {1, "void"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.readTable(func(of *house.Table) {
				of.Variant.Jackpot.Reset = 100 * money.Major // the bet could have brought more than that
				of.VerifyFrom = c.verifyFrom
			})
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
			s.annPlays("As", "Ks", "Qs", "2c", "5d", "9h")
			for range 2 {
				s.do("A", dealer, table.Report{Incident: rules.Uncovered, Box: 1, Note: "a drink was spilled"})
				s.do("A", manager, table.Answer{Answer: "remedy", Remedies: []table.Remedy{
					{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 20 * money.Major, Reason: "for the wait"},
				}})
			}
			s.do("A", dealer, table.Report{Incident: rules.Uncovered, Box: 1, Note: "a card was marked"})
			s.do("A", manager, table.Answer{Answer: c.answer})
			s.has("ann", 100*money.Major)
			if held := s.Balance(ledger.Account{Kind: ledger.Payable, Of: "linked"}); held != 0 {
				t.Errorf("%s is still held", held)
			}
			if meter, _ := s.Jackpot("linked"); meter.Meter != 100*money.Major {
				t.Errorf("the meter shows %s", meter.Meter)
			}
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
			s.do("A", dealer, table.OpenBets{})
			s.verified("A", 1, variant(t, "rws-3cp").Book)
		})
	}
}
