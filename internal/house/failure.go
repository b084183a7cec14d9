package house

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/jackpot"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// TableReport is the effect at one table of the report of a jackpot's failure, or of the act that
// puts it back into service.
type TableReport struct {
	Table string
	// Result is the result at that table. Its Outcome and Clause stand in the event
	// [table.Reported]; where a second person has to confirm the facts first, a question is
	// open.
	Result Result
	// Later says that it follows when the round in play is over, here or at another table of the
	// jackpot.
	Later bool
	// Refused is the reason why nothing followed; nil if it did.
	Refused error
}

// Outcome returns what the report led to and by which clause. It is zero where
// nothing has followed yet.
func (r *TableReport) Outcome() (then rules.Outcome, clause string) {
	for _, e := range r.Result.Events {
		if reported, ok := opaque.RawEvent(e).(table.Reported); ok {
			return reported.Outcome, reported.Clause
		}
	}
	return 0, ""
}

// ReportJackpotDown reports at every table of a jackpot that its system has failed:
// once for all of them, each by the state of its own round. A round in which no player has
// looked is void, and any other goes on with the jackpot as registered. A table between rounds
// waits for the house's choice. The value registered is the one displayed before the first
// report. A report at one table that names no box does the same, by [House.Do].
//
// Each report is durable by itself. A table that refuses its own, because it is out of
// order already or has stopped, holds up no other. Any other error ends the reporting;
// the same key carries it on where it ended. If every table refuses, the first refusal
// is the error.
//
//clause:rws-3cp@3 5.16
//clause:rws-3cp@3 5.17
func (h *House) ReportJackpotDown(ctx context.Context, key string, by access.Person, name, note string) ([]TableReport, error) {
	if _, ok := h.Jackpot(name); !ok {
		return nil, sentence.Errorf("jackpot %q: %s", name, ErrNoJackpot)
	}
	return h.atTables(ctx, name, reportDown(key, by, "", note))
}

// reportDown reports that the system of a jackpot has failed, at each of its tables but one, as
// [House.ReportJackpotDown] says.
func reportDown(key string, by access.Person, but, note string) *jackpotRequest {
	return &jackpotRequest{
		key: key, what: "jackpot-down", by: by, do: table.Report{Incident: rules.ProgressiveDown, Note: note},
		concerns: func(s *TableStatus) bool { return s.Table.Name != but },
		over:     func(state *jackpot.State) bool { return !state.Down },
	}
}

// RestoreJackpot puts the progressive back into service at every table of a jackpot at which it
// is out of order. It does so at once between two rounds, and at the end of a round in play.
// While a round of another table is paid what was registered, each waits for the end of that.
// Then Later is set. The process that writes to the record keeps the request in memory as long
// as it runs and the jackpot does not fail again. It records it as done by the same person.
// Tables that play on without the boxes of devices that have failed are left as they are: each
// is restored by itself. Refusals and keys are as in [House.ReportJackpotDown].
//
//clause:rws-3cp@3 5.17.2
func (h *House) RestoreJackpot(ctx context.Context, key string, by access.Person, name string) ([]TableReport, error) {
	if _, ok := h.Jackpot(name); !ok {
		return nil, sentence.Errorf("jackpot %q: %s", name, ErrNoJackpot)
	}
	asked := jackpotRequest{
		key: key, what: "jackpot-up", by: by, do: table.RestoreProgressive{},
		concerns: (*TableStatus).OutOfService,
		over:     func(state *jackpot.State) bool { return state.Down },
		later:    func(at string) error { return h.restoreLater(at, by) },
	}
	reports, err := h.atTables(ctx, name, &asked)
	if reports == nil && err == nil {
		return nil, &table.Refusal{Reason: table.NotApplicable, Detail: "the progressive is in order at every table of the jackpot"}
	}
	return reports, err
}

// OutOfService reports whether [House.RestoreJackpot] puts the progressive of a table back into
// service: the table stands still, or plays on without it. Where betting devices of the table have
// failed, the house chooses first how it plays on.
func (s *TableStatus) OutOfService() bool {
	return s.State.Down() && !s.State.DevicesDown() && s.State.DownOption() != table.WithoutBoxes
}

// jackpotRequest is a command that one person gives to the tables of a jackpot by one act.
type jackpotRequest struct {
	key, what string // what sets the keys of this kind of command apart
	by        access.Person
	do        table.Action
	// concerns reports whether a table is asked that has not answered under the key before.
	concerns func(*TableStatus) bool
	// over reports whether the purpose of the command has ended. A copy of it that arrives then
	// is answered, and changes no table that had not carried it out.
	over func(*jackpot.State) bool
	// later has the command carried out at the end of the round by which a table refuses it; nil
	// where a refusal stands.
	later func(at string) error
	// begun says that the person has begun it by a command at another table.
	begun bool
}

// atTables gives a command to the tables of a jackpot.
func (h *House) atTables(ctx context.Context, name string, r *jackpotRequest) ([]TableReport, error) {
	if err := r.by.CheckAction(r.do); err != nil {
		return nil, err // also where the command concerns no table
	}
	var asked []CommandRequest
	recorded := map[string]bool{}
	for _, at := range h.Tables() {
		status, err := h.Status(at)
		if err != nil {
			return nil, err
		}
		if status.Jackpot != name || status.State.Variant().Jackpot == nil {
			continue
		}
		o := CommandRequest{Table: at, By: r.by, Do: r.do}
		if r.key != "" {
			// The name of a table has no line break, so no two keys are the same.
			o.Key = fmt.Sprintf("%s %x", r.what, sha256.Sum256([]byte(r.key+"\n"+at)))
		}
		switch found, err := h.Recorded(ctx, r.by.Name, o.Key); {
		case err != nil:
			return nil, err
		case found:
			recorded[at] = true
		case !r.concerns(&status):
			continue
		}
		asked = append(asked, o)
	}
	state, _ := h.Jackpot(name)
	over := len(recorded) > 0 && r.over(&state)
	var reports []TableReport
	var first error
	carried := false
	// What is begun is ended whether somebody waits for the answer or not.
	ctx = context.WithoutCancel(ctx)
	for _, o := range asked {
		if over && !recorded[o.Table] {
			continue
		}
		o.begun = r.begun || carried
		result, err := h.orderBy(ctx, o)
		var refusal *table.Refusal
		later := r.later != nil && errors.As(err, &refusal) && (refusal.Reason == table.WrongPhase || refusal.Reason == table.Unfinished)
		if later {
			err = r.later(o.Table)
		}
		switch {
		case err == nil:
			carried = true
		case errors.As(err, &refusal), errors.Is(err, ErrTableStopped):
			if first == nil {
				first = err
			}
		default:
			return reports, err
		}
		reports = append(reports, TableReport{Table: o.Table, Result: result, Later: later, Refused: err})
	}
	if !carried && first != nil {
		return reports, first
	}
	return reports, nil
}

// restoreLater has the progressive of a table restored when its round is over, for the person
// whose command the table has refused for that round alone.
func (h *House) restoreLater(at string, by access.Person) error {
	s, err := h.runner(at)
	if err != nil {
		return err
	}
	s.Lock()
	defer s.Unlock()
	s.restores = &by
	if s.idle() { // no clock ends its round
		_, _ = h.continueAt(context.Background(), s, emptying.Actor(), emptying.Role.String(), table.CloseTable{Anew: true})
	}
	h.restoreBetween(context.Background(), s)
	return nil
}

// restoreBetween restores the progressive of a table on a pending request, once no round is in
// play. The table is locked. What is in the way is no error: the page shows that the table
// still plays without.
func (h *House) restoreBetween(ctx context.Context, s *tableRunner) {
	by := s.restores
	if by == nil || s.state.Phase.InRound() {
		return
	}
	if s.state.Down {
		_, err := h.continueAt(ctx, s, by.Actor(), by.Role.String(), table.RestoreProgressive{})
		var refusal *table.Refusal
		if errors.As(err, &refusal) && refusal.Reason == table.Unfinished {
			s.jackpot.wanted.Store(true)
			return // a round of another table is paid what was registered
		}
	}
	s.restores = nil
}

// restoreWaiting puts the progressive back into service at the tables of a jackpot that wait
// for the end of a round elsewhere. It does so once no round is left that is paid what was
// registered. It is asked when a command at one of the tables has ended; no table is locked.
func (h *House) restoreWaiting(ctx context.Context, at *tableRunner) {
	p := at.jackpot
	if p == nil || !p.wanted.Load() {
		return
	}
	if state, _ := h.Jackpot(p.name); len(state.Queue()) > 0 || len(state.Dealt()) > 0 || !p.wanted.CompareAndSwap(true, false) {
		return
	}
	for _, name := range h.Tables() {
		s, err := h.runner(name)
		if err != nil || s.jackpot != p {
			continue
		}
		s.Lock()
		h.restoreBetween(ctx, s)
		s.Unlock()
	}
}

// dropRestore discards the request to restore the progressive of a table if a command says that
// it fails again, or how the table plays on without it. It takes the error of the command. A
// refusal changes nothing, except of a report that the progressive is out of order where that
// is known: it says that it has failed again. The table is locked.
func (s *tableRunner) dropRestore(do table.Action, err error) {
	switch do := do.(type) {
	case table.Report:
		var refusal *table.Refusal
		known := errors.As(err, &refusal) && refusal.Reason == table.AlreadyDone
		if do.Incident == rules.ProgressiveDown && (err == nil || known) {
			s.restores = nil
		}
	case table.SuspendProgressive:
		if err == nil {
			s.restores = nil
		}
	}
}

// failElsewhere reports at the other tables of a jackpot what was reported at one: that its
// system has failed. A report that names boxes is one of their devices, and stays at its table. What
// was begun is ended whether somebody waits for the answer or not. The answer to this report
// does not say whether other tables accept it. Only the round of this table shows that the
// failure came before anybody looked. A report that is repeated goes on as long as the failure
// lasts: a copy that arrives later takes no table out of service again.
//
//clause:rws-3cp@3 5.16
func (h *House) failElsewhere(ctx context.Context, o CommandRequest, done *Result) error {
	report, _ := o.Do.(table.Report)
	if !report.SystemFailed() || !slices.ContainsFunc(done.Events, failed) {
		return nil
	}
	status, err := h.Status(o.Table)
	if err != nil || status.Jackpot == "" {
		return err
	}
	if done.Repeated {
		if state, _ := h.Jackpot(status.Jackpot); !state.Down || !status.State.Down() {
			return nil
		}
	}
	asked := reportDown(o.Key, o.By, o.Table, report.Note)
	asked.begun = true
	_, err = h.atTables(context.WithoutCancel(ctx), status.Jackpot, asked)
	var refusal *table.Refusal
	if errors.As(err, &refusal) || errors.Is(err, ErrTableStopped) {
		return nil // all others are out of order already, or have stopped
	}
	return err
}

// failed reports whether an event takes the progressive of a table out of service.
func failed(e TableEvent) bool {
	_, ok := opaque.RawEvent(e).(table.ProgressiveFailed)
	return ok
}
