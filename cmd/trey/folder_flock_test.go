//go:build linux || darwin

package main

import (
	"errors"
	"syscall"
	"testing"
)

// A folder is free as soon as it is let go, also while a process is being started that holds a
// copy of the handle.
func TestAFolderIsLetGo(t *testing.T) {
	folder := t.TempDir()
	held, err := holdFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holdFolder(folder); !errors.Is(err, errFolderHeld) {
		t.Errorf("taken twice: %v", err)
	}
	taken, ok := held.(heldFolder)
	if !ok {
		t.Fatalf("it is a %T", held)
	}
	handle, err := syscall.Dup(int(taken.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(handle) //nolint:errcheck // nothing was written to it
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := holdFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
