package machines_test

import (
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
