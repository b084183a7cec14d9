package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
	"trey/table"
)

// line is a store that records nothing for as long as it is held: what the house hands
// it waits, in order.
type line struct {
	house.Store
	mu      sync.Mutex
	held    bool
	waiting []waits
	// asked is called when a key is looked up: after its command came, and before it is decided.
	asked func()
}

type waits struct {
	tx   *house.Transaction
	done chan house.AppendResult
}

func (l *line) Append(tx *house.Transaction) <-chan house.AppendResult {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held {
		return l.Store.Append(tx)
	}
	w := waits{tx, make(chan house.AppendResult, 1)}
	l.waiting = append(l.waiting, w)
	return w.done
}

func (l *line) Find(ctx context.Context, key string) (*house.Receipt, error) {
	if l.asked != nil {
		l.asked()
	}
	return l.Store.Find(ctx, key)
}

func (l *line) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
}

func (l *line) length() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// release records what waits, and answers the last first: who waits for the store wakes
// up in any order.
func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	var all []<-chan house.AppendResult
	for _, w := range l.waiting {
		all = append(all, l.Store.Append(w.tx))
	}
	for i, w := range slices.Backward(l.waiting) {
		w.done <- <-all[i]
	}
	l.waiting = nil
}

// ofTheDoor are the figures of the door itself: how often it was asked, and for what.
var ofTheDoor = regexp.MustCompile(`(?m)^(# .*|(go|process|promhttp|trey_http|trey_command|trey_streams|trey_logins)\w*[{ ].*)$`)

// everything returns all that each person can read, by person and address. A person's own
// play and the record of a round wait for what is in line and are left out.
func (w *twin) everything() map[string]string {
	w.Helper()
	all := map[string]string{}
	for _, person := range readers {
		for _, path := range w.looking() {
			if strings.HasSuffix(path, "/play") || strings.HasSuffix(path, "/rounds/1") {
				continue
			}
			r := w.get(person, path)
			text := r.Status + r.Header.Get("ETag") + ofTheDoor.ReplaceAllString(r.text, "")
			all[person+" "+path] = w.alike(text)
		}
	}
	return all
}

// Nobody is shown anything that is not durable, by an answer, a stream or a figure, and everybody is shown all of it when it is.
func TestNothingIsShownBeforeItIsDurable(t *testing.T) {
	s := newSite(t)
	s.tokens["gus"] = s.guest()
	w := &twin{site: s, guest: s.guestName()}
	for _, name := range []string{"A", "B"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 100*money.Major)
	w.must("", "dan", "A", `{"kind":"open-bets"}`)
	w.must("", "ann", "A", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	w.must("", "ann", "A", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"progressive","amount":500}}`)

	var mu sync.Mutex
	read := map[string][]string{}
	var streams sync.WaitGroup
	for _, of := range []string{"ann tables/A/events?picture=true", "eye tables/B/events", "pat jackpots/linked/events", "eye floor/events"} {
		person, path, _ := strings.Cut(of, " ")
		r := s.listen(person, "/api/v1/"+path, 0)
		t.Cleanup(r.close)
		if m, ok := r.next(); !ok || m.event != "standing" {
			t.Fatalf("%s: %+v", of, m)
		}
		streams.Go(func() {
			m, ok := r.next()
			mu.Lock()
			defer mu.Unlock()
			if ok {
				read[of] = append(read[of], m.event+" "+m.data)
			}
		})
	}
	before := w.everything()

	s.line.hold()
	t.Cleanup(s.line.release)
	answers := map[string]chan string{}
	inLine := 0
	asks := func(what string, ask func() string) {
		t.Helper()
		answer := make(chan string, 1)
		answers[what] = answer
		go func() { answer <- ask() }()
	}
	command := func(what string, ask func() string) {
		t.Helper()
		asks(what, ask)
		inLine++
		for deadline := time.Now().Add(time.Minute); s.line.length() < inLine; time.Sleep(time.Millisecond) {
			select {
			case text := <-answers[what]:
				t.Fatalf("%s is answered and not in line: %s", what, text)
			default:
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not in line", what)
			}
		}
	}
	post := func(person, path, body string) func() string {
		return func() string {
			r := s.ask(person, http.MethodPost, "/api/v1/"+path, body)
			return r.Status + r.text
		}
	}
	command("a limit", func() string {
		r := s.ask("ben", http.MethodPut, "/api/v1/account/limits/loss/day", `{"most":5000}`)
		return r.Status + r.text
	})
	command("no more bets", post("dan", "tables/A/commands", `{"kind":"close-bets"}`))
	command("a round", post("dan", "tables/B/commands", `{"kind":"open-bets"}`))
	command("a buy-in", post("cas", "cage", `{"reason":"buy-in","player":"ben","amount":10700}`))
	asks("ben's play", func() string { return s.get("ben", "/api/v1/account/play").text })
	during := w.everything()
	for key, text := range before {
		if during[key] != text {
			t.Errorf("%s shows what is not recorded:\n%s\nand showed\n%s", key, during[key], text)
		}
	}
	mu.Lock()
	if len(read) != 0 {
		t.Errorf("streams tell of what is not recorded: %v", read)
	}
	mu.Unlock()
	for what, answer := range answers {
		select {
		case text := <-answer:
			t.Errorf("%s is answered before it is recorded: %s", what, text)
		default:
		}
	}
	s.line.release()

	after := w.everything()
	for what, answer := range answers {
		select {
		case text := <-answer:
			switch {
			case what == "ben's play":
				if !strings.Contains(text, `5000`) {
					t.Errorf("ben's limit is recorded, and ben is told %s", text)
				}
			case !strings.HasPrefix(text, "20"):
				t.Errorf("%s: %s", what, text)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is not answered", what)
		}
	}
	streams.Wait()
	for what, want := range map[string]string{
		"ann tables/A/events?picture=true": `"bets-closed"`, "eye tables/B/events": `"bets-opened"`,
		"pat jackpots/linked/events": `"contributed"`, "eye floor/events": `"bets-closed"`,
	} {
		if len(read[what]) == 0 || !strings.Contains(read[what][0], want) {
			t.Errorf("%s tells of %q", what, read[what])
		}
	}
	for key, want := range map[string]string{
		"ann /api/v1/tables/A":        `"phase":"dealing"`,
		"ann /api/v1/tables/B":        `"phase":"betting"`,
		"pat /api/v1/jackpots":        `1000200`,
		"ben /api/v1/account":         `10700`,
		"cas /api/v1/accounts":        `"player:ben"`,
		"adm /metrics":                "trey_rounds_total 2",
		"eye /api/v1/log?limit=1000":  `"close-bets"`,
		"sue /api/v1/tables/A/rounds": `"round":1`,
	} {
		if !strings.Contains(after[key], want) {
			t.Errorf("recorded, and %s shows no %s: %s", key, want, after[key])
		}
	}
	// What the house holds in memory agrees with what is recorded.
	stored := ledger.Book{}
	if _, err := house.Named(s.store).Balances(t.Context(), func(a ledger.Account, held money.Amount) error {
		stored[a] = held
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(s.Book()), fmt.Sprint(stored); got != want {
		t.Errorf("the house shows %s, and the record holds %s", got, want)
	}
	var standing struct{ Picture table.Picture }
	if err := json.Unmarshal([]byte(s.get("ann", "/api/v1/tables/A").text), &standing); err != nil || standing.Picture.Phase != table.Dealing {
		t.Errorf("table A is %s: %v", standing.Picture.Phase, err)
	}
}
