package console

import (
	"slices"

	"trey/internal/web/site"
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

// late are the irregularities that are noticed in the next round too, and of which a report can
// say all that it has to when the cards are gone.
var late = []rules.Incident{
	rules.Mispaid, rules.WrongCount, rules.DealtIncorrectly, rules.BurnMissed, rules.LateBet, rules.LateWithdrawal, rules.SecondHand, rules.HandTouched,
}

// earlier lists the irregularities that can be reported of an earlier round, and of this one not
// at this moment.
func (t *tableView) earlier() []rules.Incident {
	if t.State.Round() < 2 || !slices.Contains(t.incidents, rules.Uncovered) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(late), func(i rules.Incident) bool {
		variant := t.State.Variant()
		return slices.Contains(t.incidents, i) || !variant.Book.Declares(i) || i == rules.BurnMissed && !variant.Burns(t.Config.Device)
	})
}

// sheet returns all incidents that can be reported, by groups.
func (t *tableView) sheet() []incidentGroup {
	all := grouped(t.State.Phase(), t.incidents)
	if earlier := t.earlier(); len(earlier) > 0 {
		all = append(all, incidentGroup{"earlier", earlier})
	}
	return all
}

// earlierTargets lists the boxes and players with a bet in the last round, for a report of it.
func (d *handlers) earlierTargets(v *site.Visit, t *tableView, i rules.Incident) (all []target, err error) {
	if i == rules.DealtIncorrectly || i == rules.BurnMissed {
		return nil, nil
	}
	last, err := d.lastClosed(v.Context(), t)
	if err != nil || last == nil {
		return nil, err
	}
	if i == rules.WrongCount {
		all = append(all, target{"dealer", v.T("console.dealers-hand")})
	}
	for box := 1; box <= last.Boxes(); box++ {
		at := target{itoa(box), v.T("felt.box", "n", box)}
		bettors := last.Bettors(box)
		if i != rules.WrongCount && i != rules.SecondHand {
			for _, b := range bettors {
				all = append(all, target{at.value + " " + b.Player, v.T("console.box-of", "n", box, "player", b.Player)})
			}
		} else if len(bettors) > 0 {
			all = append(all, at)
		}
	}
	return all, nil
}

// touchable reports whether touching the felt fills something in.
func (f *form) touchable() bool {
	return len(f.targets) > 0 || f.has("exposed") || f.has("misread") || f.has("boxes") || f.has("lies")
}
