package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A stream goes on behind the message that its subscriber names, in the header or, where a client
// cannot set one, in the query. Anything else is refused, and does not begin the stream anew.
func TestTheLastMessageOfAStreamIsANumber(t *testing.T) {
	for _, c := range []struct {
		header, query string
		pictured      bool
		last          int64
		resumed, ok   bool
	}{
		{"", "", false, 0, false, true},
		{"7", "", false, 7, true, true},
		{"0", "", false, 0, true, true},
		{"", "after=8", false, 8, true, true},
		{"7", "after=8", false, 7, true, true},
		{"", "after=8&picture=true", true, 8, true, true},
		{"", "after=8&picture=true", false, 0, false, false},
		{"", "last=8", true, 0, false, false},
		{"x", "", false, 0, false, false},
		{"-1", "", false, 0, false, false},
		{"", "after=-1", false, 0, false, false},
		{"9223372036854775808", "", false, 0, false, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/tables/t/events?"+c.query, http.NoBody)
		if c.header != "" {
			r.Header.Set("Last-Event-ID", c.header)
		}
		last, resumed, err := lastEventID(r, c.pictured)
		if last != c.last || resumed != c.resumed || (err == nil) != c.ok {
			t.Errorf("%q, %q: %d, %t, %v", c.header, c.query, last, resumed, err)
		}
	}
}

// aborting is an answer whose writing is broken off as net/http has it.
type aborting struct{ *httptest.ResponseRecorder }

func (aborting) Write([]byte) (int, error) { panic(http.ErrAbortHandler) }

// A handler that is broken off on purpose is no fault of the house: net/http ends the connection,
// and nothing is logged as broken.
func TestABrokenOffAnswerIsNoFault(t *testing.T) {
	s := newSite(t)
	s.log.take()
	func() {
		defer func() {
			if fault := recover(); fault != http.ErrAbortHandler { //nolint:errorlint // it is panicked with as it is
				t.Errorf("it ended with %v", fault)
			}
		}()
		s.server.ServeHTTP(aborting{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/api/v1/no-such-thing", http.NoBody))
	}()
	if text := s.log.take(); strings.Contains(text, "a request broke") {
		t.Errorf("it logs %s", text)
	}
}
