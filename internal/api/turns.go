package api

import (
	"context"
	"runtime"
	"sync"
)

// turns bounds the subscribers for whom the past is read at once: one of each person, and
// half of the processors in all, so that the others are left to those who play. A reading
// takes the house a thousand times as long as the request for it.
type turns struct {
	all chan struct{}

	mu   sync.Mutex
	each map[string]*persons
}

// persons are the subscribers of one person who want a turn or have one.
type persons struct {
	turn chan struct{}
	n    int // guarded by turns.mu
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), each: map[string]*persons{}}
}

// take waits for a turn of a person, in the order of those who come, and returns what gives
// it back. It ends with the context, and with errClosing when the house closes.
func (t *turns) take(ctx context.Context, closing <-chan struct{}, person string) (giveBack func(), err error) {
	t.mu.Lock()
	theirs := t.each[person]
	if theirs == nil {
		theirs = &persons{turn: make(chan struct{}, 1)}
		t.each[person] = theirs
	}
	theirs.n++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if theirs.n--; theirs.n == 0 {
			delete(t.each, person)
		}
	}
	// A person's own turn comes first, so that nobody takes several places in the line.
	for i, one := range []chan struct{}{theirs.turn, t.all} {
		select {
		case one <- struct{}{}:
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-closing:
			err = errClosing
		}
		if i > 0 {
			<-theirs.turn
		}
		leave()
		return nil, err
	}
	return func() {
		<-t.all
		<-theirs.turn
		leave()
	}, nil
}
