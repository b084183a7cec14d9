package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"trey/internal/house"
	"trey/internal/tree"
)

// treeOf is what is known of the tree without asking the file.
type treeOf struct {
	origin []byte
	head   atomic.Pointer[tree.Head]
}

// show makes known how far the tree goes, when it is durable.
func (t *treeOf) show(edge *tree.Edge) {
	head := edge.Head()
	t.head.Store(&head)
}

// load reads where the tree over the record is to go on.
func (t *treeOf) load(ctx context.Context, from querier, seq int64) (*tree.Edge, error) {
	if err := from.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&t.origin); err != nil {
		return nil, fmt.Errorf("%w: leaf 0 of its tree: %w", house.ErrCorrupt, err)
	}
	edge, err := tree.Load(seq+1, func(level int, first int64, count int) ([]tree.Hash, error) {
		return t.nodes(ctx, from, level, first, count)
	})
	if err != nil {
		return nil, err
	}
	t.show(edge)
	return edge, nil
}

// querier is a connection or a pool of them.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// nodes reads hashes of one level of the tree.
func (t *treeOf) nodes(ctx context.Context, from querier, level int, first int64, count int) ([]tree.Hash, error) {
	found := make([]tree.Hash, 0, count)
	if level == 0 {
		texts, err := t.leafTexts(ctx, from, first, count)
		for _, text := range texts {
			found = append(found, tree.LeafHash(text))
		}
		return found, err
	}
	err := eachOf(ctx, from, func(rows *sql.Rows) error {
		var n int64
		var hash []byte
		if err := rows.Scan(&n, &hash); err != nil {
			return err
		}
		if n != first+int64(len(found)) || len(hash) != len(tree.Hash{}) {
			return errNoNode
		}
		found = append(found, tree.Hash(hash))
		return nil
	}, "SELECT n, hash FROM node WHERE level = ? AND n >= ? ORDER BY n LIMIT ?", level, first, count)
	if err == nil && len(found) < count {
		err = errNoNode
	}
	if errors.Is(err, errNoNode) {
		err = fmt.Errorf("%w: node %d of level %d of its tree is missing", house.ErrCorrupt, first+int64(len(found)), level)
	}
	return found, err
}

// leafTexts reads the texts of leaves.
func (t *treeOf) leafTexts(ctx context.Context, from querier, first int64, count int) ([][]byte, error) {
	found := make([][]byte, 0, count)
	if first == 0 && count > 0 {
		found = append(found, t.origin)
	}
	err := eachOf(ctx, from, func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(r.columns()...); err != nil {
			return err
		}
		if r.seq != first+int64(len(found)) {
			return errNoNode
		}
		line, err := r.read()
		if err != nil {
			return err
		}
		found = append(found, line.Leaf(r.seq, r.atMs, tree.Salt(r.salt)))
		return nil
	}, "SELECT "+rowColumns+" FROM tx WHERE seq >= ? ORDER BY seq LIMIT ?", max(first, 1), count-len(found))
	if err == nil && len(found) < count {
		err = errNoNode
	}
	if errors.Is(err, errNoNode) {
		err = fmt.Errorf("%w: transaction %d is missing", house.ErrCorrupt, first+int64(len(found)))
	}
	return found, err
}

var errNoNode = errors.New("a node is missing")

// Origin returns leaf 0.
func (s *Store) Origin() []byte { return s.tree.origin }

// Head returns the tree over what is durable.
func (s *Store) Head() tree.Head { return *s.tree.head.Load() }

// Nodes returns hashes of the tree.
func (s *Store) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	return s.tree.nodes(ctx, s.read, level, from, count)
}

// LeafTexts returns the texts of leaves.
func (s *Store) LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error) {
	return s.tree.leafTexts(ctx, s.read, from, count)
}

// Leaves hands out the leaves of transactions, with what is wrong with how each is found
// again. If it begins with the first one, the last tells of what belongs to none.
func (s *Store) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	tx, err := s.read.BeginTx(ctx, nil) // all of it as it is at one moment
	if err != nil {
		return meant(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is for reading
	index := index{tx: tx, streams: map[string]int64{}}
	for at := after; ; {
		page := make([]row, 0, leavesPage)
		err := eachOf(ctx, tx, func(rows *sql.Rows) error {
			var r row
			err := rows.Scan(r.columns()...)
			page = append(page, r)
			return err
		}, "SELECT "+rowColumns+" FROM tx WHERE seq > ? ORDER BY seq LIMIT ?", at, leavesPage)
		if err != nil || len(page) == 0 {
			return err
		}
		at = page[len(page)-1].seq
		for i := range page {
			r := &page[i]
			line, err := r.read()
			if err != nil {
				return err
			}
			leaf := house.Leaf{Seq: r.seq, AtMs: r.atMs, Salt: tree.Salt(r.salt), Line: line}
			if leaf.Fault, err = index.fault(ctx, r.seq, &line); err != nil {
				return err
			}
			if content := line.Content(leaf.Salt); !bytes.Equal(r.mark, content[:markBytes]) {
				leaf.Fault = "what it recorded is not what its leaf committed to"
			}
			if last := len(page) < leavesPage && i == len(page)-1; last && after == 0 && leaf.Fault == "" {
				if leaf.Fault, err = index.rest(ctx); err != nil {
					return err
				}
			}
			if err := yield(leaf); err != nil {
				return err
			}
		}
	}
}

// leavesPage is how many transactions are held at once to be looked through.
const leavesPage = 500

// index looks whether transactions stand where they are looked for.
type index struct {
	tx          *sql.Tx
	streams     map[string]int64
	keys, parts int64 // that were looked for
}

// fault says what of a transaction does not stand where it is looked for.
func (x *index) fault(ctx context.Context, seq int64, line *house.Line) (string, error) {
	x.parts += int64(len(line.Parts))
	if line.Key != "" {
		x.keys++
		var is int64
		if err := x.number(ctx, &is, "SELECT seq FROM key WHERE hash = ?", keyHash(line.Key)); err != nil {
			return "", err
		}
		if is != seq {
			return fmt.Sprintf("under its idempotency key stands transaction %d", is), nil
		}
	}
	for i := range line.Parts {
		p := &line.Parts[i]
		if _, known := x.streams[p.Stream]; !known {
			var id int64
			if err := x.number(ctx, &id, "SELECT id FROM stream WHERE name = ?", p.Stream); err != nil {
				return "", err
			}
			x.streams[p.Stream] = id
		}
		var events []json.RawMessage
		if err := json.Unmarshal(p.Events, &events); err != nil {
			return "", fmt.Errorf("%w: transaction %d: %w", house.ErrCorrupt, seq, err)
		}
		var stands int64
		if err := x.number(ctx, &stands, "SELECT count(*) FROM part WHERE stream = ? AND id = ? AND after = ? AND count = ? AND round = ?",
			x.streams[p.Stream], seq*house.MaxParts+int64(i), p.After, len(events), p.Round); err != nil {
			return "", err
		}
		if stands == 0 {
			return fmt.Sprintf("it does not stand in the stream %s, to which it appended %d events after %d", p.Stream, len(events), p.After), nil
		}
	}
	return "", nil
}

// rest says of what stands there for no transaction that was looked for.
func (x *index) rest(ctx context.Context) (string, error) {
	var keys, parts int64
	if err := errors.Join(x.number(ctx, &keys, "SELECT count(*) FROM key"), x.number(ctx, &parts, "SELECT count(*) FROM part")); err != nil {
		return "", err
	}
	if keys != x.keys || parts != x.parts {
		return fmt.Sprintf("up to it %d idempotency keys and %d parts of streams were recorded, and %d and %d are kept", x.keys, x.parts, keys, parts), nil
	}
	return "", nil
}

// number asks for one number; where there is none, it stays as it is.
func (x *index) number(ctx context.Context, into *int64, query string, args ...any) error {
	if err := x.tx.QueryRowContext(ctx, query, args...).Scan(into); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return meant(err)
	}
	return nil
}
