package identity

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// held has one attempt hold the only turn, so that all others wait.
func held(t *testing.T) (q *queue, end func()) {
	t.Helper()
	q = newQueue(1)
	end, err := q.turn(t.Context(), asker{keys: []string{"somebody"}})
	if err != nil {
		t.Fatal(err)
	}
	return q, end
}

// TestTurnsAreFair holds that the first attempt of a name from an address comes before the
// second one of any other. Among equals a known device comes first, and then the earlier one.
func TestTurnsAreFair(t *testing.T) {
	q, end := held(t)
	var order []string
	var all sync.WaitGroup
	wait := func(what string, known bool, keys ...string) {
		q.mu.Lock()
		before := len(q.waiting)
		q.mu.Unlock()
		all.Go(func() {
			done, err := q.turn(t.Context(), asker{keys, known})
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, what) // one turn at a time
			done()
		})
		for arrived := false; !arrived; runtime.Gosched() {
			q.mu.Lock()
			arrived = len(q.waiting) > before
			q.mu.Unlock()
		}
	}
	for n := range 120 {
		wait(fmt.Sprint("guess ", n), false, fmt.Sprint("name ", n), "the guesser's address")
	}
	for n := range 5 {
		wait(fmt.Sprint("guess at ann ", n), false, "ann", fmt.Sprint("address ", n))
	}
	wait("a stranger", false, "ben", "another address")
	wait("a holder", true, "ann's device")
	wait("a second attempt of the holder", true, "ann's device")
	end()
	all.Wait()
	want := []string{"a holder", "guess 0", "guess at ann 0", "a stranger", "a second attempt of the holder", "guess 1", "guess at ann 1", "guess 2", "guess at ann 2"}
	if len(order) != 128 || !slices.Equal(order[:len(want)], want) {
		t.Errorf("%d turns, first %q, want first %q", len(order), order[:min(len(order), len(want))], want)
	}
	if q.free != 1 || len(q.waiting) != 0 || len(q.present) != 0 {
		t.Errorf("after all turns: %d free, %d waiting, %v", q.free, len(q.waiting), q.present)
	}
}

// TestAFullQueueSendsTheLastAway holds that a queue full of one address's attempts still
// takes somebody else's, in the place of the attempt whose turn comes last.
func TestAFullQueueSendsTheLastAway(t *testing.T) {
	q, end := held(t)
	var waiting []*waiter
	for range maxWaiting {
		w, err := q.arrive(asker{keys: []string{"the guesser's address"}})
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, w)
	}
	if _, err := q.turn(t.Context(), asker{keys: []string{"the guesser's address"}}); !errors.Is(err, ErrBusy) {
		t.Errorf("one more of the same address: %v", err)
	}
	ben, err := q.arrive(asker{keys: []string{"ben"}})
	if err != nil {
		t.Fatalf("another one: %v", err)
	}
	if err := <-waiting[maxWaiting-1].ready; !errors.Is(err, ErrBusy) {
		t.Errorf("the last of them: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := q.turn(gone, asker{keys: []string{"eve"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("somebody who has left: %v", err)
	}
	// The first of the address and the other one are equals, and the others come after both.
	end()
	first := <-waiting[0].ready
	q.end(waiting[0])
	if second := <-ben.ready; first != nil || second != nil {
		t.Errorf("the first two turns: %v, %v", first, second)
	}
	if q.leave(ben) {
		t.Error("who was called still waits")
	}
}
