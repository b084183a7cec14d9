// Package rulebook draws the pages of the rules. They show every book clause by clause in our
// words, the rulings in force, and each scenario played step by step on a drawn table.
package rulebook

import (
	"embed"
	"path"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/register"
	"trey/internal/web/felt"
	"trey/internal/web/site"
	"trey/rules"
	"trey/rules/books"
	"trey/scenario"
	"trey/sentence"
	"trey/table"
	"trey/trace"
)

//go:embed *.css *.js
var files embed.FS

// Section returns the pages of the rules. The index says which scenario proves which clause.
func Section(index *trace.Index) site.Section {
	s := &shelf{books: map[string]*volume{}}
	for _, b := range books.All() {
		s.books[b.ID] = newVolume(b, index)
		s.order = append(s.order, s.books[b.ID])
	}
	return site.Section{
		Path: "/rules", Key: "rules", Files: files,
		Routes: map[string]site.Handler{
			"GET /rules":                        s.list,
			"GET /rules/{book}":                 s.book,
			"GET /rules/{book}/{clause}":        s.clause,
			"GET /rules/{book}/scenario/{name}": s.scenario,
		},
	}
}

// shelf is all books with their registers.
type shelf struct {
	books map[string]*volume
	order []*volume
}

// volume is one book as it is shown.
type volume struct {
	*rules.Book
	register register.Book
	chapters []chapter
	at       map[string]int // clause id to its place in the register
}

// chapter is the clauses whose numbers begin alike; without a name it is all clauses of a text
// that has no chapters.
type chapter struct {
	name    string
	clauses []register.Clause
}

func newVolume(b *rules.Book, index *trace.Index) *volume {
	v := &volume{Book: b, register: register.Of(b.Standard(), index), at: map[string]int{}}
	inChapters := slices.ContainsFunc(v.register.Clauses, func(c register.Clause) bool { return strings.Contains(c.ID, ".") })
	for i, c := range v.register.Clauses {
		v.at[c.ID] = i
		name := ""
		if inChapters {
			name, _, _ = strings.Cut(c.ID, ".")
		}
		if n := len(v.chapters); n == 0 || v.chapters[n-1].name != name {
			v.chapters = append(v.chapters, chapter{name: name})
		}
		last := &v.chapters[len(v.chapters)-1]
		last.clauses = append(last.clauses, c)
	}
	return v
}

func (s *shelf) list(v *site.Visit) error {
	return v.Show(site.Page{
		Title: v.T("rules.title"), Description: v.T("rules.lead"), Section: "rules",
		Body: list(v, s.order),
	})
}

func (s *shelf) find(v *site.Visit) (*volume, error) {
	if b := s.books[v.Request.PathValue("book")]; b != nil {
		return b, nil
	}
	return nil, v.NotFound()
}

func (s *shelf) book(v *site.Visit) error {
	b, err := s.find(v)
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.Term(b.Title) + ", " + v.Term(b.House), Section: "rules", Modules: []string{"rules.js"}, Sheets: []string{"filter.page.css"},
		Description: v.T("rules.of", "game", v.Term(b.Title), "house", v.Term(b.House)),
		Body:        book(v, b),
	})
}

func (s *shelf) clause(v *site.Visit) error {
	b, err := s.find(v)
	if err != nil {
		return err
	}
	id := v.Request.PathValue("clause")
	if at, anchor := b.stands(id); anchor != "" {
		return v.Redirect("/rules/" + b.ID + "/" + at + anchor)
	}
	i, ok := b.at[id]
	if !ok {
		return v.NotFound()
	}
	c := &b.register.Clauses[i]
	var proofs []proof
	for _, file := range c.Scenarios {
		script, err := scenario.Load(file)
		if err != nil {
			return err
		}
		proofs = append(proofs, proof{nameOf(file), script.What})
	}
	var before, after string
	if i > 0 {
		before = b.register.Clauses[i-1].ID
	}
	if i+1 < len(b.register.Clauses) {
		after = b.register.Clauses[i+1].ID
	}
	return v.Show(site.Page{
		Title: c.Ref, Description: v.Term(c.Summary), Section: "rules",
		Body: clause(v, b, c, proofs, before, after),
	})
}

// proof is a scenario as a clause lists it.
type proof struct{ name, what string }

func nameOf(file string) string { return strings.TrimSuffix(path.Base(file), ".txtar") }

func (s *shelf) scenario(v *site.Visit) error {
	b, err := s.find(v)
	if err != nil {
		return err
	}
	name := v.Request.PathValue("name")
	script, err := scenario.Load(path.Join("scenario/testdata", b.ID, name+".txtar"))
	if err != nil {
		return v.NotFound()
	}
	steps, err := script.Steps()
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: name, Description: v.Term(script.What), Section: "rules", Modules: []string{"scenario.js"},
		Body: played(v, b, name, script, scenes(steps)),
	})
}

// scene is one command of a scenario, with its events and the state after it.
type scene struct {
	step   *scenario.Step
	notes  []string
	refuse *table.Refusal
	events []sentence.Sentence
	said   []sentence.Sentence
	checks []check
	// drawn says that the table is another than in the scene before.
	drawn   bool
	table   string // which table, where there are several
	layout  felt.Table
	lines   []table.Line
	jackpot []sentence.Sentence
}

// check is something that is true after a scene, or a note about what is.
type check struct {
	step *scenario.Step // nil for a note
	note string
}

// scenes gathers the steps of a scenario: what only checks belongs to what was
// done before it.
func scenes(steps []scenario.Step) []scene {
	several := false
	var all []scene
	for i := range steps {
		step := &steps[i]
		if step.Checks {
			if n := len(all); n > 0 {
				for _, note := range step.Notes {
					all[n-1].checks = append(all[n-1].checks, check{note: note})
				}
				all[n-1].checks = append(all[n-1].checks, check{step: step})
			}
			continue
		}
		several = several || step.Table != steps[0].Table
		s := scene{step: step, notes: step.Notes, table: step.Table, jackpot: step.Jackpot}
		s.refuse, _ = step.Refusal.(*table.Refusal)
		for _, result := range step.Results {
			for _, e := range result.Events {
				lines := table.EffectOf(e).Lines
				s.lines = append(s.lines, lines...)
				switch said, ok := e.(table.Announced); {
				case ok:
					s.said = append(s.said, said.Sentence(result.State))
				case len(lines) > 0: // which are shown as a table
					s.events = append(s.events, table.Heading(e, result.State)...)
				default:
					s.events = append(s.events, table.Sentences(e, result.State)...)
				}
			}
		}
		if i > 0 && len(step.Results) > 0 {
			s.drawn, s.layout = true, felt.Example(&step.State)
		}
		all = append(all, s)
	}
	for i := range all {
		if !several {
			all[i].table = ""
		}
	}
	return all
}

// link returns the page of a clause.
func link(b *volume) func(clause string) templ.SafeURL {
	return func(clause string) templ.SafeURL {
		clause, anchor := b.stands(clause)
		if _, ok := b.at[clause]; !ok {
			return templ.SafeURL("/rules/" + b.ID)
		}
		return templ.SafeURL("/rules/" + b.ID + "/" + clause + anchor)
	}
}

// stands returns the clause on whose page a provision stands, and the place there:
// a ruling stands with the first clause that leaves its point open.
func (b *volume) stands(provision string) (clause, anchor string) {
	if r, cites := rules.CitedRuling(provision); cites {
		if open := b.OpenRuling(r); open != nil && len(open.Clauses) > 0 {
			return open.Clauses[0], "#rulings"
		}
	}
	return provision, ""
}

// clauseOf returns the id in a full reference such as "rws-3cp@3 5.8.6".
func clauseOf(ref string) string {
	_, id, _ := strings.Cut(ref, " ")
	return id
}
