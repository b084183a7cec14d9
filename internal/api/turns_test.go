package api

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// readings counts those who read several transactions at a time.
type readings struct {
	house.Store
	now, most atomic.Int32
}

func (r *readings) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	now := r.now.Add(1)
	defer r.now.Add(-1)
	for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
	}
	time.Sleep(time.Millisecond) // for others to come, if they may
	return r.Store.ReadAll(ctx, after, stream, yield)
}

// Many who ask for all that ever happened are served a few at a time, and those who play have
// the other processors. Who does not read what was sent keeps neither others nor their own
// streams waiting.
func TestThePastIsReadInTurns(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	for i := range 1000 { // each makes the picture of the table larger
		var do table.Action = table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}
		if i%2 == 1 {
			do = table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante}
		}
		if _, err := s.Do(t.Context(), house.CommandRequest{Table: "T1", By: staff["ann"], Do: do}); err != nil {
			t.Fatal(err)
		}
	}
	end := s.lastOf("T1")
	count := &readings{Store: s.line.Store}
	s.line.Store = count

	const path = "/api/v1/tables/T1/events?after=0"
	for range 2 { // more than their connections hold
		slow := s.dial("ann", path+"&picture=true")
		defer slow.Close() //nolint:errcheck // nobody reads it
		s.small(slow)
	}
	s.held(2)
	var all sync.WaitGroup
	follow := func(person string) {
		t.Helper()
		all.Go(func() {
			r := s.listen(person, path, 0)
			defer r.close()
			for {
				m, ok := r.next()
				if !ok {
					t.Errorf("the stream of %.10s ends before message %d", person, end)
				}
				if !ok || m.id == end {
					return
				}
			}
		})
	}
	follow("ann")
	for range steady.Share(8, 20) {
		_, guest, ok := strings.Cut(s.ask("", "POST", "/api/v1/guests", "").Header.Get("Set-Cookie"), "=")
		if !ok {
			t.Fatal("no session")
		}
		guest, _, _ = strings.Cut(guest, ";")
		follow(guest)
		follow(guest)
	}
	all.Wait()
	if most, bound := count.most.Load(), max(1, runtime.GOMAXPROCS(0)/2); int(most) > bound {
		t.Errorf("the past is read for %d at once, and %d may be", most, bound)
	}
}

// asking says for whom a record is read.
type asking struct {
	Record
	persons []string
}

func (a *asking) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	a.persons = append(a.persons, admission.PersonOf(ctx))
	return a.Record.ReadAll(ctx, after, stream, yield)
}

// A record knows for whom it is read, so that each person reads in their turn.
func TestALongReadNamesItsReader(t *testing.T) {
	a := &asking{}
	s := newSite(t, func(c *Config) { a.Record, c.Record = c.Record, a })
	for _, path := range []string{"/api/v1/log", "/api/v1/reports/pit"} {
		a.persons = nil
		if r := s.get("eye", path); r.StatusCode != http.StatusOK || len(a.persons) == 0 {
			t.Fatalf("%s: %s, and the record was read %d times", path, r.Status, len(a.persons))
		}
		for _, person := range a.persons {
			if person != "eye" {
				t.Errorf("%s is read for %q", path, person)
			}
		}
	}
}
