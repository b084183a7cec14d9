package house

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// stopCause is the reason for which a table takes no commands.
type stopCause struct {
	err  error
	stop TableStopped
}

// refused passes a refusal on. Any other error means that the table's record or its money
// violates an invariant, and stops the table until a person releases it. The table is locked,
// and its jackpot is not.
func (h *House) refused(s *tableRunner, during Cause, err error) error {
	fault := faultOf(err)
	if fault == 0 {
		return err
	}
	stop := TableStopped{Table: s.Name, Round: s.state.Round, AtMs: h.world.NowMs(), Fault: fault, During: during}
	s.halt(stop, err)
	h.recordStop(s, stop)
	s.show() // also where it could not be recorded: the house has stopped then
	return s.stopped.err
}

// halt stops the table in memory. It is shown when it is recorded.
func (s *tableRunner) halt(stop TableStopped, why error) {
	s.stopped = &stopCause{err: sentence.Errorf("table %s has %s: %s", s.Name, ErrTableStopped, why), stop: stop}
}

// recordStop writes down that a table stopped. It takes nothing from what does not
// hold, and if it cannot be written the table is stopped all the same.
func (h *House) recordStop(s *tableRunner, stop TableStopped) {
	h.admin.Lock()
	defer h.admin.Unlock()
	cause, err := ownCause(s.Name, StopTable{})
	tx := &Transaction{AtMs: stop.AtMs, Cause: cause, Parts: []StreamAppend{{Stream: tableStream(s.Name), After: s.version}}}
	if err != nil || h.appendAdminEvent(tx, stop) != nil {
		return
	}
	if inLine, err := h.enqueueWithin(h.mostInLine(), tx, nothingMoves); err == nil {
		_, _ = h.awaitAdminEvent(inLine, s.describe) // if it fails the house has stopped
	}
}

// describe says in a notice how a table stands to which nothing happened.
func (s *tableRunner) describe(n *Notice) {
	state := s.state
	n.Round, n.State = state.Round, opaque.Of(&state)
}

// ErrNotStopped: a table that runs cannot be released.
var ErrNotStopped = errors.New("this table has not stopped")

// Release lets a table play on that a fault stopped, after the fault was examined; why says
// what was found. The table is audited first: what it shows must be what its record leads to,
// and its account must hold what lies on the layout. Otherwise an error wraps [ErrCorrupt], and
// the table stays stopped until the house is opened again.
//
// A round that was in play has been interrupted. It is reported as [Open] reports it, before
// anything else can happen at the table. The outcome is returned; it is nil if nothing lay on
// the layout.
func (h *House) Release(ctx context.Context, key string, by access.Person, name, why string) (*Interruption, error) {
	if err := by.Check(access.ReleaseTable); err != nil {
		return nil, err
	}
	if strings.TrimSpace(why) == "" {
		return nil, sentence.Errorf("table %s: say why it may play on: %s", name, ErrNoReason)
	}
	s, err := h.runner(name)
	if err != nil {
		return nil, err
	}
	tx, repeated, err := h.begin(ctx, key, by, name, ReleaseTable{Why: why})
	if err != nil || repeated != nil {
		return nil, err
	}
	defer h.release(tx.Key)
	s.Lock()
	defer s.Unlock()
	since, err := h.releaseTable(ctx, s, tx, TableReleased{Table: name, By: by, Why: why})
	if err != nil || s.state.OnLayout() == 0 {
		return nil, err
	}
	stop, err := h.interrupt(ctx, s, max(0, h.world.NowMs()-since))
	return &stop, err
}

// ErrNoReason: what is done has to be explained.
var ErrNoReason = errors.New("a reason is needed")

// releaseTable audits a table and lets it run again. It returns when it stopped. The
// table is locked.
func (h *House) releaseTable(ctx context.Context, s *tableRunner, tx *Transaction, e TableReleased) (sinceMs int64, err error) {
	if err := h.checkRunning(nil); err != nil {
		return 0, err
	}
	if s.stopped == nil {
		return 0, sentence.Errorf("table %s: %s", s.Name, ErrNotStopped)
	}
	if err := h.auditTable(ctx, s); err != nil {
		return 0, err
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	tx.Parts = []StreamAppend{{Stream: tableStream(s.Name), After: s.version}}
	err = h.recordAdminEvent(tx, e, func(n *Notice) {
		sinceMs, s.stopped = s.stopped.stop.AtMs, nil
		s.show()
		s.describe(n)
	})
	return sinceMs, err
}

// auditTable checks a table against its record and its account. The table is locked.
func (h *House) auditTable(ctx context.Context, s *tableRunner) error {
	state, version, err := h.replay(ctx, s, new(recordPosition), true)
	if err != nil {
		return err
	}
	if version != s.version || !reflect.DeepEqual(state, s.state) {
		return fmt.Errorf("%w: table %s is not where its %d events lead", ErrCorrupt, s.Name, version)
	}
	layout := ledger.Account{Kind: ledger.Layout, Of: s.Name}
	stored := money.Amount(0)
	if _, err := h.store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
		if a == layout {
			stored = held
		}
		return nil
	}); err != nil {
		return err
	}
	for _, held := range []money.Amount{h.figuresNow([]ledger.Account{layout})[0].Holds, stored} {
		if lies := s.state.OnLayout(); held != lies {
			return fmt.Errorf("%w: %s holds %s, and %s is shown", ErrCorrupt, layout, held.Display(), lies.Display())
		}
	}
	return nil
}

// interrupt reports at a table that its round was interrupted. The table is
// locked, or nobody else is there yet.
func (h *House) interrupt(ctx context.Context, s *tableRunner, lastedMs int64) (Interruption, error) {
	stop := Interruption{Table: s.Name, Round: s.state.Round, LastedMs: lastedMs, Phase: s.state.Phase}
	// One that no clock has measured lasted a moment all the same.
	done, err := h.continueAt(ctx, s, keeper, keeperRole, table.Report{Incident: rules.TechnicalInterruption, LastedMs: max(1, lastedMs)})
	var refusal *table.Refusal
	switch {
	case errors.As(err, &refusal), errors.Is(err, ErrTableStopped):
		stop.Refused = err
	case err != nil:
		return stop, err
	default:
		stop.Phase = done.State.Phase()
		if i := slices.IndexFunc(done.Events, func(e TableEvent) bool { _, ok := opaque.RawEvent(e).(table.Reported); return ok }); i >= 0 {
			reported := opaque.RawEvent(done.Events[i]).(table.Reported)
			stop.Outcome, stop.Clause = reported.Outcome, reported.Clause
		}
	}
	return stop, nil
}
