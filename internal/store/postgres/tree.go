package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// treeOf holds the part of the tree that is known without asking the database.
type treeOf struct {
	origin []byte
	head   atomic.Pointer[tree.Head]
}

// load reads where the tree over a record of so many transactions is to go on. The caller
// shows it when the record is known to be durable.
func (r *reader) load(ctx context.Context, seq int64) (*tree.Edge, error) {
	if err := r.db.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&r.tree.origin); errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: leaf 0 of its tree is missing", house.ErrCorrupt)
	} else if err != nil {
		return nil, unreachable(err)
	}
	return tree.Load(seq+1, func(level int, first int64, count int) ([]tree.Hash, error) {
		return r.Nodes(ctx, level, first, count)
	})
}

// show makes known how far the tree goes, when it is durable.
func (r *reader) show(edge *tree.Edge) {
	head := edge.Head()
	r.tree.head.Store(&head)
}

// Nodes returns hashes of one level of the tree.
func (r *reader) Nodes(ctx context.Context, level int, first int64, count int) (_ []tree.Hash, err error) {
	defer mean(&err)
	if level == 0 {
		return row.LeafHashes(r.LeafTexts(ctx, first, count))
	}
	return row.ReadNodes(r.rowsOf(ctx, "SELECT n, hash FROM node WHERE level = $1 AND n >= $2 ORDER BY n LIMIT $3", level, first, count), level, first, count)
}

// LeafTexts returns the texts of leaves.
func (r *reader) LeafTexts(ctx context.Context, first int64, count int) (_ [][]byte, err error) {
	defer mean(&err)
	found := make([][]byte, 0, count)
	if first == 0 && count > 0 {
		found = append(found, r.tree.origin)
	}
	return row.ReadLeafTexts(r.rowsOf(ctx, "SELECT "+row.Columns+" FROM tx WHERE seq >= $1 ORDER BY seq LIMIT $2", max(first, 1), count-len(found)), found, first, count)
}

// rowsOf runs a query when its rows are read.
func (r *reader) rowsOf(ctx context.Context, query string, args ...any) row.Rows {
	return func(one func(*sql.Rows) error) error { return r.each(ctx, r.db, one, query, args...) }
}

// Origin returns leaf 0.
func (r *reader) Origin() []byte { return r.tree.origin }

// Head returns the tree over what is durable.
func (r *reader) Head() tree.Head { return *r.tree.head.Load() }

// Leaves hands out the leaves of transactions, with what is wrong with how each is found
// again. If it begins with the first one, the last tells of what belongs to none.
func (r *reader) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	// All of it as it is at one moment, and nothing behind what is handed out.
	through := r.through.Load()
	db, ok := r.db.(*sql.DB)
	if !ok {
		return errors.New("leaves are not read while a record is being opened")
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return unreachable(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is for reading
	x := &index{reader: r, tx: tx, streams: map[string]int64{}}
	if after == 0 {
		x.moved = row.NewMovements()
	}
	var last *house.Leaf
	for at := after; ; {
		page := make([]row.Row, 0, leavesPage)
		err := r.each(ctx, tx, func(rows *sql.Rows) error {
			var found row.Row
			err := rows.Scan(found.Fields()...)
			page = append(page, found)
			return err
		}, "SELECT "+row.Columns+" FROM tx WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3", at, through, leavesPage)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		at = page[len(page)-1].Seq
		for i := range page {
			leaf, err := x.leaf(ctx, &page[i])
			if err != nil {
				return err
			}
			if last != nil {
				if err := yield(*last); err != nil {
					return err
				}
			}
			last = leaf
		}
	}
	if last == nil {
		return nil
	}
	if after == 0 && last.Fault == "" {
		var end int64
		if err := x.number(ctx, &end, "SELECT max(seq) FROM tx"); err != nil {
			return err
		}
		if end == last.Seq { // else what stands beside belongs to more than was read
			if last.Fault, err = x.rest(ctx, last.Seq); err != nil {
				return err
			}
		}
	}
	return yield(*last)
}

// leavesPage is the number of transactions that one query of [Store.Leaves] reads.
const leavesPage = 500

// index checks that transactions are found where readers search for them.
type index struct {
	*reader
	tx          *sql.Tx
	streams     map[string]int64
	moved       *row.Movements // nil where not all transactions are looked at
	keys, parts int64          // that were looked for
}

// leaf returns the leaf of a transaction, with what is wrong with how it is found.
func (x *index) leaf(ctx context.Context, r *row.Row) (*house.Leaf, error) {
	leaf, err := r.Leaf()
	if err != nil {
		return nil, err
	}
	if leaf.Fault, err = x.fault(ctx, r.Seq, &leaf.Line); err != nil {
		return nil, err
	}
	if x.moved != nil {
		moved, err := x.moved.Fault(&leaf, func(account ledger.Account) (delta, balance int64, err error) {
			err = x.tx.QueryRowContext(ctx, "SELECT delta, balance FROM movement WHERE account = (SELECT id FROM account WHERE name = $1) AND seq = $2", account.String(), leaf.Seq).
				Scan(&delta, &balance)
			return delta, balance, unreachable(err)
		})
		if err != nil {
			return nil, err
		}
		leaf.Fault = cmp.Or(leaf.Fault, moved)
	}
	if r.Altered(&leaf) {
		leaf.Fault = "what it recorded is not what its leaf committed to"
	}
	return &leaf, nil
}

// fault returns what of a transaction is missing where readers search for it.
func (x *index) fault(ctx context.Context, seq int64, line *house.Line) (string, error) {
	x.parts += int64(len(line.Parts))
	if line.Key != "" {
		x.keys++
		var under int64
		if err := x.number(ctx, &under, "SELECT seq FROM key WHERE hash = $1", row.KeyHash(line.Key)); err != nil {
			return "", err
		}
		if under != seq {
			return fmt.Sprintf("under its idempotency key stands transaction %d", under), nil
		}
	}
	for i := range line.Parts {
		p := &line.Parts[i]
		if _, known := x.streams[p.Stream]; !known {
			var id int64
			if err := x.number(ctx, &id, "SELECT id FROM stream WHERE name = $1", p.Stream); err != nil {
				return "", err
			}
			x.streams[p.Stream] = id
		}
		events, err := p.Count()
		if err != nil {
			return "", fmt.Errorf("transaction %d: %w", seq, err)
		}
		var stands int64
		if err := x.number(ctx, &stands, "SELECT count(*) FROM part WHERE stream = $1 AND id = $2 AND after = $3 AND count = $4 AND round = $5",
			x.streams[p.Stream], seq*house.MaxParts+int64(i), p.After, events, p.Round); err != nil {
			return "", err
		}
		if stands == 0 {
			return fmt.Sprintf("it does not stand in the stream %s, to which it appended %d events after %d", p.Stream, events, p.After), nil
		}
	}
	return "", nil
}

// rest returns a fault if the database has entries that belong to no transaction up to the last
// one.
func (x *index) rest(ctx context.Context, last int64) (string, error) {
	fault, err := x.moved.Accounts(func(one func(*sql.Rows) error) error {
		return x.each(ctx, x.tx, one, "SELECT name, seq FROM account ORDER BY name")
	})
	if fault != "" || err != nil {
		return fault, err
	}
	return row.Surplus(row.Beside(x.keys, x.parts, x.moved.Found, last), func(from string) (kept int64, err error) {
		err = x.number(ctx, &kept, "SELECT count(*) FROM "+from)
		return kept, err
	})
}

// number asks for one number; where there is none, it stays as it is.
func (x *index) number(ctx context.Context, into *int64, query string, args ...any) error {
	if err := x.tx.QueryRowContext(ctx, query, args...).Scan(into); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unreachable(err)
	}
	return nil
}
