//go:build !race

package simulation

// defaultSeeds and defaultRounds are what go test plays.
const (
	defaultSeeds    = 20
	defaultMachines = 200 // houses on many machines
	defaultRounds   = 100
	// enoughSeeds is the number of houses that must have been played before the test asks what was seen.
	enoughSeeds = 20
)
