package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
)

// recoverCommand lets somebody into a house whose people are all locked out.
type recoverCommand struct {
	Name string `arg:"" help:"Who is let in, or added."`
	closedHouse
	Role string `placeholder:"ROLE" help:"The role, for somebody whom the house does not know or who has another one."`
	Why  string `required:"" placeholder:"TEXT" help:"The reason, which is recorded."`
}

// Help returns the long help of the command.
func (recoverCommand) Help() string {
	return `In a house, two people set a password for somebody who has lost theirs. Where no two people can do that any more, whoever owns the machine lets one in with this command: with a new password, without a second factor, and in another role if one is named. The house must be stopped.

It asks for the password as trey password does. Its holder changes it at the first sign-in. The record says that the operator of the machine did it and why, and the report of significant events lists it. For 24 hours two accounts that were recovered approve nothing for each other.

Examples:

    $ trey recover ada --config house.toml --why "ada and sam have both left"
    $ trey recover max --role shift-manager --config house.toml --why "the first of two new people"`
}

// Run lets somebody in.
func (cmd *recoverCommand) Run(s *streams) (err error) {
	ctx := context.Background()
	files, err := cmd.find(s)
	if err != nil {
		return err
	}
	var role access.Role
	if cmd.Role != "" {
		if role, err = access.ParseRole(cmd.Role); err != nil {
			return usageError{fmt.Errorf("--role: %w", err)}
		}
	}
	password, err := askPassword(s)
	if err != nil {
		return err
	}
	store, err := openCurrent(ctx, files)
	if err != nil {
		return fmt.Errorf("the record cannot be opened: %w%s", err, advice(err))
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	clock := newClock()
	if err := cmd.notBefore(ctx, store, clock); err != nil {
		return err
	}
	world := identity.World{Record: store, Sessions: store, NowMs: clock.nowMs, Random: rand.Reader}
	if world.Sealer, err = openSealer(files.sealKeys); err != nil {
		return err
	}
	people, err := identity.Open(ctx, world)
	if err != nil {
		return err
	}
	u, err := people.Recover(ctx, cmd.Name, role, password, cmd.Why)
	if errors.Is(err, identity.ErrUnknown) {
		return usageError{fmt.Errorf("%w: to add one, say with --role what they are, such as administrator", err)}
	}
	if err != nil {
		return err
	}
	if err := noteAltered(ctx, files.signing, store); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s, %s, can sign in, and changes the password first.\n", u.Name, u.Role)
	return err
}

// notBefore puts the clock on to the time of the latest change of users.
func (cmd *recoverCommand) notBefore(ctx context.Context, store house.Store, clock *clock) error {
	return store.Read(ctx, identity.Stream, 0, func(r house.StoredEvent) error {
		clock.notBefore(r.AtMs)
		return nil
	})
}

// openSealer returns what opens the second factors of the house, nil where it has no keys.
func openSealer(path string) (identity.Sealer, error) {
	keys, err := readKeys(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return sealing.NewRing(keys), nil
}
