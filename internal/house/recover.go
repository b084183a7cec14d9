package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Interruption is what became of a round that a stop of the house interrupted.
type Interruption struct {
	Table    string
	Round    int
	LastedMs int64
	// Outcome is what the book makes of it, under the clause; Phase is where the
	// table stands now.
	Outcome rules.Outcome
	Clause  string
	Phase   table.Phase
	// Refused is set where it could not be reported, because a question to a
	// member of staff is still open: it comes first.
	Refused error
}

// Open opens the house from what its store has recorded, and deals with every
// round that was interrupted as its book says for a technical interruption: it
// is void, concluded, or offered for withdrawal. Each is recorded as a report.
//
// Everything is checked before anything goes on: that the events fit, that the
// trial balance is zero, and that the accounts of layouts and jackpots hold what
// tables and meters show. An error that wraps [ErrCorrupt] says what does not.
func Open(ctx context.Context, store Store, w World) (*House, []Interruption, error) {
	h := &House{
		store: store, world: w, seats: map[string]*seat{}, jackpots: map[string]*pot{},
		book: ledger.Book{}, claimed: map[string]bool{}, hub: newHub(), shuffle: shuffle.Shuffle,
	}
	var lastMs int64
	for _, load := range []func() error{
		func() error { return h.loadFloor(ctx, &lastMs) },
		func() error { return h.loadJackpots(ctx, &lastMs) },
		func() error { return h.loadTables(ctx, &lastMs) },
		func() error {
			return store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
				h.book[a] = held
				return nil
			})
		},
		h.Audit,
	} {
		if err := load(); err != nil {
			return nil, nil, fmt.Errorf("open the house: %w", err)
		}
	}
	found, err := h.interrupted(ctx, lastMs)
	return h, found, err
}

func (h *House) loadFloor(ctx context.Context, lastMs *int64) error {
	return h.store.Read(ctx, houseStream, 0, func(r Record) error {
		h.version, *lastMs = r.Version, max(*lastMs, r.AtMs)
		var e installed
		if r.Kind != installedKind {
			return fmt.Errorf("%w: the house knows no %s", ErrCorrupt, r.Kind)
		}
		if err := json.Unmarshal(r.Body, &e); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		t, err := e.table()
		if err != nil {
			return err
		}
		state, err := table.New(t.Variant, t.Config)
		if err != nil {
			return fmt.Errorf("%w: table %s: %w", ErrCorrupt, t.Name, err)
		}
		p := h.jackpots[t.Jackpot]
		if p == nil && t.Jackpot != "" {
			p = &pot{name: t.Jackpot}
			h.jackpots[t.Jackpot] = p
		}
		h.seats[t.Name] = newSeat(t, state, p)
		return nil
	})
}

func (h *House) loadJackpots(ctx context.Context, lastMs *int64) error {
	for _, p := range h.jackpots {
		err := h.store.Read(ctx, jackpotStream(p.name), 0, func(r Record) error {
			p.version, *lastMs = r.Version, max(*lastMs, r.AtMs)
			e, err := jackpot.DecodeEvent(r.Body)
			if err == nil {
				p.state, err = jackpot.Evolve(p.state, e)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%w: jackpot %s: %w", ErrCorrupt, p.name, err)
		}
	}
	return nil
}

func (h *House) loadTables(ctx context.Context, lastMs *int64) error {
	for _, s := range h.seats {
		state := s.state
		err := h.store.Read(ctx, tableStream(s.Name), 0, func(r Record) error {
			s.version, *lastMs = r.Version, max(*lastMs, r.AtMs)
			e, err := table.DecodeEvent(r.Kind, r.Body)
			if err == nil {
				state, err = table.Evolve(state, e)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%w: table %s, event %d: %w", ErrCorrupt, s.Name, s.version, err)
		}
		s.follow(state, 0)
		if err := s.loadSeeds(ctx, h.store, lastMs); err != nil {
			return err
		}
	}
	return nil
}

// Audit checks that the books balance and hold what tables and jackpots show.
// It is for a house at rest: commands under way may make it complain.
func (h *House) Audit() error {
	h.floor.RLock()
	defer h.floor.RUnlock()
	book := h.Book()
	trial, err := book.Trial()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if !trial.Balanced() {
		return fmt.Errorf("%w: debits of %s and credits of %s", ErrCorrupt, trial.Debits.Display(), trial.Credits.Display())
	}
	agree := func(kind ledger.Kind, of string, shown money.Amount) error {
		a := ledger.Account{Kind: kind, Of: of}
		if held := book.Balance(a); held != shown {
			return fmt.Errorf("%w: %s holds %s, and %s is shown", ErrCorrupt, a, held.Display(), shown.Display())
		}
		return nil
	}
	var errs []error
	for name, s := range h.seats {
		errs = append(errs, agree(ledger.Layout, name, s.shown.Load().State.OnLayout()))
	}
	for name, p := range h.jackpots {
		p.Lock()
		errs = append(errs, agree(ledger.Meter, name, p.state.Meter), agree(ledger.Reserve, name, p.state.Reserve), p.state.Audit())
		p.Unlock()
	}
	return errors.Join(errs...)
}

// interrupted reports the stop at each table where bets were on the layout.
func (h *House) interrupted(ctx context.Context, lastMs int64) ([]Interruption, error) {
	var found []Interruption
	for _, name := range h.Tables() {
		s, err := h.Table(name)
		if err != nil {
			return nil, err
		}
		if s.OnLayout() == 0 {
			continue
		}
		stop := Interruption{Table: name, Round: s.Round, LastedMs: max(0, h.world.NowMs()-lastMs), Phase: s.Phase}
		done, err := h.drive(ctx, "", name, table.Report{
			Incident: rules.TechnicalInterruption, LastedMs: stop.LastedMs, Note: "the house stopped and was opened again",
		})
		var refusal *table.Refusal
		switch {
		case errors.As(err, &refusal):
			stop.Refused = err
		case err != nil:
			return nil, err
		default:
			stop.Phase = done.State.Phase
			if i := slices.IndexFunc(done.Events, func(e table.Event) bool { _, ok := e.(table.Reported); return ok }); i >= 0 {
				reported := done.Events[i].(table.Reported)
				stop.Outcome, stop.Clause = reported.Outcome, reported.Clause
			}
		}
		found = append(found, stop)
	}
	return found, nil
}

// Conclude carries a round that nobody attends to its end, one command after the
// other, as the house may for players who are gone: options count as unanswered,
// undecided hands are folded, the rest is dealt, shown and settled. It returns
// nil when no bet is left on the layout, and otherwise why the round needs a
// person: a question to the staff, cards that only a dealer can turn, a jackpot
// that another table must be paid first.
//
// It is for rounds that [Open] found interrupted; players who come back may as
// well go on with theirs.
func (h *House) Conclude(ctx context.Context, name string) error {
	for {
		s, err := h.Table(name)
		if err != nil {
			return err
		}
		if s.OnLayout() == 0 {
			return nil
		}
		why, done := error(nil), false
		for _, do := range nextOf(&s) {
			var refusal *table.Refusal
			_, err := h.drive(ctx, "", name, do)
			if done = err == nil; done {
				break
			}
			if !errors.As(err, &refusal) {
				return err
			}
			if why == nil || refusal.Reason != table.WrongPhase && refusal.Reason != table.NotApplicable {
				why = err
			}
		}
		if !done {
			return fmt.Errorf("table %s, round %d cannot go on by itself: %w", name, s.Round, why)
		}
	}
}

// nextOf lists what may take a round nearer to its end, in the order in which to
// try it. Each can be done once only, so trying comes to an end.
func nextOf(s *table.State) []table.Action {
	next := []table.Action{table.Expire{}, table.CloseBets{}, table.Deal{}, table.FinishDeal{}}
	for i := range s.Boxes {
		if b := s.Boxes[i]; b.Examiner != "" && !b.Up && s.Variant.Book.Examine.ReturnFaceUp {
			next = append(next, table.LayUp{Box: i + 1})
		}
	}
	return append(next, table.Reveal{}, table.Settle{})
}
