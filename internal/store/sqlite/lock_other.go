//go:build !unix

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	driver "modernc.org/sqlite"
)

// lock is the hold of this process on a record: a transaction on a file beside it.
// Systems other than Unix let nobody remove a file that is open.
type lock struct{ beside *sql.DB }

// hold takes the record for this process, and makes the file where there is none. The
// lock ends with the process, however it ends.
func hold(path string) (*lock, error) {
	beside, err := connect(path+".lock", "?_pragma=busy_timeout(0)")
	if err != nil {
		return nil, err
	}
	beside.SetMaxOpenConns(1)
	// The connection goes back to the pool with its transaction open, and stays
	// there: nobody asks the pool for another.
	if _, err := beside.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		const busy = 5 // SQLITE_BUSY; what it is about stands in the higher bits
		var refused *driver.Error
		if errors.As(err, &refused) && refused.Code()&0xff == busy {
			err = fmt.Errorf("%w: %w", ErrInUse, err)
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, meant(err)), beside.Close())
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(err, beside.Close())
	}
	return &lock{beside}, file.Close()
}

// Close lets the record go.
func (l *lock) Close() error { return l.beside.Close() }
