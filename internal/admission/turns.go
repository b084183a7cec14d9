package admission

import (
	"context"
	"sync"
)

type personKey struct{}

// For returns a context that says for which person a request is answered.
func For(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

// PersonOf returns the person for whom a request is answered, empty if that is nobody.
func PersonOf(ctx context.Context) string {
	person, _ := ctx.Value(personKey{}).(string)
	return person
}

// Turns bounds how much is done at once of what takes long: one thing for each person, and so
// many in all. Whoever asks for a hundred delays their own, and others by one of them at most.
type Turns struct {
	all chan struct{}

	mu   sync.Mutex
	each map[string]*line
}

// line counts what one person waits for or has a turn for.
type line struct {
	turn chan struct{}
	n    int // guarded by Turns.mu
}

// NewTurns returns turns of which so many are given at once.
func NewTurns(most int) *Turns {
	return &Turns{all: make(chan struct{}, most), each: map[string]*line{}}
}

// Take waits for a turn of a person, in the order of those who come, and returns what gives
// it back. It returns nil if the context ends before, or the house closes.
func (t *Turns) Take(ctx context.Context, closing <-chan struct{}, person string) (giveBack func()) {
	t.mu.Lock()
	theirs := t.each[person]
	if theirs == nil {
		theirs = &line{turn: make(chan struct{}, 1)}
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
		case <-closing:
		}
		if i > 0 {
			<-theirs.turn
		}
		leave()
		return nil
	}
	return func() {
		<-t.all
		<-theirs.turn
		leave()
	}
}
