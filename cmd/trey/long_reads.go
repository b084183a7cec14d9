package main

import (
	"context"

	"trey/internal/admission"
	"trey/internal/house"
)

// longReadsAtOnce is the number of long reads of the record that requests make at the same time. A
// store has at least twice as many connections for reading.
const longReadsAtOnce = 2

// longReads is a record as requests read it. A report or a search reads all of it, and holds a
// connection of the store meanwhile. Few do so at once, and one for each person, so that commands,
// which read their key, and the tree always find a connection, and nobody waits for all reads of
// another person. A read must not start another one.
type longReads struct {
	house.Store
	turns *admission.Turns
}

func newLongReads(of house.Store) *longReads {
	return &longReads{of, admission.NewTurns(longReadsAtOnce)}
}

// inTurn reads when it is the turn of the person who asks, unless the context ends before.
func (l *longReads) inTurn(ctx context.Context, read func() error) error {
	giveBack := l.turns.Take(ctx, nil, admission.PersonOf(ctx))
	if giveBack == nil {
		return ctx.Err()
	}
	defer giveBack()
	return read()
}

// Read hands out the events of a stream.
func (l *longReads) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return l.inTurn(ctx, func() error { return l.Store.Read(ctx, stream, after, yield) })
}

// ReadAll hands out whole transactions.
func (l *longReads) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return l.inTurn(ctx, func() error { return l.Store.ReadAll(ctx, after, stream, yield) })
}

// Leaves hands out the leaves of transactions.
func (l *longReads) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return l.inTurn(ctx, func() error { return l.Store.Leaves(ctx, after, yield) })
}
