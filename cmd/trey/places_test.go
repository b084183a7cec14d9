package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house/identity"
	"trey/internal/house/plan"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/sqlite"
)

// One address cannot take all places of those who wait at a door: a request from elsewhere waits as
// well, whatever it waits for, and is not turned away.
func TestOneAddressDoesNotTakeAllPlacesOfADoor(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was read
	people, err := identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Requests: plan.StandardRequests}
	h := newHandover(slog.New(slog.DiscardHandler))
	h.secret, h.admission, h.repeating = newSharedSecret(t.TempDir()), admissionOf(p, nil), placesOf(p, mostRepeating)
	if err := h.secret.make(); err != nil {
		t.Fatal(err)
	}
	d := &door{Door: &postgres.Door{}, site: &site{plan: p, people: people}, waiting: placesOf(p, mostWaiting), awaitingSession: placesOf(p, mostWaiting)}
	command := func() *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/tables/A/commands", strings.NewReader(`{"kind":"ready"}`))
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	later := func() *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/tables", http.NoBody)
		r.Header.Set(seqHeader, "1000000")
		return r
	}
	stranger := func() *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/floor/events", http.NoBody)
		r.AddCookie(&http.Cookie{Name: identity.CookieName(false), Value: rand.Text()})
		return r
	}
	for name, test := range map[string]struct {
		request func() *http.Request
		door    *door
	}{
		"a command while the writer does not answer": {command, nil},
		"a read of a later transaction":              {later, d},
		"a stream of somebody whom nobody knows yet": {stranger, d},
	} {
		t.Run(name, func(t *testing.T) {
			// The writer takes a command and says nothing until the test ends.
			over := make(chan struct{})
			writer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					<-over
				}
			}))
			defer writer.Close()
			h.door.Store(test.door)
			h.follow(postgres.Writer{Node: "writer", Address: strings.TrimPrefix(writer.URL, "http://")})
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			var turnedAway atomic.Int64
			defer all.Wait()
			defer close(over)
			defer cancel()
			const more = 64 // than there are places
			for range max(mostWaiting, mostRepeating) + more {
				all.Go(func() {
					r := test.request().WithContext(ctx)
					r.RemoteAddr = "192.0.2.1:1234"
					h.ServeHTTP(httptest.NewRecorder(), r)
					turnedAway.Add(1)
				})
			}
			steady.Await(t, "the address has all places that it gets", func() bool { return turnedAway.Load() >= more })
			r := test.request().WithContext(ctx)
			r.RemoteAddr = "192.0.2.2:1234"
			answered := make(chan string, 1)
			all.Go(func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				answered <- fmt.Sprint(w.Code, " ", w.Body)
			})
			select {
			case got := <-answered:
				t.Errorf("a request from elsewhere is answered at once: %s", got)
			case <-time.After(waitTimeout / 2):
			}
		})
	}
}
