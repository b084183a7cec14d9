package odds

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"trey/card"
	"trey/rules"
)

// errNoDecision reports a book in which knowledge changes nothing.
func errNoDecision(v *rules.Variant) error {
	return fmt.Errorf("%s has nothing to decide, so no knowledge is worth anything", v.Book.Ref())
}

// Worth is the house edge on Ante and Play for a player who knows something and
// decides best.
type Worth struct {
	HouseEdge Fraction `json:"house_edge"`
	// Gain is the difference to a player who sees only one hand.
	Gain Fraction `json:"gain"`
	// Played is how often the hand is played.
	Played Fraction `json:"played"`
}

// ShownCard is the best play against a dealer one of whose cards, of that rank,
// is exposed (rws-3cp@3 5.12).
type ShownCard struct {
	Rank  string `json:"rank"`
	Worth Worth  `json:"worth"`
	// Rule is the best rule by the strength of the hand alone; Exact reports
	// whether it is optimal on every hand and suit, Cost what it costs if not,
	// in a round in which such a card shows.
	Rule  string   `json:"rule"`
	Exact bool     `json:"exact"`
	Cost  Fraction `json:"cost"`
}

// Knowledge is the value of seeing cards for a player of Ante and Play.
type Knowledge struct {
	// Dealer is by the number of the dealer's cards that are known, 0 to 3.
	// Which of the three are shown is taken to be chance.
	Dealer [4]Worth `json:"dealer"`
	// Shown is by the rank of the one card that is known, from two to ace.
	Shown [ranks]ShownCard `json:"shown"`
	// OtherHand is for one hand of another box.
	OtherHand Worth `json:"other_hand"`
}

// gains holds, for one player's hand, what playing adds to folding, summed over
// the dealer's hands with certain cards: from it follows what any knowledge is
// worth.
type gains struct {
	deck [deckSize - 3]uint8
	all  int64
	one  [deckSize - 3]int64
	two  [deckSize - 3][deckSize - 3]int64
	// three is in the order of the loops: i, j below i, k below j.
	three [DealersHands]int64
}

func (g *gains) fill(t *tables, k *class, byRelation []int64) {
	held := card.NewSet(k.hand[:]...)
	for i, c := range card.Deck().Minus(held).Cards() {
		g.deck[i] = uint8(c.Index())
	}
	g.all = 0
	clear(g.one[:])
	clear(g.two[:])
	n := 0
	for i := 2; i < len(g.deck); i++ {
		for j := 1; j < i; j++ {
			base := handIndex(0, int(g.deck[j]), int(g.deck[i]))
			var pair int64
			for l := range j {
				gain := byRelation[t.relate(k.strength, int(t.strength[base+int(g.deck[l])]))]
				g.three[n] = gain
				n++
				pair += gain
				g.one[l] += gain
				g.two[i][l] += gain
				g.two[j][l] += gain
			}
			g.two[i][j] += pair
			g.one[i] += pair
			g.one[j] += pair
			g.all += pair
		}
	}
}

// maxGain keeps the sums over all deals within 63 bits: the worst is over the
// dealer's hands that another hand leaves, 15,180, and those hands, 18,424.
const maxGain = 1 << 32

// Know works out what seeing some of the dealer's cards, or one hand of another
// box, is worth to a player of Ante and Play, exactly. It takes a good part of
// a second. It returns an error for a book without a decision.
func Know(v *rules.Variant, o Options) (*Knowledge, error) {
	if !hasDecision(v) {
		return nil, errNoDecision(v)
	}
	t := tablesFor(v.Book)
	m := &maker{v: v, t: t, o: o}
	if err := o.check(v); err != nil {
		return nil, err
	}
	stake, err := o.stakeOf(v, AntePlay)
	if err != nil {
		return nil, err
	}
	p, err := m.payoffs(AntePlay, stake)
	if err != nil {
		return nil, err
	}
	const (
		oneMore  = 48 * 47 / 2      // hands with one known card
		twoMore  = 47               // with two
		otherOut = 46 * 45 * 44 / 6 // hands when another one is gone too
	)
	type sums struct{ value, played big.Int }
	var (
		dealer    [4]sums
		other     sums
		fold      big.Int // minor units, over the player's hands
		exposed   [ranks]sums
		shownWays [ranks]int64 // player's hands and shown cards
		shownFold [ranks]big.Int
		blind     [ranks]big.Int // the gain of a player who does not see the card
		byRule    = make([][ranks]big.Int, t.top+2)
		g         gains
		scratch   big.Int
	)
	add := func(s *sums, ways, value, played int64) {
		s.value.Add(&s.value, scratch.Mul(big.NewInt(value), big.NewInt(ways)))
		s.played.Add(&s.played, scratch.Mul(big.NewInt(played), big.NewInt(ways)))
	}
	take := func(gain int64) (value, played int64) {
		if gain >= 0 {
			return gain, 1
		}
		return 0, 0
	}
	byRelation := make([]int64, t.relations)
	for i := range t.classes {
		k := &t.classes[i]
		folded := p.folded[k.key].net
		for r := range byRelation {
			byRelation[r] = p.played[k.key*t.relations+r].net - folded
			if byRelation[r] > maxGain || byRelation[r] < -maxGain {
				return nil, fmt.Errorf("the difference between playing and folding: %w", ErrTooLarge)
			}
		}
		g.fill(t, k, byRelation)
		fold.Add(&fold, scratch.Mul(big.NewInt(folded), big.NewInt(k.ways)))

		value, played := take(g.all)
		add(&dealer[0], k.ways, value, played)
		// Each dealer's hand is shown by any one of its cards alike, and by any
		// two, so it is counted three times.
		var sumValue, sumPlayed int64
		for c, gain := range g.one {
			rank := g.deck[c] >> 2
			value, played := take(gain)
			sumValue += value
			sumPlayed += played
			add(&exposed[rank], k.ways, value, played)
			shownWays[rank] += k.ways
			shownFold[rank].Add(&shownFold[rank], scratch.Mul(big.NewInt(folded), big.NewInt(k.ways)))
			if g.all >= 0 {
				blind[rank].Add(&blind[rank], scratch.Mul(big.NewInt(gain), big.NewInt(k.ways)))
			}
			sum := &byRule[k.strength][rank]
			sum.Add(sum, scratch.Mul(big.NewInt(gain), big.NewInt(k.ways)))
		}
		add(&dealer[1], k.ways, sumValue, sumPlayed)
		sumValue, sumPlayed = 0, 0
		for c := range g.two {
			for _, gain := range g.two[c][:c] {
				value, played := take(gain)
				sumValue += value
				sumPlayed += played
			}
		}
		add(&dealer[2], k.ways, sumValue, sumPlayed)
		sumValue, sumPlayed = 0, 0
		for _, gain := range &g.three {
			value, played := take(gain)
			sumValue += value
			sumPlayed += played
		}
		add(&dealer[3], k.ways, sumValue, sumPlayed)
		// With another hand gone, the dealer's hands that share a card with it
		// are gone too: inclusion and exclusion on its three cards.
		sumValue, sumPlayed = 0, 0
		n := 0
		for i := 2; i < len(g.deck); i++ {
			for j := 1; j < i; j++ {
				pair := g.all - g.one[i] - g.one[j] + g.two[i][j]
				for l := range j {
					value, played := take(pair - g.one[l] + g.two[i][l] + g.two[j][l] - g.three[n])
					sumValue += value
					sumPlayed += played
					n++
				}
			}
		}
		add(&other, k.ways, sumValue, sumPlayed)
	}

	foldAlways := fracInt(&fold, big.NewInt(Hands)).over(int64(stake))
	worth := func(s *sums, folded Fraction, valueOver, playedOver int64) Worth {
		return Worth{
			HouseEdge: folded.add(fracInt(&s.value, big.NewInt(valueOver)).over(int64(stake))).neg(),
			Played:    fracInt(&s.played, big.NewInt(playedOver)),
		}
	}
	know := &Knowledge{}
	know.Dealer[0] = worth(&dealer[0], foldAlways, Deals, Hands)
	know.Dealer[1] = worth(&dealer[1], foldAlways, 3*Deals, Hands*49)
	know.Dealer[2] = worth(&dealer[2], foldAlways, 3*Deals, Hands*49*48/2)
	know.Dealer[3] = worth(&dealer[3], foldAlways, Deals, Deals)
	know.OtherHand = worth(&other, foldAlways, Deals*otherOut, Deals)
	basic := know.Dealer[0].HouseEdge
	for i := range know.Dealer {
		know.Dealer[i].Gain = basic.sub(know.Dealer[i].HouseEdge)
	}
	know.OtherHand.Gain = basic.sub(know.OtherHand.HouseEdge)
	for r := range know.Shown {
		ways := shownWays[r] * oneMore
		s := &know.Shown[r]
		s.Rank = (card.Two + card.Rank(r)).String()
		s.Worth = worth(&exposed[r], fracInt(&shownFold[r], big.NewInt(shownWays[r])).over(int64(stake)), ways, shownWays[r])
		least, value, best := t.top+1, new(big.Int), new(big.Int)
		for strength := t.top; strength >= 1; strength-- {
			value.Add(value, &byRule[strength][r])
			if value.Cmp(best) > 0 {
				least = strength
				best.Set(value)
			}
		}
		s.Rule = t.ruleName(least)
		lost := new(big.Int).Sub(&exposed[r].value, best)
		s.Exact = lost.Sign() == 0
		s.Cost = fracInt(lost, big.NewInt(ways)).over(int64(stake))
		// The gain is compared with a player who does not see the card.
		over := new(big.Int).Sub(&exposed[r].value, &blind[r])
		s.Worth.Gain = fracInt(over, big.NewInt(ways)).over(int64(stake))
	}
	return know, nil
}

// Estimate is a figure found by sampling, not by counting.
type Estimate struct {
	// Gain is the mean, and with 95 % confidence the true value lies within
	// Margin of it; both in units of the Ante.
	Gain    float64 `json:"gain"`
	Margin  float64 `json:"margin"`
	Samples int     `json:"samples"`
}

// EstimateSeen samples what seeing that many hands of other boxes is worth to a
// player of Ante and Play. One hand is worth [Knowledge.OtherHand], exactly; for
// more there are too many cases, so this is an estimate and to be called one.
//
// The random numbers come from next, which returns 64 uniform bits; the same
// numbers give the same estimate.
func EstimateSeen(v *rules.Variant, hands, samples int, next func() uint64) (Estimate, error) {
	if !hasDecision(v) {
		return Estimate{}, errNoDecision(v)
	}
	if hands < 0 || hands > rules.MaxBoxes-2 || samples < 2 || next == nil {
		return Estimate{}, errors.New("give 0 to 14 hands, two samples or more, and a source of random numbers")
	}
	t := tablesFor(v.Book)
	m := &maker{v: v, t: t}
	s, err := m.decision()
	if err != nil {
		return Estimate{}, err
	}
	stake, err := m.o.stakeOf(v, AntePlay)
	if err != nil {
		return Estimate{}, err
	}
	p, err := m.payoffs(AntePlay, stake)
	if err != nil {
		return Estimate{}, err
	}
	below := func(n int) int { // uniform, 0 to n-1, without bias
		limit := math.MaxUint64 - math.MaxUint64%uint64(n)
		for {
			if x := next(); x < limit {
				return int(x % uint64(n))
			}
		}
	}
	var sum, squares float64
	var deck [deckSize]int
	for i := range deck {
		deck[i] = i
	}
	seen := 3 + 3*hands
	for range samples {
		for i := range seen {
			j := i + below(deckSize-i)
			deck[i], deck[j] = deck[j], deck[i]
		}
		class := t.classOf[sortedIndex(deck[0], deck[1], deck[2])]
		k := &t.classes[class]
		left := deck[seen:]
		slices.Sort(left)
		var ways [pokerRelations]int64
		for i := 2; i < len(left); i++ {
			for j := 1; j < i; j++ {
				base := handIndex(0, left[j], left[i])
				for _, l := range left[:j] {
					ways[t.relate(k.strength, int(t.strength[base+l]))]++
				}
			}
		}
		var gain, total int64
		for r, n := range ways {
			if n != 0 {
				gain += n * (p.played[k.key*t.relations+r].net - p.folded[k.key].net)
				total += n
			}
		}
		// What knowing better is worth: the loss of a wrong play or fold.
		if (gain >= 0) == s.play[class] {
			continue
		}
		x := math.Abs(float64(gain)) / float64(total) / float64(stake)
		sum += x
		squares += x * x
	}
	n := float64(samples)
	mean := sum / n
	variance := max(squares/n-mean*mean, 0) * n / (n - 1)
	return Estimate{mean, 1.96 * math.Sqrt(variance/n), samples}, nil
}

// sortedIndex returns the handIndex of three cards in any order.
func sortedIndex(a, b, c int) int {
	x := [3]int{a, b, c}
	slices.Sort(x[:])
	return handIndex(x[0], x[1], x[2])
}
