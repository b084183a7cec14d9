package scenario

import (
	"errors"
	"fmt"

	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Engine plays scenarios: it has tables that share one progressive jackpot. [Pure] is
// one; a house on a store is another.
type Engine interface {
	// Open puts a table into service. meter is what the progressive displays,
	// zero for its reset value; it counts only for the first table that has a
	// progressive, since the others share that one.
	Open(name string, v *rules.Variant, c table.Config, meter money.Amount) (table.State, error)
	// Do carries out one command at a table, together with whatever the
	// progressive has to do with it, or does nothing and returns a
	// [*table.Refusal] or a [*jackpot.Refusal]. Any other error is a fault.
	// Where the command leaves the meter open, the engine puts in what is
	// displayed.
	Do(name string, c table.Command) (Result, error)
	// Progressive returns the jackpot as it stands; ok is false where no table
	// has one.
	Progressive() (s jackpot.State, ok bool)
}

// Result is the result of a command.
type Result struct {
	// Command is the command as it was carried out, meter included.
	Command table.Command
	Events  []table.Event
	State   table.State
	// Jackpot is what happened to the progressive.
	Jackpot []jackpot.Event
}

// Pure is an [Engine] in memory, made of the pure packages table, jackpot and
// linked. The zero value has no tables.
type Pure struct {
	tables map[string]table.State
	meter  jackpot.State
}

// Open puts a table into service.
func (p *Pure) Open(name string, v *rules.Variant, c table.Config, meter money.Amount) (table.State, error) {
	if p.tables == nil {
		p.tables = make(map[string]table.State)
	}
	if _, there := p.tables[name]; there {
		return table.State{}, fmt.Errorf("there is a table %s already", name)
	}
	s, err := table.New(v, c)
	if err != nil {
		return table.State{}, err
	}
	if v.Jackpot != nil && !p.meter.Opened {
		if _, p.meter, err = linked.Open(v, meter, 0); err != nil {
			return table.State{}, err
		}
	}
	p.tables[name] = s
	return s, nil
}

// Progressive returns the jackpot as it stands.
func (p *Pure) Progressive() (jackpot.State, bool) { return p.meter, p.meter.Opened }

// Do carries out one command and what it means for the progressive.
func (p *Pure) Do(name string, c table.Command) (Result, error) {
	s, there := p.tables[name]
	if !there {
		return Result{}, fmt.Errorf("there is no table %s", name)
	}
	done, err := linked.Step(name, s, p.meter, c)
	if err != nil {
		return Result{}, err
	}
	p.tables[name], p.meter = done.State, done.Meter
	return Result{Command: done.Command, Events: done.Events, State: done.State, Jackpot: done.Moved}, nil
}

// refusalOf reads a refusal of either kind: its clause, reason and detail.
func refusalOf(err error) (clause, reason, detail string, ok bool) {
	var t *table.Refusal
	if errors.As(err, &t) {
		return t.Clause, t.Reason.String(), t.Detail, true
	}
	var j *jackpot.Refusal
	if errors.As(err, &j) {
		return j.Clause, j.Reason.String(), j.Detail, true
	}
	return "", "", "", false
}
