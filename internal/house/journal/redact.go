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

// Redaction takes out of transactions what nobody may know yet. It reads the state of the
// tables when it first needs it, and thus after the transactions were read. A round that is
// over by then has ended, and one that began since is in play. What a table does not show yet
// is of a round in play, too: a transaction can be read a moment before.
type Redaction struct {
	of     *Journal
	tables map[string]standing
}

// standing describes a table as it stood when the redaction first asked.
type standing struct {
	// from is the number from which on the round in play lasts, below zero for no such round.
	from int64
	// version is the number of events that the table shows.
	version int64
}

// Redaction begins one.
func (j *Journal) Redaction() *Redaction { return &Redaction{j, map[string]standing{}} }

// lasts reports whether a part of a transaction at a table belongs to the round in play
// there. Where that cannot be found out it does.
func (r *Redaction) lasts(ctx context.Context, name string, seq int64, part *house.StreamAppend) bool {
	at, asked := r.tables[name]
	if !asked {
		at = r.standing(ctx, name)
		r.tables[name] = at
	}
	return at.from >= 0 && seq >= at.from || part.After+int64(len(part.Events)) > at.version
}

// standing asks how a table stands.
func (r *Redaction) standing(ctx context.Context, name string) (at standing) {
	status, err := r.of.House.Status(name)
	if err != nil {
		return at // everything is of a round in play
	}
	at.version = status.Version
	if !status.State.Phase().InRound() {
		at.from = -1
		return at
	}
	if err := r.of.Record.Rounds(ctx, streamOf(name), 0, 1, func(m house.RoundMark) error {
		at.from = m.Seq
		return nil
	}); err != nil {
		at.from = 0
	}
	return at
}

// Entry returns a transaction without what nobody may know yet. The one that it is given stays
// as it is.
func (r *Redaction) Entry(ctx context.Context, e *house.StoredTransaction) house.StoredTransaction {
	out := *e
	out.Parts = make([]house.StreamAppend, len(e.Parts))
	hidden, ofPeople := false, false
	for i := range e.Parts {
		part := &e.Parts[i]
		redacted := *part
		redacted.Snapshot, redacted.Events = nil, make([]house.Event, len(part.Events))
		kind, of, _ := strings.Cut(part.Stream, ":")
		inPlay := kind == "table" && r.lasts(ctx, of, e.Seq, part)
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

// event returns what may be read of an event. It is an allowlist: each stream has one function
// that decides by kind and field. Of a stream or a kind that is not known here, it shows only
// that something is there.
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

// withoutFaces returns a command at a table without the cards that it names.
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
