package admission

import (
	"context"
	"testing"
	"time"

	"trey/internal/steady"
)

// Whoever asks for much takes one turn at a time and one place in the line, so that others wait
// for one thing of theirs and no more.
func TestTurnsAreFairToPersons(t *testing.T) {
	t.Parallel()
	turns := NewTurns(2)
	first := turns.Take(t.Context(), nil, "ann")
	const many = 50
	got := make(chan func(), many)
	for range many {
		go func() { got <- turns.Take(t.Context(), nil, "ann") }()
	}
	waiting := func(person string, n int) func() bool {
		return func() bool {
			turns.mu.Lock()
			defer turns.mu.Unlock()
			return turns.each[person] != nil && turns.each[person].n == n
		}
	}
	steady.Await(t, "all of ann's wait", waiting("ann", many+1))
	// The other turn is free, whatever ann waits for.
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ben := turns.Take(soon, nil, "ben")
	if ben == nil || len(got) > 0 {
		t.Fatal("ann has two turns at once")
	}
	cas := make(chan func(), 1)
	go func() { cas <- turns.Take(t.Context(), nil, "cas") }()
	steady.Await(t, "cas waits", waiting("cas", 1))
	// The next of ann's may come before cas, and no other does.
	first()
	for before := 0; ; before++ {
		select {
		case giveBack := <-cas:
			giveBack()
			if before > 1 {
				t.Errorf("%d turns of ann's came before the one of cas", before)
			}
			cas = nil
		case giveBack := <-got:
			giveBack()
		}
		if cas == nil {
			for n := before; n < many; n++ {
				(<-got)()
			}
			break
		}
	}
	ben()
	if len(turns.each) > 0 || len(turns.all) > 0 {
		t.Errorf("there remain %d persons and %d turns", len(turns.each), len(turns.all))
	}
}

// Whoever leaves takes no turn with them, wherever they stand in the line.
func TestWhoLeavesTakesNoTurn(t *testing.T) {
	t.Parallel()
	turns := NewTurns(1)
	first := turns.Take(t.Context(), nil, "ann")
	gone, leave := context.WithCancel(t.Context())
	leave()
	closed := make(chan struct{})
	close(closed)
	for _, person := range []string{"ann", "ben"} {
		if turns.Take(gone, nil, person) != nil || turns.Take(t.Context(), closed, person) != nil {
			t.Errorf("%s has left and has a turn", person)
		}
	}
	first()
	turns.Take(t.Context(), nil, "ben")()
	if len(turns.each) > 0 || len(turns.all) > 0 {
		t.Errorf("there remain %d persons and %d turns", len(turns.each), len(turns.all))
	}
}
