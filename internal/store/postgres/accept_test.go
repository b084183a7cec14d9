package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"trey/internal/house"
	"trey/internal/tree"
)

// A transaction whose text is cut off is a fault of the record, although what reads it says of its end
// what a connection that breaks off says: nobody looks for the server, and no machine tries again.
func TestACutTextIsNoLostConnection(t *testing.T) {
	cut := fmt.Errorf("%w: transaction 7: %w", house.ErrCorrupt, io.ErrUnexpectedEOF)
	if err := meant(cut); errors.Is(err, ErrAway) || !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("it says: %v", err)
	}
	if err := meant(io.ErrUnexpectedEOF); !errors.Is(err, ErrAway) {
		t.Errorf("a connection that breaks off says: %v", err)
	}
}

// The writer has what it confirms before another machine can know of it: whoever reads there of a
// transaction and comes back to the writer with its number is not answered that there is none.
func TestTheWriterHasWhatItConfirms(t *testing.T) {
	c := &confirmer{wake: make(chan struct{}, 1)}
	had := false
	w := &writer{confirmer: c, publish: func(*tree.Edge) {
		had = true
		if c.last.seq != 0 || len(c.wake) > 0 {
			t.Errorf("transaction %d is confirmed before the writer has it", c.last.seq)
		}
	}}
	w.accept(&columns{seq: 7})
	if !had || c.last.seq != 7 {
		t.Errorf("the writer has it: %t, and confirms %d", had, c.last.seq)
	}
}

// TakeAfter looks whether the lease is left to an earlier program, as every process does that waits
// to become the writer, lets something happen, and takes it.
func TakeAfter(ctx context.Context, address string, happens func()) error {
	conn, warned, err := connect(ctx, address, DefaultSilence)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was used
	w := &writer{conn: conn, warned: warned, lease: DefaultLease}
	o := Options{Node: "another"}
	o.defaults()
	_, asOf, err := w.earlier(ctx, &o)
	if err != nil {
		return err
	}
	happens()
	return w.take(ctx, &o, new(leftLease), asOf)
}
