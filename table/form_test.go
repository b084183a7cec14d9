package table_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
	"trey/table"
)

// The largest and the smallest figures of a report are taken, and those beyond them are
// malformed.
func TestFiguresOfAReportHaveBounds(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	for range 2 {
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
		g.do("ann", table.Fold{Box: 1, Player: "ann"})
		g.do("dan", table.Reveal{})
		g.do("dan", table.Settle{})
	}
	for name, tt := range map[string]struct {
		report    table.Report
		malformed bool
	}{
		"no time":          {table.Report{LastedMs: 0}, false},
		"less than none":   {table.Report{LastedMs: -1}, true},
		"no meter":         {table.Report{Meter: 0}, false},
		"a negative meter": {table.Report{Meter: -1}, true},
		"no amount":        {table.Report{Amount: 0}, false},
		"a debt":           {table.Report{Amount: -1}, true},
		"the largest":      {table.Report{Amount: rules.MaxStake}, false},
		"a larger one":     {table.Report{Amount: rules.MaxStake + 1}, true},
		"this round":       {table.Report{Round: 2}, false},
		"the next round":   {table.Report{Round: 3}, true},
		"the first round":  {table.Report{Round: 1}, false},
		"one before it":    {table.Report{Round: -1}, true},
	} {
		tt.report.Incident = rules.Uncovered
		_, err := table.Decide(g.s, table.Command{By: person("dan"), Do: tt.report})
		var r *table.Refusal
		if malformed := errors.As(err, &r) && r.Reason == table.Malformed; malformed != tt.malformed || !malformed && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A statement where cards lie names places that exist, once each, and no more cards than a deck.
func TestStatedPlacesExist(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Unseen)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{Cards: make([]table.Drawn, 9)})
	one := func(l table.Lying) []table.Lying { return []table.Lying{l} }
	for name, tt := range map[string]struct {
		lies      []table.Lying
		malformed bool
	}{
		"nowhere":               {one(table.Lying{Count: 3}), true},
		"behind all places":     {one(table.Lying{At: table.Out + 1, Count: 3}), true},
		"a box too many":        {one(table.Lying{At: table.Box(4), Count: 3}), true},
		"meant for none":        {one(table.Lying{At: table.Box(1), Count: 3, Meant: table.Out + 1}), true},
		"meant for a fourth":    {one(table.Lying{At: table.Box(1), Count: 3, Meant: table.Box(4)}), true},
		"fewer than none":       {one(table.Lying{At: table.Box(1), Count: -1}), true},
		"more than a deck":      {one(table.Lying{At: table.Box(1), Count: 53}), true},
		"a place twice":         {[]table.Lying{{At: table.Box(1), Count: 3}, {At: table.Box(1), Count: 4}}, true},
		"a place by two counts": {[]table.Lying{{At: table.Box(1), Count: 3, Meant: table.Box(2)}, {At: table.Box(1), Count: 4}}, false},
		"no card":               {one(table.Lying{At: table.Box(1), Count: 0}), false},
		"a deck":                {one(table.Lying{At: table.Box(1), Count: 52}), false},
		"the last box":          {one(table.Lying{At: table.Box(3), Count: 1, Meant: table.Box(3)}), false},
		"out":                   {one(table.Lying{At: table.Out, Count: 1, Meant: table.Out}), false},
	} {
		_, err := table.Decide(g.s, table.Command{By: person("dan"), Do: table.Report{Incident: rules.DealtIncorrectly, Lies: tt.lies}})
		var r *table.Refusal
		if malformed := errors.As(err, &r) && r.Reason == table.Malformed; malformed != tt.malformed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A count of cards that were meant for another place says nothing of the others that lie
// there: how many those are, another count says.
func TestCardsMeantForAnotherPlace(t *testing.T) {
	g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Unseen)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{Cards: make([]table.Drawn, 9)})
	g.do("ann", table.Examine{Box: 1, Player: "ann"})
	g.do("dan", table.Report{Incident: rules.DealtIncorrectly, Lies: []table.Lying{
		{At: table.Box(1), Count: 4, Meant: table.Box(2)}, {At: table.Box(1), Count: 3},
	}})
	events := g.do("pat", table.Answer{Answer: "yes"})
	dealt, lie := 0, map[table.Place]int{}
	before := g.s.Slots
	for _, e := range events {
		switch e := e.(type) {
		case table.CardsDealt:
			dealt += len(e.Cards)
		case table.CardsMoved:
			if len(lie) == 0 {
				for _, m := range e.Moves {
					lie[m.To]++
				}
			}
		}
	}
	// Of the six cards at box 1 three are left, and none comes to them.
	if dealt != 0 || lie[table.Out] != 3 || len(before) != 9 {
		t.Errorf("%d cards are dealt, and moved are %v, of %d", dealt, lie, len(before))
	}
}

// A late bet that was counted can be reported of each wager that lies there, and of no other.
func TestEachCountedWagerIsListed(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("ben", table.Bet{Box: 2, Player: "ben", Wager: rules.PairPlus, Amount: 500})
	g.do("dan", table.CloseBets{})
	var listed []table.Report
	for _, a := range table.Legal(g.s, person("dan")) {
		if r, ok := a.(table.Report); ok && r.Counted {
			listed = append(listed, r)
		}
	}
	want := []table.Report{
		{Incident: rules.LateBet, Box: 1, Player: "ann", Wager: rules.Ante, Amount: 1000, Counted: true},
		{Incident: rules.LateBet, Box: 2, Player: "ben", Wager: rules.Ante, Amount: 1000, Counted: true},
		{Incident: rules.LateBet, Box: 2, Player: "ben", Wager: rules.PairPlus, Amount: 500, Counted: true},
	}
	if !reflect.DeepEqual(listed, want) {
		t.Errorf("listed are %+v, want %+v", listed, want)
	}
}

// A remedy says all that its kind needs, and no more.
func TestARemedyIsComplete(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("Ac Ad 5h Ks Qc 7d"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
	g.do("dan", table.Report{Incident: rules.Uncovered})
	const most = rules.MaxStake * 1000 // Above it no sum is read; below it the wager sets the bound.
	for name, tt := range map[string]struct {
		remedy table.Remedy
		want   string
	}{
		"no kind":                      {table.Remedy{Box: 1}, "say what is done"},
		"no such kind":                 {table.Remedy{Do: 99, Box: 1}, "say what is done"},
		"no reason":                    {table.Remedy{Do: table.InvalidateHand, Box: 1, Reason: " "}, "give the reason"},
		"too long a reason":            {table.Remedy{Do: table.InvalidateHand, Box: 1, Reason: strings.Repeat("x", 501)}, "give the reason"},
		"no box":                       {table.Remedy{Do: table.InvalidateHand}, "say at which box"},
		"a box below the first":        {table.Remedy{Do: table.KeepFirstThree, Box: -1}, "say at which box"},
		"a decision that is not meant": {table.Remedy{Do: table.InvalidateHand, Box: 1, Decision: table.Folded}, "only a decision that is restored"},
		"no such decision":             {table.Remedy{Do: table.RestoreDecision, Box: 1, Decision: table.Folded + 1}, "only a decision that is restored"},
		"a hand and a player":          {table.Remedy{Do: table.InvalidateHand, Box: 1, Player: "ann"}, "no single wager"},
		"a hand and a wager":           {table.Remedy{Do: table.RestoreDecision, Box: 1, Wager: rules.Ante}, "no single wager"},
		"a hand and an amount":         {table.Remedy{Do: table.KeepFirstThree, Box: 1, Amount: 1}, "no single wager"},
		"no player":                    {table.Remedy{Do: table.AwardAmount, Box: 1, Wager: rules.Ante, Amount: 1}, "say whose wager"},
		"no wager":                     {table.Remedy{Do: table.AwardAmount, Box: 1, Player: "ann", Amount: 1}, "say whose wager"},
		"a wager of another game":      {table.Remedy{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Tie, Amount: 1}, "say whose wager"},
		"no amount":                    {table.Remedy{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Ante}, "say how much"},
		"less than nothing":            {table.Remedy{Do: table.CollectAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: -1}, "say how much"},
		"less than nothing returned":   {table.Remedy{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante, Amount: -1}, "say how much"},
		"a sum beyond all":             {table.Remedy{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: most + 1}, "say how much"},
		"the largest sum":              {table.Remedy{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: most}, "can be awarded"},
		"a stake returned":             {table.Remedy{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante}, ""},
		"a long reason":                {table.Remedy{Do: table.InvalidateHand, Box: 1, Reason: strings.Repeat("x", 500)}, ""},
	} {
		if tt.remedy.Reason == "" {
			tt.remedy.Reason = "as agreed"
		}
		_, err := table.Decide(g.s, table.Command{By: person("sue"), Do: table.Answer{Answer: "remedy", Remedies: []table.Remedy{tt.remedy}}})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// What is listed as legal names each thing that can be done about a settled box: its chips
// were none at the call, and each kind of remedy.
func TestWhatIsListedForASettledBox(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Unseen)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{Cards: make([]table.Drawn, 9)})
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("ben", table.Raise{Box: 2, Player: "ben"})
	g.do("dan", table.Reveal{Hand: handOf("Ks Qc 7d")})
	g.do("dan", table.Show{Box: 1, Hand: handOf("Ac Ad 5h")})
	g.do("dan", table.Show{Box: 2, Hand: handOf("9c 4d 2h")})
	g.do("dan", table.Settle{Box: 1})
	none := func(box int) table.Action {
		return table.Found{Box: box, Player: g.s.Boxes[box-1].Player(), Wager: rules.Ante, AtCall: true}
	}
	listed := table.Legal(g.s, person("dan"))
	if !slices.ContainsFunc(listed, func(a table.Action) bool { return shapeOf(a) == shapeOf(none(1)) }) {
		t.Errorf("box 1 is settled, and it is not listed that it held no Ante")
	}
	if slices.ContainsFunc(listed, func(a table.Action) bool { return shapeOf(a) == shapeOf(none(2)) }) {
		t.Errorf("box 2 is not settled, and it is listed that it held no Ante")
	}
	g.do("dan", table.Settle{})
	g.do("dan", table.Report{Incident: rules.Uncovered})
	var kinds []table.RemedyKind
	for _, a := range table.Legal(g.s, person("sue")) {
		if answer, ok := a.(table.Answer); ok && len(answer.Remedies) == 1 && !slices.Contains(kinds, answer.Remedies[0].Do) {
			kinds = append(kinds, answer.Remedies[0].Do)
		}
	}
	for _, kind := range table.RemedyKinds() {
		// Of three cards the first three are kept already, and no decision is undone now.
		impossible := kind == table.KeepFirstThree || kind == table.RestoreDecision
		if slices.Contains(kinds, kind) == impossible {
			t.Errorf("listed are %v: %s is %t", kinds, kind, slices.Contains(kinds, kind))
		}
	}
}

// shapeOf is a statement about chips as it can be compared; other actions are alike.
func shapeOf(a table.Action) table.Found {
	found, _ := a.(table.Found)
	return found
}

// No card is to come before the bets are closed, whatever has been bet and taken back.
func TestNoCardIsToComeWhileBetsAreOpen(t *testing.T) {
	for _, change := range []table.Action{
		table.Withdraw{Box: 2, Player: "ben", Wager: rules.Ante},
		table.Found{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 2000},
	} {
		g := play(t, us3cp.Book(), rules.Shuffler, table.Read)
		g.bets("ann", "ben")
		by := "dan"
		if _, ok := change.(table.Withdraw); ok {
			by = "ben"
		}
		g.do(by, change)
		if left := g.s.ToCome(); len(left) != 0 {
			t.Errorf("after %#v the cards of %v are to come", change, left)
		}
	}
}

// A stake outside the limits in an earlier round stands by the clause of the book for it. One
// within them, and any in a book without such a clause, is what else is not provided for.
func TestAStakeOfAnEarlierRound(t *testing.T) {
	for _, book := range books.All() {
		w := book.Wagers[0].Wager
		g := play(t, book, rules.Shuffler, table.Read, func(v *rules.Variant) {
			v.Limits[w] = rules.Limit{Min: 1000, Max: 5000}
			for i := range book.Wagers {
				if rule := &book.Wagers[i]; rule.Stake == rules.EqualToBasis && rule.Limit != (rules.Limit{}) {
					v.Limits[rule.Wager] = v.Limits[w]
				}
			}
		})
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", table.Report{Incident: rules.Uncovered})
		g.do("sue", table.Answer{Answer: "void"})
		g.bets("ann")
		for _, tt := range []struct {
			incident rules.Incident
			wager    rules.Wager
			amount   money.Amount
			outside  bool
		}{
			{rules.Uncovered, w, 0, false},
			{rules.Uncovered, w, 999, true},
			{rules.Uncovered, w, 1000, false},
			{rules.Uncovered, w, 5000, false},
			{rules.Uncovered, w, 5001, true},
			{rules.Uncovered, 0, 999, false}, // It names no wager, so no limits.
			{rules.LateBet, w, 999, false},   // It was no bet at all.
		} {
			events, err := table.Decide(g.s, table.Command{By: person("dan"), Do: table.Report{Incident: tt.incident, Round: 1, Box: 1, Player: "ann", Wager: tt.wager, Amount: tt.amount}})
			if err != nil {
				t.Fatalf("%s: %v", book.Ref(), err)
			}
			outcome, clause := rules.Stands, book.Bets.EarlierStake
			if !tt.outside || clause == "" {
				var ask *rules.Question
				if clause, ask = book.OfEarlier(tt.incident); ask != nil {
					outcome, clause = rules.Ask, ask.Clause
				}
			}
			if reported := events[0].(table.Reported); reported.Outcome != outcome || reported.Clause != clause {
				t.Errorf("%s: %s, a stake of %s of an earlier round: %s by %q, want %s by %q", book.Ref(), tt.incident, tt.amount, reported.Outcome, reported.Clause, outcome, clause)
			}
		}
	}
}

// A round is followed to its end: what a wager brought and could have brought is known
// also after a person has given it back.
func TestAPastWagerThatWentBack(t *testing.T) {
	g := play(t, us3cp.Book(), rules.Shuffler, table.Read)
	var past table.PastRound
	do := func(by string, a table.Action) {
		g.do(by, a)
		past.See(g.s)
	}
	do("dan", table.OpenBets{})
	do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 1000})
	do("dan", table.CloseBets{})
	do("dan", dealt("Ac Ad 5h Ks Qc 7d"))
	do("ann", table.Raise{Box: 1, Player: "ann"})
	do("dan", table.Reveal{})
	do("dan", table.Settle{})
	before, ok, err := past.Wager(1, "ann", rules.Ante)
	// Even money: the stake of 10 and as much again (us-3cp rules.4).
	if err != nil || !ok || before.Brought != 2000 || before.Most < 2000 {
		t.Fatalf("settled: %+v, %t, %v", before, ok, err)
	}
	do("dan", table.Report{Incident: rules.Uncovered})
	do("sue", table.Answer{Answer: "remedy", Remedies: []table.Remedy{{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante, Reason: "as agreed"}}})
	after, ok, err := past.Wager(1, "ann", rules.Ante)
	if err != nil || !ok || after.Brought != 1000 || after.Most != before.Most {
		t.Errorf("given back: %+v, %t, %v; before %+v", after, ok, err, before)
	}
	if _, ok, err := past.Wager(1, "ann", rules.PairPlus); ok || err != nil {
		t.Errorf("a wager that was not there: %t, %v", ok, err)
	}
	if _, ok, err := past.Wager(2, "ann", rules.Ante); ok || err != nil {
		t.Errorf("a box without bets: %t, %v", ok, err)
	}
}

// It is told that a player bets standing, and who entered the bet for them.
func TestSentencesNameWhoPlacesABet(t *testing.T) {
	for want, bet := range map[string]table.BetPlaced{
		"ann bets 5.00 on Ante at box 2.":                                                          {},
		"ann bets 5.00 on Ante at box 2, standing.":                                                {Standing: true},
		"ann bets 5.00 on Ante at box 2, standing, placed for the player by mia (rws-3cp@3 5.22).": {Standing: true, EnteredBy: "mia", Clause: "5.22"},
	} {
		bet.Box, bet.Player, bet.Wager, bet.Amount = 2, "ann", rules.Ante, 500
		if got := table.Text(bet, ready(t)); got != want {
			t.Errorf("%+v is told as %q, want %q", bet, got, want)
		}
	}
}
