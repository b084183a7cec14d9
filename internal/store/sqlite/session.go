package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"trey/internal/house"
	"trey/internal/house/identity"
)

var _ identity.SessionStore = (*Store)(nil)

// sessionWriter is what the writing goroutine needs for sessions.
type sessionWriter struct{ put, seen, drop *sql.Stmt }

func prepareSessions(ctx context.Context, conn *sql.Conn) (w sessionWriter, err error) {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.put, "INSERT OR REPLACE INTO session (id, name, guest, epoch, since_ms, seen_ms) VALUES (?, ?, ?, ?, ?, ?)"},
		{&w.seen, "UPDATE session SET seen_ms = ? WHERE id = ?"},
		{&w.drop, "DELETE FROM session WHERE id = ?"},
	} {
		if *p.stmt, err = conn.PrepareContext(ctx, p.text); err != nil {
			return w, err
		}
	}
	return w, nil
}

// write makes one change.
func (w *sessionWriter) write(ctx context.Context, change *identity.SessionWrite) error {
	for i := range change.Put {
		s := &change.Put[i]
		if _, err := w.put.ExecContext(ctx, s.ID[:], s.Name, s.Guest, s.Epoch, s.SinceMs, s.SeenMs); err != nil {
			return err
		}
	}
	for i := range change.Seen {
		if _, err := w.seen.ExecContext(ctx, change.Seen[i].SeenMs, change.Seen[i].ID[:]); err != nil {
			return err
		}
	}
	for i := range change.Drop {
		if _, err := w.drop.ExecContext(ctx, change.Drop[i][:]); err != nil {
			return err
		}
	}
	return nil
}

// WriteSessions puts a change of the sessions in line, behind and before the
// transactions and in the same durable writes.
func (s *Store) WriteSessions(change identity.SessionWrite) <-chan error {
	w := waiting{sessions: &change, kept: make(chan error, 1)}
	s.enter(w, nil)
	return w.kept
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
