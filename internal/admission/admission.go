// Package admission decides whether the house answers a request at all, before it is
// known what the request asks for: by the host name that it was sent to, by the address
// that it comes from, and by how often that address and that person have asked. The
// programming interface and the pages share one [Control], so that nobody gets by the
// one what the other refuses. [Turns] bounds what of it takes long.
package admission

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Config says what a Control admits.
type Config struct {
	// Address and Person are how often one address and one person may ask.
	Address, Person Rate
	// NowMs is the house's clock.
	NowMs func() int64
	// Hosts are the names and IP addresses by which the house is reached, without a
	// port; nil is any. LiteralHosts admits every IP address besides: a page of another
	// site cannot bind an IP address to another machine, as it can a name.
	Hosts        []string
	LiteralHosts bool
	// Proxies are the addresses of what stands before the house and says in
	// X-Forwarded-For for whom it asks.
	Proxies []netip.Addr
}

// Control admits requests. It is safe for use by many goroutines. A nil one admits
// everything.
type Control struct {
	config             Config
	addresses, persons *limiter
}

// New returns a control.
func New(c Config) *Control {
	c.Hosts = slices.Clone(c.Hosts)
	for i, host := range c.Hosts {
		c.Hosts[i] = canonical(host)
	}
	return &Control{config: c, addresses: newLimiter(c.Address), persons: newLimiter(c.Person)}
}

// canonical returns a host name in the form that is compared.
func canonical(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// Serves reports whether the house goes by the name that a request was sent to. A page
// of another site can have its own name lead to this machine (DNS rebinding); its
// requests then come with that name.
func (c *Control) Serves(r *http.Request) bool {
	if c == nil || c.config.Hosts == nil {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = canonical(host)
	if slices.Contains(c.config.Hosts, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (c.config.LiteralHosts || ip.IsLoopback() && slices.Contains(c.config.Hosts, Loopback))
}

// Handler answers only requests that are admitted: for what has no refusals of its own form.
func (c *Control) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.Serves(r) {
			http.Error(w, "The house does not answer at this host name: use a name in hosts of house.toml.", http.StatusMisdirectedRequest)
			return
		}
		if waitS := c.Address(c.From(r)); waitS > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(waitS))
			http.Error(w, "Too many requests from this address: wait as long as Retry-After says.", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Loopback among the hosts of a [Config] stands for the machine's own name and addresses.
const Loopback = "localhost"

// From returns the address that a request comes from: that of the connection, or if
// that is a proxy's, the nearest address in X-Forwarded-For that is none.
func (c *Control) From(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := at.Addr().Unmap().WithZone("")
	if c == nil || !slices.Contains(c.config.Proxies, from) {
		return from
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next, err := parseHop(strings.TrimSpace(hop))
		if err != nil {
			break // Who wrote this is no proxy of ours.
		}
		from = next.Unmap().WithZone("")
		if !slices.Contains(c.config.Proxies, from) {
			break
		}
	}
	return from
}

// parseHop reads an address as a proxy writes it: some write the port too.
func parseHop(text string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(text)
}

// Address counts one request of an address, and returns for how many seconds it has to
// wait, zero if the request may be answered.
func (c *Control) Address(a netip.Addr) (waitS int) {
	if c == nil {
		return 0
	}
	return c.addresses.take(neighbours(a), c.config.NowMs)
}

// Person counts one request of a person, and returns for how many seconds they have to
// wait, zero if the request may be answered.
func (c *Control) Person(name string) (waitS int) {
	if c == nil {
		return 0
	}
	return c.persons.take(name, c.config.NowMs)
}

// neighbours returns all addresses that one subscriber has: of IPv6 a network of 64
// bits.
func neighbours(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
