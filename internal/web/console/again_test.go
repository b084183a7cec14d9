package console

import (
	"strings"
	"testing"

	"trey/rules"
	"trey/table"
)

// Bets that are placed once more by one press of a button have a key each, and the same key
// when the form comes again. That is so also where two people at one box have long names that
// begin alike.
func TestEachBetThatIsPlacedAgainHasItsKey(t *testing.T) {
	long := strings.Repeat("x", 60)
	keys := map[string]bool{}
	for _, base := range []string{"press", "another press", long + "1", long + "2"} {
		for _, bet := range []table.Bet{
			{Box: 1, Player: "bartholomew-smith-1", Wager: rules.Ante},
			{Box: 1, Player: "bartholomew-smith-2", Wager: rules.Ante},
			{Box: 1, Player: "bartholomew-smith-1", Wager: rules.PairPlus},
			{Box: 2, Player: "bartholomew-smith-1", Wager: rules.Ante},
		} {
			key := againKey(base, &bet)
			if keys[key] || key != againKey(base, &bet) {
				t.Errorf("%q, box %d, %s of %s: the key %q is used, or not the same each time", base, bet.Box, bet.Wager, bet.Player, key)
			}
			keys[key] = true
		}
	}
}
