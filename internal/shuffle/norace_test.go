//go:build !race

package shuffle

import "trey/internal/steady"

// statisticalDecks is the number of decks in the statistical tests.
var statisticalDecks = steady.Share(enoughDecks/4, steady.Tries(enoughDecks, 10_000_000))
