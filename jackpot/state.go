package jackpot

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"trey/internal/enum"
	"trey/money"
	"trey/sentence"
)

// State is the complete state of a jackpot: the result of its events. It is a value:
// nothing in this package changes one in place, and equal events give equal States. The
// zero State is a jackpot that was never opened.
type State struct {
	// Opened is set once terms are in force.
	Opened bool `json:"opened"`
	// Terms are the terms in force.
	Terms Terms `json:"terms"`
	// NextTerms are the terms that take effect at the next hit, if any.
	NextTerms *Terms `json:"next_terms,omitempty"`
	// Meter is the jackpot itself.
	Meter money.Amount `json:"meter"`
	// Reserve holds contributions above the ceiling until the next reset.
	Reserve money.Amount `json:"reserve"`
	// Remainder is the part of a minor unit contributed and not yet in the
	// meter, in Denominator-ths; always less than Denominator.
	Remainder int64 `json:"remainder"`
	// Denominator is a common denominator of every rate that was in force.
	Denominator int64 `json:"denominator"`
	// OverflowSinceHit is what went to the reserve since the last hit and was not
	// taken back.
	OverflowSinceHit money.Amount `json:"overflow_since_hit"`
	// HitsPaid counts the Major hits paid.
	HitsPaid int64 `json:"hits_paid"`
	// Undone are the numbers, among the hits paid, of those that were collected
	// again, and of payments of such a hit again: that stands under its first number.
	Undone []int64 `json:"undone,omitempty"`
	// LatestPaid is the latest place in the order of payment that was paid.
	LatestPaid Place `json:"latest_paid"`
	// Down is set while the progressive system is not fully functional.
	Down bool `json:"down"`
	// Registered is the value displayed before the malfunction; zero while the
	// system is up.
	Registered money.Amount `json:"registered"`
	// Rounds are those whose bets were contributed and that are not closed, in
	// the order of their first bets.
	Rounds []Round `json:"rounds,omitempty"`
	// Hits are the hits of these rounds in the order of payment.
	Hits []Hit `json:"hits,omitempty"`
	// Unverified are the paid hits that people have to verify yet, the oldest first.
	Unverified []Unverified `json:"unverified,omitempty"`
	// Totals are the movements since the opening.
	Totals Totals `json:"totals"`
}

// Unverified is a paid hit that people have to verify.
type Unverified struct {
	Hit    HitID        `json:"hit"`
	Winner string       `json:"winner"`
	Amount money.Amount `json:"amount"`
	// Held says that the sum is payable until then; otherwise the winner has it.
	Held    bool    `json:"held,omitempty"`
	Payment Payment `json:"payment"`
}

// Payable returns the sum that is held for winners until it is verified.
func (s State) Payable() (sum money.Amount) {
	for i := range s.Unverified {
		if s.Unverified[i].Held {
			sum += s.Unverified[i].Amount
		}
	}
	return sum
}

// HeldIn returns the hits of a round of which the sum is held until people have verified them.
func (s State) HeldIn(round RoundID) (held []Unverified) {
	for _, u := range s.Unverified {
		if u.Held && u.Hit.RoundID() == round {
			held = append(held, u)
		}
	}
	return held
}

// toVerify returns the place of a hit among those that people have to verify, -1 if
// it is none of them.
func (s State) toVerify(id HitID) int {
	return slices.IndexFunc(s.Unverified, func(u Unverified) bool { return u.Hit == id })
}

// verifies reports whether people verify a hit that is paid this amount.
func (s State) verifies(amount money.Amount) bool {
	return s.Terms.VerifyFrom > 0 && amount >= s.Terms.VerifyFrom
}

// Totals are the sums of all movements since the opening, in minor units. None
// is ever set back; only the two sums of adjustments can be negative.
type Totals struct {
	// OpeningMeter and OpeningReserve are the values at the opening.
	OpeningMeter   money.Amount `json:"opening_meter"`
	OpeningReserve money.Amount `json:"opening_reserve"`
	// Stakes are the bets accepted; StakesReturned those given back.
	Stakes         money.Amount `json:"stakes"`
	StakesReturned money.Amount `json:"stakes_returned"`
	// Contributions are what bets put into the meter and the reserve; Overflow is
	// the reserve's part of them.
	Contributions money.Amount `json:"contributions"`
	Overflow      money.Amount `json:"overflow"`
	// TakenFromMeter, TakenFromReserve and MadeGoodByHouse are the contributions
	// of returned bets, by where they were taken back from.
	TakenFromMeter   money.Amount `json:"taken_from_meter"`
	TakenFromReserve money.Amount `json:"taken_from_reserve"`
	MadeGoodByHouse  money.Amount `json:"made_good_by_house"`
	// ResetByHouse and ResetFromReserve are what the meter was reset with.
	ResetByHouse     money.Amount `json:"reset_by_house"`
	ResetFromReserve money.Amount `json:"reset_from_reserve"`
	// PaidFromMeter and PaidByHouse make up what the winners were paid.
	PaidFromMeter money.Amount `json:"paid_from_meter"`
	PaidByHouse   money.Amount `json:"paid_by_house"`
	// RecoveredToMeter and RecoveredByHouse make up what was collected again from
	// winners whose hand was invalidated or whose round was voided. ResetReturned
	// is what the house had reset the meter with and took back then, MeterToReserve
	// what went back to the reserve.
	RecoveredToMeter money.Amount `json:"recovered_to_meter"`
	RecoveredByHouse money.Amount `json:"recovered_by_house"`
	ResetReturned    money.Amount `json:"reset_returned"`
	MeterToReserve   money.Amount `json:"meter_to_reserve"`
	// MeterAdjustments and ReserveAdjustments are net sums.
	MeterAdjustments   money.Amount `json:"meter_adjustments"`
	ReserveAdjustments money.Amount `json:"reserve_adjustments"`
}

// RoundID names a round of play at one table. It is never used again.
type RoundID struct {
	Table string `json:"table"`
	Round string `json:"round"`
}

// String returns the round as messages show it.
func (id RoundID) String() string { return id.Sentence().String() }

// Sentence returns the text of String as a sentence with its values kept apart.
func (id RoundID) Sentence() sentence.Sentence {
	return sentence.Of("round %s of table %s", id.Round, id.Table)
}

func (id RoundID) valid() bool { return named(id.Table) && named(id.Round) }

// named reports whether a name can be stored as it is: JSON would replace bytes
// that are not UTF-8, and the replayed State would differ.
func named(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= maxName && utf8.ValidString(name)
}

// maxName is the longest name, in bytes, of a table, a round or a person.
const maxName = 200

// HitID names a hand that qualifies for the Major jackpot: its round and its
// betting box, which counts from 1.
type HitID struct {
	Table string `json:"table"`
	Round string `json:"round"`
	Box   int    `json:"box"`
}

// String returns the hit as messages show it.
func (id HitID) String() string { return id.Sentence().String() }

// Sentence returns the text of String as a sentence with its values kept apart.
func (id HitID) Sentence() sentence.Sentence { return sentence.Of("box %d, %s", id.Box, id.RoundID()) }

// RoundID returns the round in which the hand was dealt.
func (id HitID) RoundID() RoundID { return RoundID{Table: id.Table, Round: id.Round} }

func (id HitID) valid() bool { return id.RoundID().valid() && id.Box >= 1 }

// Place is a place in the order of payment.
type Place struct {
	// DealtAtMs is when the player's hand was complete, in milliseconds of
	// the house's reference clock since its epoch (Unix time serves); above zero.
	DealtAtMs int64 `json:"at_ms"`
	// Sequence orders hands with the same DealtAtMs, the lower first. The house
	// determines it and it is recorded.
	Sequence int64 `json:"sequence"`
}

// Compare returns -1 if p is paid before q, 1 if after, and 0 if they are the
// same place.
//
//clause:rws-3cp@3 4.9.1
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.DealtAtMs, q.DealtAtMs), cmp.Compare(p.Sequence, q.Sequence))
}

func (p Place) valid() bool { return p.DealtAtMs > 0 && p.Sequence >= 0 }

// Hit is a registered hand.
type Hit struct {
	ID     HitID     `json:"id"`
	Place  Place     `json:"dealt"`
	Status HitStatus `json:"status"`
	// Paid is the sum that it was paid, zero before. It stays if the payment is collected again.
	Paid money.Amount `json:"paid"`
	// Payment is how it was paid, nil before. Once the payment is collected again, it is how
	// that was done: ResetByHouse and ResetFromReserve are what left the meter for it.
	Payment *Payment `json:"payment,omitempty"`
}

// Payment holds what is needed to collect a payment again.
type Payment struct {
	// Number counts the hits paid. A hit that is paid again keeps its first number.
	Number int64 `json:"number"`
	// FromHouse is the house's part, ResetByHouse and ResetFromReserve what the
	// meter was reset with.
	FromHouse        money.Amount `json:"from_house"`
	ResetByHouse     money.Amount `json:"reset_by_house"`
	ResetFromReserve money.Amount `json:"reset_from_reserve"`
	// Overflow is what had gone to the reserve since the hit before.
	Overflow money.Amount `json:"overflow"`
	// KeptRegistered says that the registered value stayed as it was.
	KeptRegistered bool `json:"kept_registered,omitempty"`
}

// Unpaid reports whether the hit is still in the order of payment.
func (h Hit) Unpaid() bool { return h.Status == StatusOpen || h.Status == StatusConfirmed }

// HitStatus is the stage of a hit.
type HitStatus uint8

// The statuses of a hit. The zero value is none of them.
const (
	_ HitStatus = iota
	// StatusOpen: the hand was dealt; its player may yet fold.
	StatusOpen
	// StatusConfirmed: the hand stands and will be paid in its turn.
	StatusConfirmed
	// StatusPaid: the hit was paid.
	StatusPaid
	// StatusForfeited: the hit left the order without payment.
	StatusForfeited
	// StatusReversed: the hit was paid, and the payment was collected again.
	StatusReversed
	numHitStatuses
)

var hitStatusKeys = enum.New("a status of a hit", numHitStatuses, []string{StatusOpen: "open", StatusConfirmed: "confirmed", StatusPaid: "paid", StatusForfeited: "forfeited", StatusReversed: "reversed"})

// String returns the status as it stands in JSON.
func (s HitStatus) String() string { return hitStatusKeys.Key(s) }

// MarshalText writes the status's name.
func (s HitStatus) MarshalText() ([]byte, error) { return hitStatusKeys.MarshalOrNone(s) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (s *HitStatus) UnmarshalText(text []byte) error { return hitStatusKeys.UnmarshalOrNone(s, text) }

// Round holds the Progressive bets of a round that is not closed.
type Round struct {
	ID RoundID `json:"id"`
	// Bets are grouped by the hits paid before them, oldest first. There are none
	// left once all are returned; the round stays until it is closed.
	Bets []BetGroup `json:"bets,omitempty"`
	// Dealt is its place among the rounds that have been dealt and in which a hand
	// is not known yet; nil before the deal and once all hands are known.
	Dealt *Place `json:"dealt,omitempty"`
	// Determined says that the house determined Dealt, for all hands of the round.
	Determined bool `json:"determined,omitempty"`
}

// BetGroup is a number of equal bets that were accepted between the same two
// hits. It keeps the terms of its time, so that a bet can be taken back exactly.
type BetGroup struct {
	Count    int64        `json:"count"`
	Bet      money.Amount `json:"bet"`
	Rate     Rate         `json:"rate"`
	HitsPaid int64        `json:"hits_paid"`
}

// Held returns the number of bets that the round holds.
func (r Round) Held() int64 {
	var n int64
	for _, g := range r.Bets {
		n += g.Count
	}
	return n
}

// Displayed returns the value on the display screen, in minor units: what the
// next hit is paid. While the system is down that is the value registered
// before the malfunction.
//
//clause:rws-3cp@3 4.9.1
//clause:rws-3cp@3 5.17.1
func (s State) Displayed() money.Amount {
	if s.Down {
		return s.Registered
	}
	return s.Meter
}

// HitsKept counts the Major hits paid, without those whose payment was collected again.
func (s State) HitsKept() int64 { return s.HitsPaid - int64(len(s.Undone)) }

// Queue returns the unpaid hits in the order of payment. Only the first may be
// paid, once it is confirmed; the others are pending.
//
//clause:rws-3cp@3 4.9.1
func (s State) Queue() []Hit {
	var queue []Hit
	for _, h := range s.Hits {
		if h.Unpaid() {
			queue = append(queue, h)
		}
	}
	return queue
}

// Dealt returns the rounds that have been dealt and in which a hand is not known
// yet, in the order of their deals. A hit waits for those before it, whatever they
// hold: whether one of them holds a hit is not known to anybody.
//
//clause:rws-3cp@3 4.9.1
func (s State) Dealt() []Round {
	var dealt []Round
	for _, r := range s.Rounds {
		if r.Dealt != nil {
			dealt = append(dealt, r)
		}
	}
	slices.SortFunc(dealt, func(a, b Round) int { return a.Dealt.Compare(*b.Dealt) })
	return dealt
}

// dealtBefore returns the first round that a hit waits for. The hit's own round is
// none of them: all of its hands are turned when it is settled.
func (s State) dealtBefore(h Hit) (Round, bool) {
	for _, r := range s.Dealt() {
		if r.ID != h.ID.RoundID() && r.Dealt.Compare(h.Place) < 0 {
			return r, true
		}
	}
	return Round{}, false
}

// Round returns the round of that ID; ok is false if it holds no bets here.
func (s State) Round(id RoundID) (r Round, ok bool) {
	if i := s.roundIndex(id); i >= 0 {
		return s.Rounds[i], true
	}
	return Round{}, false
}

// Hit returns the hit of that ID; ok is false if it was not registered, or if
// its round is closed.
func (s State) Hit(id HitID) (h Hit, ok bool) {
	if i := s.hitIndex(id); i >= 0 {
		return s.Hits[i], true
	}
	return Hit{}, false
}

func (s State) hitIndex(id HitID) int {
	for i := range s.Hits {
		if s.Hits[i].ID == id {
			return i
		}
	}
	return -1
}

func (s State) roundIndex(id RoundID) int {
	for i := range s.Rounds {
		if s.Rounds[i].ID == id {
			return i
		}
	}
	return -1
}

// standing counts the hits of a round that need a bet under them.
func (s State) standing(id RoundID) int64 {
	var n int64
	for _, h := range s.Hits {
		if h.ID.RoundID() == id && h.Status != StatusForfeited && h.Status != StatusReversed {
			n++
		}
	}
	return n
}

// latestKept returns the number of the latest hit whose payment was not collected again.
func (s State) latestKept() int64 {
	n := s.HitsPaid
	for slices.Contains(s.Undone, n) {
		n--
	}
	return n
}

// unpaidIn returns the first unpaid hit, of that round only if one is given.
func (s State) unpaidIn(round *RoundID) (Hit, bool) {
	for _, h := range s.Hits {
		if h.Unpaid() && (round == nil || h.ID.RoundID() == *round) {
			return h, true
		}
	}
	return Hit{}, false
}

// Audit returns an error that names the first inconsistency of the State, or nil. It checks the two
// identities, the bounds of the meter, the remainder, the order of the hits and the bets that they
// stand on. Do not use a State that fails any further.
func (s State) Audit() error {
	if !s.Opened {
		if !reflect.DeepEqual(s, State{}) {
			return errors.New("jackpot: a jackpot that was never opened holds something")
		}
		return nil
	}
	for _, check := range []func() error{s.auditTerms, s.auditMoney, s.auditRounds, s.auditHits} {
		if err := check(); err != nil {
			return fmt.Errorf("jackpot: %w", err)
		}
	}
	return nil
}

// auditBalance returns the part of Audit that is the same however many rounds there are.
func (s State) auditBalance() error {
	if !s.Opened {
		return s.Audit()
	}
	err := s.auditTerms()
	if err == nil {
		err = s.auditMoney()
	}
	if err != nil {
		return fmt.Errorf("jackpot: %w", err)
	}
	return nil
}

// auditTouched audits what an event can have changed, in a State that passed Audit
// before it. Bets that are accepted or returned change what is held and what was
// staked by the same amount; a common denominator only grows by factors.
func (s State) auditTouched(e Event) error {
	err := s.auditBalance()
	switch e := e.(type) {
	case Contributed:
		return errors.Join(err, s.auditRoundOf(e.Round))
	case ContributionsReversed:
		return errors.Join(err, s.auditRoundOf(e.Round))
	case RoundDealt:
		return errors.Join(err, s.auditRoundOf(e.Round))
	case RoundKnown:
		return errors.Join(err, s.auditRoundOf(e.Round))
	case RoundDetermined:
		return errors.Join(err, s.auditRoundOf(e.Round))
	case RoundClosed, TermsChanged, Adjusted, SystemWentDown, SystemCameUp:
		return err
	default:
		return errors.Join(err, s.auditHits())
	}
}

// auditRoundOf audits one round and the hits in it.
func (s State) auditRoundOf(id RoundID) error {
	i := s.roundIndex(id)
	if i < 0 {
		return fmt.Errorf("%v is not held", id)
	}
	stake, err := s.auditRound(&s.Rounds[i])
	switch {
	case err != nil:
		return err
	case stake > s.Totals.Stakes-s.Totals.StakesReturned:
		return fmt.Errorf("%v holds more than the bets accepted and not returned", id)
	case s.standing(id) > s.Rounds[i].Held():
		return fmt.Errorf("%v has more hits than bets", id)
	}
	return nil
}

// auditRound audits a round by itself and returns what is staked in it.
func (s State) auditRound(r *Round) (stakes money.Amount, err error) {
	if !r.ID.valid() {
		return 0, fmt.Errorf("%v has no name", r.ID)
	}
	if r.Dealt != nil && !r.Dealt.valid() || r.Dealt == nil && r.Determined {
		return 0, fmt.Errorf("%v was dealt at an impossible place", r.ID)
	}
	last := int64(-1)
	for _, g := range r.Bets {
		if g.Count <= 0 || g.Bet <= 0 || g.HitsPaid <= last || g.HitsPaid > s.HitsPaid ||
			g.Rate.Num <= 0 || g.Rate.Num > g.Rate.Den || s.Denominator%g.Rate.Den != 0 {
			return 0, fmt.Errorf("%v holds an impossible group of bets %+v", r.ID, g)
		}
		last = g.HitsPaid
		stake, ok := times(g.Bet, g.Count)
		if stakes += stake; !ok || stakes > MaxAmount {
			return 0, fmt.Errorf("%v holds more than any bets", r.ID)
		}
	}
	return stakes, nil
}

func (s State) auditTerms() error {
	if r := s.Terms.contradiction(); r != nil {
		return fmt.Errorf("terms in force: %s", r.Detail)
	}
	if s.NextTerms != nil {
		if r := s.NextTerms.contradiction(); r != nil {
			return fmt.Errorf("next terms: %s", r.Detail)
		}
	}
	if s.Denominator <= 0 || s.Denominator > maxDenominator || s.Denominator%s.Terms.Rate.Den != 0 {
		return fmt.Errorf("denominator %d does not serve the rate %d / %d", s.Denominator, s.Terms.Rate.Num, s.Terms.Rate.Den)
	}
	if s.Remainder < 0 || s.Remainder >= s.Denominator {
		return fmt.Errorf("remainder %d is not a part of %d", s.Remainder, s.Denominator)
	}
	return nil
}

func (s State) auditMoney() error {
	t := s.Totals
	if err := t.withinBounds(); err != nil {
		return err
	}
	for _, n := range s.Undone {
		if n < 1 || n > s.HitsPaid {
			return fmt.Errorf("of %d hits paid number %d was collected again", s.HitsPaid, n)
		}
	}
	if s.HitsPaid < 0 || (s.HitsPaid == 0) != (s.LatestPaid == Place{}) {
		return fmt.Errorf("%d hits paid, the latest at place %v", s.HitsPaid, s.LatestPaid)
	}
	if s.Meter < 0 || s.Meter > s.Terms.Ceiling {
		return fmt.Errorf("meter %s is not between zero and its ceiling %s", dollars(s.Meter), dollars(s.Terms.Ceiling))
	}
	if s.Reserve < 0 {
		return fmt.Errorf("reserve %s is below zero", dollars(s.Reserve))
	}
	if s.Reserve > MaxAmount {
		return errTooLarge
	}
	if s.OverflowSinceHit < 0 || s.OverflowSinceHit > t.Overflow {
		return fmt.Errorf("overflow since the last hit %s is not a part of all overflow %s", dollars(s.OverflowSinceHit), dollars(t.Overflow))
	}
	meter := t.OpeningMeter + t.Contributions - t.Overflow - t.TakenFromMeter +
		t.ResetByHouse + t.ResetFromReserve - t.PaidFromMeter + t.MeterAdjustments +
		t.RecoveredToMeter - t.ResetReturned - t.MeterToReserve
	if s.Meter != meter {
		return fmt.Errorf("meter identity: it holds %s, its movements make %s", dollars(s.Meter), dollars(meter))
	}
	reserve := t.OpeningReserve + t.Overflow - t.TakenFromReserve - t.ResetFromReserve + t.MeterToReserve + t.ReserveAdjustments
	if s.Reserve != reserve {
		return fmt.Errorf("reserve identity: it holds %s, its movements make %s", dollars(s.Reserve), dollars(reserve))
	}
	switch {
	case s.Down && s.Registered < s.Meter:
		return fmt.Errorf("registered value %s is below the meter %s, which cannot rise while the system is down", dollars(s.Registered), dollars(s.Meter))
	case !s.Down && s.Registered != 0:
		return fmt.Errorf("registered value %s although the system is up", dollars(s.Registered))
	}
	return nil
}

// withinBounds returns an error if a sum is negative that cannot be, or
// errTooLarge if one exceeds MaxAmount.
func (t Totals) withinBounds() error {
	for _, a := range []money.Amount{
		t.OpeningMeter, t.OpeningReserve, t.Stakes, t.StakesReturned, t.Contributions, t.Overflow,
		t.TakenFromMeter, t.TakenFromReserve, t.MadeGoodByHouse, t.ResetByHouse, t.ResetFromReserve,
		t.PaidFromMeter, t.PaidByHouse, t.RecoveredToMeter, t.RecoveredByHouse, t.ResetReturned, t.MeterToReserve,
	} {
		if a < 0 {
			return fmt.Errorf("a total is %s, and none can be below zero", dollars(a))
		}
		if a > MaxAmount {
			return errTooLarge
		}
	}
	for _, a := range []money.Amount{t.MeterAdjustments, t.ReserveAdjustments} {
		if a > MaxAmount || a < -MaxAmount {
			return errTooLarge
		}
	}
	return nil
}

func (s State) auditRounds() error {
	seen := map[RoundID]bool{}
	var stakes money.Amount
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if seen[r.ID] {
			return fmt.Errorf("%v is listed twice", r.ID)
		}
		seen[r.ID] = true
		stake, err := s.auditRound(r)
		if err != nil {
			return err
		}
		if stakes += stake; stakes > s.Totals.Stakes-s.Totals.StakesReturned {
			return fmt.Errorf("%v holds more than the bets accepted and not returned", r.ID)
		}
	}
	return nil
}

func (s State) auditHits() error {
	for i, h := range s.Hits {
		if !h.ID.valid() || !h.Place.valid() || !hitStatusKeys.Has(h.Status) || s.hitIndex(h.ID) != i {
			return fmt.Errorf("hit %v is impossible or listed twice", h.ID)
		}
		if h.Paid < 0 || h.Paid > 0 && h.Payment == nil && h.Status != StatusPaid {
			return fmt.Errorf("hit %v is %v and was paid %s", h.ID, h.Status, dollars(h.Paid))
		}
		if p := h.Payment; (p != nil && !slices.Contains(s.Undone, p.Number)) != (h.Status == StatusPaid) {
			return fmt.Errorf("hit %v is %v, and how it was paid is %+v", h.ID, h.Status, p)
		} else if p != nil && (p.Number < 1 || p.Number > s.HitsPaid || p.FromHouse < 0 || p.FromHouse > h.Paid ||
			p.ResetByHouse < 0 || p.ResetFromReserve < 0 || p.Overflow < 0) {
			return fmt.Errorf("hit %v was paid in a way that cannot be, %+v", h.ID, *p)
		}
		if i > 0 && s.Hits[i-1].Place.Compare(h.Place) > 0 {
			return fmt.Errorf("hit %v stands behind one that was dealt later", h.ID)
		}
		r := s.roundIndex(h.ID.RoundID())
		if r < 0 {
			return fmt.Errorf("hit %v belongs to no round", h.ID)
		}
		if s.standing(h.ID.RoundID()) > s.Rounds[r].Held() {
			return fmt.Errorf("%v has more hits than bets", h.ID.RoundID())
		}
	}
	for i, u := range s.Unverified {
		if !u.Hit.valid() || !named(u.Winner) || u.Amount < 0 || s.toVerify(u.Hit) != i || u.Payment.Number < 1 || u.Payment.Number > s.HitsPaid {
			return fmt.Errorf("hit %v, to be verified, is impossible or listed twice", u.Hit)
		}
	}
	queue := s.Queue()
	for i := 1; i < len(queue); i++ {
		if queue[i-1].Place == queue[i].Place {
			return fmt.Errorf("hits %v and %v have the same place", queue[i-1].ID, queue[i].ID)
		}
	}
	return nil
}
