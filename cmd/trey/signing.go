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
	"trey/internal/printable"
	"trey/internal/tree"
)

// keysRotateSigningCommand replaces the key that signs for a record.
type keysRotateSigningCommand struct {
	Config  string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB      string `name:"db" placeholder:"FILE" help:"The file of the record, or the address of a database; overrides the configuration."`
	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration."`
	Archive string `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. It is read, and stays as it is."`
}

// Help returns the long help of the command.
func (keysRotateSigningCommand) Help() string {
	return `It replaces the key that signs checkpoints of the record, in the folder that signing in house.toml names. The house must be stopped, on all its machines. The record is held against what was signed last, and nothing is changed if it does not go on from that.

The key before signs what is recorded by then, and a note that names the new key; then it is gone. The record says that the new key signs from there on, and the report of significant events lists it. What the key before signed stays provable by it: the line that verifies it stays in the folder.

Then give the new key to whoever verifies: the witnesses of the house add it to their file houses, and auditors follow it by the note that the house shows at /log/succession. Copy the folder to the other machines of the house: one with the key before signs nothing.

If the command is interrupted, run it again. If somebody may have copied the key before, they can still sign with it: tell everybody who has it, and docs/house.md says what else to do.

Examples:

    $ trey keys rotate-signing --config house.toml
    $ trey keys rotate-signing --db house.db --signing /etc/trey/signing

The exit status is 0 if the new key signs, 1 if it does not yet, and 2 if the arguments or house.toml are invalid.`
}

// Run replaces the key.
func (cmd *keysRotateSigningCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Signing: cmd.Signing, Archive: cmd.Archive}.find(s)
	switch {
	case err != nil:
		return err
	case absent(files.db):
		return usageError{fmt.Errorf("there is no record at %s: name it with --db", files.db)}
	case files.signing == "":
		return usageError{errors.New("the key that signs for a record in a database has a folder: name it with --signing")}
	}
	if err := namedFolder(cmd.Signing); err != nil {
		return err
	}
	before, key, err := rotateSigning(ctx, files)
	if err != nil && key != "" {
		return fmt.Errorf("the new key is in %s, and the record does not name it yet: it does when the house is opened with that folder: %w%s", files.signing, err, advice(err))
	}
	if err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return fmt.Errorf("the key that signs is not replaced: %w%s", err, advice(err))
	}
	out := &outputWriter{out: s.out}
	fmt.Fprintf(out, "A new key signs for the record, in %s.\n", printable.Escape(files.signing))
	fmt.Fprintf(out, "    Key     %s\n", key)
	fmt.Fprintf(out, "    Before  %s\n", before)
	fmt.Fprintln(out, "    Copy the folder to the other machines of the house, and give the new key to its witnesses.")
	return out.err
}

// rotateSigning replaces the key that signs for the record of a house that is stopped, and returns
// the lines that verify what the key before and the new one sign.
func rotateSigning(ctx context.Context, files recordFiles) (before, key string, err error) {
	store, err := openFor(ctx, files)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	// No key is made here: a house makes its first one when it is opened.
	if err := notary.HasKey(files.signing, tree.Name(store.Origin())); err != nil {
		return "", "", err
	}
	at, err := house.FindWhereabouts(ctx, store)
	if err != nil {
		return "", "", err
	}
	signed, err := openNotary(ctx, files.signing, store, &at)
	if err != nil {
		return "", "", err
	}
	signed.BeforeKept(keepAltered(ctx, files.signing, store))
	afterStep("opened")
	if _, err := signed.Sign(); err != nil {
		return "", "", err
	}
	before = signed.Verifier()
	afterStep("signed")
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	ctx = context.WithoutCancel(ctx) // from here on it is ended
	if key, err = notary.Rotate(files.signing); err != nil {
		return "", "", err
	}
	afterStep("replaced")
	if signed, err = openNotary(ctx, files.signing, store, &at); err != nil {
		return before, key, err
	}
	signed.BeforeKept(keepAltered(ctx, files.signing, store))
	if err := noteSigningKey(files.signing, store, &at, signed); err != nil {
		return before, key, err
	}
	afterStep("recorded")
	_, err = signed.Sign()
	return before, key, err
}

// openNotary returns the notary of a record, with the key in a folder. An error wraps
// [notary.ErrReplaced] where the record says that another key signs: see also [notary.Open].
func openNotary(ctx context.Context, folder string, store house.Store, at *house.Whereabouts) (*notary.Notary, error) {
	// Before the notary is there, which may sign.
	if err := keyFollows(folder, store, at); err != nil {
		return nil, err
	}
	return notary.Open(ctx, folder, store)
}

// keyFollows refuses the key in a folder where the record says that another one signs. A folder
// without a key it leaves to the notary.
func keyFollows(folder string, store house.Store, at *house.Whereabouts) error {
	if at.SigningKey == "" {
		return nil
	}
	err := notary.HasKey(folder, tree.Name(store.Origin()))
	if errors.Is(err, notary.ErrNoKey) {
		return nil
	}
	if err == nil {
		_, err = notary.Follows(folder, at.SigningKey)
	}
	return err
}

// noteSigningKey records which key signs, if the record does not say so yet and the key is not the
// first one: a rotation was interrupted after the key was replaced.
func noteSigningKey(folder string, store house.Store, at *house.Whereabouts, signed *notary.Notary) (err error) {
	before := at.SigningKey
	if before == "" {
		if before, err = notary.Predecessor(folder); err != nil || before == "" {
			return err
		}
	}
	if later, err := notary.Follows(folder, before); err != nil || !later {
		return err
	}
	tx, err := at.Replacing(newClock().nowMs(), house.SigningKeyReplaced{Key: signed.Verifier(), Before: before})
	if err != nil {
		return err
	}
	return (<-store.Append(tx)).Err
}
