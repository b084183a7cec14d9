//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// Commands that ask at the same moment whether their keys were used are answered by one query, each
// with its own answer.
func TestKeysAreAskedForTogether(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, postgres.Options{})
	const all = 40
	for i := 0; i < all; i += 2 {
		tx := said("A", int64(i/2))
		tx.Key = fmt.Sprint("key ", i)
		if done := <-s.Append(tx); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	ctx := context.Background()
	held := hold(t, at, "LOCK TABLE key IN ACCESS EXCLUSIVE MODE")
	var asking sync.WaitGroup
	for i := range all {
		asking.Go(func() {
			r, err := s.Find(ctx, fmt.Sprint("key ", i))
			switch {
			case i%2 == 0 && (err != nil || r.Seq != int64(i/2+1)):
				t.Errorf("key %d is answered %+v, %v", i, r, err)
			case i%2 == 1 && !errors.Is(err, house.ErrNotFound):
				t.Errorf("key %d was used by nobody, and is answered %v", i, err)
			}
		})
	}
	const waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'key'::regclass AND NOT granted"
	// Asked on the connection that holds the lock: to connect again takes time, and a read that the
	// store waits for has 10 s.
	waits := func() (n int64) {
		if err := held.QueryRow(ctx, waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	steady.Await(t, "a lock that is waited for", func() bool { return waits() > 0 })
	for range 50 { // all have asked long before the end
		if n := waits(); n != 1 {
			t.Errorf("%d queries are under way", n)
			break
		}
	}
	over, end := context.WithCancel(ctx)
	end()
	if _, err := s.Find(over, "key 0"); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever has left is answered %v", err)
	}
	if err := held.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	asking.Wait()
}
