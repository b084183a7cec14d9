package parsheet

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"trey/money"
	"trey/odds"
)

// Charts are drawn 360 units wide, the width of a phone, so that their text is
// never smaller there than it is drawn.
const (
	chartWidth = 360
	barStep    = 20 // from one bar to the next
	barHeight  = 12
)

// Bars is a chart of one bar a row, in the units of a drawing that is 360 wide.
type Bars struct {
	// ID is unique on a page; Title and Desc say what is drawn to those who do
	// not see it.
	ID, Title, Desc string
	Height          int
	// Zero is where bars begin; it is 0 where none goes to the left.
	Zero float64
	Rows []Bar
}

// Bar is one row of a chart: a bar from X, W wide, with its name left of it and
// its value at the right edge.
type Bar struct {
	// Wager is the wager of the row, empty where its name says enough.
	Wager, Name, Value string
	// Y is the bar's top, Text the base line of its words.
	X, Y, W, Text  float64
	NameX, ValueX  float64
	Losing, Folded bool
}

// Short returns the row's name, cut to the room that is left of the bars.
func (b Bar) Short() string {
	name := b.Name
	if b.Wager != "" {
		name = b.Wager + " " + name
	}
	if utf8.RuneCountInString(name) > 23 {
		name = string([]rune(name)[:22]) + "…"
	}
	return name
}

// place puts the bars of these values between two edges of the drawing.
func (b *Bars) place(values []float64, left, right float64) {
	least, most := 0.0, 0.0
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	scale := 0.0
	if most > least {
		scale = (right - left) / (most - least)
	}
	b.Zero = left - least*scale
	for i, v := range values {
		row := &b.Rows[i]
		row.Y = float64(i*barStep) + 4
		row.Text = row.Y + barHeight - 2
		if row.W = math.Abs(v) * scale; v != 0 {
			row.W = max(row.W, 1.5) // what there is shows
		}
		row.X = b.Zero
		if v < 0 {
			row.X -= row.W
			row.Losing = true
		}
		row.NameX, row.ValueX = left-8, chartWidth
	}
	b.Height = len(values)*barStep + 8
}

// distributionChart draws how likely each net result is.
func distributionChart(b odds.Bet, a *odds.Analysis) *Bars {
	c := &Bars{
		ID: "distribution-" + b.String(), Title: b.Name() + ": distribution of the net result",
		Desc: "One bar for each net result of a round, as long as its probability. The table beside it has the figures.",
	}
	var values []float64
	for _, out := range likeliest(a, mostOutcomes) {
		p := ratio(out.Ways, a.Total)
		c.Rows = append(c.Rows, Bar{Name: net(out.Net), Value: percent(p, 4), Folded: out.Net.Sign() <= 0})
		values = append(values, p.Float64())
	}
	c.place(values, 70, 272)
	return c
}

// likeliest returns the n likeliest results in their own order.
func likeliest(a *odds.Analysis, n int) []odds.Outcome {
	if len(a.Distribution) <= n {
		return a.Distribution
	}
	at := make([]int, len(a.Distribution))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(x, y int) int { return a.Distribution[y].Ways.Cmp(a.Distribution[x].Ways) })
	at = at[:n]
	slices.Sort(at)
	out := make([]odds.Outcome, n)
	for i, x := range at {
		out[i] = a.Distribution[x]
	}
	return out
}

// contributionChart draws what each row adds to the expectation.
func contributionChart(b odds.Bet, a *odds.Analysis, rows []line) *Bars {
	c := &Bars{
		ID: "contribution-" + b.String(), Title: b.Name() + ": what each row adds to the expectation",
		Desc: "One bar for each row of the pay table or end of a line: to the right what the player gains by it on average, to the left what the player loses.",
	}
	var values []float64
	for _, l := range rows {
		bar := Bar{Name: l.name, Value: signed(l.Contribution, 5)}
		if slices.ContainsFunc(rows, func(m line) bool { return m.name == l.name && m.Wager != l.Wager }) {
			bar.Wager = l.Wager.Name()
		}
		c.Rows = append(c.Rows, bar)
		values = append(values, l.Contribution.Float64())
	}
	c.place(values, 142, 292)
	return c
}

// Curve is the expectation of the progressive against its meter, in the units of
// a drawing that is 360 wide.
type Curve struct {
	ID, Title, Desc        string
	Height                 float64
	X1, Y1, X2, Y2         float64 // the line
	Left, Right, Top, Base float64 // the frame
	Zero                   float64 // where an expectation of nothing is
	Across, Up             []Tick
	// Even is the meter at which the bet is fair, nil where it is not in the
	// frame; Now is the meter of the report.
	Even *Tick
	Now  Tick
}

// Tick is a mark on an axis or in the frame, labelled with a sum of money.
type Tick struct {
	At, Y float64
	Label string
	End   string // which side of the mark its label is on, as SVG has it
}

// meterChart draws the expectation of a progressive bet against the meter.
func (r *Report) meterChart() *Curve {
	a := r.Wagers[odds.Progressive]
	if a == nil || a.Jackpot == nil {
		return nil
	}
	j := a.Jackpot
	all := r.meters()
	if len(all) < 2 {
		return nil
	}
	from, to := all[0], all[len(all)-1]
	low, high := j.Expect(from).Float64(), j.Expect(to).Float64()
	floor, ceiling := min(low, 0), max(high, 0)
	if ceiling == floor {
		ceiling = floor + 1
	}
	c := &Curve{
		ID: "meter", Title: "Progressive Jackpot: expectation of one bet against the meter",
		Desc:   fmt.Sprintf("A rising straight line from %s at a meter of $%s to %s at $%s.", dollarText(low), from.Display(), dollarText(high), to.Display()),
		Height: 230, Left: 46, Right: 346, Top: 14, Base: 196,
	}
	x := func(m money.Amount) float64 {
		return c.Left + (c.Right-c.Left)*float64(m-from)/float64(to-from)
	}
	y := func(e float64) float64 {
		return c.Base - (c.Base-c.Top)*(e-floor)/(ceiling-floor)
	}
	c.X1, c.Y1, c.X2, c.Y2 = x(from), y(low), x(to), y(high)
	c.Zero = y(0)
	step := niceStep((to - from) / 6)
	for m := (from + step - 1) / step * step; m <= to; m += step {
		c.Across = append(c.Across, Tick{At: x(m), Label: shortDollars(m)})
	}
	rise := niceFloat((ceiling - floor) / 5)
	for e := math.Ceil(floor/rise) * rise; e <= ceiling+rise/1e6; e += rise {
		c.Up = append(c.Up, Tick{At: y(e), Label: dollarText(e)})
	}
	beside := func(at float64) string {
		if at > (c.Left+c.Right)/2 {
			return "end"
		}
		return "start"
	}
	c.Now = Tick{At: x(j.Meter), Y: y(j.Expect(j.Meter).Float64()), Label: "$" + j.Meter.Display(), End: beside(x(j.Meter))}
	if j.BreakEven != nil {
		if even, ok := amountOf(*j.BreakEven); ok && even >= from && even <= to {
			c.Even = &Tick{At: x(even), Y: c.Zero, Label: sum(*j.BreakEven), End: beside(x(even))}
		}
	}
	return c
}

// niceFloat returns the next step of 1, 2 or 5 times a power of ten.
func niceFloat(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= least*(1-1e-9) {
			return n * power
		}
	}
	return 10 * power
}

func dollarText(x float64) string {
	if math.Abs(x) < 1e-9 {
		return "$0"
	}
	sign := ""
	if x < 0 {
		sign, x = "−", -x
	}
	text := new(big.Float).SetFloat64(math.Round(x*100)/100).Text('f', 2)
	if x == math.Trunc(x) {
		text = commas(new(big.Float).SetFloat64(x).Text('f', 0))
	}
	return sign + "$" + text
}

// shortDollars writes a meter on an axis: $80k, $1.5m.
func shortDollars(m money.Amount) string {
	x := float64(m) / float64(money.Major)
	switch {
	case x >= 1e6:
		return fmt.Sprintf("$%gm", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("$%gk", x/1e3)
	}
	return fmt.Sprintf("$%g", x)
}
