package console

import (
	"slices"

	"trey/rules"
	"trey/table"
)

// incidentGroup is irregularities under one heading.
type incidentGroup struct {
	key       string
	incidents []rules.Incident
}

// groups sort the irregularities by what they concern.
var groups = []incidentGroup{
	{"cards", []rules.Incident{
		rules.CardExposed, rules.DealtIncorrectly, rules.WrongCount, rules.Misdeal, rules.DrawnTogether, rules.CardFaceUp, rules.BurnMissed,
		rules.DealingError, rules.CountDoubted, rules.CardMisread, rules.ForeignCard,
	}},
	{"bets", []rules.Incident{rules.LateBet, rules.LateWithdrawal, rules.Mispaid}},
	{"players", []rules.Incident{rules.SecondHand, rules.HandTouched, rules.HandsDiscussed, rules.WalkedAway}},
	{"equipment", []rules.Incident{rules.DeckCount, rules.InsufficientCards, rules.Unshuffled, rules.ProgressiveDown, rules.TechnicalInterruption}},
	{"other", []rules.Incident{rules.Uncovered}},
}

// likely are the irregularities that are noticed most in a phase.
var likely = map[table.Phase][]rules.Incident{
	table.Betting:  {rules.LateWithdrawal, rules.WalkedAway, rules.DeckCount},
	table.Dealing:  {rules.CardExposed, rules.DealtIncorrectly, rules.WrongCount, rules.LateBet},
	table.Deciding: {rules.SecondHand, rules.HandTouched, rules.WalkedAway, rules.WrongCount},
	table.Showing:  {rules.CardMisread, rules.Mispaid, rules.LateBet},
	table.Paid:     {rules.Mispaid, rules.CardMisread},
}

// grouped sorts what can be reported in a phase: the likeliest first, then the others by
// what they concern. Each stands there once.
func grouped(phase table.Phase, possible []rules.Incident) (all []incidentGroup) {
	add := func(key string, from []rules.Incident, unless []rules.Incident) {
		some := slices.DeleteFunc(slices.Clone(from), func(i rules.Incident) bool {
			return !slices.Contains(possible, i) || slices.Contains(unless, i)
		})
		if len(some) > 0 {
			all = append(all, incidentGroup{key, some})
		}
	}
	add("likely", likely[phase], nil)
	for _, g := range groups {
		add(g.key, g.incidents, likely[phase])
	}
	return all
}

// touchable reports whether touching the felt fills something in.
func (f *form) touchable() bool {
	return len(f.targets) > 0 || f.has("exposed") || f.has("misread") || f.has("boxes") || f.has("lies")
}
