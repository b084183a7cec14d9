package surveillance

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/internal/house/access"
	"trey/internal/house/machines"
	"trey/internal/web/live"
	"trey/internal/web/site"
)

func (r *handlers) machines(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.SeeMetrics)
	if !ok {
		return err
	}
	parts, err := r.machineParts(v)
	if err != nil {
		return err
	}
	return v.Show(site.Page{Title: v.T("machines.title"), Modules: []string{"parts.js"}, Sheets: sheets, Wide: true, Body: machinesPage(v, s, parts[0])})
}

func (r *handlers) machineParts(v *site.Visit) ([]live.Part, error) {
	h, err := r.Machines(v.Context())
	if err != nil {
		return nil, err
	}
	return []live.Part{{ID: "w-machines", Body: machineList(v, &h)}}, nil
}

// machinesPauseMs is the time between two drawings of the machines: they announce
// themselves once a second.
const machinesPauseMs = 1000

func (r *handlers) machineEvents(v *site.Visit) error {
	return live.Follow(v, live.Source{
		House: r.House, PauseMs: machinesPauseMs, Moved: afterPause,
		Parts: func() ([]live.Part, error) {
			if s, ok := r.Authenticator.Peek(v); !ok || !s.Role.Can(access.SeeMetrics) {
				return nil, &site.Problem{Status: http.StatusUnauthorized, Text: v.T("sign.over")}
			}
			return r.machineParts(v)
		},
	})
}

// afterPause returns what is closed when the machines have announced themselves again: no
// event of the house says so.
func afterPause() <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(machinesPauseMs*time.Millisecond, func() { close(over) })
	return over
}

// seconds returns milliseconds as seconds, with tenths.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) }

// leaseLeft returns the whole seconds for which the lease is held, at least.
func leaseLeft(h *machines.House) int64 { return (h.Lease.UntilMs - h.NowMs + 999) / 1000 }

// booksRead lists the revisions of the books that a machine reads.
func booksRead(m *machines.Machine) string {
	var all []string
	for ref, revision := range m.Reads.Books {
		all = append(all, ref+" r"+strconv.Itoa(revision))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
