package auditor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/tree"
)

// cover is a checkpoint that is recorded as the one that held the commitment to a deck before
// anybody relied upon it.
type cover struct {
	seq, committed int64 // the transactions in which it is recorded, and that of the commitment
	table          string
	round          int
	note           string
}

// restored is a record that went on from a copy under a tree of its own.
type restored struct {
	Tree    string
	Through int64
}

// coverCheck checks each of those checkpoints against the tree: one over other leaves would be a
// second tree, which the house has shown to the players of one round.
type coverCheck struct {
	kept Tree
	name string
	// keys are those of the house that are known.
	keys  note.Verifiers
	found []Finding
	// leaves are the hashes of those that were read last, from one on: most checkpoints end among
	// them, and whoever keeps the tree would have to read them once more.
	leaves []tree.Hash
	from   int64
	// last is the one that was held last: many tables share one.
	last string
	// before are the checkpoints of other trees: of each the last transaction in which one is.
	before map[string]int64
	// held counts the commitments that a checkpoint of this tree holds, and unsigned those of
	// them whose checkpoint has no signature of a key that is known.
	held, unsigned int
	// signed is the size of the largest tree among them that a key has signed that is known.
	signed int64
}

func newCoverCheck(kept Tree, keys []note.Verifier) *coverCheck {
	return &coverCheck{kept: kept, name: tree.Name(kept.Origin()), keys: note.VerifierList(keys...), before: map[string]int64{}}
}

// read takes in the hash of the next leaf.
func (c *coverCheck) read(leaf int64, hash tree.Hash) {
	if leaf != c.from+int64(len(c.leaves)) { // one is missing
		c.from, c.leaves = leaf, nil
	}
	if len(c.leaves) == 2*tree.Width {
		c.from, c.leaves = c.from+tree.Width, append(c.leaves[:0], c.leaves[tree.Width:]...)
	}
	c.leaves = append(c.leaves, hash)
}

// nodes returns those of the tree.
func (c *coverCheck) nodes(ctx context.Context) tree.Nodes {
	return func(level int, from int64, count int) ([]tree.Hash, error) {
		if at := from - c.from; level == 0 && at >= 0 && at+int64(count) <= int64(len(c.leaves)) {
			return c.leaves[at : at+int64(count)], nil
		}
		return c.kept.Nodes(ctx, level, from, count)
	}
}

// add checks a checkpoint against the tree. An error is that of the context.
func (c *coverCheck) add(ctx context.Context, of *cover) error {
	find := func(format string, args ...any) error {
		c.found = append(c.found, Finding{Seq: of.seq, What: fmt.Sprintf("the checkpoint that is to hold the commitment of round %d of table %s ", of.round, of.table) + fmt.Sprintf(format, args...)})
		return nil
	}
	name, head, err := tree.ParseSigned(of.note)
	switch {
	case err != nil:
		return find("is none: %.100q", of.note)
	case head.Size <= of.committed || head.Size > of.seq:
		return find("is over %d leaves, and it was committed to in transaction %d and relied upon in transaction %d", head.Size, of.committed, of.seq)
	case name != c.name:
		c.before[name] = of.seq
		return nil
	}
	c.held++
	_, err = note.Open([]byte(of.note), c.keys)
	known := err == nil
	if !known {
		var unknown *note.UnverifiedNoteError
		if !errors.As(err, &unknown) {
			return find("has a wrong signature: %v", err)
		}
		c.unsigned++
	}
	if of.note == c.last {
		return nil
	}
	then, err := c.nodes(ctx).At(head.Size)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // whatever else is wrong with the tree is found beside it
		return find("cannot be held against the tree: %v", err)
	}
	if then.Root != head.Root {
		return find("is of another tree: its %d leaves have the root %s, and those of the record %s", head.Size, head.Root, then.Root)
	}
	c.last = of.note
	if known {
		c.signed = max(c.signed, head.Size)
	}
	return nil
}

// end checks the checkpoints of other trees against those from which this one went on. An archive by
// itself may end before the transaction that says it of the latest one. Leaf 0 names that one too,
// and all that such an archive holds is from before it.
func (c *coverCheck) end(from []restored) []Finding {
	if name := tree.Continued(c.kept.Origin()); !slices.ContainsFunc(from, func(r restored) bool { return r.Tree == name }) {
		from = append(from, restored{Tree: name, Through: math.MaxInt64})
	}
	for _, name := range slices.Sorted(maps.Keys(c.before)) {
		if seq := c.before[name]; !slices.ContainsFunc(from, func(r restored) bool { return r.Tree == name && seq <= r.Through }) {
			c.found = append(c.found, Finding{Seq: seq, What: fmt.Sprintf("a commitment is held by a checkpoint of %s, and this tree is %s, which did not go on from that one then", name, c.name)})
		}
	}
	return c.found
}
