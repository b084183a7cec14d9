//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"trey/internal/house"
	kinds "trey/internal/record"
	"trey/internal/store/postgres"
	"trey/jackpot"
)

// operation is a request with its answer, about an account or the
// meter.
type operation struct {
	// change is by how much an account changes, zero for a question.
	change int64
	// refused says that the account was too short, and holds what it was said to hold.
	refused bool
	holds   int64
	// key is that of a refused command, and again reports whether it was asked for before and
	// not answered.
	key   string
	again bool
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
		what       string
		model      porcupine.Model
		operations []porcupine.Operation
		holds      bool
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
		if got := porcupine.CheckOperations(test.model, test.operations); got != test.holds {
			t.Errorf("%s: %t", test.what, got)
		}
	}
}

// The checks of streams and keys find what they are for.
func TestStreamsThatCannotBe(t *testing.T) {
	recorded := []int64{3, 5, 8, 9, 12, 15}
	for what, test := range map[string]struct {
		begun int64
		sent  []int64
		holds bool
	}{
		"all of it":                     {0, recorded, true},
		"up to now":                     {0, []int64{3, 5, 8}, true},
		"behind a snapshot":             {5, []int64{8, 9}, true},
		"behind one between two":        {7, []int64{8, 9}, true},
		"nothing yet":                   {7, nil, true},
		"one is missed":                 {0, []int64{3, 5, 9}, false},
		"the first is missed":           {4, []int64{8}, false},
		"one is sent twice":             {0, []int64{3, 5, 5, 8}, false},
		"the last is sent twice":        {0, []int64{3, 5, 5}, false},
		"two change places":             {0, []int64{3, 8, 5, 9}, false},
		"one was never recorded":        {0, []int64{3, 4, 5}, false},
		"one of before the snapshot":    {5, []int64{5, 8}, false},
		"the end is of no other record": {0, []int64{3, 5, 8, 9, 12, 15, 16}, false},
	} {
		if err := misled(test.begun, test.sent, recorded); (err == nil) != test.holds {
			t.Errorf("%s: %v", what, err)
		}
	}
	acknowledged := map[string]int64{"a": 5, "b": 9}
	for what, test := range map[string]struct {
		found map[string][]int64
		holds bool
	}{
		"each once":          {map[string][]int64{"a": {5}, "b": {9}, "of nobody": {12}}, true},
		"one is lost":        {map[string][]int64{"a": {5}}, false},
		"one is done twice":  {map[string][]int64{"a": {5}, "b": {9, 12}}, false},
		"one is another one": {map[string][]int64{"a": {5}, "b": {12}}, false},
	} {
		if err := unlikeRecord(acknowledged, test.found); (err == nil) != test.holds {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// histories holds the requests to all machines with their answers.
type histories struct {
	*world
	start time.Time
	// seen is what all have been answered: whoever reads at another machine carries it.
	seen    atomic.Int64
	targets atomic.Pointer[[]*node]
	// asked and commanded count what was answered, and the commands among it.
	asked, commanded atomic.Int64
	followers        []*follower

	mu       sync.Mutex
	accounts map[string][]porcupine.Operation
	meter    []porcupine.Operation
	keys     map[string]int64 // the transactions of acknowledged commands
	failed   error
}

// topic names the subject of a stream of events: a table, a jackpot, or else the floor.
type topic struct{ table, jackpot string }

func (of topic) String() string {
	switch {
	case of.table != "":
		return "table " + of.table
	case of.jackpot != "":
		return "jackpot " + of.jackpot
	}
	return "the floor"
}

// path is the address of the stream.
func (of topic) path() string {
	switch {
	case of.table != "":
		return "/api/v1/tables/" + of.table + "/events"
	case of.jackpot != "":
		return "/api/v1/jackpots/" + of.jackpot + "/events"
	}
	return "/api/v1/floor/events"
}

// floorSteps are the events of a table that the stream of the floor tells of.
var floorSteps = []string{
	"table-opened", "table-closed", "bets-opened", "bets-closed", "deal-finished", "dealer-shown", "settled", "round-voided",
	"question-asked", "question-answered", "progressive-failed", "progressive-suspended", "progressive-restored",
}

// tells reports whether the stream has a message for a transaction.
func (of topic) tells(e *house.StoredTransaction) bool {
	for i := range e.Parts {
		p := &e.Parts[i]
		kind, name, _ := strings.Cut(p.Stream, ":")
		switch {
		case of.table != "":
			if (kind == "table" || kind == "deal") && name == of.table {
				return true
			}
			continue
		case of.jackpot == "" && kind == "house" && len(p.Events) > 0:
			return true
		}
		for _, stored := range p.Events {
			switch {
			case of.jackpot == "" && kind == "table" && slices.Contains(floorSteps, stored.Kind):
				return true
			case kind != "jackpot" || of.jackpot != "" && name != of.jackpot:
			case of.jackpot == "" && (stored.Kind == "contributed" || stored.Kind == "contributions-reversed"):
			default:
				event, err := kinds.JackpotEvents.Read(stored)
				if err != nil || jackpot.Redact(event, jackpot.Everybody) != nil {
					return true
				}
			}
		}
	}
	return false
}

// concerning returns the transactions of which the stream tells. A server that has just taken over, on a
// busy machine, may not answer at once.
func (of topic) concerning(t testing.TB, database string) []int64 {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		all, err := of.recorded(t.Context(), database)
		if err == nil {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// recorded reads the transactions of which the stream tells from a database.
func (of topic) recorded(ctx context.Context, database string) (all []int64, err error) {
	store, err := postgres.OpenDoor(ctx, database, postgres.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close() //nolint:errcheck // it was only read
	err = store.ReadAll(ctx, 0, "", func(e house.StoredTransaction) error {
		if of.tells(&e) {
			all = append(all, e.Seq)
		}
		return nil
	})
	return all, err
}

// follower follows the events of a topic at one machine after another.
type follower struct {
	*somebody
	topic
	// begun is the transaction of the snapshot that the follower began with, sent are those of
	// the messages behind it, and texts what they said.
	begun    int64
	sent     []int64
	texts    map[int64]string
	attempts int
}

// last returns the number by which the stream is resumed.
func (f *follower) last() int64 {
	if len(f.sent) > 0 {
		return f.sent[len(f.sent)-1]
	}
	return f.begun
}

// once follows the events at a machine for some messages, or until that ends them or says
// nothing for a while.
func (f *follower) once(ctx context.Context, at string, most int) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	f.attempts++
	// Why it ended does not matter: it is resumed elsewhere.
	_ = f.events(ctx, at, f.path(), f.last(), func(id int64, text string) bool {
		if f.begun == 0 {
			f.begun = id
		} else {
			f.sent = append(f.sent, id)
			f.texts[id] = text
		}
		most--
		return most > 0
	})
}

// follow follows the events of a topic until it ends.
func (h *histories) follow(ctx context.Context, f *follower) {
	for ctx.Err() == nil {
		targets := *h.targets.Load()
		f.once(ctx, targets[f.rng.IntN(len(targets))].url, 1+f.rng.IntN(12))
		time.Sleep(time.Duration(f.rng.IntN(20)) * time.Millisecond)
	}
}

// misled returns how the messages of a stream that was resumed again and again differ from
// those that are recorded behind its begin, nil if they do not.
func misled(begun int64, sent, recorded []int64) error {
	var want []int64
	for _, seq := range recorded {
		if seq > begun && len(sent) > 0 && seq <= slices.Max(sent) {
			want = append(want, seq)
		}
	}
	for i := range max(len(sent), len(want)) {
		switch {
		case i >= len(sent) || i < len(want) && sent[i] > want[i]:
			return fmt.Errorf("transaction %d was missed", want[i])
		case i >= len(want) || sent[i] != want[i]:
			return fmt.Errorf("transaction %d was sent twice, too late, or without being recorded", sent[i])
		}
	}
	return nil
}

// unlikeRecord returns which of the commands that were acknowledged are not in the record once,
// as the transaction that was said.
func unlikeRecord(acknowledged map[string]int64, recorded map[string][]int64) error {
	var all []error
	for key, seq := range acknowledged {
		if found := recorded[key]; len(found) != 1 || found[0] != seq {
			all = append(all, fmt.Errorf("%s was acknowledged as transaction %d, and stands in %v", key, seq, found))
		}
	}
	return errors.Join(all...)
}

func (h *histories) now() int64 { return time.Since(h.start).Nanoseconds() }

// insist asks one machine after the other until one answers for the house.
func (h *histories) insist(ctx context.Context, s *somebody, method, path, body string, headers ...string) *reply {
	again := false
	for n := s.rng.IntN(6); ctx.Err() == nil; n++ {
		targets := *h.targets.Load()
		// Whoever waits for longer asks elsewhere, under the same key, while the first machine
		// may still be at it.
		once, cancel := context.WithTimeout(ctx, 4*time.Second)
		got, err := s.ask(once, targets[n%len(targets)].url, method, path, body, headers...)
		cancel()
		if err == nil && got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable && !strings.Contains(got.text, "urn:trey:problem:key-busy") {
			got.again = again
			return got
		}
		again = again || err != nil || got.status != http.StatusTooManyRequests
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
		h.commanded.Add(1)
	}
	h.asked.Add(1)
}

// cashier moves an account at the cage and asks for it, until it ends. A command is asked
// for under its key until it is answered, also when the time is over.
func (h *histories) cashier(ctx context.Context, clerk somebody, client int, player string) {
	clerk.rng = mathrand.New(mathrand.NewPCG(h.seed, uint64(client)))
	for n := 0; ctx.Err() == nil; n++ {
		time.Sleep(time.Duration(clerk.rng.IntN(20)) * time.Millisecond)
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
		got := h.insist(h.Context(), &clerk, http.MethodPost, "/api/v1/cage",
			fmt.Sprintf(`{"reason":%q,"player":%q,"amount":%d}`, reason, player, amount), "Idempotency-Key", key)
		var done struct{ Seq int64 }
		switch {
		case got == nil:
			return // the test is over
		case got.status == http.StatusConflict && strings.Contains(got.text, "urn:trey:problem:short"):
			o.refused, o.key, o.again = true, key, got.again
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
			time.Sleep(20 * time.Millisecond)
			continue
		}
		body, err := json.Marshal(m)
		if err != nil {
			h.fail(err)
			return
		}
		key := fmt.Sprintf("play-%d-%d", client, n)
		from = h.now()
		got = h.insist(h.Context(), s, http.MethodPost, "/api/v1/tables/"+at+"/commands", string(body), "Idempotency-Key", key)
		var done struct{ Seq int64 }
		if got == nil {
			return // the test is over
		}
		if got.status < 300 && json.Unmarshal([]byte(got.text), &done) == nil && done.Seq > 0 {
			h.note("", client, from, operation{seq: done.Seq}, key, done.Seq)
		}
	}
}

// acknowledged waits until so many more commands were acknowledged.
func (h *histories) acknowledged(n int64, during string) {
	h.Helper()
	deadline := time.Now().Add(2 * patience)
	for want := h.commanded.Load() + n; h.commanded.Load() < want; time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		failed := h.failed
		h.mu.Unlock()
		if failed != nil {
			h.Fatal(failed)
		}
		if time.Now().After(deadline) {
			h.Fatalf("%s: no command is acknowledged any more, after %d", during, h.commanded.Load())
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
	// On a busy machine a server can take longer to answer than one try waits.
	var store *postgres.Store
	err := errors.New("not tried")
	for try := 0; try < 5 && err != nil; try++ {
		store, err = postgres.Open(h.Context(), database, postgres.Options{})
	}
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
	if err := unlikeRecord(h.keys, found); err != nil {
		h.Error(err)
	}
	h.late(found)
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
	h.plant(found)
}

// late has commands count that were refused, and are in the record all the same. Whoever asks at a
// second machine, because the first has not answered, may be refused there while the first is
// still at it: it keeps the command for some time, and may have it done after the refusal. Of a
// command that was asked for only once nothing is recorded when it was refused.
func (h *histories) late(recorded map[string][]int64) {
	h.Helper()
	all := 0
	for _, operations := range h.accounts {
		for i := range operations {
			o := operations[i].Output.(operation)
			switch {
			case !o.refused || len(recorded[o.key]) == 0:
				continue
			case !o.again || len(recorded[o.key]) > 1:
				h.Errorf("%s was refused, and stands in %v", o.key, recorded[o.key])
			}
			o.refused = false
			operations[i].Output, operations[i].Return = o, math.MaxInt64
			all++
		}
	}
	h.Logf("%d commands were refused at one machine, and done later by another that had not answered yet", all)
}

// plant alters what was answered, one thing at a time: the checks find each.
func (h *histories) plant(recorded map[string][]int64) {
	h.Helper()
	for key, seq := range h.keys {
		for what, found := range map[string][]int64{"lost": nil, "done twice": {seq, seq + 1}, "another transaction": {seq + 1}} {
			altered := maps.Clone(recorded)
			if altered[key] = found; unlikeRecord(h.keys, altered) == nil {
				h.Errorf("nobody notices that %s is %s", key, what)
			}
		}
		break
	}
	for player, all := range h.accounts {
		at := slices.IndexFunc(all, func(o porcupine.Operation) bool {
			return o.Output.(operation).change == 0 && !o.Output.(operation).refused
		})
		if at < 0 {
			continue
		}
		altered := slices.Clone(all)
		o := altered[at].Output.(operation)
		o.holds++
		altered[at].Output = o
		if porcupine.CheckOperationsTimeout(accountModel(100_000), altered, 2*patience) == porcupine.Ok {
			h.Errorf("nobody notices that the account of %s was answered wrongly", player)
		}
	}
}

// checkStreams holds what followers were sent against the record, and against what any machine
// sends who is asked for all of it at once.
func (h *histories) checkStreams(database string, machines []*node) {
	h.Helper()
	for i, f := range h.followers {
		through := f.concerning(h, database)
		for deadline := time.Now().Add(patience); f.last() < through[len(through)-1] && time.Now().Before(deadline); {
			f.once(h.Context(), machines[f.attempts%len(machines)].url, 1<<30)
		}
		recorded := f.concerning(h, database)
		least := 20
		if f.jackpot != "" {
			least = 5 // a meter moves with some bets only
		}
		if f.last() < through[len(through)-1] || len(f.sent) < least {
			h.Errorf("follower %d of %s was sent %d messages up to %d, and the record goes to %d", i, f.topic, len(f.sent), f.last(), through[len(through)-1])
			continue
		}
		if err := misled(f.begun, f.sent, recorded); err != nil {
			h.Errorf("follower %d of %s, after %d connections: %v", i, f.topic, f.attempts, err)
		}
		for _, other := range h.followers[:i] {
			for id, text := range f.texts {
				if of, ok := other.texts[id]; ok && other.topic == f.topic && of != text {
					h.Errorf("transaction %d is sent as\n%s\nand as\n%s", id, text, of)
				}
			}
		}
		again := &follower{somebody: f.somebody, topic: f.topic, begun: f.begun, texts: map[int64]string{}}
		for deadline := time.Now().Add(patience); again.last() < f.last() && time.Now().Before(deadline); {
			again.once(h.Context(), machines[(i+again.attempts)%len(machines)].url, 1<<30)
		}
		if err := misled(again.begun, again.sent, recorded); err != nil {
			h.Errorf("follower %d of %s asks for all of it again: %v", i, f.topic, err)
		}
		for id, text := range f.texts {
			if again.texts[id] != text {
				h.Errorf("transaction %d was sent as\n%s\nand is sent as\n%s", id, text, again.texts[id])
			}
		}
		middle := len(f.sent) / 2
		for what, sent := range map[string][]int64{
			"missed":         slices.Delete(slices.Clone(f.sent), middle, middle+1),
			"sent twice":     slices.Insert(slices.Clone(f.sent), middle, f.sent[middle]),
			"sent later":     slices.Insert(slices.Delete(slices.Clone(f.sent), middle, middle+1), middle+1, f.sent[middle]),
			"never recorded": append(slices.Clone(f.sent), recorded[len(recorded)-1]+1),
		} {
			if misled(f.begun, sent, recorded) == nil {
				h.Errorf("nobody notices that a message was %s", what)
			}
		}
		h.Logf("follower %d of %s was sent %d messages over %d connections", i, f.topic, len(f.sent), f.attempts)
	}
}
