package main

import (
	"sync/atomic"
	"time"
)

// clock is the one clock of a house: the time of day, except that it never goes
// back. When the machine's clock is set back, or was ahead when the record was last
// written, the house's goes on from where it stands at its usual pace. Hands that
// are dealt later were dealt later by it, players are given no time that they do
// not have, and nobody waits for an hour to come round again.
type clock struct {
	// read returns the time of day and how long the program has run, both in
	// milliseconds.
	read func() (dayMs, ranMs int64)
	// ahead is the most that the one was ever ahead of the other.
	ahead atomic.Int64
}

// newClock returns the clock of this machine.
func newClock() *clock {
	start := time.Now()
	return &clock{read: func() (dayMs, ranMs int64) {
		now := time.Now()
		return now.UnixMilli(), now.Sub(start).Milliseconds()
	}}
}

// nowMs returns the time in milliseconds of the Unix clock.
func (c *clock) nowMs() int64 {
	dayMs, ranMs := c.read()
	return ranMs + c.atLeast(dayMs-ranMs)
}

// notBefore puts the clock on to a time, if it has not come to it yet, and returns
// by how much that was.
func (c *clock) notBefore(ms int64) (byMs int64) {
	byMs = max(0, ms-c.nowMs())
	if byMs > 0 {
		_, ranMs := c.read()
		c.atLeast(ms - ranMs)
	}
	return byMs
}

func (c *clock) atLeast(ahead int64) int64 {
	for {
		is := c.ahead.Load()
		if ahead <= is {
			return is
		}
		if c.ahead.CompareAndSwap(is, ahead) {
			return ahead
		}
	}
}
