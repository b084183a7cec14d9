package house_test

import (
	"testing"

	"trey/internal/house/protection"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A card that was entered wrongly is corrected after the settlement: what was lost stands off. The
// stakes were played, however they came back, and a limit counts them.
func TestALossThatBecomesAStandOffWasPlayed(t *testing.T) {
	for _, pairPlus := range []money.Amount{0, 5 * money.Major} {
		s := newSite(t)
		s.readTable()
		s.buyIn("ann", 100*money.Major)
		if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
			t.Fatal(err)
		}
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		if pairPlus > 0 {
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: pairPlus})
		}
		s.annPlays("2h", "2c", "5s", "Td", "Th", "5d")
		s.has("ann", 80*money.Major+pairPlus)
		// Each hand has K-9-5.
		report := table.Report{Incident: rules.CardMisread}
		for i, c := range cards(t, "Kh", "9c", "Kd", "9h") {
			at := []table.Place{table.Box(1), table.DealerHand}[i/2]
			report.Cards = append(report.Cards, table.Exposed{At: at, Index: i%2 + 1, Card: c})
		}
		s.do("A", dealer, report)
		s.do("A", supervisor, table.Answer{Answer: "yes"})
		s.do("A", dealer, table.Settle{})
		s.has("ann", 100*money.Major-pairPlus)
		for range 2 {
			p, err := s.Protection(ctx(), "ann")
			if used := p.Used[protection.Key{Kind: protection.Stake, Period: protection.Day}]; err != nil || used != int64(20*money.Major+pairPlus) {
				t.Errorf("with %s on Pair Plus, %s of 50.00 is used, %v", pairPlus, money.Amount(used), err)
			}
			s.restart()
		}
	}
}
