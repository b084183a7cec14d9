package odds

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"trey/rules"
)

// Range is the pays that one row of a table may have, "to 1": From, From+Step
// and so on up to To.
type Range struct{ From, To, Step int64 }

// Target is the goal for a pay table.
type Target struct {
	// Wager is the wager whose table is sought, such as [rules.PairPlus] or
	// [rules.AnteBonus]; Rows are the permitted pays, best hand first.
	Wager rules.Wager
	Rows  []Range
	// MinEdge to MaxEdge is the house edge sought, both included.
	MinEdge, MaxEdge Fraction
	// MinHit to MaxHit is the hit frequency sought; nil is any.
	MinHit, MaxHit *Fraction
	// AnyOrder permits a row to pay more than a better one.
	AnyOrder bool
	// Most bounds the number of tables returned; zero is 100.
	Most int
	// Options say with what stake, others and rule the tables are analysed.
	Options Options
}

// Design is a pay table that meets a target.
type Design struct {
	Pays         []int64  `json:"pays"`
	HouseEdge    Fraction `json:"house_edge"`
	HitFrequency Fraction `json:"hit_frequency"`
	StdDev       Decimal  `json:"std_dev"`
}

// The search is bounded: in pays tried, in tables with the edge sought, and in
// tables analysed in full.
const (
	maxTried    = 20_000_000
	maxFound    = 200_000
	maxAnalysed = 5_000
)

// Designs lists the pay tables within the ranges that meet the target. The one
// nearest to the middle of the house edges sought comes first; of equals, the
// one that hits more often, then the one with the lower pays.
//
// The house edge is linear in the pays as long as the strategy stays the same,
// so the tables are found from one analysis a row and each that is returned is
// then analysed by itself. The error says if the ranges make no sense, or there
// is too much to search.
func Designs(v *rules.Variant, target Target) ([]Design, error) {
	bet, err := betWithTable(v, target.Wager)
	if err != nil {
		return nil, err
	}
	if err := target.check(v); err != nil {
		return nil, err
	}
	o := target.Options
	o.Bets = []Bet{bet}
	analyseWith := func(pays []int64) (*Analysis, error) {
		changed := v.Clone()
		if err := changed.OverridePays(target.Wager, pays); err != nil {
			return nil, err
		}
		s, err := Analyse(changed, o)
		if err != nil {
			return nil, err
		}
		return s.Wagers[bet], nil
	}
	n := len(target.Rows)
	low := make([]int64, n)
	for i, r := range target.Rows {
		low[i] = r.From
	}
	// How much each row's pay takes off the edge, for one more "to 1".
	base, err := analyseWith(low)
	if err != nil {
		return nil, err
	}
	gain := make([]Fraction, n)
	den := new(big.Int).Set(base.HouseEdge.rat().Denom())
	for i := range low {
		more := slices.Clone(low)
		more[i]++
		a, err := analyseWith(more)
		if err != nil {
			return nil, err
		}
		gain[i] = base.HouseEdge.sub(a.HouseEdge)
		gcd := new(big.Int).GCD(nil, nil, den, gain[i].rat().Denom())
		den.Mul(den, new(big.Int).Quo(gain[i].rat().Denom(), gcd))
	}
	s := search{target: &target, den: den, low: low, middle: target.MinEdge.add(target.MaxEdge).over(2)}
	if err := s.prepare(base.HouseEdge, gain); err != nil {
		return nil, err
	}
	if err := s.walk(0, s.base); err != nil {
		return nil, err
	}
	slices.SortFunc(s.found, func(x, y candidate) int { return cmp.Or(cmp.Compare(x.off, y.off), slices.Compare(x.pays, y.pays)) })
	most := cmp.Or(target.Most, 100)
	var designs []Design
	for i, c := range s.found {
		if len(designs) >= most && c.off > s.found[i-1].off {
			break
		}
		if i >= maxAnalysed {
			return nil, fmt.Errorf("more than %d tables have such an edge: narrow the ranges", maxAnalysed)
		}
		a, err := analyseWith(c.pays)
		if err != nil {
			return nil, err
		}
		// Were the strategy to change with the pays, the edge found would be
		// wrong; the analysis has the last word.
		if a.HouseEdge.Cmp(target.MinEdge) < 0 || a.HouseEdge.Cmp(target.MaxEdge) > 0 ||
			target.MinHit != nil && a.HitFrequency.Cmp(*target.MinHit) < 0 ||
			target.MaxHit != nil && a.HitFrequency.Cmp(*target.MaxHit) > 0 {
			continue
		}
		designs = append(designs, Design{c.pays, a.HouseEdge, a.HitFrequency, a.StdDev})
	}
	slices.SortStableFunc(designs, func(x, y Design) int {
		return cmp.Or(s.distance(x.HouseEdge).Cmp(s.distance(y.HouseEdge)), y.HitFrequency.Cmp(x.HitFrequency))
	})
	return designs[:min(len(designs), most)], nil
}

// betWithTable returns the bet that a wager's table belongs to.
func betWithTable(v *rules.Variant, w rules.Wager) (Bet, error) {
	bet, ok := betOf[w]
	if !ok || v.Pays[w] == nil || !slices.Contains(Bets(v), bet) {
		return 0, fmt.Errorf("%s has no pay table for %s", v.ID, w)
	}
	return bet, nil
}

func (t *Target) check(v *rules.Variant) error {
	rows := v.Pays[t.Wager].Rows
	if len(t.Rows) == 0 || len(t.Rows) > len(rows) {
		return fmt.Errorf("%d ranges for a table of %d rows", len(t.Rows), len(rows))
	}
	for i, r := range t.Rows {
		if r.From < 0 || r.To < r.From || r.To >= rules.MaxPay || (r.Step < 1 && r.From != r.To) {
			return fmt.Errorf("%s: a range from %d to %d by %d", rows[i].Combo.Name(), r.From, r.To, r.Step)
		}
	}
	if t.MaxEdge.Cmp(t.MinEdge) < 0 {
		return errors.New("the greatest house edge is below the least")
	}
	return nil
}

type candidate struct {
	pays []int64
	off  int64 // distance from the middle, in halves of 1/den
}

// search goes through the tables in whole numbers: edges times a common
// denominator.
type search struct {
	target           *Target
	den              *big.Int
	low              []int64
	middle           Fraction
	base             int64
	gain             []int64
	least, most      int64 // edges sought
	center           int64 // twice the middle
	reachLo, reachHi []int64
	tried            int
	found            []candidate
	pays             []int64
}

func (s *search) distance(edge Fraction) Fraction {
	d := edge.sub(s.middle)
	if d.Sign() < 0 {
		return d.neg()
	}
	return d
}

func (s *search) prepare(base Fraction, gain []Fraction) error {
	var bad bool
	rounded := func(f Fraction, up bool) int64 {
		x := new(big.Rat).Mul(f.rat(), new(big.Rat).SetInt(s.den))
		n, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
		if up && rest.Sign() != 0 {
			n.Add(n, big.NewInt(1))
		}
		bad = bad || n.BitLen() > 60
		return n.Int64()
	}
	s.base = rounded(base, false)
	s.least, s.most = rounded(s.target.MinEdge, true), rounded(s.target.MaxEdge, false)
	s.center = rounded(s.middle.times(2), false)
	n := len(gain)
	s.gain = make([]int64, n)
	s.pays = slices.Clone(s.low)
	// What the rows from i on can take off the edge, at least and at most.
	s.reachLo, s.reachHi = make([]int64, n+1), make([]int64, n+1)
	for i := n - 1; i >= 0; i-- {
		s.gain[i] = rounded(gain[i], false)
		r := s.target.Rows[i]
		span := new(big.Int).Mul(big.NewInt(r.To-r.From), big.NewInt(s.gain[i]))
		bad = bad || span.BitLen() > 55
		s.reachLo[i] = s.reachLo[i+1] + min(0, span.Int64())
		s.reachHi[i] = s.reachHi[i+1] + max(0, span.Int64())
	}
	if bad {
		return fmt.Errorf("the edges of such tables: %w", ErrTooLarge)
	}
	return nil
}

func (s *search) walk(i int, edge int64) error {
	if edge-s.reachHi[i] > s.most || edge-s.reachLo[i] < s.least {
		return nil
	}
	if i == len(s.gain) {
		if len(s.found) == maxFound {
			return fmt.Errorf("more than %d tables have such an edge: narrow the ranges", maxFound)
		}
		off := 2*edge - s.center
		s.found = append(s.found, candidate{slices.Clone(s.pays), max(off, -off)})
		return nil
	}
	r := s.target.Rows[i]
	for pay := r.From; pay <= r.To; pay += max(r.Step, 1) {
		if !s.target.AnyOrder && i > 0 && pay > s.pays[i-1] {
			break
		}
		if s.tried++; s.tried > maxTried {
			return fmt.Errorf("more than %d pays to try: narrow the ranges", maxTried)
		}
		s.pays[i] = pay
		if err := s.walk(i+1, edge-(pay-r.From)*s.gain[i]); err != nil {
			return err
		}
	}
	return nil
}
