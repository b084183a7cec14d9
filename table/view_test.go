package table_test

import (
	"slices"
	"testing"

	"trey/card"
	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/table"
)

// A player who has looked at a hand sees that hand, and nobody else sees any of it: not the
// next player, who sees their own, and not whoever only looks on.
func TestAnotherPlayersHandIsHidden(t *testing.T) {
	g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 4h 5s 9c Td Ks 8c 7d")) // ann, ben, the dealer
	hidden := []card.Card{card.None, card.None, card.None}
	sees := func(viewer string, ann, ben, dealer []card.Card) {
		t.Helper()
		p := table.View(g.s, table.Viewer{Player: viewer})
		if !slices.Equal(p.Boxes[0].Cards, ann) || !slices.Equal(p.Boxes[1].Cards, ben) || !slices.Equal(p.Dealer, dealer) {
			t.Errorf("%q sees %s of ann, %s of ben and %s of the dealer", viewer, p.Boxes[0].Cards, p.Boxes[1].Cards, p.Dealer)
		}
		// The name of a hand tells of it too.
		if named := p.Boxes[0].Rank != ""; named != slices.Equal(ann, handOf("2c 3d 4h")) {
			t.Errorf("%q reads that ann has %q", viewer, p.Boxes[0].Rank)
		}
	}
	for _, viewer := range []string{"ann", "ben", "dan", ""} {
		sees(viewer, hidden, hidden, hidden)
	}
	g.do("ann", table.Examine{Box: 1, Player: "ann"})
	sees("ann", handOf("2c 3d 4h"), hidden, hidden)
	for _, viewer := range []string{"ben", "dan", "sue", ""} {
		sees(viewer, hidden, hidden, hidden)
	}
	g.do("ben", table.Examine{Box: 2, Player: "ben"})
	sees("ann", handOf("2c 3d 4h"), hidden, hidden)
	sees("ben", hidden, handOf("5s 9c Td"), hidden)
	sees("", hidden, hidden, hidden)
}
