//go:build race

package steady

// Raced says that the race detector is on.
const Raced = true

// checks returns a smaller number of inputs than without the race detector, which slows each
// tenfold: more inputs find no more races.
func checks() int { return 20 }
