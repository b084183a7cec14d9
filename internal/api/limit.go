package api

import (
	"net/netip"
	"sync"
)

// Rate is how often somebody may ask: so many requests a second in the long run,
// and Burst at once. A PerSecond of zero is no limit.
type Rate struct {
	PerSecond int
	Burst     int
}

// limiter counts requests by whoever asks. It keeps one number for each: when he
// would have used up all that he may, had he asked evenly (the generic cell rate
// algorithm).
type limiter struct {
	rate Rate

	mu      sync.Mutex
	fullMs  map[string]float64
	sweepMs float64
}

func newLimiter(r Rate) *limiter { return &limiter{rate: r, fullMs: map[string]float64{}} }

// take counts one request. It returns for how many seconds to wait before the
// next one, zero if this one may be answered.
func (l *limiter) take(who string, nowMs int64) (waitS int) {
	if l.rate.PerSecond <= 0 {
		return 0
	}
	eachMs := 1000 / float64(l.rate.PerSecond)
	now := float64(nowMs)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	full := max(l.fullMs[who], now)
	if ahead := full + eachMs - now; ahead > eachMs*float64(max(1, l.rate.Burst)) {
		return int((ahead-eachMs*float64(max(1, l.rate.Burst)))/1000) + 1
	}
	l.fullMs[who] = full + eachMs
	return 0
}

// sweepEveryMs is how long those are remembered at most who have not asked for a
// while, so that a flood from many addresses fills no memory for long.
const sweepEveryMs = 10_000

func (l *limiter) sweep(now float64) {
	if now < l.sweepMs+sweepEveryMs {
		return
	}
	l.sweepMs = now
	for who, full := range l.fullMs {
		if full <= now {
			delete(l.fullMs, who)
		}
	}
}

// seats counts what is held open by whoever holds it, and in all.
type seats struct {
	each, all int // at most; zero is no limit

	mu    sync.Mutex
	taken map[string]int
	total int
}

func newSeats(each, all int) *seats { return &seats{each: each, all: all, taken: map[string]int{}} }

// take reports whether there is room for one more, and takes it.
func (s *seats) take(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all > 0 && s.total >= s.all || s.each > 0 && s.taken[who] >= s.each {
		return false
	}
	s.taken[who]++
	s.total++
	return true
}

func (s *seats) leave(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[who]--; s.taken[who] <= 0 {
		delete(s.taken, who)
	}
	s.total--
}

func (s *seats) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// addressOf is the address at the other end of a connection.
func addressOf(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// neighbours are all addresses that one subscriber has: of IPv6 a network of 64
// bits.
func neighbours(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
