package jackpot

import "trey/sentence"

// EventSentence says in words what an event was.
func EventSentence(e Event) sentence.Sentence {
	switch e := e.(type) {
	case Opened:
		return sentence.Of("Progressive: opened with %s on the meter.", dollars(e.Meter))
	case Contributed:
		return sentence.Of("Progressive: %d bets, the meter shows %s.", e.Bets, dollars(e.After.Meter))
	case ContributionsReversed:
		return sentence.Of("Progressive: %d bets taken back, the meter shows %s.", e.Bets, dollars(e.After.Meter))
	case RoundClosed:
		return sentence.Of("Progressive: no bet of %s can be taken back any more.", e.Round)
	case RoundDealt:
		return sentence.Of("Progressive: %s takes its place in the order of the deals.", e.Round)
	case RoundKnown:
		return sentence.Of("Progressive: the hands of %s are known.", e.Round)
	case RoundDetermined:
		return sentence.Of("Progressive: %s and %s determine when %s was dealt.", e.Approvers.First, e.Approvers.Second, e.Round)
	case HitRegistered:
		return sentence.Of("Progressive: the hand of %s takes its place in the order of payment.", e.Hit)
	case OrderDetermined:
		return sentence.Of("Progressive: %s and %s determine when the hand of %s was dealt.", e.Approvers.First, e.Approvers.Second, e.Hit)
	case HitConfirmed:
		return sentence.Of("Progressive: the hand of %s stands.", e.Hit)
	case HitForfeited:
		return sentence.Of("Progressive: the hand of %s is not paid, %s.", e.Hit, sentence.Word(e.Cause.String()))
	case HitReinstated:
		return sentence.Of("Progressive: the hand of %s is back at its place in the order of payment.", e.Hit)
	case HitPaid:
		return sentence.Of("Progressive: %s is paid %s, the meter shows %s.", e.Hit, dollars(e.Amount), dollars(e.After.Meter))
	case HitVerified:
		return sentence.Of("Progressive: the %s paid to %s are verified.", dollars(e.Amount), e.Hit)
	case HitReversed:
		return sentence.Of("Progressive: the %s paid to %s are collected again, %s; the meter shows %s.", dollars(e.Amount), e.Hit, sentence.Word(e.Cause.String()), dollars(e.After.Meter))
	case TermsChanged:
		return sentence.Of("Progressive: its terms change from the next hit on.")
	case Adjusted:
		return sentence.Of("Progressive: the %s goes from %s to %s, %s.", sentence.Word(e.Pot.String()), dollars(e.Before), dollars(e.After), sentence.Word(e.Cause.String()))
	case SystemWentDown:
		return sentence.Of("Progressive: out of order, with %s registered.", dollars(e.Registered))
	case SystemCameUp:
		return sentence.Of("Progressive: in order again, the meter shows %s.", dollars(e.Displayed))
	}
	return sentence.Sentence{}
}
