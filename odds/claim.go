package odds

import (
	"errors"
	"math/big"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// Claim says where an Envy Bonus would change the strategy for the Ante alone.
// Folding loses the claim to it, so that a hand just below the rule is worth
// playing if the Ante is small.
type Claim struct {
	// Bet is the bet that carries the claim, Others the number of other boxes.
	Bet    Bet `json:"bet"`
	Others int `json:"others"`
	// Hand is the hand that is worth playing up to the largest Ante, and Rank its
	// name without "High card".
	Hand card.Hand `json:"hand"`
	Rank string    `json:"rank"`
	// Ante is that Ante in currency. From there on the claim changes nothing.
	Ante Fraction `json:"ante"`
}

// claims holds the mean Envy Bonus of a box, by its own hand.
type claims struct {
	of    []uint16   // by hand: the index of its value
	value []Fraction // minor units
	kept  bool       // a folded box keeps its claim
}

// claims works out the mean Envy Bonus for those hands of the box that are asked
// for, by index.
func (e *envy) claims(asked func(hand int) bool) *claims {
	c := e.counter()
	deal, gone := e.deals(), e.gone()
	out := &claims{of: make([]uint16, Hands), kept: !e.foldLoses}
	known := map[[4]uint16]uint16{}
	for i := range Hands {
		if !asked(i) {
			continue
		}
		pattern := gone(i)
		at, ok := known[pattern]
		if !ok {
			sum, term := new(big.Int), new(big.Int)
			for index, exact := range e.exactly(c, c.packings(pattern), deal) {
				sum.Add(sum, term.Mul(exact, big.NewInt(e.pays(c.digits(index)))))
			}
			at = uint16(len(out.value))
			out.value = append(out.value, fracInt(sum, deal[0]))
			known[pattern] = at
		}
		out.of[i] = at
	}
	return out
}

// pays returns the sum paid for so many bringing hands of each group, in minor
// units.
func (e *envy) pays(digits []int) int64 {
	var best, sum int64
	for g, n := range digits {
		if n > 0 {
			best = max(best, int64(e.groups[g].line.Pays))
			sum += int64(n) * int64(e.groups[g].line.Pays)
		}
	}
	if e.best {
		return best
	}
	return sum
}

// claim returns how the Envy Bonuses would change a strategy for the Ante alone,
// beside the other boxes or, where there are none, beside one. It returns nil
// where no bet carries a claim that folding loses, or where it cannot be worked
// out: the analysis of that bet says why, and the Ante's does not depend on it.
func (m *maker) claim(s *Strategy) *Claim {
	for _, bet := range Bets(m.v) {
		rule := m.v.Book.Rule(bet.Wager())
		if !rule.Envy {
			continue
		}
		beside := *m
		beside.o.Others = max(m.o.Others, 1)
		stake, err := beside.o.stakeOf(m.v, bet)
		if err != nil {
			return nil
		}
		e, err := beside.envy(bet, stake)
		if err != nil || e == nil || !e.foldLoses {
			return nil
		}
		all := e.claims(func(hand int) bool { return !s.play[m.t.classOf[hand]] })
		// Of the hands with one claim the one turns first that loses least by playing.
		cheapest := make([]int, len(all.value)) // hand + 1, by claim
		cost := func(hand int) int64 {
			class := m.t.classOf[hand]
			return s.ifFolded[class] - s.ifPlayed[class]
		}
		for i, class := range m.t.classOf {
			if at := all.of[i]; !s.play[class] && (cheapest[at] == 0 || cost(i) < cost(cheapest[at]-1)) {
				cheapest[at] = i + 1
			}
		}
		found := &Claim{Bet: bet, Others: beside.o.Others}
		for at, i := range cheapest {
			if i--; i < 0 {
				continue
			}
			// Playing costs this part of the Ante, and brings the claim.
			part := frac(cost(i), DealersHands).over(s.unit)
			if ante := all.value[at].over(int64(money.Major)).quo(part); ante.Cmp(found.Ante) > 0 {
				found.Hand, found.Ante = m.t.handAt(i).Sorted(), ante
				found.Rank = leastHand(int(m.t.strength[i]))
			}
		}
		if found.Ante.Sign() == 0 {
			return nil
		}
		return found
	}
	return nil
}

// StrategyFor works out the best decision on every hand for all the stakes of a
// box together, with what the Envy Bonuses of o.Others other boxes bring. Its
// figures are in units of the Ante. The error says if the stakes make no sense or
// bring no decision.
func StrategyFor(v *rules.Variant, stakes map[Bet]money.Amount, o Options) (*Strategy, error) {
	t := tablesFor(v.Book)
	b, err := boxOf(v, stakes)
	if err != nil {
		return nil, err
	}
	if err := o.check(v); err != nil {
		return nil, err
	}
	d := v.Book.Decision
	if d == nil || b.stakes[d.On] == 0 {
		return nil, errors.New("these stakes bring no decision: add an Ante, such as ante-play=10")
	}
	p, err := settleAll(v, t, b.stakes, o.meter(v))
	if err != nil {
		return nil, err
	}
	s := p.decide(o.Rule, int64(b.stakes[d.On]), t.qualify)
	m := &maker{v: v, t: t, o: o}
	for _, bet := range b.bets {
		if o.Others == 0 || !v.Book.Rule(bet.Wager()).Envy {
			continue
		}
		e, err := m.envy(bet, b.stakes[bet.Wager()])
		if err != nil {
			return nil, err
		}
		if e != nil {
			p.decideClaiming(s, o.Rule, t.qualify, e.claims(func(int) bool { return true }))
		}
	}
	return s, nil
}

// decideClaiming decides a strategy anew with claims to Envy Bonuses. It goes by
// hand, for hands of one class can leave different bringing hands in the deck.
func (p *payoffs) decideClaiming(s *Strategy, rule Rule, qualify int, c *claims) {
	t := p.t
	s.claims, s.playHand, s.Played, s.Indifferent = c, make([]bool, Hands), 0, 0
	type kind struct{ class, claim uint16 }
	type choice struct {
		gain  Fraction // of playing over folding
		plays bool
	}
	choices := map[kind]choice{}
	gain := make([]Fraction, t.top+2) // by strength
	var best, foldAll Fraction
	for i, class := range t.classOf {
		k := kind{class, c.of[i]}
		made, ok := choices[k]
		if !ok {
			made.gain = frac(s.ifPlayed[class]-s.ifFolded[class], DealersHands)
			if !c.kept {
				made.gain = made.gain.add(c.value[k.claim])
			}
			switch rule.kind {
			case optimal:
				made.plays = made.gain.Sign() >= 0
			case always:
				made.plays = true
			case never:
			case atLeast:
				made.plays = t.classes[class].strength >= rule.strength
			}
			choices[k] = made
		}
		strength := t.classes[class].strength
		gain[strength] = gain[strength].add(made.gain)
		foldAll = foldAll.add(frac(s.ifFolded[class], DealersHands))
		if c.kept {
			foldAll = foldAll.add(c.value[k.claim])
		}
		if made.gain.Sign() > 0 {
			best = best.add(made.gain)
		}
		if made.gain.Sign() == 0 {
			s.Indifferent++
		}
		if s.playHand[i] = made.plays; made.plays {
			s.Played++
		}
	}
	best = best.add(foldAll)
	value := make([]Fraction, t.top+2)
	value[t.top+1] = foldAll
	for strength := t.top; strength >= 0; strength-- {
		value[strength] = value[strength+1].add(gain[strength])
	}
	least := 1
	for strength := 2; strength <= t.top+1; strength++ {
		if value[strength].Cmp(value[least]) > 0 {
			least = strength
		}
	}
	switch rule.kind {
	case optimal:
	case always:
		least = 1
	case never:
		least = t.top + 1
	case atLeast:
		least = rule.strength
	}
	each := func(f Fraction) Fraction { return f.over(Hands).over(s.unit) }
	cost := func(strength int) Fraction { return each(best.sub(value[strength])) }
	s.Rule, s.Cost, s.Exact = t.ruleName(least), cost(least), cost(least).Sign() == 0
	s.Alternatives = nil
	for _, strength := range slices.Compact([]int{1, max(qualify, 1), t.top + 1}) {
		s.Alternatives = append(s.Alternatives, Alternative{t.ruleName(strength), each(value[strength].neg()), cost(strength)})
	}
}
