package sqlite

import (
	"context"
	"database/sql"
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
		var seq, atMs int64
		var content []byte
		if err := rows.Scan(&seq, &atMs, &content); err != nil {
			return err
		}
		if seq != first+int64(len(found)) || len(content) != len(tree.Hash{}) {
			return errNoNode
		}
		found = append(found, tree.Leaf(seq, atMs, tree.Hash(content)))
		return nil
	}, "SELECT seq, at_ms, content FROM tx WHERE seq >= ? ORDER BY seq LIMIT ?", max(first, 1), count-len(found))
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

// Leaves hands out the leaves of transactions.
func (s *Store) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	var at *storedLeaf
	err := s.each(ctx, func(rows *sql.Rows) error {
		var l storedLeaf
		var stored part
		if err := rows.Scan(append([]any{&l.seq, &l.atMs, &l.content, &l.salt, &l.key, &l.input, &l.cause, &l.postings}, stored.columns()...)...); err != nil {
			return err
		}
		if at == nil || at.seq != l.seq {
			if err := at.handOut(yield); err != nil {
				return err
			}
			at = &l
		}
		if stored.stream.Valid {
			at.parts = append(at.parts, house.StoredPart{Stream: stored.stream.String, After: stored.after.Int64, Round: int(stored.round.Int64), Events: []byte(stored.events.String)})
		}
		return nil
	}, "SELECT tx.seq, at_ms, content, salt, key, input, cause, postings, "+partColumns+" FROM tx LEFT JOIN part ON part.id >= tx.seq * 16 AND part.id < tx.seq * 16 + 16 WHERE tx.seq > ? ORDER BY tx.seq, part.id", after)
	if err != nil {
		return err
	}
	return at.handOut(yield)
}

// storedLeaf is a transaction as its row and those of its parts say.
type storedLeaf struct {
	seq, atMs                             int64
	content, salt, input, cause, postings []byte
	key                                   sql.NullString
	parts                                 []house.StoredPart
}

func (l *storedLeaf) handOut(yield func(house.Leaf) error) error {
	if l == nil {
		return nil
	}
	leaf := house.Leaf{Seq: l.seq, AtMs: l.atMs, Sections: house.Sections(l.key.String, l.input, l.cause, l.postings, l.parts)}
	if len(l.content) != len(leaf.Content) || len(l.salt) != len(leaf.Salt) {
		return fmt.Errorf("%w: transaction %d has no leaf", house.ErrCorrupt, l.seq)
	}
	leaf.Content, leaf.Salt = tree.Hash(l.content), tree.Salt(l.salt)
	return yield(leaf)
}
