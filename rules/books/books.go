// Package books lists the rule books that Trey plays. It is the one place that
// knows them all; the engine is handed a book and knows none.
package books

import (
	"fmt"
	"strings"

	"trey/rules"
	"trey/rules/frp3c"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/rules/sm3cp"
	"trey/rules/us3cp"
)

// All returns the books in the order in which they are listed to people.
func All() []*rules.Book {
	return []*rules.Book{rws3cp.Book(), us3cp.Book(), sm3cp.Book(), mbs3pictures.Book(), frp3c.Book()}
}

// ByID returns the book with exactly this id, nil if there is none.
func ByID(id string) *rules.Book {
	for _, b := range All() {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// Find returns the book of a reference, with or without its edition. The error
// says which book may have been meant.
func Find(ref string) (*rules.Book, error) {
	var refs []string
	var ids []string
	for _, b := range All() {
		if ref == b.ID || ref == b.Ref() {
			return b, nil
		}
		refs, ids = append(refs, b.Ref()), append(ids, b.ID)
		if id, edition, ok := strings.Cut(ref, "@"); ok && id == b.ID {
			return nil, fmt.Errorf("%s has no edition %q here: use %s", b.ID, edition, b.Ref())
		}
	}
	near := rules.Nearest(ref, ids)
	if near == "" {
		near = only(ids, strings.ToLower(ref))
	}
	if near != "" {
		return nil, fmt.Errorf("there is no book %q: did you mean %s? The books are %s", ref, near, strings.Join(refs, ", "))
	}
	return nil, fmt.Errorf("there is no book %q: the books are %s", ref, strings.Join(refs, ", "))
}

// only returns the one id that has a part such as rws in it, or nothing if there is
// none or another one too.
func only(ids []string, part string) (found string) {
	for _, id := range ids {
		if len(part) < 2 || !strings.Contains(id, part) {
			continue
		}
		if found != "" {
			return ""
		}
		found = id
	}
	return found
}
