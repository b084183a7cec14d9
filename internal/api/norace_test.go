//go:build !race

package api

// raced says that the race detector is on.
const raced = false

// hiddenTries is how many plays are looked into for hidden cards, for each book and way of
// dealing.
const hiddenTries = 2
