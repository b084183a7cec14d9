package storetest

import (
	"context"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
)

// Edits has whoever owns a database change what stands beside the leaves of a record, and holds
// a store to finding it. The function alter runs a statement in the database of a folder while no
// store has it open. A sign-in is no part of the record: one that cannot be read is over.
func Edits(t *testing.T, open func(folder string) (SessionStore, error), alter func(folder, statement string)) {
	ctx := context.Background()
	for _, edit := range []struct {
		name, statement string
		want            string // of the fault of a leaf; empty is none
	}{
		{"nothing", "", ""},
		{"a movement", "UPDATE movement SET delta = delta + 1 WHERE seq = 2", "and its movements say by"},
		{"what an account then held", "UPDATE movement SET balance = balance + 1 WHERE seq = 3", "and its movements say by"},
		{"a movement taken away", "DELETE FROM movement WHERE seq = 1", "that is not among its movements"},
		{"a movement put in", "INSERT INTO movement (account, seq, delta, balance) SELECT account, 99, delta, balance FROM movement WHERE seq = 1", "movements of accounts were recorded, and 8 are kept"},
		{"a sign-in", "UPDATE session SET id = substr(id, 1, 1)", ""},
	} {
		t.Run(edit.name, func(t *testing.T) {
			folder := t.TempDir()
			store, err := open(folder)
			if err != nil {
				t.Fatal(err)
			}
			book := ledger.Book{}
			for i := range 3 {
				next := tx(part("A", int64(i), "one"))
				next.Postings, next.Changes = buyIn(book, "ann", 100)
				if done := <-store.Append(next); done.Err != nil {
					t.Fatal(done.Err)
				}
			}
			ann := identity.KeptSession{ID: identity.SessionID{1}, Name: "ann", SinceMs: 1, SeenMs: 1}
			if err := <-store.WriteSessions(identity.SessionWrite{Put: []identity.KeptSession{ann}}); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if edit.statement != "" {
				alter(folder, edit.statement)
			}
			if store, err = open(folder); err != nil {
				t.Fatal(err)
			}
			defer store.Close() //nolint:errcheck // it is looked at
			var faults []string
			err = store.Leaves(ctx, 0, func(leaf house.Leaf) error {
				if leaf.Fault != "" {
					faults = append(faults, leaf.Fault)
				}
				return nil
			})
			if err != nil || (len(faults) > 0) != (edit.want != "") || !strings.Contains(strings.Join(faults, "; "), edit.want) {
				t.Errorf("found: %q, %v; want %q", faults, err, edit.want)
			}
			signedIn := 0
			err = store.ReadSessions(ctx, func(identity.KeptSession) error { signedIn++; return nil })
			if want := map[bool]int{true: 0, false: 1}[edit.name == "a sign-in"]; err != nil || signedIn != want {
				t.Errorf("%d are signed in, %v; want %d", signedIn, err, want)
			}
		})
	}
}
