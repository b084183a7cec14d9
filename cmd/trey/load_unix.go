//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C from the house of a load: the load receives it and closes the house.
func detach(h *exec.Cmd) error {
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}
