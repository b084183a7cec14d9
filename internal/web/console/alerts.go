package console

import (
	"cmp"
	"net/url"
	"slices"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/board"
	"trey/internal/house/identity"
	"trey/internal/web/pit"
	"trey/internal/web/site"
)

// Caretaker says who looks after an alert, and since when.
type Caretaker struct {
	By   string `json:"by"`
	AtMs int64  `json:"at_ms"`
}

// Taken are the alerts that somebody looks after, by their ids. They are in no record: a
// restart loses them. Use [NewTaken].
type Taken struct{ *board.Board[Caretaker] }

// NewTaken returns alerts that nobody looks after.
func NewTaken() *Taken { return &Taken{board.New[Caretaker]()} }

// Redraw has the open pages of the floor drawn anew at once, for a change that no event of
// the tables announces.
func (t *Taken) Redraw() { t.Change(func(map[string]Caretaker) {}) }

// ForgetEnded removes the names of those who look after alerts that have ended.
func (t *Taken) ForgetEnded(h *house.House, c *autodealer.Autodealer) {
	if len(t.All()) == 0 {
		return
	}
	if tables, err := pit.Tables(h); err == nil {
		t.forgetBut(pit.Alerts(tables, c))
	}
}

func (t *Taken) forgetBut(all []pit.Alert) {
	t.RemoveGone(func(id string) bool { return !slices.ContainsFunc(all, func(a pit.Alert) bool { return a.ID == id }) })
}

// by puts those who look after alerts into them, and forgets alerts that are none any more.
func (t *Taken) by(all []pit.Alert) {
	t.forgetBut(all)
	t.With(func(taken map[string]Caretaker) {
		for i := range all {
			by := taken[all[i].ID]
			all[i].By, all[i].AtMs = by.By, by.AtMs
		}
	})
}

// take records who looks after an alert, unless somebody does already.
func (t *Taken) take(id, by string, atMs int64) {
	t.Change(func(taken map[string]Caretaker) {
		if taken[id].By == "" {
			taken[id] = Caretaker{by, atMs}
		}
	})
}

// alerts lists them all, those that nobody looks after first. Alerts that have ended are
// removed.
func (d *handlers) alerts(tables []house.TableStatus) []pit.Alert {
	all := pit.Alerts(tables, d.Autodealer)
	d.Taken.by(all)
	slices.SortStableFunc(all, func(a, b pit.Alert) int { return cmp.Compare(len(a.By), len(b.By)) })
	return all
}

// acknowledge records that a person looks after an alert.
func (d *handlers) acknowledge(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	id, said := form.Get("alert"), done(v.T("console.alert-gone"))
	tables, err := pit.Tables(d.House)
	if err != nil {
		return nil, err
	}
	for _, a := range d.alerts(tables) {
		if a.ID == id {
			d.Taken.take(id, s.Name, d.NowMs())
			said = done(v.T("console.alert-taken"))
		}
	}
	return said, nil
}
