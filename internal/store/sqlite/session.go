package sqlite

import (
	"context"

	"trey/internal/house/identity"
	"trey/internal/store/row"
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
func (s *Store) ReadSessions(ctx context.Context, yield func(identity.KeptSession) error) (err error) {
	defer mean(&err)
	return row.ReadSessions(rowsOf(ctx, s.read, row.Sessions), yield)
}
