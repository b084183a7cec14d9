package tables

import (
	"testing"

	"trey/money"
)

// TestCelebrationFollowsTheNet compares the sound of a result with what came back of the stake:
// none for a round that gave back the stake or less, and more for a larger win.
func TestCelebrationFollowsTheNet(t *testing.T) {
	for _, test := range []struct {
		net, staked money.Amount
		jackpot     bool
		want        string
	}{
		{-1, 100, false, ""},
		{0, 100, false, ""},
		{-1, 100, true, ""},
		{1, 100, false, "win-small"},
		{100, 100, false, "win-small"},
		{101, 100, false, "win-middle"},
		{500, 100, false, "win-middle"},
		{501, 100, false, "win-large"},
		{501, 100, true, "jackpot"},
		{1, 100, true, "jackpot"},
	} {
		if got := celebration(test.net, test.staked, test.jackpot); got != test.want {
			t.Errorf("a net of %d of %d, jackpot %t, sounds %q, want %q", test.net, test.staked, test.jackpot, got, test.want)
		}
	}
}
