package auditor

import (
	"context"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/tree"
)

// Tree is the tree that is kept over a record.
type Tree interface {
	Origin() []byte
	Head() tree.Head
	Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error)
}

// Leaves hands out the leaves of transactions, those after a number, in order.
type Leaves interface {
	Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error
}

// Log is a record with the tree over it: a [house.Store] is one.
type Log interface {
	Tree
	Leaves
}

// CheckTree checks every transaction against its leaf, and the leaves against the tree
// that is kept, which it builds once more. The head is the root of the tree: whoever has a
// signed checkpoint compares it. An error says that the record cannot be read.
func CheckTree(ctx context.Context, l Log) (head tree.Head, found []Finding, err error) {
	check := newTreeCheck(l)
	if err := l.Leaves(ctx, 0, func(leaf house.Leaf) error { return check.add(ctx, &leaf, tree.LeafHash(leaf.Text())) }); err != nil {
		return check.edge.Head(), check.found, err
	}
	head, found = check.end()
	return head, found, nil
}

// treeCheck builds a tree once more from its leaves.
type treeCheck struct {
	kept  Tree
	edge  tree.Edge
	found []Finding
	// broken reports that a transaction is missing: what follows would only repeat it.
	broken bool
}

func newTreeCheck(kept Tree) *treeCheck {
	c := &treeCheck{kept: kept}
	c.edge.Add(tree.LeafHash(kept.Origin()))
	return c
}

func (c *treeCheck) find(seq int64, format string, args ...any) {
	c.found = append(c.found, Finding{Seq: seq, What: fmt.Sprintf(format, args...)})
}

// add takes in the next leaf, with its hash.
func (c *treeCheck) add(ctx context.Context, leaf *house.Leaf, hash tree.Hash) error {
	if c.broken {
		return nil
	}
	if next := c.edge.Size(); leaf.Seq != next {
		c.broken = true
		c.find(next, "it is missing: transaction %d follows", leaf.Seq)
		return nil
	}
	if leaf.Fault != "" {
		c.find(leaf.Seq, "%s", leaf.Fault)
	}
	for _, node := range c.edge.Add(hash) {
		kept, err := c.kept.Nodes(ctx, node.Level, node.N, 1)
		switch {
		case errors.Is(err, house.ErrCorrupt), err == nil && kept[0] != node.Hash:
			first, last := node.Span()
			c.find(leaf.Seq, "one of the transactions from %d to %d is not as it was recorded: the tree that is kept has another node %d of level %d", max(first, 1), last, node.N, node.Level)
		case err != nil:
			return err
		}
	}
	return nil
}

// end compares the head of the tree that is kept.
func (c *treeCheck) end() (tree.Head, []Finding) {
	head := c.edge.Head()
	if kept := c.kept.Head(); !c.broken && kept != head {
		where := ""
		if kept.Size == head.Size && len(c.found) == 0 {
			// Every node that is kept is right: what is wrong stands behind the last of them.
			where = fmt.Sprintf("one of the transactions from %d to %d is not as it was recorded: ", max(head.Size/tree.Width*tree.Width, 1), head.Size-1)
		}
		c.find(0, "%sthe tree that is kept has %d leaves and the root %v; that of the transactions has %d and %v", where, kept.Size, kept.Root, head.Size, head.Root)
	}
	return head, c.found
}
