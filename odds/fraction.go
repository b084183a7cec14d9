package odds

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"trey/money"
)

// decimals is the number of decimals printed wherever a figure is not a fraction.
const decimals = 10

// Fraction is an exact rational number in lowest terms. The zero value is 0.
// Fractions are values: no method changes its receiver.
type Fraction struct{ r *big.Rat }

// FractionOf returns r as a Fraction. It keeps a copy.
func FractionOf(r *big.Rat) Fraction { return Fraction{new(big.Rat).Set(r)} }

func frac(num, den int64) Fraction { return Fraction{big.NewRat(num, den)} }

func fracInt(num, den *big.Int) Fraction { return Fraction{new(big.Rat).SetFrac(num, den)} }

// Rat returns the number as a new [big.Rat].
func (f Fraction) Rat() *big.Rat {
	if f.r == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(f.r)
}

func (f Fraction) rat() *big.Rat {
	if f.r == nil {
		return new(big.Rat)
	}
	return f.r
}

// Sign returns -1, 0 or 1.
func (f Fraction) Sign() int { return f.rat().Sign() }

// Cmp compares f with g as [big.Rat.Cmp] does.
func (f Fraction) Cmp(g Fraction) int { return f.rat().Cmp(g.rat()) }

// String returns "num/den", or the whole number.
func (f Fraction) String() string { return f.rat().RatString() }

// Decimal returns f rounded to n decimals, half away from zero.
func (f Fraction) Decimal(n int) string { return f.rat().FloatString(n) }

// Percent returns f times a hundred with n decimals, half away from zero.
func (f Fraction) Percent(n int) string {
	return new(big.Rat).Mul(f.rat(), big.NewRat(100, 1)).FloatString(n)
}

// Float64 returns the nearest float64, for a chart; nothing is computed from it.
func (f Fraction) Float64() float64 {
	x, _ := f.rat().Float64()
	return x
}

// Plain returns f as people write it: a whole number, a decimal that ends, or
// else "num/den".
func (f Fraction) Plain() string {
	r := f.rat()
	if r.IsInt() {
		return r.Num().String()
	}
	if n, exact := r.FloatPrec(); exact && n <= decimals {
		return r.FloatString(n)
	}
	return r.RatString()
}

type fractionJSON struct {
	Num     string `json:"num"`
	Den     string `json:"den"`
	Decimal string `json:"decimal"`
}

// MarshalJSON writes {"num", "den", "decimal"}, all strings, the last with ten
// decimals.
func (f Fraction) MarshalJSON() ([]byte, error) {
	r := f.rat()
	return json.Marshal(fractionJSON{r.Num().String(), r.Denom().String(), r.FloatString(decimals)})
}

// UnmarshalJSON reads what MarshalJSON wrote, by numerator and denominator.
func (f *Fraction) UnmarshalJSON(text []byte) error {
	var parts fractionJSON
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	// As whole numbers, so that no exponent is read: "1e999999999" would take
	// all memory there is.
	num, ok := new(big.Int).SetString(parts.Num, 10)
	den, okay := new(big.Int).SetString(parts.Den, 10)
	if !ok || !okay || den.Sign() <= 0 {
		return fmt.Errorf("%q over %q is not a fraction", parts.Num, parts.Den)
	}
	f.r = new(big.Rat).SetFrac(num, den)
	return nil
}

// Equal reports whether f and g are the same number.
func (f Fraction) Equal(g Fraction) bool { return f.Cmp(g) == 0 }

func (f Fraction) neg() Fraction           { return Fraction{new(big.Rat).Neg(f.rat())} }
func (f Fraction) add(g Fraction) Fraction { return Fraction{new(big.Rat).Add(f.rat(), g.rat())} }
func (f Fraction) sub(g Fraction) Fraction { return Fraction{new(big.Rat).Sub(f.rat(), g.rat())} }
func (f Fraction) mul(g Fraction) Fraction { return Fraction{new(big.Rat).Mul(f.rat(), g.rat())} }
func (f Fraction) quo(g Fraction) Fraction { return Fraction{new(big.Rat).Quo(f.rat(), g.rat())} }
func (f Fraction) times(n int64) Fraction  { return f.mul(frac(n, 1)) }
func (f Fraction) over(n int64) Fraction   { return f.mul(frac(1, n)) }

// dollars returns an amount in currency units.
func dollars(a money.Amount) Fraction { return frac(int64(a), int64(money.Major)) }

// Decimal is a number that is no fraction, such as a standard deviation,
// correctly rounded to ten decimals. It is empty where the figure does not
// exist: a bet that always loses has no skewness.
type Decimal string

// signedRoot returns the root of |square| with the given sign, correctly
// rounded.
//
// With x = |square| 10^20 and k = floor(sqrt x), sqrt x rounds up to k+1 exactly
// if 4x >= (2k+1)^2; all of it is integers.
func signedRoot(square Fraction, sign int) Decimal {
	x := new(big.Rat).Abs(square.rat())
	x.Mul(x, new(big.Rat).SetInt(tenTo(2*decimals)))
	k := new(big.Int).Sqrt(new(big.Int).Quo(x.Num(), x.Denom()))
	odd := new(big.Int).Add(new(big.Int).Lsh(k, 1), big.NewInt(1))
	odd.Mul(odd, odd).Mul(odd, x.Denom())
	if new(big.Int).Lsh(x.Num(), 2).Cmp(odd) >= 0 {
		k.Add(k, big.NewInt(1))
	}
	if sign < 0 {
		k.Neg(k)
	}
	return Decimal(new(big.Rat).SetFrac(k, tenTo(decimals)).FloatString(decimals))
}

// root returns the square root of f, which is not negative.
func (f Fraction) root() Decimal { return signedRoot(f, 1) }

func tenTo(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

func sortedKeys[V any](m map[int64]V) []int64 { return slices.Sorted(maps.Keys(m)) }
