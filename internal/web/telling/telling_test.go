package telling_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/register"
	"trey/internal/web/lang"
	"trey/internal/web/telling"
	"trey/rules/books"
	"trey/scenario"
	"trey/table"
	"trey/trace"
)

// Whatever happens in any scenario has words in every language, and they name the
// clauses that the engine's own words name.
func TestEveryEventHasWords(t *testing.T) {
	cited := regexp.MustCompile(`\(([a-z0-9-]+@\d+) ([^)]+)\)`)
	met := map[string]bool{}
	index, err := trace.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range books.All() {
		var files []string
		for _, c := range register.Of(b.Standard(), &index).Clauses {
			files = append(files, c.Scenarios...)
		}
		slices.Sort(files)
		for _, file := range slices.Compact(files) {
			script, err := scenario.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := script.Steps()
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for _, step := range steps {
				for _, result := range step.Results {
					for _, e := range result.Events {
						met[table.EventKind(e)] = true
						clauses := map[string]bool{}
						for _, l := range lang.Languages() {
							said := telling.Of(lang.Printer{Language: l}, e, &result.State)
							if len(said) == 0 && table.Tell(e, result.State) != "" {
								t.Errorf("%s: %s is not told in %s", file, table.EventKind(e), l.Tag())
							}
							for _, s := range said {
								if strings.TrimSpace(s.Text) == "" || strings.ContainsAny(s.Text, "{}") {
									t.Errorf("%s: %s is told in %s as %q", file, table.EventKind(e), l.Tag(), s.Text)
								}
								clauses[s.Clause] = true
							}
						}
						for _, m := range cited.FindAllStringSubmatch(table.Tell(e, result.State), -1) {
							if !clauses[m[2]] {
								t.Errorf("%s: %s is told by %v, and not by %s", file, table.EventKind(e), clauses, m[2])
							}
						}
					}
				}
			}
		}
	}
	for _, kind := range table.EventKinds() {
		if !met[kind] {
			t.Errorf("no scenario has a %s", kind)
		}
	}
}

// What the event does not hold is not told: a hand that lies face down stays ??.
func TestNoCardIsTold(t *testing.T) {
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.New(b.Standard(), table.Config{Device: b.Devices[0].Device, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	e := table.CardsDealt{Cards: []table.Dealt{{Card: card.New(card.Queen, card.Hearts), Place: table.Box(1), Meant: table.Box(1)}}}
	for _, l := range lang.Languages() {
		for _, said := range telling.Of(lang.Printer{Language: l}, table.Redact(e, s, table.Viewer{}), &s) {
			if strings.Contains(said.Text, "Q") || !strings.Contains(said.Text, "??") {
				t.Errorf("%s: %q", l.Tag(), said.Text)
			}
		}
	}
}
