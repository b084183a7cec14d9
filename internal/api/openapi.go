package api

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/report"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

// document returns the OpenAPI document before any operation is added.
func document() huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	for _, alias := range []struct{ kind, like any }{
		{table.Phase(0), phaseText("")},
		{table.Decision(0), decisionText("")},
		{house.Mode(0), modeText("")},
		{autodealer.Wait(0), waitText("")},
		{access.Role(0), roleText("")},
		{report.Row{}, reportRow{}},
		{rules.Variant{}, variantTerms{}},
		{[]card.Card{}, cardTexts{}},
		{card.Hand{}, handTexts{}},
	} {
		registry.RegisterTypeAlias(reflect.TypeOf(alias.kind), reflect.TypeOf(alias.like))
	}
	strict := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: func(text []byte, v any) error {
		if err := checkDepth(text); err != nil {
			return err
		}
		err := json.Unmarshal(text, v)
		if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
			return errors.New(strings.TrimPrefix(kind.Field+": "+wrongType(kind), ": "))
		}
		return err
	}}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:   "Trey",
				Version: "1",
				License: &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
				Description: "Tables of three-card games by their approved rule books. Amounts are whole numbers of minor units (cents), times are milliseconds of the Unix clock, cards are rank and suit (\"Qh\") and \"??\" where you may not know them. " +
					"Every command takes an Idempotency-Key: repeated with the same key and content it is answered as the first time and not done again. Errors are problem details (RFC 9457) with the clause of the rule book that refuses.",
			},
			Servers: []*huma.Server{{URL: "/", Description: "The house that serves this document."}},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "apiKey", In: "cookie", Name: "trey", Description: "The session of a person who signed in. Under TLS the cookie is called __Host-trey."},
					"bearer":  {Type: "http", Scheme: "bearer", Description: "The token of a machine, made by an administrator."},
				},
			},
			Security: []map[string][]string{{"session": {}}, {"bearer": {}}},
			Tags: []*huma.Tag{
				{Name: "Sessions", Description: "Who you are."},
				{Name: "Tables", Description: "What stands on the floor, and playing."},
				{Name: "Jackpots", Description: "The linked progressives."},
				{Name: "Streams", Description: "What happens, as it happens: server-sent events."},
				{Name: "Accounts", Description: "Money and its history."},
				{Name: "Reports", Description: "What the house has done, from its record."},
				{Name: "Rules", Description: "The books."},
				{Name: "People", Description: "Users and the machines' tokens."},
				{Name: "House", Description: "What the staff do."},
			},
		},
		OpenAPIPath:                  "/openapi",
		Formats:                      map[string]huma.Format{"application/json": strict, "json": strict},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
}

// schemaName names a type in the document: those of this package by their names,
// those of others with the name of their package before it.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	switch t.PkgPath() {
	case "", "trey/internal/api":
		return name
	}
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	return strings.ToUpper(pkg[:1]) + pkg[1:] + name
}

func statusKey(status int) string { return strconv.Itoa(status) }

func words[T interface{ String() string }](all ...T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, w := range all {
		s.Enum = append(s.Enum, w.String())
	}
	return s
}

// These stand for types of the engine that are written as words.
type (
	phaseText    string
	decisionText string
	modeText     string
	waitText     string
	roleText     string
	reportRow    []any
	cardTexts    []string
	handTexts    []string
)

// faces returns the schema of a list of cards. A card is a byte in the engine, and otherwise a
// list of them would be described as bytes.
func faces(description string) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeArray, Description: description,
		Items: &huma.Schema{Type: huma.TypeString, Pattern: `^(([2-9TJQKA]|10)[cdhs]|\?\?)$`, Examples: []any{"Qh"}},
	}
}

// Schema describes cards.
func (cardTexts) Schema(huma.Registry) *huma.Schema {
	s := faces("Cards, as rank and suit; ?? is a card that you may not know.")
	s.Nullable = true
	return s
}

// Schema describes the three cards of a hand.
func (handTexts) Schema(huma.Registry) *huma.Schema {
	s := faces("The three cards of a hand, as rank and suit; ?? is a card that you may not know.")
	s.MinItems, s.MaxItems = new(3), new(3)
	return s
}

// Schema lists the phases.
func (phaseText) Schema(huma.Registry) *huma.Schema {
	return words(table.Ready, table.Betting, table.Dealing, table.Deciding, table.Showing, table.Paid, table.Voided, table.Closed)
}

// Schema lists the roles.
func (roleText) Schema(huma.Registry) *huma.Schema { return words(access.Roles()...) }

// Schema says what stands in a row.
func (reportRow) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{}, Description: "A value for each column: text, a number, an amount in minor units, or null."}
}

// Schema lists the decisions.
func (decisionText) Schema(huma.Registry) *huma.Schema {
	return words(table.Undecided, table.Played, table.Folded)
}

// Schema lists who runs tables.
func (modeText) Schema(huma.Registry) *huma.Schema { return words(house.Modes()...) }

// Schema lists what automatic tables wait for.
func (waitText) Schema(huma.Registry) *huma.Schema { return words(autodealer.Waits()...) }

// variantTerms is a variant in its stored form.
type variantTerms struct {
	Book     string                     `json:"book" doc:"The rule book and its edition."`
	ID       string                     `json:"id" doc:"The variant's name; the book's reference if nothing is changed."`
	Boxes    int                        `json:"boxes"`
	Limits   map[rules.Wager]StakeLimit `json:"limits"`
	Pays     map[rules.Wager]payTerms   `json:"pays"`
	Chips    []int64                    `json:"chips,omitempty" doc:"The denominations in use; none is any amount."`
	Rulings  map[string]string          `json:"rulings" doc:"What the house decided where the text leaves it open."`
	Rounding roundingTerms              `json:"rounding"`
	GraceMs  int64                      `json:"grace_ms"`
	Jackpot  any                        `json:"jackpot,omitempty" doc:"The terms of the progressive."`
}

type payTerms struct {
	Name string        `json:"name,omitempty"`
	Rows []payRowTerms `json:"rows"`
}

type payRowTerms struct {
	Combo        rules.Combo `json:"combo"`
	To           *int64      `json:"to,omitempty" doc:"It pays this to for."`
	For          int64       `json:"for,omitempty"`
	Fixed        int64       `json:"fixed,omitempty" doc:"It pays a fixed sum in minor units."`
	MeterPercent int         `json:"meter_percent,omitempty" doc:"It pays this share of the jackpot displayed."`
	Envy         int64       `json:"envy,omitempty" doc:"The Envy Bonus that it brings the others."`
	Clause       string      `json:"clause"`
}

type roundingTerms struct {
	Unit   int64  `json:"unit"`
	Favour string `json:"favour"`
}

// Schema lists the events of a table, each with its fields.
func (Event) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "TableEvent", slices.Sorted(slices.Values(record.TableEvents.Names())), func(kind string) (string, reflect.Type) {
		return "event", newest(record.TableEvents, kind)
	}, map[string]*huma.Schema{"told": {Type: huma.TypeString, Description: "The event in a sentence."}})
}

// meterEvents are the events of a jackpot that everybody receives.
var meterEvents = []jackpot.Event{
	jackpot.Opened{},
	jackpot.Contributed{},
	jackpot.ContributionsReversed{},
	jackpot.HitPaid{},
	jackpot.HitReversed{},
	jackpot.TermsChanged{},
	jackpot.Adjusted{},
	jackpot.SystemWentDown{},
	jackpot.SystemCameUp{},
}

// Schema lists the events of a jackpot that everybody receives.
func (MeterEvent) Schema(r huma.Registry) *huma.Schema {
	types := map[string]reflect.Type{}
	var kinds []string
	for _, e := range meterEvents {
		types[record.JackpotEvents.Name(e)] = reflect.TypeOf(record.JackpotEvents.Stored(e))
		kinds = append(kinds, record.JackpotEvents.Name(e))
	}
	return oneOf(r, "JackpotEvent", kinds, func(kind string) (string, reflect.Type) { return "event", types[kind] }, nil)
}

// Schema lists the commands of a table, each with its fields.
func (Move) Schema(r huma.Registry) *huma.Schema { return commandSchema(r, nil) }

// Schema lists the commands of a table, each with its fields.
func (Command) Schema(r huma.Registry) *huma.Schema {
	return commandSchema(r, map[string]*huma.Schema{"version": {Type: huma.TypeInteger, Description: "The table's version that the command is meant for; the same as If-Match."}})
}

// reportFields describe the fields of a report whose names do not say enough.
var reportFields = map[string]string{
	"lies":   "How many cards lie at a place, as far as the table's own record says otherwise; meant is where the order of the deal sends these cards. A second person confirms it.",
	"count":  "The number of cards counted: in the deck with deck-count, at the hand with wrong-count.",
	"active": "Whether the player who is reported to have left is signed in and active. The house states it: a command with active is refused.",
}

func commandSchema(r huma.Registry, more map[string]*huma.Schema) *huma.Schema {
	name := "Move"
	if more != nil {
		name = "Command"
	}
	out := oneOf(r, name, actionKinds, func(kind string) (string, reflect.Type) {
		return "body", newest(record.Actions, kind)
	}, more)
	// Players may leave their own names out.
	for _, one := range r.Map()[name].OneOf {
		fields := r.SchemaFromRef(one.Properties["body"].Ref)
		if player := fields.Properties["player"]; player != nil {
			player.Description = "The player concerned. A player may leave it out for themselves."
			fields.Required = slices.DeleteFunc(fields.Required, func(field string) bool { return field == "player" })
		}
		if one.Title == "report" {
			for field, text := range reportFields {
				fields.Properties[field].Description = text
			}
		}
		if len(fields.Required) == 0 {
			one.Required = slices.DeleteFunc(one.Required, func(field string) bool { return field == "body" })
		}
	}
	return out
}

// newest returns the stored type of a kind.
func newest[E any](t *stored.Table[E], kind string) (of reflect.Type) {
	for _, form := range t.Forms() {
		if stored.Name(form.Kind) == kind {
			of = form.Stored
		}
	}
	return of
}

// oneOf returns a schema of values that their kind tells apart.
func oneOf(r huma.Registry, name string, kinds []string, of func(kind string) (field string, t reflect.Type), more map[string]*huma.Schema) *huma.Schema {
	out := &huma.Schema{Ref: "#/components/schemas/" + name}
	if _, there := r.Map()[name]; there {
		return out
	}
	schema := &huma.Schema{}
	r.Map()[name] = schema
	for _, kind := range kinds {
		field, t := of(kind)
		one := &huma.Schema{
			Type: huma.TypeObject, Title: kind, AdditionalProperties: false, Required: []string{"kind"},
			Properties: map[string]*huma.Schema{
				"kind": {Type: huma.TypeString, Enum: []any{kind}},
				field:  r.Schema(t, true, kind),
			},
		}
		for name, s := range more {
			one.Properties[name] = s
		}
		if t.NumField() > 0 {
			one.Required = append(one.Required, field)
		}
		schema.OneOf = append(schema.OneOf, one)
	}
	return out
}

// jsonBody returns a body of JSON with an example by its name.
func jsonBody(s *huma.Schema, examples map[string]*huma.Example) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s, Examples: examples}}
}

// problems returns the answers of an operation that refuses.
func (d *server) problems(statuses ...int) map[string]*huma.Response {
	schema := d.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	out := map[string]*huma.Response{}
	for _, status := range statuses {
		out[statusKey(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{problemJSON: {Schema: schema}},
		}
	}
	return out
}

// commandOperation describes the one operation that huma does not carry out.
func (d *server) commandOperation() *huma.Operation {
	registry := d.huma.OpenAPI().Components.Schemas
	text := &huma.Schema{Type: huma.TypeString}
	flag := &huma.Schema{Type: huma.TypeBoolean}
	example := func(summary, body string) *huma.Example {
		return &huma.Example{Summary: summary, Value: json.RawMessage(body)}
	}
	op := &huma.Operation{
		OperationID: "command", Method: http.MethodPost, Path: commandPath, Tags: []string{"Tables"},
		Summary: "Do something at a table",
		Description: "Everything that is done at a table, by players and staff, is a command: its kind, and its fields in body. When it is answered with 200 it is durable. " +
			"Players may leave their own names out. The first expire warns the players and is answered with 409 and Retry-After; sent again after that, it ends their time. A refusal names the clause of the rule book and a reason from a closed list, and nothing has changed.",
		Parameters: []*huma.Param{
			{Name: "table", In: "path", Required: true, Schema: text, Description: "The table's name.", Example: "T1"},
			{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(200)}, Description: "A name of your own for this command, at most 200 bytes. Sent again with the same key and content, the command is answered as the first time, with Idempotency-Replayed: true, and is not done again; with other content it is refused with 422; while the first is being carried out, with 409 and Retry-After. Keys are each person's own. Send one with everything that you would not want done twice."},
			{Name: "If-Match", In: "header", Schema: text, Description: "The table's version that the command is meant for, as ETag gives it. If the table has changed since, the answer is 412.", Example: `"17"`},
			{Name: "dry_run", In: "query", Schema: flag, Description: "Say what would follow, and do nothing. What depends on cards that nobody has seen is left out."},
			{Name: "picture", In: "query", Schema: flag, Description: "Send the table as you may see it with the answer. It is of the moment of the answer, also when a command is repeated."},
		},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: jsonBody(registry.Schema(reflect.TypeFor[Command](), true, "Command"), map[string]*huma.Example{
				"bet":   example("Bet $10 on the Ante of box 1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`),
				"raise": example("Play the hand", `{"kind":"raise","body":{"box":1,"player":"ann"}}`),
				"close": example("No more bets", `{"kind":"close-bets"}`),
				"deal":  example("Deal all cards of the round from the house's shuffler", `{"kind":"deal"}`),
				"shown": example("Turn the dealer's hand where the house does not see the cards", `{"kind":"reveal","body":{"hand":["Kd","9c","2s"]}}`),
			}),
		},
		Responses: d.problems(400, 401, 403, 404, 409, 412, 413, 415, 421, 422, 429, 500, 503),
	}
	op.Responses["200"] = &huma.Response{
		Description: "Done, and durable.",
		Headers: map[string]*huma.Param{
			"ETag":                 {Schema: text, Description: "The table's version after the command."},
			"Idempotency-Replayed": {Schema: text, Description: "true where the command was carried out before, under its key."},
		},
		Content: jsonBody(registry.Schema(reflect.TypeFor[Done](), true, "Done"), nil),
	}
	return op
}

// describeStream describes a stream of server-sent events, by the types of what
// its messages hold.
func (d *server) describeStream(id, path, summary, description string, params []*huma.Param, events map[string]reflect.Type) {
	registry := d.huma.OpenAPI().Components.Schemas
	message := &huma.Schema{Title: "Server-sent events", Description: "Each message has an event, an id and data, which is JSON."}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		message.OneOf = append(message.OneOf, &huma.Schema{
			Type: huma.TypeObject, Title: event, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{
				"event": {Type: huma.TypeString, Enum: []any{event}},
				"id":    {Type: huma.TypeInteger, Description: "The number of the transaction."},
				"data":  registry.Schema(events[event], true, event),
			},
		})
	}
	number := &huma.Schema{Type: huma.TypeInteger}
	params = append(
		params,
		&huma.Param{Name: "Last-Event-ID", In: "header", Schema: number, Description: "The id of the last message that you have seen: you are sent everything after it, and nothing twice. Browsers send it by themselves."},
		&huma.Param{Name: "after", In: "query", Schema: number, Description: "The same, for whoever cannot set the header."},
	)
	op := &huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{"Streams"}, Summary: summary, Description: description,
		Parameters: params, Responses: d.problems(400, 401, 403, 404, 421, 422, 429, 500, 503),
	}
	op.Responses["200"] = &huma.Response{
		Description: "The stream. A comment from time to time says that it is alive. Readers that do not keep up are cut off: connect again.",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: message}},
	}
	d.huma.OpenAPI().AddOperation(op)
}
