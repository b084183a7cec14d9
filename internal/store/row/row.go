// Package row reads a transaction from its row in a database: SQLite and PostgreSQL keep
// the same columns.
package row

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"trey/internal/house"
	"trey/internal/store/packed"
	"trey/internal/tree"
)

// Row is a transaction as it is stored.
type Row struct {
	Seq, AtMs int64
	Salt      []byte
	// Line is the packed text, nil where it was archived.
	Line []byte
	// Mark is the first [MarkBytes] of the content of the leaf.
	Mark []byte
}

// Columns are the columns of a [Row] in the table tx, in the order of [Row.Fields].
const Columns = "tx.seq, tx.at_ms, tx.salt, tx.line, tx.mark"

// MarkBytes is the number of bytes of a leaf's content that are stored beside its transaction.
// The mark is no evidence, for an edit can change it too; if it was left alone, it shows which
// transaction was edited.
const MarkBytes = 8

// KeyHash returns what is stored of an idempotency key: two keys with the same are not to be
// found.
func KeyHash(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

// Fields returns what a query for [Columns] is scanned into.
func (r *Row) Fields() []any { return []any{&r.Seq, &r.AtMs, &r.Salt, &r.Line, &r.Mark} }

// Read returns what the transaction recorded. An error wraps [house.ErrCorrupt].
func (r *Row) Read() (house.Line, error) {
	if _, ok := tree.KeptSalt(r.Salt); !ok {
		return house.Line{}, fmt.Errorf("%w: transaction %d has a salt of %d bytes", house.ErrCorrupt, r.Seq, len(r.Salt))
	}
	text, err := packed.Unpack(nil, r.Line)
	if err != nil {
		return house.Line{}, fmt.Errorf("%w: transaction %d: %w", house.ErrCorrupt, r.Seq, err)
	}
	line, err := house.ReadLine(text)
	if err != nil {
		return house.Line{}, fmt.Errorf("transaction %d: %w", r.Seq, err)
	}
	return line, nil
}

// Entry returns the transaction. An error wraps [house.ErrCorrupt].
func (r *Row) Entry() (house.StoredTransaction, error) {
	line, err := r.Read()
	if err != nil {
		return house.StoredTransaction{}, err
	}
	e, err := line.Entry(r.Seq, r.AtMs)
	if err != nil {
		return house.StoredTransaction{}, fmt.Errorf("transaction %d: %w", r.Seq, err)
	}
	return e, nil
}

// Leaf returns the leaf of the transaction. An error wraps [house.ErrCorrupt].
func (r *Row) Leaf() (house.Leaf, error) {
	line, err := r.Read()
	if err != nil {
		return house.Leaf{}, err
	}
	salt, _ := tree.KeptSalt(r.Salt) // which Read has looked at
	return house.Leaf{Seq: r.Seq, AtMs: r.AtMs, Salt: salt, Line: line}, nil
}

// Altered reports whether the leaf is not the one whose mark the row has.
func (r *Row) Altered(leaf *house.Leaf) bool {
	content := leaf.Line.Content(leaf.Salt)
	return !bytes.Equal(r.Mark, content[:MarkBytes])
}
