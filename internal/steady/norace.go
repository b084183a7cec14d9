//go:build !race

package steady

// Raced says that the race detector is on: tests in which one goroutine computes much
// repeat less then.
const Raced = false

// checks is how many inputs every property tries to which nobody gives another number.
const checks = "100"
