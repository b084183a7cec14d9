// Package money provides amounts, the odds at which a bet is paid, and the rounding of
// the fraction of a cent that they leave.
//
// It will never use floating point, and it never overflows in silence: every
// operation whose result may not fit returns an error. It knows no currency, no
// accounts and no bets; which odds a bet is paid at is in the books under rules.
package money

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"trey/sentence"
)

// ErrOverflow is returned, wrapped, where a result does not fit in an [Amount].
var ErrOverflow = errors.New("amount too large")

// Amount is a sum of money in minor units (cents). It may be negative: what
// somebody owes, or lost.
//
// The operators + and - are for sums that the caller knows to be small; where
// the operands come from outside, use [Amount.Add], [Amount.Sub] and
// [Amount.Mul], which return [ErrOverflow].
type Amount int64

// The units in which amounts are stated.
const (
	// Minor is the smallest amount there is, one cent.
	Minor Amount = 1
	// Major is the currency's main unit, one dollar.
	Major Amount = 100
)

// Parse reads an amount of main units with at most two decimals: "10", "12.5",
// "12.50", "$1,250", "-3.05". Commas may separate thousands, all of them or
// none. More than two decimals are refused, not rounded, and so is an amount
// that does not fit, with [ErrOverflow].
func Parse(s string) (Amount, error) {
	rest, negative := strings.CutPrefix(s, "-")
	rest = strings.TrimPrefix(rest, "$")
	units, cents, hasPoint := strings.Cut(rest, ".")
	if hasPoint && len(cents) > 2 && allDigits(cents) {
		return 0, sentence.Errorf("%q has more than two decimals: write whole cents, such as 12.50", s)
	}
	units, grouped := ungroup(units)
	if !grouped || !allDigits(units) || hasPoint && (len(cents) > 2 || !allDigits(cents)) {
		return 0, sentence.Errorf("%q is not an amount: write it such as 10, 12.50 or 1,250.00", s)
	}
	cents += "00"[min(len(cents), 2):]
	magnitude, err := strconv.ParseUint(units+cents, 10, 64)
	if err != nil { // It is all digits, so it can only be out of range.
		return 0, sentence.Errorf("%q: %s", s, ErrOverflow)
	}
	a, err := signed(negative, magnitude)
	if err != nil {
		return 0, sentence.Errorf("%q: %s", s, err)
	}
	return a, nil
}

// ungroup takes the commas out of number, and reports whether they stood where
// they separate thousands.
func ungroup(number string) (digits string, ok bool) {
	groups := strings.Split(number, ",")
	for i, group := range groups {
		if i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && len(group) > 3 {
			return "", false
		}
	}
	if groups[0] == "" {
		return "", false
	}
	return strings.Join(groups, ""), true
}

// allDigits reports whether s is one or more of the digits 0 to 9.
func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// signed returns the amount of that magnitude and sign.
func signed(negative bool, magnitude uint64) (Amount, error) {
	switch {
	case !negative && magnitude <= math.MaxInt64:
		return Amount(magnitude), nil
	case negative && magnitude <= 1<<63:
		return Amount(-magnitude), nil // -1<<63 has no positive counterpart; unsigned negation wraps to it.
	}
	return 0, ErrOverflow
}

// magnitude returns the distance of a from zero, and reports whether a is below zero.
func (a Amount) magnitude() (m uint64, negative bool) {
	if a < 0 {
		return -uint64(a), true
	}
	return uint64(a), false
}

// String returns the amount in main units, always with two decimals and without
// separators: "12.50", "-3.05", "1250.00". [Parse] reads it back.
func (a Amount) String() string {
	m, negative := a.magnitude()
	text := make([]byte, 0, len("-92233720368547758.08"))
	if negative {
		text = append(text, '-')
	}
	text = strconv.AppendUint(text, m/100, 10)
	return string(append(text, '.', byte('0'+m/10%10), byte('0'+m%10)))
}

// Display returns the amount as [Amount.String] does, with commas that separate
// thousands: "1,250.00". [Parse] reads it back too.
func (a Amount) Display() string {
	s := a.String()
	first := 0
	if a < 0 {
		first = 1
	}
	for i := len(s) - len("000.00"); i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Add returns a + b, or [ErrOverflow].
func (a Amount) Add(b Amount) (Amount, error) {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return 0, fmt.Errorf("%v + %v: %w", a, b, ErrOverflow)
	}
	return sum, nil
}

// Sub returns a - b, or [ErrOverflow].
func (a Amount) Sub(b Amount) (Amount, error) {
	difference := a - b
	if (difference < a) != (b > 0) && b != 0 {
		return 0, fmt.Errorf("%v - %v: %w", a, b, ErrOverflow)
	}
	return difference, nil
}

// Mul returns a taken n times, or [ErrOverflow].
func (a Amount) Mul(n int64) (Amount, error) {
	x, xNegative := a.magnitude()
	y, yNegative := Amount(n).magnitude()
	high, low := bits.Mul64(x, y)
	if high == 0 {
		if product, err := signed(xNegative != yNegative, low); err == nil {
			return product, nil
		}
	}
	return 0, fmt.Errorf("%v * %d: %w", a, n, ErrOverflow)
}
