// Package solo gives the tables of a house as they are to a program that plays against its
// own player and keeps the record itself: nobody is there from whom anything could be
// kept. Package play is the only one that uses it, and a test holds that.
package solo

import (
	"trey/internal/house"
	"trey/internal/house/internal/opaque"
	"trey/table"
)

// State returns a state as it is.
func State(s house.State) table.State {
	if s.None() {
		return table.State{}
	}
	return *opaque.Raw(s)
}

// Events returns events as they are.
func Events(events []house.TableEvent) []table.Event { return opaque.RawEvents(events) }
