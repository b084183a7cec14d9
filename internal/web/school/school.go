// Package school shows the exercises of package drill: single ones, whose scores the browser
// keeps, and sittings of whole rounds against the clock, whose result the house signs. The
// house keeps nothing about the learner.
package school

import (
	"crypto/rand"
	"embed"
	"encoding/base32"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/drill"
	"trey/internal/web/site"
	"trey/rules"
	"trey/rules/books"
)

//go:embed *.css *.js
var files embed.FS

// sheets are the styles that only the pages of the school load.
var sheets = []string{"school.page.css"}

// Config holds what the school needs from its caller.
type Config struct {
	// NowMs is the clock of the house.
	NowMs func() int64
	// Sign signs the lines of a result, as [drill.Result.Lines] writes them; nil where nothing
	// is signed.
	Sign func(lines string) ([]byte, error)
	// Person returns the number in the record of whoever is signed in, zero for nobody; nil
	// where nobody signs in.
	Person func(v *site.Visit) int64
}

// Section returns the school.
func Section(c Config) site.Section {
	h := newSittings(c)
	return site.Section{
		Path: "/school", Key: "school", Files: files,
		Routes: map[string]site.Handler{
			"GET /school":                          overview,
			"GET /school/{book}":                   ofBook,
			"GET /school/{book}/{kind}":            draw,
			"GET /school/{book}/{kind}/{id}":       show,
			"POST /school/{book}/{kind}/{id}":      grade,
			"GET /school/{book}/rounds":            h.ask,
			"POST /school/{book}/rounds":           h.begin,
			"GET /school/{book}/rounds/{sitting}":  h.show,
			"POST /school/{book}/rounds/{sitting}": h.finish,
		},
	}
}

func overview(v *site.Visit) error { return showClasses(v, books.All(), v.T("school.title")) }

func ofBook(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	return showClasses(v, []*rules.Book{b}, v.T("school.title")+": "+v.Term(b.Title)+", "+v.Term(b.House))
}

func showClasses(v *site.Visit, all []*rules.Book, title string) error {
	return v.Show(site.Page{
		Title: title, Description: v.T("school.lead"), Section: "school", Sheets: sheets,
		Modules: []string{"school.js"}, Body: classes(v, all),
	})
}

func kindOf(v *site.Visit) (drill.Kind, error) {
	kind, err := drill.ParseKind(v.Request.PathValue("kind"))
	if err != nil {
		return 0, v.NotFound()
	}
	return kind, nil
}

// draw sends the learner to an exercise that nobody has chosen.
func draw(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	kind, err := kindOf(v)
	if err != nil {
		return err
	}
	return v.Redirect(address(b, kind) + "/" + newID())
}

// newID returns the number of a new exercise.
func newID() string {
	var bytes [5]byte
	_, _ = rand.Read(bytes[:]) // it never fails, by its documentation
	return strings.ToLower(base32.StdEncoding.EncodeToString(bytes[:]))
}

func exerciseOf(v *site.Visit) (*drill.Exercise, error) {
	b, err := v.Book()
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(v)
	if err != nil {
		return nil, err
	}
	id := v.Request.PathValue("id")
	if !drill.IsSeed(id) {
		return nil, v.NotFound()
	}
	return drill.Draw(b, kind, id), nil
}

func show(v *site.Visit) error {
	e, err := exerciseOf(v)
	if err != nil {
		return err
	}
	return v.Show(lesson(v, e, nil))
}

func lesson(v *site.Visit, e *drill.Exercise, verdict *drill.Verdict) site.Page {
	return site.Page{
		Title: v.T("school.kind-"+e.Kind.String()) + ": " + v.Term(e.Book.Title), Description: v.T("school.lead"), Section: "school", Sheets: sheets,
		Modules: []string{"school.js"}, Body: exercise(v, e, verdict),
	}
}

// grade compares an answer with what the engine says.
func grade(v *site.Visit) error {
	e, err := exerciseOf(v)
	if err != nil {
		return err
	}
	form, err := v.Form(8 << 10)
	if err != nil {
		return err
	}
	verdict := e.Grade(form)
	if v.Wants(site.FragmentHeader) {
		return v.Fragment(judged(v, e, verdict))
	}
	return v.Show(lesson(v, e, verdict))
}

func address(b *rules.Book, kind drill.Kind) string { return "/school/" + b.ID + "/" + kind.String() }

func link(b *rules.Book) func(clause string) templ.SafeURL {
	return func(clause string) templ.SafeURL {
		if _, ok := b.Clause(clause); !ok {
			return templ.SafeURL("/rules/" + b.ID)
		}
		return templ.SafeURL("/rules/" + b.ID + "/" + clause)
	}
}
