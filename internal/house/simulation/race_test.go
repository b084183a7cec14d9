//go:build race

package simulation

// defaultSeeds and defaultRounds are less under the race detector, which slows
// them tenfold.
const (
	defaultSeeds    = 4
	defaultMachines = 15 // houses on many machines
	defaultRounds   = 50
	enoughSeeds     = 20
)
