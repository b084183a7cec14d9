package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/row"
	"trey/money"
)

// reader reads a record. It is safe for use by many goroutines.
type reader struct {
	db     querier
	tree   treeOf
	people people.Directory
	// through is the last transaction that is handed out. What is behind it is not there.
	through atomic.Int64
}

// everything is the [reader.through] of a process that knows all of the record.
const everything = 1<<58 - 1

// Find returns what was recorded under a key.
func (r *reader) Find(ctx context.Context, key string) (_ *house.Receipt, err error) {
	defer mean(&err)
	var found row.Row
	err = r.db.QueryRowContext(ctx, "SELECT "+row.Columns+" FROM key JOIN tx ON tx.seq = key.seq WHERE hash = $1 AND tx.seq <= $2", row.KeyHash(key), r.through.Load()).Scan(found.Fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, house.ErrNotFound
	}
	if err != nil {
		return nil, unreachable(err)
	}
	line, err := found.Read()
	if err != nil {
		return nil, err
	}
	if line.Key != key {
		return nil, fmt.Errorf("%w: transaction %d was not recorded under the key %q", house.ErrCorrupt, found.Seq, key)
	}
	return line.Receipt(found.Seq, found.AtMs)
}

// partsEnd returns the first id that no part has which is handed out.
func (r *reader) partsEnd() int64 { return (r.through.Load() + 1) * house.MaxParts }

// querier is a connection, a pool of them, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each runs a query and hands out its rows.
func (r *reader) each(ctx context.Context, from querier, one func(*sql.Rows) error, query string, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return unreachable(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		if err := one(rows); err != nil {
			return err
		}
	}
	return unreachable(rows.Err())
}

// rows hands out the transactions of a query, whose columns are those of a [row.Row].
func (r *reader) rows(ctx context.Context, yield func(*row.Row) error, query string, args ...any) error {
	return r.each(ctx, r.db, func(rows *sql.Rows) error {
		var found row.Row
		if err := rows.Scan(found.Fields()...); err != nil {
			return err
		}
		return yield(&found)
	}, query, args...)
}

// streamID asks for the number of the stream that is the first argument; of one that is
// not there, none.
const streamID = "(SELECT id FROM stream WHERE name = $1)"

// Read hands out the events of a stream.
func (r *reader) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	from, err := r.seek(ctx, stream, after)
	if err != nil {
		return err
	}
	last := int64(-1)
	return r.each(ctx, r.db, func(rows *sql.Rows) error {
		var id, starts, count int64
		var found row.Row
		if err := rows.Scan(append(found.Fields(), &id, &starts, &count)...); err != nil {
			return err
		}
		if last >= 0 && starts != last {
			return fmt.Errorf("%w: events %d to %d of %s are missing", house.ErrCorrupt, last+1, starts, stream)
		}
		last = starts + count
		if count == 0 {
			return nil
		}
		e, err := found.Entry()
		if err != nil {
			return err
		}
		place := int(id % house.MaxParts)
		if place >= len(e.Parts) || e.Parts[place].Stream != stream || e.Parts[place].After != starts || int64(len(e.Parts[place].Events)) != count {
			return fmt.Errorf("%w: transaction %d did not append %d events to %s after %d", house.ErrCorrupt, found.Seq, count, stream, starts)
		}
		record := house.StoredEvent{Version: starts, Seq: found.Seq, AtMs: found.AtMs}
		for _, record.Event = range e.Parts[place].Events {
			if record.Version++; record.Version <= after {
				continue
			}
			if err := yield(record); err != nil {
				return err
			}
		}
		return nil
	}, "SELECT "+row.Columns+", part.id, part.after, part.count FROM part JOIN tx ON tx.seq = part.id / 16 WHERE stream = "+streamID+" AND part.id >= $2 AND part.id < $3 ORDER BY part.id", stream, from, r.partsEnd())
}

// seek returns an id of a part from which on a stream is to be read for the events
// after a version.
func (r *reader) seek(ctx context.Context, stream string, after int64) (int64, error) {
	if after <= 0 {
		return 0, nil
	}
	var high int64
	if err := r.db.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM part WHERE stream = "+streamID, stream).Scan(&high); err != nil {
		return 0, unreachable(err)
	}
	id, err := row.FirstAfter(after, high+1, func(from int64) *sql.Row {
		return r.db.QueryRowContext(ctx, "SELECT id, after + count FROM part WHERE stream = "+streamID+" AND id >= $2 ORDER BY id LIMIT 1", stream, from)
	})
	return id, unreachable(err)
}

// ReadAll hands out whole transactions.
func (r *reader) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	query, args := "SELECT "+row.Columns+" FROM tx WHERE seq > $1 AND seq <= $2 ORDER BY seq", []any{after, r.through.Load()}
	if stream != "" {
		query = "SELECT " + row.Columns + " FROM part JOIN tx ON tx.seq = part.id / 16 WHERE stream = " + streamID + " AND part.id >= $2 AND part.id < $3 ORDER BY part.id"
		args = []any{stream, min(after+1, everything) * house.MaxParts, r.partsEnd()}
	}
	return r.rows(ctx, func(found *row.Row) error {
		e, err := found.Entry()
		if err != nil {
			return err
		}
		return yield(e)
	}, query, args...)
}

// Rounds hands out where the rounds of a stream begin.
func (r *reader) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return row.ReadRounds(r.rowsOf(ctx, "SELECT part.round, tx.seq, tx.at_ms, part.after FROM part JOIN tx ON tx.seq = part.id / 16 WHERE part.stream = "+streamID+" AND part.round > 0 AND part.round < $2 AND part.id < $4 ORDER BY part.round DESC LIMIT $3",
		stream, row.FromNewest(int64(before)), max(0, limit), r.partsEnd()), yield)
}

// Snapshot returns the latest snapshot up to a transaction.
func (r *reader) Snapshot(ctx context.Context, stream string, atMost int64) (_ house.Snapshot, err error) {
	defer mean(&err)
	before := r.partsEnd()
	if atMost >= 0 && atMost < before/house.MaxParts-1 {
		before = (atMost + 1) * house.MaxParts
	}
	var found house.Snapshot
	err = r.db.QueryRowContext(ctx, "SELECT id / 16, version, body FROM snapshot WHERE stream = "+streamID+" AND id < $2 ORDER BY id DESC LIMIT 1", stream, before).
		Scan(&found.Seq, &found.Version, &found.Body)
	if errors.Is(err, sql.ErrNoRows) {
		err = house.ErrNotFound
	} else {
		err = unreachable(err)
	}
	return found, err
}

// Movements hands out what moved an account.
func (r *reader) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return row.ReadMovements(r.rowsOf(ctx, "SELECT "+row.Columns+", delta, balance FROM movement JOIN tx ON tx.seq = movement.seq WHERE account = (SELECT id FROM account WHERE name = $1) AND movement.seq < $2 AND movement.seq <= $4 ORDER BY movement.seq DESC LIMIT $3",
		of.String(), row.FromNewest(before), max(0, limit), r.through.Load()), of, yield)
}

// Balances hands out what each account holds.
func (r *reader) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error) {
	return row.ReadBalances(r.rowsOf(ctx, "SELECT name, balance, (SELECT seq FROM head) FROM account"), yield)
}

// Names hands out the names of persons, those after a number.
func (r *reader) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	return row.ReadNames(r.rowsOf(ctx, "SELECT number, salt, name FROM name WHERE number > $1 ORDER BY number", after), yield)
}

// Directory returns the names of persons.
func (r *reader) Directory() *people.Directory { return &r.people }

// ReadSessions hands out all sessions.
func (r *reader) ReadSessions(ctx context.Context, yield func(identity.KeptSession) error) error {
	return row.ReadSessions(r.rowsOf(ctx, row.Sessions), yield)
}
