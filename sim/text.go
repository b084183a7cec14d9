package sim

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trey/odds"
)

// Text returns the report for people, within 80 columns.
func (r *Report) Text() []byte {
	var b bytes.Buffer
	how := "the kernel"
	if r.Engine {
		how = fmt.Sprintf("the engine, %s", plural(r.Boxes, "box", "boxes"))
	}
	name := r.Book
	if r.Variant != r.Book {
		name = r.Variant + ", a variant of " + r.Book
	}
	fmt.Fprintf(&b, "%s, %s\n", name, how)
	rounds := grouped(r.Rounds)
	if !r.Complete() {
		rounds += " of " + grouped(r.Asked)
	}
	noun := "rounds"
	if r.Asked == 1 {
		noun = "round"
	}
	fmt.Fprintf(&b, "%s %s, seed %d\n", rounds, noun, r.Seed)
	if r.Strategy != "" {
		fmt.Fprintf(&b, "strategy: %s\n", r.Strategy)
	}
	if r.Meter != 0 {
		fmt.Fprintf(&b, "the jackpot displays $%s in every round\n", r.Meter.Display())
	}
	if r.Rounds > 0 {
		for i := range r.Bets {
			r.Bets[i].text(&b)
		}
	}
	b.WriteByte('\n')
	b.WriteString(r.Verdict.text(r.Rounds))
	return b.Bytes()
}

func (r *BetReport) text(b *bytes.Buffer) {
	unit := "units of one stake"
	switch {
	case r.Unit == odds.Currency:
		unit = "dollars"
	case r.Bet == odds.AntePlay:
		unit = "units of one Ante"
	}
	fmt.Fprintf(b, "\n%s\n", strings.ToUpper(r.Bet.Name()))
	fmt.Fprintf(b, "  mean net result in %s, for bets of $%s\n", unit, r.Stake.Display())
	fmt.Fprintf(b, "  simulated %12.7f, standard error %.7f\n", r.Mean, r.StdErr)
	fmt.Fprintf(b, "  95 %%      %12.7f to %.7f\n", r.Low, r.High)
	if r.Exact == nil {
		fmt.Fprintf(b, "  exact        none: %s\n", r.Why)
	} else {
		exact := r.Exact.Float64()
		where := "inside the interval"
		if exact < r.Low || exact > r.High {
			where = "outside the interval, as in one simulation of twenty"
		}
		fmt.Fprintf(b, "  exact     %12s, %s\n", r.Exact.Decimal(7), where)
	}
	r.Nets.text(b, "net result")
	for i := range r.Lines {
		r.Lines[i].text(b, r.Lines[i].Wager.Name())
	}
}

// labelWidth is the room for a row's label; a clause too long for it is left
// out. In a table of more than manyRows those are left out that were neither
// seen nor expected: with many Envy Bonuses there are dozens of net results.
const (
	labelWidth = 33
	manyRows   = 12
)

func tableLine(b *bytes.Buffer, label, seen, expected, share string) {
	line := fmt.Sprintf("  %-*s %15s %17s %9s", labelWidth, label, seen, expected, share)
	b.WriteString(strings.TrimRight(line, " "))
	b.WriteByte('\n')
}

func (t *Table) text(b *bytes.Buffer, name string) {
	b.WriteByte('\n')
	tableLine(b, name, "seen", "expected", "chi-sq.")
	absent, expectedOfThem := 0, 0.0
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Seen == 0 && row.Expected < 1 && len(t.Rows) > manyRows {
			absent++
			expectedOfThem += row.Expected
			continue
		}
		expected, share := "", ""
		if row.Probability.Sign() != 0 || t.Tested {
			expected, share = decimal(row.Expected, 1), decimal(row.Share, 2)
		}
		if row.Rare {
			share = "p " + chance(row.P)
		}
		tableLine(b, row.label(t.Wager == 0), grouped(row.Seen), expected, share)
	}
	if absent > 0 {
		tableLine(b, fmt.Sprintf("%d rarer ones", absent), "0", decimal(expectedOfThem, 1), "")
	}
	if t.Tested && t.Degrees > 0 {
		fmt.Fprintf(b, "  chi-square %.2f, %s of freedom, p %s\n", t.ChiSquare, plural(t.Degrees, "degree", "degrees"), chance(t.P))
	}
}

// label names a row.
func (r *Row) label(net bool) string {
	if net {
		return r.Net.Plain()
	}
	if r.Result == 0 {
		return "no line"
	}
	words := r.Result.String()
	if r.Combo != 0 {
		words = r.Combo.Name()
	}
	if r.Folded {
		words += ", folded"
	}
	if clause := " (" + r.Clause + ")"; r.Clause != "" && len(words)+len(clause) <= labelWidth {
		words += clause
	}
	return words
}

// text says the verdict in one sentence or two.
func (v *Verdict) text(rounds int64) string {
	switch {
	case rounds == 0:
		return "No round was played, so there is nothing to say.\n"
	case v.Tests == 0:
		return "There is only one result, and it came: nothing to test.\n"
	case v.Consistent:
		return fmt.Sprintf("CONSISTENT with the exact figures. Of %s the least likely outcome\nhas a chance of %s; below %s it would count against them.\n",
			plural(v.Tests, "test", "tests"), chance(v.LeastP), chance(v.Bound))
	case v.LeastP == 0:
		return fmt.Sprintf("NOT CONSISTENT with the exact figures: the %s\nhave a chance of nought, or hold what cannot happen.\n", v.Where)
	}
	return fmt.Sprintf("NOT CONSISTENT with the exact figures: the %s\nwould come out so with a chance of %s; of %s each must reach %s.\n",
		v.Where, chance(v.LeastP), plural(v.Tests, "test", "tests"), chance(v.Bound))
}

// chance writes a probability shortly.
func chance(p float64) string {
	if p != 0 && p < 0.001 {
		return strconv.FormatFloat(p, 'e', 1, 64)
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// decimal writes a number with groups of three digits.
func decimal(x float64, digits int) string {
	if math.Abs(x) >= 1e15 {
		return strconv.FormatFloat(x, 'e', 3, 64)
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	integer, rest, _ := strings.Cut(text, ".")
	n, _ := strconv.ParseInt(integer, 10, 64) // below 1e15, so it is a number
	return grouped(n) + "." + rest
}

// grouped writes a number that is not negative in groups of three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}
