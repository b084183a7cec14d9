package sim

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// rare is the expected count below which a row has no place of its own in a
// chi-square: its counts are too far from normal for that. The customary bound
// is 5, but the verdict looks at chances of one in ten thousand, where a row of
// 5 is still far off.
const rare = 50

// chiSquare returns the chance that a chi-square of so many degrees of freedom
// is at least x.
func chiSquare(x float64, degrees int) float64 {
	if x <= 0 {
		return 1
	}
	return mathext.GammaIncRegComp(float64(degrees)/2, x/2)
}

// poisson returns the chance of a count at least as far from what is expected,
// on the same side, doubled for both sides. A count of n rounds is binomial;
// for the small probabilities this is used for the Poisson distribution is the
// same, and for others it is the wider one, so that the verdict errs on the
// side of silence.
func poisson(seen int64, expected float64) float64 {
	switch {
	case expected <= 0 && seen > 0:
		return 0
	case expected <= 0 || seen == 0 && expected == 0:
		return 1
	}
	least := 1.0 // P(X <= seen)
	if x := mathext.GammaIncRegComp(float64(seen)+1, expected); x < least {
		least = x
	}
	if seen > 0 {
		least = min(least, mathext.GammaIncReg(float64(seen), expected)) // P(X >= seen)
	}
	return min(1, 2*least)
}

// normal95 is the number of standard errors on each side of a mean in a 95 % interval.
const normal95 = 1.959963984540054

// goodness fills in a table's test: the chi-square of rows that exclude each
// other and of which one occurs in each round.
func (t *Table) goodness() {
	var pool struct {
		seen     int64
		expected float64
		rows     int
	}
	t.ChiSquare, t.Degrees, t.P = 0, -1, 1
	place := func(seen int64, expected float64) {
		t.ChiSquare += (float64(seen) - expected) * (float64(seen) - expected) / expected
		t.Degrees++
	}
	// From the rarest row up: the rare ones are one category, to which rows are
	// added until it is no longer rare.
	order := make([]*Row, 0, len(t.Rows))
	for i := range t.Rows {
		order = append(order, &t.Rows[i])
	}
	slices.SortStableFunc(order, func(a, b *Row) int { return cmp.Compare(a.Expected, b.Expected) })
	for _, r := range order {
		r.Rare = r.Expected < rare
		if r.Rare {
			r.P = poisson(r.Seen, r.Expected)
		}
		if r.Rare || pool.rows > 0 && pool.expected < rare {
			pool.seen += r.Seen
			pool.expected += r.Expected
			pool.rows++
			continue
		}
		place(r.Seen, r.Expected)
	}
	if pool.expected > 0 {
		place(pool.seen, pool.expected)
	}
	t.Degrees = max(t.Degrees, 0)
	if t.Degrees > 0 {
		t.P = chiSquare(t.ChiSquare, t.Degrees)
	}
}
