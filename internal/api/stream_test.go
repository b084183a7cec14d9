package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// message is a server-sent event as it was read.
type message struct {
	id    int64
	event string
	data  string
}

// reader reads a stream.
type reader struct {
	testing.TB
	lines *bufio.Scanner
	close func()
	// begun are the messages that were read before anybody asked for them.
	begun []message
	// beats counts the comments.
	beats int
}

// listen opens a stream; last is the number of the last message seen, zero for none. Then the
// stream begins with the present state, and listen waits for that. The head of the answer comes
// before, and events in between would be part of the state and no message.
func (s *site) listen(person, path string, last int64) *reader {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.web.URL+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	s.sign(r, person)
	if last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(last, 10))
	}
	got, err := s.web.Client().Do(r)
	if err != nil {
		s.Fatal(err)
	}
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(got.Body) //nolint:errcheck // it is shown as far as it came
		s.Fatalf("%s: %s %s", path, got.Status, text)
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	read := &reader{TB: s.TB, lines: lines, close: func() {
		cancel()
		got.Body.Close() //nolint:errcheck // nobody reads it any more
	}}
	if last == 0 && !strings.Contains(path, "after=") {
		if m, ok := read.next(); ok {
			read.begun = append(read.begun, m)
		}
	}
	return read
}

// patience bounds the wait for one message, so that a test in which it never comes fails by itself.
const patience = 5 * time.Minute

// next reads one message; ok is false at the end of the stream.
func (r *reader) next() (m message, ok bool) {
	if len(r.begun) > 0 {
		m, r.begun = r.begun[0], r.begun[1:]
		return m, true
	}
	bound := time.AfterFunc(patience, func() {
		r.Errorf("no message came for %s", patience)
		r.close()
	})
	defer bound.Stop()
	for r.lines.Scan() {
		name, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch name {
		case "id":
			m.id, _ = strconv.ParseInt(value, 10, 64) //nolint:errcheck // a wrong one is missed below
		case "event":
			m.event = value
		case "data":
			m.data = value
		case "": // a comment, or the end of a message
			if value != "" {
				r.beats++
			} else if m.event != "" {
				return m, true
			}
		}
	}
	return m, false
}

// play plays rounds at a table by the house itself, until told to stop. It
// returns the number of its last transaction.
func (s *site) play(name string, rounds int) {
	s.Helper()
	do := func(by string, action table.Action) {
		if _, err := s.Do(s.Context(), house.CommandRequest{Table: name, By: s.person(by), Do: action}); err != nil {
			s.Errorf("%s: %v", record.Actions.Name(action), err)
		}
	}
	for range rounds {
		do("dan", table.OpenBets{})
		do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
		do("dan", table.CloseBets{})
		do("dan", table.Deal{})
		do("ann", table.Examine{Box: 1, Player: "ann"})
		do("ann", table.Raise{Box: 1, Player: "ann"})
		do("dan", table.Reveal{})
		do("dan", table.Settle{})
	}
}

func (s *site) person(name string) access.Person {
	p, ok := staff[name]
	if !ok {
		s.Fatalf("%s is nobody", name)
	}
	return p
}

// Readers who come and go hear everything once and in order, whatever goes on.
func TestStreamsResumeExactly(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamBuffer = 4 })
	s.install("T1", "rws-3cp")
	s.install("T2", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	begin := s.listen("ann", "/api/v1/tables/T1/events", 0)
	if m, ok := begin.next(); !ok || m.event != "standing" {
		t.Fatalf("a stream begins with %+v", m)
	}
	defer begin.close()
	rounds := 40
	if testing.Short() || steady.Raced {
		rounds = 10
	}
	var play sync.WaitGroup
	play.Go(func() { s.play("T1", rounds) })
	play.Go(func() { s.play("T2", rounds) })
	playing, over := context.WithCancel(t.Context())
	defer over()
	go func() { play.Wait(); over() }()
	var readers sync.WaitGroup
	heard := make([][]int64, 6)
	first, ok := begin.next()
	if !ok {
		t.Fatal("nothing was heard")
	}
	for i := range heard {
		readers.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(i), 7))
			last := first.id
			for ended := false; !ended; {
				select {
				case <-playing.Done():
					ended = true // Once more, for what is left.
				default:
				}
				path := "/api/v1/tables/T1/events"
				if i%2 == 1 {
					path += "?picture=true"
				}
				r := s.listen("ann", path, last)
				many := chance.IntN(30)
				if ended {
					many = 1 << 30
				} else {
					// Nothing more may come when the play is over: come back.
					context.AfterFunc(playing, r.close)
				}
				for n := 0; n < many && !(ended && last == s.lastOf("T1")); n++ {
					m, ok := r.next()
					if !ok {
						ended = false // cut off as too slow: come back
						break
					}
					if m.event != "table" || m.id <= last {
						t.Errorf("reader %d: %+v after %d", i, m, last)
					}
					heard[i] = append(heard[i], m.id)
					last = m.id
				}
				r.close()
			}
		})
	}
	readers.Wait()
	var want []int64
	err := s.EventsSince(t.Context(), house.Topic{Table: "T1"}, first.id, func(n *house.Notice) error {
		want = append(want, n.Seq)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range heard {
		if !slices.Equal(heard[i], want) {
			t.Errorf("reader %d heard %d messages, and %d transactions happened:\n%v\n%v", i, len(heard[i]), len(want), heard[i], want)
		}
	}
}

// lastOf returns the number of the last command at a table.
func (s *site) lastOf(name string) int64 {
	status, err := s.Status(name)
	if err != nil {
		s.Error(err)
	}
	return status.Seq
}

// A subscriber that does not read is disconnected, and nobody waits for it.
func TestSlowReadersAreCutOff(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamBuffer, c.Limits.WriteTimeout = 8, 50*time.Millisecond })
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the test is over
	if err := conn.(*net.TCPConn).SetReadBuffer(1024); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /api/v1/tables/T1/events?picture=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", s.tokens["ann"])
	steady.Await(t, "a stream", func() bool { return s.server.streams.held() > 0 })
	for rounds := 0; s.server.streams.held() > 0; rounds++ {
		if rounds > 2000 {
			t.Fatal("a reader who never reads was not cut off in 2000 rounds")
		}
		s.play("T1", 1)
	}
	metrics := s.get("eye", "/metrics").text
	if !strings.Contains(metrics, `trey_streams_cut_off_total{why="slow"} 1`) {
		t.Errorf("nothing counts the reader who was cut off:\n%s", metrics)
	}
}

// Hundreds of subscribers, two thousand in CI, follow a round, and nobody can take more streams
// than the quota.
func TestThousandsOfStreams(t *testing.T) {
	const many = 2000
	readers := steady.Share(600, many)
	if testing.Short() || steady.Raced {
		readers = 200
	}
	s := newSite(t, func(c *Config) { c.Limits.StreamsEach, c.Limits.Streams = many, many })
	s.install("T1", "us-3cp")
	var all sync.WaitGroup
	open := make(chan struct{}, readers)
	for range readers {
		all.Go(func() {
			opened := sync.OnceFunc(func() { open <- struct{}{} })
			defer opened() // also where it could not be opened
			r := s.listen("eye", "/api/v1/tables/T1/events", 0)
			defer r.close()
			r.next() // how the table stands
			opened()
			if m, ok := r.next(); !ok || m.event != "table" || !strings.Contains(m.data, "bets-opened") {
				t.Errorf("heard %+v", m)
			}
		})
	}
	for range readers {
		<-open
	}
	if held := s.server.streams.held(); held != readers {
		t.Fatalf("%d streams are open, and %d are counted", readers, held)
	}
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	all.Wait()
}

func TestStreamsAreLimited(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamsEach, c.Limits.Streams = 2, 3 })
	s.install("T1", "us-3cp")
	const path = "/api/v1/floor/events"
	for range 2 {
		defer s.listen("ann", path, 0).close()
	}
	r := s.get("ann", path)
	if p := r.problem(t); p.Status != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Fatalf("a third stream of one person: %+v", p)
	}
	defer s.listen("ben", path, 0).close()
	if p := s.get("dan", path).problem(t); p.Status != http.StatusTooManyRequests {
		t.Fatalf("a fourth stream in all: %+v", p)
	}
}

// untold is an [Identity] that does not say when a session has ended, as of one that ends by time.
type untold struct{ Identity }

func (untold) Ended() <-chan struct{} { return nil }

// leftOpen returns a stream of table T1 whose person has received the state, and has signed out
// through another server than this one.
func (s *site) leftOpen() *reader {
	s.Helper()
	r := s.listen("adm", "/api/v1/tables/T1/events", 0)
	if m, ok := r.next(); !ok || m.event != "standing" {
		s.Fatalf("%+v", m)
	}
	if err := s.people.Logout(s.Context(), s.tokens["adm"]); err != nil {
		s.Fatal(err)
	}
	return r
}

// A stream ends at once with the session or the token by which it is read, when that ends by a
// request: by the person, or by others.
func TestStreamsEndAtOnce(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat = time.Hour })
	s.install("T1", "us-3cp")
	stays := s.listen("sue", "/api/v1/tables/T1/events", 0)
	defer stays.close()
	stays.next()
	ends := func(reader, person, method, path, body string) {
		t.Helper()
		r := s.listen(reader, "/api/v1/tables/T1/events", 0)
		defer r.close()
		if m, ok := r.next(); !ok || m.event != "standing" {
			t.Fatalf("%+v", m)
		}
		if got := s.ask(person, method, path, body); got.StatusCode >= 300 {
			t.Fatal(path, got.Status, got.text)
		}
		if m, ok := r.next(); ok {
			t.Errorf("after %s %s %s heard %+v", method, path, reader, m)
		}
	}
	ends("cas", "cas", http.MethodDelete, "/api/v1/sessions/current", "")
	s.login("cas", password)
	ends("cas", "cas", http.MethodDelete, "/api/v1/sessions", "")
	s.login("cas", password)
	ends("cas", "adm", http.MethodDelete, "/api/v1/users/cas/sessions?why=a+test", "")
	s.login("cas", password)
	ends("cas", "adm", http.MethodPatch, "/api/v1/users/cas", `{"disabled":true,"why":"a test"}`)
	var listed struct{ Tokens []identity.Token }
	s.get("adm", "/api/v1/tokens").into(t, &listed)
	i := slices.IndexFunc(listed.Tokens, func(token identity.Token) bool { return token.Name == "ben" })
	ends("ben", "adm", http.MethodDelete, "/api/v1/tokens/"+listed.Tokens[i].ID+"?why=a+test", "")
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	if m, ok := stays.next(); !ok || m.event != "table" {
		t.Errorf("who stayed heard %+v", m)
	}
}

// A stream ends at once also where its session has ended by a page or at another machine.
func TestStreamsEndAtOnceWhereverTheSessionEnds(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat = time.Hour })
	s.install("T1", "us-3cp")
	r := s.leftOpen()
	defer r.close()
	if m, ok := r.next(); ok {
		t.Fatalf("heard %+v after signing out", m)
	}
}

// hasty is an [Identity] of which a person signs out while a stream begins, and which answers after that.
type hasty struct {
	Identity
	signOut func()
}

func (h hasty) Ended() <-chan struct{} {
	h.signOut()
	return h.Identity.Ended()
}

// A stream ends at once also where its session ends while it begins.
func TestStreamsEndAtOnceWhileTheyBegin(t *testing.T) {
	var s *site
	s = newSite(t, func(c *Config) {
		c.Limits.Heartbeat = time.Hour
		c.Identity = hasty{c.Identity, sync.OnceFunc(func() {
			if err := s.people.Logout(s.Context(), s.tokens["adm"]); err != nil {
				s.Error(err)
			}
		})}
	})
	s.install("T1", "us-3cp")
	r := s.listen("adm", "/api/v1/tables/T1/events", 0)
	defer r.close()
	for m, ok := r.next(); ok; m, ok = r.next() {
		if m.event != "standing" {
			t.Fatalf("heard %+v after signing out", m)
		}
	}
}

// Whoever is shut out hears no more.
func TestStreamsEndWithTheSession(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat, c.Identity = 5*time.Millisecond, untold{c.Identity} })
	s.install("T1", "us-3cp")
	r := s.leftOpen()
	defer r.close()
	if m, ok := r.next(); ok {
		t.Fatalf("heard %+v after signing out", m)
	}
}

// Nothing is sent to a session that has ended, also before the next heartbeat notices it.
func TestNothingIsSentAfterTheSession(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat, c.Identity = time.Hour, untold{c.Identity} })
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	r := s.leftOpen()
	defer r.close()
	s.play("T1", 1)
	if m, ok := r.next(); ok {
		t.Fatalf("heard %+v after signing out", m)
	}
}

// The floor hears of every step of a round and of jackpots, once each.
func TestTheFloorReceivesTheSteps(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	floor := s.listen("ben", "/api/v1/floor/events", 0)
	defer floor.close()
	meter := s.listen("ben", "/api/v1/jackpots/linked/events", 0)
	defer meter.close()
	floor.next()
	meter.next()
	s.play("T1", 1)
	var steps []string
	for !slices.Contains(steps, "settled") {
		m, ok := floor.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		var n FloorNotice
		if err := json.Unmarshal([]byte(m.data), &n); err != nil || n.Seq != m.id || n.Table != "T1" {
			t.Fatalf("%+v: %v", m, err)
		}
		steps = append(steps, n.Steps...)
	}
	if want := []string{"bets-opened", "bets-closed", "dealer-shown", "settled"}; !slices.Equal(steps, want) {
		t.Errorf("the floor heard %v, want %v", steps, want)
	}
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"progressive","amount":500}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	m, ok := meter.next()
	if !ok || m.event != "jackpot" || !strings.Contains(m.data, `"contributed"`) {
		t.Fatalf("the jackpot moved: %+v", m)
	}
}

// Whoever breaks off after the very first message of a stream comes back to all that
// happened since, and to nothing that the message had told already.
func TestStreamsAreResumedFromTheFirstMessage(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.install("T2", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.play("T1", 1)
	for path, want := range map[string]string{
		"/api/v1/tables/T1/events": "table", "/api/v1/tables/T2/events": "table", "/api/v1/jackpots/linked/events": "jackpot", "/api/v1/floor/events": "floor",
	} {
		one := s.listen("ann", path, 0)
		first, ok := one.next()
		if one.close(); !ok || first.event != "standing" || first.id == 0 {
			t.Fatalf("%s begins with %+v", path, first)
		}
		for _, name := range []string{"T1", "T2"} {
			s.progressive(name)
		}
		again := s.listen("ann", path, first.id)
		m, ok := again.next()
		// The first transaction after it that concerns the stream.
		if again.close(); !ok || m.event != want || m.id <= first.id {
			t.Errorf("%s: after %d comes %+v", path, first.id, m)
		}
		all := s.listen("ann", path, 1)
		for before := int64(0); ; {
			message, ok := all.next()
			if !ok {
				t.Fatalf("%s ends before %d", path, m.id)
			}
			if message.id == m.id {
				if before > first.id {
					t.Errorf("%s: %d came after the first message, %d, and is missing", path, before, first.id)
				}
				break
			}
			before = message.id
		}
		all.close()
	}
}

// A message that the record does not reach is one of another record, such as that before the
// house went on from an older copy. A client that asks for what comes after it gets an error,
// and waits for nothing.
func TestAMessageAheadOfTheRecordIsRefused(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	end := s.store.Head().Size - 1
	for _, path := range []string{"/api/v1/tables/T1/events", "/api/v1/jackpots/linked/events", "/api/v1/floor/events"} {
		s.listen("ann", path, end).close() // where it ends there is nothing to miss
		want := fmt.Sprintf("Last-Event-ID is %d and the record ends at %d", end+1, end)
		if got := s.get("ann", fmt.Sprintf("%s?after=%d", path, end+1)); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.text, want) {
			t.Errorf("%s after %d of %d: %d %s", path, end+1, end, got.StatusCode, got.text)
		}
	}
}

// progressive plays a round at a table, for its jackpot where it has one.
func (s *site) progressive(name string) {
	s.Helper()
	s.done("dan", name, `{"kind":"open-bets"}`)
	s.done("ann", name, `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
	if status, err := s.Status(name); err == nil && status.Jackpot != "" {
		s.done("ann", name, fmt.Sprintf(`{"kind":"bet","body":{"box":1,"wager":"progressive","amount":%d}}`, int64(status.State.Variant().Jackpot.Bet)))
	}
	for _, command := range []string{"close-bets", "deal"} {
		s.done("dan", name, `{"kind":"`+command+`"}`)
	}
	s.done("ann", name, `{"kind":"examine","body":{"box":1}}`)
	s.done("ann", name, `{"kind":"raise","body":{"box":1}}`)
	for _, command := range []string{"reveal", "settle"} {
		s.done("dan", name, `{"kind":"`+command+`"}`)
	}
}

// Whoever comes back and signs out before what they missed is read is sent none of it.
func TestNoPastIsSentAfterTheSession(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	first := s.store.Head().Size
	s.play("T1", 1)
	// While another stream of theirs reads, this one waits.
	giveBack := s.server.turns.Take(t.Context(), nil, "adm")
	r := s.listen("adm", "/api/v1/tables/T1/events", first)
	defer r.close()
	if err := s.people.Logout(t.Context(), s.tokens["adm"]); err != nil {
		t.Fatal(err)
	}
	giveBack()
	if m, ok := r.next(); ok {
		t.Errorf("heard %+v after signing out", m)
	}
}
