//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
)

var historyRounds = flag.Int("history.rounds", 1, "how often the test of histories kills, stops and fails over; 100 for a night")

// operation is a request with its answer, about an account or the
// meter.
type operation struct {
	// change is by how much an account changes, zero for a question.
	change int64
	// refused says that the account was too short, and holds what it was said to hold.
	refused bool
	holds   int64
	// seq is the transaction of a command that may have moved the meter, zero for a question.
	// meter and reserve are what was said of the jackpot.
	seq            int64
	meter, reserve int64
}

// accountModel is an account that only the cage moves: an answer says what it holds at a
// moment between the question and the answer, and it never holds less than nothing.
// A refusal changes nothing.
func accountModel(opens int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return opens },
		Step: func(state, _, output any) (bool, any) {
			holds, o := state.(int64), output.(operation)
			switch {
			case o.refused:
				// It is decided upon what is in line at the store, which may never become durable:
				// a refusal promises nothing of what is read after it.
				return true, holds
			case o.change != 0:
				return holds+o.change >= 0, holds + o.change
			}
			return o.holds == holds, holds
		},
	}
}

// meterAt is the content of a jackpot after a transaction that changed it.
type meterAt struct{ seq, meter, reserve int64 }

// meterModel is the meter of a jackpot, which the house moves: an answer says what it came to
// by some transaction, never by one before what was answered earlier. The state is the
// place in what the record says of it.
func meterModel(recorded []meterAt) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, _, output any) (bool, any) {
			at, o := state.(int), output.(operation)
			if o.seq > 0 {
				for at+1 < len(recorded) && recorded[at+1].seq <= o.seq {
					at++
				}
				return true, at
			}
			for ; at < len(recorded); at++ {
				if recorded[at].meter == o.meter && recorded[at].reserve == o.reserve {
					return true, at
				}
			}
			return false, state
		},
	}
}

// The models find what they are for.
func TestHistoriesThatCannotBe(t *testing.T) {
	op := func(from, to int64, o operation) porcupine.Operation {
		return porcupine.Operation{Call: from, Return: to, Output: o}
	}
	recorded := []meterAt{{0, 0, 0}, {1, 60, 0}, {4, 62, 0}, {9, 64, 1}, {12, 60, 1}}
	for _, test := range []struct {
		what  string
		model porcupine.Model
		is    []porcupine.Operation
		holds bool
	}{
		{"a buy-in is seen", accountModel(5), []porcupine.Operation{op(1, 2, operation{change: 10}), op(3, 4, operation{holds: 15})}, true},
		{"two at the same time, one seen", accountModel(0), []porcupine.Operation{op(1, 9, operation{change: 10}), op(2, 9, operation{change: 7}), op(3, 4, operation{holds: 7})}, true},
		{"a buy-in is lost", accountModel(5), []porcupine.Operation{op(1, 2, operation{change: 10}), op(3, 4, operation{holds: 5})}, false},
		{"a buy-in is done twice", accountModel(5), []porcupine.Operation{op(1, 2, operation{change: 10}), op(3, 4, operation{holds: 25})}, false},
		{"an answer goes back", accountModel(0), []porcupine.Operation{op(1, 9, operation{change: 10}), op(2, 3, operation{holds: 10}), op(4, 5, operation{holds: 0})}, false},
		{"more is paid out than was there", accountModel(5), []porcupine.Operation{op(1, 2, operation{change: -6})}, false},
		{"too much is refused", accountModel(5), []porcupine.Operation{op(1, 2, operation{change: -6, refused: true}), op(3, 4, operation{holds: 5})}, true},
		{"the meter goes on", meterModel(recorded), []porcupine.Operation{op(1, 2, operation{meter: 60}), op(3, 4, operation{meter: 64, reserve: 1})}, true},
		{"the meter is of before a command that was answered", meterModel(recorded), []porcupine.Operation{op(1, 2, operation{seq: 5}), op(3, 4, operation{meter: 60})}, false},
		{"the meter is of after it", meterModel(recorded), []porcupine.Operation{op(1, 2, operation{seq: 5}), op(3, 4, operation{meter: 62})}, true},
		{"the meter goes back", meterModel(recorded), []porcupine.Operation{op(1, 2, operation{meter: 64, reserve: 1}), op(3, 4, operation{meter: 62})}, false},
		{"the meter never was so", meterModel(recorded), []porcupine.Operation{op(1, 2, operation{meter: 61})}, false},
	} {
		if got := porcupine.CheckOperations(test.model, test.is); got != test.holds {
			t.Errorf("%s: %t", test.what, got)
		}
	}
}

// histories holds the requests to two machines with their answers.
type histories struct {
	*world
	start time.Time
	// seen is what all have been answered: whoever reads at another machine carries it.
	seen    atomic.Int64
	targets atomic.Pointer[[]*node]
	asked   atomic.Int64

	mu       sync.Mutex
	accounts map[string][]porcupine.Operation
	meter    []porcupine.Operation
	keys     map[string]int64 // the transactions of acknowledged commands
	failed   error
}

func (h *histories) now() int64 { return time.Since(h.start).Nanoseconds() }

// insist asks one machine after the other until one answers for the house.
func (h *histories) insist(ctx context.Context, s *somebody, method, path, body string, headers ...string) *reply {
	for n := s.rng.IntN(2); ctx.Err() == nil; n++ {
		targets := *h.targets.Load()
		once, cancel := context.WithTimeout(ctx, 10*time.Second)
		got, err := s.ask(once, targets[n%len(targets)].url, method, path, body, headers...)
		cancel()
		if err == nil && got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable {
			return got
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func (h *histories) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.failed = err
	}
}

// note takes down an operation of an account, or of the meter where it is of nobody.
func (h *histories) note(of string, client int, from int64, o operation, key string, seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := porcupine.Operation{ClientId: client, Call: from, Return: h.now(), Output: o}
	if of == "" {
		h.meter = append(h.meter, one)
	} else {
		h.accounts[of] = append(h.accounts[of], one)
	}
	if key != "" {
		h.keys[key] = seq
	}
	h.asked.Add(1)
}

// cashier moves an account at the cage and asks for it, until it ends. A command is asked
// for under its key until it is answered, also when the time is over.
func (h *histories) cashier(ctx context.Context, clerk somebody, client int, player string) {
	clerk.rng = mathrand.New(mathrand.NewPCG(h.seed, uint64(client)))
	for n := 0; ctx.Err() == nil; n++ {
		from := h.now()
		if clerk.rng.IntN(2) == 0 {
			var account struct{ Balance int64 }
			got := h.insist(ctx, &clerk, http.MethodGet, "/api/v1/accounts/player:"+player, "")
			if got == nil {
				return
			}
			if err := json.Unmarshal([]byte(got.text), &account); err != nil || got.status != http.StatusOK {
				h.fail(fmt.Errorf("the account is answered %d %s", got.status, got.text))
				return
			}
			h.note(player, client, from, operation{holds: account.Balance}, "", 0)
			continue
		}
		reason, amount := "buy-in", int64(100*(1+clerk.rng.IntN(50)))
		o := operation{change: amount}
		if clerk.rng.IntN(2) == 0 {
			reason, amount = "cash-out", 100*int64(1+clerk.rng.IntN(1500))
			o.change = -amount
		}
		key := fmt.Sprintf("history-%d-%d", client, n)
		got := h.insist(context.WithoutCancel(ctx), &clerk, http.MethodPost, "/api/v1/cage",
			fmt.Sprintf(`{"reason":%q,"player":%q,"amount":%d}`, reason, player, amount), "Idempotency-Key", key)
		var done struct{ Seq int64 }
		switch {
		case got.status == http.StatusConflict && strings.Contains(got.text, "urn:trey:problem:short"):
			o.refused = true
			key = ""
		case got.status >= 300 || json.Unmarshal([]byte(got.text), &done) != nil || done.Seq == 0:
			h.fail(fmt.Errorf("%s is answered %d %s", key, got.status, got.text))
			return
		}
		h.note(player, client, from, o, key, done.Seq)
	}
}

// player plays at tables of the jackpot, and asks what it holds.
func (h *histories) player(ctx context.Context, s *somebody, client int) {
	for n := 0; ctx.Err() == nil; n++ {
		from := h.now()
		if n%3 == 0 {
			var pot struct{ Meter, Reserve int64 }
			got := h.insist(ctx, s, http.MethodGet, "/api/v1/jackpots/linked", "")
			if got == nil {
				return
			}
			if err := json.Unmarshal([]byte(got.text), &pot); err != nil || got.status != http.StatusOK {
				h.fail(fmt.Errorf("the jackpot is answered %d %s", got.status, got.text))
				return
			}
			h.note("", client, from, operation{meter: pot.Meter, reserve: pot.Reserve}, "", 0)
			continue
		}
		at := []string{"classic-1", "classic-2"}[s.rng.IntN(2)]
		got := h.insist(ctx, s, http.MethodGet, "/api/v1/tables/"+at+"/moves", "")
		if got == nil {
			return
		}
		var said struct{ Moves []move }
		if got.status != http.StatusOK || json.Unmarshal([]byte(got.text), &said) != nil {
			continue
		}
		m, ok := s.draw(said.Moves, asPlayer)
		for _, one := range said.Moves {
			if one.Body["wager"] == "progressive" {
				m, ok = one, true // the bet of the jackpot, where an Ante lies
			}
		}
		if !ok {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		body, err := json.Marshal(m)
		if err != nil {
			h.fail(err)
			return
		}
		key := fmt.Sprintf("play-%d-%d", client, n)
		from = h.now()
		got = h.insist(context.WithoutCancel(ctx), s, http.MethodPost, "/api/v1/tables/"+at+"/commands", string(body), "Idempotency-Key", key)
		var done struct{ Seq int64 }
		if got.status < 300 && json.Unmarshal([]byte(got.text), &done) == nil && done.Seq > 0 {
			h.note("", client, from, operation{seq: done.Seq}, key, done.Seq)
		}
	}
}

// more waits until so much more was answered.
func (h *histories) more(n int64) {
	h.Helper()
	deadline := time.Now().Add(2 * patience)
	for want := h.asked.Load() + n; h.asked.Load() < want; time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		failed := h.failed
		h.mu.Unlock()
		if failed != nil {
			h.Fatal(failed)
		}
		if time.Now().After(deadline) {
			h.Fatalf("nobody is answered any more: only %d are", h.asked.Load())
		}
	}
}

// guest lets one in.
func (h *histories) guest(place int) (*somebody, string) {
	h.Helper()
	s := newSomebody("guest", "guest", place, mathrand.New(mathrand.NewPCG(h.seed, uint64(place)+100)))
	s.cookie, s.seen = true, &h.seen
	var answer struct{ Name string }
	if got := h.insist(h.Context(), s, http.MethodPost, "/api/v1/guests", ""); json.Unmarshal([]byte(got.text), &answer) != nil || answer.Name == "" {
		h.Fatalf("no guest: %d %s", got.status, got.text)
	}
	return s, answer.Name
}

// check holds what people were answered against the record, which no house has open, and
// against the models.
func (h *histories) check(database string) {
	h.Helper()
	store, err := postgres.Open(h.Context(), database, postgres.Options{})
	if err != nil {
		h.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was only read
	recorded := []meterAt{{}}
	found := map[string][]int64{}
	if err := store.ReadAll(h.Context(), 0, "", func(e house.StoredTransaction) error {
		last := recorded[len(recorded)-1]
		next := last
		next.seq = e.Seq
		for _, p := range e.Postings {
			for account, amount := range map[string]int64{p.From.String(): -int64(p.Amount), p.To.String(): int64(p.Amount)} {
				switch account {
				case "meter:linked":
					next.meter += amount
				case "reserve:linked":
					next.reserve += amount
				}
			}
		}
		if next.meter != last.meter || next.reserve != last.reserve {
			recorded = append(recorded, next)
		}
		if _, key, keyed := strings.Cut(e.Key, " "); keyed {
			found[key] = append(found[key], e.Seq)
		}
		return nil
	}); err != nil {
		h.Fatal(err)
	}
	for key, seq := range h.keys {
		if len(found[key]) != 1 || found[key][0] != seq {
			h.Errorf("%s was acknowledged as transaction %d, and stands in %v", key, seq, found[key])
		}
	}
	verdict := func(what string, model porcupine.Model, all []porcupine.Operation) {
		if got := porcupine.CheckOperationsTimeout(model, all, 2*patience); got != porcupine.Ok {
			h.Errorf("the history of %s, of %d operations, is %s", what, len(all), got)
		}
	}
	for player, all := range h.accounts {
		verdict(player, accountModel(100_000), all) // a guest comes in with 1,000
	}
	verdict("the meter", meterModel(recorded), h.meter)
	h.Logf("%d operations were answered, %d commands among them, while the meter moved %d times", h.asked.Load(), len(h.keys), len(recorded)-1)
	if len(recorded) < 10 || len(h.keys) < 50 {
		h.Error("too little happened for a history")
	}
}

// What people at two machines were answered can have happened in one order, while the
// writer is killed and stopped past its lease and the database fails over: each account as a
// register, the meter as the record has it, each acknowledged key once. What was stopped
// writes no row when it wakes up: the tree, the keys and the parts of streams agree.
func TestHistories(t *testing.T) {
	c := pgserver.StartClusterFor(t)
	if _, err := c.Database(t.Context(), "house"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, t.TempDir())
	// People get a word in, over HTTP and through another machine.
	text, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.config, bytes.Replace(text, []byte(`betting = "8ms"`), []byte(`betting = "200ms"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	database := c.URL("house")
	folders := [2]string{t.TempDir(), t.TempDir()}
	writer := w.node(database, folders[0])
	if !writer.opened() {
		t.Fatalf("the house does not open:\n%s", writer.logs)
	}
	copyKeys(t, folders[0], folders[1])
	other := w.node(database, folders[1])
	folderOf := map[*node]string{writer: folders[0], other: folders[1]}

	h := &histories{world: w, start: time.Now(), accounts: map[string][]porcupine.Operation{}, keys: map[string]int64{}}
	h.targets.Store(&[]*node{writer, other})
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	kim.seen = &h.seen
	w.house = writer.process
	w.login(kim)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var work sync.WaitGroup
	for client := range 4 { // two at each account
		var name string
		if client%2 == 0 {
			_, name = h.guest(client + 1)
			work.Go(func() { h.cashier(ctx, *kim, client, name) })
			work.Go(func() { h.cashier(ctx, *kim, client+1, name) })
		}
	}
	for client := range 3 {
		s, _ := h.guest(client + 10)
		work.Go(func() { h.player(ctx, s, client+10) })
	}
	opens := regexp.MustCompile(`(Ctrl-C finishes|is open again)`)
	for range *historyRounds {
		h.more(150)
		writer.kill() // the other one takes its place
		other.says(opens)
		h.more(100)
		again := w.node(database, folderOf[writer])
		folderOf[again] = folderOf[writer]
		writer, other = other, again
		h.targets.Store(&[]*node{writer, other})
		h.more(100)
		if err := c.Failover(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.more(100)
		if err := c.Rejoin(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.more(50)
		writer = w.writerOf(database, writer, other)
		if writer == other {
			other = (*h.targets.Load())[0]
		}
		writer.signal(syscall.SIGSTOP)
		h.targets.Store(&[]*node{other})
		h.more(100)
		writer.signal(syscall.SIGCONT)
		h.targets.Store(&[]*node{other, writer})
		h.more(100)
		writer, other = other, writer
	}
	end()
	work.Wait()
	if h.failed != nil {
		t.Fatal(h.failed)
	}
	if status, out, logs := auditRun("--db", database, "--signing", filepath.Join(folderOf[writer], "signing")); status != 0 || !strings.Contains(out, "money        proven") || !strings.Contains(out, "tree         proven") {
		t.Errorf("the audit: status %d: %s%s", status, out, logs)
	}
	for _, n := range []*node{other, writer} {
		n.sound()
		n.kill()
	}
	h.check(database)
}

// writerOf returns which of two machines the database names as the writer.
func (w *world) writerOf(database string, machines ...*node) *node {
	w.Helper()
	for range 600 {
		var address string
		if conn, err := pgx.Connect(w.Context(), database); err == nil {
			err = conn.QueryRow(w.Context(), "SELECT address FROM head WHERE until > clock_timestamp()").Scan(&address)
			if err == nil {
				err = conn.Close(w.Context())
			}
			for _, n := range machines {
				if err == nil && strings.HasSuffix(n.url, "//"+address) {
					return n
				}
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.Fatal("the database names no machine as the writer")
	return nil
}
