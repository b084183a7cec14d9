// Package trey is the root of Trey, which runs three-card casino table games
// exactly by their approved rule books. It holds no code: the program is in
// cmd/trey, and the library in the packages beside it.
//
//   - card, money, rank: the deck, amounts and odds, the two orders of hands
//   - rules: what a rule book is, with one package below it for each book
//   - table, jackpot: the engine and the progressive, as pure functions
//   - odds, sim: the exact mathematics, and rounds played at random
//   - scenario, trace: incidents as tests, and the proof that no clause lacks one
//
// Imports run one way through these packages; the tests of this one hold that.
package trey
