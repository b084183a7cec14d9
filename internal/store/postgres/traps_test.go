//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// until asks a server until the answer is the one that is waited for.
func until(t *testing.T, conn *pgx.Conn, want int64, text string, args ...any) {
	t.Helper()
	var n int64
	for range 600 {
		if err := conn.QueryRow(t.Context(), text, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is %d, and never %d", text, n, want)
}

// waiting counts those who wait in a database for another server to confirm.
const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = $1"

// While no other server confirms, a commit is given up: by the silence of the server, by
// the end of a context, and by somebody who cancels the wait. In none of these is anything
// acknowledged, and in the first two the server is not asked to cancel it, so that nobody
// sees what may be lost. A careless program that leaves a deadline to pgx does ask: it is
// told of an error, its row can be seen, and is lost with the server.
func TestACommitIsNeverCancelled(t *testing.T) {
	t.Parallel()
	c, silent := startCluster(t)
	opening, warned := silent+"_o", silent+"_w"
	for _, name := range []string{opening, warned} {
		if _, err := c.Database(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if err := reopen(t, c.URL(name), postgres.Options{}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := reopen(t, c.URL(silent), postgres.Options{Lease: time.Hour, Silence: 2 * time.Second})
	if done := <-s.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	look := func(name string) *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), c.Primary(name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // its server was killed
		return conn
	}
	atSilent, atOpening, atWarned := look(silent), look(opening), look(warned)
	careless := look(silent)
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}

	if done := <-s.Append(said("A", 1)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("it was acknowledged: %+v", done)
	}

	ctx, end := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		_, err := postgres.Open(ctx, c.URL(opening), postgres.Options{Silence: time.Minute})
		opened <- err
	}()
	until(t, atOpening, 1, waiting, opening)
	end()
	if err := <-opened; err == nil {
		t.Error("a process became the writer without a word of another server")
	}

	go func() {
		_, err := postgres.Open(t.Context(), c.URL(warned), postgres.Options{Silence: time.Minute})
		opened <- err
	}()
	until(t, atWarned, 1, waiting, warned)
	until(t, atWarned, 1, "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = $1", warned)
	if err := <-opened; err == nil || !strings.Contains(err.Error(), "it is not known whether the server has recorded it") {
		t.Errorf("a process whose wait was cancelled is the writer: %v", err)
	}

	hasty, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		_, err := careless.Exec(hasty, "INSERT INTO key VALUES ('careless', 1)")
		opened <- err
	}()
	until(t, atSilent, 2, waiting, silent)
	stop()
	if err := <-opened; err == nil {
		t.Error("the control was acknowledged")
	}
	until(t, atSilent, 1, "SELECT count(*) FROM key WHERE hash = 'careless'") // the control is seen
	// Both are still waited for, and seen by nobody.
	until(t, atSilent, 1, waiting, silent)
	until(t, atSilent, 1, "SELECT count(*) FROM tx")
	until(t, atOpening, 1, waiting, opening)
	until(t, atOpening, 1, "SELECT epoch FROM head")
	until(t, atWarned, 2, "SELECT epoch FROM head") // what was cancelled is seen

	if err := c.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		n    int64
		text string
	}{
		silent:  {1, "SELECT count(*) + 10 * (SELECT count(*) FROM key WHERE hash = 'careless') FROM tx"},
		opening: {1, "SELECT epoch FROM head"},
		warned:  {1, "SELECT epoch FROM head"},
	} {
		if n := query(t, c.Primary(name), want.text); n != want.n {
			t.Errorf("after it, %s is %d, not %d: the test shows no loss", want.text, n, want.n)
		}
	}
	s.Close() //nolint:errcheck // its server was killed
}

// Whatever the address asks for, nothing is read from a server that follows: not at the
// start, and not after another server has taken the place of the first. The control shows
// that the same address leads there.
func TestReplicasAreNeverRead(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	var hosts []string
	for _, standby := range c.Standbys(database) {
		u, err := url.Parse(standby)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	primary, err := url.Parse(c.Primary(database))
	if err != nil {
		t.Fatal(err)
	}
	hosts = append(hosts, primary.Host)
	for _, wish := range []string{"any", "prefer-standby", "standby", "read-only", "read-write"} {
		at := fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable&target_session_attrs=%s", strings.Join(hosts, ","), database, wish)
		if wish != "read-write" {
			conn, err := pgx.Connect(t.Context(), at)
			for range 600 {
				if err == nil {
					break
				}
				time.Sleep(100 * time.Millisecond) // the database is not everywhere yet
				conn, err = pgx.Connect(t.Context(), at)
			}
			if err != nil {
				t.Fatal(err)
			}
			var follows bool
			if err := conn.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&follows); err != nil || !follows {
				t.Errorf("%s leads to no server that follows: the test shows nothing, %v", wish, err)
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		s := reopen(t, at, postgres.Options{Lease: 500 * time.Millisecond})
		read := make(chan error, 20)
		for range cap(read) {
			go func() { read <- s.ReadAll(t.Context(), 0, "", func(house.StoredTransaction) error { return nil }) }()
		}
		for range cap(read) {
			if err := <-read; err != nil {
				t.Errorf("%s: %v", wish, err)
			}
		}
		for _, standby := range c.Standbys(database) {
			// A connection that found out where it leads ends, and its server may take a moment to notice; one
			// that is read from stays.
			steady.Await(t, wish+": no connection to a server that follows", func() bool {
				return query(t, standby, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'trey'") == 0
			})
		}
		if n := query(t, c.Primary(database), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'trey'"); n < 2 {
			t.Errorf("%s: %d connections read from the server that is written to", wish, n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
