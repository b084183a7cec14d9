package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Interruption is the outcome of a round that a stop of the house interrupted.
type Interruption struct {
	Table    string
	Round    int
	LastedMs int64
	// Outcome is the outcome by the book, under the clause; Phase is the table's phase now.
	Outcome rules.Outcome
	Clause  string
	Phase   table.Phase
	// Refused is set where the interruption could not be reported. Either a question to a
	// member of staff is still open and comes first, or a fault had stopped the table: then it
	// is reported when the table is released.
	Refused error
}

// Open opens the house from what its store has recorded. It deals with every interrupted round
// as its book says for a technical interruption: the round is void, concluded, or offered for
// withdrawal. Each is recorded as a report. An automatic table that is idle in a round and has
// changed rules begins the next one, as by [House.Change].
//
// A round is ended by the declaration of its book by which it was begun. From its next
// round on, a table goes over to the declaration that the program has.
//
// Before anything goes on, it checks that the events fit and that the trial balance is zero. It
// also checks that the accounts of layouts and jackpots agree with the tables and the meters.
// An error that wraps [ErrCorrupt] says what does not.
func Open(ctx context.Context, store Store, w World) (*House, []Interruption, error) {
	if w.Sealer == nil {
		return nil, nil, errors.New("open the house: it needs keys to seal its seeds with, and has none: set World.Sealer")
	}
	h, last, err := read(ctx, store, w)
	if err != nil {
		return nil, nil, UnlessOvertaken(ctx, store, err)
	}
	if w.NotBefore != nil {
		w.NotBefore(last.ms)
	}
	h.lastMs.Store(last.ms)
	h.admin.drain.Store(&DrainState{Version: h.admin.stream.version})
	nowMs := w.NowMs()
	if w.AcceptClock {
		h.lastMs.Store(max(last.ms, nowMs))
	}
	if err := h.dated(nowMs); err != nil {
		return nil, nil, fmt.Errorf("open the house: %w", err)
	}
	found, err := h.interrupted(ctx, last.ms)
	if err != nil {
		return h, found, err
	}
	for _, s := range inOrder(h.tables) {
		if err := h.carryOver(ctx, s); err != nil && !errors.Is(err, ErrUnread) {
			return h, found, err
		}
	}
	for _, s := range inOrder(h.tables) {
		h.beginAnew(ctx, s) // where the house stopped right after its rules were changed
	}
	return h, found, h.Fault()
}

// read reads the house from its record. Without a sealer it reads no seeds.
func read(ctx context.Context, store Store, w World) (_ *House, last recordPosition, err error) {
	names := Named(store).(*named)
	if err := CheckNames(ctx, names.Store); err != nil {
		return nil, last, fmt.Errorf("open the house: %w", err)
	}
	h := &House{
		store: names, raw: names.Store, world: w, book: ledger.Book{}, durable: ledger.Book{}, cashiers: cashiers{}, claimed: map[string]bool{}, hub: newHub(), shuffle: shuffle.Shuffle,
	}
	for _, load := range []func() error{
		func() error { return h.loadFloor(ctx, &last) },
		func() error {
			if moved := h.whereabouts.Moved; moved != nil && !w.EvenIfMoved {
				return moved.Left()
			}
			return nil
		},
		func() error { return h.loadJackpots(ctx, &last) },
		func() error { return h.loadTables(ctx, &last) },
		func() error { return h.loadProtection(ctx, &last) },
		func() error {
			_, err := h.store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
				h.book[a], h.durable[a] = held, held
				return nil
			})
			return err
		},
		func() error {
			// What no table had to do with: the cage, and who came and went. The times of the
			// last transactions say when the record ends: they rise nearly as the numbers do.
			return h.store.ReadAll(ctx, max(last.seq, h.store.Head().Size-1-pageSize), "", func(e StoredTransaction) error {
				last.saw(e.Seq, e.AtMs)
				return nil
			})
		},
		func() error { return h.loadCashiers(ctx) },
		h.Audit,
	} {
		if err := load(); err != nil {
			return nil, last, fmt.Errorf("open the house: %w", err)
		}
	}
	h.hub.recorded, h.hub.last = last.seq, last.seq
	return h, last, nil
}

// recordPosition is the end of the record, as far as it has been read.
type recordPosition struct{ seq, ms int64 }

func (l *recordPosition) saw(seq, atMs int64) { l.seq, l.ms = max(l.seq, seq), max(l.ms, atMs) }

func (h *House) loadFloor(ctx context.Context, last *recordPosition) error {
	if !h.world.ReplayAll && h.replayFloor(ctx, last, false) == nil {
		return nil
	}
	return h.replayFloor(ctx, last, true)
}

// replayFloor reads the house's own stream: from its latest snapshot, or all of it.
func (h *House) replayFloor(ctx context.Context, last *recordPosition, all bool) error {
	h.tables, h.jackpots, h.rules = map[string]*tableRunner{}, map[string]*jackpotRunner{}, newRecordedRules(h.world.FindBook)
	h.admin.proposals, h.admin.software, h.admin.late, h.whereabouts = proposals{}, nil, nil, Whereabouts{}
	stream, err := readOwn(ctx, h.store, all, last, func(e OwnEvent, of *countingEvent, kept bool) error {
		if p, ok := e.(Proposed); ok && kept {
			h.admin.proposals.last = p.ID - 1 // those before it were decided long ago
		}
		if err := h.apply(e, of.AtMs); err != nil {
			return Corrupt(err, "event %d of the house, %s", of.Version, of.Kind)
		}
		return nil
	})
	if err == nil {
		h.admin.stream = *stream
	}
	return err
}

// apply takes an event of the house's own stream into account.
func (h *House) apply(e OwnEvent, atMs int64) error {
	switch e := e.(type) {
	case TableInstalled:
		t, err := e.table(h.rules)
		if err != nil {
			return err
		}
		state, err := table.New(t.Variant, t.Config)
		if err != nil {
			return err
		}
		h.floor.Lock() // of a house that is read others look at the floor
		defer h.floor.Unlock()
		p := h.jackpots[t.Jackpot]
		if p == nil && t.Jackpot != "" {
			p = &jackpotRunner{name: t.Jackpot}
			h.jackpots[t.Jackpot] = p
		}
		h.tables[t.Name] = newTableRunner(t, state, p)
	case BookDeclared, TermsStated:
		return h.rules.apply(e)
	case RulesChanged:
		return h.applyRules(e.Table, e)
	case RulesCarriedOver:
		return h.applyRules(e.Table, e)
	case TableStopped:
		s, err := h.runner(e.Table)
		if err != nil {
			return err
		}
		s.halt(e, e.Fault.Err())
		s.show()
	case TableReleased:
		s, err := h.runner(e.Table)
		if err != nil {
			return err
		}
		s.stopped = nil
	case Moved, Arrived, Restored, SigningKeyReplaced:
		h.whereabouts.apply(e)
	case Drained, Resumed, ClockRefused, RecordFailed:
		// A house that was opened again begins rounds.
	case SoftwareChecked, StreamLate:
		h.admin.apply(e)
	case Proposed, Approved, Declined:
		return h.admin.proposals.apply(e, atMs)
	default:
		return fmt.Errorf("%T: %w", e, errNotApplied)
	}
	return nil
}

// errNotApplied: a new kind of event has no case in House.apply.
var errNotApplied = errors.New("no case restores this kind of event when a house is opened")

// applyRules takes into account that a table is played otherwise from a round on.
func (h *House) applyRules(name string, e OwnEvent) error {
	s, err := h.runner(name)
	if err != nil {
		return err
	}
	of, err := s.applyRules(h.rules, e)
	if err == nil && !of {
		err = fmt.Errorf("the rules of table %s change from a round that has other rules already", name)
	}
	return err
}

// inOrder goes through what stands under names in their order, so that a house is
// opened in the same way each time, and complains in the same way.
func inOrder[T any](of map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if !yield(name, of[name]) {
				return
			}
		}
	}
}

func (h *House) loadJackpots(ctx context.Context, last *recordPosition) error {
	for _, p := range inOrder(h.jackpots) {
		f, err := h.replayJackpot(ctx, p.name, last, h.world.ReplayAll)
		if err != nil {
			return err
		}
		p.state, p.version, p.written = f.state, f.version, f.version
		p.show(f.state, f.version)
	}
	return nil
}

// loadTables reads the tables.
func (h *House) loadTables(ctx context.Context, last *recordPosition) error {
	var tables []*tableRunner
	for _, s := range inOrder(h.tables) {
		tables = append(tables, s)
	}
	ends := make([]recordPosition, len(tables))
	err := sideBySide(h.raw, len(tables), func(i int) error { return h.loadTable(ctx, tables[i], &ends[i]) })
	for _, end := range ends {
		last.saw(end.seq, end.ms)
	}
	return err
}

// sideBySide reads a number of things from a store, several at a time where the store says how many
// reads it answers at once. It returns the error of the first one in their order.
func sideBySide(store Store, things int, read func(i int) error) error {
	atOnce := 1
	if s, ok := store.(interface{ ReadsAtOnce() int }); ok {
		atOnce = s.ReadsAtOnce()
	}
	errs := make([]error, things)
	var taken atomic.Int64
	var failed atomic.Bool
	var work sync.WaitGroup
	for range atOnce {
		work.Go(func() {
			// They are taken in their order: what comes before one that fails is read too.
			for i := int(taken.Add(1)) - 1; i < things && !failed.Load(); i = int(taken.Add(1)) - 1 {
				if errs[i] = read(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	work.Wait()
	return cmp.Or(errs...)
}

func (h *House) loadTable(ctx context.Context, s *tableRunner, last *recordPosition) error {
	state, version, err := h.replay(ctx, s, last, h.world.ReplayAll)
	if err != nil {
		return err
	}
	s.follow(state, version)
	return s.loadSeeds(ctx, h.store, h.world.Sealer, last, h.world.ReplayAll)
}

// Audit checks that the books balance and hold what tables and jackpots show.
// It is for a house at rest: commands under way may make it complain.
func (h *House) Audit() error {
	h.floor.RLock()
	tables, runners := maps.Clone(h.tables), maps.Clone(h.jackpots)
	h.floor.RUnlock()
	h.ledgerMu.Lock()
	book := h.book.Clone()
	h.ledgerMu.Unlock()
	trial, err := book.Trial()
	if err != nil {
		return Corrupt(err, "")
	}
	if !trial.Balanced() {
		return fmt.Errorf("%w: debits of %s and credits of %s", ErrCorrupt, trial.Debits.Display(), trial.Credits.Display())
	}
	agree := func(kind ledger.Kind, of string, displayed money.Amount) error {
		a := ledger.Account{Kind: kind, Of: of}
		if held := book.Balance(a); held != displayed {
			return fmt.Errorf("%w: %s holds %s, and %s is shown", ErrCorrupt, a, held.Display(), displayed.Display())
		}
		return nil
	}
	var errs []error
	for name, s := range inOrder(tables) {
		errs = append(errs, agree(ledger.Layout, name, s.published.Load().State.OnLayout()))
	}
	for name, p := range inOrder(runners) {
		p.Lock()
		errs = append(errs, agree(ledger.Meter, name, p.state.Meter), agree(ledger.Reserve, name, p.state.Reserve),
			agree(ledger.Payable, name, p.state.Payable()), p.state.Audit())
		p.Unlock()
	}
	return errors.Join(errs...)
}

// interrupted reports the stop at each table where bets were on the layout. Nobody
// else is there yet.
func (h *House) interrupted(ctx context.Context, lastMs int64) ([]Interruption, error) {
	var found []Interruption
	for name, s := range inOrder(h.tables) {
		if s.state.OnLayout() == 0 {
			continue
		}
		lastedMs := max(0, h.world.NowMs()-max(lastMs, h.world.AliveMs))
		if h.world.AliveMs > 0 && lastedMs < s.state.Variant.GraceMs {
			continue // the round goes on as if nothing had happened
		}
		if s.stopped != nil {
			found = append(found, Interruption{Table: name, Round: s.state.Round, LastedMs: lastedMs, Phase: s.state.Phase, Refused: s.stopped.err})
			continue
		}
		stop, err := h.interrupt(ctx, s, lastedMs)
		if err != nil {
			return nil, err
		}
		found = append(found, stop)
	}
	return found, nil
}
