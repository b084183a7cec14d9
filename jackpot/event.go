package jackpot

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"trey/internal/strict"
	"trey/money"
)

// Event is something that happened to the jackpot. The events are the types of
// this package that implement it; no others can. They are plain structs; use
// [EncodeEvent] and [DecodeEvent] to store them with their type.
type Event interface {
	// EventType returns the tag under which the event is stored, such as "hit-paid".
	EventType() string
	// apply returns the State after the event, or why it does not fit.
	apply(State) (State, error)
	// shown returns what a reader may see of it, nil if nothing.
	shown(to Reader) Event
}

// Balance is what the jackpot holds after an event.
type Balance struct {
	Meter     money.Amount `json:"meter"`
	Reserve   money.Amount `json:"reserve"`
	Remainder int64        `json:"remainder"` // in Denominator-ths of a minor unit, see State
}

// Opened says that the jackpot went into service.
type Opened struct {
	Terms       Terms        `json:"terms"`
	FixedReturn FixedReturn  `json:"fixed_return"`
	Meter       money.Amount `json:"meter"`
	Reserve     money.Amount `json:"reserve"`
}

// Contributed says that bets were accepted and what they put where.
type Contributed struct {
	Round     RoundID      `json:"round"`
	Bets      int64        `json:"bets"`
	Stake     money.Amount `json:"stake"`
	ToMeter   money.Amount `json:"to_meter"`
	ToReserve money.Amount `json:"to_reserve"` // above the ceiling
	After     Balance      `json:"after"`
}

// ContributionsReversed says that bets were given back, and where their
// contributions came from. FromHouse is house money that stands in for
// contributions that a winner has been paid: it moves no balance here.
type ContributionsReversed struct {
	Round       RoundID       `json:"round"`
	Bets        int64         `json:"bets"`
	Cause       ReversalCause `json:"cause"`
	Stake       money.Amount  `json:"stake"`
	FromReserve money.Amount  `json:"from_reserve"`
	FromMeter   money.Amount  `json:"from_meter"`
	FromHouse   money.Amount  `json:"from_house"`
	After       Balance       `json:"after"`
}

// RoundClosed says that a round was settled.
type RoundClosed struct {
	Round RoundID `json:"round"`
}

// RoundDealt says that a round with Progressive bets took its place in the order of
// the deals. It says nothing of what its hands are.
type RoundDealt struct {
	Round RoundID `json:"round"`
	Place Place   `json:"place"`
}

// RoundKnown says that all hands of a round are known, and left that order.
type RoundKnown struct {
	Round RoundID `json:"round"`
}

// RoundDetermined says that the house gave a round another place in that order.
type RoundDetermined struct {
	Round  RoundID `json:"round"`
	Before Place   `json:"before"`
	After  Place   `json:"after"`
	By     string  `json:"by"`
}

// HitRegistered says that a hand took its place in the order of payment.
type HitRegistered struct {
	Hit   HitID `json:"hit"`
	Place Place `json:"place"`
	// Late is set if a hand dealt later had been paid before this one was known.
	Late bool `json:"late,omitempty"`
}

// OrderDetermined says that the house gave a hit another place.
type OrderDetermined struct {
	Hit    HitID  `json:"hit"`
	Before Place  `json:"before"`
	After  Place  `json:"after"`
	By     string `json:"by"`
	// Late is set if a hand dealt later had been paid already.
	Late bool `json:"late,omitempty"`
}

// HitConfirmed says that a hit stands.
type HitConfirmed struct {
	Hit HitID `json:"hit"`
}

// HitReinstated says that a hit is back in the order of payment.
type HitReinstated struct {
	Hit HitID `json:"hit"`
}

// HitForfeited says that a hit left the order of payment.
type HitForfeited struct {
	Hit   HitID        `json:"hit"`
	Cause ForfeitCause `json:"cause"`
}

// HitPaid says that a hit was paid, and that the meter was reset.
type HitPaid struct {
	Hit   HitID `json:"hit"`
	Place Place `json:"place"`
	// Amount is what the winner is paid: the value displayed.
	Amount money.Amount `json:"amount"`
	// FromMeter is the meter's part of it, the whole meter; FromHouse the rest,
	// which is zero unless the system was down.
	FromMeter money.Amount `json:"from_meter"`
	FromHouse money.Amount `json:"from_house"`
	// ResetByHouse and ResetFromReserve make up the meter's next value.
	ResetByHouse     money.Amount `json:"reset_by_house"`
	ResetFromReserve money.Amount `json:"reset_from_reserve"`
	// KeptRegistered says that the registered value stays on display.
	KeptRegistered bool `json:"kept_registered,omitempty"`
	// NewTerms are the terms that took effect with the reset, if any waited.
	NewTerms *Terms `json:"new_terms,omitempty"`
	// Winner is whose hit it is, if people have to verify it. Held says that the
	// sum is payable, and that the winner does not have it before they have.
	Winner string  `json:"winner,omitempty"`
	Held   bool    `json:"held,omitempty"`
	After  Balance `json:"after"`
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

// HitReversed says that the payment of a hit was collected again. Terms that took
// effect with it stay in force.
type HitReversed struct {
	Hit   HitID        `json:"hit"`
	Cause ForfeitCause `json:"cause"`
	// Amount is what the winner had been paid. ToMeter goes back into the meter,
	// ToHouse to the house, each as much as came from there.
	Amount  money.Amount `json:"amount"`
	ToMeter money.Amount `json:"to_meter"`
	ToHouse money.Amount `json:"to_house"`
	// ResetToHouse and ToReserve leave the meter: what it was reset with and does
	// not need any more, and what lies above its ceiling.
	ResetToHouse money.Amount `json:"reset_to_house"`
	ToReserve    money.Amount `json:"to_reserve"`
	// Payable is the winner for whom the sum was held, empty if it had been handed out.
	Payable string `json:"payable,omitempty"`
	// Clause and Approvers stand where two people denied a sum that was held, after
	// its round was closed.
	Clause    string    `json:"clause,omitempty"`
	Approvers Approvers `json:"approvers,omitzero"`
	After     Balance   `json:"after"`
}

// TermsChanged says that terms wait for the next hit.
type TermsChanged struct {
	Before      Terms       `json:"before"` // those in force, or those replaced while waiting
	After       Terms       `json:"after"`
	FixedReturn FixedReturn `json:"fixed_return"`
	Approvers   Approvers   `json:"approvers"`
}

// Adjusted says that a pot was changed for a listed cause.
type Adjusted struct {
	Pot       Pot             `json:"pot"`
	Cause     AdjustmentCause `json:"cause"`
	Before    money.Amount    `json:"before"`
	After     money.Amount    `json:"after"`
	Approvers Approvers       `json:"approvers"`
}

// SystemWentDown says that the system is not fully functional, and which value
// was displayed.
type SystemWentDown struct {
	Registered money.Amount `json:"registered"`
}

// SystemCameUp says that the system is fully functional again, and which value
// is displayed.
type SystemCameUp struct {
	Displayed money.Amount `json:"displayed"`
}

// EventType returns "opened".
func (Opened) EventType() string { return "opened" }

// EventType returns "contributed".
func (Contributed) EventType() string { return "contributed" }

// EventType returns "contributions-reversed".
func (ContributionsReversed) EventType() string { return "contributions-reversed" }

// EventType returns "round-closed".
func (RoundClosed) EventType() string { return "round-closed" }

// EventType returns "round-dealt".
func (RoundDealt) EventType() string { return "round-dealt" }

// EventType returns "round-known".
func (RoundKnown) EventType() string { return "round-known" }

// EventType returns "round-determined".
func (RoundDetermined) EventType() string { return "round-determined" }

// EventType returns "hit-registered".
func (HitRegistered) EventType() string { return "hit-registered" }

// EventType returns "order-determined".
func (OrderDetermined) EventType() string { return "order-determined" }

// EventType returns "hit-confirmed".
func (HitConfirmed) EventType() string { return "hit-confirmed" }

// EventType returns "hit-forfeited".
func (HitForfeited) EventType() string { return "hit-forfeited" }

// EventType returns "hit-reinstated".
func (HitReinstated) EventType() string { return "hit-reinstated" }

// EventType returns "hit-paid".
func (HitPaid) EventType() string { return "hit-paid" }

// EventType returns "hit-verified".
func (HitVerified) EventType() string { return "hit-verified" }

// EventType returns "hit-reversed".
func (HitReversed) EventType() string { return "hit-reversed" }

// EventType returns "terms-changed".
func (TermsChanged) EventType() string { return "terms-changed" }

// EventType returns "adjusted".
func (Adjusted) EventType() string { return "adjusted" }

// EventType returns "system-went-down".
func (SystemWentDown) EventType() string { return "system-went-down" }

// EventType returns "system-came-up".
func (SystemCameUp) EventType() string { return "system-came-up" }

// envelope is an event as it is stored.
type envelope struct {
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`
}

// decoders reads the body of each type of event.
var decoders = map[string]func(json.RawMessage) (Event, error){
	Opened{}.EventType():                decode[Opened],
	Contributed{}.EventType():           decode[Contributed],
	ContributionsReversed{}.EventType(): decode[ContributionsReversed],
	RoundClosed{}.EventType():           decode[RoundClosed],
	RoundDealt{}.EventType():            decode[RoundDealt],
	RoundKnown{}.EventType():            decode[RoundKnown],
	RoundDetermined{}.EventType():       decode[RoundDetermined],
	HitRegistered{}.EventType():         decode[HitRegistered],
	OrderDetermined{}.EventType():       decode[OrderDetermined],
	HitConfirmed{}.EventType():          decode[HitConfirmed],
	HitForfeited{}.EventType():          decode[HitForfeited],
	HitReinstated{}.EventType():         decode[HitReinstated],
	HitPaid{}.EventType():               decode[HitPaid],
	HitVerified{}.EventType():           decode[HitVerified],
	HitReversed{}.EventType():           decode[HitReversed],
	TermsChanged{}.EventType():          decode[TermsChanged],
	Adjusted{}.EventType():              decode[Adjusted],
	SystemWentDown{}.EventType():        decode[SystemWentDown],
	SystemCameUp{}.EventType():          decode[SystemCameUp],
}

func decode[E Event](body json.RawMessage) (Event, error) {
	var e E
	if err := strict.Read(body, &e); err != nil {
		return nil, err
	}
	return e, nil
}

// EventTypes lists the tags of all events, in no order.
func EventTypes() []string { return slices.Collect(maps.Keys(decoders)) }

// EncodeEvent writes an event as JSON: {"type": its tag, "body": its fields}.
func EncodeEvent(e Event) ([]byte, error) {
	if e == nil {
		return nil, errors.New("jackpot: no event to encode")
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("jackpot: encode %s: %w", e.EventType(), err)
	}
	return json.Marshal(envelope{Type: e.EventType(), Body: body})
}

// DecodeEvent reads what [EncodeEvent] wrote. An unknown type, an unknown field
// or a value that is not on its list is an error that wraps [ErrCorrupt]. Whether
// the event fits a State, only [Evolve] can tell.
func DecodeEvent(text []byte) (Event, error) {
	var stored envelope
	if err := strict.Read(text, &stored); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	read, ok := decoders[stored.Type]
	if !ok {
		return nil, fmt.Errorf("%w: no event has the type %q", ErrCorrupt, stored.Type)
	}
	e, err := read(stored.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, stored.Type, err)
	}
	return e, nil
}
