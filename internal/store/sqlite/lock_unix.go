//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// lockByte is the byte of the record on which a house holds its lock: the first
// behind those on which SQLite holds its own. A lock on a byte changes nothing in the
// file, and no byte has to be there.
const lockByte = 0x40000000 + 512

// lock is the hold of this process on a record. It lies on the file of the record
// itself, whatever its name: a file beside the record could be removed.
type lock struct{ file *os.File }

// held are the records that this process holds. A second handle on one of them must
// not be closed before the first, because the system then drops all locks of the
// process on that file, also those of SQLite; so it is not opened at all.
var held struct {
	sync.Mutex
	files []os.FileInfo
}

// hold takes the record for this process, and makes the file where there is none, for
// its owner alone: it holds the hashes of passwords and what everybody has played.
// SQLite gives the files beside it the same permissions. The lock ends with the
// process, however it ends.
func hold(path string) (*lock, error) {
	held.Lock()
	defer held.Unlock()
	if found, err := os.Stat(path); err == nil && heldAt(found) >= 0 {
		return nil, fmt.Errorf("open %s: %w", path, ErrInUse)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	found, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	want := unix.Flock_t{Type: unix.F_WRLCK, Start: lockByte, Len: 1}
	if err := unix.FcntlFlock(file.Fd(), setLock, &want); err != nil {
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			err = ErrInUse
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), file.Close())
	}
	held.files = append(held.files, found)
	return &lock{file}, nil
}

// heldAt returns the place of a file among those held, -1 for none. held is locked.
func heldAt(file os.FileInfo) int {
	for i, other := range held.files {
		if os.SameFile(file, other) {
			return i
		}
	}
	return -1
}

// Close lets the record go. All connections to it are closed before.
func (l *lock) Close() error {
	held.Lock()
	defer held.Unlock()
	found, err := l.file.Stat()
	if err == nil {
		if i := heldAt(found); i >= 0 {
			held.files = append(held.files[:i], held.files[i+1:]...)
		}
	}
	// A process that is being started holds copies of all handles until its program runs, and
	// the lock lies on each copy: closing this one alone would not end it.
	want := unix.Flock_t{Type: unix.F_UNLCK, Start: lockByte, Len: 1}
	return errors.Join(err, unix.FcntlFlock(l.file.Fd(), setLock, &want), l.file.Close())
}
