package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/plan"
	"trey/internal/notary"
	"trey/internal/store/postgres"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// moveCommand moves a house from a file into a database, or back.
type moveCommand struct {
	From    string `required:"" placeholder:"PLACE" help:"Where the record is: sqlite:FILE or postgres://HOST/NAME."`
	To      string `required:"" placeholder:"PLACE" help:"Where it is moved to: sqlite:FILE or postgres://HOST/NAME. Nothing may be there yet."`
	Config  string `type:"path" placeholder:"FILE" help:"The house.toml of the house, for the folders below."`
	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration. It stays where it is."`
	Archive string `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of a record in a file; overrides the configuration. It is read, and stays as it is."`
	Why     string `required:"" placeholder:"TEXT" help:"The reason, which is recorded."`
}

// Help returns the long help of the command.
func (moveCommand) Help() string {
	return `It moves the record of a house whose machines are all stopped: from a file into a database of PostgreSQL, from there into a file, or from one database into another. The record stays the same: its name, its leaves, their salts and its root, names, idempotency keys and sessions. Nobody has to sign in again, and what was signed is proved as before.

Everything is written and compared first. Then the record that the house leaves gets its last transaction, which says where it went; from then on no house opens from it, and it can still be audited and copied. At last the record at the new place says that the house goes on there.

If it is interrupted, at whatever moment, run it again with the same places: it ends what was begun. In between no house opens from either.

What was archived of a record in a file comes into the database with the rest. The files of the archive stay, and still prove what they hold.

Examples:

    $ trey move --config house.toml --from sqlite:house.db --to postgres://trey@db1/trey --why "three machines"
    $ trey move --signing /etc/trey/signing --from postgres://trey@db1/trey --to sqlite:house.db --why "one machine is enough"

The exit status is 0 if the house has moved, 1 if it has not, and 2 if the arguments are invalid.`
}

// kinds of stores, as the record names them.
const (
	inAFile     = "file"
	inADatabase = "database"
)

// Run moves the house.
func (cmd *moveCommand) Run(s *streams) (err error) {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	m, err := cmd.find(ctx, s)
	if err != nil {
		return err
	}
	if err := m.move(ctx); err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		do := advice(err)
		if errors.Is(err, sqlite.ErrOtherFile) {
			do = "\nIt is left as it is: name the record of the house with --from."
		}
		return fmt.Errorf("the house has not moved yet: %w%s", err, do)
	}
	return m.print(s)
}

// moving is a house on its way.
type moving struct {
	from, to recordFiles
	signing  string
	event    house.Moved // what the house leaves the record with
	name     string
	head     tree.Head // at the new place
}

// find reads where the house is, and where it goes.
func (cmd *moveCommand) find(ctx context.Context, s *streams) (m *moving, err error) {
	p := &plan.Plan{}
	if cmd.Config != "" {
		if p, _, err = readPlan(cmd.Config); err != nil {
			return nil, unusable(s, err)
		}
	}
	if err := identity.CheckWhy(cmd.Why); err != nil {
		return nil, usageError{fmt.Errorf("--why: %w", err)}
	}
	m = &moving{}
	place := func(flag, text, archive string) (recordFiles, error) {
		files, err := recordPlace{DB: strings.TrimPrefix(text, "sqlite:"), Archive: archive}.of(p)
		if err == nil && files.db == "" {
			err = usageError{fmt.Errorf("%s names no place: write sqlite:FILE or postgres://HOST/NAME", flag)}
		}
		return files, err
	}
	if m.from, err = place("--from", cmd.From, cmd.Archive); err != nil {
		return nil, err
	}
	if m.to, err = place("--to", cmd.To, ""); err != nil {
		return nil, err
	}
	from, _ := plan.CheckDatabase(m.from.db)
	to, _ := plan.CheckDatabase(m.to.db)
	switch {
	case !from && !to:
		return nil, usageError{errors.New("both places are files: a house that is closed moves to another file when you rename its own, with the folders beside it")}
	case absent(m.from.db):
		return nil, usageError{fmt.Errorf("there is no record at %s: name it with --from", m.from.db)}
	}
	m.signing = cmp.Or(cmd.Signing, m.from.signing, m.to.signing)
	if m.signing == "" {
		return nil, usageError{errNoSigning}
	}
	if err := namedFolder(cmd.Signing); err != nil {
		return nil, err
	}
	if to {
		m.event.Store = inADatabase
		m.event.Place, err = postgres.Place(ctx, m.to.db)
	} else {
		m.event.Store = inAFile
		m.event.Place, err = filepath.Abs(m.to.db)
	}
	if err != nil {
		return nil, fmt.Errorf("the new place cannot be reached: %w", err)
	}
	m.event.Why = cmd.Why
	return m, nil
}

// movable is a record that can be carried over.
type movable interface {
	recordStore
	Move(ctx context.Context, last *house.Transaction, to func(rows row.Tables, head tree.Head, commit func() error) error) error
}

// openMovable opens a record, also one that the house has left.
func openMovable(ctx context.Context, files recordFiles) (movable, error) {
	if server, _ := plan.CheckDatabase(files.db); server {
		return postgres.Open(ctx, files.db, postgres.Options{})
	}
	return sqlite.OpenWith(ctx, files.db, files.archive)
}

// move moves the house, or ends a move that was interrupted.
func (m *moving) move(ctx context.Context) (err error) {
	source, err := openMovable(ctx, m.from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	at, err := house.FindWhereabouts(ctx, source)
	if err != nil {
		return err
	}
	if at.Moved != nil && (at.Moved.Place != m.event.Place || at.Moved.Store != m.event.Store) {
		return at.Moved.Left()
	}
	// The key signs at both places: without it nothing is begun, and nothing ended.
	if err := keyFollows(m.signing, source, &at); err != nil {
		return err
	}
	if err := notary.HasKey(m.signing, tree.Name(source.Origin())); err != nil {
		return err
	}
	there, err := m.originThere(ctx)
	switch {
	case err != nil:
		return err
	case there == nil:
		if err := m.carry(ctx, source, &at); err != nil {
			return err
		}
	case at.Moved == nil || !bytes.Equal(there, source.Origin()):
		return fmt.Errorf("%s holds the record of %s already: name a place where nothing is", withoutPassword(m.to.db), tree.Name(there))
	}
	return m.arrive(ctx, source)
}

// originThere returns leaf 0 of the record at the new place, nil for none. What an
// interrupted move has left beside a file is removed: nobody else moves the house meanwhile.
func (m *moving) originThere(ctx context.Context) ([]byte, error) {
	if m.event.Store == inADatabase {
		return postgres.Holds(ctx, m.to.db)
	}
	if err := sqlite.RemoveParts(m.to.db); err != nil || missing(m.to.db) {
		return nil, err
	}
	store, err := openMovable(ctx, m.to)
	if err != nil {
		return nil, err
	}
	return store.Origin(), store.Close()
}

// carry writes the record at the new place. The record that the house leaves says so before
// the one at the new place is there: at no moment can a house open from both.
func (m *moving) carry(ctx context.Context, source movable, at *house.Whereabouts) error {
	signed, err := openNotary(ctx, m.signing, source, at)
	if err != nil {
		return err
	}
	var last *house.Transaction
	if at.Moved == nil {
		if last, err = at.Leaving(newClock().nowMs(), m.event); err != nil {
			return err
		}
	}
	afterStep("opened")
	return source.Move(ctx, last, func(rows row.Tables, head tree.Head, commit func() error) error {
		ready := func() error {
			afterStep("written")
			if err := commit(); err != nil {
				return err
			}
			afterStep("left")
			// An older copy of what the house has left is not gone on with from here on.
			if err := signed.SignMoved(); err != nil {
				return err
			}
			afterStep("signed")
			return nil
		}
		if m.event.Store == inADatabase {
			return postgres.FillThen(ctx, m.to.db, rows, head, ready)
		}
		return sqlite.FillThen(ctx, m.to.db, rows, head, ready)
	})
}

// arrive has the house go on at the new place.
func (m *moving) arrive(ctx context.Context, source house.Store) (err error) {
	afterStep("there")
	target, err := openMovable(ctx, m.to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	left := notary.Checkpoint{Name: tree.Name(source.Origin()), Head: source.Head()}
	if err := notary.Continues(ctx, target, left); err != nil {
		return err
	}
	at, err := house.FindWhereabouts(ctx, target)
	if err != nil {
		return err
	}
	switch {
	case at.Moved != nil && target.Head() != source.Head():
		return at.Moved.Left() // it has moved on from there
	case at.Moved != nil:
		tx, err := at.Arriving(newClock().nowMs())
		if err != nil {
			return err
		}
		if done := <-target.Append(tx); done.Err != nil {
			return done.Err
		}
	}
	afterStep("arrived")
	signed, err := openNotary(ctx, m.signing, target, &at)
	if err == nil {
		_, err = signed.Sign()
	}
	m.name, m.head = left.Name, target.Head()
	return err
}

// print prints where the house is now, and what to do.
func (m *moving) print(s *streams) error {
	out := &outputWriter{out: s.out}
	fmt.Fprintf(out, "The house has moved to the %s %s: %d transactions. Its tree is %s, root %s\n", m.event.Store, m.event.Place, m.head.Size-1, m.name, m.head.Root)
	fmt.Fprintf(out, "    Write database = %q into house.toml, and signing = %q.\n", withoutPassword(m.to.db), m.signing)
	fmt.Fprintf(out, "    No house opens from %s any more. Keep it: trey audit reads it, and trey backup copies it.\n", withoutPassword(m.from.db))
	return out.err
}
