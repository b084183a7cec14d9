package trace

import (
	"fmt"

	"trey/rules"
	"trey/rules/books"
)

// Check compares the index with the registers of the books and returns a sentence for each gap: a
// citation or scenario of a clause that does not exist, an executable clause without code or
// without a scenario, and a clause that is shown to people or done by hand and does not say where.
// If it returns nothing, every executable clause has code and a test.
func (x *Index) Check() []string {
	holes := append([]string(nil), x.malformed...)
	find := func(ref, id string) string {
		for _, b := range books.All() {
			if b.Ref() != ref {
				continue
			}
			if _, ok := b.Clause(id); !ok {
				return fmt.Sprintf("%s has no clause %q", ref, id)
			}
			return ""
		}
		if b, err := books.Find(ref); err == nil {
			return fmt.Sprintf("the book is cited as %s, not %q", b.Ref(), ref)
		}
		return fmt.Sprintf("there is no book %q", ref)
	}
	for _, c := range x.Code {
		if wrong := find(c.Book, c.Clause); wrong != "" {
			holes = append(holes, fmt.Sprintf("%s:%d: %s", c.File, c.Line, wrong))
		}
	}
	for _, p := range x.Scenarios {
		if wrong := find(p.Book, p.Clause); wrong != "" {
			holes = append(holes, fmt.Sprintf("%s: %s", p.File, wrong))
		}
	}
	for _, b := range books.All() {
		for i := range b.Clauses {
			c := &b.Clauses[i]
			name := b.ClauseRef(c.ID)
			switch c.Kind {
			case rules.Executable:
				if len(x.CodeOf(b.Ref(), c.ID)) == 0 {
					holes = append(holes, name+": no code cites this executable clause")
				}
				if len(x.ScenariosOf(b.Ref(), c.ID)) == 0 {
					holes = append(holes, fmt.Sprintf("%s: no scenario proves this executable clause: write %s/%s/%s_...%s", name, scenarioRoot, b.ID, c.ID, scenarioExt))
				}
			case rules.Display, rules.Procedure:
				if c.Where == "" {
					holes = append(holes, fmt.Sprintf("%s: a %s clause must say where", name, c.Kind))
				}
			case rules.Definition:
			default:
				holes = append(holes, name+": the clause has no kind")
			}
		}
	}
	return holes
}
