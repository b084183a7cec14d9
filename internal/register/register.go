// Package register is what `trey rules` and `trey variant` print: a book's clauses
// in our own words, the rulings in force beside the clauses they concern, and
// where each clause is carried out and proved; and what a table plays by an
// operator's variant. It writes it for people, in at most 80 columns, and as JSON
// for programs. It decides nothing and keeps nothing.
package register

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"trey/rules"
	"trey/rules/books"
	"trey/sentence"
	"trey/trace"
)

// Book is one rule book as it is listed.
type Book struct {
	Ref     string `json:"book"`
	ID      string `json:"id"`
	Edition string `json:"edition,omitempty"`
	Title   string `json:"title"`
	House   string `json:"house"`
	// Variant and Hash name the variant whose rulings are in force; empty for the
	// book as it stands.
	Variant string `json:"variant,omitempty"`
	Hash    string `json:"hash,omitempty"`
	// Counts holds the number of clauses of each kind.
	Counts  map[string]int `json:"counts"`
	Clauses []Clause       `json:"clauses,omitempty"`
}

// Clause is one clause with all that is known about it.
type Clause struct {
	Ref     string `json:"clause"`
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	// Title names the clause in the language of the text, where that is not English.
	Title string `json:"title,omitempty"`
	// Variant names the variant whose rulings are in force; empty for the book as
	// it stands.
	Variant string `json:"variant,omitempty"`
	// Where is where people are shown it, or what helps the hands that do it.
	Where     string   `json:"where,omitempty"`
	Rulings   []Ruling `json:"rulings,omitempty"`
	Code      []Place  `json:"code,omitempty"`
	Scenarios []string `json:"scenarios,omitempty"`
}

// Ruling is an open point of the text and what is in force about it.
type Ruling struct {
	Key      string `json:"ruling"`
	Question string `json:"question"`
	InForce  string `json:"in_force"`
	// Others are the values that an operator may choose instead.
	Others []string `json:"other_values,omitempty"`
	// Settable reports that the variant states the value, which has no list.
	Settable bool `json:"settable"`
	// Said is InForce as a sentence, for other languages.
	Said sentence.Sentence `json:"-"`
}

// Place is a declaration in the code.
type Place struct {
	File string `json:"file"`
	Decl string `json:"decl"`
}

// Books lists all books without their clauses.
func Books() []Book {
	var all []Book
	for _, b := range books.All() {
		all = append(all, head(b))
	}
	return all
}

func head(b *rules.Book) Book {
	counts := map[string]int{}
	for i := range b.Clauses {
		counts[b.Clauses[i].Kind.String()]++
	}
	return Book{Ref: b.Ref(), ID: b.ID, Edition: b.Edition, Title: b.Title, House: b.House, Counts: counts}
}

// Of returns the whole register of a variant's book, with the rulings as the
// variant has them.
func Of(v *rules.Variant, index *trace.Index) Book {
	book := head(v.Book)
	if v.ID != book.Ref {
		book.Variant, book.Hash = v.ID, v.Hash()
	}
	for i := range v.Book.Clauses {
		book.Clauses = append(book.Clauses, clause(v, &v.Book.Clauses[i], index))
	}
	return book
}

// Find returns one clause. The error names the nearest ones if there is none of
// that id.
func Find(v *rules.Variant, id string, index *trace.Index) (Clause, error) {
	if c, ok := v.Book.Clause(id); ok {
		return clause(v, c, index), nil
	}
	book := v.Book.Ref()
	if near := nearest(v.Book, id); len(near) > 0 {
		return Clause{}, fmt.Errorf("%s has no clause %q: did you mean %s?", book, id, strings.Join(near, ", "))
	}
	return Clause{}, fmt.Errorf("%s has no clause %q: `trey rules %s` lists them", book, id, v.Book.ID)
}

func clause(v *rules.Variant, c *rules.Clause, index *trace.Index) Clause {
	book := v.Book
	out := Clause{Ref: book.ClauseRef(c.ID), ID: c.ID, Kind: c.Kind.String(), Summary: c.Summary, Title: c.Title, Where: c.Where}
	if v.ID != book.Ref() {
		out.Variant = v.ID
	}
	for _, open := range book.OpenRulings() {
		if !slices.Contains(open.Clauses, c.ID) {
			continue
		}
		r, rule := open.Ruling, open.Ruling.Rule()
		ruling := Ruling{Key: rule.Key, Question: rule.Question, InForce: v.Choices[r].String(), Settable: true, Said: sentence.Sentence{Form: v.Choices[r].String()}}
		for _, choice := range open.Values {
			if choice != v.Choices[r] {
				ruling.Others = append(ruling.Others, choice.String())
			}
		}
		out.Rulings = append(out.Rulings, ruling)
	}
	for _, r := range book.Readings {
		if slices.Contains(r.Clauses, c.ID) {
			out.Rulings = append(out.Rulings, Ruling{Key: r.Key, Question: r.Question, InForce: r.Answer(v), Settable: r.Stated(), Said: r.Sentence(v)})
		}
	}
	for _, place := range index.CodeOf(book.Ref(), c.ID) {
		out.Code = append(out.Code, Place{place.File, place.Decl})
	}
	for _, proof := range index.ScenariosOf(book.Ref(), c.ID) {
		out.Scenarios = append(out.Scenarios, proof.File)
	}
	return out
}

// nearest returns up to three clauses whose ids are like the one given, the
// likest first.
func nearest(b *rules.Book, id string) []string {
	type candidate struct {
		id       string
		distance int
	}
	id = strings.ToLower(strings.TrimSpace(id))
	furthest := 1 + len(id)/4
	var near []candidate
	for i := range b.Clauses {
		c := b.Clauses[i].ID
		distance := edits(id, strings.ToLower(c))
		if id != "" && strings.HasPrefix(strings.ToLower(c), id+".") {
			distance = min(distance, 1) // a heading that has no entry of its own
		}
		if distance <= furthest {
			near = append(near, candidate{c, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var ids []string
	for _, c := range near[:min(len(near), 3)] {
		ids = append(ids, c.id)
	}
	return ids
}

// edits returns the Levenshtein distance of two short ids.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			if a[i] != b[j] {
				diagonal++
			}
			row[j+1] = min(above+1, row[j]+1, diagonal)
			diagonal = above
		}
	}
	return row[len(b)]
}
