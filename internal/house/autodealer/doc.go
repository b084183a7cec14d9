// Package autodealer runs the automatic tables of a house. It opens and closes the betting,
// deals, ends the time for decisions and options, turns the dealer's hand, settles and begins
// again.
//
// [Due] is the rule, and it is pure: a state, a pace and since when it has been
// awaited give what is next and when. An [Autodealer] asks it for every table and
// keeps the nearest times in a heap, so that a table where nothing is due costs
// nothing. It gives the house orders like any other person at the table does, and
// it knows no cards.
//
// It never answers a question that a book gives to a member of staff, and never
// drives a table that a dealer runs.
package autodealer
