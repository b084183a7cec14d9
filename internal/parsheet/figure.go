package parsheet

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"trey/money"
	"trey/odds"
)

// minus returns -f.
func minus(f odds.Fraction) odds.Fraction { return odds.FractionOf(f.Rat().Neg(f.Rat())) }

// ratio returns num/den; den is not zero.
func ratio(num, den *big.Int) odds.Fraction {
	return odds.FractionOf(new(big.Rat).SetFrac(num, den))
}

// percent writes a fraction as a percentage. What would be rounded to nothing
// is written with its power of ten: a chance that exists is not zero.
func percent(f odds.Fraction, decimals int) string {
	s := f.Percent(decimals)
	if f.Sign() != 0 && strings.Trim(s, "-0.") == "" {
		x := new(big.Float).SetRat(f.Rat())
		return x.Mul(x, big.NewFloat(100)).Text('e', 1) + " %"
	}
	return s + " %"
}

// signed writes a number with so many decimals, and its sign even if it is
// above zero.
func signed(f odds.Fraction, decimals int) string {
	s := f.Decimal(decimals)
	if f.Sign() > 0 {
		s = "+" + s
	}
	return s
}

// grouped writes a whole number with commas; one with more than fifteen digits,
// which nobody compares by eye, by its power of ten.
func grouped(n *big.Int) string {
	s := n.String()
	if len(s) > 15 {
		return new(big.Float).SetInt(n).Text('e', 5)
	}
	return commas(s)
}

func commas(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// sum writes a number of currency units as money, rounded to the cent.
func sum(f odds.Fraction) string {
	integer, cents, _ := strings.Cut(f.Decimal(2), ".")
	s := "$" + commas(strings.TrimPrefix(integer, "-")) + "." + cents
	if strings.HasPrefix(integer, "-") && strings.Trim(integer+cents, "-0") != "" {
		s = "-" + s
	}
	return s
}

// net writes a net result: in full where it ends, else with four decimals.
func net(f odds.Fraction) string {
	s := f.Plain()
	if strings.Contains(s, "/") {
		return f.Decimal(4)
	}
	integer, rest, dot := strings.Cut(s, ".")
	s = commas(integer)
	if dot {
		s += "." + rest
	}
	return s
}

// short cuts a decimal that is no fraction to so many decimals, rounded.
func short(d odds.Decimal, decimals int) string {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return "none"
	}
	return r.FloatString(decimals)
}

// root returns the square root of a variance as a spreadsheet has it, with all the
// digits that a double holds.
func root(f odds.Fraction) float64 {
	x := new(big.Float).SetPrec(128).SetRat(f.Rat())
	y, _ := x.Sqrt(x).Float64()
	return y
}

func float(d odds.Decimal) float64 {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return 0
	}
	x, _ := r.Float64()
	return x
}

// amountOf rounds currency units up to a whole number of minor units; false if
// that is no Amount.
func amountOf(f odds.Fraction) (money.Amount, bool) {
	x := new(big.Rat).Mul(f.Rat(), big.NewRat(int64(money.Major), 1))
	n, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	if !n.IsInt64() || n.BitLen() > 60 {
		return 0, false
	}
	return money.Amount(n.Int64()), true
}

// units returns an amount in currency units.
func units(a money.Amount) odds.Fraction {
	return odds.FractionOf(big.NewRat(int64(a), int64(money.Major)))
}

// sum4 writes currency units with four decimals, where a cent is too coarse.
func sum4(f odds.Fraction) string { return "$" + f.Decimal(4) }

func money2(d odds.Decimal) string {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return "none"
	}
	return sum(odds.FractionOf(r))
}

func times(f odds.Fraction, n int64) odds.Fraction {
	return odds.FractionOf(new(big.Rat).Mul(f.Rat(), big.NewRat(n, 1)))
}

// over returns f/g; g is not zero.
func over(f, g odds.Fraction) odds.Fraction {
	return odds.FractionOf(new(big.Rat).Quo(f.Rat(), g.Rat()))
}

// idOf returns a book's id without its edition.
func idOf(book string) string {
	id, _, _ := strings.Cut(book, "@")
	return id
}

func plus(f, g odds.Fraction) odds.Fraction {
	return odds.FractionOf(new(big.Rat).Add(f.Rat(), g.Rat()))
}

// change writes what somebody wins or loses: "+$5.00", "-$3.1878", "$0.00".
func change(f odds.Fraction, decimals int) string {
	s := f.Decimal(decimals)
	digits := strings.TrimPrefix(s, "-")
	integer, rest, _ := strings.Cut(digits, ".")
	digits = "$" + commas(integer) + "." + rest
	switch {
	case strings.Trim(digits, "$0.,") == "":
		return digits
	case f.Sign() < 0:
		return "-" + digits
	}
	return "+" + digits
}

// fit returns the most exact of the spellings that is no wider than a column,
// the last one if all of them are wider.
func fit(width, decimals int, spell func(decimals int) string, last func() string) string {
	for ; decimals >= 0; decimals-- {
		if s := spell(decimals); utf8.RuneCountInString(s) <= width {
			return s
		}
	}
	return last()
}

// percentIn writes a percentage into a column.
func percentIn(width int, f odds.Fraction, decimals int) string {
	return fit(width, decimals, func(n int) string { return percent(f, n) }, func() string {
		x := new(big.Float).SetRat(f.Rat())
		return x.Mul(x, big.NewFloat(100)).Text('e', 1) + " %"
	})
}

// signedIn writes a number with its sign into a column.
func signedIn(width int, f odds.Fraction, decimals int) string {
	return fit(width, decimals, func(n int) string { return signed(f, n) }, func() string { return tiny(f) })
}

// decimalIn writes a number into a column.
func decimalIn(width int, f odds.Fraction, decimals int) string {
	return fit(width, decimals, f.Decimal, func() string { return tiny(f) })
}

// shortIn writes a decimal into a column.
func shortIn(width int, d odds.Decimal, decimals int) string {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return "none"
	}
	return decimalIn(width, odds.FractionOf(r), decimals)
}

// tiny writes a number by its power of ten, in eight columns or fewer below
// 10^100.
func tiny(f odds.Fraction) string { return new(big.Float).SetRat(f.Rat()).Text('e', 1) }

// netIn writes a net result into a column.
func netIn(width int, f odds.Fraction) string {
	if s := net(f); len(s) <= width {
		return s
	}
	return fit(width, 2, f.Decimal, func() string { return new(big.Float).SetRat(f.Rat()).Text('e', 0) })
}
