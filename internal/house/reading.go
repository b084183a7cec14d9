package house

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"trey/internal/house/fair"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/table"
)

// OpenReading opens a house whose record another process writes. It shows what is in the
// record, and [House.Take] takes in what the record comes to. It takes no commands: what
// they need that is no part of what people see, such as seeds, is not read.
func OpenReading(ctx context.Context, store Store, w World) (*House, error) {
	w.Sealer, w.Notary = nil, nil
	h, last, err := read(ctx, store, w)
	if err != nil {
		return nil, err
	}
	h.lastMs.Store(last.ms)
	reading := fmt.Errorf("the house is read here and has %w: another process takes commands", ErrStopped)
	h.reading = reading
	return h, nil
}

// errTwice: a transaction was taken that the house has already.
var errTwice = errors.New("transactions are taken in their order, each once")

// Take takes in the next transaction of the record, in which persons stand by their
// numbers; it puts their names into it. Subscribers receive it, in the order of the calls. It
// is for a house that [OpenReading] opened, and for one goroutine. After an error the house
// must be opened again.
func (h *House) Take(e *StoredTransaction) error {
	if err := h.take(e); err != nil {
		return fmt.Errorf("transaction %d: %w", e.Seq, err)
	}
	return nil
}

func (h *House) take(e *StoredTransaction) error {
	if e.Seq != h.hub.recorded+1 {
		return fmt.Errorf("%w: it comes after transaction %d", errTwice, h.hub.recorded)
	}
	if err := h.takeNames(e); err != nil {
		return err
	}
	n := e.notice()
	// Each step needs what the earlier ones have read. Rules come before the rounds that are
	// played by them, and a jackpot before the table that is opened with it.
	for _, step := range []func(*StoredTransaction, *Notice) error{h.takeJackpots, h.takeOwn, h.takeTables, h.takeMoney} {
		if err := step(e, n); err != nil {
			return err
		}
	}
	for ms := h.lastMs.Load(); e.AtMs > ms && !h.lastMs.CompareAndSwap(ms, e.AtMs); ms = h.lastMs.Load() {
	}
	if e.published() {
		h.hub.mu.Lock()
		defer h.hub.mu.Unlock()
		h.hub.publish(commitOutcome{notice: n})
	}
	return nil
}

// takeNames puts the names of persons into a transaction.
func (h *House) takeNames(e *StoredTransaction) error {
	for i := range e.Parts {
		if e.Parts[i].Stream != NamesStream {
			continue
		}
		for _, stored := range e.Parts[i].Events {
			event, err := NameEvents.Read(stored)
			if err != nil {
				return Corrupt(err, "")
			}
			if erased, ok := event.(NameErased); ok {
				h.store.directory.Forget(erased.Number)
			}
		}
	}
	if err := h.store.name(e); err != nil {
		return Corrupt(err, "")
	}
	return nil
}

// takeJackpots takes in what moves jackpots.
func (h *House) takeJackpots(e *StoredTransaction, n *Notice) error {
	for i := range e.Parts {
		kind, name, _ := strings.Cut(e.Parts[i].Stream, ":")
		if kind != jackpotKind {
			continue
		}
		p := h.jackpotNamed(name)
		if p == nil {
			p = &jackpotRunner{name: name}
			p.show(jackpot.State{}, 0)
			h.floor.Lock()
			h.jackpots[name] = p
			h.floor.Unlock()
		}
		p.Lock()
		f := &jackpotFold{name: name, state: p.state, version: p.version}
		events, err := f.add(e)
		if err == nil {
			p.state, p.version = f.state, f.version
			p.show(f.state, f.version)
		}
		p.Unlock()
		if err != nil {
			return err
		}
		meter := f.state
		n.Moved = opaque.JackpotEventsOf(events)
		if len(events) > 0 {
			n.Meter = opaque.MeterOf(&meter)
		}
	}
	return nil
}

// takeOwn takes in what was decided about the house.
func (h *House) takeOwn(e *StoredTransaction, _ *Notice) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Stream != houseStream {
			continue
		}
		h.admin.Lock()
		err := h.takeDecisions(p, e.AtMs)
		h.admin.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// takeDecisions takes in events of the house's own stream. h.admin is locked.
func (h *House) takeDecisions(p *StreamAppend, atMs int64) error {
	if err := p.follows(h.admin.stream.version); err != nil {
		return err
	}
	for _, stored := range p.Events {
		e, err := DecodeOwn(stored)
		if err != nil {
			return err
		}
		unlock := h.lockDecided(e)
		err = h.apply(e, atMs)
		unlock()
		if err != nil {
			return Corrupt(err, "event %d of the house, %s", h.admin.stream.version+1, stored.Kind)
		}
		h.admin.stream.add(stored, e, atMs)
		switch e.(type) {
		case Drained:
			h.admin.drain.Store(&DrainState{true, h.admin.stream.version})
		case Resumed:
			h.admin.drain.Store(&DrainState{false, h.admin.stream.version})
		}
	}
	return nil
}

// lockDecided locks the table that is decided about, for readers of its rules, and returns the
// function to unlock it: they then read its present state.
func (h *House) lockDecided(e OwnEvent) (unlock func()) {
	name := ""
	switch e := e.(type) {
	case RulesChanged:
		name = e.Table
	case RulesCarriedOver:
		name = e.Table
	case TableStopped:
		name = e.Table
	case TableReleased:
		name = e.Table
	}
	s, err := h.runner(name)
	if err != nil {
		return func() {} // nobody knows the table yet
	}
	s.Lock()
	return func() {
		s.show()
		s.Unlock()
	}
}

// takeTables takes in what happens at the table that a transaction concerns.
func (h *House) takeTables(e *StoredTransaction, n *Notice) error {
	if n.Table == "" {
		return nil
	}
	s, err := h.runner(n.Table)
	if err != nil {
		return Corrupt(err, "")
	}
	s.Lock()
	defer s.Unlock()
	f := newFold(s.Table, s.periods.Load(), h.rules)
	f.state, f.version = s.state, s.version
	var events []table.Event
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Stream {
		case tableStream(s.Name):
			if events, err = f.add(&StoredTransaction{Parts: []StreamAppend{*p}}); err != nil {
				return err
			}
		case dealStream(s.Name):
			if err := s.seeds.take(p, e.Seq); err != nil {
				return Corrupt(err, "the seeds of table %s", s.Name)
			}
		}
	}
	s.seq = e.Seq
	s.follow(f.state, f.version-s.version)
	n.Events = opaque.EventsOf(events, &f.state)
	s.describe(n)
	return nil
}

// take takes in what is public of the seeds of a table.
func (d *seeds) take(p *StreamAppend, seq int64) error {
	if d == nil {
		return errors.New("its cards are dealt by hand")
	}
	if err := p.follows(d.version); err != nil {
		return err
	}
	state := d.state
	for _, stored := range p.Events {
		e, err := fair.Events.Read(stored)
		if err != nil {
			return err
		}
		if _, ok := e.(fair.Committed); ok {
			d.committed = seq
		}
		if state, err = fair.Evolve(state, e); err != nil {
			return err
		}
		d.version++
	}
	d.state = state
	d.published.Store(&state)
	return nil
}

// takeMoney takes in what a transaction does to accounts and to the protection of players.
func (h *House) takeMoney(e *StoredTransaction, n *Notice) error {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	changes, err := ledger.Post(h.book, e.Postings...)
	if err != nil {
		return Corrupt(err, "")
	}
	h.book.Apply(changes)
	h.durable.Apply(changes)
	h.guard.count(&Transaction{AtMs: e.AtMs, Cause: e.Cause, Postings: e.Postings, Changes: changes})
	if s, err := h.runner(n.Table); err == nil {
		h.guard.reserve(n.Table, reservations(opaque.Raw(s.published.Load().State)))
	}
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Stream != ProtectionStream {
			continue
		}
		if err := p.follows(h.guard.version); err != nil {
			return err
		}
		for _, stored := range p.Events {
			decided, err := protection.Read(stored)
			if err != nil {
				return Corrupt(err, "")
			}
			of := h.guard.of(decided.About())
			of.Player = of.Evolve(decided, e.AtMs)
			h.guard.version++
		}
	}
	// Under the lock of the books, so that whoever counts what a player did counts this
	// transaction once: from the record, or from here on.
	h.hub.mu.Lock()
	h.hub.recorded = e.Seq
	h.hub.mu.Unlock()
	return nil
}

// EndReading ends a house that [OpenReading] opened, and lets those who follow it know.
func (h *House) EndReading(why error) { _ = h.fail(why) }
