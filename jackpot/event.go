package jackpot

import "trey/money"

// Event is something that happened to the jackpot. The events are the types of
// this package that implement it; no others can. How they are stored, package record
// says.
type Event interface {
	// apply returns the State after the event, or why it does not fit.
	apply(State) (State, error)
	// redacted returns what a reader may see of it, nil if nothing.
	redacted(to Reader) Event
	// effect returns the account of it, see [Effect].
	effect() Effect
}

// Balance holds the sums of the jackpot after an event.
type Balance struct {
	Meter     money.Amount
	Reserve   money.Amount
	Remainder int64 // in Denominator-ths of a minor unit, see State
}

// Opened says that the jackpot went into service.
type Opened struct {
	Terms       Terms
	FixedReturn FixedReturn
	Meter       money.Amount
	Reserve     money.Amount
}

// Contributed says that bets were accepted and what they put where.
type Contributed struct {
	Round     RoundID
	Bets      int64
	Stake     money.Amount
	ToMeter   money.Amount
	ToReserve money.Amount // above the ceiling
	After     Balance
}

// ContributionsReversed says that bets were given back, and where their
// contributions came from. FromHouse is house money that stands in for
// contributions that a winner has been paid: it moves no balance here.
type ContributionsReversed struct {
	Round       RoundID
	Bets        int64
	Cause       ReversalCause
	Stake       money.Amount
	FromReserve money.Amount
	FromMeter   money.Amount
	FromHouse   money.Amount
	After       Balance
}

// RoundClosed says that a round was settled.
type RoundClosed struct {
	Round RoundID
}

// RoundDealt says that a round with Progressive bets took its place in the order of
// the deals. It says nothing of what its hands are.
type RoundDealt struct {
	Round RoundID
	Place Place
}

// RoundKnown says that all hands of a round are known, and left that order.
type RoundKnown struct {
	Round RoundID
}

// RoundDetermined says that the house gave a round another place in that order.
type RoundDetermined struct {
	Round     RoundID
	Before    Place
	After     Place
	Approvers Approvers
}

// HitRegistered says that a hand took its place in the order of payment.
type HitRegistered struct {
	Hit   HitID
	Place Place
	// Late is set if a hand dealt later had been paid before this one was known.
	Late bool
}

// OrderDetermined says that the house gave a hit another place.
type OrderDetermined struct {
	Hit       HitID
	Before    Place
	After     Place
	Approvers Approvers
	// Late is set if a hand dealt later had been paid already.
	Late bool
}

// HitConfirmed says that a hit stands.
type HitConfirmed struct {
	Hit HitID
}

// HitReinstated says that a hit is back in the order of payment.
type HitReinstated struct {
	Hit HitID
}

// HitForfeited says that a hit left the order of payment.
type HitForfeited struct {
	Hit   HitID
	Cause ForfeitCause
}

// HitPaid says that a hit was paid, and that the meter was reset.
type HitPaid struct {
	Hit   HitID
	Place Place
	// Amount is what the winner is paid: the value displayed.
	Amount money.Amount
	// FromMeter is the meter's part of it, the whole meter; FromHouse the rest,
	// which is zero unless the system was down.
	FromMeter money.Amount
	FromHouse money.Amount
	// ResetByHouse and ResetFromReserve make up the meter's next value.
	ResetByHouse     money.Amount
	ResetFromReserve money.Amount
	// KeptRegistered says that the registered value stays on display.
	KeptRegistered bool
	// NewTerms are the terms that took effect with the reset, if any waited.
	NewTerms *Terms
	// Winner is whose hit it is, if people have to verify it. Held says that the
	// sum is payable, and that the winner does not have it before they have.
	Winner string
	Held   bool
	After  Balance
}

// HitVerified says that two people verified a paid hit. Held says that the sum was
// payable until then, and goes to the winner.
type HitVerified struct {
	Hit       HitID
	Winner    string
	Amount    money.Amount
	Held      bool
	Approvers Approvers
}

// HitReversed says that the payment of a hit was collected again. Terms that took
// effect with it stay in force.
type HitReversed struct {
	Hit   HitID
	Cause ForfeitCause
	// Amount is what the winner had been paid. ToMeter goes back into the meter,
	// ToHouse to the house, each as much as came from there.
	Amount  money.Amount
	ToMeter money.Amount
	ToHouse money.Amount
	// ResetToHouse and ToReserve leave the meter: what it was reset with and does
	// not need any more, and what lies above its ceiling.
	ResetToHouse money.Amount
	ToReserve    money.Amount
	// Payable is the winner for whom the sum was held, empty if it had been handed out.
	Payable string
	// Clause and Approvers stand where two people denied a sum that was held, after
	// its round was closed.
	Clause    string
	Approvers Approvers
	After     Balance
}

// TermsChanged says that terms wait for the next hit.
type TermsChanged struct {
	Before      Terms // those in force, or those replaced while waiting
	After       Terms
	FixedReturn FixedReturn
	Approvers   Approvers
}

// Adjusted says that the meter or the reserve was changed for a listed cause.
type Adjusted struct {
	Pot       Pot
	Cause     AdjustmentCause
	Before    money.Amount
	After     money.Amount
	Approvers Approvers
}

// SystemWentDown says that the system is not fully functional, and which value
// was displayed.
type SystemWentDown struct {
	Registered money.Amount
}

// SystemCameUp says that the system is fully functional again, and which value
// is displayed.
type SystemCameUp struct {
	Displayed money.Amount
}
