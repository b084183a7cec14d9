package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/shuffle"
)

// eraseNameCommand erases the name of a person from a record.
type eraseNameCommand struct {
	Name string `arg:"" help:"The name to erase."`
	closedHouse
}

// Help returns the long help of the command.
func (eraseNameCommand) Help() string {
	return `The record has persons by their numbers, and keeps their names apart. This command removes one name. The record, its tree and every balance stay as they are, and the person is shown by the number, such as #17, from then on. Whoever comes again under the name gets a new number.

Two people of the house agree to it first: an administrator disables the account and proposes erase-name, and somebody else approves it. The person must have no money, no bet in a round, no prize that is held, no exclusion that lasts, and nothing that waits for a second person. The house must be stopped.

Copies and backups that were made before keep the name: delete them, or make them anew. What people typed by hand, such as a reason or a note, stays in the record.

Example:

    $ trey erase-name ann --config house.toml`
}

// Run erases the name.
func (cmd *eraseNameCommand) Run(s *streams) (err error) {
	ctx := context.Background()
	files, err := cmd.find(s)
	if err != nil {
		return err
	}
	store, err := openCurrent(ctx, files)
	if err != nil {
		return fmt.Errorf("the record cannot be opened: %w%s", err, advice(err))
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, store.Close())
		}
	}()
	keys, err := neededKeys(ctx, store, files.sealKeys)
	if err == nil && keys == nil {
		keys, err = sealing.New()
	}
	if err != nil {
		return err
	}
	clock, ring := newClock(), sealing.NewRing(keys)
	// The house and its users are opened to ask them, and change nothing.
	trial := &rehearsal{Store: store, seq: store.Head().Size - 1}
	h, _, err := house.Open(ctx, trial, house.World{
		NowMs: clock.nowMs, NotBefore: func(ms int64) { clock.notBefore(ms) }, Seed: shuffle.Fresh, Sealer: ring, Software: version(),
	})
	if err != nil {
		return fmt.Errorf("the house cannot be opened: %w", err)
	}
	users, err := identity.Open(ctx, identity.World{Record: trial, Sessions: store, NowMs: clock.nowMs, Random: rand.Reader, Sealer: ring})
	if err != nil {
		return fmt.Errorf("the users cannot be read: %w", err)
	}
	erasure, err := users.Erasure(cmd.Name)
	if err != nil {
		return err
	}
	if err := h.CheckErasable(cmd.Name); err != nil {
		return err
	}
	number, err := house.RecordErasure(store, clock.nowMs(), cmd.Name, erasure.By, erasure.And, erasure.Why)
	if err != nil {
		return err
	}
	noted := noteAltered(ctx, files.signing, store)
	// Closing takes the log of the file in, which had the name.
	closed = true
	if err := store.Close(); err != nil {
		return fmt.Errorf("the erasure is recorded, but the file still has parts of the name: run trey audit, which closes it once more: %w", errors.Join(err, noted))
	}
	if noted != nil {
		return noted
	}
	_, err = fmt.Fprintf(s.out, "The name is erased, and the record has #%d for it. Copies of the record that were made before still have the name: delete them, or make them anew.\n", number)
	return err
}
