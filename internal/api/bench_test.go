package api

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"trey/internal/house/access"
	"trey/money"
)

// BenchmarkCommands plays rounds with seven boxes at many tables through the handler, without a
// network, on a store in memory where the machine has such a place. What is left of a command's
// time is that of the API and of the house.
func BenchmarkCommands(b *testing.B) {
	for _, tables := range []int{16, 256} {
		b.Run(fmt.Sprintf("tables=%d", tables), func(b *testing.B) {
			s := newSite(b, func(c *Config) {
				c.Log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelWarn}))
			})
			var names []string
			for i := range tables {
				name := fmt.Sprintf("T%d", i)
				names = append(names, name)
				s.install(name, "us-3cp")
			}
			for box := 1; box <= 7; box++ {
				name := fmt.Sprintf("p%d", box)
				s.machine(access.Person{Name: name, Role: access.Player})
				s.buyIn(name, 1_000_000_000*money.Major)
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			var all sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for _, name := range names {
				all.Go(func() { s.playUntil(name, &left) })
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
		})
	}
}

func (s *site) playUntil(name string, left *atomic.Int64) {
	n := 0
	do := func(person, command string) bool {
		if left.Add(-1) < 0 {
			return false
		}
		n++
		r := httptest.NewRequest(http.MethodPost, "/api/v1/tables/"+name+"/commands", bytes.NewReader([]byte(command)))
		s.sign(r, person)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", name, n))
		w := &sink{header: http.Header{}}
		s.server.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			s.Errorf("%s: %d", command, w.status)
			return false
		}
		return true
	}
	each := func(command string) bool {
		for box := 1; box <= 7; box++ {
			person := fmt.Sprintf("p%d", box)
			if !do(person, fmt.Sprintf(command, box, person)) {
				return false
			}
		}
		return true
	}
	for do("dan", `{"kind":"open-bets"}`) &&
		each(`{"kind":"bet","body":{"box":%d,"player":%q,"wager":"ante","amount":500}}`) &&
		do("dan", `{"kind":"close-bets"}`) && do("dan", `{"kind":"deal"}`) &&
		each(`{"kind":"raise","body":{"box":%d,"player":%q}}`) &&
		do("dan", `{"kind":"reveal"}`) && do("dan", `{"kind":"settle"}`) {
	}
}

// sink takes an answer and throws it away.
type sink struct {
	header http.Header
	status int
}

func (w *sink) Header() http.Header         { return w.header }
func (w *sink) WriteHeader(status int)      { w.status = status }
func (w *sink) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkReadingACommand measures the part of the API in the cost of a command.
func BenchmarkReadingACommand(b *testing.B) {
	s := newSite(b, func(c *Config) { c.Log = slog.New(slog.DiscardHandler) })
	s.install("T1", "us-3cp")
	command := []byte(`{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}}`)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/tables/T1/commands", bytes.NewReader(command))
		r.Header.Set("Authorization", "Bearer "+s.tokens["ann"])
		r.Header.Set("Content-Type", "application/json")
		s.server.ServeHTTP(&sink{header: http.Header{}}, r) // refused: the betting is not open
	}
}
