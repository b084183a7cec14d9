package console

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/pit"
	"trey/internal/web/site"
)

// Caretaker says who looks after an alert, and since when.
type Caretaker struct {
	By   string `json:"by"`
	AtMs int64  `json:"at_ms"`
}

// Taken are the alerts that somebody looks after. They are in no record: a restart forgets
// them. Use [NewTaken].
type Taken struct {
	mu  sync.Mutex
	all map[string]Caretaker
	// moved is closed with the next change.
	moved chan struct{}
}

// NewTaken returns alerts that nobody looks after.
func NewTaken() *Taken { return &Taken{all: map[string]Caretaker{}, moved: make(chan struct{})} }

// announced returns what the next change closes.
func (t *Taken) announced() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.moved
}

// redraw has the open pages of the floor drawn anew at once, for a change that no event of
// the tables announces.
func (t *Taken) redraw() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.announce()
}

// announce needs t.mu.
func (t *Taken) announce() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// by puts those who look after alerts into them, and forgets alerts that are none any more.
func (t *Taken) by(all []pit.Alert) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.all {
		if !slices.ContainsFunc(all, func(a pit.Alert) bool { return a.ID == id }) {
			delete(t.all, id)
		}
	}
	for i := range all {
		by := t.all[all[i].ID]
		all[i].By, all[i].AtMs = by.By, by.AtMs
	}
}

// take notes who looks after an alert, unless somebody does already.
func (t *Taken) take(id, by string, atMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[id].By == "" {
		t.all[id] = Caretaker{by, atMs}
	}
	t.announce()
}

// All returns who looks after which alert.
func (t *Taken) All() map[string]Caretaker {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.all)
}

// Take takes in who looks after which alert, as another process holds it.
func (t *Taken) Take(all map[string]Caretaker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if maps.Equal(t.all, all) {
		return
	}
	if t.all = maps.Clone(all); t.all == nil {
		t.all = map[string]Caretaker{}
	}
	t.announce()
}

// alerts lists them all, those that nobody looks after first. What is not the
// matter any more is forgotten.
func (d *handlers) alerts(tables []house.TableStatus) []pit.Alert {
	all := pit.Alerts(tables, d.Croupier)
	d.Taken.by(all)
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
			d.Taken.take(id, s.Name, d.NowMs())
			said = done(v, v.T("console.alert-taken"))
		}
	}
	return d.answerFloor(v, s, said)
}
