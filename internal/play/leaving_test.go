package play_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/play"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// threeHands deals box 1 a pair of Kings or, in pictures, nine points; box 2 a
// hand that loses, or three points; the dealer a Queen or one point.
func threeHands(book string) *world {
	w := with(book, pairOf(card.King), lower(card.Jack), highest(card.Queen))
	if book == "mbs-3pictures" {
		w = with(book, points(9, 1), points(3, 0), points(1, 1))
	}
	if foundHands[book] == nil {
		foundHands[book] = new(shuffle.Seed)
	}
	w.deals[0].found = foundHands[book]
	return w
}

var foundHands = map[string]*shuffle.Seed{}

// moment is a place in a round, with the moves that lead to it.
type moment struct {
	name, book string
	moves      []func(*play.Session) error
}

func moments(book string) []moment {
	var all []moment
	var moves []func(*play.Session) error
	add := func(name string, more ...func(*play.Session) error) {
		moves = append(moves, more...)
		all = append(all, moment{name, book, append([]func(*play.Session) error(nil), moves...)})
	}
	bet := func(box int) func(*play.Session) error {
		return func(s *play.Session) error { return s.Bet(box, play.Placed(s.Variant().Book)[0], 10*money.Major) }
	}
	add("one bet", bet(1))
	add("two bets", bet(2))
	add("dealt", (*play.Session).Deal)
	add("looked", func(s *play.Session) error { return s.Look(1) })
	if book == "mbs-3pictures" {
		add("laid up", func(s *play.Session) error { return s.LayUp(1) })
		return all
	}
	add("played", func(s *play.Session) error { return s.Play(1) })
	add("folded", func(s *play.Session) error { return s.Fold(2) })
	return all
}

func (m *moment) reach(t *testing.T, w *world) *play.Session {
	t.Helper()
	s := sit(t, w, m.book)
	for _, move := range m.moves {
		must(t, move(s))
	}
	return s
}

// What leaving costs at each moment. The sums are by hand: with Antes of 10 on
// both boxes, box 1 beats the dealer's Queen with its pair of Kings (+10 Ante, +10
// Play) and box 2 loses to it; a fold loses the Ante, whatever the hand. In
// pictures box 1 (nine) wins 10 and box 2 (three against one) wins 10.
func TestLeavingIsWalkingAway(t *testing.T) {
	const both, fold = 20 * money.Major, -10 * money.Major
	want := map[string]struct {
		net     money.Amount
		warns   []string
		clauses []string
	}{
		"rws-3cp dealt":  {2 * fold, []string{"$20.00 is at stake", "boxes 1 and 2 are folded", "$20.00 on them is lost", "(rws-3cp@3 5.5)"}, []string{"(rws-3cp@3 5.5)"}},
		"rws-3cp looked": {2 * fold, []string{"$20.00 is at stake", "(rws-3cp@3 5.5)"}, []string{"(rws-3cp@3 5.5)"}},
		"rws-3cp played": {both + fold, []string{"$30.00 is at stake", "box 2 is folded", "$10.00 on it is lost", "The other $20.00 is settled"}, []string{"(rws-3cp@3 5.5)"}},
		"rws-3cp folded": {both + fold, []string{"$30.00 is at stake", "nothing left to decide", "(rws-3cp@3 5.6)"}, []string{"(rws-3cp@3 5.6)"}},
		"us-3cp dealt":   {2 * fold, []string{"$20.00 is at stake", "(us-3cp rules.3)"}, []string{"(us-3cp rules.3)"}},
		"us-3cp looked":  {2 * fold, []string{"$20.00 is at stake", "(us-3cp rules.3)"}, []string{"(us-3cp rules.3)"}},
		"us-3cp played":  {both + fold, []string{"box 2 is folded", "(us-3cp rules.3)"}, []string{"(us-3cp rules.3)"}},
		"us-3cp folded":  {both + fold, []string{"nothing left to decide"}, []string{"(us-3cp rules.3)"}},
		"sm-3cp dealt":   {2 * fold, []string{"$20.00 is at stake", "(sm-3cp ways.1)"}, []string{"(sm-3cp ways.1)"}},
		"sm-3cp looked":  {2 * fold, []string{"$20.00 is at stake", "(sm-3cp ways.1)"}, []string{"(sm-3cp ways.1)"}},
		"sm-3cp played":  {both + fold, []string{"box 2 is folded", "(sm-3cp ways.1)"}, []string{"(sm-3cp ways.1)"}},
		"sm-3cp folded":  {both + fold, []string{"nothing left to decide"}, []string{"(sm-3cp ways.1)"}},
		// This book knows no fold.
		"mbs-3pictures dealt":   {both, []string{"$20.00 is at stake", "hands are opened", "(mbs-3pictures@2 3.14)"}, []string{"(mbs-3pictures@2 3.14)"}},
		"mbs-3pictures looked":  {both, []string{"hands are opened"}, []string{"(mbs-3pictures@2 3.14)"}},
		"mbs-3pictures laid up": {both, []string{"hands are opened"}, []string{"(mbs-3pictures@2 3.14)"}},
	}
	tried := 0
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		for _, m := range moments(book) {
			t.Run(book+" "+m.name, func(t *testing.T) {
				w := threeHands(book)
				s := m.reach(t, w)
				left := s.IfLeft()
				notes, err := s.Leave()
				must(t, err)
				said := strings.Join(notes, "\n")
				if s.Phase().InRound() && s.Phase() != table.Betting || s.Staked() != 0 {
					t.Fatalf("left with %s on the table", s.Staked())
				}
				expected, dealt := want[book+" "+m.name]
				if !dealt {
					if !left.Free || s.Balance() != 100_000 || len(history(t, s)) != 0 || !strings.Contains(said, "taken back") {
						t.Errorf("before the deal: %+v, balance %s: %s", left, s.Balance(), said)
					}
					return
				}
				tried++
				for _, part := range expected.warns {
					if left.Free || left.Waits || !strings.Contains(left.Words, part) {
						t.Errorf("%q is not in the warning %+v", part, left)
					}
				}
				for _, part := range expected.clauses {
					if !strings.Contains(said, part) {
						t.Errorf("%q is not in\n%s", part, said)
					}
				}
				last := history(t, s)[0]
				if last.Ended != "settled" || !last.Left || last.Net != expected.net || s.Balance() != 100_000+expected.net {
					t.Errorf("%s, left %t, net %s, want %s:\n%s", last.Ended, last.Left, last.Net, expected.net, said)
				}
			})
		}
	}
	if tried != len(want) {
		t.Errorf("%d moments of %d were tried", tried, len(want))
	}
}

// The Progressive bet of a hand that is left is lost, and its part stays in the
// meter.
func TestLeavingKeepsTheContribution(t *testing.T) {
	s := sit(t, &world{}, "rws-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Look(1))
	_, err := s.Leave()
	must(t, err)
	if meter, _ := s.Meter(); meter != 1_000_200 || s.Balance() != 99_000 {
		t.Errorf("meter %s, balance %s", meter, s.Balance())
	}
}

// Where the house has ruled that a table waits for an absent player, leaving
// leaves the round as it is.
func TestTheTableWaits(t *testing.T) {
	for _, book := range []string{"us-3cp", "sm-3cp"} {
		t.Run(book, func(t *testing.T) {
			v, err := play.Game{Book: book}.Variant()
			must(t, err)
			v.ID, v.Choices[rules.AbsentPlayer] = "patient", rules.WaitForPlayer
			must(t, v.Check())
			w := with(book, pairOf(card.King), highest(card.Seven))
			h := w.host()
			h.Variant = v
			s := begin(t, h)
			must(t, s.Sit(book, ""), s.Bet(1, rules.Ante, 1000), s.Deal(), s.Look(1))
			if left := s.IfLeft(); !left.Waits || left.Free || !strings.Contains(left.Words, "$10.00 is at stake. The table waits") {
				t.Errorf("%+v", left)
			}
			notes, err := s.Leave()
			if err != nil || !strings.Contains(strings.Join(notes, " "), "stays as it is, with $10.00 at stake") {
				t.Errorf("%q, %v", notes, err)
			}
			s, _ = again(t, w)
			must(t, s.Play(1))
			// With nothing left to decide there is nothing to wait for.
			if left := s.IfLeft(); left.Waits {
				t.Errorf("%+v", left)
			}
			_, err = s.Leave()
			must(t, err)
			// The dealer does not qualify with a Seven: the Ante wins 10, the Play bet is
			// returned.
			if s.Net() != 1000 || s.Staked() != 0 || s.Balance() != 101_000 {
				t.Errorf("net %s, balance %s", s.Net(), s.Balance())
			}
		})
	}
}

// Whatever the moment, the next start has the same cards, bets and decisions: the
// new session has other seeds, and none of them is used.
func TestRoundsGoOn(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		for _, m := range moments(book) {
			t.Run(book+" "+m.name, func(t *testing.T) {
				finish := func(s *play.Session) play.Summary {
					t.Helper()
					if s.Phase() == table.Betting {
						must(t, s.Deal())
					}
					if s.Variant().Book.Decision == nil {
						for box := 1; box <= 2; box++ {
							if s.May(table.LayUp{Box: box}) {
								must(t, s.LayUp(box))
							}
						}
					}
					for box := 1; box <= 2; box++ {
						if s.May(table.Fold{Box: box, Player: play.Player}) {
							must(t, s.Play(box))
						}
					}
					must(t, s.Reveal())
					return history(t, s)[0]
				}
				want := finish(m.reach(t, threeHands(book)))
				w := threeHands(book)
				s := m.reach(t, w)
				balance, staked, picture, said := s.Balance(), s.Staked(), s.Picture(), s.Said()
				s, notes := again(t, w)
				if s.Balance() != balance || s.Staked() != staked || !reflect.DeepEqual(s.Picture(), picture) || !reflect.DeepEqual(s.Said(), said) {
					t.Fatalf("taken up as\n%+v\nand left as\n%+v", s.Picture(), picture)
				}
				if words := strings.Join(notes, " "); !strings.Contains(words, "goes on where it stood") || !strings.Contains(words, "$"+s.Staked().Display()) {
					t.Errorf("said: %s", words)
				}
				if got := finish(s); !reflect.DeepEqual(got, want) {
					t.Errorf("it ended as %+v, and without the kill as %+v", got, want)
				}
				if len(w.records) != 1 {
					t.Error("the round has no record")
				}
			})
		}
	}
}

// A stop in the middle of what the dealer does, such as between the closing of the bets
// and the deal, is gone on from.
func TestStopsOfTheDealer(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		var before []string
		for stopAfter := 0; ; stopAfter++ {
			w := threeHands(book)
			s := sit(t, w, book)
			must(t, s.Bet(1, s.Wagers()[0], 1000))
			writes := 0
			w.written = func() { writes++; w.fail = writes > stopAfter }
			err := s.Deal()
			for err == nil && s.May(table.Fold{Box: 1, Player: play.Player}) {
				err = s.Play(1)
			}
			if err == nil {
				err = s.Reveal()
			}
			w.written, w.fail = nil, false
			if err == nil && stopAfter > 0 {
				break
			}
			s, _ = again(t, w)
			if s.Phase() == table.Betting {
				must(t, s.Deal())
			}
			if s.May(table.Fold{Box: 1, Player: play.Player}) {
				must(t, s.Play(1))
			}
			if s.Phase() == table.Deciding {
				must(t, s.Reveal())
			}
			past := history(t, s)
			if len(past) != 1 || len(w.records) != 1 {
				t.Fatalf("%s, stopped after %d writes: %+v", book, stopAfter, past)
			}
			if before = append(before, fmt.Sprintf("%+v", past[0])); before[0] != before[stopAfter] {
				t.Errorf("%s, stopped after %d writes, it ended as\n%s\nwant\n%s", book, stopAfter, before[stopAfter], before[0])
			}
		}
		if len(before) < 4 {
			t.Errorf("%s: stopped at %d places", book, len(before))
		}
	}
}

// Being killed again and again changes nothing either.
func TestRoundsGoOnAndOn(t *testing.T) {
	w := threeHands("rws-3cp")
	s := sit(t, w, "rws-3cp")
	for _, move := range moments("rws-3cp")[5].moves {
		must(t, move(s))
		s, _ = again(t, w)
	}
	must(t, s.Reveal())
	if s.Net() != 1000 {
		t.Errorf("net %s", s.Net())
	}
}

// The cards of a hand that was not looked at are not in the picture of a round
// that goes on.
func TestRoundsGoOnFaceDown(t *testing.T) {
	w := threeHands("us-3cp")
	s := sit(t, w, "us-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(2, rules.Ante, 500), s.Deal(), s.Look(1))
	s, _ = again(t, w)
	p := s.Picture()
	if !p.Boxes[0].Cards[0].Valid() || p.Boxes[1].Cards[0] != card.None || p.Dealer[0] != card.None {
		t.Errorf("%+v", p)
	}
}

// Where an operator counts every stop as an interruption, the book decides how the round
// ends, and the money is where the book has it.
func TestStopsThatTheBookCounts(t *testing.T) {
	for book, want := range map[string]string{
		"rws-3cp": "void (rws-3cp@3 5.7.2)", "us-3cp": "void (us-3cp ", "mbs-3pictures": "goes on where it stood",
	} {
		t.Run(book, func(t *testing.T) {
			v, err := play.Game{Book: book}.Variant()
			must(t, err)
			v.ID, v.GraceMs = "strict", 0
			must(t, v.Check())
			w := &world{}
			h := w.host()
			h.Variant = v
			s := begin(t, h)
			must(t, s.Sit(book, ""), s.Bet(1, s.Wagers()[0], 1000))
			s, notes := again(t, w)
			if !strings.Contains(strings.Join(notes, " "), want) {
				t.Errorf("said: %q, want %q", notes, want)
			}
			if void := s.Phase() == table.Voided; void != (book != "mbs-3pictures") || void && s.Balance() != 100_000 || void && len(w.records) != 1 {
				t.Errorf("%s with %s", s.Phase(), s.Balance())
			}
			if s.Phase() == table.Betting {
				must(t, s.Deal(), s.Reveal())
			}
		})
	}
}
