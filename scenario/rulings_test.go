package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/rules/books"
)

// TestEveryRulingIsPlayedBothWays looks for scenarios that choose each value of
// each ruling that a book leaves open: the default is played wherever nothing
// else is said.
func TestEveryRulingIsPlayedBothWays(t *testing.T) {
	for _, b := range books.All() {
		names, err := filepath.Glob(filepath.Join("testdata", b.ID, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		for _, r := range b.Open() {
			for _, c := range r.Rule().Choices[1:] {
				if word := "ruling." + r.String() + "=" + c.String(); !strings.Contains(all.String(), word) {
					t.Errorf("%s: no scenario plays %s", b.Ref(), word)
				}
			}
		}
	}
}
