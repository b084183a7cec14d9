package reports

import (
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"trey/internal/web/site"
)

// Period is the time over which figures are added up, as a visitor asked for it.
type Period struct {
	// From and To are the values of the form's fields.
	From, To string
	// FromMs and ToMs are the bounds in milliseconds of the house's clock, zero for none.
	FromMs, ToMs int64
	// Zones name the house's own zone at each bound, by the name of the field.
	Zones map[string]string
	// Wrong says what is wrong with a field, by its name. There are no figures then.
	Wrong map[string]string
}

// PeriodOf reads the period that a visitor asks for. Without one it is the day so far, in the
// house's own zone.
func PeriodOf(v *site.Visit, nowMs int64) *Period {
	asked := v.Request.URL.Query()
	p := &Period{From: strings.TrimSpace(asked.Get("from")), To: strings.TrimSpace(asked.Get("to")), Wrong: map[string]string{}}
	if !asked.Has("from") {
		p.From = time.UnixMilli(site.DayBegan(nowMs)).Format(site.Minute)
	}
	p.Zones = map[string]string{"from": site.ZoneOf(p.From, nowMs), "to": site.ZoneOf(p.To, nowMs)}
	read := func(name, text string) int64 {
		if text == "" {
			return 0
		}
		at, ok := site.ParseMoment(text)
		if !ok {
			p.Wrong[name] = v.T("watch.wrong-time")
		}
		return at
	}
	p.FromMs, p.ToMs = read("from", p.From), read("to", p.To)
	if len(p.Wrong) == 0 && (p.ToMs != 0 && p.ToMs <= p.FromMs || p.ToMs == 0 && p.FromMs > nowMs) {
		p.Wrong["to"] = v.T("watch.wrong-bounds")
	}
	return p
}

// Address returns the address of a page for the same period.
func (p *Period) Address(path string) templ.SafeURL {
	return templ.SafeURL(path + "?" + url.Values{"from": {p.From}, "to": {p.To}}.Encode())
}
