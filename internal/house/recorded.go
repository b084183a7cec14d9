package house

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
)

// storedKey returns the key under which a person's idempotency key is recorded: keys are each
// person's own.
func storedKey(name, key string) string { return strconv.Quote(name) + " " + key }

// Recorded reports whether something is recorded under an idempotency key of a person. A
// repeated request then gets its answer, and is not carried out again.
func (h *House) Recorded(ctx context.Context, name, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	_, err := h.store.Find(ctx, storedKey(name, key))
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// replayNote is the key of a context under which [NoteReplay] keeps its note.
type replayNote struct{}

// NoteReplay returns a context for one request, and a note that becomes true if the request is
// answered from what is recorded under its idempotency key.
func NoteReplay(ctx context.Context) (context.Context, *atomic.Bool) {
	note := new(atomic.Bool)
	return context.WithValue(ctx, replayNote{}, note), note
}

// Replayed notes that the request of a context is answered from what is recorded under its
// idempotency key.
func Replayed(ctx context.Context) {
	if note, ok := ctx.Value(replayNote{}).(*atomic.Bool); ok {
		note.Store(true)
	}
}
