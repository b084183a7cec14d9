package books_test

import (
	"slices"
	"strings"
	"testing"

	"trey/rules"
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
		"rws": "did you mean rws-3cp?", "RWS-3CP": "did you mean rws-3cp?", "mbs": "did you mean mbs-3pictures?",
		"pictures": "did you mean mbs-3pictures?", "3cp": `there is no book "3cp": the books are`, "c": "the books are",
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

func TestClausesAreWellFormed(t *testing.T) {
	for _, b := range books.All() {
		seen := make(map[string]bool, len(b.Clauses))
		for _, c := range b.Clauses {
			if c.ID == "" || seen[c.ID] {
				t.Errorf("%s: id %q is empty or stands twice", b.Ref(), c.ID)
			}
			seen[c.ID] = true
			if !strings.HasSuffix(c.Summary, ".") {
				t.Errorf("%s: the summary %q is no sentence", b.ClauseRef(c.ID), c.Summary)
			}
			if c.Kind < rules.Executable || c.Kind > rules.Definition {
				t.Errorf("%s: kind %d does not exist", b.ClauseRef(c.ID), c.Kind)
			}
			forPeople := c.Kind == rules.Display || c.Kind == rules.Procedure
			if forPeople != (c.Where != "") {
				t.Errorf("%s: a %s clause with Where = %q", b.ClauseRef(c.ID), c.Kind, c.Where)
			}
		}
	}
}

// Whoever is refused a box out of turn is referred to a clause. Where that clause does not
// say with which box to begin, it is a reading, and stands beside the clause.
func TestTheOrderOfBoxesIsCited(t *testing.T) {
	for _, b := range books.All() {
		read := slices.ContainsFunc(b.Readings, func(r rules.Reading) bool {
			return r.Key == "order_of_boxes" && slices.Contains(r.Clauses, b.Order.Clause)
		})
		if said := b.Order.OneByOne == b.Order.Clause; said == read {
			t.Errorf("%s: the order of boxes is in the text: %v; it is a reading of %s: %v", b.Ref(), said, b.Order.Clause, read)
		}
	}
}
