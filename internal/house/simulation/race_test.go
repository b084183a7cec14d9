//go:build race

package simulation

// defaultSeeds and defaultRounds are less under the race detector, which slows
// them tenfold.
const (
	defaultSeeds  = 4
	defaultRounds = 50
	enoughSeeds   = 20
)
