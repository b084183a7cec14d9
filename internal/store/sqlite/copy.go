package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", file.Name()); err != nil {
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
