// Package display shows a jackpot on a wall: its meter, its pays, the hand that takes it, and
// the last hits. It fills the screen, without the frame of the site.
// Everybody may see it.
package display

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"time"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/live"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
)

//go:embed *.css
var files embed.FS

// Config holds what the display needs from its caller.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
	// NowMs is the house's clock.
	NowMs func() int64
}

type handlers struct{ Config }

// Section returns the list of jackpots, and the display of each.
func Section(c Config) site.Section {
	w := &handlers{c}
	return site.Section{
		Path: "/jackpots", Files: files,
		Routes: map[string]site.Handler{
			"GET /jackpots":               w.list,
			"GET /jackpots/{name}":        w.display,
			"GET /jackpots/{name}/events": w.events,
		},
	}
}

// checkSeeFloor lets in whoever may see the floor.
func (w *handlers) checkSeeFloor(v *site.Visit) error {
	if s, ok := w.Authenticator.Peek(v); ok && s.Role.Can(access.SeeFloor) {
		return nil
	}
	return w.Authenticator.CheckSeeFloor(v)
}

// meter is a jackpot as everybody may see it.
type meter struct {
	name    string
	state   jackpot.State
	pending []house.PendingHit
	paid    []house.PaidHit
	// fresh says that the latest was paid a moment ago.
	fresh  bool
	tables int
	// pays are the rows of the pay table on which all tables of the jackpot agree.
	pays []rules.PayRow
	// ranking is the order of hands by which the pay table is read.
	ranking rules.Ranking
}

// freshMs is the time for which a paid hit is shown large. mostShown is the number of paid hits
// below the meter, and mostPending the number of lines for the waiting ones.
const (
	freshMs     = 5 * 60_000
	mostShown   = 4
	mostPending = 2
)

func (w *handlers) meter(v *site.Visit, name string) (*meter, error) {
	state, ok := w.House.Jackpot(name)
	if !ok {
		return nil, v.NotFound()
	}
	m := &meter{name: name, state: state}
	var err error
	if m.pending, err = w.House.PendingHits(name); err != nil {
		return nil, err
	}
	if m.paid, err = w.House.PaidHits(v.Context(), name); err != nil {
		return nil, err
	}
	m.paid = m.paid[:min(len(m.paid), mostShown)]
	m.fresh = len(m.pending) == 0 && len(m.paid) > 0 && w.NowMs()-m.paid[0].AtMs < freshMs
	for _, at := range w.House.Tables() {
		if standing, err := w.House.Status(at); err == nil && standing.Jackpot == name {
			m.tables++
			m.addPays(standing.InForce().Variant)
		}
	}
	return m, nil
}

// hits counts the hits that were paid, without those that were collected again or denied.
func (m *meter) hits() int64 { return m.state.HitsKept() }

// addPays keeps the pays on which a table's rules agree with those of the tables before.
func (m *meter) addPays(v *rules.Variant) {
	pays := v.Pays[rules.Progressive]
	if pays == nil {
		m.pays = nil
		return
	}
	if m.tables == 1 {
		m.pays, m.ranking = slices.Clone(pays.Rows), v.Book.Ranking
		return
	}
	m.pays = slices.DeleteFunc(m.pays, func(r rules.PayRow) bool {
		return !slices.ContainsFunc(pays.Rows, func(o rules.PayRow) bool { return o.Combo == r.Combo && o.Pay == r.Pay })
	})
}

// major returns the row that takes the most of the meter, nil if the tables agree on none.
func (m *meter) major() (row *rules.PayRow) {
	for i := range m.pays {
		if p := m.pays[i].Pay.MeterPercent; p > 0 && (row == nil || p > row.Pay.MeterPercent) {
			row = &m.pays[i]
		}
	}
	return row
}

// meterSize returns the class by which a long amount still fits on the wall.
func meterSize(a money.Amount) string {
	switch {
	case a >= 1_000_000*money.Major:
		return "millions"
	case a >= 100_000*money.Major:
		return "thousands"
	}
	return ""
}

// inFull returns the waiting hits that are shown in full: where there are more than lines,
// the last line counts the others.
func (m *meter) inFull() []house.PendingHit {
	if len(m.pending) <= mostPending {
		return m.pending
	}
	return m.pending[:mostPending-1]
}

// example returns a hand with a combination, its highest card first.
func (m *meter) example(c rules.Combo) []card.Card {
	for h := range card.Hands() {
		if m.ranking.Combos(h).Has(c) {
			return slices.SortedFunc(slices.Values(h[:]), func(a, b card.Card) int { return cmp.Compare(b.Rank(), a.Rank()) })
		}
	}
	return nil
}

func (w *handlers) list(v *site.Visit) error {
	if err := w.checkSeeFloor(v); err != nil {
		return err
	}
	var all []*meter
	for _, at := range w.House.Tables() {
		status, err := w.House.Status(at)
		if err != nil || status.Jackpot == "" || slices.ContainsFunc(all, func(m *meter) bool { return m.name == status.Jackpot }) {
			continue
		}
		m, err := w.meter(v, status.Jackpot)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *meter) int { return cmp.Compare(a.name, b.name) })
	return v.Show(site.Page{Title: v.T("display.title"), Description: v.T("display.about"), Body: listPage(v, all)})
}

func (w *handlers) display(v *site.Visit) error {
	if err := w.checkSeeFloor(v); err != nil {
		return err
	}
	m, err := w.meter(v, v.Request.PathValue("name"))
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("display.of", "name", m.name), Description: v.T("display.of-about", "name", m.name), Modules: []string{"parts.js"}, Sheets: []string{"wall.page.css"}, Full: true,
		Body: wallPage(v, m),
	})
}

func (w *handlers) events(v *site.Visit) error {
	name := v.Request.PathValue("name")
	return live.Follow(v, live.Source{House: w.House, Topic: house.Topic{Jackpot: name}, PauseMs: 100, Parts: func() ([]live.Part, error) {
		if err := w.checkSeeFloor(v); err != nil {
			return nil, err
		}
		m, err := w.meter(v, name)
		if err != nil {
			return nil, err
		}
		return m.parts(v), nil
	}})
}

func (m *meter) parts(v *site.Visit) []live.Part {
	return []live.Part{{ID: "j-meter", Body: figure(v, m)}, {ID: "j-hits", Body: hits(v, m)}, {ID: "j-paid", Body: winners(v, m)}, {ID: "j-pays", Body: ladder(v, m)}, {ID: "j-takes", Body: takes(v, m)}}
}

func (m *meter) path(rest string) string { return "/jackpots/" + url.PathEscape(m.name) + rest }

// when returns a moment as people on the floor say it.
func when(v *site.Visit, ms int64) string { return v.Time(time.UnixMilli(ms)) }

// payWords returns the words for the pay of a row.
func payWords(v *site.Visit, p rules.Pay) string {
	switch {
	case p.MeterPercent == 100:
		return v.T("display.meter-all")
	case p.MeterPercent != 0:
		return v.T("display.meter-part", "percent", p.MeterPercent)
	case p.Fixed != 0:
		return v.Money(p.Fixed)
	}
	return p.String()
}
