package identity

import (
	"errors"

	"trey/internal/house/access"
	"trey/sentence"
)

// The errors of erasing a name.
var (
	// ErrNotDisabled is wrapped where the user can still sign in.
	ErrNotDisabled = errors.New("the account is in use: disable it first")
	// errNotAgreed is wrapped where no two people have agreed to it.
	errNotAgreed = errors.New("no two people have agreed to erase this name: while the house is open one proposes erase-name and another approves it")
	// errWaits is wrapped where a change of users by the person or about them waits.
	errWaits = errors.New("a change of users by this person or about them waits for a second person: approve or decline it first")
	// errHasToken is wrapped where a machine of the same name has a token.
	errHasToken = errors.New("a machine of this name has a token: revoke it first")
)

// Erasure is the erasure of a user's name, agreed by two people. It lapses when the user is let
// in again.
type Erasure struct {
	By, And access.Person
	Why     string
}

// agreed returns the erasure of an event. p.mu is held, or nobody else has p.
func (p *Directory) agreed(c *change) *Erasure {
	e := &Erasure{By: p.staff.proposals[c.Proposal].By, And: access.Person{Name: c.By}, Why: c.Why}
	if u := p.users[c.By]; u != nil {
		e.And.Role = u.Role
	}
	return e
}

// Erasure returns what two people have agreed about the name of a user, if nothing about
// users stands against carrying it out.
func (p *Directory) Erasure(name string) (Erasure, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	u, err := p.known(ChangeRequest{}, name)
	switch {
	case err != nil:
		return Erasure{}, err
	case !u.Disabled:
		return Erasure{}, sentence.Errorf("%s: %s", name, ErrNotDisabled)
	case u.erasure == nil:
		return Erasure{}, sentence.Errorf("%s: %s", name, errNotAgreed)
	}
	for _, asked := range p.staff.proposals {
		if asked.decided == nil && (asked.Name == name || asked.By.Name == name) {
			return Erasure{}, sentence.Errorf("%s: %s", name, errWaits)
		}
	}
	nowMs := p.world.NowMs()
	for _, t := range p.byNumber {
		if t.Name == name && t.lasts(nowMs) {
			return Erasure{}, sentence.Errorf("%s: %s", name, errHasToken)
		}
	}
	return *u.erasure, nil
}
