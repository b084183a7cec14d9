// Package board holds notes that staff share while a house runs, each under a name, and
// announces their changes to the pages that show them. All processes of a house show the
// same notes: those of the process that writes.
//
// It keeps nothing beyond the process and records nothing: what has to outlive a restart
// belongs in the record.
package board

import (
	"maps"
	"sync"
)

// Board holds one note under each name. Its methods are safe for use by many goroutines.
// Use [New].
type Board[V comparable] struct {
	mu      sync.Mutex
	notes   map[string]V
	changed chan struct{}
	// elsewhere reports whether the notes are those of another process.
	elsewhere bool
}

// New returns a board without notes.
func New[V comparable]() *Board[V] {
	return &Board[V]{notes: map[string]V{}, changed: make(chan struct{})}
}

// With calls do with the notes, which it may change without an announcement.
func (b *Board[V]) With(do func(notes map[string]V)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do(b.notes)
}

// Change calls do with the notes, and announces a change.
func (b *Board[V]) Change(do func(notes map[string]V)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do(b.notes)
	b.announce()
}

// RemoveGone removes the notes that are gone, without an announcement. Those of another process
// stay: only that process knows which are gone, since this one may be behind it.
func (b *Board[V]) RemoveGone(gone func(name string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.elsewhere {
		maps.DeleteFunc(b.notes, func(name string, _ V) bool { return gone(name) })
	}
}

// Changed returns a channel that the next announced change closes.
func (b *Board[V]) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// All returns a copy of the notes.
func (b *Board[V]) All() map[string]V {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.notes)
}

// Take replaces the notes by those of another process, and announces a change if they differ.
func (b *Board[V]) Take(all map[string]V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.elsewhere = true
	if maps.Equal(b.notes, all) {
		return
	}
	if b.notes = maps.Clone(all); b.notes == nil {
		b.notes = map[string]V{}
	}
	b.announce()
}

// announce closes the channel of the pages that wait for a change. b.mu must be held.
func (b *Board[V]) announce() {
	close(b.changed)
	b.changed = make(chan struct{})
}
