package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trey/internal/durable"
	"trey/internal/house"
)

// ErrThere is wrapped where a copy would take the place of a file.
var ErrThere = errors.New("there is a file already")

// Copy writes a copy of the record in a file into another, which must not be there
// yet. The copy holds what the record held at one moment after the call, whole
// transactions and nothing besides, and is durable when Copy returns; a house may have
// the record open meanwhile, in this process or another, and goes on. An error wraps
// what [Open] would say of the record, and leaves no copy behind.
func Copy(ctx context.Context, from, to string) (err error) {
	if err := whole(from); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if _, err := os.Stat(from); err != nil {
		return err
	}
	alone := logless(from)
	source, err := connect(from, "?mode=rw&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	source.SetMaxOpenConns(1)
	conn, err := source.Conn(ctx)
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, meant(err))
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	// What a crash has left in the log is for the house to put in order.
	if err := keepLog(conn); err != nil {
		return err
	}
	switch whose, err := belongs(ctx, conn, alone); {
	case err != nil:
		return fmt.Errorf("copy %s: %w", from, meant(err))
	case whose == nobody:
		return fmt.Errorf("copy %s: %w: it is empty", from, ErrOtherFile)
	}
	return copied(ctx, conn, to)
}

// copied writes the copy beside its name, and gives it its name when it is whole.
func copied(ctx context.Context, conn *sql.Conn, to string) error {
	return put(ctx, to, func(beside string) error {
		_, err := conn.ExecContext(ctx, "VACUUM INTO ?", beside)
		return err
	})
}

// put has a record written into a file, which is there when all of it is.
func put(ctx context.Context, to string, write func(beside string) error) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%w: %s", ErrThere, to)
	}
	// Nobody but its owner may read it, as the record.
	file, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it has another name then
	defer file.Close()           //nolint:errcheck // it was synced
	if err := write(file.Name()); err != nil {
		return fmt.Errorf("copy into %s: %w", to, meant(err))
	}
	if err := closed(ctx, file.Name()); err != nil {
		return fmt.Errorf("the copy %s: %w", to, meant(err))
	}
	if err := file.Sync(); err != nil {
		return err
	}
	// Unlike renaming, it takes nobody's place.
	if err := os.Link(file.Name(), to); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: %s", ErrThere, to)
	} else if err != nil {
		err = os.Rename(file.Name(), to) // A disk that has no links.
		if err != nil {
			return err
		}
	}
	return durable.SyncFolder(filepath.Dir(to))
}

// tables are those that a record is carried over by from another store, with their
// columns.
var tables = []struct {
	name    string
	columns []string
}{
	{"origin", []string{"leaf"}},
	{"tx", []string{"seq", "at_ms", "salt", "line", "mark"}},
	{"key", []string{"hash", "seq"}},
	{"stream", []string{"id", "name"}},
	{"part", []string{"stream", "id", "after", "count", "round"}},
	{"snapshot", []string{"id", "stream", "version", "body"}},
	{"account", []string{"id", "name", "balance", "seq"}},
	{"movement", []string{"account", "seq", "delta", "balance"}},
	{"name", []string{"number", "salt", "name"}},
	{"session", []string{"id", "name", "guest", "epoch", "since_ms", "seen_ms"}},
	{"node", []string{"level", "n", "hash"}},
}

// Fill writes the record of another store into a file, which must not be there yet, row by
// row: its leaves, its tree and its name stay what they are. The function from hands out
// the rows of a table. Like a copy, the file is durable when Fill returns.
func Fill(ctx context.Context, to string, from func(table string, columns []string, row func([]any) error) error) error {
	return put(ctx, to, func(beside string) (err error) {
		db, err := connect(beside, "?mode=rw&_pragma=synchronous(off)")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		db.SetMaxOpenConns(1)
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it is committed then
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return err
		}
		for _, t := range tables {
			insert, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", t.name, strings.Join(t.columns, ", "), strings.Repeat(", ?", len(t.columns)-1)))
			if err != nil {
				return err
			}
			if err := from(t.name, t.columns, func(values []any) error {
				_, err := insert.ExecContext(ctx, values...)
				return err
			}); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", mark))
		return err
	})
}

// closed has a copy say that no house has it open, and reads every page of it.
func closed(ctx context.Context, path string) (err error) {
	db, err := connect(path, "?mode=rw&_pragma=synchronous(full)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", form)); err != nil {
		return err
	}
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", house.ErrCorrupt, found)
	}
	return nil
}
