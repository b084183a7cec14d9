// Package machines describes the machines of a house: what each announces of itself, which
// of them are gone, and what each of them reads. It is pure.
package machines

import (
	"context"
	"slices"
	"strings"
)

// Reads says up to where a program reads what another one writes.
type Reads struct {
	// Tables is the version of the tables in the database.
	Tables int64 `json:"tables"`
	// Books are the revisions of the rule books, by their references.
	Books map[string]int `json:"books"`
	// Forms are the latest versions of the kinds of events and commands. A program writes a
	// kind in its latest version, and reads it in each earlier one.
	Forms map[string]int `json:"forms,omitempty"`
}

// all reports whether each form that another program writes is read.
func (r *Reads) all(written map[string]int) bool {
	for kind, version := range written {
		if r.Forms[kind] < version {
			return false
		}
	}
	return true
}

// Machine is a machine of a house as it last announced itself.
type Machine struct {
	// Node names the machine for people, and Address is the address at which the others reach
	// it.
	Node, Address string
	// Version is the version of its program, and Reads what that reads.
	Version string
	Reads   Reads
	// Writer reports whether it decides and records; else it only serves clients.
	Writer bool
	// DoorOnly says why a door never becomes the writer, empty if it may.
	DoorOnly string
	// Seq is the last transaction that it shows, and Behind how many confirmed ones it
	// lacks. BehindMs is the time since it last had the complete record, and at the writer, the
	// time since the database confirmed its lease.
	Seq, Behind, BehindMs int64
	// SeenMs is the time at which it announced itself, by the clock of the database.
	SeenMs int64
}

// Lease names the machine that is the writer of a house.
type Lease struct {
	Node, Address string
	// Epoch is the number of changes of the writer.
	Epoch int64
	// UntilMs is until when no other machine takes its place, by the clock of the database.
	UntilMs int64
}

// House holds the machines of a house at one moment.
type House struct {
	// NowMs is that moment, by the clock of the database.
	NowMs int64
	// Machines are ordered by name and address.
	Machines []Machine
	// Lease is nil where one machine has the record in a file.
	Lease *Lease
}

const (
	// goneMs is the time without an announcement after which a machine is gone: each
	// announces itself at least once a second.
	goneMs = 5_000
	// countedMs is the time without an announcement after which nothing waits for a machine
	// any more. It is longer than goneMs: a machine that starts again is away for a while.
	countedMs = 60_000
	// KeptDays is the number of days for which a machine that is gone is remembered.
	KeptDays = 7
)

// Gone reports whether a machine has announced itself no more.
func (h *House) Gone(m *Machine) bool { return h.NowMs-m.SeenMs > goneMs }

// Lacking returns the names of the machines that do not read something, other than the one
// at an address, of those that have announced themselves within a minute.
func (h *House) Lacking(except string, read func(*Reads) bool) (names []string) {
	for i := range h.Machines {
		m := &h.Machines[i]
		if m.Address != except && h.NowMs-m.SeenMs <= countedMs && !read(&m.Reads) {
			names = append(names, m.name())
		}
	}
	return names
}

// Earlier returns the names of the machines to which a program leaves the place of the writer.
// They may take it, but cannot read all forms that the program writes, and it reads all of
// theirs. So nothing is written in a form that a machine does not read, as long as such a
// machine is there.
func (h *House) Earlier(except string, program *Reads) (names []string) {
	for i := range h.Machines {
		m := &h.Machines[i]
		if m.Address != except && !m.Writer && m.DoorOnly == "" && !h.Gone(m) && !m.Reads.all(program.Forms) && program.all(m.Reads.Forms) {
			names = append(names, m.name())
		}
	}
	return names
}

// name names the machine for people, so that it can be found.
func (m *Machine) name() string {
	if m.Node == m.Address {
		return m.Node
	}
	return m.Node + " (" + m.Address + ")"
}

// Held reports whether the lease is held at that moment.
func (h *House) Held() bool { return h.Lease != nil && h.Lease.UntilMs > h.NowMs }

// Order brings the machines into their order.
func (h *House) Order() {
	slices.SortFunc(h.Machines, func(a, b Machine) int {
		if by := strings.Compare(a.Node, b.Node); by != 0 {
			return by
		}
		return strings.Compare(a.Address, b.Address)
	})
}

// Alone returns a house of one machine, which has the record in a file.
func Alone(m Machine) House {
	m.Writer = true
	return House{NowMs: m.SeenMs, Machines: []Machine{m}}
}

// Lister returns the machines of a house as they are now.
type Lister func(ctx context.Context) (House, error)

// None returns what lists no machines.
func None(nowMs func() int64) Lister {
	return func(context.Context) (House, error) { return House{NowMs: nowMs()}, nil }
}
