// Package play is one person's session at the tables of a house of their own, with play
// money: which game, what is bet, what happened in the last rounds, and how much is left.
//
// The house is a [house.House] like any other, and it keeps the money, the jackpots, the
// cards and the record. A [Session] gives it the commands of the player, of the dealer and
// of the other players, and knows nothing that the record does not say. So whatever ends
// the program in mid-round, the next start goes on with the same cards, bets and decisions.
// A player who leaves by choice has walked away, and the book says what follows.
//
// Other players may sit at the table. Their bets follow from chance that the host gives,
// their decisions from the mathematics of the book.
//
// The package will never draw a screen, open a file, shuffle or read a clock: packages
// below it and the program do that.
package play
