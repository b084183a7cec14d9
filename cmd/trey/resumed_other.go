//go:build !unix

package main

import "os"

// resumed are the signals that tell a program that it goes on after it was stopped: none on this
// system.
var resumed []os.Signal
