//go:build linux || darwin

package main

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// heldFolder is a folder that is taken for this process.
type heldFolder struct{ *os.File }

// holdFolder takes a folder for this process, until what it returns is closed or the process ends. An
// error wraps [errFolderHeld] where another process has it.
func holdFolder(folder string) (io.Closer, error) {
	held, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errFolderHeld
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return heldFolder{held}, nil
}

// Close lets the folder go. A process that is being started holds copies of all handles until its
// program runs: to close this one alone would not end the lock.
func (f heldFolder) Close() error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.File.Close())
}
