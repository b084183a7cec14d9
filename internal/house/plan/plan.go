// Package plan reads the file in which an operator describes the house. It says where the house
// listens and keeps its record, and who its first users are. It lists the tables with their
// rules and pace, and the jackpots that they play for.
//
// It reports every mistake of a file at once, each with its line and column and with what to
// write instead. The package never opens a file and starts nothing: whoever calls it has read
// the text, and reads for it the variants that the text names. [Example] is the file to begin
// with, and the house of a demonstration.
package plan

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/printable"
	"trey/internal/tomldoc"
	"trey/money"
)

// Plan is a house as its operator describes it.
type Plan struct {
	// Name is the name of the house on its reports; empty for none.
	Name string
	// Listen is the address and port to listen at.
	Listen string
	// HTTPS says that people reach it by https, through something that stands
	// before it.
	HTTPS bool
	// Hosts are the names and IP addresses by which people reach it, a name with its port if
	// that is not the usual one. If it is nil, they follow from Listen.
	Hosts []string
	// Proxies are the addresses of what stands before it, whose word about where a
	// request comes from is taken.
	Proxies []netip.Addr
	// Metrics is a loopback address and port at which the metrics are served without a
	// token; empty for none. MetricsPos is its position in the file.
	Metrics    string
	MetricsPos tomldoc.Pos
	// Database names the file of the record, as written; empty for none. DatabasePos is its
	// position in the file, for errors about opening the database.
	Database    string
	DatabasePos tomldoc.Pos
	// StandbysVouched says that the operator answers for the standbys of the database,
	// which the program cannot see.
	StandbysVouched bool
	// SealKeys names the file of the keys that seal seeds, as written; empty for none.
	SealKeys string
	// Signing names the folder of the key that signs for the record, as written; empty
	// for the one that has the name of the record.
	Signing string
	// Archive names the folder of what was archived of the record, as written; empty for
	// the one that has the name of the record.
	Archive string
	// SealKeysPos, SigningPos and ArchivePos are the positions of these three in the file.
	SealKeysPos, SigningPos, ArchivePos tomldoc.Pos
	// SecondFactor are the roles that sign in with a second factor.
	SecondFactor []access.Role
	// Provider is the operator's own identity provider; its Issuer is empty for none.
	Provider Provider
	// PlayMoney says that nothing in the house is worth anything.
	PlayMoney bool
	Guests    Guests
	// RealityCheckMs is the time at play after which each player must answer a reality check.
	// It shows how long they have played and their result. Zero is never.
	RealityCheckMs int64
	Requests       Requests
	// Cage bounds what one cashier moves alone.
	Cage house.CageLimits
	// Users are those whom the house knows from the beginning.
	Users []User
	// Witnesses are asked to cosign what the house has signed.
	Witnesses []Witness
	// Forward is the receiver of the significant events.
	Forward Forward
	// Tables are in the order of the file.
	Tables []house.Table
}

// Provider is an identity provider by OpenID Connect.
type Provider struct {
	// Name is its name on the page. Issuer is its address, and ID and Secret are those of the
	// house there. Address is the address by which people reach the house, without a path.
	Name, Issuer, ID, Secret, Address string
	// NameClaim and RolesClaim are the claims that hold a person's name and roles, and
	// Roles says which of the roles there are which here.
	NameClaim, RolesClaim string
	Roles                 map[string]access.Role
}

// Guests are people without a name, who play for play money.
type Guests struct {
	// Max is the largest number of them at once; zero is none.
	Max int
	// Money is the sum with which each of them begins.
	Money money.Amount
}

// Requests limits the requests to the house; zero is no limit.
type Requests struct {
	// Address and Person are the numbers of requests a second allowed to one address and to one
	// person.
	Address, Person int
	// Streams is the largest number of open event streams, and StreamsEach the largest number
	// for one person. As many pages may be live.
	Streams, StreamsEach int
}

// StandardRequests are generous to people and a bound to floods.
var StandardRequests = Requests{Address: 200, Person: 50, Streams: 10_000, StreamsEach: 16}

// User is somebody whom the house knows from the beginning.
type User struct {
	Name string
	Role access.Role
	// Hash is the stored form of the user's password.
	Hash string
}

// Witness is a witness of the house: the prefix of its address, and the line that
// verifies its cosignatures.
type Witness struct{ Name, URL, Key string }

// StandardPace is the pace of automatic tables where nothing else is said: one that
// people can follow.
var StandardPace = house.Pace{BettingMs: 20_000, DecisionMs: 30_000, OptionMs: 45_000, DealMs: 1_000, ShowMs: 6_000}

// StandardListen is the default address at which a house listens.
const StandardListen = "127.0.0.1:8080"

// Error is one mistake in a file.
type Error struct {
	// Name is the file's name as the caller gave it. Line and Column count from 1;
	// what is zero is not known.
	Name         string
	Line, Column int
	// Reason says what is wrong and what to write instead.
	Reason string
}

// Error returns the place and the reason as compilers do.
func (e *Error) Error() string {
	return at(e.Name, e.Line, e.Column) + ": " + printable.Escape(e.Reason)
}

func at(name string, line, column int) string {
	switch {
	case line == 0:
		return name
	case column == 0:
		return fmt.Sprintf("%s:%d", name, line)
	}
	return fmt.Sprintf("%s:%d:%d", name, line, column)
}

// Errors is everything that is wrong with a plan: its own mistakes in the order of
// the text, then those of the variants it names. It is never empty.
type Errors []*Error

// Error returns the mistakes, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one, for errors.As.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// sorted puts the mistakes of the file itself first, each file's in the order of
// its text.
func (e Errors) sorted(file string) Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		if a.Name != b.Name {
			return cmp.Or(-compareBool(a.Name == file, b.Name == file), cmp.Compare(a.Name, b.Name))
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(e, func(a, b *Error) bool { return *a == *b })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Remark is something that a plan may say, but that should not go by unnoticed.
type Remark struct {
	Name         string
	Line, Column int
	Text         string
}

// String returns the place and the text as compilers do.
func (r Remark) String() string {
	return at(r.Name, r.Line, r.Column) + ": " + printable.Escape(r.Text)
}

// Reached returns the names and IP addresses by which requests may reach a house that
// listens at an address, and whether they may come to any IP address besides.
func (p *Plan) Reached() (hosts []string, literals bool) {
	if p.Hosts != nil {
		hosts = []string{"localhost"}
		for _, text := range p.Hosts {
			host, _ := splitHost(text)
			hosts = append(hosts, host)
		}
		return hosts, false
	}
	host, _, err := net.SplitHostPort(p.Listen)
	beyond, listenErr := CheckListen(p.Listen)
	hosts = []string{"localhost"}
	if err == nil && listenErr == nil && host != "" {
		hosts = append(hosts, host)
	}
	return hosts, beyond
}

// splitHost returns the name or IP address of a host, and its port, empty for none.
func splitHost(text string) (host, port string) {
	if _, err := netip.ParseAddr(text); err == nil {
		return text, ""
	}
	host, port, _ = strings.Cut(text, ":")
	return host, port
}

// SharedAddress reports whether many people may share the address of a request. It does so
// where the plan says so, or where something that speaks https stands before the house and is
// no proxy of it.
func (p *Plan) SharedAddress() bool {
	return p.Requests.Address == 0 || p.HTTPS && len(p.Proxies) == 0
}

// Origins returns the origins by which browsers reach a house under a host name that they
// trust, in the order of hosts. They are by https, or on the machine itself at the port where
// the house listens. Passkeys work there alone, because they are bound to a name and not to an
// IP address.
func (p *Plan) Origins(port int) []string {
	if !p.HTTPS {
		return []string{"http://localhost:" + strconv.Itoa(port)}
	}
	var all []string
	for _, text := range p.Hosts {
		host, port := splitHost(strings.ToLower(text))
		if !identity.BindsPasskeys(host) {
			continue
		}
		if port != "" && port != "443" {
			host += ":" + port
		}
		all = append(all, "https://"+host)
	}
	return all
}

// parsePort reads the number of a port, from 0 to 65535 and written as numbers are.
func parsePort(text string) (port uint64, ok bool) {
	port, err := strconv.ParseUint(text, 10, 16)
	return port, err == nil && strconv.FormatUint(port, 10) == text
}

// CheckNode refuses what is no address at which other machines reach this one.
func CheckNode(address string) error {
	host, port, err := net.SplitHostPort(address)
	number, ok := parsePort(port)
	ip, _ := netip.ParseAddr(host)
	if err != nil || host == "" || strings.ContainsAny(host, "/@") || ip.IsUnspecified() || !ok || number == 0 {
		return fmt.Errorf("%q is no address at which other machines reach this one: write a host and a port, such as 10.0.0.1:8080", address)
	}
	return nil
}

// ListenAlike reports whether two addresses, which [CheckListen] takes, cannot both be listened at.
// What a host name leads to is not known.
func ListenAlike(one, other string) bool {
	hostOne, portOne, _ := net.SplitHostPort(one)
	hostOther, portOther, _ := net.SplitHostPort(other)
	if portOne != portOther || portOne == "0" {
		return false
	}
	return hostOne == hostOther || listensEverywhere(hostOne) || listensEverywhere(hostOther) || listenIP(hostOne) == listenIP(hostOther) && listenIP(hostOne).IsValid()
}

// listensEverywhere reports whether a host stands for all addresses of this machine.
func listensEverywhere(host string) bool { return host == "" || listenIP(host).IsUnspecified() }

// listenIP returns the address of a host, or none if it is a name that only the system knows.
func listenIP(host string) netip.Addr {
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, _ := netip.ParseAddr(host)
	return ip.Unmap()
}

// CheckListen refuses what is no address to listen at, and says whether others than
// this machine can reach it. Port 0 is any that is free.
func CheckListen(address string) (beyond bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%q is no address to listen at: write one with its port, such as %s", address, StandardListen)
	}
	if _, ok := parsePort(port); !ok {
		return false, fmt.Errorf("%q is no port: write a number from 0 to 65535, such as %s", port, StandardListen)
	}
	switch host {
	case "localhost":
		return false, nil
	case "":
		return true, nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return true, nil // A name: whoever resolves it to this machine is beyond knowing here.
	}
	return !ip.Unmap().IsLoopback(), nil
}
