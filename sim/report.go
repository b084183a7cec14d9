package sim

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"slices"

	"trey/money"
	"trey/odds"
	"trey/rules"
)

// Report holds the results of a simulation, beside the exact figures.
type Report struct {
	// Book is the book's full name, Variant the operator's name for what is
	// derived from it, and Hash says exactly what was played.
	Book    string `json:"book"`
	Variant string `json:"variant"`
	Hash    string `json:"hash"`
	// Engine says that whole rounds went through the engine.
	Engine bool   `json:"engine"`
	Seed   uint64 `json:"seed"`
	// Rounds is how many rounds were played, Asked how many were wanted; there
	// are fewer if the run was interrupted.
	Rounds int64 `json:"rounds"`
	Asked  int64 `json:"asked"`
	Boxes  int   `json:"boxes"`
	// Strategy says which hands were played, empty where there is no decision.
	Strategy string `json:"strategy,omitempty"`
	// Meter is what the jackpot displayed, zero where there is none.
	Meter money.Amount `json:"-"`
	Bets  []BetReport  `json:"bets"`
	// Verdict is what all tests together say.
	Verdict Verdict `json:"verdict"`
}

// BetReport is one bet. Means are in Unit.
type BetReport struct {
	Bet   odds.Bet     `json:"bet"`
	Unit  odds.Unit    `json:"unit"`
	Stake money.Amount `json:"-"`
	// Mean is the average net result, StdErr its standard error, and Low to
	// High the interval in which 95 of 100 simulations have the true mean. It
	// rests on the normal distribution: for a jackpot it means little before
	// the jackpot has been hit many times.
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"std_err"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Exact is the exact mean, nil where Why says that there is none.
	Exact *odds.Fraction `json:"exact"`
	Why   string         `json:"why,omitempty"`
	// Nets counts net results, Lines holds a table for each wager of the bet
	// that counts how its lines end.
	Nets  Table   `json:"nets"`
	Lines []Table `json:"lines"`
}

// Table counts the outcomes of one box a round, and tests them.
type Table struct {
	// Wager is whose lines are counted; zero in a table of net results.
	Wager rules.Wager `json:"wager,omitempty"`
	Rows  []Row       `json:"rows"`
	// Tested says that the rows exclude each other, so that there is a test.
	Tested bool `json:"tested"`
	// ChiSquare has rare rows as one; P is the chance of one as large.
	ChiSquare float64 `json:"chi_square"`
	Degrees   int     `json:"degrees_of_freedom"`
	P         float64 `json:"p"`
}

// Row is one outcome.
type Row struct {
	// Net is what it changes, in the unit of the bet.
	Net odds.Fraction `json:"net"`
	// Result, Combo, Clause and Folded describe the line. All are empty in a table of
	// net results, and where the wager has no line in the round.
	Result rules.Result `json:"-"`
	Combo  rules.Combo  `json:"combo,omitempty"`
	Clause string       `json:"clause,omitempty"`
	Folded bool         `json:"folded,omitempty"`
	// Seen is how often it came, Expected how often it should on average,
	// Probability its exact chance in one round. Several Envy Bonuses can come in a
	// round: there it is their expected number, and JSON calls it expected_number.
	Seen        int64         `json:"seen"`
	Expected    float64       `json:"expected"`
	Probability odds.Fraction `json:"probability"`
	// Share is the row's part of the chi-square if it stood alone in it.
	Share float64 `json:"share"`
	// Rare rows are judged by P, the chance of a count as far from what is
	// expected; the others by the chi-square of the table.
	Rare bool    `json:"rare"`
	P    float64 `json:"p"`

	envy bool
}

// Verdict is the outcome of all tests.
type Verdict struct {
	// Consistent says that no test found what chance would not bring.
	Consistent bool `json:"consistent"`
	// Tests is how many there were. Each must be less likely than Bound, which
	// is Level over Tests, to be held against the simulation; so one in
	// 1/Level fair simulations, at most, is wrongly called inconsistent.
	Tests int     `json:"tests"`
	Level float64 `json:"level"`
	Bound float64 `json:"bound"`
	// LeastP is the least chance that any test found, and Where says in what.
	LeastP float64 `json:"least_p"`
	Where  string  `json:"where,omitempty"`
}

// Level is the chance with which a fair simulation is called inconsistent.
const Level = 0.001

// report makes the report from what was counted.
func (p *planned) report(tallies []*tally, played int64) *Report {
	r := &Report{
		Book: p.v.Book.Ref(), Variant: p.v.ID, Hash: p.v.Hash(), Engine: p.engine,
		Seed: p.o.Seed, Rounds: played, Asked: p.o.Rounds, Boxes: p.o.Boxes, Strategy: p.strategy,
	}
	if p.v.Jackpot != nil {
		r.Meter = p.o.Meter
	}
	for i := range p.bets {
		r.Bets = append(r.Bets, p.betReport(&p.bets[i], tallies[i], played))
	}
	r.judge()
	return r
}

func (p *planned) betReport(b *planBet, t *tally, played int64) BetReport {
	r := BetReport{Bet: b.bet, Unit: odds.Stakes, Stake: b.stake, Why: b.why}
	if b.bet == odds.Progressive {
		r.Unit = odds.Currency
	}
	r.average(t.sums, played, int64(p.o.Boxes), b.unit)
	if b.exact != nil {
		mean := b.exact.Expectation
		r.Exact = &mean
	}
	r.Nets = b.netTable(t, played)
	for _, w := range p.v.Book.Order.Lines {
		if table := p.lineTable(b, t, w, played); len(table.Rows) > 0 {
			r.Lines = append(r.Lines, table)
		}
	}
	return r
}

// average works out the mean of one box from the sums of all boxes of a round.
// The sums are integers, so nothing is lost before the last division.
func (r *BetReport) average(sums map[int64]int64, played, boxes, unit int64) {
	if played == 0 {
		return
	}
	first, second := new(big.Int), new(big.Int)
	for sum, n := range sums {
		x, times := big.NewInt(sum), big.NewInt(n)
		times.Mul(times, x)
		first.Add(first, times)
		second.Add(second, times.Mul(times, x))
	}
	n := big.NewInt(played)
	scale := big.NewInt(boxes * unit)
	r.Mean, _ = new(big.Rat).SetFrac(first, new(big.Int).Mul(n, scale)).Float64()
	r.Low, r.High = r.Mean, r.Mean
	if played > 1 {
		// The variance of the mean is (n S2 - S1^2) / (n^2 (n-1)).
		second.Mul(second, n).Sub(second, new(big.Int).Mul(first, first))
		below := new(big.Int).Mul(n, n)
		below.Mul(below, big.NewInt(played-1)).Mul(below, scale).Mul(below, scale)
		variance, _ := new(big.Rat).SetFrac(second, below).Float64()
		r.StdErr = math.Sqrt(variance)
		r.Low, r.High = r.Mean-normal95*r.StdErr, r.Mean+normal95*r.StdErr
	}
}

// netTable sets the net results against the exact distribution.
func (b *planBet) netTable(t *tally, played int64) Table {
	chances := map[int64]*big.Rat{}
	if b.exact != nil {
		for _, out := range b.exact.Distribution {
			chances[minor(out.Net, b.unit)] = new(big.Rat).SetFrac(out.Ways, b.exact.Total)
		}
	}
	table := Table{Tested: b.exact != nil}
	for _, net := range keysOf(t.nets, chances) {
		row := Row{Net: fraction(net, b.unit)}
		row.compare(t.nets[net], chances[net], played)
		table.Rows = append(table.Rows, row)
	}
	slices.SortFunc(table.Rows, func(x, y Row) int { return x.Net.Cmp(y.Net) })
	if table.Tested {
		table.goodness()
	}
	return table
}

// lineTable sets the lines of one wager against their exact probabilities. Of
// most wagers there is one line a round or none. Of the Envy Bonus there may be
// several, so its rows are counted but not tested; the net results are.
func (p *planned) lineTable(b *planBet, t *tally, w rules.Wager, played int64) Table {
	chances := map[rowKey]*big.Rat{}
	if b.exact != nil {
		for i := range b.exact.Rows {
			r := &b.exact.Rows[i]
			if r.Wager != w {
				continue
			}
			key := p.key(b.bet, rowKey{w, r.Result, r.Combo, r.Clause, minor(r.Net, b.unit), r.Folded})
			if chances[key] == nil {
				chances[key] = new(big.Rat)
			}
			chances[key].Add(chances[key], r.Probability.Rat())
		}
	}
	table := Table{Wager: w, Tested: b.exact != nil && w != rules.Envy}
	none := big.NewRat(1, 1)
	left := played
	seen := map[rowKey]int64{}
	for key, n := range t.rows {
		if key.wager == w {
			seen[key] = n
		}
	}
	for _, key := range keysOf(seen, chances) {
		row := Row{Net: fraction(key.net, b.unit), Result: key.result, Combo: key.combo, Clause: key.clause, Folded: key.folded, envy: w == rules.Envy}
		row.compare(seen[key], chances[key], played)
		left -= seen[key]
		if chances[key] != nil {
			none.Sub(none, chances[key])
		}
		table.Rows = append(table.Rows, row)
	}
	slices.SortFunc(table.Rows, func(x, y Row) int {
		return cmp.Or(
			-x.Net.Cmp(y.Net), cmp.Compare(x.Combo, y.Combo), cmp.Compare(x.Clause, y.Clause),
			cmp.Compare(x.Result, y.Result))
	})
	if !table.Tested || len(table.Rows) == 0 {
		return table
	}
	if none.Sign() != 0 || left != 0 {
		var row Row
		row.compare(left, none, played)
		table.Rows = append(table.Rows, row)
	}
	table.goodness()
	return table
}

// compare fills in a row's figures; chance is nil for what cannot occur.
func (r *Row) compare(seen int64, chance *big.Rat, played int64) {
	r.Seen, r.P = seen, 1
	if chance == nil {
		return
	}
	r.Probability = odds.FractionOf(chance)
	expected := new(big.Rat).Mul(chance, new(big.Rat).SetInt64(played))
	r.Expected, _ = expected.Float64()
	if r.Expected > 0 {
		off, _ := new(big.Rat).Sub(new(big.Rat).SetInt64(seen), expected).Float64()
		r.Share = off * off / r.Expected
	}
}

// judge gathers all tests into the verdict. With m tests each may fail by
// chance, so each is held to a bound m times as strict (Bonferroni).
func (r *Report) judge() {
	v := Verdict{Level: Level, LeastP: 1}
	test := func(p float64, where string) {
		v.Tests++
		if p < v.LeastP {
			v.LeastP, v.Where = p, where
		}
	}
	for i := range r.Bets {
		b := &r.Bets[i]
		tables := append([]Table{b.Nets}, b.Lines...)
		for k := range tables {
			t := &tables[k]
			if !t.Tested {
				continue
			}
			where := "net results of " + b.Bet.Name()
			if t.Wager != 0 {
				where = "lines of " + t.Wager.Name()
			}
			if t.Degrees > 0 {
				test(t.P, where)
			}
			for _, row := range t.Rows {
				if row.Rare {
					test(row.P, where+", the rare rows")
				}
			}
		}
	}
	v.Bound = Level / float64(max(v.Tests, 1))
	v.Consistent = v.LeastP >= v.Bound
	r.Verdict = v
}

// Complete reports whether all rounds that were asked for were played.
func (r *Report) Complete() bool { return r.Rounds == r.Asked }

func fraction(minorUnits, unit int64) odds.Fraction {
	return odds.FractionOf(big.NewRat(minorUnits, unit))
}

// minor reverses fraction. Results of a bet are whole minor units.
func minor(f odds.Fraction, unit int64) int64 {
	return new(big.Rat).Mul(f.Rat(), new(big.Rat).SetInt64(unit)).Num().Int64()
}

// keysOf lists the keys that either map has, in no order.
func keysOf[K comparable](a map[K]int64, b map[K]*big.Rat) []K {
	var keys []K
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// MarshalJSON writes the row with its result by key, empty where there is none.
func (r Row) MarshalJSON() ([]byte, error) {
	type plain Row
	result := ""
	if r.Result != 0 {
		result = r.Result.String()
	}
	if r.envy {
		return json.Marshal(struct {
			Result string `json:"result,omitempty"`
			plain
			Probability *string       `json:"probability,omitempty"`
			Number      odds.Fraction `json:"expected_number"`
		}{Result: result, plain: plain(r), Number: r.Probability})
	}
	return json.Marshal(struct {
		Result string `json:"result,omitempty"`
		plain
	}{result, plain(r)})
}

// MarshalJSON writes the table with its wager by key, empty for net results.
func (t Table) MarshalJSON() ([]byte, error) {
	type plain Table
	wager := ""
	if t.Wager != 0 {
		wager = t.Wager.String()
	}
	return json.Marshal(struct {
		Wager string `json:"wager,omitempty"`
		plain
	}{wager, plain(t)})
}

// MarshalJSON writes the report with its meter in currency, where it has one.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report
	meter := ""
	if r.Meter != 0 {
		meter = r.Meter.String()
	}
	return json.Marshal(struct {
		*plain
		Meter string `json:"meter,omitempty"`
	}{(*plain)(r), meter})
}

// MarshalJSON writes the bet with its stake in currency.
func (b BetReport) MarshalJSON() ([]byte, error) {
	type plain BetReport
	return json.Marshal(struct {
		plain
		Stake string `json:"stake"`
	}{plain(b), b.Stake.String()})
}
