package identity_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// counted is a record that counts the events that it hands out, and has another snapshot.
type counted struct {
	house.Store
	events int
	other  func(house.Snapshot) house.Snapshot
}

func (c *counted) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return c.Store.Read(ctx, stream, after, func(r house.StoredEvent) error {
		if stream == identity.Stream {
			c.events++
		}
		return yield(r)
	})
}

func (c *counted) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	s, err := c.Store.Snapshot(ctx, stream, atMost)
	if err == nil && c.other != nil {
		s = c.other(s)
	}
	return s, err
}

// A start reads the events of people since the latest snapshot. One that is damaged, or of
// another event, is left alone, and all events are read.
func TestPeopleAreReadFromTheirSnapshot(t *testing.T) {
	const every = 10
	defer identity.SnapshotEvents(identity.SnapshotEvents(every))
	d := newDesk(t, nil)
	d.add(ann, "correct horse battery")
	for range 40 {
		token := d.in("ann", "correct horse battery")
		if err := d.Logout(ctx(), token); err != nil {
			t.Fatal(err)
		}
	}
	opened := func(other func(house.Snapshot) house.Snapshot) int {
		t.Helper()
		record := &counted{Store: d.store, other: other}
		w := d.world
		w.Record = record
		p, err := identity.Open(ctx(), w)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := p.User("ann"); err != nil || u.Role != access.Player || len(p.SignIns("ann")) != len(d.SignIns("ann")) {
			t.Errorf("ann is %+v, %v", u, err)
		}
		return record.events
	}
	if n := opened(nil); n >= every {
		t.Errorf("a start read %d of 41 events", n)
	}
	for what, other := range map[string]func(house.Snapshot) house.Snapshot{
		"damaged": func(s house.Snapshot) house.Snapshot {
			s.Body = bytes.Replace(s.Body, []byte("player"), []byte("dealer"), 1)
			return s
		},
		"no JSON": func(s house.Snapshot) house.Snapshot {
			s.Body = house.SealSnapshot(identity.Stream, s.Version, []byte("{"))
			return s
		},
		"of another form": func(s house.Snapshot) house.Snapshot {
			s.Body = house.SealSnapshot(identity.Stream, s.Version, []byte(`{"form":2}`))
			return s
		},
		"of another event": func(s house.Snapshot) house.Snapshot { s.Version--; return s },
	} {
		if n := opened(other); n != 41 {
			t.Errorf("%s: a start read %d of 41 events", what, n)
		}
	}
}

// An audit finds a snapshot that is not what the events come to.
func TestAnAuditChecksTheSnapshotOfPeople(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, "correct horse battery")
	checked := func(other func(house.Snapshot) house.Snapshot) error {
		t.Helper()
		checker := identity.NewChecker()
		if err := d.store.ReadAll(ctx(), 0, identity.Stream, func(e house.StoredTransaction) error {
			for i := range e.Parts {
				if err := checker.Follow(&e.Parts[i], e.AtMs); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s, err := d.store.Snapshot(ctx(), identity.Stream, -1)
		if err != nil {
			t.Fatal(err)
		}
		return checker.CheckSnapshot(other(s))
	}
	if err := checked(func(s house.Snapshot) house.Snapshot { return s }); err != nil {
		t.Error(err)
	}
	anew := func(s house.Snapshot, from, to string) house.Snapshot {
		body, err := house.OpenSnapshot(identity.Stream, s)
		if err != nil || !bytes.Contains(body, []byte(from)) {
			t.Fatalf("%s is not in %s, %v", from, body, err)
		}
		s.Body = house.SealSnapshot(identity.Stream, s.Version, bytes.Replace(body, []byte(from), []byte(to), 1))
		return s
	}
	for what, other := range map[string]func(house.Snapshot) house.Snapshot{
		"a role":     func(s house.Snapshot) house.Snapshot { return anew(s, `"player"`, `"administrator"`) },
		"a password": func(s house.Snapshot) house.Snapshot { return anew(s, `"hash":"$`, `"hash":"%`) },
		"a period":   func(s house.Snapshot) house.Snapshot { return anew(s, `"epoch":1`, `"epoch":2`) },
		"one byte": func(s house.Snapshot) house.Snapshot {
			s.Body = bytes.Replace(s.Body, []byte("player"), []byte("dealer"), 1)
			return s
		},
		"of another version": func(s house.Snapshot) house.Snapshot { s.Version++; return s },
	} {
		if err := checked(other); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := identity.NewChecker().Follow(&house.StreamAppend{Stream: identity.Stream, After: 1}, 0); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("a part that follows nothing: %v", err)
	}
}

// sameFromSnapshots checks what the record of a desk comes to from its snapshots against what
// it comes to from all events.
func (d *desk) sameFromSnapshots() {
	d.Helper()
	if err := d.store.Close(); err != nil && !errors.Is(err, house.ErrFailed) {
		d.Log(err)
	}
	s := d.open()
	defer s.Close() //nolint:errcheck // it was read only
	if n, err := identity.CompareSnapshots(ctx(), s); err != nil {
		d.Error(fmt.Errorf("%d snapshots: %w", n, err))
	}
}
