package journal

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/identity"
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
		is, err := r.of.House.Table(name)
		if err == nil && !is.Phase.InRound() {
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
func (r *Redaction) Entry(ctx context.Context, e *house.Entry) house.Entry {
	out := *e
	out.Parts = make([]house.Part, len(e.Parts))
	hidden, ofPeople := false, false
	for i := range e.Parts {
		part := &e.Parts[i]
		shown := *part
		shown.Snapshot, shown.Events = nil, make([]house.Event, len(part.Events))
		kind, of, _ := strings.Cut(part.Stream, ":")
		inPlay := kind == "table" && r.lasts(ctx, of, e.Seq)
		hidden = hidden || inPlay
		ofPeople = ofPeople || part.Stream == identity.Stream
		for k, event := range part.Events {
			shown.Events[k] = r.event(kind, inPlay, identity.Redact(part.Stream, event))
		}
		out.Parts[i] = shown
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

// event is an event without what nobody may know yet.
func (r *Redaction) event(kind string, inPlay bool, e house.Event) house.Event {
	switch kind {
	case "sealed":
		return house.Event{Kind: e.Kind, Body: withheld}
	case "table":
		if !inPlay {
			return e
		}
		is, err := table.DecodeEvent(e.Kind, e.Body)
		if err != nil {
			return house.Event{Kind: e.Kind, Body: withheld}
		}
		body, err := json.Marshal(table.Redact(is, table.State{}, table.Viewer{}))
		if err != nil {
			body = withheld
		}
		return house.Event{Kind: e.Kind, Body: body}
	case "jackpot":
		if r.waits(e) {
			return house.Event{Kind: "withheld", Body: withheld}
		}
	case "house":
		if e.Kind == "table-stopped" {
			return house.Event{Kind: e.Kind, Body: json.RawMessage(WithoutCards(string(e.Body)))}
		}
	}
	return e
}

// waits reports whether an event of a jackpot is about a hand in a round in play,
// which may lie face down.
func (r *Redaction) waits(e house.Event) bool {
	switch e.Kind {
	case "hit-registered", "order-determined", "hit-forfeited", "hit-reinstated", "hit-confirmed":
	default:
		return false
	}
	var about struct {
		Body struct {
			Hit struct {
				Table string `json:"table"`
				Round string `json:"round"`
			} `json:"hit"`
		} `json:"body"`
	}
	if err := json.Unmarshal(e.Body, &about); err != nil {
		return true
	}
	is, err := r.of.House.Table(about.Body.Hit.Table)
	return err != nil || is.Phase.InRound() && about.Body.Hit.Round == strconv.Itoa(is.Round)
}

// withoutFaces is a command at a table without the cards that it names.
func withoutFaces(kind string, body json.RawMessage) json.RawMessage {
	do, err := table.DecodeAction(kind, body)
	if err != nil {
		return json.RawMessage(WithoutCards(string(body)))
	}
	switch is := do.(type) {
	case table.Deal:
		for i := range is.Cards {
			is.Cards[i].Card = card.None
		}
		do = is
	case table.Report:
		for i := range is.Cards {
			is.Cards[i].Card = card.None
		}
		is.Note = ""
		do = is
	case table.Answer:
		is.Remedies = slices.Clone(is.Remedies)
		for i := range is.Remedies {
			is.Remedies[i].Reason = ""
		}
		do = is
	default:
	}
	text, err := json.Marshal(do)
	if err != nil {
		return withheld
	}
	return text
}
