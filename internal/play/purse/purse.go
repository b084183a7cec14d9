// Package purse keeps the account of the home game in a file, so that it is
// there whole whatever happens: each version is written beside the last, forced
// to the disk, and then takes its place in one step. The logs of rounds are
// written in the same way, and never over another.
//
// A file that cannot be read as an account is never overwritten and never
// lost: it is moved aside, and whoever asked is told where to.
package purse

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"trey/internal/durable"
	"trey/internal/play"
)

// maxBytes bounds what is read as an account: fifty rounds of sixteen boxes are
// far below it.
const maxBytes = 16 << 20

// File is the file of one account. It is for one session.
type File struct {
	path string
	// last is what we read or wrote last, to notice when somebody else writes.
	last []byte
}

// Usual returns the path at which an account is kept unless another is named.
func Usual() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for your balance (%w): name a file with --balance", err)
	}
	return filepath.Join(dir, "trey", "balance.json"), nil
}

// Open returns the file of an account at a path, and the account in it; a new
// account if there is no file yet. A damaged file is moved aside, and the notice
// says so; it is empty otherwise. A file that cannot be read at all, or that a
// newer program wrote, is an error and stays as it is.
func Open(path string) (f *File, a play.Account, notice string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, a, "", fmt.Errorf("balance file: %w", err)
	}
	f = &File{path: path}
	text, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, play.NewAccount(), "", nil
	case err != nil:
		return nil, a, "", fmt.Errorf("your balance cannot be read: %w; name another file with --balance", err)
	}
	a, err = play.DecodeAccount(text)
	if err == nil {
		f.last = text
		return f, a, "", nil
	}
	if errors.Is(err, play.ErrNewer) {
		return nil, a, "", fmt.Errorf("the balance file %s is of a later form (%w): use that program, or name another file with --balance", path, err)
	}
	aside, moveErr := moveAside(path)
	if moveErr != nil {
		return nil, a, "", fmt.Errorf("the balance file %s is damaged (%w) and could not be moved aside (%w): move it yourself, or name another with --balance", path, err, moveErr)
	}
	a = play.NewAccount()
	notice = fmt.Sprintf("The balance file was damaged: %v. It is kept as %s, and you begin again with $%s.", err, aside, a.Balance.Display())
	return f, a, notice, nil
}

// Path is where the account is kept.
func (f *File) Path() string { return f.path }

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("%s is %d bytes long, which no account is", path, info.Size())
	}
	return os.ReadFile(path)
}

// moveAside gives a damaged file a name that nothing has yet.
func moveAside(path string) (string, error) { return rename(path, path+".damaged", "") }

// rename gives a file a name that nothing has yet: name and extension, with a
// number between them if need be.
func rename(path, name, extension string) (string, error) {
	for n := 1; n < 1000; n++ {
		to := name + extension
		if n > 1 {
			to = name + "-" + strconv.Itoa(n) + extension
		}
		// A link fails where a rename would silently replace.
		err := os.Link(path, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			return to, os.Remove(path)
		}
		// Not every file system has links.
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
	return "", fmt.Errorf("there are too many files %s already", filepath.Base(name+extension))
}

// Keep writes the account. When it returns nil, the account is on the disk and
// survives the end of the program; when it returns an error, the file is as it
// was. It refuses to overwrite what another program has written since.
func (f *File) Keep(a play.Account) error {
	text, err := a.Encode()
	if err != nil {
		return err
	}
	if bytes.Equal(text, f.last) {
		return nil
	}
	now, err := read(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("your balance: %w", err)
	}
	if err == nil && !bytes.Equal(now, f.last) {
		return fmt.Errorf("%s was changed by another program since: is trey play running twice? Leave one of them, or give it a file of its own with --balance", f.path)
	}
	if err := write(f.path, text); err != nil {
		return fmt.Errorf("your balance could not be written: %w", err)
	}
	f.last = text
	return nil
}

// write replaces a file in one step, in a folder that is made if need be.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return durable.Write(path, text, 0o600)
}
