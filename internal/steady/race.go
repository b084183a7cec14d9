//go:build race

package steady

// checks is less under the race detector, which slows inputs tenfold: how many there
// are proves nothing about races.
const checks = "20"
