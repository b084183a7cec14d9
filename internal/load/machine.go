package load

import (
	"os"
	"runtime"
	"time"

	"github.com/prometheus/procfs"
)

// Machine holds the use of the machine by others than the house and the load: the more of
// it, the less the run says about them.
type Machine struct {
	Processors int `json:"processors"`
	// Elsewhere is how many processors were busy with other things, the machine's own
	// work for the connections included; Taken is how many a virtual machine's host
	// did not give it when it asked for them.
	Elsewhere float64 `json:"elsewhere"`
	Taken     float64 `json:"taken"`
}

// leftAlone reports whether nearly all of the machine was there for the house and the
// load: all but a twentieth.
func (m *Machine) leftAlone() bool {
	return m != nil && m.Elsewhere+m.Taken <= float64(m.Processors)/20
}

// use holds the time for which the processors of a machine were busy and taken, in
// seconds; known only where the system provides it.
type use struct {
	busy, taken float64
	known       bool
}

// machineUse asks the system, which is Linux.
func machineUse() use {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return use{}
	}
	stat, err := proc.Stat()
	if err != nil {
		return use{}
	}
	all := stat.CPUTotal
	return use{busy: all.User + all.Nice + all.System + all.IRQ + all.SoftIRQ, taken: all.Steal, known: true}
}

// UsageOf returns the use of a process up to now. The system is Linux, or there is an error.
func UsageOf(process int) (Usage, error) {
	proc, err := procfs.NewProc(process)
	if err != nil {
		return Usage{}, err
	}
	stat, err := proc.Stat()
	if err != nil {
		return Usage{}, err
	}
	return Usage{Memory: int64(stat.ResidentMemory()), Processor: time.Duration(stat.CPUTime() * float64(time.Second))}, nil
}

// processor returns the processor time of this process, zero where it is not known.
func processor() time.Duration {
	used, err := UsageOf(os.Getpid())
	if err != nil {
		return 0
	}
	return used.Processor
}

// since returns what the machine did in the seconds since another moment, in which so many
// processors were busy with the house and the load. It returns nil if that cannot be measured.
func (u use) since(was use, seconds, ours float64) *Machine {
	if !u.known || !was.known {
		return nil
	}
	return &Machine{
		Processors: runtime.NumCPU(),
		Elsewhere:  max(0, (u.busy-was.busy)/seconds-ours),
		Taken:      (u.taken - was.taken) / seconds,
	}
}
