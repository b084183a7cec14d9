package identity

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// maxWaiting is the number of people who wait to have a password hashed. If there are more,
// those whose turn would come last are sent away.
const maxWaiting = 256

// asker is on whose behalf a password is hashed.
type asker struct {
	// keys are the name and the address that the attempt comes by, as far as they tell
	// people apart.
	keys []string
	// known reports whether it comes from a session, or from a device of the name's holder.
	known bool
}

// queue lets few passwords be hashed at a time, and is fair to names and addresses. A thousand
// attempts of one address, or at one name, delay each other and not the first attempt of
// another person.
type queue struct {
	mu      sync.Mutex
	free    int
	last    int64 // number of the latest arrival
	waiting []*waiter
	present map[string]int // of a key, how many wait or have their turn
}

// waiter is an attempt that waits.
type waiter struct {
	asker
	// behind is the number of attempts of the same name or address before it in the queue.
	behind int
	number int64
	ready  chan error // receives nil for its turn
}

// compare orders waiters by whose turn comes first.
func (w *waiter) compare(other *waiter) int {
	return cmp.Or(cmp.Compare(w.behind, other.behind), compareBool(other.known, w.known), cmp.Compare(w.number, other.number))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func newQueue(most int) *queue { return &queue{free: most, present: map[string]int{}} }

// turn waits for a turn and returns how to end it. It returns [ErrBusy] to whoever has
// to go because too many wait.
func (q *queue) turn(ctx context.Context, of asker) (end func(), err error) {
	w, err := q.arrive(of)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-w.ready:
	case <-ctx.Done():
		if q.leave(w) {
			return nil, ctx.Err()
		}
		err = <-w.ready // It was called, or sent away, in this very moment.
	}
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		q.end(w)
		return nil, ctx.Err()
	}
	return func() { q.end(w) }, nil
}

// arrive lets an attempt in, which is called at once if nobody is before it.
func (q *queue) arrive(of asker) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	w := &waiter{asker: of, number: q.last, ready: make(chan error, 1)}
	for _, key := range of.keys {
		w.behind = max(w.behind, q.present[key])
	}
	if len(q.waiting) >= maxWaiting {
		last := slices.MaxFunc(q.waiting, (*waiter).compare)
		if w.compare(last) > 0 {
			return nil, ErrBusy
		}
		q.remove(last)
		last.ready <- ErrBusy
	}
	for _, key := range of.keys {
		q.present[key]++
	}
	q.waiting = append(q.waiting, w)
	q.call()
	return w, nil
}

// leave takes an attempt out that gives up, and reports whether it was still waiting.
func (q *queue) leave(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.waiting, w) {
		return false
	}
	q.remove(w)
	return true
}

// remove takes an attempt out that waits. q.mu is held.
func (q *queue) remove(w *waiter) {
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
	q.uncount(w)
}

// uncount removes an attempt from the counts. q.mu is held.
func (q *queue) uncount(w *waiter) {
	for _, key := range w.keys {
		if q.present[key]--; q.present[key] == 0 {
			delete(q.present, key)
		}
	}
}

// call gives free turns to those whose turn it is. q.mu is held.
func (q *queue) call() {
	for q.free > 0 && len(q.waiting) > 0 {
		next := slices.MinFunc(q.waiting, (*waiter).compare)
		q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == next })
		q.free--
		next.ready <- nil
	}
}

// end ends a turn.
func (q *queue) end(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.uncount(w)
	q.call()
}
