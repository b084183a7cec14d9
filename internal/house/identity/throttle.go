package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// Guessing is slowed down by these limits. After the free failures each further one doubles the
// time until the next attempt, up to the most. After an hour without a failure all are deleted.
// The delay for a name is short at most, so that nobody can shut another person out by guessing
// in their name.
const (
	freeByName     = 5
	freeByAddress  = 20
	mostByNameMs   = 5 * 60 * 1000
	mostByAddrMs   = 15 * 60 * 1000
	firstWaitMs    = 1000
	forgottenMs    = 60 * 60 * 1000
	throttleCounts = 1 << 15
)

// Throttled says that somebody has failed too often to try again now.
type Throttled struct {
	// WaitMs is the time to wait.
	WaitMs int64
}

// Error says how long to wait.
func (t *Throttled) Error() string {
	return fmt.Sprintf("too many failed attempts: try again in %d s", (t.WaitMs+999)/1000)
}

// throttle counts failures by a key. The counts are of a fixed number, and a key finds its
// count by a hash that nobody outside can compute. A flood of keys thus takes no memory and
// displaces nobody's count. Two keys that share one are slowed down together, which is rare and
// passes.
type throttle struct {
	free   int
	mostMs int64
	salt   [16]byte
	mu     sync.Mutex
	counts []failures
}

type failures struct {
	n              int
	lastMs, nextMs int64
}

func newThrottle(free int, mostMs int64, random io.Reader) (*throttle, error) {
	t := &throttle{free: free, mostMs: mostMs, counts: make([]failures, throttleCounts)}
	if _, err := io.ReadFull(random, t.salt[:]); err != nil {
		return nil, fmt.Errorf("no randomness: %w", err)
	}
	return t, nil
}

func (t *throttle) count(key string) *failures {
	sum := sha256.Sum256(append(t.salt[:], key...))
	return &t.counts[binary.BigEndian.Uint64(sum[:8])%throttleCounts]
}

// attempt is one that was counted. Before it the count failed at beforeMs.
type attempt struct {
	key            string
	atMs, beforeMs int64
}

// begin counts an attempt as failed before it is made, so that many made at once
// are as many; or it returns how long to wait. Then comes passed or undo, or
// nothing if it did fail.
func (t *throttle) begin(key string, nowMs int64) (a attempt, waitMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.count(key)
	if nowMs-f.lastMs >= forgottenMs {
		*f = failures{}
	}
	if nowMs < f.lastMs { // The clock was set back, and nobody waits longer for it.
		f.lastMs, f.nextMs = nowMs, nowMs+max(f.nextMs-f.lastMs, 0)
	}
	if nowMs < f.nextMs {
		return a, f.nextMs - nowMs
	}
	a = attempt{key, nowMs, f.lastMs}
	f.n++
	f.lastMs = nowMs
	if beyond := f.n - t.free; beyond >= 0 {
		f.nextMs = nowMs + min(firstWaitMs<<min(beyond, 30), t.mostMs)
	}
	return a, 0
}

// passed deletes the failures of a key.
func (t *throttle) passed(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*t.count(key) = failures{}
}

// undo takes one attempt back that has turned out not to have failed. It was
// made, so no other wait was due; and what failed before it is not remembered for
// longer because of it.
func (t *throttle) undo(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.count(a.key)
	f.n = max(f.n-1, 0)
	f.nextMs = 0
	if f.lastMs == a.atMs {
		f.lastMs = a.beforeMs
	}
}
