// Package protection holds the limits that players set for themselves and the pauses that
// players and the house impose. It compares both with what a player has deposited, staked, lost
// and played.
//
// A stricter limit takes effect at once, a looser one after [LoosenAfterMs]. A
// period is rolling: a day is the last 24 hours, a week the last 7 days, a month
// the last 30. [Tally] counts from the movements of a player's account and from
// nothing else, so that the same record always gives the same sums.
//
// The package is pure. It knows no table, store or clock: the time comes with
// each question.
package protection
