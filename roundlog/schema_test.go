package roundlog_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/record"
	_ "trey/internal/steady"
	"trey/internal/stored"
	"trey/money"
	"trey/roundlog"
	"trey/rules"
	"trey/table"
)

// The schema is generated from the types, so that a kind or a field added to
// them is missing from no document; and every log that is written anywhere in
// these tests is held to it by a validator of our own.

type object = map[string]any

// written describes the types that are written as text.
func written() map[reflect.Type]object {
	keys := func(all ...string) object { return object{"type": "string", "enum": all} }
	var cards, faces []string
	for _, c := range card.Deck().Cards() {
		cards = append(cards, c.String())
	}
	faces = append(cards, card.None.String())
	var wagers, incidents, outcomes, roles, combos, results, places []string
	for _, w := range rules.Wagers() {
		wagers = append(wagers, w.String())
	}
	for _, i := range rules.Incidents() {
		incidents = append(incidents, i.String())
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		outcomes = append(outcomes, o.String())
	}
	for r := rules.Player; r.String() != "unknown"; r++ {
		roles = append(roles, r.String())
	}
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		combos = append(combos, c.String())
	}
	for r := rules.Win; r.String() != "unknown"; r++ {
		results = append(results, r.String())
	}
	for n := 1; n <= rules.MaxBoxes; n++ {
		places = append(places, strconv.Itoa(n))
	}
	places = append(places, "dealer", "burn", "out")
	return map[reflect.Type]object{
		reflect.TypeFor[card.Card]():        keys(faces...),
		reflect.TypeFor[rules.Wager]():      keys(wagers...),
		reflect.TypeFor[rules.Incident]():   keys(incidents...),
		reflect.TypeFor[rules.Outcome]():    keys(outcomes...),
		reflect.TypeFor[rules.Role]():       keys(roles...),
		reflect.TypeFor[rules.Combo]():      keys(combos...),
		reflect.TypeFor[rules.Result]():     keys(results...),
		reflect.TypeFor[rules.Device]():     keys("shuffler", "shoe", "hand"),
		reflect.TypeFor[table.Sight]():      keys("virtual", "read", "unseen"),
		reflect.TypeFor[table.Place]():      keys(places...),
		reflect.TypeFor[table.DownOption](): keys("close", "boxes", "without"),
		reflect.TypeFor[table.Decision]():   keys("undecided", "played", "folded"),
		reflect.TypeFor[table.RemedyKind](): keys("invalidate", "return", "restore", "first-three", "award", "collect"),
	}
}

// schemaOf describes a type as encoding/json writes it.
func schemaOf(t *testing.T, typ reflect.Type, texts map[reflect.Type]object) object {
	t.Helper()
	if s, ok := texts[typ]; ok {
		return s
	}
	if typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		t.Fatalf("%s is written as text: say which", typ)
	}
	switch typ.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int, reflect.Int64:
		if typ == reflect.TypeFor[money.Amount]() {
			return object{"type": "integer", "description": "minor units"}
		}
		return object{"type": "integer"}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(t, typ.Elem(), texts), "minItems": typ.Len(), "maxItems": typ.Len()}
	case reflect.Slice:
		return object{"type": []any{"array", "null"}, "items": schemaOf(t, typ.Elem(), texts)}
	case reflect.Struct:
		s := object{"type": "object", "additionalProperties": false}
		properties, required := object{}, []string{}
		addFields(t, typ, texts, properties, &required)
		s["properties"] = properties
		if len(required) > 0 {
			slices.Sort(required)
			s["required"] = required
		}
		return s
	default:
		t.Fatalf("%s has no schema", typ)
		return nil
	}
}

func addFields(t *testing.T, typ reflect.Type, texts map[reflect.Type]object, properties object, required *[]string) {
	t.Helper()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			addFields(t, f.Type, texts, properties, required)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			t.Fatalf("%s.%s has no name in JSON", typ, f.Name)
		}
		properties[name] = schemaOf(t, f.Type, texts)
		if options != "omitempty" && options != "omitzero" {
			*required = append(*required, name)
		}
	}
}

func lineSchema(kind string, properties object, required ...string) object {
	properties["type"] = object{"const": kind}
	properties["hash"] = object{"$ref": "#/$defs/hash"}
	required = append(required, "type", "hash")
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// bodies is one alternative for each kind of action or event: its kind, and the
// body that belongs to it.
func bodies(t *testing.T, forms []stored.Form, texts map[reflect.Type]object, defs object, group string) []any {
	t.Helper()
	slices.SortFunc(forms, func(a, b stored.Form) int { return strings.Compare(a.Kind, b.Kind) })
	var all []any
	for _, form := range forms {
		name := group + "." + form.Kind
		defs[name] = schemaOf(t, form.Stored, texts)
		all = append(all, object{"properties": object{
			"kind": object{"const": form.Kind}, "body": object{"$ref": "#/$defs/" + name},
		}})
	}
	return all
}

func schema(t *testing.T) object {
	t.Helper()
	texts := written()
	defs := object{"hash": object{"type": "string", "pattern": "^[0-9a-f]{64}$"}}
	for typ, s := range texts {
		name := strings.ToLower(typ.Name())
		defs[name] = s
		texts[typ] = object{"$ref": "#/$defs/" + name}
	}
	integer, text := object{"type": "integer"}, object{"type": "string"}
	header := lineSchema("round-log", object{
		"version": object{"const": roundlog.Version}, "book": text, "variant": text,
		"rules_hash":  object{"type": "string", "pattern": "^[0-9a-f]{64}$"},
		"declaration": text, "terms": text,
		"config": schemaOf(t, reflect.TypeFor[table.Config](), texts), "software": text,
	}, "version", "book", "variant", "rules_hash", "declaration", "terms", "config", "software")
	command := lineSchema("command", object{
		"seq": integer, "at_ms": integer, "by": schemaOf(t, reflect.TypeFor[table.Actor](), texts), "kind": text, "body": object{"type": "object"},
	}, "seq", "at_ms", "by", "kind", "body")
	command["oneOf"] = bodies(t, record.Actions.Forms(), texts, defs, "command")
	event := lineSchema("event", object{
		"seq": integer, "kind": text, "body": object{"type": "object"},
	}, "seq", "kind", "body")
	event["oneOf"] = bodies(t, record.TableEvents.Forms(), texts, defs, "event")
	end := lineSchema("end", object{"lines": integer}, "lines")
	return object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "One line of a Trey round log, version " + strconv.Itoa(roundlog.Version),
		"description": "See round-log.md. Generated from the types by go test ./roundlog -update.",
		"oneOf":       []any{header, command, event, end},
		"$defs":       defs,
	}
}

func TestSchema(t *testing.T) {
	text, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../docs/round-log.schema.json", append(text, '\n'))
}

func TestLogsFitTheSchema(t *testing.T) {
	root := plain(t, schema(t)).(object)
	check := func(fatalf func(string, ...any), log []byte) {
		for line := range bytes.Lines(log) {
			var v any
			if err := json.Unmarshal(line, &v); err != nil {
				fatalf("%v", err)
			}
			if err := validate(root, root, v); err != nil {
				fatalf("%v in %s", err, line)
			}
		}
	}
	check(t.Fatalf, example(t))
	rapid.Check(t, func(t *rapid.T) {
		log, _ := anyLog(t)
		check(t.Fatalf, log)
	})
}

// A schema that accepts anything would pass the test above.
func TestSchemaRefuses(t *testing.T) {
	root := plain(t, schema(t)).(object)
	for _, tt := range []struct{ was, is string }{
		{`"type":"command"`, `"type":"demand"`},
		{`"wager":"ante"`, `"wager":"auntie"`},
		{`"amount":1000`, `"amount":"1000"`},
		{`"box":1,"player"`, `"box":1,"colour":"red","player"`},
		{`"kind":"bet-placed"`, `"kind":"bets-closed"`},
		{`"card":"8h"`, `"card":"8x"`},
		{`"version":1`, `"version":2`},
		{`"seq":1,`, ``},
	} {
		line := ""
		for l := range strings.Lines(string(example(t))) {
			if strings.Contains(l, tt.was) {
				line = strings.Replace(l, tt.was, tt.is, 1)
				break
			}
		}
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if validate(root, root, v) == nil {
			t.Errorf("%s instead of %s fits the schema", tt.is, tt.was)
		}
	}
}

// plain turns a schema into what encoding/json reads of it.
func plain(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// validate holds a value to the parts of JSON Schema that the schema uses.
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
	if err := validateType(s["type"], v); err != nil {
		return err
	}
	if pattern, ok := s["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(v.(string)) {
		return fmt.Errorf("%v does not match %s", v, pattern)
	}
	if o, ok := v.(object); ok {
		if err := validateObject(root, s, o); err != nil {
			return err
		}
	}
	if items, ok := s["items"].(object); ok && v != nil {
		for _, item := range v.([]any) {
			if err := validate(root, items, item); err != nil {
				return err
			}
		}
	}
	oneOf, ok := s["oneOf"].([]any)
	if !ok {
		return nil
	}
	fits, failed := 0, error(nil)
	for _, one := range oneOf {
		if err := validate(root, one.(object), v); err == nil {
			fits++
		} else {
			failed = err
		}
	}
	if fits != 1 {
		return fmt.Errorf("%d alternatives fit (%v)", fits, failed)
	}
	return nil
}

func validateType(want, v any) error {
	names, ok := want.([]any)
	if !ok {
		if want == nil {
			return nil
		}
		names = []any{want}
	}
	is := ""
	switch v := v.(type) {
	case nil:
		is = "null"
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case float64:
		if is = "number"; v == float64(int64(v)) {
			is = "integer"
		}
	case []any:
		is = "array"
	case object:
		is = "object"
	}
	if !slices.Contains(names, any(is)) {
		return fmt.Errorf("%v is %s, not %v", v, is, names)
	}
	return nil
}

func validateObject(root, s, o object) error {
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := o[name.(string)]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		property, ok := properties[name].(object)
		if !ok {
			switch more := s["additionalProperties"].(type) {
			case bool:
				if !more {
					return fmt.Errorf("%s is unknown", name)
				}
			case object:
				property = more
			}
		}
		if property != nil {
			if err := validate(root, property, o[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// The page about the format shows the log that the tests write.
func TestDocumentShowsTheExample(t *testing.T) {
	const name, begin, end = "../docs/round-log.md", "```json\n", "```\n"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s shows no log", name)
	}
	var shown strings.Builder
	for line := range strings.Lines(string(example(t))) {
		line = strings.TrimSuffix(line, "\n")
		if from, texts, ok := strings.Cut(line, `"declaration":"`); ok {
			_, rest, _ := strings.Cut(texts, `}","config"`)
			line = from + `"declaration":"{...}","terms":"{...}","config"` + rest
		}
		text, hash, _ := strings.Cut(line, `,"hash":"`)
		shown.WriteString(text + `,"hash":"` + hash[:8] + "...\"}\n")
	}
	golden(t, name, []byte(before+begin+shown.String()+end+after))
}
