package scenario

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Engine is what a scenario is played on: tables that share one progressive
// jackpot. [Pure] is one; a house on a store is another.
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

// Result is what came of a command.
type Result struct {
	// Command is the command as it was carried out, meter included.
	Command table.Command
	Events  []table.Event
	State   table.State
	// Jackpot is what happened to the progressive.
	Jackpot []jackpot.Event
}

// Pure is an [Engine] in memory, made of the pure packages table and jackpot.
// The zero value has no tables.
type Pure struct {
	tables map[string]*pureTable
	meter  jackpot.State
	dealt  int64 // hits registered, to tell apart those of one instant
}

type pureTable struct {
	state table.State
	// round names the round whose Progressive bets the meter holds, if any.
	round *jackpot.RoundID
}

// Open puts a table into service.
func (p *Pure) Open(name string, v *rules.Variant, c table.Config, meter money.Amount) (table.State, error) {
	if p.tables == nil {
		p.tables = make(map[string]*pureTable)
	}
	if p.tables[name] != nil {
		return table.State{}, fmt.Errorf("there is a table %s already", name)
	}
	s, err := table.New(v, c)
	if err != nil {
		return table.State{}, err
	}
	if v.Jackpot != nil && !p.meter.Opened {
		if err := p.openMeter(v, meter); err != nil {
			return table.State{}, err
		}
	}
	p.tables[name] = &pureTable{state: s}
	return s, nil
}

func (p *Pure) openMeter(v *rules.Variant, meter money.Amount) error {
	terms := jackpot.Terms{
		Bet: v.Jackpot.Bet, Reset: v.Jackpot.Reset,
		Rate:    jackpot.Rate{Num: v.Jackpot.RateNum, Den: v.Jackpot.RateDen},
		Ceiling: v.Jackpot.Ceiling, Overflow: jackpot.OverflowOnTop,
	}
	if meter == 0 {
		meter = terms.Reset
	}
	fixed := new(big.Rat).Set(v.Pays[rules.Progressive].FixedReturn(v.Book.Ranking))
	events, err := jackpot.Decide(p.meter, jackpot.Open{
		Terms: terms, FixedReturn: jackpot.FixedReturn{Num: fixed.Num().Int64(), Den: fixed.Denom().Int64()}, Meter: meter,
	})
	if err != nil {
		return err
	}
	for _, e := range events {
		if p.meter, err = jackpot.Evolve(p.meter, e); err != nil {
			return err
		}
	}
	return nil
}

// Progressive returns the jackpot as it stands.
func (p *Pure) Progressive() (jackpot.State, bool) { return p.meter, p.meter.Opened }

// movement is the progressive's side of one command, tried on a copy: nothing
// is kept unless the whole command succeeds.
type movement struct {
	meter  jackpot.State
	events []jackpot.Event
}

func (m *movement) do(commands ...jackpot.Command) error {
	for _, c := range commands {
		events, err := jackpot.Decide(m.meter, c)
		if err != nil {
			return err
		}
		for _, e := range events {
			if m.meter, err = jackpot.Evolve(m.meter, e); err != nil {
				return err
			}
		}
		m.events = append(m.events, events...)
	}
	return nil
}

// Do carries out one command and what it means for the progressive: bets
// contribute when betting closes and are taken back when they are returned; a
// hand that wins a share of the meter takes its place in the order of payment
// when it is dealt, and is paid at the settlement in its turn.
func (p *Pure) Do(name string, c table.Command) (Result, error) {
	t := p.tables[name]
	if t == nil {
		return Result{}, fmt.Errorf("there is no table %s", name)
	}
	m := &movement{meter: p.meter}
	before := t.state
	linked := before.Variant.Jackpot != nil
	hits := hitsOf(before)
	if linked {
		var err error
		if c, err = p.prepare(m, t, c, hits); err != nil {
			return Result{}, err
		}
	}
	events, after, err := table.Step(before, c)
	if err != nil {
		return Result{}, err
	}
	r := Result{Command: c, Events: events, State: after}
	round, dealt := t.round, p.dealt
	if linked {
		if round, dealt, err = p.follow(m, name, t, hits, r); err != nil {
			return Result{}, err
		}
	}
	r.Jackpot = m.events
	t.state, t.round, p.meter, p.dealt = after, round, m.meter, dealt
	return r, nil
}

// hitsOf lists the boxes that win a share of the meter, in a round that is
// being played.
func hitsOf(s table.State) []int {
	if !s.Phase.InRound() {
		return nil
	}
	return s.MajorHits()
}

// prepare puts the displayed value into a command that needs it, and pays the
// hits of a round that is about to be settled.
func (p *Pure) prepare(m *movement, t *pureTable, c table.Command, hits []int) (table.Command, error) {
	switch do := c.Do.(type) {
	case table.Report:
		if do.Incident == rules.ProgressiveDown {
			if err := m.read(&do.Meter); err != nil {
				return c, err
			}
			c.Do = do
		}
	case table.Settle:
		if len(hits) == 0 || t.round == nil {
			return c, nil
		}
		if err := m.read(&do.Meter); err != nil {
			return c, err
		}
		c.Do = do
		// The table speaks first: a settlement that is refused pays nobody.
		if _, err := table.Decide(t.state, c); err != nil {
			return c, err
		}
		for _, box := range hits {
			hit := jackpot.HitID{Table: t.round.Table, Round: t.round.Round, Box: box}
			if err := m.do(jackpot.Confirm{Hit: hit}, jackpot.Pay{Hit: hit}); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// read puts the displayed value where none is given. One that is given has to
// be what is displayed: a payment follows the screen, not the memory of a dealer.
func (m *movement) read(given *money.Amount) error {
	shown := m.meter.Displayed()
	if *given != 0 && *given != shown {
		return &table.Refusal{Reason: table.MeterUnknown, Detail: fmt.Sprintf("the screen shows %s, not %s", shown.Display(), given.Display())}
	}
	*given = shown
	return nil
}

// follow does what the events of a command ask of the progressive.
func (p *Pure) follow(m *movement, name string, t *pureTable, before []int, r Result) (*jackpot.RoundID, int64, error) {
	round, dealt := t.round, p.dealt
	after := hitsOf(r.State)
	if r.State.Phase == table.Paid {
		after = before
	}
	if round != nil {
		for _, box := range before {
			if slices.Contains(after, box) {
				continue
			}
			hit := jackpot.HitID{Table: round.Table, Round: round.Round, Box: box}
			if err := m.do(jackpot.Forfeit{Hit: hit, Cause: forfeitCause(r.State, box)}); err != nil {
				return nil, 0, err
			}
		}
	}
	for _, e := range r.Events {
		var commands []jackpot.Command
		switch e := e.(type) {
		case table.BetsOpened, table.TableClosed:
			// Until here an error of the settled round could still be found.
			if round != nil {
				commands, round = append(commands, jackpot.CloseRound{Round: *round}), nil
			}
		case table.ProgressiveFailed:
			if !m.meter.Down {
				commands = append(commands, jackpot.SystemDown{})
			}
		case table.ProgressiveSuspended:
			// Where only boxes are out of use, the jackpot itself works.
			if e.Option == table.WithoutBoxes && m.meter.Down {
				commands = append(commands, jackpot.SystemUp{})
			}
		case table.ProgressiveRestored:
			if m.meter.Down {
				commands = append(commands, jackpot.SystemUp{})
			}
		}
		if err := m.do(commands...); err != nil {
			return nil, 0, err
		}
	}
	round, err := m.balance(name, round, t.state.Phase, r)
	if err != nil {
		return nil, 0, err
	}
	if round == nil {
		return nil, dealt, nil
	}
	for _, box := range after {
		hit := jackpot.HitID{Table: round.Table, Round: round.Round, Box: box}
		if _, known := m.meter.Hit(hit); known {
			continue
		}
		dealt++
		place := jackpot.Place{DealtAt: max(1, r.State.Boxes[box-1].DealtAtMs*1_000_000), Sequence: dealt}
		if err := m.do(jackpot.HandDealt{Hit: hit, Place: place}); err != nil {
			return nil, 0, err
		}
	}
	return round, dealt, nil
}

// balance makes the meter hold the contributions of exactly the Progressive bets
// that are in the round: from the close of the betting until the next round.
func (m *movement) balance(name string, round *jackpot.RoundID, before table.Phase, r Result) (*jackpot.RoundID, error) {
	if r.State.Phase < table.Dealing || r.State.Phase == table.Closed {
		return round, nil
	}
	var held int64
	if round != nil {
		for _, k := range m.meter.Rounds {
			if k.ID == *round {
				held = k.Held()
			}
		}
	}
	due := int64(r.State.ProgressiveBets())
	if before == table.Paid {
		// The stakes of a settled round have left the layout; what goes back
		// of them stands in the lines.
		due = held - returnedBets(r.Events)
	}
	switch {
	case due > held:
		if round == nil {
			round = &jackpot.RoundID{Table: name, Round: fmt.Sprint(r.State.Round)}
		}
		return round, m.do(jackpot.Contribute{Round: *round, Bets: due - held})
	case due < held:
		return round, m.do(jackpot.ReverseContributions{Round: *round, Bets: held - due, Cause: reversalCause(r.Events)})
	}
	return round, nil
}

func returnedBets(events []table.Event) (n int64) {
	for _, e := range events {
		for _, l := range linesOf(e) {
			if l.Wager == rules.Progressive && l.Stake > 0 {
				n++
			}
		}
	}
	return n
}

// linesOf returns the settlement lines of an event.
func linesOf(e table.Event) []table.Line {
	switch e := e.(type) {
	case table.BetsReturned:
		return e.Lines
	case table.HandInvalidated:
		return e.Lines
	case table.RoundVoided:
		return e.Lines
	case table.Settled:
		return e.Lines
	}
	return nil
}

func reversalCause(events []table.Event) jackpot.ReversalCause {
	cause := jackpot.ReversedNoAnte
	for _, e := range events {
		switch e.(type) {
		case table.RoundVoided:
			return jackpot.ReversedRoundVoided
		case table.HandInvalidated:
			cause = jackpot.ReversedHandInvalidated
		}
	}
	return cause
}

func forfeitCause(s table.State, box int) jackpot.ForfeitCause {
	switch {
	case s.Phase == table.Voided:
		return jackpot.ForfeitRoundVoided
	case s.Boxes[box-1].Invalid:
		return jackpot.ForfeitHandInvalidated
	case s.Boxes[box-1].Decision == table.Folded:
		return jackpot.ForfeitFolded
	}
	return jackpot.ForfeitMisreported
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
