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

// asLeaf returns the leaf of a transaction.
func (tx *stored) asLeaf(seq int64) house.Leaf {
	parts := make([]house.StoredPart, len(tx.parts))
	for i := range tx.parts {
		p := &tx.parts[i]
		parts[i] = house.StoredPart{Stream: p.stream, After: p.after, Round: p.round, Events: p.events}
	}
	return house.Leaf{Seq: seq, AtMs: tx.atMs, Hash: tx.leaf, Salt: tx.salt, Sections: house.Sections(tx.key, tx.input[:], tx.cause, tx.postings, parts)}
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
			h, known = s.disk.txs[n-1].leaf, true
		}
		if !known {
			return nil, fmt.Errorf("%w: node %d of level %d of its tree is missing", house.ErrCorrupt, n, level)
		}
		found = append(found, h)
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
		if err := yield(txs[i].asLeaf(i + 1)); err != nil {
			return err
		}
	}
	return nil
}
