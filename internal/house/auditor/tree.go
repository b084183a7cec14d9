package auditor

import (
	"context"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/tree"
)

// Log is the part of a store that holds the tree over a record: a [house.Store] is one.
type Log interface {
	Origin() []byte
	Head() tree.Head
	Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error)
	Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error
}

// errFound ends the reading where what follows would only repeat it.
var errFound = errors.New("a finding")

// CheckTree holds every transaction against its leaf, and the leaves against the tree
// that is kept, which it builds once more. The head is what it comes to: whoever has a
// signed checkpoint compares it. An error says that the record cannot be read.
func CheckTree(ctx context.Context, l Log) (head tree.Head, found []Finding, err error) {
	edge := &tree.Edge{}
	edge.Add(tree.LeafHash(l.Origin()))
	err = l.Leaves(ctx, 0, func(leaf house.Leaf) error {
		next := edge.Size()
		if leaf.Seq != next {
			found = append(found, Finding{Seq: next, What: fmt.Sprintf("it is missing: transaction %d follows", leaf.Seq)})
			return errFound
		}
		if leaf.Fault != "" {
			found = append(found, Finding{Seq: leaf.Seq, What: leaf.Fault})
		}
		for _, node := range edge.Add(tree.LeafHash(leaf.Text())) {
			kept, err := l.Nodes(ctx, node.Level, node.N, 1)
			switch {
			case errors.Is(err, house.ErrCorrupt), err == nil && kept[0] != node.Hash:
				first, last := node.Span()
				found = append(found, Finding{Seq: leaf.Seq, What: fmt.Sprintf("one of the transactions from %d to %d is not as it was recorded: the tree that is kept has another node %d of level %d", max(first, 1), last, node.N, node.Level)})
			case err != nil:
				return err
			}
		}
		return nil
	})
	head = edge.Head()
	if errors.Is(err, errFound) {
		err = nil
	} else if kept := l.Head(); err == nil && kept != head {
		found = append(found, Finding{What: fmt.Sprintf("the tree that is kept has %d leaves and the root %v; that of the transactions has %d and %v", kept.Size, kept.Root, head.Size, head.Root)})
	}
	return head, found, err
}
