package house

import (
	"context"
	"errors"
	"fmt"

	"trey/internal/house/access"
)

// Moved says that the house has moved to another store, which has the same record up to
// here. It is the last event where the house was: nobody goes on from there.
type Moved struct {
	// Store is the kind of store that the house has moved to: file or database.
	Store string `json:"store"`
	// Place is which one: the path of a file, or the name of a database and the identifier
	// of its servers.
	Place string `json:"where"`
	Why   string `json:"why"`
}

// Arrived says that the house goes on in the store that it has moved to.
type Arrived struct {
	// Store is the kind of store, as in the event before it, which says that the house has
	// moved.
	Store string `json:"store"`
	// Place is the place of the store, as in the event before it.
	Place string `json:"where"`
}

func (Moved) ownKind() string   { return "moved" }
func (Arrived) ownKind() string { return "arrived" }

// redacted leaves the place out: it discloses where files and servers are.
func (e Moved) redacted(func(string) string) OwnEvent {
	return Moved{Store: e.Store, Why: e.Why}
}

func (e Arrived) redacted(func(string) string) OwnEvent { return Arrived{Store: e.Store} }

// Move moves the house to another store.
type Move struct{}

// Arrive goes on in the store that the house has moved to.
type Arrive struct{}

// ErrElsewhere refuses to go on from a record that the house has left.
var ErrElsewhere = errors.New("the house has moved, and its record goes on elsewhere")

// Left returns the error of a record that the house has left by this move.
func (e *Moved) Left() error {
	return fmt.Errorf("%w: in the %s %s", ErrElsewhere, e.Store, e.Place)
}

// Whereabouts says whether a house goes on from a record.
type Whereabouts struct {
	// Moved is the move by which the house has left the record; nil if it has not.
	Moved *Moved
	// SigningKey verifies what the key signs that the record names; empty if it names none, because
	// the first key of its tree signs.
	SigningKey string
	// Version is the version of the house's own stream, and LastMs the time of the last
	// transaction.
	Version, LastMs int64
}

// FindWhereabouts reads from a record whether the house goes on from it.
func FindWhereabouts(ctx context.Context, s Store) (w Whereabouts, err error) {
	stream, err := readOwn(ctx, s, false, new(recordPosition), func(e OwnEvent, _ *countingEvent, _ bool) error {
		w.apply(e)
		return nil
	})
	if err == nil {
		w.Version = stream.version
		err = s.ReadAll(ctx, s.Head().Size-2, "", func(e StoredTransaction) error {
			w.LastMs = e.AtMs
			return nil
		})
	}
	return w, err
}

// apply takes an event of the house's own stream into account, if it says where the house goes on
// or who signs.
func (w *Whereabouts) apply(e OwnEvent) {
	switch e := e.(type) {
	case Moved:
		w.Moved = &e
	case SigningKeyReplaced:
		w.SigningKey = e.Key
	case Arrived:
		w.Moved = nil
	case Restored: // under a tree with a key of its own
		w.Moved, w.SigningKey = nil, ""
	}
}

// Leaving returns the transaction by which the house leaves a record.
func (w *Whereabouts) Leaving(nowMs int64, to Moved) (*Transaction, error) {
	if w.Moved != nil {
		return nil, w.Moved.Left()
	}
	return w.next(nowMs, Move{}, to)
}

// Arriving returns the transaction by which the house goes on from the record that it has
// moved to.
func (w *Whereabouts) Arriving(nowMs int64) (*Transaction, error) {
	if w.Moved == nil {
		return nil, errors.New("the house has arrived already")
	}
	return w.next(nowMs, Arrive{}, Arrived{Store: w.Moved.Store, Place: w.Moved.Place})
}

// next returns a transaction of the operator of the machine. Record time never goes back.
func (w *Whereabouts) next(nowMs int64, command any, e OwnEvent) (*Transaction, error) {
	cause, err := causeOf(access.Person{Name: operator, Role: access.Administrator}, "", command)
	if err != nil {
		return nil, err
	}
	written, err := OwnEvents.Write(e)
	if err != nil {
		return nil, err
	}
	return &Transaction{
		AtMs: max(nowMs, w.LastMs), Cause: cause,
		Parts: []StreamAppend{{Stream: houseStream, After: w.Version, Events: []Event{written}}},
	}, nil
}
