package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
)

// backupCommand copies the record of a house that may be open.
type backupCommand struct {
	File   string `arg:"" type:"path" help:"The file to write the copy to. It must not be there yet."`
	Config string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB     string `name:"db" placeholder:"FILE" help:"The file of the record, or the address of a database; overrides the configuration."`
	Keys   string `type:"path" placeholder:"FILE" help:"The file of the keys that seal seeds; overrides the configuration."`

	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration. Where it is not at hand, nothing is held against what was signed."`
	Archive string `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. It is read, and not copied."`
}

// Help returns the long help of the command.
func (backupCommand) Help() string {
	return `It copies the record of a house into another file while the house plays: everything of one moment, and what was acknowledged before you asked is in it. The files of a house that is open are never copied by other means: what was written last lies in a second one, and the two do not belong together a moment later.

Then the copy is audited: every transaction is read, every balance worked out once more from the bets, the hands and the meters, and compared with what the copy says. At last a house is opened from it, in memory: nothing is added to the copy. Only a copy that agrees, that goes on from what the house signed last, and that a house opens from with the seal keys as they are, is kept, and until then it has another name, FILE with .trey.part at its end.

Beside the copy it writes what the house had signed by then, as FILE.checkpoint, before the copy has its name. Keep it with the copy: trey restore holds the copy against it.

A backup that is killed leaves no copy, but perhaps such files. The next one into the folder names them, and removes those that nobody has written to for 12 hours.

If the record is lost, two people decide to go on from the copy: trey restore. trey serve refuses a copy that is older than what the house signed last. The copy of a record in a database is a file too.

Examples:

    $ trey backup --config house.toml /backup/house-$(date +%F).db
    $ trey backup --db house.db copy.db

The exit status is 0 if there is a copy that a house opens from, 1 if there is none, and 2 if there is nothing to copy.`
}

// Run copies the record and audits the copy.
func (cmd *backupCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Keys: cmd.Keys, Signing: cmd.Signing, Archive: cmd.Archive}.find(s)
	if err != nil {
		return err
	}
	if err := namedFolder(cmd.Signing); err != nil {
		return err
	}
	signed, err := signedLast(files.signing) // before the copy: a house that plays goes on signing
	if err != nil {
		return fmt.Errorf("there is no copy: %w%s", err, advice(err))
	}
	var found *audited
	what, refused := "A house opens from it.", error(nil)
	// The file gets its name when it was audited: what is killed before leaves no copy.
	clearLeft(s, filepath.Dir(cmd.File))
	proved := false
	err = copyOf(ctx, files.db, cmd.File, func(beside string) error {
		afterStep("written")
		found, refused = audit(ctx, beside, files.archive, notary.Checkpoint{}, nil)
		if refused == nil && len(found.findings) > 0 {
			for _, f := range found.findings {
				fmt.Fprintf(s.err, "trey: %s\n", f)
			}
			refused = fmt.Errorf("%w: what it says does not follow from what happened", house.ErrCorrupt)
		}
		if refused == nil {
			refused = opens(ctx, beside, files, signed)
		}
		if errors.Is(refused, house.ErrElsewhere) {
			what, refused = "No house opens from it: "+refused.Error(), nil
		}
		if refused != nil || signed.Size == 0 {
			return refused
		}
		// Its checkpoint comes first: a copy that has its name lacks nothing.
		if err := sqlite.Free(cmd.File); err != nil {
			return err
		}
		if err := durable.Write(cmd.File+checkpointSuffix, signed.Note, 0o644); err != nil {
			return fmt.Errorf("its checkpoint cannot be written: %w", err)
		}
		proved = true
		afterStep("proved")
		return nil
	})
	if err != nil && proved && missing(cmd.File) {
		err = errors.Join(err, os.Remove(cmd.File+checkpointSuffix))
	}
	afterStep("named")
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return errInterrupted
	case refused != nil:
		return fmt.Errorf("the copy is not kept: %w%s", refused, advice(refused))
	case errors.Is(err, os.ErrNotExist) && absent(files.db):
		return usageError{fmt.Errorf("there is no record at %s: name it with --db", files.db)}
	case errors.Is(err, sqlite.ErrThere):
		return usageError{err}
	default:
		return fmt.Errorf("there is no copy: %w%s", err, advice(err))
	}
	out := &outputWriter{out: s.out}
	if signed.Size == 0 {
		what += " Nothing that the house signed was at hand, so the copy was not held against that and has no checkpoint beside it: name the folder of its key with --signing."
	}
	fmt.Fprintf(out, "%s holds the record of %s up to transaction %d: %s, and every account agrees. %s\n", cmd.File, withoutPassword(files.db), found.Seq(), roundsIn(found.Rounds()), what)
	return out.err
}

// leftAfter is the time after which nobody is at work any more with a file that a copy was written
// into. An audit of a copy takes minutes, and another machine may be making it.
const leftAfter = 12 * time.Hour

// clearLeft removes from a folder what backups have left there that were killed, and names what may be
// of one that is being made.
func clearLeft(s *streams, folder string) {
	parts, _ := sqlite.Parts(folder) // of a folder that cannot be read the copy says more
	for _, p := range parts {
		left := []string{p.Path}
		// The checkpoint has its name before its copy.
		signed, err := os.Stat(p.Of + checkpointSuffix)
		if err == nil && !p.Beside && missing(p.Of) && !signed.ModTime().Before(p.Written) {
			left = append(left, p.Of+checkpointSuffix)
		}
		for _, path := range left {
			switch old := time.Since(p.Written) > leftAfter; {
			case old && os.Remove(path) == nil:
				fmt.Fprintf(s.err, "trey: %s is removed: a backup that was killed had left it\n", path)
			case old:
				fmt.Fprintf(s.err, "trey: %s cannot be removed: a backup that was killed has left it, and it may hold what a copy holds, names too: delete it\n", path)
			case !p.Beside:
				fmt.Fprintf(s.err, "trey: %s is of a backup that was killed, or of one that is being made: it is no copy, and may hold what a copy holds, names too; if none is being made, delete it with what lies beside it under its name, or a backup into this folder does that after %d hours\n", path, int(leftAfter.Hours()))
			}
		}
	}
}

// checkpointSuffix ends the name of the file that holds the checkpoint of a copy.
const checkpointSuffix = ".checkpoint"

// checkpointBeside returns the checkpoint that lies beside a copy: what the house had signed when
// the copy was made. The error wraps [fs.ErrNotExist] where there is none.
func checkpointBeside(copied string, keys []string) (notary.Checkpoint, error) {
	path := copied + checkpointSuffix
	text, err := os.ReadFile(path)
	if err != nil {
		return notary.Checkpoint{}, err
	}
	c, err := notary.Read(text, keys...)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// signedLast returns the checkpoint that was signed last, or none where no key is at hand.
func signedLast(folder string) (notary.Checkpoint, error) {
	if folder == "" {
		return notary.Checkpoint{}, nil
	}
	c, err := notary.LastIn(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return c, err
}

// opens reports why no house would open from a record that nobody has open, where this was
// signed of it. The record stays as it is.
func opens(ctx context.Context, path string, files recordFiles, signed notary.Checkpoint) (err error) {
	kept, err := sqlite.OpenWith(ctx, path, files.archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	keys, err := neededKeys(ctx, kept, files.sealKeys)
	if err == nil && keys == nil {
		keys, err = sealing.New()
	}
	if err != nil {
		return fmt.Errorf("no house opens from it: %w", err)
	}
	store := &rehearsal{Store: kept, seq: kept.Head().Size - 1}
	clock, ring := newClock(), sealing.NewRing(keys)
	_, _, err = house.Open(ctx, store, house.World{
		NowMs: clock.nowMs, NotBefore: func(ms int64) { clock.notBefore(ms) }, Seed: shuffle.Fresh, Sealer: ring, Software: version(),
	})
	if err == nil {
		_, err = identity.Open(ctx, identity.World{Record: store, Sessions: kept, NowMs: clock.nowMs, Random: rand.Reader, Sealer: ring})
	}
	if err == nil || errors.Is(err, house.ErrElsewhere) {
		held, failed := leftWith(ctx, kept, files.signing, signed)
		if continues := against(ctx, kept, held); failed == nil && continues != nil {
			failed = continues()
		}
		if failed != nil {
			err = failed
		}
	}
	if err != nil && !errors.Is(err, house.ErrElsewhere) {
		err = fmt.Errorf("no house opens from it: %w", err)
	}
	return err
}

// rehearsal is a record that is read as it is, and to which nothing is added: what a
// house appends while it opens is taken, and forgotten with the house.
type rehearsal struct {
	house.Store
	mu  sync.Mutex
	seq int64
}

// Append takes a transaction and keeps nothing of it.
func (r *rehearsal) Append(*house.Transaction) <-chan house.AppendResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	done := make(chan house.AppendResult, 1)
	done <- house.AppendResult{Seq: r.seq}
	return done
}
