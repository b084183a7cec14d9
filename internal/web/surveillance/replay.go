package surveillance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/web/felt"
	"trey/internal/web/site"
	"trey/internal/web/telling"
	"trey/rules"
	"trey/table"
)

// step is one transaction of a round, and the felt after it.
type step struct {
	seq, atMs int64
	by, role  string
	command   string
	sayings   []telling.Saying
	// clauses are the provisions that were applied.
	clauses []string
	lines   []table.Line
	layout  felt.Table
}

var errEnough = errors.New("that is enough")

// read reads a round, and says whether it is in play. What is asked for as it
// stands after the reading can only be further on.
func (r *room) read(v *site.Visit, name string, round int) (all []*house.Notice, inPlay bool, err error) {
	var from int64
	err = r.Record.Rounds(v.Context(), "table:"+name, round+1, 1, func(m house.RoundMark) error {
		if m.Round == round {
			from = m.Seq
		}
		return nil
	})
	if err == nil && from == 0 {
		err = house.ErrNoRound
	}
	if err != nil {
		return nil, false, err
	}
	err = r.House.Since(v.Context(), house.Topic{Table: name}, from-1, func(n *house.Notice) error {
		if n.Round != round {
			return errEnough
		}
		all = append(all, n)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, false, err
	}
	now, err := r.House.Table(name)
	return all, now.Round == round && now.Phase.InRound(), err
}

// seen is an event as it may be told: all of it once the round is over, and what
// the whole table knows as long as it lasts.
func seen(e table.Event, s *table.State, inPlay bool) table.Event {
	if inPlay {
		return table.Redact(e, *s, table.Viewer{})
	}
	return e
}

// drawn is the felt as it was. Once the round is over the cards that lay face down
// have their faces beside them; in play nobody is shown them.
func drawn(s *table.State, inPlay bool) felt.Table {
	if inPlay {
		picture := table.View(*s, table.Viewer{})
		return felt.Of(s.Variant, &picture)
	}
	return felt.Example(s)
}

func stepOf(n *house.Notice, inPlay bool) step {
	s := step{seq: n.Seq, atMs: n.AtMs, by: n.Cause.By, role: n.Cause.Role, command: n.Cause.Kind, layout: drawn(&n.State, inPlay)}
	for _, e := range n.Events {
		for _, clause := range journal.Clauses(e) {
			if !slices.Contains(s.clauses, clause) {
				s.clauses = append(s.clauses, clause)
			}
		}
		switch e := e.(type) {
		case table.ForfeitsCollected:
			s.lines = e.Lines
		case table.Settled:
			s.lines = append(s.lines, e.Lines...)
		case table.BoxSettled:
			s.lines = append(s.lines, e.Lines...)
		case table.SettlementUndone:
			s.lines = append(s.lines, e.Lines...)
		case table.RoundVoided:
			s.lines = e.Lines
		case table.HandInvalidated:
			s.lines = e.Lines
		case table.BetsReturned:
			s.lines = e.Lines
		case table.DecisionRestored:
			s.lines = e.Lines
		case table.PaymentCorrected:
			s.lines = e.Lines
		}
		s.sayings = append(s.sayings, telling.Of(seen(e, &n.State, inPlay), &n.State)...)
	}
	return s
}

// film is a round from its first step to its last.
type film struct {
	table  string
	round  int
	steps  []step
	inPlay bool
	book   *rules.Book
	// before and after are the rounds beside it, zero for none.
	before, after int
}

func (r *room) replay(v *site.Visit) error {
	s, ok, err := r.Desk.Staff(v, access.SearchRounds)
	if !ok {
		return err
	}
	f := &film{table: v.Request.PathValue("table")}
	if f.round, err = strconv.Atoi(v.Request.PathValue("round")); err != nil || f.round < 1 {
		return v.NotFound()
	}
	var notices []*house.Notice
	notices, f.inPlay, err = r.read(v, f.table, f.round)
	if errors.Is(err, house.ErrNoRound) || errors.Is(err, house.ErrNoTable) {
		return v.NotFound()
	}
	if err != nil {
		return err
	}
	for _, n := range notices {
		f.book = n.State.Variant.Book
		if len(n.Events) > 0 {
			f.steps = append(f.steps, stepOf(n, f.inPlay))
		}
	}
	f.before = f.round - 1
	if now, err := r.House.Table(f.table); err == nil && now.Round > f.round {
		f.after = f.round + 1
	}
	return v.Show(site.Page{
		Title: fmt.Sprintf("%s · %s", f.table, v.T("tables.round", "round", f.round)), Modules: []string{"scenario.js"}, Wide: true,
		Body: filmPage(v, s, f),
	})
}
