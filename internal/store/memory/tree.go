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

// sections are what the leaf of a transaction commits to.
func (tx *stored) sections() []tree.Section {
	parts := make([]house.StoredPart, len(tx.parts))
	for i := range tx.parts {
		p := &tx.parts[i]
		parts[i] = house.StoredPart{Stream: p.stream, After: p.after, Round: p.round, Events: p.events}
	}
	return house.Sections(tx.key, tx.input[:], tx.cause, tx.postings, parts)
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
			h, known = tree.LeafHash(s.disk.leafText(n)), true
		}
		if !known {
			return nil, fmt.Errorf("%w: node %d of level %d of its tree is missing", house.ErrCorrupt, n, level)
		}
		found = append(found, h)
	}
	return found, nil
}

// leafText returns the text of the leaf of a transaction.
func (d *Disk) leafText(seq int64) []byte {
	tx := &d.txs[seq-1]
	return tree.Leaf(seq, tx.atMs, tx.content)
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
			found = append(found, s.disk.leafText(n))
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
		if err := yield(house.Leaf{Seq: i + 1, AtMs: tx.atMs, Content: tx.content, Salt: tx.salt, Sections: tx.sections()}); err != nil {
			return err
		}
	}
	return nil
}
