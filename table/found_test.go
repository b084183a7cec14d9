package table_test

import (
	"fmt"
	"reflect"
	"testing"

	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/table"
)

// TestChipsAfterTheCall holds in every book that chips laid down or taken away
// after the call change no stake, and that they are what a report of a late bet or
// of a late withdrawal makes of them.
func TestChipsAfterTheCall(t *testing.T) {
	for _, book := range books.All() {
		w := book.Wagers[0].Wager
		for _, lies := range []struct {
			now  int64
			want rules.Outcome
		}{{0, rules.Stands}, {999, rules.Stands}, {1000, 0}, {1001, rules.NotHonoured}, {90_000, rules.NotHonoured}} {
			g := play(t, book, rules.Shuffler, table.Read)
			g.bets("ann", "ben")
			g.do("dan", table.CloseBets{})
			found, before := table.Found{Box: 1, Player: "ann", Wager: w, Amount: money.Amount(lies.now)}, g.s
			events := g.do("dan", found)
			if got := g.s.Boxes[0].Bettors[0].Stakes[w]; got != 1000 {
				t.Errorf("%s: %d lies there, and the stake is %s", book.Ref(), lies.now, got)
			}
			report := table.Report{Incident: rules.LateBet, Box: 1, Player: "ann", Wager: w, Amount: money.Amount(lies.now - 1000)}
			switch lies.want {
			case 0:
				continue
			case rules.Stands:
				report.Incident, report.Amount = rules.LateWithdrawal, money.Amount(1000-lies.now)
			default:
			}
			reported, ok := events[0].(table.Reported)
			if !ok || reported.Outcome != lies.want {
				t.Errorf("%s: %d lies there: %#v", book.Ref(), lies.now, events)
			}
			same, err := table.Decide(before, table.Command{By: person("dan"), Do: report})
			if err != nil || !reflect.DeepEqual(same, events) {
				t.Errorf("%s: found so: %#v, reported so: %#v, %v", book.Ref(), events, same, err)
			}
		}
	}
}

// TestChipsOnNoAreaOfTheGame holds that chips said to lie on an area that the layout
// does not have are refused at any moment, also once the round is settled.
func TestChipsOnNoAreaOfTheGame(t *testing.T) {
	for _, book := range books.All() {
		g := play(t, book, rules.Shuffler, table.Read)
		refuse := func() {
			t.Helper()
			for w := rules.Ante; w <= rules.Envy+1; w++ {
				if book.Rule(w) == nil {
					g.refused("dan", table.Found{Box: 1, Player: "ann", Wager: w, Amount: 1000, AtCall: g.s.Phase == table.Dealing}, table.NoSuchWager)
					g.refused("dan", table.Found{Box: 1, Player: "ann", Wager: w}, table.NoSuchWager)
				}
			}
		}
		g.bets("ann")
		refuse()
		g.do("dan", table.CloseBets{})
		refuse()
		g.do("dan", dealt("2c 3d 5h 7s 8c Qd"))
		refuse()
		if book.Decision != nil {
			g.do("ann", table.Fold{Box: 1, Player: "ann"})
		}
		g.do("dan", table.Reveal{})
		refuse()
		g.do("dan", table.Settle{})
		refuse()
	}
}

// TestNobodyAloneChangesAStake holds that once a card has been seen no stake changes
// by the word of one person, whatever is stated by whom. It tries every statement.
func TestNobodyAloneChangesAStake(t *testing.T) {
	for _, book := range books.All() {
		g := play(t, book, rules.Shuffler, table.Read)
		g.bets("ann", "ben")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3d 5h 4s 8c 7d Ks 9h 6c"))
		g.do("ann", table.Examine{Box: 1, Player: "ann"})
		asked := map[rules.Wager]int{}
		for box := range 2 {
			for _, player := range []string{"ann", "ben"} {
				for i := range book.Wagers {
					for _, amount := range []money.Amount{0, 500, 999, 1000, 1001, 4000, 1_000_000} {
						for _, atCall := range []bool{false, true} {
							found := table.Found{Box: box + 1, Player: player, Wager: book.Wagers[i].Wager, Amount: amount, AtCall: atCall}
							if changesByTwo(t, g.s, found) {
								asked[found.Wager]++
							}
						}
					}
				}
			}
		}
		if main := book.Wagers[0].Wager; asked[main] == 0 || len(asked) < 2 {
			t.Errorf("%s: a second person was asked about %v", book.Ref(), asked)
		}
	}
}

// changesByTwo states what lies there, has a second person confirm it where one is
// asked for, and reports whether one was.
func changesByTwo(t *testing.T, s table.State, found table.Found) bool {
	t.Helper()
	book := s.Variant.Book
	_, next, err := table.Step(s, table.Command{By: table.Actor{Name: "dan", Role: rules.ShiftManager}, Do: found})
	if err != nil {
		return false
	}
	for i := range next.Boxes {
		if stakesOf(next.Boxes[i]) != stakesOf(s.Boxes[i]) {
			t.Fatalf("%s: %+v changed a stake", book.Ref(), found)
		}
	}
	if next.Question == nil {
		return false
	}
	again := table.Command{By: table.Actor{Name: "dan", Role: rules.ShiftManager}, Do: table.Answer{Answer: "yes"}}
	if _, err := table.Decide(next, again); err == nil {
		t.Fatalf("%s: dan confirms what dan has stated", book.Ref())
	}
	_, after, err := table.Step(next, table.Command{By: person("pat"), Do: table.Answer{Answer: "yes"}})
	b := after.Boxes[found.Box-1]
	if err != nil || after.Question != nil {
		t.Fatalf("%s: %v", book.Ref(), err)
	}
	for k := range b.Bettors {
		// What lies outside the limits goes back, where the book does not say otherwise.
		want, limit := found.Amount, s.Variant.Limits[found.Wager]
		if book.Bets.OverAfter == "" && limit.Max > 0 {
			want = min(want, limit.Max)
		}
		if book.Bets.UnderAfter == "" && want < limit.Min {
			want = 0
		}
		if b.Bettors[k].Player == found.Player && b.Bettors[k].Stakes[found.Wager] != want {
			t.Fatalf("%s: %+v was confirmed, and the stake is %s", book.Ref(), found, b.Bettors[k].Stakes[found.Wager])
		}
	}
	return true
}

// stakesOf writes what lies on a box.
func stakesOf(b *table.BoxState) (text string) {
	for i := range b.Bettors {
		if !b.Bettors[i].Stakes.None() {
			text += fmt.Sprint(b.Bettors[i].Player, b.Bettors[i].Stakes)
		}
	}
	return text
}

// TestNothingGoesOnUncounted holds that nobody can do anything that takes a round on
// while the number of cards is in doubt, at any point of it.
func TestNothingGoesOnUncounted(t *testing.T) {
	harmless := map[string]bool{"report": true, "restrict-player": true, "restrict-areas": true}
	for n := range 6 {
		g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read)
		g.bets("ann", "ben")
		steps := []func(){
			func() { g.do("dan", table.CloseBets{}) },
			func() { g.do("dan", dealt("2c 3d 5h 4s 8c 7d Ks 9h 6c")) },
			func() { g.do("dan", table.Reveal{}) },
			func() { g.do("dan", table.Settle{}) },
			func() { g.do("dan", table.OpenBets{}) },
		}
		for _, step := range steps[:n] {
			step()
		}
		g.do("dan", table.Report{Incident: rules.CountDoubted})
		counts := false
		for _, name := range []string{"ann", "dan", "sue"} {
			for _, do := range table.Legal(g.s, person(name)) {
				if kind := record.Actions.Name(do); !harmless[kind] {
					t.Errorf("%s: %s may %s", g.s.Phase, name, kind)
				}
				r, ok := do.(table.Report)
				counts = counts || ok && r.Incident == rules.DeckCount
			}
		}
		if !counts {
			t.Errorf("%s: nobody may report the count", g.s.Phase)
		}
		text, err := table.Snapshot(g.s)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := table.Restore(g.s.Variant, text); err != nil || !read.Counting {
			t.Errorf("%s: restored, the count is forgotten: %v", g.s.Phase, err)
		}
		g.do("dan", table.Report{Incident: rules.DeckCount, Count: 52})
		if len(table.Legal(g.s, person("dan"))) == 0 || g.s.Counting {
			t.Errorf("%s: it does not go on after the count", g.s.Phase)
		}
	}
}

// TestShownHandThatMoves holds that the cards of a moved hand stay as the table has
// seen them, and that Up says so of the box where they lie.
func TestShownHandThatMoves(t *testing.T) {
	for _, book := range []*rules.Book{mbs3pictures.Book(), rws3cp.Book()} {
		g := play(t, book, rules.Shuffler, table.Read)
		g.bets("ann", "ben")
		g.do("dan", table.CloseBets{})
		deal := dealt("2c 3d 5h 4s 8c 7d Ks 9h 6c")
		for i := range deal.Cards[:6] {
			deal.Cards[i].To = table.Box(2 - i/3)
		}
		g.do("dan", deal)
		hand := table.HandShown{Place: table.Box(2)}
		hand.Hand, _ = g.s.Hand(table.Box(2))
		moves := table.CardsMoved{}
		for i := range 6 {
			moves.Moves = append(moves.Moves, table.Move{Slot: i, To: table.Box(1 + i/3)})
		}
		after, err := table.Evolve(g.s, hand, moves)
		if err != nil {
			t.Fatal(err)
		}
		if !after.Boxes[0].Up || after.Boxes[1].Up {
			t.Errorf("%s: box 1 is up: %t, box 2: %t", book.Ref(), after.Boxes[0].Up, after.Boxes[1].Up)
		}
		picture := table.View(after, table.Viewer{})
		if !reflect.DeepEqual(picture.Boxes[0].Cards, hand.Hand[:]) || picture.Boxes[1].Rank != "" {
			t.Errorf("%s: a guest sees %v and %v", book.Ref(), picture.Boxes[0].Cards, picture.Boxes[1].Cards)
		}
		// Half a hand is none that was shown.
		after, err = table.Evolve(g.s, hand, table.CardsMoved{Moves: moves.Moves[:2]})
		if err != nil || after.Boxes[0].Up || after.Boxes[1].Up {
			t.Errorf("%s: half a hand lies up: %v", book.Ref(), err)
		}
	}
}
