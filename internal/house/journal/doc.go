// Package journal serves the parts of the record that people may read: the log, and rounds that
// they search for in it.
//
// A reader sees everything that was recorded, except what nobody may know yet. Withheld are
// cards that lie face down in a round in play, seeds that are sealed, and the secrets of users.
// It reads and writes nothing down, and does not ask who is reading: its callers have.
package journal

import (
	"context"
	"regexp"
	"runtime/debug"

	"trey/internal/house"
)

// Record is the record. A house's store is one.
type Record interface {
	// Read, ReadAll and Rounds are those of [house.Store].
	Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
}

// Floor says how tables stand. A [house.House] is one.
type Floor interface {
	// Tables lists all tables by name.
	Tables() []string
	// Table returns a table's state, or an error that wraps [house.ErrNoTable].
	Table(name string) (house.State, error)
	// Status returns the state with the number of events that made it.
	Status(name string) (house.TableStatus, error)
}

// Journal reads the record of a house.
type Journal struct {
	House  Floor
	Record Record
}

// face finds what reads like a card, where a word begins: also behind a sign that
// JSON writes in letters, such as the end of a line.
var face = regexp.MustCompile(`(\b|\\(?:[bfnrt]|u[0-9a-f]{4}))(?:10|[2-9TJQKA])(?:[cdhs]\b|[♣♦♥♠])`)

// WithoutCards takes cards out of a text that nobody redacted, such as an error
// of ours on its way to an operator.
func WithoutCards(text string) string { return face.ReplaceAllString(text, "${1}??") }

// Stack returns the calls that led to a fault of ours, for the log and without cards. It is called
// where the fault is recovered from.
func Stack() string { return WithoutCards(string(debug.Stack())) }

// streamOf returns the name of a table's stream in the record.
func streamOf(name string) string { return "table:" + name }
