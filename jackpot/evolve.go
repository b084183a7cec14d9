package jackpot

import (
	"errors"
	"fmt"
	"slices"

	"trey/money"
)

// ErrCorrupt is wrapped by every error about an event that cannot be read or
// does not fit the State before it. The log is damaged or belongs to another
// jackpot: stop it, keep the log, and call for help.
var ErrCorrupt = errors.New("jackpot: corrupt event")

// errTooLarge marks a sum that no amount can hold; Decide turns it into a refusal.
var errTooLarge = fmt.Errorf("an amount exceeds %s", dollars(MaxAmount))

// Evolve returns the State after an event. An error wraps [ErrCorrupt] and means
// that the event did not follow from this State, or that the State itself does
// not add up; the State returned is then the one given.
//
// The State must come from this package: from an event, from [Replay], or from
// storage and past [State.Audit]. Each event is checked before it counts: that it
// fits, that no fraction of a contribution is lost, that the money after it adds
// up, and that the round and the hits that it touches do. Of rounds that it leaves
// as they were nothing can have become wrong, so with many tables on one jackpot
// an event costs no more than with one; the State after it passes [State.Audit].
func Evolve(s State, e Event) (State, error) {
	if e == nil {
		return s, fmt.Errorf("%w: there is none", ErrCorrupt)
	}
	next, err := e.apply(s)
	if err == nil {
		err = next.auditTouched(e)
	}
	if err != nil {
		return s, fmt.Errorf("%w: %T: %w", ErrCorrupt, e, err)
	}
	return next, nil
}

// Replay returns the State after all events, from a jackpot never opened. An
// error says which event, counted from 0, is corrupt.
func Replay(events ...Event) (State, error) {
	var s State
	for i, e := range events {
		next, err := Evolve(s, e)
		if err != nil {
			return s, fmt.Errorf("event %d: %w", i, err)
		}
		s = next
	}
	return s, nil
}

// The ways in which an event does not fit.
var (
	errNotOpen     = errors.New("the jackpot is not open")
	errNoRound     = errors.New("the round holds no bets")
	errNoHit       = errors.New("the hit is not in the order of payment")
	errDealt       = errors.New("the round does not stand there in the order of the deals")
	errFigures     = errors.New("its figures contradict the state before it")
	errLostPart    = errors.New("a part of a contribution is lost or invented")
	errWrongSystem = errors.New("the system is already so")

	errEarlierRound = errors.New("a round that was dealt earlier is not known yet")
)

// sums refuses amounts that no event has, so that adding them cannot overflow.
func sums(amounts ...money.Amount) error {
	for _, a := range amounts {
		if a < 0 {
			return errFigures
		}
		if a > MaxAmount {
			return errTooLarge
		}
	}
	return nil
}

func (e Opened) apply(s State) (State, error) {
	if s.Opened {
		return s, errors.New("the jackpot was opened before")
	}
	if err := sums(e.Meter, e.Reserve); err != nil {
		return s, err
	}
	if e.Meter < e.Terms.Reset || e.Terms.refusal(e.FixedReturn) != nil {
		return s, errFigures
	}
	return State{
		Opened:      true,
		Terms:       e.Terms,
		Meter:       e.Meter,
		Reserve:     e.Reserve,
		Denominator: e.Terms.Rate.Den,
		Totals:      Totals{OpeningMeter: e.Meter, OpeningReserve: e.Reserve},
	}, nil
}

func (e Contributed) apply(s State) (State, error) {
	if !s.Opened {
		return s, errNotOpen
	}
	if err := sums(e.Stake, e.ToMeter, e.ToReserve); err != nil {
		return s, err
	}
	stake, ok := times(s.Terms.Bet, e.Bets)
	if e.Bets <= 0 || !ok || stake != e.Stake {
		return s, errFigures
	}
	minor, remainder := s.accrue(stake)
	if s.Down && e.ToMeter > s.Registered-s.Meter {
		return s, errFigures
	}
	if e.ToMeter+e.ToReserve != minor || e.After.Remainder != remainder {
		return s, errLostPart
	}
	s.Rounds = withBets(s.Rounds, e.Round, BetGroup{Count: e.Bets, Bet: s.Terms.Bet, Rate: s.Terms.Rate, HitsPaid: s.HitsPaid})
	s.Meter += e.ToMeter
	s.Reserve += e.ToReserve
	s.Remainder = remainder
	s.OverflowSinceHit += e.ToReserve
	s.Totals.Stakes += e.Stake
	s.Totals.Contributions += minor
	s.Totals.Overflow += e.ToReserve
	return s.must(e.After)
}

// must returns s if it holds what an event says it does.
func (s State) must(after Balance) (State, error) {
	if s.balance() != after {
		return s, errFigures
	}
	return s, nil
}

// withBets returns a copy of rounds in which that round holds more bets.
func withBets(rounds []Round, id RoundID, g BetGroup) []Round {
	i := State{Rounds: rounds}.roundIndex(id)
	rounds = append(make([]Round, 0, len(rounds)+1), rounds...)
	if i < 0 {
		return append(rounds, Round{ID: id, Bets: []BetGroup{g}})
	}
	bets := slices.Clone(rounds[i].Bets)
	if last := len(bets) - 1; last >= 0 && bets[last].HitsPaid == g.HitsPaid {
		bets[last].Count += g.Count
	} else {
		bets = append(bets, g)
	}
	rounds[i].Bets = bets
	return rounds
}

func (e ContributionsReversed) apply(s State) (State, error) {
	if err := sums(e.Stake, e.FromReserve, e.FromMeter, e.FromHouse); err != nil {
		return s, err
	}
	i := s.roundIndex(e.Round)
	if i < 0 || e.Bets <= 0 || e.Bets > s.Rounds[i].Held() {
		return s, errNoRound
	}
	if !reversalCauseKeys.Has(e.Cause) {
		return s, errFigures
	}
	bets := slices.Clone(s.Rounds[i].Bets)
	var stake, owed money.Amount
	for _, g := range s.Rounds[i].latest(e.Bets) {
		groupStake, _ := times(g.Bet, g.Count) // Audit keeps held bets within bounds
		stake += groupStake
		var minor money.Amount
		minor, s.Remainder = s.takeBack(s.Remainder, groupStake, g.Rate)
		owed += minor
		last := len(bets) - 1
		if bets[last].Count -= g.Count; bets[last].Count == 0 {
			bets = bets[:last]
		}
	}
	if stake != e.Stake {
		return s, errFigures
	}
	if e.FromReserve+e.FromMeter+e.FromHouse != owed {
		return s, errLostPart
	}
	s.Rounds = slices.Clone(s.Rounds)
	s.Rounds[i].Bets = orNil(bets)
	s.Meter -= e.FromMeter
	s.Reserve -= e.FromReserve
	s.OverflowSinceHit -= e.FromReserve
	s.Totals.StakesReturned += e.Stake
	s.Totals.TakenFromMeter += e.FromMeter
	s.Totals.TakenFromReserve += e.FromReserve
	s.Totals.MadeGoodByHouse += e.FromHouse
	return s.must(e.After)
}

// orNil returns nil for an empty list: a State that went through JSON must equal
// one that did not.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

func (e RoundClosed) apply(s State) (State, error) {
	i := s.roundIndex(e.Round)
	if i < 0 {
		return s, errNoRound
	}
	if _, found := s.unpaidIn(&e.Round); found {
		return s, errors.New("a hit of the round is unpaid")
	}
	if s.Rounds[i].Dealt != nil {
		return s, errors.New("a hand of the round is not known")
	}
	s.Rounds = orNil(slices.Delete(slices.Clone(s.Rounds), i, i+1))
	s.Hits = orNil(slices.DeleteFunc(slices.Clone(s.Hits), func(h Hit) bool { return h.ID.RoundID() == e.Round }))
	return s, nil
}

// withRound returns a copy of s in which change was made to a round.
func (s State) withRound(id RoundID, change func(*Round) error) (State, error) {
	i := s.roundIndex(id)
	if i < 0 {
		return s, errNoRound
	}
	s.Rounds = slices.Clone(s.Rounds)
	err := change(&s.Rounds[i])
	return s, err
}

func (e RoundDealt) apply(s State) (State, error) {
	return s.withRound(e.Round, func(r *Round) error {
		if r.Dealt != nil {
			return errDealt
		}
		r.Dealt = &e.Place
		return nil
	})
}

func (e RoundKnown) apply(s State) (State, error) {
	return s.withRound(e.Round, func(r *Round) error {
		if r.Dealt == nil {
			return errDealt
		}
		r.Dealt, r.Determined = nil, false
		return nil
	})
}

func (e RoundDetermined) apply(s State) (State, error) {
	return s.withRound(e.Round, func(r *Round) error {
		if r.Dealt == nil || *r.Dealt != e.Before || !e.Approvers.two() {
			return errDealt
		}
		r.Dealt, r.Determined = &e.After, true
		return nil
	})
}

func (e HitRegistered) apply(s State) (State, error) {
	if e.Late != s.late(e.Place) {
		return s, errFigures
	}
	s.Hits = inOrder(append(slices.Clone(s.Hits), Hit{ID: e.Hit, Place: e.Place, Status: StatusOpen}))
	return s, nil
}

// inOrder sorts hits, which it may change, by their place.
func inOrder(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int { return a.Place.Compare(b.Place) })
	return hits
}

// withHit returns a copy of s in which change was made to an unpaid hit.
func (s State) withHit(id HitID, change func(*Hit) error) (State, error) {
	i := s.hitIndex(id)
	if i < 0 || !s.Hits[i].Unpaid() {
		return s, errNoHit
	}
	s.Hits = slices.Clone(s.Hits)
	err := change(&s.Hits[i])
	return s, err
}

func (e OrderDetermined) apply(s State) (State, error) {
	if e.Late != s.late(e.After) || !e.Approvers.two() {
		return s, errFigures
	}
	s, err := s.withHit(e.Hit, func(h *Hit) error {
		if h.Place != e.Before {
			return errFigures
		}
		h.Place = e.After
		return nil
	})
	if err == nil {
		inOrder(s.Hits)
	}
	return s, err
}

func (e HitConfirmed) apply(s State) (State, error) {
	return s.withHit(e.Hit, func(h *Hit) error {
		if h.Status != StatusOpen {
			return errNoHit
		}
		h.Status = StatusConfirmed
		return nil
	})
}

func (e HitForfeited) apply(s State) (State, error) {
	if !forfeitCauseKeys.Has(e.Cause) {
		return s, errFigures
	}
	return s.withHit(e.Hit, func(h *Hit) error {
		h.Status = StatusForfeited
		return nil
	})
}

func (e HitReinstated) apply(s State) (State, error) {
	i := s.hitIndex(e.Hit)
	if i < 0 || s.Hits[i].Status != StatusForfeited && s.Hits[i].Status != StatusReversed {
		return s, errNoHit
	}
	s.Hits = slices.Clone(s.Hits)
	s.Hits[i].Status = StatusOpen
	return s, nil
}

func (e HitPaid) apply(s State) (State, error) {
	if err := sums(e.Amount, e.FromMeter, e.FromHouse, e.ResetByHouse, e.ResetFromReserve); err != nil {
		return s, err
	}
	head, _ := s.unpaidIn(nil)
	if head.ID != e.Hit || head.Place != e.Place || head.Status != StatusConfirmed {
		return s, errNoHit
	}
	if _, waits := s.dealtBefore(head); waits {
		return s, errEarlierRound
	}
	again := s.repeats(head, e)
	if !again && (e.Amount != s.Displayed() || e.FromMeter != s.Meter || e.FromMeter+e.FromHouse != e.Amount) {
		return s, errFigures
	}
	if !again && ((e.NewTerms == nil) != (s.NextTerms == nil) || e.NewTerms != nil && *e.NewTerms != *s.NextTerms) {
		return s, errFigures
	}
	if named(e.Winner) != s.verifies(e.Amount) || e.Held && e.Winner == "" {
		return s, errFigures
	}
	payment := Payment{
		Number: s.HitsPaid + 1, FromHouse: e.FromHouse,
		ResetByHouse: e.ResetByHouse, ResetFromReserve: e.ResetFromReserve,
		Overflow: s.OverflowSinceHit, KeptRegistered: e.KeptRegistered,
	}
	looked, before := payment, s.Meter // People verify this payment, and no other of the hit.
	if again {
		payment.Number, payment.Overflow = head.Payment.Number, min(head.Payment.Overflow, s.OverflowSinceHit)
	}
	s, err := s.withHit(e.Hit, func(h *Hit) error {
		h.Status = StatusPaid
		h.Paid = e.Amount
		h.Payment = &payment
		return nil
	})
	if err != nil {
		return s, err
	}
	if e.Winner != "" {
		s.Unverified = append(slices.Clip(s.Unverified), Unverified{Hit: e.Hit, Winner: e.Winner, Amount: e.Amount, Held: e.Held, Payment: looked})
	}
	if e.NewTerms != nil {
		denominator, ok := commonDenominator(s.Denominator, e.NewTerms.Rate.Den)
		if !ok {
			return s, errFigures
		}
		s.Terms, s.NextTerms = *e.NewTerms, nil
		s.Remainder *= denominator / s.Denominator
		s.Denominator = denominator
	}
	if s.LatestPaid.Compare(e.Place) < 0 {
		s.LatestPaid = e.Place
	}
	s.HitsPaid++
	s.OverflowSinceHit -= payment.Overflow
	s.Meter += e.ResetByHouse + e.ResetFromReserve - e.FromMeter
	s.Reserve -= e.ResetFromReserve
	switch {
	case s.Down && e.KeptRegistered:
		s.Registered = max(s.Registered, s.Meter)
	case e.KeptRegistered:
		return s, errFigures
	case s.Down:
		s.Registered = max(s.Registered+s.Meter-before-e.FromHouse, s.Meter)
	}
	if again {
		// It stands under its first number: what was accepted since then lies in the meter still.
		s.Undone = append(slices.DeleteFunc(slices.Clone(s.Undone), func(n int64) bool { return n == payment.Number }), s.HitsPaid)
	} else {
		s.Hits = withoutCollected(s.Hits)
	}
	s.Totals.PaidFromMeter += e.FromMeter
	s.Totals.PaidByHouse += e.FromHouse
	s.Totals.ResetByHouse += e.ResetByHouse
	s.Totals.ResetFromReserve += e.ResetFromReserve
	return s.must(e.After)
}

// repeats reports whether an event pays a hit again what was collected from it. One that was
// recorded before there was such a payment pays it what was displayed.
func (s State) repeats(h Hit, e HitPaid) bool {
	if h.Payment == nil {
		return false
	}
	due := s.paymentAgain(h)
	due.Winner, due.Held = e.Winner, e.Held
	return e == due
}

// withoutCollected returns hits, which it may change, when a hit has been paid all that the
// meter held: what was collected from others went with it, and the house owes it to them.
func withoutCollected(hits []Hit) []Hit {
	for i := range hits {
		if h := &hits[i]; h.Payment != nil && h.Status != StatusPaid {
			h.Payment = &Payment{Number: h.Payment.Number, FromHouse: h.Paid}
		}
	}
	return hits
}

func (e HitVerified) apply(s State) (State, error) {
	i := s.toVerify(e.Hit)
	if i < 0 {
		return s, errNoHit
	}
	if u := s.Unverified[i]; !e.Approvers.two() || e.Winner != u.Winner || e.Amount != u.Amount || e.Held != u.Held {
		return s, errFigures
	}
	return s.withoutUnverified(i), nil
}

// withoutUnverified returns a copy of s in which a hit waits no more to be verified.
func (s State) withoutUnverified(i int) State {
	s.Unverified = orNil(slices.Delete(slices.Clone(s.Unverified), i, i+1))
	return s
}

func (e HitReversed) apply(s State) (State, error) {
	var h Hit
	i, held := s.hitIndex(e.Hit), s.toVerify(e.Hit)
	denied := e.Clause != ""
	switch {
	case denied && (held < 0 || !s.Unverified[held].Held || s.roundIndex(e.Hit.RoundID()) >= 0):
		return s, errNoHit
	case denied:
		h = s.Unverified[held].asHit()
	case i < 0 || s.Hits[i].Status != StatusPaid:
		return s, errNoHit
	default:
		h = s.Hits[i]
	}
	due := s.reversed(h, e.Cause)
	due.Clause, due.Approvers = e.Clause, e.Approvers
	if !forfeitCauseKeys.Has(e.Cause) || e != due || denied != e.Approvers.two() {
		return s, errFigures
	}
	if !denied {
		s.Hits = slices.Clone(s.Hits)
		s.Hits[i].Status = StatusReversed
		s.Hits[i].Payment = &Payment{
			Number: h.Payment.Number, FromHouse: e.ToHouse, ResetByHouse: e.ResetToHouse, ResetFromReserve: e.ToReserve,
			Overflow: h.Payment.Overflow, KeptRegistered: h.Payment.KeptRegistered && s.Down,
		}
	}
	if held >= 0 {
		s = s.withoutUnverified(held)
	}
	if !slices.Contains(s.Undone, h.Payment.Number) {
		s.Undone = append(slices.Clip(s.Undone), h.Payment.Number)
	}
	// A payment that was made again took no more of it than the first one had. What people verify
	// says how much there was then, and all that ever went to the reserve bounds it.
	s.OverflowSinceHit = min(s.OverflowSinceHit+h.Payment.Overflow, s.Totals.Overflow)
	if s.Down {
		registered := s.Registered
		if !h.Payment.KeptRegistered {
			registered += e.After.Meter - s.Meter + e.ToHouse
		}
		s.Registered = max(registered, e.After.Meter)
	}
	s.Meter, s.Reserve = e.After.Meter, e.After.Reserve
	s.Totals.RecoveredToMeter += e.ToMeter
	s.Totals.RecoveredByHouse += e.ToHouse
	s.Totals.ResetReturned += e.ResetToHouse
	s.Totals.MeterToReserve += e.ToReserve
	return s.must(e.After)
}

func (e TermsChanged) apply(s State) (State, error) {
	before := s.Terms
	if s.NextTerms != nil {
		before = *s.NextTerms
	}
	if !s.Opened || e.Before != before || !e.Approvers.two() || e.After.refusal(e.FixedReturn) != nil {
		return s, errFigures
	}
	if _, ok := commonDenominator(s.Denominator, e.After.Rate.Den); !ok {
		return s, errFigures
	}
	s.NextTerms = nil
	if e.After != s.Terms {
		next := e.After
		s.NextTerms = &next
	}
	return s, nil
}

func (e Adjusted) apply(s State) (State, error) {
	if err := sums(e.Before, e.After); err != nil {
		return s, err
	}
	if !s.Opened || s.Down {
		return s, errNotOpen
	}
	if !adjustmentCauseKeys.Has(e.Cause) || !e.Approvers.two() {
		return s, errFigures
	}
	change := e.After - e.Before
	switch e.Pot {
	case PotMeter:
		if s.Meter != e.Before {
			return s, errFigures
		}
		s.Meter = e.After
		s.Totals.MeterAdjustments += change
	case PotReserve:
		if s.Reserve != e.Before {
			return s, errFigures
		}
		s.Reserve = e.After
		s.Totals.ReserveAdjustments += change
	default:
		return s, errFigures
	}
	return s, nil
}

func (e SystemWentDown) apply(s State) (State, error) {
	if !s.Opened || s.Down {
		return s, errWrongSystem
	}
	if e.Registered != s.Meter {
		return s, errFigures
	}
	s.Down, s.Registered = true, e.Registered
	return s, nil
}

func (e SystemCameUp) apply(s State) (State, error) {
	if !s.Down {
		return s, errWrongSystem
	}
	if e.Displayed != s.Meter {
		return s, errFigures
	}
	s.Down, s.Registered = false, 0
	return s, nil
}
