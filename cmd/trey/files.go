package main

import (
	"fmt"
	"io"
	"os"
)

// readFile reads a file of at most so many bytes. It stops there, so that a file that
// was named by mistake, a device or a pipe without an end fills no memory. What says
// what the file should be, such as "a variant".
func readFile(name, what string, mostBytes int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name %s in it", name, what)
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(mostBytes)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostBytes {
		return nil, fmt.Errorf("%s is longer than %d bytes, which is the most that %s has: name another file", name, mostBytes, what)
	}
	return text, nil
}
