package house_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// A key answers the change that came with it and no other. A pace without clocks and none
// are not one change, though both leave out every clock.
func TestAKeyOfAChangeKnowsItsPace(t *testing.T) {
	pace, none := house.Pace{BettingMs: 9000}, house.Pace{}
	for name, test := range map[string]struct{ first, other *house.Pace }{
		"the pace stays":   {nil, &none},
		"the clocks go":    {&none, nil},
		"the pace changes": {&house.Pace{BettingMs: 8000}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.readTable(func(t *house.Table) { t.Pace = pace })
			change := func(p *house.Pace) (int, error) {
				return s.Change(ctx(), "k", manager, "A", house.Change{Variant: s.limits("A", 50*money.Major), Pace: p})
			}
			if from, err := change(test.first); err != nil || from != 1 {
				t.Fatal(from, err)
			}
			for range 2 {
				if from, err := change(test.first); err != nil || from != 1 {
					t.Errorf("the same again: from round %d, %v", from, err)
				}
				if _, err := change(test.other); !errors.Is(err, house.ErrKeyReused) {
					t.Errorf("the other one: %v", err)
				}
				s.restart()
			}
		})
	}
}

// Where the rules of a table cannot go over to the book of the program, the table's clocks and
// mode can be changed all the same: its rules stay.
func TestWhatIsNoRuleChangesUnderAnOldBook(t *testing.T) {
	first, second := twoRevisions()
	second.Rulings = slices.DeleteFunc(second.Rulings, func(r rules.OpenRuling) bool { return r.Ruling == rules.EnvyPer })
	s := byProgram(t, first)
	s.find = program(second)
	s.restart()
	pace := house.Pace{ShowMs: 3000}
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Pace: &pace}); err != nil {
		t.Error(err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrOldRules) {
		t.Errorf("a round begins: %v", err)
	}
	v := first.Standard()
	v.GraceMs++
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: v}); !errors.Is(err, house.ErrUnplayable) {
		t.Errorf("rules of a book that the program has not: %v", err)
	}
	// Also where the table keeps its book because a machine does not read the other one.
	s.unread = func(string, int) []string { return []string{"n2"} }
	s.restart()
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: v}); err != nil {
		t.Errorf("rules of the book that the table keeps: %v", err)
	}
	third := *first
	third.Rulings = slices.Clone(first.OpenRulings())[1:]
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: third.Standard()}); !errors.Is(err, house.ErrUnplayable) {
		t.Errorf("rules of a book that nobody has: %v", err)
	}
}

// A table without a jackpot goes over to a later revision of its book as well.
func TestATableWithoutAJackpotGoesOver(t *testing.T) {
	first := variant(t, "us-3cp").Book
	second := *first
	second.Revision++
	s := newSite(t)
	s.find = program(first)
	s.restart()
	s.install("A", "us-3cp")
	s.find = program(&second)
	s.restart()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	if status, err := s.Status("A"); err != nil || status.State.Variant().Book.Hash() != second.Hash() {
		t.Errorf("the round is played by another book, %v", err)
	}
}

// A table stays with its book, also where another one could be played there.
func TestATableStaysWithItsBook(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	tried := 0
	for _, b := range books.All() {
		if b.ID == "us-3cp" || b.Standard().Jackpot != nil {
			continue
		}
		tried++
		_, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: b.Standard()})
		if !errors.Is(err, house.ErrUnplayable) || !strings.Contains(err.Error(), "is played at another table") {
			t.Errorf("%s: %v", b.ID, err)
		}
	}
	if tried == 0 {
		t.Error("no other book is without a jackpot")
	}
}

// A name is what a change may be about, and a mode is one that there is.
func TestAChangeOfANameAndOfAMode(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	v := variant(t, "us-3cp")
	v.ID = "renamed"
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: v}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if at, err := s.RulesAt("A", 1); err != nil || at.ID != v.ID || at.Hash() != variant(t, "us-3cp").Hash() {
			t.Errorf("the next round is played by %s, %v", at.ID, err)
		}
		s.restart()
	}
	mode := slices.Max(house.Modes()) + 1
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Mode: mode}); !errors.Is(err, house.ErrUnplayable) {
		t.Errorf("mode %d, of which there is none: %v", mode, err)
	}
}

// A table whose device the book of the program no longer has does not go over to it. It begins
// no round, and says why.
func TestATableWhoseDeviceIsGone(t *testing.T) {
	first, second := twoRevisions()
	second.Devices = slices.DeleteFunc(slices.Clone(second.Devices), func(r rules.DeviceRule) bool { return r.Device == rules.Shuffler })
	s := byProgram(t, first)
	before := len(s.read("house"))
	s.find = program(second)
	s.restart()
	if kinds := s.ownSince(before); len(kinds) != 0 {
		t.Errorf("the house recorded %v", kinds)
	}
	_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}})
	if !errors.Is(err, house.ErrOldRules) || !strings.Contains(err.Error(), "is not dealt from") {
		t.Errorf("a round begins: %v", err)
	}
}

// A table is of a book that the program has.
func TestATableOfABookThatTheProgramLacks(t *testing.T) {
	first, _ := twoRevisions()
	s := byProgram(t, first)
	v := variant(t, "us-3cp")
	err := s.Install(ctx(), house.Table{Name: "U", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual}}, admin)
	if err == nil || !strings.Contains(err.Error(), "this program has one book") {
		t.Errorf("it was installed: %v", err)
	}
}

// An earlier program says that a table has a later book also where no round was begun by it.
func TestALaterBookIsKnownBeforeItsFirstRound(t *testing.T) {
	first, second := twoRevisions()
	s := byProgram(t, first)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		of   *rules.Book
		want error
	}{{second, nil}, {first, house.ErrOldProgram}, {second, nil}} {
		s.find = program(step.of)
		s.restart()
		if err := s.LaterBook(); !errors.Is(err, step.want) {
			t.Errorf("by a program with revision %d: %v", step.of.Revision, err)
		}
	}
}

// Where the money is real, nobody in the house gives a table pays of their own: another pay table
// that the book offers is chosen, and limits are. The operator's configuration may give others,
// which stay then. Where money is given away, everybody with the right to change rules may.
func TestPaysOfRealMoney(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.install("A", b.ID)
			play := false
			open := func() { s.reopen(func(w *house.World) { w.PlayMoney = play }) }
			open()
			changes := func(what string, configured bool, want error, change func(v *rules.Variant)) {
				t.Helper()
				v := s.limits("A", 10*money.Major)
				if status, err := s.Status("A"); err != nil {
					t.Fatal(err)
				} else if status.Next != nil {
					v = status.Next.Variant.Clone()
				}
				change(v)
				if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: v, Configured: configured}); !errors.Is(err, want) {
					t.Errorf("%s: %v", what, err)
				}
			}
			pays := func(v *rules.Variant, w rules.Wager, to rules.PayTable) { v.Pays[w] = &to }
			for _, w := range rules.Wagers() {
				rule := b.Rule(w)
				if rule == nil || len(rule.Pays) == 0 {
					continue
				}
				for i := range rule.Pays[1:] {
					changes("what the book offers", false, nil, func(v *rules.Variant) { pays(v, w, rule.Pays[i+1]) })
				}
				dear := rule.Pays[0]
				dear.Rows = slices.Clone(dear.Rows)
				last := &dear.Rows[len(dear.Rows)-1].Pay
				if *last != rules.ToOne(1) || w == rules.Ante || w == rules.Play || w == rules.Main {
					continue
				}
				*last = rules.ToOne(2)
				changes("a pay of one's own for "+w.String(), false, house.ErrOwnPays, func(v *rules.Variant) { pays(v, w, dear) })
				changes("what the operator gives for "+w.String(), true, nil, func(v *rules.Variant) { pays(v, w, dear) })
				changes("fewer boxes beside it", false, nil, func(v *rules.Variant) { v.Boxes--; pays(v, w, dear) })
				changes("what the book offers again", false, nil, func(v *rules.Variant) { pays(v, w, rule.Pays[0]) })
				play = true
				open()
				changes("a pay of one's own for no money", false, nil, func(v *rules.Variant) { pays(v, w, dear) })
				changes("what the book offers for no money", false, nil, func(v *rules.Variant) { pays(v, w, rule.Pays[0]) })
				play = false
				open()
			}
			for _, w := range rules.Wagers() {
				if b.Rule(w) == nil {
					changes("pays of a wager that the book lacks", false, house.ErrOwnPays, func(v *rules.Variant) {
						v.GraceMs++
						pays(v, w, b.Wagers[0].Pays[0])
					})
				}
			}
			for name, rounding := range map[string]money.Rounding{
				"another unit": {Unit: 25, Favour: money.Player}, "another favour": {Favour: money.House},
			} {
				changes(name, false, house.ErrOwnPays, func(v *rules.Variant) { v.Rounding = rounding })
			}
			changes("a cent is a cent", false, nil, func(v *rules.Variant) { v.GraceMs, v.Rounding.Unit = v.GraceMs+1, money.Minor })
		})
	}
}

// Where the money is real, nobody in the house gives players of a table that runs by itself less
// than five seconds for anything. The operator may, and what was given stays.
func TestClocksOfRealMoney(t *testing.T) {
	const least = 5000
	s := newSite(t)
	s.install("A", "us-3cp")
	play := false
	open := func() { s.reopen(func(w *house.World) { w.PlayMoney = play }) }
	open()
	change := func(what string, c house.Change, want error) {
		t.Helper()
		if _, err := s.Change(ctx(), "", manager, "A", c); !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	paced := func(betting, decision, option int64) *house.Pace {
		return &house.Pace{BettingMs: betting, DecisionMs: decision, OptionMs: option}
	}
	short := []*house.Pace{paced(least-1, least, least), paced(least, least-1, least), paced(least, least, least-1)}
	none := []*house.Pace{paced(0, least, least), paced(least, 0, least), paced(least, least, 0)}
	change("the clocks of a dealer's table", house.Change{Pace: short[0]}, nil)
	change("which then runs by itself", house.Change{Mode: house.Automatic}, house.ErrShort)
	for _, p := range short {
		change("too short", house.Change{Mode: house.Automatic, Pace: p}, house.ErrShort)
	}
	for _, p := range none {
		change("without a clock", house.Change{Mode: house.Automatic, Pace: p}, house.ErrNoClock)
		change("without a clock by the operator", house.Change{Mode: house.Automatic, Pace: p, Configured: true}, house.ErrNoClock)
	}
	waits := s.limits("A", 20*money.Major)
	waits.Choices[rules.AbsentPlayer] = rules.WaitForPlayer
	change("that waits for players", house.Change{Variant: waits, Mode: house.Automatic, Pace: paced(least, least, least)}, house.ErrUnattended)
	change("and has no clock for them", house.Change{Variant: waits, Mode: house.Automatic, Pace: none[1]}, house.ErrUnattended)
	change("by the operator", house.Change{Mode: house.Automatic, Pace: short[0], Configured: true}, nil)
	change("other limits beside them", house.Change{Variant: s.limits("A", 20*money.Major)}, nil)
	for _, p := range short[1:] {
		change("too short again", house.Change{Pace: p}, house.ErrShort)
	}
	change("as long as that", house.Change{Pace: paced(least, least, least)}, nil)
	play = true
	open()
	for _, p := range slices.Concat(short, none) {
		change("for no money", house.Change{Pace: p}, nil)
	}
	change("that waits for players by the clock", house.Change{Variant: waits, Pace: paced(0, 1, 0)}, house.ErrUnattended)
	change("that waits for players without one", house.Change{Variant: waits, Pace: paced(1, 0, 1)}, nil)
}

// Whoever asks for a table or a jackpot that there is none of is told so.
func TestWhatThereIsNoneOf(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1)
	adjusted := func(name string) error {
		_, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{
			Adjustment: posting.Adjustment{Player: "ann", Cause: posting.EntryError, Change: 1, Note: "n"},
			Of:         &house.RoundWager{Table: name, Round: 1, Box: 1, Wager: rules.Ante},
		})
		return err
	}
	open := house.CommandRequest{Table: "Z", By: dealer, Do: table.OpenBets{}}
	for _, test := range []struct {
		what string
		want error
		ask  func() error
	}{
		{"a table", house.ErrNoTable, func() error { _, err := s.Table("Z"); return err }},
		{"how a table stands", house.ErrNoTable, func() error { _, err := s.Status("Z"); return err }},
		{"the rules of a table", house.ErrNoTable, func() error { _, err := s.RulesAt("Z", 1); return err }},
		{"a seed", house.ErrNoTable, func() error { _, err := s.AddSeed(ctx(), "", ann, "Z", 0, "x"); return err }},
		{"a command", house.ErrNoTable, func() error { _, err := s.Do(ctx(), open); return err }},
		{"a command of the house", house.ErrNoTable, func() error { _, err := s.DoAsHouse(ctx(), "", "Z", table.OpenBets{}); return err }},
		{"a dry run", house.ErrNoTable, func() error { _, err := s.DryRun(ctx(), open); return err }},
		{"a release", house.ErrNoTable, func() error { _, err := s.Release(ctx(), "", manager, "Z", "it is sound"); return err }},
		{"a round", house.ErrNoTable, func() error { _, err := s.Round(ctx(), "Z", 1); return err }},
		{"a change", house.ErrNoTable, func() error {
			_, err := s.Change(ctx(), "", manager, "Z", house.Change{Mode: house.Automatic})
			return err
		}},
		{"a wager of a table", house.ErrNoTable, func() error { return adjusted("Z") }},
		{"a wager of a round", house.ErrNoRound, func() error { return adjusted("A") }},
		{"unpaid hits", house.ErrNoJackpot, func() error { _, err := s.PendingHits("other"); return err }},
		{"paid hits", house.ErrNoJackpot, func() error { _, err := s.PaidHits(ctx(), "other"); return err }},
	} {
		if err := test.ask(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
	if round, _, _, ok := s.Commitment("Z"); ok || round != 0 {
		t.Errorf("the table has the commitment of round %d", round)
	}
	if _, ok := s.Jackpot("other"); ok {
		t.Error("there is such a jackpot")
	}
}
