package console

import (
	"slices"
	"testing"

	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// TestEveryIncidentHasItsGroup holds that no irregularity that a book knows is missing from
// the sheet in any phase, and that none stands there twice.
func TestEveryIncidentHasItsGroup(t *testing.T) {
	known := []rules.Incident{rules.CardMisread, rules.Mispaid, rules.Uncovered}
	for _, b := range books.All() {
		for i := range b.Incidents {
			if at := b.Incidents[i].Incident; !slices.Contains(known, at) {
				known = append(known, at)
			}
		}
	}
	if len(known) < 15 {
		t.Fatalf("only %d irregularities are known: the test shows nothing", len(known))
	}
	for _, phase := range []table.Phase{table.Betting, table.Dealing, table.Deciding, table.Showing, table.Paid, table.Voided} {
		var incidents []rules.Incident
		for _, g := range grouped(phase, known) {
			incidents = append(incidents, g.incidents...)
		}
		slices.Sort(incidents)
		slices.Sort(known)
		if !slices.Equal(incidents, known) {
			t.Errorf("%s: shown are %v of %v", phase, incidents, known)
		}
	}
}
