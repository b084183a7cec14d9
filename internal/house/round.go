package house

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/sentence"
	"trey/table"
)

// The errors of [House.Round].
var (
	// ErrNoRound: the table has not played that round.
	ErrNoRound = errors.New("there is no such round")
	// ErrRoundOpen: the round is being played, and what it is dealt from is not
	// known to anybody.
	ErrRoundOpen = errors.New("the round is being played: its record can be had when it has ended")
)

// Round returns the record of a round that has ended, which can be verified apart
// from the house. Errors of the last round can still be found until the next one
// begins; its record then has more steps.
//
// It holds the names of all who played and every card of the round, whoever saw
// it: the seed that it reveals tells them anyway.
func (h *House) Round(ctx context.Context, name string, n int) (*proof.Round, error) {
	s, err := h.seat(name)
	if err != nil {
		return nil, err
	}
	if is := s.shown.Load(); is.State.Round == n && is.State.Phase.InRound() {
		return nil, sentence.Errorf("table %s, round %d: %s", name, n, ErrRoundOpen)
	}
	w := roundWriter{h: h, n: n, s: s}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	if err := h.store.ReadAll(ctx, w.from-1, tableStream(name), w.entry); err != nil && !errors.Is(err, errNextRound) {
		return nil, err
	}
	if err := w.meters(ctx); err != nil {
		return nil, err
	}
	if w.r.Ended == "" {
		return nil, sentence.Errorf("table %s, round %d: %s", name, n, ErrRoundOpen)
	}
	return &w.r, nil
}

// errNextRound ends the reading of a round.
var errNextRound = errors.New("the next round begins")

// roundWriter writes the record of one round.
type roundWriter struct {
	h *House
	s *seat
	n int
	r proof.Round
	// opened is the transaction that opens the round, from the first that can
	// belong to it.
	opened, from int64
	// read are, for each step that depended on the jackpot, the versions of its
	// stream before and after it; zero and zero for the others.
	read []versions
}

type versions struct {
	here          bool
	before, after int64
}

// begin finds where the round begins and with what.
func (w *roundWriter) begin(ctx context.Context) error {
	mark, err := w.mark(ctx, tableStream(w.s.Name))
	if err != nil {
		return err
	}
	w.opened, w.from = mark.Seq, mark.Seq
	begun, err := w.begun(ctx)
	if err != nil {
		return err
	}
	t, v := &w.s.Table, begun.Variant
	w.r = proof.Round{
		Type: proof.Type, Version: proof.Version, Software: w.h.world.Software,
		Table: t.Name, Round: w.n, Book: v.Book.Ref(), Variant: v.ID, RulesHash: v.Hash(),
		Declaration: string(v.Book.Declaration()), Terms: string(v.Terms()), Config: t.Config, Jackpot: t.Jackpot, Carried: begun.Carried(),
	}
	if w.s.seeds == nil {
		return nil
	}
	if mark, err = w.mark(ctx, dealStream(t.Name)); err != nil {
		return err
	}
	w.r.Seed = &proof.Seed{Committed: proof.Moment{Seq: mark.Seq, AtMs: mark.AtMs}}
	w.from = min(w.from, mark.Seq)
	return nil
}

// mark finds where the round begins in a stream.
func (w *roundWriter) mark(ctx context.Context, stream string) (found RoundMark, err error) {
	err = w.h.store.Rounds(ctx, stream, w.n+1, 1, func(m RoundMark) error { found = m; return nil })
	if err == nil && (found.Round != w.n || w.n < 1) {
		err = sentence.Errorf("table %s, round %d: %s", w.s.Name, w.n, ErrNoRound)
	}
	return found, err
}

// begun is the table when the bets of the round were opened.
func (w *roundWriter) begun(ctx context.Context) (table.State, error) {
	w.s.Lock()
	f, err := w.s.fold(w.h.rules)
	w.s.Unlock()
	if err != nil {
		return table.State{}, err
	}
	found := f.restore(ctx, w.h.store, w.opened)
	err = w.h.store.ReadAll(ctx, found.from(), tableStream(w.s.Name), func(e Entry) error {
		if e.Seq > w.opened {
			return errNextRound
		}
		_, err := f.add(&e)
		return err
	})
	if err != nil && !errors.Is(err, errNextRound) {
		return table.State{}, err
	}
	if f.state.Round != w.n {
		return table.State{}, fmt.Errorf("%w: table %s, round %d does not begin where it should", ErrCorrupt, w.s.Name, w.n)
	}
	return f.state, nil
}

// entry writes down a transaction if it belongs to the round.
func (w *roundWriter) entry(e Entry) error {
	step := proof.Step{
		Moment: proof.Moment{Seq: e.Seq, AtMs: e.AtMs}, By: proof.By{Name: e.Cause.By, Role: e.Cause.Role},
		Kind: e.Cause.Kind, Body: e.Cause.Body, Postings: e.Postings,
	}
	ours := e.Seq >= w.opened && record.Actions.Has(e.Cause.Kind)
	var read versions
	for i := range e.Parts {
		p := &e.Parts[i]
		switch kind, _, _ := strings.Cut(p.Stream, ":"); kind {
		case tableKind:
			if p.Round > w.n {
				return errNextRound
			}
			step.Events = p.Events
		case dealKind:
			added, err := w.seeds(&step, p.Events)
			if err != nil {
				return err
			}
			ours = ours || added
		case jackpotKind:
			read = versions{true, p.After, p.After + int64(len(p.Events))}
			step.Moved = p.Events
		}
	}
	if ours {
		w.ended(step.Events)
		w.r.Steps, w.read = append(w.r.Steps, step), append(w.read, read)
	}
	return nil
}

// ended notes how the round ended; the last end counts.
func (w *roundWriter) ended(events []proof.Event) {
	for _, e := range events {
		switch stored.Name(e.Kind) {
		case record.TableEvents.Name(table.Settled{}):
			w.r.Ended = table.Paid.String()
		case record.TableEvents.Name(table.RoundVoided{}):
			w.r.Ended = table.Voided.String()
		case record.TableEvents.Name(table.TableClosed{}):
			if w.r.Ended == "" {
				w.r.Ended = table.Closed.String()
			}
		}
	}
}

// seeds writes down what happened to the seed of this round, and reports whether
// a player added one to it.
func (w *roundWriter) seeds(step *proof.Step, events []Event) (added bool, err error) {
	for _, e := range events {
		decoded, err := fair.Events.Read(e)
		if err != nil {
			return false, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		of := 0
		switch d := decoded.(type) {
		case fair.Committed:
			if d.Round == w.n {
				w.r.Seed.Commitment = d.Commitment
			}
		case fair.Covered:
			if d.Round == w.n {
				w.r.Seed.Checkpoint = d.Checkpoint
			}
		case fair.Added:
			if of = d.Round; of == w.n {
				added = true
				own := slices.DeleteFunc(w.r.Seed.Own, func(o fair.Own) bool { return o.Player == d.Player || o.Player == d.Instead })
				w.r.Seed.Own = append(own, d.Own)
				slices.SortFunc(w.r.Seed.Own, func(a, b fair.Own) int { return strings.Compare(a.Player, b.Player) })
			}
		case fair.Revealed:
			if of = d.Round; of == w.n {
				w.r.Seed.Seed = d.Seed
			}
		}
		if of == w.n {
			step.Seeds = append(step.Seeds, e)
		}
	}
	return added, nil
}

// meters writes down what the jackpot held before each step that depended on it,
// where that does not follow from the steps before.
func (w *roundWriter) meters(ctx context.Context) error {
	if w.r.Jackpot == "" {
		return nil
	}
	pot := &jackpotFold{name: w.r.Jackpot}
	var follows jackpot.State
	known := false
	for i := range w.read {
		if !w.read[i].here {
			continue
		}
		if !known {
			pot.restore(ctx, w.h.store, w.r.Steps[i].Seq-1)
		}
		if err := pot.advance(ctx, w.h.store, w.read[i].before); err != nil {
			return err
		}
		if is := proof.Reduced(pot.state, w.r.Table); !known || !reflect.DeepEqual(is, follows) {
			w.r.Steps[i].Meter = &is
		}
		if err := pot.advance(ctx, w.h.store, w.read[i].after); err != nil {
			return err
		}
		known, follows = true, proof.Reduced(pot.state, w.r.Table)
	}
	return nil
}

// advance takes a jackpot on to a version of its stream.
func (f *jackpotFold) advance(ctx context.Context, store Store, to int64) error {
	if f.version >= to {
		return nil
	}
	err := store.Read(ctx, jackpotStream(f.name), f.version, func(r Record) error {
		e, err := record.JackpotEvents.Read(r.Event)
		if err == nil {
			f.state, err = jackpot.Evolve(f.state, e)
		}
		if f.version = r.Version; err == nil && f.version == to {
			err = errPageFull
		}
		return err
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return fmt.Errorf("%w: jackpot %s, event %d: %w", ErrCorrupt, f.name, f.version, err)
	}
	return nil
}
