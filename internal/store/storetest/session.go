package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"trey/internal/house/identity"
)

// SessionStore is a store that also keeps sessions.
type SessionStore interface {
	Store
	identity.SessionStore
}

// Sessions holds a store to the contract of [identity.SessionStore].
func Sessions(t *testing.T, open func(folder string) (SessionStore, error)) {
	folder := t.TempDir()
	store, err := open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // it may be closed already
	write := func(w identity.SessionWrite) {
		t.Helper()
		if err := <-store.WriteSessions(w); err != nil {
			t.Fatal(err)
		}
	}
	want := map[identity.SessionID]identity.KeptSession{}
	same := func(when string) {
		t.Helper()
		got := map[identity.SessionID]identity.KeptSession{}
		err := store.ReadSessions(context.Background(), func(s identity.KeptSession) error {
			got[s.ID] = s
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("%s there are %v, %v; want %v", when, got, err, want)
		}
	}
	same("at first")
	ann := identity.KeptSession{ID: identity.SessionID{0: 1, 31: 9}, Name: "ann", Epoch: 7, SinceMs: 1000, SeenMs: 2000}
	guest := identity.KeptSession{ID: identity.SessionID{0: 2}, Name: "guest-é", Guest: true, SinceMs: 1 << 50, SeenMs: 3}
	want[ann.ID], want[guest.ID] = ann, guest
	write(identity.SessionWrite{Put: []identity.KeptSession{ann, guest}})
	same("with two")

	// A use that is heard of late brings no session back.
	late := identity.SessionID{5}
	ann.SeenMs = 5000
	want[ann.ID] = ann
	write(identity.SessionWrite{Seen: []identity.SessionSeen{{ID: ann.ID, SeenMs: 5000}, {ID: late, SeenMs: 1}}})
	same("after a use")

	stop := errors.New("stop")
	n := 0
	err = store.ReadSessions(context.Background(), func(identity.KeptSession) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("a reader who stops read %d, %v", n, err)
	}

	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-store.WriteSessions(identity.SessionWrite{Drop: []identity.SessionID{ann.ID}}); err == nil {
		t.Error("a closed store took a change")
	}
	if store, err = open(folder); err != nil {
		t.Fatal(err)
	}
	same("opened again")

	third := identity.KeptSession{ID: late, Name: "ben", Epoch: 2}
	delete(want, ann.ID)
	want[late] = third
	write(identity.SessionWrite{Put: []identity.KeptSession{third}, Drop: []identity.SessionID{ann.ID, {77}}})
	same("one for another")

	// A crowd arrives at once, each waiting for their own session.
	const crowd = 14_000
	var all sync.WaitGroup
	errs := make([]error, 16)
	for w := range errs {
		all.Go(func() {
			waits := make([]<-chan error, 0, crowd/len(errs))
			for i := w; i < crowd; i += len(errs) {
				s := identity.KeptSession{Name: fmt.Sprintf("guest-%d", i), Guest: true, SinceMs: int64(i)}
				binary.BigEndian.PutUint32(s.ID[20:], uint32(i+1))
				waits = append(waits, store.WriteSessions(identity.SessionWrite{Put: []identity.KeptSession{s}}))
			}
			for _, wait := range waits {
				errs[w] = errors.Join(errs[w], <-wait)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	n = 0
	err = store.ReadSessions(context.Background(), func(identity.KeptSession) error { n++; return nil })
	if err != nil || n != crowd+len(want) {
		t.Errorf("there are %d sessions, %v", n, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := store.ReadSessions(cancelled, func(identity.KeptSession) error { return nil }); err == nil {
		t.Error("a reader whose time is over read on")
	}
}
