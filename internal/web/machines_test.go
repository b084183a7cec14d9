package web_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house/identity"
	"trey/internal/house/machines"
	"trey/internal/steady"
	"trey/internal/web"
)

// someMachines are machines as a test has them announce themselves.
type someMachines struct {
	mu    sync.Mutex
	house machines.House
}

func (m *someMachines) list(context.Context) (machines.House, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.house, nil
}

func (m *someMachines) set(h machines.House) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.house = h
}

// threeMachines returns a writer, a door, and a door that is gone.
func threeMachines() machines.House {
	const nowMs = 1_790_000_000_000
	books := map[string]int{"rws-3cp@3": 1, "us-3cp@1": 1}
	return machines.House{
		NowMs: nowMs, Lease: &machines.Lease{Node: "pit-1", Address: "10.0.0.1:8080", Epoch: 12, UntilMs: nowMs + 2400},
		Machines: []machines.Machine{
			{Node: "pit-1", Address: "10.0.0.1:8080", Version: "v1.4.0", Writer: true, Seq: 48_213, BehindMs: 40, SeenMs: nowMs - 300, Reads: machines.Reads{Tables: 3, Books: books}},
			{Node: "pit-2", Address: "10.0.0.2:8080", Version: "v1.4.0", Seq: 48_211, Behind: 2, BehindMs: 620, SeenMs: nowMs - 400, Reads: machines.Reads{Tables: 3, Books: books}, DoorOnly: "the folder holds no key of this house"},
			{Node: "pit-3", Address: "10.0.0.3:8080", Version: "v1.3.0", Seq: 47_990, SeenMs: nowMs - 90_000, Reads: machines.Reads{Tables: 3, Books: books}},
		},
	}
}

// The staff see the machines, the lease and who is behind, and the page follows them: a
// writer that dies is shown as gone, and a door in its place.
func TestTheStaffSeesTheMachines(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	all := &someMachines{house: threeMachines()}
	s := openStaffed(t, func(c *web.Config) { c.Machines = all.list })
	sue := s.as(t, "sue")
	const rows = `Array.from(document.querySelectorAll("#machines tbody tr")).map(row => row.innerText.replace(/\s+/g, " ").trim()).join("; ")`
	var before string
	do(t, sue, chromedp.Navigate(s.address+"/surveillance/machines"), chromedp.Evaluate(rows, &before))
	for _, want := range []string{"pit-1 10.0.0.1:8080 Writer 48213 0 0.0 s v1.4.0", "pit-2 10.0.0.2:8080 Door Never becomes the writer: the folder holds no key of this house 48211 2 0.6 s", "pit-3 10.0.0.3:8080 Gone since", "Tables 3. Books rws-3cp@3 r1, us-3cp@1 r1."} {
		if !strings.Contains(before, want) {
			t.Errorf("the page lacks %q: %s", want, before)
		}
	}
	var lease string
	do(t, sue, chromedp.Text("#lease", &lease))
	if lease != "pit-1 is the writer, in epoch 12. No other machine takes its place for 3 s." {
		t.Errorf("the lease is %q", lease)
	}
	h := threeMachines()
	h.NowMs += 8_000
	h.Machines[1].SeenMs, h.Machines[1].Seq, h.Machines[1].Behind, h.Machines[1].Writer = h.NowMs, 48_213, 0, false
	all.set(h)
	do(t, sue, chromedp.WaitVisible("#lease.alarm"), chromedp.Text("#lease", &lease), chromedp.Evaluate(rows, &before))
	if lease != "No machine is the writer at this moment. The last one was pit-1." || strings.Count(before, "Gone since") != 2 {
		t.Errorf("after the writer died: %q, %s", lease, before)
	}
	h.Lease = &machines.Lease{Node: "pit-2", Epoch: 13, UntilMs: h.NowMs + 3000}
	h.Machines[1].Writer = true
	all.set(h)
	do(t, sue, chromedp.WaitVisible("#lease:not(.alarm)"), chromedp.Text("#lease", &lease))
	if !strings.HasPrefix(lease, "pit-2 is the writer, in epoch 13.") {
		t.Errorf("after another took its place: %q", lease)
	}
	all.set(machines.Alone(machines.Machine{Node: "cellar", Version: "v1.4.0", Seq: 3, SeenMs: h.NowMs}))
	do(t, sue, chromedp.WaitNotPresent("#lease"), chromedp.Evaluate(rows, &before))
	if !strings.HasPrefix(before, "cellar Writer 3 0 0.0 s v1.4.0") {
		t.Errorf("of a machine alone: %s", before)
	}
	for name, may := range map[string]bool{"sam": true, "sue": true, "pat": false, "dan": false, "cat": false, "ann": false} {
		token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/surveillance/machines", "/surveillance/machines/events"} {
			ctx, cancel := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.AddCookie(&http.Cookie{Name: "trey", Value: token})
			got, err := s.server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if (got.StatusCode == http.StatusOK) != may {
				t.Errorf("%s gets %s: %s", name, path, got.Status)
			}
			cancel()
			_ = got.Body.Close() // a stream has no end
		}
	}
}

// withMachines gives the page machines to show.
func withMachines(c *web.Config) {
	c.Machines = (&someMachines{house: threeMachines()}).list
}
