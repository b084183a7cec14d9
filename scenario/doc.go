// Package scenario is the language in which incidents at a table are written down, and
// the runner that plays them through an engine and checks the results.
//
// A scenario is a txtar archive that reads like the incident it describes. Its
// name begins with the clause that it proves; the comment section is the script:
// one command of somebody at the table on each line, `!` before one that must be
// refused, and `want` before whatever must be true. docs/scenarios.md describes
// every word of it.
//
// The runner drives an [Engine]: [Pure] plays in memory, and a house that keeps its
// rounds in a store can be driven by the same files. After every command it checks what
// no scenario has to ask for: that money and cards are conserved, that nobody is sent a
// card too early, and that what the engine calls legal is what it accepts; at the end it
// replays the log and compares.
//
// The package will never decide anything about a game: it types in what the
// script says, and compares.
package scenario
