package admission

import (
	"net/netip"
	"sync"
)

// Places bounds how many requests wait for something at once, in all and for one address, so that
// one address cannot take all places. It is safe for concurrent use.
type Places struct {
	most, mostEach int

	mu    sync.Mutex
	taken int
	each  map[string]int // by address, as [Control.Address] counts
}

// NewPlaces returns so many places, of which one address has mostEach.
func NewPlaces(most, mostEach int) *Places {
	return &Places{most: most, mostEach: mostEach, each: map[string]int{}}
}

// Take takes a place for a request of an address, and returns what gives it back. It returns nil if
// there is none.
func (p *Places) Take(a netip.Addr) (giveBack func()) {
	from := neighbours(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.most || p.each[from] >= p.mostEach {
		return nil
	}
	p.taken++
	p.each[from]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
		if p.each[from]--; p.each[from] == 0 {
			delete(p.each, from)
		}
	}
}
