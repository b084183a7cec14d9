package trace

import (
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Every condition and outcome that a book can name has words, and every case of
// every book stands in the page, with all that can be answered.
func TestIncidentsAreWhole(t *testing.T) {
	for _, i := range rules.Incidents() {
		if table.IncidentWords(i) == "" {
			t.Errorf("%s has no words", i)
		}
	}
	for c := rules.NobodyLooked; c.String() != "unknown"; c++ {
		if table.ConditionWords(c) == "" {
			t.Errorf("%s has no words", c)
		}
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		if table.OutcomeWords(o) == "" {
			t.Errorf("%s has no words", o)
		}
	}
	page := string(IncidentsMarkdown())
	for _, b := range books.All() {
		_, part, found := strings.Cut(page, "(`"+b.Ref()+"`)\n")
		if !found {
			t.Fatalf("%s is not in the page", b.Ref())
		}
		part, _, _ = strings.Cut(part, "\n## ")
		cases := 0
		for _, rule := range b.Incidents {
			_, section, found := strings.Cut(part, "### `"+rule.Incident.String()+"`:")
			if !found {
				t.Errorf("%s: %s has no table", b.Ref(), rule.Incident)
			}
			section, _, _ = strings.Cut(section, "\n### ")
			cases += len(rule.Cases)
			for _, c := range rule.Cases {
				if !strings.Contains(section, "| "+Provision(c.Clause)+" |") {
					t.Errorf("%s: the table of %s does not name %s", b.Ref(), rule.Incident, c.Clause)
				}
				if c.Ruling != 0 && !strings.Contains(section, "under `"+c.Ruling.String()+"` = `"+c.Choice.String()+"`") {
					t.Errorf("%s: the table of %s does not name %s", b.Ref(), rule.Incident, c.Ruling)
				}
				if c.Question == nil {
					continue
				}
				for _, a := range c.Question.Answers {
					if !strings.Contains(section, "`"+a.Key+"`: ") {
						t.Errorf("%s: the table of %s has no answer %s", b.Ref(), rule.Incident, a.Key)
					}
				}
			}
		}
		if rows := strings.Count(part, "\n| ") - 2*len(b.Incidents); rows != cases {
			t.Errorf("%s: %d rows for %d cases", b.Ref(), rows, cases)
		}
	}
}

// An incident that no book declares anything for is among the unlisted, and a word
// for a wrong deal is listed where the table of the wrong deal is.
func TestUnlistedIncidents(t *testing.T) {
	for _, b := range books.All() {
		unlisted := map[rules.Incident]bool{}
		for _, i := range Unlisted(b) {
			unlisted[i] = true
		}
		for _, i := range rules.Incidents() {
			if same := b.Incident(i) == b.Incident(rules.Uncovered); same != (unlisted[i] || i == rules.Uncovered) {
				t.Errorf("%s: %s is treated as uncovered: %t, and listed so: %t", b.Ref(), i, same, unlisted[i])
			}
		}
	}
}
