package house

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

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
// displayed before the first report.
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
	var reports []TableReport
	var first error
	carried := false
	for _, at := range h.Tables() {
		status, err := h.Status(at)
		if err != nil {
			return reports, err
		}
		if status.Jackpot != name || status.State.Variant().Jackpot == nil {
			continue
		}
		o := CommandRequest{Table: at, By: by, Do: table.Report{Incident: rules.ProgressiveDown, Note: note}}
		if key != "" {
			// The name of a table has no line break, so no two keys are the same.
			o.Key = fmt.Sprintf("jackpot-down %x", sha256.Sum256([]byte(key+"\n"+at)))
		}
		result, err := h.Do(ctx, o)
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
		reports = append(reports, TableReport{Table: at, Result: result, Refused: err})
	}
	if !carried && first != nil {
		return reports, first
	}
	return reports, nil
}
