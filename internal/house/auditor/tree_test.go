package auditor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/tree"
)

// grown is a record of leaves with the tree that is kept over it.
type grown struct {
	leaves []house.Leaf
	nodes  map[[2]int64]tree.Hash // by level and number
	head   tree.Head
	origin string
	// err ends the leaves, missing lists the nodes that are not there.
	err, missing error
}

func (g *grown) Origin() []byte  { return []byte(g.origin) }
func (g *grown) Head() tree.Head { return g.head }

func (g *grown) Nodes(_ context.Context, level int, from int64, count int) (all []tree.Hash, err error) {
	if g.missing != nil {
		return nil, g.missing
	}
	for n := range int64(count) {
		all = append(all, g.nodes[[2]int64{int64(level), from + n}])
	}
	return all, nil
}

func (g *grown) Leaves(_ context.Context, _ int64, yield func(house.Leaf) error) error {
	for _, leaf := range g.leaves {
		if err := yield(leaf); err != nil {
			return err
		}
	}
	return g.err
}

// grow returns a record of so many leaves with its tree, in which the first leaf is the origin.
func grow(size int64) *grown {
	g := &grown{origin: "a house", nodes: map[[2]int64]tree.Hash{}}
	var edge tree.Edge
	edge.Add(tree.LeafHash(g.Origin()))
	for seq := int64(1); seq < size; seq++ {
		leaf := house.Leaf{Seq: seq, AtMs: 10 * seq, Line: house.Line{Cause: []byte(`{}`)}}
		for _, node := range edge.Add(tree.LeafHash(leaf.Text())) {
			g.nodes[[2]int64{int64(node.Level), node.N}] = node.Hash
		}
		g.leaves = append(g.leaves, leaf)
	}
	g.head = edge.Head()
	return g
}

// Each guard of the tree sees its one thing that is wrong, and says where as far as the nodes
// that are kept tell.
func TestEachGuardOfTheTreeBites(t *testing.T) {
	const size = 600
	for name, test := range map[string]struct {
		size  int64
		alter func(*grown)
		seq   int64
		want  string // empty if nothing is wrong
		found int
	}{
		"as it is":                       {size, func(*grown) {}, 0, "", 0},
		"as it is, whole tiles":          {512, func(*grown) {}, 0, "", 0},
		"the beginning":                  {1, func(*grown) {}, 0, "", 0},
		"a leaf of the first":            {size, func(g *grown) { g.leaves[9].AtMs++ }, 255, "one of the transactions from 1 to 255 is not as it was recorded: the tree that is kept has another node 0 of level 1", 2},
		"a leaf of the second":           {size, func(g *grown) { g.leaves[300].AtMs++ }, 511, "one of the transactions from 256 to 511 is not as it was recorded: the tree that is kept has another node 1 of level 1", 2},
		"a leaf behind them":             {size, func(g *grown) { g.leaves[520].AtMs++ }, 0, "one of the transactions from 512 to 599 is not as it was recorded: the tree that is kept has 600 leaves", 1},
		"a leaf of a small tree":         {20, func(g *grown) { g.leaves[3].AtMs++ }, 0, "one of the transactions from 1 to 19 is not as it was recorded: the tree that is kept has 20 leaves", 1},
		"a node that is another":         {size, func(g *grown) { g.nodes[[2]int64{1, 0}] = tree.Hash{} }, 255, "another node 0 of level 1", 1},
		"a node of nodes":                {tree.Width * tree.Width, func(g *grown) { g.nodes[[2]int64{2, 0}] = tree.Hash{} }, tree.Width*tree.Width - 1, "another node 0 of level 2", 1},
		"another origin":                 {size, func(g *grown) { g.origin = "another house" }, 255, "another node 0 of level 1", 2},
		"a leaf is missing":              {size, func(g *grown) { g.leaves = slices.Delete(g.leaves, 41, 42) }, 42, "it is missing: transaction 43 follows", 1},
		"a leaf stands there twice":      {size, func(g *grown) { g.leaves = slices.Insert(g.leaves, 41, g.leaves[40]) }, 42, "it is missing: transaction 41 follows", 1},
		"the last are missing":           {size, func(g *grown) { g.leaves = g.leaves[:590] }, 0, "the tree that is kept has 600 leaves and the root", 1},
		"a leaf that is not found again": {size, func(g *grown) { g.leaves[41].Fault = "its key leads elsewhere" }, 42, "its key leads elsewhere", 1},
		"nodes that cannot be read":      {size, func(g *grown) { g.missing = fmt.Errorf("%w: the row is gone", house.ErrCorrupt) }, 255, "another node 0 of level 1", 2},
	} {
		g := grow(test.size)
		want := g.head
		test.alter(g)
		head, found, err := auditor.CheckTree(t.Context(), g)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		at := slices.IndexFunc(found, func(f auditor.Finding) bool { return f.Seq == test.seq && strings.Contains(f.What, test.want) })
		if len(found) != test.found || test.want != "" && at < 0 || test.want == "" && head != want {
			t.Errorf("%s: found %v, want %d findings with %q in transaction %d", name, found, test.found, test.want, test.seq)
		}
	}
	// Where it stands behind the nodes is said only of a tree of that size whose nodes are right.
	for name, alter := range map[string]func(*grown){
		"another size":    func(g *grown) { g.leaves = g.leaves[:590] },
		"a node is wrong": func(g *grown) { g.nodes[[2]int64{1, 0}], g.head.Root = tree.Hash{}, tree.Hash{} },
	} {
		g := grow(size)
		alter(g)
		_, found, err := auditor.CheckTree(t.Context(), g)
		if err != nil || len(found) == 0 || !strings.HasPrefix(found[len(found)-1].What, "the tree that is kept has 600 leaves") {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	for name, fail := range map[string]func(*grown, error){
		"the leaves": func(g *grown, err error) { g.err = err }, "the nodes": func(g *grown, err error) { g.missing = err },
	} {
		g, cause := grow(size), errors.New("the disk is gone")
		fail(g, cause)
		if _, _, err := auditor.CheckTree(t.Context(), g); !errors.Is(err, cause) {
			t.Errorf("%s cannot be read: %v", name, err)
		}
	}
}
