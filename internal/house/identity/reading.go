package identity

import (
	"fmt"

	"trey/internal/house"
)

// Take takes in the next transaction of the record, with the names of persons. It is for
// one goroutine, and for [World.Reading].
func (p *Directory) Take(e *house.StoredTransaction) error {
	for i := range e.Parts {
		part := &e.Parts[i]
		if part.Stream != Stream {
			continue
		}
		p.mu.Lock()
		err := p.take(part, e.AtMs)
		p.mu.Unlock()
		if err != nil {
			return fmt.Errorf("transaction %d: %w", e.Seq, err)
		}
	}
	return nil
}

// take takes in events. p.mu is held.
func (p *Directory) take(part *house.StreamAppend, atMs int64) error {
	if part.After != p.version {
		return fmt.Errorf("%w: event %d of %s follows event %d", house.ErrCorrupt, part.After+1, Stream, p.version)
	}
	for _, e := range part.Events {
		p.version++
		if err := p.follow(p.version, atMs, e); err != nil {
			return err
		}
		if e.Kind == sessionEnded {
			if err := p.takeEnd(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeEnd removes the session that its holder has ended. p.mu is held.
func (p *Directory) takeEnd(e house.Event) error {
	c, err := Events.Read(e)
	if err != nil {
		return house.Corrupt(err, "")
	}
	for id := range p.byName[c.Name] {
		if id.public() == c.Session {
			p.remove(id)
		}
	}
	return nil
}

// TakeSessions takes in sessions that were begun or used, and those that have ended. If all
// is true, there are no others.
func (p *Directory) TakeSessions(kept []KeptSession, ended []SessionID, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	there := map[SessionID]bool{}
	var over map[string]bool
	for _, k := range kept {
		there[k.ID] = true
		if s := p.sessions[k.ID]; s != nil {
			advance(&s.seenMs, k.SeenMs)
			continue
		}
		if over == nil {
			over = p.ended()
		}
		if over[k.ID.public()] {
			continue // the record says so, whether it was dropped or not
		}
		s := &session{KeptSession: k}
		s.seenMs.Store(k.SeenMs)
		p.enter(s)
		if s.Guest {
			p.place(s, 1)
		}
	}
	if all {
		for id := range p.sessions {
			if !there[id] {
				ended = append(ended, id)
			}
		}
	}
	for _, id := range ended {
		if p.sessions[id] != nil {
			p.remove(id)
		}
	}
	p.left = nil // the process that writes clears their accounts
}

// HasSession reports whether a session token is that of a session here. Another process may know
// of one that began in this moment.
func (p *Directory) HasSession(token string) bool {
	s, err := p.find(token, false)
	return err == nil || s.PasswordDue
}

// SessionUse holds the times at which a session was used and an open page of it was last
// served.
type SessionUse struct {
	ID                SessionID
	SeenMs, WatchedMs int64
}

// Uses returns the sessions that were used since a time, so that the process that writes
// counts their holders as active and keeps the sessions.
func (p *Directory) Uses(sinceMs int64) (all []SessionUse) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for id, s := range p.sessions {
		use := SessionUse{ID: id, SeenMs: s.seenMs.Load(), WatchedMs: s.watchedMs.Load()}
		if max(use.SeenMs, use.WatchedMs) > sinceMs {
			all = append(all, use)
		}
	}
	return all
}

// NoteUses notes that sessions were used at other processes. Only whoever was shown the
// token of a session knows its ID. A time that is still to come is taken as now.
func (p *Directory) NoteUses(uses []SessionUse) {
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	var change SessionWrite
	for _, use := range uses {
		s := p.sessions[use.ID]
		if s == nil {
			continue
		}
		_, idleMs, ok := p.live(s, nowMs)
		if !ok {
			continue
		}
		advance(&s.watchedMs, min(nowMs, use.WatchedMs))
		advance(&s.seenMs, min(nowMs, use.SeenMs))
		if saved, seen := s.savedMs.Load(), s.seenMs.Load(); seen-saved >= idleMs/8 && s.savedMs.CompareAndSwap(saved, seen) {
			change.Seen = append(change.Seen, SessionSeen{ID: use.ID, SeenMs: seen})
		}
	}
	if len(change.Seen) > 0 {
		p.world.Sessions.WriteSessions(change)
	}
}
