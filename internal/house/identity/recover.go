package identity

import (
	"context"
	"fmt"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/sentence"
)

// operator is whoever owns the machine, where nobody of the house can help any more.
const operator = "the operator of the machine"

// Recover lets a person in who cannot sign in any more, or adds them. They get a password that
// they change first, no second factor, and the role if one is given. It is for a house that is
// stopped and whose people are all locked out; whoever asks for it owns the machine. Two
// accounts that were recovered within 24 hours depend on one person.
func (p *Directory) Recover(ctx context.Context, name string, role access.Role, password, why string) (User, error) {
	if err := CheckWhy(why); err != nil {
		return User{}, err
	}
	if err := CheckPassword(name, password); err != nil {
		return User{}, err
	}
	hash, err := p.hasher.hash(ctx, operator, password)
	if err != nil {
		return User{}, err
	}
	p.changing.Lock()
	defer p.changing.Unlock()
	p.mu.RLock()
	events, err := p.recovery(name, role, hash, why)
	p.mu.RUnlock()
	if err != nil {
		return User{}, err
	}
	cause, err := causeOf(access.Person{Name: operator, Role: access.Administrator}, recoverAccess, asked{Name: name, Role: role, Why: why})
	if err != nil {
		return User{}, err
	}
	if err := p.append(&house.Transaction{AtMs: p.world.NowMs(), Cause: cause}, events); err != nil {
		return User{}, fmt.Errorf("the recovery was not recorded: %w", err)
	}
	return p.User(name)
}

// recovery returns the events of a recovery. p.mu is held.
func (p *Directory) recovery(name string, role access.Role, hash, why string) (events []house.Event, err error) {
	add := func(kind string, c change) {
		c.Name, c.By, c.Why = name, operator, why
		e, failed := Events.WriteAs(kind, c)
		if failed != nil {
			err = failed
		}
		events = append(events, e)
	}
	u := p.users[name]
	if u == nil {
		if role == 0 {
			return nil, sentence.Errorf("%.70q: %s", name, ErrUnknown)
		}
		if err := checkMember(name, role); err != nil {
			return nil, err
		}
		if err := p.free(name, role, false); err != nil {
			return nil, err
		}
		add(userAdded, change{Role: role, Hash: hash, MustChange: true})
		return events, err
	}
	if role != 0 && role != u.Role {
		if err := checkMember(name, role); err != nil {
			return nil, err
		}
		if err := p.last(u); err != nil {
			return nil, err
		}
		add(roleChanged, change{Role: role, From: u.Role})
	}
	if u.Disabled {
		add(userEnabled, change{})
	}
	if u.factor != nil {
		add(factorRemoved, change{})
	}
	add(passwordSet, change{Hash: hash, MustChange: true})
	return events, err
}
