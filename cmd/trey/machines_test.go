//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/plan"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
	"trey/internal/web"
)

// Only a request that carries the secret of the machines is taken for one that a machine of
// the house sent, and only then the address that it names is believed.
func TestOnlyMachinesAreBelieved(t *testing.T) {
	folder := t.TempDir()
	secret := newSharedSecret(folder)
	if _, err := secret.read(); err == nil {
		t.Fatal("a secret is read from where there is none")
	}
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	text, err := secret.read()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folder, machinesFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the secret: %v, %v", info, err)
	}
	other := newSharedSecret(folder)
	if err := other.make(); err != nil || other.text != text {
		t.Errorf("a second machine makes another secret: %v", err)
	}
	var seen *http.Request
	s := &site{log: slog.New(slog.DiscardHandler), secret: secret}
	handler := s.fromMachines(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r }))
	control := admission.New(admission.Config{})
	for _, test := range []struct {
		name, path, secret string
		status             int
		from               string
	}{
		{"a person", "/", "", http.StatusOK, "192.0.2.1"},
		{"a machine", "/", text, http.StatusOK, "203.0.113.9"},
		{"a wrong secret", "/", text[1:] + "A", http.StatusForbidden, ""},
		{"a part of the secret", "/", text[:40], http.StatusForbidden, ""},
		{"more than the secret", "/", text + "A", http.StatusForbidden, ""},
		{"nothing to the notes", notesPath, "", http.StatusForbidden, ""},
		{"a wrong secret to the uses", usesPath, "1", http.StatusForbidden, ""},
		{"a machine to nowhere", machinesPath + "else", text, http.StatusNotFound, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
		r.RemoteAddr = "192.0.2.1:5000"
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		r.Header.Set(fromHeader, "203.0.113.9")
		if test.secret != "" {
			r.Header.Set(handedOn, test.secret)
		}
		seen = nil
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != test.status {
			t.Errorf("%s: %d %s", test.name, w.Code, w.Body)
		}
		switch {
		case (seen != nil) != (test.from != ""):
			t.Errorf("%s: it was handed on: %t", test.name, seen != nil)
		case seen != nil && control.From(seen) != netip.MustParseAddr(test.from):
			t.Errorf("%s: it comes from %s", test.name, control.From(seen))
		case seen != nil && test.secret != "" && seen.Header.Get(handedOn) != "":
			t.Errorf("%s: the secret goes further", test.name)
		}
	}
	if err := os.Chmod(filepath.Join(folder, machinesFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newSharedSecret(folder).read(); err == nil {
		t.Error("a secret is read that others can read too")
	}
}

// A door refuses what a stranger sends to the machines, and hands none of it on.
func TestADoorRefusesStrangers(t *testing.T) {
	secret := newSharedSecret(t.TempDir())
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	asked := 0
	writer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer writer.Close()
	h := newHandover(slog.New(slog.DiscardHandler))
	h.secret = secret
	h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
	for _, path := range []string{usesPath, notesPath, machinesPath} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader("[]")))
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/api/v1/cage", strings.NewReader("{}"))
	r.Header.Set(handedOn, "1")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusForbidden || asked != 0 {
		t.Errorf("a request that says it was handed on: %d, and the writer was asked %d times", w.Code, asked)
	}
}

// A door that has not the secret of the writer answers a command itself, says that it was not done, and
// what is wrong with the machine, which its log says once.
func TestADoorWithoutTheSecretReportsIt(t *testing.T) {
	asked := 0
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; refuseStranger(w) }))
	defer writer.Close()
	another := newSharedSecret(t.TempDir())
	if err := another.make(); err != nil {
		t.Fatal(err)
	}
	for what, secret := range map[string]*sharedSecret{"none": newSharedSecret(t.TempDir()), "another": another} {
		var logs strings.Builder
		h := newHandover(slog.New(slog.NewTextHandler(&logs, nil)))
		h.secret = secret
		h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
		if what == "another" {
			h.noteStranger(errStranger) // as a look at the notes found
		}
		for range 2 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/guests", strings.NewReader("{}")))
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), machinesFile) || asked != 0 {
				t.Errorf("%s: %d %s, and the writer was asked %d times", what, w.Code, w.Body, asked)
			}
		}
		if n := strings.Count(logs.String(), "cannot hand requests on"); n != 1 {
			t.Errorf("%s: it is said %d times:\n%s", what, n, &logs)
		}
	}
}

// A writer that has stopped is named as the writer no more.
func TestAWriterThatStoppedIsNotNamed(t *testing.T) {
	for _, test := range []struct{ address, want string }{
		{"10.0.0.1:80", "commands are handed on to m1, which writes to the record, and if it ends this machine takes its place."},
		{"", "no machine writes to the record at the moment, and this machine will when it may."},
	} {
		var out strings.Builder
		h := newHandover(slog.New(slog.DiscardHandler))
		h.follow(postgres.Writer{Node: "m1", Address: test.address})
		if (&opening{out: &outputWriter{out: &out}}).printWaiting(h); !strings.Contains(out.String(), test.want) {
			t.Errorf("with the address %q: %s", test.address, &out)
		}
	}
}

// A writer to which the database confirms nothing says under /readyz what its operator should see to.
func TestAWriterThatWaitsReportsForWhat(t *testing.T) {
	secret := newSharedSecret(t.TempDir())
	s := &site{log: slog.New(slog.DiscardHandler), secret: secret, confirmedAt: func() time.Time { return time.Now().Add(-2 * outOfTouch) }}
	s.durability.found.Store(&[]postgres.Weakness{postgres.NoStandbyInSync})
	w := httptest.NewRecorder()
	s.inTouch(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), postgres.NoStandbyInSync.String()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A door hands on what it was sent, also what it cannot read: the writer refuses it.
func TestADoorHandsOnWhatItWasSent(t *testing.T) {
	secret := newSharedSecret(t.TempDir())
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	var query string
	var keys []string
	writer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		query, keys = r.URL.RawQuery, r.Header[keyHeader]
	}))
	defer writer.Close()
	h := newHandover(slog.New(slog.DiscardHandler))
	h.secret = secret
	h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
	for _, sent := range []string{"dry_run=true;picture=true", "dry_run=true%zz", "dry_run=true&dry_run=false", "dry_run=true"} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/tables/T1/commands?"+sent, strings.NewReader("{}"))
		r.Header[keyHeader] = []string{""}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusOK || query != sent || !slices.Equal(keys, []string{""}) {
			t.Errorf("%q is handed on as %q with the keys %q: %d", sent, query, keys, w.Code)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/cage", iotest.ErrReader(io.ErrUnexpectedEOF)))
	if w.Code != http.StatusBadRequest || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), "urn:trey:problem:malformed") {
		t.Errorf("a request that breaks off: %d %s", w.Code, w.Body)
	}
}

// A door takes in the notes of the writer as long as they are the same, too: what a note is about
// may be known there later than the note. While the writer does not answer, the last ones stay.
func TestADoorKeepsTheWritersNotes(t *testing.T) {
	secret := newSharedSecret(t.TempDir())
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	var away atomic.Bool
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"tables":[],"pages":{"warnings":{"T":{"round":1,"phase":"betting","by":"dan","at_ms":1}}},"drain":{"draining":true,"version":1}}`)
	}))
	defer writer.Close()
	log := slog.New(slog.DiscardHandler)
	h := newHandover(log)
	r := &readings{opening: &opening{secret: secret, log: log}, handover: h}
	d := &door{site: &site{house: new(house.House), notes: web.NewNotes(), autodealer: autodealer.New(nil, func() int64 { return 1 }, log)}}
	warned := func() bool { return len(d.site.notes.Warnings().All()) == 1 }
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { r.followNotes(ctx, d) })
	defer work.Wait()
	defer cancel()
	until := func(what string, so func() bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
			h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
			if time.Now().After(deadline) {
				t.Fatalf("not in %v: %s", patience, what)
			}
		}
	}
	until("a warning is known", warned)
	until("the drain is known", d.house.Draining)
	d.site.notes.Take(&web.KeptNotes{})
	until("it is known again", warned)
	away.Store(true)
	before := asked.Load()
	until("the writer is asked in vain", func() bool { return asked.Load() > before+2 })
	if !warned() {
		t.Error("while the writer does not answer, its notes are gone")
	}
}

// A machine whose secret the writer does not take could hand nothing on: it says so in its log, and
// is not ready, so that a load balancer sends it nothing.
func TestADoorWithAnotherSecretIsNotReady(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	door := nodes[1]
	path := filepath.Join(door.signing, machinesFile)
	secret := bytesOf(t, path)
	for name, text := range map[string]string{"another": strings.Repeat("x", minSecret), "a short one": "x"} {
		door.kill()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		door = w.node(database, door.folder)
		steady.Await(t, "a machine that is not ready with "+name, func() bool {
			got, err := http.Get(door.url + "/readyz")
			if err != nil {
				return false
			}
			text, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			return got.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(text), machinesFile)
		})
		steady.Await(t, "with "+name+" it logs that it cannot hand requests on", func() bool {
			return strings.Contains(door.logs.String(), "this machine cannot hand requests on")
		})
	}
	door.kill()
	if err := os.WriteFile(path, secret, 0o600); err != nil {
		t.Fatal(err)
	}
	door = w.node(database, door.folder)
	door.becomes("door")
}

// A door gives a command a key that has none, and asks it again under that key when the answer
// is lost; one that cannot be asked again is asked once.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	secret := newSharedSecret(t.TempDir())
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	type got struct{ key, body string }
	var mu sync.Mutex
	var asked []got
	losing := true
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, got{r.Header.Get(keyHeader), string(body)})
		if losing { // it was done, and nobody hears of it
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = conn.Close()
			losing = false
			return
		}
		_, _ = io.WriteString(w, "done")
	}))
	defer writer.Close()
	h := newHandover(slog.New(slog.DiscardHandler))
	h.secret = secret
	h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
	for _, test := range []struct {
		name, path, key, kind, body string
		again                       bool
	}{
		{"without a key", "/api/v1/tables/A/commands", "", "application/json", `{"kind":"open-bets"}`, true},
		{"with a key", "/api/v1/cage", "mine", "application/json", `{"a":1}`, true},
		{"a form with a key", "/tables/A/do", "", "application/x-www-form-urlencoded", "do=bet&key=k1", true},
		{"a form without a key", "/tables/A/do", "", "application/x-www-form-urlencoded", "do=bet", false},
		{"a form of another page", "/sign-in", "", "application/x-www-form-urlencoded", "name=ann&key=k1", false},
		{"a sign-in", "/api/v1/sessions", "", "application/json", `{}`, false},
		{"too long to be kept", "/api/v1/cage", "mine", "application/json", strings.Repeat("x", maxRepeated+1), false},
	} {
		mu.Lock()
		asked, losing = nil, true
		mu.Unlock()
		r := httptest.NewRequest(http.MethodPost, test.path, bytes.NewReader([]byte(test.body)))
		r.Header.Set("Content-Type", test.kind)
		if test.key != "" {
			r.Header.Set(keyHeader, test.key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		mu.Lock()
		switch {
		case !test.again && (w.Code != http.StatusServiceUnavailable || len(asked) != 1):
			t.Errorf("%s: %d, and it was asked %d times", test.name, w.Code, len(asked))
		case test.again && (w.Code != http.StatusOK || w.Body.String() != "done" || len(asked) != 2):
			t.Errorf("%s: %d %s, and it was asked %d times", test.name, w.Code, w.Body, len(asked))
		case test.again && (asked[0] != asked[1] || asked[0].body != test.body):
			t.Errorf("%s: it was asked as %v and as %v", test.name, asked[0], asked[1])
		case test.again && pathOfInterface(test.path) && asked[0].key == "" || test.key != "" && asked[0].key != test.key:
			t.Errorf("%s: its key is %q", test.name, asked[0].key)
		}
		mu.Unlock()
	}
}

// A house that has stopped does not know what became of a command, so a door asks again; a table
// that has stopped says that nothing was done, and whoever asked is told at once.
func TestATableThatStoppedIsAskedOnce(t *testing.T) {
	for stopped, want := range map[string]int64{"stopped": 2, "table-stopped": 1} {
		var asked atomic.Int64
		writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 2 {
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"type":"urn:trey:problem:`+stopped+`","status":503}`)
		}))
		h := newHandover(slog.New(slog.DiscardHandler))
		if h.secret = newSharedSecret(t.TempDir()); h.secret.make() != nil {
			t.Fatal("no secret")
		}
		h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
		r := httptest.NewRequest(http.MethodPost, "/api/v1/tables/A/commands", strings.NewReader(`{"kind":"open-bets"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		writer.Close()
		if at := strings.Contains(w.Body.String(), "table-stopped"); asked.Load() != want || at != (want == 1) {
			t.Errorf("%s: the writer is asked %d times, and the answer is %d %s", stopped, asked.Load(), w.Code, w.Body)
		}
	}
}

// A door asks again until an answer says what became of the command: an answer that comes before the
// key is looked up says that only of an attempt before which none was lost.
func TestADoorPassesOnWhatIsDecided(t *testing.T) {
	t.Parallel()
	const html = "text/html; charset=utf-8"
	type answer struct {
		status     int
		kind, text string
	}
	problem := func(status int, name string) answer {
		return answer{status, "application/problem+json", `{"type":"urn:trey:problem:` + name + `"}`}
	}
	done := answer{http.StatusOK, "application/json", "done"}
	for _, test := range []struct {
		name    string
		answers []answer
		want    answer
	}{
		{"busy", []answer{problem(503, "busy")}, problem(503, "busy")},
		{"draining", []answer{problem(503, "draining")}, problem(503, "draining")},
		{"the request was canceled there", []answer{problem(503, "given-up"), done}, done},
		{"busy after an answer that was lost", []answer{{}, problem(503, "busy"), done}, done},
		{"busy after a house that stopped", []answer{problem(503, "stopped"), problem(503, "busy"), done}, done},
		{"too many requests", []answer{problem(429, "too-many")}, problem(429, "too-many")},
		{"too many requests after an answer that was lost", []answer{{}, problem(429, "too-many"), done}, done},
		{"the first attempt is under way", []answer{{}, problem(409, "key-busy"), done}, done},
		{"another request with the key is under way", []answer{problem(409, "key-busy")}, problem(409, "key-busy")},
		{"refused after an answer that was lost", []answer{{}, problem(409, "short")}, problem(409, "short")},
		{"a table that stopped, after an answer that was lost", []answer{{}, problem(503, "table-stopped")}, problem(503, "table-stopped")},
		{"a form", []answer{{503, html, "not known"}, {200, html, "done"}}, answer{200, html, "done"}},
		{"a form that is refused", []answer{{}, {409, html, "refused"}}, answer{409, html, "refused"}},
	} {
		var asked atomic.Int64
		writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			now := test.answers[min(int(asked.Add(1)), len(test.answers))-1]
			if now.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Content-Type", now.kind)
			w.WriteHeader(now.status)
			_, _ = io.WriteString(w, now.text)
		}))
		h := newHandover(slog.New(slog.DiscardHandler))
		if h.secret = newSharedSecret(t.TempDir()); h.secret.make() != nil {
			t.Fatal("no secret")
		}
		h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
		r := httptest.NewRequest(http.MethodPost, "/api/v1/cage", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		writer.Close()
		if got := (answer{w.Code, w.Header().Get("Content-Type"), w.Body.String()}); got != test.want || int(asked.Load()) != len(test.answers) {
			t.Errorf("%s: the answer is %v after %d attempts, want %v after %d", test.name, got, asked.Load(), test.want, len(test.answers))
		}
	}
}

// A database that fails over breaks the connections of every machine at once. A command that is under
// way at a door then is answered as soon as the house is open again, and done once.
func TestACommandOutlivesTheDatabaseOfItsDoor(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	servers, database := wiresTo(t, databases(t)("house"))
	w := newWorld(t, t.TempDir())
	writer := w.machines(database)[0]
	folder := t.TempDir()
	copyFolder(w, writer.folder, folder)
	for _, key := range []string{"signing/signing.key", "house.keys"} { // it never becomes the writer
		if err := os.Remove(filepath.Join(folder, key)); err != nil {
			t.Fatal(err)
		}
	}
	door := w.node(database, folder)
	door.becomes("door")
	if !strings.Contains(door.out.String(), "this machine stays a door") {
		t.Errorf("of a machine without keys it is said: %s", door.out)
	}
	guest, player := w.guest(door, 1)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(kim)
	var done atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			clerk := *kim
			for ctx.Err() == nil && !t.Failed() {
				switch got, err := clerk.ask(context.Background(), door.url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":1}`, player)); {
				case err != nil:
					t.Errorf("a command is not answered: %v", err)
				case got.status < 300:
					done.Add(1)
				case got.status != http.StatusTooManyRequests:
					t.Errorf("a command is answered %d %s", got.status, got.text)
				}
			}
		})
	}
	more := func() {
		t.Helper()
		want := done.Load() + 20
		steady.Await(t, "commands are answered", func() bool { return done.Load() >= want || t.Failed() })
	}
	for range 2 {
		more()
		for _, l := range servers {
			l.back.Store(true)
		}
		time.Sleep(50 * time.Millisecond) // commands are on their way
		for _, l := range servers {
			l.broken()
		}
		time.Sleep(outOfTouch + outOfTouch/2) // the door does not know the writer any more
		for _, l := range servers {
			l.back.Store(false)
		}
	}
	more()
	cancel()
	work.Wait()
	steady.Await(t, "the account has what was answered as done", func() bool {
		got := guest.insist(t, door.url, http.MethodGet, "/api/v1/account", "")
		return got.status == http.StatusOK && strings.Contains(got.text, fmt.Sprintf(`"balance":%d`, 100_000+done.Load()))
	})
}

// Commands that are answered together, as those of one commit are, leave their connections to the
// writer to the next ones.
func TestConnectionsToTheWriterAreKept(t *testing.T) {
	const together, times = 200, 4
	var opened atomic.Int64
	var mu sync.Mutex
	arrived, answered := 0, make(chan struct{})
	writer := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		commit := answered
		if arrived++; arrived%together == 0 {
			close(commit)
			answered = make(chan struct{})
		}
		mu.Unlock()
		<-commit
	}))
	writer.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	writer.Start()
	defer writer.Close()
	h := newHandover(slog.New(slog.DiscardHandler))
	if h.secret = newSharedSecret(t.TempDir()); h.secret.make() != nil {
		t.Fatal("no secret")
	}
	h.follow(postgres.Writer{Address: writer.Listener.Addr().String()})
	for range times {
		var all sync.WaitGroup
		for range together {
			all.Go(func() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v1/tables/A/commands", strings.NewReader(`{"kind":"open-bets"}`)))
			})
		}
		all.Wait()
	}
	// A connection may be free a moment after its answer has arrived.
	if n := opened.Load(); n > together*3/2 {
		t.Errorf("%d commands, %d of them at once, open %d connections", together*times, together, n)
	}
}

func pathOfInterface(path string) bool { return strings.HasPrefix(path, "/api/") }

// Commands without keys that are sent to doors while the writer is killed are each answered,
// and done once.
func TestCommandsWithoutKeysAreDoneOnce(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	guest, player := w.guest(nodes[1], 1)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(kim)
	var done atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for i := range 6 {
		work.Go(func() {
			clerk := *kim
			for ctx.Err() == nil {
				got, err := clerk.ask(context.Background(), nodes[1+i%2].url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":1}`, player))
				switch {
				case err != nil:
					t.Errorf("a command is not answered: %v", err)
					return
				case got.status < 300:
					done.Add(1)
				case got.status == http.StatusTooManyRequests:
					time.Sleep(20 * time.Millisecond)
				default:
					t.Errorf("a command is answered %d %s", got.status, got.text)
					return
				}
			}
		})
	}
	more := func(n int64) {
		t.Helper()
		for deadline, want := time.Now().Add(patience), done.Load()+n; done.Load() < want && !t.Failed(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("no more commands are answered")
			}
		}
	}
	more(50)
	nodes[0].kill()
	more(50)
	cancel()
	work.Wait()
	for _, at := range nodes[1:] {
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			got := guest.insist(t, at.url, http.MethodGet, "/api/v1/account", "")
			if got.status == http.StatusOK && strings.Contains(got.text, fmt.Sprintf(`"balance":%d`, 100_000+done.Load())) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d commands were answered as done, and the account is %d %s", done.Load(), got.status, got.text)
			}
		}
	}
}

// behindStore is a record of which a door has not read the end.
type behindStore struct {
	house.Store
	behind atomic.Bool
}

func (s *behindStore) Head() tree.Head {
	head := s.Store.Head()
	if s.behind.Load() {
		head.Size--
	}
	return head
}

// What the writer signed and a door had not read by then is kept when the door has read it, also if the
// writer signs nothing more: the house may rest, and be opened from an older copy after that.
func TestASignedCheckpointIsKeptOnceItIsRead(t *testing.T) {
	t.Parallel()
	db := signedHouse(t)
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was read
	signing := filepath.Join(t.TempDir(), "signing")
	copyFolder(t, signingBeside(db), signing)
	file := filepath.Join(signing, "checkpoint")
	signed := textOf(t, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, signed)
	}))
	defer writer.Close()
	secret := newSharedSecret(t.TempDir())
	if err := secret.make(); err != nil {
		t.Fatal(err)
	}
	h := newHandover(slog.New(slog.DiscardHandler))
	named := func() { h.follow(postgres.Writer{Address: strings.TrimPrefix(writer.URL, "http://")}) } // as the database does, twice a second
	named()
	r := &readings{opening: &opening{plan: &plan.Plan{Signing: signing}, log: slog.New(slog.DiscardHandler), secret: secret}, handover: h}
	record := &behindStore{Store: store}
	record.behind.Store(true)
	var following sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	following.Go(func() { r.followSigned(ctx, record) })
	steady.Await(t, "a second look at what is signed", func() bool {
		named()
		return asked.Load() > 1
	})
	if _, err := os.Stat(file); err == nil {
		t.Error("a checkpoint of more than was read is kept")
	}
	record.behind.Store(false)
	steady.Await(t, "the checkpoint is kept", func() bool {
		named()
		text, err := os.ReadFile(file)
		return err == nil && string(text) == signed
	})
	end()
	following.Wait()
}
