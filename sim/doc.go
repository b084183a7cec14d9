// Package sim plays rounds by chance and holds what comes out against the exact
// mathematics of package odds.
//
// There are two ways to play. [Kernel] draws a player's and a dealer's hand and
// looks their settlement up: hundreds of millions of rounds a second, one box,
// no table. [Engine] plays whole rounds through package table, command by
// command, with every bet on every box and a deck shuffled for each round. The
// first checks the mathematics, the second the game that people play.
//
// Both are reproducible: the rounds are divided into blocks of a fixed size,
// block k draws from a generator that the seed and k alone determine, and what
// is counted are integers. So the result depends on the seed and the number of
// rounds, and not on the number of workers or on who finished first.
//
// The package does not know what a hand is worth: [rules.Variant.Settle] is called once for each
// kind of deal, or by the engine in every round.
//
// It will never read a clock: the receiver of its progress measures the speed. It keeps no account
// and no meter; the jackpot displays the same value in every round.
package sim
