// Package solo gives an unredacted view of the tables of a house to a program that plays
// against its own player and keeps the record itself. There is nobody from whom anything must
// be withheld. Package play is the only one that uses it, and a test holds that.
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
