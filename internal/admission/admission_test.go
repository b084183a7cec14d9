package admission

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestHosts(t *testing.T) {
	tests := []struct {
		name     string
		hosts    []string
		literals bool
		host     string
		want     bool
	}{
		{"its own name", []string{"trey.example"}, false, "trey.example", true},
		{"with a port", []string{"trey.example"}, false, "Trey.Example.:8443", true},
		{"another name", []string{"trey.example"}, false, "evil.example", false},
		{"a name below it", []string{"trey.example"}, false, "a.trey.example", false},
		{"no name", []string{"trey.example"}, false, "", false},
		{"loopback by name", []string{Loopback}, false, "localhost:8080", true},
		{"loopback", []string{Loopback}, false, "127.0.0.1:8080", true},
		{"loopback of IPv6", []string{Loopback}, false, "[::1]:8080", true},
		{"a name that is bound to loopback", []string{Loopback}, false, "localhost.evil.example:8080", false},
		{"an address elsewhere", []string{Loopback}, false, "192.0.2.1", false},
		{"any address", []string{Loopback}, true, "192.0.2.1:8080", true},
		{"an address that is only like one", []string{Loopback}, true, "192.0.2.1.evil.example", false},
		{"an address given", []string{"192.0.2.1"}, false, "192.0.2.1", true},
		{"loopback not given", []string{"192.0.2.1"}, false, "127.0.0.1", false},
		{"everything", nil, false, "evil.example", true},
	}
	for _, c := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if got := New(Config{Hosts: c.hosts, LiteralHosts: c.literals}).Serves(r); got != c.want {
			t.Errorf("%s: %q is %v", c.name, c.host, got)
		}
	}
}

func TestFrom(t *testing.T) {
	proxies := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.2")}
	tests := []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "192.0.2.1:1", nil, "192.0.2.1"},
		{"somebody who says to be somebody else", "192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1"},
		{"a proxy", "127.0.0.1:1", []string{"198.51.100.7"}, "198.51.100.7"},
		{"a proxy that adds to what it was told", "127.0.0.1:1", []string{"1.2.3.4, 198.51.100.7"}, "198.51.100.7"},
		{"two proxies", "127.0.0.1:1", []string{"1.2.3.4", "198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"a proxy that says nothing", "127.0.0.1:1", nil, "127.0.0.1"},
		{"nonsense", "127.0.0.1:1", []string{"unknown"}, "127.0.0.1"},
		{"nonsense behind a proxy", "127.0.0.1:1", []string{"unknown, 10.0.0.2"}, "10.0.0.2"},
		{"a proxy that writes ports", "127.0.0.1:1", []string{"1.2.3.4, 198.51.100.7:4711"}, "198.51.100.7"},
		{"a proxy that writes ports of IPv6", "127.0.0.1:1", []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		{"IPv4 in IPv6", "[::ffff:127.0.0.1]:1", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
	}
	for _, c := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		for _, line := range c.forwarded {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := New(Config{Proxies: proxies}).From(r); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Of addresses of IPv6 a whole network counts as one.
func TestNeighbours(t *testing.T) {
	nowMs := int64(1_000_000)
	c := New(Config{Address: Rate{PerSecond: 1, Burst: 2}, NowMs: func() int64 { return nowMs }})
	wait := func(a string) int { return c.Address(netip.MustParseAddr(a)) }
	if a, b, third := wait("2001:db8::1"), wait("2001:db8::2"), wait("2001:db8::ffff:3"); a != 0 || b != 0 || third != 1 {
		t.Errorf("three of one network wait %d, %d and %d s", a, b, third)
	}
	if n := wait("2001:db8:0:1::1"); n != 0 {
		t.Errorf("one of another network waits %d s", n)
	}
	nowMs += 1000
	if n := wait("2001:db8::4"); n != 0 {
		t.Errorf("after a second it waits %d s", n)
	}
}
