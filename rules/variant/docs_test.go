package variant_test

import (
	"os"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
)

// TestTheDocumentedFilesAreAccepted reads each complete file of docs/variants.md:
// there is one for every book, it is accepted without a remark, and it changes
// something.
func TestTheDocumentedFilesAreAccepted(t *testing.T) {
	page, err := os.ReadFile("../../docs/variants.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, block := range strings.Split(string(page), "```toml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		v, remarks, err := variant.Parse("docs/variants.md", []byte(text), books.Find)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		found[v.Book.Ref()]++
		if len(remarks) != 0 {
			t.Errorf("%s: %v", v.ID, remarks)
		}
		if v.Hash() == v.Book.Standard().Hash() {
			t.Errorf("%s is the book unchanged", v.ID)
		}
	}
	for _, b := range books.All() {
		if found[b.Ref()] != 1 {
			t.Errorf("docs/variants.md has %d files for %s, want one", found[b.Ref()], b.Ref())
		}
	}
	// Every combination that can be a row is named on the page, and every wager
	// that takes limits.
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		if !strings.Contains(string(page), "`"+c.String()+"`") {
			t.Errorf("docs/variants.md does not name the row %s", c)
		}
	}
	for _, b := range books.All() {
		for i := range b.Wagers {
			if w := b.Wagers[i]; w.Stake == rules.WithinLimits && !strings.Contains(string(page), "`"+w.Wager.String()+"`") {
				t.Errorf("docs/variants.md does not name the limits of %s", w.Wager)
			}
		}
	}
}
