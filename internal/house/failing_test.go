package house_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/tree"
	"trey/money"
)

// ending is a store that ends after a number of writes.
type ending struct {
	house.Store
	left int
}

func (e *ending) Append(tx *house.Transaction) <-chan house.AppendResult {
	if e.left--; e.left >= 0 {
		return e.Store.Append(tx)
	}
	done := make(chan house.AppendResult, 1)
	done <- house.AppendResult{Err: house.ErrFailed}
	return done
}

// A restoration of which any write is lost is no restoration, and nor is one without what it
// has to state.
func TestARestorationThatIsNotRecorded(t *testing.T) {
	for writes := range 20 {
		s := newSite(t)
		s.apart = true
		s.install("A", "us-3cp")
		if _, err := s.Propose(ctx(), "", manager, house.Fill{Table: "A", Amount: money.Major}); err != nil {
			t.Fatal(err)
		}
		store := &ending{Store: s.store, left: 1 << 20}
		var err error
		if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
			t.Fatal(err)
		}
		before := s.store.Head().Size
		if _, err := s.Restore(ctx(), house.Restored{}); err == nil || err.Error() != new(house.Restored).Check().Error() || s.store.Head().Size != before {
			t.Errorf("nobody restores it, for no reason: %v", err)
		}
		store.left = writes
		r := house.Restored{By: access.Person{Name: "ada", Role: access.Administrator}, And: manager, Why: "the disk failed", Name: "trey-house/00", Through: before - 1}
		_, err = s.Restore(ctx(), r)
		if store.left >= 0 {
			if err != nil || writes < 3 {
				t.Errorf("restored by %d writes: %v", writes, err)
			}
			return
		}
		if !errors.Is(err, house.ErrFailed) && !errors.Is(err, house.ErrStopped) {
			t.Errorf("after %d writes: %v", writes, err)
		}
		if at := [][2]bool{{}, {}, {true, false}, {false, true}}[min(writes, 3)]; at != [2]bool{strings.HasPrefix(err.Error(), "decline proposal 1: "), strings.HasPrefix(err.Error(), "replace the seed of A: ")} {
			t.Errorf("after %d writes it does not say at what it ended: %v", writes, err)
		}
	}
	t.Error("it is never restored")
}

// unprovable is a store that has no proof of a leaf.
type unprovable struct {
	house.Store
	leaves, nodes error
	other         func(*house.Leaf)
}

func (u *unprovable) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	if u.leaves != nil {
		return u.leaves
	}
	return u.Store.Leaves(ctx, after, func(leaf house.Leaf) error {
		if u.other != nil {
			u.other(&leaf)
		}
		return yield(leaf)
	})
}

func (u *unprovable) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	if u.nodes != nil {
		return nil, u.nodes
	}
	return u.Store.Nodes(ctx, level, from, count)
}

// misprinted are signatures under something that is no checkpoint.
type misprinted struct {
	signatures
	note []byte
}

func (m *misprinted) Covering(seq int64) ([]byte, error) {
	note, err := m.signatures.Covering(seq)
	if m.note != nil {
		note = m.note
	}
	return note, err
}

// Where a round cannot be proven to be in the log, there is no record of it.
func TestARoundThatCannotBeProven(t *testing.T) {
	s := newSite(t)
	n := &misprinted{signatures: signatures{of: s}}
	s.notary = n
	s.restart()
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	store := &unprovable{Store: s.store}
	var err error
	if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
		t.Fatal(err)
	}
	broken, errAny := errors.New("the disk is broken"), errors.New("any")
	for what, test := range map[string]struct {
		set  func()
		want error
	}{
		"all is there":            {func() {}, nil},
		"nothing is signed":       {func() { n.fails = broken }, broken},
		"no checkpoint is signed": {func() { n.note = []byte("none") }, errAny},
		"leaves are not read":     {func() { store.leaves = broken }, broken},
		"nodes are not read":      {func() { store.nodes = broken }, broken},
		"the leaf is another's":   {func() { store.other = func(l *house.Leaf) { l.Seq++ } }, house.ErrCorrupt},
		"it commits to no round":  {func() { store.other = func(l *house.Leaf) { l.Line.Parts = nil } }, house.ErrCorrupt},
	} {
		n.fails, n.note, *store = nil, nil, unprovable{Store: s.store}
		test.set()
		r, err := s.Round(ctx(), "A", 1)
		if !errors.Is(err, test.want) && (test.want != errAny || err == nil) || (r == nil) != (test.want != nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
