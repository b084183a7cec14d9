package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"trey/internal/house"
	"trey/internal/notary"
	"trey/internal/store/sqlite"
)

// backupCommand copies the record of a house that may be open.
type backupCommand struct {
	File   string `arg:"" type:"path" help:"The file to write the copy to. It must not be there yet."`
	Config string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB     string `name:"db" type:"path" placeholder:"FILE" help:"The file of the record, before what the configuration says."`
}

// Help is the long help of the command.
func (backupCommand) Help() string {
	return `It copies the record of a house into another file while the house plays: everything of one moment, and what was acknowledged before you asked is in it. The files of a house that is open are never copied by other means: what was written last lies in a second one, and the two do not belong together a moment later.

Then the copy is audited: every transaction is read, every balance worked out once more from the bets, the hands and the meters, and compared with what the copy says. Only a copy that agrees is kept.

A house opens from a copy as from its record: trey serve --db FILE.

Examples:

    $ trey backup --config house.toml /backup/house-$(date +%F).db
    $ trey backup --db house.db copy.db

The exit status is 0 if there is a copy that agrees, 1 if there is none, and 2 if there is nothing to copy.`
}

// Run copies the record and audits the copy.
func (cmd *backupCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	from, _, err := recordPlace{Config: cmd.Config, DB: cmd.DB}.find(s)
	if err != nil {
		return err
	}
	switch err := sqlite.Copy(ctx, from, cmd.File); {
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, os.ErrNotExist) && missing(from):
		return misuse{fmt.Errorf("there is no record at %s: name it with --db", from)}
	case errors.Is(err, sqlite.ErrThere):
		return misuse{err}
	case err != nil:
		return fmt.Errorf("there is no copy: %w%s", err, advice(err))
	}
	found, err := audit(ctx, cmd.File, notary.Checkpoint{})
	if err == nil && len(found.findings) > 0 {
		for _, f := range found.findings {
			fmt.Fprintf(s.err, "trey: %s\n", f)
		}
		err = fmt.Errorf("%w: what it says does not follow from what happened", house.ErrCorrupt)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return errors.Join(fmt.Errorf("the copy is not kept: %w", err), os.Remove(cmd.File))
	}
	out := &teller{out: s.out}
	fmt.Fprintf(out, "%s holds the record of %s up to transaction %d: %d rounds, and every account agrees.\n", cmd.File, from, found.auditor.Seq(), found.auditor.Rounds())
	return out.err
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}
