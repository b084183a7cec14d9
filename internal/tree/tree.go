package tree

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Height is the height of a tile: it holds the hashes of up to Width nodes.
const (
	Height = 8
	Width  = 1 << Height
)

// Head is a tree as it stood: how many leaves it had, and its root.
type Head struct {
	Size int64
	Root Hash
}

// Node is the root of a full subtree of Width to the power of Level leaves, the Nth
// from the left. Nodes of level 0 are the leaves.
type Node struct {
	Level int
	N     int64
	Hash  Hash
}

// Span returns the first and the last leaf that the node stands over.
func (n *Node) Span() (first, last int64) {
	leaves := int64(1) << (Height * n.Level)
	return n.N * leaves, (n.N+1)*leaves - 1
}

// Kept returns how many nodes a store keeps of a tree of a size: those of level 1 and above.
func Kept(size int64) (n int64) {
	for size >>= Height; size > 0; size >>= Height {
		n += size
	}
	return n
}

// Nodes reads the hashes of nodes of one level that a store keeps: those from one on,
// in order. It fails if it cannot return as many as are asked for.
type Nodes func(level int, from int64, count int) ([]Hash, error)

// Keeper keeps the nodes of a tree: a store is one, and an archive.
type Keeper interface {
	Nodes(ctx context.Context, level int, from int64, count int) ([]Hash, error)
}

// NodesOf returns the nodes that a keeper has, as long as the context lasts.
func NodesOf(ctx context.Context, k Keeper) Nodes {
	return func(level int, from int64, count int) ([]Hash, error) { return k.Nodes(ctx, level, from, count) }
}

// Under returns the nodes of the tree with another leaf 0 before the same leaves.
func (n Nodes) Under(origin []byte) Nodes {
	return func(level int, from int64, count int) ([]Hash, error) {
		row, err := n(level, from, count)
		if err != nil || from > 0 || count == 0 {
			return row, err
		}
		row = slices.Clone(row)
		if level == 0 {
			row[0] = LeafHash(origin)
			return row, nil
		}
		below, err := n.Under(origin)(level-1, 0, Width)
		if err != nil {
			return nil, err
		}
		row[0] = fold(below)
		return row, nil
	}
}

// Edge is the right edge of a growing tree: the roots of its full subtrees, the largest first, one
// for each bit set in its size. The zero value is the tree without leaves.
type Edge struct {
	size  int64
	roots []Hash
}

// Load returns the edge of a tree of a size whose nodes a store keeps.
func Load(size int64, nodes Nodes) (*Edge, error) {
	e := &Edge{size: size}
	for bit := bits.Len64(uint64(size)) - 1; bit >= 0; bit-- {
		if size>>bit&1 == 0 {
			continue
		}
		// Before this subtree stand those of the higher bits.
		h, err := nodes.subtree(bit, size>>(bit+1)<<1)
		if err != nil {
			return nil, err
		}
		e.roots = append(e.roots, h)
	}
	return e, nil
}

// Add appends a leaf by its hash, and returns the nodes of level 1 and above that it
// completed, which a store has to keep beside the leaf.
func (e *Edge) Add(leaf Hash) (completed []Node) {
	h := leaf
	last := len(e.roots)
	for bit := 0; e.size>>bit&1 == 1; bit++ {
		last--
		h = tlog.NodeHash(e.roots[last], h)
		if height := bit + 1; height%Height == 0 {
			completed = append(completed, Node{Level: height / Height, N: e.size >> height, Hash: h})
		}
	}
	e.roots = append(e.roots[:last], h)
	e.size++
	return completed
}

// Clone returns an edge that grows apart from this one.
func (e *Edge) Clone() *Edge { return &Edge{size: e.size, roots: slices.Clone(e.roots)} }

// Size returns the number of leaves.
func (e *Edge) Size() int64 { return e.size }

// Head returns the size and the root of the tree.
func (e *Edge) Head() Head {
	if e.size == 0 {
		root, _ := tlog.TreeHash(0, nil)
		return Head{Root: root}
	}
	last := len(e.roots) - 1
	root := e.roots[last]
	for _, left := range slices.Backward(e.roots[:last]) {
		root = tlog.NodeHash(left, root)
	}
	return Head{Size: e.size, Root: root}
}

// fold returns the root over the nodes of a row; their number is a power of two.
func fold(row []Hash) Hash {
	if len(row) == 1 {
		return row[0]
	}
	half := len(row) / 2
	return tlog.NodeHash(fold(row[:half]), fold(row[half:]))
}

// subtree returns the root of the full subtree of 1<<height leaves that is the nth of
// its height from the left.
func (n Nodes) subtree(height int, nth int64) (h Hash, err error) {
	count := 1 << (height % Height)
	row, err := n(height/Height, nth*int64(count), count)
	if err != nil {
		return h, err
	}
	return fold(row), nil
}

// reader returns the hashes that package tlog asks for, from the nodes of a store.
func (n Nodes) reader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) (all []Hash, err error) {
		all = make([]Hash, len(indexes))
		for i, index := range indexes {
			if all[i], err = n.subtree(tlog.SplitStoredHashIndex(index)); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
}

// At returns the root that the tree had when it had so many leaves.
func (n Nodes) At(size int64) (Head, error) {
	root, err := tlog.TreeHash(size, n.reader())
	return Head{Size: size, Root: root}, err
}

// ErrBeyond is wrapped where something is asked of a tree that has not that many leaves.
var ErrBeyond = errors.New("the tree has fewer leaves")

// Inclusion returns the proof that a leaf is in the tree of a size: the hashes from
// its sibling's up to that of a child of the root.
func (n Nodes) Inclusion(leaf, size int64) ([]Hash, error) {
	if leaf < 0 || leaf >= size {
		return nil, fmt.Errorf("%w: leaf %d of %d", ErrBeyond, leaf, size)
	}
	return tlog.ProveRecord(size, leaf, n.reader())
}

// Consistency returns the proof that the tree of a size begins with that of a
// smaller one.
func (n Nodes) Consistency(smaller, size int64) ([]Hash, error) {
	if smaller < 1 || smaller > size {
		return nil, fmt.Errorf("%w: from %d to %d", ErrBeyond, smaller, size)
	}
	return tlog.ProveTree(size, smaller, n.reader())
}

// CheckInclusion reports what is wrong with a proof that a leaf is in a tree.
func CheckInclusion(proof []Hash, in Head, leaf int64, text []byte) error {
	return tlog.CheckRecord(proof, in.Size, in.Root, leaf, tlog.RecordHash(text))
}

// CheckConsistency reports what is wrong with a proof that a tree begins with a
// smaller one.
func CheckConsistency(proof []Hash, in, smaller Head) error {
	return tlog.CheckTree(proof, in.Size, in.Root, smaller.Size, smaller.Root)
}

// LeafHash returns the hash of a leaf.
func LeafHash(text []byte) Hash { return tlog.RecordHash(text) }

// Tile returns the hashes of a tile one after the other, those that the tree of a
// size has in it: all Width of a full tile. The Nth tile of a level begins with node
// N*Width of that level.
func (n Nodes) Tile(level int, tile, size int64) ([]byte, error) {
	if level < 0 || level > 63/Height || tile < 0 {
		return nil, fmt.Errorf("%w: tile %d of level %d", ErrBeyond, tile, level)
	}
	count := min(size>>(Height*level)-tile*Width, Width)
	if count <= 0 {
		return nil, fmt.Errorf("%w: tile %d of level %d at %d", ErrBeyond, tile, level, size)
	}
	row, err := n(level, tile*Width, int(count))
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, len(row)*tlog.HashSize)
	for i := range row {
		text = append(text, row[i][:]...)
	}
	return text, nil
}
