package play

import (
	"fmt"
	"slices"
	"strings"

	"trey/money"
	"trey/rules"
	"trey/table"
)

// Leaving is what it would mean to leave now.
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

// IfLeft says what it would mean to leave now. Nothing changes by it.
func (s *Session) IfLeft() Leaving { return s.now.ifLeft(s.host.NowMs()) }

func (m *moment) ifLeft(nowMs int64) Leaving {
	left := Leaving{AtStake: m.staked()}
	if !m.dealt() {
		left.Free = true
		if left.AtStake != 0 {
			left.Words = fmt.Sprintf("The bets are still open, so your bets of $%s are taken back.", left.AtStake.Display())
		}
		return left
	}
	open := m.undecided(Player)
	if left.AtStake == 0 {
		left.Words = "Nothing of yours is on the table, and the round is settled without you."
		return left
	}
	events, err := table.Decide(m.state, table.Command{By: staff, AtMs: nowMs, Do: walkedAway(Player)})
	if err != nil {
		left.Words = fmt.Sprintf("$%s of yours is on the table, and leaving is refused: %v", left.AtStake.Display(), err)
		return left
	}
	clause, folds := "", false
	for _, e := range events {
		switch e := e.(type) {
		case table.Reported:
			clause = m.variant.Book.ClauseRef(e.Clause)
		case table.HandFolded:
			folds = true
		default:
		}
	}
	sum := "$" + left.AtStake.Display()
	switch {
	case folds:
		lost := m.lostByFolding(open)
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
	case m.variant.Book.Decision == nil:
		left.Words = fmt.Sprintf("%s is at stake. If you leave, the hands are opened and the round is settled without you (%s).", sum, clause)
	default:
		left.Words = fmt.Sprintf("%s is at stake. You have nothing left to decide: if you leave, the round is settled without you (%s).", sum, clause)
	}
	return left
}

// dealt reports whether a round is in progress whose bets are closed.
func (m *moment) dealt() bool { return m.state.Phase.InRound() && m.state.Phase != table.Betting }

// undecided lists the boxes on which a player has still to play or fold.
func (m *moment) undecided(player string) (boxes []int) {
	if m.variant == nil || m.variant.Book.Decision == nil || !m.dealt() {
		return nil
	}
	on := m.variant.Book.Decision.On
	for i := range m.state.Boxes {
		b := m.state.Boxes[i]
		for k := range b.Bettors {
			if b.Bettors[k].Player == player && b.Decision == table.Undecided && !b.Invalid && b.Bettors[k].Stakes[on] != 0 {
				boxes = append(boxes, i+1)
			}
		}
	}
	return boxes
}

// lostByFolding is what the player loses when boxes are folded: the wagers that
// a fold ends. Others, as a ruling may have it, are settled all the same.
func (m *moment) lostByFolding(boxes []int) (sum money.Amount) {
	for _, box := range boxes {
		for _, bettor := range m.state.Boxes[box-1].Bettors {
			for w, amount := range bettor.Stakes {
				if amount == 0 || bettor.Player != Player {
					continue
				}
				rule := m.variant.Book.Rule(rules.Wager(w))
				if rule.FoldRuling == 0 || m.variant.Is(rule.FoldRuling, rules.Lost) {
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
	if s.IfLeft().Waits {
		return s.Suspend(), nil
	}
	err = s.change(func(d *draft) error {
		if d.dealt() {
			said, err = d.walkAway()
			return err
		}
		if sum := d.staked(); sum != 0 {
			said = []string{fmt.Sprintf("The bets were still open, so your bets of $%s are taken back.", sum.Display())}
			if err := d.takeAllBack(); err != nil {
				return err
			}
		}
		d.account.Journal = nil
		return nil
	})
	if err != nil || len(said) == 0 {
		return nil, err
	}
	return s.withLogTrouble(said), nil
}

// Suspend says that the round in progress is taken up at the next start; it is
// empty if there is none. It changes nothing: whatever has happened is written
// down already, so that a program that is killed leaves the same behind.
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
func (d *draft) walkAway() (said []string, err error) {
	from := len(d.last)
	d.left = true
	said = []string{fmt.Sprintf("You left round %d of %s.", d.account.Rounds+1, d.variant.Book.Title)}
	if d.staked() != 0 {
		if err := d.run(staff, walkedAway(Player)); err != nil {
			return nil, err
		}
	}
	if err := d.decideOthers(); err != nil {
		return nil, err
	}
	if err := d.layUpAll(); err != nil {
		return nil, err
	}
	if d.state.Phase == table.Deciding {
		if err := d.run(staff, table.Reveal{}); err != nil {
			return nil, err
		}
	}
	if d.state.Phase == table.Showing {
		if err := d.run(staff, table.Settle{}); err != nil {
			return nil, err
		}
	}
	said = append(said, d.tell(d.last[from:])...)
	if err := d.finish(); err != nil {
		return nil, err
	}
	last := d.account.History[len(d.account.History)-1]
	return append(said, fmt.Sprintf("The round changed your balance by %s.", Signed(last.Net))), nil
}

// layUpAll has the dealer lay up the hand that the player looked at.
func (d *draft) layUpAll() error {
	if !d.variant.Book.Examine.ReturnFaceUp || d.state.Phase != table.Deciding {
		return nil
	}
	for i := range d.state.Boxes {
		if b := d.state.Boxes[i]; b.Examiner != "" && !b.Up {
			if err := d.run(staff, table.LayUp{Box: i + 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell says in sentences what became of a round whose player has left.
func (d *draft) tell(events []table.Event) []string {
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
				words = fmt.Sprintf("You had nothing left to decide, so the round is settled without you (%s).", d.variant.Book.ClauseRef(e.Clause))
			}
		case table.HandRaised, table.HandFolded, table.HandInvalidated, table.BetsReturned, table.ForfeitsCollected,
			table.RoundVoided, table.HandShown, table.DealerShown, table.Settled:
			words = told(e, d.state)
		default:
		}
		if words != "" {
			all = append(all, strings.Split(words, "\n")...)
		}
	}
	return all
}
