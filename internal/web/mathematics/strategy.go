package mathematics

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"trey/card"
	"trey/internal/parsheet"
	"trey/odds"
)

// Curve is the value of playing each rank, from the worst hand at the left to the best. Its
// units are those of a drawing that is 360 wide and 220 high.
type Curve struct {
	// Path is the line, Folded the height at which folding lies, and Zero that of
	// neither winning nor losing.
	Path         string
	Folded, Zero float64
	// Threshold is the position from which playing is better.
	Threshold float64
	Share     string // of all hands that are played
}

const (
	curveLeft, curveRight  = 34.0, 350.0
	curveTop, curveBottom  = 12.0, 186.0
	curveLeast, curveWorth = -2.0, 6.0 // units of the Ante at the two edges
)

func curveY(x float64) float64 {
	x = min(max(x, curveLeast), curveWorth)
	return curveBottom - (x-curveLeast)/(curveWorth-curveLeast)*(curveBottom-curveTop)
}

// curveOf draws the ranks, which come best first.
func curveOf(ranks []*parsheet.RankChoice) Curve {
	var all, passed, played int64
	for _, r := range ranks {
		all += r.Hands
		played += r.Plays
	}
	x := func(n int64) float64 { return curveLeft + float64(n)/float64(all)*(curveRight-curveLeft) }
	c := Curve{Zero: curveY(0), Threshold: x(all - played), Share: odds.FractionOf(big.NewRat(played, all)).Percent(2) + " %"}
	var path strings.Builder
	for i, r := range slices.Backward(ranks) {
		verb := "L"
		if i == len(ranks)-1 {
			verb = "M"
			c.Folded = curveY(r.Folded().Float64())
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", verb, x(passed+r.Hands/2), curveY(r.Mean().Float64()))
		passed += r.Hands
	}
	c.Path = path.String()
	return c
}

// Grid is the hands of one highest card at which play and fold part: a row for
// each second card, a column for each third.
type Grid struct {
	Top  card.Rank
	Cols []card.Rank
	Rows []GridRow
}

// GridRow is the hands with one second card.
type GridRow struct {
	Second card.Rank
	Cells  []GridCell
}

// GridCell is one rank; without hands it is empty.
type GridCell struct {
	Choice *parsheet.RankChoice
}

// gridOf finds the highest card at which some hands are played and some folded.
func gridOf(ranks []*parsheet.RankChoice) *Grid {
	i := slices.IndexFunc(ranks, func(r *parsheet.RankChoice) bool { return r.Plays < r.Hands })
	if i < 0 {
		return nil
	}
	top := ranks[i].Example[0].Rank()
	at := map[[2]card.Rank]*parsheet.RankChoice{}
	for _, r := range ranks {
		if r.Example[0].Rank() == top && strings.HasPrefix(r.Name, "High card") {
			at[[2]card.Rank{r.Example[1].Rank(), r.Example[2].Rank()}] = r
		}
	}
	g := &Grid{Top: top} // top-2 is no third card: with top-1 it would be a straight
	for third := card.Two; third < top-2; third++ {
		g.Cols = append(g.Cols, third)
	}
	for second := top - 1; second > card.Two; second-- {
		row := GridRow{Second: second}
		for _, third := range g.Cols {
			row.Cells = append(row.Cells, GridCell{at[[2]card.Rank{second, third}]})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// around returns the ranks nearest to where play and fold part.
func around(ranks []*parsheet.RankChoice, n int) []*parsheet.RankChoice {
	i := slices.IndexFunc(ranks, func(r *parsheet.RankChoice) bool { return r.Plays < r.Hands })
	if i < 0 {
		i = len(ranks)
	}
	return ranks[max(i-n, 0):min(i+n, len(ranks))]
}
