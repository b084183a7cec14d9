package console

import (
	"cmp"
	"slices"

	"trey/internal/house/access"
	"trey/internal/web/site"
	"trey/sentence"
	"trey/table"
)

// alert is something at a table that a person has to see to.
type alert struct {
	id, table string
	round     int
	sinceMs   int64
	why       sentence.Sentence
	// by took it on.
	by taken
}

// taken says who looks after an alert.
type taken struct {
	by   string
	atMs int64
}

// alerts lists them all, those that nobody looks after first. What is not the
// matter any more is forgotten.
func (d *desk) alerts(v *site.Visit) []alert {
	var all []alert
	seen := map[string]bool{}
	add := func(what string, a alert) {
		a.id = a.table + " " + itoa(a.round) + " " + what
		seen[a.table] = true
		all = append(all, a)
	}
	if d.Croupier != nil {
		for _, a := range d.Croupier.Alerts() {
			add(a.Why, alert{table: a.Table, round: a.Round, sinceMs: a.SinceMs, why: a.Said})
		}
	}
	for _, name := range d.House.Tables() {
		is, err := d.House.Standing(name)
		if err != nil || seen[name] {
			continue
		}
		switch {
		case is.Stopped != nil:
			add("stopped", alert{table: name, round: is.State.Round, why: sentence.Of("the table has stopped")})
		case is.State.Question != nil && is.State.Phase != table.Closed:
			add(is.State.Question.Key, alert{table: name, round: is.State.Round, why: sentence.Of("%s", sentence.Word(is.State.Question.Ask))})
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.taken {
		if !slices.ContainsFunc(all, func(a alert) bool { return a.id == id }) {
			delete(d.taken, id)
		}
	}
	for i := range all {
		all[i].by = d.taken[all[i].id]
	}
	slices.SortStableFunc(all, func(a, b alert) int { return cmp.Compare(len(a.by.by), len(b.by.by)) })
	return all
}

// acknowledge notes that somebody looks after an alert.
func (d *desk) acknowledge(v *site.Visit) error {
	s, ok, err := d.Desk.Staff(v, access.DealTable)
	if !ok {
		return err
	}
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	id, said := form.Get("alert"), done(v, v.T("console.alert-gone"))
	for _, a := range d.alerts(v) {
		if a.id == id {
			d.mu.Lock()
			if d.taken[id].by == "" {
				d.taken[id] = taken{s.Name, d.NowMs()}
			}
			d.mu.Unlock()
			said = done(v, v.T("console.alert-taken"))
		}
	}
	return d.answerFloor(v, s, said)
}
