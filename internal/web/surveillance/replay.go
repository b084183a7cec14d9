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
	"trey/internal/web/narration"
	"trey/internal/web/site"
	"trey/rules"
	"trey/table"
)

// step is one transaction of a round, with the felt after it.
type step struct {
	seq, atMs int64
	by, role  string
	command   string
	sentences []narration.Line
	// clauses are the provisions that were applied.
	clauses []string
	lines   []table.Line
	layout  felt.Table
}

var errEnough = errors.New("that is enough")

// read reads a round, step by step: all of it once it is over, and what the whole table knows
// while it is in play.
func (r *handlers) read(v *site.Visit, f *replayPage) error {
	err := r.House.Ended(v.Context(), f.table, f.round, func(e *house.EndedStep) error {
		f.add(step{seq: e.Seq, atMs: e.AtMs, by: e.By, role: e.Role, command: e.Command, layout: felt.Example(&e.State)}, e.State.Variant, e.Events)
		return nil
	})
	if !errors.Is(err, house.ErrRoundOpen) {
		return err
	}
	f.inPlay, f.steps = true, nil
	var from int64
	err = r.Record.Rounds(v.Context(), "table:"+f.table, f.round+1, 1, func(m house.RoundMark) error {
		if m.Round == f.round {
			from = m.Seq
		}
		return nil
	})
	if err == nil && from == 0 {
		err = house.ErrNoRound
	}
	if err != nil {
		return err
	}
	err = r.House.EventsSince(v.Context(), house.Topic{Table: f.table}, from-1, func(n *house.Notice) error {
		if n.Round != f.round {
			return errEnough
		}
		events := make([]table.Event, len(n.Events))
		for i := range n.Events {
			events[i] = n.Events[i].For(table.Viewer{})
		}
		picture := n.State.View(table.Viewer{})
		f.add(step{seq: n.Seq, atMs: n.AtMs, by: n.Cause.By, role: n.Cause.Role, command: n.Cause.Kind, layout: felt.Of(n.State.Variant(), &picture)}, n.State.Variant(), events)
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// add appends a step with its events; without events it is left out.
func (f *replayPage) add(s step, by *rules.Variant, events []table.Event) {
	f.book = by.Book
	if len(events) == 0 {
		return
	}
	for _, e := range events {
		for _, clause := range journal.Clauses(e) {
			if !slices.Contains(s.clauses, clause) {
				s.clauses = append(s.clauses, clause)
			}
		}
		s.lines = append(s.lines, table.EffectOf(e).Lines...)
		s.sentences = append(s.sentences, narration.Of(e, &table.State{Variant: by})...)
	}
	f.steps = append(f.steps, s)
}

// replayPage is a round from its first step to its last.
type replayPage struct {
	table  string
	round  int
	steps  []step
	inPlay bool
	book   *rules.Book
	// before and after are the rounds beside it, zero for none.
	before, after int
}

func (r *handlers) replay(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.SearchRounds)
	if !ok {
		return err
	}
	f := &replayPage{table: v.Request.PathValue("table")}
	if f.round, err = strconv.Atoi(v.Request.PathValue("round")); err != nil || f.round < 1 {
		return v.NotFound()
	}
	err = r.read(v, f)
	if errors.Is(err, house.ErrNoRound) || errors.Is(err, house.ErrNoTable) {
		return v.NotFound()
	}
	if err != nil {
		return err
	}
	f.before = f.round - 1
	if now, err := r.House.Table(f.table); err == nil && now.Round() > f.round {
		f.after = f.round + 1
	}
	return v.Show(site.Page{
		Title: fmt.Sprintf("%s · %s", f.table, v.T("tables.round", "round", f.round)), Modules: []string{"scenario.js"}, Sheets: sheets, Wide: true,
		Body: filmPage(v, s, f),
	})
}
