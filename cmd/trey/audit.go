package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/identity"
	"trey/internal/notary"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// auditCommand audits the record of a house.
type auditCommand struct {
	Config     string   `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	DB         string   `name:"db" type:"path" placeholder:"FILE" help:"The file of the record, or a copy of it, before what the configuration says."`
	Signing    string   `type:"path" placeholder:"FOLDER" help:"The folder of the house's key and of the last checkpoint it signed, before what the configuration says."`
	Checkpoint string   `type:"path" placeholder:"FILE" help:"A checkpoint that was noted earlier, instead of the one in the folder. Give the key that verifies it with --key."`
	Witness    []string `placeholder:"KEY" help:"The key of a witness who must have cosigned the checkpoint, as the witness prints it; may be given several times."`
	Key        string   `placeholder:"KEY" help:"The key that verifies the checkpoint, as the house shows it at /log/key: name, number and key."`
}

// Help is the long help of the command.
func (auditCommand) Help() string {
	return `It reads every transaction of a record, whether a house has it open or not, and checks from the record alone:

    money        every balance, bet, payment and meter, worked out once more
    tree         every transaction is what its leaf commits to; none is missing, added or in another place
    rounds       the leaf that ends a round, and each that corrects it, commits to its record as it follows from the transactions
    checkpoint   the tree goes on from the one that was signed

A checkpoint says what the record was when it was signed. The last one lies in the folder of the house's key; one that you fetched yourself from a house (/log/checkpoint, with its key from /log/key) shows that nothing before it was changed since, whoever owns the house's machine.

Examples:

    $ trey audit --config house.toml
    $ trey audit --db copy.db --signing /etc/trey/signing
    $ trey audit --config house.toml --witness "$(cat witness.pub)"
    $ trey audit --db copy.db --checkpoint noted.txt --key "$(cat house.pub)"

The exit status is 0 if everything holds, 1 if something does not, and 2 if there is nothing to audit.`
}

// Run audits the record.
func (cmd *auditCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	if (cmd.Checkpoint == "") != (cmd.Key == "") {
		return misuse{errors.New("--checkpoint and --key belong together: a checkpoint says nothing without the key that signed it")}
	}
	files, err := recordPlace{Config: cmd.Config, DB: cmd.DB, Signing: cmd.Signing}.find(s)
	if err != nil {
		return err
	}
	path, signing := files.db, files.signing
	if missing(path) {
		return misuse{fmt.Errorf("there is no record at %s: name it with --db", path)}
	}
	// A copy is audited: a house may have the record open, and evidence is not touched.
	folder, err := os.MkdirTemp("", "trey-audit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the system clears it too
	copied := filepath.Join(folder, "copy.db")
	if err := sqlite.Copy(ctx, path, copied); err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return fmt.Errorf("the record cannot be read: %w%s", err, advice(err))
	}
	signed, err := cmd.checkpoint(signing)
	if err != nil {
		return err
	}
	seen, err := cosignatures(signed, cmd.Witness)
	if err != nil {
		return err
	}
	found, err := audit(ctx, copied, signed)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return fmt.Errorf("the record does not hold: %w", err)
	}
	for _, f := range found.findings {
		fmt.Fprintf(s.err, "trey: %s\n", f)
	}
	if len(found.findings) > 0 {
		return errReported
	}
	out := &teller{out: s.out}
	fmt.Fprintf(out, "%s, up to transaction %d: %d rounds.\n", path, found.auditor.Seq(), found.auditor.Rounds())
	fmt.Fprintln(out, "    money        proven: every account holds what follows from what happened")
	fmt.Fprintln(out, "    tree         proven: every transaction is what its leaf commits to, and none is missing")
	fmt.Fprintln(out, "    rounds       proven: the leaf that ends a round commits to the record that follows from its transactions")
	if signed.Size > 0 {
		fmt.Fprintf(out, "    checkpoint   proven: the tree goes on from the one of %d transactions that %s signed\n", signed.Size-1, signed.Name)
	} else {
		fmt.Fprintf(out, "    checkpoint   open: none is in %s; name one with --checkpoint, or the folder with --signing\n", signing)
	}
	for _, line := range seen {
		fmt.Fprintf(out, "    witness      proven: %s\n", line)
	}
	fmt.Fprintf(out, "Its tree is %s: %d leaves, root %s\n", found.name, found.head.Size, found.head.Root)
	return out.err
}

// checkpoint returns what was signed: what is named, or what lies in the folder; none
// where neither is there.
func (cmd *auditCommand) checkpoint(signing string) (notary.Checkpoint, error) {
	if cmd.Checkpoint == "" {
		c, err := notary.LastIn(signing)
		if errors.Is(err, os.ErrNotExist) {
			return notary.Checkpoint{}, nil
		}
		return c, err
	}
	text, err := os.ReadFile(cmd.Checkpoint)
	if err != nil {
		return notary.Checkpoint{}, misuse{err}
	}
	c, err := notary.Read(text, strings.TrimSpace(cmd.Key))
	if err != nil {
		return c, fmt.Errorf("%s: %w", cmd.Checkpoint, err)
	}
	return c, nil
}

// cosignatures says for each witness when it cosigned a checkpoint.
func cosignatures(c notary.Checkpoint, keys []string) (lines []string, err error) {
	for _, key := range keys {
		v, err := tree.ParseCosignatureVerifier(key)
		if err != nil {
			return nil, misuse{fmt.Errorf("--witness %q: %w", key, err)}
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

// audited is what an audit came to.
type audited struct {
	auditor  *auditor.Auditor
	name     string
	head     tree.Head
	findings []error
}

// audit reads a record that no house has open, and leaves nothing beside it. It holds
// it against a checkpoint, if one is given.
func audit(ctx context.Context, path string, signed notary.Checkpoint) (a *audited, err error) {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, store.Close())
		_ = os.Remove(path + ".lock") // it would only be in the way
	}()
	a = &audited{name: tree.Name(store.Origin())}
	head, found, err := auditor.CheckTree(ctx, store)
	if err != nil {
		return nil, err
	}
	a.head = head
	for _, f := range found {
		a.findings = append(a.findings, f)
	}
	if signed.Size > 0 {
		switch err := notary.Continues(ctx, store, signed); {
		case errors.Is(err, notary.ErrNotContinued), errors.Is(err, notary.ErrOtherRecord):
			a.findings = append(a.findings, err)
		case err != nil:
			return nil, err
		}
	}
	if a.auditor, err = auditor.Check(ctx, store); err != nil {
		return nil, err
	}
	for _, f := range a.auditor.Findings() {
		a.findings = append(a.findings, f)
	}
	if found, err = auditor.CheckRounds(ctx, store); err != nil {
		return nil, err
	}
	for _, f := range found {
		a.findings = append(a.findings, f)
	}
	err = store.ReadAll(ctx, 0, identity.Stream, func(e house.Entry) error {
		if err := identity.CheckCause(&e.Cause); err != nil {
			a.findings = append(a.findings, fmt.Errorf("transaction %d: the cause cannot be read: %w", e.Seq, err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}
