//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"

	"trey/internal/steady"
	"trey/internal/store/postgres/pgserver"
)

var (
	historyRounds = flag.Int("history.rounds", steady.Tries(0, 1), "how often the test of histories does each kind of failure to a house, 0 for not at all; scripts/nightly has a night of them")
	historyHouses = flag.Int("history.houses", 1, "how many houses the test of histories has at the same time, each with its own failures")
)

// machine is a machine of a house, and its networks.
type machine struct {
	*node
	folder string
	// database is its address by the servers' wires, which no other machine has.
	database string
	servers  []*wire
	// reached is by which the other machines reach it.
	reached *wire
}

// start starts the program at the address that the machine always has.
func (m *machine) start(w *world) {
	m.node = w.node(m.database, m.folder, "--node", m.reached.Addr().String())
	address := strings.TrimPrefix(m.url, "http://")
	m.reached.server.Store(&address)
}

// nemesis does to a house what goes wrong with machines, networks and servers.
type nemesis struct {
	*histories
	cluster  *pgserver.Cluster
	database string // past all wires
	machines []*machine
	// away are machines to which whoever shares out the requests sends none.
	away map[*machine]bool
}

// failures are the kinds of failures. Each begins at a machine, the writer if there is one
// failure, and returns what ends it.
var failures = []struct {
	what string
	// ofHouse says that it is of the whole house: it comes together with those of one machine.
	ofHouse bool
	begin   func(n *nemesis, m *machine) (end func())
}{
	{"a machine is killed", false, func(n *nemesis, m *machine) func() {
		n.aside(m, true)
		m.kill()
		return func() {
			m.start(n.world)
			n.aside(m, false)
		}
	}},
	{"a machine is stopped past its lease", false, func(n *nemesis, m *machine) func() {
		n.aside(m, true)
		m.signal(syscall.SIGSTOP)
		return func() {
			m.signal(syscall.SIGCONT)
			n.aside(m, false)
		}
	}},
	// People still ask the machine: it has to send them away.
	{"a machine is cut off from the database", false, func(n *nemesis, m *machine) func() { return n.cut(m.servers...) }},
	{"a machine is cut off from the other machines", false, func(n *nemesis, m *machine) func() { return n.cut(m.reached) }},
	{"the networks of a machine are slow", false, func(n *nemesis, m *machine) func() {
		wires := append(slices.Clone(m.servers), m.reached)
		delay := []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond}[n.rng.IntN(3)]
		for _, l := range wires {
			l.delay.Store(int64(delay))
		}
		return func() {
			for _, l := range wires {
				l.delay.Store(0)
			}
		}
	}},
	{"the clock of the writer is set", false, func(n *nemesis, m *machine) func() { return n.jump(m) }},
	{"the clock of a door is set", false, func(n *nemesis, m *machine) func() {
		return n.jump(n.machines[(slices.Index(n.machines, m)+1)%len(n.machines)])
	}},
	{"the clock of the database is set", true, func(n *nemesis, _ *machine) func() {
		n.serverClock(n.ahead())
		return func() {
			n.while()
			n.serverClock(0)
		}
	}},
	{"the database fails over and back", true, func(n *nemesis, _ *machine) func() {
		n.must(n.cluster.Failover(n.Context()))
		return func() {
			n.must(n.cluster.Rejoin(n.Context()))
			n.must(n.cluster.Return(n.Context()))
			n.must(n.cluster.Rejoin(n.Context()))
		}
	}},
	{"the disk of the database is full", true, func(n *nemesis, _ *machine) func() {
		err := n.cluster.FillDisk(n.Context())
		if errors.Is(err, errors.ErrUnsupported) {
			n.Log("no disk is filled: there is no prlimit (Debian: util-linux)")
			return func() {}
		}
		n.must(err)
		n.must(n.cluster.Failover(n.Context()))
		return func() { n.must(n.cluster.Rejoin(n.Context())) }
	}},
}

func (n *nemesis) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

// ahead draws by how much a clock is wrong: by less than a machine may be that takes the lease, by more
// than a lease lasts, and by much more. Nobody is signed out within that.
func (n *nemesis) ahead() time.Duration {
	all := []time.Duration{time.Second, 10 * time.Second, 10 * time.Minute, -time.Second, -10 * time.Second, -time.Hour}
	return all[n.rng.IntN(len(all))]
}

// jump sets the clock of a machine.
func (n *nemesis) jump(m *machine) (end func()) {
	file := m.clock()
	n.must(setClock(file, n.ahead()))
	return func() {
		n.while()
		n.must(setClock(file, 0))
	}
}

// while waits for a drawn time, so that leases run out meanwhile or do not.
func (n *nemesis) while() { time.Sleep(time.Duration(n.rng.IntN(4000)) * time.Millisecond) }

// wrongClock has all who ask the database for the time be answered by a function that a test can set.
// Statements name the function without its schema.
const wrongClock = `CREATE SCHEMA wrong;
CREATE TABLE wrong.clock (ahead interval NOT NULL);
INSERT INTO wrong.clock VALUES ('0');
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM wrong.clock';
ALTER DATABASE house SET search_path = public, pg_catalog`

// serverClock sets the clock of the database, when a server goes on that can be written to.
func (n *nemesis) serverClock(ahead time.Duration) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		conn, err := pgx.Connect(n.Context(), n.database)
		if err == nil {
			_, err = conn.Exec(n.Context(), "UPDATE wrong.clock SET ahead = $1", ahead)
			_ = conn.Close(n.Context()) // it was used
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			n.Fatalf("the clock of the database cannot be set: %v", err)
		}
	}
}

// aside has people ask a machine no more, or again.
func (n *nemesis) aside(m *machine, away bool) {
	n.away[m] = away
	var there []*node
	for _, m := range n.machines {
		if !n.away[m] {
			there = append(there, m.node)
		}
	}
	n.targets.Store(&there)
}

// cut cuts wires in one direction or both. In the end what was held back arrives, or the
// connections are broken.
func (n *nemesis) cut(wires ...*wire) (end func()) {
	way, broken := n.rng.IntN(3), n.rng.IntN(2) == 0
	for _, l := range wires {
		l.there.Store(way != 1)
		l.back.Store(way != 0)
	}
	return func() {
		for _, l := range wires {
			if broken {
				l.broken()
			}
			l.there.Store(false)
			l.back.Store(false)
		}
	}
}

// writer returns the machine that the database names as the writer.
func (n *nemesis) writer() *machine {
	n.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var address string
		conn, err := pgx.Connect(n.Context(), n.database)
		if err != nil {
			continue
		}
		err = conn.QueryRow(n.Context(), "SELECT address FROM head WHERE until > clock_timestamp()").Scan(&address)
		_ = conn.Close(n.Context()) // it was asked
		for _, m := range n.machines {
			if err == nil && m.reached.Addr().String() == address {
				return m
			}
		}
	}
	n.Fatal("the database names no machine as the writer")
	return nil
}

// round does each kind of failure once, in an order that is drawn, and two at the same time.
// After each, commands are acknowledged.
func (n *nemesis) round() {
	n.Helper()
	for _, i := range n.rng.Perm(len(failures) + 1) {
		began := time.Now()
		what := "two at the same time"
		if i < len(failures) {
			what = failures[i].what
			end := failures[i].begin(n, n.writer())
			n.acknowledged(25, "while "+what)
			end()
		} else {
			what += ": " + n.two()
		}
		n.acknowledged(25, "after "+what)
		for _, m := range n.machines {
			select {
			case <-m.over:
				n.Fatalf("after %s a machine has ended by itself:\n%s\n%s", what, m.out, m.logs)
			default:
			}
		}
		n.Logf("%5.1f s: %s", time.Since(began).Seconds(), what)
	}
}

// two begins two failures at the same time: one of the writer, and one of another machine or
// of the database. It returns which.
func (n *nemesis) two() string {
	var of [2][]int // of a machine, and of the whole house
	for i := range failures {
		at := 0
		if failures[i].ofHouse {
			at = 1
		}
		of[at] = append(of[at], i)
	}
	one := failures[of[0][n.rng.IntN(len(of[0]))]]
	kind := n.rng.IntN(2)
	other := failures[of[kind][n.rng.IntN(len(of[kind]))]]
	writer := n.writer()
	at := (slices.Index(n.machines, writer) + 1 + n.rng.IntN(len(n.machines)-1)) % len(n.machines)
	what := fmt.Sprintf("%s, and %s", one.what, other.what)
	endOne := one.begin(n, writer)
	endOther := other.begin(n, n.machines[at])
	n.while() // another takes the writer's place meanwhile, or not
	if n.rng.IntN(2) == 0 {
		endOne, endOther = endOther, endOne
	}
	endOne()
	endOther()
	return what
}

// What people at three machines were answered can have happened in one order, whatever fails:
// each account as a register, the meter as the record has it, each acknowledged key once, and
// event streams that are resumed at one machine or the other without a gap or a repetition.
// What was stopped or cut off writes no row when it comes back: the tree, the keys and the
// parts of streams agree.
//
// It takes minutes, and a step of .ci/run does it. Without it the writer is killed in TestTakeovers, it
// is stopped past its lease in TestAnotherMachineTakesTheWritersPlace, and cut off from the database
// in TestALateAnswerShowsNothingOld; the database fails over in TestAHouseOutlivesItsDatabase.
func TestHistories(t *testing.T) {
	t.Parallel()
	if *historyRounds == 0 {
		t.Skip("it takes minutes: go test ./cmd/trey -run '^TestHistories$' -history.houses 5 -history.rounds 2, as .ci/run does")
	}
	if *historyHouses == 1 { // not in the line of the subtests: it takes longer than all others
		beset(t, 0)
		return
	}
	for house := range *historyHouses {
		t.Run(fmt.Sprint("house ", house+1), func(t *testing.T) {
			t.Parallel()
			beset(t, uint64(house))
		})
	}
}

// beset opens a house, has people in, does all kinds of failures to it and checks the histories.
func beset(t *testing.T, house uint64) {
	c := pgserver.StartClusterFor(t)
	if _, err := c.Database(t.Context(), "house"); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), c.URL("house"))
	if err == nil {
		_, err = conn.Exec(t.Context(), wrongClock)
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, t.TempDir())
	w.rng = mathrand.New(mathrand.NewPCG(w.seed, 1000+house))
	// People get a word in, over HTTP and through another machine.
	text, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`betting = "8ms"`), []byte(`betting = "200ms"`), 1)
	text = append(text, "\n[cage]\nday = \"100000000\"\n"...) // one cashier moves all of it, for as many rounds as are asked for
	if err := os.WriteFile(w.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	n := &nemesis{
		cluster: c, database: c.URL("house"), away: map[*machine]bool{},
		histories: &histories{world: w, start: time.Now(), accounts: map[string][]porcupine.Operation{}, keys: map[string]int64{}},
	}
	for i := range 3 {
		m := &machine{folder: t.TempDir(), reached: newWire(t)}
		m.servers, m.database = wiresTo(t, n.database)
		if i > 0 {
			copyFolder(t, n.machines[0].folder, m.folder)
		}
		m.start(w)
		if i == 0 && !m.opened() {
			t.Fatalf("the house does not open:\n%s", m.logs)
		}
		n.machines = append(n.machines, m)
	}
	n.aside(n.machines[0], false)
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	kim.seen = &n.seen
	w.house = n.machines[0].process
	w.login(kim)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var work sync.WaitGroup
	for client := range 2 { // two at each account
		_, name := n.guest(client + 1)
		work.Go(func() { n.cashier(ctx, *kim, 2*client, name) })
		work.Go(func() { n.cashier(ctx, *kim, 2*client+1, name) })
	}
	for client := range 3 {
		s, _ := n.guest(client + 10)
		work.Go(func() { n.player(ctx, s, client+10) })
	}
	for client, of := range []topic{{table: "classic-1"}, {table: "classic-1"}, {table: "classic-2"}, {jackpot: "linked"}, {jackpot: "linked"}, {}, {}} {
		s, _ := n.guest(client + 20)
		f := &follower{somebody: s, topic: of, texts: map[int64]string{}}
		n.followers = append(n.followers, f)
		work.Go(func() { n.follow(ctx, f) })
	}
	n.acknowledged(25, "at the beginning")
	for range *historyRounds {
		n.round()
	}
	end()
	work.Wait()
	if n.failed != nil {
		t.Fatal(n.failed)
	}
	if status, out, logs := auditRun("--db", n.database, "--signing", filepath.Join(n.writer().folder, "signing")); status != 0 || !strings.Contains(out, "money        proven") || !strings.Contains(out, "tree         proven") {
		t.Errorf("the audit: status %d: %s%s", status, out, logs)
	}
	n.checkStreams(n.database, *n.targets.Load())
	for _, m := range n.machines {
		m.sound()
		m.kill()
	}
	n.check(n.database)
}
