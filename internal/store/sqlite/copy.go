package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// ErrThere is wrapped where a copy would take the place of a file.
var ErrThere = errors.New("there is a file already")

// Free refuses a place for a record where a file is, or the log of one that was there: SQLite
// would write what lies in that log over another record. An error wraps [ErrThere].
func Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%w: %s", ErrThere, path)
	}
	if !logless(path) {
		return fmt.Errorf("%w: %s-wal has what was written last into a record that was here: move it to where that record is now, with -wal at the end of its name there too", ErrThere, path)
	}
	return nil
}

// Copy writes a copy of the record in a file into another, which must not be there
// yet. The copy holds what the record held at one moment after the call, whole
// transactions and nothing besides, and is durable when Copy returns; a house may have
// the record open meanwhile, in this process or another, and goes on. An error wraps
// what [Open] would say of the record, and leaves no copy behind.
func Copy(ctx context.Context, from, to string) (err error) {
	defer mean(&err)
	return CopyThen(ctx, from, to, nil)
}

// CopyThen copies as [Copy] does, with a last step before the copy has its name: it calls ready
// with a temporary name, and renames the copy if ready returns nil.
func CopyThen(ctx context.Context, from, to string, ready func(beside string) error) (err error) {
	defer mean(&err)
	if err := checkComplete(from); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	switch info, err := os.Stat(from); {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("copy %s: %w: it is a directory", from, ErrOtherFile)
	}
	// As a file that nobody writes to: anything else leaves empty files beside it, and a record
	// may be evidence.
	if logless(from) {
		if err := copyStill(ctx, from, to, ready); !errors.Is(err, ErrInUse) {
			return err
		}
	}
	err = copyBy(ctx, "?mode=rw&_pragma=busy_timeout(5000)", from, to, ready)
	switch {
	case !errors.Is(err, errStill):
		return err
	case !logless(from):
		return fmt.Errorf("%w: what was written last lies in %s-wal, and is read only where something can be written beside it; copy both files into another folder, and name the copy", err, from)
	}
	return copyStill(ctx, from, to, ready)
}

// errStill is wrapped where a file cannot be read because nothing can be written beside it.
var errStill = errors.New("nothing can be written beside it")

// copyStill copies a record that is closed, and writes nothing beside it. So it also copies a
// record on a read-only disk, or in the folder of another user. SQLite reads the file as it lies
// there, without a lock, so there is no copy if a house has opened it meanwhile.
func copyStill(ctx context.Context, from, to string, ready func(beside string) error) error {
	before, err := os.Stat(from)
	if err != nil {
		return err
	}
	return copyBy(ctx, "?mode=ro&immutable=1", from, to, func(beside string) error {
		after, err := os.Stat(from)
		if err != nil {
			return err
		}
		if !logless(from) || !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
			return fmt.Errorf("%w: %s was written while it was read: try again", ErrInUse, from)
		}
		if ready == nil {
			return nil
		}
		return ready(beside)
	})
}

// unwritable reports whether SQLite could not write what it keeps beside a file that is read.
func unwritable(err error) bool {
	const readOnly, cannotOpen = 8, 14 // SQLITE_READONLY and SQLITE_CANTOPEN
	var refused *driver.Error
	return errors.As(err, &refused) && (refused.Code()&0xff == readOnly || refused.Code()&0xff == cannotOpen)
}

// copyBy copies a record that is opened by these options.
func copyBy(ctx context.Context, options, from, to string, ready func(beside string) error) (err error) {
	alone := logless(from)
	source, err := connect(from, options)
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
	case unwritable(err):
		return fmt.Errorf("copy %s: %w: %w", from, errStill, err)
	case err != nil:
		return fmt.Errorf("copy %s: %w", from, meant(err))
	case whose == nobody:
		return fmt.Errorf("copy %s: %w: it is empty", from, ErrOtherFile)
	}
	return copied(ctx, conn, to, ready)
}

// copied writes the copy beside its name, and gives it its name when it is whole.
func copied(ctx context.Context, conn *sql.Conn, to string, ready func(beside string) error) error {
	return put(ctx, to, func(beside string) error {
		_, err := conn.ExecContext(ctx, "VACUUM INTO ?", beside)
		return err
	}, ready)
}

// put has a record written into a file, which is there when all of it is. If ready is not
// nil, it is called before that, when the file is durable under another name.
func put(ctx context.Context, to string, write, ready func(beside string) error) error {
	if err := Free(to); err != nil {
		return err
	}
	// Nobody but its owner may read it, as the record.
	file, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*.trey.part")
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
	if ready != nil {
		if err := ready(file.Name()); err != nil {
			return err
		}
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

// Fill writes the record of another store into a file, which must not be there yet, row by
// row: its leaves, its tree and its name stay what they are. Like a copy, the file is durable
// when Fill returns. If ready is not nil, it is called as by [CopyThen].
func Fill(ctx context.Context, to string, from row.Tables, ready func(beside string) error) (err error) {
	defer mean(&err)
	return fill(ctx, to, from, ready)
}

// FillThen fills a file as [Fill] does, for a record that is carried over: the tree over what was
// written has to be the one that is expected. It calls ready when the file is durable under another
// name, and renames the file if ready returns nil.
func FillThen(ctx context.Context, to string, from row.Tables, want tree.Head, ready func() error) (err error) {
	defer mean(&err)
	return fill(ctx, to, from, func(beside string) error {
		if err := checkFile(ctx, beside, want); err != nil {
			return err
		}
		return ready()
	})
}

// checkFile builds the tree over the transactions in a file, and compares it.
func checkFile(ctx context.Context, path string, want tree.Head) (err error) {
	db, err := connect(path, "?mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var origin []byte
	if err := db.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&origin); err != nil {
		return meant(err)
	}
	return row.CheckTree(origin, want, func(yield func(*row.Row) error) error {
		return eachOf(ctx, db, func(rows *sql.Rows) error {
			var r row.Row
			if err := rows.Scan(r.Fields()...); err != nil {
				return err
			}
			return yield(&r)
		}, "SELECT "+row.Columns+" FROM tx ORDER BY seq")
	}, func(yield func(tree.Node) error) error {
		return eachOf(ctx, db, func(rows *sql.Rows) error {
			n, hash := tree.Node{}, []byte(nil)
			if err := rows.Scan(&n.Level, &n.N, &hash); err != nil {
				return err
			}
			copy(n.Hash[:], hash) // one of another length is not the one that is expected
			return yield(n)
		}, "SELECT level, n, hash FROM node ORDER BY level, n")
	})
}

func fill(ctx context.Context, to string, from row.Tables, ready func(beside string) error) error {
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
		for _, t := range row.Carried {
			insert, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", t.Name, strings.Join(t.Columns, ", "), strings.Repeat(", ?", len(t.Columns)-1)))
			if err != nil {
				return err
			}
			if err := from(t.Name, t.Columns, func(values []any) error {
				_, err := insert.ExecContext(ctx, values...)
				return err
			}); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", mark))
		return err
	}, ready)
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

// partName matches the name that a file has while it is written, and those of what lies beside it then.
var partName = regexp.MustCompile(`^(.+)\.[0-9]+\.trey\.part(-journal|-wal|-shm|\.lock)?$`)

// RemoveParts removes what writers of a file have left behind that were killed before the
// file had its name.
func RemoveParts(of string) error {
	return durable.RemoveLeft(of, func(name string) bool {
		found := partName.FindStringSubmatch(name)
		return found != nil && found[1] == filepath.Base(of)
	})
}

// Part is a file with what is to become another one, or that lies beside such a file. Its writer writes
// it still, or was killed.
type Part struct {
	// Path is where it lies, and Of where the other file would.
	Path, Of string
	// Beside says that it lies beside the file with the text.
	Beside bool
	// Written is when it was written to last.
	Written time.Time
}

// Parts returns the parts in a folder, in the order of their names.
func Parts(folder string) ([]Part, error) {
	there, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, entry := range there {
		found := partName.FindStringSubmatch(entry.Name())
		if found == nil || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // its writer has ended
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{filepath.Join(folder, entry.Name()), filepath.Join(folder, found[1]), found[2] != "", info.ModTime()})
	}
	return parts, nil
}
