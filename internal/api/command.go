package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/record"
	"trey/internal/strict"
	"trey/money"
	"trey/table"
)

// Command is a command to a table, by its kind.
type Command struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
	// Version is the table's version that the command is meant for, as If-Match.
	Version *int64 `json:"version,omitempty"`
}

// Done is the result of a command.
type Done struct {
	Seq     int64        `json:"seq" doc:"The number of the transaction: it is durable."`
	AtMs    int64        `json:"at_ms" doc:"When, in milliseconds of the house's clock."`
	Table   string       `json:"table"`
	Version int64        `json:"version" doc:"The table's version after the command."`
	Events  []Event      `json:"events"`
	Jackpot []MeterEvent `json:"jackpot,omitempty"`
	// Picture is the table after the command, where it was asked for.
	Picture  *table.Picture `json:"picture,omitempty"`
	DryRun   bool           `json:"dry_run,omitempty" doc:"Nothing of this has happened."`
	Withheld bool           `json:"withheld,omitempty" doc:"More would follow; what it is depends on cards that are not seen yet."`
}

const commandPath = "/api/v1/tables/{table}/commands"

// commands takes the one request that most of the traffic consists of. It is
// described in the OpenAPI document like all others, and read by hand: a program
// of a house sends thousands of them a second.
func (d *server) commands() {
	d.mux.HandleFunc("POST "+commandPath, d.command)
	d.huma.OpenAPI().AddOperation(d.commandOperation())
	d.timeWarnings()
}

func (d *server) command(w http.ResponseWriter, r *http.Request) {
	kind := "unread"
	result := "refused"
	start := time.Now() //nolint:forbidigo // how long it took is not the house's time
	d.metrics.waiting.Inc()
	defer func() {
		d.metrics.waiting.Dec()
		d.metrics.commands.WithLabelValues(kind, result).Inc()
		if result == "done" {
			d.metrics.took.Observe(time.Since(start).Seconds())
		}
	}()
	person, err := authenticated(r.Context())
	if err != nil {
		d.fail(w, r, err)
		return
	}
	order := house.CommandRequest{Table: r.PathValue("table"), By: person}
	want, err := d.readCommand(r, &order)
	if order.Do != nil {
		kind = record.Actions.Name(order.Do)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if want.dry {
		result = "dry"
		d.dryRun(w, r, &order)
		return
	}
	done, err := d.do(r.Context(), order)
	if err != nil {
		result = outcome(err)
		d.fail(w, r, err)
		return
	}
	result = "done"
	h := w.Header()
	if done.Repeated {
		result = "repeated"
		h["Idempotency-Replayed"] = []string{"true"}
	}
	h["Etag"] = []string{etag(done.Version)}
	out := Done{Seq: done.Seq, AtMs: done.AtMs, Table: order.Table, Version: done.Version, Jackpot: meterEventsOf(done.Moved)}
	out.Events = eventsFor(done.Events, done.State.Variant(), viewer(person))
	if want.picture {
		picture := done.State.View(viewer(person))
		out.Picture = &picture
	}
	writeJSON(w, http.StatusOK, &out)
}

// outcome returns the label of a command's result in the metrics.
func outcome(err error) string {
	switch p := problemOf(err); {
	case p.Status >= http.StatusInternalServerError:
		return "failed"
	case p.Status == http.StatusForbidden:
		return "denied"
	default:
		return "refused"
	}
}

func viewer(person access.Person) table.Viewer {
	if person.Role.Can(access.Play) {
		return table.Viewer{Player: person.Name}
	}
	return table.Viewer{}
}

func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// wanted holds the query parameters of a command.
type wanted struct{ dry, picture bool }

// readCommand reads a command strictly into an order.
func (d *server) readCommand(r *http.Request, o *house.CommandRequest) (want wanted, err error) {
	if want, err = readWanted(r); err != nil {
		return want, err
	}
	if media := r.Header.Get("Content-Type"); !isJSON(media) {
		return want, errMedia
	}
	o.Key = r.Header.Get("Idempotency-Key")
	if o.Expect, err = readIfMatch(r.Header.Get("If-Match")); err != nil {
		return want, err
	}
	var c Command
	if err := readJSON(callOf(r.Context()).body, &c); err != nil {
		return want, unreadable(err, "body")
	}
	if c.Version != nil {
		if o.Expect != nil && *o.Expect != *c.Version {
			return want, kindMalformed.problem("If-Match and version say different things: send one of them")
		}
		o.Expect = c.Version
	}
	if len(c.Body) == 0 || string(c.Body) == "null" {
		c.Body = []byte("{}")
	}
	o.Do, err = record.Actions.Parse(c.Kind, c.Body)
	if err != nil && !slices.Contains(actionKinds, c.Kind) {
		found := strconv.Quote(c.Kind) + " is not a kind of command"
		if c.Kind == "" {
			found = "the command has no kind"
		}
		p := kindInvalid.problem(found + ": choose from " + strings.Join(actionKinds, ", "))
		p.Errors = []Fault{{"body.kind", found}}
		return want, p
	}
	if err != nil {
		return want, unreadable(err, "body.body")
	}
	return want, nil
}

// actionKinds are all kinds of commands in order.
var actionKinds = slices.Sorted(slices.Values(record.Actions.Names()))

func readWanted(r *http.Request) (want wanted, err error) {
	if r.URL.RawQuery == "" {
		return want, nil
	}
	for name, values := range r.URL.Query() {
		switch name {
		case "dry_run":
			want.dry, err = readFlag(name, values[0])
		case "picture":
			want.picture, err = readFlag(name, values[0])
		default:
			err = kindInvalid.problem("there is no query parameter " + strconv.Quote(name) + " here: a command takes dry_run and picture")
		}
		if err != nil {
			return want, err
		}
	}
	return want, nil
}

func readFlag(name, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, kindInvalid.problem(name + " is true or false")
	}
	return on, nil
}

var errMedia = kindMedia.problem("send the body with Content-Type: application/json")

func isJSON(media string) bool {
	kind, _, _ := strings.Cut(media, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// readIfMatch reads a version as If-Match gives it; an asterisk is any.
func readIfMatch(text string) (*int64, error) {
	if text == "" || text == "*" {
		return nil, nil
	}
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	found, err := strconv.ParseUint(text, 10, 63)
	version := int64(found)
	if err != nil {
		return nil, kindInvalid.problem(`If-Match is the version of a table, as its ETag gives it, such as "17"`)
	}
	return &version, nil
}

// unreadable returns the problem of a body, or of the part of one at a place, that cannot be
// read. JSON that is none is one thing, and a value that is none of those asked for is another.
func unreadable(err error, place string) *Problem {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var unknown *strict.UnknownField
	switch {
	case errors.As(err, &kind):
		p := kindInvalid.problem("a value is of the wrong type, or too large: amounts are whole numbers of minor units")
		p.Errors = []Fault{{strings.TrimSuffix(place+"."+kind.Field, "."), wrongType(kind)}}
		return p
	case errors.As(err, &unknown):
		p := kindInvalid.problem(err.Error())
		p.Errors = []Fault{{place + "." + unknown.Key, "there is no such field; capital letters count"}}
		return p
	case errors.As(err, &syntax), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errDeep):
		return kindMalformed.problem("this is not JSON that can be read: " + err.Error())
	case errors.Is(err, money.ErrOverflow):
		return kindInvalid.problem(err.Error())
	}
	return kindInvalid.problem(strings.Replace(err.Error(), "json: ", "", 1))
}

// wrongType says of a value what it is and what it has to be.
func wrongType(e *json.UnmarshalTypeError) string {
	return "it is " + valueWords(e.Value) + " and has to be " + typeWords(e.Type)
}

// valueWords holds the kinds of JSON values in words, by the names of the JSON reader.
func valueWords(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + value
}

// typeWords names the types of values for people who do not know ours.
func typeWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return typeWords(t.Elem())
	}
	return "a whole number, not too large"
}

// dryRun says what a command would do, and does nothing.
func (d *server) dryRun(w http.ResponseWriter, r *http.Request, o *house.CommandRequest) {
	tried, err := d.House.DryRun(r.Context(), *o)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	events, all := tried.Foreseen()
	out := Done{
		AtMs: tried.AtMs, Table: o.Table, Version: tried.Version - int64(len(tried.Events)-len(events)), DryRun: true, Withheld: !all,
		Events: eventsFor(events, tried.State.Variant(), viewer(o.By)),
	}
	if all {
		out.Jackpot = meterEventsOf(tried.Moved)
	}
	writeJSON(w, http.StatusOK, &out)
}
