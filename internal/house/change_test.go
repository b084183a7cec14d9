package house_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/money"
	"trey/rules"
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
