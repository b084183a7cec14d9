package scenario

import "trey/internal/steady"

// The tests of package table have the roles between the lowest and the highest ask for what is legal
// too, in any state.
func init() { everyRole = steady.Whole() }
