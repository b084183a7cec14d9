//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/load"
	"trey/internal/notary"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// moved runs the command.
func moved(args ...string) (status int, out string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"move", "--why", "a test"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String() + stderr.String()
}

// goesOnFrom reports whether a house goes on from a record.
func goesOnFrom(t *testing.T, place string) bool {
	t.Helper()
	files, err := recordPlace{DB: place}.find(&streams{})
	if err != nil {
		t.Fatal(err)
	}
	if absent(files.db) {
		return false
	}
	if strings.Contains(place, "://") {
		if origin, err := postgres.Holds(t.Context(), place); err != nil || origin == nil {
			return false
		}
	}
	store, err := openFor(t.Context(), files)
	if errors.Is(err, house.ErrElsewhere) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return true
}

// recordAt opens a record that no house has open.
func recordAt(t *testing.T, place string) movable {
	t.Helper()
	files, err := recordPlace{DB: place}.find(&streams{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := openMovable(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// headOf returns the name and the tree of a record.
func headOf(t *testing.T, place string) (string, tree.Head) {
	t.Helper()
	store := recordAt(t, place)
	defer store.Close() //nolint:errcheck // it was only read
	return tree.Name(store.Origin()), store.Head()
}

// A move that is killed at any step is ended by the next one: at no moment does a house go
// on from both places, and the record is the same at both.
func TestAMoveIsKilled(t *testing.T) {
	t.Parallel()
	database := databases(t)
	another := pgserver.StartFor(t)
	elsewhere := func(name string) string {
		t.Helper()
		address, err := another.Database(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	const (
		intoADatabase = "into a database"
		intoAFile     = "into a file"
		amongServers  = "from one server into another"
	)
	t.Run("each", func(t *testing.T) {
		for i, step := range []string{"opened", "written", "left", "signed", "there", "arrived", "nothing"} {
			for k, way := range []string{intoADatabase, intoAFile, amongServers} {
				if (i+k)%steady.Tries(3, 1) != 0 || !steady.Turn(i, 3) {
					continue
				}
				t.Run("after "+step+", "+way, func(t *testing.T) {
					t.Parallel()
					file := signedHouse(t)
					signing := signingBeside(file)
					from, to := file, database(fmt.Sprintf("house_%d_%d", i, k))
					if way != intoADatabase {
						if status, out := moved("--from", "sqlite:"+from, "--to", to, "--signing", signing); status != 0 {
							t.Fatalf("status %d: %s", status, out)
						}
						from, to = to, filepath.Join(t.TempDir(), "back.db")
					}
					if way == amongServers {
						to = elsewhere(fmt.Sprintf("house_%d", i))
					}
					name, before := headOf(t, from)
					args := []string{"--from", from, "--to", to, "--signing", signing}
					if out, err := killAfter(t, step, "", append([]string{"move", "--why", "a test"}, args...)...); (err == nil) != (step == "nothing") {
						t.Fatalf("%v: %s", err, out)
					}
					here, there := goesOnFrom(t, from), goesOnFrom(t, to)
					wantHere, wantThere := step == "opened" || step == "written", step == "arrived" || step == "nothing"
					if here != wantHere || there != wantThere {
						t.Fatalf("a house goes on at the old place: %t, at the new one: %t", here, there)
					}
					if status, out := moved(args...); status != 0 {
						t.Fatalf("again: status %d: %s", status, out)
					}
					if goesOnFrom(t, from) || !goesOnFrom(t, to) {
						t.Fatal("the house has not moved")
					}
					nameHere, left := headOf(t, from)
					nameThere, arrived := headOf(t, to)
					if left.Size != before.Size+1 || arrived.Size != before.Size+2 || nameHere != name || nameThere != name {
						t.Errorf("%s with %d leaves was left as %s with %d and arrived as %s with %d", name, before.Size, nameHere, left.Size, nameThere, arrived.Size)
					}
					for place, size := range map[string]int64{from: left.Size - 1, to: arrived.Size - 1} {
						status, out, logs := auditRun("--db", place, "--signing", signing)
						if status != 0 || !strings.Contains(out, fmt.Sprintf("checkpoint   proven: the tree goes on from the one of %d transactions", size)) {
							t.Errorf("the audit of %s: status %d: %s%s", place, status, out, logs)
						}
					}
					// Once more changes nothing, and nobody moves it elsewhere.
					if status, out := moved(args...); status != 0 {
						t.Errorf("once more: status %d: %s", status, out)
					}
					if _, now := headOf(t, to); now != arrived {
						t.Errorf("once more: %d leaves became %d", arrived.Size, now.Size)
					}
					other := database(fmt.Sprintf("other_%d_%d", i, k))
					if status, out := moved("--from", from, "--to", other, "--signing", signing); status != exitFound || !strings.Contains(out, house.ErrElsewhere.Error()) || goesOnFrom(t, other) {
						t.Errorf("to another place: status %d: %s", status, out)
					}
				})
			}
		}
	})
}

// A house moves through PgBouncer in its transaction mode as without it: into a database, and
// from there into another. Both ways to a database name the same place.
func TestAHouseMovesThroughPgBouncer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	server := pgserver.StartFor(t)
	bouncer, err := server.Bouncer(t.Context())
	if errors.Is(err, pgserver.ErrNoBouncer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bouncer.Stop(); err != nil {
			t.Error(err)
		}
	})
	straight := map[string]string{}
	for _, name := range []string{"one", "two"} {
		if straight[name], err = server.Database(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	file := signedHouse(t)
	signing := signingBeside(file)
	name, before := headOf(t, file)
	from := file
	for i, to := range []string{"one", "two"} {
		if status, out := moved("--from", from, "--to", bouncer.URL(to), "--signing", signing); status != 0 {
			t.Fatalf("to %s: status %d: %s", to, status, out)
		}
		if goesOnFrom(t, from) || !goesOnFrom(t, straight[to]) {
			t.Errorf("the house has not moved to %s", to)
		}
		if nameThere, arrived := headOf(t, straight[to]); nameThere != name || arrived.Size != before.Size+2*int64(i+1) {
			t.Errorf("%s with %d leaves arrived at %s as %s with %d", name, before.Size, to, nameThere, arrived.Size)
		}
		if status, out, logs := auditRun("--db", bouncer.URL(to), "--signing", signing); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("the audit of %s: status %d: %s%s", to, status, out, logs)
		}
		// The same database without PgBouncer is the place where the house is: nothing is left to do.
		_, arrived := headOf(t, straight[to])
		if status, out := moved("--from", from, "--to", straight[to], "--signing", signing); status != 0 {
			t.Errorf("once more, to %s without PgBouncer: status %d: %s", to, status, out)
		}
		if _, now := headOf(t, straight[to]); now != arrived {
			t.Errorf("once more: %d leaves became %d", arrived.Size, now.Size)
		}
		from = bouncer.URL(to)
	}
}

// A house that people play in moves into a database and back. Who is signed in stays so,
// rounds of before are proved by the second program, and the old place serves nobody.
func TestAHouseMoves(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	dir := t.TempDir()
	c := load.Config{Tables: 4, Seats: 2, Duration: load.MinDuration, Name: watcher, Password: "a-word-for-the-watcher", Seed: uint64(time.Now().UnixNano())}
	hash := hashOf(t, c.Password)
	config, file, back := filepath.Join(dir, "house.toml"), filepath.Join(dir, "house.db"), filepath.Join(dir, "back.db")
	if err := os.WriteFile(config, planOfMany(c, hash, house.Pace{ShowMs: 600}), 0o600); err != nil {
		t.Fatal(err)
	}
	signing, keys := signingBeside(file), keysBeside(file)
	at := func(db string) serveCommand {
		return serveCommand{Config: config, DB: db, Signing: signing, Keys: keys}
	}
	o := start(t, at(file))
	play := func() {
		t.Helper()
		c.Address = o.address
		c.Seed++
		if r, err := load.Run(context.Background(), c); err != nil || len(r.Differences) > 0 {
			t.Fatal(r, err)
		}
	}
	play()
	_, key := o.get(t, "/log/key")
	noted := write(t, o.until(t, "/log/checkpoint", func(status int, _ string) bool { return status == http.StatusOK }))
	v := visit(t, o)
	v.send(http.MethodPost, "/sign-in", url.Values{"name": {watcher}, "password": {c.Password}, "back": {"/"}})
	proves := func() {
		t.Helper()
		v.address = o.address
		got := v.send(http.MethodGet, "/api/v1/tables/load-0001/rounds/1", nil)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("who was signed in is answered %s %s", got.Status, got.text)
		}
		if status, out := secondProgram(t, "--key", strings.TrimSpace(key), "--older", noted, "--tiles", o.address+"/log", write(t, got.text)); status != 0 || !strings.Contains(out, "proven") {
			t.Errorf("the second program says: %d %s", status, out)
		}
	}
	// served is why the house does not open from a record.
	served := func(db string) error {
		var out, logs bytes.Buffer
		s, flush := newStreams(strings.NewReader(""), &out, &logs)
		defer flush()
		cmd := at(db)
		cmd.Listen = "127.0.0.1:0"
		return cmd.serve(s, make(chan os.Signal))
	}
	from, older := file, filepath.Join(dir, "older.db")
	for _, to := range []string{database, back} {
		if status, out := moved("--from", from, "--to", to, "--signing", signing); status != exitFound || !strings.Contains(out, "has not moved yet") {
			t.Errorf("an open house moves: status %d: %s", status, out)
		}
		if err := o.stop(t); err != nil {
			t.Fatal(err)
		}
		if from == file {
			if text, err := os.ReadFile(file); err != nil || os.WriteFile(older, text, 0o600) != nil {
				t.Fatal("the record cannot be copied")
			}
		}
		if status, out := moved("--config", config, "--from", from, "--to", to, "--signing", signing); status != 0 {
			t.Fatalf("status %d: %s", status, out)
		}
		// Nobody writes to what the house has left, nor goes on from a copy of before.
		if err := served(from); !errors.Is(err, house.ErrElsewhere) || !strings.Contains(err.Error(), "Open the house where it is now") {
			t.Errorf("it is served at the old place: %v", err)
		}
		if err := served(older); !errors.Is(err, notary.ErrNotContinued) {
			t.Errorf("a copy of before the move is served: %v", err)
		}
		for _, args := range [][]string{
			{"recover", "ada", "--role", "administrator", "--why", "a test", "--db", from, "--keys", keys, "--signing", signing},
			{"erase-name", "ada", "--db", from, "--keys", keys, "--signing", signing},
		} {
			var stdout, stderr bytes.Buffer
			if status := run(args, strings.NewReader("a good word for ada\n"), &stdout, &stderr); status != exitFound || !strings.Contains(stderr.String(), house.ErrElsewhere.Error()) {
				t.Errorf("trey %v: status %d: %s", args, status, &stderr)
			}
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if status, out, logs := backup("--db", from, "--keys", keys, copied); status != 0 || !strings.Contains(out, "No house opens from it") {
			t.Errorf("the copy: status %d: %s%s", status, out, logs)
		}
		o = start(t, at(to))
		proves()
		play()
		proves()
		from = to
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{file, database, back} {
		if status, out, logs := auditRun("--db", place, "--signing", signing); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("the audit of %s: status %d: %s%s", place, status, out, logs)
		}
	}
	// A copy of before the move does not pass for what was left, because somebody has written
	// at its end that the house has moved: neither as long as what was left, nor longer.
	for i := range 2 {
		pretendToLeave(t, older)
		if status, out, logs := auditRun("--db", older, "--signing", signing); status != exitFound || !strings.Contains(logs, notary.ErrNotContinued.Error()) {
			t.Errorf("the audit of a copy that pretends: status %d: %s%s", status, out, logs)
		}
		if status, out, logs := backup("--db", older, "--keys", keys, "--signing", signing, filepath.Join(dir, fmt.Sprint("pretended-", i))); status != exitFound || !strings.Contains(logs, notary.ErrNotContinued.Error()) {
			t.Errorf("the copy of a copy that pretends: status %d: %s%s", status, out, logs)
		}
	}
	// A house moves with its own key and no other.
	stranger := signedHouse(t)
	if status, out := moved("--from", stranger, "--to", databases(t)("other"), "--signing", signing); status != exitFound || !strings.Contains(out, notary.ErrOtherRecord.Error()) {
		t.Errorf("with the key of another house: status %d: %s", status, out)
	}
}

// pretendToLeave writes into a record that the house has moved, once more if it says so.
func pretendToLeave(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for {
		at, err := house.FindWhereabouts(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		write := at.Arriving
		if at.Moved == nil {
			write = func(nowMs int64) (*house.Transaction, error) {
				return at.Leaving(nowMs, house.Moved{Store: inADatabase, Place: "elsewhere", Why: "none"})
			}
		}
		tx, err := write(at.LastMs)
		if err != nil {
			t.Fatal(err)
		}
		if done := <-store.Append(tx); done.Err != nil {
			t.Fatal(done.Err)
		}
		if at.Moved == nil {
			break
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// What makes no sense is refused before anything is done.
func TestMovesThatAreNotMade(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		from, to string
		status   int
		want     string
	}{
		{"sqlite:" + dir + "/a.db", "sqlite:" + dir + "/b.db", exitUsage, "both places are files"},
		{"sqlite:" + dir + "/a.db", "postgres://127.0.0.1:1/trey", exitUsage, "there is no record at"},
		{"mysql://db/trey", "postgres://127.0.0.1:1/trey", exitUsage, "neither a file nor a database"},
		{"sqlite:", "postgres://127.0.0.1:1/trey", exitUsage, "--from names no place"},
		{"postgres://127.0.0.1:1/trey", "sqlite:" + dir + "/b.db", exitFound, "has not moved"},
	} {
		if status, out := moved("--from", test.from, "--to", test.to); status != test.status || !strings.Contains(out, test.want) {
			t.Errorf("from %s to %s: status %d: %s", test.from, test.to, status, out)
		}
	}
	// A reason is as long as any other that is recorded.
	if status, out := moved("--from", "sqlite:"+dir+"/a.db", "--to", "postgres://127.0.0.1:1/trey", "--why", " "); status != exitUsage || !strings.Contains(out, "--why: ") {
		t.Errorf("without a reason: status %d: %s", status, out)
	}
}
