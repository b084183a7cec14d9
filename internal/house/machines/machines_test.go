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
