// Package parsheet presents the exact mathematics of package odds: par sheets
// as text of at most 80 columns, JSON, CSV, a spreadsheet with live formulas and
// a page that prints; and as text and JSON what a hand, a session or several
// bets together come to.
//
// It computes nothing that package odds knows, and rounds only what it shows.
// It opens no file: whoever calls it writes the bytes.
package parsheet

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/sentence"
)

// Head is the head of every report: what was analysed, under which rulings, and by which
// program.
type Head struct {
	// Book is the book's full name, Title the game's name with the house's.
	Book  string `json:"book"`
	Title string `json:"title"`
	// Version is the program's.
	Version string `json:"version"`
	// Variant is the operator's name for what is analysed, the book's own if it
	// is unchanged; Hash says exactly what was analysed.
	Variant string `json:"variant"`
	Hash    string `json:"hash"`
	// Changed reports whether it plays differently from the book as it stands.
	Changed bool `json:"changed"`
	// Rulings are the points that the text leaves open, as they are in force.
	Rulings []Ruling `json:"rulings"`
	// Remarks say what is allowed but must not go by unnoticed, such as a table
	// that favours the player.
	Remarks []string `json:"remarks"`
	// Said are those of them that the figures bring about, as sentences.
	Said []sentence.Sentence `json:"-"`
}

// Ruling is an open point of the text and what is in force about it.
type Ruling struct {
	Key      string `json:"ruling"`
	Question string `json:"question"`
	InForce  string `json:"in_force"`
	// Default reports whether that is what holds if nobody says anything.
	Default bool `json:"default"`
}

// Report is a par sheet with all that must stand on it.
type Report struct {
	Head
	// Others is how many other boxes are in the round, Meter the displayed
	// jackpot in currency, empty where there is none.
	Others int    `json:"others"`
	Meter  string `json:"meter,omitempty"`
	// Game is the parameters that the figures follow from.
	Game []Parameter `json:"game"`
	// Wagers holds the analyses by bet.
	Wagers map[odds.Bet]*odds.Analysis `json:"wagers"`

	order   []odds.Bet
	variant *rules.Variant
}

// NewHead describes a variant. The version is the program's; the remarks are
// those that reading the variant brought up.
func NewHead(v *rules.Variant, version string, remarks []string) Head {
	h := Head{
		Book: v.Book.Ref(), Title: v.Book.Title + ", " + v.Book.House, Version: version,
		Variant: v.ID, Hash: v.Hash(), Remarks: append([]string{}, remarks...),
	}
	standard := v.Book.Standard()
	h.Changed = h.Hash != standard.Hash()
	for _, r := range v.Book.Open() {
		h.Rulings = append(h.Rulings, Ruling{r.String(), r.Rule().Question, v.Choices[r].String(), v.Choices[r] == r.Rule().Choices[0]})
	}
	for _, r := range v.Book.Readings {
		if r.Stated() {
			answer := r.Answer(v)
			h.Rulings = append(h.Rulings, Ruling{r.Key, r.Question, answer, answer == r.Answer(standard)})
		}
	}
	return h
}

// NewReport makes the report of a par sheet of the variant.
func NewReport(v *rules.Variant, s *odds.Sheet, version string, remarks []string) *Report {
	r := &Report{Others: s.Others, Game: game(v, s), Wagers: s.Wagers, order: s.Order, variant: v}
	var favours []string
	var said []sentence.Sentence
	for _, b := range s.Order {
		if edge := s.Wagers[b].HouseEdge; edge.Sign() < 0 {
			said = append(said, r.favours(b, edge))
			favours = append(favours, said[len(said)-1].String())
		}
	}
	r.Head = NewHead(v, version, append(favours, remarks...))
	r.Said = said
	if s.Wagers[odds.Progressive] != nil {
		r.Meter = s.Meter.String()
	}
	return r
}

// favours returns the remark on a bet whose house edge is below zero, with what it
// takes for that.
func (r *Report) favours(b odds.Bet, edge odds.Fraction) sentence.Sentence {
	var meter, beside sentence.Sentence
	if b == odds.Progressive {
		meter = sentence.Of(" with the meter at $%s", r.Wagers[b].Jackpot.Meter.Display())
	}
	if r.Others > 0 && r.variant.Book.Rule(b.Wager()).Envy {
		beside = sentence.Of(" beside %d other boxes", r.Others)
		if r.Others == 1 {
			beside = sentence.Of(" beside %d other box", r.Others)
		}
	}
	return sentence.Of("%s favours the player by %s%s%s", b, percentIn(24, minus(edge), 2), meter, beside)
}

// JSON writes the report as the documentation of `trey odds` has it.
func (r *Report) JSON() ([]byte, error) { return JSON(r) }

// JSON writes any report of this package in lines for people to read too.
func JSON(report any) ([]byte, error) {
	text, err := json.MarshalIndent(report, "", "  ")
	return append(text, '\n'), err
}

// line is one row of a pay table, or one way a line of the bet ends, in words.
type line struct {
	*odds.Row
	name string
}

// lines names the rows of an analysis.
func lines(v *rules.Variant, a *odds.Analysis) []line {
	out := make([]line, len(a.Rows))
	for i := range a.Rows {
		row := &a.Rows[i]
		out[i] = line{row, rowName(v, row)}
	}
	var alike []int
	for i := range out {
		l := &out[i]
		if l.Result == rules.Win && l.Combo == 0 && slices.ContainsFunc(out, func(m line) bool {
			return m.Wager == l.Wager && m.name == l.name && m.Row != l.Row
		}) {
			alike = append(alike, i)
		}
	}
	for _, i := range alike {
		out[i].name += ", " + winningHands(v, out[i].Row, a.Unit)
	}
	return out
}

// winningHands says for which hands a won line pays what it does: a bet against
// the dealer can pay some hands less than the others. The row of the pay table is
// the one whose odds are nearest, because a pay may be rounded.
func winningHands(v *rules.Variant, row *odds.Row, unit odds.Unit) string {
	best, least := rules.Combo(0), new(big.Rat)
	for _, r := range v.Pays[row.Wager].Rows {
		if r.Pay.Odds.For == 0 || unit != odds.Stakes {
			continue
		}
		off := new(big.Rat).Sub(row.Pays.Rat(), big.NewRat(r.Pay.Odds.To, r.Pay.Odds.For))
		if off.Abs(off); best == 0 || off.Cmp(least) < 0 {
			best, least = r.Combo, off
		}
	}
	if best == rules.AnyHand || best == 0 {
		return "other hands"
	}
	return strings.ToLower(best.Name())
}

// merged returns the lines with those merged that differ only in the player's own fold:
// an Envy Bonus is the same after a fold.
func merged(v *rules.Variant, a *odds.Analysis) []line {
	var out []line
	for _, l := range lines(v, a) {
		if n := len(out) - 1; n >= 0 && l.Wager == rules.Envy && sameEnvy(out[n].Row, l.Row) {
			both := *out[n].Row
			both.Ways = new(big.Int).Add(both.Ways, l.Ways)
			both.Probability = plus(both.Probability, l.Probability)
			both.Contribution = plus(both.Contribution, l.Contribution)
			out[n].Row = &both
			continue
		}
		out = append(out, l)
	}
	return out
}

// ofSeveral reports whether the rows are of more than one wager.
func ofSeveral(rows []line) bool {
	return slices.ContainsFunc(rows, func(l line) bool { return l.Wager != rows[0].Wager })
}

func sameEnvy(x, y *odds.Row) bool {
	return x.Wager == y.Wager && x.Combo == y.Combo && x.Clause == y.Clause && x.Net.Equal(y.Net) && x.Folded != y.Folded
}

func rowName(v *rules.Variant, row *odds.Row) string {
	rule := v.Book.Rule(row.Wager)
	switch {
	case row.Combo != 0 && row.Wager == rules.Envy:
		return row.Combo.Name() + otherBox
	case row.Combo != 0:
		return row.Combo.Name()
	case row.Folded:
		return "folded"
	case rule != nil && rule.Clauses.Unqual == row.Clause && rule.Clauses.Win != row.Clause:
		return resultNames[row.Result] + ", unqualified"
	}
	return resultNames[row.Result]
}

// otherBox follows the name of a hand that another box holds.
const otherBox = ", other box"

var resultNames = map[rules.Result]string{
	rules.Win: "won", rules.Lose: "lost", rules.Push: "stand-off", rules.GivenBack: "given back",
}

// unitName returns the unit in which net results of a bet are counted.
func unitName(b odds.Bet, a *odds.Analysis) sentence.Sentence {
	switch {
	case a.Unit == odds.Currency:
		return sentence.Of("in $, for a bet of $%s", a.Stake)
	case b == odds.AntePlay:
		return sentence.Of("in units of one Ante, for an Ante of $%s", a.Stake)
	}
	return sentence.Of("in units of the bet, for a bet of $%s", a.Stake)
}

// meters returns the displayed values to report: from the reset value to the ceiling, with the
// break-even meter and the meter analysed among them.
func (r *Report) meters() []money.Amount {
	terms, a := r.variant.Jackpot, r.Wagers[odds.Progressive]
	if terms == nil || a == nil || a.Jackpot == nil {
		return nil
	}
	j := a.Jackpot
	top := 4 * terms.Reset
	if j.BreakEven != nil {
		if even, ok := amountOf(*j.BreakEven); ok {
			top = max(top, even+even/2)
		}
	}
	top = max(min(top, terms.Ceiling), j.Meter, terms.Reset)
	step := niceStep((top - terms.Reset) / 6)
	all := []money.Amount{terms.Reset, j.Meter}
	for m := (terms.Reset/step + 1) * step; m <= top; m += step {
		all = append(all, m)
	}
	if j.BreakEven != nil {
		if even, ok := amountOf(*j.BreakEven); ok && even >= terms.Reset && even <= terms.Ceiling {
			all = append(all, even)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// niceStep returns the next step of 1, 2 or 5 times a power of ten dollars.
func niceStep(least money.Amount) money.Amount {
	for unit := money.Major; ; unit *= 10 {
		for _, n := range []money.Amount{1, 2, 5} {
			if n*unit >= least {
				return n * unit
			}
		}
	}
}

// isBreakEven reports whether a meter is the least at which the bet is fair.
func (r *Report) isBreakEven(m money.Amount) bool {
	j := r.Wagers[odds.Progressive].Jackpot
	even, ok := amountOf(*j.BreakEven)
	return ok && even == m
}
