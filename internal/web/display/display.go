// Package display shows a jackpot on a wall: what it stands at, who has hit it,
// and with what it begins again. Everybody may see it.
package display

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/entry"
	"trey/internal/web/live"
	"trey/internal/web/site"
	"trey/jackpot"
)

//go:embed *.css
var files embed.FS

// Config is what the display needs.
type Config struct {
	House *house.House
	Desk  *entry.Authenticator
	// NowMs is the house's clock.
	NowMs func() int64
}

type wall struct{ Config }

// Section is the list of jackpots, and the display of each.
func Section(c Config) site.Section {
	w := &wall{c}
	return site.Section{
		Path: "/jackpots", Files: files,
		Routes: map[string]site.Handler{
			"GET /jackpots":               w.list,
			"GET /jackpots/{name}":        w.display,
			"GET /jackpots/{name}/events": w.events,
		},
	}
}

// look lets in whoever may see the floor.
func (w *wall) look(v *site.Visit) error {
	if s, ok := w.Desk.Watching(v); ok && s.Role.Can(access.SeeFloor) {
		return nil
	}
	return w.Desk.MayLook(v)
}

// meter is a jackpot as everybody may see it.
type meter struct {
	name    string
	is      jackpot.State
	pending []house.PendingHit
	paid    []house.PaidHit
	// fresh says that the latest was paid a moment ago.
	fresh  bool
	tables int
}

// freshMs is how long a hit that was paid is shown large, and mostShown how many
// are listed below the meter.
const (
	freshMs   = 5 * 60_000
	mostShown = 5
)

func (w *wall) meter(v *site.Visit, name string) (*meter, error) {
	is, ok := w.House.Jackpot(name)
	if !ok {
		return nil, v.NotFound()
	}
	m := &meter{name: name, is: is}
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
		}
	}
	return m, nil
}

func (w *wall) list(v *site.Visit) error {
	if err := w.look(v); err != nil {
		return err
	}
	var all []*meter
	for _, at := range w.House.Tables() {
		is, err := w.House.Status(at)
		if err != nil || is.Jackpot == "" || slices.ContainsFunc(all, func(m *meter) bool { return m.name == is.Jackpot }) {
			continue
		}
		m, err := w.meter(v, is.Jackpot)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *meter) int { return cmp.Compare(a.name, b.name) })
	return v.Show(site.Page{Title: v.T("display.title"), Body: listPage(v, all)})
}

func (w *wall) display(v *site.Visit) error {
	if err := w.look(v); err != nil {
		return err
	}
	m, err := w.meter(v, v.Request.PathValue("name"))
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("display.of", "name", m.name), Modules: []string{"parts.js"}, Wide: true,
		Body: wallPage(v, m),
	})
}

func (w *wall) events(v *site.Visit) error {
	name := v.Request.PathValue("name")
	return live.Follow(v, live.Source{House: w.House, Topic: house.Topic{Jackpot: name}, PauseMs: 100, Parts: func() ([]live.Part, error) {
		if err := w.look(v); err != nil {
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
	return []live.Part{{ID: "j-meter", Body: figure(v, m)}, {ID: "j-hits", Body: hits(v, m)}, {ID: "j-paid", Body: winners(v, m)}}
}

func (m *meter) path(rest string) string { return "/jackpots/" + url.PathEscape(m.name) + rest }

// when is a moment as people on the floor say it.
func when(v *site.Visit, ms int64) string { return v.Time(time.UnixMilli(ms)) }
