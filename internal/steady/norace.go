//go:build !race

package steady

// Raced says that the race detector is on: tests in which one goroutine computes much
// repeat less then.
const Raced = false

// checks returns the number of inputs that every property tries unless another number is
// given.
func checks() int { return Share(40, 100) }
