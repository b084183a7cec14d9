//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
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
	through := startBouncer(t)
	storetest.Run(t, func(folder string) (storetest.Store, error) {
		at, err := address(folder)
		if err != nil {
			return nil, err
		}
		return postgres.Open(context.Background(), through(at), soon)
	})
}

// A lease is a row, and holds through PgBouncer: there is one writer, whether it comes
// that way or not.
func TestALeaseHoldsThroughPgBouncer(t *testing.T) {
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
