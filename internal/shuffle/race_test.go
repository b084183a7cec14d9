//go:build race

package shuffle

// statisticalDecks is less under the race detector, which slows them tenfold.
const statisticalDecks = 100_000
