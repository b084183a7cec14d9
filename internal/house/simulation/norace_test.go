//go:build !race

package simulation

// defaultSeeds and defaultRounds are what go test plays.
const (
	defaultSeeds  = 20
	defaultRounds = 100
	// enoughSeeds is how many houses must have been played to ask what was seen.
	enoughSeeds = 20
)
