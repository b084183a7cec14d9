package odds

import (
	"math/big"

	"trey/money"
	"trey/rules"
)

// Exposure holds the figures from which the expected win of a house on any bets of a
// variant follows, and its variance. Everything is for one unit of each stake, with hands
// decided by the optimal strategy. The progressive is not in it, because its win is shared
// with the meter; neither are Envy Bonuses.
type Exposure struct {
	// Bets lists the bets; what follows is in its order.
	Bets []Bet
	// Edge is the house edge of each bet.
	Edge []Fraction
	// Same holds the covariances of two bets on one hand, Other those of two bets on two
	// hands against one dealer.
	Same, Other [][]Fraction
}

// ExposureOf works out the exposure of a variant, exactly. It takes some seconds.
func ExposureOf(v *rules.Variant) (*Exposure, error) {
	t := tablesFor(v.Book)
	m := &maker{v: v, t: t}
	e := &Exposure{}
	var results []*response
	var stakes []money.Amount
	var means []Fraction
	var dealers []dealerKind
	for _, b := range Bets(v) {
		if b == Progressive {
			continue
		}
		stake, err := m.o.stakeOf(v, b)
		if err != nil {
			return nil, err
		}
		p, err := m.payoffs(b, stake)
		if err != nil {
			return nil, err
		}
		plays := func(int) bool { return true }
		if b.Decided(v) {
			s, err := m.decision()
			if err != nil {
				return nil, err
			}
			if s != nil {
				plays = func(class int) bool { return s.play[class] }
			}
		}
		r := newResponse(p, plays)
		mean, _ := r.alone(t)
		e.Bets, results, stakes, means = append(e.Bets, b), append(results, r), append(stakes, stake), append(means, mean)
		e.Edge = append(e.Edge, mean.neg().over(int64(stake)))
		// The finest division of the dealer's hands serves every bet.
		if kinds := t.dealers(p); len(kinds) > len(dealers) {
			dealers = kinds
		}
	}
	n := len(e.Bets)
	others := t.products(dealers, results...)
	e.Same, e.Other = make([][]Fraction, n), make([][]Fraction, n)
	for i := range n {
		e.Same[i], e.Other[i] = make([]Fraction, n), make([]Fraction, n)
		for k := range i + 1 {
			units := frac(1, int64(stakes[i])).over(int64(stakes[k]))
			product := means[i].mul(means[k])
			e.Same[i][k] = t.onOneHand(results[i], results[k]).sub(product).mul(units)
			e.Other[i][k] = others[i][k].sub(product).mul(units)
			e.Same[k][i], e.Other[k][i] = e.Same[i][k], e.Other[i][k]
		}
	}
	return e, nil
}

// onOneHand returns the mean of the product of two bets on the same hand.
func (t *tables) onOneHand(f, g *response) Fraction {
	var sum big.Int
	for i := range t.classes {
		k := &t.classes[i]
		var products int128
		for rel, ways := range k.dealer {
			at := i*t.relations + rel
			products.addProduct(int64(ways)*f.net[at], g.net[at])
		}
		sum.Add(&sum, new(big.Int).Mul(products.big(), big.NewInt(k.ways)))
	}
	return fracInt(&sum, big.NewInt(Deals))
}
