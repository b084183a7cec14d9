//go:build unix

package postgres_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// said returns a transaction that appends an event to a stream.
func said(stream string, after int64) *house.Transaction {
	return &house.Transaction{
		AtMs: 7, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet"},
		Parts: []house.StreamAppend{{Stream: stream, After: after, Events: []house.Event{{Kind: "said", Body: []byte(`{}`)}}}},
	}
}

// query returns the one number that a query asks for, on a connection of its own.
func query(t *testing.T, address, text string, args ...any) (n int64) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	if err := conn.QueryRow(ctx, text, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func newAddress(t *testing.T) string {
	t.Helper()
	needs(t)
	at, err := address(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func openAt(t *testing.T, address string, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // it may be closed already
	return s
}

// The process that was the writer writes nothing any more, however it comes back: no row
// of its batch is there.
func TestOnlyTheWriterWrites(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, postgres.Options{Lease: time.Hour})
	if done := <-first.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if _, err := postgres.Open(context.Background(), at, postgres.Options{Lease: time.Millisecond}); !errors.Is(err, postgres.ErrInUse) {
		t.Fatalf("a second writer was let in: %v", err)
	}
	// Its time runs out, as if it had been stopped for an hour.
	query(t, at, "UPDATE head SET until = clock_timestamp() RETURNING 1")
	second := openAt(t, at, postgres.Options{Lease: time.Hour})
	if done := <-first.Append(said("A", 1)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("the first one wrote after it: %+v", done)
	}
	select {
	case <-first.Broken():
	case <-time.After(time.Minute):
		t.Error("the first one goes on")
	}
	if n := query(t, at, "SELECT count(*) + (SELECT count(*) FROM part) FROM tx"); n != 2 {
		t.Errorf("%d rows of two transactions and parts are there", n)
	}
	if done := <-second.Append(said("A", 1)); done.Err != nil || done.Seq != 2 {
		t.Errorf("the second one cannot go on: %+v", done)
	}
	// What the first one thinks of itself when it is closed changes nothing.
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if done := <-second.Append(said("A", 2)); done.Err != nil || done.Seq != 3 {
		t.Errorf("the second one cannot go on: %+v", done)
	}
}

// The clock of the server is set back, and a lease seems to last for another hour. A writer that is
// there keeps it, and puts it off by the clock as it is. Where nobody puts it off it is over.
func TestALeaseThatEndsTooLateIsLeft(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, postgres.Options{})
	if done := <-first.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	epoch := query(t, at, "UPDATE head SET until = clock_timestamp() + interval '1 hour' RETURNING epoch")
	opened := make(chan *postgres.Store, 1)
	open := func() {
		s, err := postgres.Open(context.Background(), at, postgres.Options{Waiting: func(postgres.Writer) {}})
		if err != nil {
			t.Error(err)
		}
		opened <- s
	}
	go open()
	steady.Await(t, "a lease that another process waits for", func() bool {
		return query(t, at, "SELECT count(*) FROM head WHERE until < clock_timestamp() + interval '1 minute'") > 0
	})
	if n := query(t, at, "SELECT epoch FROM head"); n != epoch {
		t.Errorf("a writer that is there has lost its place: epoch %d after %d", n, epoch)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second := <-opened
	if second == nil {
		t.FailNow()
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	// This one puts nothing off before the test is over.
	openAt(t, at, postgres.Options{Lease: time.Hour})
	go open()
	third := <-opened
	if third == nil {
		t.FailNow()
	}
	t.Cleanup(func() { third.Close() }) //nolint:errcheck // nothing depends on it
	if done := <-third.Append(said("A", 1)); done.Err != nil {
		t.Error(done.Err)
	}
}

// A process that hears only after the time of its lease that it is the writer takes the lease
// anew: another process may have become the writer meanwhile, and have written.
func TestALeaseThatComesLateIsTakenAnew(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, postgres.Options{})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	held := hold(t, at, "SELECT * FROM head FOR UPDATE")
	const lease = 300 * time.Millisecond
	opened := make(chan *postgres.Store, 1)
	failed := make(chan error, 1)
	go func() {
		s, err := postgres.Open(ctx, at, postgres.Options{Lease: lease, Waiting: func(postgres.Writer) {}})
		failed <- err
		opened <- s
	}()
	other, err := pgx.Connect(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(ctx) //nolint:errcheck // it was used
	until(t, other, 1, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE head%' AND datname = current_database()")
	time.Sleep(lease + lease/3)
	if err := held.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	s := <-opened
	defer s.Close() //nolint:errcheck // it was looked at
	if s.Epoch() < first.Epoch()+2 {
		t.Errorf("it is the writer in epoch %d, which came late", s.Epoch())
	}
}

// A process that was the writer is so again at once, though its time still runs; one that
// no longer was, when its time ran out, waits as any other.
func TestTheWriterComesBackAtOnce(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, postgres.Options{Lease: time.Hour})
	again := openAt(t, at, postgres.Options{Lease: time.Hour, Held: first.Epoch()})
	if done := <-first.Append(said("A", 0)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("the writer before it goes on: %+v", done)
	}
	if done := <-again.Append(said("A", 0)); done.Err != nil {
		t.Error(done.Err)
	}
	if _, err := postgres.Open(t.Context(), at, postgres.Options{Lease: time.Millisecond, Held: first.Epoch()}); !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("one that was the writer before came back: %v", err)
	}
	if _, err := postgres.Open(t.Context(), at, postgres.Options{Lease: time.Millisecond}); !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("one that never was the writer came in: %v", err)
	}
}

// A process that waits learns where the writer is, and takes its place when it ends.
func TestAProcessWaitsForTheWriter(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	seen := make(chan postgres.Writer, 1)
	opened := make(chan error, 1)
	go func() {
		s, err := postgres.Open(t.Context(), at, postgres.Options{Lease: 300 * time.Millisecond, Waiting: func(w postgres.Writer) {
			select {
			case seen <- w:
			default:
			}
		}})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	if w := <-seen; w.Node != "n1" || w.Address != "10.0.0.1:80" {
		t.Errorf("the writer is %+v", w)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-opened:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for a writer that has ended")
	}
}

// Whoever is idle finds out without writing.
func TestAnIdleWriterFindsOut(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	first := openAt(t, at, soon)
	query(t, at, "UPDATE head SET epoch = epoch + 1 RETURNING 1")
	select {
	case <-first.Broken():
	case <-time.After(time.Minute):
		t.Error("it does not know that it is not the writer")
	}
}

// A second writer that got past the epoch would still not write behind what it does not
// know of.
func TestNothingIsWrittenBehindWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{Lease: time.Hour})
	query(t, at, "UPDATE head SET seq = seq + 1 RETURNING 1")
	if done := <-s.Append(said("A", 0)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("it wrote: %+v", done)
	}
	if n := query(t, at, "SELECT count(*) FROM tx"); n != 0 {
		t.Errorf("%d transactions are there", n)
	}
}

func TestAServerThatMayLoseIsRefused(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	for _, setting := range []string{"off", "local", "remote_write"} {
		_, err := postgres.Open(context.Background(), at+"&synchronous_commit="+setting, soon)
		if !errors.Is(err, postgres.ErrUnsafe) || !strings.Contains(err.Error(), setting) {
			t.Errorf("with synchronous_commit=%s: %v", setting, err)
		}
	}
}

func TestTablesOfALaterVersionAreLeftAlone(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	if err := openAt(t, at, patient).Close(); err != nil {
		t.Fatal(err)
	}
	query(t, at, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true) RETURNING 1")
	if _, err := postgres.Open(context.Background(), at, soon); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("they were opened: %v", err)
	}
}

// A server that says nothing any more, and never will, is given up; and it is asked to
// cancel nothing, because what it was doing may be done.
func TestASilentServerIsGivenUp(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	p := newProxy(t, at)
	s := openAt(t, p.address, postgres.Options{Lease: time.Hour, Silence: 2 * time.Second})
	if done := <-s.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	// The connection that confirms is at rest, and not the one that ends.
	for range 6000 {
		if query(t, at, "SELECT seq FROM confirmed") == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ended := p.ended.Load()
	p.silent.Store(true)
	done := <-s.Append(said("A", 1))
	if !errors.Is(done.Err, house.ErrFailed) {
		t.Fatalf("without an answer: %+v", done)
	}
	p.untilOneEnds(t, ended) // whatever is asked for is asked for before that
	if n := p.cancels.Load(); n != 0 {
		t.Errorf("it was asked %d times to cancel what it did", n)
	}
	// The command had arrived: it is there, though nobody was told.
	if n := query(t, at, "SELECT count(*) FROM tx"); n != 2 {
		t.Errorf("%d transactions are there", n)
	}
}

// proxy passes connections on to a server. When it is silent, what the server says does
// not come back.
type proxy struct {
	address string
	silent  atomic.Bool
	// cancels are the requests to cancel a statement, and ended the connections that were
	// closed by whoever made them.
	cancels, ended atomic.Int64
}

// untilOneEnds waits until one more connection was closed.
func (p *proxy) untilOneEnds(t *testing.T, before int64) {
	t.Helper()
	for range 6000 {
		if p.ended.Load() > before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no connection is closed")
}

// isCancel reports whether the first message of a connection asks to cancel a statement.
func isCancel(message []byte) bool {
	return len(message) == 16 && binary.BigEndian.Uint32(message[4:]) == 80877102
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) //nolint:errcheck // the test is over
	p := &proxy{}
	server := u.Host
	u.Host = l.Addr().String()
	p.address = u.String()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close() //nolint:errcheck // there is no server
				continue
			}
			go func() {
				first := true
				pass(in, out, func(message []byte) bool {
					if first && isCancel(message) {
						p.cancels.Add(1)
					}
					first = false
					return true
				})
				p.ended.Add(1)
			}()
			go pass(out, in, func([]byte) bool { return !p.silent.Load() })
		}
	}()
	return p
}

// pass copies what one side says to the other while it may.
func pass(from, to net.Conn, may func(message []byte) bool) {
	defer to.Close() //nolint:errcheck // the other side is gone
	text := make([]byte, 32<<10)
	for {
		n, err := from.Read(text)
		if err != nil {
			return
		}
		if !may(text[:n]) {
			continue
		}
		if _, err := to.Write(text[:n]); err != nil {
			return
		}
	}
}

// A lease that ends after a process has looked whether it leaves it to an earlier program is not
// taken before it has looked again: until then it does not know that it is free.
func TestALeaseIsTakenAsItWasSeen(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	if err := openAt(t, at, postgres.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, at, "UPDATE head SET until = clock_timestamp() + '1 hour'")
	ends := func() { execute(t, at, "UPDATE head SET until = clock_timestamp()") }
	if err := postgres.TakeAfter(t.Context(), at, ends); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("a lease that was held when it was looked at is taken: %v", err)
	}
	if err := postgres.TakeAfter(t.Context(), at, func() {}); err != nil {
		t.Errorf("a lease that was free when it was looked at is not taken: %v", err)
	}
}
