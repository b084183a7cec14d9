package admission

import "sync"

// Rate is a rate limit: a number of requests a second in the long run, and Burst at once.
// A PerSecond of zero is no limit.
type Rate struct {
	PerSecond int
	Burst     int
}

// limiter counts requests by the one who asks. It keeps one number for each: when
// everything they may ask would be used up, had they asked evenly (the generic cell
// rate algorithm).
type limiter struct {
	rate Rate

	mu      sync.Mutex
	fullMs  map[string]float64
	sweepMs float64
}

func newLimiter(r Rate) *limiter { return &limiter{rate: r, fullMs: map[string]float64{}} }

// take counts one request. It returns for how many seconds to wait before the
// next one, zero if this one may be answered.
func (l *limiter) take(key string, nowMs func() int64) (waitS int) {
	if l.rate.PerSecond <= 0 {
		return 0
	}
	eachMs := 1000 / float64(l.rate.PerSecond)
	mostMs := eachMs * float64(max(1, l.rate.Burst))
	now := float64(nowMs())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	full := max(l.fullMs[key], now)
	if ahead := full + eachMs - now; ahead > mostMs {
		return int((ahead - mostMs + 999) / 1000)
	}
	l.fullMs[key] = full + eachMs
	return 0
}

// sweepEveryMs bounds the time for which idle clients are remembered, so that a flood
// from many addresses fills no memory for long.
const sweepEveryMs = 10_000

func (l *limiter) sweep(now float64) {
	if now < l.sweepMs+sweepEveryMs {
		return
	}
	l.sweepMs = now
	for key, full := range l.fullMs {
		if full <= now {
			delete(l.fullMs, key)
		}
	}
}
