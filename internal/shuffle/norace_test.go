//go:build !race

package shuffle

// statisticalDecks is how many decks the statistical tests look at.
const statisticalDecks = 10_000_000
