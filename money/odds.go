package money

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"trey/sentence"
)

// Odds are the pay of a winning bet: To units for every For units staked, as the books
// print it. "40 to 1" is {40, 1} and "1 to 2" is {1, 2}. The stake itself, which is
// returned besides, is not in it. Odds are kept as they were written, so {2, 4} is not
// equal to {1, 2} though it pays the same. The zero value is not valid.
type Odds struct{ To, For int64 }

// ParseOdds reads odds written "40 to 1", "40:1", or "40" for 40 to 1.
func ParseOdds(s string) (Odds, error) {
	to, stake, found := strings.Cut(s, " to ")
	if !found {
		to, stake, found = strings.Cut(s, ":")
	}
	if !found {
		stake = "1"
	}
	to, stake = strings.TrimSpace(to), strings.TrimSpace(stake)
	if !allDigits(to) || !allDigits(stake) {
		return Odds{}, sentence.Errorf("%q are not odds: write them such as 40 to 1, 40:1 or 1 to 2", s)
	}
	var o Odds
	var err error
	if o.To, err = strconv.ParseInt(to, 10, 64); err == nil {
		o.For, err = strconv.ParseInt(stake, 10, 64)
	}
	if err != nil { // Both are all digits, so one can only be out of range.
		return Odds{}, sentence.Errorf("odds %q: %s", s, ErrOverflow)
	}
	if !o.Valid() {
		return Odds{}, sentence.Errorf("odds %q are for no stake: the second number must be 1 or more", s)
	}
	return o, nil
}

// String returns the odds as the books print them, such as "40 to 1".
func (o Odds) String() string { return fmt.Sprintf("%d to %d", o.To, o.For) }

// Valid reports whether o pays something or nothing, never less, on a stake
// that is something.
func (o Odds) Valid() bool { return o.To >= 0 && o.For > 0 }

// Favour names the side that gets the fraction that cannot be paid.
type Favour uint8

// The sides. The zero value is the player, so that a rounding that nobody chose never
// takes anything from a bet.
const (
	// Player rounds a fraction up.
	Player Favour = iota
	// House rounds a fraction down.
	House
)

// String returns "player" or "house".
func (f Favour) String() string {
	switch f {
	case Player:
		return "player"
	case House:
		return "house"
	}
	return fmt.Sprintf("Favour(%d)", uint8(f))
}

// Rounding determines the pay where the odds do not come out even. The zero value pays to
// the minor unit, in the player's favour.
type Rounding struct {
	// Unit is the smallest unit that is paid, in minor units: [Minor] for exact
	// cents, [Major] for whole dollars, the smallest chip of a table. Zero means
	// [Minor].
	Unit Amount
	// Favour names the side that gets the fraction of a Unit.
	Favour Favour
}

// Valid reports whether r is a rounding that can be carried out.
func (r Rounding) Valid() bool { return r.Unit >= 0 && r.Favour <= House }

// Pay returns what the odds pay on stake, without the stake: stake × To ÷ For,
// computed exactly and then rounded to a multiple of the rounding's Unit. An
// even result is never changed.
//
// A negative stake, invalid odds and an invalid rounding are errors, and so is
// a payment that does not fit, with [ErrOverflow].
func (o Odds) Pay(stake Amount, r Rounding) (Amount, error) {
	switch {
	case !o.Valid():
		return 0, fmt.Errorf("cannot pay %v: not valid odds", o)
	case stake < 0:
		return 0, fmt.Errorf("cannot pay %v on %v: the stake is negative", o, stake)
	case !r.Valid():
		return 0, fmt.Errorf("cannot pay to the unit %v in favour of %v: not a valid rounding", r.Unit, r.Favour)
	}
	unit := uint64(max(r.Unit, Minor))

	// Dividing twice, by For and then by the unit, rounds down to the same as
	// dividing once by their product, which might not fit.
	high, low := bits.Mul64(uint64(stake), uint64(o.To))
	if high >= uint64(o.For) {
		return 0, o.overflow(stake)
	}
	exact, fraction := bits.Div64(high, low, uint64(o.For))
	units, rest := exact/unit, exact%unit
	if units > math.MaxInt64 { // and so could wrap when rounded up
		return 0, o.overflow(stake)
	}
	if (fraction != 0 || rest != 0) && r.Favour == Player {
		units++
	}
	high, low = bits.Mul64(units, unit)
	if high != 0 || low > math.MaxInt64 {
		return 0, o.overflow(stake)
	}
	return Amount(low), nil
}

func (o Odds) overflow(stake Amount) error {
	return fmt.Errorf("%v on %v: %w", o, stake, ErrOverflow)
}
