//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"trey/internal/api"
	"trey/internal/steady"
)

// launchAgain starts a machine again at its address, with more in its environment.
func (w *world) launchAgain(database string, n *node, environment ...string) *node {
	w.Helper()
	again := &node{folder: n.folder, signing: n.signing, keys: n.keys}
	again.process = launchIn(w, environment, "--config", w.config, "--db", database, "--signing", n.signing, "--keys", n.keys, "--listen", strings.TrimPrefix(n.url, "http://"))
	again.url = n.url
	return again
}

// Machines are upgraded one at a time, while commands come to all of them: each is answered
// and done once. The tables of the database and the book of the tables of the house stay
// what they are until every machine reads the later ones; then they begin by themselves. The
// earlier version does not start any more.
func TestMachinesAreUpgradedOneAtATime(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	migrations, err := filepath.Abs("../../internal/store/postgres/migrations")
	if err != nil {
		t.Fatal(err)
	}
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	w.admit()
	eye, kim := w.lives["eye"], w.lives["kim"]
	guest, player := w.guest(nodes[1], 1)
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.url)
	}

	var done atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			clerk := *kim
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("upgrade-%d-%d", i, n)
				body := fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":1}`, player)
				for try, deadline := i, time.Now().Add(patience); ; try++ { // as a load balancer does, at another machine under the same key
					got, err := clerk.ask(context.Background(), urls[try%len(urls)], http.MethodPost, "/api/v1/cage", body, "Idempotency-Key", key)
					if err == nil && got.status < 300 {
						done.Add(1)
						break
					}
					if err == nil && got.status < 500 && got.status != http.StatusTooManyRequests {
						t.Errorf("a command is answered %d %s", got.status, got.text)
						return
					}
					if time.Now().After(deadline) {
						t.Errorf("a command is not answered at any machine: %v", err)
						return
					}
					time.Sleep(20 * time.Millisecond)
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
	const tableVersion, carriedOver = "SELECT max(version_id) FROM goose_db_version WHERE is_applied", "rules-carried-over"
	var before, version int64
	ask(t, database, tableVersion, &before)
	// begun returns what has begun, as the writer knows it.
	begun := func() (tables int64, carried int) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			ask(t, database, tableVersion, &version)
			for _, n := range nodes {
				if !n.writes() {
					continue
				}
				if got, err := eye.ask(t.Context(), n.url, http.MethodGet, "/api/v1/log?stream=house&limit=1000", ""); err == nil && got.status == http.StatusOK {
					return version, strings.Count(got.text, `"`+carriedOver+`"`)
				}
			}
			if time.Now().After(deadline) {
				t.Fatal("no machine is the writer")
			}
		}
	}
	more(20)
	for _, i := range []int{2, 1, 0} {
		stopped := time.Now()
		if err := nodes[i].cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-nodes[i].over
		other := nodes[(i+1)%3]
		other.answers(eye) // a door takes the place of the writer
		more(20)
		// The machine that is away may come back as it was: for a minute nothing begins.
		if tables, carried := begun(); time.Since(stopped) < 50*time.Second && (tables != before || carried > 0) {
			t.Errorf("machine %d is not upgraded yet, and the tables have version %d, and %d tables of the house another revision", i, tables, carried)
		}
		nodes[i] = w.launchAgain(database, nodes[i], laterVersion+"="+migrations)
		nodes[i].becomes("door")
		nodes[i].answers(eye)
		more(20)
		if tables, carried := begun(); i > 0 && (tables != before || carried > 0) {
			t.Errorf("machine %d is upgraded and others are not: the tables have version %d, and %d tables of the house another revision", i, tables, carried)
		}
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		// Two tables play the book by its standard rules, and one by others.
		tables, carried := begun()
		if tables == before+1 && carried >= 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("every machine is upgraded, and the tables have version %d, and %d tables of the house another revision", tables, carried)
		}
	}
	more(20)
	cancel()
	work.Wait()
	for _, at := range nodes {
		got := eye.machinesAt(t, at)
		if slices.ContainsFunc(got.Machines, func(m api.Machine) bool {
			return !m.Gone && (m.Reads.Tables != before+1 || m.Reads.Books["rws-3cp@3"] != laterRevision || !strings.Contains(m.Version, "later"))
		}) {
			t.Errorf("%s lists %+v", at.url, got.Machines)
		}
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			got := guest.insist(t, at.url, http.MethodGet, "/api/v1/account", "")
			if got.status == http.StatusOK && strings.Contains(got.text, fmt.Sprintf(`"balance":%d`, 100_000+done.Load())) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d commands were answered as done, and the account at %s is %d %s", done.Load(), at.url, got.status, got.text)
			}
		}
	}
	nodes[2].kill()
	old := w.launchAgain(database, nodes[2])
	select {
	case <-old.over:
	case <-time.After(patience):
		t.Fatalf("an earlier version runs on:\n%s\n%s", old.out, old.logs)
	}
	if !strings.Contains(old.logs.String()+old.out.String(), "the tables are of a later version of trey") {
		t.Errorf("an earlier version says:\n%s\n%s", old.out, old.logs)
	}
}

// Where the writer ends while machines are upgraded, an earlier version takes its place: nothing is
// recorded in a form that a machine does not read. When no earlier version is there, a later one
// does.
func TestAnEarlierVersionTakesTheWritersPlaceFirst(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	migrations, err := filepath.Abs("../../internal/store/postgres/migrations")
	if err != nil {
		t.Fatal(err)
	}
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	w.admit()
	eye := w.lives["eye"]
	folder := t.TempDir()
	copyFolder(t, nodes[0].folder, folder)
	later := w.nodeIn([]string{laterVersion + "=" + migrations}, database, folder)
	later.becomes("door")
	got := eye.machinesAt(t, nodes[1])
	if !slices.ContainsFunc(got.Machines, func(m api.Machine) bool { return strings.Contains(m.Version, "later") }) {
		t.Fatalf("the later version is not there: %+v", got.Machines)
	}
	nodes[0].kill()
	nodes[1].becomes("writer")
	later.becomes("door")
	nodes[1].kill()
	later.becomes("writer")
	for _, n := range []*node{nodes[1], later} {
		n.sound()
	}
}
