package machines_test

import (
	"slices"
	"testing"

	"trey/internal/house/machines"
)

func TestWhoIsGone(t *testing.T) {
	h := machines.House{NowMs: 100_000, Machines: []machines.Machine{
		{Node: "n2", SeenMs: 95_000}, {Node: "n1", Address: "b", SeenMs: 94_999}, {Node: "n1", Address: "a", SeenMs: 100_001},
	}}
	h.Order()
	for i, want := range []struct {
		node, address string
		gone          bool
	}{{"n1", "a", false}, {"n1", "b", true}, {"n2", "", false}} {
		if m := &h.Machines[i]; m.Node != want.node || m.Address != want.address || h.Gone(m) != want.gone {
			t.Errorf("machine %d is %+v, gone %t", i, m, h.Gone(m))
		}
	}
}

func TestWhoHoldsTheLease(t *testing.T) {
	h := machines.House{NowMs: 100_000}
	if h.Held() {
		t.Error("a lease is held that does not exist")
	}
	for until, held := range map[int64]bool{99_999: false, 100_000: false, 100_001: true} {
		if h.Lease = &(machines.Lease{UntilMs: until}); h.Held() != held {
			t.Errorf("until %d: held %t", until, h.Held())
		}
	}
}

func TestAMachineAlone(t *testing.T) {
	h := machines.Alone(machines.Machine{Node: "n1", SeenMs: 5})
	if h.Lease != nil || len(h.Machines) != 1 || !h.Machines[0].Writer || h.Gone(&h.Machines[0]) {
		t.Errorf("%+v", h)
	}
}

func TestWhoLacksSomething(t *testing.T) {
	h := machines.House{NowMs: 100_000, Machines: []machines.Machine{
		{Node: "a", Address: "a", SeenMs: 40_000, Reads: machines.Reads{Tables: 1}},
		{Node: "b", Address: "b", SeenMs: 39_999, Reads: machines.Reads{Tables: 1}},
		{Node: "c", Address: "c:80", SeenMs: 99_000, Reads: machines.Reads{Tables: 1}},
		{Node: "d", Address: "d", SeenMs: 99_000, Reads: machines.Reads{Tables: 2}},
		{Node: "e", Address: "e", SeenMs: 99_000, Reads: machines.Reads{Tables: 1}},
	}}
	if got := h.Lacking("e", func(r *machines.Reads) bool { return r.Tables >= 2 }); !slices.Equal(got, []string{"a", "c (c:80)"}) {
		t.Errorf("%v", got)
	}
}

// The place of the writer is left to doors of an earlier program that are there and may take it.
func TestWhoGoesFirst(t *testing.T) {
	forms := func(bet, fill int) machines.Reads {
		r := machines.Reads{Forms: map[string]int{"bet": bet}}
		if fill > 0 {
			r.Forms["fill"] = fill
		}
		return r
	}
	later := forms(2, 1)
	for _, test := range []struct {
		what  string
		m     machines.Machine
		first bool
	}{
		{"a door of an earlier version of a kind", machines.Machine{SeenMs: 95_000, Reads: forms(1, 1)}, true},
		{"a door without a kind", machines.Machine{SeenMs: 99_000, Reads: forms(2, 0)}, true},
		{"a door that announces no forms", machines.Machine{SeenMs: 99_000}, true},
		{"a door of the same program", machines.Machine{SeenMs: 99_000, Reads: forms(2, 1)}, false},
		{"a door of a later program", machines.Machine{SeenMs: 99_000, Reads: forms(2, 2)}, false},
		{"a door of which neither reads all of the other", machines.Machine{SeenMs: 99_000, Reads: forms(1, 2)}, false},
		{"a door that is gone", machines.Machine{SeenMs: 94_999, Reads: forms(1, 1)}, false},
		{"a door that never becomes the writer", machines.Machine{SeenMs: 99_000, Reads: forms(1, 1), DoorOnly: "no key"}, false},
		{"the writer whose lease is over", machines.Machine{SeenMs: 99_000, Reads: forms(1, 1), Writer: true}, false},
	} {
		test.m.Node, test.m.Address = "n1", "a:80"
		h := machines.House{NowMs: 100_000, Machines: []machines.Machine{test.m, {Node: "me", Address: "me", SeenMs: 99_000}}}
		var want []string
		if test.first {
			want = []string{"n1 (a:80)"}
		}
		if got := h.Earlier("me", &later); !slices.Equal(got, want) {
			t.Errorf("%s: %v", test.what, got)
		}
	}
}
