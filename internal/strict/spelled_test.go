package strict_test

import (
	"encoding/json"
	"errors"
	"testing"

	"trey/internal/strict"
)

type shop struct {
	hat
	Hats   []hat            `json:"hats"`
	Best   *hat             `json:"best"`
	Prices map[string]hat   `json:"prices"`
	Any    any              `json:"any"`
	Proper properNoun       `json:"proper"`
	Made   *json.RawMessage `json:"made"`
	Plain  int
}

// properNoun reads itself, in any spelling.
type properNoun struct{ text string }

func (p *properNoun) UnmarshalJSON(text []byte) error {
	p.text = string(text)
	return nil
}

// A key is written as the value has it, however deep it stands; keys of maps and what is read
// by a type on its own are anybody's.
func TestReadSpelled(t *testing.T) {
	for _, tt := range []struct{ text, unknown string }{
		{`{"size":7,"hats":[{"size":1},{"size":2}],"best":{"size":3},"Plain":4}`, ""},
		{`{"\u0073ize":7}`, ""},
		{`{"prices":{"Bowler":{"size":1}},"any":{"Size":[{"SIZE":1}]},"proper":{"Size":1},"made":{"Size":1},"band":{"Size":1}}`, ""},
		{`{"best":null,"hats":null,"prices":null}`, ""},
		{`{"Size":7}`, "Size"},
		{`{"ſize":7}`, "ſize"},
		{`{"plain":7}`, "plain"},
		{`{"colour":7}`, "colour"},
		{`{"size":7,"hats":[{"size":1},{"Size":2}]}`, "hats[1].Size"},
		{`{"hats":[{"size":1},{"size":2,"colour":1}]}`, "hats[1].colour"},
		{`{"best":{"SIZE":3}}`, "best.SIZE"},
		{`{"prices":{"Bowler":{"siZe":1}}}`, "prices.Bowler.siZe"},
	} {
		var read shop
		err := strict.ReadSpelled([]byte(tt.text), &read)
		unknown, found := errors.AsType[*strict.UnknownField](err)
		if (tt.unknown == "") != (err == nil) || found && unknown.Key != tt.unknown {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.unknown)
		}
	}
	// What is wrong in another way is told as Read tells it.
	for _, text := range []string{`{"Size":"7"}`, `{"Size":7`, `{"size":7}}`, `{"Size":7},`, `7`, ``} {
		var read, spelled shop
		want, got := strict.Read([]byte(text), &read), strict.ReadSpelled([]byte(text), &spelled)
		if got == nil || got.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
