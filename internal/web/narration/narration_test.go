package narration_test

import (
	"regexp"
	"slices"
	"testing"

	"trey/internal/house/journal"
	"trey/internal/record"
	"trey/internal/register"
	"trey/internal/steady"
	"trey/internal/web/narration"
	"trey/rules/books"
	"trey/scenario"
	"trey/table"
	"trey/trace"
)

// What is told of an event by a clause is found by it, but for whether the dealer's
// hand qualifies, which no event decides.
func TestClausesThatAreCitedAreFound(t *testing.T) {
	cited := regexp.MustCompile(`\([a-z0-9-]+@\d+ ([^)]+)\)`)
	index, err := trace.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	aloud, found := 0, 0
	for _, b := range books.All() {
		var files []string
		for _, c := range register.Of(b.Standard(), &index).Clauses {
			files = append(files, c.Scenarios...)
		}
		slices.Sort(files)
		for i, file := range slices.Compact(files) {
			if i%6 != 0 || !steady.Turn(i/6, 3) {
				continue // there are many, and each is played
			}
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
						if _, qualifies := e.(table.DealerShown); qualifies {
							continue
						}
						clauses := journal.Clauses(e)
						for _, said := range narration.Of(e, &result.State) {
							if said.Aloud {
								aloud++
							}
							for _, m := range cited.FindAllStringSubmatch(said.Words.String(), -1) {
								if found++; !slices.Contains(clauses, m[1]) {
									t.Errorf("%s: %s is told by %s, and found by %v", file, record.TableEvents.Name(e), m[1], clauses)
								}
							}
						}
					}
				}
			}
		}
	}
	if aloud == 0 || found < 40 {
		t.Errorf("%d sentences are said aloud and %d name a clause: it shows nothing", aloud, found)
	}
}
