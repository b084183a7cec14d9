package tables

import (
	"testing"

	"trey/internal/house/access"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TestCelebrationFollowsTheNet compares the sound of a result with its return. There is none
// for a round that gave back the stake or less, and more for a larger win.
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

// TestOnlyALargeWinIsBig gives a reader two boxes. A box is marked as a large win where it
// brought more than five times its stake, the round is over and the reader has gained by it.
func TestOnlyALargeWinIsBig(t *testing.T) {
	for name, test := range map[string]struct {
		phase     table.Phase
		net, lost money.Amount
		want      bool
	}{
		"a large win":            {table.Paid, 501, 100, true},
		"five times the stake":   {table.Paid, 500, 100, false},
		"the round goes on":      {table.Showing, 501, 100, false},
		"as much is lost beside": {table.Paid, 501, 501, false},
	} {
		line := func(box int, player string, stake money.Amount) table.Line {
			return table.Line{Box: box, Player: player, Line: rules.Line{Stake: stake}}
		}
		v := view{
			reader:    reader{person: access.Person{Name: "ann"}},
			picture:   table.Picture{Phase: test.phase},
			heldLines: []table.Line{line(1, "ann", 100), line(2, "ann", test.lost), line(1, "bob", 1000)},
			heldNets:  []money.Amount{test.net, -test.lost, 9000},
		}
		if got := v.big(&seat{BoxPicture: table.BoxPicture{Box: 1}}); got != test.want {
			t.Errorf("%s: big is %t, want %t", name, got, test.want)
		}
		if v.big(&seat{BoxPicture: table.BoxPicture{Box: 2}}) {
			t.Errorf("%s: a box that lost is big", name)
		}
	}
}

// TestARowForTheRestIsNamed holds that the last row of a pay table names the hands that no row above
// it has, and that the only row names all.
func TestARowForTheRestIsNamed(t *testing.T) {
	p := lang.Printer{Language: lang.English}
	if alone, rest, named := rowWords(p, rules.AnyHand, 0), rowWords(p, rules.AnyHand, 1), rowWords(p, rules.Pair, 1); alone != "Any hand" || rest != "Any other hand" || named != "Pair" {
		t.Errorf("the rows read %q, %q and %q", alone, rest, named)
	}
}
