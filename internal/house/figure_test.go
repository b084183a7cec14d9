package house_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"trey/money"
	"trey/rules"
	"trey/table"
)

// The figure of the screen that a dealer gives with a settlement in which no hand takes the
// jackpot is the displayed one: every program proves it. Where the jackpot holds no bets of the
// round it has nothing to do with the settlement.
func TestAFigureGivenWithoutAHitIsProven(t *testing.T) {
	for _, wager := range []rules.Wager{rules.Progressive, rules.PairPlus} {
		t.Run(wager.Name(), func(t *testing.T) {
			s := newSite(t)
			s.readTable()
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: wager, Amount: 5 * money.Major})
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, dealOf(t, "Ac", "7s", "4h", "2c", "5d", "9h"))
			s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
			s.do("A", dealer, table.Reveal{})
			state, _ := s.Jackpot("linked")
			s.do("A", dealer, table.Settle{Meter: state.Displayed()})
			s.proven("A", 1)
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", wager)), s.record(1).Text, 0o600); err != nil {
				t.Fatal(err)
			}
			bySecondProgram(t, folder)
			byThePage(t, folder)
		})
	}
}
