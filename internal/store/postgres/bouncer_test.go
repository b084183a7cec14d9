//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/storetest"
)

// startBouncer starts a PgBouncer before the server of the tests, and returns what makes of
// the address of a database the one at which it answers.
func startBouncer(t *testing.T) func(address string) string {
	t.Helper()
	needs(t)
	s, err := server()
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Bouncer(t.Context())
	if errors.Is(err, pgserver.ErrNoBouncer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	return func(address string) string {
		_, rest, _ := strings.Cut(address, "://")
		_, rest, _ = strings.Cut(rest, "/")
		name, _, _ := strings.Cut(rest, "?")
		return b.URL(name)
	}
}

// Through PgBouncer, where each transaction may come to another connection of the server,
// the store keeps its promises.
func TestConformanceThroughPgBouncer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	through := startBouncer(t)
	storetest.Run(t, func(folder string) (storetest.Store, error) {
		at, err := address(folder)
		if err != nil {
			return nil, err
		}
		return postgres.Open(context.Background(), through(at), patient)
	})
}

// A lease is a row, and holds through PgBouncer: there is one writer, whether it comes
// that way or not.
func TestALeaseHoldsThroughPgBouncer(t *testing.T) {
	t.Parallel()
	through := startBouncer(t)
	at := newAddress(t)
	first := openAt(t, through(at), postgres.Options{Lease: time.Hour})
	if done := <-first.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	for _, way := range []string{at, through(at)} {
		if _, err := postgres.Open(t.Context(), way, postgres.Options{Lease: time.Millisecond}); !errors.Is(err, postgres.ErrInUse) {
			t.Errorf("a second writer was let in: %v", err)
		}
	}
	query(t, at, "UPDATE head SET until = clock_timestamp() RETURNING 1")
	second := openAt(t, through(at), postgres.Options{Lease: time.Hour})
	if done := <-first.Append(said("A", 1)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("the first one wrote after it: %+v", done)
	}
	if done := <-second.Append(said("A", 1)); done.Err != nil || done.Seq != 2 {
		t.Errorf("the second one cannot go on: %+v", done)
	}
	if n := query(t, at, "SELECT count(*) + (SELECT count(*) FROM part) FROM tx"); n != 4 {
		t.Errorf("%d rows of two transactions with a part each are there", n)
	}
}

// LISTEN reaches nobody through PgBouncer's transaction mode: whoever follows reads the
// record all the same, because it does not wait for being woken up alone.
func TestFollowingThroughPgBouncer(t *testing.T) {
	t.Parallel()
	through := startBouncer(t)
	at := newAddress(t)
	s := openAt(t, through(at), postgres.Options{Lease: time.Hour})
	f := followAt(t, through(at))
	for after := range int64(20) {
		if done := <-s.Append(said("A", after)); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	f.reaches(s, 0)
}

// A batch wakes those who follow up once at most: each time takes a lock of the whole server.
func TestABatchNotifiesOnceAtMost(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{Lease: time.Hour})
	listener, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close(context.Background()) //nolint:errcheck // it was used
	if _, err := listener.Exec(t.Context(), "LISTEN trey"); err != nil {
		t.Fatal(err)
	}
	const batches = 30
	for after := range int64(batches) {
		if done := <-s.Append(said("A", after)); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	// The last one is waited for: what comes after it was sent after it.
	woken := 0
	for seen := int64(0); seen < batches; woken++ {
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		_, err := listener.WaitForNotification(ctx)
		end()
		if err != nil {
			t.Fatalf("after %d: %v", woken, err)
		}
		seen = query(t, at, "SELECT seq FROM confirmed")
	}
	if woken > batches+1 { // one is of the opening
		t.Errorf("%d batches woke them up %d times", batches, woken)
	}
}
