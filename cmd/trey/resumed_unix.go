//go:build unix

package main

import (
	"os"
	"syscall"
)

// resumed are the signals that tell a program that it goes on after it was stopped.
var resumed = []os.Signal{syscall.SIGCONT}
