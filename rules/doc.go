// Package rules says what a rule book is: wagers and what each needs, pay
// tables, ranking, dealing order, what to do when something goes wrong, and the
// questions the text leaves open. A book is a declaration in which every value
// carries the clause it comes from; package table executes it, package odds
// computes from it, and both settle through the one function here, Settle.
//
// The package will never deal a card, keep a round's state, read a clock or a
// file, or know one particular book: each book is a package of its own below
// this one.
package rules
