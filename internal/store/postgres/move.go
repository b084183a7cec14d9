package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"trey/internal/house"
	"trey/internal/store/batch"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// ErrThere is wrapped where a record would take the place of another.
var ErrThere = errors.New("the database holds the record of a house already")

// longWork is after how long without an answer a connection is given up that carries over a
// record: the server may have to work through all of it before it answers.
const longWork = 24 * time.Hour

// connect opens a connection without becoming the writer. It is given up after a silence.
func connect(ctx context.Context, address string, silence time.Duration) (*pgx.Conn, *atomic.Bool, error) {
	o := Options{Silence: silence}
	o.defaults()
	config, warned, err := o.config(address)
	if err != nil {
		return nil, nil, err
	}
	config.ConnectTimeout = DefaultSilence
	conn, err := connectWith(ctx, config)
	return conn, warned, err
}

// Place names a database: the system identifier of its servers, which standbys share and no
// other server has, and its name there. A server that does not tell its identifier is left
// out.
func Place(ctx context.Context, address string) (_ string, err error) {
	defer mean(&err)
	conn, _, err := connect(ctx, address, longWork)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was for reading
	var name string
	var allowed bool
	if err := conn.QueryRow(ctx, "SELECT current_database(), has_function_privilege('pg_control_system()', 'execute')").Scan(&name, &allowed); err != nil || !allowed {
		return name, err
	}
	var system int64
	err = conn.QueryRow(ctx, "SELECT system_identifier FROM pg_control_system()").Scan(&system)
	return fmt.Sprintf("%s of %d", name, uint64(system)), err
}

// Holds returns leaf 0 of the record in a database, nil if there is none.
func Holds(ctx context.Context, address string) (origin []byte, err error) {
	defer mean(&err)
	conn, _, err := connect(ctx, address, DefaultSilence)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was for reading
	return originIn(ctx, conn)
}

func originIn(ctx context.Context, from queries) (origin []byte, err error) {
	if version, err := versionOf(ctx, from); err != nil || version == 0 {
		return nil, err
	}
	err = from.QueryRow(ctx, "SELECT leaf FROM origin").Scan(&origin)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return origin, err
}

// FillThen copies the record of another store into a database that holds none, row by row. Its
// leaves, its tree and its name stay the same, and the tree over what was written has to be the one
// that is expected. It calls ready when everything is written, and commits if ready returns nil.
func FillThen(ctx context.Context, address string, from row.Tables, want tree.Head, ready func() error) (err error) {
	defer mean(&err)
	o := Options{Silence: longWork}
	o.defaults()
	config, _, err := o.config(address)
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config, eachForbidsCancel)
	_, err = o.migrate(ctx, db)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	conn, warned, err := connect(ctx, address, longWork)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was committed or not
	w := &writer{conn: conn, warned: warned}
	if err := w.safe(ctx); err != nil {
		return err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it is committed then
	// Two that fill it at the same time come one after the other.
	if _, err := tx.Exec(ctx, "LOCK TABLE origin IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	if there, err := originIn(ctx, tx); err != nil || there != nil {
		return errors.Join(err, ErrThere)
	}
	for _, t := range row.Carried {
		if err := fillTable(ctx, tx, t.Name, t.Columns, from); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if _, err := tx.Exec(ctx, "INSERT INTO head (seq, epoch, node, address, until) VALUES ($1, 0, '', '', clock_timestamp())", want.Size-1); err != nil {
		return err
	}
	if err := checkTables(ctx, tx, want); err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	warned.Store(false)
	// No deadline: a commit that is cancelled may have been carried out.
	err = tx.Commit(context.WithoutCancel(ctx))
	if err == nil && warned.Load() {
		err = errors.New("it is not on another server")
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errUnknown, err)
	}
	return err
}

// rowsTogether is the number of rows that are sent in one statement.
const rowsTogether = 1000

// fillTable copies the rows of one table.
func fillTable(ctx context.Context, tx pgx.Tx, table string, columns []string, from row.Tables) error {
	var waiting [][]any
	send := func() error {
		n, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(waiting))
		if err == nil && n != int64(len(waiting)) {
			err = fmt.Errorf("%d of %d rows were taken", n, len(waiting))
		}
		waiting = waiting[:0]
		return err
	}
	guest := -1
	for i, name := range columns {
		if name == "guest" {
			guest = i // true or false here, a number in a file
		}
	}
	err := from(table, columns, func(values []any) error {
		if guest >= 0 {
			if n, number := values[guest].(int64); number {
				values[guest] = n != 0
			}
		}
		if waiting = append(waiting, values); len(waiting) < rowsTogether {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// checkTables builds the tree over the transactions in the tables, and compares it.
func checkTables(ctx context.Context, from queries, want tree.Head) error {
	var origin []byte
	if err := from.QueryRow(ctx, "SELECT leaf FROM origin").Scan(&origin); err != nil {
		return err
	}
	each := func(query string, into []any, yield func() error) error {
		found, err := from.Query(ctx, query)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(found, into, yield)
		return err
	}
	return row.CheckTree(origin, want, func(yield func(*row.Row) error) error {
		var r row.Row
		return each("SELECT "+row.Columns+" FROM tx ORDER BY seq", r.Fields(), func() error { return yield(&r) })
	}, func(yield func(tree.Node) error) error {
		var n tree.Node
		var hash []byte
		return each("SELECT level, n, hash FROM node ORDER BY level, n", []any{&n.Level, &n.N, &hash}, func() error {
			n.Hash = tree.Hash{}
			copy(n.Hash[:], hash) // one of another length is not the one that is expected
			return yield(n)
		})
	})
}

// Move hands out the rows of the record to a function that writes them elsewhere, with one
// more transaction at the end if there is one. That is recorded here when the function has
// called commit, and not at all if it returns an error before that. After an error of
// commit it is not known whether it was recorded.
//
// The store takes nothing any more.
func (s *Store) Move(ctx context.Context, last *house.Transaction, to func(rows row.Tables, head tree.Head, commit func() error) error) (err error) {
	defer mean(&err)
	s.Line.Close()
	w := s.writer
	tx, err := w.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it is committed then
	head, recorded := w.edge.Head(), func() {}
	if last != nil {
		item, err := batch.NewItem(last)
		if err != nil {
			return err
		}
		results := make([]house.AppendResult, 1)
		b := w.compose([]batch.Item{item}, results, nil, nil)
		if results[0].Err != nil {
			return results[0].Err
		}
		if err := w.write(b); err != nil {
			return err
		}
		head, recorded = b.edge.Head(), func() { w.accept(b) }
	}
	return to(tablesOf(ctx, tx), head, func() error {
		w.warned.Store(false)
		err := tx.Commit(context.WithoutCancel(ctx))
		if err == nil && w.warned.Load() {
			err = errors.New("it is not on another server")
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errUnknown, err)
		}
		recorded()
		return nil
	})
}
