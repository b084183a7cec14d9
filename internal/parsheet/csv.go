package parsheet

import (
	"bytes"
	"encoding/csv"
	"math/big"
	"slices"
	"strconv"

	"trey/odds"
	"trey/rules"
)

// csvHeader names the columns. Each line is one of four kinds:
//
//	game     item is a parameter of the game, such as reset_value; decimal its
//	         value, with num/den where it is a number
//	figure   item is its name, such as house_edge; num/den and decimal its value,
//	         roots such as std_dev have the decimal only
//	net      net is a result of a round, ways of total deals end so
//	row      item is a row of a pay table or an end of the wager line, with its
//	         clause, what it pays, and what it contributes to the expectation
//
// For net and row, num/den and decimal are the probability, and one_in the N of
// "1 in N"; for a row of the line envy they are the expected number of Envy Bonuses
// a round, and one_in is empty. pays is what is paid beside the stake, net what the
// line changes. Whoever wants one
// table only keeps the lines of one wager and kind.
var csvHeader = []string{
	"book", "variant", "hash", "version", "others", "meter", "unit", "wager", "kind", "line", "item", "result", "folded", "clause",
	"pays", "net", "ways", "total", "num", "den", "decimal", "contribution", "one_in",
}

// CSV writes the report as one table: a line for each figure, each net result
// and each row of a pay table.
func (r *Report) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(csvHeader); err != nil {
		return nil, err
	}
	for i := range r.Game {
		if err := w.Write(r.parameterRecord(&r.Game[i])); err != nil {
			return nil, err
		}
	}
	for _, bet := range r.order {
		a := r.Wagers[bet]
		write := func(kind, line, item, result, folded, clause, pays, net, ways, total string, value odds.Fraction, contribution string) error {
			n, once := value.Rat(), ""
			if kind != "figure" && line != rules.Envy.String() && value.Sign() > 0 {
				once = odds.FractionOf(new(big.Rat).Inv(n)).Decimal(10)
			}
			return w.Write([]string{
				r.Book, r.Variant, r.Hash, r.Version, strconv.Itoa(r.Others), r.Meter, a.Unit.String(), bet.String(), kind, line, item, result, folded, clause,
				pays, net, ways, total, n.Num().String(), n.Denom().String(), value.Decimal(10), contribution, once,
			})
		}
		for _, f := range figures(a) {
			if err := write("figure", "", f.key, "", "", "", "", "", "", "", f.value, ""); err != nil {
				return nil, err
			}
		}
		for _, root := range []struct {
			key   string
			value odds.Decimal
		}{{"std_dev", a.StdDev}, {"volatility_index", a.VolatilityIndex}, {"skewness", a.Skewness}} {
			if err := w.Write(r.rootRecord(bet, a, root.key, root.value)); err != nil {
				return nil, err
			}
		}
		for _, out := range a.Distribution {
			if err := write("net", "", "", "", "", "", "", out.Net.Plain(), out.Ways.String(), a.Total.String(), ratio(out.Ways, a.Total), ""); err != nil {
				return nil, err
			}
		}
		for _, l := range lines(r.variant, a) {
			err := write("row", l.Wager.String(), l.name, l.Result.String(), strconv.FormatBool(l.Folded), l.Clause, l.Pays.Plain(), l.Net.Plain(),
				l.Ways.String(), a.Total.String(), l.Probability, l.Contribution.Decimal(10))
			if err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// parameterRecord returns the line of a parameter of the game.
func (r *Report) parameterRecord(p *Parameter) []string {
	columns := map[string]string{
		"book": r.Book, "variant": r.Variant, "hash": r.Hash, "version": r.Version, "others": strconv.Itoa(r.Others), "meter": r.Meter,
		"kind": "game", "item": p.Key, "decimal": p.Value,
	}
	if p.Figure != nil {
		n := p.Figure.Rat()
		columns["num"], columns["den"], columns["decimal"] = n.Num().String(), n.Denom().String(), p.Figure.Decimal(10)
	}
	return r.record(columns)
}

// record returns a line with those columns.
func (r *Report) record(columns map[string]string) []string {
	record := make([]string, len(csvHeader))
	for column, text := range columns {
		record[slices.Index(csvHeader, column)] = text
	}
	return record
}

// rootRecord returns the line of a figure that is no fraction: it has a decimal only.
func (r *Report) rootRecord(b odds.Bet, a *odds.Analysis, key string, value odds.Decimal) []string {
	return r.record(map[string]string{
		"book": r.Book, "variant": r.Variant, "hash": r.Hash, "version": r.Version, "others": strconv.Itoa(r.Others), "meter": r.Meter,
		"unit": a.Unit.String(), "wager": b.String(), "kind": "figure", "item": key, "decimal": string(value),
	})
}

// figure is a figure of a bet that is a fraction.
type figure struct {
	key, name string
	value     odds.Fraction
}

// figures lists the figures of a bet that are fractions, by the keys of the
// JSON report.
func figures(a *odds.Analysis) []figure {
	return []figure{
		{"house_edge", "House edge", a.HouseEdge},
		{"return", "Return", a.Return},
		{"element_of_risk", "Element of risk", a.ElementOfRisk},
		{"average_wager", "Average total wager", a.AverageWager},
		{"hit_frequency", "Hit frequency", a.HitFrequency},
		{"p_net_win", "Net win", a.NetWin},
		{"p_push", "Push", a.Push},
		{"p_net_loss", "Net loss", a.NetLoss},
		{"expectation", "Expectation", a.Expectation},
		{"variance", "Variance", a.Variance},
		{"kurtosis", "Kurtosis", a.Kurtosis},
	}
}
