package load

import (
	"strings"
	"testing"
	"time"
)

func TestQuantiles(t *testing.T) {
	var l latencies
	// 1 to 10,000 microseconds, each once: half of them are at most 5,000.
	for us := range 10_000 {
		l.add(time.Duration(us+1) * time.Microsecond)
	}
	ms, all := l.quantiles(0.5, 0.99, 0.999)
	if all != 10_000 {
		t.Fatalf("%d are counted", all)
	}
	for i, want := range []float64{5, 9.9, 9.99} {
		if ms[i] < want || ms[i] > want*1.04 {
			t.Errorf("quantile %d is %g ms, and at least %g and at most 4%% more is right", i, ms[i], want)
		}
	}
	for _, us := range []uint64{0, 1, 31, 32, 33, 63, 64, 1000, 1 << 20, 1 << 40} {
		if most := atMost(step(us)); most < us || float64(most) > float64(us)*1.04+1 {
			t.Errorf("%d µs are counted as %d", us, most)
		}
	}
}

// A hand is played from Q-6-4 on.
func TestHandsThatArePlayed(t *testing.T) {
	for hand, want := range map[string]bool{
		"Qh 6d 4c": true, "4c Qh 6d": true, "Qh 6d 3c": false, "Qh 5d 4c": false, "Kh 3d 2c": true, "Jh Td 8c": false,
		"Jh Td 9c": true, "2h 2d 3c": true, "2h 7h 9h": true, "?? ?? ??": false, "2h 2d": false, "Jh 9d 9c": true,
	} {
		if got := plays3(strings.Fields(hand)); got != want {
			t.Errorf("%s is played: %t", hand, got)
		}
	}
}

// What is said of a machine that was left alone is of those seconds only, and not of
// the first one after somebody else computed, in which commands still wait.
func TestAloneLeavesOutOthersSeconds(t *testing.T) {
	ms := []int{1, 2, 70, 60, 3, 50, 4, 80, 5} // how long the command of each second took
	others := []float64{0, 0.05, 0.2, 0, 0.1, 0.11, 0, 0, 0}
	var seconds []second
	for i := range ms {
		sample := second{took: &latencies{}, lasted: time.Second, machine: &Machine{Processors: 2, Elsewhere: others[i] / 2, Taken: others[i] / 2}}
		sample.took.add(time.Duration(ms[i]) * time.Millisecond)
		seconds = append(seconds, sample)
	}
	seconds[7].machine = nil // not known
	sample := alone(seconds)
	// Those with 2 and 3: behind the first, and behind the one with 60.
	if sample.Seconds != 2 || sample.Commands != 2 || sample.LatencyMs.P999 < 3 || sample.LatencyMs.P999 > 3.2 {
		t.Errorf("%+v", sample)
	}
}

// A bet that was begun before the end of the play may be laid after it: the rounds in play are
// over when it is settled, and not while it is on its way.
func TestTheEndWaitsForBetsOnTheirWay(t *testing.T) {
	t.Parallel()
	r := &run{}
	p := &player{run: r}
	r.players = []*player{p}
	begun, send := make(chan struct{}), make(chan struct{})
	p.acts(func() {
		close(begun)
		<-send
		p.mu.Lock()
		defer p.mu.Unlock()
		p.laid = 500
	})
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- r.finish(t.Context(), 0) }()
	waits := func(what string) {
		t.Helper()
		select {
		case err := <-ended:
			t.Fatalf("it does not wait for %s: %v", what, err)
		case <-time.After(150 * time.Millisecond):
		}
	}
	waits("a bet on its way")
	close(send)
	waits("a bet on the layout")
	p.mu.Lock()
	p.laid = 0
	p.mu.Unlock()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
