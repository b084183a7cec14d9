//go:build race

package odds

// bruteStep takes one player's hand in 97 under the race detector, which slows
// the inner loop tenfold; it is there to watch the two goroutines. The run
// without it enumerates every deal.
const bruteStep = 97
