package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// statement is a statement of the writer's connection. The writer gives it to the
// driver itself: a transaction takes half a dozen of them, for each of which package
// sql would make lists of its own. It is used inside [sql.Conn.Raw] only.
type statement struct {
	prepared driver.Stmt
	args     []driver.NamedValue // of the last time, used again
}

// prepared are statements by what they are to be.
type prepared []struct {
	into *statement
	text string
}

// on prepares them all for a connection, or says what is wrong with the first that is
// not what the connection knows.
func (all prepared) on(ctx context.Context, conn *sql.Conn) error {
	return conn.Raw(func(c any) error {
		preparer, ok := c.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's %T prepares no statements", c)
		}
		for _, p := range all {
			made, err := preparer.PrepareContext(ctx, p.text)
			if err != nil {
				return err // with it comes a statement of the driver that is none, and must not be closed
			}
			p.into.prepared = made
		}
		return nil
	})
}

// exec carries the statement out and returns how many rows it changed.
func (s *statement) exec(args ...driver.Value) (changed int64, err error) {
	done, err := s.prepared.(driver.StmtExecContext).ExecContext(context.Background(), s.with(args))
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// number returns the one number that the statement asks for.
func (s *statement) number(args ...driver.Value) (n int64, err error) {
	rows, err := s.prepared.(driver.StmtQueryContext).QueryContext(context.Background(), s.with(args))
	if err != nil {
		return 0, err
	}
	var row [1]driver.Value
	if err := errors.Join(rows.Next(row[:]), rows.Close()); err != nil {
		return 0, err
	}
	n, ok := row[0].(int64)
	if !ok {
		return 0, fmt.Errorf("a number was asked for, and the answer is %v", row[0])
	}
	return n, nil
}

func (s *statement) with(args []driver.Value) []driver.NamedValue {
	s.args = s.args[:0]
	for i, value := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return s.args
}

func (s *statement) close() error {
	if s.prepared == nil {
		return nil
	}
	return s.prepared.Close()
}
