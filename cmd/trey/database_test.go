//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/plan"
	"trey/internal/notary"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// node is a machine of a house in a database: a process with files of its own.
type node struct {
	*process
	folder, signing, keys string
}

var servedAt = regexp.MustCompile(`is open at (http://[0-9.:]*[0-9])`)

// node starts the program on a machine whose files lie in a folder.
func (w *world) node(database, folder string, args ...string) *node {
	w.Helper()
	return w.nodeIn(nil, database, folder, args...)
}

// nodeIn starts it with more in its environment.
func (w *world) nodeIn(environment []string, database, folder string, args ...string) *node {
	w.Helper()
	n := &node{folder: folder, signing: filepath.Join(folder, "signing"), keys: filepath.Join(folder, "house.keys")}
	n.process = launchIn(w, append(environment, clockFile+"="+n.clock()), append([]string{"--config", w.config, "--db", database, "--signing", n.signing, "--keys", n.keys}, args...)...)
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the machine at %s:\n%s\n%s", n.url, n.out, n.logs)
		}
	})
	n.url = n.says(servedAt)
	return n
}

// clock is the file that sets the clock of the machine.
func (n *node) clock() string { return filepath.Join(n.folder, "clock") }

// says waits until the program has said something, and returns the part in brackets.
func (n *node) says(pattern *regexp.Regexp) string {
	n.Helper()
	deadline := time.After(patience)
	for {
		if found := pattern.FindStringSubmatch(n.out.String()); found != nil {
			return found[len(found)-1]
		}
		select {
		case <-n.out.lines:
		case <-n.over:
			n.Fatalf("it has ended:\n%s\n%s", n.out, n.logs)
		case <-deadline:
			n.Fatalf("nothing like %s is said:\n%s\n%s", pattern, n.out, n.logs)
		}
	}
}

// warns waits until a machine says under /readyz what its operator should see to, and in its
// log.
func (n *node) warns(of string) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var answer struct{ Warnings []string }
		if got, err := http.Get(n.url + "/readyz"); err == nil {
			err = json.NewDecoder(got.Body).Decode(&answer)
			_ = got.Body.Close()
			if err == nil && slices.Contains(answer.Warnings, of) && strings.Contains(n.logs.String(), of) {
				return
			}
		}
		if time.Now().After(deadline) {
			n.Fatalf("it warns of %v, and not of %q:\n%s", answer.Warnings, of, n.logs)
		}
	}
}

// refuses waits until a machine does not answer for the house.
func (n *node) refuses(path string) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, err := http.Get(n.url + path)
		if err == nil {
			_ = got.Body.Close()
			if got.StatusCode == http.StatusServiceUnavailable {
				return
			}
		}
		if time.Now().After(deadline) {
			n.Fatalf("it goes on answering %s: %+v, %v", path, got, err)
		}
	}
}

// buyIns are commands that are asked for under their keys, again and again until they are
// answered, at one machine after another.
type buyIns struct {
	*world
	kim     *somebody
	player  string
	targets atomic.Pointer[[]*node]
	done    atomic.Int64
	failed  atomic.Pointer[error]
	end     context.CancelFunc
	work    sync.WaitGroup
}

const buyIn = 100

func (w *world) buyIns(targets ...*node) *buyIns {
	w.Helper()
	b := &buyIns{world: w, kim: newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))}
	b.targets.Store(&targets)
	w.house = targets[0].process
	w.login(b.kim)
	_, b.player = w.guest(targets[0], 1)
	ctx, cancel := context.WithCancel(context.Background())
	b.end = cancel
	for i := range 4 {
		b.work.Go(func() {
			clerk := *b.kim // a browser of the same person
			for n := 0; ctx.Err() == nil; n++ {
				r := &request{by: &clerk, key: fmt.Sprintf("buy-in-%d-%d", i, n), path: "/api/v1/cage", body: fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, b.player, buyIn)}
				if err := b.once(r, i+n); err != nil {
					b.failed.Store(&err)
					return
				}
				b.done.Add(1)
			}
		})
	}
	return b
}

// once asks for a command until it is answered.
func (b *buyIns) once(r *request, n int) error {
	for deadline := time.Now().Add(patience); ; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		targets := *b.targets.Load()
		got, err := r.by.ask(ctx, targets[n%len(targets)].url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key)
		cancel()
		switch {
		case err == nil && got.status < 300:
			return nil
		case err == nil && got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable && got.status != http.StatusConflict:
			return fmt.Errorf("%s is answered %d %s", r.key, got.status, got.text)
		case time.Now().After(deadline):
			return fmt.Errorf("%s is not answered: %w", r.key, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// more waits until so many more commands were answered.
func (b *buyIns) more(n int64) {
	b.Helper()
	deadline := time.Now().Add(2 * patience)
	for want := b.done.Load() + n; b.done.Load() < want; time.Sleep(10 * time.Millisecond) {
		if failed := b.failed.Load(); failed != nil {
			b.Fatal(*failed)
		}
		if time.Now().After(deadline) {
			for _, target := range *b.targets.Load() {
				b.Logf("%s\n%s", target.out, target.logs)
			}
			b.Fatalf("only %d commands were answered", b.done.Load())
		}
	}
}

// read asks a machine until it answers.
func (b *buyIns) read(target *node, path string, into any) {
	b.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got := b.kim.insist(b, target.url, http.MethodGet, path, "")
		if got.status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			if err := json.Unmarshal([]byte(got.text), into); err != nil || got.status != http.StatusOK {
				b.Fatalf("%s is answered %d %s", path, got.status, got.text)
			}
			return
		}
	}
}

// finish ends the commands, and holds what they came to against what each machine says.
func (b *buyIns) finish() {
	b.Helper()
	b.end()
	b.work.Wait()
	if failed := b.failed.Load(); failed != nil {
		b.Fatal(*failed)
	}
	for _, target := range *b.targets.Load() {
		// A guest comes in with 1,000. A door that is asked without a number may be behind.
		want := 100_000 + b.done.Load()*buyIn
		var account struct{ Balance int64 }
		for deadline := time.Now().Add(patience); account.Balance != want && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			b.read(target, "/api/v1/accounts/player:"+b.player, &account)
		}
		if account.Balance != want {
			b.Errorf("after %d buy-ins the player has %d, not %d: one was lost or done twice", b.done.Load(), account.Balance, want)
		}
	}
	b.Logf("%d commands were answered", b.done.Load())
}

// audited audits and copies a record whose house is open, and has an altered one found.
func (w *world) audited(database string, n *node) {
	w.Helper()
	audit := func() (int, string, string) { return auditRun("--db", database, "--signing", n.signing) }
	status, out, logs := audit()
	for _, want := range []string{"money        proven", "people       proven", "tree         proven", "checkpoint   proven"} {
		if status != 0 || !strings.Contains(out, want) {
			w.Fatalf("status %d, and not %q: %s%s", status, want, out, logs)
		}
	}
	copied := filepath.Join(w.TempDir(), "copy.db")
	if status, out, logs := backup("--db", database, "--keys", n.keys, copied); status != 0 || !strings.Contains(out, "every account agrees") {
		w.Fatalf("the backup: status %d: %s%s", status, out, logs)
	}
	// The copy is the same record: what was signed of the one is in the other.
	if status, out, logs := auditRun("--db", copied, "--signing", n.signing); status != 0 || !strings.Contains(out, "tree         proven") {
		w.Fatalf("the audit of the copy: status %d: %s%s", status, out, logs)
	}
	conn, err := pgx.Connect(w.Context(), database)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context()) //nolint:errcheck // it was used
	for _, change := range [][2]string{
		{"UPDATE account SET balance = balance + 1 WHERE name LIKE 'player:%'", "UPDATE account SET balance = balance - 1 WHERE name LIKE 'player:%'"},
		{"UPDATE account SET seq = seq + 1 WHERE name LIKE 'player:%'", "UPDATE account SET seq = seq - 1 WHERE name LIKE 'player:%'"},
		{"UPDATE tx SET at_ms = at_ms + 1 WHERE seq = 3", "UPDATE tx SET at_ms = at_ms - 1 WHERE seq = 3"},
	} {
		if done, err := conn.Exec(w.Context(), change[0]); err != nil || done.RowsAffected() == 0 {
			w.Fatalf("%s: %d rows, %v", change[0], done.RowsAffected(), err)
		}
		if status, out, logs := audit(); status != 1 {
			w.Errorf("after %s: status %d: %s%s", change[0], status, out, logs)
		}
		if _, err := conn.Exec(w.Context(), change[1]); err != nil {
			w.Fatal(err)
		}
	}
	if status, out, logs := audit(); status != 0 {
		w.Errorf("put back as it was: status %d: %s%s", status, out, logs)
	}
}

// A record that lacks what this process was acknowledged is not gone on with, and not
// opened again and again either. The record that has all of it comes as far as the key.
func TestARecordThatLostSomethingIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	database := databases(t)("house")
	store, err := postgres.Open(t.Context(), database, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if done := <-store.Append(&house.Transaction{AtMs: 1, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet"}, Parts: []house.StreamAppend{{Stream: "house"}}}); done.Err != nil {
		t.Fatal(done.Err)
	}
	head, name := store.Head(), tree.Name(store.Origin())
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	lost := head
	lost.Size++
	other := head
	other.Root[0] ^= 1
	for _, test := range []struct {
		what  string
		known tree.Head
		want  error
	}{
		{"a transaction is gone", lost, notary.ErrNotContinued},
		{"another is in its place", other, notary.ErrNotContinued},
		{"nothing is gone", head, nil},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		signals, logs := make(chan os.Signal, 1), &heard{lines: make(chan struct{}, 1)}
		d := &inDatabase{
			opening: &opening{
				serveCommand: &serveCommand{}, plan: &plan.Plan{Database: database, Signing: t.TempDir()}, signals: signals,
				log: slog.New(slog.NewTextHandler(logs, nil)), requests: newEndpoint(listener, slog.New(slog.DiscardHandler)), out: &outputWriter{out: io.Discard}, reach: "127.0.0.1:1",
			},
			last:     lastSeen{name: name, Head: test.known},
			toWriter: &toWriter{repeating: admission.NewPlaces(mostRepeating, mostRepeating)},
		}
		// Without keys it stays a door. It has compared the record when it answers as one.
		// Before there is a house its address leaves a question waiting.
		running, over := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			for deadline := time.Now().Add(patience); ; {
				ask, err := http.NewRequestWithContext(running, http.MethodGet, "http://"+listener.Addr().String()+"/readyz", nil)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := http.DefaultClient.Do(ask)
				if err == nil {
					_ = got.Body.Close()
				}
				if err == nil && got.StatusCode == http.StatusOK {
					break
				}
				if time.Now().After(deadline) {
					t.Errorf("%s: it does not become a door: %+v, %v", test.what, got, err)
					break
				}
				select {
				case <-running.Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
			signals <- os.Interrupt
		})
		again, err := d.once(t.Context(), false)
		over()
		work.Wait()
		if again || !errors.Is(err, test.want) {
			t.Errorf("%s: %v, to be opened again: %t; want %v", test.what, err, again, test.want)
		}
		if err := d.requests.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A machine that is led to a former server, which lacks what the machine has shown and still
// says that it can be written to, does not end: nothing is lost. At the server that counts it
// goes on as a door, unless that lacks something as well.
func TestAFormerServerEndsNoMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c := pgserver.StartClusterFor(t)
	if _, err := c.Database(t.Context(), "house"); err != nil {
		t.Fatal(err)
	}
	appended := func(database string) (store *postgres.Store) {
		t.Helper()
		store, err := postgres.Open(t.Context(), database, postgres.Options{Lease: time.Second, Waiting: func(postgres.Writer) {}})
		if err != nil {
			t.Fatal(err)
		}
		if done := <-store.Append(&house.Transaction{AtMs: 1, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet"}, Parts: []house.StreamAppend{{Stream: "house"}}}); done.Err != nil {
			t.Fatal(done.Err)
		}
		return store
	}
	before := appended(c.URL("house"))
	former, err := c.FailoverApart(t.Context(), "house")
	if err != nil {
		t.Fatal(err)
	}
	store := appended(c.Primary("house"))
	seen := lastSeen{name: tree.Name(store.Origin()), Head: store.Head()}
	if old := before.Head(); old.Size >= seen.Size {
		t.Fatalf("the former server has %d of %d leaves", old.Size, seen.Size)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	before.Close() //nolint:errcheck // its server acknowledges nothing
	look, err := pgx.Connect(t.Context(), former)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close(t.Context()) //nolint:errcheck // it was used
	lost := seen
	lost.Size++
	for _, test := range []struct {
		what, database string
		seen           lastSeen
		goesOn         func(h *handover) bool
		want           error
	}{
		{"at the former server", former, seen, func(*handover) bool {
			var waits bool
			err := look.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'commit' AND datname = 'house')").Scan(&waits)
			return err == nil && waits
		}, nil},
		{"at the server that counts", c.Primary("house"), seen, func(h *handover) bool { return h.door.Load() != nil }, nil},
		{"where something is gone", c.Primary("house"), lost, func(h *handover) bool { return h.door.Load() != nil }, notary.ErrNotContinued},
	} {
		log := slog.New(slog.DiscardHandler)
		h := newHandover(log)
		r := &readings{
			opening: &opening{serveCommand: &serveCommand{}, plan: &plan.Plan{Database: test.database, Signing: t.TempDir()}, log: log, reach: "127.0.0.1:1"}, handover: h, seen: test.seen,
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.once(ctx) }()
		deadline := time.After(patience)
		for waits := true; waits; {
			select {
			case err = <-ended:
				waits = false
			case <-deadline:
				t.Fatalf("%s the machine neither goes on nor ends", test.what)
			case <-time.After(20 * time.Millisecond):
				if test.goesOn(h) {
					cancel()
					err, waits = <-ended, false
				}
			}
		}
		cancel()
		if test.want != nil && !errors.Is(err, test.want) || passing(err) != (test.want == nil) {
			t.Errorf("%s the machine ends with %v, want %v", test.what, err, test.want)
		}
	}
}

// What people read of the address of a database has no password.
func TestNoPasswordIsPrinted(t *testing.T) {
	for address, want := range map[string]string{
		"house.db":                "house.db",
		"postgres://db/trey":      "postgres://db/trey",
		"postgres://trey@db/trey": "postgres://trey@db/trey",
		"postgres://trey:s3cret@db1:5432,db2/trey":    "postgres://trey:xxxxx@db1:5432,db2/trey",
		"postgres://db/trey?user=a&password=s3cret":   "postgres://db/trey?user=a&password=xxxxx",
		"postgres://trey:s3@cret@db1/trey":            "postgres://trey:xxxxx@db1/trey",
		"postgresql://db/trey?password=s3cret&user=a": "postgresql://db/trey?password=xxxxx&user=a",
	} {
		if got := withoutPassword(address); got != want {
			t.Errorf("%s is printed as %s", address, got)
		}
	}
}

// What needs a house that is stopped says what to do where a machine still writes.
func TestAHouseThatStillWritesIsNamed(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	store, err := postgres.Open(t.Context(), database, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"erase-name", "ann", "--db", database, "--signing", t.TempDir()},
		{"move", "--from", database, "--to", "sqlite:" + filepath.Join(t.TempDir(), "house.db"), "--signing", t.TempDir(), "--why", "a test"},
	} {
		var out, logs strings.Builder
		if status := run(args, strings.NewReader(""), &out, &logs); status != exitFound || !strings.Contains(logs.String(), "Stop every machine of the house") {
			t.Errorf("%s: status %d: %s%s", args[0], status, &out, &logs)
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// A machine that is started and finds no server says so, and that it does not wait for one.
func TestAStartDoesNotWaitForItsDatabase(t *testing.T) {
	config := write(t, "database = \"postgres://127.0.0.1:1/trey?sslmode=disable\"\nsigning = \"signing\"\n[tables.a]\nbook = \"us-3cp\"\n")
	var out, logs bytes.Buffer
	if status := run([]string{"serve", "--config", config, "--listen", "127.0.0.1:0"}, strings.NewReader(""), &out, &logs); status != exitFound || !strings.Contains(logs.String(), "does not wait for its database") {
		t.Errorf("status %d: %s%s", status, &out, &logs)
	}
}

// What makes no sense with a database is refused before anything is done.
func TestWhatADatabaseIsNotFor(t *testing.T) {
	const database = "postgres://127.0.0.1:1/trey"
	config := write(t, "database = \""+database+"\"\nsigning = \"signing\"\nmoney = \"play\"\n[tables.a]\nbook = \"us-3cp\"\n")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--db", database}, "a house whose record is in a database has a configuration"},
		{[]string{"serve", "--config", config, "--listen", "127.0.0.1:0", "--node", "m1"}, `"m1" is no address at which other machines reach this one`},
		{[]string{"serve", "--db", "mysql://db/trey"}, "neither a file nor a database of PostgreSQL"},
		{[]string{"archive", "--before", "2020-01", "--db", database}, "only a record in a file is archived"},
		{[]string{"restore", "copy.db", "--by", "ada", "--and", "sam", "--why", "a test", "--db", database}, "made in a file, and trey move takes it into an empty database"},
	} {
		var out, logs bytes.Buffer
		if status := run(test.args, strings.NewReader(""), &out, &logs); status != exitUsage || !strings.Contains(logs.String(), test.want) {
			t.Errorf("trey %v: status %d: %s", test.args, status, logs.String())
		}
	}
	var out, logs bytes.Buffer
	if status := run([]string{"audit", "--db", database}, strings.NewReader(""), &out, &logs); status != 1 {
		t.Errorf("the audit of a database that is not there: status %d: %s%s", status, out.String(), logs.String())
	}
}

// A machine that has not written for a while knows what the writer signed: when all have stopped, and
// the database is one of before, it does not open it, whichever machine is the first. One that lacked
// a checkpoint finds it as a door.
func TestAnOlderDatabaseIsOpenedByNoMachine(t *testing.T) {
	t.Parallel()
	server := databases(t)
	database := server("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	writer, door := nodes[0], nodes[1]
	guest, _ := w.guest(writer, 1)
	var before notary.Checkpoint
	keeps := func(least int64) {
		t.Helper()
		steady.Await(t, fmt.Sprintf("the door keeps a checkpoint of %d transactions", least), func() (kept bool) {
			var err error
			before, err = notary.LastIn(door.signing)
			return err == nil && before.Size >= least
		})
	}
	keeps(2)
	stale := filepath.Join(t.TempDir(), "stale")
	copyFolder(t, door.folder, stale)
	older := filepath.Join(t.TempDir(), "older.db")
	if err := copyOf(t.Context(), database, older, nil); err != nil {
		t.Fatal(err)
	}
	playUntilRecorded(t, guest, door, database, "vegas")
	keeps(before.Size + 10)
	writer.kill()
	door.kill()

	lost := filledWith(t, server("older"), older)
	ends := func(n *node) {
		t.Helper()
		p := launchIn(w, nil, "--config", w.config, "--db", lost, "--signing", n.signing, "--keys", n.keys)
		defer p.kill()
		select {
		case <-p.over:
		case <-time.After(patience):
		}
		if !strings.Contains(p.logs.String(), notary.ErrNotContinued.Error()) {
			t.Errorf("it does not say what is lacking:\n%s\n%s", p.out, p.logs)
		}
	}
	ends(door)
	opened := w.node(lost, stale)
	w.house = opened.process
	opened.becomes("writer")
	ends(door)
}

// filledWith writes the record in a file into a database, as it is, and returns the address of that.
func filledWith(t *testing.T, address, file string) string {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	err = store.Move(t.Context(), nil, func(rows row.Tables, head tree.Head, _ func() error) error {
		return postgres.FillThen(t.Context(), address, rows, head, func() error { return nil })
	})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	return address
}

// The database dies under load, again and again, and its standby goes on: the house opens
// again from it by itself, in the same process, and each command is done once.
func TestAHouseOutlivesItsDatabase(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c := pgserver.StartClusterFor(t)
	if _, err := c.Database(t.Context(), "house"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, t.TempDir())
	n := w.node(c.URL("house"), t.TempDir())
	load := w.buyIns(n)
	// The servers of the tests do not sync, and the operator is told.
	n.warns(postgres.NoFsync.String())
	for range steady.Tries(1, 3) {
		load.more(30)
		if err := c.Failover(t.Context()); err != nil {
			t.Fatal(err)
		}
		load.more(30)
		if err := c.Rejoin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// Without a standby nothing is confirmed: nothing is shown either.
	load.more(30)
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.refuses("/readyz")
	n.refuses("/api/v1/accounts/player:" + load.player)
	if err := c.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	load.more(30)
	load.finish()
	n.sound()
	w.audited(c.URL("house"), n)
	n.signal(os.Interrupt)
	if code := n.status(); code != 0 {
		t.Errorf("it ended with status %d:\n%s", code, n.logs)
	}
}

// Two machines are one house: the one that writes is killed, and later stopped for longer
// than its time as the writer, and the other goes on in its place. Both answer for the
// house all the time, and each command is done once.
func TestAnotherMachineTakesTheWritersPlace(t *testing.T) {
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	folders := [2]string{t.TempDir(), t.TempDir()}
	first := w.node(database, folders[0])
	if !first.opened() {
		t.Fatalf("the house does not open:\n%s", first.logs)
	}
	// The keys lie on each machine that may write.
	copyFolder(t, folders[0], folders[1])
	second := w.node(database, folders[1])
	load := w.buyIns(first, second)
	load.more(40)
	first.kill()
	second.says(regexp.MustCompile(`(Ctrl-C finishes)`))
	load.more(40)
	again := w.node(database, folders[0])
	load.targets.Store(&[]*node{again, second})
	load.more(40)
	second.signal(syscall.SIGSTOP)
	load.targets.Store(&[]*node{again}) // as whoever shares out the requests would
	again.says(regexp.MustCompile(`(Ctrl-C finishes)`))
	load.more(40)
	second.signal(syscall.SIGCONT)
	load.targets.Store(&[]*node{again, second})
	load.more(40)
	load.finish()
	for _, n := range []*node{again, second} {
		n.sound()
		n.signal(os.Interrupt)
		if code := n.status(); code != 0 {
			t.Errorf("it ended with status %d:\n%s\n%s", code, n.out, n.logs)
		}
	}
}
