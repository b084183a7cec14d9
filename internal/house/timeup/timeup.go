// Package timeup holds the warnings that dealers give before they end the players' time:
// which table, since when, and by whom. The console gives and takes back a warning; the
// players' page shows it.
//
// It keeps nothing beyond the process and ends nobody's time itself: a warning that a
// restart loses has to be given again.
package timeup

import (
	"maps"
	"sync"

	"trey/table"
)

// How long a warning has to stand before the time may end, and after which it counts no
// longer.
const (
	NoticeMs = 5_000
	LapsesMs = 60_000
)

// Moment identifies the phase of a round in which a warning holds.
type Moment struct {
	Round int         `json:"round"`
	Phase table.Phase `json:"phase"`
}

// Warning is a warning as it was given.
type Warning struct {
	Moment
	By   string `json:"by"`
	AtMs int64  `json:"at_ms"`
}

// DueMs returns when the time may end at the earliest.
func (w *Warning) DueMs() int64 { return w.AtMs + NoticeMs }

// Warnings are the warnings of all tables. Use [New].
type Warnings struct {
	mu      sync.Mutex
	tables  map[string]Warning
	changed chan struct{}
}

// New returns warnings with none given.
func New() *Warnings {
	return &Warnings{tables: map[string]Warning{}, changed: make(chan struct{})}
}

// At returns the warning that holds at a table at this moment and time.
func (w *Warnings) At(name string, now Moment, nowMs int64) (Warning, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	given, ok := w.tables[name]
	return given, ok && given.Moment == now && nowMs < given.AtMs+LapsesMs
}

// Give warns the players of a table.
func (w *Warnings) Give(name string, given Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tables[name] = given
	w.announce()
}

// TakeBack removes the warning of a table, if there is one.
func (w *Warnings) TakeBack(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tables, name)
	w.announce()
}

// Changed returns a channel that is closed with the next change.
func (w *Warnings) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// All returns the warnings of all tables.
func (w *Warnings) All() map[string]Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.tables)
}

// Take takes in the warnings of all tables, which another process holds.
func (w *Warnings) Take(all map[string]Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if maps.Equal(w.tables, all) {
		return
	}
	if w.tables = maps.Clone(all); w.tables == nil {
		w.tables = map[string]Warning{}
	}
	w.announce()
}

// announce needs w.mu.
func (w *Warnings) announce() {
	close(w.changed)
	w.changed = make(chan struct{})
}
