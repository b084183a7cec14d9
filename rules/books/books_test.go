package books_test

import (
	"strings"
	"testing"

	"trey/rules/books"
)

func TestFind(t *testing.T) {
	for ref, want := range map[string]string{
		"rws-3cp": "rws-3cp@3", "rws-3cp@3": "rws-3cp@3", "us-3cp": "us-3cp",
		"sm-3cp": "sm-3cp", "mbs-3pictures": "mbs-3pictures@2",
	} {
		b, err := books.Find(ref)
		if err != nil || b.Ref() != want {
			t.Errorf("Find(%q) = %v, %v; want %s", ref, b, err, want)
		}
	}
	for ref, hint := range map[string]string{
		"rws3cp": "did you mean rws-3cp", "rws-3cp@2": "use rws-3cp@3",
		"baccarat": "the books are", "": "the books are",
	} {
		if _, err := books.Find(ref); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("Find(%q) says %v; want %q in it", ref, err, hint)
		}
	}
}

func TestStandardVariantsAreSound(t *testing.T) {
	for _, b := range books.All() {
		if err := b.Standard().Check(); err != nil {
			t.Errorf("%s: %v", b.Ref(), err)
		}
	}
}
