package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"

	"trey/internal/house/access"
)

// ErrOtherAccount: the name at the identity provider is the name of another account here.
var ErrOtherAccount = errors.New("this name belongs to an account that does not sign in by the identity provider, or to another person there: ask an administrator")

// ErrNoPassword: the user signs in by the identity provider.
var ErrNoPassword = errors.New("this user signs in by the identity provider and has no password here")

// External is somebody of whom an identity provider says who they are.
type External struct {
	// Subject identifies them at the provider for good. Name is their name here, and Role is
	// their role by the provider; zero is none.
	Subject, Name string
	Role          access.Role
	// From and Replaces are as in [Credentials].
	From     netip.Addr
	Replaces string
}

// theProvider is the actor who adds users and gives roles as the identity provider names them.
// The operator arranges there whatever takes two people in the house.
var theProvider = access.Person{Name: "the identity provider", Role: access.Administrator}

// accountOf returns the user who is a subject of the provider, the first one if a record
// from before has several, nil for none. p.mu is held.
func (p *Directory) accountOf(subject string) (first *user) {
	for _, u := range p.users {
		if u.Provider == subject && (first == nil || cmp.Or(cmp.Compare(u.SinceMs, first.SinceMs), cmp.Compare(u.Name, first.Name)) < 0) {
			first = u
		}
	}
	return first
}

// bySubject returns the account of somebody whom the provider names. The subject decides and
// not the name, which its holder can often change there. A second account would escape what
// holds for the first, such as an exclusion. So the account keeps the name that it was added
// under, and e goes on under that. It answers [ErrUnknown] to a person without an account, and
// [ErrOtherAccount] where the name is another account's.
func (p *Directory) bySubject(e *External) (user, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if u := p.accountOf(e.Subject); u != nil {
		e.Name = u.Name
		return *u, nil
	}
	if p.users[e.Name] != nil {
		return user{}, fmt.Errorf("%s: %w", e.Name, ErrOtherAccount)
	}
	return user{}, ErrUnknown
}

// LoginBy begins a session for somebody whom the operator's identity provider has let in.
// It adds a user whom the house does not know, with the role that the provider gives. If the
// role changes or ends, all sessions of the user end. An account that has a password, or is
// another person's at the provider, is left alone ([ErrOtherAccount]); a user who is shut out
// here stays so ([ErrBadLogin]).
func (p *Directory) LoginBy(ctx context.Context, e External) (token string, s Session, err error) {
	if e.Subject == "" {
		return "", Session{}, fmt.Errorf("%w: the identity provider names nobody", ErrInvalid)
	}
	u, err := p.bySubject(&e)
	switch {
	case errors.Is(err, ErrUnknown) && e.Role == 0:
		return "", Session{}, ErrBadLogin
	case errors.Is(err, ErrUnknown):
		if err := checkMember(e.Name, e.Role); err != nil {
			return "", Session{}, err
		}
		c := change{Name: e.Name, Role: e.Role, Provider: e.Subject}
		_, err = p.commit(ctx, ChangeRequest{By: theProvider}, userAdded, c,
			func(*change) error {
				if p.accountOf(e.Subject) != nil {
					return ErrOtherAccount // It was added in this very moment, under another name.
				}
				return p.free(e.Name, e.Role, false)
			}, nil)
	case err == nil && e.Role == 0:
		return "", Session{}, p.withoutRole(ctx, &u, e.From)
	case err == nil && e.Role != u.Role:
		_, err = p.commit(ctx, ChangeRequest{By: theProvider}, roleChanged, change{Name: e.Name, Role: e.Role},
			func(c *change) error {
				c.From = p.users[e.Name].Role
				return p.last(p.users[e.Name])
			}, nil)
	}
	if err != nil {
		return "", Session{}, err
	}
	if u, err = p.bySubject(&e); err != nil {
		return "", Session{}, err
	}
	if u.Disabled {
		return "", Session{}, p.failedBy(ctx, &u, e.From, becauseShutOut)
	}
	known, err := newDevice(p.world.Random)
	if err != nil {
		return "", Session{}, err
	}
	token, s, err = p.start(ctx, &u, Credentials{From: e.From, Replaces: e.Replaces}, change{Method: "provider"}, known)
	s.Device = "" // There is no password that could be guessed at it.
	return token, s, err
}

// withoutRole ends the sessions of a user to whom the identity provider gives no role any more,
// once. After that each attempt is recorded as one that failed, so that nobody fills the record
// by signing in.
func (p *Directory) withoutRole(ctx context.Context, u *user, from netip.Addr) error {
	if !u.roleless {
		c := change{Name: u.Name, Because: becauseNoRole}
		if _, err := p.commit(ctx, ChangeRequest{By: theProvider}, sessionsEnded, c, func(*change) error { return nil }, nil); err != nil {
			return errors.Join(ErrBadLogin, err)
		}
	}
	return p.failedBy(ctx, u, from, becauseNoRole)
}
