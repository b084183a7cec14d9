package odds

import (
	"math/big"

	"trey/money"
	"trey/rules"
)

// ExposedBet is a bet in a form in which it has a house edge of its own.
type ExposedBet struct {
	Bet Bet
	// Other is a wager beside which the bet is paid otherwise, zero for none. Beside says
	// that it lies on the box too.
	Other  rules.Wager
	Beside bool
}

// ExposedBets lists what an [Exposure] of a variant is about.
func ExposedBets(v *rules.Variant) []ExposedBet {
	var bets []ExposedBet
	for _, b := range Bets(v) {
		if b == Progressive {
			continue
		}
		other := v.EvenBeside(v.Book.Rule(b.Wager()))
		bets = append(bets, ExposedBet{Bet: b, Other: other})
		if other != 0 {
			bets = append(bets, ExposedBet{Bet: b, Other: other, Beside: true})
		}
	}
	return bets
}

// Stake returns what of the stakes of one player on one box is on the bet in this form.
func (x ExposedBet) Stake(stakes *rules.Stakes) money.Amount {
	if x.Other != 0 && x.Beside != (stakes[x.Other] != 0) {
		return 0
	}
	return stakes[x.Bet.Wager()]
}

// response returns the results of the bet, and the stake for which they are.
func (m *maker) response(x ExposedBet) (*response, money.Amount, error) {
	stake, err := m.o.stakeOf(m.v, x.Bet)
	if err != nil {
		return nil, 0, err
	}
	var beside rules.Wager
	if x.Beside {
		beside = x.Other
	}
	p, err := m.payoffsBeside(x.Bet, stake, beside)
	if err != nil {
		return nil, 0, err
	}
	plays := func(int) bool { return true }
	if x.Bet.Decided(m.v) {
		s, err := m.decision()
		if err != nil {
			return nil, 0, err
		}
		if s != nil {
			plays = func(class int) bool { return s.play[class] }
		}
	}
	return newResponse(p, plays), stake, nil
}

// EdgeOf works out the house edge of an exposed bet, with hands decided by the optimal
// strategy.
func EdgeOf(v *rules.Variant, x ExposedBet) (Fraction, error) {
	m := &maker{v: v, t: tablesFor(v.Book)}
	r, stake, err := m.response(x)
	if err != nil {
		return Fraction{}, err
	}
	mean, _ := r.alone(m.t)
	return mean.neg().over(int64(stake)), nil
}

// Exposure holds the figures from which the expected win of a house on any bets of a
// variant follows, and its variance. Everything is for one unit of each stake, with hands
// decided by the optimal strategy. The progressive is not in it, because its win is shared
// with the meter; neither are Envy Bonuses.
type Exposure struct {
	// Bets lists the bets; what follows is in its order.
	Bets []ExposedBet
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
	e := &Exposure{Bets: ExposedBets(v)}
	var results []*response
	var stakes []money.Amount
	var means []Fraction
	var dealers []dealerKind
	for _, x := range e.Bets {
		r, stake, err := m.response(x)
		if err != nil {
			return nil, err
		}
		mean, _ := r.alone(t)
		results, stakes, means = append(results, r), append(stakes, stake), append(means, mean)
		e.Edge = append(e.Edge, mean.neg().over(int64(stake)))
		// The finest division of the dealer's hands serves every bet.
		if kinds := t.dealers(r.p); len(kinds) > len(dealers) {
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
