package sqlite_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/internal/store/storetest"
)

func open(folder string) (storetest.Store, error) {
	return sqlite.Open(context.Background(), filepath.Join(folder, "house #1?.db"))
}

func TestConformance(t *testing.T) { storetest.Run(t, open) }

func TestCrash(t *testing.T) { storetest.Crash(t, open, steady.Tries(3, 8)) }

// When it is closed the file alone is the whole record, and may be copied.
func TestAClosedFileIsTheRecord(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "house.db")
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	tx := &house.Transaction{Parts: []house.StreamAppend{{Stream: "house", Events: []house.Event{{Kind: "k", Body: []byte(`{}`)}}}}}
	if done := <-store.Append(tx); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + end); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", end, err)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may look into it: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(away, text, 0o600); err != nil {
		t.Fatal(err)
	}
	moved, err := sqlite.Open(ctx, away)
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close() //nolint:errcheck // it is read only
	n := 0
	if err := moved.Read(ctx, "house", 0, func(house.StoredEvent) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("the copy holds %d events, %v", n, err)
	}
}

// A second house on one record would decide upon what the first has not heard of.
func TestOneHouseARecord(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	first, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := sqlite.Open(context.Background(), path); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("opened twice: %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if first, err = sqlite.Open(context.Background(), path); err != nil {
		t.Fatalf("opened again: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(context.Background(), text); err == nil {
		t.Error("a text was opened")
	}
	other := filepath.Join(folder, "other.db")
	later, earlier := filepath.Join(folder, "later.db"), filepath.Join(folder, "earlier.db")
	for path, statement := range map[string]string{
		other: "CREATE TABLE recipe (name TEXT)",
		later: "PRAGMA application_id = 0x54726579; PRAGMA user_version = 99",
		// What form 1 was is in no record that anybody keeps.
		earlier: "PRAGMA application_id = 0x54726579; PRAGMA user_version = 1",
	} {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(context.Background(), path); !errors.Is(err, sqlite.ErrOtherFile) {
			t.Errorf("%s: %v", path, err)
		}
	}
	noise := filepath.Join(folder, "noise.db")
	if err := os.WriteFile(noise, []byte(strings.Repeat("this is no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(context.Background(), noise); !errors.Is(err, sqlite.ErrOtherFile) {
		t.Errorf("a file of something else: %v", err)
	}
	if _, err := sqlite.Open(context.Background(), filepath.Join(folder, "no", "such", "folder.db")); err == nil || errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("a file in no folder: %v", err)
	}
}

// A record with a view in the place of a table, with a trigger, or without a table is not opened
// and not copied, and closes what was opened of it.
func TestAnotherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, test := range map[string]struct {
		statements []string
		want       string
	}{
		"view":    {[]string{"ALTER TABLE movement RENAME TO kept", "CREATE VIEW movement AS SELECT account, seq, delta + 1 AS delta, balance FROM kept"}, `its table "kept" is not one that this program makes`},
		"trigger": {[]string{"CREATE TRIGGER t AFTER INSERT ON tx BEGIN DELETE FROM session; END"}, `its trigger "t" is not one that this program makes`},
		"trigger by a name of SQLite": {
			[]string{"CREATE TRIGGER t AFTER INSERT ON tx BEGIN DELETE FROM session; END", "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'sqlite_t', sql = replace(sql, 'TRIGGER t', 'TRIGGER sqlite_t') WHERE name = 't'"},
			`its trigger "sqlite_t" is not one that this program makes`,
		},
		"table":         {[]string{"CREATE TABLE other (a)"}, `its table "other" is not one that this program makes`},
		"no table":      {[]string{"DROP TABLE session"}, "it lacks what CREATE TABLE session makes"},
		"no index":      {[]string{"DROP INDEX part_round"}, "it lacks what CREATE UNIQUE INDEX part_round ON part makes"},
		"another index": {[]string{"DROP INDEX part_round", "CREATE INDEX part_round ON part (stream, round) WHERE round > 0"}, `its index "part_round" is not one that this program makes`},
		"statistics":    {[]string{"ANALYZE"}, ""},
	} {
		path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".db")
		shut(t, opened(t, path))
		for _, statement := range test.statements {
			edit(t, path, statement)
		}
		store, err := sqlite.Open(t.Context(), path)
		if err == nil {
			shut(t, store)
		}
		copied := sqlite.Copy(t.Context(), path, path+".copy")
		for what, err := range map[string]error{"opened": err, "copied": copied} {
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// incompressible returns an event of so many bytes that no packing makes small.
func incompressible(n int) []byte {
	drawn := make([]byte, n/2)
	rand.Read(drawn) //nolint:errcheck // it never fails
	return fmt.Appendf(nil, "%q", hex.EncodeToString(drawn))
}

// A write that fails ends the store, for everybody in line; what was
// acknowledged is there when it is opened again.
func TestAFullDiskEndsTheStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LimitPages(40); err != nil {
		t.Fatal(err)
	}
	var line []<-chan house.AppendResult
	for i := range int64(200) {
		line = append(line, s.Append(&house.Transaction{Parts: []house.StreamAppend{
			{Stream: "A", After: i, Events: []house.Event{{Kind: "said", Body: incompressible(2000)}}},
		}}))
	}
	acknowledged, failed := int64(0), false
	for i, done := range line {
		d := <-done
		switch {
		case d.Err == nil && failed:
			t.Fatalf("transaction %d is acknowledged behind one that failed", i)
		case d.Err == nil:
			acknowledged++
		case !errors.Is(d.Err, house.ErrFailed):
			t.Fatal(d.Err)
		default:
			failed = true
		}
	}
	if !failed {
		t.Fatal("the disk was never full")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Open(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	var last int64
	if err := s.Read(context.Background(), "A", 0, func(r house.StoredEvent) error { last = r.Version; return nil }); err != nil {
		t.Fatal(err)
	}
	if last != acknowledged {
		t.Errorf("%d events are there, %d were acknowledged", last, acknowledged)
	}
	done := <-s.Append(&house.Transaction{Parts: []house.StreamAppend{{Stream: "A", After: last, Events: []house.Event{{Kind: "said", Body: []byte("1")}}}}})
	if done.Err != nil {
		t.Errorf("opened again, with room: %v", done.Err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	storetest.Sessions(t, func(folder string) (storetest.SessionStore, error) {
		return sqlite.Open(context.Background(), filepath.Join(folder, "house.db"))
	})
}

func TestEdits(t *testing.T) {
	t.Parallel()
	file := func(folder string) string { return filepath.Join(folder, "house.db") }
	storetest.Edits(t, func(folder string) (storetest.SessionStore, error) {
		return sqlite.Open(context.Background(), file(folder))
	}, func(folder, statement string) { edit(t, file(folder), statement) })
}

// A record whose files are moved, removed or replaced is written to no further, and
// what was acknowledged is there when they are back.
func TestATakenRecordEndsTheStore(t *testing.T) {
	t.Parallel()
	said := func(after int64) *house.Transaction {
		return &house.Transaction{Parts: []house.StreamAppend{{Stream: "A", After: after, Events: []house.Event{{Kind: "said", Body: []byte("1")}}}}}
	}
	for name, test := range map[string]struct {
		end  string
		take func(file string) error
		back func(file string) error
	}{
		"the file is moved": {
			"", func(file string) error { return os.Rename(file, file+".moved") },
			func(file string) error { return os.Rename(file+".moved", file) },
		},
		"the log is removed": {"-wal", os.Remove, func(string) error { return nil }},
		"the log is replaced": {
			"-wal", func(file string) error {
				return errors.Join(os.Remove(file), os.WriteFile(file, []byte("another"), 0o600))
			},
			os.Remove,
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "house.db")
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if done := <-s.Append(said(0)); done.Err != nil {
				t.Fatal(done.Err)
			}
			durable := s.Head()
			if err := test.take(path + test.end); err != nil {
				t.Fatal(err)
			}
			if done := <-s.Append(said(1)); !errors.Is(done.Err, house.ErrFailed) || !errors.Is(done.Err, sqlite.ErrGone) {
				t.Errorf("acknowledged into nowhere: %v", done.Err)
			}
			// Nobody signs what is not durable.
			if head := s.Head(); head != durable || head.Size != 2 {
				t.Errorf("the tree has %d leaves after a failed write, and %d are durable", head.Size, durable.Size)
			}
			<-s.Broken()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := test.back(path + test.end); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if s, err = sqlite.Open(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // the test is over
			last := int64(0)
			if err := s.Read(t.Context(), "A", 0, func(r house.StoredEvent) error { last = r.Version; return nil }); err != nil || last < 1 {
				t.Errorf("%d events are there, and 1 was acknowledged: %v", last, err)
			}
		})
	}
}

// What is left of a record is not taken for an empty one, and a damaged one not for
// a whole one.
func TestRemainsOfARecord(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var files [2][]byte
	for i, end := range []string{"", "-wal"} { // as a crash leaves them
		if files[i], err = os.ReadFile(path + end); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	closed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		file, log []byte
		want      error
	}{
		"the log alone":          {nil, files[1], sqlite.ErrGone},
		"an empty file with one": {[]byte{}, files[1], sqlite.ErrGone},
		"both":                   {files[0], files[1], nil},
		"the file alone":         {files[0], nil, sqlite.ErrGone},
		"with an empty log":      {files[0], []byte{}, sqlite.ErrGone},
		"closed":                 {closed, nil, nil},
		"half a file":            {closed[:len(closed)/2], nil, house.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "house.db")
			for end, text := range map[string][]byte{"": test.file, "-wal": test.log} {
				if text == nil {
					continue
				}
				if err := os.WriteFile(path+end, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := sqlite.Open(t.Context(), path)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if err == nil {
				err = s.Close()
			}
			if test.want == nil && err != nil {
				t.Error(err)
			}
		})
	}
}

// The log begins anew while transactions come without end: it does not grow for as
// long as the house plays.
func TestTheLogBeginsAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	const atOnce, most = 64, 100_000
	var n int64
	written := func() {
		var all [atOnce]<-chan house.AppendResult
		for i := range all {
			all[i] = store.Append(&house.Transaction{Parts: []house.StreamAppend{{
				Stream: "house", After: n, Events: []house.Event{{Kind: "k", Body: []byte(`{"text":"as long as events are"}`)}},
			}}})
			n++
		}
		for i := range all {
			if done := <-all[i]; done.Err != nil {
				t.Fatal(done.Err)
			}
		}
	}
	written()
	// What the log begins with is another number each time.
	begins := func() string {
		log, err := os.Open(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close() //nolint:errcheck // it is only read
		var head [32]byte
		if _, err := io.ReadFull(log, head[:]); err != nil {
			t.Fatal(err)
		}
		return string(head[16:24])
	}
	first := begins()
	for begins() == first {
		if n > most {
			t.Fatalf("the log goes on after %d transactions", n)
		}
		written()
	}
	t.Logf("it began anew after %d transactions", n)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = sqlite.Open(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	var found int64
	if err := store.ReadAll(context.Background(), 0, "", func(e house.StoredTransaction) error {
		found += int64(len(e.Parts[0].Events))
		return nil
	}); err != nil || found != n {
		t.Errorf("%d of %d transactions are there: %v", found, n, err)
	}
}
