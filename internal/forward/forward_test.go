package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/significant"
	"trey/internal/notary"
	"trey/internal/store/memory"
)

// patience is far beyond what anything takes.
const patience = time.Minute

// kept is a record with its notary.
type kept struct {
	*testing.T
	store   *memory.Store
	notary  *notary.Notary
	folder  string
	events  int64 // in the stream of the house
	written int64 // transactions
}

func newRecord(t *testing.T) *kept {
	t.Helper()
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	r := &kept{T: t, store: store, folder: filepath.Join(t.TempDir(), "signing")}
	if r.notary, err = notary.Open(t.Context(), r.folder, store); err != nil {
		t.Fatal(err)
	}
	return r
}

// events holds an event of the house for each of some kinds.
var events = map[string]house.OwnEvent{
	"drained": house.Drained{}, "resumed": house.Resumed{},
	"proposed": house.Proposed{By: access.Person{Name: "sue", Role: access.ShiftManager}, Kind: "fill", Body: []byte(`{}`)},
}

// write records a transaction with events of the house's own stream.
func (r *kept) write(kinds ...string) {
	r.Helper()
	tx := house.Transaction{AtMs: 1000 * (r.written + 1), Cause: house.Cause{By: "sue", Role: "shift-manager", Kind: "test"}}
	part := house.StreamAppend{Stream: "house", After: r.events}
	for _, kind := range kinds {
		written, err := house.OwnEvents.Write(events[kind])
		if err != nil {
			r.Fatal(err)
		}
		part.Events = append(part.Events, written)
	}
	if len(kinds) > 0 {
		tx.Parts = []house.StreamAppend{part}
	}
	if done := <-r.store.Append(&tx); done.Err != nil {
		r.Fatal(done.Err)
	}
	r.events += int64(len(kinds))
	r.written++
}

func (r *kept) sign() {
	r.Helper()
	if _, err := r.notary.Sign(); err != nil {
		r.Fatal(err)
	}
}

// register returns the register of the record, a line for each entry.
func (r *kept) register() (all []string) {
	r.Helper()
	err := r.store.ReadAll(r.Context(), 0, "", func(e house.StoredTransaction) error {
		events, err := significant.Of(&e)
		for i := range events {
			line, err := json.Marshal(&events[i])
			if err != nil {
				return err
			}
			all = append(all, string(line))
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return all
}

// machine stores what it is sent.
type machine struct {
	mu     sync.Mutex
	stored bytes.Buffer
	tokens []string
	// answers are what becomes of the next requests; after them all are stored.
	answers []func(w http.ResponseWriter, r *http.Request)
	server  *httptest.Server
	ca      string
}

func (m *machine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	if len(m.answers) > 0 {
		answer := m.answers[0]
		m.answers = m.answers[1:]
		m.mu.Unlock()
		answer(w, r)
		return
	}
	defer m.mu.Unlock()
	m.tokens = append(m.tokens, r.Method+" "+r.Header.Get("Authorization"))
	if _, err := io.Copy(&m.stored, r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

func (m *machine) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stored.String()
}

// events are the events that are stored, as they came.
func (m *machine) events() (all []string) {
	for line := range strings.SplitSeq(m.text(), "\n") {
		if strings.HasPrefix(line, "{") {
			all = append(all, line)
		}
	}
	return all
}

// begin starts the machine at an address, or at one that is free.
func (m *machine) begin(t *testing.T, address string) {
	t.Helper()
	m.server = httptest.NewUnstartedServer(m)
	m.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	if address != "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = m.server.Listener.Close()
		m.server.Listener = listener
	}
	m.server.StartTLS()
	t.Cleanup(m.server.Close)
	m.ca = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.server.Certificate().Raw})
	if err := os.WriteFile(m.ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in the end it is not so: %s", what)
		}
	}
}

// sink returns what sends to a machine.
func (m *machine) sink(t *testing.T, tokenFile string) Sink {
	t.Helper()
	s, err := NewSink(Target{URL: m.server.URL + "/trey", CA: m.ca, TokenFile: tokenFile})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// forwarder returns one that is as quick as it may be.
func (r *kept) forwarder(sink Sink, change ...func(*Config)) *Forwarder {
	r.Helper()
	c := Config{
		Record: r.store, Notary: r.notary, Sink: sink, Address: "a", NowMs: func() int64 { return 1 }, LateMs: 1 << 60,
		Late: func(context.Context, int64, int64) error { return nil }, Log: slog.New(slog.DiscardHandler), Pause: time.Millisecond,
	}
	for _, f := range change {
		f(&c)
	}
	f, err := New(c)
	if err != nil {
		r.Fatal(err)
	}
	return f
}

// run runs a forwarder until the function that it returns is called.
func run(f *Forwarder) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		f.Run(ctx)
	}()
	return func() {
		cancel()
		<-over
	}
}

// check returns what is wrong with a stored text, and what it holds.
func (r *kept) check(text string) ([]Finding, []Stream) {
	r.Helper()
	c := NewChecker(0, r.notary.Verifier())
	if err := c.Read("stored", strings.NewReader(text)); err != nil {
		r.Fatal(err)
	}
	return c.Findings(), c.Streams()
}

// sound fails the test unless the machine holds the register, nothing else, and no gap.
func (r *kept) sound(m *machine) {
	r.Helper()
	findings, streams := r.check(m.text())
	if len(findings) > 0 || len(streams) != 1 {
		r.Fatalf("the stream is %+v, with %v:\n%s", streams, findings, m.text())
	}
	register := r.register()
	seen := map[string]bool{}
	var once []string
	for _, line := range m.events() {
		if !seen[line] {
			seen[line] = true
			once = append(once, line)
		}
	}
	if !slices.Equal(once, register) || streams[0].Events != len(register) || len(register) == 0 {
		r.Fatalf("stored are %d events, counted %d, of %d", len(once), streams[0].Events, len(register))
	}
}

// Everything that a signed checkpoint covers is sent, in order, and nothing else.
func TestSend(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.write("drained", "proposed", "resumed")
	r.write()
	r.write("drained")
	r.sign()
	r.write("resumed") // is signed by nobody yet
	f := r.forwarder(m.sink(t, token))
	for more := true; more; {
		var err error
		if more, err = f.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if all := m.events(); !slices.Equal(all, r.register()[:3]) {
		t.Errorf("sent are %q", all)
	}
	if findings, streams := r.check(m.text()); len(findings) != 0 || streams[0].Through != 3 || streams[0].Head.Size != 4 {
		t.Errorf("the stream is %+v, %v", streams, findings)
	}
	stop := run(f)
	for i := range 1000 {
		r.write([]string{"drained", "resumed"}[i%2])
		if i%50 == 0 {
			r.sign()
		}
	}
	r.sign()
	until(t, "everything is sent", func() bool { return len(m.events()) == len(r.register()) })
	stop()
	r.sound(m)
	if m.tokens[0] != "POST Bearer s3cret" {
		t.Errorf("asked was %q", m.tokens)
	}
	if _, streams := r.check(m.text()); streams[0].Batches < 1003/maxEvents {
		t.Errorf("%d events came in %d batches", streams[0].Events, streams[0].Batches)
	}
}

// A machine that fails in every way is sent everything in the end.
func TestAMachineThatFails(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	release := make(chan struct{})
	fail := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	broken := func(w http.ResponseWriter, r *http.Request) {
		// It has stored nothing, or everything: nobody knows.
		text, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		m.stored.Write(text)
		m.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	m.answers = []func(http.ResponseWriter, *http.Request){
		fail(http.StatusInternalServerError), fail(http.StatusUnauthorized), broken,
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		func(http.ResponseWriter, *http.Request) { <-release }, // it hangs
	}
	sink := m.sink(t, "")
	client, _ := sink.(*httpSink)
	client.client.Timeout = 100 * time.Millisecond
	f := r.forwarder(sink)
	r.write("drained")
	r.sign()
	stop := run(f)
	until(t, "it is asked each time", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return len(m.answers) == 0
	})
	r.write("resumed") // the house does not wait
	r.sign()
	client.client.CloseIdleConnections()
	until(t, "everything is sent", func() bool { return len(m.events()) == 3 }) // one of them twice
	close(release)
	r.sound(m)
	failures := func() (n int64) {
		f.count(func() { n = f.failures })
		return n
	}
	if n := failures(); n < 5 {
		t.Errorf("%d attempts failed", n)
	}
	// It is away, and comes back where it was.
	address := m.server.Listener.Addr().String()
	m.server.Close()
	before := failures()
	r.write("drained")
	r.sign()
	until(t, "it is not reached", func() bool { return failures() > before && f.oldest() == 3000 })
	m.begin(t, address)
	until(t, "everything is taken", func() bool { return f.oldest() == 0 })
	stop()
	if f.sent != 3 || len(m.events()) != 4 {
		t.Errorf("%d events taken, stored are %q", f.sent, m.events())
	}
	r.sound(m)
}

// Where a house is killed between sending and noting it, the batch comes once more, and
// is the same or goes further.
func TestStoppedBetweenSendingAndNoting(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	r.write("drained")
	r.sign()
	f := r.forwarder(m.sink(t, ""))
	noted := filepath.Join(r.folder, cursorFile)
	for i := range 3 {
		before, err := os.ReadFile(noted)
		if err != nil {
			t.Fatal(err)
		}
		if more, err := f.step(t.Context()); !more || err != nil {
			t.Fatal(more, err)
		}
		if err := os.WriteFile(noted, before, 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			r.write("resumed")
			r.sign()
		}
		f = r.forwarder(m.sink(t, ""))
	}
	if all := m.events(); len(all) != 4 || all[0] != all[1] {
		t.Errorf("stored are %q", all)
	}
	r.sound(m)
	// What was noted is not sent again.
	if _, err := f.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	f = r.forwarder(m.sink(t, ""))
	if more, err := f.step(t.Context()); more || err != nil || len(m.events()) != 6 {
		t.Errorf("sent again: %v, %v, %q", more, err, m.events())
	}
}

// Another machine gets everything from the beginning, and so does the same one when
// nobody knows what it has.
func TestFromTheBeginning(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	r.write("drained")
	r.sign()
	send := func(f *Forwarder) {
		t.Helper()
		if _, err := f.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send(r.forwarder(m.sink(t, "")))
	noted := filepath.Join(r.folder, cursorFile)
	was, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"another address":   strings.Replace(string(was), `"address":"a"`, `"address":"b"`, 1),
		"another tree":      strings.Replace(string(was), `"tree":"trey-house/`, `"tree":"trey-house/0`, 1),
		"beyond the record": strings.Replace(string(was), `"through":1`, `"through":2`, 1),
		"before the record": strings.Replace(string(was), `"through":1`, `"through":-1`, 1),
		"what is no place":  "{",
	} {
		if text == string(was) {
			t.Fatalf("%s is the same", what)
		}
		before := len(m.events())
		if err := os.WriteFile(noted, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		send(r.forwarder(m.sink(t, "")))
		if now := len(m.events()); now != before+1 {
			t.Errorf("%s: sent are %d events, want 1", what, now-before)
		}
	}
	before := len(m.events())
	send(r.forwarder(m.sink(t, "")))
	if len(m.events()) != before {
		t.Error("what is noted is sent again")
	}
	r.sound(m)
}

// Where nothing happens that is significant, a batch without an event says so.
func TestQuiet(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	nowMs := int64(1)
	f := r.forwarder(m.sink(t, ""), func(c *Config) { c.NowMs = func() int64 { return nowMs } })
	step := func() {
		t.Helper()
		for more := true; more; {
			var err error
			if more, err = f.step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.write("drained")
	r.write()
	r.sign()
	step()
	r.write()
	r.sign()
	step()
	if _, streams := r.check(m.text()); streams[0].Through != 2 {
		t.Errorf("reported at once: %+v", streams)
	}
	nowMs += quietMs
	step()
	nowMs += quietMs
	step() // nothing has happened at all
	findings, streams := r.check(m.text())
	if len(findings) > 0 || streams[0].Through != 3 || streams[0].Batches != 2 || streams[0].Events != 1 {
		t.Errorf("the stream is %+v, %v", streams, findings)
	}
}

// A long delay is recorded, with what was taken and since when events wait. What waits
// since before the last success counts from that.
func TestLate(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	nowMs := int64(500_000)
	var late []string
	f := r.forwarder(m.sink(t, ""), func(c *Config) {
		c.NowMs, c.LateMs = func() int64 { return nowMs }, 60_000
		c.Late = func(_ context.Context, through, sinceMs int64) error {
			late = append(late, fmt.Sprint(through, " ", sinceMs))
			return nil
		}
	})
	fail := func() {
		t.Helper()
		m.answers = []func(http.ResponseWriter, *http.Request){func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }}
		_, err := f.step(t.Context())
		if err == nil {
			t.Fatal("it was sent")
		}
		f.behind(t.Context(), false, err)
	}
	r.write("drained") // at 1,000: long before the machine was named
	r.sign()
	fail()
	nowMs += 59_999
	fail()
	if len(late) != 0 {
		t.Errorf("late are %q", late)
	}
	nowMs++
	fail()
	if !slices.Equal(late, []string{"0 500000"}) || f.behindMs() != nowMs-1000 {
		t.Errorf("late are %q, %d ms behind", late, f.behindMs())
	}
	if _, err := f.step(t.Context()); err != nil || f.behindMs() != 0 {
		t.Errorf("%v, %d ms behind", err, f.behindMs())
	}
	r.write("resumed")
	r.sign()
	fail()
	if len(late) != 1 {
		t.Errorf("late are %q", late)
	}
}

// slowSink takes everything, and time for it.
type slowSink struct {
	mu    sync.Mutex
	nowMs int64
	// takesMs is how long a batch takes.
	takesMs int64
	taken   int
}

func (s *slowSink) now() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nowMs
}

func (s *slowSink) Send(context.Context, *Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nowMs += s.takesMs
	s.taken++
	return nil
}

// A machine that takes everything, but slowly, fails nothing: the delay is recorded all the
// same, once until a batch is taken in time, and what waited while the house was closed is
// none.
func TestAMachineThatIsSlow(t *testing.T) {
	r, s := newRecord(t), &slowSink{nowMs: 500_000, takesMs: 59_999}
	var late []string
	f := r.forwarder(s, func(c *Config) {
		c.NowMs, c.LateMs = s.now, 60_000
		c.Late = func(_ context.Context, through, sinceMs int64) error {
			late = append(late, fmt.Sprint(through, " ", sinceMs))
			return nil
		}
	})
	// send has the forwarder send one batch with an event of this moment.
	send := func(takesMs int64) {
		t.Helper()
		s.mu.Lock()
		s.takesMs = takesMs
		before := s.taken
		r.written = s.nowMs/1000 - 1 // of now
		s.mu.Unlock()
		r.write("drained")
		r.sign()
		stop := run(f)
		until(t, "the batch is taken", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.taken > before
		})
		stop()
	}
	r.write("drained") // at 1,000, long before
	r.sign()
	for i, c := range []struct {
		takesMs int64
		late    []string
	}{
		{59_000, nil},
		{60_000, []string{"2 559000"}},
		{70_000, []string{"2 559000"}}, // the same delay
		{1_000, []string{"2 559000"}},
		{61_000, []string{"2 559000", "5 690000"}},
	} {
		if send(c.takesMs); !slices.Equal(late, c.late) {
			t.Fatalf("after batch %d late are %q, want %q", i, late, c.late)
		}
	}
}

// What is wrong with a target is found at the start.
func TestTargets(t *testing.T) {
	folder := t.TempDir()
	file := func(text string) string {
		name := filepath.Join(folder, fmt.Sprintf("%x", text))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for what, target := range map[string]Target{
		"no file of certificates": {URL: "https://siem.example/", CA: filepath.Join(folder, "none")},
		"no certificate in it":    {URL: "syslog-tls://siem.example", CA: file("certificate")},
		"no file of a token":      {URL: "https://siem.example/", TokenFile: filepath.Join(folder, "none")},
		"no token in it":          {URL: "https://siem.example/", TokenFile: file("\n")},
		"two words":               {URL: "https://siem.example/", TokenFile: file("a b")},
	} {
		if _, err := NewSink(target); err == nil {
			t.Errorf("%s: it is taken", what)
		}
	}
	// A machine that nobody vouches for gets nothing.
	r, m := newRecord(t), &machine{}
	m.begin(t, "")
	r.write("drained")
	r.sign()
	sink, err := NewSink(Target{URL: m.server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.forwarder(sink).step(t.Context()); err == nil || m.text() != "" {
		t.Errorf("sent to a stranger: %v, %q", err, m.text())
	}
}
