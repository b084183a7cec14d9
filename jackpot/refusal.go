package jackpot

import (
	"fmt"

	"trey/internal/enum"
	"trey/sentence"
)

// Refusal is the error of a command that may not be carried out. Nothing has
// changed when it is returned.
type Refusal struct {
	// Clause is the provision behind the refusal, such as "rws-3cp@3 4.9.1";
	// empty where no clause of a book is behind it.
	Clause string `json:"clause,omitempty"`
	// Reason is the kind of refusal.
	Reason Reason `json:"reason"`
	// Detail says what is in the way, with the figures, and what to do next.
	Detail   string `json:"detail"`
	sentence sentence.Sentence
}

// Sentence returns the detail as a sentence with its values kept apart.
func (r *Refusal) Sentence() sentence.Sentence {
	if r.sentence.IsZero() {
		return sentence.Of("%s", sentence.Word(r.Detail))
	}
	return r.sentence
}

// Error returns the detail with its clause.
func (r *Refusal) Error() string {
	if r.Clause == "" {
		return fmt.Sprintf("jackpot: refused, %v: %s", r.Reason, r.Detail)
	}
	return fmt.Sprintf("jackpot: refused, %v (%s): %s", r.Reason, r.Clause, r.Detail)
}

// The clauses that refusals name.
const (
	clauseIncrease   = "rws-3cp@3 1.15"
	clausePrescribed = "rws-3cp@3 3.3"
	clauseBetAndAnte = "rws-3cp@3 3.8"
	clauseOrder      = "rws-3cp@3 4.9.1"
	clauseSystemDown = "rws-3cp@3 5.17.2"
)

func refuse(clause string, reason Reason, form string, args ...any) *Refusal {
	said := sentence.Of(form, args...)
	return &Refusal{Clause: clause, Reason: reason, Detail: said.String(), sentence: said}
}

// Reason is the kind of a Refusal. The list is closed and stands in the order of
// precedence: a command that could be refused for several reasons is refused
// for the one that stands first.
type Reason uint8

// The reasons, in their order of precedence. The zero value is none of them.
const (
	_ Reason = iota
	// ReasonMalformed: the command lacks something, or a figure or a list value
	// in it is impossible whatever the state.
	ReasonMalformed
	// ReasonNotOpened: the jackpot has not been opened yet.
	ReasonNotOpened
	// ReasonAlreadyOpened: the jackpot has been opened before.
	ReasonAlreadyOpened
	// ReasonApprovers: two different people must approve, and did not.
	ReasonApprovers
	// ReasonTerms: the terms contradict themselves, or favour the player at an
	// empty meter.
	ReasonTerms
	// ReasonSystemDown: not while the progressive system is down.
	ReasonSystemDown
	// ReasonSystemUp: only while the progressive system is down.
	ReasonSystemUp
	// ReasonUnknownRound: no bet of that round is held.
	ReasonUnknownRound
	// ReasonDuplicateRound: that round is in the order of the deals already.
	ReasonDuplicateRound
	// ReasonDuplicateHit: that hit is registered already.
	ReasonDuplicateHit
	// ReasonUnknownHit: that hit is not registered.
	ReasonUnknownHit
	// ReasonHitSettled: that hit has been paid or forfeited.
	ReasonHitSettled
	// ReasonAlreadyConfirmed: that hit is confirmed already.
	ReasonAlreadyConfirmed
	// ReasonBetsNotHeld: the round does not hold that many bets, or none that a
	// further hit could stand on.
	ReasonBetsNotHeld
	// ReasonBetHoldsHit: a hit stands on a bet that is to be returned.
	ReasonBetHoldsHit
	// ReasonSamePlace: another unpaid hit has the same time and sequence.
	ReasonSamePlace
	// ReasonHitUnpaid: not while a hit is still to be paid.
	ReasonHitUnpaid
	// ReasonEarlierHit: the hit is pending behind one that was dealt earlier.
	ReasonEarlierHit
	// ReasonEarlierRound: not while a hand of a round that was dealt earlier is not
	// known.
	ReasonEarlierRound
	// ReasonRoundOpen: not before the round is closed.
	ReasonRoundOpen
	// ReasonNotConfirmed: the hit has not been confirmed, its player may fold yet.
	ReasonNotConfirmed
	// ReasonOutOfBounds: an adjustment would leave the meter or the reserve below
	// zero, or the meter above its ceiling; an opening value is not between the
	// reset value and the ceiling; or a round would play for an empty meter.
	ReasonOutOfBounds
	// ReasonTooLarge: a figure or a running total would exceed [MaxAmount].
	ReasonTooLarge
	numReasons
)

var reasonKeys = enum.New("a reason of the jackpot", numReasons, []string{
	ReasonMalformed: "malformed", ReasonNotOpened: "not-opened", ReasonAlreadyOpened: "already-opened",
	ReasonApprovers: "approvers", ReasonTerms: "terms", ReasonSystemDown: "system-down",
	ReasonSystemUp: "system-up", ReasonUnknownRound: "unknown-round", ReasonDuplicateRound: "duplicate-round",
	ReasonDuplicateHit: "duplicate-hit", ReasonUnknownHit: "unknown-hit", ReasonHitSettled: "hit-settled",
	ReasonAlreadyConfirmed: "already-confirmed", ReasonBetsNotHeld: "bets-not-held", ReasonBetHoldsHit: "bet-holds-hit",
	ReasonSamePlace: "same-place", ReasonHitUnpaid: "hit-unpaid", ReasonEarlierHit: "earlier-hit",
	ReasonEarlierRound: "earlier-round", ReasonRoundOpen: "round-open", ReasonNotConfirmed: "not-confirmed",
	ReasonOutOfBounds: "out-of-bounds", ReasonTooLarge: "too-large",
})

// String returns the reason as it stands in JSON, such as "earlier-hit".
func (r Reason) String() string { return reasonKeys.Key(r) }

// MarshalText writes the reason's name.
func (r Reason) MarshalText() ([]byte, error) { return reasonKeys.MarshalOrNone(r) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (r *Reason) UnmarshalText(text []byte) error { return reasonKeys.UnmarshalOrNone(r, text) }
