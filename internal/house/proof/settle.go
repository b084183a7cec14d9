package proof

import (
	"fmt"
	"slices"

	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// settlement works out every wager of a settlement once more, of one box or, for box zero, of
// all that are left. It uses [rules.Variant.Settle] with the cards on the table and the stakes
// that were bet, and compares line by line. In which order the lines come, the engine has
// decided.
func (v *verification) settlement(where string, before *table.State, e table.Settled, only int, moved []jackpot.Event) {
	recorded := map[boxOf][]int{}
	for k := range e.Lines {
		at := boxOf{e.Lines[k].Box, e.Lines[k].Player}
		recorded[at] = append(recorded[at], k)
	}
	counted := map[string][]int{}
	dealer, n := before.Hand(table.DealerHand)
	if n != len(dealer) && v.chips.onLayout() != 0 {
		v.fail(Settlement, where, "the dealer has %d cards", n)
		return
	}
	for i := range before.Boxes {
		b := before.Boxes[i]
		done := v.chips.done.Has(i + 1)
		if b.Invalid || only != 0 && i+1 != only {
			continue
		}
		hand, _ := before.Hand(table.Box(i + 1))
		for k := range b.Bettors {
			at := boxOf{i + 1, b.Bettors[k].Player}
			stakes := v.chips.stakes(at)
			if stakes.None() {
				continue
			}
			var lines []int
			for _, k := range recorded[at] {
				if v.tooLow(&e.Lines[k], &stakes) {
					v.lines++
					continue
				}
				lines = append(lines, k)
			}
			delete(recorded, at)
			meter, others := v.displayed(at.box, e.Meter, moved), []rules.Other(nil)
			if done {
				meter = money.Minor // Only its Envy Bonus is left, which no meter pays.
			}
			if only == 0 {
				others = v.once(v.others(before, at), counted, at, &stakes, b.Decision == table.Folded)
			}
			due, err := v.variant.Settle(nil, &rules.Showdown{
				Player: hand, Dealer: dealer, Stakes: stakes, Folded: b.Decision == table.Folded,
				Unrevealed: b.KeptDown && b.Decision != table.Folded,
				Meter:      meter, Others: others,
			})
			if err != nil {
				v.fail(Settlement, where, "box %d of %s cannot be settled: %v", at.box, at.player, err)
				continue
			}
			if done {
				due = slices.DeleteFunc(due, func(l rules.Line) bool { return l.Wager != rules.Envy })
			}
			v.lined(where, e.Lines, lines, due)
		}
	}
	for at, lines := range recorded {
		v.fail(Settlement, fmt.Sprintf("%s.body.lines[%d]", where, lines[0]), "%s has no wager on box %d", at.player, at.box)
	}
}

// displayed returns the value that the jackpot displayed when a box was paid: after the first of
// several it is another value, which the jackpot's own events have.
func (v *verification) displayed(box int, first money.Amount, moved []jackpot.Event) money.Amount {
	for _, e := range moved {
		if does := jackpot.EffectOf(e); does.Hits > 0 && does.Hit.Table == v.r.Table && does.Hit.Box == box {
			return does.Paid
		}
	}
	return first
}

// tooLow reports whether a line gives a stake back that is too low to be settled
// again, and takes it out of the stakes. Whether its player had been warned, the
// engine has decided.
func (v *verification) tooLow(l *table.Line, stakes *rules.Stakes) bool {
	under := v.variant.Book.Bets.UnderOnce
	if under == "" || l.Clause != under || l.Result != rules.GivenBack {
		return false
	}
	stake := stakes[l.Wager]
	if stake == 0 || stake >= v.variant.Limits[l.Wager].Min || l.Stake != stake || l.Returned != stake || l.Pays != 0 {
		return false
	}
	stakes[l.Wager] = 0
	return true
}

// others returns the hands of the other boxes, which may bring an Envy Bonus.
func (v *verification) others(s *table.State, at boxOf) (others []otherHand) {
	for i := range s.Boxes {
		b := s.Boxes[i]
		hand, n := s.Hand(table.Box(i + 1))
		if i+1 == at.box || b.Invalid || !b.Staked() || n != len(hand) {
			continue
		}
		known := true
		for _, c := range hand {
			known = known && c.Valid()
		}
		if !known {
			continue
		}
		first := b.Bettors[0].Player
		stakes := v.chips.stakes(boxOf{i + 1, first})
		others = append(others, otherHand{i + 1, rules.Other{
			Is: s.Variant.Book.Ranking.Combos(hand), SamePlayer: first == at.player,
			Folded: b.Decision == table.Folded, Stakes: &stakes,
		}})
	}
	return others
}

// otherHand is another box's, which may bring an Envy Bonus.
type otherHand struct {
	box   int
	other rules.Other
}

// once leaves out the hands that have paid the player on another box, where the
// ruling has each pay a player once.
func (v *verification) once(others []otherHand, counted map[string][]int, at boxOf, stakes *rules.Stakes, folded bool) (left []rules.Other) {
	ruling := v.variant.Book.Envy.TwoBets
	each := !v.variant.Is(ruling, rules.PerPlayer) || !v.variant.ClaimsEnvy(stakes, folded)
	for _, h := range others {
		if !each {
			if slices.Contains(counted[at.player], h.box) {
				continue
			}
			counted[at.player] = append(counted[at.player], h.box)
		}
		left = append(left, h.other)
	}
	return left
}

// lined compares the lines of one bettor on one box; those of the Envy Bonus
// come behind all others.
func (v *verification) lined(where string, all []table.Line, recorded []int, due []rules.Line) {
	var ordered []rules.Line
	for _, envy := range []bool{false, true} {
		for _, l := range due {
			if (l.Wager == rules.Envy) == envy {
				ordered = append(ordered, l)
			}
		}
	}
	for k, at := range recorded {
		v.lines++
		l := &all[at]
		place := fmt.Sprintf("%s.body.lines[%d]", where, at)
		switch {
		case k >= len(ordered):
			v.fail(Settlement, place, "%s on box %d is settled without being due", l.Wager.Name(), l.Box)
		case l.Line != ordered[k] || l.Reverses != 0:
			v.fail(Settlement, place, "box %d: %s, and due is %s", l.Box, lineText(&l.Line), lineText(&ordered[k]))
		}
	}
	for k := len(recorded); k < len(ordered); k++ {
		v.fail(Settlement, where, "%s is due and not settled", lineText(&ordered[k]))
	}
}

func lineText(l *rules.Line) string {
	return fmt.Sprintf("%s, stake %s, %s by %s, pays %s, returned %s", l.Wager.Name(), l.Stake.Display(), l.Result, l.Clause, l.Pays.Display(), l.Returned.Display())
}
