//go:build !race

package simulation

import "trey/internal/steady"

// defaultRounds counts the rounds of each house.
var defaultRounds = steady.Share(60, 100)
