package significant

import (
	"maps"
	"slices"
)

// Groups lists the groups of streams that decisions are about.
func Groups() []string { return slices.Collect(maps.Keys(decided)) }

// Decided lists the kinds of events of a group that are decided.
func Decided(group string) []string { return slices.Collect(maps.Keys(decided[group])) }

// KindsOf lists the decisions about a group.
func KindsOf(group string) []Kind { return slices.Collect(maps.Values(decided[group])) }
