package row

import (
	"fmt"
	"strings"

	"trey/internal/house"
	"trey/internal/tree"
)

// Tables hands out the rows of a record, one table after the other: a function that calls
// row for each row of the table, with the values of the named columns.
type Tables func(table string, columns []string, row func([]any) error) error

// Carried are the tables by which a record is carried over from one store to another, with
// their columns. All other tables follow from them, or belong to one store alone.
var Carried = []struct {
	Name    string
	Columns []string
}{
	{"origin", []string{"leaf"}},
	{"tx", []string{"seq", "at_ms", "salt", "line", "mark"}},
	{"key", []string{"hash", "seq"}},
	{"stream", []string{"id", "name"}},
	{"part", []string{"stream", "id", "after", "count", "round"}},
	{"snapshot", []string{"id", "stream", "version", "body"}},
	{"account", []string{"id", "name", "balance", "seq"}},
	{"movement", []string{"account", "seq", "delta", "balance"}},
	{"name", []string{"number", "salt", "name"}},
	{"session", []string{"id", "name", "guest", "epoch", "since_ms", "seen_ms"}},
	{"node", []string{"level", "n", "hash"}},
}

// Select returns the query for the rows of a table.
func Select(table string, columns []string) string {
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + table
}

// CheckTree builds the tree over transactions that were carried over. It returns an error if that
// is not the expected tree, or if its nodes are not those that were carried over. The functions
// pass on the rows of transactions and nodes, both in order.
func CheckTree(origin []byte, want tree.Head, transactions func(yield func(*Row) error) error, nodes func(yield func(tree.Node) error) error) error {
	edge := &tree.Edge{}
	expected := map[[2]int64]tree.Hash{}
	add := func(text []byte) {
		for _, n := range edge.Add(tree.LeafHash(text)) {
			expected[[2]int64{int64(n.Level), n.N}] = n.Hash
		}
	}
	add(origin)
	err := transactions(func(r *Row) error {
		if r.Seq != edge.Size() {
			return fmt.Errorf("%w: transaction %d is missing", house.ErrCorrupt, edge.Size())
		}
		leaf, err := r.Leaf()
		if err != nil {
			return err
		}
		add(leaf.Text())
		return nil
	})
	if err != nil {
		return err
	}
	if head := edge.Head(); head != want {
		return fmt.Errorf("%w: its tree has %d leaves and the root %s, and what is to be carried over has %d and %s", house.ErrCorrupt, head.Size, head.Root, want.Size, want.Root)
	}
	err = nodes(func(n tree.Node) error {
		at := [2]int64{int64(n.Level), n.N}
		if hash, known := expected[at]; !known || hash != n.Hash {
			return fmt.Errorf("%w: node %d of level %d is not that of its leaves", house.ErrCorrupt, n.N, n.Level)
		}
		delete(expected, at)
		return nil
	})
	if err == nil && len(expected) > 0 {
		err = fmt.Errorf("%w: %d nodes of its tree are missing", house.ErrCorrupt, len(expected))
	}
	return err
}
