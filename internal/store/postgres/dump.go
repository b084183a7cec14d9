package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrNoRecord is wrapped where a database holds no record.
var ErrNoRecord = errors.New("the database holds no record of a house")

// Dump calls a function with the tables of the record in a database as they are at one
// moment: tables hands out the rows of one, with the columns that are named. A house may
// have the record open meanwhile, and goes on.
func Dump(ctx context.Context, address string, into func(tables func(name string, columns []string, row func([]any) error) error) error) (err error) {
	o := Options{}
	o.defaults()
	config, _, err := o.config(address)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
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
	return into(func(name string, columns []string, row func([]any) error) error {
		found, err := tx.Query(ctx, fmt.Sprintf("SELECT %s FROM %s", strings.Join(columns, ", "), pgx.Identifier{name}.Sanitize()))
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			values, err := found.Values()
			if err == nil {
				err = row(values)
			}
			if err != nil {
				return err
			}
		}
		return found.Err()
	})
}

// readable refuses a database without tables, or with those of another version.
func readable(ctx context.Context, tx pgx.Tx) error {
	var there bool
	if err := tx.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('head') IS NOT NULL").Scan(&there); err != nil {
		return err
	}
	if !there {
		return ErrNoRecord
	}
	var version int64
	if err := tx.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&version); err != nil {
		return err
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	switch newest := int64(len(files)); {
	case version > newest:
		return fmt.Errorf("%w: they have version %d, and this program knows %d", ErrNewer, version, newest)
	case version < newest:
		return fmt.Errorf("the tables have version %d, and this program reads %d: they are brought up when a house opens", version, newest)
	}
	return nil
}
