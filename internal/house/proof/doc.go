// Package proof writes one round down so that anybody can check it: the rules
// in force, the seeds, every command with what followed from it, and the money
// that moved.
//
// A record is checked from itself alone. [Verify] asks nobody and looks nothing
// up but the text of the book: it works out the commitment and the deck from the
// seeds, decides every command anew, settles every wager once more, and adds up
// the postings apart from the code that made them. What it cannot know it says:
// who really gave a command and when, and what a jackpot held before the round,
// are what the house says they were. A commitment proves something to whoever
// saw it before the bets.
//
// The package is pure. It will never open a file, ask the time, or know where a
// record came from.
package proof
