package proof_test

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/rules"
	"trey/table"
)

var update = flag.Bool("update", false, "write the schema anew")

type object = map[string]any

func docs(name string) string { return filepath.Join("..", "..", "..", "docs", name) }

// log refers to a definition in the schema of round logs.
func log(name string) object { return object{"$ref": "round-log.schema.json#/$defs/" + name} }

// described are the types that are written in a way of their own.
func described() map[reflect.Type]object {
	digits := object{"type": "string", "pattern": "^[0-9a-f]{64}$"}
	reasons := []any{}
	for r := ledger.BuyIn; r.String() != "unknown"; r++ {
		reasons = append(reasons, r.String())
	}
	return map[reflect.Type]object{
		reflect.TypeFor[fair.Hash]():        digits,
		reflect.TypeFor[shuffle.Seed]():     digits,
		reflect.TypeFor[ledger.Reason]():    {"type": "string", "enum": reasons},
		reflect.TypeFor[rules.Wager]():      log("wager"),
		reflect.TypeFor[rules.Device]():     log("device"),
		reflect.TypeFor[table.Sight]():      log("sight"),
		reflect.TypeFor[table.DownOption](): log("downoption"),
		reflect.TypeFor[table.Decision]():   log("decision"),
		reflect.TypeFor[table.RemedyKind](): log("remedykind"),
		reflect.TypeFor[json.RawMessage]():  {"type": "object"},
	}
}

// schemaOf describes a type as encoding/json writes it.
func schemaOf(typ reflect.Type) object {
	if s, ok := described()[typ]; ok {
		return s
	}
	if typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return schemaOf(typ.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(typ.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(typ.Elem())}
	case reflect.Struct:
		properties, required := object{}, []any{}
		var fields func(reflect.Type)
		fields = func(typ reflect.Type) {
			for i := range typ.NumField() {
				f := typ.Field(i)
				if !f.IsExported() {
					continue
				}
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous && name == "" {
					fields(f.Type)
					continue
				}
				properties[name] = schemaOf(f.Type)
				if options == "" {
					required = append(required, name)
				}
			}
		}
		fields(typ)
		return object{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
	default:
		return object{"type": "integer"}
	}
}

// kinds is one alternative for each kind, with the body that belongs to it.
func kinds(group string, all []string, more ...any) []any {
	var each []any
	for _, kind := range slices.Sorted(slices.Values(all)) {
		each = append(each, object{"properties": object{"kind": object{"const": kind}, "body": log(group + "." + kind)}})
	}
	return append(each, more...)
}

func schema(t *testing.T) object {
	t.Helper()
	root := schemaOf(reflect.TypeFor[proof.Round]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = fmt.Sprintf("A Trey round record, version %d", proof.Version)
	root["description"] = "See round-record.md. Generated from the types by go test ./internal/house/proof -update."
	properties := root["properties"].(object)
	properties["type"] = object{"const": proof.Type}
	properties["version"] = object{"const": proof.Version}
	properties["ended"] = object{"type": "string", "enum": []any{"settled", "void", "closed"}}
	step := properties["steps"].(object)["items"].(object)
	step["oneOf"] = kinds("command", record.Actions.Names(), object{"properties": object{
		"kind": object{"const": proof.AddSeedKind}, "body": schemaOf(reflect.TypeFor[proof.AddSeed]()),
	}})
	events := step["properties"].(object)["events"].(object)["items"].(object)
	events["oneOf"] = kinds("event", record.TableEvents.Names())
	return root
}

func TestSchema(t *testing.T) {
	text, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	file := docs("round-record.schema.json")
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(text, want) {
		t.Errorf("%s is out of date, %v: go test ./internal/house/proof -run TestSchema -update writes it anew", file, err)
	}
}

func parsed(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The samples fit the schema, and what is altered does not: a schema that
// accepts anything would show nothing.
func TestRecordsFitTheSchema(t *testing.T) {
	load := func(name string) object {
		text, err := os.ReadFile(docs(name))
		if err != nil {
			t.Fatal(err)
		}
		return parsed(t, text).(object)
	}
	root, logs := load("round-record.schema.json"), load("round-log.schema.json")
	for name, text := range samples(t) {
		if err := validate(logs, root, parsed(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := string(sample(t, "settled"))
	for _, test := range []struct{ was, is string }{
		{`"version":1`, `"version":2`},
		{`"ended":"settled"`, `"ended":"open"`},
		{`"kind":"bet-placed"`, `"kind":"bets-closed"`},
		{`"kind":"raise"`, `"kind":"rise"`},
		{`"text":"lucky number"`, `"text":7`},
		{`"reason":"bet"`, `"reason":"bat"`},
		{`"amount":1000`, `"amount":"1000"`},
		{`"table":"A",`, `"table":"A","colour":"red",`},
		{`"round":1,`, ``},
		{`"names":{}`, `"names":{"#1":7}`},
		{`"commitment":"d`, `"commitment":"`},
	} {
		text := strings.Replace(good, test.was, test.is, 1)
		if text == good {
			t.Fatalf("the sample has no %s", test.was)
		}
		if validate(logs, root, parsed(t, []byte(text))) == nil {
			t.Errorf("%s instead of %s fits the schema", test.is, test.was)
		}
	}
}

// validate holds a value to the parts of JSON Schema that the schemas use. In
// the schema of logs references have no file.
func validate(logs, s object, v any) error {
	if ref, ok := s["$ref"].(string); ok {
		_, name, _ := strings.Cut(ref, "#/$defs/")
		return validate(logs, logs["$defs"].(object)[name].(object), v)
	}
	if c, ok := s["const"]; ok && !reflect.DeepEqual(c, v) {
		return fmt.Errorf("%v is not %v", v, c)
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return fmt.Errorf("%v is none of %v", v, enum)
	}
	is := map[reflect.Kind]string{reflect.Invalid: "null", reflect.Bool: "boolean", reflect.String: "string", reflect.Float64: "integer", reflect.Slice: "array", reflect.Map: "object"}[reflect.ValueOf(v).Kind()]
	if types, ok := s["type"].([]any); ok && !slices.Contains(types, any(is)) {
		return fmt.Errorf("%v is none of %v", v, types)
	}
	if only, ok := s["type"].(string); ok && only != is {
		return fmt.Errorf("%v is not of type %s", v, only)
	}
	if pattern, ok := s["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(fmt.Sprint(v)) {
		return fmt.Errorf("%v does not match %s", v, pattern)
	}
	if items, ok := s["items"].(object); ok && is == "array" {
		for i, item := range v.([]any) {
			if err := validate(logs, items, item); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	}
	if is == "object" {
		properties, _ := s["properties"].(object)
		for name, item := range v.(object) {
			of, known := properties[name].(object)
			if !known && s["additionalProperties"] == false {
				return fmt.Errorf("%s is no field", name)
			}
			if more, ok := s["additionalProperties"].(object); ok && !known {
				of, known = more, true
			}
			if err := validate(logs, of, item); known && err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v.(object)[name.(string)]; !ok {
				return fmt.Errorf("%s is missing", name)
			}
		}
	}
	each, ok := s["oneOf"].([]any)
	if !ok {
		return nil
	}
	fits := 0
	var failed error
	for _, one := range each {
		if err := validate(logs, one.(object), v); err == nil {
			fits++
		} else {
			failed = err
		}
	}
	if fits != 1 {
		return fmt.Errorf("it is %d of the alternatives, such as: %w", fits, failed)
	}
	return nil
}

// What docs/fair-dealing.md prints is what the sample has. The program that it
// shows has been run, and the deck is what it printed.
func TestTheDocumentOfFairDealing(t *testing.T) {
	text, err := os.ReadFile(docs("fair-dealing.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, sample(t, "settled"))
	seed := fair.DeckSeed(r.Seed.Commitment, r.Seed.Seed, r.Seed.Own)
	deck := shuffle.Shuffle(seed)
	var cards []string
	for _, c := range deck {
		cards = append(cards, c.String())
	}
	var dealt []string
	for _, s := range r.Steps {
		var deal struct {
			Cards []struct{ Card card.Card }
		}
		if s.Kind == "deal" && json.Unmarshal(s.Body, &deal) == nil {
			for _, c := range deal.Cards {
				dealt = append(dealt, c.Card.String())
			}
		}
	}
	for _, want := range []string{r.Seed.Commitment.String(), hex.EncodeToString(seed[:]), strings.Join(cards, " "), strings.Join(dealt, " ")} {
		if len(want) < 20 || !strings.Contains(string(text), "\n"+want) {
			t.Errorf("the document does not show %s", want)
		}
	}
}
