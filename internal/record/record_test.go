package record_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/internal/stored"
)

var update = flag.Bool("update", false, "add what is missing to testdata, and write docs/record-events.md")

// group is one table of kinds.
type group struct {
	name, words string
	forms       []stored.Form
	// rewritten reads an event and writes it again.
	rewritten func(stored.Event) (stored.Event, error)
}

func groupOf[E any](name, words string, t *stored.Table[E]) group {
	return group{name, words, t.Forms(), func(e stored.Event) (stored.Event, error) {
		value, err := t.Read(e)
		if err != nil {
			return stored.Event{}, err
		}
		return t.WriteAs(stored.Name(e.Kind), value)
	}}
}

// groups are all tables of kinds, each beside its stream.
func groups() []group {
	return []group{
		groupOf("table", "What happens at a table: its stream is `table:` and its name.", record.TableEvents),
		groupOf("command", "The commands at a table, which stand as causes.", record.Actions),
		groupOf("house command", "The commands of the house itself, which stand as causes.", house.Commands),
		groupOf("proposal", "What two people decide: the kind and the body of a proposal, and of its approval.", house.Proposals),
		groupOf("people command", "The commands about users and machines, which stand as causes.", identity.Commands),
		groupOf("jackpot", "What happens to a jackpot: its stream is `jackpot:` and its name.", record.JackpotEvents),
		groupOf("house", "What is decided about the house itself: its stream is `house`.", house.OwnEvents),
		groupOf("people", "What is decided about users and machines: its stream is `people`.", identity.Events),
		groupOf("names", "The numbers that stand for persons: its stream is `names`.", house.NameEvents),
		groupOf("protection", "What players limit, and what is kept from them: its stream is `protection`.", protection.Events),
		groupOf("deal", "The seeds of the deals: the streams are `deal:` and `sealed:`, and the table's name.", fair.Events),
	}
}

// entry is a line of testdata.
type entry struct {
	Group string          `json:"group"`
	Kind  string          `json:"kind"`
	Body  json.RawMessage `json:"body"`
}

// The bytes of every kind in every version, each field set, as they have been written
// since that version was made. They never change: to say something else, add a version.
const goldenFile = "testdata/events.jsonl"

func golden(t testing.TB) map[string]entry {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	all := map[string]entry{}
	for line := range bytes.Lines(text) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all[e.Group+" "+e.Kind] = e
	}
	return all
}

// fill puts something into every field of a stored type.
func fill(v reflect.Value, key string) {
	if values, _ := words(v.Type()); values != nil {
		// The first that says something, so that words that are added change no sample.
		v.Set(values[max(0, slices.IndexFunc(values, func(word reflect.Value) bool { return word.Uint() != 0 }))])
		return
	}
	if v.Type() == reflect.TypeFor[ledger.Account]() {
		v.Set(reflect.ValueOf(ledger.Account{Kind: ledger.Player, Of: "the player"}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := strings.Split(f.Tag.Get("json"), ",")[0]
			if name == "" {
				name = key
			}
			fill(v.Field(i), name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), key)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"key":"value"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), key)
		fill(v.Index(1), key)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), key)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, of := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(k, key)
		fill(of, key)
		v.SetMapIndex(k, of)
	case reflect.String:
		v.SetString(strings.ReplaceAll(key, "_", " ") + " <é>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(1000 + len(key)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(len(key)))
	default:
		panic(fmt.Sprintf("%s is a %s", key, v.Type()))
	}
}

// words lists the values of a type that is written as words, and the words.
func words(t reflect.Type) (values []reflect.Value, texts []string) {
	if t.Kind() != reflect.Uint8 || !t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return nil, nil
	}
	for n := range 256 {
		v := reflect.New(t)
		v.Elem().SetUint(uint64(n))
		text, err := v.Elem().Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil || len(text) == 0 {
			continue
		}
		back := reflect.New(t)
		if err := back.Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err == nil && back.Elem().Uint() == uint64(n) {
			values, texts = append(values, v.Elem()), append(texts, string(text))
		}
	}
	return values, texts
}

// Every kind in every version is written as it always was, byte for byte, also when it
// has been read; and none is missing.
func TestEveryVersionIsWrittenAsItAlwaysWas(t *testing.T) {
	kept := golden(t)
	var lines [][]byte
	for _, g := range groups() {
		newest := map[string]int{}
		for _, form := range g.forms {
			newest[stored.Name(form.Kind)] = form.Version
		}
		for _, form := range g.forms {
			value := reflect.New(form.Stored).Elem()
			fill(value, "")
			body, err := json.Marshal(value.Interface())
			if err != nil {
				t.Fatalf("%s %s: %v", g.name, form.Kind, err)
			}
			e, known := kept[g.name+" "+form.Kind]
			if !known && *update {
				e = entry{g.name, form.Kind, body}
			}
			delete(kept, g.name+" "+form.Kind)
			if line, err := json.Marshal(e); err == nil {
				lines = append(lines, line)
			}
			switch {
			case e.Kind == "":
				t.Errorf("%s %s is not in %s: go test ./internal/record -update adds it", g.name, form.Kind, goldenFile)
			case !bytes.Equal(e.Body, body):
				t.Errorf("%s %s was\n%s\nand is\n%s\na version is never changed: add one", g.name, form.Kind, e.Body, body)
			}
			again, err := g.rewritten(stored.Event{Kind: e.Kind, Body: e.Body})
			if err != nil {
				t.Errorf("%s %s: %v", g.name, form.Kind, err)
			} else if form.Version == newest[stored.Name(form.Kind)] && (again.Kind != e.Kind || !bytes.Equal(again.Body, e.Body)) {
				t.Errorf("%s %s was read, and is written again as\n%s %s\nwas\n%s", g.name, form.Kind, again.Kind, again.Body, e.Body)
			}
		}
	}
	for name := range kept {
		t.Errorf("%s can no longer be read: what a record holds must be read for ever", name)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(goldenFile, append(bytes.Join(lines, []byte("\n")), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The words of each list are what they always were. More may be added.
func TestWordsAreWhatTheyAlwaysWere(t *testing.T) {
	const file = "testdata/words.json"
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	kept := map[string][]string{}
	if err == nil {
		if err := json.Unmarshal(text, &kept); err != nil {
			t.Fatal(err)
		}
	}
	lists := map[string][]string{}
	for _, g := range groups() {
		for _, form := range g.forms {
			eachType(form.Stored, func(of reflect.Type) {
				if _, all := words(of); all != nil {
					lists[of.String()] = all
				}
			})
		}
	}
	if len(lists) < 12 {
		t.Fatalf("only %d lists are found", len(lists))
	}
	for name, all := range kept {
		for _, word := range all {
			if !slices.Contains(lists[name], word) {
				t.Errorf("%s can no longer be %q", name, word)
			}
		}
	}
	if reflect.DeepEqual(kept, lists) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test ./internal/record -update adds to it", file)
	}
	if text, err = json.MarshalIndent(lists, "", "\t"); err == nil && !t.Failed() {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// eachType yields a type and those that it is made of.
func eachType(t reflect.Type, yield func(reflect.Type)) {
	yield(t)
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			eachType(t.Field(i).Type, yield)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		eachType(t.Elem(), yield)
	case reflect.Map:
		eachType(t.Key(), yield)
		eachType(t.Elem(), yield)
	}
}

// draw puts anything into the fields of a type of the engine.
func draw(t *rapid.T, v reflect.Value) {
	if values, _ := words(v.Type()); values != nil {
		v.Set(rapid.SampledFrom(values).Draw(t, v.Type().Name()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(t, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				draw(t, v.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			draw(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	default:
		panic(v.Type())
	}
}

// No field of an event or a command of the engine is lost on the way into the record
// and back.
func TestNothingOfTheEngineIsLost(t *testing.T) {
	checkNothingIsLost(t, record.TableEvents)
	checkNothingIsLost(t, record.Actions)
	checkNothingIsLost(t, record.JackpotEvents)
}

func checkNothingIsLost[E any](t *testing.T, all *stored.Table[E]) {
	for _, form := range all.Forms() {
		t.Run(form.Kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				value := reflect.New(form.Engine).Elem()
				draw(t, value)
				e := value.Interface().(E)
				written, err := all.Write(e)
				if err != nil {
					t.Fatal(err)
				}
				read, err := all.Read(written)
				if err != nil || !reflect.DeepEqual(read, e) {
					t.Fatalf("%+v is written as %s and read as %+v, %v", e, written.Body, read, err)
				}
			})
		})
	}
}

// Whatever stands in a stored event, reading it does not panic, and what is read is
// written again as the bytes that were read.
func checkReading(t *testing.T, g group, e stored.Event) {
	t.Helper()
	again, err := g.rewritten(e)
	if err == nil && again.Kind == e.Kind && !bytes.Equal(again.Body, e.Body) {
		t.Errorf("%s %s was read as %s", e.Kind, e.Body, again.Body)
	}
}

// A byte of an event that is another is refused, or stands again where it stood.
func TestAlteredEvents(t *testing.T) {
	kept := golden(t)
	each := steady.Tries(3, 1)
	for _, g := range groups() {
		for i, form := range g.forms {
			body := kept[g.name+" "+form.Kind].Body
			for at := i % each; at < len(body); at += each {
				for _, other := range []byte{' ', '0', body[at] ^ 0x20} {
					altered := bytes.Clone(body)
					altered[at] = other
					checkReading(t, g, stored.Event{Kind: form.Kind, Body: altered})
				}
				checkReading(t, g, stored.Event{Kind: form.Kind, Body: slices.Delete(bytes.Clone(body), at, at+1)})
			}
		}
	}
}

func FuzzReading(f *testing.F) {
	for _, e := range golden(f) {
		f.Add(e.Kind, []byte(e.Body))
	}
	all := groups()
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		for _, g := range all {
			checkReading(t, g, stored.Event{Kind: kind, Body: body})
		}
	})
}
