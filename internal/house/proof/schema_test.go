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
	"strconv"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/stored"
	"trey/money"
	"trey/rules"
	"trey/table"
)

var update = flag.Bool("update", false, "write the schema anew")

type object = map[string]any

func docs(name string) string { return filepath.Join("..", "..", "..", "docs", name) }

// named holds the types that are written as one of several words, by the names of their
// definitions in the schema.
func named() map[reflect.Type]object {
	keys := func(all ...string) object { return object{"type": "string", "enum": all} }
	places := []string{"dealer", "burn", "out"}
	for n := 1; n <= rules.MaxBoxes; n++ {
		places = append(places, strconv.Itoa(n))
	}
	return map[reflect.Type]object{
		reflect.TypeFor[card.Card]():        keys(append(words(card.Deck().Cards()), card.None.String())...),
		reflect.TypeFor[rules.Wager]():      keys(words(rules.Wagers())...),
		reflect.TypeFor[rules.Incident]():   keys(words(rules.Incidents())...),
		reflect.TypeFor[rules.Outcome]():    keys(from(rules.Continue)...),
		reflect.TypeFor[rules.Role]():       keys(from(rules.Player)...),
		reflect.TypeFor[rules.Combo]():      keys(from(rules.AnyHand)...),
		reflect.TypeFor[rules.Result]():     keys(from(rules.Win)...),
		reflect.TypeFor[ledger.Reason]():    keys(from(ledger.BuyIn)...),
		reflect.TypeFor[rules.Device]():     keys("shuffler", "shoe", "hand"),
		reflect.TypeFor[table.Sight]():      keys("virtual", "read", "unseen"),
		reflect.TypeFor[table.Place]():      keys(places...),
		reflect.TypeFor[table.DownOption](): keys("close", "boxes", "without"),
		reflect.TypeFor[table.Decision]():   keys("undecided", "played", "folded"),
		reflect.TypeFor[table.RemedyKind](): keys("invalidate", "return", "restore", "first-three", "award", "collect"),
	}
}

// words returns values as they are written.
func words[T fmt.Stringer](all []T) (words []string) {
	for _, v := range all {
		words = append(words, v.String())
	}
	return words
}

// from returns the values of an enum from its first one on, as they are written.
func from[T interface {
	~uint8
	fmt.Stringer
}](first T) (all []string) {
	for v := first; v.String() != "unknown"; v++ {
		all = append(all, v.String())
	}
	return all
}

// schemaOf describes a type as encoding/json writes it. A list of a stored event may be null:
// it is null where it is empty.
func schemaOf(typ reflect.Type, list any) object {
	if _, ok := named()[typ]; ok {
		return object{"$ref": "#/$defs/" + strings.ToLower(typ.Name())}
	}
	switch typ {
	case reflect.TypeFor[fair.Hash](), reflect.TypeFor[shuffle.Seed]():
		return object{"type": "string", "pattern": "^[0-9a-f]{64}$"}
	case reflect.TypeFor[json.RawMessage]():
		return object{"type": "object"}
	case reflect.TypeFor[money.Amount]():
		return object{"type": "integer", "description": "minor units"}
	}
	if typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return schemaOf(typ.Elem(), list)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(typ.Elem(), list)}
	case reflect.Slice:
		return object{"type": list, "items": schemaOf(typ.Elem(), list)}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(typ.Elem(), list), "minItems": typ.Len(), "maxItems": typ.Len()}
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
				properties[name] = schemaOf(f.Type, list)
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

// kinds returns one alternative for each kind, with the body that belongs to it, which is
// defined in defs.
func kinds(defs object, group string, forms []stored.Form, more ...any) []any {
	slices.SortFunc(forms, func(a, b stored.Form) int { return strings.Compare(a.Kind, b.Kind) })
	var each []any
	for _, form := range forms {
		name := group + "." + form.Kind
		defs[name] = schemaOf(form.Stored, []any{"array", "null"})
		each = append(each, object{"properties": object{"kind": object{"const": form.Kind}, "body": object{"$ref": "#/$defs/" + name}}})
	}
	return append(each, more...)
}

func schema(t *testing.T) object {
	t.Helper()
	root := schemaOf(reflect.TypeFor[proof.Round](), "array")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = fmt.Sprintf("A Trey round record, version %d", proof.Version)
	root["description"] = "See round-record.md. Generated from the types by go test ./internal/house/proof -update."
	properties := root["properties"].(object)
	properties["type"] = object{"const": proof.Type}
	properties["version"] = object{"const": proof.Version}
	properties["ended"] = object{"type": "string", "enum": []any{"settled", "void", "closed"}}
	step := properties["steps"].(object)["items"].(object)
	defs := object{}
	for typ, words := range named() {
		defs[strings.ToLower(typ.Name())] = words
	}
	root["$defs"] = defs
	step["oneOf"] = kinds(defs, "command", record.Actions.Forms(), object{"properties": object{
		"kind": object{"const": proof.AddSeedKind}, "body": schemaOf(reflect.TypeFor[proof.AddSeed](), "array"),
	}})
	events := step["properties"].(object)["events"].(object)["items"].(object)
	events["oneOf"] = kinds(defs, "event", record.TableEvents.Forms())
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
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s is out of date: go test ./internal/house/proof -run TestSchema -update writes it anew", file)
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
	written, err := os.ReadFile(docs("round-record.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	root := parsed(t, written).(object)
	for name, text := range samples(t) {
		if err := validate(root, root, parsed(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := string(sample(t, "settled"))
	for _, test := range []struct{ was, becomes string }{
		{`"version":1`, `"version":2`},
		{`"ended":"settled"`, `"ended":"open"`},
		{`"kind":"bet-placed"`, `"kind":"bets-closed"`},
		{`"kind":"raise"`, `"kind":"rise"`},
		{`"wager":"ante"`, `"wager":"auntie"`},
		{`"box":1,"player"`, `"box":1,"colour":"red","player"`},
		{`"card":"4d"`, `"card":"2x"`},
		{`"text":"lucky number"`, `"text":7`},
		{`"reason":"bet"`, `"reason":"bat"`},
		{`"amount":1000`, `"amount":"1000"`},
		{`"table":"A",`, `"table":"A","colour":"red",`},
		{`"round":1,`, ``},
		{`"names":{`, `"names":{"#1":7,`},
		{`"commitment":"d`, `"commitment":"`},
	} {
		text := strings.Replace(good, test.was, test.becomes, 1)
		if text == good {
			t.Fatalf("the sample has no %s", test.was)
		}
		if validate(root, root, parsed(t, []byte(text))) == nil {
			t.Errorf("%s instead of %s fits the schema", test.becomes, test.was)
		}
	}
}

// validate holds a value to the parts of JSON Schema that the schemas use. In
// the schema of logs references have no file.
func validate(root, s object, v any) error {
	if ref, ok := s["$ref"].(string); ok {
		return validate(root, root["$defs"].(object)[strings.TrimPrefix(ref, "#/$defs/")].(object), v)
	}
	if c, ok := s["const"]; ok && !reflect.DeepEqual(c, v) {
		return fmt.Errorf("%v is not %v", v, c)
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return fmt.Errorf("%v is none of %v", v, enum)
	}
	kind := map[reflect.Kind]string{reflect.Invalid: "null", reflect.Bool: "boolean", reflect.String: "string", reflect.Float64: "integer", reflect.Slice: "array", reflect.Map: "object"}[reflect.ValueOf(v).Kind()]
	if types, ok := s["type"].([]any); ok && !slices.Contains(types, any(kind)) {
		return fmt.Errorf("%v is none of %v", v, types)
	}
	if only, ok := s["type"].(string); ok && only != kind {
		return fmt.Errorf("%v is not of type %s", v, only)
	}
	if pattern, ok := s["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(fmt.Sprint(v)) {
		return fmt.Errorf("%v does not match %s", v, pattern)
	}
	if items, ok := s["items"].(object); ok && kind == "array" {
		for i, item := range v.([]any) {
			if err := validate(root, items, item); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	}
	if kind == "object" {
		properties, _ := s["properties"].(object)
		for name, item := range v.(object) {
			of, known := properties[name].(object)
			if !known && s["additionalProperties"] == false {
				return fmt.Errorf("%s is no field", name)
			}
			if more, ok := s["additionalProperties"].(object); ok && !known {
				of, known = more, true
			}
			if err := validate(root, of, item); known && err != nil {
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
		if err := validate(root, one.(object), v); err == nil {
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

// The output in docs/fair-dealing.md is that of the sample. The program in it has been run, and
// the deck is its output.
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
