package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/term"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// restoreCommand has a house go on from a copy of its record.
type restoreCommand struct {
	Copy    string `arg:"" help:"The copy to go on from: a file as trey backup made it, or the address of a database that was set up from a backup of its own."`
	Config  string `type:"path" placeholder:"FILE" help:"The house.toml of the house. Its record must not be there: move it away, and keep it."`
	DB      string `name:"db" placeholder:"FILE" help:"The file that becomes the record; overrides the configuration."`
	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration. What lies there is kept beside it."`
	Keys    string `type:"path" placeholder:"FILE" help:"The file of the keys that seal seeds; overrides the configuration."`
	Archive string `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. It stays as it is."`
	By      string `required:"" placeholder:"NAME" help:"Who decides it: an administrator, or a shift manager."`
	And     string `required:"" placeholder:"NAME" help:"Who agrees: the other of the two."`
	Why     string `required:"" placeholder:"TEXT" help:"The reason, which is recorded."`
}

// Help returns the long help of the command.
func (restoreCommand) Help() string {
	return `A record that is lost is gone on from by a copy. What was recorded after the copy was made is not in it, and people have acted on it: so this is recorded as a decision of an administrator and a shift manager, whose passwords are asked for, and a code of an app or a recovery code of each who signs in with a second factor.

The house goes on under a tree of its own, with a new key. Its first leaf names the last checkpoint that is known of the tree before, so everybody sees that transactions are missing, and which. What was signed before stays provable by the old key, which is kept.

    seeds        every seed that is committed to is revealed and replaced
    rounds       a round in play is void where somebody can still bet or decide in it, because
                 its cards may be known; any other ends as its book says of an interruption
    sign-ins     all sessions end, and all tokens of machines are revoked
    proposals    what waits for a second person is declined: it may have been approved since
    the copy     is held against what the house had signed, such as the checkpoint that trey
                 backup wrote beside it: up to where that proves it is said at the end
    passwords    are those of the copy, as are roles, second factors, and the limits and
                 exclusions of players. Whoever was changed since is named, from a file beside
                 the key: change them anew. Whoever was shut out since is shut out again, and
                 cannot be one of the two who decide

Examples:

    $ mv house.db house.db.damaged
    $ mv house.db-wal house.db.damaged-wal
    $ trey restore /backup/house-2026-11-21.db --config house.toml --by ada --and sam --why "the disk failed"

    $ trey restore postgres://trey@db1/trey --config house.toml --db /var/tmp/house.db --by ada --and sam --why "both disks failed"

After a crash house.db-wal has what was written last, and belongs to the record that is moved away; a house that was closed has none.

The record of a house in a database is made in a file too, and the database stays as it is: trey move then takes the house into an empty database.

The exit status is 0 if the house can be opened, 1 if it cannot go on from the copy, and 2 if the arguments are invalid.`
}

// Run makes a record of the copy.
func (cmd *restoreCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Signing: cmd.Signing, Keys: cmd.Keys, Archive: cmd.Archive}.find(s)
	if err != nil {
		return err
	}
	if err := inFile(files.db, "the record of a house that goes on from a copy is made in a file, and trey move takes it into an empty database after that: name the file with --db, and with --archive where its archive is"); err != nil {
		return err
	}
	switch {
	case cmd.Config == "" && cmd.DB == "":
		return usageError{errors.New("which house goes on? Name its configuration with --config, or its record with --db")}
	case !missing(files.db):
		return usageError{fmt.Errorf("%s is there: a house goes on from its own record if it can; if it cannot, move that away, and keep it", files.db)}
	case absent(cmd.Copy):
		return usageError{fmt.Errorf("there is no copy at %s: name one that trey backup made", cmd.Copy)}
	}
	if err := sqlite.Free(files.db); err != nil {
		return usageError{err}
	}
	if err := lostKey(files.signing); err != nil {
		return err
	}
	if err := identity.CheckWhy(cmd.Why); err != nil {
		return usageError{fmt.Errorf("--why: %w", err)}
	}
	asked := newAsker(s)
	passwords, err := asked.passwords(cmd.By, cmd.And)
	if err != nil {
		return err
	}
	r := &restoring{asked: asked, recordFiles: files, unfinished: files.db + ".unfinished", newDB: files.db + ".restoring", newSigning: files.signing + ".restoring"}
	if cmd.Config != "" {
		p, _, err := readPlan(cmd.Config)
		if err != nil {
			return unusable(s, err)
		}
		r.secondFactor = p.SecondFactor
	}
	if err := r.takeBack(ctx); err != nil {
		return err
	}
	defer r.clear()
	if err := r.make(ctx, cmd, passwords); err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return fmt.Errorf("the house cannot go on from %s: %w%s", withoutPassword(cmd.Copy), err, copyAdvice(err))
	}
	if err := r.put(); err != nil {
		return err
	}
	return r.print(s)
}

// lostKey refuses a folder without a key, such as that of a disk which is not there at the moment: a
// house that has lost its key has no folder either.
func lostKey(signing string) error {
	if missing(signing) {
		return nil
	}
	if err := namedFolder(signing); err != nil {
		return err
	}
	if _, err := notary.KeyIn(signing); errors.Is(err, fs.ErrNotExist) && errors.Is(notary.HasKey(signing, ""), notary.ErrNoKey) {
		return usageError{fmt.Errorf("%s holds no key: name the folder of the house's key with --signing; if the key is lost, move %s away: the house then goes on with a new one, and nothing says which transactions the copy lacks", signing, signing)}
	}
	return nil
}

// copyAdvice says what to do where a copy is of no use.
func copyAdvice(err error) string {
	switch {
	case errors.Is(err, sqlite.ErrOtherFile):
		return "\nIt is left as it is: name a copy that trey backup made."
	case errors.Is(err, house.ErrCorrupt):
		return "\nNothing was changed. Keep the copy as it is for whoever finds out why, and go on from another one."
	}
	return advice(err)
}

// restoring is a record on its way to become that of a house.
type restoring struct {
	recordFiles
	// unfinished is where the record is made, and newDB where it lies when all of it is: from then on
	// it is put in its place. newSigning is the folder of its key until then.
	unfinished, newDB, newSigning string

	asked *asker
	// secondFactor are the roles that sign in with a second factor, by the configuration.
	secondFactor []access.Role
	event        house.Restored
	// proven is the last transaction of the copy up to which it is as the house signed it, zero
	// where nothing that was signed proves any of it.
	proven int64
	// confirmed are the two people, with what they have shown.
	confirmed [2]identity.Confirmed
	name      string // of the new tree
	kept      string // where the key of the tree before is kept
	// revoked are tokens, and declined what waited for a second person.
	revoked, declined int
	stops             []house.Interruption
	// left are rounds that could not be ended.
	left []house.Interruption
	// since are the people of whom the copy has something as it was before, and unknown is why
	// they are not known; shutOut are those of them who were shut out again, by number.
	since   []alteredPerson
	unknown error
	shutOut map[string]bool
}

// clear takes away what is left of one that did not become a record.
func (r *restoring) clear() {
	for _, end := range []string{"", "-wal", "-shm", ".lock"} {
		_ = os.Remove(r.unfinished + end)
		_ = os.Remove(r.newDB + end)
	}
	_ = sqlite.RemoveParts(r.unfinished)
	_ = os.RemoveAll(r.newSigning)
}

// make makes the record and its key beside their places.
func (r *restoring) make(ctx context.Context, cmd *restoreCommand, passwords [2]string) error {
	r.clear()
	if err := copyOf(ctx, cmd.Copy, r.unfinished, nil); err != nil {
		return err
	}
	keys, err := keysIn(r.signing)
	if err != nil {
		return err
	}
	afterStep("copied")
	found, err := audit(ctx, r.unfinished, r.archive, notary.Checkpoint{}, keys)
	if err != nil {
		return err
	}
	if len(found.findings) > 0 {
		return fmt.Errorf("it is corrupt: %w", errors.Join(found.findings...))
	}
	r.event = house.Restored{Why: cmd.Why, Name: found.name, Through: found.Head.Size - 1}
	known, err := notary.LastIn(r.signing)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := notary.HasKey(r.signing, found.name); err != nil && !errors.Is(err, notary.ErrNoKey) {
			return err
		}
	case err != nil:
		return err
	case known.Name != found.name:
		err := fmt.Errorf("it is a copy of %s, and the key in %s is that of %s", found.name, r.signing, known.Name)
		if kept := r.keptAs(found.name); !missing(kept) {
			err = fmt.Errorf("%w: the house has gone on from a copy already, and %s has the key of the record before that; to go on from this copy all the same, move %s away, keep it, and put %s in its place: what was recorded under that key is lacking then", err, kept, r.signing, kept)
		} else {
			err = fmt.Errorf("%w: name a copy of this house, or the folder of the key of that one with --signing", err)
		}
		return err
	case known.Size <= found.Head.Size:
		return errors.New("it holds everything that was signed: put it in the place of the record, with the key that is there, and open the house")
	default:
		r.event.Known, r.event.Checkpoint = known.Size-1, string(known.Note)
	}
	if kept := r.keptAs(found.name); !missing(kept) && !missing(r.signing) {
		return fmt.Errorf("the key in %s is to be kept as %s, and that is there: if it is a copy of the same folder, move it away, and keep it", r.signing, kept)
	}
	if err := r.prove(ctx, cmd.Copy, found, keys); err != nil {
		return err
	}
	if err := r.confirm(ctx, cmd, passwords); err != nil {
		return err
	}
	continues := r.event.Checkpoint
	if continues == "" {
		continues = fmt.Sprintf("%s\n%d\n%s\n", found.name, found.Head.Size, found.Head.Root)
	}
	if err := sqlite.Restart(ctx, r.unfinished, r.archive, continues); err != nil {
		return err
	}
	afterStep("begun")
	return r.goOn(ctx)
}

// prove holds the copy against what the house signed before it was made: the checkpoint that trey
// backup wrote beside it, and the one that a witness has cosigned. Whoever has the copy in hand can
// have changed it from there on, with a tree that fits.
func (r *restoring) prove(ctx context.Context, copied string, found *audited, keys []string) (err error) {
	store, err := sqlite.OpenWith(ctx, r.unfinished, r.archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	signed := found.Signed
	take := func(c notary.Checkpoint, err error) error {
		var unknown *note.UnverifiedNoteError
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.As(err, &unknown): // none, or by a key from before a rotation
			return nil
		case err == nil:
			err = notary.Continues(ctx, store, c)
		}
		if err == nil {
			signed = max(signed, c.Size)
		}
		return err
	}
	if err := take(checkpointBeside(copied, keys)); err != nil {
		return err
	}
	if c, err := notary.WitnessedIn(r.signing); err != nil || c.Size <= found.Head.Size { // a later one is of what the copy lacks
		if err := take(c, err); err != nil {
			return err
		}
	}
	r.proven = max(0, signed-1)
	return nil
}

// confirm has both people confirmed by their passwords and second factors in the copy.
func (r *restoring) confirm(ctx context.Context, cmd *restoreCommand, passwords [2]string) (err error) {
	store, err := sqlite.OpenWith(ctx, r.unfinished, r.archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	keys, _, err := openKeys(ctx, store, r.sealKeys)
	if err != nil {
		return err
	}
	people, err := identity.Open(ctx, identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader, Sealer: sealing.NewRing(keys), SecondFactor: r.secondFactor})
	if err != nil {
		return err
	}
	if altered, err := alteredIn(r.signing); err != nil {
		r.unknown = err
	} else {
		r.since = altered.since(r.event.Through, store.Directory())
	}
	for i, name := range []string{cmd.By, cmd.And} {
		if err := r.mayDecide(name); err != nil {
			return err
		}
		u, err := people.Confirm(ctx, name, passwords[i], func() (string, error) { return r.asked.code(name) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.confirmed[i] = u
		person := access.Person{Name: u.Name, Role: u.Role}
		if i == 0 {
			r.event.By = person
		} else {
			r.event.And = person
		}
	}
	if err := r.event.Check(); err != nil {
		return err
	}
	return people.Independent(r.event.By, 0, r.event.And)
}

// mayDecide refuses, as one of the two who decide, whom the copy gives a role that was taken away.
func (r *restoring) mayDecide(name string) error {
	for i := range r.since {
		p := &r.since[i]
		if p.name == name && max(p.ShutOut, p.Role, p.Erased) > r.event.Through {
			return fmt.Errorf("%s was %s after the copy was made: somebody else has to decide", name, p.words(r.event.Through))
		}
	}
	return nil
}

// alter repeats, as far as possible, what happened to accounts after the copy was made. It shuts
// out those that were shut out since, and records for the others that their sessions have ended.
func (r *restoring) alter(ctx context.Context, people *identity.Directory, by access.Person) error {
	r.shutOut = map[string]bool{}
	order := identity.ChangeRequest{By: by, Why: r.event.Why}
	for i := range r.since {
		p := &r.since[i]
		user, err := people.User(p.name)
		if errors.Is(err, identity.ErrUnknown) {
			continue
		}
		if err == nil && p.ShutOut > r.event.Through && !user.Disabled {
			_, err = people.Disable(ctx, order, p.name)
			r.shutOut[p.number] = true
		} else if err == nil && max(p.Account, p.Role) > r.event.Through {
			err = people.EndSessions(ctx, order, p.name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// goOn opens the house from the new record, and records what it goes on from.
func (r *restoring) goOn(ctx context.Context) (err error) {
	store, err := sqlite.OpenWith(ctx, r.unfinished, r.archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r.name = tree.Name(store.Origin())
	signed, err := notary.Begin(r.newSigning, store)
	if err != nil {
		return err
	}
	keys, _, err := openKeys(ctx, store, r.sealKeys)
	if err != nil {
		return err
	}
	clock := newClock()
	h, stops, err := house.Open(ctx, store, house.World{
		NowMs: clock.nowMs, NotBefore: func(ms int64) { clock.notBefore(ms) }, Sealer: sealing.NewRing(keys), Seed: shuffle.Fresh, Software: version(),
		EvenIfMoved: true, // two people have decided to go on from it
	})
	if err != nil {
		return err
	}
	r.stops = stops
	r.declined = len(h.Proposals())
	if r.left, err = h.Restore(ctx, r.event); err != nil {
		return err
	}
	people, err := identity.Open(ctx, identity.World{Record: store, Sessions: store, NowMs: clock.nowMs, Random: rand.Reader, Sealer: sealing.NewRing(keys)})
	if err != nil {
		return err
	}
	for i := range r.confirmed {
		if err := people.NoteConfirmed(ctx, r.confirmed[i]); err != nil {
			return err
		}
	}
	by := r.event.By
	if by.Role != access.Administrator {
		by = r.event.And
	}
	for _, asked := range people.Changes() {
		if err := people.DeclineChange(ctx, identity.ChangeRequest{By: by, Why: r.event.Why}, asked.ID); err != nil {
			return err
		}
		r.declined++
	}
	for _, t := range people.Tokens() {
		if t.Revoked {
			continue
		}
		if _, err := people.RevokeToken(ctx, identity.ChangeRequest{By: by, Why: r.event.Why}, t.ID); err != nil {
			return err
		}
		r.revoked++
	}
	if err := r.alter(ctx, people, by); err != nil {
		return err
	}
	_, err = signed.Sign()
	return err
}

// keptAs returns where the key of a tree is kept.
func (r *restoring) keptAs(name string) string {
	return r.signing + ".of-" + strings.TrimPrefix(name, "trey-house/")
}

// takeBack undoes what was done by a [restoring.put] that was cut short, so that everything begins
// anew, with what the key of the tree before knows of it. Only then the record lies beside its
// place, and its key in its own.
func (r *restoring) takeBack(ctx context.Context) error {
	if missing(r.newDB) {
		return nil
	}
	store, err := sqlite.OpenWith(ctx, r.newDB, r.archive)
	if err != nil {
		return nil //nolint:nilerr // it was not finished, and nothing was put in its place
	}
	origin := store.Origin()
	if err := store.Close(); err != nil {
		return err
	}
	if !tree.Continues(origin) {
		return nil // it is a copy still, and the key in its place is that of the copy
	}
	if !missing(r.signing) {
		if !missing(r.newSigning) || notary.HasKey(r.signing, tree.Name(origin)) != nil {
			return nil
		}
		if err := os.Rename(r.signing, r.newSigning); err != nil {
			return err
		}
	}
	if kept := r.keptAs(tree.Continued(origin)); !missing(kept) {
		if err := os.Rename(kept, r.signing); err != nil {
			return err
		}
	}
	return durable.SyncFolder(filepath.Dir(r.signing))
}

// put puts the record and its key in their places, for good. The key comes first: a
// record without it is not gone on with.
func (r *restoring) put() error {
	// While the record is not finished, nothing that lies in its place is touched, nor taken back.
	if err := os.Rename(r.unfinished, r.newDB); err != nil {
		return err
	}
	if err := durable.SyncFolder(filepath.Dir(r.newDB)); err != nil {
		return err
	}
	afterStep("finished")
	if !missing(r.signing) {
		r.kept = r.keptAs(r.event.Name)
		if err := os.Rename(r.signing, r.kept); err != nil {
			return fmt.Errorf("keep the key of the tree before: %w", err)
		}
	}
	afterStep("kept")
	if err := os.Rename(r.newSigning, r.signing); err != nil {
		return err
	}
	afterStep("signing")
	if err := durable.SyncFolder(filepath.Dir(r.signing)); err != nil {
		return err
	}
	if err := os.Rename(r.newDB, r.db); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(r.db))
}

// print prints what the house goes on from, and what it lacks.
func (r *restoring) print(s *streams) error {
	out := &outputWriter{out: s.out}
	e := &r.event
	fmt.Fprintf(out, "%s goes on from transaction %d of %s, as %s.\n", r.db, e.Through, e.Name, r.name)
	if e.Known > 0 {
		fmt.Fprintf(out, "    Transactions %d to %d of it were signed and are not in the copy: tell the people who got answers in them.\n", e.Through+1, e.Known)
		fmt.Fprintln(out, "    If the house did not stop by itself, answers of its last second or two may be lost too: they were not signed yet.")
	} else {
		fmt.Fprintln(out, "    How many transactions of it are not in the copy is not known: no checkpoint of it was found.")
	}
	switch {
	case r.proven >= e.Through:
		fmt.Fprintln(out, "    The copy is what the house had signed, up to its last transaction.")
	case r.proven > 0:
		fmt.Fprintf(out, "    The copy is what the house had signed up to transaction %d. Nothing proves that nobody has changed those from %d to %d: look at them before players come in.\n", r.proven, r.proven+1, e.Through)
	default:
		fmt.Fprintln(out, "    Nothing that the house had signed proves the copy: whoever had it in hand can have changed it. Look at it before players come in.")
	}
	for _, stop := range r.stops {
		fmt.Fprintf(out, "    Table %s: round %d was interrupted; %s.\n", stop.Table, stop.Round, stop.Outcome)
	}
	for _, at := range r.left {
		fmt.Fprintf(out, "    Table %s: round %d goes on, and its cards may be known already: %v. Have it be void before players come in.\n", at.Table, at.Round, at.Refused)
	}
	fmt.Fprintf(out, "    All sessions have ended, %s revoked, and %s declined: what was asked for may have been approved since.\n",
		counted(r.revoked, "token of a machine is", "tokens of machines are"), counted(r.declined, "proposal is", "proposals are"))
	r.printAltered(out)
	if r.kept != "" {
		fmt.Fprintf(out, "    The key of the tree before is kept in %s: what it signed is proved by it.\n", r.kept)
	}
	return out.err
}

// printAltered names those of whom the copy has something as it was before.
func (r *restoring) printAltered(out io.Writer) {
	fmt.Fprint(out, "    Users, passwords, second factors and roles, and the limits and exclusions of players, are those of the copy. ")
	switch {
	case r.unknown != nil:
		fmt.Fprintf(out, "Users and players who were changed after it are not known, because %s: find out who they are, and make these changes again before players come in.\n", whyNoAlterations(r.unknown))
		return
	case len(r.since) == 0:
		fmt.Fprintln(out, "Nobody was changed after it.")
		return
	}
	fmt.Fprintln(out, "These were changed after it: make the changes again before players come in.")
	for i := range r.since {
		p := &r.since[i]
		name := p.number + ", whose name the copy does not have"
		if p.name != p.number {
			name = fmt.Sprintf("%s (%s)", p.name, p.number)
		}
		fmt.Fprintf(out, "        %s: %s.", name, p.words(r.event.Through))
		if r.shutOut[p.number] {
			fmt.Fprint(out, " Shut out again.")
		}
		if p.Erased > r.event.Through && p.name != p.number {
			fmt.Fprint(out, " Erase the name again with trey erase-name.")
		}
		fmt.Fprintln(out)
	}
}

// asker asks people for what shows that it is they: at a terminal, which does not show it,
// or a line each from the standard input.
type asker struct {
	out      io.Writer
	terminal *os.File // nil for none
	lines    *bufio.Scanner
}

func newAsker(s *streams) *asker {
	a := &asker{out: s.rawErr}
	if in, isFile := s.in.(*os.File); isFile && isTerminal(in) {
		a.terminal = in
	} else {
		a.lines = bufio.NewScanner(s.in)
	}
	return a
}

// line reads one answer; there reports whether there was one.
func (a *asker) line(question string) (text string, there bool, err error) {
	if a.terminal == nil {
		there = a.lines.Scan()
		return a.lines.Text(), there, a.lines.Err()
	}
	fmt.Fprint(a.out, question, ": ")
	read, err := term.ReadPassword(int(a.terminal.Fd()))
	fmt.Fprintln(a.out)
	if err != nil {
		return "", false, fmt.Errorf("read what was typed: %w", err)
	}
	return string(read), true, nil
}

// passwords asks two people for their passwords.
func (a *asker) passwords(first, second string) (passwords [2]string, err error) {
	for i, name := range []string{first, second} {
		there := false
		if passwords[i], there, err = a.line("Password of " + name); err != nil {
			return passwords, err
		}
		if !there {
			return passwords, usageError{errors.New("two passwords are needed, a line each on the standard input: that of --by, then that of --and; after them, in the same order, a code of each who signs in with a second factor")}
		}
	}
	return passwords, nil
}

// code asks somebody for a code: when it is needed, because it is good for a minute.
func (a *asker) code(name string) (string, error) {
	text, there, err := a.line("Code of the app of " + name + ", or a recovery code")
	if err == nil && !there {
		err = errors.New("a second factor is needed: a code of the app or a recovery code, on a line of its own after both passwords")
	}
	return text, err
}
