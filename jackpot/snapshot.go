package jackpot

import (
	"encoding/json"
	"fmt"

	"trey/internal/strict"
)

// Snapshot writes a State down, complete: what [Restore] reads back is equal to it.
func Snapshot(s State) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("jackpot: write it down: %w", err)
	}
	return text, nil
}

// Restore reads what [Snapshot] wrote. An error wraps [ErrCorrupt]: it is not that,
// or it does not pass [State.Audit].
func Restore(text []byte) (State, error) {
	var s State
	if err := strict.Read(text, &s); err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := s.Audit(); err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return s, nil
}
