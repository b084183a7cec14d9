package house

import (
	"errors"
	"time"

	"trey/sentence"
)

// ErrClock is wrapped where the clock is too far ahead of the last transaction. One wrong
// reading would date everything after it.
var ErrClock = errors.New("the clock is too far ahead of the record")

// InTime returns an error that wraps [ErrClock] if a transaction at a time is dated too
// far after the last one. Times count from the last one that was in time.
func (h *House) InTime(atMs int64) error {
	lastMs := h.lastMs.Load()
	if most := h.world.MaxGapMs; most > 0 && lastMs > 0 && atMs > lastMs+most {
		date := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
		return sentence.Errorf("%s: it reads %s, and the last transaction is of %s; set the machine's clock, or open the house with --accept-clock if it is right", ErrClock, date(atMs), date(lastMs))
	}
	return nil
}

// dated refuses a transaction that is dated too far ahead, and notes the time of any
// other.
func (h *House) dated(atMs int64) error {
	if err := h.InTime(atMs); err != nil {
		return err
	}
	h.lastMs.Store(max(h.lastMs.Load(), atMs))
	return nil
}
