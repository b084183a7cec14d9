package house

import (
	"errors"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/rules"
	"trey/table"
)

// ErrUnattended is wrapped where an automatic table would have to wait for a person
// who is not there.
var ErrUnattended = errors.New("no dealer stands at an automatic table, so the clock has to end what players leave open: choose absent_player = \"fold\"")

// ErrNoClock is wrapped where an automatic table would have no clock for what it waits for,
// and the money is real.
var ErrNoClock = errors.New("an automatic table needs a clock for betting, decisions and options: without one, a player who stays away holds it up until a supervisor goes on; choose times above 0")

// attended refuses rules and paces under which only a supervisor could go on at an
// automatic table. With play money a table may wait without a clock, for machines that
// play as fast as they answer and for a player at home.
func (t *Table) attended(playMoney bool) error {
	if t.Mode != Automatic {
		return nil
	}
	p := &t.Pace
	if t.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer) && (!playMoney || p.DecisionMs > 0) {
		return ErrUnattended
	}
	if !playMoney && (p.BettingMs == 0 || p.DecisionMs == 0 || p.OptionMs == 0) {
		return ErrNoClock
	}
	return nil
}

// checkTimeUp refuses that a person ends the time of a player who is signed in and active.
// Otherwise one person's word could fold the player's hand. That such a player has left, a
// second person confirms. The clock of an automatic table asks nobody.
func (h *House) checkTimeUp(s *table.State, by table.Actor, do table.Action) error {
	if _, ends := do.(table.Expire); !ends || by.Automatic || h.world.Active == nil {
		return nil
	}
	for _, player := range s.Awaited() {
		if h.world.Active(player) {
			return table.Refuse(table.NotApplicable, "", "%s is signed in and active: wait for the decision, or report that %s has left, which a second person confirms", player, player)
		}
	}
	return nil
}

// CheckMove refuses an action that the rules allow and the house refuses this person. Such
// actions are those for a player at an automatic table, and the end of an active player's time.
func (h *House) CheckMove(s *TableStatus, by access.Person, do table.Action) error {
	if err := s.CheckBehalf(by, do); err != nil {
		return err
	}
	return h.checkTimeUp(opaque.Raw(s.State), by.Actor(), do)
}

// CheckBehalf refuses an action that a person would take for a player at an automatic table.
// Each player acts alone there, and the clock ends the time of those who do not act (rws-3cp@3
// 5.5, 5.6; mbs-3pictures@2 3.14). A bet is excepted where the book lets staff place it at the
// player's request (rws-3cp@3 5.22, mbs-3pictures@2 3.6): the event cites that clause. Whether
// the rules allow the action otherwise, the table says.
func (s *TableStatus) CheckBehalf(by access.Person, do table.Action) error {
	return s.checkBehalf(opaque.Raw(s.State), by.Actor(), do)
}

// checkBehalf does for a state of the table what [TableStatus.CheckBehalf] does.
func (t *Table) checkBehalf(s *table.State, by table.Actor, do table.Action) error {
	if t.Mode != Automatic || by.Automatic || by.Role == rules.Player {
		return nil
	}
	refuse := func(detail string) error { return &table.Refusal{Reason: table.NotPermitted, Detail: detail} }
	boxes := &t.Variant.Book.Boxes
	switch do := do.(type) {
	case table.Bet:
		if !boxes.OnRequest {
			return refuse("nobody bets for a player at an automatic table: the player bets")
		}
	case table.Withdraw, table.Examine, table.LayUp, table.Raise, table.Fold, table.Choose, table.AskWithdrawal:
		return refuse("nobody acts for a player at an automatic table: the player decides, or the clock")
	case table.Expire:
		timeMs := t.Pace.DecisionMs
		if len(s.Offers) > 0 {
			timeMs = t.Pace.OptionMs
		}
		if timeMs > 0 && !t.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer) {
			return refuse("the clock of this table ends the players' time, and nobody ends it earlier")
		}
	case table.Report:
		if do.Incident == rules.WalkedAway && t.Pace.DecisionMs > 0 {
			return refuse("the clock of this table ends the time of a player who has left: nobody reports that at an automatic table")
		}
	}
	return nil
}
