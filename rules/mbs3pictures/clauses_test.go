package mbs3pictures

import (
	"strings"
	"testing"

	"trey/rules"
)

func TestClausesAreWellFormed(t *testing.T) {
	seen := make(map[string]bool, len(clauses))
	for _, c := range clauses {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("id %q is empty or stands twice", c.ID)
		}
		seen[c.ID] = true
		if !strings.HasSuffix(c.Summary, ".") {
			t.Errorf("%s: the summary %q is no sentence", c.ID, c.Summary)
		}
		if c.Kind < rules.Executable || c.Kind > rules.Definition {
			t.Errorf("%s: kind %d does not exist", c.ID, c.Kind)
		}
		shown := c.Kind == rules.Display || c.Kind == rules.Procedure
		if shown != (c.Where != "") {
			t.Errorf("%s: a %s clause with Where = %q", c.ID, c.Kind, c.Where)
		}
	}
}
