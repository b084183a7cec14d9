package surveillance

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/house/access"
	"trey/internal/house/report"
	"trey/internal/house/significant"
	"trey/internal/web/site"
)

// perPage is the number of significant events on a page.
const perPage = 100

// register is a page of the register of significant events.
type register struct {
	kind   significant.Kind // zero for all
	events []significant.Event
	more   bool
}

// kindAsked returns the kind of events that a visitor asks for; zero is all.
func kindAsked(v *site.Visit) (significant.Kind, error) {
	text := v.Request.URL.Query().Get("kind")
	if text == "" {
		return 0, nil
	}
	kind, err := significant.ParseKind(text)
	if err != nil {
		return 0, v.NotFound()
	}
	return kind, nil
}

func (r *handlers) register(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.ReadReports)
	if !ok {
		return err
	}
	kind, err := kindAsked(v)
	if err != nil {
		return err
	}
	before, err := strconv.ParseInt(v.Request.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	g := &register{kind: kind}
	if g.events, g.more, err = significant.Newest(v.Context(), r.Record, kind, before, perPage); err != nil {
		return err
	}
	return v.Show(site.Page{Title: v.T("watch.significant"), Sheets: sheets, Wide: true, Body: registerPage(v, s, g)})
}

// older returns the address of the page with the events before a transaction.
func (g *register) older(before int64) templ.SafeURL {
	asked := url.Values{"before": {strconv.FormatInt(before, 10)}}
	if g.kind != 0 {
		asked.Set("kind", g.kind.String())
	}
	return templ.SafeURL("/surveillance/significant?" + asked.Encode())
}

// report returns the address of the register as a report, from the beginning of the record, with
// the kind that is shown.
func (g *register) report() templ.SafeURL {
	asked := url.Values{"from": {""}}
	if g.kind != 0 {
		asked.Set(report.ByEvent.String(), g.kind.String())
	}
	return templ.SafeURL("/reports/" + report.SignificantEvents.String() + "?" + asked.Encode())
}

// personName returns the name of a person, and for what acts without being one, such as the
// house itself, words of the reader's language.
func personName(v *site.Visit, name string) string {
	switch {
	case name == "the house":
		return v.T("watch.significant-house")
	case strings.HasPrefix(name, "the "): // no person's: their names have no spaces
		return v.Term(name)
	}
	return name
}
