package parsheet

import (
	"bytes"
	_ "embed"
	"html/template"

	"trey/odds"
	"trey/rules"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(pageStyle) },
}).Parse(pageText))

// pageView is what the page shows: text that is ready to print.
type pageView struct {
	Head
	Name    string // what is analysed, in words
	Others  string
	Meter   string
	Summary []summaryView
	Wagers  []wagerView
	Method  [][2]string
}

type summaryView struct {
	ID, Name                  string
	Edge, Risk, Hit, Win, Dev string
	Favours                   bool
}

type wagerView struct {
	ID, Name, Unit string
	Figures        [][3]string
	Exact          string
	Rows           []rowView
	Total, Sum     string
	Distribution   []outcomeView
	Rarer          int
	Contributions  *bars
	Likelihoods    *bars
	Strategy       string
	Alternatives   [][3]string
	Jackpot        [][2]string
	Meters         []meterView
	Curve          *curve
}

type rowView struct{ Wager, Name, Clause, Pays, Ways, Probability, Contribution string }

type outcomeView struct{ Net, Ways, Probability string }

type meterView struct {
	Meter, Change, Edge, Note string
}

// HTML writes the report as one page that needs nothing but itself: charts are
// drawn in it, tables hold every figure of them, and it prints.
func (r *Report) HTML() ([]byte, error) {
	view := pageView{Head: r.Head, Name: r.name(), Method: methodText(r.variant)}
	if r.Others > 0 {
		view.Others = count(r.Others, "other box", "other boxes") + " in the round"
	}
	if r.Meter != "" {
		view.Meter = "meter at $" + r.Wagers[odds.Progressive].Jackpot.Meter.Display()
	}
	for _, b := range r.order {
		a := r.Wagers[b]
		view.Summary = append(view.Summary, summaryView{
			b.String(), b.Name(), percent(a.HouseEdge, 4), percent(a.ElementOfRisk, 4),
			percent(a.HitFrequency, 2), percent(a.NetWin, 2), deviation(a), a.HouseEdge.Sign() < 0,
		})
		view.Wagers = append(view.Wagers, r.wagerView(b, a))
	}
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, view)
	return out.Bytes(), err
}

func (r *Report) wagerView(b odds.Bet, a *odds.Analysis) wagerView {
	rows := merged(r.variant, a)
	w := wagerView{
		ID: b.String(), Name: b.Name(), Unit: unitName(b, a), Exact: exactEdge(a),
		Total: grouped(a.Total), Sum: signed(a.Expectation, 6),
		Contributions: contributionChart(b, a, rows), Likelihoods: distributionChart(b, a),
	}
	for _, pair := range figurePairs(a) {
		w.Figures = append(w.Figures, [3]string{pair[0], pair[1]})
	}
	several := ofSeveral(rows)
	var last rules.Wager
	for _, l := range rows {
		row := rowView{
			Name: l.name, Clause: l.Clause, Pays: pays(l.Row), Ways: grouped(l.Ways),
			Probability: percent(l.Probability, 6), Contribution: signed(l.Contribution, 6),
		}
		if several && l.Wager != last {
			row.Wager, last = l.Wager.Name(), l.Wager
		}
		w.Rows = append(w.Rows, row)
	}
	shown := likeliest(a, mostOutcomes)
	for _, out := range shown {
		w.Distribution = append(w.Distribution, outcomeView{net(out.Net), grouped(out.Ways), percent(ratio(out.Ways, a.Total), 6)})
	}
	w.Rarer = len(a.Distribution) - len(shown)
	if s := a.Strategy; s != nil {
		w.Strategy = strategyText(s)
		for _, alt := range s.Alternatives {
			w.Alternatives = append(w.Alternatives, [3]string{alt.Rule, percent(alt.HouseEdge, 4), percent(alt.Cost, 4)})
		}
	}
	if j := a.Jackpot; j != nil {
		w.Jackpot, w.Curve = jackpotPairs(j), r.meterChart()
		for _, m := range r.meters() {
			e := j.Expect(m)
			w.Meters = append(w.Meters, meterView{
				"$" + m.Display(), change(e, 4), percent(minus(over(e, units(r.variant.Jackpot.Bet))), 3), r.meterNote(m),
			})
		}
	}
	return w
}
