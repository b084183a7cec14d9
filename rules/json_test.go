package rules_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
)

func TestVariantIsWrittenAndRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		v.ID = rapid.String().Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s }).Draw(t, "id")
		v.Boxes = rapid.IntRange(1, v.Book.Boxes.Max).Draw(t, "boxes")
		v.GraceMs = rapid.Int64Range(0, 60_000).Draw(t, "grace")
		for i := range v.Book.Wagers {
			if w := v.Book.Wagers[i].Wager; w == rules.Progressive {
				v.Limits[w] = rules.Limit{Min: v.Jackpot.Bet, Max: v.Jackpot.Bet}
			} else if len(v.Chips) > 0 {
				v.Limits[w] = v.Book.Wagers[i].Limit
			}
		}
		if v.Check() != nil {
			t.Skip("not playable")
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := rules.ParseVariantJSON(text, books.Find)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if back.Hash() != v.Hash() || !reflect.DeepEqual(back, v) {
			t.Fatalf("%+v is read as %+v from %s", v, back, text)
		}
	})
}

func TestParseVariantJSONRefuses(t *testing.T) {
	standard, err := json.Marshal(rws3cp.Book().Standard())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ was, is, want string }{
		{`"boxes":7`, `"boxes":99`, "outside 1 to"},
		{`"boxes":7`, `"boxes":7,"jokers":2`, "unknown field"},
		{`rws-3cp@3","id`, `rws-3cp@9","id`, "no edition"},
		{`"envy_per":"hand"`, `"envy_per":"foot"`, "cannot be"},
		{`"envy_per":"hand",`, ``, "points open"},
		{`"favour":"player"`, `"favour":"me"`, "in favour of"},
		{`"ante":{"min":0`, `"tie":{"min":0`, "no wager tie"},
		{`"to":40,"for":1`, `"to":40,"for":1,"fixed":5`, "exactly one"},
		{`{"book"`, `[{"book"`, "terms of the variant"},
	} {
		text := strings.Replace(string(standard), tt.was, tt.is, 1)
		if text == string(standard) {
			t.Fatalf("%s is not in %s", tt.was, standard)
		}
		if _, err := rules.ParseVariantJSON([]byte(text), books.Find); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s instead of %s: %v, want it to say %q", tt.is, tt.was, err, tt.want)
		}
	}
	if _, err := rules.ParseVariantJSON(append(standard, "{}"...), books.Find); err == nil {
		t.Error("something after the terms is accepted")
	}
}

func FuzzParseVariantJSON(f *testing.F) {
	for _, b := range books.All() {
		text, err := json.Marshal(b.Standard())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := rules.ParseVariantJSON(text, books.Find)
		if err != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := rules.ParseVariantJSON(again, books.Find)
		if err != nil || back.Hash() != v.Hash() {
			t.Errorf("%s is read, written as %s and then %v", text, again, err)
		}
	})
}
