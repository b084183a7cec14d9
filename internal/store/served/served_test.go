package served

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A house that does not answer, does not end its answer, or asks to be asked a year later is
// given up when the time is over.
func TestNobodyWaitsLongerThanTheyMay(t *testing.T) {
	was := answerTime
	defer func() { answerTime = was }()
	answerTime = 20 * time.Millisecond
	for name, answer := range map[string]http.HandlerFunc{
		"nothing": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no end": func(out http.ResponseWriter, r *http.Request) {
			for ctx := r.Context(); ctx.Err() == nil; {
				out.Write([]byte(" ")) //nolint:errcheck // the reader goes away
				out.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
		"later": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Retry-After", "31536000")
			out.WriteHeader(http.StatusServiceUnavailable)
		},
		"later than there is": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Retry-After", "9223372036854775807")
			out.WriteHeader(http.StatusServiceUnavailable)
		},
	} {
		s := httptest.NewServer(answer)
		now := time.Now()
		began := now
		away := 0
		_, err := Open(t.Context(), Config{
			Address: s.URL, Wait: 5 * time.Millisecond, Now: func() time.Time { return now },
			Pause: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil },
			Away:  func(error) { away++ },
		})
		if err == nil || !strings.Contains(err.Error(), "the house at "+s.URL+" cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
		if away != 1 {
			t.Errorf("%s: the auditor hears %d times of it", name, away)
		}
		if took := now.Sub(began); took > 2*time.Second {
			t.Errorf("%s: the auditor waits for %v", name, took)
		}
		s.Close()
	}
}
