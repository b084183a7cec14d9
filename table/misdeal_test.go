package table_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/record"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
	"trey/table"
)

// TestTheWordDoesNotDecide holds that where the cards lie decides what a wrong deal
// leads to: for random misdeals in every book and phase, every report that fits
// the cards gives the same outcome, clause, money and cards.
func TestTheWordDoesNotDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := wrongDeal(t)
		for _, lost := range []bool{false, true} {
			sameByEveryWord(t, s, lost)
		}
	})
}

// TestTheWordDoesNotDecideInAnyBook tries the property above on deals that are wrong in
// a known way: four cards on box 1 and two on box 2.
func TestTheWordDoesNotDecideInAnyBook(t *testing.T) {
	for _, book := range books.All() {
		for _, looked := range []bool{false, true} {
			for _, lost := range []bool{false, true} {
				g := play(t, book, rules.Shuffler, table.Read)
				g.bets("ann", "ben")
				g.do("dan", table.CloseBets{})
				deal := dealt("2c 3c 4c 5c 6c 7c 8c 9c Tc")
				deal.Cards[5].To = table.Box(1)
				g.do("dan", deal)
				g.do("dan", table.FinishDeal{})
				if looked {
					g.do("ann", table.Examine{Box: 1, Player: "ann"})
				}
				// The four words for any wrong deal but the burn card's, and the count of
				// each box.
				if fit, _ := sameByEveryWord(t, g.s, lost); fit != 5 {
					t.Errorf("%s, looked %t, order lost %t: %d reports fit, want 5", book.Ref(), looked, lost, fit)
				}
			}
		}
	}
}

// sameByEveryWord compares what the reports that fit the cards lead to. It returns how
// many fit, and the outcome and clause.
func sameByEveryWord(t rapid.TB, s table.State, orderLost bool) (fit int, outcome string) {
	first, word := "", ""
	fits := map[rules.Incident]bool{}
	for _, r := range words(&s, orderLost) {
		got, key := consequence(t, s, r)
		if got == "" {
			continue
		}
		fit++
		fits[r.Incident] = true
		if first == "" {
			first, word, outcome = got, fmt.Sprintf("%+v", r), key
		}
		if first != got {
			t.Fatalf("reported as\n%s\nit leads to\n%s\nand as\n%+v\nto\n%s", word, first, r, got)
		}
	}
	// A wrong deal is one by every general word.
	if wrong := len(fits) > 0 && !(len(fits) == 1 && fits[rules.DealingError]); wrong && !(fits[rules.Misdeal] && fits[rules.DealtIncorrectly] && fits[rules.DealingError]) {
		t.Fatalf("of the reports only %v fit", fits)
	}
	return fit, outcome
}

// wrongDeal draws a round into which cards were dealt by hand, some of them to the
// wrong place, and at which some players have looked.
func wrongDeal(t *rapid.T) table.State {
	s := anyTable(t)
	for s.Config.Cards == table.Virtual {
		s = anyTable(t)
	}
	step := func(by table.Actor, a table.Action) bool {
		_, next, err := table.Step(s, table.Command{By: by, AtMs: 1000, Do: a})
		if err == nil {
			s = next
		}
		return err == nil
	}
	dealer := table.Actor{Name: "dan", Role: rules.Dealer}
	step(dealer, table.OpenBets{})
	for i := range min(3, len(s.Boxes)) {
		name := []string{"ann", "ben", "cai"}[i]
		w := s.Variant.Book.Wagers[0].Wager
		step(table.Actor{Name: name, Role: rules.Player}, table.Bet{Box: i + 1, Player: name, Wager: w, Amount: max(1000, s.Variant.Limits[w].Min)})
	}
	step(dealer, table.CloseBets{})
	free := card.Deck().Cards()
	n := len(s.ToCome()) + rapid.IntRange(-1, 1).Draw(t, "too many")
	slip := rapid.IntRange(0, 3).Draw(t, "slip")
	for i := range n {
		d := table.Deal{Cards: []table.Drawn{{}}}
		if s.Config.Cards == table.Read {
			d.Cards[0].Card = free[i]
		}
		if i == 0 && rapid.IntRange(0, 3).Draw(t, "skip burn") == 0 && step(dealer, table.Deal{Cards: d.Cards, SkipBurn: true}) {
			continue
		}
		if slip > 0 && rapid.IntRange(0, n/slip).Draw(t, "wrong place") == 0 || len(s.ToCome()) == 0 {
			places := []table.Place{table.Box(1), table.Box(2), table.DealerHand}
			d.Cards[0].To = rapid.SampledFrom(places).Draw(t, "to")
		}
		step(dealer, d)
	}
	step(dealer, table.FinishDeal{})
	for i, name := range []string{"ann", "ben", "cai"}[:min(3, len(s.Boxes))] {
		if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
			step(table.Actor{Name: name, Role: rules.Player}, table.Examine{Box: i + 1, Player: name})
		}
	}
	return s
}

// words are all ways to report what is wrong with the deal.
func words(s *table.State, orderLost bool) []table.Report {
	all := []table.Report{
		{Incident: rules.Misdeal},
		{Incident: rules.DealtIncorrectly},
		{Incident: rules.DealingError},
		{Incident: rules.BurnMissed},
		{Incident: rules.WrongCount, Dealer: true},
	}
	for i := range s.Boxes {
		all = append(all, table.Report{Incident: rules.WrongCount, Box: i + 1})
	}
	for i := range all {
		all[i].OrderLost = orderLost
	}
	return all
}

// consequence is all that a report leads to but for its word, the facts being
// confirmed where that is asked; empty if the report does not fit.
func consequence(t rapid.TB, s table.State, r table.Report) (all, key string) {
	events, after, err := table.Step(s, table.Command{By: table.Actor{Name: "dan", Role: rules.Dealer}, AtMs: 2000, Do: r})
	if err != nil {
		return "", ""
	}
	if q := after.Question; q != nil && q.Key == table.ConfirmFacts {
		events, after, err = table.Step(after, table.Command{By: table.Actor{Name: "pat", Role: rules.PitSupervisor}, AtMs: 3000, Do: table.Answer{Answer: "yes"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range events {
		switch e := e.(type) {
		case table.Reported:
			key = e.Outcome.String() + " " + e.Clause
			all += key + fmt.Sprint(e.Boxes) + "\n"
			continue
		case table.QuestionAsked:
			all += e.Question.Key + e.Question.Clause + "\n"
			continue
		case table.QuestionAnswered:
			continue
		}
		written, err := record.TableEvents.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		all += written.Kind + string(written.Body) + "\n"
	}
	return all, key
}

// TestMisdealOfTheText holds what two or three clauses together say of the same
// cards: box 1 has four cards and box 2 two.
func TestMisdealOfTheText(t *testing.T) {
	tests := []struct {
		name      string
		looked    bool
		orderLost bool
		change    func(*rules.Variant)
		want      rules.Outcome
		clause    string
	}{
		// One moved card would put it right: 5.15 excludes itself, 5.10 what 5.8
		// describes, and 5.8.6 excepts whole hands only.
		{"unseen and restorable", false, false, nil, rules.Void, "5.8.6"},
		{"seen and restorable", true, false, nil, rules.OfferAffected, "5.10"},
		{"unseen and lost", false, true, nil, rules.Invalidate, "5.15"},
		{"unseen and lost, the round", false, true, func(v *rules.Variant) { v.Choices[rules.UnseenWrongCount] = rules.PerRound }, rules.Void, "5.8.6"},
		{"seen and lost, the ruling has no say", true, true, func(v *rules.Variant) { v.Choices[rules.UnseenWrongCount] = rules.PerRound }, rules.Invalidate, "5.15"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*rules.Variant) {}
			}
			g := play(t, rws3cp.Book(), rules.Shuffler, table.Read, change)
			g.bets("ann", "ben")
			g.do("dan", table.CloseBets{})
			deal := dealt("2c 3c 4c 5c 6c 7c 8c 9c Tc")
			deal.Cards[5].To = table.Box(1)
			g.do("dan", deal)
			g.do("dan", table.FinishDeal{})
			if test.looked {
				g.do("ann", table.Examine{Box: 1, Player: "ann"})
			}
			if fit, got := sameByEveryWord(t, g.s, test.orderLost); fit != 5 || got != test.want.String()+" "+test.clause {
				t.Errorf("%d reports lead to %s, want %s %s", fit, got, test.want, test.clause)
			}
		})
	}
}

// TestStatedCards holds how a statement changes the record: cards that lie
// elsewhere move, and one that the record lacks is added without its face.
func TestStatedCards(t *testing.T) {
	tests := []struct {
		name   string
		report table.Report
		want   map[table.Place]int
	}{
		{"a card of the neighbour", table.Report{Lies: []table.Lying{{At: table.Box(1), Count: 4}, {At: table.Box(2), Count: 2}}}, map[table.Place]int{1: 4, 2: 2, table.DealerHand: 3}},
		{"two stuck together", table.Report{Lies: []table.Lying{{At: table.Box(1), Count: 4}}}, map[table.Place]int{1: 4, 2: 3, table.DealerHand: 3}},
		{"one never dealt", table.Report{Lies: []table.Lying{{At: table.DealerHand, Count: 2}}}, map[table.Place]int{1: 3, 2: 3, table.DealerHand: 2, table.Out: 1}},
		{"whole hands swapped", table.Report{Lies: []table.Lying{{At: table.Box(1), Count: 3, Meant: table.Box(2)}, {At: table.Box(2), Count: 3, Meant: table.Box(1)}}}, map[table.Place]int{1: 3, 2: 3, table.DealerHand: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Unseen)
			g.bets("ann", "ben")
			g.do("dan", table.CloseBets{})
			g.do("dan", table.Deal{Cards: make([]table.Drawn, 9)})
			g.do("ann", table.Examine{Box: 1, Player: "ann"})
			before := g.s
			test.report.Incident = rules.DealtIncorrectly
			g.do("dan", test.report)
			if !reflect.DeepEqual(before.Slots, g.s.Slots) || g.s.Question == nil || g.s.Question.Key != table.ConfirmFacts {
				t.Fatal("the record changed before a second person said so")
			}
			g.refused("dan", table.Answer{Answer: "yes"}, table.NotPermitted)
			dan := table.Command{By: table.Actor{Name: "dan", Role: rules.PitManager}, Do: table.Answer{Answer: "yes"}}
			if _, err := table.Decide(g.s, dan); err == nil {
				t.Error("the reporter confirmed the report in a higher function")
			}
			denied := g.s
			g.do("pat", table.Answer{Answer: "yes"})
			got := map[table.Place]int{}
			for _, e := range g.cards() {
				got[e]++
			}
			if g.s.Phase.InRound() && !g.s.Boxes[0].Invalid && !reflect.DeepEqual(got, test.want) {
				t.Errorf("the cards lie %v, want %v", got, test.want)
			}
			_, after, err := table.Step(denied, table.Command{By: person("pat"), Do: table.Answer{Answer: "no"}})
			if err != nil || after.Question != nil || !reflect.DeepEqual(after.Slots, before.Slots) {
				t.Errorf("after a denial: %v, question %v", err, after.Question)
			}
		})
	}
}

// cards lists where each card of the round lies.
func (g *game) cards() []table.Place {
	var places []table.Place
	for _, c := range g.s.Slots {
		places = append(places, c.Place)
	}
	return places
}

// TestEmergencyPassesAnOpenQuestion holds that a round is voided although somebody
// has yet to answer, and that the question put aside comes back after one that is
// answered.
func TestEmergencyPassesAnOpenQuestion(t *testing.T) {
	for _, book := range []*rules.Book{rws3cp.Book(), mbs3pictures.Book(), us3cp.Book()} {
		g := play(t, book, rules.Shuffler, table.Read)
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
		g.do("ann", table.Examine{Box: 1, Player: "ann"})
		g.do("dan", table.Report{Incident: rules.Uncovered})
		g.refused("dan", table.Report{Incident: rules.LateBet, Box: 1, Player: "ann", Amount: 5}, table.QuestionOpen)
		g.do("dan", table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000})
		if g.s.Question.Key != table.ConfirmFacts {
			t.Fatalf("%s: the question is %s", book.Ref(), g.s.Question.Key)
		}
		g.refused("dan", table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000}, table.QuestionOpen)
		g.do("pat", table.Answer{Answer: "no"})
		if g.s.Question == nil || g.s.Question.Key != "resolve" {
			t.Errorf("%s: the first question did not come back: %v", book.Ref(), g.s.Question)
		}
		g.do("sue", table.Answer{Answer: "continue"})
		if g.s.Question != nil || !slices.Contains([]table.Phase{table.Deciding}, g.s.Phase) {
			t.Errorf("%s: %s with %v", book.Ref(), g.s.Phase, g.s.Question)
		}
	}
}

// A card on whose place the book has been applied is turned over as any other one is: by
// 5.12 the round goes on, and nobody may take bets back for it.
func TestACardThatLiesWrongIsTurnedOver(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shoe, table.Read)
	g.bets("ann", "ben", "cai")
	g.do("dan", table.CloseBets{})
	deal := dealt("2c 3c 4c 5c 6c")
	deal.Cards[1].To, deal.Cards[2].To = table.Box(2), table.Box(1)
	g.do("dan", deal)
	g.do("cai", table.Examine{Box: 3, Player: "cai"})
	g.do("dan", table.Report{Incident: rules.DealtIncorrectly, OrderLost: true})
	g.do("pat", table.Answer{Answer: "yes"})
	for box, player := range map[int]string{1: "ann", 2: "ben"} {
		g.do(player, table.Choose{Box: box, Player: player})
	}
	events := g.do("dan", table.Report{Incident: rules.CardExposed, Cards: []table.Exposed{{At: table.Box(1)}}})
	reported := events[1].(table.Reported)
	if reported.Outcome != rules.Continue || reported.Clause != "5.12" || len(g.s.Offers) > 0 {
		t.Errorf("the card that is turned over leads to %s by %s, and to options %+v", reported.Outcome, reported.Clause, g.s.Offers)
	}
	g.refused("dan", table.Report{Incident: rules.DealtIncorrectly}, table.AlreadyDone)
}
