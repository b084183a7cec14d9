package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trey/internal/durable"
	"trey/internal/notary"
	"trey/internal/store/served"
)

// The files of the folder that an audit of an address keeps beside what it read.
const (
	keptKey        = "house.pub"
	keptCheckpoint = "checkpoint"
	// keptFormer holds the keys of the house before keptKey, a line each. They verify what was
	// signed in their time, and nothing that the house shows now.
	keptFormer = "former"
)

// auditAddress audits the record of a running house over its address.
func (cmd *auditCommand) auditAddress(ctx context.Context, s *streams) error {
	if cmd.TokenFile == "" {
		return usageError{errors.New("a running house gives its record to an auditor: name the file with the token by --token-file")}
	}
	if cmd.Config != "" || cmd.DB != "" || cmd.Archive != "" || cmd.Signing != "" {
		return usageError{errors.New("--at reads the house over its address: leave out --config, --db, --archive and --signing")}
	}
	if len(cmd.Succession) > 0 {
		return usageError{errors.New("--at reads the succession of keys from the house: leave out --succession")}
	}
	if _, err := houseAddress(cmd.At); err != nil {
		return err
	}
	token, err := cmd.token()
	if err != nil {
		return usageError{err}
	}
	key, err := cmd.knownKey()
	if err != nil {
		return err
	}
	record, err := served.Open(ctx, served.Config{
		Address: cmd.At, Token: token, Key: key, Folder: cmd.Kept, Wait: cmd.Wait,
		Waiting: func() { fmt.Fprintln(s.err, "trey: waiting for the rounds in play to end") },
		Away: func(err error) {
			fmt.Fprintf(s.err, "trey: the house cannot be read now, and is asked again for %s: %v\n", cmd.Wait, err)
		},
	})
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, served.ErrRefused):
		return usageError{err}
	case err != nil:
		return fmt.Errorf("the house at %s cannot be audited: %w", cmd.At, err)
	}
	signed := record.Signed()
	seen, err := cosignatures(signed, cmd.Witness)
	if err != nil {
		return err
	}
	former, err := cmd.former()
	if err != nil {
		return err
	}
	keys := slices.Clone(record.Keys())
	for _, line := range former {
		if !slices.Contains(keys, line) {
			keys = append(keys, line)
		}
	}
	earlier, err := cmd.earlier(keys)
	if err != nil {
		return err
	}
	found, err := auditOf(ctx, record, func() error {
		if err := record.Signs(); err != nil || earlier.Size == 0 {
			return err
		}
		return record.Continues(ctx, earlier)
	}, keys)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return fmt.Errorf("the record is corrupt: %w", err)
	}
	if err := found.print(s, cmd.At, signed, "", seen); err != nil {
		return err
	}
	out := &outputWriter{out: s.out}
	if earlier.Size > 0 {
		fmt.Fprintf(out, "    earlier      proven: it goes on from the checkpoint of %d transactions that was noted\n", earlier.Size-1)
	}
	if found.Balanced {
		fmt.Fprintln(out, "    balances     proven: what the house keeps beside its record is what follows from it")
	} else {
		fmt.Fprintln(out, "    balances     open: a round in play covers the last transactions; audit it again, or give it longer with --wait")
	}
	fmt.Fprintf(out, "Signed by %s\n", record.SignedBy())
	if key == "" {
		fmt.Fprintln(out, "The key was learnt from the house itself: compare it with one that you have from elsewhere, or give it with --key.")
	}
	if cmd.Kept != "" && out.err == nil {
		return keepAudit(cmd.Kept, record.SignedBy(), keys, signed)
	}
	return out.err
}

// mostToken is the most bytes that a file with a token has.
const mostToken = 4096

// token reads the token of the auditor.
func (cmd *auditCommand) token() (string, error) {
	text, err := readFile(cmd.TokenFile, "a token", mostToken)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	// No header of a request takes anything else.
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s holds no token: put the token of an auditor into it, on one line, as the house showed it", cmd.TokenFile)
	}
	return token, nil
}

// knownKey returns the key that is named, else the one that was kept, else none.
func (cmd *auditCommand) knownKey() (string, error) {
	if cmd.Key != "" || cmd.Kept == "" {
		return cmd.Key, nil
	}
	text, err := os.ReadFile(filepath.Join(cmd.Kept, keptKey))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// former returns the keys before that one which were kept.
func (cmd *auditCommand) former() ([]string, error) {
	if cmd.Kept == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(cmd.Kept, keptFormer))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return strings.Fields(string(text)), nil
}

// earlier returns the checkpoint from which the house has to go on: the one that is named,
// else the one that was kept, else none.
func (cmd *auditCommand) earlier(keys []string) (notary.Checkpoint, error) {
	path := cmd.Checkpoint
	if path == "" && cmd.Kept != "" {
		path = filepath.Join(cmd.Kept, keptCheckpoint)
	}
	if path == "" {
		return notary.Checkpoint{}, nil
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && cmd.Checkpoint == "":
		return notary.Checkpoint{}, nil
	case err != nil:
		return notary.Checkpoint{}, usageError{err}
	}
	c, err := notary.Read(text, keys...)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// keepAudit keeps the key that signs, the other keys that are known, and the checkpoint of an
// audit that found nothing.
func keepAudit(folder, key string, keys []string, signed notary.Checkpoint) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var former strings.Builder
	for _, line := range keys {
		if line != key {
			former.WriteString(line + "\n")
		}
	}
	if former.Len() > 0 {
		if err := durable.Write(filepath.Join(folder, keptFormer), []byte(former.String()), 0o644); err != nil {
			return err
		}
	}
	if err := durable.Write(filepath.Join(folder, keptKey), []byte(key+"\n"), 0o644); err != nil {
		return err
	}
	return durable.Write(filepath.Join(folder, keptCheckpoint), signed.Note, 0o644)
}
