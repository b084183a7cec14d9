// Package odds is the exact mathematics of every bet: par sheets, strategies,
// joint results, the progressive, sessions, and the search for pay tables.
//
// It takes everything from a variant: what a hand is from its book's ranking,
// and what a result is worth by calling [rules.Variant.Settle] for one hand of
// each kind. Nothing about a pay table is written here a second time, so the
// mathematics and the game cannot disagree.
//
// Results are fractions in lowest terms ([Fraction]) and counts of deals. The
// exceptions say so where they stand: a root, such as a standard deviation, is
// rounded once, in its last decimal; a session too long for integers of any
// size carries a bound on its error.
//
// It will never deal a card, draw a random number or read a clock: simulation
// is package sim. How the counting works, with formulas that can be checked by
// hand, is in docs/mathematics.md.
package odds
