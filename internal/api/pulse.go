package api

import (
	"sync"
	"sync/atomic"
	"time"
)

// pulses tell open streams now and then that time has passed. Each of them beats for
// many streams, because a clock for each stream keeps the runtime busy with thousands
// of clocks, and not all beat at once, so that not all streams wake up together.
type pulses struct {
	joined atomic.Uint64
	all    [numPulses]pulse
}

const numPulses = 64

// pulse is one beat that many streams hear.
type pulse struct {
	mu      sync.Mutex
	streams int
	every   time.Duration
	clock   *time.Timer
	beat    chan struct{} // closed with the next beat
}

// join returns a pulse that beats as often as is said, for the first time within that
// time. The stream must leave it.
func (all *pulses) join(every time.Duration) *pulse {
	i := all.joined.Add(1) % numPulses
	p := &all.all[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams++; p.streams == 1 {
		p.every, p.beat = every, make(chan struct{})
		p.clock = time.AfterFunc(every*time.Duration(i+1)/numPulses, p.strike)
	}
	return p
}

func (p *pulse) strike() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams > 0 {
		close(p.beat)
		p.beat = make(chan struct{})
		p.clock.Reset(p.every)
	}
}

// next is closed with the next beat.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beat
}

func (p *pulse) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams--; p.streams == 0 {
		p.clock.Stop()
	}
}
