package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	driver "modernc.org/sqlite"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/money"
)

// reads are all ways to read a record.
func reads(s *sqlite.Store) map[string]func() error {
	ctx := context.Background()
	return map[string]func() error{
		"Find":     func() error { _, err := s.Find(ctx, "k"); return err },
		"Read":     func() error { return s.Read(ctx, "A", 0, func(house.StoredEvent) error { return nil }) },
		"Read on":  func() error { return s.Read(ctx, "A", 1, func(house.StoredEvent) error { return nil }) },
		"ReadAll":  func() error { return s.ReadAll(ctx, 0, "", func(house.StoredTransaction) error { return nil }) },
		"Rounds":   func() error { return s.Rounds(ctx, "A", 0, 9, func(house.RoundMark) error { return nil }) },
		"Snapshot": func() error { _, err := s.Snapshot(ctx, "A", -1); return err },
		"Movements": func() error {
			return s.Movements(ctx, ledger.Account{Kind: ledger.Player, Of: "#1"}, 0, 9, func(house.Movement) error { return nil })
		},
		"Balances": func() error {
			_, err := s.Balances(ctx, func(ledger.Account, money.Amount) error { return nil })
			return err
		},
		"Names":     func() error { return s.Names(ctx, 0, func(people.Name) error { return nil }) },
		"Nodes":     func() error { _, err := s.Nodes(ctx, 1, 0, 1); return err },
		"LeafTexts": func() error { _, err := s.LeafTexts(ctx, 1, 1); return err },
		"Leaves":    func() error { return s.Leaves(ctx, 0, func(house.Leaf) error { return nil }) },
	}
}

// explained reports an error of SQLite that leaves the package without what it means.
func explained(t *testing.T, what string, err error, want ...error) {
	t.Helper()
	var refused *driver.Error
	if err == nil || errors.Is(err, house.ErrNotFound) {
		return
	}
	if !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }) {
		t.Errorf("%s: %v, want what wraps one of %v", what, err, want)
	}
	if errors.As(err, &refused) && strings.HasPrefix(err.Error(), refused.Error()) {
		t.Errorf("%s begins with what SQLite says: %v", what, err)
	}
	if strings.Count(err.Error(), want[0].Error()) > 1 {
		t.Errorf("%s says twice what it means: %v", what, err)
	}
}

// Every error of SQLite has a meaning for whoever reads a record: one with a table that is not
// there, with pages that are damaged, and one that was closed.
func TestReadsNameWhatAnErrorMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		harm func(t *testing.T, path string, s *sqlite.Store)
		want error
		all  bool // whether nothing can be read
	}{
		"tables are missing": {func(t *testing.T, path string, _ *sqlite.Store) {
			for _, table := range []string{"key", "tx", "part", "snapshot", "movement", "account", "name", "node"} {
				edit(t, path, "DROP TABLE "+table)
			}
		}, house.ErrCorrupt, true},
		"pages are damaged": {func(t *testing.T, path string, s *sqlite.Store) {
			edit(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close() //nolint:errcheck // it was written
			info, err := file.Stat()
			if err != nil {
				t.Fatal(err)
			}
			const page = 4096
			for at := int64(page); at < info.Size(); at += page {
				if _, err := file.WriteAt([]byte(strings.Repeat("\xff", page)), at); err != nil {
					t.Fatal(err)
				}
			}
		}, house.ErrCorrupt, false},
		"it is closed": {func(t *testing.T, _ string, s *sqlite.Store) {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}, house.ErrFailed, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "house.db")
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // it is damaged
			if done := <-s.Append(&house.Transaction{Parts: []house.StreamAppend{{Stream: "A", Events: []house.Event{{Kind: "said", Body: []byte("1")}}}}}); done.Err != nil {
				t.Fatal(done.Err)
			}
			test.harm(t, path, s)
			for what, read := range reads(s) {
				err := read()
				if test.all && err == nil {
					t.Errorf("%s: no error", what)
				}
				explained(t, what, err, test.want)
			}
		})
	}
}

// A program that holds a file keeps others from it, and says so.
func TestALockedFileIsInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was a lock
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA locking_mode=exclusive; BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	err = sqlite.Restart(t.Context(), path, sqlite.ArchiveBeside(path), "")
	if !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("restart: %v", err)
	}
	if err := sqlite.Copy(t.Context(), path, path+".copy"); err != nil && !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("copy: %v", err)
	}
}

// A write that the disk, the system or the file does not take ends the store, and says why.
func TestWritesNameWhatAnErrorMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pragma string
		want   error
	}{
		"no room":        {"PRAGMA max_page_count = 1", sqlite.ErrFull},
		"read-only":      {"PRAGMA query_only = 1", sqlite.ErrUnwritable},
		"a table less":   {"DROP TABLE part", house.ErrCorrupt},
		"it is recorded": {"INSERT INTO tx (seq, at_ms, salt, line, mark) VALUES (1, 1, zeroblob(16), x'01', zeroblob(8))", house.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "house.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // it failed
			if err := s.Harm(test.pragma); err != nil {
				t.Fatal(err)
			}
			done := <-s.Append(&house.Transaction{Parts: []house.StreamAppend{{Stream: "A", Events: []house.Event{{Kind: "said", Body: incompressible(100_000)}}}}})
			if !errors.Is(done.Err, house.ErrFailed) {
				t.Errorf("it is acknowledged, or fails otherwise: %v", done.Err)
			}
			explained(t, "Append", done.Err, test.want)
		})
	}
}

// What cannot be opened says so, whoever asks for it.
func TestWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "nowhere", "house.db")
	_, _, err := sqlite.Archive(t.Context(), nowhere, sqlite.Archiving{})
	explained(t, "Archive", err, os.ErrNotExist)
	explained(t, "Restart", sqlite.Restart(t.Context(), nowhere, "", ""), sqlite.ErrUnopenable)
}

// Rows that do not go together are a fault of the record that they come from.
func TestRowsThatDoNotFit(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "house.db")
	err := sqlite.Fill(t.Context(), to, func(table string, columns []string, yield func([]any) error) error {
		if table != "tx" {
			return nil
		}
		for range 2 {
			if err := yield([]any{int64(1), int64(1), make([]byte, 16), []byte{1}, make([]byte, row.MarkBytes)}); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	explained(t, "Fill", err, house.ErrCorrupt)
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}

// Every exported function that asks SQLite for something defers what gives its error a meaning.
func TestNoErrorLeavesWithoutItsMeaning(t *testing.T) {
	t.Parallel()
	// These ask SQLite for nothing, or another one for it that is listed.
	without := []string{"Free", "RemoveParts", "Parts", "Open", "Idle"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.Results == nil || slices.Contains(without, f.Name.Name) || strings.HasPrefix(name, "lock_") || name == "meaning.go" {
				continue
			}
			last := f.Type.Results.List[len(f.Type.Results.List)-1]
			if kind, ok := last.Type.(*ast.Ident); !ok || kind.Name != "error" {
				continue
			}
			seen++
			if first, ok := f.Body.List[0].(*ast.DeferStmt); !ok || fmt.Sprint(first.Call.Fun) != "mean" {
				t.Errorf("%s: %s does not begin with defer mean(&err)", name, f.Name.Name)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d functions were looked at", seen)
	}
}
