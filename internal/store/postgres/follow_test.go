//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/tree"
)

// follower is a record that is read while another store writes it.
type follower struct {
	*testing.T
	*postgres.Door
	ended  chan error
	cancel context.CancelFunc

	mu       sync.Mutex
	taken    []house.StoredTransaction
	sessions map[identity.SessionID]identity.KeptSession
	anew     int // how often all sessions were read
}

// followAt follows a record from where it is.
func followAt(t *testing.T, address string) *follower {
	t.Helper()
	return followAs(t, address, "127.0.0.1:1")
}

// followAs follows as the machine at an address: what one announces of itself, no other may write
// in the moment in which it reads the record at first.
func followAs(t *testing.T, address, machine string) *follower {
	t.Helper()
	d, err := postgres.OpenDoor(t.Context(), address, postgres.Options{Node: "door", Address: machine})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{T: t, Door: d, ended: make(chan error, 1), sessions: map[identity.SessionID]identity.KeptSession{}}
	if err := d.ReadSessions(t.Context(), func(s identity.KeptSession) error { f.sessions[s.ID] = s; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := d.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	go func() { f.ended <- d.Follow(ctx, f.take) }()
	t.Cleanup(func() {
		cancel()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *follower) take(news *postgres.News) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = append(f.taken, news.Transactions...)
	if news.AllSessions {
		clear(f.sessions)
	}
	for _, s := range news.Sessions {
		f.sessions[s.ID] = s
	}
	for _, id := range news.Ended {
		delete(f.sessions, id)
	}
	if news.AllSessions {
		f.anew++
	}
	return nil
}

// proven waits until the server has proved that it counts: what was read at first is confirmed.
func (f *follower) proven() {
	f.Helper()
	f.until("what it read at first is confirmed", func() bool { return f.Touched().UnixMilli() > 0 })
}

// until waits until something is so.
func (f *follower) until(what string, so func() bool) {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		reached := so()
		f.mu.Unlock()
		if reached {
			return
		}
		select {
		case err := <-f.ended:
			f.Fatalf("%s: it has ended: %v", what, err)
		default:
		}
		if time.Now().After(deadline) {
			f.Fatalf("%s: not in a minute", what)
		}
	}
}

// reaches waits until a transaction was taken, and holds all that were taken against the
// record.
func (f *follower) reaches(s *postgres.Store, from int64) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
	defer cancel()
	head := s.Head()
	if err := f.Await(ctx, head.Size-1); err != nil {
		f.Fatalf("it comes to transaction %d and not to %d: %v", f.Seq(), head.Size-1, err)
	}
	var want []house.StoredTransaction
	if err := s.ReadAll(ctx, from, "", func(e house.StoredTransaction) error { want = append(want, e); return nil }); err != nil {
		f.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(want) != len(f.taken) {
		f.Fatalf("%d transactions were taken, and %d are recorded", len(f.taken), len(want))
	}
	for i := range want {
		if fmt.Sprint(f.taken[i]) != fmt.Sprint(want[i]) {
			f.Fatalf("%+v was taken, and not %+v", f.taken[i], want[i])
		}
	}
	if got := f.Head(); got != head {
		f.Errorf("its tree is %v, and that of the record %v", got, head)
	}
}

func appended(t *testing.T, s *postgres.Store, tx *house.Transaction) {
	t.Helper()
	if done := <-s.Append(tx); done.Err != nil {
		t.Fatal(done.Err)
	}
}

// execute carries out a statement that the program never would.
func execute(t *testing.T, address, text string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	if _, err := conn.Exec(ctx, text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// hold runs a statement in a transaction, which holds what that locks until it ends.
func hold(t *testing.T, address, text string) pgx.Tx {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) }) // it was used
	held, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(ctx, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return held
}

// numbered has a transaction give a person a number.
func numbered(tx *house.Transaction, number int64, name string) *house.Transaction {
	given, _ := house.NameEvents.Write(house.PersonNumbered{Number: number}) // a number is always JSON
	tx.Names = []people.Name{{Number: number, Text: name}}
	tx.Parts = append(tx.Parts, house.StreamAppend{Stream: house.NamesStream, After: number - 1, Events: []house.Event{given}})
	return tx
}

// Whoever follows takes each transaction once and in its order, many in a batch or one,
// knows the names and the sessions, and has the tree of the record.
func TestFollowing(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	appended(t, s, said("A", 0))
	f := followAt(t, at)
	f.reaches(s, 1)
	var last <-chan house.AppendResult
	for i := range 2000 {
		last = s.Append(said("A", int64(i)+1))
	}
	if done := <-last; done.Err != nil {
		t.Fatal(done.Err)
	}
	f.reaches(s, 1)
	appended(t, s, numbered(said("A", 2001), 1, "ann"))
	f.reaches(s, 1)
	if got := f.Directory().Name("#1"); got != "ann" {
		t.Errorf("the name of #1 is %q", got)
	}
	sessions := func(change identity.SessionWrite, want map[byte]int64) {
		t.Helper()
		if err := <-s.WriteSessions(change); err != nil {
			t.Fatal(err)
		}
		f.until(fmt.Sprintf("sessions %v", want), func() bool {
			if len(f.sessions) != len(want) {
				return false
			}
			for first, seenMs := range want {
				if f.sessions[identity.SessionID{first}].SeenMs != seenMs {
					return false
				}
			}
			return true
		})
	}
	kept := func(first byte) identity.KeptSession {
		return identity.KeptSession{ID: identity.SessionID{first}, Name: "ann", SinceMs: 1, SeenMs: 1}
	}
	sessions(identity.SessionWrite{Put: []identity.KeptSession{kept(1), kept(2)}}, map[byte]int64{1: 1, 2: 1})
	sessions(identity.SessionWrite{Seen: []identity.SessionSeen{{ID: identity.SessionID{2}, SeenMs: 9}}}, map[byte]int64{1: 1, 2: 9})
	sessions(identity.SessionWrite{Drop: []identity.SessionID{{2}}, Put: []identity.KeptSession{kept(3)}}, map[byte]int64{1: 1, 3: 1})
	// A process that becomes the writer may have ended sessions that nobody noted.
	execute(t, at, "DELETE FROM session WHERE changed > 0 AND id < $1", []byte{2})
	again := openAt(t, at, postgres.Options{Held: s.Epoch()})
	f.until("the sessions are read anew", func() bool { return f.anew == 1 && len(f.sessions) == 1 })
	appended(t, again, said("A", 2002))
	f.reaches(again, 1)
	// Whoever comes later has the same tree.
	late := followAs(t, at, "127.0.0.1:2")
	late.reaches(again, again.Head().Size-1)
}

// Nothing is shown that the writer does not know to be on another server: neither to those
// who follow nor to those who read.
func TestWhatIsNotConfirmedIsNotShown(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	appended(t, s, said("A", 0))
	f := followAt(t, at)
	f.reaches(s, 1)
	f.proven()
	// What is committed and not confirmed is as the rows that a cancelled wait leaves.
	ctx := context.Background()
	held := hold(t, at, "SELECT * FROM confirmed FOR UPDATE")
	appended(t, s, said("A", 1))
	if n := query(t, at, "SELECT count(*) FROM tx"); n != 2 {
		t.Fatalf("%d transactions are there", n)
	}
	// Long enough for a follower who takes what is there: it proves twice that it is in
	// touch, and each time has taken all that it may.
	for range 2 {
		touched := f.Touched()
		f.until("in touch", func() bool { return f.Touched().After(touched) })
	}
	if f.Seq() != 1 {
		t.Errorf("transaction %d was taken", f.Seq())
	}
	var read []int64
	if err := f.ReadAll(ctx, 0, "", func(e house.StoredTransaction) error { read = append(read, e.Seq); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := f.Read(ctx, "A", 0, func(r house.StoredEvent) error { read = append(read, r.Seq); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := f.ReadAll(ctx, 0, "A", func(e house.StoredTransaction) error { read = append(read, e.Seq); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := f.Leaves(ctx, 0, func(leaf house.Leaf) error {
		if leaf.Fault != "" {
			t.Errorf("transaction %d: %s", leaf.Seq, leaf.Fault)
		}
		read = append(read, leaf.Seq)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read, []int64{1, 1, 1, 1}) {
		t.Errorf("the transactions %v were read", read)
	}
	if err := held.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	f.reaches(s, 1)
}

// A name that was given by a transaction which is not confirmed is not read: a failover may lose
// the transaction, and another person gets its number.
func TestANameIsReadWithItsTransaction(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	appended(t, s, said("A", 0))
	f := followAt(t, at)
	f.reaches(s, 1)
	f.proven()
	// Of two that are there the first is confirmed, as where the wait for the other server was
	// cancelled.
	held := hold(t, at, "UPDATE confirmed SET seq = 2")
	appended(t, s, numbered(said("A", 1), 1, "ann"))
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())                  //nolint:errcheck // it was used
	until(t, conn, 1, "SELECT count(*) "+confirms) // of the first alone: one that is sent later would be of both
	appended(t, s, numbered(said("A", 2), 2, "bob"))
	if _, err := held.Exec(t.Context(), "UPDATE head SET epoch = epoch + 1"); err != nil { // nobody confirms the other
		t.Fatal(err)
	}
	if err := held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.until("the first name", func() bool { return f.Directory().Name("#1") == "ann" })
	execute(t, at, `WITH a AS (DELETE FROM tx WHERE seq = 3), b AS (DELETE FROM part WHERE id >= 48), c AS (DELETE FROM name WHERE number = 2),
		d AS (DELETE FROM node WHERE level = 0 AND n >= 3 OR level = 1 AND n > 0 OR level > 1) UPDATE head SET seq = 2`)
	next := openAt(t, at, postgres.Options{Held: s.Epoch() + 1})
	appended(t, next, numbered(said("A", 2), 2, "carl"))
	f.until("what took its place", func() bool { return f.Seq() == 3 })
	if got := f.Directory().Name("#2"); got != "carl" {
		t.Errorf("the name of #2 is %q", got)
	}
}

// Where another process becomes the writer while a door has more than a page to read, the door
// reads all sessions at the end: of those that ended meanwhile there may be no note.
func TestSessionsOfANewWriterAreReadBehindManyPages(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	appended(t, s, said("A", 0))
	kept := identity.KeptSession{ID: identity.SessionID{1}, Name: "ann", SinceMs: 1, SeenMs: 1}
	if err := <-s.WriteSessions(identity.SessionWrite{Put: []identity.KeptSession{kept}}); err != nil {
		t.Fatal(err)
	}
	f := followAt(t, at)
	f.reaches(s, 1)
	f.until("the session", func() bool { return len(f.sessions) == 1 })
	f.mu.Lock() // it takes nothing for a while
	var last <-chan house.AppendResult
	for i := range 1200 {
		last = s.Append(said("A", int64(i)+1))
	}
	if done := <-last; done.Err != nil {
		t.Fatal(done.Err)
	}
	execute(t, at, "DELETE FROM session")
	next := openAt(t, at, postgres.Options{Held: s.Epoch()})
	appended(t, next, said("A", 1201))
	f.mu.Unlock()
	f.reaches(next, 1)
	f.until("no session", func() bool { return len(f.sessions) == 0 })
}

// A writer that is closed has confirmed all that it acknowledged: doors go on to show it.
func TestTheLastConfirmation(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	for n := range int64(20) {
		s := openAt(t, at, postgres.Options{})
		appended(t, s, said("A", n))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := query(t, at, "SELECT seq FROM confirmed"); got != n+1 {
			t.Fatalf("transaction %d is confirmed, and %d was acknowledged", got, n+1)
		}
	}
}

// A wake-up that is lost costs a moment: a poll stands behind it.
func TestALostWakeUp(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	f := followAt(t, at)
	for n := range int64(10) {
		execute(t, at, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
		appended(t, s, said("A", n))
		f.reaches(s, 0)
	}
}

// A database that lacks what was read from it before, or has something else in its place,
// is not read on: a failover has lost what was acknowledged.
func TestWhoReadsFindsALoss(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ what, change string }{
		{"the last one is gone", "WITH h AS (UPDATE head SET seq = 2), c AS (UPDATE confirmed SET seq = 2) DELETE FROM tx WHERE seq = 3"},
		{"another is in its place", "WITH h AS (UPDATE head SET seq = 4), c AS (UPDATE confirmed SET seq = 4), n AS (INSERT INTO tx SELECT 4, at_ms, salt, line, mark FROM tx WHERE seq = 3) UPDATE tx SET at_ms = at_ms + 1 WHERE seq = 3"},
	} {
		t.Run(test.what, func(t *testing.T) {
			at := newAddress(t)
			s := openAt(t, at, postgres.Options{})
			for n := range int64(3) {
				appended(t, s, said("A", n))
			}
			f := followAt(t, at)
			f.reaches(s, 3)
			f.until("in touch", func() bool { return f.Touched().UnixMilli() > 0 })
			execute(t, at, test.change)
			select {
			case err := <-f.ended:
				if !errors.Is(err, postgres.ErrBehind) {
					t.Errorf("it ends with %v", err)
				}
			case <-time.After(time.Minute):
				t.Error("it reads on")
			}
		})
	}
}

// What a door read at first may never have been durable: a failover put another transaction in
// its place. Nobody was shown it, so the door ends as one that reads the record anew, and not as
// one whose record has lost something.
func TestWhatWasReadAtFirstMayNotBeDurable(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	for n := range int64(2) {
		appended(t, s, said("A", n))
	}
	ctx := context.Background()
	held := hold(t, at, "UPDATE confirmed SET seq = 2")
	appended(t, s, said("A", 2))
	f := followAt(t, at)
	for _, change := range []string{
		"INSERT INTO tx SELECT 4, at_ms, salt, line, mark FROM tx WHERE seq = 3", "UPDATE tx SET at_ms = at_ms + 1 WHERE seq = 3",
		"UPDATE head SET seq = 4", "UPDATE confirmed SET seq = 4",
	} {
		if _, err := held.Exec(ctx, change); err != nil {
			t.Fatal(err)
		}
	}
	if err := held.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-f.ended:
		if errors.Is(err, postgres.ErrBehind) || !errors.Is(err, house.ErrFailed) {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it reads on")
	}
	if f.Seq() != 3 || len(f.taken) > 0 {
		t.Errorf("%d transactions were taken behind %d", len(f.taken), f.Seq())
	}
}

// A lease that is put off counts from a commit that is on another server, as any other: where the
// wait for that is cancelled, the writer may be none any more.
func TestALeaseThatIsPutOffIsProven(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	s := reopen(t, c.URL(database), postgres.Options{Lease: time.Second, Silence: time.Minute})
	appended(t, s, said("A", 0))
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	look, err := pgx.Connect(t.Context(), c.Primary(database))
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close(t.Context()) //nolint:errcheck // it was used
	const waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'UPDATE head SET until%'"
	until(t, look, 1, "SELECT count(*) "+waits)
	heard := s.ConfirmedAt()
	if n := query(t, c.Primary(database), "SELECT count(pg_cancel_backend(pid)) "+waits); n != 1 {
		t.Fatalf("%d waits were cancelled", n)
	}
	select {
	case <-s.Broken():
	case <-time.After(time.Minute):
		t.Error("a writer goes on whose lease is on no other server")
	}
	if s.ConfirmedAt() != heard {
		t.Error("a lease that is on no other server counts as heard")
	}
	if err := c.Failover(t.Context()); err != nil { // closing would wait for the standby
		t.Fatal(err)
	}
}

// What a door reads at first counts from a commit that is on another server: where the wait for
// that is cancelled, nothing of it does.
func TestWhatIsReadAtFirstIsProven(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	s := reopen(t, c.URL(database), postgres.Options{Silence: time.Minute})
	appended(t, s, said("A", 0))
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := postgres.OpenDoor(t.Context(), c.URL(database), postgres.Options{Silence: time.Minute, Node: "door", Address: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error, 1)
	go func() { loaded <- d.Loaded(context.WithoutCancel(t.Context())) }()
	look, err := pgx.Connect(t.Context(), c.Primary(database))
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close(t.Context()) //nolint:errcheck // it was used
	const waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'commit'"
	until(t, look, 1, "SELECT count(*) "+waits)
	if n := query(t, c.Primary(database), "SELECT count(pg_cancel_backend(pid)) "+waits); n != 1 {
		t.Fatalf("%d waits were cancelled", n)
	}
	if err := <-loaded; err == nil {
		t.Error("what a server said that acknowledges nothing counts")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Failover(t.Context()); err != nil { // closing would wait for the standby
		t.Fatal(err)
	}
	s.Close() //nolint:errcheck // its connection is lost
}

// confirms are the connections of a database that wait to write down what is confirmed.
const confirms = "FROM pg_stat_activity WHERE query LIKE 'WITH c AS (UPDATE confirmed%' AND wait_event_type = 'Lock' AND datname = current_database()"

// A writer confirms nothing at a server that knows another epoch: a former server, to which a
// connection may still lead, has other transactions under the same numbers.
func TestAConfirmationNamesItsEpoch(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	const confirmed, sessions = "SELECT seq FROM confirmed", "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	held := hold(t, at, "UPDATE confirmed SET seq = 0")
	appended(t, s, said("A", 0))
	until(t, conn, 1, "SELECT count(*) "+confirms)
	execute(t, at, "UPDATE head SET epoch = epoch + 1")
	execute(t, at, "SELECT pg_terminate_backend(pid) "+confirms)
	// It tries again and again, each time on a connection of its own.
	var begun int64
	if err := conn.QueryRow(ctx, sessions).Scan(&begun); err != nil {
		t.Fatal(err)
	}
	until(t, conn, 1, "SELECT count(*) FROM pg_stat_database WHERE datname = current_database() AND sessions >= $1", begun+5)
	if err := held.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n := query(t, at, confirmed); n != 0 {
		t.Errorf("a former writer confirms transaction %d", n)
	}
	execute(t, at, "UPDATE head SET epoch = epoch - 1")
	until(t, conn, 1, confirmed)
}

// A door whose database says nothing any more is out of touch, and in touch again with all
// that was recorded when it speaks again.
func TestADoorOutOfTouch(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	p := newProxy(t, at)
	f := followAt(t, p.address)
	appended(t, s, said("A", 0))
	f.reaches(s, 0)
	f.until("in touch", func() bool { return f.Touched().UnixMilli() > 0 })
	p.silent.Store(true)
	before := time.Now()
	appended(t, s, said("A", 1))
	f.until("out of touch", func() bool { return time.Since(f.Touched()) > 2*time.Second })
	if f.Touched().After(before.Add(time.Second)) {
		t.Errorf("it was in touch at %v, and the server silent since %v", f.Touched(), before)
	}
	if f.Seq() != 1 {
		t.Errorf("transaction %d was taken from a silent server", f.Seq())
	}
	p.silent.Store(false)
	f.reaches(s, 0)
	silent := time.Now()
	f.until("in touch again", func() bool { return f.Touched().After(silent) })
}

// Whoever reads writes nothing.
func TestADoorWritesNothing(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	f := followAt(t, at)
	if done := <-f.Append(said("A", 0)); done.Err == nil {
		t.Error("a transaction was taken")
	}
	if err := <-f.WriteSessions(identity.SessionWrite{Drop: []identity.SessionID{{1}}}); err == nil {
		t.Error("a change of sessions was taken")
	}
	appended(t, s, said("A", 0))
	f.reaches(s, 0)
	if tree.Name(f.Origin()) != tree.Name(s.Origin()) {
		t.Error("it is another record")
	}
	f.until("it is heard of", func() bool {
		return query(t, at, "SELECT count(*) FROM machine WHERE address = '127.0.0.1:1' AND node = 'door' AND seq = 1 AND at > clock_timestamp() - interval '1 minute'") == 1
	})
}

// How long ago the database was heard of is no matter of the clock of the machine, which may be
// set at any moment: else a machine that is cut off would go on answering when it is set back.
func TestAClockThatIsSetHidesNoSilence(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	appended(t, s, said("A", 0))
	f := followAt(t, at)
	f.until("it is in touch", func() bool { return !f.Touched().IsZero() })
	for what, heard := range map[string]time.Time{"the writer": s.ConfirmedAt(), "a door": f.Touched()} {
		// As it is printed, a time says whether it has a reading of the clock that never jumps.
		if !strings.Contains(heard.String(), " m=") {
			t.Errorf("%s was last confirmed at %s, by a clock that can be set", what, heard)
		}
	}
}

// An answer that comes late says nothing of the time since it was asked for: the lease may have
// run out meanwhile, and another process be the writer. Whoever counted from the answer would
// show what is older than what that one has answered.
func TestALateAnswerProvesNothingOfLater(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{Lease: time.Hour}) // it writes nothing by itself meanwhile
	appended(t, s, said("A", 0))
	ctx := t.Context()
	held := hold(t, at, "SELECT * FROM head FOR UPDATE")
	late := s.Append(said("A", 1))
	for deadline := time.Now().Add(time.Minute); query(t, at, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the batch waits for nothing")
		}
	}
	asked := time.Now()
	if err := held.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if done := <-late; done.Err != nil {
		t.Fatal(done.Err)
	}
	if heard := s.ConfirmedAt(); heard.After(asked) {
		t.Errorf("the batch was begun before %s, and the database counts as heard of at %s", asked, heard)
	}
}

// A door proves that it is in touch by commits that are on another server, whatever the
// server is set to in the meantime: else it would go on showing what a server has that is cut off
// from the others, and may be a former one.
func TestADoorIsInTouchByWhatIsOnAnotherServer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	s := reopen(t, c.URL(database), postgres.Options{})
	appended(t, s, said("A", 0))
	execute(t, c.Primary(database), "ALTER DATABASE "+database+" SET synchronous_commit = local")
	f := followAt(t, c.URL(database))
	f.proven()
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	cut := time.Now()
	f.until("it is out of touch", func() bool { return time.Since(f.Touched()) > 3*time.Second })
	if f.Touched().After(cut.Add(time.Second)) {
		t.Errorf("it was in touch at %v, and its server cut off since %v", f.Touched(), cut)
	}
	d, err := postgres.OpenDoor(t.Context(), c.URL(database), postgres.Options{Address: "127.0.0.1:2", Silence: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Loaded(t.Context()); err == nil {
		t.Error("what it read at first counts")
	}
	d.Close() //nolint:errcheck // its connection is gone
	s.Close() //nolint:errcheck // its server acknowledges nothing
}
