package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/store/batch"
	"trey/internal/store/packed"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// Move hands out the rows of the record to a function that writes them elsewhere, with one
// more transaction at the end if there is one. That is recorded here when the function has
// called commit, and not at all if it returns an error before that. What was archived is
// handed out as if it were in the record.
//
// The store takes nothing any more.
func (s *Store) Move(ctx context.Context, last *house.Transaction, to func(rows row.Tables, head tree.Head, commit func() error) error) (err error) {
	defer mean(&err)
	s.Line.Close()
	w := s.writer
	done := true
	if last != nil {
		item, err := batch.NewItem(last)
		if err != nil {
			return err
		}
		if err := w.conn.Raw(func(any) error {
			if _, err := w.begin.exec(); err != nil {
				return err
			}
			done = false
			return w.one(&item, &house.AppendResult{})
		}); err != nil {
			return errors.Join(meant(err), s.undo(done))
		}
	}
	head := w.edge.Head()
	err = to(func(table string, columns []string, handOut func([]any) error) error {
		return s.handOut(ctx, table, columns, handOut)
	}, head, func() error {
		if done {
			return nil
		}
		done = true
		if err := w.conn.Raw(func(any) error { _, err := w.commit.exec(); return err }); err != nil {
			return meant(err)
		}
		s.tree.show(w.edge)
		return s.present()
	})
	return errors.Join(err, s.undo(done))
}

// undo takes back what [Store.Move] has written, unless it was recorded.
func (s *Store) undo(done bool) error {
	if done {
		return nil
	}
	return s.writer.conn.Raw(func(any) error { _, err := s.writer.rollback.exec(); return err })
}

// handOut hands out the rows of a table, those that were archived first.
func (s *Store) handOut(ctx context.Context, table string, columns []string, yield func([]any) error) error {
	conn := s.writer.conn
	after := ""
	if through := s.tree.archives.through; through > 0 {
		switch table {
		case "tx":
			after = fmt.Sprintf(" WHERE seq > %d", through)
			if err := s.archivedRows(ctx, through, func(leaf *house.Leaf) error {
				content := leaf.Line.Content(leaf.Salt)
				return yield([]any{leaf.Seq, leaf.AtMs, slices.Clone(leaf.Salt.Kept()), packed.Pack(nil, leaf.Line.Append(nil)), slices.Clone(content[:row.MarkBytes])})
			}); err != nil {
				return err
			}
		case "part":
			after = fmt.Sprintf(" WHERE id >= %d", (through+1)*house.MaxParts)
			if err := s.archivedParts(ctx, through, yield); err != nil {
				return err
			}
		case "movement":
			after = fmt.Sprintf(" WHERE seq > %d", through)
			if err := s.archivedMovements(ctx, through, yield); err != nil {
				return err
			}
		}
	}
	return eachOf(ctx, conn, func(rows *sql.Rows) error {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return yield(values)
	}, row.Select(table, columns)+after)
}

// archivedRows hands out the transactions that the file has let go of.
func (s *Store) archivedRows(ctx context.Context, through int64, yield func(*house.Leaf) error) error {
	return s.tree.archivedLeaves(ctx, s.writer.conn, 1, through, yield)
}

// archivedParts hands out the parts of transactions that the file has let go of.
func (s *Store) archivedParts(ctx context.Context, through int64, yield func([]any) error) error {
	streams, err := s.ids(ctx, "SELECT name, id FROM stream")
	if err != nil {
		return err
	}
	return s.archivedRows(ctx, through, func(leaf *house.Leaf) error {
		for i := range leaf.Line.Parts {
			p := &leaf.Line.Parts[i]
			count, err := p.Count()
			if err != nil {
				return fmt.Errorf("transaction %d: %w", leaf.Seq, err)
			}
			if err := yield([]any{streams[p.Stream], leaf.Seq*house.MaxParts + int64(i), p.After, int64(count), int64(p.Round)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// archivedMovements hands out what moved accounts in transactions that the file has let go
// of. Accounts begin with nothing.
func (s *Store) archivedMovements(ctx context.Context, through int64, yield func([]any) error) error {
	accounts, err := s.ids(ctx, "SELECT name, id FROM account")
	if err != nil {
		return err
	}
	balances := map[int64]int64{}
	return s.archivedRows(ctx, through, func(leaf *house.Leaf) error {
		changes, err := row.Changes(leaf)
		if err != nil {
			return err
		}
		for _, c := range changes {
			id := accounts[c.Account.String()]
			balances[id] += int64(c.By)
			if err := yield([]any{id, leaf.Seq, int64(c.By), balances[id]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ids returns the ids of what has names.
func (s *Store) ids(ctx context.Context, query string) (map[string]int64, error) {
	all := map[string]int64{}
	return all, eachOf(ctx, s.writer.conn, func(rows *sql.Rows) error {
		var name string
		var id int64
		err := rows.Scan(&name, &id)
		all[name] = id
		return err
	}, query)
}
