package table_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/rules/sm3cp"
	"trey/rules/us3cp"
	"trey/table"
)

// Every kind of remedy takes a second person once a card has been examined or
// exposed, and none before.
func TestARemedyTakesASecondPerson(t *testing.T) {
	for _, kind := range table.RemedyKinds() {
		for _, looked := range []bool{false, true} {
			book, report := rws3cp.Book(), table.Report{Incident: rules.Uncovered}
			if kind == table.KeepFirstThree {
				// Of a hand of four rws-3cp decides, and sm-3cp does not.
				book, report = sm3cp.Book(), table.Report{Incident: rules.WrongCount, Box: 1}
			}
			g := play(t, book, rules.Shuffler, table.Read)
			g.bets("ann", "ben")
			rem := table.Remedy{Do: kind, Box: 1, Reason: "as agreed"}
			g.do("dan", table.CloseBets{})
			cards := card.Deck().Cards()
			at := func(places ...table.Place) {
				deal := table.Deal{}
				for _, p := range places {
					deal.Cards = append(deal.Cards, table.Drawn{Card: cards[0], To: p})
					cards = cards[1:]
				}
				g.do("dan", deal)
			}
			places := []table.Place{1, 1, 1, 2, 2, 2, table.DealerHand, table.DealerHand, table.DealerHand}
			if kind == table.KeepFirstThree {
				places = append(places, 1)
			}
			at(places...)
			switch kind {
			case table.ReturnStake:
				rem.Player, rem.Wager = "ann", rules.Ante
			case table.InvalidateHand, table.KeepFirstThree:
			case table.RestoreDecision:
				g.do("ann", table.Fold{Box: 1, Player: "ann"})
			case table.AwardAmount, table.CollectAmount:
				rem.Player, rem.Wager, rem.Amount = "ann", rules.Ante, money.Minor
				if !looked {
					continue // A settled round has shown its cards.
				}
				g.do("ann", table.Raise{Box: 1, Player: "ann"})
				g.do("ben", table.Raise{Box: 2, Player: "ben"})
				g.do("dan", table.Reveal{})
				g.do("dan", table.Settle{})
				if kind == table.AwardAmount {
					// The hand lost, or its Ante could bring no more.
					if g.net("ann") > 0 {
						rem.Player, rem.Box = "ben", 2
					}
				} else if g.net("ann") <= 0 {
					rem.Player, rem.Box = "ben", 2
				}
			}
			if looked && kind != table.AwardAmount && kind != table.CollectAmount {
				g.do("ben", table.Examine{Box: 2, Player: "ben"})
			}
			g.do("sue", report)
			answer := table.Answer{Answer: "remedy", Remedies: []table.Remedy{rem}}
			if looked {
				// Sue decides, and may be the only one there who can: somebody of the
				// pit confirms the facts first.
				g.refused("sue", table.Answer{Answer: "yes"}, table.NotPermitted)
				g.refused("dan", table.Answer{Answer: "yes"}, table.NotPermitted)
				g.do("pat", table.Answer{Answer: "yes"})
			}
			lay, had := g.s.OnLayout(), g.net("ann")+g.net("ben")
			g.do("sue", answer)
			got, want := g.net("ann")+g.net("ben")-had, lay-g.s.OnLayout()
			switch kind {
			case table.AwardAmount:
				want += money.Minor
			case table.CollectAmount:
				want -= money.Minor
			default:
			}
			if got != want {
				t.Errorf("%s: players have %s more, want %s", kind, got, want)
			}
		}
	}
}

// A record in which a payment was corrected that never was, or a decision undone
// that nobody took, is broken.
func TestACorrectionThatCannotBeIsBroken(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	line := func(change func(*table.Line)) []table.Line {
		l := table.Line{Box: 1, Player: "ann", Line: rules.Line{Wager: rules.Ante, Result: rules.Win, Pays: 100, Returned: 100, Clause: "5.23"}}
		change(&l)
		return []table.Line{l}
	}
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	before := g.s
	g.do("dan", table.Settle{})
	paid := g.s
	for name, tt := range map[string]struct {
		s table.State
		e table.Event
	}{
		"before the settlement":     {before, table.PaymentCorrected{Lines: line(func(*table.Line) {})}},
		"a stake":                   {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Stake = 100 })}},
		"more than is paid":         {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Returned = 200 })}},
		"less than nothing":         {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Pays, l.Returned = -100, -100 })}},
		"both ways":                 {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Reverses = 100 })}},
		"a loss":                    {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Result = rules.Lose })}},
		"a box that does not exist": {paid, table.PaymentCorrected{Lines: line(func(l *table.Line) { l.Box = 9 })}},
		"undecided":                 {paid, table.DecisionRestored{Box: 1, Player: "ann", Was: table.Folded}},
		"no such box":               {paid, table.DecisionRestored{Box: 9, Player: "ann", Was: table.Folded}},
	} {
		if _, err := table.Evolve(tt.s, tt.e); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := table.Evolve(paid, table.PaymentCorrected{Lines: line(func(*table.Line) {})}); err != nil {
		t.Errorf("an award is not taken: %v", err)
	}
}

// What a person writes as a reason reaches nobody but the staff.
func TestReasonsStayWithTheStaff(t *testing.T) {
	e := table.QuestionAnswered{Key: "resolve", Answer: "remedy", Remedies: []table.Remedy{{Do: table.InvalidateHand, Box: 1, Reason: "she knows why"}}}
	for _, v := range []table.Viewer{{}, {Player: "ann"}} {
		got := table.Redact(e, table.State{}, v).(table.QuestionAnswered)
		if len(got.Remedies) != 1 || got.Remedies[0].Reason != "" || got.Remedies[0].Do != table.InvalidateHand {
			t.Errorf("%+v is shown %+v", v, got)
		}
	}
	if e.Remedies[0].Reason == "" {
		t.Error("the event itself was written to")
	}
}

// Random lists of remedies, at every point of a round of every book: money is
// conserved to the cent. TestARemedyTakesASecondPerson tries each kind for certain.
func TestRemediesConserveAndEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, laid := anyTable(t), purses{}
		step := func(by table.Actor, a table.Action) bool {
			events, next, err := table.Step(s, table.Command{By: by, AtMs: 1000, Do: a})
			if err != nil {
				return false
			}
			if record.Actions.Name(a) == "open-bets" {
				laid = purses{}
			}
			laid.follow(&s, events)
			s = next
			conserved(t, s, laid)
			return true
		}
		for range rapid.IntRange(10, 60).Draw(t, "commands") {
			if rapid.IntRange(0, 12).Draw(t, "uncovered") == 0 || s.Phase == table.Paid {
				step(rita, table.Report{Incident: rules.Uncovered})
			}
			if s.Question == nil {
				// A round goes on quickly: most of what people do brings it nearer its end.
				by := rapid.SampledFrom(people).Draw(t, "by")
				if a := onwards(t, &s, by); a != nil {
					step(by, a)
				}
				continue
			}
			var answers, remedies []table.Action
			for _, a := range table.Legal(s, mona) {
				if answer, ok := a.(table.Answer); ok && len(answer.Remedies) > 0 {
					remedies = append(remedies, a)
				} else if ok {
					answers = append(answers, a)
				}
			}
			if len(remedies) == 0 {
				if len(answers) > 0 {
					step(mona, rapid.SampledFrom(answers).Draw(t, "answer"))
				}
				continue
			}
			one, both := anyRemedy(t, remedies), anyRemedy(t, remedies)
			both.Remedies = append(append([]table.Remedy(nil), one.Remedies...), both.Remedies...)
			if !step(mona, both) {
				step(mona, one)
			}
		}
	})
}

// conserved compares what players have laid with what came back and what lies there.
func conserved(t rapid.TB, s table.State, laid purses) {
	var total, left money.Amount
	back := map[string]money.Amount{}
	for _, l := range s.Lines {
		back[l.Player] += l.Net()
		left += l.Net()
	}
	for _, b := range s.Boxes {
		if b.Collected && !b.Invalid {
			for i := range b.Bettors {
				left += b.Bettors[i].Stakes.Total() // Forfeited, and taken in.
			}
		}
	}
	for player, amount := range laid {
		total -= amount
		if s.Phase == table.Voided && back[player] != -amount {
			t.Fatalf("%s laid %s and has %s back of a void round", player, -amount, back[player])
		}
	}
	// What the house has won or paid on settled boxes is between the two.
	paying := slices.ContainsFunc(s.Boxes, func(b *table.BoxState) bool { return b.Settled })
	if s.Phase.InRound() && !paying && total != left+s.OnLayout() {
		t.Fatalf("%s was laid, %s came back and %s lies there", total, left, s.OnLayout())
	}
}

// anyRemedy draws a kind of remedy, and one of that kind.
func anyRemedy(t *rapid.T, remedies []table.Action) table.Answer {
	kinds := map[table.RemedyKind][]table.Action{}
	for _, a := range remedies {
		kind := a.(table.Answer).Remedies[0].Do
		kinds[kind] = append(kinds[kind], a)
	}
	var there []table.RemedyKind
	for _, kind := range table.RemedyKinds() {
		if kinds[kind] != nil {
			there = append(there, kind)
		}
	}
	kind := rapid.SampledFrom(there).Draw(t, "kind")
	return rapid.SampledFrom(kinds[kind]).Draw(t, "remedy").(table.Answer)
}

// onwards draws what somebody may do, mostly something that brings the round on.
func onwards(t *rapid.T, s *table.State, by table.Actor) table.Action {
	var legal, on []table.Action
	for _, a := range table.Legal(*s, by) {
		switch a.(type) {
		case table.Deal, table.Raise, table.Fold, table.Reveal, table.Settle, table.Examine, table.LayUp, table.Show, table.Choose:
			on = append(on, a)
		case table.Bet, table.CloseBets, table.FinishDeal, table.Expire, table.OpenBets:
			legal = append(legal, a)
		}
	}
	if len(on) > 0 {
		return rapid.SampledFrom(on).Draw(t, "on")
	}
	if len(legal) == 0 || s.Phase == table.Paid && rapid.IntRange(0, 3).Draw(t, "stay") > 0 {
		return nil
	}
	return rapid.SampledFrom(legal).Draw(t, "legal")
}

// If the main wager of a position goes back, so do the wagers that rest on it; two
// bettors on one box are two people.
func TestAReturnedWagerTakesWhatRestsOnIt(t *testing.T) {
	g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	g.do("ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Tie, Amount: 1000})
	g.do("sue", table.Report{Incident: rules.Uncovered})
	g.do("sue", table.Answer{Answer: "remedy", Remedies: []table.Remedy{{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Main, Reason: "as agreed"}}})
	if g.net("ann") != 1000 || g.net("ben") != 1000 || g.s.OnLayout() != 0 {
		t.Errorf("%s lies there, with %+v", g.s.OnLayout(), g.s.Lines)
	}
	if want := []rules.Wager{rules.Main, rules.Tie}; !reflect.DeepEqual(want, []rules.Wager{g.s.Lines[0].Wager, g.s.Lines[1].Wager}) {
		t.Errorf("what went back is %+v", g.s.Lines)
	}
}

// A hand is played for as much as lies on its Ante, or is not played: no remedy takes the
// Play bet back and leaves the Ante, unless both have been settled.
func TestNoRemedyLeavesAPlayBetBelowItsAnte(t *testing.T) {
	for _, book := range []*rules.Book{rws3cp.Book(), us3cp.Book()} {
		g := play(t, book, rules.Shuffler, table.Read)
		back := func(w rules.Wager, amount money.Amount) table.Answer {
			return table.Answer{Answer: "remedy", Remedies: []table.Remedy{{
				Do: table.ReturnStake, Box: 1, Player: "ann", Wager: w, Amount: amount, Reason: "as agreed",
			}}}
		}
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
		g.do("ann", table.Raise{Box: 1, Player: "ann"})
		g.do("dan", table.Reveal{})
		g.do("dan", table.Report{Incident: rules.Uncovered})
		for _, amount := range []money.Amount{0, 500, 1000} {
			g.refused("sue", back(rules.Play, amount), table.StakeSize)
		}
		g.do("sue", back(rules.Ante, 500))
		if ante, raise := g.s.Boxes[0].Bettors[0].Stakes[rules.Ante], g.s.Boxes[0].Bettors[0].Stakes[rules.Play]; ante != 500 || raise != 500 {
			t.Errorf("%s: half of the Ante back leaves %s and a Play bet of %s", book.Ref(), ante, raise)
		}
		g.do("dan", table.Settle{})
		g.do("dan", table.Report{Incident: rules.Uncovered})
		g.do("sue", back(rules.Play, 0))
		if net := g.net("ann"); net != 500+500+500 {
			t.Errorf("%s: ann has %s of it", book.Ref(), net)
		}
	}
}

// A wrong deal that the record shows and the book provides for is not decided under another
// word: nobody keeps three of four cards, or takes the one hand out, where the book voids
// the round, and no cards are put in their place.
func TestAWrongDealIsNotDecidedUnderAnotherWord(t *testing.T) {
	answer := func(do table.RemedyKind, more table.Remedy) table.Answer {
		more.Do, more.Box, more.Reason = do, 1, "as agreed"
		return table.Answer{Answer: "remedy", Remedies: []table.Remedy{more}}
	}
	for _, book := range []*rules.Book{us3cp.Book(), rws3cp.Book()} {
		g := play(t, book, rules.Shuffler, table.Read)
		g.bets("ann", "ben")
		g.do("dan", table.CloseBets{})
		deal := dealt("2c 3d 5h Ks 8c 7d 9h Jd Qs 4c")
		deal.Cards[9].To = table.Box(1)
		g.do("dan", deal)
		g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
		for _, a := range []table.Answer{
			answer(table.KeepFirstThree, table.Remedy{}),
			answer(table.InvalidateHand, table.Remedy{}),
			answer(table.ReturnStake, table.Remedy{Player: "ann", Wager: rules.Ante}),
			{Answer: "invalidate"},
			{Answer: "offer"},
		} {
			g.refused("sue", a, table.NotApplicable)
		}
		g.do("sue", table.Answer{Answer: "continue"})
		g.do("dan", table.Report{Incident: rules.WrongCount, Box: 1})
		if g.s.Phase != table.Voided {
			t.Errorf("%s: a hand of four that nobody has seen leaves the table %s", book.Ref(), g.s.Phase)
		}
	}
}
