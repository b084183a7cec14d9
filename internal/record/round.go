package record

import (
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Equipment names the device of a table, and says how the house knows its cards.
type Equipment struct {
	// Device deals the cards.
	Device rules.Device `json:"device"`
	// Cards says how the house knows the cards.
	Cards table.Sight `json:"cards"`
	// Chips says that bets lie on the layout as chips.
	Chips bool `json:"chips,omitempty"`
}

// EquipmentOf returns the equipment of a table as it is stored.
func EquipmentOf(e table.Config) Equipment { return Equipment(e) }

// Engine returns the equipment as the table works with it.
func (s Equipment) Engine() table.Config { return table.Config(s) }

// Carried holds the state that a round takes over from those before it.
type Carried struct {
	// Down says that the progressive is out of order, DownOption what the house chose for
	// rounds in which it is, and Suspended are the boxes that take no bets because of it.
	Down       bool             `json:"down,omitempty"`
	DownOption table.DownOption `json:"down_option,omitempty"`
	Suspended  []int            `json:"suspended,omitempty"`
	// AreaMax is the lowered number of wagers on an area, zero for the book's.
	AreaMax int `json:"area_max,omitempty"`
	// Warned are the players whose one low wager was settled, and Restricted those held to
	// one position.
	Warned     []string `json:"warned,omitempty"`
	Restricted []string `json:"restricted,omitempty"`
}

// CarriedOf returns what a round takes over as it is stored.
func CarriedOf(e table.Carried) Carried { return Carried(e) }

// Engine returns what a round takes over as the table works with it.
func (s Carried) Engine() table.Carried { return table.Carried(s) }

// Meter is a jackpot as it stands.
type Meter struct {
	// Opened is set once terms are in force.
	Opened bool  `json:"opened"`
	Terms  Terms `json:"terms"`
	// NextTerms take effect at the next hit.
	NextTerms *Terms       `json:"next_terms,omitempty"`
	Meter     money.Amount `json:"meter"`
	// Reserve holds contributions above the ceiling until the next reset.
	Reserve money.Amount `json:"reserve"`
	// Remainder is the part of a minor unit contributed and not yet in the meter, in
	// Denominator-ths. Denominator is a common one of every rate that was in force.
	Remainder   int64 `json:"remainder"`
	Denominator int64 `json:"denominator"`
	// OverflowSinceHit is what went to the reserve since the last hit and was not taken back.
	OverflowSinceHit money.Amount `json:"overflow_since_hit"`
	HitsPaid         int64        `json:"hits_paid"`
	// Undone are the numbers, among the hits paid, of those that were collected again.
	Undone []int64 `json:"undone,omitempty"`
	// LatestPaid is the latest place in the order of payment that was paid.
	LatestPaid DealPlace `json:"latest_paid"`
	// Down is set while the system is not fully functional, and Registered is what was
	// displayed before.
	Down       bool         `json:"down"`
	Registered money.Amount `json:"registered"`
	// Rounds are those whose bets were contributed and that are not closed.
	Rounds []MeterRound `json:"rounds,omitempty"`
	// Hits are the hits of these rounds in the order of payment.
	Hits []Hit `json:"hits,omitempty"`
	// Unverified are the paid hits that people have to verify yet.
	Unverified []Unverified `json:"unverified,omitempty"`
	Totals     Totals       `json:"totals"`
}

// MeterRound is a round whose bets were contributed to a jackpot.
type MeterRound struct {
	ID   RoundID    `json:"id"`
	Bets []BetGroup `json:"bets,omitempty"`
	// Dealt is its place among the rounds that have been dealt and in which a hand is not
	// known yet, and Determined says that the house determined it.
	Dealt      *DealPlace `json:"dealt,omitempty"`
	Determined bool       `json:"determined,omitempty"`
}

// BetGroup is a number of equal bets that were accepted between the same two hits.
type BetGroup struct {
	Count    int64        `json:"count"`
	Bet      money.Amount `json:"bet"`
	Rate     Rate         `json:"rate"`
	HitsPaid int64        `json:"hits_paid"`
}

// Hit is a registered hand.
type Hit struct {
	ID     HitID             `json:"id"`
	Place  DealPlace         `json:"dealt"`
	Status jackpot.HitStatus `json:"status"`
	Paid   money.Amount      `json:"paid"`
	// Payment is how it was paid.
	Payment *Payment `json:"payment,omitempty"`
}

// Payment holds the figures by which a payment is collected again.
type Payment struct {
	// Number counts the hits paid.
	Number int64 `json:"number"`
	// FromHouse is the house's part, ResetByHouse and ResetFromReserve what the meter was
	// reset with, and Overflow what had gone to the reserve since the hit before.
	FromHouse        money.Amount `json:"from_house"`
	ResetByHouse     money.Amount `json:"reset_by_house"`
	ResetFromReserve money.Amount `json:"reset_from_reserve"`
	Overflow         money.Amount `json:"overflow"`
	// KeptRegistered says that the registered value stayed as it was.
	KeptRegistered bool `json:"kept_registered,omitempty"`
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

// Totals are the sums of all movements of a jackpot since its opening.
type Totals struct {
	OpeningMeter       money.Amount `json:"opening_meter"`
	OpeningReserve     money.Amount `json:"opening_reserve"`
	Stakes             money.Amount `json:"stakes"`
	StakesReturned     money.Amount `json:"stakes_returned"`
	Contributions      money.Amount `json:"contributions"`
	Overflow           money.Amount `json:"overflow"`
	TakenFromMeter     money.Amount `json:"taken_from_meter"`
	TakenFromReserve   money.Amount `json:"taken_from_reserve"`
	MadeGoodByHouse    money.Amount `json:"made_good_by_house"`
	ResetByHouse       money.Amount `json:"reset_by_house"`
	ResetFromReserve   money.Amount `json:"reset_from_reserve"`
	PaidFromMeter      money.Amount `json:"paid_from_meter"`
	PaidByHouse        money.Amount `json:"paid_by_house"`
	RecoveredToMeter   money.Amount `json:"recovered_to_meter"`
	RecoveredByHouse   money.Amount `json:"recovered_by_house"`
	ResetReturned      money.Amount `json:"reset_returned"`
	MeterToReserve     money.Amount `json:"meter_to_reserve"`
	MeterAdjustments   money.Amount `json:"meter_adjustments"`
	ReserveAdjustments money.Amount `json:"reserve_adjustments"`
}

// MeterOf returns a jackpot as it is stored.
func MeterOf(e jackpot.State) Meter {
	return Meter{
		Opened: e.Opened, Terms: TermsOf(e.Terms), NextTerms: pointer(e.NextTerms, TermsOf), Meter: e.Meter, Reserve: e.Reserve,
		Remainder: e.Remainder, Denominator: e.Denominator, OverflowSinceHit: e.OverflowSinceHit, HitsPaid: e.HitsPaid, Undone: e.Undone,
		LatestPaid: dealPlaceOf(e.LatestPaid), Down: e.Down, Registered: e.Registered,
		Rounds: each(e.Rounds, meterRoundOf), Hits: each(e.Hits, hitOf), Unverified: each(e.Unverified, unverifiedOf), Totals: Totals(e.Totals),
	}
}

// Engine returns the jackpot as it works.
func (s Meter) Engine() jackpot.State {
	return jackpot.State{
		Opened: s.Opened, Terms: s.Terms.Engine(), NextTerms: pointer(s.NextTerms, Terms.Engine), Meter: s.Meter, Reserve: s.Reserve,
		Remainder: s.Remainder, Denominator: s.Denominator, OverflowSinceHit: s.OverflowSinceHit, HitsPaid: s.HitsPaid, Undone: s.Undone,
		LatestPaid: s.LatestPaid.engine(), Down: s.Down, Registered: s.Registered,
		Rounds: each(s.Rounds, MeterRound.engine), Hits: each(s.Hits, Hit.engine), Unverified: each(s.Unverified, Unverified.engine), Totals: jackpot.Totals(s.Totals),
	}
}

func meterRoundOf(e jackpot.Round) MeterRound {
	return MeterRound{ID: roundIDOf(e.ID), Bets: each(e.Bets, betGroupOf), Dealt: pointer(e.Dealt, dealPlaceOf), Determined: e.Determined}
}

func (s MeterRound) engine() jackpot.Round {
	return jackpot.Round{ID: s.ID.engine(), Bets: each(s.Bets, BetGroup.engine), Dealt: pointer(s.Dealt, DealPlace.engine), Determined: s.Determined}
}

func betGroupOf(e jackpot.BetGroup) BetGroup {
	return BetGroup{Count: e.Count, Bet: e.Bet, Rate: rateOf(e.Rate), HitsPaid: e.HitsPaid}
}

func (s BetGroup) engine() jackpot.BetGroup {
	return jackpot.BetGroup{Count: s.Count, Bet: s.Bet, Rate: s.Rate.engine(), HitsPaid: s.HitsPaid}
}

func hitOf(e jackpot.Hit) Hit {
	return Hit{ID: hitIDOf(e.ID), Place: dealPlaceOf(e.Place), Status: e.Status, Paid: e.Paid, Payment: pointer(e.Payment, paymentOf)}
}

func (s Hit) engine() jackpot.Hit {
	return jackpot.Hit{ID: s.ID.engine(), Place: s.Place.engine(), Status: s.Status, Paid: s.Paid, Payment: pointer(s.Payment, Payment.engine)}
}

func paymentOf(e jackpot.Payment) Payment { return Payment(e) }

func (s Payment) engine() jackpot.Payment { return jackpot.Payment(s) }

func unverifiedOf(e jackpot.Unverified) Unverified {
	return Unverified{Hit: hitIDOf(e.Hit), Winner: e.Winner, Amount: e.Amount, Held: e.Held, Payment: paymentOf(e.Payment)}
}

func (s Unverified) engine() jackpot.Unverified {
	return jackpot.Unverified{Hit: s.Hit.engine(), Winner: s.Winner, Amount: s.Amount, Held: s.Held, Payment: s.Payment.engine()}
}
