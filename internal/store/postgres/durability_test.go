//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// order carries out statements at the server that is written to.
func order(t *testing.T, address string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // it was used
	for _, text := range statements {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// weak waits until a store says that its servers have these weaknesses.
func weak(t *testing.T, s *postgres.Store, vouched bool, want ...postgres.Weakness) {
	t.Helper()
	var found []postgres.Weakness
	var err error
	for range 600 {
		if found, err = s.Weaknesses(t.Context(), vouched); err == nil && slices.Equal(found, want) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the weaknesses are %v, %v, not %v", found, err, want)
}

// What makes the servers lose what they acknowledge is found while the house is open. The
// connection that writes waits for another server all the same, if it did when it opened.
func TestWeakServersAreFound(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	at := c.Primary(database)
	s := reopen(t, c.URL(database), postgres.Options{Lease: time.Hour, Silence: 2 * time.Second})
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // it gave up
	if done := <-s.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	// The servers of the tests do not sync.
	weak(t, s, false, postgres.NoFsync)
	set := func(text string) { t.Helper(); order(t, at, "ALTER SYSTEM SET "+text, "SELECT pg_reload_conf()") }
	set("full_page_writes = off")
	weak(t, s, false, postgres.NoFsync, postgres.NoFullPageWrites)
	set("full_page_writes = on")
	weak(t, s, false, postgres.NoFsync)
	var named string
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // it was used
	if err := conn.QueryRow(t.Context(), "SHOW synchronous_standby_names").Scan(&named); err != nil {
		t.Fatal(err)
	}
	set("synchronous_standby_names = ''")
	weak(t, s, false, postgres.NoStandbyNamed, postgres.NoFsync)
	weak(t, s, true, postgres.NoFsync)
	set("synchronous_standby_names = 'nobody'")
	weak(t, s, false, postgres.NoStandbyInSync, postgres.NoFsync)
	set(fmt.Sprintf("synchronous_standby_names = '%s'", named))
	weak(t, s, false, postgres.NoFsync)

	set("synchronous_commit = local")
	weak(t, s, false, postgres.CommitNotSynchronous, postgres.NoFsync)
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	weak(t, s, false, postgres.CommitNotSynchronous, postgres.NoStandbyInSync, postgres.NoFsync)
	if done := <-s.Append(said("A", 1)); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("it was acknowledged by one server alone: %+v", done)
	}
}

// A user who may not see the state of the standbys is told so, and can vouch for them.
func TestStandbysThatCannotBeSeen(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	order(t, c.Primary(database), "CREATE ROLE blind LOGIN", "GRANT ALL ON SCHEMA public TO blind")
	s := reopen(t, c.URL(database)+"&user=blind", postgres.Options{})
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // the servers end with it
	weak(t, s, false, postgres.StandbysUnseen, postgres.NoFsync)
	weak(t, s, true, postgres.NoFsync)
	order(t, c.Primary(database), "GRANT pg_monitor TO blind")
	weak(t, s, false, postgres.NoFsync)
}

// A machine whose clock differs too far from that of the database does not become the
// writer, while it waits for it and otherwise; when its clock is right, it does.
func TestAWrongClockTakesNoLease(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	openAt(t, at, patient).Close() //nolint:errcheck // it only makes the tables
	before := query(t, at, "SELECT epoch FROM head")
	for _, by := range []time.Duration{-time.Hour, -3 * time.Second, 3 * time.Second, time.Hour} {
		wrong := postgres.Options{Now: func() time.Time { return time.Now().Add(by) }}
		if _, err := postgres.Open(t.Context(), at, wrong); !errors.Is(err, postgres.ErrSkew) {
			t.Errorf("by %s: %v", by, err)
		}
		skewed := make(chan time.Duration, 1)
		wrong.Skewed = func(by time.Duration) {
			select {
			case skewed <- by:
			default:
			}
		}
		wrong.Waiting = func(postgres.Writer) {}
		ctx, end := context.WithCancel(t.Context())
		opened := make(chan error, 1)
		go func() {
			_, err := postgres.Open(ctx, at, wrong)
			opened <- err
		}()
		if found := <-skewed; found.Abs() < postgres.DefaultMaxSkew || (found < 0) != (by < 0) {
			t.Errorf("by %s: it is said to be %s", by, found)
		}
		end()
		if err := <-opened; !errors.Is(err, context.Canceled) {
			t.Errorf("by %s, waiting: %v", by, err)
		}
	}
	if n := query(t, at, "SELECT epoch FROM head"); n != before {
		t.Errorf("a machine with a wrong clock became the writer: epoch %d became %d", before, n)
	}
	openAt(t, at, postgres.Options{Now: func() time.Time { return time.Now().Add(time.Second) }})
	if n := query(t, at, "SELECT epoch FROM head"); n != before+1 {
		t.Errorf("a machine whose clock is nearly right did not become the writer")
	}
}
