package sqlite

import (
	"context"
	"fmt"

	"trey/internal/house"
	"trey/internal/house/identity"
)

var _ identity.SessionStore = (*Store)(nil)

// sessionWriter holds the statements with which the writing goroutine writes sessions.
type sessionWriter struct{ put, seen, drop statement }

// write makes one change.
func (w *sessionWriter) write(change *identity.SessionWrite) error {
	for i := range change.Put {
		s := &change.Put[i]
		if _, err := w.put.exec(s.ID[:], s.Name, s.Guest, s.Epoch, s.SinceMs, s.SeenMs); err != nil {
			return err
		}
	}
	for i := range change.Seen {
		if _, err := w.seen.exec(change.Seen[i].SeenMs, change.Seen[i].ID[:]); err != nil {
			return err
		}
	}
	for i := range change.Drop {
		if _, err := w.drop.exec(change.Drop[i][:]); err != nil {
			return err
		}
	}
	return nil
}

// ReadSessions hands out all sessions.
func (s *Store) ReadSessions(ctx context.Context, yield func(identity.KeptSession) error) error {
	rows, err := s.read.QueryContext(ctx, "SELECT id, name, guest, epoch, since_ms, seen_ms FROM session")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		var kept identity.KeptSession
		var id []byte
		if err := rows.Scan(&id, &kept.Name, &kept.Guest, &kept.Epoch, &kept.SinceMs, &kept.SeenMs); err != nil {
			return err
		}
		if len(id) != len(kept.ID) {
			return fmt.Errorf("%w: a session of %d bytes", house.ErrCorrupt, len(id))
		}
		kept.ID = identity.SessionID(id)
		if err := yield(kept); err != nil {
			return err
		}
	}
	return rows.Err()
}
