// Package display shows a jackpot on a wall: what it stands at, who has hit it,
// and with what it begins again. Everybody may see it.
package display

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"strconv"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/entry"
	"trey/internal/web/live"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/table"
)

//go:embed *.css *.js
var files embed.FS

// Config is what the display needs.
type Config struct {
	House *house.House
	Desk  *entry.Desk
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
	if s, ok := w.Desk.Watching(v); ok && s.Role.May(access.SeeFloor) {
		return nil
	}
	return w.Desk.MayLook(v)
}

// meter is a jackpot as everybody may see it.
type meter struct {
	name   string
	is     jackpot.State
	latest *jackpot.HitPaid // the latest that was paid while the screen was on
	queue  []jackpot.Hit
	tables []string
}

func (w *wall) meter(v *site.Visit, name string) (*meter, error) {
	is, ok := w.House.Jackpot(name)
	if !ok {
		return nil, v.NotFound()
	}
	m := &meter{name: name, is: is}
	for _, hit := range is.Queue() {
		// Nobody knows of a hand as long as a card of it lies face down.
		if state, err := w.House.Table(hit.ID.Table); err == nil && open(&state, hit.ID) {
			m.queue = append(m.queue, hit)
		}
	}
	for _, at := range w.House.Tables() {
		if standing, err := w.House.Standing(at); err == nil && standing.Jackpot == name {
			m.tables = append(m.tables, at)
		}
	}
	return m, nil
}

// open reports whether the whole table has seen the hand of a hit.
func open(s *table.State, hit jackpot.HitID) bool {
	if hit.Round != strconv.Itoa(s.Round) {
		return true // its round is over
	}
	return !slices.ContainsFunc(s.Slots, func(slot table.Slot) bool { return slot.Place == table.Box(hit.Box) && !slot.Exposed() })
}

func (w *wall) list(v *site.Visit) error {
	if err := w.look(v); err != nil {
		return err
	}
	var all []*meter
	for _, at := range w.House.Tables() {
		is, err := w.House.Standing(at)
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
		Title: v.T("display.of", "name", m.name), Modules: []string{"parts.js", "count.js"}, Wide: true,
		Body: wallPage(v, m),
	})
}

func (w *wall) events(v *site.Visit) error {
	name := v.Request.PathValue("name")
	var latest *jackpot.HitPaid
	hear := func(n *house.Notice) {
		for _, e := range n.Moved {
			if paid, ok := e.(jackpot.HitPaid); ok {
				latest = &paid
			}
		}
	}
	return live.Follow(v, live.Source{House: w.House, Topic: house.Topic{Jackpot: name}, PauseMs: 100, Hear: hear, Parts: func() ([]live.Part, error) {
		if err := w.look(v); err != nil {
			return nil, err
		}
		m, err := w.meter(v, name)
		if err != nil {
			return nil, err
		}
		m.latest = latest
		return m.parts(v), nil
	}})
}

func (m *meter) parts(v *site.Visit) []live.Part {
	return []live.Part{{ID: "j-meter", Body: figure(v, m)}, {ID: "j-hits", Body: hits(v, m)}}
}

func (m *meter) path(rest string) string { return "/jackpots/" + url.PathEscape(m.name) + rest }
