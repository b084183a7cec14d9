// Package housetest lets tests compare what leaves a house with what is in it. No
// program uses it.
package housetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"trey/internal/house"
	"trey/internal/house/internal/opaque"
	"trey/internal/people"
	"trey/jackpot"
	"trey/table"
)

// TakeAll hands the transactions of a record after a number to take, in their order, and
// adds their names to those of a reader before. It returns the number of the last.
func TakeAll(ctx context.Context, record house.Store, names *people.Directory, after int64, take func(*house.StoredTransaction) error) (last int64, err error) {
	last = after
	if err := record.Names(ctx, 0, func(n people.Name) error {
		if n.Number <= names.Given() {
			return nil
		}
		return names.Learn(n)
	}); err != nil {
		return last, err
	}
	err = record.ReadAll(ctx, after, "", func(e house.StoredTransaction) error {
		last = e.Seq
		return take(&e)
	})
	return last, err
}

// Table returns a table as it was last recorded.
func Table(h interface {
	Table(name string) (house.State, error)
}, name string,
) (table.State, error) {
	s, err := h.Table(name)
	if err != nil {
		return table.State{}, err
	}
	return State(s), nil
}

// State returns a state as it is.
func State(s house.State) table.State {
	if s.None() {
		return table.State{}
	}
	return *opaque.Raw(s)
}

// Of puts a state out of reach, as the house does.
func Of(s table.State) house.State { return opaque.Of(&s) }

// EventsOf puts events out of reach as of a table of which no card was seen.
func EventsOf(events []table.Event) []house.TableEvent {
	return opaque.EventsOf(events, &table.State{})
}

// Events returns events as they are.
func Events(events []house.TableEvent) []table.Event { return opaque.RawEvents(events) }

// JackpotEvents returns events of a jackpot as they are.
func JackpotEvents(events []house.JackpotEvent) []jackpot.Event {
	return opaque.RawJackpotEvents(events)
}

// Meter returns a jackpot as it is.
func Meter(m house.Meter) jackpot.State {
	if raw := opaque.RawMeter(m); raw != nil {
		return *raw
	}
	return jackpot.State{}
}

// Example is an event or a command as docs/record-events.md shows one of its kind.
type Example struct {
	// Group is the kind of its stream, or "command", "house command" or "people command" for what
	// is asked for.
	Group string          `json:"group"`
	Kind  string          `json:"kind"`
	Body  json.RawMessage `json:"body"`
}

// Event returns the example as a store has it.
func (e *Example) Event() house.Event { return house.Event{Kind: e.Kind, Body: e.Body} }

// Examples reads one example of each kind and version from the file in which internal/record
// keeps them, an example a line.
func Examples(file string) (all []Example, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var e Example
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, e)
	}
	return all, nil
}
