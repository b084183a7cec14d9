package identity

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// ErrDeciding: a sign-out, or a sign-in by another name in the same place, waits until the person
// has decided.
var ErrDeciding = errors.New("you have a hand or an option to decide: decide it first, then sign out or sign in as somebody else")

// decideMs is the time for which a session that has run out lasts for open decisions.
const decideMs = 10 * minuteMs

// SignIn is one sign-in of a user.
type SignIn struct {
	AtMs int64 `json:"at_ms"`
	// Address is the address that the user came from.
	Address string `json:"address"`
	// Session names the session that began.
	Session string `json:"session,omitempty"`
}

// OpenSession is a session as its holder sees it.
type OpenSession struct {
	// ID names the session to its holder. Nobody can come in by it.
	ID      string `json:"id"`
	SinceMs int64  `json:"since_ms"`
	// SeenMs is the time at which it was last used.
	SeenMs int64 `json:"seen_ms"`
	// Address is the address where it began, empty if that is not known.
	Address string `json:"address,omitempty"`
	// Current says that it is the one that asks.
	Current bool `json:"current,omitempty"`
}

// public returns the name of a session for its holder: a part of the hash.
func (id SessionID) public() string { return hex.EncodeToString(id[:8]) }

// maxSignIns is the number of a user's sign-ins kept in memory: as many as there may be
// sessions, so that each of these is among them.
const maxSignIns = maxPerUser

// remember keeps a sign-in in the list of the latest ones. p.mu is held, or nobody else has p.
func (u *user) remember(s SignIn) {
	u.signIns = append(u.signIns[max(0, len(u.signIns)-maxSignIns+1):len(u.signIns):len(u.signIns)], s)
}

// SignIns returns the latest sign-ins of a user, the newest first. There are none of
// a guest.
func (p *Directory) SignIns(name string) []SignIn {
	p.mu.RLock()
	defer p.mu.RUnlock()
	u := p.users[name]
	if u == nil {
		return nil
	}
	all := slices.Clone(u.signIns)
	slices.Reverse(all)
	return all
}

// OpenSessions returns the sessions of the person whose token it is, the newest
// first. It answers [ErrNoSession] to a token that is of no session.
func (p *Directory) OpenSessions(token string) ([]OpenSession, error) {
	current, err := p.Peek(token)
	if err != nil {
		return nil, err
	}
	id, _ := idOf(token, "")
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	from := map[string]string{}
	if u := p.users[current.Name]; u != nil {
		for _, in := range u.signIns {
			from[in.Session] = in.Address
		}
	}
	var all []OpenSession
	for _, s := range p.byName[current.Name] {
		if _, _, ok := p.live(s, nowMs); !ok {
			continue
		}
		o := OpenSession{ID: s.ID.public(), SinceMs: s.SinceMs, SeenMs: s.seenMs.Load(), Current: s.ID == id}
		if o.Address = from[o.ID]; o.Address == "" && s.at.IsValid() {
			o.Address = s.at.Addr().String()
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b OpenSession) int {
		return cmp.Or(cmp.Compare(b.SinceMs, a.SinceMs), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// EndSession ends one session of the person whose token it is, by the name that
// [Directory.OpenSessions] gives it. The last one waits for open decisions.
func (p *Directory) EndSession(ctx context.Context, token, id string) error {
	current, err := p.Peek(token)
	if err != nil {
		return err
	}
	p.mu.RLock()
	var found *session
	for _, s := range p.byName[current.Name] {
		if s.ID.public() == id {
			found = s
		}
	}
	p.mu.RUnlock()
	if found == nil {
		return fmt.Errorf("session %.20q: %w", id, ErrUnknown)
	}
	if err := p.mayLeave(found.ID); err != nil {
		return err
	}
	if !found.Guest {
		o := ChangeRequest{By: current.Person}
		if _, err := p.commit(ctx, o, sessionEnded, change{Name: current.Name, Session: id}, func(*change) error { return nil }, nil); err != nil {
			return err
		}
	}
	return p.drop(found.ID)
}

// mayLeave refuses to end the last session of somebody who has to decide.
func (p *Directory) mayLeave(id SessionID) error {
	if p.world.Deciding == nil {
		return nil
	}
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	s := p.sessions[id]
	if s == nil {
		return nil
	}
	if _, _, ok := p.live(s, nowMs); !ok {
		return nil // it has ended
	}
	for _, other := range p.byName[s.Name] {
		if _, _, ok := p.live(other, nowMs); ok && other.ID != id {
			return nil
		}
	}
	if p.world.Deciding(s.Name) {
		return ErrDeciding
	}
	return nil
}

// mayReplace refuses to let a session of somebody else take the place of the last one of somebody
// who has to decide. The token is of the session that would end.
func (p *Directory) mayReplace(token, name string) error {
	id, ok := idOf(token, "")
	if !ok {
		return nil
	}
	p.mu.RLock()
	s := p.sessions[id]
	p.mu.RUnlock()
	if s == nil || s.Name == name {
		return nil
	}
	return p.mayLeave(id)
}

// drop ends a session and deletes it.
func (p *Directory) drop(id SessionID) error {
	p.mu.Lock()
	there := p.sessions[id] != nil
	if there {
		p.remove(id)
	}
	p.mu.Unlock()
	if !there {
		return nil
	}
	if err := <-p.world.Sessions.WriteSessions(SessionWrite{Drop: []SessionID{id}}); err != nil {
		return fmt.Errorf("the session has ended here, and may be back when the house is opened again: %w", err)
	}
	return nil
}
