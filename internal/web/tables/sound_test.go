package tables

import (
	"testing"

	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
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

// TestARowForTheRestSaysSo holds that the last row of a pay table names the hands that no row above
// it has, and that the only row names all.
func TestARowForTheRestSaysSo(t *testing.T) {
	p := lang.Printer{Language: lang.English}
	if alone, rest, named := rowWords(p, rules.AnyHand, 0), rowWords(p, rules.AnyHand, 1), rowWords(p, rules.Pair, 1); alone != "Any hand" || rest != "Any other hand" || named != "Pair" {
		t.Errorf("the rows read %q, %q and %q", alone, rest, named)
	}
}
