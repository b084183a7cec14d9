//go:build race

package steady

// Raced says that the race detector is on.
const Raced = true

// checks is less under the race detector, which slows inputs tenfold: how many there
// are proves nothing about races.
func checks() int { return 20 }
