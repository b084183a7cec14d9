//go:build race

package api

// raced says that the race detector is on.
const raced = true

// hiddenTries is less under the race detector, which slows each of them tenfold: how
// many there are proves nothing about races.
const hiddenTries = 1
