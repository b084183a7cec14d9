package house

import "trey/internal/tree"

// Leaf is a transaction as the tree holds it.
type Leaf struct {
	Seq, AtMs int64
	// Salt is the value from which the salts of the sections follow, and Line the recorded
	// transaction.
	Salt tree.Salt
	Line Line
	// Fault says what is wrong with how the store finds the transaction again, which is
	// in no leaf: by its key, or as a part of a stream. Empty is nothing.
	Fault string
	// Content is the leaf's content of the line, where its reader may not read parts of the
	// line; nil where it follows from Salt and Line.
	Content *tree.Hash
}

// Text returns the text of the leaf.
func (l *Leaf) Text() []byte {
	if l.Content != nil {
		return tree.Leaf(l.Seq, l.AtMs, *l.Content)
	}
	return l.Line.Leaf(l.Seq, l.AtMs, l.Salt)
}
