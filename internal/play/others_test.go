package play_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/play"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// full sits down at a table whose other boxes are all taken.
func full(t testing.TB, w *world, book string, others int) *play.Session {
	t.Helper()
	h := w.host()
	h.Others = others
	s := begin(t, h)
	must(t, s.Sit(book, ""))
	return s
}

// The others sit at the last boxes and have bet before the player does; their
// boxes are theirs where the book says so, and none of their money is the player's.
func TestOthersAreAtTheTable(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			w := &world{}
			s := full(t, w, b.ID, 4)
			for i, box := range s.Picture().Boxes {
				name := s.OtherAt(i + 1)
				if (name != "") != (i > 0) || (len(box.Bettors) != 0) != (i > 0) {
					t.Fatalf("box %d is %q's: %+v", i+1, name, box.Bettors)
				}
				if i > 0 && (box.Bettors[0].Player != name || box.Bettors[0].Stakes[play.Placed(b)[0]] == 0) {
					t.Errorf("box %d: %+v", i+1, box.Bettors)
				}
			}
			if s.Staked() != 0 || s.Balance() != 100_000 || !s.IfLeft().Free {
				t.Errorf("staked %s, balance %s", s.Staked(), s.Balance())
			}
			if err := s.Deal(); err == nil || !strings.Contains(err.Error(), "no bet in this round") {
				t.Errorf("dealt without the player: %v", err)
			}
			err := s.Bet(3, play.Placed(b)[0], 500)
			if taken := err != nil; taken != (b.Boxes.PerArea == 1) {
				t.Errorf("a bet on another's box: %v", err)
			}
			if err == nil {
				must(t, s.TakeAllBack())
			}
			must(t, s.Bet(1, play.Placed(b)[0], 500))
			if len(s.Picture().Boxes[4].Cards) != 0 {
				t.Error("cards lie before the deal")
			}
			must(t, s.Deal())
			if b.Decision != nil {
				for _, box := range s.Picture().Boxes[1:] {
					if box.Decision != table.Undecided {
						t.Errorf("box %d has decided before the player", box.Box)
					}
				}
				must(t, s.Fold(1))
			}
			must(t, s.Reveal())
			r := history(t, s)[0]
			if len(r.Hands) != 5 || r.Hands[4].Player == "" || r.Hands[0].Player != "" || s.Balance() != 100_000+r.Net {
				t.Errorf("recorded as %+v", r)
			}
			if len(w.records) != 1 {
				t.Error("no record")
			}
			must(t, s.Next())
			if len(s.Picture().Boxes[1].Bettors) == 0 {
				t.Error("the others have left after one round")
			}
		})
	}
}

// The others play Q-6-4 and better and fold the rest, which is the published
// strategy for this game: against hands just above and below it.
func TestOthersPlayTheKnownStrategy(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp"} {
		for text, want := range map[string]table.Decision{
			"Q64": table.Played, "Q63": table.Folded, "Q54": table.Folded, "Q72": table.Played,
			"JT8": table.Folded, "223": table.Played, "K32": table.Played,
		} {
			t.Run(book+" "+text, func(t *testing.T) {
				w := with(book, anyHand, func(a, b, c card.Card) bool {
					n, suited := ranks(a, b, c)
					for _, r := range text {
						n[card.Rank(strings.IndexRune("23456789TJQKA", r))+card.Two]--
					}
					for _, left := range n {
						if left != 0 {
							return false
						}
					}
					return !suited
				})
				h := w.host()
				h.Others, h.Boxes = 1, 2
				s := begin(t, h)
				must(t, s.Sit(book, ""), s.Bet(1, rules.Ante, 500), s.Deal(), s.Play(1))
				if got := s.Picture().Boxes[1].Decision; got != want {
					t.Errorf("%s, want %s", got, want)
				}
				must(t, s.Reveal())
			})
		}
	}
}

// Another player's hand brings the player an Envy Bonus, and the player's hand
// brings one to the others who have a bonus bet.
func TestEnvyIsSeen(t *testing.T) {
	bring := func(after int, hands ...func(a, b, c card.Card) bool) *play.Session {
		var found shuffle.Seed           // looked for once
		for chance := range uint64(40) { // until the other has a bonus bet
			w := with("sm-3cp", hands...)
			w.chance, w.deals[0].found, w.deals[0].after = chance, &found, after
			h := w.host()
			h.Others, h.Boxes = 1, 2
			s := begin(t, h)
			must(t, s.Sit("sm-3cp", ""))
			if s.Picture().Boxes[1].Bettors[0].Stakes[rules.Bonus] != 0 {
				return s
			}
		}
		t.Fatal("nobody bets on the bonus")
		return nil
	}
	envy := func(s *play.Session, player string) (sum money.Amount) {
		for _, l := range s.Lines() {
			if l.Player == player && l.Wager == rules.Envy {
				sum += l.Pays
			}
		}
		return sum
	}
	// Ann at box 2 has the mini royal, A-K-Q of one suit.
	s := bring(178_301, lower(card.Ace), royal, lower(card.Queen))
	name := s.OtherAt(2)
	want := s.Variant().Pays[rules.Bonus].Rows[0].Envy
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Bonus, 100), s.Deal(), s.Play(1), s.Reveal())
	if want == 0 || envy(s, play.Player) != want || envy(s, name) != 0 {
		t.Errorf("envy %s and %s, want %s for the player", envy(s, play.Player), envy(s, name), want)
	}
	// Of bets of 5, 5 and 1 the Bonus is lost. The dealer does not qualify without a Queen:
	// the Ante wins, and the Play bet is returned.
	if s.Net() != want+500-100 {
		t.Errorf("net %s", s.Net())
	}
	s = bring(82_976, royal, anyHand, lower(card.Queen))
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Bonus, 100), s.Deal(), s.Play(1), s.Reveal())
	if envy(s, play.Player) != 0 || envy(s, s.OtherAt(2)) != want {
		t.Errorf("envy %s and %s, want %s for the other", envy(s, play.Player), envy(s, s.OtherAt(2)), want)
	}
}

// The same number gives the same bets of the others, another number others.
func TestOthersFollowFromTheSeed(t *testing.T) {
	bets := func(chance uint64) string {
		w := &world{chance: chance}
		s := full(t, w, "rws-3cp", 4)
		all := ""
		for range 3 {
			must(t, s.Bet(1, rules.Ante, 500))
			for _, box := range s.Picture().Boxes[1:] {
				all += fmt.Sprintf("%d %v; ", box.Box, box.Bettors)
			}
			must(t, s.Deal(), s.Fold(1), s.Reveal(), s.Next())
		}
		return all
	}
	first, again, other := bets(1), bets(1), bets(2)
	if first != again || first == other {
		t.Errorf("with 1: %s\nwith 1 again: %s\nwith 2: %s", first, again, other)
	}
}

// A round with others goes on like any other, and a table that goes on keeps its
// others when nobody asks for them.
func TestRoundsWithOthersGoOn(t *testing.T) {
	for _, b := range books.All() {
		w := &world{}
		s := full(t, w, b.ID, 3)
		must(t, s.Bet(1, play.Placed(b)[0], 500), s.Deal())
		calm := &world{}
		complete := full(t, calm, b.ID, 3)
		must(t, complete.Bet(1, play.Placed(b)[0], 500), complete.Deal())
		s, _ = again(t, w)
		for _, s := range []*play.Session{s, complete} {
			if b.Decision != nil {
				must(t, s.Play(1))
			}
			must(t, s.Reveal())
		}
		if got, was := history(t, s), history(t, complete); !reflect.DeepEqual(got, was) {
			t.Errorf("%s: it ended as %+v, and without the kill as %+v", b.ID, got, was)
		}
		must(t, s.Next())
		if s.OtherAt(5) == "" || len(s.Picture().Boxes[4].Bettors) == 0 {
			t.Errorf("%s: the others are gone", b.ID)
		}
	}
}

// Bets that others made when the program was killed before the player bet are taken back.
func TestOthersComeAnew(t *testing.T) {
	w := &world{}
	full(t, w, "us-3cp", 4)
	s, notes := again(t, w)
	must(t, s.Sit("us-3cp", ""))
	if len(notes) != 0 || s.Round() != 1 {
		t.Errorf("round %d, %q", s.Round(), notes)
	}
	for _, box := range s.Picture().Boxes {
		if len(box.Bettors) != 0 {
			t.Errorf("box %d: %+v", box.Box, box.Bettors)
		}
	}
}

// The fewer boxes a table has, the fewer others; a variant's table has its own
// number of boxes.
func TestOthersLeaveABox(t *testing.T) {
	for boxes, want := range map[int]int{1: 0, 2: 1, 8: 7, 16: 7} {
		h := (&world{}).host()
		h.Others, h.Boxes = 15, boxes
		s := begin(t, h)
		must(t, s.Sit("mbs-3pictures", ""))
		if got := sitting(s); got != want {
			t.Errorf("%d boxes: %d others, want %d", boxes, got, want)
		}
	}
	h := (&world{}).host()
	h.Others, h.Variant = 4, operators(t)
	s := begin(t, h)
	must(t, s.Sit("rws-3cp", ""), s.Bet(1, rules.Ante, 500), s.Deal(), s.Fold(1), s.Reveal())
	if sitting(s) != 2 {
		t.Errorf("%d others at three boxes", sitting(s))
	}
}

// sitting counts the other players at the table.
func sitting(s *play.Session) (n int) {
	for box := range s.Picture().Boxes {
		if s.OtherAt(box+1) != "" {
			n++
		}
	}
	return n
}

// Leaving a full table settles everybody, and the record of it is proven.
func TestFullTablesAreLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books.All()
		b := all[rapid.IntRange(0, len(all)-1).Draw(t, "book")]
		w := &world{seeds: shuffle.Numbered(rapid.Uint64().Draw(t, "seed")), chance: rapid.Uint64().Draw(t, "chance")}
		h := w.host()
		h.Others = rapid.IntRange(1, 4).Draw(t, "others")
		s, _, err := play.Start(h)
		if err == nil {
			err = s.Sit(b.ID, "")
		}
		if err == nil {
			err = s.Bet(1, play.Placed(b)[0], 500)
		}
		if err == nil {
			err = s.Deal()
		}
		if err != nil {
			t.Fatal(err)
		}
		look := rapid.Bool().Draw(t, "look")
		if look && s.Look(1) != nil {
			t.Fatal("not looked")
		}
		if _, err := s.Leave(); err != nil {
			t.Fatal(err)
		}
		past, err := s.History()
		if err != nil || len(past) != 1 {
			t.Fatal(past, err)
		}
		r := past[0]
		if s.Staked() != 0 || len(w.records) != 1 || !r.Left || b.Decision != nil && r.Net != -500 {
			t.Fatalf("left as %+v", r)
		}
		// Nobody's hand but the player's own is known that was folded unseen.
		for _, hand := range r.Hands[1:] {
			if hand.Decision == table.Folded.String() && hand.Cards[0] != card.None && hand.Rank == "" {
				t.Fatalf("a folded hand is half known: %+v", hand)
			}
		}
	})
}
