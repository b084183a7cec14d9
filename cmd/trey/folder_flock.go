//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"syscall"
)

// holdFolder takes a folder for this process, until the file that it returns is closed or the process
// ends. An error wraps [errFolderHeld] where another process has it.
func holdFolder(folder string) (*os.File, error) {
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
	return held, nil
}
