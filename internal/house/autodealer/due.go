package autodealer

import (
	"slices"

	"trey/internal/enum"
	"trey/internal/house"
	"trey/rules"
	"trey/table"
)

// Wait names the event that a table waits for.
type Wait uint8

// The waits. The zero value is none of them.
const (
	_ Wait = iota
	// Nothing: the table is closed.
	Nothing
	// Staff: a person of the house has to act first.
	Staff
	// NextRound: the last round is shown until the next one begins.
	NextRound
	// FirstBet: the betting is open and nobody has bet. No time runs.
	FirstBet
	// Bets: from the first bet to "No more bets".
	Bets
	// Options: players have been offered a choice, such as taking bets back.
	Options
	// Decisions: players play or fold.
	Decisions
	// Views is the time in which players look at hands about which there is nothing to decide.
	Views
	// Step: nobody is awaited; the house takes the round to its next step.
	Step
	numWaits
)

var waitKeys = enum.New("a wait", numWaits, []string{
	Nothing: "nothing", Staff: "staff", NextRound: "next-round", FirstBet: "first-bet", Bets: "bets",
	Options: "options", Decisions: "decisions", Views: "views", Step: "step",
})

// String returns the key, such as "first-bet".
func (w Wait) String() string { return waitKeys.Key(w) }

// MarshalText writes the key.
func (w Wait) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// Waits lists every wait in the order of declaration.
func Waits() []Wait { return waitKeys.All() }

// Awaits returns what an automatic table waits for. The function says which
// players are ready: have said that they will do no more at this point, be it to
// bet or to look at a hand.
func Awaits(s *table.State, ready func(player string) bool) Wait {
	switch {
	case s.Phase == table.Closed:
		return Nothing
	case s.Question != nil, s.Config.Cards != table.Virtual:
		return Staff
	case len(s.Offers) > 0:
		return Options
	}
	switch s.Phase {
	case table.Ready, table.Paid, table.Voided:
		if s.Down && (s.DownOption == 0 || s.DownOption == table.CloseTableOption) {
			return Staff // rws-3cp@3 5.17.2: the house chooses how to go on.
		}
		return NextRound
	case table.Betting:
		if s.OnLayout() == 0 {
			return FirstBet
		}
		if everybody(s, ready) {
			return Step
		}
		return Bets
	case table.Deciding:
		if undecided(s) {
			return Decisions
		}
		if viewing(s, ready) {
			return Views
		}
		return Step
	case table.Dealing, table.Showing:
		return Step
	case table.Closed:
	}
	return Nothing
}

// Due returns what the house does next at an automatic table and when, if it is
// still what the table waits for then. sinceMs is the time at which it began to wait for this.
// ok is false where no clock runs.
//
// Nothing is hurried that players have time for, and nothing waits when no one
// is awaited any more: see [house.Pace]. A step that people can see has half its pause
// where one player has all the bets: who plays alone waits for nobody else to see it.
func Due(s *table.State, p house.Pace, sinceMs int64, ready func(player string) bool) (do table.Action, dueMs int64, ok bool) {
	switch Awaits(s, ready) {
	case NextRound:
		if s.Phase == table.Ready {
			return table.OpenBets{}, sinceMs, true
		}
		if allReady(s, ready) {
			return table.OpenBets{}, sinceMs, true
		}
		return table.OpenBets{}, sinceMs + p.ShowMs, true
	case Bets:
		return table.CloseBets{}, sinceMs + p.BettingMs, p.BettingMs > 0
	case Options:
		return table.Expire{}, sinceMs + p.OptionMs, p.OptionMs > 0
	case Decisions:
		// Where the ruling is to wait for a player who has left, the end of the time for a
		// decision cannot fold the hand.
		return table.Expire{}, sinceMs + p.DecisionMs, p.DecisionMs > 0 && !waits(s)
	case Views:
		return turn(s), sinceMs + p.DecisionMs, p.DecisionMs > 0
	case Step:
		do = step(s)
		switch do.(type) {
		case table.CloseBets, table.LayUp:
			return do, sinceMs, true
		}
		pauseMs := p.DealMs
		if alone(s) {
			pauseMs /= 2
		}
		return do, sinceMs + pauseMs, true
	case Nothing, Staff, FirstBet:
	}
	return nil, 0, false
}

// allReady reports whether all who had a part in a round that is over are ready for the next.
func allReady(s *table.State, ready func(player string) bool) bool {
	for i := range s.Lines {
		if !ready(s.Lines[i].Player) {
			return false
		}
	}
	return len(s.Lines) > 0
}

// waits reports whether this house waits for a player who leaves a hand undecided.
// The books that leave it open have the ruling; in the others the choice is the text's.
func waits(s *table.State) bool { return s.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer) }

// step returns the action that takes a round further when nobody is awaited.
func step(s *table.State) table.Action {
	switch s.Phase {
	case table.Betting:
		return table.CloseBets{}
	case table.Dealing:
		if len(s.ToCome()) == 0 {
			return table.FinishDeal{}
		}
		return table.Deal{}
	case table.Deciding:
		return turn(s)
	default:
		return table.Settle{}
	}
}

// turn lays up the next hand that a player holds, and turns the dealer's when
// there is none.
func turn(s *table.State) table.Action {
	if s.Variant.Book.Examine.ReturnFaceUp {
		for i, b := range s.Boxes {
			if inRound(b) && b.Examiner != "" && !b.Up {
				return table.LayUp{Box: i + 1}
			}
		}
	}
	return table.Reveal{}
}

func inRound(b *table.BoxState) bool {
	return b.Staked() && !b.Invalid && b.Decision != table.Folded
}

// alone reports whether all bets on the layout are of one player.
func alone(s *table.State) bool {
	players := bettors(s)
	return len(players) > 0 && !slices.ContainsFunc(players, func(player string) bool { return player != players[0] })
}

// everybody reports whether each player with a bet on the layout is ready.
func everybody(s *table.State, ready func(string) bool) bool {
	return !slices.ContainsFunc(bettors(s), func(player string) bool { return !ready(player) })
}

// bettors returns the players with a bet on the layout, once for each box.
func bettors(s *table.State) (players []string) {
	for _, b := range s.Boxes {
		for i := range b.Bettors {
			if !b.Bettors[i].Stakes.None() {
				players = append(players, b.Bettors[i].Player)
			}
		}
	}
	return players
}

// undecided reports whether a hand has still to be played or folded.
func undecided(s *table.State) bool {
	d := s.Variant.Book.Decision
	if d == nil {
		return false
	}
	for _, b := range s.Boxes {
		if !inRound(b) || b.Decision != table.Undecided {
			continue
		}
		for i := range b.Bettors {
			if b.Bettors[i].Stakes[d.On] != 0 {
				return true
			}
		}
	}
	return false
}

// viewing reports whether a player who is not ready holds a hand, or may still
// look at one, in a game in which looking is all there is to do.
func viewing(s *table.State, ready func(string) bool) bool {
	if !s.Variant.Book.Examine.ReturnFaceUp {
		return false
	}
	for i, b := range s.Boxes {
		if !inRound(b) || b.Up {
			continue
		}
		if b.Examiner != "" {
			if !ready(b.Examiner) {
				return true
			}
			continue
		}
		for k := range b.Bettors {
			player := b.Bettors[k].Player
			if ready(player) {
				continue
			}
			// Who may look at which hand is for the engine to say.
			look := table.Command{By: table.Actor{Name: player, Role: rules.Player}, Do: table.Examine{Box: i + 1, Player: player}}
			if _, err := table.Decide(*s, look); err == nil {
				return true
			}
		}
	}
	return false
}
