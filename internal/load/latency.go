package load

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// latencies counts how long commands took, in steps of a thirty-second of each power of
// two of a microsecond: what it reports is at most 3 % too long.
type latencies struct {
	counts [64 * stepsEach]atomic.Int64
}

const stepsEach = 32

func step(us uint64) int {
	if us < stepsEach {
		return int(us)
	}
	power := bits.Len64(us) - 6 // stepsEach <= us>>power < 2*stepsEach
	return (power+1)*stepsEach + int(us>>power) - stepsEach
}

// atMost returns the longest time that is counted in a step, in microseconds.
func atMost(step int) uint64 {
	if step < stepsEach {
		return uint64(step)
	}
	power := step/stepsEach - 1
	return uint64(step%stepsEach+stepsEach+1)<<power - 1
}

func (l *latencies) add(took time.Duration) {
	l.counts[step(uint64(max(0, took.Microseconds())))].Add(1)
}

// join adds what others counted.
func (l *latencies) join(others *latencies) {
	for i := range others.counts {
		l.counts[i].Add(others.counts[i].Load())
	}
}

// latency returns how long commands took, and how many there were.
func (l *latencies) latency() (Latency, int64) {
	ms, all := l.quantiles(0.5, 0.99, 0.999)
	return Latency{ms[0], ms[1], ms[2]}, all
}

// quantiles returns the times, in milliseconds, that these parts of all commands
// did not exceed, and how many there were.
func (l *latencies) quantiles(parts ...float64) (ms []float64, all int64) {
	var counts [len(l.counts)]int64
	for i := range counts {
		counts[i] = l.counts[i].Load()
		all += counts[i]
	}
	for _, part := range parts {
		rest := int64(part * float64(all))
		us := uint64(0)
		for i := range counts {
			if counts[i] == 0 {
				continue
			}
			us = atMost(i)
			if rest -= counts[i]; rest < 0 {
				break
			}
		}
		ms = append(ms, float64(us)/1000)
	}
	return ms, all
}
