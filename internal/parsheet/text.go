package parsheet

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"trey/internal/paragraph"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// columns is the width of a plain terminal.
const columns = 80

// page is text of at most 80 columns in the making.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	p.WriteByte('\n')
}

// wrap prints a paragraph in lines of at most the width.
func (p *page) wrap(indent int, text string) { p.hang(indent, indent, text) }

// hang prints a paragraph whose later lines are indented by themselves.
func (p *page) hang(indent, later int, text string) {
	p.WriteString(paragraph.Hang(columns, indent, later, text))
}

// between prints two texts at the two ends of a line.
func (p *page) between(left, right string) {
	gap := columns - utf8.RuneCountInString(left) - utf8.RuneCountInString(right)
	if gap < 2 {
		p.wrap(0, left)
		p.wrap(0, right)
		return
	}
	p.line("%s%s%s", left, strings.Repeat(" ", gap), right)
}

// heading prints the title of a section.
func (p *page) heading(title, note string) {
	p.WriteByte('\n')
	p.between(strings.ToUpper(title), note)
	p.line("%s", strings.Repeat("-", columns))
}

// text prints the head of a report.
func (h *Head) text(p *page, what string) {
	p.between(what+": "+h.Title, h.Book)
	p.between(h.name()+", hash "+rules.ShortHash(h.Hash), h.Version)
	for i, remark := range h.Remarks {
		if i == 0 {
			p.WriteByte('\n')
		}
		p.hang(0, 2, "! "+remark)
	}
}

// name says in words what is analysed.
func (h *Head) name() string {
	switch {
	case !h.Changed:
		return "the book as it stands"
	case h.Variant != h.Book:
		return "variant " + h.Variant
	}
	return "a variant of the book"
}

// rulings prints the rulings in force.
func (h *Head) rulings(p *page) {
	p.heading("Rulings in force", "* not the default")
	for _, r := range h.Rulings {
		mark := " "
		if !r.Default {
			mark = "*"
		}
		var answer page
		answer.wrap(27, r.InForce)
		p.WriteString(fmt.Sprintf("%s %-24s ", mark, r.Key) + strings.TrimLeft(answer.String(), " "))
	}
	p.WriteByte('\n')
	if slices.ContainsFunc(h.Rulings, func(r Ruling) bool { return r.Key == rules.EnvyTwoBets.String() }) {
		p.wrap(0, "Envy Bonuses are those of a player with one box, where `"+rules.EnvyTwoBets.String()+"` changes no figure.")
	}
	if slices.ContainsFunc(h.Rulings, func(r Ruling) bool { return r.Key == rules.AnteBesideBonus.String() && r.InForce == rules.No.String() }) {
		p.wrap(0, "Ante and Play are those of a player without a Bonus bet. Beside one, `"+rules.AnteBesideBonus.String()+"` pays less: `trey odds joint "+idOf(h.Book)+"` has the figures.")
	}
	p.wrap(0, "`trey rules "+idOf(h.Book)+"` has the questions. All figures are exact and rounded only in print; `--format json` has the fractions.")
}

// Text prints the report for people, in at most 80 columns.
func (r *Report) Text() []byte {
	p := &page{}
	r.text(p, "Par sheet")
	p.WriteByte('\n')
	p.line("%-22s %10s %10s %10s %10s %12s", "", "house", "element", "hit", "net", "standard")
	p.line("%-22s %10s %10s %10s %10s %12s", "", "edge", "of risk", "frequency", "win", "deviation")
	for _, b := range r.order {
		a := r.Wagers[b]
		p.line("%-22s %10s %10s %10s %10s %12s", b.Name(), percentIn(10, a.HouseEdge, 4), percentIn(10, a.ElementOfRisk, 4),
			percent(a.HitFrequency, 2), percent(a.NetWin, 2), deviation(a))
	}
	if r.Others > 0 {
		p.WriteByte('\n')
		p.wrap(0, fmt.Sprintf("Beside %s in the round, whose hands may bring an Envy Bonus.", count(r.Others, "other box", "other boxes")))
	}
	if r.Meter != "" {
		p.WriteByte('\n')
		p.wrap(0, "With the meter at $"+r.Wagers[odds.Progressive].Jackpot.Meter.Display()+".")
	}
	p.heading("Game", "")
	for i := range r.Game {
		p.line("%-34s %s", r.Game[i].Label(), r.Game[i].Value)
	}
	for _, b := range r.order {
		r.wager(p, b)
	}
	r.rulings(p)
	return p.Bytes()
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (r *Report) wager(p *page, b odds.Bet) {
	a := r.Wagers[b]
	p.heading(b.Name(), unitName(b, a).String())
	p.figures(a)
	p.WriteByte('\n')
	p.rows(merged(r.variant, a), a)
	p.WriteByte('\n')
	p.distribution(a)
	if a.Strategy != nil {
		p.WriteByte('\n')
		p.strategy(a.Strategy, anteAlone)
	}
	if a.Jackpot != nil {
		p.WriteByte('\n')
		r.jackpot(p, a.Jackpot)
	}
}

// figures prints the figures of a bet in two columns.
func (p *page) figures(a *odds.Analysis) {
	pairs := figurePairs(a)
	for i := 0; i < len(pairs); i += 2 {
		p.line("%-20s %16s    %-20s %16s", pairs[i][0], pairs[i][1], pairs[i+1][0], pairs[i+1][1])
	}
	if exact := exactEdge(a); exact != "" {
		p.line("%-20s %s", "House edge, exactly", exact)
	}
}

// figureWidth is the room for a figure in a list of two columns.
const figureWidth = 16

// figurePairs names the figures of a bet and writes them for people.
func figurePairs(a *odds.Analysis) [][2]string {
	return [][2]string{
		{"House edge", percentIn(figureWidth, a.HouseEdge, 6)},
		{"Return", percentIn(figureWidth, a.Return, 6)},
		{"Element of risk", percentIn(figureWidth, a.ElementOfRisk, 6)},
		{"Average total wager", decimalIn(figureWidth, a.AverageWager, 6)},
		{"Hit frequency", percentIn(figureWidth, a.HitFrequency, 6)},
		{"Hit, 1 in", never(oneIn(figureWidth, a.HitFrequency))},
		{"Net win", percentIn(figureWidth, a.NetWin, 6)},
		{"Net win, 1 in", never(oneIn(figureWidth, a.NetWin))},
		{"Push", percentIn(figureWidth, a.Push, 6)},
		{"Net loss", percentIn(figureWidth, a.NetLoss, 6)},
		{"Expectation", signedIn(figureWidth, a.Expectation, 6)},
		{"Variance", decimalIn(figureWidth, a.Variance, 6)},
		{"Standard deviation", shortIn(figureWidth, a.StdDev, 6)},
		{"Volatility index", shortIn(figureWidth, a.VolatilityIndex, 6)},
		{"Skewness", shortIn(figureWidth, a.Skewness, 4)},
		{"Kurtosis", kurtosis(a)},
	}
}

// exactEdge writes the house edge as a fraction, if it fits on a line.
func exactEdge(a *odds.Analysis) string {
	if exact := a.HouseEdge.String(); len(exact) <= 56 {
		return exact
	}
	return ""
}

// deviation writes the standard deviation in the unit of the bet.
func deviation(a *odds.Analysis) string {
	if a.Unit == odds.Currency {
		return "$" + shortIn(11, a.StdDev, 2)
	}
	return shortIn(12, a.StdDev, 4)
}

// kurtosis returns "none" for a bet that has only one result.
func kurtosis(a *odds.Analysis) string {
	if a.Variance.Sign() == 0 {
		return "none"
	}
	return decimalIn(figureWidth, a.Kurtosis, 4)
}

// never writes "never" for a chance of zero, which has no 1 in N.
func never(oneIn string) string {
	if oneIn == "" {
		return "never"
	}
	return oneIn
}

// rows prints the pay table, or the ways in which each line ends.
func (p *page) rows(rows []line, a *odds.Analysis) {
	p.line("%-34s %7s %11s %8s %7s %8s", "", "pays", "ways", "prob.", "1 in", "adds")
	var last rules.Wager
	several := ofSeveral(rows)
	for _, l := range rows {
		name, likely := l.name, percentIn(8, l.Probability, 4)
		if l.Wager == rules.Envy {
			name, likely = strings.TrimSuffix(name, otherBox), decimalIn(8, l.Probability, 7)
		}
		if several {
			if l.Wager != last {
				head := l.Wager.Name()
				if l.Wager == rules.Envy {
					head += " for hands of other boxes: expected number, not a probability"
				}
				p.line("%s", head)
				last = l.Wager
			}
			name = "  " + name
		}
		gap := max(rowWidth-utf8.RuneCountInString(name)-len(l.Clause), 1)
		p.line("%s%s%s %7s %11s %8s %7s %8s", name, strings.Repeat(" ", gap), l.Clause,
			pays(7, l.Row), grouped(l.Ways), likely, l.oneIn(7), signedIn(8, l.Contribution, 5))
	}
	p.line("%-34s %7s %11s %8s %7s %8s", "All deals", "", grouped(a.Total), "", "", signedIn(8, a.Expectation, 5))
}

// rowWidth is the room for the name of a row and its clause.
const rowWidth = 34

// oneIn writes the chance of a row as the N of "1 in N"; an expected number of
// Envy Bonuses is none.
func (l *line) oneIn(width int) string {
	if l.Wager == rules.Envy {
		return ""
	}
	return oneIn(width, l.Probability)
}

// pays writes what a row pays beside the stake; a line that is not paid has no
// pay.
func pays(width int, row *odds.Row) string {
	if row.Result != rules.Win {
		return ""
	}
	return netIn(width, row.Pays)
}

// mostOutcomes is the number of results of a round that the text lists.
const mostOutcomes = 24

// barWidth is the length of the bar of the likeliest result.
const barWidth = 26

// distribution prints the results with a bar each.
func (p *page) distribution(a *odds.Analysis) {
	listed := likeliest(a, mostOutcomes)
	most := new(big.Int)
	for _, out := range listed {
		if out.Ways.Cmp(most) > 0 {
			most = out.Ways
		}
	}
	p.line("%15s %15s %14s", "net result", "ways", "probability")
	for _, out := range listed {
		eighths := new(big.Int).Mul(out.Ways, big.NewInt(8*barWidth))
		eighths.Add(eighths, most).Sub(eighths, big.NewInt(1)).Quo(eighths, most) // rounded up: what can happen shows
		p.line("%15s %15s %14s  %s", netIn(15, out.Net), grouped(out.Ways), percent(ratio(out.Ways, a.Total), 6), bar(int(eighths.Int64())))
	}
	if n := len(a.Distribution) - len(listed); n > 0 {
		p.line("%15s   (`--format json` lists them)", fmt.Sprintf("%d rarer", n))
	}
}

// bar draws a bar so many eighths of a column long.
func bar(eighths int) string {
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}

// anteAlone names the stakes of the strategy on a par sheet.
const anteAlone = "the Ante alone"

// strategy prints what to do with those stakes, and what simpler rules cost.
func (p *page) strategy(s *odds.Strategy, stakes string) {
	p.wrap(0, strategyText(s, stakes, s.Cost))
	p.line("%-40s %14s %14s", "Simpler rules", "house edge", "cost")
	for _, alt := range s.Alternatives {
		p.line("  %-38s %14s %14s", alt.Rule, percentIn(14, alt.HouseEdge, 4), percentIn(14, alt.Cost, 4))
	}
}

// strategyText writes the best strategy for those stakes, and what its rule costs of the Ante.
func strategyText(s *odds.Strategy, stakes string, cost odds.Fraction) string {
	text := "Play " + s.Rule + ", fold what is less: "
	switch s.Rule {
	case "always play":
		text = "Play every hand: "
	case "always fold":
		text = "Fold every hand: "
	}
	if s.Exact {
		text += "for " + stakes + " this is optimal on every one of the 22,100 hands"
	} else {
		text += "for " + stakes + " this costs " + percent(cost, 6) + " of the Ante against deciding each hand by itself"
	}
	text += fmt.Sprintf(". %s are played.", commas(fmt.Sprint(s.Played)))
	if s.Indifferent > 0 {
		text += fmt.Sprintf(" On %s both choices are worth the same.", commas(fmt.Sprint(s.Indifferent)))
	}
	if c := s.Claim; c != nil {
		text += fmt.Sprintf(" Folding also loses the claim of a %s bet to Envy Bonuses: beside %s, %s is worth playing with an Ante below %s. `trey odds strategy --stake --others` counts the claim.",
			c.Bet.Name(), count(c.Others, "other box", "other boxes"), c.Rank, sum(c.Ante))
	}
	return text
}

// jackpot prints the figures of the meter.
func (r *Report) jackpot(p *page, j *odds.Jackpot) {
	for _, pair := range jackpotPairs(j) {
		p.line("%-28s %s", pair[0], pair[1])
	}
	p.WriteByte('\n')
	p.line("%18s %16s %14s", "meter", "a bet changes", "house edge")
	for _, m := range r.meters() {
		e := j.Expect(m)
		p.line("%18s %16s %14s  %s", "$"+m.Display(), change(e, 4), percent(minus(over(e, units(r.variant.Jackpot.Bet))), 3), r.meterNote(m))
	}
}

// meterNote returns a note on what is particular about a meter.
func (r *Report) meterNote(m money.Amount) string {
	j := r.Wagers[odds.Progressive].Jackpot
	switch {
	case j.BreakEven != nil && r.isBreakEven(m):
		return "break-even"
	case m == j.Meter:
		return "this report"
	}
	return ""
}

// jackpotPairs names the figures of the meter and writes them for people.
func jackpotPairs(j *odds.Jackpot) [][2]string {
	even := "none: no row pays the meter"
	if j.BreakEven != nil {
		even = sum(*j.BreakEven)
		if j.BreakEven.Sign() < 0 {
			even = "none needed: the fixed pays are enough"
		}
	}
	pairs := [][2]string{
		{"Meter", "$" + j.Meter.Display()},
		{"Break-even meter", even},
		{"Fixed pays return", sum4(j.Fixed)},
		{"Envy Bonuses bring", sum4(j.Envy)},
		{"Stake comes back", sum4(j.Back)},
		{"$1,000 on the meter adds", sum4(times(j.PerUnit, 1000))},
		{"Return at the reset value", percent(j.AtReset, 4)},
		{"Return in the long run", percent(j.LongRun, 4)},
		{"Each bet adds to the meter", sum(j.Contribution)},
	}
	if j.BetsBetweenHits.Sign() > 0 {
		pairs = append(
			pairs,
			[2]string{"Bets from hit to hit", net(j.BetsBetweenHits)},
			[2]string{"Mean meter at a hit", money2(j.MeterAtHit)},
		)
		for _, q := range []struct {
			name string
			at   int64
		}{{"Half of all hits come by", 2}, {"Nine in ten hits come by", 10}} {
			chance := odds.FractionOf(big.NewRat(q.at-1, q.at))
			if bets, meter, err := j.Quantile(chance); err == nil {
				pairs = append(pairs, [2]string{q.name, sum(meter) + ", " + commas(fmt.Sprint(bets)) + " bets"})
			}
		}
	}
	return pairs
}
