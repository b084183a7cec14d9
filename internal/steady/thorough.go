package steady

import "os"

// Tries returns how often a test repeats what finds a rare failure by volume: kills, takeovers,
// seeds, plays of a property, places of a file that are altered. By default it is usual, enough to
// show that the guard bites. With TREY_THOROUGH in the environment, as scripts/nightly has it,
// it is thorough.
func Tries(usual, thorough int) int {
	if os.Getenv("TREY_THOROUGH") != "" {
		return thorough
	}
	return usual
}
