package play

import (
	"errors"

	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/table"
)

// otherNames are the names of the other players, one for each box but the one
// that is left to the player.
var otherNames = [rules.MaxBoxes - 1]string{
	"Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Leo", "Mei", "Nia", "Omar",
}

// otherAt returns the other player whose box a box is, empty if it is nobody's.
// They sit at the last boxes, so that the player decides first, as whoever sits
// at the dealer's left does.
func (g *Game) otherAt(box int) string {
	if first := g.Boxes - g.Others + 1; g.Others > 0 && box >= first && box <= g.Boxes {
		return otherNames[box-first]
	}
	return ""
}

// OtherAt returns the name of the other player who sits at a box, empty if nobody
// else does.
func (s *Session) OtherAt(box int) string { return s.now.game.otherAt(box) }

// mostTimes is how many times the least stake another player puts on the main
// wager at the most.
const mostTimes = 4

// betOthers has each of the other players bet: on the main wager always, and on
// each further wager every second time. Their money is theirs; the account knows
// nothing of it.
func (d *draft) betOthers() error {
	for box := 1; box <= d.game.Boxes; box++ {
		name := d.game.otherAt(box)
		if name == "" {
			continue
		}
		for i, w := range d.wagers() {
			// What chance is asked for does not depend on what is refused.
			times, joins := 1, true
			if i == 0 {
				times += d.host.Below(mostTimes)
			} else {
				joins = d.host.Below(2) == 0
			}
			if !joins {
				continue
			}
			err := d.run(other(name), table.Bet{Box: box, Player: name, Wager: w, Amount: d.usualStake(w, times)})
			// A table may not take such a bet; then this player leaves it.
			var refusal *table.Refusal
			if err != nil && !errors.As(err, &refusal) {
				return err
			}
		}
	}
	return nil
}

// usualStake is some times the least stake of a wager, as far as its limits go.
func (d *draft) usualStake(w rules.Wager, times int) money.Amount {
	limit := d.variant.Limits[w]
	least := limit.Min
	if least == 0 {
		least = 5 * money.Major
	}
	if limit.Max != 0 {
		least = min(least, limit.Max)
	}
	if sum := least * money.Amount(times); limit.Max == 0 || sum <= limit.Max {
		return sum
	}
	return least
}

func other(name string) table.Actor { return table.Actor{Name: name, Role: rules.Player} }

// decideOthers has the other players look at their hands and decide, as soon as
// the player has nothing left to decide. They play what is worth playing by the
// exact mathematics of the rules in force, which is the known strategy of the
// book. Where there is no decision they leave their hands to the dealer.
func (d *draft) decideOthers() error {
	if d.game.Others == 0 || d.state.Phase != table.Deciding || len(d.undecided(Player)) > 0 {
		return nil
	}
	for box := 1; box <= d.game.Boxes; box++ {
		name := d.game.otherAt(box)
		if name == "" || len(d.undecided(name)) == 0 {
			continue
		}
		if err := d.run(other(name), table.Examine{Box: box, Player: name}); err != nil {
			return err
		}
		hand, _ := d.state.Hand(table.Box(box))
		advice, err := odds.Advise(d.variant, hand, odds.Seen{})
		if err != nil {
			return err
		}
		var do table.Action = table.Fold{Box: box, Player: name}
		if advice.Play {
			do = table.Raise{Box: box, Player: name}
		}
		if err := d.run(other(name), do); err != nil {
			return err
		}
	}
	return nil
}
