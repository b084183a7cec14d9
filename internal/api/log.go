package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/ledger"
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

// EntryPart holds the events that a transaction appended to one stream.
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

func (d *server) journal() {
	serve(d, huma.Operation{
		OperationID: "log", Method: http.MethodGet, Path: "/api/v1/log", Tags: []string{"House"},
		Summary: "Read the log", Description: "The whole record of the house, transaction by transaction, in order. Of rounds in play, cards that lie face down are ??; seeds are sealed and passwords are not shown.",
	}, d.readLog)
}

func (d *server) readLog(ctx context.Context, in *logInput) (*logOutput, error) {
	if _, err := requirePermission(ctx, access.ReadLog); err != nil {
		return nil, err
	}
	out := &logOutput{}
	out.Body.Entries = []Entry{}
	var all []house.StoredTransaction
	err := d.Record.ReadAll(ctx, in.After, in.Stream, func(e house.StoredTransaction) error {
		all = append(all, e)
		if len(all) > in.Limit {
			return errPageFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return nil, err
	}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		out.Body.Next = all[in.Limit-1].Seq
	}
	redaction := d.read().Redaction()
	for i := range all {
		e := redaction.Entry(ctx, &all[i])
		out.Body.Entries = append(out.Body.Entries, entryOf(&e))
	}
	return out, nil
}

// errPageFull ends the reading of a page.
var errPageFull = errors.New("the page is full")

// read returns a page of the record to those who may read it.
func (d *server) read() *journal.Journal {
	return &journal.Journal{House: d.House, Record: d.Record}
}

// entryOf returns a transaction without everything that nobody may know.
func entryOf(e *house.StoredTransaction) Entry {
	out := Entry{
		Seq: e.Seq, AtMs: e.AtMs, By: e.Cause.By, Role: e.Cause.Role, At: e.Cause.At, Command: e.Cause.Kind,
		Body: e.Cause.Body, Postings: e.Postings,
	}
	for i := range e.Parts {
		p := &e.Parts[i]
		out.Parts = append(out.Parts, EntryPart{Stream: p.Stream, After: p.After, Round: p.Round, Events: p.Events})
	}
	return out
}
