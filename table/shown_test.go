package table

import (
	"reflect"
	"slices"
	"testing"

	"trey/card"
)

// filled returns a value of a type in which every field says something.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(1)
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem())))
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(filled(t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(filled(t.Field(i).Type))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem()))
	}
	return v
}

// missing lists the fields, and the fields in them, that say something in one value
// and nothing in the other.
func missing(path string, full, shown reflect.Value) (gone []string) {
	if full.Kind() != reflect.Pointer && !full.IsZero() && shown.IsZero() {
		return []string{path}
	}
	switch full.Kind() {
	case reflect.Struct:
		for i := range full.NumField() {
			if full.Type().Field(i).IsExported() {
				gone = append(gone, missing(path+"."+full.Type().Field(i).Name, full.Field(i), shown.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range full.Len() {
			if i >= shown.Len() {
				return append(gone, path)
			}
			gone = append(gone, missing(path, full.Index(i), shown.Index(i))...)
		}
	}
	return gone
}

// What is hidden of an event and of an action from somebody who has seen nothing is
// listed here, from the rules and not from the code: everything else is shown. A field
// that somebody adds is hidden until it is in both places.
func TestWhatIsShownOfEachEventAndAction(t *testing.T) {
	hidden := map[string][]string{
		"cards-dealt":       {".Cards.Card"}, // face down
		"cards-drawn":       {".Cards"},
		"reported":          {".Report.Cards", ".Report.Note"},
		"question-asked":    {".Question.Report.Cards", ".Question.Report.Note"},
		"question-answered": {".Remedies.Reason"},
	}
	for kind, of := range eventTypes {
		full := filled(of)
		if kind == "cards-dealt" {
			full.Field(1).Index(0).FieldByName("FaceUp").SetBool(false)
		}
		shown := reflect.ValueOf(Redact(full.Interface().(Event), State{}, Viewer{}))
		if shown.Type() != of {
			t.Errorf("%s is shown as %s", kind, shown.Type())
			continue
		}
		if gone := missing("", full, shown); !slices.Equal(gone, hidden[kind]) {
			t.Errorf("of %s is hidden %v, want %v", kind, gone, hidden[kind])
		}
	}
	actions := map[string][]string{
		"deal": {".Cards.Card"}, "lay-up": {".Hand"}, "show": {".Hand"}, "reveal": {".Hand"}, "settle": {".Meter", ".Meters"},
		"report": {".Cards.Card", ".Meter", ".Note"}, "answer": {".Remedies.Reason"},
	}
	for kind, of := range actionTypes {
		full := filled(of)
		shown := reflect.ValueOf(RedactAction(full.Interface().(Action)))
		if gone := missing("", full, shown); !slices.Equal(gone, actions[kind]) || shown.Type() != of {
			t.Errorf("of %s is hidden %v, want %v", kind, gone, actions[kind])
		}
	}
}

// A card that lay face up, or that the table has seen, is shown.
func TestCardsThatWereSeenAreShown(t *testing.T) {
	dealt := CardsDealt{Cards: []Dealt{{Card: card.FromIndex(3), Place: 1, FaceUp: true}}}
	if got := Redact(dealt, State{}, Viewer{}).(CardsDealt); got.Cards[0].Card != card.FromIndex(3) {
		t.Errorf("a card that was dealt face up is shown as %s", got.Cards[0].Card)
	}
	s := State{Slots: []Slot{{Card: card.FromIndex(5), Place: 1, seen: seenByTable}}}
	reported := Reported{Report: Report{Note: "x", Cards: []Exposed{{Card: card.FromIndex(5)}, {Card: card.FromIndex(6)}}}}
	if got := Redact(reported, s, Viewer{}).(Reported).Report; len(got.Cards) != 1 || got.Cards[0].Card != card.FromIndex(5) || got.Note != "" {
		t.Errorf("the report is shown as %+v", got)
	}
}
