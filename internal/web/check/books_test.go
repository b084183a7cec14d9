package check

import (
	"os"
	"strings"
	"testing"

	"trey/rules/books"
)

// TestEveryBookIsReadTwice holds that the browser has its own reading of each book. Where
// it has none, it settles by the declaration in the record and cannot say that the
// declaration departs from the text.
func TestEveryBookIsReadTwice(t *testing.T) {
	script, err := os.ReadFile("check-rules.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range books.All() {
		if !strings.Contains(string(script), `  "`+b.Ref()+`": {
    id: "`+b.ID+`",
`) {
			t.Errorf("check-rules.js does not know %s: write into books, from the text and not from the declaration, how it orders, pays and settles its wagers", b.Ref())
		}
	}
}
