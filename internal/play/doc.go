// Package play is one player's session at a table against the house, with play
// money: which game, what is bet, what happened in the last rounds, and how much
// is left.
//
// A [Session] is a value that changes by the engine's own events and by nothing
// else. Bets leave the balance when they are placed and come back by settlement
// lines. Each change is written down through [Host.Keep] before anybody sees it,
// the round in progress as a list of its commands. So whatever ends the program in
// mid-round, the next start goes on with the same cards, bets and decisions, under
// the terms they were dealt under. A player who leaves by choice has walked away,
// and the book says what follows. A round that has ended is written up as a round
// log.
//
// Other players may sit at the table. Their bets follow from chance that the host
// gives, their decisions from the mathematics of the book; their money is nobody's
// account.
//
// At the table a session drives package linked; what a round means for the
// jackpot is decided there.
//
// The package will never draw a screen, open a file, shuffle or read a clock:
// packages below it and the program do that.
package play
