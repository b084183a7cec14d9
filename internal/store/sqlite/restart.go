package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"trey/internal/tree"
)

// Restart gives the record in a file a new tree over the same transactions. Nobody may have the
// file open; its archive lies in a folder. The new leaf 0 has a new random number and the last
// known checkpoint of the tree before. Sessions end. The change is atomic.
func Restart(ctx context.Context, path, folder, continues string) (err error) {
	defer mean(&err)
	db, err := connect(path, "?mode=rw&_pragma=synchronous(full)&_pragma=secure_delete(1)")
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
	before := treeOf{}
	if err := tx.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&before.origin); err != nil {
		return meant(err)
	}
	if err := before.openArchives(ctx, tx, folder); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, before.archives.close()) }()
	origin := tree.Origin(drawn, continues)
	nodes, err := before.rebuilt(ctx, tx, origin)
	if err != nil {
		return fmt.Errorf("build the tree of %s: %w", path, meant(err))
	}
	for _, statement := range []string{"DELETE FROM origin", "DELETE FROM node", "DELETE FROM session"} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return meant(err)
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO origin VALUES (?)", origin); err != nil {
		return meant(err)
	}
	for _, n := range nodes {
		if _, err := tx.ExecContext(ctx, "INSERT INTO node (level, n, hash) VALUES (?, ?, ?)", n.Level, n.N, n.Hash[:]); err != nil {
			return meant(err)
		}
	}
	return meant(tx.Commit())
}

// rebuilt returns the nodes of a tree over the same transactions with another leaf 0.
func (t *treeOf) rebuilt(ctx context.Context, tx *sql.Tx, origin []byte) (nodes []tree.Node, err error) {
	var last int64
	if err := tx.QueryRowContext(ctx, lastTx).Scan(&last); err != nil {
		return nil, err
	}
	edge := &tree.Edge{}
	for from := int64(0); from <= last; from += tree.Width {
		texts, err := t.leafTexts(ctx, tx, from, int(min(tree.Width, last+1-from)))
		if err != nil {
			return nil, err
		}
		if from == 0 {
			texts[0] = origin
		}
		for _, text := range texts {
			nodes = append(nodes, edge.Add(tree.LeafHash(text))...)
		}
	}
	return nodes, nil
}
