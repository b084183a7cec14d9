package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"trey/internal/house"
	"trey/internal/notary"
	"trey/internal/store/archive"
	"trey/internal/store/sqlite"
)

// archiveCommand puts whole months of a record into files of their own.
type archiveCommand struct {
	Before  string `required:"" placeholder:"MONTH" help:"The first month that stays in the record, such as 2026-10: those before it are archived."`
	Config  string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB      string `name:"db" placeholder:"FILE" help:"The file of the record; overrides the configuration."`
	To      string `type:"path" aliases:"archive" placeholder:"FOLDER" help:"The folder of the archive, --archive in other commands and here too; overrides the configuration. Without either, beside the record."`
	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the house's key and of the last checkpoint it signed; overrides the configuration."`

	// now is the clock; nil is that of the machine. Tests set it.
	now func() time.Time
}

// Help returns the long help of the command.
func (archiveCommand) Help() string {
	return `It takes whole months out of a record whose house is closed, into a file for each month. A file is compressed lines of JSON: zstd -dc reads it. The house opens and answers as before: it reads those months from the files. Without one of them it does not open.

A month can be archived 30 days after its end. A month is removed from the record only when its file is on the disk and the tree that the house signed has proved every transaction in it. A month ends up to 255 transactions earlier than the calendar says: those come into the next file. A month with fewer than that may have no file of its own. If the command is interrupted, run it again.

The record keeps its size: the room is used for what comes. A copy that trey backup makes is as small as what it holds.

Examples:

    $ trey archive --config house.toml --before 2026-10
    $ trey archive --db house.db --before 2026-10 --to /archive/house
    $ trey audit --archive /archive/house --key "$(cat house.pub)"

The exit status is 0 if everything before the month is archived, 1 if it is not, and 2 if the arguments are invalid.`
}

// archiveAfter is the time from the end of a month until it can be archived.
const archiveAfter = 30 * 24 * time.Hour

// Run archives the months.
func (cmd *archiveCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	before, err := time.Parse("2006-01", cmd.Before)
	if err != nil {
		return usageError{fmt.Errorf("--before %q is no month: write one such as 2026-10", cmd.Before)}
	}
	now := time.Now
	if cmd.now != nil {
		now = cmd.now
	}
	if from := before.Add(archiveAfter); now().Before(from) {
		return usageError{fmt.Errorf("the month before %s can be archived from %s on: 30 days after its end", cmd.Before, from.Format(time.DateOnly))}
	}
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Signing: cmd.Signing, Archive: cmd.To}.find(s)
	if err != nil {
		return err
	}
	if err := inFile(files.db, "only a record in a file is archived; PostgreSQL has its own ways to keep large tables"); err != nil {
		return err
	}
	if missing(files.db) {
		return usageError{fmt.Errorf("there is no record at %s: name it with --db", files.db)}
	}
	if err := namedFolder(cmd.Signing); err != nil {
		return err
	}
	signed, err := notary.LastIn(files.signing)
	if errors.Is(err, os.ErrNotExist) {
		return usageError{fmt.Errorf("no checkpoint of the record is in %s: name the folder of its key with --signing", files.signing)}
	}
	if err != nil {
		return err
	}
	month, err := cmd.first(ctx, files, signed)
	if err != nil {
		return err
	}
	out := &outputWriter{out: s.out}
	n := 0
	for ; month.Before(before); month = month.AddDate(0, 1, 0) {
		name := month.Format("2006-01") + archive.Ending
		first, last, err := sqlite.Archive(ctx, files.db, sqlite.Archiving{
			Folder: files.archive, Name: name, BeforeMs: month.AddDate(0, 1, 0).UnixMilli(), Signed: signed.Head, Note: signed.Note,
		})
		if err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			return fmt.Errorf("the archive is not complete up to the end of %s: %w%s", month.Format("2006-01"), err, advice(err))
		}
		if last == 0 {
			continue
		}
		n++
		path := filepath.Join(files.archive, name)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s holds transactions %d to %d in %d bytes.\n", path, first, last, info.Size())
	}
	if n == 0 {
		fmt.Fprintf(out, "There is nothing to archive before %s.\n", cmd.Before)
	}
	return out.err
}

// first returns the month of the first transaction that is not archived, of a record that
// continues what was signed.
func (cmd *archiveCommand) first(ctx context.Context, files recordFiles, signed notary.Checkpoint) (month time.Time, err error) {
	store, err := sqlite.OpenWith(ctx, files.db, files.archive)
	if err != nil {
		return month, fmt.Errorf("the record cannot be opened: %w%s", err, advice(err))
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := notLeft(ctx, store); err != nil {
		return month, fmt.Errorf("the record is not archived: %w", err)
	}
	if err := notary.Continues(ctx, store, signed); err != nil {
		return month, fmt.Errorf("the record is not archived: %w%s", err, advice(err))
	}
	enough := errors.New("enough")
	err = store.ReadAll(ctx, store.ArchivedThrough(), "", func(e house.StoredTransaction) error {
		month = time.UnixMilli(e.AtMs).UTC()
		return enough
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC), err
}
