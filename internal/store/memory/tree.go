package memory

import (
	"context"
	"fmt"

	"trey/internal/house"
	"trey/internal/tree"
)

// grow appends a leaf to the tree.
func (d *Disk) grow(leaf tree.Hash) {
	for _, n := range d.edge.Add(leaf) {
		d.nodes[place{n.Level, n.N}] = n.Hash
	}
}

// Origin returns leaf 0.
func (s *Store) Origin() []byte { return s.disk.origin }

// Head returns the tree over what is recorded.
func (s *Store) Head() tree.Head {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.disk.edge.Head()
}

// Nodes returns hashes of the tree.
func (s *Store) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	found := make([]tree.Hash, 0, count)
	for n := from; n < from+int64(count); n++ {
		h, known := s.disk.nodes[place{level, n}]
		switch {
		case level == 0 && n == 0:
			h, known = tree.LeafHash(s.disk.origin), true
		case level == 0 && n <= int64(len(s.disk.txs)):
			text, err := s.disk.leafText(n)
			if err != nil {
				return nil, err
			}
			h, known = tree.LeafHash(text), true
		}
		if !known {
			return nil, fmt.Errorf("%w: node %d of level %d of its tree is missing", house.ErrCorrupt, n, level)
		}
		found = append(found, h)
	}
	return found, nil
}

// leafText returns the text of the leaf of a transaction.
func (d *Disk) leafText(seq int64) ([]byte, error) {
	tx := &d.txs[seq-1]
	line, err := house.ReadLine(tx.line)
	if err != nil {
		return nil, err
	}
	return line.Leaf(seq, tx.atMs, tx.salt), nil
}

// LeafTexts returns the texts of leaves.
func (s *Store) LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error) {
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	found := make([][]byte, 0, count)
	for n := from; n < from+int64(count); n++ {
		switch {
		case n == 0:
			found = append(found, s.disk.origin)
		case n <= int64(len(s.disk.txs)):
			text, err := s.disk.leafText(n)
			if err != nil {
				return nil, err
			}
			found = append(found, text)
		default:
			return nil, fmt.Errorf("%w: transaction %d is missing", house.ErrCorrupt, n)
		}
	}
	return found, nil
}

// Leaves hands out the leaves of transactions.
func (s *Store) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	s.disk.mu.Lock()
	txs := s.disk.txs
	s.disk.mu.Unlock()
	for i := max(0, after); i < int64(len(txs)); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		tx := &txs[i]
		line, err := house.ReadLine(tx.line)
		if err == nil {
			err = yield(house.Leaf{Seq: i + 1, AtMs: tx.atMs, Salt: tx.salt, Line: line})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
