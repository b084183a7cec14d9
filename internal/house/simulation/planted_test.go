package simulation

import (
	"fmt"
	"strings"
	"testing"

	"trey/internal/steady"
)

// caught takes the failure of a simulation that is meant to fail.
type caught struct {
	testing.TB
	why string
}

func (f *caught) Helper() {}

func (f *caught) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	panic(f)
}

// found plays a house with faults that were put in, and returns what is found.
func found(t *testing.T, seed uint64, p plants) (why string) {
	t.Helper()
	trap := &caught{TB: t}
	defer func() {
		if r := recover(); r != nil && r != any(trap) {
			panic(r)
		}
		why = trap.why
	}()
	c := newCluster(trap, seed, p)
	c.losesAcknowledged = p.olderHead
	c.play()
	return ""
}

// Each of these faults, put in on purpose, is found by the check that is there for it, within
// the houses that are played for it. Without them the same houses hold (TestManyMachines).
func TestPlantedFaultsAreFound(t *testing.T) {
	t.Parallel()
	// Few houses show these faults: of each, the seed of one that does. If it does not any more,
	// the next ones are played.
	shows := map[string]uint64{
		"no fence": 4, "a commit whose wait was cancelled is acknowledged": 17, "numbers become visible out of order": 2,
		"a door reads from a replica": 5, "a hit is paid twice": 11, "a session that has ended goes on": 3,
	}
	for _, test := range []struct {
		fault string
		plants
		// by are the promises whose checks may find it.
		by []string
	}{
		{"no fence", plants{noFence: true}, []string{"one process writes", "the writer and the database differ", "a door cannot take the record", "a key is answered alike", "what is acknowledged is in the record", "the record cannot be read"}},
		{"a commit whose wait was cancelled is acknowledged", plants{cancelledCommit: true}, []string{"what is acknowledged is in the record", "what is read is in the record", "the house goes on", "who was answered sees it"}},
		{"numbers become visible out of order", plants{sequenceOrder: true}, []string{"a door cannot take the record", "the house goes on"}},
		{"a door reads from a replica", plants{replicaReads: true}, []string{"what is read is in the record", "a stream misses nothing", "a door cannot take the record", "all machines have one record", "the house goes on"}},
		{"a key is forgotten", plants{keyForgotten: true}, []string{"what is acknowledged is in the record", "a key is answered alike"}},
		{"a hit is paid twice", plants{hitPaidTwice: true}, []string{"a door cannot take the record", "the books balance", "the house cannot be opened", "the house cannot be read", "the autodealer"}},
		{"a session that has ended goes on", plants{staleSession: true}, []string{"a session that has ended stays so"}},
		{"a wake-up is lost, and nothing stands behind it", plants{lostWakeUp: true}, []string{"the house goes on"}},
		{"two autodealers", plants{doubleCroupier: true}, []string{"players have their time"}},
		{"a gap in a stream", plants{streamGap: true}, []string{"a stream misses nothing"}},
		{"the number of a request is ignored", plants{numberIgnored: true}, []string{"who was answered sees it"}},
		{"a failover loses what was acknowledged, and nobody looks", plants{olderHead: true}, []string{"what is acknowledged is in the record", "what is read is in the record", "a stream misses nothing"}},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			for seed := max(1, shows[test.fault]); seed <= enoughMachines; seed++ {
				why := found(t, seed, test.plants)
				if why == "" {
					continue
				}
				promise, _, _ := strings.Cut(why, ": ")
				for _, by := range test.by {
					if promise == by {
						t.Logf("found with seed %d: %s", seed, strings.SplitN(why, "\n", 2)[0])
						return
					}
				}
				t.Fatalf("with seed %d something else is found: %s", seed, why)
			}
			t.Errorf("%d houses do not show it", enoughMachines)
		})
	}
}

// A failure can be had again by its seed only if everything follows from the seed.
func TestTheSeedDecidesOnManyMachines(t *testing.T) {
	t.Parallel()
	for seed := uint64(21); seed < uint64(steady.Share(22, 24)); seed++ {
		var heads [2]string
		for i := range heads {
			c := newCluster(t, seed, plants{})
			c.play()
			heads[i] = fmt.Sprint(c.newReplica(c.primary.txs, nil).store.Head(), c.nowMs, c.counted)
		}
		if heads[0] != heads[1] {
			t.Errorf("seed %d leads to %s, and when played again to %s", seed, heads[0], heads[1])
		}
	}
}

// A failover that loses what was acknowledged is found by the house: no machine that has read
// what is lost goes on.
func TestAnOlderHeadStopsWhoKnowsMore(t *testing.T) {
	t.Parallel()
	stopped := 0
	for seed := uint64(1); seed <= enoughMachines/5; seed++ {
		c := newCluster(t, seed, plants{})
		c.endMs = c.nowMs
		for i, n := range c.nodes {
			c.after(int64(i*10), func() { c.start(n) })
		}
		c.until("the first writer", func() bool { return c.writer() != nil && c.writer().idle() })
		c.furnishMachines()
		c.run(c.nowMs + 2_000)
		c.losesAcknowledged = true
		had := map[*node]int{}
		for _, n := range c.nodes {
			had[n] = n.lastAt
		}
		c.failOver()
		lost := len(c.primary.txs)
		c.run(c.nowMs + 20_000)
		for _, n := range c.nodes {
			if had[n] > lost && n.state != halted {
				t.Errorf("seed %d: the record ends with transaction %d, %s has read %d, and is in state %d", seed, lost, n.name, had[n], n.state)
			}
			if n.state == halted {
				stopped++
			}
			n.end(false)
		}
	}
	if stopped == 0 {
		t.Error("no failover lost anything")
	}
}
