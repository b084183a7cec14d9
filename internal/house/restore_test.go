package house_test

import (
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Where a player could still bet or decide with a deck when the copy was made, its seed is
// replaced, because it may be known. That is so also where a fault had stopped the table, and
// where a question was open. A round whose outcome stands goes on, and so does one that stands
// before a question to which nobody can answer that it is void: that is said.
func TestEverySeedOfACopyIsReplaced(t *testing.T) {
	steady.Sequential(t)
	closeBets, deal, raise := table.CloseBets{}, table.Deal{}, table.Raise{Box: 1, Player: "ann"}
	examine := table.Examine{Box: 1, Player: "ann"}
	stages := []struct {
		name  string
		steps []table.Action // after the bet, by the dealer unless ann acts
		phase table.Phase
		// replaced says that there is another commitment, and left that the round is named.
		replaced, left bool
	}{
		{"bets laid", nil, table.Voided, true, false},
		{"bets closed", []table.Action{closeBets}, table.Voided, true, false},
		{"a question before the deal", []table.Action{table.Report{Incident: rules.Uncovered}}, table.Voided, true, false},
		{"some cards dealt", []table.Action{closeBets, table.Deal{Cards: make([]table.Drawn, 2)}}, table.Voided, true, false},
		{"dealt", []table.Action{closeBets, deal}, table.Voided, true, false},
		{"a question after the deal", []table.Action{closeBets, deal, table.Report{Incident: rules.Uncovered}}, table.Voided, true, false},
		{"facts to be confirmed", []table.Action{closeBets, deal, examine, table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000}}, table.Deciding, false, true},
		{"decided", []table.Action{closeBets, deal, raise}, table.Deciding, false, false},
		{"shown", []table.Action{closeBets, deal, raise, table.Reveal{}}, table.Showing, false, false},
	}
	for i, book := range []string{"us-3cp", "sm-3cp", "rws-3cp", "fr-p3c@2007"} {
		for j, stage := range stages {
			for k, stopped := range []bool{false, true} {
				// By default each stage with one book, and stopped with another.
				if !steady.Turn(i+j+2*k, 4) {
					continue
				}
				s := newSite(t)
				s.install("A", book)
				s.install("idle", book)
				s.install("open", book)
				s.buyIn("ann", 100*money.Major)
				s.do("open", dealer, table.OpenBets{})
				s.bet("A")
				for _, do := range stage.steps {
					by := dealer
					switch do.(type) {
					case table.Examine, table.Raise:
						by = ann
					}
					s.do("A", by, do)
				}
				if stopped {
					for _, name := range s.Tables() {
						s.Halt(name, errors.New("a fault"))
					}
				}
				s.restart()
				s.restored(stopped, func(name string) (table.Phase, bool, bool) {
					if name == "A" {
						return stage.phase, stage.replaced, stage.left
					}
					return table.Ready, true, false
				}, book+", "+stage.name)
			}
		}
	}
}

// restored has the house go on from a copy of its record. It checks each table's phase, whether
// its seed was replaced, and whether its round is named as one that is left.
func (s *site) restored(stopped bool, want func(name string) (phase table.Phase, replaced, left bool), about string) {
	s.Helper()
	before := map[string]string{}
	for _, name := range s.Tables() {
		_, hash, _, _ := s.Commitment(name)
		before[name] = hash.String()
	}
	stops := ownEvents[house.TableStopped](s)
	r := house.Restored{By: access.Person{Name: "ada", Role: access.Administrator}, And: manager, Why: "the disk failed", Name: "trey-house/00", Through: s.store.Head().Size - 1}
	left, err := s.Restore(ctx(), r)
	if err != nil {
		s.Fatalf("%s: %v", about, err)
	}
	for _, name := range s.Tables() {
		phase, replaced, isLeft := want(name)
		_, hash, _, _ := s.Commitment(name)
		at, err := s.Status(name)
		if err != nil {
			s.Fatal(err)
		}
		named := false
		for i := range left {
			named = named || left[i].Table == name && left[i].Refused != nil
		}
		if at.State.Phase() != phase || (hash.String() != before[name]) != replaced || named != isLeft {
			s.Errorf("%s, stopped %t: %s is in phase %v, with a new seed %t, named %t", about, stopped, name, at.State.Phase(), hash.String() != before[name], named)
		}
		if errors.Is(at.Stopped, house.ErrStopped) != stopped {
			s.Errorf("%s: %s has stopped: %v", about, name, at.Stopped)
		}
	}
	if err := s.Audit(); err != nil {
		s.Errorf("%s: %v", about, err)
	}
	again := ownEvents[house.TableStopped](s)
	if len(again) != 2*len(stops) {
		s.Fatalf("%s: %d stops are recorded after %d", about, len(again), len(stops))
	}
	s.restart()
	for i := range stops {
		at, err := s.Status(stops[i].Table)
		if err != nil {
			s.Fatal(err)
		}
		if now := again[len(stops)+i]; now.Round != at.State.Round() || now.Table != stops[i].Table || now.Fault != stops[i].Fault || now.During.By != stops[i].During.By {
			s.Errorf("%s: stopped again by %+v", about, now)
		}
		if _, err := s.Release(ctx(), "", manager, stops[i].Table, "looked into"); err != nil {
			s.Errorf("%s: release %s: %v", about, stops[i].Table, err)
		}
	}
	s.do("idle", dealer, table.OpenBets{})
	s.do("idle", ann, ante(ann, 1, 10*money.Major))
}
