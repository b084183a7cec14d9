package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/money"
	"trey/table"
)

// changedLog is a record of which the audit reads some transactions otherwise.
type changedLog struct {
	auditor.Log
	change func(*house.Leaf)
}

func (l changedLog) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return l.Log.Leaves(ctx, after, func(leaf house.Leaf) error {
		l.change(&leaf)
		return yield(leaf)
	})
}

// audited returns what the audit finds of the records of rounds.
func (s *site) audited(change func(*house.Leaf)) string {
	s.Helper()
	found, err := auditor.CheckRounds(ctx(), changedLog{s.store, change})
	if err != nil {
		s.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintln(found))
}

// Leaves commit to the records that the audit makes from the transactions. That holds for every
// kind of round, with stops in the middle of rounds and later corrections. Where they differ,
// the audit names the table and the round.
func TestTheAuditMakesEveryRecordAnew(t *testing.T) {
	steady.Sequential(t)
	for i, name := range slices.Sorted(maps.Keys(samples)) {
		if !steady.Turn(i+1, 3) {
			continue
		}
		play := samples[name]
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.seed, s.notary = shuffle.Numbered(7), &signatures{of: s}
			if name == "jackpot" {
				s.seed = royal(t)
			}
			s.restart()
			play(s)
			if found := s.audited(func(*house.Leaf) {}); found != "[]" {
				t.Errorf("found %s", found)
			}
			r, err := s.Round(ctx(), "A", 1)
			if err != nil {
				t.Fatal(err)
			}
			table := func(of *house.Leaf) *house.LinePart {
				for i := range of.Line.Parts {
					if of.Line.Parts[i].Stream == "table:A" {
						return &of.Line.Parts[i]
					}
				}
				return new(house.LinePart)
			}
			at := fmt.Sprintf("[transaction %d: table A, round 1: ", r.Seq)
			for what, change := range map[string]func(*house.Leaf){
				"the record": func(l *house.Leaf) { table(l).Record = strings.Repeat("0", 64) },
				"its round":  func(l *house.Leaf) { table(l).OfRound = 2 },
				"no record":  func(l *house.Leaf) { table(l).Record, table(l).OfRound = "", 0 },
				"the time":   func(l *house.Leaf) { l.AtMs++ },
				"the person": func(l *house.Leaf) {
					l.Line.Cause = json.RawMessage(strings.Replace(string(l.Line.Cause), `"by":"`, `"by":"x`, 1))
				},
			} {
				found := s.audited(func(l *house.Leaf) {
					if l.Seq == r.Seq {
						change(l)
					}
				})
				if !strings.HasPrefix(found, at) {
					t.Errorf("%s is another: found %s, want %s", what, found, at)
				}
			}
			first := int64(0)
			found := s.audited(func(l *house.Leaf) {
				if first == 0 && table(l).Events != nil && strings.Contains(string(table(l).Events), "bets-opened") {
					first = l.Seq
					table(l).Record, table(l).OfRound = strings.Repeat("0", 64), 1
				}
			})
			if want := fmt.Sprintf("[transaction %d: table A, round 1: its leaf commits to a record of round 1, which does not end with it", first); !strings.HasPrefix(found, want) {
				t.Errorf("a record of a round that has not ended: found %s, want %s", found, want)
			}
		})
	}
}

// A correction after the end of a round is committed to once more, with the complete record. So
// are seeds of the next round in between, and after a stop nothing is committed to in another
// way.
func TestACorrectionCommitsToTheRoundOnceMore(t *testing.T) {
	for _, stop := range []bool{false, true} {
		s := newSite(t)
		s.install("A", "us-3cp")
		s.buyIn("ann", 1000*money.Major)
		s.bet("A")
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.finish("A")
		s.proven("A", 1)
		first, err := s.Round(ctx(), "A", 1)
		if err != nil {
			t.Fatal(err)
		}
		s.add("ann", "for the next round")
		if stop {
			s.restart()
		}
		s.do("A", supervisor, table.CloseTable{})
		s.do("A", supervisor, table.OpenTable{})
		s.proven("A", 1)
		second, err := s.Round(ctx(), "A", 1)
		if err != nil {
			t.Fatal(err)
		}
		// The supervisor gets a number in between.
		if second.Seq != first.Seq+4 || len(second.Text) <= len(first.Text) {
			t.Errorf("the record is that of transaction %d with %d bytes, and was that of %d with %d", second.Seq, len(second.Text), first.Seq, len(first.Text))
		}
		s.bet("A")
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.finish("A")
		if r := s.proven("A", 2); len(r.Seed.Own) != 1 || r.Steps[0].Kind != "add-seed" {
			t.Errorf("the second round has the seeds %v", r.Seed.Own)
		}
		if found := s.audited(func(*house.Leaf) {}); found != "[]" {
			t.Errorf("found %s", found)
		}
	}
}

// A house could write a round into its record, and have its leaf commit to it, that was dealt
// from another deck or settled by other rules. The audit verifies each round, as whoever is
// given its record does.
func TestTheAuditVerifiesEveryRound(t *testing.T) {
	s := newSite(t)
	s.seed, s.notary = shuffle.Numbered(7), &signatures{of: s}
	s.restart()
	samples["settled"](s)
	r, err := s.Round(ctx(), "A", 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"a card":    {`"4d"`, `"4c"`, "cards fails at steps[8]"},
		"a payment": {`"pays":1000`, `"pays":2000`, "commands fails at steps[12]"},
	} {
		// What the leaf commits to is made to be what then follows from the transactions.
		digest, altered := "", false
		change := func(l *house.Leaf) {
			text := func(of json.RawMessage) json.RawMessage {
				after := strings.ReplaceAll(string(of), c.from, c.to)
				altered = altered || after != string(of)
				return json.RawMessage(after)
			}
			l.Line.Cause, l.Line.Postings = text(l.Line.Cause), text(l.Line.Postings)
			for i := range l.Line.Parts {
				p := &l.Line.Parts[i]
				if p.Stream != "table:A" {
					continue
				}
				p.Events = text(p.Events)
				if p.Record != "" && digest != "" {
					p.Record = digest
				}
			}
		}
		_, after, committed := strings.Cut(s.audited(change), "and what happened comes to ")
		if !altered || !committed {
			t.Errorf("%s: %s is not in the record, or changes nothing that is committed to", name, c.from)
			continue
		}
		digest = after[:64]
		want := fmt.Sprintf("transaction %d: table A, round 1: ", r.Seq)
		if found := s.audited(change); strings.Contains(found, "its leaf commits to") || !strings.Contains(found, want) || !strings.Contains(found, c.want) {
			t.Errorf("%s: found %s, want %q", name, found, c.want)
		}
	}
}
