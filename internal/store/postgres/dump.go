package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/store/row"
)

// ErrNoRecord is wrapped where a database holds no record.
var ErrNoRecord = errors.New("the database holds no record of a house")

// Dump calls a function with the tables of the record in a database as they are at one
// moment. A house may have the record open meanwhile, and goes on.
func Dump(ctx context.Context, address string, into func(row.Tables) error) (err error) {
	defer mean(&err)
	conn, _, err := connect(ctx, address, longWork)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was for reading
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it was for reading
	if err := readable(ctx, tx); err != nil {
		return err
	}
	var head int64
	if err := tx.QueryRow(ctx, "SELECT seq FROM head").Scan(&head); errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%w: its table head is empty", house.ErrCorrupt)
	} else if err != nil {
		return err
	}
	if err := endsAtHead(ctx, tx, head); err != nil {
		return err
	}
	return into(tablesOf(ctx, tx))
}

// endsAtHead refuses a record whose last transaction is another than its row head says: no house
// goes on from it, and the row is not carried over.
func endsAtHead(ctx context.Context, from queries, head int64) error {
	var last int64
	if err := from.QueryRow(ctx, "SELECT coalesce(max(seq), 0) FROM tx").Scan(&last); err != nil {
		return err
	}
	if last != head {
		return fmt.Errorf("%w: its table tx ends with transaction %d, and its table head says %d", house.ErrCorrupt, last, head)
	}
	return nil
}

// queries is a connection, or a transaction.
type queries interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// tablesOf hands out the tables of a record.
func tablesOf(ctx context.Context, from queries) row.Tables {
	return func(table string, columns []string, yield func([]any) error) error {
		found, err := from.Query(ctx, row.Select(table, columns))
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			values, err := found.Values()
			if err == nil {
				err = yield(values)
			}
			if err != nil {
				return err
			}
		}
		return found.Err()
	}
}

// readable refuses a database without tables, or with those with which this program does not
// work.
func readable(ctx context.Context, from queries) error {
	version, err := versionOf(ctx, from)
	if err != nil {
		return err
	}
	if version == 0 {
		return ErrNoRecord
	}
	newest, err := programTables.newest()
	if err != nil {
		return err
	}
	return programTables.fit(version, newest, func(query string, args ...any) answer { return from.QueryRow(ctx, query, args...) })
}

// versionOf returns the version of the tables in a database, zero for none.
func versionOf(ctx context.Context, from queries) (version int64, err error) {
	var there bool
	err = from.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('head') IS NOT NULL").Scan(&there)
	if err == nil && there {
		err = from.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&version)
	}
	return version, err
}
