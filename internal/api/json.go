package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"trey/internal/strict"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept bounds the size of a buffer that is kept for the next answer.
const maxKept = 64 << 10

// writeJSON answers with a value. What cannot be written as JSON is a fault of
// ours that a test finds.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= maxKept {
			b.Reset()
			buffers.Put(b)
		}
	}()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		panic(fmt.Sprintf("write an answer: %v", err))
	}
	h := w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonType
	}
	w.WriteHeader(status)
	w.Write(b.Bytes()) //nolint:errcheck // the reader has gone: there is nobody to tell
}

var jsonType = []string{"application/json"}

// maxDepth bounds the nesting of a request's JSON: it is deeper than any command.
const maxDepth = 16

var errDeep = errors.New("it is nested too deeply")

// checkDepth refuses JSON that is nested deeper than any command, before anything
// reads it.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errDeep
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// checkKeys refuses a body in which a key stands twice. One part of the house would hold the
// first of the two values to its bounds, and another would carry out the second.
func checkKeys(text []byte) error {
	if checkDepth(text) != nil {
		return nil // whoever reads it says so
	}
	name := strict.Doubled(text)
	if name == "" {
		return nil
	}
	return ambiguous("body."+name, "a key stands twice in the request")
}

// checkQuery refuses a query that cannot be read, or that says one thing twice. What reads a query
// leaves out what it cannot read: of "dry_run=true;picture=true" nothing would remain, and the
// command would be carried out.
func checkQuery(r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return kindInvalid.problem("the query cannot be read: join parameters by &, and write other signs than letters and digits as %XX")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 {
			return ambiguous("query."+name, "a parameter stands twice in the query")
		}
	}
	return nil
}

// checkGuards refuses a header that is to guard a command, or that says what an answer has to
// include, and does nothing of that.
func checkGuards(r *http.Request) error {
	for _, name := range []string{"Idempotency-Key", "If-Match", SeqHeader} {
		values, sent := r.Header[name]
		switch {
		case len(values) > 1:
			return ambiguous("header."+name, "a header stands twice in the request")
		case sent && values[0] == "":
			p := kindInvalid.problem("the header " + name + " is empty: give it a value, or leave it out")
			p.Errors = []Fault{{"header." + name, "it is empty"}}
			return p
		case name == SeqHeader && sent:
			if _, err := strconv.ParseUint(values[0], 10, 63); err != nil {
				p := kindInvalid.problem(SeqHeader + " is the number of a transaction, as an answer had it in this header")
				p.Errors = []Fault{{"header." + name, "it is no whole number, or too large"}}
				return p
			}
		}
	}
	return nil
}

// SeqHeader names the header by which a request says what its answer has to include. Its value
// is the number of a transaction from an earlier answer.
const SeqHeader = "Trey-Seq"

func ambiguous(location, found string) *Problem {
	p := kindInvalid.problem(found + ", so that it is not clear which value is meant: leave one of them out")
	p.Errors = []Fault{{location, "it stands twice"}}
	return p
}

// readJSON reads a value strictly: no unknown field, which one in capital letters is too, and
// nothing after it.
func readJSON(text []byte, v any) error {
	if err := checkDepth(text); err != nil {
		return err
	}
	return strict.ReadSpelled(text, v)
}
