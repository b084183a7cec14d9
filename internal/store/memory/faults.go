package memory

import (
	"fmt"

	"trey/internal/house"
)

// Faults are the failures of a store while it is open. The zero value is none.
type Faults struct {
	// Hold keeps transactions in line until [Store.Flush] writes them, so that a
	// test decides how many wait at once and what a crash finds.
	Hold bool
	// Write decides what becomes of a transaction, the n-th since the store was
	// opened, counted from 1. It is called under the lock of the disk, so it must
	// not ask the store anything.
	Write func(n int, tx *house.Transaction) Fate
	// Read is called at the beginning of every read; its error is the answer.
	Read func() error
}

// Fate is the outcome of a transaction when it is its turn.
type Fate uint8

// The fates. The zero value is none of them.
const (
	_ Fate = iota
	// Recorded: it is recorded and acknowledged.
	Recorded
	// Refused: it is not recorded, as when the disk is full, and the store fails.
	Refused
	// Unheard: it is recorded, and the store fails before it can say so.
	Unheard
	numFates
)

var fateTexts = [numFates]string{Recorded: "recorded", Refused: "the disk is full", Unheard: "the disk was lost after the write"}

// String says what happened.
func (f Fate) String() string {
	if f == 0 || f >= numFates {
		return fmt.Sprintf("Fate(%d)", uint8(f))
	}
	return fateTexts[f]
}

// Flush writes the first n transactions in line and reports how many still wait.
func (s *Store) Flush(n int) (left int) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	s.write(n)
	return len(s.line)
}

// Waiting reports how many transactions are in line.
func (s *Store) Waiting() int { return s.Flush(0) }

// Crash ends the process: of what is in line the first kept are recorded, the
// rest is lost, and nobody hears of either. The disk can be opened again.
func (s *Store) Crash(kept int) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	for i := 0; s.failed == nil && i < min(kept, len(s.line)); i++ {
		// A conflict is recorded by nobody either way.
		_, _ = s.disk.record(&s.line[i])
	}
	s.end(fmt.Errorf("%w: the process has ended", house.ErrFailed))
}
