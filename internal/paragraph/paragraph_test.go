package paragraph_test

import (
	"testing"

	"trey/internal/paragraph"
)

func TestHang(t *testing.T) {
	for _, test := range []struct {
		columns, first, later int
		text, want            string
	}{
		{10, 0, 0, "", ""},
		{10, 2, 2, "one", "  one\n"},
		{9, 0, 2, "one two six", "one two\n  six\n"},
		{11, 0, 2, "one two six", "one two six\n"}, // exactly full
		{10, 0, 2, "one two six", "one two\n  six\n"},
		{4, 1, 0, "incident  of\nnote", " incident\nof\nnote\n"},
		{5, 0, 0, "♠♥♦ ♣", "♠♥♦ ♣\n"}, // characters count, not bytes
	} {
		if got := paragraph.Hang(test.columns, test.first, test.later, test.text); got != test.want {
			t.Errorf("Hang(%d, %d, %d, %q) = %q, want %q", test.columns, test.first, test.later, test.text, got, test.want)
		}
	}
}
