package odds

import (
	"fmt"
	"iter"
	"strings"

	"trey/card"
	"trey/rank/threecard"
	"trey/rules"
)

// Rule determines the player's choice between Play and fold. The zero value is [Optimal].
type Rule struct {
	kind     ruleKind
	strength int
}

type ruleKind uint8

const (
	optimal ruleKind = iota
	always
	never
	atLeast
)

// Optimal plays a hand if that is worth at least as much as folding it.
func Optimal() Rule { return Rule{} }

// Always plays every hand, as a box must be played that nobody looks at.
func Always() Rule { return Rule{kind: always} }

// Never folds every hand.
func Never() Rule { return Rule{kind: never} }

// AtLeast plays hands of at least that strength, in terms of the book's
// ranking: AtLeast(b.QualifyingStrength()) plays what the dealer qualifies with.
func AtLeast(strength int) Rule { return Rule{kind: atLeast, strength: strength} }

// ParseRule reads "optimal", "always", "never", or the least hand that is
// played as [threecard.Threshold] takes it, with or without "or better".
func ParseRule(s string) (Rule, error) {
	switch s {
	case "optimal", "":
		return Optimal(), nil
	case "always":
		return Always(), nil
	case "never":
		return Never(), nil
	}
	least, err := threecard.Threshold(strings.TrimSuffix(s, " or better"))
	if err != nil {
		return Rule{}, fmt.Errorf("%w; or optimal, always, never", err)
	}
	return AtLeast(int(least)), nil
}

// String returns the rule in words, such as "Q-6-4 or better".
func (r Rule) String() string {
	switch r.kind {
	case optimal:
		return "optimal"
	case always:
		return "always play"
	case never:
		return "always fold"
	case atLeast:
	}
	return leastHand(r.strength) + " or better"
}

// leastHand names a rank as a player would say it: without "High card", and a
// whole category by its name alone.
func leastHand(strength int) string {
	least := threecard.Rank(strength)
	category := least.Category()
	if category != threecard.HighCard && least == threecard.Lowest(category) {
		return strings.ToLower(category.String())
	}
	return strings.TrimPrefix(least.String(), threecard.HighCard.String()+" ")
}

// Alternative is a rule simpler than the best strategy, and what it costs.
type Alternative struct {
	Rule string `json:"rule"`
	// HouseEdge is under this rule, in units of the bet; in currency for the
	// bets of a box together.
	HouseEdge Fraction `json:"house_edge"`
	// Cost is how much more that is than under the optimal strategy.
	Cost Fraction `json:"cost"`
}

// Strategy says of each hand whether it is played, for the stakes it was worked
// out for: the Ante alone in a [Sheet].
type Strategy struct {
	// Rule is the simplest statement: the least hand that is played. Where the
	// optimal decisions follow no such rule it is the best one there is.
	Rule string `json:"rule"`
	// Exact reports whether the rule is optimal on every hand.
	Exact bool `json:"exact"`
	// Cost is what the rule costs against the optimal decisions; zero if Exact.
	Cost Fraction `json:"cost"`
	// Played is the number of hands, of 22,100, that are played.
	Played int64 `json:"played"`
	// Indifferent is the number of hands on which both choices are worth the
	// same.
	Indifferent int64 `json:"indifferent"`
	// Alternatives are simpler rules: always play, the dealer's qualification,
	// always fold.
	Alternatives []Alternative `json:"alternatives"`
	// Claim says how the Envy Bonuses of another bet would change the strategy,
	// nil where they would not, or where they are counted in it.
	Claim *Claim `json:"claim,omitempty"`

	claims   *claims // nil where no Envy Bonus is counted
	playHand []bool  // by hand; nil where a class decides

	t          *tables
	unit       int64 // minor units
	play       []bool
	ifPlayed   []int64 // by class, minor units summed over the dealer's hands
	ifFolded   []int64
	expectMore int64 // minor units, summed over all deals
}

// decide works out a strategy for the stakes under the rule. It returns nil
// where there is no decision.
func (p *payoffs) decide(rule Rule, unit int64, qualify int) *Strategy {
	if p.folded == nil {
		return nil
	}
	n := len(p.t.classes)
	s := &Strategy{
		t: p.t, unit: unit,
		play: make([]bool, n), ifPlayed: make([]int64, n), ifFolded: make([]int64, n),
	}
	var foldAll, best int64
	gain := make([]int64, p.t.top+2) // by strength: what playing adds
	for i := range p.t.classes {
		k := &p.t.classes[i]
		play, fold := p.expect(k)
		s.ifPlayed[i], s.ifFolded[i] = play, fold
		foldAll += k.ways * fold
		gain[k.strength] += k.ways * (play - fold)
		best += k.ways * max(play, fold)
		if play == fold {
			s.Indifferent += k.ways
		}
		switch rule.kind {
		case optimal:
			s.play[i] = play >= fold
		case always:
			s.play[i] = true
		case never:
		case atLeast:
			s.play[i] = k.strength >= rule.strength
		}
		if s.play[i] {
			s.Played += k.ways
			s.expectMore += k.ways * play
		} else {
			s.expectMore += k.ways * fold
		}
	}
	// value holds what playing from a strength upwards is worth.
	value := make([]int64, p.t.top+2)
	value[p.t.top+1] = foldAll
	for strength := p.t.top; strength >= 0; strength-- {
		value[strength] = value[strength+1] + gain[strength]
	}
	least := 1
	for strength := 2; strength <= p.t.top+1; strength++ {
		if value[strength] > value[least] {
			least = strength
		}
	}
	edge := func(value int64) Fraction { return frac(-value, Deals).over(unit) }
	name := p.t.ruleName
	s.Rule, s.Exact, s.Cost = name(least), value[least] == best, edge(value[least]-best)
	if rule.kind != optimal {
		at := map[ruleKind]int{always: 1, never: p.t.top + 1, atLeast: rule.strength}[rule.kind]
		s.Rule, s.Exact, s.Cost = name(at), value[at] == best, edge(value[at]-best)
	}
	alternatives := []int{1, qualify, p.t.top + 1}
	for i, strength := range alternatives {
		if i == 1 && qualify <= 1 {
			continue
		}
		s.Alternatives = append(s.Alternatives, Alternative{name(strength), edge(value[strength]), edge(value[strength] - best)})
	}
	return s
}

// ruleName names the rule that plays hands from a strength upwards.
func (t *tables) ruleName(least int) string {
	switch {
	case least <= 1:
		return Always().String()
	case least > t.top:
		return Never().String()
	}
	return AtLeast(least).String()
}

// Plays reports whether a hand is played. The hand must be valid.
func (s *Strategy) Plays(h card.Hand) bool {
	if s.playHand != nil {
		return s.playHand[indexOf(h)]
	}
	return s.play[s.t.classOf[indexOf(h)]]
}

// Choice is one hand with what each decision is worth, in units of the bet on
// average over all dealer's hands.
type Choice struct {
	Hand   card.Hand `json:"hand"`
	Play   bool      `json:"play"` // the better choice, playing if they are equal
	Played Fraction  `json:"played"`
	Folded Fraction  `json:"folded"`
}

// Mistake returns the cost of the worse choice.
func (c Choice) Mistake() Fraction {
	d := c.Played.sub(c.Folded)
	if d.Sign() < 0 {
		return d.neg()
	}
	return d
}

// Hands goes through all 22,100 hands, in the order of [card.Hands]. Hands of a class with the
// same claims are worth the same: their fractions are computed once.
func (s *Strategy) Hands() iter.Seq[Choice] {
	return func(yield func(Choice) bool) {
		type kind struct{ class, claims int }
		known := map[kind]Choice{}
		for h := range card.Hands() {
			index := indexOf(h)
			k := kind{class: int(s.t.classOf[index])}
			if s.claims != nil {
				k.claims = int(s.claims.of[index])
			}
			c, ok := known[k]
			if !ok {
				c = s.choice(k.class, k.claims)
				known[k] = c
			}
			c.Hand = h
			if !yield(c) {
				return
			}
		}
	}
}

// choice returns what each decision is worth for a hand of a class with these claims.
func (s *Strategy) choice(class, claims int) Choice {
	c := Choice{
		Play:   s.ifPlayed[class] >= s.ifFolded[class],
		Played: frac(s.ifPlayed[class], DealersHands).over(s.unit),
		Folded: frac(s.ifFolded[class], DealersHands).over(s.unit),
	}
	if s.claims != nil {
		bring := s.claims.value[claims].over(s.unit)
		if c.Played = c.Played.add(bring); s.claims.kept {
			c.Folded = c.Folded.add(bring)
		}
		c.Play = c.Played.Cmp(c.Folded) >= 0
	}
	return c
}

// hasDecision reports whether the variant's book asks for a decision at all.
func hasDecision(v *rules.Variant) bool { return v.Book.Decision != nil }
