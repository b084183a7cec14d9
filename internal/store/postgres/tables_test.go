//go:build unix

package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house/machines"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/row"
)

// laterTables are tables with one more migration than this program has, after which a
// program works that knows a version, and a later program that works from another.
func laterTables(t *testing.T, least, worksFrom int64) (tables *postgres.Tables, before int64) {
	t.Helper()
	files := fstest.MapFS{}
	there, err := os.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		text, err := os.ReadFile("migrations/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = &fstest.MapFile{Data: text}
	}
	before = int64(len(there))
	files[fmt.Sprintf("%04d_later.sql", before+1)] = &fstest.MapFile{Data: fmt.Appendf(nil,
		"-- +goose Up\nALTER TABLE tx ADD COLUMN later text NOT NULL DEFAULT '';\nINSERT INTO tolerated (version, least) VALUES (%d, %d);\n-- +goose Down\n", before+1, before+least)}
	return &postgres.Tables{Migrations: files, WorksFrom: before + worksFrom}, before
}

const tableVersion = "SELECT max(version_id) FROM goose_db_version WHERE is_applied"

// Tables with which a machine of the house does not work are made when that is upgraded or
// gone, and not before. Until then a program works with the tables as they are, or says
// which machine to upgrade first. The earlier program does not open them any more.
func TestTablesWaitForEveryMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	later, before := laterTables(t, 1, 0)
	old := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	announced(t, old, func(h *machines.House) bool { return len(h.Machines) == 1 })
	upgraded := postgres.Options{Lease: time.Hour, Node: "n2", Address: "10.0.0.2:80", Tables: later}
	d, err := postgres.OpenDoor(t.Context(), at, upgraded)
	if err != nil {
		t.Fatalf("a later program does not work with the tables as they are: %v", err)
	}
	if err := errors.Join(d.Loaded(t.Context()), d.Close()); err != nil {
		t.Fatal(err)
	}
	needs, _ := laterTables(t, 1, 1)
	if _, err := postgres.OpenDoor(t.Context(), at, postgres.Options{Node: "n2", Address: "10.0.0.2:80", Tables: needs}); !errors.Is(err, postgres.ErrOlderMachine) || !strings.Contains(err.Error(), "n1 (10.0.0.1:80)") {
		t.Errorf("a program that needs later tables: %v", err)
	}
	if n := query(t, at, tableVersion); n != before {
		t.Errorf("the tables have version %d while a machine works with %d", n, before)
	}
	if done := <-old.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, at, upgraded) // the other machine may come back at once
	if done := <-s.Append(said("A", 1)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if n := query(t, at, tableVersion); n != before {
		t.Errorf("the tables have version %d while a machine that works with %d may come back", n, before)
	}
	query(t, at, fmt.Sprintf(`WITH a AS (UPDATE machine SET reads = '{"tables":%d}', at = clock_timestamp() WHERE node = 'n1' RETURNING 1) SELECT count(*) FROM a`, before+1))
	for deadline := time.Now().Add(time.Minute); query(t, at, tableVersion) != before+1; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the tables are not brought up when every machine works with them")
		}
	}
	if done := <-s.Append(said("A", 2)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if _, err := postgres.Open(t.Context(), at, soon); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("an earlier program: %v", err)
	}
	if _, err := postgres.OpenDoor(t.Context(), at, soon); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("an earlier program as a door: %v", err)
	}
	if err := postgres.Dump(t.Context(), at, func(row.Tables) error { return nil }); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("an earlier program copies it: %v", err)
	}
}

// Of two machines that bring the tables up at the same moment one waits for the other, also
// through PgBouncer, and both go on.
func TestOneMachineAtATimeMakesAMigration(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	migrateTogether := func(t *testing.T, through func(address string) string) {
		at := newAddress(t)
		if err := openAt(t, at, patient).Close(); err != nil {
			t.Fatal(err)
		}
		later, before := laterTables(t, 1, 0)
		files := later.Migrations.(fstest.MapFS)
		last := fmt.Sprintf("%04d_later.sql", before+1)
		files[last] = &fstest.MapFile{Data: []byte(strings.Replace(string(files[last].Data), "ALTER TABLE", "SELECT pg_advisory_xact_lock(7);\nALTER TABLE", 1))}
		conn, err := pgx.Connect(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context()) //nolint:errcheck // it was used
		other, err := pgx.Connect(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close(t.Context()) //nolint:errcheck // it was used
		held, err := other.Begin(t.Context())
		if err == nil {
			_, err = held.Exec(t.Context(), "SELECT pg_advisory_xact_lock(7)")
		}
		if err != nil {
			t.Fatal(err)
		}
		opened := make(chan error, 2)
		for range 2 {
			go func() {
				d, err := postgres.OpenDoor(t.Context(), through(at), postgres.Options{Silence: time.Minute, Tables: later})
				if err == nil {
					err = d.Close()
				}
				opened <- err
			}()
		}
		// One is at the migration; the other is there too, or waits for the first.
		const here = " FROM pg_stat_activity WHERE datname = current_database() AND "
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			var making, wait int
			err := conn.QueryRow(t.Context(), "SELECT (SELECT count(*)"+here+"wait_event = 'advisory'), (SELECT count(*)"+here+
				"(query LIKE '%pg_try_advisory_xact_lock%' OR query = 'rollback') AND state <> 'idle in transaction' AND pid <> pg_backend_pid())").Scan(&making, &wait)
			if err != nil {
				t.Fatal(err)
			}
			if making > 1 {
				t.Error("two machines make the migration")
			}
			if making > 1 || making == 1 && wait > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d machines make the migration, and %d wait", making, wait)
			}
		}
		if err := held.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-opened; err != nil {
				t.Error(err)
			}
		}
		if n := query(t, at, tableVersion); n != before+1 {
			t.Errorf("the tables have version %d", n)
		}
	}
	t.Run("directly", func(t *testing.T) { migrateTogether(t, func(address string) string { return address }) })
	t.Run("through PgBouncer", func(t *testing.T) { migrateTogether(t, startBouncer(t)) })
}

// A machine that is gone for long holds nothing up.
func TestTablesDoNotWaitForAMachineThatIsGone(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	later, before := laterTables(t, 1, 1)
	old := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	announced(t, old, func(h *machines.House) bool { return len(h.Machines) == 1 })
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	upgraded := postgres.Options{Lease: time.Hour, Node: "n2", Address: "10.0.0.2:80", Tables: later}
	if _, err := postgres.Open(t.Context(), at, upgraded); !errors.Is(err, postgres.ErrOlderMachine) {
		t.Errorf("a machine was there a moment ago: %v", err)
	}
	query(t, at, "WITH a AS (UPDATE machine SET at = clock_timestamp() - interval '61 seconds' RETURNING 1) SELECT count(*) FROM a")
	openAt(t, at, upgraded)
	if n := query(t, at, tableVersion); n != before+1 {
		t.Errorf("the tables have version %d", n)
	}
}

// Tables that say that an earlier program works with them are made while it runs, and it goes
// on, opens them again, reads them and copies them.
func TestTablesThatAnEarlierProgramTolerates(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	later, before := laterTables(t, 0, 1)
	old := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	announced(t, old, func(h *machines.House) bool { return len(h.Machines) == 1 })
	if done := <-old.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	d, err := postgres.OpenDoor(t.Context(), at, postgres.Options{Node: "n2", Address: "10.0.0.2:80", Tables: later})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Loaded(t.Context()), d.Close()); err != nil {
		t.Fatal(err)
	}
	if n := query(t, at, tableVersion); n != before+1 {
		t.Errorf("the tables have version %d", n)
	}
	if done := <-old.Append(said("A", 1)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, at, soon)
	if done := <-again.Append(said("A", 2)); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := postgres.Dump(t.Context(), at, func(row.Tables) error { return nil }); err != nil {
		t.Error(err)
	}
	f := followAt(t, at)
	f.until("all three", func() bool { return f.Seq() == 3 })
}

// A revision of a book is not read by a machine that announces an earlier one or none, until
// it announces it.
func TestWhoDoesNotReadARevision(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	until := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			got := strings.Join(s.Unread("rws-3cp@3", 2), "; ")
			if got == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is not read by %q, want %q", got, want)
			}
		}
	}
	say := func(reads string) {
		query(t, at, "WITH a AS (INSERT INTO machine (address, node, seq, at, reads) VALUES ('10.0.0.2:80', 'n2', 0, clock_timestamp(), $1) ON CONFLICT (address) DO UPDATE SET reads = excluded.reads RETURNING 1) SELECT count(*) FROM a", reads)
	}
	until("")
	for _, reads := range []string{`{"books":{"rws-3cp@3":1}}`, `{}`, `{"books":{"us-3cp@1":2}}`, `no JSON`} {
		say(`{"books":{"rws-3cp@3":2}}`)
		until("")
		say(reads)
		until("n2 (10.0.0.2:80)")
	}
}
