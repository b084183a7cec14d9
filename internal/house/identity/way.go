package identity

import (
	"errors"

	"trey/internal/house"
	"trey/internal/house/access"
)

// A Way says whether one person makes a change of users or tokens, or two do.
type Way uint8

const (
	// Refused is no way: the house does not make the change for this person.
	Refused Way = iota
	// Alone makes the change at once.
	Alone
	// WithSecond proposes the change, and a second person approves it.
	WithSecond
)

// WayTo returns how somebody makes a change, and why it is refused if it is. It asks what the
// changes themselves ask, so that a page offers what is possible. A new user and a token may
// be without a name, which is chosen later.
func (p *Directory) WayTo(by access.Person, asked Change) (Way, error) {
	if err := by.Check(asked.Kind.Needs()); err != nil {
		return Refused, err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if err := p.acts(by); err != nil {
		return Refused, err
	}
	c, role := change{Name: asked.Name, Role: asked.Role}, asked.Role
	if isNew := asked.Kind == AddUser || asked.Kind == IssueToken; !isNew || asked.Name != "" {
		if err := p.possible(asked.Kind, by, &c); err != nil {
			return Refused, err
		}
		if !isNew && asked.Kind != GiveRole {
			role = p.users[asked.Name].Role
		}
	}
	err := house.ErrTakesTwo
	if asked.Kind != RemoveFactor && asked.Kind != EraseName { // which always take two
		err = p.oneIsEnough(asked.Kind, role, &c)
	}
	switch {
	case err == nil:
		return Alone, nil
	case !errors.Is(err, house.ErrTakesTwo):
		return Refused, err
	}
	if err := p.notTwice(&asked); err != nil {
		return Refused, err
	}
	return WithSecond, nil
}

// CheckDisable returns why somebody may not shut a user out, and nil if they may. One person
// does it alone.
func (p *Directory) CheckDisable(by access.Person, name string) error {
	if err := by.Check(access.ManageUsers); err != nil {
		return err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if err := p.acts(by); err != nil {
		return err
	}
	return p.mayBeDisabled(by, name)
}

// Presence says whether a user is signed in.
type Presence struct {
	// Sessions is the number of open sessions.
	Sessions int
	// Last is the latest sign-in; its time is zero if none is known.
	Last SignIn
}

// Presence returns whether a user is signed in.
func (p *Directory) Presence(name string) (now Presence) {
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, s := range p.byName[name] {
		if _, _, ok := p.live(s, nowMs); ok {
			now.Sessions++
		}
	}
	if u := p.users[name]; u != nil && len(u.signIns) > 0 {
		now.Last = u.signIns[len(u.signIns)-1]
	}
	return now
}

// TokenUsedMs returns when a machine last showed a token to this process, zero if it did not.
// The record does not keep it.
func (p *Directory) TokenUsedMs(id string) int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if t := p.byNumber[id]; t != nil {
		return t.usedMs.Load()
	}
	return 0
}
