//go:build race

package simulation

// defaultRounds is less under the race detector, which slows them tenfold.
const defaultRounds = 50
