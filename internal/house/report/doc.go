// Package report makes reports of a house from its record. They cover the trial balance, how
// tables performed, jackpots, irregularities, adjustments, large wins, what the operator owes,
// the accounts of players, and other significant events.
//
// A report is computed in one pass over the record, transaction by transaction,
// from the postings and the events and from nothing else. It does not ask the
// house what an account holds, so that whoever compares the two has compared two
// things. What it keeps in memory grows with the accounts and tables, not with the
// rounds; lists have an end, and say how much they leave out.
//
// Reports are values. They are handed to other programs as JSON or CSV, and to people
// on paper, in numbered pages.
package report
