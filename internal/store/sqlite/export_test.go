package sqlite

import (
	"context"
	"fmt"
)

// LimitPages makes the disk full after so many pages. The store must be idle.
func (s *Store) LimitPages(n int) error {
	_, err := s.writer.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count = %d", n))
	return err
}
