package site_test

import (
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"

	"trey/internal/web/site"
)

// deadlines is an answer that keeps the time that its connection has for each write.
type deadlines struct {
	*httptest.ResponseRecorder
	write []time.Time
}

func (*deadlines) SetReadDeadline(time.Time) error { return nil }

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.write = append(d.write, t)
	return nil
}

// The end of a stream has a time of its own. If the time of the last message was over, the
// server could not write the end, and the browser took a session that had ended for a fault.
func TestTheEndOfAStreamHasTime(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	before := 0
	look := func(v *site.Visit) error {
		stream, err := v.Stream()
		if err != nil {
			return err
		}
		defer stream.Close()
		before = len(w.write)
		return nil
	}
	site.New(
		site.Config{Log: slog.New(slog.DiscardHandler)},
		site.Section{Files: fs.FS(fstest.MapFS{}), Routes: map[string]site.Handler{"GET /alive": look}},
	).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/alive", http.NoBody))
	if w.Code != http.StatusOK || before == 0 {
		t.Fatalf("%d, and %d messages", w.Code, before)
	}
	if len(w.write) != before+1 || !w.write[before].After(time.Now()) {
		t.Errorf("the connection had time until %v for %d messages", w.write, before)
	}
}
