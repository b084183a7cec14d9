package console

import (
	"cmp"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/pit"
	"trey/internal/web/site"
)

// taken says who looks after an alert.
type taken struct {
	by   string
	atMs int64
}

// alerts lists them all, those that nobody looks after first. What is not the
// matter any more is forgotten.
func (d *handlers) alerts(tables []house.TableStatus) []pit.Alert {
	all := pit.Alerts(tables, d.Croupier)
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.taken {
		if !slices.ContainsFunc(all, func(a pit.Alert) bool { return a.ID == id }) {
			delete(d.taken, id)
		}
	}
	for i := range all {
		by := d.taken[all[i].ID]
		all[i].By, all[i].AtMs = by.by, by.atMs
	}
	slices.SortStableFunc(all, func(a, b pit.Alert) int { return cmp.Compare(len(a.By), len(b.By)) })
	return all
}

// acknowledge notes that somebody looks after an alert.
func (d *handlers) acknowledge(v *site.Visit) error {
	s, ok, err := d.Desk.Staff(v, access.DealTable)
	if !ok {
		return err
	}
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	id, said := form.Get("alert"), done(v, v.T("console.alert-gone"))
	tables, err := pit.Tables(d.House)
	if err != nil {
		return err
	}
	for _, a := range d.alerts(tables) {
		if a.ID == id {
			d.mu.Lock()
			if d.taken[id].by == "" {
				d.taken[id] = taken{s.Name, d.NowMs()}
			}
			d.mu.Unlock()
			d.announce()
			said = done(v, v.T("console.alert-taken"))
		}
	}
	return d.answerFloor(v, s, said)
}
