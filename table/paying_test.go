package table_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
	"trey/table"
)

var (
	rita = table.Actor{Name: "rita", Role: rules.Dealer}
	mona = table.Actor{Name: "mona", Role: rules.ShiftManager}
)

// purses are what players have laid and not got back, from events and their lines alone.
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
		switch is := a.(type) {
		case nil:
			continue
		case table.Deal:
			cards := unused(t, &s, len(is.Cards))
			for i := range is.Cards {
				if is.Cards[i].Card != card.None {
					is.Cards[i].Card = cards[i]
				}
			}
		case table.Bet:
			is.Amount *= money.Amount(rapid.IntRange(1, 3).Draw(t, "times"))
			a = is
		case table.Reveal:
			is.Hand = anyHand(t, &s, is.Hand)
			a = is
		case table.Show:
			is.Hand = anyHand(t, &s, is.Hand)
			a = is
		case table.LayUp:
			is.Hand = anyHand(t, &s, is.Hand)
			a = is
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
// order in which the book has them turned.
func shows(t *rapid.T, s table.State) (all []table.Action, settled table.State, ok bool) {
	for range 20 {
		_, next, err := table.Step(s, table.Command{By: rita, Do: table.Settle{Meter: 123_456}})
		if err == nil {
			return all, next, true
		}
		found := false
		for _, a := range table.Legal(s, mona) {
			switch is := a.(type) {
			case table.Show:
				is.Hand = anyHand(t, &s, is.Hand)
				a = is
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

func sortedLines(lines []table.Line) []table.Line {
	return slices.SortedFunc(slices.Values(lines), func(x, y table.Line) int {
		return cmp.Or(cmp.Compare(x.Box, y.Box), cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)))
	})
}

// However the steps of a settlement are mixed with the hands that are turned, and
// wherever the rest is settled at once, everybody has the same money by the same lines
// as when the whole round is settled at once, and the next round begins alike.
func TestStepsPayWhatOneSettlementPays(t *testing.T) {
	steps, rests := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, _, ok := revealed(t)
		if !ok {
			return
		}
		turn, once, ok := shows(t, s)
		if !ok {
			return
		}
		for s.Phase == table.Showing {
			var next []table.Action
			if len(turn) > 0 {
				next = append(next, turn[0])
			}
			if box := s.NextToSettle(); box != 0 {
				next = append(next, table.Settle{Box: box, Meter: 123_456})
			}
			if len(next) == 0 || rapid.IntRange(0, 5).Draw(t, "the rest") == 0 {
				next = append(next, table.Settle{Meter: 123_456})
			}
			a := rapid.SampledFrom(next).Draw(t, "next")
			events, after, err := table.Step(s, table.Command{By: mona, Do: a})
			if err != nil {
				if len(turn) == 0 {
					t.Fatalf("%#v: %v", a, err)
				}
				continue
			}
			if len(turn) > 0 && table.ActionKind(a) != "settle" {
				turn = turn[1:]
			} else if settle := a.(table.Settle); settle.Box != 0 {
				steps++
			} else {
				rests++
			}
			if last := events[len(events)-1]; table.EventKind(last) == "box-settled" && after.OnLayout() >= s.OnLayout() {
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
	})
	if steps == 0 || rests == 0 {
		t.Errorf("%d boxes were settled alone, and %d times the rest", steps, rests)
	}
}

// A stake that was entered wrongly and is found after its box was settled leaves
// everybody with what they would have had if it had been found before.
func TestALateFindingIsSettledAsAnEarlyOne(t *testing.T) {
	done := map[table.Phase]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, laid, ok := revealed(t)
		if !ok || !s.Config.Chips {
			return
		}
		turn, _, ok := shows(t, s)
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
		found := table.Found{
			Box: box, Player: rapid.SampledFrom(s.Boxes[box-1].Bettors).Draw(t, "whose").Player, AtCall: true,
			Wager:  rapid.SampledFrom(s.Variant.Book.Wagers).Draw(t, "wager").Wager,
			Amount: money.Amount(rapid.SampledFrom([]int64{0, 500, 1000, 2500, 4000}).Draw(t, "amount")),
		}
		put := func(s table.State, laid purses) (table.State, purses, bool) {
			laid = maps.Clone(laid)
			for _, c := range []table.Command{{By: rita, Do: found}, {By: mona, Do: table.Answer{Answer: "yes"}}} {
				if s.Question == nil && table.ActionKind(c.Do) == "answer" {
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
		early, before, ok := put(s, laid)
		if !ok {
			return
		}
		early, comes := settle(early)
		late := s
		for range rapid.IntRange(1, len(s.Boxes)+1).Draw(t, "settled before") {
			if next := late.NextToSettle(); next != 0 {
				_, after, err := table.Step(late, table.Command{By: rita, Do: table.Settle{Box: next, Meter: 123_456}})
				if err != nil {
					t.Fatal(err)
				}
				late = after
			}
		}
		phase, settled := late.Phase, late.Boxes[box-1].Settled && !late.Boxes[box-1].Collected
		late, after, ok := put(late, laid)
		if !ok {
			if settled && late.MeterPaid(box) == 0 && late.Boxes[box-1].Bettors[0].Stakes[found.Wager] != found.Amount && found.Wager != rules.Progressive {
				for _, b := range s.Boxes[box-1].Bettors {
					if b.Player == found.Player && b.Stakes[found.Wager] != found.Amount {
						t.Fatalf("%#v is taken before the settlement and not after it", found)
					}
				}
			}
			return
		}
		late, ended := settle(late)
		if ended != comes {
			t.Fatalf("%#v lets the round end: before the settlement %t, after it %t", found, comes, ended)
		}
		if !ended {
			return
		}
		if settled {
			done[phase]++
		}
		if got, want := after.with(late.Lines), before.with(early.Lines); !maps.Equal(got, want) {
			t.Fatalf("%#v after the settlement leaves %v, and before it %v", found, got, want)
		}
		if got, want := late.Carried(), early.Carried(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the next round begins with %+v, and by an early finding with %+v", got, want)
		}
	})
	if done[table.Showing] == 0 || done[table.Paid] == 0 {
		t.Errorf("settled boxes were corrected %v times", done)
	}
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
	shown := g.s
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
		"a box that does not exist":   {shown, moved(func(e *table.BoxSettled) { e.Box = 9 })},
		"a box without bets":          {shown, moved(func(e *table.BoxSettled) { e.Box = 3 })},
		"another box's lines":         {shown, moved(func(e *table.BoxSettled) { e.Box = 2 })},
		"a line less":                 {shown, moved(func(e *table.BoxSettled) { e.Lines = e.Lines[1:] })},
		"more than is paid":           {shown, moved(func(e *table.BoxSettled) { e.Lines[0].Returned++ })},
		"undone before it is settled": {shown, undone(func(*table.SettlementUndone) {})},
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
