// Package timeup holds the warnings that staff give before they end the players' time:
// which table, since when, and by whom. Ending it forfeits hands, so that it takes two
// orders: the first warns the players, and one that comes [NoticeMs] later or more is
// carried out. Until then the warning can be taken back.
//
// It keeps nothing beyond the process and ends nobody's time itself: a warning that a
// restart loses has to be given again.
package timeup

import (
	"context"
	"errors"

	"trey/internal/house"
	"trey/internal/house/board"
	"trey/table"
)

// How long a warning has to stand before the time may end, and after which it counts no
// longer.
const (
	NoticeMs = 5_000
	LapsesMs = 60_000
)

// Moment identifies the phase of a round in which a warning holds.
type Moment struct {
	Round int         `json:"round"`
	Phase table.Phase `json:"phase"`
}

// MomentOf returns the moment in which a table is.
func MomentOf(s house.State) Moment { return Moment{Round: s.Round(), Phase: s.Phase()} }

// Warning is a warning as it was given.
type Warning struct {
	Moment
	By   string `json:"by"`
	AtMs int64  `json:"at_ms"`
}

// DueMs returns when the time may end at the earliest.
func (w *Warning) DueMs() int64 { return w.AtMs + NoticeMs }

// Warnings are the warnings of all tables, by their names. Use [New].
type Warnings struct{ *board.Board[Warning] }

// New returns warnings with none given.
func New() *Warnings { return &Warnings{board.New[Warning]()} }

// At returns the warning that holds at a table at this moment and time.
func (w *Warnings) At(name string, now Moment, nowMs int64) (given Warning, ok bool) {
	w.With(func(all map[string]Warning) { given, ok = all[name] })
	return given, ok && given.Moment == now && nowMs < given.AtMs+LapsesMs
}

// Notice is the answer to an order to end the players' time.
type Notice struct {
	// By is the person who has warned the players, and First reports whether this order did.
	By    string
	First bool
	// WaitS is after how many seconds the order may be carried out; zero is now.
	WaitS int
}

// mostTries bounds how often an order is tried while something else happens at the table.
const mostTries = 10

// End ends the players' time by an order, if a warning has stood for long enough: then WaitS of the
// notice is zero, and the warning is used up. Otherwise it ends nothing, and warns the players
// unless a warning holds. The order ends what they were warned of: if the round comes a step further
// meanwhile, they are warned anew. An order that the house would refuse warns nobody: the error is
// that of [house.House.DryRun].
func (w *Warnings) End(ctx context.Context, h *house.House, o house.CommandRequest, nowMs func() int64) (done house.Result, notice Notice, err error) {
	for range mostTries {
		var status house.TableStatus
		if status, err = h.Status(o.Table); err != nil {
			return done, notice, err
		}
		var given Warning
		if given, notice, err = w.notify(ctx, h, &o, &status, nowMs()); err != nil || notice.WaitS > 0 {
			return done, notice, err
		}
		asLooked := o
		if asLooked.Expect == nil {
			asLooked.Expect = &status.Version
		}
		done, err = h.Do(ctx, asLooked)
		if err == nil {
			w.Change(func(all map[string]Warning) {
				if all[o.Table] == given {
					delete(all, o.Table)
				}
			})
		}
		if o.Expect != nil || !errors.Is(err, house.ErrVersionMismatch) {
			return done, notice, err
		}
	}
	return done, notice, err
}

// notify warns the players of an order at a table as it stands, unless a warning holds.
func (w *Warnings) notify(ctx context.Context, h *house.House, o *house.CommandRequest, status *house.TableStatus, nowMs int64) (given Warning, notice Notice, err error) {
	now := MomentOf(status.State)
	given, warned := w.At(o.Table, now, nowMs)
	if !warned {
		if _, err := h.DryRun(ctx, *o); err != nil {
			return given, notice, err
		}
		given = Warning{Moment: now, By: o.By.Name, AtMs: nowMs}
		w.Change(func(all map[string]Warning) { all[o.Table] = given })
	}
	leftMs := max(0, given.DueMs()-nowMs)
	return given, Notice{By: given.By, First: !warned, WaitS: int((leftMs + 999) / 1000)}, nil
}

// TakeBack removes the warning of a table.
func (w *Warnings) TakeBack(name string) {
	w.Change(func(all map[string]Warning) { delete(all, name) })
}
