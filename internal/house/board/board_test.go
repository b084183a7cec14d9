package board

import (
	"maps"
	"testing"
)

// What changes the notes is announced, but for what is done with them quietly, and for notes
// of another process that are the same. Notes that were handed out or in are copies.
func TestBoard(t *testing.T) {
	b := New[int]()
	step := func(what string, announced bool, want map[string]int, do func()) {
		t.Helper()
		changed := b.Changed()
		do()
		select {
		case <-changed:
			if !announced {
				t.Errorf("%s is announced", what)
			}
		default:
			if announced {
				t.Errorf("%s is not announced", what)
			}
		}
		if got := b.All(); !maps.Equal(got, want) {
			t.Errorf("after %s the notes are %v, want %v", what, got, want)
		}
	}
	step("a change", true, map[string]int{"A": 1}, func() { b.Change(func(n map[string]int) { n["A"] = 1 }) })
	step("a quiet change", false, map[string]int{"A": 1, "B": 2}, func() { b.With(func(n map[string]int) { n["B"] = 2 }) })
	step("a change of a copy", false, map[string]int{"A": 1, "B": 2}, func() { b.All()["A"] = 9 })
	step("to forget what is gone", false, map[string]int{"A": 1, "B": 2}, func() { b.RemoveGone(func(name string) bool { return name == "C" }) })
	step("to forget one", false, map[string]int{"A": 1}, func() { b.RemoveGone(func(name string) bool { return name == "B" }) })
	step("one more", true, map[string]int{"A": 1, "B": 2}, func() { b.Change(func(n map[string]int) { n["B"] = 2 }) })
	step("notes that are the same", false, map[string]int{"A": 1, "B": 2}, func() { b.Take(map[string]int{"B": 2, "A": 1}) })
	other := map[string]int{"C": 3}
	step("other notes", true, map[string]int{"C": 3}, func() { b.Take(other); other["C"] = 9 })
	step("to forget a note of another process", false, map[string]int{"C": 3}, func() { b.RemoveGone(func(string) bool { return true }) })
	step("no notes", true, map[string]int{}, func() { b.Take(nil) })
	step("a change after no notes", true, map[string]int{"A": 1}, func() { b.Change(func(n map[string]int) { n["A"] = 1 }) })
}
