package admission

import (
	"net/netip"
	"testing"
)

// One address has a part of the places, all addresses together have all of them, and a place that is
// given back is had again. Of IPv6 a network counts as one address.
func TestPlaces(t *testing.T) {
	places := NewPlaces(5, 2)
	var taken []func()
	take := func(from string, want bool) {
		t.Helper()
		giveBack := places.Take(netip.MustParseAddr(from))
		if (giveBack != nil) != want {
			t.Fatalf("%s has a place: %t, and should: %t", from, giveBack != nil, want)
		}
		if giveBack != nil {
			taken = append(taken, giveBack)
		}
	}
	take("192.0.2.1", true)
	take("192.0.2.1", true)
	take("192.0.2.1", false)
	take("2001:db8::1", true)
	take("2001:db8::2", true)
	take("2001:db8::3", false)
	take("192.0.2.2", true)
	take("192.0.2.3", false)
	taken[0]()
	take("192.0.2.3", true)
	take("192.0.2.1", false)
	for _, giveBack := range taken[1:] {
		giveBack()
	}
	if places.taken != 0 || len(places.each) != 0 {
		t.Errorf("%d places remain taken, by %v", places.taken, places.each)
	}
}
