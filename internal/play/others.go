package play

import (
	"context"
	"errors"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
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

// otherAt returns the name of the other player for whom a box is kept, empty if it is for
// nobody. They sit at the last boxes, so that the player decides first, as whoever sits
// at the dealer's left does.
func (s *Session) otherAt(box int) string {
	boxes := s.state.Variant.Boxes
	if first := boxes - s.others + 1; box >= first && box <= boxes {
		return otherNames[box-first]
	}
	return ""
}

// otherOn returns the other player who has bet on a box, empty if nobody has.
func otherOn(b *table.BoxState) string {
	for i := range b.Bettors {
		if name := b.Bettors[i].Player; name != Player {
			return name
		}
	}
	return ""
}

// OtherAt returns the name of the other player who sits at a box, empty if nobody
// else does.
func (s *Session) OtherAt(box int) string {
	if name := otherOn(s.state.Boxes[box-1]); name != "" {
		return name
	}
	return s.otherAt(box)
}

// mostTimes bounds the main wager of another player, in multiples of the least stake.
const mostTimes = 4

// betOthers has each of the other players bet: on the main wager always, and on
// each further wager every second time. They buy in for what they bet.
func (s *Session) betOthers() error {
	for box := 1; box <= len(s.state.Boxes); box++ {
		name := s.otherAt(box)
		if name == "" {
			continue
		}
		for i, w := range s.Wagers() {
			// What chance is asked for does not depend on what is refused.
			times, joins := 1, true
			if i == 0 {
				times += s.host.Below(mostTimes)
			} else {
				joins = s.host.Below(2) == 0
			}
			if !joins {
				continue
			}
			amount := s.usualStake(w, times)
			if err := s.fund(name, 2*amount); err != nil {
				return err
			}
			err := s.do(other(name), table.Bet{Box: box, Player: name, Wager: w, Amount: amount})
			// A table may not take such a bet; then this player leaves it.
			var refusal *table.Refusal
			if err != nil && !errors.As(err, &refusal) {
				return err
			}
		}
	}
	return nil
}

// fund has another player buy in who has less than a bet and the Play bet to come.
func (s *Session) fund(name string, needed money.Amount) error {
	const bets = 50 // for which it is enough
	if s.house.Balance(ledger.Account{Kind: ledger.Player, Of: name}) >= needed {
		return nil
	}
	_, err := s.house.CageTransfer(context.Background(), "", house.Lobby, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: bets * needed})
	return err
}

// withdrawAll takes every bet on the table back, of whomever it is. It is for a table at
// which no card was dealt.
func (s *Session) withdrawAll() error {
	for i := range s.state.Boxes {
		for _, player := range bettors(s.state.Boxes[i]) {
			if err := s.withdraw(access.Person{Name: player, Role: access.Player}, i+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// bettors lists the players who have bet on a box.
func bettors(b *table.BoxState) (players []string) {
	for i := range b.Bettors {
		players = append(players, b.Bettors[i].Player)
	}
	return players
}

// usualStake returns a multiple of the least stake of a wager, at most its maximum.
func (s *Session) usualStake(w rules.Wager, times int) money.Amount {
	limit := s.state.Variant.Limits[w]
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

func other(name string) access.Person { return access.Person{Name: name, Role: access.Player} }

// decideOthers has the other players look at their hands and decide, as soon as
// the player has nothing left to decide. They play what is worth playing by the
// exact mathematics of the rules in force, which is the known strategy of the
// book. Where there is no decision they leave their hands to the dealer.
func (s *Session) decideOthers() error {
	if s.state.Phase != table.Deciding || len(s.undecided(Player)) > 0 {
		return nil
	}
	for i := range s.state.Boxes {
		name := otherOn(s.state.Boxes[i])
		if name == "" || !slices.Contains(s.undecided(name), i+1) {
			continue
		}
		if s.state.Boxes[i].Examiner == "" {
			if err := s.do(other(name), table.Examine{Box: i + 1, Player: name}); err != nil {
				return err
			}
		}
		hand, _ := s.state.Hand(table.Box(i + 1))
		advice, err := odds.Advise(s.state.Variant, hand, odds.Seen{})
		if err != nil {
			return err
		}
		var do table.Action = table.Fold{Box: i + 1, Player: name}
		if advice.Play {
			do = table.Raise{Box: i + 1, Player: name}
		}
		if err := s.do(other(name), do); err != nil {
			return err
		}
	}
	return nil
}
