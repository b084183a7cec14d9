// Package play is one person's session at a table against the house, with play
// money: which game, what is bet, what happened in the last rounds, and how much
// is left.
//
// A [Session] is a value that changes by the engine's own events and by nothing
// else. Bets leave the balance when they are placed and come back by settlement
// lines. Each change is written down through [Host.Keep] before anybody sees it,
// the round in progress as a list of its commands, so that whatever ends the
// program in mid-round, the next start finds the round again and brings it to
// its end by the book's own clause on interruptions, under the terms it was dealt
// under. A round that has ended is written up as a round log.
//
// At the table a session drives package linked; what a round means for the
// jackpot is decided there.
//
// The package will never draw a screen, open a file, shuffle or read a clock:
// packages below it and the program do that.
package play
