package load

import "time"

// moment holds the use of the machine up to a moment, and by which process.
type moment struct {
	at time.Time
	Usage
	load, doors time.Duration
	machine     use
}

func (r *run) moment() (moment, error) {
	house, doors, err := r.usage()
	return moment{at: time.Now(), Usage: house, load: processor(), doors: doors.Processor, machine: machineUse()}, err
}

// since returns what the machine did since another moment, or nil if that cannot be measured.
func (m *moment) since(was moment) *Machine {
	ours := m.Processor - was.Processor + m.load - was.load + m.doors - was.doors
	took := m.at.Sub(was.at).Seconds()
	return m.machine.since(was.machine, took, ours.Seconds()/took)
}

// second holds the measurements of one second.
type second struct {
	took    *latencies
	lasted  time.Duration
	until   moment
	machine *Machine
}

// Alone holds the measurements of the seconds in which the machine was left to the house
// and the load, as it was in the second before: commands of a second in which it was not
// may still wait in the next.
type Alone struct {
	Seconds   float64 `json:"seconds"`
	Commands  int64   `json:"commands"`
	LatencyMs Latency `json:"latency_ms"`
}

// alone sums up those seconds.
func alone(seconds []second) *Alone {
	var result Alone
	var took latencies
	for i := 1; i < len(seconds); i++ {
		if seconds[i-1].machine.leftAlone() && seconds[i].machine.leftAlone() {
			took.join(seconds[i].took)
			result.Seconds += seconds[i].lasted.Seconds()
		}
	}
	result.LatencyMs, result.Commands = took.latency()
	return &result
}
