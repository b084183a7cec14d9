package play_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/play"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// deckOfThree deals box 1 a pair of Kings or, in pictures, nine points; box 2 a
// hand that loses; the dealer Q-8-3 or one point.
const deckOfThree = "Kh Kd 9c 2h 4d 7c Qs 8d 3c"

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
				w := &world{decks: []string{deckOfThree}}
				s := m.reach(t, w)
				left := s.IfLeft()
				told, err := s.Leave()
				must(t, err)
				said := strings.Join(told, "\n")
				if w.kept.Journal != nil || s.Staked() != 0 {
					t.Fatalf("left with %s on the table", s.Staked())
				}
				expected, dealt := want[book+" "+m.name]
				if !dealt {
					if !left.Free || w.kept.Balance != 100_000 || len(w.kept.History) != 0 || !strings.Contains(said, "taken back") {
						t.Errorf("before the deal: %+v, balance %s: %s", left, w.kept.Balance, said)
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
				last := w.kept.History[0]
				if last.Ended != "settled" || !last.Left || last.Interrupted || last.Net != expected.net || w.kept.Balance != 100_000+expected.net {
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
	w := &world{decks: []string{deckOfThree}}
	s := sit(t, w, "rws-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Look(1))
	_, err := s.Leave()
	must(t, err)
	if meter, _ := s.Meter(); meter != 1_000_200 || s.Balance() != 99_000 || len(w.kept.Jackpot.Rounds) != 0 {
		t.Errorf("meter %s, balance %s, jackpot %+v", meter, s.Balance(), w.kept.Jackpot)
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
			w := &world{decks: []string{deckOfThree}}
			h := w.host()
			h.Variant = v
			s, _, err := play.Start(play.NewAccount(), h, 0)
			must(t, err, s.Sit(book, ""), s.Bet(1, rules.Ante, 1000), s.Deal(), s.Look(1))
			if left := s.IfLeft(); !left.Waits || left.Free || !strings.Contains(left.Words, "$10.00 is at stake. The table waits") {
				t.Errorf("%+v", left)
			}
			told, err := s.Leave()
			if err != nil || !strings.Contains(strings.Join(told, " "), "stays as it is, with $10.00 at stake") {
				t.Errorf("%q, %v", told, err)
			}
			next, _, err := play.Start(w.kept, (&world{}).host(), 0)
			must(t, err, next.Play(1), next.Reveal())
			// The dealer's 7-4-2 does not qualify: the Ante wins 10, the Play bet is
			// returned.
			if next.Net() != 1000 {
				t.Errorf("net %s", next.Net())
			}
			// With nothing left to decide there is nothing to wait for.
			s, _, err = play.Start(w.kept, w.host(), 0)
			must(t, err, s.Play(1))
			if left := s.IfLeft(); left.Waits {
				t.Errorf("%+v", left)
			}
			_, err = s.Leave()
			must(t, err)
			if w.kept.Journal != nil || w.kept.Balance != 101_000 {
				t.Errorf("balance %s", w.kept.Balance)
			}
		})
	}
}

// Whatever the moment, the next start has the same cards, bets and decisions: the
// new session has other decks, and none of them is touched.
func TestRoundsGoOn(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		for _, m := range moments(book) {
			t.Run(book+" "+m.name, func(t *testing.T) {
				w := &world{decks: []string{deckOfThree}}
				s := m.reach(t, w)
				lost, picture := w.kept, s.Picture()
				finish := func(s *play.Session) *play.Session {
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
					return s
				}
				next := &world{decks: []string{"2c 3c 4c 5c 6c 7c 8c 9c Tc"}}
				if s.Phase() == table.Betting {
					next.decks = []string{deckOfThree} // no card was drawn yet
				}
				again, told, err := play.Start(lost, next.host(), 0)
				must(t, err)
				if again.Balance() != s.Balance() || again.Staked() != s.Staked() || !reflect.DeepEqual(again.Picture(), picture) {
					t.Fatalf("taken up as\n%+v\nand left as\n%+v", again.Picture(), picture)
				}
				if words := strings.Join(told, " "); !strings.Contains(words, "goes on where it stood") || !strings.Contains(words, "$"+s.Staked().Display()) {
					t.Errorf("said: %s", words)
				}
				if next.writes != 0 {
					t.Errorf("%d writes at the start", next.writes)
				}
				dealt := s.Phase() != table.Betting
				finish(s)
				finish(again)
				if dealt && len(next.decks) != 1 {
					t.Error("cards were drawn anew")
				}
				was, is := w.kept.History[0], next.kept.History[0]
				if is.Net != was.Net || is.Left || is.Interrupted || !reflect.DeepEqual(is.Hands, was.Hands) || !reflect.DeepEqual(is.Lines, was.Lines) {
					t.Errorf("it ended as %+v, and without the kill as %+v", is, was)
				}
				if len(next.logs) != 1 {
					t.Error("the round has no log")
				}
			})
		}
	}
}

// Being killed again and again changes nothing either.
func TestRoundsGoOnAndOn(t *testing.T) {
	w := &world{decks: []string{deckOfThree}}
	s := sit(t, w, "rws-3cp")
	for _, move := range moments("rws-3cp")[5].moves {
		must(t, move(s))
		next := &world{decks: w.decks, now: w.now, kept: w.kept}
		var err error
		s, _, err = play.Start(w.kept, next.host(), 0)
		must(t, err)
		w = next
	}
	must(t, s.Reveal())
	if s.Net() != 1000 {
		t.Errorf("net %s", s.Net())
	}
}

// damages are ways in which a round in progress cannot be taken up again.
var damages = map[string]func(*play.Journal){
	"other rules":     func(j *play.Journal) { j.Rules = "0123456789abcdef" },
	"no such book":    func(j *play.Journal) { j.Book = "rws-4cp" },
	"no terms":        func(j *play.Journal) { j.Terms = "" },
	"a command gone":  func(j *play.Journal) { j.Commands = j.Commands[:2] },
	"a strange order": func(j *play.Journal) { j.Commands = append([]play.Entry{j.Commands[3]}, j.Commands...) },
	"not a command":   func(j *play.Journal) { j.Commands[0].Kind = "rob" },
	"too many others": func(j *play.Journal) { j.Others = 5 },
	"a void round": func(j *play.Journal) {
		j.Commands = append(j.Commands, play.Entry{By: table.Actor{Name: "Player", Role: rules.Player}, Kind: "raise", Do: []byte(`{"box":1,"player":"Player"}`)})
	},
}

// A round in progress that cannot be taken up is an error that changes nothing,
// and no way to have its bets back: given up, they are lost.
func TestRoundsThatCannotGoOn(t *testing.T) {
	w := &world{decks: []string{deckOfThree}}
	s := sit(t, w, "rws-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Fold(1))
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			a := w.kept
			j := *a.Journal
			j.Commands = append([]play.Entry(nil), j.Commands...)
			damage(&j)
			a.Journal = &j
			before, err := a.Encode()
			must(t, err)
			next := &world{}
			if _, _, err := play.Start(a, next.host(), 0); !errors.Is(err, play.ErrRound) || next.writes != 0 {
				t.Fatalf("%v after %d writes", err, next.writes)
			}
			after, err := a.Encode()
			must(t, err)
			if string(before) != string(after) {
				t.Fatal("the account was changed")
			}
			told := a.GiveUp(7)
			if a.Balance != 99_000 || a.Journal != nil || a.Jackpot.Meter != 1_000_000 || len(a.Jackpot.Rounds) != 0 || !strings.Contains(told[0], "$10.00 are lost") {
				t.Errorf("%q: balance %s, jackpot %+v", told, a.Balance, a.Jackpot)
			}
			if r := a.History[0]; r.Ended != play.GivenUp || r.Net != -1000 || r.Number != 1 {
				t.Errorf("recorded as %+v", r)
			}
			s, _, err := play.Start(a, next.host(), 0)
			must(t, err, s.Sit("rws-3cp", ""), s.Bet(1, rules.Ante, 500))
		})
	}
}

// A balance that the commands of the round do not lead to is not the round's.
func TestBalanceHasToFitTheRound(t *testing.T) {
	w := &world{}
	s := sit(t, w, "us-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Deal())
	a := w.kept
	a.Balance -= 100
	if _, _, err := play.Start(a, w.host(), 0); !errors.Is(err, play.ErrRound) || !strings.Contains(err.Error(), "994.00") {
		t.Errorf("taken up: %v", err)
	}
}

// A file of version 1 is read as it is, and written as version 2.
func TestVersionOneIsRead(t *testing.T) {
	a, err := play.DecodeAccount([]byte(`{"version":1,"balance":4200,"rounds":1,"history":[{"number":1,"book":"us-3cp","boxes":5,"at_ms":9,"ended":"void","interrupted":true,"net":0,"balance":4200}]}`))
	must(t, err)
	if a.Balance != 4200 || a.Version != 2 || !a.History[0].Interrupted {
		t.Errorf("%+v", a)
	}
	if words := strings.Join(play.RecordWords(&a.History[0]), " "); !strings.Contains(words, "It was interrupted. It was void.") {
		t.Error(words)
	}
}

// The cards of a hand that was not looked at are not in the picture of a round
// that goes on.
func TestRoundsGoOnFaceDown(t *testing.T) {
	w := &world{decks: []string{deckOfThree}}
	s := sit(t, w, "us-3cp")
	must(t, s.Bet(1, rules.Ante, 500), s.Bet(2, rules.Ante, 500), s.Deal(), s.Look(1))
	again, _, err := play.Start(w.kept, (&world{}).host(), 0)
	must(t, err)
	p := again.Picture()
	if p.Boxes[0].Cards[0] != card.New(card.King, card.Hearts) || p.Boxes[1].Cards[0] != card.None || p.Dealer[0] != card.None {
		t.Errorf("%+v", p)
	}
}
