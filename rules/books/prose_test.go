package books_test

import (
	"fmt"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
)

// A declaration by which the dealer qualifies is read also where the program's own book has
// no such provision: the hand is then written as it is.
func TestAQualifyingHandThatTheProgramDoesNotHave(t *testing.T) {
	declared, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	without := *declared
	without.Qualify = nil
	now := fmt.Sprintf(`"revision":%d`, declared.Revision)
	text := strings.Replace(string(declared.Declaration()), now, fmt.Sprintf(`"revision":%d`, declared.Revision+1), 1)
	b, err := rules.ReadBook([]byte(text), func(string) (*rules.Book, error) { return &without, nil })
	if err != nil {
		t.Fatal(err)
	}
	if b.Qualify.Least != declared.Qualify.Least || b.Qualify.Words != declared.Qualify.Least.String() {
		t.Errorf("the dealer qualifies with %s, written %q", b.Qualify.Least, b.Qualify.Words)
	}
}
