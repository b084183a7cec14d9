package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// errFormer: a server knows an earlier epoch than the one in which the house is.
var errFormer = errors.New("it is a former server: the writer has changed since at another one")

// leastEpoch keeps a pool of connections from reading at a former server. One that was cut off
// and comes back says that it can be written to: it lacks what was recorded since, and may have
// other transactions under the same numbers. After a failover the writer takes its place anew, so
// a former server knows an earlier epoch than the server that counts. Zero allows every server.
type leastEpoch struct{ atomic.Int64 }

// epochKey is under what a connection keeps the epoch that its server knew.
const epochKey = "trey epoch"

// openPool returns a pool of connections for reading, each to a server of at least the epoch.
func openPool(config *pgx.ConnConfig, least *leastEpoch) *sql.DB {
	config = config.Copy()
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := validate(ctx, conn); err != nil {
			return err
		}
		return least.check(ctx, conn) // on an error the next server of the address is tried
	}
	// A connection that was made before the writer changed is made anew.
	db := stdlib.OpenDB(*config, eachForbidsCancel, stdlib.OptionResetSession(func(_ context.Context, conn *pgx.Conn) error {
		if knew, _ := conn.PgConn().CustomData()[epochKey].(int64); knew < least.Load() {
			return driver.ErrBadConn
		}
		return nil
	}))
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db
}

// check refuses a connection to a server of an earlier epoch.
func (l *leastEpoch) check(ctx context.Context, conn *pgconn.PgConn) error {
	least := l.Load()
	if least == 0 {
		return nil // there may be no tables yet
	}
	results, err := conn.Exec(ctx, "SELECT epoch FROM head").ReadAll()
	if err != nil {
		return err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return errFormer // its table is empty
	}
	knows, err := strconv.ParseInt(string(results[0].Rows[0][0]), 10, 64)
	if err != nil {
		return err
	}
	if knows < least {
		return fmt.Errorf("%w: it knows epoch %d, and the house is in epoch %d", errFormer, knows, least)
	}
	conn.CustomData()[epochKey] = knows
	return nil
}
