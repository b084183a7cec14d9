package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/table"
)

// Entry is a transaction as those may read it who read the log.
type Entry struct {
	Seq      int64            `json:"seq"`
	AtMs     int64            `json:"at_ms"`
	By       string           `json:"by"`
	Role     string           `json:"role"`
	At       string           `json:"at,omitempty" doc:"The table or jackpot."`
	Command  string           `json:"command"`
	Body     json.RawMessage  `json:"body,omitempty" doc:"The command as it was carried out."`
	Parts    []EntryPart      `json:"parts,omitempty"`
	Postings []ledger.Posting `json:"postings,omitempty"`
}

// EntryPart is what a transaction appended to one stream.
type EntryPart struct {
	Stream string        `json:"stream"`
	After  int64         `json:"after" doc:"The version of the stream before it."`
	Round  int           `json:"round,omitempty" doc:"The round that begins with it."`
	Events []house.Event `json:"events"`
}

type logInput struct {
	After  int64  `query:"after" minimum:"0" doc:"Only what comes after this number; next of a page is where the page after it begins."`
	Stream string `query:"stream" maxLength:"300" example:"table:T1" doc:"Only what concerns this stream: table:NAME, jackpot:NAME, deal:NAME, house or people."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many at most."`
}

type logOutput struct {
	Body struct {
		Entries []Entry `json:"entries"`
		Next    int64   `json:"next,omitempty" doc:"Ask with after= this for what follows; absent where nothing does yet."`
	}
}

func (d *door) journal() {
	serve(d, huma.Operation{
		OperationID: "log", Method: http.MethodGet, Path: "/api/v1/log", Tags: []string{"House"},
		Summary: "Read the log", Description: "The whole record of the house, transaction by transaction, in order. Of rounds in play, cards that lie face down are ??; seeds are sealed and passwords are not shown.",
	}, d.readLog)
}

func (d *door) readLog(ctx context.Context, in *logInput) (*logOutput, error) {
	if _, err := need(ctx, access.ReadLog); err != nil {
		return nil, err
	}
	out := &logOutput{}
	out.Body.Entries = []Entry{}
	var all []house.Entry
	err := d.Record.ReadAll(ctx, in.After, in.Stream, func(e house.Entry) error {
		all = append(all, e)
		if len(all) > in.Limit {
			return errPageFull
		}
		return nil
	})
	if err != nil && err != errPageFull { //nolint:errorlint // it is this very value
		return nil, err
	}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		out.Body.Next = all[in.Limit-1].Seq
	}
	// Asked after the entries were read: a round that is over by now was over, or
	// ended, and one that began since is in play.
	running := d.running()
	for i := range all {
		out.Body.Entries = append(out.Body.Entries, running.entry(ctx, &all[i]))
	}
	return out, nil
}

// errPageFull ends the reading of a page.
var errPageFull = kindInvalid.problem("the page is full")

// roundsInPlay says which entries of a log belong to rounds that are in play.
type roundsInPlay struct {
	d *door
	// from are the numbers from which on the rounds in play last, by table.
	from map[string]int64
}

func (d *door) running() *roundsInPlay { return &roundsInPlay{d, map[string]int64{}} }

// lasts reports whether a transaction at a table belongs to the round in play
// there. Where that cannot be found out it does.
func (p *roundsInPlay) lasts(ctx context.Context, name string, seq int64) bool {
	from, asked := p.from[name]
	if !asked {
		from = 0
		is, err := p.d.House.Table(name)
		if err == nil && !is.Phase.InRound() {
			from = -1
		}
		if err == nil && from == 0 {
			err = p.d.Record.Rounds(ctx, "table:"+name, 0, 1, func(m house.RoundMark) error {
				from = m.Seq
				return nil
			})
			if err != nil {
				from = 0
			}
		}
		p.from[name] = from
	}
	return from >= 0 && seq >= from
}

// entry is a transaction without what nobody may know yet.
func (p *roundsInPlay) entry(ctx context.Context, e *house.Entry) Entry {
	out := Entry{
		Seq: e.Seq, AtMs: e.AtMs, By: e.Cause.By, Role: e.Cause.Role, At: e.Cause.At, Command: e.Cause.Kind,
		Body: e.Cause.Body, Postings: e.Postings,
	}
	hidden, ofPeople := false, false
	for i := range e.Parts {
		part := &e.Parts[i]
		shown := EntryPart{Stream: part.Stream, After: part.After, Round: part.Round, Events: make([]house.Event, len(part.Events))}
		kind, of, _ := strings.Cut(part.Stream, ":")
		inPlay := kind == "table" && p.lasts(ctx, of, e.Seq)
		hidden = hidden || inPlay
		ofPeople = ofPeople || part.Stream == identity.Stream
		for k, event := range part.Events {
			shown.Events[k] = p.event(ctx, kind, inPlay, identity.Redact(part.Stream, event))
		}
		out.Parts = append(out.Parts, shown)
	}
	switch {
	case ofPeople:
		out.Body = nil // The event says it, without what is secret.
	case hidden:
		out.Body = withoutFaces(e.Cause.Kind, e.Cause.Body)
	}
	return out
}

// withheld stands for what is not shown.
var withheld = json.RawMessage(`{"withheld":true}`)

// event is an event without what nobody may know yet.
func (p *roundsInPlay) event(ctx context.Context, kind string, inPlay bool, e house.Event) house.Event {
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
		if p.waits(ctx, e) {
			return house.Event{Kind: "withheld", Body: withheld}
		}
	case "house":
		if e.Kind == "table-stopped" {
			return house.Event{Kind: e.Kind, Body: json.RawMessage(withoutCards(string(e.Body)))}
		}
	}
	return e
}

// waits reports whether an event of a jackpot is about a hand in a round in play,
// which may lie face down.
func (p *roundsInPlay) waits(ctx context.Context, e house.Event) bool {
	switch e.Kind {
	case "hit-registered", "order-determined", "hit-forfeited", "hit-confirmed":
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
	is, err := p.d.House.Table(about.Body.Hit.Table)
	return err != nil || is.Phase.InRound() && about.Body.Hit.Round == strconv.Itoa(is.Round)
}

// withoutFaces is a command at a table without the cards that it names.
func withoutFaces(kind string, body json.RawMessage) json.RawMessage {
	do, err := table.DecodeAction(kind, body)
	if err != nil {
		return json.RawMessage(withoutCards(string(body)))
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
	default:
	}
	text, err := json.Marshal(do)
	if err != nil {
		return withheld
	}
	return text
}
