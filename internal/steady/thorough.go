package steady

import (
	"os"
	"testing"
)

// Tries returns how often a test repeats what finds a rare failure by volume: kills, takeovers,
// seeds, plays of a property, places of a file that are altered. By default it is usual, enough to
// show that the guard bites. With TREY_THOROUGH in the environment, as scripts/nightly has it,
// it is thorough.
func Tries(usual, thorough int) int {
	if os.Getenv("TREY_THOROUGH") != "" {
		return thorough
	}
	return usual
}

// Whole reports whether a test looks at all that stands side by side, such as pages, languages,
// books and faults: with TREY_WHOLE in the environment, as .ci/run has it, or with TREY_THOROUGH.
// By default a test looks at a part.
func Whole() bool {
	return os.Getenv("TREY_WHOLE") != "" || os.Getenv("TREY_THOROUGH") != ""
}

// Turn reports whether a test looks at number i of them: by default at one of each, of the whole at
// all.
func Turn(i, each int) bool {
	return i%each == 0 || Whole()
}

// Share returns how much of one thing a test goes through, such as rounds, decks and inputs of a
// property: by default a part, where [Whole] reports true all of it.
func Share(part, all int) int {
	if Whole() {
		return all
	}
	return part
}

// Detail skips a test whose price is high, such as a browser or machines of its own, for a detail of
// what other tests go through by default. Where [Whole] reports true it runs.
func Detail(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("a detail that CI looks at: TREY_WHOLE=1 has it tested here too")
	}
}

// Sequential skips a long test of one thing after the other where the race detector is on, under
// which it takes ten times as long: what it goes through has no races that shorter tests do not have.
func Sequential(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("one thing after the other, and long: it has no races that shorter tests do not have")
	}
}
