package house

import (
	"errors"

	"trey/internal/house/access"
	"trey/rules"
	"trey/table"
)

// ErrUnattended is wrapped where an automatic table would have to wait for a person
// who is not there.
var ErrUnattended = errors.New("no dealer stands at an automatic table, so the clock has to end what players leave open: choose absent_player = \"fold\"")

// attended refuses rules under which only a supervisor could go on at an automatic
// table.
func (t *Table) attended() error {
	if t.Mode == Automatic && t.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer) {
		return ErrUnattended
	}
	return nil
}

// CheckBehalf refuses what a person would do for a player at an automatic table, where
// each player acts alone and the clock ends the time of those who do not (rws-3cp@3
// 5.5, 5.6; mbs-3pictures@2 3.14). A bet is excepted where the book lets staff place it
// at the player's request (rws-3cp@3 5.22, mbs-3pictures@2 3.6): the event cites that
// clause. Whether the rules allow the action otherwise, the table says.
func (s *Standing) CheckBehalf(by access.Person, do table.Action) error {
	return s.checkBehalf(&s.State, by.Actor(), do)
}

func (t *Table) checkBehalf(s *table.State, by table.Actor, do table.Action) error {
	if t.Mode != Automatic || by.Automatic || by.Role == rules.Player {
		return nil
	}
	refuse := func(clause, detail string) error {
		return &table.Refusal{Reason: table.NotPermitted, Clause: clause, Detail: detail}
	}
	boxes := &t.Variant.Book.Boxes
	switch do := do.(type) {
	case table.Bet:
		if !boxes.OnRequest {
			return refuse("", "nobody bets for a player at an automatic table: the player bets")
		}
	case table.Withdraw, table.Examine, table.LayUp, table.Raise, table.Fold, table.Choose, table.AskWithdrawal:
		return refuse("", "nobody acts for a player at an automatic table: the player decides, or the clock")
	case table.Expire:
		timeMs := t.Pace.DecisionMs
		if len(s.Offers) > 0 {
			timeMs = t.Pace.OptionMs
		}
		if timeMs > 0 && !t.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer) {
			return refuse("", "the clock of this table ends the players' time, and nobody ends it earlier")
		}
	case table.Report:
		if do.Incident == rules.WalkedAway && t.Pace.DecisionMs > 0 {
			return refuse("", "the clock of this table ends the time of a player who has left: nobody reports that at an automatic table")
		}
	}
	return nil
}
