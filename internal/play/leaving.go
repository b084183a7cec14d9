package play

import (
	"fmt"
	"slices"
	"strings"

	"trey/money"
	"trey/rules"
	"trey/table"
)

// Leaving holds the consequences of leaving now.
type Leaving struct {
	// Free says that leaving costs nothing: no round of the player's is in
	// progress, or the bets are still open and can be taken back.
	Free bool
	// Waits says that the table waits for the player: the round stays as it is.
	Waits bool
	// AtStake is the player's money on the table.
	AtStake money.Amount
	// Words says what happens and names the money, with the clause.
	Words string
}

// walkedAway reports to the table that a player has left. It is the only place
// where this package reports an incident.
func walkedAway(player string) table.Action {
	return table.Report{Incident: rules.WalkedAway, Player: player}
}

// IfLeft returns the consequences of leaving now. It changes nothing.
func (s *Session) IfLeft() Leaving {
	left := Leaving{AtStake: s.Staked()}
	if !s.dealt() {
		left.Free = true
		if left.AtStake != 0 {
			left.Words = fmt.Sprintf("The bets are still open, so your bets of $%s are taken back.", left.AtStake.Display())
		}
		return left
	}
	open := s.undecided(Player)
	if left.AtStake == 0 {
		left.Words = "Nothing of yours is on the table, and the round is settled without you."
		return left
	}
	events, err := table.Decide(s.state, table.Command{By: dealer, AtMs: s.host.NowMs(), Do: walkedAway(Player)})
	if err != nil {
		left.Words = fmt.Sprintf("$%s of yours is on the table, and leaving is refused: %v", left.AtStake.Display(), err)
		return left
	}
	clause, folds := "", false
	for _, e := range events {
		switch e := e.(type) {
		case table.Reported:
			clause = s.state.Variant.Book.ClauseRef(e.Clause)
		case table.HandFolded:
			folds = true
		default:
		}
	}
	sum := "$" + left.AtStake.Display()
	switch {
	case folds:
		lost := s.lostByFolding(open)
		are, them := "are", "them"
		if len(open) == 1 {
			are, them = "is", "it"
		}
		left.Words = fmt.Sprintf("%s is at stake. If you leave, %s %s folded and the $%s on %s is lost (%s).", sum, list(open), are, lost.Display(), them, clause)
		if rest := left.AtStake - lost; rest != 0 {
			left.Words += fmt.Sprintf(" The other $%s is settled without you.", rest.Display())
		}
	case len(open) > 0:
		// The ruling absent_player lets the table wait.
		left.Waits = true
		left.Words = fmt.Sprintf("%s is at stake. The table waits for you (%s): the round stays as it is, and goes on when you come back.", sum, clause)
	case s.state.Variant.Book.Decision == nil:
		left.Words = fmt.Sprintf("%s is at stake. If you leave, the hands are opened and the round is settled without you (%s).", sum, clause)
	default:
		left.Words = fmt.Sprintf("%s is at stake. You have nothing left to decide: if you leave, the round is settled without you (%s).", sum, clause)
	}
	return left
}

// undecided lists the boxes on which a player has still to play or fold.
func (s *Session) undecided(player string) (boxes []int) {
	if !s.dealt() || s.state.Variant.Book.Decision == nil {
		return nil
	}
	on := s.state.Variant.Book.Decision.On
	for i := range s.state.Boxes {
		b := s.state.Boxes[i]
		for k := range b.Bettors {
			if b.Bettors[k].Player == player && b.Decision == table.Undecided && !b.Invalid && b.Bettors[k].Stakes[on] != 0 {
				boxes = append(boxes, i+1)
			}
		}
	}
	return boxes
}

// lostByFolding returns the sum that the player loses when boxes are folded: the wagers
// that a fold ends. Others, as a ruling may have it, are settled all the same.
func (s *Session) lostByFolding(boxes []int) (sum money.Amount) {
	for _, box := range boxes {
		for _, bettor := range s.state.Boxes[box-1].Bettors {
			for w, amount := range bettor.Stakes {
				if amount == 0 || bettor.Player != Player {
					continue
				}
				rule := s.state.Variant.Book.Rule(rules.Wager(w))
				if rule.FoldRuling == 0 || s.state.Variant.Is(rule.FoldRuling, rules.Lost) {
					sum += amount
				}
			}
		}
	}
	return sum
}

// Leave ends the player's part in the session by the player's own choice, and
// says in sentences what follows from it.
//
// While the bets are open they are taken back: every book lets a player withdraw
// a bet before "No more bets", and nobody gets up and leaves chips lying that can
// still be picked up. After the deal the player has walked away: the hands that
// are not decided fold and the round is played to its end, so that a hand cannot
// be looked at and left with its bets back. Where the ruling absent_player lets
// the table wait, the round stays as it is.
func (s *Session) Leave() (said []string, err error) {
	s.last = nil
	switch {
	case s.IfLeft().Waits:
		return s.Suspend(), nil
	case s.dealt():
		if said, err = s.walkAway(); err != nil {
			return nil, err
		}
		return s.withRecordTrouble(said), nil
	case s.state.Phase == table.Betting:
		if sum := s.Staked(); sum != 0 {
			said = []string{fmt.Sprintf("The bets were still open, so your bets of $%s are taken back.", sum.Display())}
		}
		return said, s.withdrawAll()
	}
	return nil, nil
}

// Suspend says that the round in progress is taken up at the next start; it is
// empty if there is none. It changes nothing: whatever has happened is recorded
// already, so that a program that is killed leaves the same behind.
func (s *Session) Suspend() []string {
	sum := s.Staked()
	if sum == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Round %d stays as it is, with $%s at stake. Start trey play again to go on with it.", s.Round(), sum.Display())}
}

// walkAway brings a round to its end whose player has left.
//
//clause:rws-3cp@3 5.5
//clause:rws-3cp@3 5.6
//clause:mbs-3pictures@2 3.14
func (s *Session) walkAway() (said []string, err error) {
	said = []string{fmt.Sprintf("You left round %d of %s.", s.Round(), s.state.Variant.Book.Title)}
	if s.Staked() != 0 {
		if err := s.drive(walkedAway(Player)); err != nil {
			return nil, err
		}
	}
	if err := s.decideOthers(); err != nil {
		return nil, err
	}
	if err := s.layUpAll(); err != nil {
		return nil, err
	}
	if s.state.Phase == table.Deciding {
		if err := s.drive(table.Reveal{}); err != nil {
			return nil, err
		}
	}
	if s.state.Phase == table.Showing {
		if err := s.drive(table.Settle{}); err != nil {
			return nil, err
		}
	}
	s.finish()
	said = append(said, s.tell(s.last)...)
	return append(said, fmt.Sprintf("The round changed your balance by %s.", Signed(s.Net()))), nil
}

// layUpAll has the dealer lay up the hands that were examined.
func (s *Session) layUpAll() error {
	if !s.state.Variant.Book.Examine.ReturnFaceUp || s.state.Phase != table.Deciding {
		return nil
	}
	for i := range s.state.Boxes {
		if b := s.state.Boxes[i]; b.Examiner != "" && !b.Up {
			if err := s.drive(table.LayUp{Box: i + 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell returns sentences about the outcome of a round whose player has left.
func (s *Session) tell(events []table.Event) []string {
	folds := slices.ContainsFunc(events, func(e table.Event) bool {
		f, ok := e.(table.HandFolded)
		return ok && f.Player == Player
	})
	var all []string
	for _, e := range events {
		words := ""
		switch e := e.(type) {
		case table.Reported:
			// Where hands fold, the folds say so themselves, with their clause.
			if !folds {
				words = fmt.Sprintf("You had nothing left to decide, so the round is settled without you (%s).", s.state.Variant.Book.ClauseRef(e.Clause))
			}
		case table.HandRaised, table.HandFolded, table.HandInvalidated, table.BetsReturned, table.ForfeitsCollected,
			table.RoundVoided, table.HandShown, table.DealerShown, table.Settled:
			words = spoken(e, s.state)
		default:
		}
		if words != "" {
			all = append(all, strings.Split(words, "\n")...)
		}
	}
	return all
}
