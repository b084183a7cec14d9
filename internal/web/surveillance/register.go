package surveillance

import (
	"bytes"
	"encoding/json"
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

func (r *room) register(v *site.Visit) error {
	s, ok, err := r.Desk.Staff(v, access.ReadReports)
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
	return v.Show(site.Page{Title: v.T("watch.significant"), Wide: true, Body: registerPage(v, s, g)})
}

// exportRegister answers with the register as a report.
func (r *room) exportRegister(v *site.Visit) error {
	_, ok, err := r.Desk.Staff(v, access.ReadReports)
	if !ok {
		return err
	}
	file := v.Request.PathValue("file")
	if file != "events.csv" && file != "events.json" {
		return v.NotFound()
	}
	kind, err := kindAsked(v)
	if err != nil {
		return err
	}
	made, err := report.Make(v.Context(), r.Record, report.Query{Kind: report.SignificantEvents, Event: kind}, r.Version, r.NowMs())
	if err != nil {
		return err
	}
	if file == "events.json" {
		text, err := json.Marshal(made)
		if err != nil {
			return err
		}
		return v.Download("significant-"+file, "application/json", text)
	}
	var text bytes.Buffer
	if err := made.CSV(&text); err != nil {
		return err
	}
	return v.Download("significant-"+file, "text/csv; charset=utf-8", text.Bytes())
}

// address returns that of a page or a file of the register, with the kind that is shown.
func (g *register) address(path string, before int64) templ.SafeURL {
	asked := url.Values{}
	if g.kind != 0 {
		asked.Set("kind", g.kind.String())
	}
	if before != 0 {
		asked.Set("before", strconv.FormatInt(before, 10))
	}
	if len(asked) > 0 {
		path += "?" + asked.Encode()
	}
	return templ.SafeURL(path)
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
