// Package reports shows the reports of a house to those who may read them, each narrowed by its
// reader, and offers them as files. It also has what other pages take to show a report: the
// period, the tables and their values.
package reports

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/report"
	"trey/internal/house/significant"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
)

//go:embed *.css
var files embed.FS

// Config holds what the pages need from their caller.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
	// Record is the record of the house.
	Record report.Source
	// NowMs is the house's clock.
	NowMs func() int64
	// Name is the house's and Version the program's, as they stand on reports.
	Name, Version string
}

// handlers answers for the pages.
type handlers struct{ Config }

// path is the beginning of the pages' addresses.
const path = "/reports"

// Section returns the pages of the reports.
func Section(c Config) site.Section {
	h := &handlers{c}
	return site.Section{
		Path: path, Files: files,
		Routes: map[string]site.Handler{
			"GET " + path:             h.list,
			"GET " + path + "/{name}": h.show,
		},
	}
}

// Sheet is the style of a report.
const Sheet = "reports.page.css"

// mayRead reports whether somebody of a role may read a report.
func mayRead(r access.Role, k report.Kind) bool {
	return r.Can(access.ReadReports) && r.Can(k.Permission())
}

func (h *handlers) list(v *site.Visit) error {
	person, ok, err := h.Authenticator.Staff(v, access.ReadReports)
	if !ok {
		return err
	}
	kinds := slices.DeleteFunc(report.Kinds(), func(k report.Kind) bool { return !mayRead(person.Role, k) })
	return v.Show(site.Page{Title: v.T("reports.title"), Sheets: []string{Sheet}, Wide: true, Body: listPage(v, person, kinds)})
}

// MostRows is the number of rows of a table that a page shows. Files have all.
const MostRows = 300

// request is a report as a visitor asks for it.
type request struct {
	kind   report.Kind
	person identity.Session
	period *Period
	// fields holds what was entered by which the report is narrowed, and wrong what is wrong with it.
	fields url.Values
	wrong  map[string]string
	query  report.Query
	// tables and jackpots are those from which one can be chosen.
	tables, jackpots []string
}

// requestOf reads what a visitor asks for.
func (h *handlers) requestOf(v *site.Visit, kind report.Kind) *request {
	asked := v.Request.URL.Query()
	q := &request{kind: kind, period: PeriodOf(v, h.NowMs()), fields: url.Values{}, wrong: map[string]string{}, tables: h.House.Tables(), jackpots: h.House.Jackpots()}
	for _, f := range kind.Filters() {
		if text := strings.TrimSpace(asked.Get(f.String())); text != "" {
			q.fields.Set(f.String(), text)
		}
	}
	text := func(f report.FilterKind) string { return q.fields.Get(f.String()) }
	q.query = report.Query{
		Kind: kind, FromMs: q.period.FromMs, ToMs: q.period.ToMs, Rules: h.House,
		Table: text(report.ByTable), Jackpot: text(report.ByJackpot), Player: text(report.ByPlayer),
	}
	if event := text(report.ByEvent); event != "" {
		var err error
		if q.query.Event, err = significant.ParseKind(event); err != nil {
			q.wrong[report.ByEvent.String()] = v.T("reports.wrong-event")
		}
	}
	if least := text(report.ByThreshold); least != "" {
		a, err := money.Parse(least)
		if err != nil || a <= 0 {
			q.wrong[report.ByThreshold.String()] = v.T("console.amount-wrong")
		}
		q.query.Threshold = a
	}
	return q
}

// address returns that of the same report as a file, or as a page where end is empty.
func (q *request) address(end string) templ.SafeURL {
	asked := url.Values{"from": {q.period.From}, "to": {q.period.To}}
	for name, values := range q.fields {
		asked[name] = values
	}
	return templ.SafeURL(path + "/" + q.kind.String() + end + "?" + asked.Encode())
}

// show answers with a report, as a page or, where its name ends so, as a file.
func (h *handlers) show(v *site.Visit) error {
	if _, ok, err := h.Authenticator.Staff(v, access.ReadReports); !ok {
		return err
	}
	name, form, file := strings.Cut(v.Request.PathValue("name"), ".")
	kind, err := report.ParseKind(name)
	if err != nil || file && !slices.Contains(forms, form) {
		return v.NotFound()
	}
	person, ok, err := h.Authenticator.Staff(v, kind.Permission())
	if !ok {
		return err
	}
	q := h.requestOf(v, kind)
	q.person = person
	var made *report.Report
	if len(q.wrong) == 0 && len(q.period.Wrong) == 0 {
		if made, err = report.Make(v.Context(), h.Record, q.query, h.Version, h.NowMs()); err != nil {
			return err
		}
		made.House = h.Name
	}
	if file && made != nil {
		return download(v, made, form)
	}
	return v.Show(site.Page{Title: v.Term(kind.Title()), Sheets: []string{Sheet}, Wide: true, Body: reportPage(v, q, made)})
}

// forms are those of the files in which a report can be had, as their names end.
var forms = []string{"csv", "json", "txt"}

// download answers with a report as a file.
func download(v *site.Visit, made *report.Report, form string) error {
	name := made.Kind.String() + "." + form
	var text bytes.Buffer
	switch form {
	case "csv":
		if err := made.CSV(&text); err != nil {
			return err
		}
		return v.Download(name, "text/csv; charset=utf-8", text.Bytes())
	case "txt":
		if err := made.Paper(&text); err != nil {
			return err
		}
		return v.Download(name, "text/plain; charset=utf-8", text.Bytes())
	default:
		body, err := json.Marshal(made)
		if err != nil {
			return err
		}
		return v.Download(name, "application/json", body)
	}
}

// Current marks a link as that of the page on which it stands.
func Current(here bool) templ.Attributes {
	if !here {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}

// about says what a report shows.
func about(v *site.Visit, k report.Kind) string {
	return v.T("reports."+k.String(), "amount", v.Money(report.DefaultThreshold))
}

// withValue returns names with one that may not be among them, which is then the last.
func withValue(names []string, value string) []string {
	if value == "" || slices.Contains(names, value) {
		return names
	}
	return append(slices.Clone(names), value)
}
