package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"trey/internal/tree"
)

// Restart gives the record in a file, which nobody has open, a new tree over the same
// transactions: its leaf 0 is drawn anew and holds what is known of the tree before.
// Sessions end. It is done wholly or not at all.
func Restart(ctx context.Context, path, continues string) (err error) {
	db, err := connect(path, "?mode=rw&_pragma=synchronous(full)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return meant(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is committed then
	var drawn [32]byte
	rand.Read(drawn[:]) //nolint:errcheck // it never fails
	t := treeOf{origin: tree.Origin(drawn, continues)}
	for _, statement := range []string{"DELETE FROM origin", "DELETE FROM node", "DELETE FROM session"} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return meant(err)
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO origin VALUES (?)", t.origin); err != nil {
		return meant(err)
	}
	if err := t.rebuild(ctx, tx); err != nil {
		return fmt.Errorf("build the tree of %s: %w", path, meant(err))
	}
	return meant(tx.Commit())
}

// rebuild writes the nodes of the tree over the transactions.
func (t *treeOf) rebuild(ctx context.Context, tx *sql.Tx) error {
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM tx").Scan(&last); err != nil {
		return err
	}
	edge := &tree.Edge{}
	for from := int64(0); from <= last; from += tree.Width {
		texts, err := t.leafTexts(ctx, tx, from, int(min(tree.Width, last+1-from)))
		if err != nil {
			return err
		}
		for _, text := range texts {
			for _, n := range edge.Add(tree.LeafHash(text)) {
				if _, err := tx.ExecContext(ctx, "INSERT INTO node (level, n, hash) VALUES (?, ?, ?)", n.Level, n.N, n.Hash[:]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
