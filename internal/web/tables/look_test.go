package tables

import (
	"os"
	"strings"
	"testing"

	"trey/rules/books"
)

// Each game has its name printed on the felt, in styles that the sheet has.
func TestEveryBookHasItsLogotype(t *testing.T) {
	sheet, err := os.ReadFile("table.page.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range books.All() {
		words := logotypes[b.ID]
		if len(words) == 0 {
			t.Errorf("%s has no printed name: write it into logotypes of look.go", b.Ref())
		}
		for _, w := range words {
			for style := range strings.FieldsSeq(w.style) {
				if !strings.Contains(string(sheet), "."+style) {
					t.Errorf("table.page.css has no .%s, a style of %q at %s", style, w.text, b.Ref())
				}
			}
		}
	}
}
