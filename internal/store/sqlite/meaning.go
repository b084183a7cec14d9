package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"

	"trey/internal/house"
	"trey/internal/store"
)

// The errors of files. What each says is for the operator of the machine.
var (
	// ErrInUse is wrapped where another process, or this one, has the record open. A
	// house decides ahead of its record, so nobody else may write to it.
	ErrInUse = errors.New("the record is in use")
	// ErrOtherFile is wrapped where a file is not a house's, or is of another form.
	ErrOtherFile = errors.New("not a record of this program")
	// ErrFull is wrapped where there is no room for what is to be written.
	ErrFull = errors.New("there is no room for the record")
	// ErrGone is wrapped where a file of the record is not where it was any more, or
	// only a part of them is there.
	ErrGone = errors.New("the record has been taken away")
	// ErrUnwritable is wrapped where the record, or what lies beside it, can be read and not written.
	ErrUnwritable = errors.New("the record cannot be written to")
	// ErrUnopenable is wrapped where a file of the record cannot be opened at all.
	ErrUnopenable = errors.New("a file of the record cannot be opened")
	// ErrDisk is wrapped where the disk did not read or write what it was asked to.
	ErrDisk = errors.New("the disk did not do what was asked of it")
)

// meanings are those of the result codes of SQLite, which stand in the lowest byte. A code that is
// not here says nothing about the record.
var meanings = map[int]struct {
	err error
	// what says more, empty where the error of SQLite says enough.
	what string
}{
	1:  {house.ErrCorrupt, "its tables are not those that this program makes"},          // SQLITE_ERROR
	3:  {ErrUnopenable, ""},                                                             // SQLITE_PERM
	5:  {ErrInUse, "another program, such as sqlite3, has locked it"},                   // SQLITE_BUSY
	6:  {ErrInUse, "another program, such as sqlite3, has locked it"},                   // SQLITE_LOCKED
	8:  {ErrUnwritable, ""},                                                             // SQLITE_READONLY
	10: {ErrDisk, ""},                                                                   // SQLITE_IOERR
	11: {house.ErrCorrupt, ""},                                                          // SQLITE_CORRUPT
	13: {ErrFull, ""},                                                                   // SQLITE_FULL
	14: {ErrUnopenable, ""},                                                             // SQLITE_CANTOPEN
	19: {house.ErrCorrupt, "what is to be written into it does not fit what it holds"},  // SQLITE_CONSTRAINT
	20: {house.ErrCorrupt, "a value in it is of another kind than this program writes"}, // SQLITE_MISMATCH
	23: {ErrUnopenable, ""},                                                             // SQLITE_AUTH
	26: {ErrOtherFile, ""},                                                              // SQLITE_NOTADB
}

// errClosed is the error of whoever asks a pool of connections that is closed. Package sql has no name
// for it.
var errClosed = func() error {
	closed := sql.OpenDB(nil)
	_ = closed.Close() // it has no connection
	return closed.Ping()
}()

// meant says what an error of SQLite means for a record. Any other error, and one that says that
// already, stays as it is.
func meant(err error) error {
	var known *store.Meaning
	var refused *driver.Error
	switch {
	case errors.As(err, &known), errors.Is(err, ErrOtherFile):
		return err
	case errors.Is(err, errClosed), errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone):
		return &store.Meaning{Means: house.ErrFailed, More: "it is closed", Why: err}
	case !errors.As(err, &refused):
		return err
	}
	if m := meanings[refused.Code()&0xff]; m.err != nil {
		return &store.Meaning{Means: m.err, More: m.what, Why: err}
	}
	return err
}

// lacking says what a record lacks that was asked for one row. A row that is not there, and one with
// a value of another kind, are its fault; whatever else kept it from being read means what it means.
func lacking(err error, what string, args ...any) error {
	err = fmt.Errorf(what+": %w", append(args, meant(err))...)
	var known *store.Meaning
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", house.ErrCorrupt, err)
}

// mean puts what an error means in its place. Each exported function that asks SQLite for something
// defers it, so that no error of SQLite leaves the package without its meaning.
func mean(err *error) { *err = meant(*err) }
