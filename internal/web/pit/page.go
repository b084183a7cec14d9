package pit

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/report"
	"trey/internal/web/live"
	"trey/internal/web/reports"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
)

// Config holds what the pages need from their caller.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
	// Record is the record of the house.
	Record report.Source
	// Autodealer knows the automatic tables that need a person; nil where nobody runs any.
	Autodealer interface{ Alerts() []autodealer.Alert }
	// NowMs is the house's clock.
	NowMs func() int64
	// Version is the program's.
	Version string
}

// handlers answers for the pages.
type handlers struct{ Config }

// Section returns the pages of the pit.
func Section(c Config) site.Section {
	h := &handlers{c}
	return site.Section{
		Path: "/pit", Files: Files,
		Routes: map[string]site.Handler{
			"GET /pit":         h.tables,
			"GET /pit/events":  h.events,
			"GET /pit/players": h.players,
		},
	}
}

// figures returns a report for the period, nil if there is no such period.
func (h *handlers) figures(v *site.Visit, kind report.Kind, p *reports.Period) (*report.Report, error) {
	if len(p.Wrong) > 0 {
		return nil, nil
	}
	return report.Make(v.Context(), h.Record, report.Query{Kind: kind, FromMs: p.FromMs, ToMs: p.ToMs, Rules: h.House}, h.Version, h.NowMs())
}

// floor is the page of all tables.
type floor struct {
	person identity.Session
	period *reports.Period
	made   *report.Report
	status []house.TableStatus
	alerts []Alert
}

func (h *handlers) floor() (*floor, error) {
	status, err := Tables(h.House)
	if err != nil {
		return nil, err
	}
	return &floor{status: status, alerts: Alerts(status, h.Autodealer)}, nil
}

func (h *handlers) tables(v *site.Visit) error {
	person, ok, err := h.Authenticator.Staff(v, access.ReadReports)
	if !ok {
		return err
	}
	f, err := h.floor()
	if err != nil {
		return err
	}
	f.person, f.period = person, reports.PeriodOf(v, h.NowMs())
	if f.made, err = h.figures(v, report.Pit, f.period); err != nil {
		return err
	}
	return v.Show(site.Page{Title: v.T("pit.title"), Modules: []string{"parts.js"}, Sheets: []string{reports.Sheet, Sheet}, Wide: true, Body: floorPage(v, f)})
}

// events keeps the states of the tables and the alerts of the page as they are. The figures
// are those of the moment at which the page was opened.
func (h *handlers) events(v *site.Visit) error {
	return live.Follow(v, live.Source{House: h.House, PauseMs: 300, Parts: func() ([]live.Part, error) {
		person, ok := h.Authenticator.Peek(v)
		if !ok || !person.Role.Can(access.ReadReports) {
			return nil, &site.Problem{Status: http.StatusUnauthorized, Text: v.T("sign.over")}
		}
		f, err := h.floor()
		if err != nil {
			return nil, err
		}
		f.person = person
		return f.parts(v), nil
	}})
}

func (f *floor) parts(v *site.Visit) []live.Part {
	parts := []live.Part{{ID: "p-alerts", Body: floorAlerts(v, f)}}
	for i := range f.status {
		parts = append(parts, live.Part{ID: partOf(f.status[i].Name), Body: State(v, &f.status[i])})
	}
	return parts
}

// partOf returns the id of the part of the page with the state of a table.
func partOf(name string) string { return "p-table-" + name }

// tablePath returns the page of a table that is for the person's role, empty if there is none.
func (f *floor) tablePath(name string) templ.SafeURL {
	switch {
	case f.person.Role.Can(access.DealTable):
		return templ.SafeURL("/console/" + url.PathEscape(name))
	case f.person.Role.Can(access.SearchRounds) || f.person.Role.Can(access.ReadLog):
		return templ.SafeURL("/surveillance/tables/" + url.PathEscape(name))
	default:
		return ""
	}
}

// row returns the figures of a table in the period, nil if it had none.
func (f *floor) row(name string) report.Row {
	for _, row := range f.made.Sections[0].Rows {
		if row[0] == name {
			return row
		}
	}
	return nil
}

// chipSections returns the fills and credits by denomination of each table and of all
// together: they stand last in the report.
func chipSections(made *report.Report) (each, together *report.Section) {
	n := len(made.Sections)
	return &made.Sections[n-2], &made.Sections[n-1]
}

func (h *handlers) players(v *site.Visit) error {
	person, ok, err := h.Authenticator.Staff(v, access.SeeRatings)
	if !ok {
		return err
	}
	p := reports.PeriodOf(v, h.NowMs())
	made, err := h.figures(v, report.PlayerRatings, p)
	if err != nil {
		return err
	}
	return v.Show(site.Page{Title: v.T("pit.players"), Sheets: []string{reports.Sheet, Sheet}, Wide: true, Body: playersPage(v, person, p, made)})
}

// outside reports whether the win of a table lies outside of the band around its theoretical
// win.
func outside(s *report.Section, row report.Row) bool {
	amounts := map[string]money.Amount{}
	for i, c := range s.Columns {
		amounts[c.Key], _ = row[i].(money.Amount)
	}
	return amounts["rated_win"] < amounts["low"] || amounts["rated_win"] > amounts["high"]
}
