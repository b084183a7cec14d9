package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/row"
	"trey/money"
)

// Find returns what was recorded under a key.
func (s *Store) Find(ctx context.Context, key string) (_ *house.Receipt, err error) {
	defer mean(&err)
	var r row.Row
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Every command asks for its key, and for a query that can be cancelled package sql and the driver
	// each start a goroutine.
	err = s.find.QueryRowContext(context.WithoutCancel(ctx), row.KeyHash(key)).Scan(r.Fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, house.ErrNotFound
	}
	if err != nil {
		return nil, meant(err)
	}
	var line house.Line
	if r.Line == nil {
		leaf, err := s.tree.leaf(ctx, s.read, r.Seq)
		if err != nil {
			return nil, err
		}
		r.AtMs, line = leaf.AtMs, leaf.Line
	} else if line, err = r.Read(); err != nil {
		return nil, err
	}
	if line.Key != key {
		return nil, fmt.Errorf("%w: transaction %d was not recorded under the key %q", house.ErrCorrupt, r.Seq, key)
	}
	return line.Receipt(r.Seq, r.AtMs)
}

// each runs a query and hands out its rows.
func (s *Store) each(ctx context.Context, one func(*sql.Rows) error, query string, args ...any) error {
	return eachOf(ctx, s.read, one, query, args...)
}

// eachOf runs a query on a connection and hands out its rows.
func eachOf(ctx context.Context, from querier, one func(*sql.Rows) error, query string, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return meant(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		if err := one(rows); err != nil {
			return err
		}
	}
	return meant(rows.Err())
}

// rows hands out the transactions of a query, whose columns are those of a [row.Row].
func (s *Store) rows(ctx context.Context, yield func(*row.Row) error, query string, args ...any) error {
	return s.each(ctx, func(rows *sql.Rows) error {
		var r row.Row
		if err := rows.Scan(r.Fields()...); err != nil {
			return err
		}
		return yield(&r)
	}, query, args...)
}

// streamID is the number of a stream in the file; of one that is not there, none.
const streamID = "(SELECT id FROM stream WHERE name = ?)"

// Read hands out the events of a stream.
func (s *Store) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) (err error) {
	defer mean(&err)
	after = max(after, 0)
	last, err := s.readArchived(ctx, stream, after, yield)
	if err != nil {
		return err
	}
	from, err := s.seek(ctx, stream, after)
	if err != nil {
		return err
	}
	return s.each(ctx, func(rows *sql.Rows) error {
		var id, starts, count int64
		var r row.Row
		if err := rows.Scan(append(r.Fields(), &id, &starts, &count)...); err != nil {
			return err
		}
		if last >= 0 && starts != last {
			return fmt.Errorf("%w: events %d to %d of %s are missing", house.ErrCorrupt, last+1, starts, stream)
		}
		if count == 0 {
			last = starts
			return nil
		}
		e, err := r.Entry()
		if err != nil {
			return err
		}
		place := int(id % house.MaxParts)
		if place >= len(e.Parts) || e.Parts[place].Stream != stream || e.Parts[place].After != starts || int64(len(e.Parts[place].Events)) != count {
			return fmt.Errorf("%w: transaction %d did not append %d events to %s after %d", house.ErrCorrupt, r.Seq, count, stream, starts)
		}
		last, err = handOut(&e, &e.Parts[place], last, after, yield)
		return err
	}, "SELECT "+row.Columns+", part.id, part.after, part.count FROM part CROSS JOIN tx ON tx.seq = part.id / 16 WHERE stream = "+streamID+" AND part.id >= ? ORDER BY part.id", stream, from)
}

// seek returns an id of a part from which on a stream is to be read for the events
// after a version.
func (s *Store) seek(ctx context.Context, stream string, after int64) (int64, error) {
	if after <= 0 {
		return 0, nil
	}
	var high int64
	if err := s.read.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM part WHERE stream = "+streamID, stream).Scan(&high); err != nil {
		return 0, err
	}
	return row.FirstAfter(after, high+1, func(from int64) *sql.Row {
		return s.read.QueryRowContext(ctx, "SELECT id, after + count FROM part WHERE stream = "+streamID+" AND id >= ? ORDER BY id LIMIT 1", stream, from)
	})
}

// ReadAll hands out whole transactions.
func (s *Store) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) (err error) {
	defer mean(&err)
	archived := func(leaf *house.Leaf) error {
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err != nil {
			return fmt.Errorf("transaction %d: %w", leaf.Seq, err)
		}
		return yield(e)
	}
	after = min(max(after, 0), 1<<58)
	query, args := "SELECT "+row.Columns+" FROM tx WHERE seq > ? ORDER BY seq", []any{max(after, s.tree.archives.through)}
	if stream == "" {
		err = s.tree.archivedLeaves(ctx, s.read, after+1, everything, archived)
	} else {
		query = "SELECT " + row.Columns + " FROM part CROSS JOIN tx ON tx.seq = part.id / 16 WHERE stream = " + streamID + " AND part.id >= ? ORDER BY part.id"
		args = []any{stream, (after + 1) * house.MaxParts}
		var first int64
		if first, _, err = s.begin(ctx, stream); err == nil {
			err = s.streamLeaves(ctx, stream, after+1, first-1, archived)
		}
	}
	if err != nil {
		return err
	}
	return s.rows(ctx, func(r *row.Row) error {
		e, err := r.Entry()
		if err != nil {
			return err
		}
		return yield(e)
	}, query, args...)
}

// Rounds hands out where the rounds of a stream begin.
func (s *Store) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) (err error) {
	defer mean(&err)
	from := row.FromNewest(int64(before))
	for _, query := range []string{
		"SELECT part.round, tx.seq, tx.at_ms, part.after FROM part CROSS JOIN tx ON tx.seq = part.id / 16 WHERE part.stream = " + streamID + " AND part.round > 0 AND part.round < ? ORDER BY part.round DESC LIMIT ?",
		"SELECT round, seq, at_ms, after FROM archived_round WHERE stream = " + streamID + " AND round < ? ORDER BY round DESC LIMIT ?",
	} {
		err := row.ReadRounds(rowsOf(ctx, s.read, query, stream, from, max(0, limit)), func(m house.RoundMark) error {
			from, limit = int64(m.Round), limit-1
			return yield(m)
		})
		if err != nil || limit <= 0 {
			return err
		}
	}
	return nil
}

// Snapshot returns the latest snapshot up to a transaction.
func (s *Store) Snapshot(ctx context.Context, stream string, atMost int64) (_ house.Snapshot, err error) {
	defer mean(&err)
	before := row.FromNewest(0)
	if atMost >= 0 && atMost < before/house.MaxParts-1 {
		before = (atMost + 1) * house.MaxParts
	}
	var found house.Snapshot
	err = s.read.QueryRowContext(ctx, "SELECT id / 16, version, body FROM snapshot WHERE stream = "+streamID+" AND id < ? ORDER BY id DESC LIMIT 1", stream, before).
		Scan(&found.Seq, &found.Version, &found.Body)
	if errors.Is(err, sql.ErrNoRows) {
		err = house.ErrNotFound
	}
	return found, err
}

// Movements hands out what moved an account.
func (s *Store) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) (err error) {
	defer mean(&err)
	found := 0
	err = row.ReadMovements(rowsOf(ctx, s.read, "SELECT "+row.Columns+", delta, balance FROM movement CROSS JOIN tx ON tx.seq = movement.seq WHERE account = (SELECT id FROM account WHERE name = ?) AND movement.seq < ? ORDER BY movement.seq DESC LIMIT ?",
		of.String(), row.FromNewest(before), max(0, limit)), of, func(m house.Movement) error {
		found++
		return yield(m)
	})
	if err != nil {
		return err
	}
	return s.movementsArchived(ctx, of, row.FromNewest(before), limit-found, yield)
}

// Balances hands out what each account holds.
func (s *Store) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error) {
	defer mean(&err)
	seq, err = row.ReadBalances(rowsOf(ctx, s.read, "SELECT name, balance, coalesce((SELECT max(seq) FROM tx), 0) FROM account"), yield)
	return max(seq, s.tree.archives.through), err
}

// Names hands out the names of persons, those after a number.
func (s *Store) Names(ctx context.Context, after int64, yield func(people.Name) error) (err error) {
	defer mean(&err)
	return row.ReadNames(rowsOf(ctx, s.read, "SELECT number, salt, name FROM name WHERE number > ? ORDER BY number", after), yield)
}

// Directory returns the names of persons.
func (s *Store) Directory() *people.Directory { return &s.people }
