package house

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"trey/table"
)

// EndedThrough returns the number of the last transaction before every round whose cards may
// be on a table now. Of a round that is being bet on nothing is secret in the record but its
// seed, which is sealed. read are transactions that were read before the call. Those that a
// table does not show yet are beyond the number, too.
func (h *House) EndedThrough(ctx context.Context, read []Leaf) (int64, error) {
	through := int64(math.MaxInt64)
	versions := map[string]int64{}
	h.floor.RLock()
	tables := slices.Collect(maps.Values(h.tables))
	h.floor.RUnlock()
	for _, s := range tables {
		status := s.published.Load()
		versions[tableStream(s.Name)] = status.Version
		phase := status.State.Phase()
		if !phase.InRound() || phase == table.Betting && status.State.Dealt() == 0 {
			continue
		}
		mark, err := h.mark(ctx, s.Name, tableStream(s.Name), status.State.Round())
		if err != nil {
			return 0, fmt.Errorf("table %s: where round %d begins: %w", s.Name, status.State.Round(), err)
		}
		through = min(through, mark.Seq-1)
	}
	for i := range read {
		for k := range read[i].Line.Parts {
			p := &read[i].Line.Parts[k]
			if strings.HasPrefix(p.Stream, tableKind+":") && p.After >= versions[p.Stream] && string(p.Events) != none {
				through = min(through, read[i].Seq-1)
			}
		}
	}
	return through, nil
}
