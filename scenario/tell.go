package scenario

import (
	"fmt"

	"trey/jackpot"
)

// tellJackpot says what happened to the progressive, in words.
func tellJackpot(e jackpot.Event) string {
	switch e := e.(type) {
	case jackpot.Contributed:
		return fmt.Sprintf("Progressive: %d bets, the meter shows %s.", e.Bets, e.After.Meter)
	case jackpot.ContributionsReversed:
		return fmt.Sprintf("Progressive: %d bets taken back, the meter shows %s.", e.Bets, e.After.Meter)
	case jackpot.HitRegistered:
		return fmt.Sprintf("Progressive: the hand of %s takes its place in the order of payment.", e.Hit)
	case jackpot.HitConfirmed:
		return fmt.Sprintf("Progressive: the hand of %s stands.", e.Hit)
	case jackpot.HitForfeited:
		return fmt.Sprintf("Progressive: the hand of %s is not paid, %s.", e.Hit, e.Cause)
	case jackpot.HitPaid:
		return fmt.Sprintf("Progressive: %s is paid %s, the meter shows %s.", e.Hit, e.Amount, e.After.Meter)
	}
	return "Progressive: " + e.EventType()
}
