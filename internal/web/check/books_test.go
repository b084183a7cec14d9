package check

import (
	"os"
	"strings"
	"testing"

	"trey/internal/enum"
	"trey/rules"
	"trey/rules/books"
)

// TestEveryBookIsReadTwice holds that the browser has its own reading of each book. Where
// it has none, it settles by the declaration in the record and cannot say that the
// declaration departs from the text.
func TestEveryBookIsReadTwice(t *testing.T) {
	script := contents(t, "check-rules.js")
	for _, b := range books.All() {
		if !strings.Contains(script, `  "`+b.Ref()+`": {
    id: "`+b.ID+`",
`) {
			t.Errorf("check-rules.js does not know %s: write into books, from the text and not from the declaration, how it orders, pays and settles its wagers", b.Ref())
		}
	}
}

// TestEveryCombinationIsReadAgain holds that the browser, and the verifier in Python, have a reading
// of their own of each combination for which a row of a pay table can pay.
func TestEveryCombinationIsReadAgain(t *testing.T) {
	list, names := contents(t, "check-rules.js"), contents(t, "check-hands.js")
	_, list, found := strings.Cut(list, "\nconst combos = [")
	list, _, closed := strings.Cut(list, "]")
	if !found || !closed {
		t.Fatal("check-rules.js has no list combos")
	}
	python := contents(t, "../../../verify/cards.py")
	for c := rules.Combo(1); c.String() != enum.Unknown; c++ {
		key := `"` + c.String() + `"`
		if !strings.Contains(list, key) {
			t.Errorf("combos in check-rules.js lacks %s: the page cannot read a record whose pay tables have it", key)
		}
		if !strings.Contains(names, key) {
			t.Errorf("check-hands.js never says that a hand is %s: say there which hands are, from the text", key)
		}
		if !strings.Contains(python, key) {
			t.Errorf("makes in verify/cards.py does not know %s: say there which hands are, from the text", key)
		}
	}
}

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
