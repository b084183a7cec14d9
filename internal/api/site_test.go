package api

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules/books"
	"trey/table"
)

// staff are people of every role but the guest. Players and surveillance come in as
// machines do, by a token.
var staff = map[string]access.Person{
	"ann": {Name: "ann", Role: access.Player}, "ben": {Name: "ben", Role: access.Player},
	"dan": {Name: "dan", Role: access.Dealer}, "pat": {Name: "pat", Role: access.PitSupervisor},
	"sue": {Name: "sue", Role: access.ShiftManager}, "cas": {Name: "cas", Role: access.Cashier},
	"eye": {Name: "eye", Role: access.Surveillance}, "adm": {Name: "adm", Role: access.Administrator}, "aud": {Name: "aud", Role: access.Auditor},
}

const password = "correct horse battery staple"

// fast is the cost of a password in a test.
var fast = identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}

// store keeps a record, and what stands beside it.
type store interface {
	house.Store
	Evidence
	identity.SessionStore
	io.Closer
}

// opened opens a record in memory for as long as the test runs. Opening files is most of the
// work of a house that a test opens, and the contents of a store are the same in both
// (storetest).
func opened(t testing.TB, disk *memory.Disk) store {
	t.Helper()
	s, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // nobody reads it again
	return s
}

// site is a house on a record in memory behind its door.
type site struct {
	testing.TB
	*house.House
	store  store
	line   *line // between the house and its store
	people *identity.Directory
	tokens map[string]string // of each name
	server *server
	web    *httptest.Server
	log    *logged
	// random is the source of tokens, and of where the count of an attempt lies: the same in each run.
	random io.Reader
	// aheadMs is by how much the clock is ahead of the time of day.
	aheadMs atomic.Int64
}

// logged keeps what was logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *logged) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// take returns what was logged since it was asked last.
func (r *logged) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.text.Reset()
	return r.text.String()
}

func nowMs() int64 { return time.Now().UnixMilli() }

func (s *site) nowMs() int64 { return nowMs() + s.aheadMs.Load() }

// maxGapMs bounds the time between the last transaction and the next one.
const maxGapMs = 31 * 24 * 3_600_000

func newSite(t testing.TB, change ...func(*Config)) *site {
	t.Helper()
	return newSiteWith(t, func(*house.World) {}, change...)
}

// newSiteWith opens a house with other settings.
func newSiteWith(t testing.TB, set func(*house.World), change ...func(*Config)) *site {
	t.Helper()
	s := &site{TB: t, log: &logged{}, random: steady.Random(1)}
	var err error
	s.store = opened(t, new(memory.Disk))
	world := house.World{
		NowMs: s.nowMs, MaxGapMs: maxGapMs, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh, Active: func(name string) bool { return s.people.Active(name) },
		Plays: func(name string) bool { return s.people.Plays(name) },
		Independent: func(first access.Person, askedMs int64, second access.Person) error {
			return s.people.Independent(first, askedMs, second)
		},
		Acts: func(by access.Person) error { return s.people.Acts(by) },
	}
	set(&world)
	s.line = &line{Store: s.store}
	if s.House, _, err = house.Open(t.Context(), s.line, world); err != nil {
		t.Fatal(err)
	}
	s.admit()
	c := Config{
		House: s.House, Identity: s.people, Record: house.Named(s.store), Evidence: s.store, NowMs: s.nowMs, Registry: prometheus.NewRegistry(),
		Last: func() int64 { return s.store.Head().Size - 1 },
		Log:  slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	// A machine may have other things to do than to read streams.
	c.Limits.WriteTimeout = time.Hour
	for _, f := range change {
		f(&c)
	}
	s.server = newServer(c)
	s.web = httptest.NewServer(s.server)
	t.Cleanup(s.web.Close)
	return s
}

// admit makes everybody known.
func (s *site) admit() {
	s.Helper()
	var err error
	s.people, err = identity.Open(s.Context(), identity.World{
		Record: s.store, Sessions: s.store, NowMs: s.nowMs, InTime: s.InTime, Random: s.random, MaxGuests: 10_000, Cost: fast,
	})
	if err != nil {
		s.Fatal(err)
	}
	hash, err := identity.HashPassword(password, fast, rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	var initial []identity.Initial
	for _, name := range slices.Sorted(maps.Keys(staff)) {
		if role := staff[name].Role; role.TakesTwo() {
			initial = append(initial, identity.Initial{Name: name, Role: role, Hash: hash})
		}
	}
	if _, _, err := s.people.Ensure(s.Context(), "the test", initial); err != nil {
		s.Fatal(err)
	}
	s.tokens = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(staff)) {
		if staff[name].Role.TakesTwo() {
			s.login(name, password)
		} else {
			s.machine(staff[name])
		}
	}
}

// login begins a session of somebody's.
func (s *site) login(name, password string) {
	s.Helper()
	token, _, err := s.people.Login(s.Context(), identity.Credentials{Name: name, Password: password})
	if err != nil {
		s.Fatal(err)
	}
	s.tokens[name] = token
}

// machine makes a token for somebody.
func (s *site) machine(person access.Person) {
	s.Helper()
	o := identity.ChangeRequest{By: staff["adm"], Why: "a test"}
	_, text, err := s.people.AddToken(s.Context(), o, person.Name, person.Role, nowMs()+3_600_000)
	if err != nil {
		s.Fatal(err)
	}
	s.tokens[person.Name] = text
}

// sign puts on a request who it is from.
func (s *site) sign(r *http.Request, person string) {
	token, known := s.tokens[person]
	if !known {
		token = person
	}
	if strings.HasPrefix(token, "trey_") {
		r.Header.Set("Authorization", "Bearer "+token)
	} else {
		r.AddCookie(&http.Cookie{Name: identity.CookieName(s.server.Secure), Value: token})
	}
}

func (s *site) install(name, book string, change ...func(*house.Table)) {
	s.Helper()
	b, err := books.Find(book)
	if err != nil {
		s.Fatal(err)
	}
	v := b.Standard().Clone()
	t := house.Table{Name: name, Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual}, Mode: house.DealerRun}
	if v.Jackpot != nil {
		t.Jackpot = "linked"
	}
	for _, f := range change {
		f(&t)
	}
	if err := s.Install(s.Context(), t, staff["adm"]); err != nil {
		s.Fatal(err)
	}
}

func (s *site) buyIn(person string, amount money.Amount) {
	s.Helper()
	if _, err := s.CageTransfer(s.Context(), "", staff["cas"], posting.Transfer{Reason: ledger.BuyIn, Player: person, Amount: amount}); err != nil {
		s.Fatal(err)
	}
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	text string
}

// into reads the body as JSON.
func (r *reply) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.text), v); err != nil {
		t.Fatalf("%s: %v", r.text, err)
	}
}

func (r *reply) problem(t testing.TB) Problem {
	t.Helper()
	var p Problem
	r.into(t, &p)
	if kind := r.Header.Get("Content-Type"); kind != problemJSON || p.Status != r.StatusCode || p.Type == "" || p.Title == "" {
		t.Fatalf("%s is no problem: %s %s", r.Status, kind, r.text)
	}
	return p
}

// ask sends a request as somebody; headers come in pairs.
func (s *site) ask(person, method, path, body string, headers ...string) *reply {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.web.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if person != "" {
		s.sign(r, person)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := s.web.Client().Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(got.Body)
	if err != nil {
		s.Fatal(err)
	}
	return &reply{got, string(text)}
}

func (s *site) get(person, path string, headers ...string) *reply {
	s.Helper()
	return s.ask(person, http.MethodGet, path, "", headers...)
}

// order sends a command to a table.
func (s *site) order(person, name, command string, headers ...string) *reply {
	s.Helper()
	return s.ask(person, http.MethodPost, "/api/v1/tables/"+name+"/commands", command, headers...)
}

// done sends a command that has to be carried out.
func (s *site) done(person, name, command string, headers ...string) Done {
	s.Helper()
	r := s.order(person, name, command, headers...)
	if r.StatusCode != http.StatusOK {
		s.Fatalf("%s %s: %s %s", person, command, r.Status, r.text)
	}
	var d struct {
		Seq     int64
		Table   string
		Version int64
		Events  []struct{ Kind string }
	}
	r.into(s, &d)
	out := Done{Seq: d.Seq, Table: d.Table, Version: d.Version}
	for _, e := range d.Events {
		out.Events = append(out.Events, Event{Kind: e.Kind})
	}
	return out
}
