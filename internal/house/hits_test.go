package house_test

import (
	"slices"
	"testing"

	"trey/internal/house"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A paid hit names the combination that it was paid for, also where several of one pay table
// take the jackpot.
func TestAPaidHitNamesItsCombination(t *testing.T) {
	s := newSite(t)
	s.readTable(func(t *house.Table) {
		pays := *t.Variant.Pays[rules.Progressive]
		pays.Rows = slices.Clone(pays.Rows)
		for i := range pays.Rows {
			if pays.Rows[i].Combo == rules.AKQSuited {
				pays.Rows[i].Pay = rules.Pay{MeterPercent: 100}
			}
		}
		t.Variant.Pays[rules.Progressive] = &pays
	})
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	for box := 1; box <= 2; box++ {
		s.do("A", ann, ante(ann, box, 10*money.Major))
		s.do("A", ann, table.Bet{Box: box, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, dealOf(t, "As", "Ks", "Qs", "Ah", "Kh", "Qh", "2c", "5d", "9h"))
	for box := 1; box <= 2; box++ {
		s.do("A", ann, table.Raise{Box: box, Player: "ann"})
	}
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
	paid, err := s.PaidHits(ctx(), "linked")
	var got []rules.Combo
	for i := range paid {
		got = append(got, paid[i].Combo)
	}
	if want := []rules.Combo{rules.AKQSuited, rules.AKQSpades}; err != nil || !slices.Equal(got, want) {
		t.Errorf("paid for %v, %v, want %v", got, err, want)
	}
}
