package sqlite

import (
	"context"
	"fmt"
	"os"
)

// LimitPages makes the disk full after so many pages. The store must be idle.
func (s *Store) LimitPages(n int) error {
	_, err := s.writer.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count = %d", n))
	return err
}

// Harm carries out a statement on the connection of the writer. The store must be idle.
func (s *Store) Harm(statement string) error {
	_, err := s.writer.conn.ExecContext(context.Background(), statement)
	return err
}

// Stopped is the status with which a process ends that [StopAfter] stops.
const Stopped = 9

// StopAfter ends the process after a step of [Archive], as if it were killed.
func StopAfter(step string) {
	tilesTogether = 1
	afterStep = func(done string) {
		if done == step {
			os.Exit(Stopped)
		}
	}
}
