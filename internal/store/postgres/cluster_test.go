//go:build unix

package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
)

func startCluster(t *testing.T) (c *pgserver.Cluster, database string) {
	t.Helper()
	c = pgserver.StartClusterFor(t)
	database = "house_" + strings.ToLower(rand.Text())
	if _, err := c.Database(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	return c, database
}

// reopen opens the record until a server takes it, as whoever runs the house does.
func reopen(t *testing.T, address string, o postgres.Options) *postgres.Store {
	t.Helper()
	var err error
	for range 600 {
		var s *postgres.Store
		if s, err = postgres.Open(t.Context(), address, o); err == nil {
			return s
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal(err)
	return nil
}

// The server is killed while transactions are under way, and another goes on: all that
// was acknowledged is there, once and in order, and what was under way is there or not.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	c, database := startCluster(t)
	o := postgres.Options{Lease: 500 * time.Millisecond, Silence: 5 * time.Second}
	n := int64(0) // events of the stream that were acknowledged
	for failover := range 4 {
		s := reopen(t, c.URL(database), o)
		there := int64(0)
		if err := s.Read(t.Context(), "A", 0, func(r house.StoredEvent) error { there++; return nil }); err != nil {
			t.Fatal(err)
		}
		if there < n {
			t.Fatalf("failover %d: %d of %d acknowledged transactions are there", failover, there, n)
		}
		if head := s.Head(); head.Size != there+1 {
			t.Fatalf("failover %d: %d transactions have a tree of %d leaves", failover, there, head.Size)
		}
		n = there
		killed := make(chan error, 1)
		next := n
		var line []<-chan house.AppendResult
		for after := n + 200; ; {
			tx := said("A", next)
			tx.Key = fmt.Sprint("k", next)
			line = append(line, s.Append(tx))
			next++
			if next == after {
				go func() { killed <- c.Failover(context.WithoutCancel(t.Context())) }()
			}
			if len(line) < 5 {
				continue
			}
			done := <-line[0]
			if done.Err != nil {
				break
			}
			n++
			line = line[1:]
		}
		if err := <-killed; err != nil {
			t.Fatal(err)
		}
		s.Close() //nolint:errcheck // its connection is lost
		if err := c.Rejoin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := reopen(t, c.URL(database), o)
	defer s.Close() //nolint:errcheck // it was used
	if _, err := s.Find(t.Context(), fmt.Sprint("k", n-1)); err != nil {
		t.Errorf("the last one acknowledged is not found by its key: %v", err)
	}
}

// A wait for the other servers that somebody cancels ends in success and a warning: the
// transaction can be seen, and is lost with the server. It is not acknowledged. The same
// statement given by somebody who does not heed the warning shows that the loss is real.
func TestACancelledWaitIsNoAcknowledgement(t *testing.T) {
	t.Parallel()
	c, database := startCluster(t)
	s := reopen(t, c.URL(database), postgres.Options{Lease: time.Hour, Silence: time.Minute})
	if done := <-s.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	look, err := pgx.Connect(t.Context(), c.Primary(database))
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close(t.Context()) //nolint:errcheck // its server is killed
	cancel := func() {
		t.Helper()
		for range 600 {
			var n int
			if err := look.QueryRow(t.Context(), "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal("nobody waits for the other servers")
	}
	waits := s.Append(said("A", 1))
	cancel()
	if done := <-waits; !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("it was acknowledged: %+v", done)
	}
	careless, err := pgx.Connect(t.Context(), c.Primary(database))
	if err != nil {
		t.Fatal(err)
	}
	defer careless.Close(t.Context()) //nolint:errcheck // its server is killed
	acknowledged := make(chan error, 1)
	go func() {
		_, err := careless.Exec(t.Context(), "INSERT INTO key VALUES ('careless', 1)")
		acknowledged <- err
	}()
	cancel()
	if err := <-acknowledged; err != nil {
		t.Fatalf("the control was not acknowledged: %v", err)
	}
	var seen int
	if err := look.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM tx) + (SELECT count(*) FROM key WHERE hash = 'careless')").Scan(&seen); err != nil || seen != 3 {
		t.Errorf("%d of the two transactions and the control are seen, %v", seen, err)
	}
	if err := c.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := query(t, c.Primary(database), "SELECT (SELECT count(*) FROM tx) * 10 + (SELECT count(*) FROM key WHERE hash = 'careless')"); n != 10 {
		t.Errorf("after it %d transactions and %d controls are there, not 1 and 0: the test shows no loss", n/10, n%10)
	}
}

// The servers of the tests do what a test of a house relies on: one whose disk is full ends, and
// one that was written to before is written to again, with all that was acknowledged meanwhile.
func TestServersFailAndReturn(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	o := postgres.Options{Lease: 500 * time.Millisecond, Silence: 5 * time.Second}
	n := int64(0)
	acknowledge := func() {
		t.Helper()
		s := reopen(t, c.URL(database), o)
		if head := s.Head(); head.Size != n+1 {
			t.Fatalf("after %d transactions the tree has %d leaves", n, head.Size)
		}
		if done := <-s.Append(said("A", n)); done.Err != nil {
			t.Fatal(done.Err)
		}
		n++
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	acknowledge()
	first := c.Primary(database)
	switch err := c.FillDisk(t.Context()); {
	case errors.Is(err, errors.ErrUnsupported):
		t.Log("no disk is filled: there is no prlimit")
	case err != nil:
		t.Fatal(err)
	}
	if err := c.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	acknowledge()
	if c.Primary(database) == first {
		t.Fatal("no other server goes on")
	}
	if err := c.Rejoin(t.Context()); err != nil {
		t.Fatal(err)
	}
	acknowledge()
	if err := c.Return(t.Context()); err != nil {
		t.Fatal(err)
	}
	acknowledge()
	if c.Primary(database) != first {
		t.Error("another server goes on than the one before")
	}
}
