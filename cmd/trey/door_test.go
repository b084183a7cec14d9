//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/steady"
)

var doorReconnects = flag.Int("doors.reconnects", steady.Tries(60, 300), "how often streams are resumed at another machine")

// machines starts a machine that writes, which is the house then, and others with copies of its
// keys, each at the address of the database that is named for it.
func (w *world) machines(databases ...string) (all []*node) {
	w.Helper()
	var first string
	for i, database := range databases {
		folder := w.TempDir()
		if i == 0 {
			first = folder
		} else {
			copyFolder(w, first, folder)
		}
		n := w.node(database, folder)
		if i == 0 && !n.opened() {
			w.Fatalf("the house does not open:\n%s", n.logs)
		}
		if i == 0 {
			w.house = n.process
		} else {
			n.becomes("door")
		}
		all = append(all, n)
	}
	return all
}

// playUntilRecorded has a guest play at a machine until a round of a table is recorded.
func playUntilRecorded(t *testing.T, guest *somebody, at *node, database, table string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	playing := make(chan error, 1)
	go func() { playing <- guest.play(ctx, at.url, []string{table}) }()
	for deadline := time.Now().Add(patience); len(concerning(t, database, table)) < 20; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no round is played")
		}
	}
	cancel()
	if err := <-playing; err != nil && t.Context().Err() == nil {
		t.Log(err)
	}
}

// guest lets a guest in at a machine, and returns them and the name of their account.
func (w *world) guest(at *node, place int) (guest *somebody, name string) {
	w.Helper()
	guest = newSomebody("guest", "guest", place, mathrand.New(mathrand.NewPCG(w.seed, uint64(place)+20)))
	guest.cookie = true
	var answer struct{ Name string }
	if got := guest.insist(w, at.url, http.MethodPost, "/api/v1/guests", ""); json.Unmarshal([]byte(got.text), &answer) != nil || answer.Name == "" {
		w.Fatalf("no guest: %d %s", got.status, got.text)
	}
	return guest, answer.Name
}

// becomes waits until a machine says of itself that it is ready, and what it is.
func (n *node) becomes(machine string) (state readiness) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, err := http.Get(n.url + "/readyz")
		text := []byte(nil)
		if err == nil {
			text, err = io.ReadAll(got.Body)
			_ = got.Body.Close()
		}
		state = readiness{}
		if err == nil && json.Unmarshal(text, &state) == nil && state.Status == "ready" && state.Machine == machine && state.Seq > 0 {
			return state
		}
		if time.Now().After(deadline) {
			n.Fatalf("it is no %s: %s %v\n%s\n%s", machine, text, err, n.out, n.logs)
		}
	}
}

// seqOf returns the number of an answer.
func (r *reply) seqOf(t testing.TB) int64 {
	t.Helper()
	seq, err := strconv.ParseInt(r.header.Get("Trey-Seq"), 10, 64)
	if err != nil {
		t.Fatalf("an answer with status %d and no number: %v", r.status, r.header)
	}
	return seq
}

// Whoever has been answered reads at every machine what that did, and a door answers by
// itself: also while the writer says nothing.
func TestADoorAnswersReads(t *testing.T) {
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(kim)
	_, player := w.guest(nodes[1], 1)
	account := "/api/v1/accounts/player:" + player
	balance := func(at *node, headers ...string) (int64, *reply) {
		t.Helper()
		got := kim.insist(t, at.url, http.MethodGet, account, "", headers...)
		var found struct{ Balance int64 }
		if err := json.Unmarshal([]byte(got.text), &found); err != nil || got.status != http.StatusOK {
			t.Fatalf("the account at %s: %d %s", at.url, got.status, got.text)
		}
		return found.Balance, got
	}
	want := int64(100_000) // with which a guest comes in
	for i := range 60 {
		got := kim.insist(t, nodes[i%3].url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, player, 100), "Idempotency-Key", strconv.Itoa(i))
		if got.status >= 300 {
			t.Fatalf("a buy-in: %d %s", got.status, got.text)
		}
		want += 100
		said := got.seqOf(t)
		// Browsers carry the number back as a cookie.
		if cookies := strings.Join(got.header.Values("Set-Cookie"), "; "); !strings.Contains(cookies, fmt.Sprintf("trey-seq=%d;", said)) {
			t.Fatalf("the cookies are %q, and the number %d", cookies, said)
		}
		at := nodes[(i+1+i/3%2)%3]
		has, read := balance(at, "Trey-Seq", strconv.FormatInt(said, 10))
		if has != want {
			t.Fatalf("after buy-in %d, which was answered with %d, a machine shows %d as of %d, and not %d", i, said, has, read.seqOf(t), want)
		}
		if read.seqOf(t) < said {
			t.Errorf("who was answered with %d reads as of %d", said, read.seqOf(t))
		}
	}
	// A number that is still to come is waited for a moment, and not answered without it.
	if got := kim.insist(t, nodes[1].url, http.MethodGet, account, "", "Trey-Seq", "1000000000"); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("what is still to come is answered %d %s", got.status, got.text)
	}
	if got := kim.insist(t, nodes[1].url, http.MethodGet, account, "", "Cookie", "trey-seq=1000000000; trey="+kim.token); got.status != http.StatusServiceUnavailable {
		t.Errorf("what is still to come, by a cookie, is answered %d %s", got.status, got.text)
	}

	// The writer hangs. Both doors go on showing what is recorded; nobody waits for it.
	state := nodes[1].becomes("door")
	if state.Writer == "" || state.Behind != 0 {
		t.Errorf("a door says of itself %+v", state)
	}
	if state := nodes[0].becomes("writer"); state.Epoch == 0 || state.LeaseMs == 0 {
		t.Errorf("the writer says of itself %+v", state)
	}
	nodes[0].signal(syscall.SIGSTOP)
	for _, at := range nodes[1:] {
		if has, _ := balance(at); has != want {
			t.Errorf("beside a writer that hangs a door shows %d, and not %d", has, want)
		}
	}
	// Then one of them takes its place.
	next := nodes[1]
	select {
	case <-w.saysOne(nodes[1:], regexp.MustCompile(`(Ctrl-C finishes)`), &next):
	case <-time.After(patience):
		t.Fatal("no door has become the writer")
	}
	got := kim.insist(t, next.url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, player, 100), "Idempotency-Key", "again")
	if want += 100; got.status >= 300 {
		t.Fatalf("a buy-in at the new writer: %d %s", got.status, got.text)
	}
	nodes[0].signal(syscall.SIGCONT)
	nodes[0].becomes("door")
	for _, at := range nodes {
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			read := kim.insist(t, at.url, http.MethodGet, account, "", "Trey-Seq", strconv.FormatInt(got.seqOf(t), 10))
			if read.status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
				continue // the house opens again
			}
			if !strings.Contains(read.text, fmt.Sprintf(`"balance":%d`, want)) {
				t.Errorf("after the takeover a machine shows %d %s, and not %d", read.status, read.text, want)
			}
			break
		}
	}

	// Who signs out is out at every machine.
	if got := kim.insist(t, next.url, http.MethodDelete, "/api/v1/sessions/current", ""); got.status >= 300 {
		t.Fatalf("signing out: %d %s", got.status, got.text)
	}
	for _, at := range nodes {
		for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			got := kim.insist(t, at.url, http.MethodGet, account, "")
			if got.status == http.StatusUnauthorized {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("a session that has ended is answered %d %s", got.status, got.text)
			}
		}
	}
}

// A warning that a dealer gives at one machine is seen at each, taken back at any and carried out at
// any, after its five seconds; and the same order is not carried out twice. The next writer
// begins with none: it warns again.
func TestAWarningIsGivenAtAnyMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	guest, _ := w.guest(nodes[1], 1)
	dan := newSomebody("dan", "dealer", 2, mathrand.New(mathrand.NewPCG(w.seed, 3)))
	w.login(dan)
	const table = "/api/v1/tables/dealt"
	order := func(by *somebody, at *node, want int, kind string, key string, body ...any) *reply {
		t.Helper()
		r := by.order(table+"/commands", map[string]any{"kind": kind})
		if len(body) > 0 {
			r = by.order(table+"/commands", map[string]any{"kind": kind, "body": body[0]})
		}
		if key == "" {
			key = r.key
		}
		var got *reply
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			got = by.insist(t, at.url, http.MethodPost, r.path, r.body, "Idempotency-Key", key)
			if got.status != http.StatusServiceUnavailable || time.Now().After(deadline) {
				break
			}
		}
		if got.status != want || want == http.StatusConflict && !strings.Contains(got.text, "urn:trey:problem:warned") {
			t.Fatalf("%s at %s is answered %d %s, want %d", kind, at.url, got.status, got.text, want)
		}
		return got
	}
	see := func(want bool, at ...*node) {
		t.Helper()
		for _, n := range at {
			for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
				got := dan.insist(t, n.url, http.MethodGet, table, "")
				var seen struct{ Warning *struct{} }
				if got.status == http.StatusOK && json.Unmarshal([]byte(got.text), &seen) == nil && (seen.Warning != nil) == want {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s does not show that a warning stands: %t; it answers %d %s", n.url, want, got.status, got.text)
				}
			}
		}
	}
	order(dan, nodes[2], http.StatusOK, "open-bets", "")
	order(guest, nodes[1], http.StatusOK, "bet", "", map[string]any{"box": 1, "wager": "ante", "amount": 1000})
	order(dan, nodes[1], http.StatusOK, "close-bets", "")
	// Time ends only for who has gone.
	if got := guest.insist(t, nodes[2].url, http.MethodDelete, "/api/v1/sessions/current", ""); got.status >= 300 {
		t.Fatalf("signing out: %d %s", got.status, got.text)
	}
	order(dan, nodes[1], http.StatusOK, "deal", "")
	order(dan, nodes[1], http.StatusConflict, "expire", "first")
	see(true, nodes...)
	if got := dan.insist(t, nodes[2].url, http.MethodDelete, table+"/warning", ""); got.status != http.StatusNoContent {
		t.Fatalf("a warning is taken back: %d %s", got.status, got.text)
	}
	see(false, nodes...)
	order(dan, nodes[2], http.StatusConflict, "expire", "second")
	see(true, nodes...)

	nodes[0].kill()
	next := nodes[1]
	select {
	case <-w.saysOne(nodes[1:], regexp.MustCompile(`(Ctrl-C finishes)`), &next):
	case <-time.After(patience):
		t.Fatal("no door has become the writer")
	}
	door := nodes[1]
	if next == door {
		door = nodes[2]
	}
	see(false, next, door)
	order(dan, door, http.StatusConflict, "expire", "second")
	see(true, next, door)
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		r := dan.insist(t, next.url, http.MethodPost, table+"/commands", `{"kind":"expire"}`, "Idempotency-Key", "second")
		if r.status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) || !strings.Contains(r.text, "urn:trey:problem:warned") {
			t.Fatalf("the warning is not carried out: %d %s", r.status, r.text)
		}
	}
	if got := order(dan, door, http.StatusOK, "expire", "second"); got.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same order is carried out again: %s", got.text)
	}
	see(false, next, door)
}

// saysOne waits until one of some machines has said something.
func (w *world) saysOne(of []*node, pattern *regexp.Regexp, found **node) <-chan struct{} {
	said := make(chan struct{})
	go func() {
		defer close(said)
		for ctx := w.Context(); ctx.Err() == nil; {
			for _, n := range of {
				if pattern.MatchString(n.out.String()) {
					*found = n
					return
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return said
}

// events reads messages of a stream behind a number, until it ends or take returns false.
func (s *somebody) events(ctx context.Context, at, path string, after int64, take func(id int64, text string) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, http.NoBody)
	if err != nil {
		return err
	}
	r.AddCookie(&http.Cookie{Name: "trey", Value: s.token})
	r.Header.Set("Accept", "text/event-stream")
	if after > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	got, err := (&http.Client{Transport: s.client.Transport}).Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is answered %d", path, got.StatusCode)
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	var id int64
	text, complete := "", false
	for lines.Scan() {
		if number, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if id, err = strconv.ParseInt(number, 10, 64); err != nil {
				return err
			}
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			text, complete = data, true
		}
		// An empty line ends a message. What a connection that is cut off has of another one is none.
		if lines.Text() == "" && complete {
			if complete = false; !take(id, text) {
				return nil
			}
		}
	}
	return lines.Err()
}

// What a connection that is cut off has of a message is no message.
func TestHalfAMessageIsNone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "id: 1\ndata: {\"seq\":1}\n\nid: 2\ndata: {\"se") // whoever asks sees if it fails
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	var all []string
	s := &somebody{client: server.Client()}
	_ = s.events(t.Context(), server.URL, "/", 0, func(id int64, text string) bool { // it ends with what cut it off
		all = append(all, fmt.Sprint(id, " ", text))
		return true
	})
	if want := []string{`1 {"seq":1}`}; !slices.Equal(all, want) {
		t.Errorf("the messages are %q", all)
	}
}

// A stream that is resumed at another machine misses nothing and repeats nothing, and says
// the same of a transaction at each, while rounds are played at all of them.
func TestStreamsGoOnAtAnotherMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	people := make([]*somebody, 6)
	for i := range people {
		people[i], _ = w.guest(nodes[i%3], i)
	}
	const table = "vegas"
	ctx, cancel := context.WithCancel(t.Context())
	var playing sync.WaitGroup
	for i, s := range people[:3] {
		playing.Go(func() {
			for ctx.Err() == nil {
				if err := s.play(ctx, nodes[i].url, []string{table}); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	type stream struct {
		ids   []int64
		texts map[int64]string
	}
	heard := make([]stream, 3)
	var listening sync.WaitGroup
	for i, s := range people[3:] {
		heard[i].texts = map[int64]string{}
		listening.Go(func() {
			for n := range *doorReconnects / 3 {
				left := 1 + s.rng.IntN(5)
				last := int64(0)
				if len(heard[i].ids) > 0 {
					last = heard[i].ids[len(heard[i].ids)-1]
				}
				at := nodes[s.rng.IntN(3)]
				err := s.events(ctx, at.url, "/api/v1/tables/"+table+"/events", last, func(id int64, text string) bool {
					if last == 0 {
						// How the table stands: what comes after it counts.
						heard[i].ids, last = append(heard[i].ids, id), id
						return true
					}
					heard[i].ids, heard[i].texts[id] = append(heard[i].ids, id), text
					left--
					return left > 0
				})
				if err != nil && ctx.Err() == nil {
					t.Errorf("reconnect %d at %s: %v", n, at.url, err)
					return
				}
			}
		})
	}
	listening.Wait()
	cancel()
	playing.Wait()
	recorded := concerning(t, database, table)
	for i := range heard {
		ids := heard[i].ids
		if len(ids) < *doorReconnects/3 {
			t.Fatalf("only %d messages were heard", len(ids))
		}
		var want []int64
		for _, seq := range recorded {
			if seq > ids[0] && seq <= ids[len(ids)-1] {
				want = append(want, seq)
			}
		}
		if !slices.Equal(ids[1:], want) {
			t.Fatalf("behind %d were heard\n%v\nand are recorded\n%v", ids[0], ids[1:], want)
		}
		for id, text := range heard[i].texts {
			for k := range heard[:i] {
				if other, ok := heard[k].texts[id]; ok && other != text {
					t.Fatalf("transaction %d is told as\n%s\nand as\n%s", id, text, other)
				}
			}
		}
	}
	for _, n := range nodes {
		n.sound()
	}
}

// Whoever is let in at a door and asks for a stream there in the same moment gets it from the door:
// streams are what a door takes off the writer.
func TestAStreamStaysAtItsDoor(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	sue := newSomebody("sue", "shift-manager", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(sue)
	open := func(n *node) (streams int) {
		got := sue.insist(t, n.url, http.MethodGet, "/metrics", "")
		for line := range strings.Lines(got.text) {
			if count, ok := strings.CutPrefix(line, "trey_streams_open "); ok {
				streams, _ = strconv.Atoi(strings.TrimSpace(count))
			}
		}
		return streams
	}
	const all, tries = 20, 5
	try := func(places int) (at, away int) {
		nodes[1].becomes("door")
		ctx, end := context.WithCancel(t.Context())
		var following sync.WaitGroup
		defer following.Wait()
		defer end()
		var begun atomic.Int64
		for place := range all {
			guest, _ := w.guest(nodes[1], places+place+1)
			following.Go(func() {
				_ = guest.events(ctx, nodes[1].url, "/api/v1/floor/events", 0, func(int64, string) bool {
					begun.Add(1)
					return true
				})
			})
		}
		steady.Await(t, "the streams begin", func() bool { return begun.Load() >= all })
		return open(nodes[1]), open(nodes[0])
	}
	// On a busy machine a door may hear of somebody too late, or lose touch with the database for a
	// moment, and hand streams on.
	for n := range tries {
		at, away := try(n * all)
		if at >= all/2 && at+away == all {
			return
		}
		t.Logf("of %d streams that were asked for at a door, %d are there and %d at the writer", all, at, away)
		steady.Await(t, "the streams have ended", func() bool { return open(nodes[0])+open(nodes[1]) == 0 })
	}
	t.Errorf("a door has handed its streams on, %d times of %d", tries, tries)
}

// What a request carries says up to where a door has to have the record before it answers, so that a
// stream does not begin silently behind a message that this record may never have.
func TestWhatARequestAsksFor(t *testing.T) {
	for _, test := range []struct {
		path    string
		headers []string
		want    int64
	}{
		{"/api/v1/tables", nil, 0},
		{"/api/v1/tables", []string{"Trey-Seq", "7"}, 7},
		{"/api/v1/tables", []string{"Trey-Seq", "7", "Cookie", "trey-seq=9"}, 9},
		{"/api/v1/tables", []string{"Last-Event-ID", "8"}, 0},
		{"/api/v1/floor/events", []string{"Last-Event-ID", "8"}, 8},
		{"/api/v1/floor/events", []string{"Last-Event-ID", "8", "Trey-Seq", "7"}, 8},
		{"/api/v1/floor/events", []string{"Last-Event-ID", "8", "Trey-Seq", "9"}, 9},
		{"/api/v1/floor/events?after=8", nil, 8},
		{"/api/v1/floor/events", []string{"Last-Event-ID", "no number"}, 0},
	} {
		r := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
		for i := 0; i < len(test.headers); i += 2 {
			r.Header.Set(test.headers[i], test.headers[i+1])
		}
		if got := asked(r); got != test.want {
			t.Errorf("%s with %q asks for %d, want %d", test.path, test.headers, got, test.want)
		}
	}
}

// Streams at a door end at once with the session by which they are read, at whatever machine and by
// whomever that is ended.
func TestStreamsAtADoorEndWithTheSession(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	adm := newSomebody("adm", "administrator", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(adm)
	for name, end := range map[string]func(kim *somebody) *reply{
		"signed out": func(kim *somebody) *reply {
			return kim.insist(t, nodes[0].url, http.MethodDelete, "/api/v1/sessions/current", "")
		},
		"signed out by a page": func(kim *somebody) *reply {
			return kim.insist(t, nodes[0].url, http.MethodPost, "/sign-out", "")
		},
		"shut out by the administrator": func(*somebody) *reply {
			return adm.insist(t, nodes[0].url, http.MethodDelete, "/api/v1/users/kim/sessions?why=a+test", "")
		},
	} {
		kim := newSomebody("kim", "cashier", 1, mathrand.New(mathrand.NewPCG(w.seed, 2)))
		w.login(kim)
		begun, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			first := sync.OnceFunc(func() { close(begun) })
			// Nothing happens there, so that only a heartbeat would notice.
			_ = kim.events(t.Context(), nodes[1].url, "/api/v1/jackpots/linked/events", 0, func(int64, string) bool {
				first()
				return true
			})
		}()
		select {
		case <-begun:
		case <-time.After(patience):
			t.Fatalf("%s: the stream does not begin", name)
		}
		if got := end(kim); got.status >= 400 {
			t.Fatalf("%s: %d %s", name, got.status, got.text)
		}
		ended := time.Now()
		select {
		case <-over:
			t.Logf("%s: the stream ended after %v", name, time.Since(ended))
		case <-time.After(8 * time.Second): // a heartbeat comes after ten
			t.Errorf("%s: the stream goes on", name)
		}
	}
}

// concerning returns the transactions that concern a table, from the database.
func concerning(t testing.TB, database, table string) (all []int64) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it was read
	rows, err := conn.Query(context.Background(), "SELECT DISTINCT part.id / 16 FROM part JOIN stream ON stream.id = part.stream WHERE stream.name IN ('table:' || $1, 'deal:' || $1) ORDER BY 1", table)
	if err != nil {
		t.Fatal(err)
	}
	if all, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		t.Fatal(err)
	}
	return all
}

// A door that is cut off from the database shows nothing of tables or people, ends its
// streams and says that it is not ready, while the others go on; and comes back.
func TestADoorThatIsCutOff(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	lines, wired := wiresTo(t, database)
	line := lines[0]
	nodes := w.machines(database, wired)
	door := nodes[1]
	load := w.buyIns(nodes[0])
	account := "/api/v1/accounts/player:" + load.player
	guest, _ := w.guest(nodes[0], 2)
	for _, cut := range []struct {
		what       string
		set, clear func()
	}{
		{"nothing comes back", func() { line.back.Store(true) }, func() { line.back.Store(false) }},
		{"nothing goes there", func() { line.there.Store(true) }, func() { line.there.Store(false) }},
		{"everything takes too long", func() { line.delay.Store(int64(5 * time.Second)) }, func() { line.delay.Store(0) }},
	} {
		ended := make(chan error, 1)
		began := make(chan struct{})
		go func() {
			once := sync.OnceFunc(func() { close(began) })
			ended <- guest.events(t.Context(), door.url, "/api/v1/tables/vegas/events", 0, func(int64, string) bool { once(); return true })
		}()
		select {
		case <-began:
		case err := <-ended:
			t.Fatalf("%s: no stream begins: %v", cut.what, err)
		case <-time.After(patience):
			t.Fatalf("%s: no stream begins", cut.what)
		}
		cut.set()
		door.refuses("/readyz")
		door.refuses(account)
		door.refuses("/api/v1/tables")
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s: a stream goes on", cut.what)
		}
		load.more(20) // elsewhere the house goes on
		cut.clear()
		door.becomes("door")
		got := load.kim.insist(t, nodes[0].url, http.MethodGet, account, "")
		load.read(door, account, &struct{}{})
		at := load.kim.insist(t, door.url, http.MethodGet, account, "", "Trey-Seq", got.header.Get("Trey-Seq"))
		if at.status != http.StatusOK || at.seqOf(t) < got.seqOf(t) {
			t.Errorf("%s: back in touch it answers %d as of %s, and the writer was at %d", cut.what, at.status, at.header.Get("Trey-Seq"), got.seqOf(t))
		}
	}
	load.targets.Store(&[]*node{nodes[0], door})
	load.more(20)
	load.finish()
}

// Only the writer signs: the record of a round that is asked for at a door carries the proof that
// it is in the log all the same, and the school says there too that results are signed.
func TestWhatIsSignedIsHadAtADoor(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	writer, door := nodes[0], nodes[1]
	guest, _ := w.guest(door, 1)
	playUntilRecorded(t, guest, door, database, "vegas")
	key := guest.insist(t, writer.url, http.MethodGet, "/log/key", "").text
	for _, at := range nodes {
		got := guest.insist(t, at.url, http.MethodGet, "/api/v1/tables/vegas/rounds/1", "")
		if got.status != http.StatusOK {
			t.Fatalf("the record of a round at %s: %d %s", at.url, got.status, got.text)
		}
		if status, out, logs := verifyRun("--key", strings.TrimSpace(key), write(t, got.text)); status != 0 {
			t.Errorf("the record of a round from %s: status %d: %s%s", at.url, status, out, logs)
		}
		if got := guest.insist(t, at.url, http.MethodGet, "/school/us-3cp/rounds", ""); !strings.Contains(got.text, "The house signs the result") {
			t.Errorf("the school at %s says: %d %s", at.url, got.status, got.text)
		}
	}
}

// A door answers everything that reads, but for what only the writer has.
func TestWhatADoorAnswers(t *testing.T) {
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{http.MethodGet, "/", true},
		{http.MethodHead, "/api/v1/house", true},
		{http.MethodGet, "/api/v1/tables/A", true},
		{http.MethodGet, "/api/v1/alerts", true},
		{http.MethodGet, "/tables/A/live", true},
		{http.MethodGet, "/console", true},
		{http.MethodGet, "/sign-in", true},
		{http.MethodGet, "/what/comes/some/day", true},
		{http.MethodPost, "/api/v1/tables/A/commands", false},
		{http.MethodDelete, "/api/v1/sessions/current", false},
		{http.MethodPost, "/console/A/do", false},
		{http.MethodGet, "/sign-in/provider", false},
		{http.MethodGet, "/sign-in/provider/done", false},
		{http.MethodGet, "/log/checkpoint", false},
		{http.MethodGet, "/api/v1/tables/A/rounds/1", false},
		{http.MethodGet, "/tables/A/rounds/1", true},
	} {
		if got := reads(httptest.NewRequest(test.method, test.path, http.NoBody)); got != test.want {
			t.Errorf("%s %s: %t", test.method, test.path, got)
		}
	}
}

// The answer of the database that this machine is the writer arrives when another machine has
// long become it: the former writer shows nobody what was true before.
func TestALateAnswerShowsNothingOld(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	lines, wired := wiresTo(t, database)
	nodes := w.machines(wired, database)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(kim)
	_, player := w.guest(nodes[0], 1)
	lines[0].back.Store(true)
	nodes[1].says(regexp.MustCompile(`(Ctrl-C finishes)`))
	nodes[1].becomes("writer")
	if got := kim.insist(t, nodes[1].url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":100}`, player), "Idempotency-Key", "late"); got.status >= 300 {
		t.Fatalf("a buy-in at the new writer: %d %s", got.status, got.text)
	}
	lines[0].back.Store(false)
	// Whoever asks carries no number, so that nothing but the lease keeps the machine from answering.
	steady.Await(t, "an answer of the former writer", func() bool {
		got := kim.insist(t, nodes[0].url, http.MethodGet, "/api/v1/accounts/player:"+player, "")
		if got.status == http.StatusOK && !strings.Contains(got.text, `"balance":100100`) {
			t.Fatalf("the former writer answers %s", got.text)
		}
		return got.status == http.StatusOK
	})
	nodes[0].becomes("door")
}
