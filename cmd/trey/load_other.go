//go:build !unix

package main

import (
	"errors"
	"os/exec"
)

// detach refuses: on this system one program cannot ask another to close.
func detach(*exec.Cmd) error {
	return errors.New("trey load cannot close a house of its own on this system: open one with trey serve and name it with --at")
}
