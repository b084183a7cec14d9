//go:build !linux && !darwin

package main

import "os"

// holdFolder opens a folder. On this system it keeps nobody out.
func holdFolder(folder string) (*os.File, error) { return os.Open(folder) }
