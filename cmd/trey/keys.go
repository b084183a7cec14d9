package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/sealing"
	"trey/internal/printable"
)

// keysCommand holds the commands about the keys of a house.
type keysCommand struct {
	Rotate        keysRotateCommand        `cmd:"" help:"Add a new key, which seals from now on; the older ones stay readable."`
	RotateSigning keysRotateSigningCommand `cmd:"" help:"Replace the key that signs for the record of a house that is stopped."`
}

// Help returns the long help of the command.
func (keysCommand) Help() string {
	return `The record of a house keeps the seed of each round that has not ended, sealed with a key that lies in a file of its own: seal_keys in house.toml. Whoever has the record, or a copy of it, and not that file, learns no card early. Another key signs for the record; it lies in a folder: signing in house.toml.

Examples:

    $ trey keys rotate --config house.toml
    $ trey keys rotate-signing --config house.toml`
}

// keysRotateCommand adds a key.
type keysRotateCommand struct {
	Config string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, the demonstration."`
	Keys   string `type:"path" placeholder:"FILE" help:"The file of the keys; overrides the configuration."`
}

// Help returns the long help of the command.
func (keysRotateCommand) Help() string {
	return `It writes a new key in front of the others. A house that is open takes it into use within seconds: rounds in play go on with the key that their seeds are sealed with, and the seeds of rounds to come are sealed with the new one.

The older keys stay in the file. Remove one when no copy of the record from its time is to be opened again; a house that still needs a key refuses to open without it and names it.

Examples:

    $ trey keys rotate --config house.toml

The exit status is 0 if the file has a new key, 1 if it is as it was, and 2 if the arguments or house.toml are invalid.`
}

// Run adds a key to the file.
func (cmd *keysRotateCommand) Run(s *streams) error {
	path := cmd.Keys
	if path == "" {
		files, err := recordPlace{Config: cmd.Config}.look(s)
		if err != nil {
			return err
		}
		path = files.sealKeys
	}
	if missing(path) {
		return fmt.Errorf("there is no file of keys at %s: name it with --keys", path)
	}
	keys, err := readKeys(path)
	if err != nil {
		return err
	}
	if keys, err = keys.Rotated(); err != nil {
		return err
	}
	if err := durable.Write(path, keys.Text(), 0o600); err != nil {
		return fmt.Errorf("the file of keys is as it was: %w", err)
	}
	out := &outputWriter{out: s.out}
	names := keys.Names()
	fmt.Fprintf(out, "%s has a new key, %s, which seals from now on. The others stay readable: %s.\n", printable.Escape(path), names[0], strings.Join(names[1:], ", "))
	return out.err
}

// maxKeysBytes bounds a file of keys: thousands of rotations.
const maxKeysBytes = 1 << 20

// readKeys reads a file of keys, which nobody but its owner may read.
func readKeys(path string) (*sealing.Keys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the seal keys cannot be read: %w", err)
	}
	if info.IsDir() { // whose permissions are to stay
		return nil, fmt.Errorf("the seal keys cannot be read: %s is a directory: name a file in it", path)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others than its owner can read or change the seal keys in %s (%v): chmod 600 %s, and trey keys rotate if somebody may have read them", path, info.Mode().Perm(), path)
	}
	text, err := readFile(path, "a file of seal keys", maxKeysBytes)
	if err != nil {
		return nil, fmt.Errorf("the seal keys cannot be read: %w", err)
	}
	keys, err := sealing.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: put a copy of the file back", path, err)
	}
	return keys, nil
}

// errKeys is wrapped where a house cannot be opened with its file of keys.
var errKeys = errors.New("the seeds of rounds in play cannot be opened")

// openKeys reads the keys of a house, and makes them if the record does not need any yet. It checks
// first what the record needs, so that a new key never takes the place of one that was lost.
func openKeys(ctx context.Context, store house.Store, path string) (keys *sealing.Keys, made bool, err error) {
	if keys, err = neededKeys(ctx, store, path); err != nil || keys != nil {
		return keys, false, err
	}
	if keys, err = sealing.New(); err == nil {
		err = durable.Create(path, keys.Text(), 0o600)
	}
	if err != nil {
		return nil, false, fmt.Errorf("the seal keys cannot be written to %s: %w; name another file in seal_keys or with --keys", path, err)
	}
	return keys, true, nil
}

// neededKeys reads the keys of a house. It returns nil where there is no file of keys and
// the record needs none.
func neededKeys(ctx context.Context, store house.Store, path string) (*sealing.Keys, error) {
	needed, err := house.SealedWith(ctx, store)
	if err != nil {
		return nil, err
	}
	return keysFor(needed, path)
}

// keysFor reads a file of keys, in which those have to be that are needed. It returns nil where
// there is no file and none is needed.
func keysFor(sealed house.SealedKeys, path string) (*sealing.Keys, error) {
	needed := sealed.Names()
	keys, err := readKeys(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(needed) > 0:
		return nil, fmt.Errorf("%w: they are sealed with %s, and there is no file of keys at %s: put it back, or say with --keys where it is", errKeys, keyWords(needed), path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if lacking := without(needed, keys.Names()); len(lacking) > 0 {
		return nil, fmt.Errorf("%w: they are sealed with %s, which is not in %s: put the right file back, or say with --keys where it is", errKeys, keyWords(lacking), path)
	}
	return keys, nil
}

// without lists the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

func keyWords(names []string) string {
	if len(names) == 1 {
		return "the key " + names[0]
	}
	return "the keys " + strings.Join(names, ", ")
}

// keysInterval is the time between two checks of an open house whether its keys were rotated.
const keysInterval = 2 * time.Second

// watchKeys takes keys into use that were rotated under play, until the context ends.
func watchKeys(ctx context.Context, path string, ring *sealing.Ring, log *slog.Logger) {
	ticker := time.NewTicker(keysInterval)
	defer ticker.Stop()
	var seen os.FileInfo
	for {
		info, err := os.Stat(path)
		if err == nil && (seen == nil || !info.ModTime().Equal(seen.ModTime()) || !os.SameFile(info, seen)) {
			seen = info
			switch keys, err := readKeys(path); {
			case err != nil:
				log.Warn("the seal keys on the disk are not taken into use", "why", err)
			case len(without(ring.Keys().Names(), keys.Names())) > 0:
				log.Warn("the seal keys on the disk are not taken into use: keys of this house are missing in the file, and may still be needed",
					"missing", without(ring.Keys().Names(), keys.Names()))
			case keys.Names()[0] != ring.Keys().Names()[0]:
				ring.Set(keys)
				log.Info("a new key seals from now on", "key", keys.Names()[0])
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
