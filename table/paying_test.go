package table_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
	"trey/table"
)

var (
	rita = table.Actor{Name: "rita", Role: rules.Dealer}
	mona = table.Actor{Name: "mona", Role: rules.ShiftManager}
)

// purses holds the sums that players have bet and not got back, from events and their
// lines alone.
type purses map[string]money.Amount

func (p purses) follow(before *table.State, events []table.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case table.BetPlaced:
			p[e.Player] -= e.Amount
		case table.HandRaised:
			p[e.Player] -= e.Amount
		case table.StakeFound:
			p[e.Player] -= e.Amount
			for _, b := range before.Boxes[e.Box-1].Bettors {
				if b.Player == e.Player {
					p[e.Player] += b.Stakes[e.Wager]
				}
			}
		}
	}
}

func (p purses) with(lines []table.Line) purses {
	all := maps.Clone(p)
	for i := range lines {
		all[lines[i].Player] += lines[i].Net()
	}
	maps.DeleteFunc(all, func(_ string, amount money.Amount) bool { return amount == 0 })
	return all
}

// revealed draws a round up to the dealer's hand; ok is false where it does not get
// there. What players have laid is in the purses.
func revealed(t *rapid.T) (s table.State, laid purses, ok bool) {
	s, laid = anyTable(t), purses{}
	for range 200 {
		if s.Phase == table.Showing {
			return s, laid, true
		}
		by := rapid.SampledFrom(people).Draw(t, "by")
		a := onwards(t, &s, by)
		switch action := a.(type) {
		case nil:
			continue
		case table.Deal:
			cards := unused(t, &s, len(action.Cards))
			for i := range action.Cards {
				if action.Cards[i].Card != card.None {
					action.Cards[i].Card = cards[i]
				}
			}
		case table.Bet:
			action.Amount *= money.Amount(rapid.IntRange(1, 3).Draw(t, "times"))
			a = action
		case table.Reveal:
			action.Hand = anyHand(t, &s, action.Hand)
			a = action
		case table.Show:
			action.Hand = anyHand(t, &s, action.Hand)
			a = action
		case table.LayUp:
			action.Hand = anyHand(t, &s, action.Hand)
			a = action
		}
		events, next, err := table.Step(s, table.Command{By: by, AtMs: 1000, Do: a})
		if err != nil {
			continue
		}
		if s.Phase == table.Ready || next.Phase == table.Betting && len(next.Lines) == 0 && s.Phase != table.Betting {
			laid = purses{}
		}
		laid.follow(&s, events)
		s = next
	}
	return s, laid, false
}

// shows are the hands that have to be turned before the round can be settled, in the
// order in which the book has them turned. The cards of a hand that nobody has seen
// are the ones that named returns.
func shows(s table.State, named func(*table.State, []card.Card) []card.Card) (all []table.Action, settled table.State, ok bool) {
	for range 20 {
		_, next, err := table.Step(s, table.Command{By: rita, Do: table.Settle{Meter: 123_456}})
		if err == nil {
			return all, next, true
		}
		found := false
		for _, a := range table.Legal(s, mona) {
			switch show := a.(type) {
			case table.Show:
				show.Hand = named(&s, show.Hand)
				a = show
			case table.KeepDown:
			default:
				continue
			}
			if _, after, err := table.Step(s, table.Command{By: mona, Do: a}); err == nil {
				all, s, found = append(all, a), after, true
				break
			}
		}
		if !found {
			return nil, s, false
		}
	}
	return nil, s, false
}

// drawn names cards for a hand that nobody has seen.
func drawn(t *rapid.T) func(*table.State, []card.Card) []card.Card {
	return func(s *table.State, hand []card.Card) []card.Card { return anyHand(t, s, hand) }
}

// sideWager is a wager of any amount on which no other rests: every book has a rule for
// one that was entered wrongly.
func sideWager(book *rules.Book) rules.Wager {
	if book.Rule(rules.PairPlus) != nil {
		return rules.PairPlus
	}
	return book.Wagers[0].Wager
}

// shownRound is a round of three boxes whose cards a device has read, up to the
// dealer's hand, with what the players have laid.
func shownRound(t *testing.T, book *rules.Book) (table.State, purses) {
	t.Helper()
	g, laid := play(t, book, rules.Shuffler, table.Read), purses{}
	do := func(by string, a table.Action) {
		before := g.s
		laid.follow(&before, g.do(by, a))
	}
	players := []string{"ann", "ben", "cai"}
	do("dan", table.OpenBets{})
	for i, p := range players {
		do(p, table.Bet{Box: i + 1, Player: p, Wager: book.Wagers[0].Wager, Amount: 1000})
		if w := sideWager(book); w != book.Wagers[0].Wager {
			do(p, table.Bet{Box: i + 1, Player: p, Wager: w, Amount: 1000})
		}
	}
	do("dan", table.CloseBets{})
	cards := "Qh Qd 2c Ks 9c 5s 4h 4d 8c Jh Td 7s"
	if rule, _ := book.Device(rules.Shuffler); !rule.Packets {
		cards = "Qh Ks 4h Jh Qd 9c 4d Td 2c 5s 8c 7s" // the same hands, a card each in turn
	}
	do("dan", dealt(cards))
	if book.Decision != nil {
		for i, p := range players {
			do(p, table.Raise{Box: i + 1, Player: p})
		}
	}
	do("dan", table.Reveal{})
	if g.s.Phase != table.Showing {
		t.Fatalf("%s: the dealer's hand is shown and the table is %s", book.Ref(), g.s.Phase)
	}
	return g.s, laid
}

func sortedLines(lines []table.Line) []table.Line {
	return slices.SortedFunc(slices.Values(lines), func(x, y table.Line) int {
		return cmp.Or(cmp.Compare(x.Box, y.Box), cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)))
	})
}

// However the steps of a settlement are mixed with the hands that are turned, and
// wherever the rest is settled at once, everybody has the same money by the same lines
// as when the whole round is settled at once, and the next round begins alike.
func TestStepsPayWhatOneSettlementPays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, ok := revealed(t)
		if !ok {
			return
		}
		turn, once, ok := shows(s, drawn(t))
		if !ok {
			return
		}
		settleInSteps(t, s, turn, once, func(next []table.Action) table.Action {
			if rest := len(next) - 1; rest > 0 && rapid.IntRange(0, 5).Draw(t, "the rest") > 0 {
				next = next[:rest]
			}
			return rapid.SampledFrom(next).Draw(t, "next")
		})
	})
}

// The property above holds in every book where all boxes are settled alone, and where
// one is and the rest at once.
func TestStepsOfEveryBook(t *testing.T) {
	for _, book := range books.All() {
		for alone := range 4 {
			s, _ := shownRound(t, book)
			turn, once, ok := shows(s, nil)
			if !ok {
				t.Fatalf("%s: the round cannot be settled", book.Ref())
			}
			left := alone
			steps, rests := settleInSteps(t, s, turn, once, func(next []table.Action) table.Action {
				if record.Actions.Name(next[0]) != "settle" {
					return next[0]
				}
				if left--; left < 0 {
					return next[len(next)-1]
				}
				return next[0]
			})
			if steps != alone || rests != min(3-alone, 1) {
				t.Errorf("%s: %d boxes were settled alone, want %d, and %d times the rest", book.Ref(), steps, alone, rests)
			}
		}
	}
}

// settleInSteps settles a round by the actions that pick chooses from those that are
// next, of which the last settles the rest, and compares it with a round settled at
// once. It returns how many boxes were settled alone, and how often the rest.
func settleInSteps(t rapid.TB, s table.State, turn []table.Action, once table.State, pick func(next []table.Action) table.Action) (steps, rests int) {
	for s.Phase == table.Showing {
		var next []table.Action
		if len(turn) > 0 {
			next = append(next, turn[0])
		}
		if box := s.NextToSettle(); box != 0 {
			next = append(next, table.Settle{Box: box, Meter: 123_456})
		}
		a := pick(append(next, table.Settle{Meter: 123_456}))
		events, after, err := table.Step(s, table.Command{By: mona, Do: a})
		if err != nil {
			if len(turn) == 0 {
				t.Fatalf("%#v: %v", a, err)
			}
			continue
		}
		if len(turn) > 0 && record.Actions.Name(a) != "settle" {
			turn = turn[1:]
		} else if settle := a.(table.Settle); settle.Box != 0 {
			steps++
		} else {
			rests++
		}
		if last := events[len(events)-1]; record.TableEvents.Name(last) == "box-settled" && after.OnLayout() >= s.OnLayout() {
			t.Fatalf("a box is settled, and %s lies there, of %s before", after.OnLayout(), s.OnLayout())
		}
		s = after
	}
	if got, want := sortedLines(s.Lines), sortedLines(once.Lines); !slices.Equal(got, want) {
		t.Fatalf("in steps:\n%+v\nat once:\n%+v", got, want)
	}
	if got, want := s.Carried(), once.Carried(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the next round begins with %+v, and without steps with %+v", got, want)
	}
	return steps, rests
}

// A stake that was entered wrongly and is found after its box was settled leaves
// everybody with what they would have had if it had been found before.
func TestALateFindingIsSettledAsAnEarlyOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, laid, ok := revealed(t)
		if !ok || !s.Config.Chips {
			return
		}
		turn, _, ok := shows(s, drawn(t))
		if !ok {
			return
		}
		for _, a := range turn {
			_, s, _ = table.Step(s, table.Command{By: mona, Do: a})
		}
		box := rapid.IntRange(1, len(s.Boxes)).Draw(t, "box")
		if len(s.Boxes[box-1].Bettors) == 0 {
			return
		}
		findLate(t, s, laid, table.Found{
			Box: box, Player: rapid.SampledFrom(s.Boxes[box-1].Bettors).Draw(t, "whose").Player, AtCall: true,
			Wager:  rapid.SampledFrom(s.Variant.Book.Wagers).Draw(t, "wager").Wager,
			Amount: money.Amount(rapid.SampledFrom([]int64{0, 500, 1000, 2500, 4000}).Draw(t, "amount")),
		}, rapid.IntRange(1, len(s.Boxes)+1).Draw(t, "settled before"))
	})
}

// The property above holds in every book for the first box that is settled, once it
// alone is settled, once another is too, and once all are.
func TestLateFindingsOfEveryBook(t *testing.T) {
	for _, book := range books.All() {
		for before, want := range []table.Phase{0, table.Showing, table.Showing, table.Paid} {
			for _, amount := range []money.Amount{0, 2000} {
				s, laid := shownRound(t, book)
				turn, _, ok := shows(s, nil)
				if !ok {
					t.Fatalf("%s: the round cannot be settled", book.Ref())
				}
				for _, a := range turn {
					_, s, _ = table.Step(s, table.Command{By: mona, Do: a})
				}
				box := s.NextToSettle()
				found := table.Found{Box: box, Player: []string{"ann", "ben", "cai"}[box-1], Wager: sideWager(book), Amount: amount, AtCall: true}
				if got := findLate(t, s, laid, found, before); got != want {
					t.Errorf("%s: %s is found after %d settlements and corrected while the table is %s, want %s", book.Ref(), amount, before, got, want)
				}
			}
		}
	}
}

// findLate states a stake after some boxes were settled, and compares the round with
// one in which it is stated before the first is. It returns the phase in which a
// settled box was corrected, zero if none was.
func findLate(t rapid.TB, s table.State, laid purses, found table.Found, before int) (corrected table.Phase) {
	put := func(s table.State, laid purses) (table.State, purses, bool) {
		laid = maps.Clone(laid)
		for _, c := range []table.Command{{By: rita, Do: found}, {By: mona, Do: table.Answer{Answer: "yes"}}} {
			if s.Question == nil && record.Actions.Name(c.Do) == "answer" {
				break
			}
			events, after, err := table.Step(s, c)
			if err != nil {
				return s, laid, false
			}
			laid.follow(&s, events)
			s = after
		}
		return s, laid, true
	}
	settle := func(s table.State) (table.State, bool) {
		if s.Phase != table.Showing {
			return s, true
		}
		// The stake may bring a claim for which a folded hand is looked at first.
		_, after, err := table.Step(s, table.Command{By: rita, Do: table.Settle{Meter: 123_456}})
		return after, err == nil
	}
	early, earlyLaid, ok := put(s, laid)
	if !ok {
		return 0
	}
	early, comes := settle(early)
	late := s
	for range before {
		if next := late.NextToSettle(); next != 0 {
			_, after, err := table.Step(late, table.Command{By: rita, Do: table.Settle{Box: next, Meter: 123_456}})
			if err != nil {
				t.Fatal(err)
			}
			late = after
		}
	}
	b := s.Boxes[found.Box-1]
	phase, settled := late.Phase, late.Boxes[found.Box-1].Settled && !late.Boxes[found.Box-1].Collected
	late, lateLaid, ok := put(late, laid)
	if !ok {
		if settled && late.MeterPaid(found.Box) == 0 && late.Boxes[found.Box-1].Bettors[0].Stakes[found.Wager] != found.Amount && found.Wager != rules.Progressive {
			for i := range b.Bettors {
				if b.Bettors[i].Player == found.Player && b.Bettors[i].Stakes[found.Wager] != found.Amount {
					t.Fatalf("%#v is taken before the settlement and not after it", found)
				}
			}
		}
		return 0
	}
	late, ended := settle(late)
	if ended != comes {
		t.Fatalf("%#v lets the round end: before the settlement %t, after it %t", found, comes, ended)
	}
	if !ended {
		return 0
	}
	if got, want := lateLaid.with(late.Lines), earlyLaid.with(early.Lines); !maps.Equal(got, want) {
		t.Fatalf("%#v after the settlement leaves %v, and before it %v", found, got, want)
	}
	if got, want := late.Carried(), early.Carried(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the next round begins with %+v, and by an early finding with %+v", got, want)
	}
	if settled {
		return phase
	}
	return 0
}

// A card that was entered wrongly and is found after boxes were settled by it leaves
// everybody with what they would have had if it had been found before, in every book:
// the dealer's, and one of the first box that is settled.
func TestALateCorrectionIsSettledAsAnEarlyOne(t *testing.T) {
	for _, book := range books.All() {
		for _, dealers := range []bool{true, false} {
			var want, uncorrected string
			for before := range 4 {
				s, _ := shownRound(t, book)
				turn, once, ok := shows(s, nil)
				if !ok {
					t.Fatalf("%s: the round cannot be settled", book.Ref())
				}
				for _, a := range turn {
					_, s, _ = table.Step(s, table.Command{By: mona, Do: a})
				}
				lines := func(s table.State) string {
					net := purses{}.with(s.Lines)
					return fmt.Sprint(net, s.Carried())
				}
				uncorrected = lines(once)
				first := s.NextToSettle()
				for range before {
					s = stepped(t, s, rita, table.Settle{Box: s.NextToSettle()})
				}
				phase, card := s.Phase, table.Exposed{At: table.Box(first), Index: 1, Card: handOf("6s")[0]}
				if dealers {
					card = table.Exposed{At: table.DealerHand, Index: 3, Card: handOf("As")[0]}
				}
				if !dealers && before == 0 && !s.Boxes[first-1].Up {
					s = stepped(t, s, rita, table.Show{Box: first})
				}
				if box := s.Boxes[first-1]; box.Settled != (before > 0) {
					t.Fatalf("%s: box %d is settled: %t", book.Ref(), first, box.Settled)
				}
				s = stepped(t, s, rita, table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{card}})
				s = stepped(t, s, mona, table.Answer{Answer: "yes"})
				if s.Phase != table.Showing || s.Boxes[first-1].Settled {
					t.Fatalf("%s: corrected while the table was %s, box %d is settled still", book.Ref(), phase, first)
				}
				s = stepped(t, s, rita, table.Settle{})
				switch got := lines(s); {
				case before == 0:
					want = got
				case got != want:
					t.Errorf("%s: corrected while the table was %s it leaves %s, and before any payment %s", book.Ref(), phase, got, want)
				}
			}
			if want == uncorrected {
				t.Errorf("%s: the card changes nothing, so this shows nothing: %s", book.Ref(), want)
			}
		}
	}
}

// stepped is the table after a command that is carried out.
func stepped(t *testing.T, s table.State, by table.Actor, a table.Action) table.State {
	t.Helper()
	_, after, err := table.Step(s, table.Command{By: by, AtMs: 1000, Do: a})
	if err != nil {
		t.Fatalf("%s: %#v: %v", s.Variant.Book.Ref(), a, err)
	}
	return after
}

// A box is settled in the book's order, once, and by the dealer.
func TestBoxesAreSettledInOrder(t *testing.T) {
	for _, tt := range []struct {
		book  *rules.Book
		order []int
	}{{rws3cp.Book(), []int{1, 2, 3}}, {us3cp.Book(), []int{3, 2, 1}}} {
		g := play(t, tt.book, rules.Shuffler, table.Read)
		g.bets("ann", "ben", "cai")
		g.refused("dan", table.Settle{Box: 1}, table.WrongPhase)
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("Qh Qd 2c Ks 9c 5s 4h 4d 8c Jh Td 7s"))
		for i, p := range []string{"ann", "ben", "cai"} {
			g.do(p, table.Raise{Box: i + 1, Player: p})
		}
		g.do("dan", table.Reveal{})
		for i, box := range tt.order {
			if got := table.View(g.s, table.Viewer{}).SettleNext; got != box {
				t.Fatalf("%s settles box %d next, want %d", tt.book.ID, got, box)
			}
			g.refused("ann", table.Settle{Box: box}, table.NotPermitted)
			for _, later := range tt.order[i+1:] {
				g.refused("dan", table.Settle{Box: later}, table.Unfinished)
			}
			g.do("dan", table.Settle{Box: box})
			if i < 2 {
				g.refused("dan", table.Settle{Box: box}, table.AlreadyDone)
				g.refused("dan", table.Settle{Box: 9}, table.NoSuchBox)
				if p := table.View(g.s, table.Viewer{}); !p.Boxes[box-1].Settled || len(p.Boxes[box-1].Bettors[0].Stakes) != 0 || len(p.Boxes[tt.order[i+1]-1].Bettors[0].Stakes) == 0 {
					t.Errorf("box %d is settled, and the picture shows %+v", box, p.Boxes)
				}
			}
		}
		if g.s.Phase != table.Paid || g.s.NextToSettle() != 0 {
			t.Errorf("%s: all boxes are settled and the table is %s", tt.book.ID, g.s.Phase)
		}
	}
}

// A record in which a box is settled twice, by another box's lines or by lines that do
// not balance, or in which another settlement is undone than was made, is broken.
func TestAStepThatCannotBeIsBroken(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("Qh Qd 2c Ks 9c 5s Jh Td 7s"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	deciding := g.s
	g.do("ben", table.Raise{Box: 2, Player: "ben"})
	g.do("dan", table.Reveal{})
	exposed := g.s
	events := g.do("dan", table.Settle{Box: 1})
	one := events[len(events)-1].(table.BoxSettled)
	mid := g.s
	g.do("dan", table.Settle{})
	lie := []table.LaidStake{{Player: "ann", Wager: rules.Ante, Amount: 1000}, {Player: "ann", Wager: rules.Play, Amount: 1000}}
	undone := func(change func(*table.SettlementUndone)) table.Event {
		e := table.SettlementUndone{Box: 1, Clause: "5.20", Stakes: slices.Clone(lie)}
		for _, w := range []rules.Wager{rules.Ante, rules.Play} {
			e.Lines = append(e.Lines, table.Line{Box: 1, Player: "ann", Reverses: 2000, Line: rules.Line{Wager: w, Result: rules.GivenBack, Clause: "5.20"}})
		}
		change(&e)
		return e
	}
	moved := func(change func(*table.BoxSettled)) table.Event {
		e := one
		e.Lines = slices.Clone(e.Lines)
		change(&e)
		return e
	}
	for name, tt := range map[string]struct {
		s table.State
		e table.Event
	}{
		"before the dealer's hand":    {deciding, one},
		"twice":                       {mid, one},
		"a box that does not exist":   {exposed, moved(func(e *table.BoxSettled) { e.Box = 9 })},
		"a box without bets":          {exposed, moved(func(e *table.BoxSettled) { e.Box = 3 })},
		"another box's lines":         {exposed, moved(func(e *table.BoxSettled) { e.Box = 2 })},
		"a line less":                 {exposed, moved(func(e *table.BoxSettled) { e.Lines = e.Lines[1:] })},
		"more than is paid":           {exposed, moved(func(e *table.BoxSettled) { e.Lines[0].Returned++ })},
		"undone before it is settled": {exposed, undone(func(*table.SettlementUndone) {})},
		"undone elsewhere":            {mid, undone(func(e *table.SettlementUndone) { e.Box = 2 })},
		"undone nowhere":              {mid, undone(func(e *table.SettlementUndone) { e.Box = 9 })},
		"other stakes":                {mid, undone(func(e *table.SettlementUndone) { e.Stakes[0].Amount++ })},
		"a stake less":                {mid, undone(func(e *table.SettlementUndone) { e.Stakes = e.Stakes[1:] })},
		"a stake in its lines":        {mid, undone(func(e *table.SettlementUndone) { e.Lines[0].Stake = 1 })},
		"nothing collected":           {mid, undone(func(e *table.SettlementUndone) { e.Lines[0].Reverses = 0 })},
		"collected elsewhere":         {mid, undone(func(e *table.SettlementUndone) { e.Lines[0].Box = 2 })},
	} {
		if _, err := table.Evolve(tt.s, tt.e); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for name, s := range map[string]table.State{"mid-payment": mid, "settled": g.s} {
		after, err := table.Evolve(s, undone(func(*table.SettlementUndone) {}))
		if err != nil || after.Phase != table.Showing || after.OnLayout() != s.OnLayout()+2000 {
			t.Errorf("%s: the settlement is not undone: %v, %s with %s", name, err, after.Phase, after.OnLayout())
		}
	}
}
