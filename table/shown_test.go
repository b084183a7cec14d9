package table_test

import (
	"reflect"
	"slices"
	"testing"

	"trey/internal/record"
	"trey/table"
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
func missing(path string, full, redacted reflect.Value) (gone []string) {
	if full.Kind() != reflect.Pointer && !full.IsZero() && redacted.IsZero() {
		return []string{path}
	}
	switch full.Kind() {
	case reflect.Struct:
		for i := range full.NumField() {
			if full.Type().Field(i).IsExported() {
				gone = append(gone, missing(path+"."+full.Type().Field(i).Name, full.Field(i), redacted.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range full.Len() {
			if i >= redacted.Len() {
				return append(gone, path)
			}
			gone = append(gone, missing(path, full.Index(i), redacted.Index(i))...)
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
	for _, form := range record.TableEvents.Forms() {
		kind, of := form.Kind, form.Engine
		full := filled(of)
		if kind == "cards-dealt" {
			full.Field(1).Index(0).FieldByName("FaceUp").SetBool(false)
		}
		redacted := reflect.ValueOf(table.Redact(full.Interface().(table.Event), table.State{}, table.Viewer{}))
		if redacted.Type() != of {
			t.Errorf("%s is shown as %s", kind, redacted.Type())
			continue
		}
		if gone := missing("", full, redacted); !slices.Equal(gone, hidden[kind]) {
			t.Errorf("of %s is hidden %v, want %v", kind, gone, hidden[kind])
		}
	}
	actions := map[string][]string{
		"deal": {".Cards.Card"}, "lay-up": {".Hand"}, "show": {".Hand"}, "reveal": {".Hand"}, "settle": {".Meter", ".Meters"},
		"report": {".Cards.Card", ".Meter", ".Note"}, "answer": {".Remedies.Reason"},
	}
	for _, form := range record.Actions.Forms() {
		kind, of := form.Kind, form.Engine
		full := filled(of)
		redacted := reflect.ValueOf(table.RedactAction(full.Interface().(table.Action)))
		if gone := missing("", full, redacted); !slices.Equal(gone, actions[kind]) || redacted.Type() != of {
			t.Errorf("of %s is hidden %v, want %v", kind, gone, actions[kind])
		}
	}
}
