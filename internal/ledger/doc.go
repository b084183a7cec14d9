// Package ledger is double-entry bookkeeping for a house that runs tables: which
// accounts there are, what a posting is, and what it does to balances.
//
// A [Posting] moves one amount from one account to another, so debits and
// credits are equal by construction and a transaction cannot be out of balance.
// [Post] tells what a transaction would change, or refuses it; it changes
// nothing itself, so a caller can write the changes down first and follow them
// afterwards. Money is in one place at a time: what a player has bet lies on a
// layout and is no longer the player's, until a settlement line says whose it is.
//
// The package knows no game, clock, store or person beyond a name. What an event
// at a table or a jackpot moves is decided in internal/house/posting.
package ledger
