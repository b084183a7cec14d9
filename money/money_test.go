package money_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "trey/internal/steady"
	"trey/money"
)

// anyAmount draws from the whole range, and often from its ends.
func anyAmount() *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64(), func(minor int64) money.Amount { return money.Amount(minor) })
}

func TestParse(t *testing.T) {
	for s, want := range map[string]money.Amount{
		"0": 0, "-0": 0, "0.00": 0, "10": 1000, "12.5": 1250, "12.50": 1250, "12.05": 1205,
		"$1,250": 125_000, "1,250.75": 125_075, "1250": 125_000, "1,234,567.89": 123_456_789,
		"-3.05": -305, "-$3.05": -305, "-0.05": -5, "007": 700,
		"92233720368547758.07":      math.MaxInt64,
		"-92233720368547758.08":     math.MinInt64,
		"92,233,720,368,547,758.07": math.MaxInt64,
	} {
		if got, err := money.Parse(s); got != want || err != nil {
			t.Errorf("Parse(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		says  string
		texts []string
	}{
		{"is not an amount", []string{
			"", "-", "$", ".", "ten", "12.", ".50", "1.2.3", "12.5x", "1e3", "0x10", "1_000", "+5", "--5", "$-5", "$$5",
			" 5", "5 ", "1,25", "12,50", "1250,000", ",250", "1,,250", "1,250,", "1.2,50", "1,2500", "1.-5", "12.345x", "٣",
		}},
		{"more than two decimals", []string{"12.505", "0.001", "-1.000", "1,250.0000"}},
		{money.ErrOverflow.Error(), []string{
			"92233720368547758.08", "-92233720368547758.09", "184467440737095516.16", "99999999999999999999999999",
		}},
	} {
		for _, s := range tt.texts {
			if got, err := money.Parse(s); err == nil || got != 0 || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Parse(%q) = %d, %v; want it to say %q", s, got, err, tt.says)
			} else if errors.Is(err, money.ErrOverflow) != (tt.says == money.ErrOverflow.Error()) {
				t.Errorf("Parse(%q): ErrOverflow is mistaken in %v", s, err)
			}
		}
	}
}

func TestStringAndDisplay(t *testing.T) {
	for _, tt := range []struct {
		amount          money.Amount
		String, Display string
	}{
		{0, "0.00", "0.00"},
		{money.Minor, "0.01", "0.01"},
		{money.Major, "1.00", "1.00"},
		{-5, "-0.05", "-0.05"},
		{1250, "12.50", "12.50"},
		{99_999, "999.99", "999.99"},
		{-99_999, "-999.99", "-999.99"},
		{100_000, "1000.00", "1,000.00"},
		{-100_000, "-1000.00", "-1,000.00"},
		{-10_000_000, "-100000.00", "-100,000.00"},
		{123_456_789, "1234567.89", "1,234,567.89"},
		{math.MaxInt64, "92233720368547758.07", "92,233,720,368,547,758.07"},
		{math.MinInt64, "-92233720368547758.08", "-92,233,720,368,547,758.08"},
	} {
		if got := tt.amount.String(); got != tt.String {
			t.Errorf("Amount(%d).String() = %s, want %s", int64(tt.amount), got, tt.String)
		}
		if got := tt.amount.Display(); got != tt.Display {
			t.Errorf("Amount(%d).Display() = %s, want %s", int64(tt.amount), got, tt.Display)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyAmount().Draw(t, "a")
		for _, s := range []string{a.String(), a.Display()} {
			if got, err := money.Parse(s); got != a || err != nil {
				t.Fatalf("Parse(%q) = %d, %v; want %d", s, got, err, a)
			}
		}
	})
}

func TestArithmeticIsExactOrRefused(t *testing.T) {
	check := func(fatalf func(string, ...any), name string, got money.Amount, err error, want *big.Int) {
		if want.IsInt64() != (err == nil) || err == nil && int64(got) != want.Int64() ||
			err != nil && (!errors.Is(err, money.ErrOverflow) || got != 0) {
			fatalf("%s = %d, %v; want %d", name, got, err, want)
		}
	}
	both := func(fatalf func(string, ...any), a, b money.Amount) {
		x, y := big.NewInt(int64(a)), big.NewInt(int64(b))
		got, err := a.Add(b)
		check(fatalf, "Add", got, err, new(big.Int).Add(x, y))
		got, err = a.Sub(b)
		check(fatalf, "Sub", got, err, new(big.Int).Sub(x, y))
		got, err = a.Mul(int64(b))
		check(fatalf, "Mul", got, err, new(big.Int).Mul(x, y))
	}
	ends := []money.Amount{math.MinInt64, math.MinInt64 + 1, -1 << 32, -2, -1, 0, 1, 2, 1 << 31, 1 << 32, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range ends {
		for _, b := range ends {
			both(t.Errorf, a, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) { both(t.Fatalf, anyAmount().Draw(t, "a"), anyAmount().Draw(t, "b")) })
}

func TestParseOdds(t *testing.T) {
	for s, want := range map[string]money.Odds{
		"40 to 1": {40, 1}, "40:1": {40, 1}, "40": {40, 1}, "1 to 2": {1, 2}, "188 to 1": {188, 1},
		"40 : 1": {40, 1}, " 3 to 2 ": {3, 2}, "2 to 4": {2, 4}, "0 to 1": {0, 1},
		"9223372036854775807:9223372036854775807": {math.MaxInt64, math.MaxInt64},
	} {
		got, err := money.ParseOdds(s)
		if got != want || err != nil || !got.Valid() {
			t.Errorf("ParseOdds(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "to", " to ", ":", "1:", ":1", "40 to", "to 1", "40to1", "40 to one", "-1 to 2", "1 to -2", "+1:2",
		"1.5 to 1", "1 to 2 to 3", "1:2:3", "1:2 to 3", "1/2", "1 to 0", "0:0",
		"9223372036854775808", "1:9223372036854775808",
	} {
		if got, err := money.ParseOdds(s); err == nil || got != (money.Odds{}) {
			t.Errorf("ParseOdds(%q) = %v, %v; want a refusal", s, got, err)
		}
	}
	if _, err := money.ParseOdds("9223372036854775808"); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("too large: %v; want ErrOverflow", err)
	}
}

func TestPay(t *testing.T) {
	var (
		exact   money.Rounding
		house   = money.Rounding{Favour: money.House}
		dollarP = money.Rounding{Unit: money.Major}
		dollarH = money.Rounding{Unit: money.Major, Favour: money.House}
		chipP   = money.Rounding{Unit: 250}
		chipH   = money.Rounding{Unit: 250, Favour: money.House}
	)
	for _, tt := range []struct {
		name  string
		stake string
		odds  string
		r     money.Rounding
		want  string
	}{
		{"even money", "10", "1 to 1", exact, "10.00"},
		{"forty times", "5", "40 to 1", exact, "200.00"},
		{"the longest odds of Royal Pictures", "2.50", "188 to 1", exact, "470.00"},
		{"half of an odd dollar, exact", "15", "1 to 2", exact, "7.50"},
		{"half of an odd dollar, to the dollar for the player", "15", "1 to 2", dollarP, "8.00"},
		{"half of an odd dollar, to the dollar for the house", "15", "1 to 2", dollarH, "7.00"},
		{"half of an even dollar needs no rounding", "14", "1 to 2", dollarH, "7.00"},
		{"half of an odd cent, for the player", "0.05", "1 to 2", exact, "0.03"},
		{"half of an odd cent, for the house", "0.05", "1 to 2", house, "0.02"},
		{"half of one cent, for the house", "0.01", "1 to 2", house, "0.00"},
		{"a dollar chip and a cent, for the player", "2.01", "1 to 1", dollarP, "3.00"},
		{"a third of a cent is a fraction too", "0.01", "1 to 3", exact, "0.01"},
		{"below the unit only by a fraction of a cent", "2.99", "100 to 299", dollarH, "1.00"},
		{"above the unit only by a fraction of a cent", "3.00", "100 to 299", dollarP, "2.00"},
		{"to a chip, just below it, for the player", "4.99", "1 to 2", chipP, "2.50"},
		{"to a chip, at it, for the player", "5.00", "1 to 2", chipP, "2.50"},
		{"to a chip, just above it, for the player", "5.01", "1 to 2", chipP, "5.00"},
		{"to a chip, just below it, for the house", "4.99", "1 to 2", chipH, "0.00"},
		{"to a chip, at it, for the house", "5.00", "1 to 2", chipH, "2.50"},
		{"to a chip, just above it, for the house", "5.01", "1 to 2", chipH, "2.50"},
		{"nothing staked", "0", "40 to 1", dollarP, "0.00"},
		{"odds that pay nothing", "10", "0 to 1", dollarP, "0.00"},
		{"more than fits until divided", "92233720368547758.07", "9223372036854775807:9223372036854775807", exact, "92233720368547758.07"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stake, err := money.Parse(tt.stake)
			if err != nil {
				t.Fatal(err)
			}
			odds, err := money.ParseOdds(tt.odds)
			if err != nil {
				t.Fatal(err)
			}
			got, err := odds.Pay(stake, tt.r)
			if err != nil || got.String() != tt.want {
				t.Errorf("%v on %v pays %v, %v; want %s", odds, stake, got, err, tt.want)
			}
		})
	}
}

func TestPayRefuses(t *testing.T) {
	const most = math.MaxInt64
	for _, tt := range []struct {
		name     string
		odds     money.Odds
		stake    money.Amount
		r        money.Rounding
		overflow bool
	}{
		{"the zero odds", money.Odds{}, 100, money.Rounding{}, false},
		{"odds for a negative stake", money.Odds{To: 1, For: -1}, 100, money.Rounding{}, false},
		{"odds that take", money.Odds{To: -1, For: 1}, 100, money.Rounding{}, false},
		{"a negative stake", money.Odds{To: 1, For: 1}, -1, money.Rounding{}, false},
		{"a negative unit", money.Odds{To: 1, For: 1}, 100, money.Rounding{Unit: -1}, false},
		{"nobody's favour", money.Odds{To: 1, For: 1}, 100, money.Rounding{Favour: 2}, false},
		{"twice the most there is", money.Odds{To: 2, For: 1}, most, money.Rounding{}, true},
		{"a quotient of more than 64 bits", money.Odds{To: most, For: 1}, most, money.Rounding{}, true},
		{"the most there is, rounded up", money.Odds{To: 1, For: 1}, most, money.Rounding{Unit: 100}, true},
		// Stake and odds multiply to 2^65 - 1, half of which rounds up to 2^64.
		{"a quotient that wraps when rounded up", money.Odds{To: 145_295_143_558_111, For: 2}, 31 * 8191, money.Rounding{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.odds.Pay(tt.stake, tt.r)
			if err == nil || got != 0 || errors.Is(err, money.ErrOverflow) != tt.overflow {
				t.Errorf("%v on %v pays %v, %v", tt.odds, tt.stake, got, err)
			}
		})
	}
	if got, err := (money.Odds{To: 1, For: 1}).Pay(most, money.Rounding{Unit: 100, Favour: money.House}); err != nil || got != most-7 {
		t.Errorf("the most there is, rounded down: %v, %v", got, err)
	}
}

// payExactly computes the result of Pay with rationals of any size.
func payExactly(o money.Odds, stake money.Amount, r money.Rounding) (want *big.Int, fits bool) {
	unit := big.NewInt(int64(max(r.Unit, 1)))
	units := new(big.Rat).SetFrac(
		new(big.Int).Mul(big.NewInt(int64(stake)), big.NewInt(o.To)),
		new(big.Int).Mul(big.NewInt(o.For), unit))
	n := new(big.Int).Quo(units.Num(), units.Denom())
	if r.Favour == money.Player && !units.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	n.Mul(n, unit)
	return n, n.IsInt64()
}

func checkPay(fatalf func(string, ...any), o money.Odds, stake money.Amount, r money.Rounding) {
	got, err := o.Pay(stake, r)
	want, fits := payExactly(o, stake, r)
	if fits != (err == nil) || fits && int64(got) != want.Int64() || !fits && !errors.Is(err, money.ErrOverflow) {
		fatalf("%v on %d, rounded to %d for the %v, pays %d, %v; want %v", o, stake, r.Unit, r.Favour, got, err, want)
	}
}

func TestPayAgainstRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkPay(t.Fatalf,
			money.Odds{To: rapid.Int64Min(0).Draw(t, "to"), For: rapid.Int64Min(1).Draw(t, "for")},
			money.Amount(rapid.Int64Min(0).Draw(t, "stake")),
			money.Rounding{
				Unit:   money.Amount(rapid.Int64Min(0).Draw(t, "unit")),
				Favour: rapid.SampledFrom([]money.Favour{money.Player, money.House}).Draw(t, "favour"),
			})
	})
}

func TestFavourString(t *testing.T) {
	for f, want := range map[money.Favour]string{money.Player: "player", money.House: "house", 2: "Favour(2)"} {
		if got := f.String(); got != want {
			t.Errorf("Favour(%d).String() = %q, want %q", uint8(f), got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"10", "12.50", "$1,250", "-3.05", "92233720368547758.08", "12.505", "1,,2", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := money.Parse(s)
		if err != nil {
			if a != 0 {
				t.Errorf("Parse(%q) = %d beside %v", s, a, err)
			}
			return
		}
		for _, form := range []string{a.String(), a.Display()} {
			if again, err := money.Parse(form); again != a || err != nil {
				t.Errorf("%q, written from %d, reads as %d, %v", form, a, again, err)
			}
		}
	})
}

func FuzzParseOdds(f *testing.F) {
	for _, s := range []string{"40 to 1", "40:1", "40", "1 to 2", "1:0", " to ", "1 : 2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := money.ParseOdds(s)
		if (err == nil) != o.Valid() {
			t.Fatalf("ParseOdds(%q) = %v, %v", s, o, err)
		}
		if err != nil {
			return
		}
		if again, err := money.ParseOdds(o.String()); again != o || err != nil {
			t.Errorf("%v reads back as %v, %v", o, again, err)
		}
	})
}

func FuzzPay(f *testing.F) {
	f.Add(int64(1), int64(2), int64(1500), int64(100), false)
	f.Add(int64(188), int64(1), int64(250), int64(0), true)
	f.Add(int64(math.MaxInt64), int64(2), int64(math.MaxInt64), int64(1), false)
	f.Fuzz(func(t *testing.T, to, per, stake, unit int64, house bool) {
		o := money.Odds{To: to, For: per}
		r := money.Rounding{Unit: money.Amount(unit)}
		if house {
			r.Favour = money.House
		}
		if !o.Valid() || !r.Valid() || stake < 0 {
			if got, err := o.Pay(money.Amount(stake), r); err == nil {
				t.Errorf("%v on %d pays %d", o, stake, got)
			}
			return
		}
		checkPay(t.Fatalf, o, money.Amount(stake), r)
	})
}

func BenchmarkPay(b *testing.B) {
	odds, r := money.Odds{To: 1, For: 2}, money.Rounding{Unit: money.Major, Favour: money.House}
	for b.Loop() {
		if _, err := odds.Pay(1500, r); err != nil {
			b.Fatal(err)
		}
	}
}
