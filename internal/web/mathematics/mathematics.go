// Package mathematics is the pages of the exact figures: the par sheets of all
// books, the designer in which every figure follows a changed rule at once, and
// the strategy. It computes nothing itself: package odds does, and package
// parsheet words it.
package mathematics

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"sync"

	"trey/internal/parsheet"
	"trey/internal/web/practice"
	"trey/internal/web/site"
	"trey/odds"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/sentence"
)

//go:embed *.css *.js
var files embed.FS

// sheets are the style sheets of the pages.
var sheets = []string{"mathematics.page.css"}

// Section returns the pages of the mathematics. The version is the program's, for the reports
// that can be downloaded.
func Section(version string) site.Section {
	d := &handlers{version: version, turns: make(chan struct{}, runtime.GOMAXPROCS(0)), standard: standardSheets()}
	return site.Section{
		Path: "/mathematics", Key: "mathematics", Files: files,
		Routes: map[string]site.Handler{
			"GET /mathematics":                        d.overview,
			"GET /mathematics/{book}":                 d.sheet,
			"GET /mathematics/{book}/strategy":        d.strategy,
			"GET /mathematics/{book}/export/{format}": d.export,
		},
	}
}

// standardSheets returns the par sheet of each book as it stands, by its id.
var standardSheets = sync.OnceValue(func() map[string]*odds.Sheet {
	all := map[string]*odds.Sheet{}
	for _, b := range books.All() {
		sheet, err := odds.Analyse(b.Standard(), odds.Options{})
		if err != nil {
			panic("mathematics: " + err.Error()) // a book that cannot be analysed cannot be
		}
		all[b.ID] = sheet
	}
	return all
})

// handlers serves the pages of the mathematics.
type handlers struct {
	version string
	// standard holds the par sheet of each book as it stands.
	standard map[string]*odds.Sheet
	// turns bounds how many analyses run at once.
	turns chan struct{}
}

// overview compares all books.
func (d *handlers) overview(v *site.Visit) error {
	var all []*parsheet.View
	for _, b := range books.All() {
		view := parsheet.NewReport(b.Standard(), d.standard[b.ID], d.version, nil).View()
		all = append(all, &view)
	}
	return v.Show(site.Page{
		Title: v.T("math.title"), Description: v.T("math.lead"), Section: "mathematics", Sheets: sheets,
		Body: overview(v, books.All(), all),
	})
}

// work waits for its turn and analyses the design.
func (d *handlers) work(ctx context.Context, design *Design) (*odds.Sheet, error) {
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return odds.Analyse(design.Variant, design.Options)
}

// sheet answers with the designer: a form with every term, and the par sheet of its variant. A
// module of ours asks for the par sheet alone.
func (d *handlers) sheet(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	design := ReadDesign(b, v.Request.URL.Query())
	worked, err := d.work(v.Context(), design)
	if errors.Is(err, context.Canceled) {
		return err
	}
	var report *parsheet.Report
	if err != nil {
		design.Fail("", sentence.Why(err))
	} else {
		report = parsheet.NewReport(design.Variant, worked, d.version, design.remarks())
	}
	result := figures(v, design, report, worked, d.standard[b.ID])
	if v.Wants(site.FragmentHeader) {
		return v.Fragment(result)
	}
	return v.Show(site.Page{
		Title: v.T("math.sheet") + ": " + v.Term(b.Title) + ", " + v.Term(b.House), Section: "mathematics",
		Description: v.T("math.sheet-of", "game", v.Term(b.Title), "house", v.Term(b.House)),
		Modules:     []string{"designer.js"}, Sheets: sheets, Wide: true,
		Body: designer(v, design, result),
	})
}

// strategy answers with the advice for every hand.
func (d *handlers) strategy(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	if b.Decision == nil {
		return v.NotFound()
	}
	design := ReadDesign(b, v.Request.URL.Query())
	design.Options.Bets = []odds.Bet{odds.AntePlay}
	worked, err := d.work(v.Context(), design)
	if err != nil {
		return problem(err)
	}
	if v.Wants(site.FragmentHeader) {
		return practice.Answer(v, design.Variant, worked.Wagers[odds.AntePlay].Strategy)
	}
	report := parsheet.NewStrategy(design.Variant, worked, d.version, design.remarks())
	if v.Request.URL.Query().Has("csv") {
		text, err := report.CSV(false)
		if err != nil {
			return err
		}
		return v.Download(b.ID+"-strategy.csv", "text/csv; charset=utf-8", text)
	}
	return v.Show(site.Page{
		Title: v.T("math.strategy") + ": " + v.Term(b.Title) + ", " + v.Term(b.House), Section: "mathematics",
		Description: v.T("math.strategy-of", "game", v.Term(b.Title), "house", v.Term(b.House)),
		Modules:     []string{"opener.js"}, Sheets: sheets,
		Body: strategy(v, design, worked.Wagers[odds.AntePlay].Strategy, report.Ranks()),
	})
}

// problem returns an error of the mathematics as an answer: the program is not at fault, but
// the request cannot be computed.
func problem(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &site.Problem{Status: http.StatusUnprocessableEntity, Text: err.Error()}
}

// formats are the forms of a report that can be downloaded, in the order in
// which they are offered.
var formats = []string{"xlsx", "html", "csv", "json", "txt", "toml"}

var contentTypes = map[string]string{
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8", "json": "application/json",
	"txt": "text/plain; charset=utf-8", "toml": "application/toml",
}

// export answers with the par sheet as a file, the same that `trey odds` writes, or as toml
// with the variant itself.
func (d *handlers) export(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	format := v.Request.PathValue("format")
	if !slices.Contains(formats, format) {
		return v.NotFound()
	}
	design := ReadDesign(b, v.Request.URL.Query())
	if len(design.Faults) > 0 {
		return &site.Problem{Status: http.StatusUnprocessableEntity, Text: v.T("math.not-exported")}
	}
	if format == "toml" {
		return v.Download(b.ID+"-variant.toml", contentTypes[format], variant.Write(design.Variant))
	}
	worked, err := d.work(v.Context(), design)
	if err != nil {
		return problem(err)
	}
	report := parsheet.NewReport(design.Variant, worked, d.version, design.remarks())
	var text []byte
	switch format {
	case "xlsx":
		text, err = report.Workbook()
	case "html":
		text, err = report.HTML()
	case "csv":
		text, err = report.CSV()
	case "json":
		text, err = report.JSON()
	default:
		text = report.Text()
	}
	if err != nil {
		return err
	}
	return v.Download(b.ID+"-par-sheet."+format, contentTypes[format], text)
}
