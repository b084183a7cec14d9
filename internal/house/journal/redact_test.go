package journal_test

import (
	"testing"

	"trey/internal/house/journal"
)

func TestTextsWithoutCards(t *testing.T) {
	for text, want := range map[string]string{
		"the card at box 1 is Qh, not 10s":    "the card at box 1 is ??, not ??",
		"Q♥ and 2♦ are there twice":           "?? and ?? are there twice",
		"rws-3cp@3 5.8.6 at 3cp, round 10":    "rws-3cp@3 5.8.6 at 3cp, round 10",
		`{"hand":["Kd","9c","2s"],"round":3}`: `{"hand":["??","??","??"],"round":3}`,
		// A text within JSON, whose signs are written in letters.
		`{"found":"two errors:\nKd lies at \u003c9c\u003e,\t10h"}`: `{"found":"two errors:\n?? lies at \u003c??\u003e,\t??"}`,
		"two errors:\nKd\n9♣": "two errors:\n??\n??",
	} {
		if got := journal.WithoutCards(text); got != want {
			t.Errorf("%q without cards is %q, want %q", text, got, want)
		}
	}
}
