package house

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// TableReport is the effect of the report of a jackpot's failure at one table.
type TableReport struct {
	Table string
	// Result is what followed there. Its Outcome and Clause stand in the event
	// [table.Reported]; where a second person has to confirm the facts first, a
	// question is open.
	Result Result
	// Refused is why nothing followed; nil if it did.
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
// once for all of them, each by the state of its own round. A round in which no
// player has looked is void, any other goes on with the jackpot as registered, and a
// table between rounds waits for the house's choice. The value registered is the one
// displayed before the first report. A report at one table that names no box does the same, by
// [House.Do].
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
	return h.reportDownAt(ctx, key, by, name, "", note)
}

// reportDownAt reports the failure of a jackpot's system at each of its tables but one, as
// [House.ReportJackpotDown] says.
func (h *House) reportDownAt(ctx context.Context, key string, by access.Person, name, but, note string) ([]TableReport, error) {
	var asked []CommandRequest
	recorded := map[string]bool{}
	for _, at := range h.Tables() {
		status, err := h.Status(at)
		if err != nil {
			return nil, err
		}
		if at == but || status.Jackpot != name || status.State.Variant().Jackpot == nil {
			continue
		}
		o := CommandRequest{Table: at, By: by, Do: table.Report{Incident: rules.ProgressiveDown, Note: note}}
		if key != "" {
			// The name of a table has no line break, so no two keys are the same.
			o.Key = fmt.Sprintf("jackpot-down %x", sha256.Sum256([]byte(key+"\n"+at)))
		}
		asked = append(asked, o)
		switch found, err := h.Recorded(ctx, by.Name, o.Key); {
		case err != nil:
			return nil, err
		case found:
			recorded[at] = true
		}
	}
	// A copy of a report that arrives when the failure is over is answered, and takes no table out
	// of service that had refused it.
	pot, _ := h.Jackpot(name)
	over := len(recorded) > 0 && !pot.Down
	var reports []TableReport
	var first error
	carried := false
	for _, o := range asked {
		if over && !recorded[o.Table] {
			continue
		}
		result, err := h.orderBy(ctx, o)
		var refusal *table.Refusal
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
		reports = append(reports, TableReport{Table: o.Table, Result: result, Refused: err})
	}
	if !carried && first != nil {
		return reports, first
	}
	return reports, nil
}

// failElsewhere reports at the other tables of a jackpot what was reported at one: that its
// system has failed. A report that names boxes is one of their devices, and stays at its table. What
// was begun is ended whether somebody waits for the answer or not. Whether other tables take
// it, the answer to this report does not say; that the failure came before anybody looked is known of
// the round of this table alone. A report that is repeated goes on as long as the failure lasts:
// a copy that arrives later takes no table out of service again.
//
//clause:rws-3cp@3 5.16
func (h *House) failElsewhere(ctx context.Context, o CommandRequest, done *Result) error {
	report, ok := o.Do.(table.Report)
	if !ok || !report.SystemFailed() || !slices.ContainsFunc(done.Events, failed) {
		return nil
	}
	status, err := h.Status(o.Table)
	if err != nil || status.Jackpot == "" {
		return err
	}
	if done.Repeated {
		if pot, _ := h.Jackpot(status.Jackpot); !pot.Down || !status.State.Down() {
			return nil
		}
	}
	_, err = h.reportDownAt(context.WithoutCancel(ctx), o.Key, o.By, status.Jackpot, o.Table, report.Note)
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
