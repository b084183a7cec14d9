package odds

import (
	"testing"

	"trey/rules"
	"trey/rules/books"
)

// A wager that no bet holds would have no house edge, and a contest that asks for more of the
// dealer's hand than the classes keep apart a wrong one.
func TestEveryWagerHasABet(t *testing.T) {
	for _, b := range books.All() {
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			if betOf[rule.Wager] == 0 {
				t.Errorf("%s: %s belongs to no bet: see bet.go", b.Ref(), rule.Wager)
			}
			switch rule.Contest {
			case rules.AgainstDealer, rules.OnHand, rules.Riding:
			case rules.EqualPoints:
				if b.Ranking != rules.PictureOrder {
					t.Errorf("%s: %s looks at points, which the classes of this order do not keep apart: see relation in deal.go", b.Ref(), rule.Wager)
				}
			default:
				t.Errorf("%s: %s has a contest that is not counted: see relation in deal.go", b.Ref(), rule.Wager)
			}
		}
	}
}
