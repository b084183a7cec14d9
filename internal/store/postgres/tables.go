package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"trey/internal/house/machines"
)

//go:embed migrations/*.sql
var migrations embed.FS

// The errors of tables that do not fit.
var (
	// ErrNewer: a later version of the program has changed the tables.
	ErrNewer = errors.New("the tables are of a later version of trey")
	// ErrOlderMachine: a machine of the house does not work with the tables that this program
	// needs.
	ErrOlderMachine = errors.New("another machine of the house does not work with the tables that this program needs: upgrade it first, or stop it for a minute")
)

// Tables describes the tables with which a program works. Their versions count from 1.
type Tables struct {
	// Migrations holds one file for each version.
	Migrations fs.FS
	// WorksFrom is the earliest version with which the program works as it is.
	WorksFrom int64
}

// programTables are those of this program.
var programTables = func() *Tables {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic("postgres: " + err.Error()) // they were built in
	}
	return &Tables{Migrations: files, WorksFrom: 3}
}()

// announcedFrom is the first version whose tables say what each machine reads.
const announcedFrom = 3

// toleratedRow matches the statement of a migration that says which programs work with the
// tables after it.
var toleratedRow = regexp.MustCompile(`(?m)^INSERT INTO tolerated \(version, least\) VALUES \((\d+), (\d+)\);$`)

// newest returns the version of the tables that the program makes.
func (t *Tables) newest() (int64, error) {
	files, err := fs.Glob(t.Migrations, "*.sql")
	return int64(len(files)), err
}

// least returns the version that a program has to know to work with the tables after all
// migrations behind a version.
func (t *Tables) least(behind int64) (least int64, err error) {
	files, err := fs.Glob(t.Migrations, "*.sql")
	for i := int(behind); err == nil && i < len(files); i++ {
		var text []byte
		if text, err = fs.ReadFile(t.Migrations, files[i]); err != nil {
			break
		}
		said := toleratedRow.FindSubmatch(text)
		if said == nil {
			least = max(least, int64(i)+1) // none that is earlier
			continue
		}
		version, _ := strconv.ParseInt(string(said[1]), 10, 64) // they are digits
		tolerates, _ := strconv.ParseInt(string(said[2]), 10, 64)
		if version != int64(i)+1 || tolerates > version {
			return 0, fmt.Errorf("migration %s says that it is %s and tolerates %s", files[i], said[1], said[2])
		}
		least = max(least, tolerates)
	}
	return least, err
}

// migrate brings the tables up to the version of the program, unless a machine of the house
// would not work with them: then it reports that they wait for it.
func (o *Options) migrate(ctx context.Context, db *sql.DB) (waits bool, err error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, o.Tables.Migrations, goose.WithLocker(&tablesLock{}))
	if err != nil {
		return false, err
	}
	there, newest, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return false, fmt.Errorf("read the version of the tables: %w", err)
	case there > newest:
		return false, o.Tables.fit(there, newest, func(query string, args ...any) answer { return db.QueryRowContext(ctx, query, args...) })
	case there == newest:
		return false, nil
	case there >= announcedFrom:
		least, err := o.Tables.least(there)
		if err != nil {
			return false, err
		}
		h, err := listMachines(ctx, db)
		if err != nil {
			return false, err
		}
		lacking := h.Lacking(o.Address, func(r *machines.Reads) bool { return r.Tables >= least })
		switch {
		case len(lacking) > 0 && there >= o.Tables.WorksFrom:
			return true, nil
		case len(lacking) > 0:
			return false, fmt.Errorf("%w: they have version %d, this program needs %d, and %s does not work with that", ErrOlderMachine, there, o.Tables.WorksFrom, strings.Join(lacking, ", "))
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return false, fmt.Errorf("bring the tables to version %d: %w", newest, err)
	}
	return false, nil
}

// tablesLock has one process at a time make migrations. A transaction of its own holds it, so
// it also holds through PgBouncer's transaction mode, which forbids locks of a session, and
// ends with the connection of a process that dies.
type tablesLock struct{ held *sql.Tx }

// tablesLockKey is the number of the lock in the database of the house.
const tablesLockKey = 0x74726579 // "trey"

// Lock waits until no other process makes migrations. It asks again and again: a statement
// that waits for long would be given up.
func (l *tablesLock) Lock(ctx context.Context, db *sql.DB) error {
	for {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		var got bool
		if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", tablesLockKey).Scan(&got); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if got {
			l.held = tx
			return nil
		}
		if err := tx.Rollback(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryInterval):
		}
	}
}

// Unlock lets the next process go on.
func (l *tablesLock) Unlock(context.Context, *sql.DB) error { return l.held.Rollback() }

// answer is that of a query.
type answer interface{ Scan(into ...any) error }

// fit refuses tables of a version with which the program does not work.
func (t *Tables) fit(there, newest int64, query func(query string, args ...any) answer) error {
	switch {
	case there < t.WorksFrom:
		return fmt.Errorf("the tables have version %d, and this program reads %d: they are brought up when a house opens", there, t.WorksFrom)
	case there <= newest:
		return nil
	}
	var said int64
	var least sql.NullInt64
	err := query("SELECT count(*), max(least) FROM tolerated WHERE version > $1 AND version <= $2", newest, there).Scan(&said, &least)
	if err != nil || said != there-newest || least.Int64 > newest {
		return errors.Join(fmt.Errorf("%w: they have version %d, and this program knows %d", ErrNewer, there, newest), err)
	}
	return nil
}
