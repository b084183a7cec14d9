package house

import (
	"context"
	"errors"
	"strconv"
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
