package jackpot

import (
	"errors"
	"fmt"
	"math/bits"

	"trey/money"
	"trey/sentence"
)

// Decide returns the events that follow from a command, or a [*Refusal] that
// says why it may not be carried out. Any other error wraps [ErrCorrupt]: the
// State does not add up, and the jackpot must be stopped.
//
// The events are to be stored together and folded into the State by [Evolve].
// At present each command that is not refused gives exactly one.
func Decide(s State, c Command) ([]Event, error) {
	if c == nil {
		return nil, refuse("", ReasonMalformed, "there is no command; send one")
	}
	if err := s.auditBalance(); err != nil {
		return nil, fmt.Errorf("%w: the state before it: %w", ErrCorrupt, err)
	}
	event, refusal := c.decide(s)
	if refusal != nil {
		return nil, refusal
	}
	// The event is tried before anybody sees it, so that none is stored which
	// could not be replayed.
	switch _, err := Evolve(s, event); {
	case errors.Is(err, errTooLarge):
		return nil, refuse("", ReasonTooLarge, "a running total would exceed %s; open a new jackpot and transfer this one to it", dollars(MaxAmount))
	case err != nil:
		return nil, fmt.Errorf("decide %T: %w", c, err)
	}
	return []Event{event}, nil
}

// opened refuses a command to a jackpot that has not been opened.
func (s State) opened() *Refusal {
	if !s.Opened {
		return refuse("", ReasonNotOpened, "the jackpot has not been opened; open it with its terms first")
	}
	return nil
}

// holds refuses a command about a round that has no bets here.
func (s State) holds(id RoundID) *Refusal {
	if s.roundIndex(id) < 0 {
		return refuse(clauseBetAndAnte, ReasonUnknownRound,
			"no Progressive bet of %s is held; it was closed, or its bets were never contributed", id)
	}
	return nil
}

// hit finds a hit for a command about it, or refuses.
func (s State) hit(id HitID) (Hit, *Refusal) {
	if r := first(malformedHit(id), s.opened()); r != nil {
		return Hit{}, r
	}
	h, ok := s.Hit(id)
	if !ok {
		return h, refuse(clauseOrder, ReasonUnknownHit, "no hit is registered for %s; register when its hand was dealt first", id)
	}
	return h, nil
}

// unpaidHit finds a hit that is still in the order of payment, or refuses.
func (s State) unpaidHit(id HitID) (Hit, *Refusal) {
	h, r := s.hit(id)
	switch {
	case r != nil:
		return h, r
	case h.Status == StatusPaid:
		return h, refuse(clauseOrder, ReasonHitSettled, "the hit of %s was paid %s already; nothing is left to do", id, dollars(h.Paid))
	case h.Status == StatusReversed:
		return h, refuse(clauseOrder, ReasonHitSettled, "the payment of %s was collected again; reinstate the hit first", id)
	case h.Status == StatusForfeited:
		return h, refuse(clauseOrder, ReasonHitSettled, "the hit of %s was forfeited; reinstate it first", id)
	}
	return h, nil
}

// placeTaken refuses a place that another unpaid hit has, or another round. Box is
// zero for a round.
func (s State) placeTaken(round RoundID, box int, p Place) *Refusal {
	for _, h := range s.Hits {
		if h.Unpaid() && (h.ID.RoundID() != round || box != 0 && h.ID.Box != box) && h.Place == p {
			return refuse(clauseOrder, ReasonSamePlace,
				"the hit of %s has the same time and sequence %d; the house must determine which was first and give the later a higher sequence",
				h.ID, p.Sequence)
		}
	}
	for _, r := range s.Rounds {
		if r.Dealt != nil && r.ID != round && *r.Dealt == p {
			return refuse(clauseOrder, ReasonSamePlace,
				"%s has the same time and sequence %d; the house must determine which was first and give the later a higher sequence",
				r.ID, p.Sequence)
		}
	}
	return nil
}

// FreeFrom returns the first place at or behind the one given that no unpaid hit
// and no round has.
func (s State) FreeFrom(p Place) Place {
	for s.placeTaken(RoundID{}, 0, p) != nil {
		p.Sequence++
	}
	return p
}

// late reports whether a hand dealt after that place was paid already.
func (s State) late(p Place) bool { return s.HitsPaid > 0 && s.LatestPaid.Compare(p) > 0 }

func (s State) balance() Balance {
	return Balance{Meter: s.Meter, Reserve: s.Reserve, Remainder: s.Remainder}
}

// times returns the stake of n bets; ok is false above MaxAmount.
func times(bet money.Amount, n int64) (stake money.Amount, ok bool) {
	hi, lo := bits.Mul64(uint64(bet), uint64(n))
	return money.Amount(lo), hi == 0 && lo <= uint64(MaxAmount)
}

func malformedRound(id RoundID) *Refusal {
	if !id.valid() {
		return refuse("", ReasonMalformed, "the round has no usable name; give a table and a round, each of 1 to %d bytes", maxName)
	}
	return nil
}

func malformedHit(id HitID) *Refusal {
	if !id.valid() {
		return refuse("", ReasonMalformed, "the hit is not named; give a table, a round and a box from 1")
	}
	return nil
}

func malformedPlace(p Place) *Refusal {
	if !p.valid() {
		return refuse(clauseOrder, ReasonMalformed,
			"the place %d/%d is none; give the time the hand was dealt, above zero, and a sequence from zero", p.DealtAtMs, p.Sequence)
	}
	return nil
}

// maxDetermined bounds what the house determines, so that the places of later hands can be
// counted on from there, and programs that read JSON hold it exactly.
const maxDetermined = 1 << 53

// undeterminable refuses a place that the house cannot determine: one that is none, or one
// behind which there would be none for a later hand.
func undeterminable(p Place) *Refusal {
	if p.DealtAtMs > maxDetermined || p.Sequence > maxDetermined {
		return refuse(clauseOrder, ReasonMalformed,
			"the place %d/%d leaves none behind it; give a time and a sequence of at most %d", p.DealtAtMs, p.Sequence, int64(maxDetermined))
	}
	return malformedPlace(p)
}

func malformedCause(c ForfeitCause) *Refusal {
	if !forfeitCauseKeys.Has(c) {
		return refuse("", ReasonMalformed, "the cause %s is not listed; give one of %s", sentence.Word(c.String()), words(forfeitCauseKeys.List()))
	}
	return nil
}

// first returns the first refusal there is. Arguments are listed in their order
// of precedence.
func first(refusals ...*Refusal) *Refusal {
	for _, r := range refusals {
		if r != nil {
			return r
		}
	}
	return nil
}

func (c Open) decide(s State) (Event, *Refusal) {
	if s.Opened {
		return nil, refuse("", ReasonAlreadyOpened, "the jackpot is open already; change its terms instead")
	}
	if r := c.Terms.unusable(c.FixedReturn); r != nil {
		return nil, r
	}
	if c.Meter < c.Terms.Reset || c.Meter > c.Terms.Ceiling {
		return nil, refuse(clauseIncrease, ReasonOutOfBounds,
			"the meter would open at %s; a new jackpot opens at its reset value %s, one taken over not above its ceiling %s",
			dollars(c.Meter), dollars(c.Terms.Reset), dollars(c.Terms.Ceiling))
	}
	if c.Reserve < 0 || c.Reserve > MaxAmount {
		return nil, refuse("", ReasonOutOfBounds, "the reserve would open at %s; give zero to %s", dollars(c.Reserve), dollars(MaxAmount))
	}
	return Opened(c), nil
}

// decide accepts bets and says where their contributions go. Those of bets that are found
// while the system is down go above what it has registered as if that were the ceiling: a
// round in progress is paid no more than was registered, and the next jackpot gets them.
//
//clause:rws-3cp@3 1.15
//clause:rws-3cp@3 5.17.1
func (c Contribute) decide(s State) (Event, *Refusal) {
	if r := malformedRound(c.Round); r != nil {
		return nil, r
	}
	if c.Bets <= 0 {
		return nil, refuse("", ReasonMalformed, "%d bets contribute nothing; give one or more", c.Bets)
	}
	if r := s.opened(); r != nil {
		return nil, r
	}
	if s.Down && !c.AtCall {
		return nil, refuse(clauseSystemDown, ReasonSystemDown,
			"no Progressive bet can be accepted while the system is down; return these bets, or wait until it is up")
	}
	stake, ok := times(s.Terms.Bet, c.Bets)
	if !ok {
		return nil, refuse("", ReasonTooLarge, "%d bets of %s exceed %s; send fewer at once", c.Bets, dollars(s.Terms.Bet), dollars(MaxAmount))
	}
	minor, remainder := s.accrue(stake)
	e := Contributed{Round: c.Round, Bets: c.Bets, Stake: stake}
	e.ToMeter = min(minor, s.room())
	e.ToReserve = minor - e.ToMeter
	e.After = Balance{Meter: s.Meter + e.ToMeter, Reserve: s.Reserve + e.ToReserve, Remainder: remainder}
	return e, nil
}

// room returns how much contributions can add to the meter.
func (s State) room() money.Amount {
	if s.Down {
		return min(s.Terms.Ceiling, s.Registered) - s.Meter
	}
	return s.Terms.Ceiling - s.Meter
}

// accrue returns the whole minor units that a stake adds at the rate in force,
// together with the remainder so far, and the next remainder.
func (s State) accrue(stake money.Amount) (minor money.Amount, remainder int64) {
	minor, left := s.Terms.Rate.share(stake)
	remainder = s.Remainder + left*(s.Denominator/s.Terms.Rate.Den)
	if remainder >= s.Denominator {
		return minor + 1, remainder - s.Denominator
	}
	return minor, remainder
}

func (c ReverseContributions) decide(s State) (Event, *Refusal) {
	if r := malformedRound(c.Round); r != nil {
		return nil, r
	}
	if c.Bets <= 0 || !reversalCauseKeys.Has(c.Cause) {
		return nil, refuse("", ReasonMalformed, "%d bets returned for the cause %s; give one bet or more, and one of %s", c.Bets, sentence.Word(c.Cause.String()), words(reversalCauseKeys.List()))
	}
	if r := first(s.opened(), s.holds(c.Round)); r != nil {
		return nil, r
	}
	round := s.Rounds[s.roundIndex(c.Round)]
	held, standing := round.Held(), s.standing(c.Round)
	if c.Bets > held {
		return nil, refuse("", ReasonBetsNotHeld, "%s holds %d bets, not %d; return no more than it holds", c.Round, held, c.Bets)
	}
	if held-c.Bets < standing {
		return nil, refuse("", ReasonBetHoldsHit,
			"%s holds %d bets and %d of them carry a hit; forfeit the hits whose bets are returned first, and a paid hit keeps its bet",
			c.Round, held, standing)
	}

	e := ContributionsReversed{Round: c.Round, Bets: c.Bets, Cause: c.Cause}
	sinceHit, meter, remainder := s.OverflowSinceHit, s.Meter, s.Remainder
	for _, g := range round.latest(c.Bets) {
		stake, _ := times(g.Bet, g.Count) // held bets were within bounds when accepted
		e.Stake += stake
		var owed money.Amount
		owed, remainder = s.takeBack(remainder, stake, g.Rate)
		// Unless it went to a winner who keeps it, the contribution lies here.
		if g.HitsPaid >= s.latestKept() {
			fromReserve := min(owed, sinceHit, s.Reserve-e.FromReserve)
			fromMeter := min(owed-fromReserve, max(0, meter-s.Terms.Reset))
			sinceHit -= fromReserve
			meter -= fromMeter
			e.FromReserve += fromReserve
			e.FromMeter += fromMeter
			owed -= fromReserve + fromMeter
		}
		e.FromHouse += owed
	}
	e.After = Balance{Meter: meter, Reserve: s.Reserve - e.FromReserve, Remainder: remainder}
	return e, nil
}

// takeBack reverses accrue, at the rate at which the stake was accepted.
func (s State) takeBack(before int64, stake money.Amount, rate Rate) (minor money.Amount, remainder int64) {
	minor, left := rate.share(stake)
	remainder = before - left*(s.Denominator/rate.Den)
	if remainder < 0 {
		return minor + 1, remainder + s.Denominator
	}
	return minor, remainder
}

// latest returns the last n bets of the round, the latest group first.
func (r Round) latest(n int64) []BetGroup {
	var taken []BetGroup
	for i := len(r.Bets) - 1; i >= 0 && n > 0; i-- {
		g := r.Bets[i]
		g.Count = min(g.Count, n)
		n -= g.Count
		taken = append(taken, g)
	}
	return taken
}

func (c CloseRound) decide(s State) (Event, *Refusal) {
	if r := first(malformedRound(c.Round), s.opened(), s.holds(c.Round)); r != nil {
		return nil, r
	}
	if h, found := s.unpaidIn(&c.Round); found {
		return nil, refuse(clauseOrder, ReasonHitUnpaid, "the hit of %s is %s; pay or forfeit it before the round is closed", h.ID, sentence.Word(h.Status.String()))
	}
	if r, _ := s.Round(c.Round); r.Dealt != nil {
		return nil, refuse(clauseOrder, ReasonEarlierRound, "the hands of %s are not all known; settle the round before it is closed", c.Round)
	}
	return RoundClosed(c), nil
}

// decide gives a round its place in the order of the deals.
//
//clause:rws-3cp@3 4.9.1
func (c DealRound) decide(s State) (Event, *Refusal) {
	if r := first(malformedRound(c.Round), malformedPlace(c.Place), s.opened(), s.holds(c.Round)); r != nil {
		return nil, r
	}
	if r, _ := s.Round(c.Round); r.Dealt != nil {
		return nil, refuse(clauseOrder, ReasonDuplicateRound, "%s is in the order of the deals already; to give it another place, determine its order", c.Round)
	}
	if r := s.placeTaken(c.Round, 0, c.Place); r != nil {
		return nil, r
	}
	return RoundDealt(c), nil
}

func (c KnowRound) decide(s State) (Event, *Refusal) {
	if r := first(malformedRound(c.Round), s.opened(), s.dealt(c.Round)); r != nil {
		return nil, r
	}
	return RoundKnown(c), nil
}

// determine refuses an order that not two people determine.
func (a Approvers) determine() *Refusal {
	if a.two() {
		return nil
	}
	return refuse(clauseOrder, ReasonApprovers, "%q and %q are not two people; two different people must determine an order", a.First, a.Second)
}

// decide moves a round to the place that the house has determined.
//
//clause:rws-3cp@3 4.9.1
func (c DetermineRound) decide(s State) (Event, *Refusal) {
	if r := first(malformedRound(c.Round), undeterminable(c.Place), s.opened(), c.Approvers.determine(), s.dealt(c.Round), s.placeTaken(c.Round, 0, c.Place)); r != nil {
		return nil, r
	}
	r, _ := s.Round(c.Round)
	return RoundDetermined{Round: c.Round, Before: *r.Dealt, After: c.Place, Approvers: c.Approvers}, nil
}

// dealt refuses a round that is not in the order of the deals.
func (s State) dealt(id RoundID) *Refusal {
	if r, _ := s.Round(id); r.Dealt == nil {
		return refuse(clauseOrder, ReasonUnknownRound, "%s is not in the order of the deals; name a round that has been dealt, holds Progressive bets, and has a hand that is not known", id)
	}
	return nil
}

// decide gives a hand its place in the order of payment.
//
//clause:rws-3cp@3 4.9
//clause:rws-3cp@3 4.9.1
func (c HandDealt) decide(s State) (Event, *Refusal) {
	if r := first(malformedHit(c.Hit), malformedPlace(c.Place), s.opened(), s.holds(c.Hit.RoundID())); r != nil {
		return nil, r
	}
	if h, found := s.Hit(c.Hit); found {
		return nil, refuse(clauseOrder, ReasonDuplicateHit, "the hit of %s is registered and %s; to give it another place, determine its order", h.ID, sentence.Word(h.Status.String()))
	}
	round := c.Hit.RoundID()
	if held := s.Rounds[s.roundIndex(round)].Held(); held <= s.standing(round) {
		return nil, refuse(clauseBetAndAnte, ReasonBetsNotHeld,
			"%s holds %d Progressive bets, and each carries a hit already; a hand without the bet wins no jackpot", round, held)
	}
	if r := s.placeTaken(round, c.Hit.Box, c.Place); r != nil {
		return nil, r
	}
	return HitRegistered{Hit: c.Hit, Place: c.Place, Late: s.late(c.Place)}, nil
}

// decide moves a hit to the place that the house has determined.
//
//clause:rws-3cp@3 4.9.1
func (c DetermineOrder) decide(s State) (Event, *Refusal) {
	if r := first(malformedHit(c.Hit), undeterminable(c.Place), s.opened(), c.Approvers.determine()); r != nil {
		return nil, r
	}
	h, r := s.unpaidHit(c.Hit)
	if r := first(r, s.placeTaken(c.Hit.RoundID(), c.Hit.Box, c.Place)); r != nil {
		return nil, r
	}
	return OrderDetermined{Hit: c.Hit, Before: h.Place, After: c.Place, Approvers: c.Approvers, Late: s.late(c.Place)}, nil
}

func (c Confirm) decide(s State) (Event, *Refusal) {
	h, r := s.unpaidHit(c.Hit)
	if r != nil {
		return nil, r
	}
	if h.Status == StatusConfirmed {
		return nil, refuse("", ReasonAlreadyConfirmed, "the hit of %s is confirmed already; pay it in its turn", c.Hit)
	}
	return HitConfirmed(c), nil
}

func (c Reinstate) decide(s State) (Event, *Refusal) {
	h, r := s.hit(c.Hit)
	switch {
	case r != nil:
		return nil, r
	case h.Status != StatusForfeited && h.Status != StatusReversed:
		return nil, refuse(clauseOrder, ReasonHitSettled, "the hit of %s is %s; only one that was forfeited or collected again is reinstated", c.Hit, sentence.Word(h.Status.String()))
	}
	round := c.Hit.RoundID()
	if r := s.holds(round); r != nil {
		return nil, r
	}
	if held := s.Rounds[s.roundIndex(round)].Held(); held <= s.standing(round) {
		return nil, refuse(clauseBetAndAnte, ReasonBetsNotHeld,
			"%s holds %d Progressive bets, and each carries a hit already; a hand without the bet wins no jackpot", round, held)
	}
	if r := s.placeTaken(round, c.Hit.Box, h.Place); r != nil {
		return nil, r
	}
	return HitReinstated(c), nil
}

func (c Forfeit) decide(s State) (Event, *Refusal) {
	if r := first(malformedHit(c.Hit), malformedCause(c.Cause)); r != nil {
		return nil, r
	}
	if _, r := s.unpaidHit(c.Hit); r != nil {
		return nil, r
	}
	return HitForfeited(c), nil
}

// decide pays the first hit in the order what is displayed, and resets the meter.
//
//clause:rws-3cp@3 1.15
//clause:rws-3cp@3 4.9
//clause:rws-3cp@3 4.9.1
//clause:rws-3cp@3 5.17.1
func (c Pay) decide(s State) (Event, *Refusal) {
	if due := s.Due(c.Hit); s.verifies(due) && !named(c.Winner) {
		return nil, refuse(clauseOrder, ReasonMalformed, "the hit of %s is paid %s, which people verify, and names no winner; name the player", c.Hit, dollars(due))
	}
	h, r := s.unpaidHit(c.Hit)
	if r != nil {
		return nil, r
	}
	// h is unpaid, so there is a first unpaid hit: h or another.
	if earlier, _ := s.unpaidIn(nil); earlier.ID != c.Hit {
		next := "pay it first"
		if earlier.Status == StatusOpen {
			next = "confirm and pay it, or forfeit it, first"
		}
		return nil, refuse(clauseOrder, ReasonEarlierHit, "the hit of %s is pending: %s was dealt its hand earlier and is %s; %s",
			c.Hit, earlier.ID, sentence.Word(earlier.Status.String()), sentence.Word(next))
	}
	if earlier, waits := s.dealtBefore(h); waits {
		return nil, refuse(clauseOrder, ReasonEarlierRound,
			"the hit of %s is pending: %s was dealt earlier and its hands are not all known; settle that round, or have the house determine the order, first",
			c.Hit, earlier.ID)
	}
	if h.Status != StatusConfirmed {
		return nil, refuse(clauseOrder, ReasonNotConfirmed, "the hit of %s is open; confirm it once its player can no longer fold, or forfeit it", c.Hit)
	}

	e := s.payment(h, c.KeepRegistered)
	if s.verifies(e.Amount) {
		e.Winner, e.Held = c.Winner, !c.Proven
	}
	return e, nil
}

// Due returns what a hit is paid, in minor units: what is displayed. A hit whose payment
// was collected again is paid that sum, because it was won with what was displayed then:
// what bets have added since belongs to the jackpot that came after it.
//
//clause:rws-3cp@3 1.15
//clause:rws-3cp@3 4.9.1
func (s State) Due(id HitID) money.Amount {
	if h, _ := s.Hit(id); h.Payment != nil {
		return h.Paid
	}
	return s.Displayed()
}

// payment returns the payment of an unpaid hit and the reset that follows it.
func (s State) payment(h Hit, keepRegistered bool) HitPaid {
	if h.Payment != nil {
		return s.paymentAgain(h)
	}
	terms, remainder := s.Terms, s.Remainder
	e := HitPaid{Hit: h.ID, Place: h.Place, Amount: s.Displayed(), FromMeter: s.Meter}
	e.FromHouse, e.KeptRegistered = e.Amount-e.FromMeter, keepRegistered && s.Down
	if s.NextTerms != nil {
		terms = *s.NextTerms
		e.NewTerms = &terms
		// ChangeTerms saw to it that there is a common denominator.
		denominator, _ := commonDenominator(s.Denominator, terms.Rate.Den)
		remainder *= denominator / s.Denominator
	}
	e.ResetByHouse, e.ResetFromReserve = terms.reset(s.Reserve)
	e.After = Balance{
		Meter:     e.ResetByHouse + e.ResetFromReserve,
		Reserve:   s.Reserve - e.ResetFromReserve,
		Remainder: remainder,
	}
	return e
}

// paymentAgain returns the payment of a hit that was paid and collected again. It takes back
// what the collection put into the meter, as far as the meter holds it, and puts in what the
// collection took out. What bets have added since stays in the meter, and new terms go on
// waiting: the next hit is another one.
func (s State) paymentAgain(h Hit) HitPaid {
	e := HitPaid{
		Hit: h.ID, Place: h.Place, Amount: h.Paid, FromMeter: min(s.Meter, h.Paid-h.Payment.FromHouse),
		KeptRegistered: h.Payment.KeptRegistered && s.Down,
	}
	e.FromHouse = e.Amount - e.FromMeter
	left, short := s.Meter-e.FromMeter, e.FromHouse-h.Payment.FromHouse
	// What the house adds to the payment it does not put into the meter as well.
	e.ResetByHouse = min(max(0, h.Payment.ResetByHouse-short), s.Terms.Ceiling-left)
	left += e.ResetByHouse
	e.ResetFromReserve = min(h.Payment.ResetFromReserve, s.Reserve, s.Terms.Ceiling-left)
	e.After = Balance{Meter: left + e.ResetFromReserve, Reserve: s.Reserve - e.ResetFromReserve, Remainder: s.Remainder}
	return e
}

// decide collects a payment again. The meter is as if the hit had not been paid, as
// far as later payments have left it what it needs for that; it does not fall below
// its reset value for what the house gets back.
//
//clause:rws-3cp@3 5.15
//clause:rws-3cp@3 5.21
func (c Reverse) decide(s State) (Event, *Refusal) {
	if r := first(malformedHit(c.Hit), malformedCause(c.Cause)); r != nil {
		return nil, r
	}
	h, r := s.hit(c.Hit)
	switch {
	case r != nil:
		return nil, r
	case h.Unpaid():
		return nil, refuse(clauseOrder, ReasonHitUnpaid, "the hit of %s is %s; forfeit it", c.Hit, sentence.Word(h.Status.String()))
	case h.Status != StatusPaid:
		return nil, refuse(clauseOrder, ReasonHitSettled, "the hit of %s is %s; nothing is left to do", c.Hit, sentence.Word(h.Status.String()))
	}
	return s.reversed(h, c.Cause), nil
}

// unverified finds a hit that people have to verify, or refuses. The payment is the one that they
// looked at, or zero.
func (s State) unverified(id HitID, payment int64, by Approvers) (Unverified, *Refusal) {
	if r := first(malformedHit(id), s.opened()); r != nil {
		return Unverified{}, r
	}
	if !by.two() {
		return Unverified{}, refuse("", ReasonApprovers, "%q and %q are not two people; two different people verify a jackpot", by.First, by.Second)
	}
	i := s.toVerify(id)
	if i < 0 {
		return Unverified{}, refuse(clauseOrder, ReasonUnknownHit, "no hit of %s waits to be verified; name one that was paid and is not verified", id)
	}
	if u := s.Unverified[i]; payment == 0 || payment == u.Payment.Number {
		return u, nil
	}
	return Unverified{}, refuse(clauseOrder, ReasonUnknownHit, "the payment of the hit of %s is no longer the one that was checked; check the current payment and propose again", id)
}

func (c Verify) decide(s State) (Event, *Refusal) {
	u, r := s.unverified(c.Hit, c.Payment, c.Approvers)
	if r != nil {
		return nil, r
	}
	return HitVerified{Hit: u.Hit, Winner: u.Winner, Amount: u.Amount, Held: u.Held, Approvers: c.Approvers}, nil
}

// MayBeDenied reports whether a hit that was paid can be denied: its payment is held, and its
// round is closed. An error in a round that is not closed is corrected at the table.
func (s State) MayBeDenied(u *Unverified) bool {
	return u.Held && s.roundIndex(u.Hit.RoundID()) < 0
}

func (c Deny) decide(s State) (Event, *Refusal) {
	if !named(c.Clause) {
		return nil, refuse("", ReasonMalformed, "no clause is named by which the hit of %s does not stand; name it", c.Hit)
	}
	u, r := s.unverified(c.Hit, c.Payment, c.Approvers)
	switch {
	case r != nil:
		return nil, r
	case !u.Held:
		return nil, refuse(clauseOrder, ReasonHitSettled, "the hit of %s was handed out, because its deck proves the hand; verify it, or correct the player's account", c.Hit)
	case !s.MayBeDenied(&u):
		return nil, refuse(clauseOrder, ReasonRoundOpen, "%s is not closed; put the error right at the table, or begin its next round first", u.Hit.RoundID())
	}
	e := s.reversed(u.asHit(), ForfeitMisreported)
	e.Clause, e.Approvers = c.Clause, c.Approvers
	return e, nil
}

// asHit returns the hit as it was paid.
func (u Unverified) asHit() Hit {
	return Hit{ID: u.Hit, Status: StatusPaid, Paid: u.Amount, Payment: &u.Payment}
}

// reversed returns the event that collects the payment of a hit again.
func (s State) reversed(h Hit, cause ForfeitCause) HitReversed {
	e := HitReversed{Hit: h.ID, Cause: cause, Amount: h.Paid, ToMeter: h.Paid - h.Payment.FromHouse, ToHouse: h.Payment.FromHouse}
	meter := s.Meter + e.ToMeter
	e.ResetToHouse = min(h.Payment.ResetByHouse, max(0, meter-s.Terms.Reset))
	meter -= e.ResetToHouse
	e.ToReserve = min(h.Payment.ResetFromReserve, max(0, meter-s.Terms.Reset))
	e.ToReserve = max(e.ToReserve, meter-s.Terms.Ceiling)
	meter -= e.ToReserve
	e.After = Balance{Meter: meter, Reserve: s.Reserve + e.ToReserve, Remainder: s.Remainder}
	if i := s.toVerify(h.ID); i >= 0 && s.Unverified[i].Held {
		e.Payable = s.Unverified[i].Winner
	}
	return e
}

func (c ChangeTerms) decide(s State) (Event, *Refusal) {
	if r := s.opened(); r != nil {
		return nil, r
	}
	if !c.Approvers.two() {
		return nil, refuse("", ReasonApprovers, "%q and %q are not two people; two different people must approve new terms", c.Approvers.First, c.Approvers.Second)
	}
	if r := c.Terms.unusable(c.FixedReturn); r != nil {
		return nil, r
	}
	if _, ok := commonDenominator(s.Denominator, c.Terms.Rate.Den); !ok {
		return nil, refuse(clauseIncrease, ReasonTerms,
			"the rate %d / %d cannot be kept exactly beside the earlier ones; write it in percent or millionths", c.Terms.Rate.Num, c.Terms.Rate.Den)
	}
	before := s.Terms
	if s.NextTerms != nil {
		before = *s.NextTerms
	}
	return TermsChanged{Before: before, After: c.Terms, FixedReturn: c.FixedReturn, Approvers: c.Approvers}, nil
}

func (c Adjust) decide(s State) (Event, *Refusal) {
	if !potKeys.Has(c.Pot) || !adjustmentCauseKeys.Has(c.Cause) {
		return nil, refuse("", ReasonMalformed, "the balance %s or the cause %s is not listed; give one of %s and one of %s", sentence.Word(c.Pot.String()), sentence.Word(c.Cause.String()), words(potKeys.List()), words(adjustmentCauseKeys.List()))
	}
	if c.Change == 0 || c.Cause == AdjustTransferIn && c.Change < 0 || c.Cause == AdjustTransferOut && c.Change > 0 {
		return nil, refuse("", ReasonMalformed, "a change of %s is no %s; give an amount above zero to put in, below zero to take out", dollars(c.Change), sentence.Word(c.Cause.String()))
	}
	if r := s.opened(); r != nil {
		return nil, r
	}
	if !c.Approvers.two() {
		return nil, refuse("", ReasonApprovers, "%q and %q are not two people; two different people must approve an adjustment", c.Approvers.First, c.Approvers.Second)
	}
	if s.Down {
		return nil, refuse(clauseSystemDown, ReasonSystemDown, "the value registered before the malfunction stands while the system is down; adjust it once the system is up")
	}
	if h, found := s.unpaidIn(nil); found && c.Cause != AdjustMalfunction {
		return nil, refuse(clauseOrder, ReasonHitUnpaid, "the hit of %s is %s and is to be paid what is displayed; pay or forfeit it first", h.ID, sentence.Word(h.Status.String()))
	}
	before, limit := s.Meter, s.Terms.Ceiling
	if c.Pot == PotReserve {
		before, limit = s.Reserve, 2*MaxAmount // the total refuses it before
	}
	// A change beyond any bound is cut to one that is still beyond all of them,
	// so that the sum cannot overflow.
	after := before + max(-2*MaxAmount, min(c.Change, 2*MaxAmount))
	if after < 0 || after > limit {
		return nil, refuse("", ReasonOutOfBounds, "the %s holds %s, and %s would not leave it between zero and its bound; change it by less",
			sentence.Word(c.Pot.String()), dollars(before), dollars(c.Change))
	}
	if c.Pot == PotMeter && after == 0 {
		if r := s.mayBeEmpty(); r != nil {
			return nil, r
		}
	}
	return Adjusted{Pot: c.Pot, Cause: c.Cause, Before: before, After: after, Approvers: c.Approvers}, nil
}

// mayBeEmpty refuses to leave nothing in the meter where a winner would be paid nothing: while a
// round plays for it, and where a bet would not put a minor unit into it.
//
//clause:rws-3cp@3 1.15
//clause:rws-3cp@3 4.9.1
func (s State) mayBeEmpty() *Refusal {
	if len(s.Rounds) > 0 {
		return refuse(clauseIncrease, ReasonOutOfBounds,
			"the meter would be empty, and %s plays for it: a winner would be paid nothing; close that table before you take out all of the meter", s.Rounds[0].ID)
	}
	if added, _ := s.Terms.Rate.share(s.Terms.Bet); added == 0 {
		return refuse(clauseIncrease, ReasonOutOfBounds,
			"the meter would be empty, and a bet adds less than %s to it: a winner would be paid nothing; leave that in it", dollars(1))
	}
	return nil
}

// decide registers the value that rounds in progress are paid by.
//
//clause:rws-3cp@3 5.17.1
func (SystemDown) decide(s State) (Event, *Refusal) {
	if r := s.opened(); r != nil {
		return nil, r
	}
	if s.Down {
		return nil, refuse(clauseSystemDown, ReasonSystemDown, "the system is down already, with %s registered; bring it up first", dollars(s.Registered))
	}
	return SystemWentDown{Registered: s.Meter}, nil
}

func (SystemUp) decide(s State) (Event, *Refusal) {
	if r := s.opened(); r != nil {
		return nil, r
	}
	if !s.Down {
		return nil, refuse("", ReasonSystemUp, "the system is up; nothing is left to do")
	}
	return SystemCameUp{Displayed: s.Meter}, nil
}
