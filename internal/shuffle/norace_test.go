//go:build !race

package shuffle

// statisticalDecks is the number of decks in the statistical tests.
const statisticalDecks = 10_000_000
