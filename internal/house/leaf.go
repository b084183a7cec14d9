package house

import (
	"encoding/hex"
	"fmt"

	"trey/internal/tree"
)

// Leaf is a transaction as the tree holds it: what its leaf commits to, as the bytes
// that the store keeps.
type Leaf struct {
	Seq, AtMs int64
	// Content is what the leaf says of the sections, as it is kept. It is what follows
	// from them if nobody has changed anything since.
	Content tree.Hash
	// Salt is what the salts of the sections follow from, and Sections what the
	// transaction recorded.
	Salt     tree.Salt
	Sections []tree.Section
}

// Follows reports whether the content of the leaf follows from its sections.
func (l *Leaf) Follows() bool {
	return l.Content == tree.Content(tree.Commitments(l.Salt, l.Sections))
}

// StoredPart is a part of a transaction as a store keeps it.
type StoredPart struct {
	Stream string
	After  int64
	Round  int
	// Events are the events as [AppendEvents] writes them.
	Events []byte
}

// Sections returns what a transaction's leaf commits to: its cause, its idempotency
// key with the hash of what came with it, its postings, and each part. Snapshots,
// balances and movements follow from these and are in no leaf.
func Sections(key string, input []byte, cause, postings []byte, parts []StoredPart) []tree.Section {
	sections := make([]tree.Section, 0, 3+len(parts))
	var answer []byte
	if key != "" {
		answer = append(hex.AppendEncode(nil, input), "\n"+key...)
	}
	sections = append(sections, tree.Section{Name: "cause", Text: cause}, tree.Section{Name: "key", Text: answer}, tree.Section{Name: "postings", Text: postings})
	for i := range parts {
		p := &parts[i]
		sections = append(sections, tree.Section{Name: fmt.Sprintf("part %s %d %d", p.Stream, p.After, p.Round), Text: p.Events})
	}
	return sections
}
