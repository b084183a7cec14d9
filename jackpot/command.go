package jackpot

import (
	"strings"

	"trey/internal/enum"
	"trey/money"
)

// Command is something that somebody asks of the jackpot. The commands are the
// types of this package that implement it; no others can.
type Command interface {
	// decide returns the event that follows, or why it may not happen.
	decide(State) (Event, *Refusal)
}

// Approvers are the names of the two different people who approve an act on the
// jackpot. Names that differ only in case or outer spaces are the same person.
type Approvers struct {
	First  string `json:"first"`
	Second string `json:"second"`
}

// two reports whether both are named and they are not the same person.
func (a Approvers) two() bool {
	return named(a.First) && named(a.Second) &&
		!strings.EqualFold(strings.TrimSpace(a.First), strings.TrimSpace(a.Second))
}

// Open puts a jackpot into service. A new one starts with Meter equal to the
// reset value and no Reserve; one that is taken over from another system starts
// with what it has there.
type Open struct {
	Terms       Terms
	FixedReturn FixedReturn
	Meter       money.Amount
	Reserve     money.Amount
}

// Contribute reports Progressive bets that were placed and accepted in a round
// (rws-3cp@3 1.15): Bets of them, each of the prescribed amount. A round may
// contribute more than once. Hits that wait for payment do not hold it up. AtCall says
// that the bets lay there when the betting was closed and are found only now: they are
// accepted also while the system is down (5.17.1, 5.20).
type Contribute struct {
	Round  RoundID
	Bets   int64
	AtCall bool
}

// ReverseContributions reports Progressive bets that are given back, and takes
// their contributions back exactly. Of bets accepted on both sides of a hit the
// later are taken first. A bet that a hit stands on is not given back before
// that hit is forfeited.
type ReverseContributions struct {
	Round RoundID
	Bets  int64
	Cause ReversalCause
}

// CloseRound reports that a round is settled for all players. Its bets can no longer be
// given back, and its hits are dropped; none may be unpaid.
type CloseRound struct {
	Round RoundID
}

// DealRound puts a round with Progressive bets into the order of the deals, as of
// the moment its first hand was complete, whatever its hands are. Hits of hands that
// were dealt later wait for it until all of its hands are known (rws-3cp@3 4.9.1).
type DealRound struct {
	Round RoundID
	Place Place
}

// KnowRound reports that the whole table has seen every hand of a round that can win the Major
// jackpot, and that its hits are registered. No other round waits for it any more.
type KnowRound struct {
	Round RoundID
}

// DetermineRound gives a round whose hands are not known yet, such as one at a table
// that has stopped, the place that the house has conclusively determined
// (rws-3cp@3 4.9.1). A hit that it proves to hold takes this place.
type DetermineRound struct {
	Round     RoundID
	Place     Place
	Approvers Approvers
}

// HandDealt registers a hand that qualifies for the Major jackpot and has a
// Progressive bet, when the whole table has seen it. The player may yet fold.
//
// It takes the place that the time of its deal gives it among the unpaid hits
// (rws-3cp@3 4.9.1). A payment already made to a later hand stands; the event says
// so.
type HandDealt struct {
	Hit   HitID
	Place Place
}

// DetermineOrder gives an unpaid hit the place that the house has conclusively
// determined (rws-3cp@3 4.9.1).
type DetermineOrder struct {
	Hit       HitID
	Place     Place
	Approvers Approvers
}

// Confirm says that a hit stands: its player did not fold, and the hand was
// verified where it has to be. It will be paid in its turn.
type Confirm struct {
	Hit HitID
}

// Reinstate puts a hit back at its place in the order of payment, after it was forfeited or its
// payment was collected again. The cause, such as a fold, was a mistake that has been corrected.
type Reinstate struct {
	Hit HitID
}

// Forfeit takes an unpaid hit, confirmed or not, out of the order of payment.
type Forfeit struct {
	Hit   HitID
	Cause ForfeitCause
}

// Pay pays the first hit in the order of payment what is displayed, and resets
// the meter. KeepRegistered leaves the value registered before a malfunction on
// display, so that the next hit is paid the same: the house makes up the rest.
//
// Winner is the player whose hand it is; a hit that people verify needs one. Such a
// hit is held until they have, unless Proven says that a deck to which the house had
// committed proves the hand.
type Pay struct {
	Hit            HitID
	KeepRegistered bool
	Winner         string
	Proven         bool
}

// Verify says that two people verified hand, deck and meter of a paid hit. A sum
// that is held for it goes to the winner.
type Verify struct {
	Hit HitID
	// Payment is the number of the hit's payment that was looked at ([Payment.Number]), zero where
	// it is the one that stands.
	Payment   int64
	Approvers Approvers
}

// Deny says that two people found that a hit whose payment is held does not stand, and
// by which clause. The sum goes back to where it came from. The round has to be closed:
// before that, an error in it is corrected at the table.
type Deny struct {
	Hit HitID
	// Payment is the number of the hit's payment that was looked at ([Payment.Number]), zero where
	// it is the one that stands.
	Payment   int64
	Clause    string
	Approvers Approvers
}

// Reverse reports that a paid hit does not stand, because its hand was invalidated or its round
// voided before the next one began. The payment is collected and goes back to where it came from.
type Reverse struct {
	Hit   HitID
	Cause ForfeitCause
}

// ChangeTerms sets the terms that take effect at the next hit, in place of any
// that were waiting for it. To withdraw those, send the terms in force.
type ChangeTerms struct {
	Terms       Terms
	FixedReturn FixedReturn
	Approvers   Approvers
}

// Adjust changes the meter or the reserve by Change, for one of the listed
// causes and no other. Correcting a malfunction is possible at any time while
// the system is up; the other causes wait until no hit is unpaid.
type Adjust struct {
	Pot       Pot
	Change    money.Amount
	Cause     AdjustmentCause
	Approvers Approvers
}

// SystemDown says that the progressive system is not fully functional. The value
// displayed is registered, and no bets are accepted until [SystemUp]; hits of
// rounds in progress are registered and paid as ever (rws-3cp@3 5.17).
type SystemDown struct{}

// SystemUp says that the progressive system is fully functional again.
type SystemUp struct{}

// ReversalCause is the reason for giving a Progressive bet back.
type ReversalCause uint8

// The causes of giving a bet back. The zero value is none of them.
const (
	_ ReversalCause = iota
	// ReversedRoundVoided: the round was voided (rws-3cp@3 5.21).
	ReversedRoundVoided
	// ReversedHandInvalidated: one hand was invalidated and its bets returned
	// (rws-3cp@3 5.10.3, 5.15, 5.18).
	ReversedHandInvalidated
	// ReversedNoAnte: the bet was placed without an Ante (rws-3cp@3 5.4).
	ReversedNoAnte
	numReversalCauses
)

var reversalCauseKeys = enum.New("a cause of giving a bet back", numReversalCauses, []string{ReversedRoundVoided: "round-voided", ReversedHandInvalidated: "hand-invalidated", ReversedNoAnte: "no-ante"})

// String returns the cause as it stands in JSON.
func (c ReversalCause) String() string { return reversalCauseKeys.Key(c) }

// MarshalText writes the cause's name.
func (c ReversalCause) MarshalText() ([]byte, error) { return reversalCauseKeys.MarshalOrNone(c) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (c *ReversalCause) UnmarshalText(text []byte) error {
	return reversalCauseKeys.UnmarshalOrNone(c, text)
}

// ForfeitCause is the reason for not paying a hit.
type ForfeitCause uint8

// The causes of a forfeit. The zero value is none of them.
const (
	_ ForfeitCause = iota
	// ForfeitFolded: the player folded (rws-3cp@3 3.12.1, 5.5).
	ForfeitFolded
	// ForfeitRoundVoided: the round was voided (rws-3cp@3 1.22).
	ForfeitRoundVoided
	// ForfeitHandInvalidated: the hand was invalidated (rws-3cp@3 5.10.3, 5.15, 5.18).
	ForfeitHandInvalidated
	// ForfeitMisreported: verification showed a hand that does not qualify.
	ForfeitMisreported
	numForfeitCauses
)

var forfeitCauseKeys = enum.New("a cause of a forfeit", numForfeitCauses, []string{
	ForfeitFolded: "folded", ForfeitRoundVoided: "round-voided", ForfeitHandInvalidated: "hand-invalidated",
	ForfeitMisreported: "misreported",
})

// String returns the cause as it stands in JSON.
func (c ForfeitCause) String() string { return forfeitCauseKeys.Key(c) }

// MarshalText writes the cause's name.
func (c ForfeitCause) MarshalText() ([]byte, error) { return forfeitCauseKeys.MarshalOrNone(c) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (c *ForfeitCause) UnmarshalText(text []byte) error {
	return forfeitCauseKeys.UnmarshalOrNone(c, text)
}

// Pot is one of the two places where a jackpot holds money.
type Pot uint8

// The balances of a jackpot. The zero value is neither.
const (
	_ Pot = iota
	// PotMeter is the meter.
	PotMeter
	// PotReserve is the reserve of overflow.
	PotReserve
	numPots
)

var potKeys = enum.New("a pot of a jackpot", numPots, []string{PotMeter: "meter", PotReserve: "reserve"})

// String returns the key of the balance in JSON.
func (p Pot) String() string { return potKeys.Key(p) }

// MarshalText writes the key of the balance.
func (p Pot) MarshalText() ([]byte, error) { return potKeys.MarshalOrNone(p) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (p *Pot) UnmarshalText(text []byte) error { return potKeys.UnmarshalOrNone(p, text) }

// AdjustmentCause is the reason for putting money into a jackpot, or taking it out, other
// than by bets, hits and resets.
type AdjustmentCause uint8

// The causes of an adjustment, after N.J.A.C. 13:69D-1.52. The zero value is none
// of them.
const (
	_ AdjustmentCause = iota
	// AdjustMalfunction corrects what a malfunction made of the value.
	AdjustMalfunction
	// AdjustTransferIn receives money from another progressive jackpot.
	AdjustTransferIn
	// AdjustTransferOut gives money to another progressive jackpot.
	AdjustTransferOut
	// AdjustRegulator carries out a written order or consent of the regulator,
	// such as the end of a jackpot.
	AdjustRegulator
	numAdjustmentCauses
)

var adjustmentCauseKeys = enum.New("a cause of an adjustment", numAdjustmentCauses, []string{AdjustMalfunction: "malfunction", AdjustTransferIn: "transfer-in", AdjustTransferOut: "transfer-out", AdjustRegulator: "regulator"})

// String returns the cause as it stands in JSON.
func (c AdjustmentCause) String() string { return adjustmentCauseKeys.Key(c) }

// MarshalText writes the cause's name.
func (c AdjustmentCause) MarshalText() ([]byte, error) { return adjustmentCauseKeys.MarshalOrNone(c) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (c *AdjustmentCause) UnmarshalText(text []byte) error {
	return adjustmentCauseKeys.UnmarshalOrNone(c, text)
}
