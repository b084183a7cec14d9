//go:build unix

package sqlite

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A record that was closed is free at once, also while a process that is being started still
// has a copy of the handle with the lock.
func TestALockEndsWithItsHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	first, err := hold(path)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := unix.Dup(int(first.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(copied) //nolint:errcheck // nothing was written to it
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := hold(path)
	if err != nil {
		t.Fatalf("beside a copy of the handle: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
