// Package table plays a rule book: one table, one round after another, every
// command of every role and every irregularity.
//
// Two pure functions are the whole of it. [Decide] takes a state and a command
// and returns the events that follow, or a [Refusal] that names the clause;
// [Evolve] takes a state and events and returns the next state. A command
// carries everything that is not determined by the state: who acts, when, and
// the cards a dealing device produced. So a log of commands replays to the same
// events on any machine, and a dry run costs nothing. Between rounds a table goes
// on under other rules by [State.Under].
//
// What each person may see of a round is computed by one function, [View], from
// what each card's slot remembers; nothing else may be sent to anybody.
//
// The package will never shuffle, read a clock, move money or know a particular
// book: it is handed a [rules.Variant], and the settlement lines it emits are
// the money that its caller moves.
package table
