package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/identity"
	"trey/internal/house/proof"
	"trey/internal/notary"
	"trey/internal/store/archive"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// auditCommand audits the record of a house.
type auditCommand struct {
	Config     string   `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB         string   `name:"db" placeholder:"FILE" help:"The file of the record, a copy of it, or the address of a database; overrides the configuration."`
	Signing    string   `type:"path" placeholder:"FOLDER" help:"The folder of the house's key and of the last checkpoint it signed; overrides the configuration."`
	Checkpoint string   `type:"path" aliases:"from" placeholder:"FILE" help:"A checkpoint that was noted earlier, instead of the one in the folder. Give the key that verifies it with --key."`
	Archive    string   `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. Without --config and --db it is audited by itself."`
	Witness    []string `placeholder:"KEY" help:"The key of a witness who must have cosigned the checkpoint, as the witness prints it, or a file with it; may be given several times."`
	Key        string   `placeholder:"KEY" help:"The key that verifies the checkpoint, as the house shows it at /log/key, or a file with it."`

	Succession []string `type:"existingfile" placeholder:"FILE" help:"The notes by which each key of the house named the one after it, from /log/succession: keys that follow from the one of --key are known too. May be given several times."`

	At        string        `placeholder:"URL" help:"The address of a running house, which is audited over its interface."`
	TokenFile string        `type:"path" placeholder:"FILE" help:"The file with the token of an auditor, for --at."`
	Kept      string        `type:"path" placeholder:"FOLDER" help:"A folder of your own that keeps what --at has read, with the key and the last checkpoint: the next audit reads what is new and holds the house to that checkpoint."`
	Wait      time.Duration `default:"10m" help:"How long --at waits for rounds in play to end, and for a house that does not answer."`

	// known are the key of --key and those that follow from it.
	known []string
}

// Help returns the long help of the command.
func (auditCommand) Help() string {
	return `It reads every transaction of a record, whether a house has it open or not, and checks from the record alone:

    money        every balance, bet, payment and meter, worked out once more
    tree         every transaction is what its leaf commits to; none is missing, added or in another place
    rounds       the leaf that ends a round, and each that corrects it, commits to its record as it follows from the transactions; and each record is verified as by trey verify: seed, cards, commands, settlement and money
    checkpoint   the tree goes on from the one that was signed

With --at and the token of an auditor the record of a running house is read over its interface, and the same is proved of it, up to a checkpoint that the house signs then. Rounds in play are read when they have ended. Seeds that are kept for rounds to come and what is secret of users stay in the house; that they are what was recorded is proved all the same.

What was archived of the record (trey archive) is audited with it, or with --archive alone by itself: its accounts are then compared with no balances, for none stand beside it.

A checkpoint says what the record was when it was signed. The last one lies in the folder of the house's key; one that you fetched yourself from a house (/log/checkpoint, with its key from /log/key) shows that nothing before it was changed since, whoever owns the house's machine. If the house has replaced its key since (trey keys rotate-signing), give --succession with what it shows at /log/succession.

Examples:

    $ trey audit --config house.toml
    $ trey audit --db copy.db --signing /etc/trey/signing
    $ trey audit --config house.toml --witness "$(cat witness.pub)"
    $ trey audit --archive /archive/house --key "$(cat house.pub)"
    $ trey audit --db copy.db --checkpoint noted.txt --key "$(cat house.pub)"
    $ trey audit --at https://house.example --token-file token --key "$(cat house.pub)" --checkpoint noted.txt

The exit status is 0 if everything holds, 1 if something does not or cannot be read, and 2 if there is nothing to audit, or a file of the archive is not there: that proves no change.`
}

// Run audits the record.
func (cmd *auditCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	if err := cmd.readKeys(); err != nil {
		return err
	}
	if cmd.At != "" {
		return cmd.auditAddress(ctx, s)
	}
	if cmd.TokenFile != "" || cmd.Kept != "" {
		return usageError{errors.New("--token-file and --kept are for a house at an address: name it with --at")}
	}
	if (cmd.Checkpoint == "") != (cmd.Key == "") && (cmd.Archive == "" || cmd.Key == "") {
		return usageError{errors.New("--checkpoint and --key belong together: a checkpoint says nothing without the key that signed it")}
	}
	if err := namedFolder(cmd.Signing); err != nil {
		return err
	}
	if cmd.Archive != "" && cmd.Config == "" && cmd.DB == "" {
		return cmd.auditArchive(ctx, s)
	}
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Signing: cmd.Signing, Archive: cmd.Archive}.find(s)
	if err != nil {
		return err
	}
	path, signing := files.db, files.signing
	if absent(path) {
		return usageError{fmt.Errorf("there is no record at %s: name it with --db", path)}
	}
	// A copy is audited: a house may have the record open, and evidence is not touched.
	clearAudited()
	folder, err := os.MkdirTemp("", auditFolder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the system clears it too
	copied := filepath.Join(folder, "copy.db")
	// Before the copy: what was signed by then is in it, also while the house goes on.
	signed, err := cmd.checkpoint(signing)
	if err != nil {
		return err
	}
	if err := copyOf(ctx, path, copied, nil); err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return fmt.Errorf("the record cannot be read: %w%s", err, advice(err))
	}
	if cmd.Checkpoint == "" {
		if signed, err = ofLeft(ctx, copied, files.archive, signing, signed); err != nil {
			return notHeld("the record", err)
		}
	}
	seen, err := cosignatures(signed, cmd.Witness)
	if err != nil {
		return err
	}
	keys, err := cmd.keys(signing)
	if err != nil {
		return err
	}
	found, err := audit(ctx, copied, files.archive, signed, keys)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return notHeld("the record", err)
	}
	open := fmt.Sprintf("none is in %s; name one with --checkpoint, or the folder with --signing", cmp.Or(signing, "any folder that is named"))
	return found.print(s, withoutPassword(path), signed, open, seen)
}

// auditFolder begins the names of the folders in which copies are audited.
const auditFolder = "trey-audit-"

// clearAudited removes the copies of records that audits have left which were killed, once nobody can be
// at work with them.
func clearAudited() {
	there, _ := os.ReadDir(os.TempDir()) // where nothing can be read, nothing is made either
	for _, entry := range there {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), auditFolder) {
			continue
		}
		folder := filepath.Join(os.TempDir(), entry.Name())
		files, err := os.ReadDir(folder)
		if err == nil && !slices.ContainsFunc(append(files, entry), inUse) {
			_ = os.RemoveAll(folder) // that of somebody else stays
		}
	}
}

// inUse reports whether somebody may be at work with a file still.
func inUse(entry os.DirEntry) bool {
	info, err := entry.Info()
	return err != nil || time.Since(info.ModTime()) < leftAfter
}

// readKeys reads the keys that are given by files.
func (cmd *auditCommand) readKeys() (err error) {
	if cmd.Key != "" {
		if cmd.Key, err = keyLine(cmd.Key); err != nil {
			return err
		}
		cmd.known = []string{cmd.Key}
		if len(cmd.Succession) > 0 {
			if cmd.known, err = followed(cmd.known, cmd.Succession); err != nil {
				return err
			}
		}
	} else if len(cmd.Succession) > 0 {
		return usageError{errors.New("--succession needs --key: give the key with which the succession starts")}
	}
	for i, given := range cmd.Witness {
		if cmd.Witness[i], err = keyLine(given); err != nil {
			return err
		}
	}
	return nil
}

// ofLeft returns the checkpoint that a record in a file is held against: see [leftWith].
func ofLeft(ctx context.Context, path, archived, signing string, last notary.Checkpoint) (c notary.Checkpoint, err error) {
	store, err := sqlite.OpenWith(ctx, path, archived)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return leftWith(ctx, store, signing, last)
}

// leftWith returns the checkpoint with which a record is compared: the last one that was signed.
// For a record that the house has left, it returns the one that was signed then. A record that says
// that the house has left it, with another number of transactions than the house left one with, is
// held against the last: it is an older copy to which somebody has added that.
func leftWith(ctx context.Context, store house.Store, signing string, last notary.Checkpoint) (notary.Checkpoint, error) {
	head := store.Head()
	if last.Size <= head.Size {
		return last, nil
	}
	if at, err := house.FindWhereabouts(ctx, store); err != nil || at.Moved == nil {
		return last, nil // what cannot be read, the audit finds
	}
	c, err := notary.MovedIn(signing, head.Size)
	if errors.Is(err, os.ErrNotExist) {
		return last, nil
	}
	return c, err
}

// auditArchive audits what was archived of a record by itself.
func (cmd *auditCommand) auditArchive(ctx context.Context, s *streams) error {
	record, err := archive.OpenFolder(ctx, cmd.Archive)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return notHeld("the archive", err)
	}
	defer record.Close() //nolint:errcheck // it is read only
	signed, covers, err := cmd.coveringArchive(record)
	if err != nil {
		return err
	}
	seen, err := cosignatures(signed, cmd.Witness)
	if err != nil {
		return err
	}
	within := signed
	if covers {
		within = notary.Checkpoint{} // it is proved by the header
	}
	keys, err := cmd.keys(cmd.Signing)
	if err != nil {
		return err
	}
	found, err := auditOf(ctx, record, against(ctx, record, within), keys)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return notHeld("the archive", err)
	}
	return found.print(s, cmd.Archive, signed, "give the key of the house with --key, or its folder with --signing", seen)
}

// notHeld returns the error of an audit that could not be completed: what it read is invalid, or it
// could not read on, which proves nothing about the record.
func notHeld(what string, err error) error {
	switch {
	case errors.Is(err, archive.ErrDamaged):
		return err // it names what is corrupt
	case errors.Is(err, house.ErrCorrupt): // whatever else it could not do besides
	case errors.Is(err, archive.ErrMissing):
		return usageError{fmt.Errorf("%s cannot be audited: %w. By itself that is no proof that somebody has changed the record: it was not compared. Look for the file where the archive and its copies are kept, and run this again: then it is found whether each transaction is what was recorded", what, err)}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, sqlite.ErrFull), errors.Is(err, sqlite.ErrUnwritable), errors.Is(err, sqlite.ErrUnopenable), errors.Is(err, sqlite.ErrDisk):
		return fmt.Errorf("%s cannot be audited: %w%s", what, err, advice(err))
	}
	return fmt.Errorf("%s is corrupt: %w", what, err)
}

// coveringArchive returns the checkpoint that an archive is held against: the one that is
// named, else the one in the last file, which covers all of it. Without a key it is none.
func (cmd *auditCommand) coveringArchive(record *archive.Record) (signed notary.Checkpoint, covers bool, err error) {
	if cmd.Checkpoint != "" {
		signed, err = cmd.checkpoint("")
		return signed, false, err
	}
	keys := cmd.known
	if len(keys) == 0 && cmd.Signing != "" {
		if keys, err = notary.KeysIn(cmd.Signing); err != nil {
			return signed, false, usageError{err}
		}
	}
	if len(keys) == 0 {
		return signed, false, nil
	}
	h := record.Last()
	if signed, err = notary.Read([]byte(h.Checkpoint), keys...); err != nil {
		return signed, false, fmt.Errorf("the checkpoint in %s: %w", record.LastPath(), err)
	}
	if name := tree.Name(record.Origin()); signed.Name != name {
		return signed, false, fmt.Errorf("%w: the checkpoint in %s is one of %s, and the archive is %s", notary.ErrOtherRecord, record.LastPath(), signed.Name, name)
	}
	if err := tree.CheckConsistency(h.Growth, signed.Head, record.Head()); err != nil {
		return signed, false, fmt.Errorf("%w: the signed tree in %s does not begin with the transactions of the archive: %w", notary.ErrNotContinued, record.LastPath(), err)
	}
	return signed, true, nil
}

// print prints the result of an audit. open says what to do where there was no checkpoint.
func (found *audited) print(s *streams, path string, signed notary.Checkpoint, open string, seen []string) error {
	for _, f := range found.findings {
		fmt.Fprintf(s.err, "trey: %s\n", f)
	}
	if len(found.findings) > 0 {
		return errReported
	}
	out := &outputWriter{out: s.out}
	fmt.Fprintf(out, "%s, up to transaction %d: %s.\n", path, found.Seq(), roundsIn(found.Rounds()))
	fmt.Fprintln(out, "    money        proven: every account holds what follows from what happened")
	if found.Named {
		fmt.Fprintln(out, "    people       proven: every number has the name that it was given to, or one that was erased")
	}
	fmt.Fprintln(out, "    tree         proven: every transaction is what its leaf commits to, and none is missing")
	fmt.Fprintln(out, "    rounds       proven: the leaf that ends a round commits to the record that follows from its transactions")
	fmt.Fprintf(out, "    records      proven: %d were verified, with their seeds, cards, commands, settlement and money\n", found.Verified)
	if found.Otherwise > 0 {
		fmt.Fprintf(out, "    records      open: in %d this program would decide something otherwise today; trey verify says what\n", found.Otherwise)
	}
	if found.Uncovered > 0 {
		fmt.Fprintf(out, "    commitments  open: no checkpoint is recorded that held those of %s before somebody relied upon them\n", roundsIn(found.Uncovered))
	}
	if found.Covered > 0 {
		fmt.Fprintf(out, "    commitments  proven: a checkpoint of this tree held each of %d before anybody relied upon it\n", found.Covered)
	}
	if found.Earlier {
		fmt.Fprintln(out, "    commitments  open: those made before the record went on from a copy are held by checkpoints of the tree before it")
	}
	if found.Unsigned > 0 {
		fmt.Fprintf(out, "    commitments  open: the checkpoints of %d have no signature of a key that is known here; name the key with --key\n", found.Unsigned)
	}
	switch {
	case signed.Size > found.Head.Size:
		fmt.Fprintf(out, "    checkpoint   proven: the tree of %d transactions that %s signed goes on from it\n", signed.Size-1, signed.Name)
	case signed.Size > 0:
		fmt.Fprintf(out, "    checkpoint   proven: the tree goes on from the one of %d transactions that %s signed\n", signed.Size-1, signed.Name)
	default:
		fmt.Fprintf(out, "    checkpoint   open: %s\n", open)
	}
	for _, line := range seen {
		fmt.Fprintf(out, "    witness      proven: %s\n", line)
	}
	fmt.Fprintf(out, "Its tree is %s: %d leaves, root %s\n", found.name, found.Head.Size, found.Head.Root)
	return out.err
}

// checkpoint returns what was signed: what is named, or what lies in the folder; none
// where neither is there.
func (cmd *auditCommand) checkpoint(signing string) (notary.Checkpoint, error) {
	if cmd.Checkpoint == "" {
		return signedLast(signing)
	}
	text, err := os.ReadFile(cmd.Checkpoint)
	if err != nil {
		return notary.Checkpoint{}, usageError{err}
	}
	c, err := notary.Read(text, cmd.known...)
	if err != nil {
		return c, fmt.Errorf("%s: %w", cmd.Checkpoint, err)
	}
	return c, nil
}

// keys returns the key that is named and those that follow from it, else those in a folder; none
// where there is neither.
func (cmd *auditCommand) keys(folder string) ([]string, error) {
	if cmd.Key != "" {
		return cmd.known, nil
	}
	return keysIn(folder)
}

// keysIn returns the key in a folder and those before it; none where there is none.
func keysIn(folder string) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	keys, err := notary.KeysIn(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return keys, err
}

// cosignatures says for each witness when it cosigned a checkpoint.
func cosignatures(c notary.Checkpoint, keys []string) (lines []string, err error) {
	for _, key := range keys {
		v, err := tree.ParseCosignatureVerifier(key)
		if err != nil {
			return nil, usageError{fmt.Errorf("--witness %q: %w", key, err)}
		}
		opened, err := note.Open(c.Note, note.VerifierList(v))
		if err != nil {
			return nil, fmt.Errorf("the witness %s has not cosigned the checkpoint of %d transactions", v.Name(), max(c.Size-1, 0))
		}
		atS, _ := tree.CosignatureTime(opened.Sigs[0].Base64)
		lines = append(lines, fmt.Sprintf("%s saw it at %s", v.Name(), time.Unix(atS, 0).UTC().Format(time.RFC3339)))
	}
	return lines, nil
}

// audited is the result of an audit.
type audited struct {
	*auditor.Audit
	name     string
	findings []error
}

// audit reads a record that no house has open, with what was archived of it in a folder,
// and leaves nothing beside it. It holds it against a checkpoint, if one is given.
func audit(ctx context.Context, path, archived string, signed notary.Checkpoint, keys []string) (a *audited, err error) {
	store, err := sqlite.OpenWith(ctx, path, archived)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, store.Close())
		_ = os.Remove(path + ".lock") // it would only be in the way
	}()
	return auditOf(ctx, store, against(ctx, store, signed), keys)
}

// auditOf audits a record, wherever it is. continues holds it against a checkpoint; nil where
// there is none. The keys are those that are known of the house.
func auditOf(ctx context.Context, record auditor.Log, continues func() error, keys []string) (*audited, error) {
	houses, err := proof.Houses(keys...)
	if err != nil {
		return nil, usageError{err}
	}
	found, err := auditor.Run(ctx, record, identity.NewChecker(), houses)
	if err != nil {
		return nil, err
	}
	a := &audited{Audit: found, name: tree.Name(record.Origin())}
	if continues != nil {
		switch err := continues(); {
		case errors.Is(err, notary.ErrNotContinued), errors.Is(err, notary.ErrOtherRecord):
			a.findings = append(a.findings, err)
		case err != nil:
			return nil, err
		}
	}
	for _, f := range found.Found {
		a.findings = append(a.findings, f)
	}
	return a, nil
}

// against returns the function that holds a record against a checkpoint, or nil if there is none.
func against(ctx context.Context, record notary.Record, signed notary.Checkpoint) func() error {
	if signed.Size == 0 {
		return nil
	}
	return func() error { return notary.Continues(ctx, record, signed) }
}

// roundsIn says how many rounds there are in a record.
func roundsIn(n int) string { return counted(n, "round", "rounds") }

// counted returns a number of things, in words.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
