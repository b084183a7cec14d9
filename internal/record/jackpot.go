package record

import (
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
)

// JackpotEvents are the events of a jackpot.
var JackpotEvents = stored.NewTable(
	"event",
	stored.Of[jackpot.Event]("opened", openedOf, Opened.engine),
	stored.Of[jackpot.Event]("contributed", contributedOf, Contributed.engine),
	stored.Of[jackpot.Event]("contributions-reversed", contributionsReversedOf, ContributionsReversed.engine),
	stored.Of[jackpot.Event]("round-closed", roundClosedOf, RoundClosed.engine),
	stored.Of[jackpot.Event]("round-dealt", roundDealtOf, RoundDealt.engine),
	stored.Of[jackpot.Event]("round-known", roundKnownOf, RoundKnown.engine),
	stored.Of[jackpot.Event]("round-determined", roundDeterminedOf, RoundDetermined.engine),
	stored.Of[jackpot.Event]("hit-registered", hitRegisteredOf, HitRegistered.engine),
	stored.Of[jackpot.Event]("order-determined", orderDeterminedOf, OrderDetermined.engine),
	stored.Of[jackpot.Event]("hit-confirmed", hitConfirmedOf, HitConfirmed.engine),
	stored.Of[jackpot.Event]("hit-forfeited", hitForfeitedOf, HitForfeited.engine),
	stored.Of[jackpot.Event]("hit-reinstated", hitReinstatedOf, HitReinstated.engine),
	stored.Of[jackpot.Event]("hit-paid", hitPaidOf, HitPaid.engine),
	stored.Of[jackpot.Event]("hit-verified", hitVerifiedOf, HitVerified.engine),
	stored.Of[jackpot.Event]("hit-reversed", hitReversedOf, HitReversed.engine),
	stored.Of[jackpot.Event]("terms-changed", termsChangedOf, TermsChanged.engine),
	stored.Of[jackpot.Event]("adjusted", adjustedOf, Adjusted.engine),
	stored.Of[jackpot.Event]("system-went-down", systemWentDownOf, SystemWentDown.engine),
	stored.Of[jackpot.Event]("system-came-up", systemCameUpOf, SystemCameUp.engine),
)

// Balance holds the sums of the jackpot after an event.
type Balance struct {
	Meter   money.Amount `json:"meter"`
	Reserve money.Amount `json:"reserve"`
	// in Denominator-ths of a minor unit, see State
	Remainder int64 `json:"remainder"`
}

func balanceOf(e jackpot.Balance) Balance { return Balance(e) }

func (s Balance) engine() jackpot.Balance { return jackpot.Balance(s) }

// Terms are the figures of a jackpot that the rule book leaves to the house
// (rws-3cp@3 1.15, 3.3).
type Terms struct {
	// Bet is the prescribed amount of one Progressive bet.
	Bet money.Amount `json:"bet"`
	// Reset is the predetermined value that the meter returns to after a hit.
	Reset money.Amount `json:"reset"`
	// Rate is the part of each bet that goes to the meter.
	Rate Rate `json:"rate"`
	// Ceiling is the highest value of the meter.
	Ceiling money.Amount `json:"ceiling"`
	// Overflow says how contributions above the ceiling are used.
	Overflow jackpot.Overflow `json:"overflow"`
	// VerifyFrom is the amount from which people verify a paid hit; zero for none.
	VerifyFrom money.Amount `json:"verify_from,omitempty"`
}

// TermsOf returns terms as they are stored.
func TermsOf(e jackpot.Terms) Terms {
	return Terms{
		Bet: e.Bet, Reset: e.Reset, Rate: rateOf(e.Rate), Ceiling: e.Ceiling, Overflow: e.Overflow,
		VerifyFrom: e.VerifyFrom,
	}
}

// Engine returns the terms as the jackpot works with them.
func (s Terms) Engine() jackpot.Terms {
	return jackpot.Terms{
		Bet: s.Bet, Reset: s.Reset, Rate: s.Rate.engine(), Ceiling: s.Ceiling, Overflow: s.Overflow,
		VerifyFrom: s.VerifyFrom,
	}
}

// Rate is an exact fraction, Num / Den, of each bet: {40, 100} is 40 %.
type Rate struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

func rateOf(e jackpot.Rate) Rate { return Rate(e) }

func (s Rate) engine() jackpot.Rate { return jackpot.Rate(s) }

// FixedReturn is the average return of the fixed pays of a jackpot's pay table for one
// bet, as an exact fraction of a minor unit: Num / Den. It leaves out the Major pay,
// which comes from the meter. For the pay table of rws-3cp@3 4.4 it is 3,005,000 / 22,100
// cents.
type FixedReturn struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

func fixedReturnOf(e jackpot.FixedReturn) FixedReturn { return FixedReturn(e) }

func (s FixedReturn) engine() jackpot.FixedReturn { return jackpot.FixedReturn(s) }

// RoundID names a round of play at one table. It is never used again.
type RoundID struct {
	Table string `json:"table"`
	Round string `json:"round"`
}

func roundIDOf(e jackpot.RoundID) RoundID { return RoundID(e) }

func (s RoundID) engine() jackpot.RoundID { return jackpot.RoundID(s) }

// HitID names a hand that qualifies for the Major jackpot: its round and its
// betting box, which counts from 1.
type HitID struct {
	Table string `json:"table"`
	Round string `json:"round"`
	Box   int    `json:"box"`
}

func hitIDOf(e jackpot.HitID) HitID { return HitID(e) }

func (s HitID) engine() jackpot.HitID { return jackpot.HitID(s) }

// DealPlace is a place in the order of payment.
type DealPlace struct {
	// DealtAtMs is when the player's hand was complete, in milliseconds of the house's
	// clock; above zero.
	DealtAtMs int64 `json:"at_ms"`
	// Sequence orders hands with the same DealtAtMs, the lower first. The house
	// determines it and it is recorded.
	Sequence int64 `json:"sequence"`
}

func dealPlaceOf(e jackpot.Place) DealPlace { return DealPlace(e) }

func (s DealPlace) engine() jackpot.Place { return jackpot.Place(s) }

// Approvers are the names of the two different people who approve an act on the
// jackpot. Names that differ only in case or outer spaces are the same person.
type Approvers struct {
	First  string `json:"first"`
	Second string `json:"second"`
}

func approversOf(e jackpot.Approvers) Approvers { return Approvers(e) }

func (s Approvers) engine() jackpot.Approvers { return jackpot.Approvers(s) }

// Opened says that the jackpot went into service.
type Opened struct {
	Terms       Terms        `json:"terms"`
	FixedReturn FixedReturn  `json:"fixed_return"`
	Meter       money.Amount `json:"meter"`
	Reserve     money.Amount `json:"reserve"`
}

func openedOf(e jackpot.Opened) Opened {
	return Opened{Terms: TermsOf(e.Terms), FixedReturn: fixedReturnOf(e.FixedReturn), Meter: e.Meter, Reserve: e.Reserve}
}

func (s Opened) engine() jackpot.Opened {
	return jackpot.Opened{
		Terms: s.Terms.Engine(), FixedReturn: s.FixedReturn.engine(), Meter: s.Meter, Reserve: s.Reserve,
	}
}

// Contributed says that bets were accepted and what they put where.
type Contributed struct {
	Round   RoundID      `json:"round"`
	Bets    int64        `json:"bets"`
	Stake   money.Amount `json:"stake"`
	ToMeter money.Amount `json:"to_meter"`
	// above the ceiling
	ToReserve money.Amount `json:"to_reserve"`
	After     Balance      `json:"balance"`
}

func contributedOf(e jackpot.Contributed) Contributed {
	return Contributed{
		Round: roundIDOf(e.Round), Bets: e.Bets, Stake: e.Stake, ToMeter: e.ToMeter, ToReserve: e.ToReserve,
		After: balanceOf(e.After),
	}
}

func (s Contributed) engine() jackpot.Contributed {
	return jackpot.Contributed{
		Round: s.Round.engine(), Bets: s.Bets, Stake: s.Stake, ToMeter: s.ToMeter, ToReserve: s.ToReserve,
		After: s.After.engine(),
	}
}

// ContributionsReversed says that bets were given back, and where their
// contributions came from. FromHouse is house money that stands in for
// contributions that a winner has been paid: it moves no balance here.
type ContributionsReversed struct {
	Round       RoundID               `json:"round"`
	Bets        int64                 `json:"bets"`
	Cause       jackpot.ReversalCause `json:"cause"`
	Stake       money.Amount          `json:"stake"`
	FromReserve money.Amount          `json:"from_reserve"`
	FromMeter   money.Amount          `json:"from_meter"`
	FromHouse   money.Amount          `json:"from_house"`
	After       Balance               `json:"balance"`
}

func contributionsReversedOf(e jackpot.ContributionsReversed) ContributionsReversed {
	return ContributionsReversed{
		Round: roundIDOf(e.Round), Bets: e.Bets, Cause: e.Cause, Stake: e.Stake, FromReserve: e.FromReserve,
		FromMeter: e.FromMeter, FromHouse: e.FromHouse, After: balanceOf(e.After),
	}
}

func (s ContributionsReversed) engine() jackpot.ContributionsReversed {
	return jackpot.ContributionsReversed{
		Round: s.Round.engine(), Bets: s.Bets, Cause: s.Cause, Stake: s.Stake, FromReserve: s.FromReserve,
		FromMeter: s.FromMeter, FromHouse: s.FromHouse, After: s.After.engine(),
	}
}

// RoundClosed says that a round was settled.
type RoundClosed struct {
	Round RoundID `json:"round"`
}

func roundClosedOf(e jackpot.RoundClosed) RoundClosed { return RoundClosed{Round: roundIDOf(e.Round)} }

func (s RoundClosed) engine() jackpot.RoundClosed {
	return jackpot.RoundClosed{Round: s.Round.engine()}
}

// RoundDealt says that a round with Progressive bets took its place in the order of
// the deals. It says nothing of what its hands are.
type RoundDealt struct {
	Round RoundID   `json:"round"`
	Place DealPlace `json:"dealt"`
}

func roundDealtOf(e jackpot.RoundDealt) RoundDealt {
	return RoundDealt{Round: roundIDOf(e.Round), Place: dealPlaceOf(e.Place)}
}

func (s RoundDealt) engine() jackpot.RoundDealt {
	return jackpot.RoundDealt{Round: s.Round.engine(), Place: s.Place.engine()}
}

// RoundKnown says that all hands of a round are known, and left that order.
type RoundKnown struct {
	Round RoundID `json:"round"`
}

func roundKnownOf(e jackpot.RoundKnown) RoundKnown { return RoundKnown{Round: roundIDOf(e.Round)} }

func (s RoundKnown) engine() jackpot.RoundKnown { return jackpot.RoundKnown{Round: s.Round.engine()} }

// RoundDetermined says that the house gave a round another place in that order.
type RoundDetermined struct {
	Round     RoundID   `json:"round"`
	Before    DealPlace `json:"before"`
	After     DealPlace `json:"after"`
	Approvers Approvers `json:"approvers"`
}

func roundDeterminedOf(e jackpot.RoundDetermined) RoundDetermined {
	return RoundDetermined{
		Round: roundIDOf(e.Round), Before: dealPlaceOf(e.Before), After: dealPlaceOf(e.After),
		Approvers: approversOf(e.Approvers),
	}
}

func (s RoundDetermined) engine() jackpot.RoundDetermined {
	return jackpot.RoundDetermined{
		Round: s.Round.engine(), Before: s.Before.engine(), After: s.After.engine(),
		Approvers: s.Approvers.engine(),
	}
}

// HitRegistered says that a hand took its place in the order of payment.
type HitRegistered struct {
	Hit   HitID     `json:"hit"`
	Place DealPlace `json:"dealt"`
	// Late is set if a hand dealt later had been paid before this one was known.
	Late bool `json:"late,omitempty"`
}

func hitRegisteredOf(e jackpot.HitRegistered) HitRegistered {
	return HitRegistered{Hit: hitIDOf(e.Hit), Place: dealPlaceOf(e.Place), Late: e.Late}
}

func (s HitRegistered) engine() jackpot.HitRegistered {
	return jackpot.HitRegistered{Hit: s.Hit.engine(), Place: s.Place.engine(), Late: s.Late}
}

// OrderDetermined says that the house gave a hit another place.
type OrderDetermined struct {
	Hit       HitID     `json:"hit"`
	Before    DealPlace `json:"before"`
	After     DealPlace `json:"after"`
	Approvers Approvers `json:"approvers"`
	// Late is set if a hand dealt later had been paid already.
	Late bool `json:"late,omitempty"`
}

func orderDeterminedOf(e jackpot.OrderDetermined) OrderDetermined {
	return OrderDetermined{
		Hit: hitIDOf(e.Hit), Before: dealPlaceOf(e.Before), After: dealPlaceOf(e.After),
		Approvers: approversOf(e.Approvers), Late: e.Late,
	}
}

func (s OrderDetermined) engine() jackpot.OrderDetermined {
	return jackpot.OrderDetermined{
		Hit: s.Hit.engine(), Before: s.Before.engine(), After: s.After.engine(), Approvers: s.Approvers.engine(),
		Late: s.Late,
	}
}

// HitConfirmed says that a hit stands.
type HitConfirmed struct {
	Hit HitID `json:"hit"`
}

func hitConfirmedOf(e jackpot.HitConfirmed) HitConfirmed { return HitConfirmed{Hit: hitIDOf(e.Hit)} }

func (s HitConfirmed) engine() jackpot.HitConfirmed { return jackpot.HitConfirmed{Hit: s.Hit.engine()} }

// HitForfeited says that a hit left the order of payment.
type HitForfeited struct {
	Hit   HitID                `json:"hit"`
	Cause jackpot.ForfeitCause `json:"cause"`
}

func hitForfeitedOf(e jackpot.HitForfeited) HitForfeited {
	return HitForfeited{Hit: hitIDOf(e.Hit), Cause: e.Cause}
}

func (s HitForfeited) engine() jackpot.HitForfeited {
	return jackpot.HitForfeited{Hit: s.Hit.engine(), Cause: s.Cause}
}

// HitReinstated says that a hit is back in the order of payment.
type HitReinstated struct {
	Hit HitID `json:"hit"`
}

func hitReinstatedOf(e jackpot.HitReinstated) HitReinstated {
	return HitReinstated{Hit: hitIDOf(e.Hit)}
}

func (s HitReinstated) engine() jackpot.HitReinstated {
	return jackpot.HitReinstated{Hit: s.Hit.engine()}
}

// HitPaid says that a hit was paid, and that the meter was reset.
type HitPaid struct {
	Hit   HitID     `json:"hit"`
	Place DealPlace `json:"dealt"`
	// Amount is what the winner is paid: the value displayed.
	Amount money.Amount `json:"amount"`
	// FromMeter is the meter's part of it, the whole meter; FromHouse the rest,
	// which is zero unless the system was down.
	FromMeter money.Amount `json:"from_meter"`
	FromHouse money.Amount `json:"from_house"`
	// ResetByHouse is the house's part of the meter's next value.
	ResetByHouse money.Amount `json:"reset_by_house"`
	// ResetFromReserve is the rest of that value, from the reserve.
	ResetFromReserve money.Amount `json:"reset_from_reserve"`
	// KeptRegistered says that the registered value stays on display.
	KeptRegistered bool `json:"kept_registered,omitempty"`
	// NewTerms are the terms that took effect with the reset, if any waited.
	NewTerms *Terms `json:"new_terms,omitempty"`
	// Winner is whose hit it is, if people have to verify it. Held says that the
	// sum is payable, and that the winner does not have it before they have.
	Winner string  `json:"winner,omitempty"`
	Held   bool    `json:"held,omitempty"`
	After  Balance `json:"balance"`
}

func hitPaidOf(e jackpot.HitPaid) HitPaid {
	return HitPaid{
		Hit: hitIDOf(e.Hit), Place: dealPlaceOf(e.Place), Amount: e.Amount, FromMeter: e.FromMeter,
		FromHouse: e.FromHouse, ResetByHouse: e.ResetByHouse, ResetFromReserve: e.ResetFromReserve,
		KeptRegistered: e.KeptRegistered, NewTerms: pointer(e.NewTerms, TermsOf), Winner: e.Winner, Held: e.Held,
		After: balanceOf(e.After),
	}
}

func (s HitPaid) engine() jackpot.HitPaid {
	return jackpot.HitPaid{
		Hit: s.Hit.engine(), Place: s.Place.engine(), Amount: s.Amount, FromMeter: s.FromMeter,
		FromHouse: s.FromHouse, ResetByHouse: s.ResetByHouse, ResetFromReserve: s.ResetFromReserve,
		KeptRegistered: s.KeptRegistered, NewTerms: pointer(s.NewTerms, Terms.Engine), Winner: s.Winner,
		Held: s.Held, After: s.After.engine(),
	}
}

// HitVerified says that two people verified a paid hit. Held says that the sum was
// payable until then, and goes to the winner.
type HitVerified struct {
	Hit       HitID        `json:"hit"`
	Winner    string       `json:"winner"`
	Amount    money.Amount `json:"amount"`
	Held      bool         `json:"held,omitempty"`
	Approvers Approvers    `json:"approvers"`
}

func hitVerifiedOf(e jackpot.HitVerified) HitVerified {
	return HitVerified{
		Hit: hitIDOf(e.Hit), Winner: e.Winner, Amount: e.Amount, Held: e.Held, Approvers: approversOf(e.Approvers),
	}
}

func (s HitVerified) engine() jackpot.HitVerified {
	return jackpot.HitVerified{
		Hit: s.Hit.engine(), Winner: s.Winner, Amount: s.Amount, Held: s.Held, Approvers: s.Approvers.engine(),
	}
}

// HitReversed says that the payment of a hit was collected again. Terms that took
// effect with it stay in force.
type HitReversed struct {
	Hit   HitID                `json:"hit"`
	Cause jackpot.ForfeitCause `json:"cause"`
	// Amount is what the winner had been paid. ToMeter goes back into the meter,
	// ToHouse to the house, each as much as came from there.
	Amount  money.Amount `json:"amount"`
	ToMeter money.Amount `json:"to_meter"`
	ToHouse money.Amount `json:"to_house"`
	// ResetToHouse is the sum that the meter was reset with and does not need any more. It
	// leaves the meter.
	ResetToHouse money.Amount `json:"reset_to_house"`
	// ToReserve is the sum above the ceiling of the meter. It leaves the meter.
	ToReserve money.Amount `json:"to_reserve"`
	// Payable is the winner for whom the sum was held, empty if it had been handed out.
	Payable string `json:"payable,omitempty"`
	// Clause is the clause under which two people denied a sum that was held, after its round
	// was closed.
	Clause string `json:"clause,omitempty"`
	// Approvers are those two people.
	Approvers Approvers `json:"approvers,omitzero"`
	After     Balance   `json:"balance"`
}

func hitReversedOf(e jackpot.HitReversed) HitReversed {
	return HitReversed{
		Hit: hitIDOf(e.Hit), Cause: e.Cause, Amount: e.Amount, ToMeter: e.ToMeter, ToHouse: e.ToHouse,
		ResetToHouse: e.ResetToHouse, ToReserve: e.ToReserve, Payable: e.Payable, Clause: e.Clause,
		Approvers: approversOf(e.Approvers), After: balanceOf(e.After),
	}
}

func (s HitReversed) engine() jackpot.HitReversed {
	return jackpot.HitReversed{
		Hit: s.Hit.engine(), Cause: s.Cause, Amount: s.Amount, ToMeter: s.ToMeter, ToHouse: s.ToHouse,
		ResetToHouse: s.ResetToHouse, ToReserve: s.ToReserve, Payable: s.Payable, Clause: s.Clause,
		Approvers: s.Approvers.engine(), After: s.After.engine(),
	}
}

// TermsChanged says that terms wait for the next hit.
type TermsChanged struct {
	// those in force, or those replaced while waiting
	Before      Terms       `json:"before"`
	After       Terms       `json:"after"`
	FixedReturn FixedReturn `json:"fixed_return"`
	Approvers   Approvers   `json:"approvers"`
}

func termsChangedOf(e jackpot.TermsChanged) TermsChanged {
	return TermsChanged{
		Before: TermsOf(e.Before), After: TermsOf(e.After), FixedReturn: fixedReturnOf(e.FixedReturn),
		Approvers: approversOf(e.Approvers),
	}
}

func (s TermsChanged) engine() jackpot.TermsChanged {
	return jackpot.TermsChanged{
		Before: s.Before.Engine(), After: s.After.Engine(), FixedReturn: s.FixedReturn.engine(),
		Approvers: s.Approvers.engine(),
	}
}

// Adjusted says that the meter or the reserve was changed for a listed cause.
type Adjusted struct {
	Pot       jackpot.Pot             `json:"pot"`
	Cause     jackpot.AdjustmentCause `json:"cause"`
	Before    money.Amount            `json:"before"`
	After     money.Amount            `json:"after"`
	Approvers Approvers               `json:"approvers"`
}

func adjustedOf(e jackpot.Adjusted) Adjusted {
	return Adjusted{Pot: e.Pot, Cause: e.Cause, Before: e.Before, After: e.After, Approvers: approversOf(e.Approvers)}
}

func (s Adjusted) engine() jackpot.Adjusted {
	return jackpot.Adjusted{Pot: s.Pot, Cause: s.Cause, Before: s.Before, After: s.After, Approvers: s.Approvers.engine()}
}

// SystemWentDown says that the system is not fully functional, and which value
// was displayed.
type SystemWentDown struct {
	Registered money.Amount `json:"registered"`
}

func systemWentDownOf(e jackpot.SystemWentDown) SystemWentDown { return SystemWentDown(e) }

func (s SystemWentDown) engine() jackpot.SystemWentDown { return jackpot.SystemWentDown(s) }

// SystemCameUp says that the system is fully functional again, and which value
// is displayed.
type SystemCameUp struct {
	Displayed money.Amount `json:"displayed"`
}

func systemCameUpOf(e jackpot.SystemCameUp) SystemCameUp { return SystemCameUp(e) }

func (s SystemCameUp) engine() jackpot.SystemCameUp { return jackpot.SystemCameUp(s) }
