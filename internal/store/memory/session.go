package memory

import (
	"context"

	"trey/internal/house/identity"
)

var _ identity.SessionStore = (*Store)(nil)

// WriteSessions changes the sessions at once, unless the store has failed.
func (s *Store) WriteSessions(w identity.SessionWrite) <-chan error {
	done := make(chan error, 1)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if s.failed != nil {
		done <- s.failed
		return done
	}
	if s.disk.sessions == nil {
		s.disk.sessions = map[identity.SessionID]identity.KeptSession{}
	}
	for i := range w.Put {
		s.disk.sessions[w.Put[i].ID] = w.Put[i]
	}
	for _, seen := range w.Seen {
		if kept, there := s.disk.sessions[seen.ID]; there {
			kept.SeenMs = seen.SeenMs
			s.disk.sessions[seen.ID] = kept
		}
	}
	for _, id := range w.Drop {
		delete(s.disk.sessions, id)
	}
	done <- nil
	return done
}

// ReadSessions hands out all sessions.
func (s *Store) ReadSessions(ctx context.Context, yield func(identity.KeptSession) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	s.disk.mu.Lock()
	all := make([]identity.KeptSession, 0, len(s.disk.sessions))
	for _, kept := range s.disk.sessions {
		all = append(all, kept)
	}
	s.disk.mu.Unlock()
	for _, kept := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(kept); err != nil {
			return err
		}
	}
	return nil
}
