//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"trey/internal/steady"
	"trey/rules/books"
)

var (
	takeovers      = flag.Int("takeovers", steady.Tries(2, 10), "how often the writer is killed and a door takes its place; 200 for the figures of a report")
	takeoverTables = flag.Int("takeovers.tables", 0, "how many tables the house has beside its own, at each of which some rounds were played")
)

// many has the house of the configuration have so many more tables, of all books in turn.
func (w *world) many(tables int) {
	w.Helper()
	text, err := os.ReadFile(w.config)
	if err != nil {
		w.Fatal(err)
	}
	played := books.All()
	for i := range tables {
		text = fmt.Appendf(text, "[tables.many-%04d]\nbook = %q\n", i+1, played[i%len(played)].Ref())
	}
	if err := os.WriteFile(w.config, text, 0o600); err != nil {
		w.Fatal(err)
	}
}

// playMany has a guest play three rounds at each of those tables, at most: whatever their rules refuse is left out.
func (w *world) playMany(at *node, guest *somebody, tables int) {
	w.Helper()
	for i := range 3 * tables {
		table := fmt.Sprintf("/api/v1/tables/many-%04d/commands", i%tables+1)
		r := guest.order(table, map[string]any{"kind": "bet", "body": map[string]any{"box": 1, "wager": "ante", "amount": 1000}})
		if got := guest.insist(w, at.url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key); got.status >= 500 {
			w.Fatalf("no bet: %d %s", got.status, got.text)
		}
	}
}

// The writer is killed again and again, and each time a door takes its place. The next command
// is accepted at another machine, and nothing happens to the round in play at a table whose book
// has a grace that is longer: no event is recorded there. How long it took is printed.
func TestTakeovers(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	w.many(*takeoverTables)
	nodes := w.machines(database, database, database)
	guest, player := w.guest(nodes[0], 1)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	dan := newSomebody("dan", "dealer", 2, mathrand.New(mathrand.NewPCG(w.seed, 3)))
	w.login(kim)
	w.login(dan)
	for _, r := range []*request{
		dan.order("/api/v1/tables/dealt/commands", map[string]any{"kind": "open-bets"}),
		guest.order("/api/v1/tables/dealt/commands", map[string]any{"kind": "bet", "body": map[string]any{"box": 1, "wager": "ante", "amount": 1000}}),
	} {
		if got := r.by.insist(t, nodes[0].url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key); got.status >= 300 {
			t.Fatalf("no round in play: %d %s", got.status, got.text)
		}
	}
	if *takeoverTables > 0 {
		// One cashier moves so much at once.
		for i := range 1 + *takeoverTables/100 {
			body := fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":400000}`, player)
			if got := kim.insist(t, nodes[0].url, http.MethodPost, "/api/v1/cage", body, "Idempotency-Key", fmt.Sprint("money-", i)); got.status >= 300 {
				t.Fatalf("no money: %d %s", got.status, got.text)
			}
		}
		w.playMany(nodes[0], guest, *takeoverTables)
	}
	const eventsAt = "SELECT max(part.after + part.count) FROM part JOIN stream ON stream.id = part.stream WHERE stream.name = 'table:dealt'"
	var before, after int64
	ask(t, database, eventsAt, &before)
	var took []time.Duration
	for i := range *takeovers {
		at := -1
		// On a loaded machine the writer may be out of touch for a moment, and says so.
		steady.Await(t, "a machine is the writer", func() bool {
			at = slices.IndexFunc(nodes, func(n *node) bool { return n.writes() })
			return at >= 0
		})
		others := slices.Delete(slices.Clone(nodes), at, at+1)
		killed := time.Now()
		nodes[at].kill()
		key := fmt.Sprintf("takeover-%d", i)
		body := fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":100}`, player)
		for n := 0; ; n++ {
			got, err := kim.ask(t.Context(), others[n%2].url, http.MethodPost, "/api/v1/cage", body, "Idempotency-Key", key)
			if err == nil && got.status < 300 {
				break
			}
			if err == nil && got.status < 500 && got.status != http.StatusTooManyRequests {
				t.Fatalf("takeover %d: a command is answered %d %s", i, got.status, got.text)
			}
			if time.Since(killed) > patience {
				t.Fatalf("takeover %d: no command is accepted: %v\n%s\n%s", i, err, others[0].logs, others[1].logs)
			}
			time.Sleep(10 * time.Millisecond)
		}
		took = append(took, time.Since(killed))
		folder := nodes[at].folder
		nodes[at] = w.node(database, folder)
		nodes[at].becomes("door")
	}
	ask(t, database, eventsAt, &after)
	if before != after || before == 0 {
		t.Errorf("the table had %d events before %d takeovers, and has %d", before, *takeovers, after)
	}
	var table struct {
		Picture struct {
			Round int
			Phase string
		}
	}
	got := guest.insist(t, nodes[0].url, http.MethodGet, "/api/v1/tables/dealt", "")
	if err := json.Unmarshal([]byte(got.text), &table); err != nil || table.Picture.Phase != "betting" || table.Picture.Round != 1 {
		t.Errorf("the round in play is %+v, %v", table.Picture, err)
	}
	slices.Sort(took)
	t.Logf("%d takeovers, from the kill to the next accepted command: fastest %v, half within %v, 99 of 100 within %v, slowest %v",
		len(took), took[0], took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

// writes reports whether a machine says that it is the writer.
func (n *node) writes() bool {
	got, err := http.Get(n.url + "/readyz")
	if err != nil {
		return false
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	var state readiness
	return json.NewDecoder(got.Body).Decode(&state) == nil && state.Machine == "writer"
}
