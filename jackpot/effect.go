package jackpot

import "trey/money"

// Effect is the account of one event: the money that it moves, and what the jackpot
// displays and keeps after it. Whoever follows the money of a jackpot through the record
// reads it, and asks no event for its kind. What the State makes of an event is decided by
// [Evolve] alone.
type Effect struct {
	// Moves are the movements of money, in order, without those of nothing.
	Moves []Move
	// Hit is the hit that is paid, verified or collected again, if the event is of one.
	Hit HitID
	// Hits is 1 if the hit is paid, -1 if its payment is collected again, 0 otherwise.
	// Paid is the sum: below zero if it is collected again.
	Hits int
	Paid money.Amount
	// ByLines says that the lines of the hit's table carry this sum to its winner, or
	// from them to the table's win.
	ByLines bool
	// Winner is the player for whom the sum was held, or is: empty if for none.
	Winner string
	// Clause is the provision by which a sum that was held is denied, empty if none is.
	Clause string
	// Meter and Reserve are the values that the event states for afterwards.
	Meter, Reserve Stated
}

// Stated is a value that an event states, or does not.
type Stated struct {
	Known  bool
	Amount money.Amount
}

// Purse is a place where money of a jackpot comes from or goes to.
type Purse uint8

// The purses. The zero value is none of them.
const (
	_ Purse = iota
	// HousePurse is the house's own money.
	HousePurse
	// WinPurse is the win of the table at which the bet was laid.
	WinPurse
	// MeterPurse and ReservePurse are the two balances of the jackpot.
	MeterPurse
	ReservePurse
	// PayablePurse holds sums until people have verified their hits.
	PayablePurse
	// WinnerPurse is the account of the hit's winner.
	WinnerPurse
	numPurses
)

var purseNames = [numPurses]string{
	HousePurse: "house", WinPurse: "win", MeterPurse: "meter", ReservePurse: "reserve",
	PayablePurse: "payable", WinnerPurse: "winner",
}

// String returns the purse's name, such as "meter".
func (p Purse) String() string {
	if p == 0 || p >= numPurses {
		return "none"
	}
	return purseNames[p]
}

// MoveUse says what a movement of money is for.
type MoveUse uint8

// The uses of a movement. The zero value is none of them.
const (
	_ MoveUse = iota
	// MoveContributes adds the contribution of a bet to the meter or reserve, MoveReturns takes it
	// out again.
	MoveContributes
	MoveReturns
	// MovePays pays the winner of a hit. The line of the settlement carries it out.
	MovePays
	// MoveReseeds moves the reset value for the next hit, or takes it back.
	MoveReseeds
	// MoveHolds keeps a payment until it is verified, and MoveReleases gives it back.
	MoveHolds
	MoveReleases
	// MoveCollects brings a payment back to where it came from.
	MoveCollects
	// MoveAdjusts changes the meter or reserve for a listed cause.
	MoveAdjusts
	numMoveUses
)

var moveUseNames = [numMoveUses]string{
	MoveContributes: "contributes", MoveReturns: "returns", MovePays: "pays", MoveReseeds: "reseeds",
	MoveHolds: "holds", MoveReleases: "releases", MoveCollects: "collects", MoveAdjusts: "adjusts",
}

// String returns the use's name, such as "contributes".
func (u MoveUse) String() string {
	if u == 0 || u >= numMoveUses {
		return "none"
	}
	return moveUseNames[u]
}

// Move is a movement of money.
type Move struct {
	Use      MoveUse
	From, To Purse
	Amount   money.Amount
	// OfHit says that it is for the hit of the effect, and not for the next one.
	OfHit bool
}

// Into returns the sum that the movements leave in a purse, below zero if they take more.
func (e *Effect) Into(p Purse) (sum money.Amount) {
	for i := range e.Moves {
		if e.Moves[i].To == p {
			sum += e.Moves[i].Amount
		}
		if e.Moves[i].From == p {
			sum -= e.Moves[i].Amount
		}
	}
	return sum
}

// EffectOf returns the account of an event. It is worked out from the event alone.
// A new kind of event does not compile before it has one.
func EffectOf(e Event) Effect { return e.effect() }

// moves returns the movements of something.
func moves(all ...Move) []Move {
	kept := all[:0]
	for _, m := range all {
		if m.Amount != 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// states adds the balance after an event to its account.
func (e Effect) states(after Balance) Effect {
	e.Meter, e.Reserve = Stated{true, after.Meter}, Stated{true, after.Reserve}
	return e
}

func (e Opened) effect() Effect {
	return Effect{Moves: moves(
		Move{Use: MoveReseeds, From: HousePurse, To: MeterPurse, Amount: e.Meter},
		Move{Use: MoveReseeds, From: HousePurse, To: ReservePurse, Amount: e.Reserve},
	)}.states(Balance{Meter: e.Meter, Reserve: e.Reserve})
}

func (e Contributed) effect() Effect {
	return Effect{Moves: moves(
		Move{Use: MoveContributes, From: WinPurse, To: MeterPurse, Amount: e.ToMeter},
		Move{Use: MoveContributes, From: WinPurse, To: ReservePurse, Amount: e.ToReserve},
	)}.states(e.After)
}

// effect moves nothing for what the house makes good: that was taken from the table's win when the
// bet was placed, and stays with the winner.
func (e ContributionsReversed) effect() Effect {
	return Effect{Moves: moves(
		Move{Use: MoveReturns, From: MeterPurse, To: WinPurse, Amount: e.FromMeter},
		Move{Use: MoveReturns, From: ReservePurse, To: WinPurse, Amount: e.FromReserve},
	)}.states(e.After)
}

func (e HitPaid) effect() Effect {
	does := Effect{Hit: e.Hit, Hits: 1, Paid: e.Amount, ByLines: true}
	var held money.Amount
	if e.Held {
		does.Winner, held = e.Winner, e.Amount
	}
	does.Moves = moves(
		Move{Use: MovePays, From: MeterPurse, To: WinnerPurse, Amount: e.FromMeter, OfHit: true},
		Move{Use: MovePays, From: HousePurse, To: WinnerPurse, Amount: e.FromHouse, OfHit: true},
		Move{Use: MoveReseeds, From: HousePurse, To: MeterPurse, Amount: e.ResetByHouse},
		Move{Use: MoveReseeds, From: ReservePurse, To: MeterPurse, Amount: e.ResetFromReserve},
		Move{Use: MoveHolds, From: WinnerPurse, To: PayablePurse, Amount: held, OfHit: true},
	)
	return does.states(e.After)
}

func (e HitVerified) effect() Effect {
	does := Effect{Hit: e.Hit}
	if e.Held {
		does.Winner = e.Winner
		does.Moves = moves(Move{Use: MoveReleases, From: PayablePurse, To: WinnerPurse, Amount: e.Amount, OfHit: true})
	}
	return does
}

// effect takes a payment that is denied from where it was held: its winner never had it. Any other
// comes from the table's win, where the lines have brought it.
func (e HitReversed) effect() Effect {
	does := Effect{Hit: e.Hit, Hits: -1, Paid: -e.Amount, ByLines: e.Clause == "", Winner: e.Payable, Clause: e.Clause}
	from, released := PayablePurse, money.Amount(0)
	if does.ByLines {
		from = WinPurse
		if e.Payable != "" {
			released = e.Amount
		}
	}
	does.Moves = moves(
		Move{Use: MoveReleases, From: PayablePurse, To: WinnerPurse, Amount: released, OfHit: true},
		Move{Use: MoveCollects, From: from, To: MeterPurse, Amount: e.ToMeter, OfHit: true},
		Move{Use: MoveCollects, From: from, To: HousePurse, Amount: e.ToHouse, OfHit: true},
		Move{Use: MoveReseeds, From: MeterPurse, To: HousePurse, Amount: e.ResetToHouse, OfHit: true},
		Move{Use: MoveReseeds, From: MeterPurse, To: ReservePurse, Amount: e.ToReserve, OfHit: true},
	)
	return does.states(e.After)
}

func (e Adjusted) effect() Effect {
	var does Effect
	pot := MeterPurse
	if e.Pot == PotReserve {
		pot, does.Reserve = ReservePurse, Stated{true, e.After}
	} else {
		does.Meter = Stated{true, e.After}
	}
	m := Move{Use: MoveAdjusts, From: HousePurse, To: pot, Amount: e.After - e.Before}
	if m.Amount < 0 {
		m.From, m.To, m.Amount = m.To, m.From, -m.Amount
	}
	does.Moves = moves(m)
	return does
}

// These move no money.

func (RoundClosed) effect() Effect { return Effect{} }

func (RoundDealt) effect() Effect { return Effect{} }

func (RoundKnown) effect() Effect { return Effect{} }

func (RoundDetermined) effect() Effect { return Effect{} }

func (HitRegistered) effect() Effect { return Effect{} }

func (OrderDetermined) effect() Effect { return Effect{} }

func (HitConfirmed) effect() Effect { return Effect{} }

func (HitReinstated) effect() Effect { return Effect{} }

func (HitForfeited) effect() Effect { return Effect{} }

func (TermsChanged) effect() Effect { return Effect{} }

func (SystemWentDown) effect() Effect { return Effect{} }

func (SystemCameUp) effect() Effect { return Effect{} }
