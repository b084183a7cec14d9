package rules_test

import (
	"testing"

	"trey/card"
	"trey/rules"
	"trey/rules/books"
)

// Each question of a book is found by its key, and no other.
func TestQuestionsAreFoundByTheirKey(t *testing.T) {
	for _, b := range books.All() {
		for q := range b.Questions() {
			if got := b.Question(q.Key); got == nil || got.Key != q.Key || got.Role != q.Role {
				t.Errorf("%s: the question %s is found as %+v", b.Ref(), q.Key, got)
			}
		}
		if got := b.Question("weather"); got != nil {
			t.Errorf("%s asks %+v", b.Ref(), got)
		}
	}
}

// A wager that wins and for whose hand no row of its table pays is not settled.
func TestAWinWithoutARowIsAnError(t *testing.T) {
	cards, err := card.ParseFaces("Qs 7c 2d Qh 7d 2s 4s 3c 2h")
	if err != nil {
		t.Fatal(err)
	}
	nine, other, points := card.Hand(cards[:3]), card.Hand(cards[3:6]), card.Hand(cards[6:])
	for _, tt := range []struct {
		w      rules.Wager
		player card.Hand
		dealer card.Hand
		fails  bool
	}{
		{rules.Tie, nine, other, true},
		{rules.Tie, nine, card.Hand(cards[:3]), true},
		{rules.Main, nine, handOf(t, "Ks 5d 3s"), true},
		{rules.Main, points, handOf(t, "Ks 6d 3s"), false},
	} {
		v := standard(t, "mbs-3pictures").Clone()
		v.Pays[tt.w] = &rules.PayTable{Rows: []rules.PayRow{{Combo: rules.SixPoints, Pay: rules.ToOne(1)}}}
		stakes := rules.Stakes{}
		stakes[rules.Main], stakes[tt.w] = 1000, 1000
		lines, err := v.Settle(nil, &rules.Showdown{Player: tt.player, Dealer: tt.dealer, Stakes: stakes})
		if (err != nil) != tt.fails {
			t.Errorf("%s on %s: %v, %v", tt.w, tt.player, lines, err)
		}
	}
}

func handOf(t *testing.T, text string) card.Hand {
	t.Helper()
	cards, err := card.ParseFaces(text)
	if err != nil {
		t.Fatal(err)
	}
	return card.Hand(cards)
}
