//go:build !race

package api

// raced says that the race detector is on.
const raced = false

// hiddenTries is the number of plays that are searched for hidden cards, for each book
// and way of dealing.
const hiddenTries = 2
