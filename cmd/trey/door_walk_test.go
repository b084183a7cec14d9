//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/steady"
	"trey/internal/web"
)

// everyGet returns a path for each pattern of the pages and of the interface that is asked for
// by GET. A new pattern whose places nothing here fills is an error.
func everyGet(t *testing.T) (paths []string) {
	t.Helper()
	places := map[string]string{
		"table": "vegas", "round": "1", "incident": "interruption", "name": "linked", "jackpot": "linked", "account": "cash",
		"kind": "sign-ins", "file": "register.csv", "book": "us-3cp", "clause": "", "format": "csv", "id": "1",
	}
	special := map[string]string{
		"GET /{$}":                               "/",
		"GET /school/{book}/{kind}":              "/school/us-3cp/pay",
		"GET /school/{book}/{kind}/{id}":         "/school/us-3cp/pay/1",
		"GET /school/{book}/rounds/{sitting}":    "/school/us-3cp/rounds/abc-1-1795359509258-" + strings.Repeat("0", 32),
		"GET /rules/{book}/{clause}":             "/rules/rws-3cp/5.8.6",
		"GET /rules/{book}/scenario/{name}":      "/rules/us-3cp/scenario/amounts.ante_two_to_ten",
		"GET /console/{table}":                   "/console/dealt",
		"GET /console/{table}/events":            "/console/dealt/events",
		"GET /console/{table}/rules":             "/console/dealt/rules",
		"GET /console/{table}/report/{incident}": "/console/dealt/report/uncovered",
		"GET /api/v1/players/{name}/play":        "/api/v1/players/pia/play",
		"GET /api/v1/reports/{kind}":             "/api/v1/reports/trial-balance",
		"GET /api/v1/books/{book}":               "/api/v1/books/us-3cp",
		"GET /reports/{name}":                    "/reports/significant-events.csv",
	}
	place := regexp.MustCompile(`\{([a-z]+)\}`)
	fill := func(pattern string) {
		if path, ok := special[pattern]; ok {
			paths = append(paths, path)
			return
		}
		paths = append(paths, place.ReplaceAllStringFunc(strings.TrimPrefix(pattern, "GET "), func(of string) string {
			value := places[of[1:len(of)-1]]
			if value == "" {
				t.Errorf("%s: give the place %s a value in this test", pattern, of)
			}
			return value
		}))
	}
	routes := web.Routes(web.Config{House: &house.House{}, Autodealer: (*autodealer.Autodealer)(nil), NowMs: func() int64 { return 0 }})
	for _, pattern := range routes {
		if strings.HasPrefix(pattern, "GET ") {
			fill(pattern)
		}
	}
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths {
		if item["get"] != nil {
			fill("GET " + path)
		}
	}
	if len(routes) < 60 || len(document.Paths) < 40 {
		t.Fatalf("only %d pages and %d operations are known", len(routes), len(document.Paths))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// asks returns the status of a GET, and its type. Of a stream that is all that is read.
func (s *somebody) asks(t *testing.T, at, path string) (status int, kind string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if s.token != "" {
			r.AddCookie(&http.Cookie{Name: "trey", Value: s.token})
		}
		got, err := s.client.Transport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s asks for %s: %v", s.name, path, err)
		}
		if strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
			if _, err := bufio.NewReader(got.Body).ReadString('\n'); err != nil {
				t.Errorf("the stream %s says nothing: %v", path, err)
			}
		}
		cancel()
		_ = got.Body.Close()
		if got.StatusCode == http.StatusTooManyRequests && time.Now().Before(deadline) {
			continue
		}
		kind, _, _ = strings.Cut(got.Header.Get("Content-Type"), ";")
		return got.StatusCode, kind
	}
}

// Every page and every read of the interface that does not go to the writer is answered at a door
// as there, also while the writer says nothing. A machine without the keys of the house is such a door: it
// says so, and never takes the writer's place.
func TestADoorAnswersEveryGet(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	text, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	hash := regexp.MustCompile(`password = "([^"]*)"`).FindSubmatch(text)[1]
	names := map[string]string{}
	for _, role := range access.Roles() {
		if role == access.Guest {
			continue
		}
		name := "p-" + role.String()
		if role == access.Player {
			name = "pia"
		}
		names[role.String()] = name
		text = fmt.Appendf(text, "[users.%s]\nrole = %q\npassword = %q\n", name, role, hash)
	}
	if err := os.WriteFile(w.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	first := t.TempDir()
	writer := w.node(database, first)
	if !writer.opened() {
		t.Fatalf("the house does not open:\n%s", writer.logs)
	}
	w.house = writer.process
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "signing"), 0o700); err != nil {
		t.Fatal(err)
	}
	secret, err := os.ReadFile(filepath.Join(writer.signing, machinesFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "signing", machinesFile), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	door := w.node(database, folder)
	if state := door.becomes("door"); !strings.Contains(state.DoorOnly, "there is no") {
		t.Errorf("a door without keys says %q", state.DoorOnly)
	}
	if !strings.Contains(door.logs.String(), "never becomes the writer") {
		t.Errorf("a door without keys logs\n%s", door.logs)
	}

	guest, _ := w.guest(door, 1)
	playUntilRecorded(t, guest, door, database, "vegas")
	people := []*somebody{guest, newSomebody("nobody", "", 3, mathrand.New(mathrand.NewPCG(w.seed, 3)))}
	for role, name := range names {
		s := newSomebody(name, role, len(people), mathrand.New(mathrand.NewPCG(w.seed, uint64(10+len(people)))))
		w.login(s)
		people = append(people, s)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if status, _ := people[len(people)-1].asks(t, door.url, "/api/v1/me"); status == http.StatusOK {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the door answers somebody who signed in with %d", status)
		}
	}

	type answer struct {
		path   string
		by     *somebody
		status int
		kind   string
	}
	var all []answer
	for _, path := range everyGet(t) {
		if !reads(httptest.NewRequest(http.MethodGet, path, http.NoBody)) {
			continue
		}
		best := answer{status: 1000}
		for _, s := range people {
			if status, kind := s.asks(t, writer.url, path); status < best.status {
				best = answer{path, s, status, kind}
			}
		}
		if best.status >= 400 {
			t.Logf("%s is answered %d at the writer", path, best.status)
		}
		if best.status >= 500 {
			t.Errorf("%s is answered %d at the writer", path, best.status)
		}
		all = append(all, best)
	}
	before := writer.becomes("writer").Epoch
	writer.signal(syscall.SIGSTOP)
	for _, want := range all {
		status, kind := want.by.asks(t, door.url, want.path)
		if status != want.status || kind != want.kind {
			t.Errorf("%s asks for %s: the writer answered %d %s, and beside it the door %d %s", want.by.name, want.path, want.status, want.kind, status, kind)
		}
	}
	// The lease has run out by now, or will: nobody takes it.
	for deadline := time.Now().Add(patience); !leaseIsOver(t, database); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the lease does not end")
		}
	}
	time.Sleep(time.Second) // in which a machine with keys would have taken it several times
	if door.becomes("door"); strings.Contains(door.out.String(), "Ctrl-C finishes") {
		t.Error("a machine without keys has become the writer")
	}
	writer.signal(syscall.SIGCONT)
	if state := writer.becomes("writer"); state.Epoch > before+1 {
		t.Errorf("the writer has changed %d times", state.Epoch-before)
	}
	door.sound()
	writer.sound()
}

// leaseIsOver reports whether another process might become the writer.
func leaseIsOver(t *testing.T, database string) (over bool) {
	t.Helper()
	ask(t, database, "SELECT until <= clock_timestamp() FROM head", &over)
	return over
}

// ask reads one row from the database.
func ask(t *testing.T, database, query string, into ...any) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it was read
	if err := conn.QueryRow(context.Background(), query).Scan(into...); err != nil {
		t.Fatal(err)
	}
}
