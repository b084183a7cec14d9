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
	// jumped, unless it is nil, is called with the milliseconds by which a reading was too far
	// ahead to be accepted, at most once an hour.
	jumped     func(byMs int64)
	reportedMs atomic.Int64 // when jumped was called, in milliseconds of the program's run, plus one
}

// mostJumpMs is the longest jump ahead of the time of day while the program runs: that of a
// machine that slept, or that was set right by a few hours. A reading beyond that is left out,
// and the house goes on from where it stands at its usual pace.
const mostJumpMs = 24 * 60 * 60 * 1000

// timeOfDay is the clock of this machine, which may jump. Tests set that of their machines.
var timeOfDay = time.Now

// newClock returns the clock of a house on this machine.
func newClock() *clock {
	start := time.Now()
	return &clock{read: func() (dayMs, ranMs int64) {
		return timeOfDay().UnixMilli(), time.Since(start).Milliseconds()
	}}
}

// nowMs returns the time in milliseconds of the Unix clock.
func (c *clock) nowMs() int64 {
	dayMs, ranMs := c.read()
	ahead := dayMs - ranMs
	if was := c.ahead.Load(); was != 0 && ahead-was > mostJumpMs {
		c.reportJump(ahead-was, ranMs)
		ahead = was
	}
	return ranMs + c.atLeast(ahead)
}

// reportJump calls jumped for a reading that was left out, at most once an hour.
func (c *clock) reportJump(byMs, ranMs int64) {
	const hourMs = 60 * 60 * 1000
	lastMs := c.reportedMs.Load()
	if c.jumped != nil && (lastMs == 0 || ranMs+1-lastMs >= hourMs) && c.reportedMs.CompareAndSwap(lastMs, ranMs+1) {
		c.jumped(byMs)
	}
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
		current := c.ahead.Load()
		if ahead <= current {
			return current
		}
		if c.ahead.CompareAndSwap(current, ahead) {
			return ahead
		}
	}
}
