//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/identity"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// movable is a record that can be carried over.
type movable interface {
	house.Store
	identity.SessionStore
	Move(ctx context.Context, last *house.Transaction, to func(rows row.Tables, head tree.Head, commit func() error) error) error
	Close() error
}

// everything is all that a record says, with the people in it.
func everything(t *testing.T, store movable, w *writing) map[string]any {
	t.Helper()
	all := said(t, store, w)
	var names []people.Name
	if err := store.Names(t.Context(), 0, func(n people.Name) error { names = append(names, n); return nil }); err != nil {
		t.Fatal(err)
	}
	var sessions []identity.KeptSession
	if err := store.ReadSessions(t.Context(), func(s identity.KeptSession) error { sessions = append(sessions, s); return nil }); err != nil {
		t.Fatal(err)
	}
	all["names"], all["sessions"], all["origin"] = names, sessions, string(store.Origin())
	if head, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) > 0 || head != store.Head() {
		t.Errorf("the tree is %v, %v, %v; want %v", head, found, err, store.Head())
	}
	return all
}

// A record of which a part was archived is carried over into a database and back into a
// file, and says everything that it said before. What is not committed is in neither; what
// was committed and not written is carried over by the next attempt.
func TestARecordIsCarriedOver(t *testing.T) {
	steady.Detail(t)
	steady.Sequential(t)
	t.Parallel()
	server := pgserver.StartFor(t)
	database, err := server.Database(t.Context(), "house")
	if err != nil {
		t.Fatal(err)
	}
	path, back := filepath.Join(t.TempDir(), "house.db"), filepath.Join(t.TempDir(), "back.db")
	store, w := opened(t, path), newWriting()
	w.add(t, store, 800)
	named := w.next(t)
	named.Names = []people.Name{{Number: 1, Salt: people.Salt{1, 2, 3}, Text: "ann"}, {Number: 2, Salt: people.Salt{4}, Text: "ben"}}
	erased := w.next(t)
	erased.Erase = []int64{2}
	for _, tx := range []*house.Transaction{named, erased} {
		if done := <-store.Append(tx); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	kept := []identity.KeptSession{
		{ID: identity.SessionID{7}, Name: "ann", Epoch: 3, SinceMs: 5, SeenMs: 9},
		{ID: identity.SessionID{8}, Name: "guest-1", Guest: true, SinceMs: 6, SeenMs: 10},
	}
	if err := <-store.WriteSessions(identity.SessionWrite{Put: kept}); err != nil {
		t.Fatal(err)
	}
	signed := store.Head()
	shut(t, store)
	if _, last, err := sqlite.Archive(t.Context(), path, archived(t, path, sqlite.ArchiveBeside(path), 700, signed)); err != nil || last != 511 {
		t.Fatalf("archived up to %d, %v", last, err)
	}

	// Nothing is committed: the record is as it was.
	store = opened(t, path)
	next := w.next(t)
	w.n-- // it is not there yet
	want := everything(t, store, w)
	no := errors.New("no")
	if err := store.Move(t.Context(), next, func(_ row.Tables, head tree.Head, _ func() error) error {
		if head.Size != signed.Size+1 {
			t.Errorf("%d leaves are to be carried over", head.Size)
		}
		return no
	}); !errors.Is(err, no) {
		t.Fatal(err)
	}
	shut(t, store)
	store = opened(t, path)
	compare(t, everything(t, store, w), want)
	w.n++

	// It is committed, and not written.
	if err := store.Move(t.Context(), next, func(_ row.Tables, _ tree.Head, commit func() error) error {
		return errors.Join(commit(), no)
	}); !errors.Is(err, no) {
		t.Fatal(err)
	}
	shut(t, store)

	// It is written elsewhere: first not what is expected, then all of it.
	store = opened(t, path)
	want = everything(t, store, w)
	if n := store.Head().Size; n != signed.Size+1 {
		t.Fatalf("the record has %d leaves after the last one was committed", n)
	}
	if err := store.Move(t.Context(), nil, func(rows row.Tables, head tree.Head, commit func() error) error {
		never := func() error { t.Error("it was taken for ready"); return nil }
		other := head
		other.Root[0] ^= 1
		if err := postgres.FillThen(t.Context(), database, rows, other, never); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("another tree: %v", err)
		}
		if err := postgres.FillThen(t.Context(), database, without(rows, "node"), head, never); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("without its nodes: %v", err)
		}
		if err := sqlite.FillThen(t.Context(), back, without(rows, "node"), head, never); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("into a file, without its nodes: %v", err)
		}
		if err := sqlite.FillThen(t.Context(), back, rows, other, never); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("into a file, another tree: %v", err)
		}
		return postgres.FillThen(t.Context(), database, rows, head, commit)
	}); err != nil {
		t.Fatal(err)
	}
	shut(t, store)
	var moved movable
	if moved, err = postgres.Open(t.Context(), database, postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, everything(t, moved, w), want)
	w.add(t, moved, 100)
	last := w.next(t)
	w.n--
	want = everything(t, moved, w)
	if err := moved.Move(t.Context(), last, func(rows row.Tables, head tree.Head, commit func() error) error {
		if err := postgres.FillThen(t.Context(), database, rows, head, commit); !errors.Is(err, postgres.ErrThere) {
			t.Errorf("over a record: %v", err)
		}
		return no
	}); !errors.Is(err, no) {
		t.Fatal(err)
	}
	if err := moved.Close(); err != nil {
		t.Fatal(err)
	}
	if moved, err = postgres.Open(t.Context(), database, postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, everything(t, moved, w), want)
	w.n++
	if err := moved.Move(t.Context(), last, func(rows row.Tables, head tree.Head, commit func() error) error {
		return sqlite.FillThen(t.Context(), back, rows, head, commit)
	}); err != nil {
		t.Fatal(err)
	}
	if err := moved.Close(); err != nil {
		t.Fatal(err)
	}
	if moved, err = postgres.Open(t.Context(), database, postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	want = everything(t, moved, w)
	if err := moved.Close(); err != nil {
		t.Fatal(err)
	}
	store = opened(t, back)
	got := everything(t, store, w)
	if !reflect.DeepEqual(got["sessions"], any(kept)) {
		t.Errorf("the sessions are %+v", got["sessions"])
	}
	compare(t, got, want)
	w.add(t, store, 20)
	shut(t, store)
}

// without leaves the rows of a table out.
func without(rows row.Tables, left string) row.Tables {
	return func(table string, columns []string, yield func([]any) error) error {
		if table == left {
			return nil
		}
		return rows(table, columns, yield)
	}
}
