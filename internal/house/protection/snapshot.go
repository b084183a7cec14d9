package protection

import (
	"cmp"
	"maps"
	"slices"
)

// Kept is the protection of one player as a snapshot holds it.
type Kept struct {
	Player     string     `json:"player"`
	Limits     []limit    `json:"limits,omitempty"`
	TimeOutMs  int64      `json:"time_out_ms,omitempty"`
	Excluded   *Exclusion `json:"excluded,omitempty"`
	AnsweredMs int64      `json:"answered_ms,omitempty"`
	Refused    []refusal  `json:"refused,omitempty"`
}

// limit is one limit of a player.
type limit struct {
	Key
	Setting
}

// refusal is the time at which a refusal of play was recorded last.
type refusal struct {
	Reason Reason `json:"reason"`
	Limit  Key    `json:"limit,omitzero"`
	AtMs   int64  `json:"at_ms"`
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Period, b.Period))
}

// Keep returns the protection of a player as a snapshot holds it; ok is false for a player
// without any.
func (p *Player) Keep(name string) (kept Kept, ok bool) {
	kept = Kept{Player: name, TimeOutMs: p.TimeOutMs, Excluded: p.Excluded, AnsweredMs: p.AnsweredMs}
	for _, k := range slices.SortedFunc(maps.Keys(p.Limits), compareKeys) {
		kept.Limits = append(kept.Limits, limit{k, p.Limits[k]})
	}
	for by, atMs := range p.refusedMs {
		kept.Refused = append(kept.Refused, refusal{by.reason, by.limit, atMs})
	}
	slices.SortFunc(kept.Refused, func(a, b refusal) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), compareKeys(a.Limit, b.Limit))
	})
	return kept, kept.TimeOutMs != 0 || kept.Excluded != nil || kept.AnsweredMs != 0 || len(kept.Limits)+len(kept.Refused) > 0
}

// Restored returns the player of whom a snapshot holds the protection.
func (k *Kept) Restored() Player {
	p := Player{TimeOutMs: k.TimeOutMs, Excluded: k.Excluded, AnsweredMs: k.AnsweredMs}
	for _, one := range k.Limits {
		if p.Limits == nil {
			p.Limits = map[Key]Setting{}
		}
		p.Limits[one.Key] = one.Setting
	}
	for _, one := range k.Refused {
		if p.refusedMs == nil {
			p.refusedMs = map[refusedBy]int64{}
		}
		p.refusedMs[refusedBy{one.Reason, one.Limit}] = one.AtMs
	}
	return p
}
