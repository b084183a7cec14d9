package jackpot

import (
	"math/big"
	"math/bits"

	"trey/internal/enum"
	"trey/money"
	"trey/sentence"
)

// MaxAmount is the largest amount, and the largest running total, that a State
// holds: far above any jackpot, and so far below the largest integer that no
// sum in this package can overflow.
const MaxAmount money.Amount = 1 << 59

// maxRateDen keeps a rate's fraction readable: a millionth is fine enough.
const maxRateDen = 1_000_000

// maxDenominator bounds the common denominator of all the rates that a jackpot
// ever had, so that the exact remainder stays an integer.
const maxDenominator = 1_000_000_000_000

// Rate is an exact fraction, Num / Den, of each bet: {40, 100} is 40 %.
type Rate struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

// share returns the rate's part of a stake: whole minor units, and how many
// Den-ths of one are left. The rate must be well formed and the stake not
// negative.
func (r Rate) share(stake money.Amount) (minor money.Amount, left int64) {
	hi, lo := bits.Mul64(uint64(stake), uint64(r.Num))
	// Num <= Den, so the quotient is at most the stake and Div64 cannot overflow.
	quo, rem := bits.Div64(hi, lo, uint64(r.Den))
	return money.Amount(quo), int64(rem)
}

// FixedReturn is the average return of the fixed pays of a jackpot's pay table for one
// bet, as an exact fraction of a minor unit: Num / Den. It leaves out the Major pay,
// which comes from the meter. For the pay table of rws-3cp@3 4.4 it is 3,005,000 / 22,100
// cents.
type FixedReturn struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

// Overflow determines the use of contributions above the ceiling. They are kept as a
// reserve in either case; the difference is how the next reset uses it.
type Overflow uint8

// The uses of the reserve at a reset. The zero value is neither.
const (
	_ Overflow = iota
	// OverflowOnTop: the house pays in the whole reset value, and the reserve is
	// added to it as far as the ceiling allows; what is left stays in reserve.
	OverflowOnTop
	// OverflowFirst: the reserve pays for the reset value as far as it goes, and
	// the house adds what is missing; the meter starts at the reset value exactly.
	OverflowFirst
	numOverflows
)

var overflowKeys = enum.New("a use of the overflow", numOverflows, []string{OverflowOnTop: "on-top", OverflowFirst: "first"})

// String returns the name as it stands in JSON.
func (o Overflow) String() string { return overflowKeys.Key(o) }

// MarshalText writes the name.
func (o Overflow) MarshalText() ([]byte, error) { return overflowKeys.MarshalOrNone(o) }

// UnmarshalText reads a name that MarshalText wrote, and refuses any other.
func (o *Overflow) UnmarshalText(text []byte) error { return overflowKeys.UnmarshalOrNone(o, text) }

// Terms are the figures of a jackpot that the rule book leaves to the house
// (rws-3cp@3 1.15, 3.3).
type Terms struct {
	// Bet is the prescribed amount of one Progressive bet.
	Bet money.Amount `json:"bet"`
	// Reset is the predetermined value that the meter returns to after a hit.
	Reset money.Amount `json:"reset"`
	// Rate is the contribution rate: the part of each bet that goes to the meter.
	Rate Rate `json:"rate"`
	// Ceiling is the highest value of the meter.
	Ceiling money.Amount `json:"ceiling"`
	// Overflow says how contributions above the ceiling are used.
	Overflow Overflow `json:"overflow"`
	// VerifyFrom is the amount from which people verify a paid hit; zero for none.
	VerifyFrom money.Amount `json:"verify_from,omitempty"`
}

// Demonstration returns the terms of the demonstration house: a $5 bet, 40 % of
// which goes to a meter between $10,000 and $1,000,000, the overflow being laid
// on top of the next reset. No regulator has approved them.
func Demonstration() Terms {
	return Terms{
		Bet:      5 * money.Major,
		Reset:    10_000 * money.Major,
		Rate:     Rate{40, 100},
		Ceiling:  1_000_000 * money.Major,
		Overflow: OverflowOnTop,
	}
}

// Check returns a [*Refusal] for [ReasonTerms] if the terms contradict
// themselves, or if the fixed pays alone return more than the bet. It returns
// nil if the terms can be used; a fixed return that equals the bet can.
//
// An operator who returns the stake of a winning bet as well adds that to the
// fixed return.
func (t Terms) Check(fixed FixedReturn) error {
	if r := t.unusable(fixed); r != nil {
		return r
	}
	return nil
}

// unusable returns what Check does, as a pointer: in an interface a nil pointer would look like an
// error. It refuses a reset value of zero, because the second of two winners would then be paid
// nothing.
//
//clause:rws-3cp@3 1.15
//clause:rws-3cp@3 4.9.1
func (t Terms) unusable(fixed FixedReturn) *Refusal {
	r := t.refusal(fixed)
	if r == nil && t.Reset == 0 {
		r = refuse(clauseIncrease, ReasonTerms, "the reset value is zero, and the winner after a hit would be paid nothing; set it above zero")
	}
	return r
}

// refusal refuses terms that no jackpot can have had, also one that was opened with a
// reset value of zero.
func (t Terms) refusal(fixed FixedReturn) *Refusal {
	if r := t.contradiction(); r != nil {
		return r
	}
	if fixed.Num < 0 || fixed.Den <= 0 {
		return refuse(clausePrescribed, ReasonTerms,
			"the fixed return %d / %d is no amount; give minor units a bet, such as 3005000 / 22100",
			fixed.Num, fixed.Den)
	}
	returned := big.NewRat(fixed.Num, fixed.Den)
	if returned.Cmp(new(big.Rat).SetInt64(int64(t.Bet))) > 0 {
		major := new(big.Rat).Quo(returned, big.NewRat(int64(money.Major), 1))
		return refuse(clausePrescribed, ReasonTerms,
			"a %s bet favours the player at an empty meter: fixed pays return $%s a bet; prescribe a larger bet or lower the fixed pays",
			dollars(t.Bet), major.FloatString(4))
	}
	return nil
}

// contradiction refuses terms that no fixed return could make usable.
func (t Terms) contradiction() *Refusal {
	bad := func(form string, args ...any) *Refusal {
		return refuse(clauseIncrease, ReasonTerms, form, args...)
	}
	switch {
	case t.Bet <= 0:
		return refuse(clausePrescribed, ReasonTerms, "the bet is %s; prescribe an amount above zero", dollars(t.Bet))
	case t.Reset < 0:
		return bad("the reset value is %s; set it above zero", dollars(t.Reset))
	case t.Rate.Den <= 0 || t.Rate.Den > maxRateDen:
		return bad("the rate %d / %d has no usable denominator; use 1 to %d", t.Rate.Num, t.Rate.Den, maxRateDen)
	case t.Rate.Num <= 0:
		return bad("the rate %d / %d does not increase the meter; set it above zero", t.Rate.Num, t.Rate.Den)
	case t.Rate.Num > t.Rate.Den:
		return bad("the rate %d / %d is more than the whole bet; set at most 100 %%", t.Rate.Num, t.Rate.Den)
	case t.Ceiling < t.Reset:
		return bad("the ceiling %s is below the reset value %s; raise it", dollars(t.Ceiling), dollars(t.Reset))
	case t.Bet > MaxAmount || t.Ceiling > MaxAmount:
		return bad("the bet %s or the ceiling %s exceeds %s; lower it", dollars(t.Bet), dollars(t.Ceiling), dollars(MaxAmount))
	case t.VerifyFrom < 0 || t.VerifyFrom > MaxAmount:
		return bad("hits are verified from %s on; set an amount from zero to %s", dollars(t.VerifyFrom), dollars(MaxAmount))
	case !overflowKeys.Has(t.Overflow):
		return bad("the use of the overflow is %s; choose one of %s", sentence.Word(t.Overflow.String()), words(overflowKeys.List()))
	}
	return nil
}

// reset returns the sums that the house and the reserve pay into an empty meter after a
// hit.
//
//clause:rws-3cp@3 1.15
func (t Terms) reset(reserve money.Amount) (fromHouse, fromReserve money.Amount) {
	if t.Overflow == OverflowFirst {
		fromReserve = min(reserve, t.Reset)
		return t.Reset - fromReserve, fromReserve
	}
	return t.Reset, min(reserve, t.Ceiling-t.Reset)
}

// commonDenominator returns the least denominator in which remainders of both a
// and b can be stated exactly, and whether it is within bounds.
func commonDenominator(a, b int64) (int64, bool) {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	// a <= maxDenominator and b <= maxRateDen, so the product fits.
	lcm := a / x * b
	return lcm, lcm <= maxDenominator
}

// dollars writes an amount for people.
func dollars(a money.Amount) sentence.Sentence {
	if a < 0 {
		return sentence.Of("-$%s", -a)
	}
	return sentence.Of("$%s", a)
}
