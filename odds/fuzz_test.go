package odds

import (
	"encoding/json"
	"testing"
)

// A rule that is read is written so that it reads back as the same.
func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"optimal", "always", "never", "Q-6-4", "Q-6-4 or better", "pair", "A-high", "", "4-high", " or better"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRule(s)
		if err != nil || r.kind != atLeast {
			return
		}
		words := r.String()
		if r.strength > lowestFlush { // pairs and better have no short form but for the category
			return
		}
		if back, err := ParseRule(words); err != nil || back != r {
			t.Errorf("%q is %q, which reads as %v, %v", s, words, back, err)
		}
	})
}

// lowestFlush is above every hand that can be written by its three cards.
const lowestFlush = 274

func FuzzFraction(f *testing.F) {
	for _, s := range []string{`{"num":"1","den":"3"}`, `{"num":"-4","den":"2"}`, `{"num":"1","den":"0"}`, `{"num":"1e999999999","den":"1"}`, `{}`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var x, y Fraction
		if json.Unmarshal(text, &x) != nil {
			return
		}
		again, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &y); err != nil || !x.Equal(y) {
			t.Errorf("%s reads back as %s, %v", again, y, err)
		}
	})
}
