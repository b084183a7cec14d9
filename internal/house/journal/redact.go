package journal

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/record"
	"trey/jackpot"
	"trey/table"
)

// Redaction takes out of transactions what nobody may know yet. It asks how the
// tables stand when it first needs to, so it is made after the transactions were
// read: a round that is over by then was over, or ended, and one that began since
// is in play.
type Redaction struct {
	of *Journal
	// from are the numbers from which on the rounds in play last, by table.
	from map[string]int64
}

// Redaction begins one.
func (j *Journal) Redaction() *Redaction { return &Redaction{j, map[string]int64{}} }

// lasts reports whether a transaction at a table belongs to the round in play
// there. Where that cannot be found out it does.
func (r *Redaction) lasts(ctx context.Context, name string, seq int64) bool {
	from, asked := r.from[name]
	if !asked {
		from = 0
		state, err := r.of.House.Table(name)
		if err == nil && !state.Phase().InRound() {
			from = -1
		}
		if err == nil && from == 0 {
			err = r.of.Record.Rounds(ctx, streamOf(name), 0, 1, func(m house.RoundMark) error {
				from = m.Seq
				return nil
			})
			if err != nil {
				from = 0
			}
		}
		r.from[name] = from
	}
	return from >= 0 && seq >= from
}

// Entry is a transaction without what nobody may know yet. The one that it is
// given stays as it is.
func (r *Redaction) Entry(ctx context.Context, e *house.StoredTransaction) house.StoredTransaction {
	out := *e
	out.Parts = make([]house.StreamAppend, len(e.Parts))
	hidden, ofPeople := false, false
	for i := range e.Parts {
		part := &e.Parts[i]
		redacted := *part
		redacted.Snapshot, redacted.Events = nil, make([]house.Event, len(part.Events))
		kind, of, _ := strings.Cut(part.Stream, ":")
		inPlay := kind == "table" && r.lasts(ctx, of, e.Seq)
		hidden = hidden || inPlay
		ofPeople = ofPeople || part.Stream == identity.Stream
		for k, event := range part.Events {
			redacted.Events[k] = r.event(part.Stream, inPlay, event)
		}
		out.Parts[i] = redacted
	}
	switch {
	case ofPeople:
		out.Cause.Body = nil // The event says it, without what is secret.
	case hidden:
		out.Cause.Body = withoutFaces(e.Cause.Kind, e.Cause.Body)
	}
	return out
}

// withheld stands for what is not shown.
var withheld = json.RawMessage(`{"withheld":true}`)

// event returns what may be read of an event. It is an allowlist: each stream has one
// function that says so by kind and field, and of a stream or a kind that is not known
// here nothing is shown but that there is something.
func (r *Redaction) event(stream string, inPlay bool, e house.Event) house.Event {
	redacted, err := readable(stream, inPlay, e)
	if err != nil || redacted.Body == nil {
		return house.Event{Kind: "withheld", Body: withheld}
	}
	return redacted
}

// errUnknown says that nobody has decided what may be read of an event.
var errUnknown = errors.New("not known")

func readable(stream string, inPlay bool, e house.Event) (redacted house.Event, err error) {
	kind, _, _ := strings.Cut(stream, ":")
	switch kind {
	case "table":
		decoded, err := record.TableEvents.Read(e)
		if err != nil || !inPlay {
			return e, err // When a round is over, everything about it may be known.
		}
		return record.TableEvents.Write(table.Redact(decoded, table.State{}, table.Viewer{}))
	case "jackpot":
		decoded, err := record.JackpotEvents.Read(e)
		if err == nil {
			decoded = jackpot.Redact(decoded, jackpot.LogReader)
		}
		if err != nil || decoded == nil {
			return redacted, errUnknown
		}
		return record.JackpotEvents.Write(decoded)
	case "deal":
		decoded, err := fair.Events.Read(e)
		if err != nil {
			return redacted, err
		}
		switch decoded.(type) {
		case fair.Committed, fair.Added, fair.Revealed:
			return e, nil
		}
	case "house":
		decoded, err := house.DecodeOwn(e)
		if err != nil {
			return redacted, err
		}
		return house.OwnEvents.Write(house.RedactOwn(decoded, WithoutCards))
	case identity.Stream:
		return identity.Redact(stream, e), nil
	case "protection":
		_, err := protection.Read(e)
		return e, err
	}
	return redacted, errUnknown
}

// withoutFaces is a command at a table without the cards that it names.
func withoutFaces(kind string, body json.RawMessage) json.RawMessage {
	do, err := record.Actions.Parse(kind, body)
	if err != nil {
		return json.RawMessage(WithoutCards(string(body)))
	}
	redacted, err := record.Actions.Write(table.RedactAction(do))
	if err != nil {
		return withheld
	}
	return redacted.Body
}
