//go:build race

package api

// raced says that the race detector is on.
const raced = true
