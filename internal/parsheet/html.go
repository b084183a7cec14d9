package parsheet

import (
	"bytes"
	_ "embed"
	"html/template"

	"trey/odds"
	"trey/rules"
	"trey/sentence"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(pageStyle) },
	"short": Bar.Short,
}).Parse(pageText))

// View is the report worded for people: every figure is text that is ready to
// print, every chart is placed. The page is made of it, and whoever makes a page
// of another kind uses the same words.
type View struct {
	Head
	Name    string // what is analysed, in words
	Others  string // how many other boxes are in the round, empty for none
	Meter   string // the displayed jackpot, empty without one
	Summary []SummaryRow
	Game    []Parameter // what the figures follow from
	Wagers  []WagerView
	// Method says how it was counted, in pairs of a word and its explanation.
	Method [][2]sentence.Sentence
}

// SummaryRow is one bet in a line.
type SummaryRow struct {
	ID, Name                  string
	Edge, Risk, Hit, Win, Dev string
	Favours                   bool // the bet favours the player
}

// WagerView is all about one bet.
type WagerView struct {
	ID, Name string
	Unit     sentence.Sentence // what net results are counted in
	// Figures are pairs of a name and a figure.
	Figures [][2]string
	Exact   string // the house edge as a fraction, empty if it is too long
	Rows    []RowView
	// Total is the number of deals, Sum the expectation.
	Total, Sum   string
	Distribution []OutcomeView
	Rarer        int // how many results are left out of the distribution
	// Contributions and Likelihoods are charts of the rows and of the results.
	Contributions, Likelihoods *Bars
	// Strategy says what to play, empty where there is nothing to decide.
	// Alternatives are simpler rules, each with its house edge and its cost.
	Strategy     string
	Alternatives [][3]string
	// Jackpot are figures of the meter, Meters what the bet is worth at several
	// of them, and Curve draws that; none without a meter.
	Jackpot [][2]string
	Meters  []MeterView
	Curve   *Curve
}

// RowView is a row of the pay table, or a way in which a line ends. Wager is set
// where the rows of another wager begin. Expected says that Probability is an
// expected number and no probability; OneIn is empty then.
type RowView struct {
	Wager, Name, Clause, Pays, Ways, Probability, OneIn, Contribution string

	Expected bool
}

// OutcomeView is one net result.
type OutcomeView struct{ Net, Ways, Probability string }

// MeterView holds the value of the bet at one meter.
type MeterView struct {
	Meter, Change, Edge, Note string
}

// HTML writes the report as one page that needs nothing but itself: charts are
// drawn in it, tables hold every figure of them, and it prints.
func (r *Report) HTML() ([]byte, error) {
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, r.View())
	return out.Bytes(), err
}

// View words the report for people.
func (r *Report) View() View {
	view := View{Head: r.Head, Name: r.name(), Game: r.Game, Method: methodText(r.variant)}
	if r.Others > 0 {
		view.Others = count(r.Others, "other box", "other boxes") + " in the round"
	}
	if r.Meter != "" {
		view.Meter = "meter at $" + r.Wagers[odds.Progressive].Jackpot.Meter.Display()
	}
	for _, b := range r.order {
		a := r.Wagers[b]
		view.Summary = append(view.Summary, SummaryRow{
			b.String(), b.Name(), percent(a.HouseEdge, 4), percent(a.ElementOfRisk, 4),
			percent(a.HitFrequency, 2), percent(a.NetWin, 2), deviation(a), a.HouseEdge.Sign() < 0,
		})
		view.Wagers = append(view.Wagers, r.wagerView(b, a))
	}
	return view
}

func (r *Report) wagerView(b odds.Bet, a *odds.Analysis) WagerView {
	rows := merged(r.variant, a)
	w := WagerView{
		ID: b.String(), Name: b.Name(), Unit: unitName(b, a), Exact: exactEdge(a),
		Total: grouped(a.Total), Sum: signed(a.Expectation, 6),
		Contributions: contributionChart(b, a, rows), Likelihoods: distributionChart(b, a),
	}
	w.Figures = figurePairs(a)
	several := ofSeveral(rows)
	var last rules.Wager
	for _, l := range rows {
		row := RowView{
			Name: l.name, Clause: l.Clause, Pays: pays(16, l.Row), Ways: grouped(l.Ways),
			Probability: percent(l.Probability, 6), OneIn: l.oneIn(12), Contribution: signed(l.Contribution, 6),
		}
		if l.Wager == rules.Envy {
			row.Probability, row.Expected = decimalIn(12, l.Probability, 8), true
		}
		if several && l.Wager != last {
			row.Wager, last = l.Wager.Name(), l.Wager
		}
		w.Rows = append(w.Rows, row)
	}
	listed := likeliest(a, mostOutcomes)
	for _, out := range listed {
		w.Distribution = append(w.Distribution, OutcomeView{net(out.Net), grouped(out.Ways), percent(ratio(out.Ways, a.Total), 6)})
	}
	w.Rarer = len(a.Distribution) - len(listed)
	if s := a.Strategy; s != nil {
		w.Strategy = strategyText(s, anteAlone, s.Cost)
		for _, alt := range s.Alternatives {
			w.Alternatives = append(w.Alternatives, [3]string{alt.Rule, percent(alt.HouseEdge, 4), percent(alt.Cost, 4)})
		}
	}
	if j := a.Jackpot; j != nil {
		w.Jackpot, w.Curve = jackpotPairs(j), r.meterChart()
		for _, m := range r.meters() {
			e := j.Expect(m)
			w.Meters = append(w.Meters, MeterView{
				"$" + m.Display(), change(e, 4), percent(minus(over(e, units(r.variant.Jackpot.Bet))), 3), r.meterNote(m),
			})
		}
	}
	return w
}
