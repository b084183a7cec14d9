package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// An answer says whether something was done. Where nobody knows, because the house has stopped or its time
// has ended, it says that, and no proxy or module takes it for "it was done".
func TestAnUnknownOutcomeIsReported(t *testing.T) {
	t.Parallel()
	stopped, ended := errors.New("stopped"), errors.New("signed out")
	var fails error
	answer := func(*Visit) error { return fails }
	s := New(
		Config{Log: slog.New(slog.DiscardHandler), Unsure: func(err error) bool { return errors.Is(err, stopped) }, SignedOut: func(err error) bool { return errors.Is(err, ended) }},
		Section{Files: fs.FS(fstest.MapFS{}), Routes: map[string]Handler{"POST /do": answer, "GET /look": answer}},
	)
	for _, test := range []struct {
		method, path string
		err          error
		over         bool // the time of the house ends while it answers
		status       int
		says         string
	}{
		{"POST", "/do", stopped, false, 503, "not known whether this was done"},
		{"POST", "/do", context.Canceled, true, 503, "not known whether this was done"},
		{"POST", "/do", context.DeadlineExceeded, false, 503, "not known whether this was done"},
		{"GET", "/look", context.Canceled, true, 503, "Load this page again"},
		{"POST", "/do", fmt.Errorf("sue: %w", ended), false, 401, "Your session has ended"},
		{"POST", "/do", errors.New("a fault"), false, 500, "The fault is ours"},
		{"POST", "/do", &Problem{409, "not now"}, false, 409, "not now"},
	} {
		for _, fragment := range []string{"", "1"} {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, test.method, test.path, nil)
			r.Header.Set(FragmentHeader, fragment)
			if test.over {
				cancel()
			}
			fails = test.err
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			cancel()
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.says) || (w.Header().Get("Retry-After") != "") != (test.status == http.StatusServiceUnavailable) {
				t.Errorf("%s %s after %v: %d %v %q", test.method, test.path, test.err, w.Code, w.Header(), w.Body)
			}
		}
	}
}
