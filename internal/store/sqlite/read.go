package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
)

// Find returns what was recorded under a key.
func (s *Store) Find(ctx context.Context, key string) (*house.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.keys.fresh(key) {
		return nil, house.ErrNotFound
	}
	var r house.Receipt
	var input []byte
	err := s.read.QueryRowContext(ctx, "SELECT seq, at_ms, input FROM tx WHERE key = ?", key).Scan(&r.Seq, &r.AtMs, &input)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, house.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	copy(r.Input[:], input)
	err = s.each(ctx, func(rows *sql.Rows) error {
		var stored part
		if err := rows.Scan(stored.columns()...); err != nil {
			return err
		}
		part, err := stored.read()
		r.Parts = append(r.Parts, part)
		return err
	}, "SELECT "+partColumns+" FROM part WHERE id >= ? AND id < ? ORDER BY id", r.Seq*house.MaxParts, (r.Seq+1)*house.MaxParts)
	return &r, err
}

// each runs a query and hands out its rows.
func (s *Store) each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error {
	return eachOf(ctx, s.read, row, query, args...)
}

// eachOf runs a query on a connection and hands out its rows.
func eachOf(ctx context.Context, from querier, row func(*sql.Rows) error, query string, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return meant(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return meant(rows.Err())
}

const partColumns = "stream, after, count, round, events"

// part is a part as it is stored. Columns of a transaction that has none are null.
type part struct {
	stream, events      sql.NullString
	after, count, round sql.NullInt64
}

func (p *part) columns() []any { return []any{&p.stream, &p.after, &p.count, &p.round, &p.events} }

func (p *part) read() (house.Part, error) {
	part := house.Part{Stream: p.stream.String, After: p.after.Int64, Round: int(p.round.Int64)}
	if p.count.Int64 == 0 {
		return part, nil
	}
	if err := decode(p.events.String, &part.Events); err != nil {
		return part, err
	}
	if int64(len(part.Events)) != p.count.Int64 {
		return part, fmt.Errorf("%w: %s after %d: %d events are there, not %d", house.ErrCorrupt, part.Stream, part.After, len(part.Events), p.count.Int64)
	}
	return part, nil
}

func decode(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: %w", house.ErrCorrupt, err)
	}
	return nil
}

// Read hands out the events of a stream.
func (s *Store) Read(ctx context.Context, stream string, after int64, yield func(house.Record) error) error {
	from, err := s.seek(ctx, stream, after)
	if err != nil {
		return err
	}
	last := int64(-1)
	return s.each(ctx, func(rows *sql.Rows) error {
		var stored part
		r := house.Record{}
		if err := rows.Scan(append(stored.columns(), &r.Seq, &r.AtMs)...); err != nil {
			return err
		}
		part, err := stored.read()
		if err != nil {
			return err
		}
		if last >= 0 && part.After != last {
			return fmt.Errorf("%w: events %d to %d of %s are missing", house.ErrCorrupt, last+1, part.After, stream)
		}
		r.Version, last = part.After, part.After+int64(len(part.Events))
		for _, r.Event = range part.Events {
			if r.Version++; r.Version <= after {
				continue
			}
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	}, "SELECT "+partColumns+", seq, at_ms FROM part CROSS JOIN tx ON tx.seq = part.id / 16 WHERE stream = ? AND part.id >= ? ORDER BY part.id", stream, from)
}

// seek returns an id of a part from which on a stream is to be read for the events
// after a version. Versions rise with ids, so it halves what is left.
func (s *Store) seek(ctx context.Context, stream string, after int64) (int64, error) {
	if after <= 0 {
		return 0, nil
	}
	var low, high int64 // every part before low ends at that version or earlier
	if err := s.read.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM part WHERE stream = ?", stream).Scan(&high); err != nil {
		return 0, err
	}
	for high++; low < high; {
		middle := low + (high-low)/2
		var id, ends int64
		err := s.read.QueryRowContext(ctx, "SELECT id, after + count FROM part WHERE stream = ? AND id >= ? ORDER BY id LIMIT 1", stream, middle).Scan(&id, &ends)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			high = middle
		case err != nil:
			return 0, err
		case ends <= after:
			low = id + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// ReadAll hands out whole transactions.
func (s *Store) ReadAll(ctx context.Context, after int64, stream string, yield func(house.Entry) error) error {
	const columns = "tx.seq, tx.at_ms, tx.key, tx.cause, tx.postings, part.stream, part.after, part.count, part.round, part.events"
	query, args := "SELECT "+columns+" FROM tx LEFT JOIN part ON part.id >= tx.seq * 16 AND part.id < tx.seq * 16 + 16 WHERE tx.seq > ? ORDER BY tx.seq, part.id", []any{after}
	if stream != "" {
		query = "SELECT " + columns + " FROM part AS mine CROSS JOIN tx ON tx.seq = mine.id / 16 CROSS JOIN part ON part.id >= tx.seq * 16 AND part.id < tx.seq * 16 + 16 WHERE mine.stream = ? AND mine.id >= ? ORDER BY mine.id, part.id"
		args = []any{stream, min(after+1, 1<<58) * house.MaxParts}
	}
	var e *house.Entry
	err := s.each(ctx, func(rows *sql.Rows) error {
		var seq, atMs int64
		var key sql.NullString
		var cause, postings string
		var stored part
		if err := rows.Scan(append([]any{&seq, &atMs, &key, &cause, &postings}, stored.columns()...)...); err != nil {
			return err
		}
		if e == nil || e.Seq != seq {
			if e != nil {
				if err := yield(*e); err != nil {
					return err
				}
			}
			e = &house.Entry{Seq: seq, AtMs: atMs, Key: key.String}
			if err := errors.Join(decode(cause, &e.Cause), decode(postings, &e.Postings)); err != nil {
				return err
			}
		}
		if !stored.stream.Valid {
			return nil
		}
		part, err := stored.read()
		e.Parts = append(e.Parts, part)
		return err
	}, query, args...)
	if err != nil || e == nil {
		return err
	}
	return yield(*e)
}

// fromNewest is what comes before everything that is asked for from the newest on.
func fromNewest(before int64) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return before
}

// Rounds hands out where the rounds of a stream begin.
func (s *Store) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return s.each(ctx, func(rows *sql.Rows) error {
		var m house.RoundMark
		if err := rows.Scan(&m.Round, &m.Seq, &m.AtMs, &m.Version); err != nil {
			return err
		}
		return yield(m)
	}, "SELECT part.round, tx.seq, tx.at_ms, part.after FROM part CROSS JOIN tx ON tx.seq = part.id / 16 WHERE part.stream = ? AND part.round > 0 AND part.round < ? ORDER BY part.round DESC LIMIT ?",
		stream, fromNewest(int64(before)), max(0, limit))
}

// Snapshot returns the latest snapshot up to a transaction.
func (s *Store) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	before := fromNewest(0)
	if atMost >= 0 && atMost < before/house.MaxParts-1 {
		before = (atMost + 1) * house.MaxParts
	}
	var found house.Snapshot
	err := s.read.QueryRowContext(ctx, "SELECT id / 16, version, body FROM snapshot WHERE stream = ? AND id < ? ORDER BY id DESC LIMIT 1", stream, before).
		Scan(&found.Seq, &found.Version, &found.Body)
	if errors.Is(err, sql.ErrNoRows) {
		err = house.ErrNotFound
	}
	return found, err
}

// Movements hands out what moved an account.
func (s *Store) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return s.each(ctx, func(rows *sql.Rows) error {
		var m house.Movement
		var cause, postings string
		if err := rows.Scan(&m.Seq, &m.AtMs, &m.Delta, &m.After, &cause, &postings); err != nil {
			return err
		}
		if err := errors.Join(decode(cause, &m.Cause), decode(postings, &m.Postings)); err != nil {
			return err
		}
		m.Postings = house.Touching(of, m.Postings)
		return yield(m)
	}, "SELECT movement.seq, at_ms, delta, balance, cause, postings FROM movement CROSS JOIN tx ON tx.seq = movement.seq WHERE account = (SELECT id FROM account WHERE name = ?) AND movement.seq < ? ORDER BY movement.seq DESC LIMIT ?",
		of.String(), fromNewest(before), max(0, limit))
}

// Balances hands out what each account holds.
func (s *Store) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) error {
	return s.each(ctx, func(rows *sql.Rows) error {
		var name string
		var held int64
		if err := rows.Scan(&name, &held); err != nil {
			return err
		}
		a, err := ledger.ParseAccount(name)
		if err != nil {
			return fmt.Errorf("%w: %w", house.ErrCorrupt, err)
		}
		return yield(a, money.Amount(held))
	}, "SELECT name, balance FROM account")
}
