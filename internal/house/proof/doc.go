// Package proof writes one round down so that anybody can check it: the rules
// in force, the seeds, every command with what followed from it, and the money
// that moved.
//
// A record is checked from itself alone. [Verify] uses nothing but the record and the text of
// the book. It works out the commitment and the deck from the seeds, decides every command anew
// and settles every wager once more. It adds up the postings apart from the code that made
// them. It reports what it cannot know and takes from the house: who really gave a command and
// when, and what a jackpot held before the round. A commitment proves something to whoever saw
// it before the bets.
//
// The package is pure. It will never open a file, ask the time, or know where a
// record came from.
package proof
