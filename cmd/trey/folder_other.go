//go:build !linux && !darwin

package main

import (
	"io"
	"os"
)

// holdFolder opens a folder. On this system it keeps nobody out.
func holdFolder(folder string) (io.Closer, error) { return os.Open(folder) }
