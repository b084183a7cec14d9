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

// Whole reports whether a test covers all of many similar things, such as pages, languages, books
// and faults. It does with TREY_WHOLE in the environment, as .ci/run has it, or with TREY_THOROUGH.
// By default a test covers a part.
func Whole() bool {
	return os.Getenv("TREY_WHOLE") != "" || os.Getenv("TREY_THOROUGH") != ""
}

// Turn reports whether a test covers number i of similar things: by default every each-th of them,
// and all of them if [Whole] reports true.
func Turn(i, each int) bool {
	return i%each == 0 || Whole()
}

// Share returns how many of one thing a test uses, such as rounds, decks and inputs of a property:
// part by default, and all if [Whole] reports true.
func Share(part, all int) int {
	if Whole() {
		return all
	}
	return part
}

// Detail skips an expensive test, such as one with a browser or machines of its own, that tests a
// detail of what other tests cover. It runs if [Whole] reports true.
func Detail(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("a detail that CI looks at: TREY_WHOLE=1 has it tested here too")
	}
}

// Sequential skips a long test without concurrency if the race detector is on. The test would take
// ten times as long, and has no races that shorter tests do not have.
func Sequential(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("one thing after the other, and long: it has no races that shorter tests do not have")
	}
}
