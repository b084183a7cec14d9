package load

import "time"

// moment is how much of the machine was used up to it, and by whom.
type moment struct {
	at time.Time
	Usage
	load    time.Duration
	machine use
}

func (r *run) moment() (moment, error) {
	house, err := r.usage()
	return moment{time.Now(), house, processor(), machineUse()}, err
}

// since tells what the machine did since another moment; nil where that is not known.
func (m *moment) since(was moment) *Machine {
	own := m.Processor - was.Processor + m.load - was.load
	took := m.at.Sub(was.at).Seconds()
	return m.machine.since(was.machine, took, own.Seconds()/took)
}

// second is what was measured in one second.
type second struct {
	took    *latencies
	lasted  time.Duration
	until   moment
	machine *Machine
}

// Alone is what was measured in the seconds in which the machine was left to the house
// and the load, as it was in the second before: commands of a second in which it was
// not may still wait in the next.
type Alone struct {
	Seconds   float64 `json:"seconds"`
	Commands  int64   `json:"commands"`
	LatencyMs Latency `json:"latency_ms"`
}

// alone sums up those seconds.
func alone(seconds []second) *Alone {
	var is Alone
	var took latencies
	for i := 1; i < len(seconds); i++ {
		if seconds[i-1].machine.leftAlone() && seconds[i].machine.leftAlone() {
			took.join(seconds[i].took)
			is.Seconds += seconds[i].lasted.Seconds()
		}
	}
	is.LatencyMs, is.Commands = took.latency()
	return &is
}
