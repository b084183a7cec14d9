package strict_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"trey/internal/strict"
)

type hat struct {
	Size int             `json:"size"`
	Band json.RawMessage `json:"band,omitempty"`
}

func TestRead(t *testing.T) {
	wraps := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	says := func(words string) func(error) bool {
		return func(err error) bool { return err != nil && strings.Contains(err.Error(), words) }
	}
	var syntax *json.SyntaxError
	tests := []struct {
		text string
		want func(error) bool
	}{
		{`{"size":7}`, wraps(nil)},
		{" {\"size\":7}\r\n\t ", wraps(nil)},
		{`{"size":7}}`, wraps(strict.ErrMore)},
		{`{"size":7}]`, wraps(strict.ErrMore)},
		{`{"size":7}{"size":8}`, wraps(strict.ErrMore)},
		{`{"size":7},`, wraps(strict.ErrMore)},
		{`{"size":7} x`, wraps(strict.ErrMore)},
		{`{"size":7,"colour":1}`, says(`unknown field "colour"`)},
		{`{"size":"7"}`, says("cannot unmarshal string")},
		{`{"size":7`, wraps(io.ErrUnexpectedEOF)},
		{``, wraps(io.EOF)},
		{`}`, func(err error) bool { return errors.As(err, &syntax) }},
	}
	for _, tt := range tests {
		for range 3 { // the next read gets nothing of the one before
			var read hat
			if err := strict.Read([]byte(tt.text), &read); !tt.want(err) {
				t.Errorf("%q: %v", tt.text, err)
			}
			read = hat{}
			if err := strict.Read([]byte(`{"size":9}`), &read); err != nil || read.Size != 9 {
				t.Errorf("after %q: %+v, %v", tt.text, read, err)
			}
		}
	}
}

// What was read stays as it is when others read after it, also at the same time.
func TestReadKeepsNothing(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			first, other := strings.Repeat("a", 100+i), strings.Repeat("b", 100+i)
			for range 200 {
				var read, next hat
				text := []byte(`{"size":1,"band":"` + first + `"}`)
				if err := strict.Read(text, &read); err != nil {
					t.Error(err)
				}
				clear(text)
				if err := strict.Read([]byte(`{"size":1,"band":"`+other+`"}`), &next); err != nil {
					t.Error(err)
				}
				if string(read.Band) != `"`+first+`"` {
					t.Errorf("it was %s, and is %s", first, read.Band)
					return
				}
			}
		})
	}
	all.Wait()
}

// A text that is too long to keep its reader is read as well.
func TestReadLong(t *testing.T) {
	long := `"` + strings.Repeat("c", 1<<20) + `"`
	var read hat
	if err := strict.Read([]byte(`{"band":`+long+`}`), &read); err != nil || string(read.Band) != long {
		t.Errorf("%d bytes are read as %d: %v", len(long), len(read.Band), err)
	}
}

func TestDoubled(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"size":7,"band":{"size":1}}`, ""},
		{`{"size":7,"size":7}`, "size"},
		{`{"size":7,"Size":8}`, "Size"},
		{`{"size":7,"\u0073ize":8}`, "size"},
		{`{"size":7,"ſize":8}`, "ſize"},
		{`{"band":{"a":1,"b":2,"a":3}}`, "band.a"},
		{`{"band":[{"a":1},{"a":1},{"b":[{"c":1,"c":2}]}]}`, "band[2].b[0].c"},
		{`[{"a":1},{"a":1}]`, ""},
		{`{"a":{"b":1},"b":1}`, ""},
		{`{"a":1,"a`, ""},
		{`7`, ""},
		{``, ""},
		{strings.Repeat("[", 100_000), ""},
	} {
		if got := strict.Doubled([]byte(tt.text)); got != tt.want {
			t.Errorf("%.80s: %q, want %q", tt.text, got, tt.want)
		}
	}
}
