package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"trey/internal/house/internal/opaque"
	"trey/jackpot"
	"trey/table"
)

// The state of a table or a jackpot follows from its events. The folds of this file receive the
// transactions of one stream in order, from the first or from those after a snapshot. The
// opening of the house, its audit and the readers of a topic's past use them.

// follows reports whether a part follows a version of its stream.
func (p *StreamAppend) follows(version int64) error {
	if p.After != version {
		return fmt.Errorf("%w: event %d of %s follows event %d", ErrCorrupt, p.After+1, p.Stream, version)
	}
	return nil
}

// tableFold is a table at one point of its history.
type tableFold struct {
	// of is the table with the rules of all its rounds so far as they are known,
	// and nothing else of the runner: others go on playing there.
	of      tableRunner
	known   *recordedRules
	state   table.State
	version int64
}

// fold returns a table at the beginning of its history. The table is locked, or
// nobody else is there yet.
func (s *tableRunner) fold(known *recordedRules) (*tableFold, error) {
	f := newFold(s.Table, s.periods.Load(), known)
	return f, f.begin()
}

// newFold returns a table, played as is stated, without a history.
func newFold(t Table, periods *[]rulesPeriod, known *recordedRules) *tableFold {
	f := &tableFold{of: tableRunner{Table: t}, known: known}
	f.of.periods.Store(periods)
	return f
}

// begin takes the fold to the beginning.
func (f *tableFold) begin() (err error) {
	f.version = 0
	if f.state, err = table.New(f.of.at(0).Variant, f.of.Config); err != nil {
		return Corrupt(err, "table %s", f.of.Name)
	}
	return nil
}

// add takes in the next transaction that concerns the table.
func (f *tableFold) add(e *StoredTransaction) (events []table.Event, err error) {
	for i := range e.Parts {
		p := &e.Parts[i]
		switch p.Stream {
		case houseStream:
			if err := f.apply(p); err != nil {
				return nil, err
			}
		case tableStream(f.of.Name):
			if err := p.follows(f.version); err != nil {
				return nil, err
			}
			if len(p.Events) == 0 {
				continue
			}
			if events, err = decodeTable(p.Events); err != nil {
				return nil, err
			}
			for _, event := range events {
				if f.state, err = f.of.evolve(f.state, event); err != nil {
					return nil, Corrupt(err, "table %s, after event %d", f.of.Name, f.version)
				}
				f.version++
			}
		}
	}
	return events, nil
}

// apply takes in changes of rules that were made after the fold began. Those from
// before it are known, and a change from a round replaces the one before it.
func (f *tableFold) apply(p *StreamAppend) error {
	for i := range p.Events {
		e, err := DecodeOwn(p.Events[i])
		if err != nil {
			return err
		}
		if err := f.known.apply(e); err != nil {
			return Corrupt(err, "")
		}
		if _, err := f.of.applyRules(f.known, e); err != nil {
			return err
		}
	}
	return nil
}

// jackpotFold is a jackpot at one point of its history.
type jackpotFold struct {
	name    string
	state   jackpot.State
	version int64
}

// add takes in the next transaction that concerns the jackpot.
func (f *jackpotFold) add(e *StoredTransaction) (events []jackpot.Event, err error) {
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Stream != jackpotStream(f.name) {
			continue
		}
		if err := p.follows(f.version); err != nil {
			return nil, err
		}
		if len(p.Events) == 0 {
			continue
		}
		if events, err = decodeJackpot(p.Events); err != nil {
			return nil, fmt.Errorf("jackpot %s: %w", f.name, err)
		}
		for _, event := range events {
			if f.state, err = jackpot.Evolve(f.state, event); err != nil {
				return nil, Corrupt(err, "jackpot %s, after event %d", f.name, f.version)
			}
		}
		f.version += int64(len(p.Events))
	}
	return events, nil
}

// tableSnapshot is the stored form of a table at the beginning of a round.
type tableSnapshot struct {
	Round int `json:"round"`
	// RulesHash is that of the rules which the round is played by.
	RulesHash string          `json:"rules_hash"`
	State     json.RawMessage `json:"state"`
}

// snapshotTable writes the snapshot of a table's present state.
func snapshotTable(s *table.State) ([]byte, error) {
	state, err := table.Snapshot(*s)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tableSnapshot{Round: s.Round, RulesHash: s.Variant.Hash(), State: state})
}

// restore takes the fold to the latest snapshot that a transaction of at most that
// number left, and returns it. Where there is none that can be used it is nil, and
// the fold stays at the beginning: a snapshot saves time and decides nothing.
func (f *tableFold) restore(ctx context.Context, store Store, atMost int64) *foundSnapshot {
	found, err := findSnapshot(ctx, store, tableStream(f.of.Name), atMost)
	if err != nil {
		return nil
	}
	var snapshot tableSnapshot
	if err := json.Unmarshal(found.Body, &snapshot); err != nil {
		return nil
	}
	v := f.of.at(snapshot.Round).Variant
	if v.Hash() != snapshot.RulesHash {
		return nil
	}
	state, err := table.Restore(v, snapshot.State)
	if err != nil {
		return nil
	}
	f.state, f.version = state, found.Version
	return found
}

// restore takes the jackpot's state from its latest usable snapshot.
func (f *jackpotFold) restore(ctx context.Context, store Store, atMost int64) *foundSnapshot {
	found, err := findSnapshot(ctx, store, jackpotStream(f.name), atMost)
	if err != nil {
		return nil
	}
	state, err := jackpot.Restore(found.Body)
	if err != nil {
		return nil
	}
	f.state, f.version = state, found.Version
	return found
}

// EventsSince hands out the notices of a topic that were recorded after a number, in order.
// They are those that a subscriber who was always connected would have received, so far as they
// are durable now. See [House.Subscribe] for how to go on from there.
//
// State and Round stand in the notices of a table's topic only, and Meter in those
// of a jackpot's: of the others nothing is read but what is handed out. Nothing is
// held while yield runs, so it may take its time; its first error ends the reading
// and is returned.
func (h *House) EventsSince(ctx context.Context, topic Topic, after int64, yield func(*Notice) error) error {
	p := historyReader{store: h.store}
	if s, err := h.runner(topic.Table); err == nil {
		s.Lock()
		p.table, err = s.fold(h.rules)
		s.Unlock()
		if err != nil {
			return err
		}
		p.tableFrom = p.table.restore(ctx, h.store, after).from()
		p.sources = append(p.sources, &streamCursor{stream: tableStream(topic.Table), from: p.tableFrom})
	}
	if topic.Jackpot != "" {
		p.jackpot = &jackpotFold{name: topic.Jackpot}
		p.jackpotFrom = p.jackpot.restore(ctx, h.store, after).from()
		p.sources = append(p.sources, &streamCursor{stream: jackpotStream(topic.Jackpot), from: p.jackpotFrom})
	}
	if topic == (Topic{}) {
		p.sources = []*streamCursor{{from: after}}
		p.rounds = map[string]int{}
	}
	for {
		e, err := p.next(ctx)
		if err != nil || e == nil {
			return err
		}
		if !e.published() {
			continue
		}
		n, err := p.notice(ctx, e)
		if err != nil {
			return err
		}
		if n.Seq <= after {
			continue
		}
		if err := yield(n); err != nil {
			return err
		}
	}
}

// historyReader reads streams side by side, a page of each at a time.
type historyReader struct {
	store   Store
	sources []*streamCursor
	table   *tableFold
	jackpot *jackpotFold
	// tableFrom and jackpotFrom are the transactions behind which the folds begin:
	// what one stream is read for may lie before what the other is.
	tableFrom, jackpotFrom int64
	// rounds holds the round of each table that was read so far, where all tables are read
	// and none is folded; nil otherwise.
	rounds map[string]int
}

// streamCursor is a stream as far as it was read.
type streamCursor struct {
	stream string
	from   int64 // the number after which the next page begins
	page   []StoredTransaction
	ended  bool
}

// pageSize is the number of transactions that are read at once.
const pageSize = 256

var errPageFull = errors.New("the page is full")

// next returns the next transaction of any source, nil at the end.
func (p *historyReader) next(ctx context.Context) (*StoredTransaction, error) {
	first := int64(math.MaxInt64)
	for _, s := range p.sources {
		if err := s.fill(ctx, p.store); err != nil {
			return nil, err
		}
		if len(s.page) > 0 {
			first = min(first, s.page[0].Seq)
		}
	}
	var next *StoredTransaction
	for _, s := range p.sources {
		if len(s.page) > 0 && s.page[0].Seq == first {
			next, s.page = &s.page[0], s.page[1:]
		}
	}
	return next, nil
}

// fill reads the next page when the last one is used up.
func (s *streamCursor) fill(ctx context.Context, store Store) error {
	if len(s.page) > 0 || s.ended {
		return nil
	}
	s.page = make([]StoredTransaction, 0, pageSize)
	err := store.ReadAll(ctx, s.from, s.stream, func(e StoredTransaction) error {
		s.page = append(s.page, e)
		if len(s.page) == pageSize {
			return errPageFull
		}
		return nil
	})
	if s.ended = err == nil; !s.ended && !errors.Is(err, errPageFull) {
		return err
	}
	if n := len(s.page); n > 0 {
		s.from = s.page[n-1].Seq
	}
	return nil
}

// notice applies a transaction and returns the notice that subscribers receive of it.
func (p *historyReader) notice(ctx context.Context, e *StoredTransaction) (*Notice, error) {
	n := e.notice()
	var err error
	if p.rounds != nil && n.Table != "" {
		if n.Round, err = p.round(ctx, n.Table, e); err != nil {
			return nil, err
		}
	}
	if p.table != nil && n.Table == p.table.of.Name && n.Seq > p.tableFrom {
		events, err := p.table.add(e)
		if err != nil {
			return nil, err
		}
		state := p.table.state
		n.Events, n.State, n.Round = opaque.EventsOf(events, &state), opaque.Of(&state), state.Round
	}
	if p.jackpot != nil && n.Jackpot == p.jackpot.name && n.Seq > p.jackpotFrom {
		events, err := p.jackpot.add(e)
		if err != nil {
			return nil, err
		}
		meter := p.jackpot.state
		n.Moved, n.Meter = opaque.JackpotEventsOf(events), opaque.MeterOf(&meter)
	}
	for i := range e.Parts {
		part := &e.Parts[i]
		switch {
		case len(part.Events) == 0:
		case part.Stream == tableStream(n.Table) && n.Events == nil:
			var events []table.Event
			events, err = decodeTable(part.Events)
			n.Events = opaque.EventsOf(events, &table.State{}) // of which no card was seen
		case part.Stream == jackpotStream(n.Jackpot) && n.Moved == nil:
			var events []jackpot.Event
			events, err = decodeJackpot(part.Events)
			n.Moved = opaque.JackpotEventsOf(events)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// roundsAtOnce is the number of rounds that are read at once.
const roundsAtOnce = 16

// round returns the round of a table after a transaction, zero before the first.
func (p *historyReader) round(ctx context.Context, name string, e *StoredTransaction) (round int, err error) {
	stream := tableStream(name)
	for i := range e.Parts {
		if e.Parts[i].Stream == stream && e.Parts[i].Round > 0 {
			p.rounds[name] = e.Parts[i].Round
		}
	}
	round, known := p.rounds[name]
	for before := 0; !known; {
		seen := 0
		err := p.store.Rounds(ctx, stream, before, roundsAtOnce, func(m RoundMark) error {
			seen++
			if before = m.Round; m.Seq > e.Seq || known {
				return nil
			}
			round, known = m.Round, true
			return nil
		})
		if err != nil {
			return 0, err
		}
		known = known || seen < roundsAtOnce
	}
	p.rounds[name] = round
	return round, nil
}

// replay returns a table as its record makes it: from the latest snapshot, or from
// the beginning if all is to be read or the snapshot leads nowhere. The table is
// locked, or nobody else is there yet.
func (h *House) replay(ctx context.Context, s *tableRunner, last *recordPosition, all bool) (state table.State, version int64, err error) {
	f, err := s.fold(h.rules)
	if err != nil {
		return table.State{}, 0, err
	}
	add := func(e *StoredTransaction) error { _, err := f.add(e); return err }
	if !all {
		if found := f.restore(ctx, h.store, -1); found != nil && h.readBehind(ctx, tableStream(s.Name), last, found, add) == nil {
			return f.state, f.version, nil
		}
		if err := f.begin(); err != nil {
			return table.State{}, 0, err
		}
	}
	err = h.readBehind(ctx, tableStream(s.Name), last, nil, add)
	return f.state, f.version, err
}

// replayJackpot folds the events of a jackpot, from its snapshot unless all is set.
func (h *House) replayJackpot(ctx context.Context, name string, last *recordPosition, all bool) (*jackpotFold, error) {
	f := &jackpotFold{name: name}
	add := func(e *StoredTransaction) error { _, err := f.add(e); return err }
	if !all {
		if found := f.restore(ctx, h.store, -1); found != nil && h.readBehind(ctx, jackpotStream(name), last, found, add) == nil {
			return f, nil
		}
		*f = jackpotFold{name: name}
	}
	return f, h.readBehind(ctx, jackpotStream(name), last, nil, add)
}

// readBehind hands out what a stream holds behind a snapshot, nil for none.
func (h *House) readBehind(ctx context.Context, stream string, last *recordPosition, found *foundSnapshot, add func(*StoredTransaction) error) error {
	if found != nil {
		last.saw(found.Seq, found.atMs)
	}
	return h.store.ReadAll(ctx, found.from(), stream, func(e StoredTransaction) error {
		last.saw(e.Seq, e.AtMs)
		return add(&e)
	})
}
