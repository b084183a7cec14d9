package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// An answer that is lost halfway is asked for again, under the same key.
func TestAnAnswerLostHalfway(t *testing.T) {
	for status, want := range map[int]string{http.StatusOK: "<nil> ann", http.StatusConflict: "not now "} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var asked atomic.Int64
			keys := make(chan string, 8)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				keys <- r.Header.Get("Idempotency-Key")
				const answer = `{"name":"ann","detail":"not now"}`
				w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
				w.WriteHeader(status)
				if asked.Add(1) > 2 {
					io.WriteString(w, answer) //nolint:errcheck // it is lost then
					return
				}
				io.WriteString(w, answer[:9]) //nolint:errcheck // it is lost
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}))
			defer web.Close()
			c, err := newClient(web.URL, "")
			if err != nil {
				t.Fatal(err)
			}
			var me struct{ Name string }
			if err := c.post(t.Context(), "guests", nil, &me); fmt.Sprint(err, " ", me.Name) != want {
				t.Errorf("%v, %q; want %s", err, me.Name, want)
			}
			if first := <-keys; asked.Load() != 3 || first == "" || <-keys != first || <-keys != first {
				t.Errorf("asked %d times, under other keys", asked.Load())
			}
		})
	}
}

func TestRoundsAreCounted(t *testing.T) {
	for _, rounds := range []int{0, -1} {
		if err := run(t.Context(), io.Discard, "http://127.0.0.1:1", "", "vegas-1", rounds); err == nil || err.Error() != "-rounds: play one at least" {
			t.Errorf("%d rounds: %v", rounds, err)
		}
	}
}
