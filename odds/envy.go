package odds

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// envy is the Envy Bonus of one bet with a number of other boxes.
//
// The hands of the other boxes come from the same deck, so their number of
// bringing hands is not binomial. What is counted instead are sets of disjoint
// bringing hands; how many boxes hold exactly which of them follows by inclusion
// and exclusion. See docs/mathematics.md.
type envy struct {
	t      *tables
	boxes  int // other boxes whose hands can bring something
	others int // all other boxes
	groups []envyGroup
	// best pays only the highest of a round, not one for each hand.
	best bool
	// foldLoses says that a folded box has no claim.
	foldLoses bool
	// hands lists, by suit, the bringing hands as sets of thirteen ranks.
	hands [4][]bringer
}

// envyGroup is the hands of one combination that bring the same sum.
type envyGroup struct {
	line rules.Line
	key  int
}

type bringer struct {
	ranks uint16
	group int
}

const (
	maxBringers = 24 // in one suit
	allRanks    = 1<<ranks - 1
)

// envy asks the variant what each kind of hand on another box brings. It
// returns nil where nothing can come.
func (m *maker) envy(b Bet, stake money.Amount) (*envy, error) {
	t, v := m.t, m.v
	if m.o.Stake == 0 {
		v = unlimited(v)
	}
	e := &envy{t: t, others: m.o.Others}
	var stakes, othersStakes rules.Stakes
	stakes[b.Wager()] = stake
	for i := range v.Book.Wagers {
		othersStakes[v.Book.Wagers[i].Wager] = money.Major
	}
	deal := t.anyDeal(0)
	settle := func(folded bool, others ...rules.Other) ([]rules.Line, error) {
		lines, err := v.Settle(nil, &rules.Showdown{
			Player: deal.player, Dealer: deal.dealer, Stakes: stakes,
			Meter: m.o.meter(v), Others: others, Folded: folded,
		})
		return slices.DeleteFunc(lines, func(l rules.Line) bool { return l.Wager != rules.Envy || l.Pays == 0 }), err
	}
	byKey := make([]int, len(t.combos)) // group + 1
	for key, combos := range t.combos {
		other := rules.Other{Is: combos, Stakes: &othersStakes}
		lines, err := settle(false, other)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			continue
		}
		e.groups = append(e.groups, envyGroup{lines[0], key})
		byKey[key] = len(e.groups)
		if len(e.groups) > 1 {
			continue
		}
		// The rulings, by asking: one or each, and what folding costs.
		two, err := settle(false, other, other)
		if err != nil {
			return nil, err
		}
		e.best = len(two) == 1
		after, err := settle(true, other)
		if err != nil {
			return nil, err
		}
		e.foldLoses = len(after) == 0
		other.SamePlayer = true
		outcome, err := settle(false, other)
		if err != nil {
			return nil, err
		}
		e.boxes = e.others - m.o.OwnBoxes
		if len(outcome) > 0 {
			e.boxes = e.others
		}
	}
	if e.boxes == 0 || len(e.groups) == 0 {
		return nil, nil
	}
	for i, class := range t.classOf {
		group := byKey[t.classes[class].key] - 1
		if group < 0 {
			continue
		}
		h := t.handAt(i)
		suit := h[0].Suit()
		if h[1].Suit() != suit || h[2].Suit() != suit {
			return nil, fmt.Errorf("%s brings an Envy Bonus, and with hands of several suits that is %w", e.groups[group].line.Combo.Name(), ErrTooLarge)
		}
		var set uint16
		for _, c := range h {
			set |= 1 << (c.Rank() - card.Two)
		}
		e.hands[suit-1] = append(e.hands[suit-1], bringer{set, group})
		if len(e.hands[suit-1]) > maxBringers {
			return nil, fmt.Errorf("more than %d hands of a suit bring an Envy Bonus: %w", maxBringers, ErrTooLarge)
		}
	}
	return e, nil
}

// packings is a polynomial: how many sets of disjoint bringing hands there are,
// by how many hands of each group are in them. The index is a mixed-radix
// number, one digit a group.
type packings []int64

// radices returns the size of each digit: one more than the greatest number of
// disjoint hands of the group, or of boxes.
func (e *envy) radices() []int {
	radix := make([]int, len(e.groups))
	for g := range radix {
		most := 0
		for suit := range e.hands {
			most += mostDisjoint(e.hands[suit], g, 0, 0)
		}
		radix[g] = min(most, e.boxes) + 1
	}
	return radix
}

func mostDisjoint(hands []bringer, group int, used uint16, from int) int {
	most := 0
	for i := from; i < len(hands); i++ {
		if h := hands[i]; h.group == group && h.ranks&used == 0 {
			most = max(most, 1+mostDisjoint(hands, group, used|h.ranks, i+1))
		}
	}
	return most
}

// counter enumerates packings.
type counter struct {
	e      *envy
	radix  []int
	stride []int
	size   int
	suits  map[[2]uint16]packings // by suit and ranks that are gone
}

func (e *envy) counter() *counter {
	c := &counter{e: e, radix: e.radices(), size: 1, suits: map[[2]uint16]packings{}}
	for _, r := range c.radix {
		c.stride = append(c.stride, c.size)
		c.size *= r
	}
	return c
}

// digits returns the number of hands of each group in a packing.
func (c *counter) digits(index int) []int {
	digits := make([]int, len(c.radix))
	for g, r := range c.radix {
		digits[g] = index % r
		index /= r
	}
	return digits
}

// suit returns the packings in one suit of which some ranks are gone.
func (c *counter) suit(suit int, gone uint16) packings {
	at := [2]uint16{uint16(suit), gone}
	if p, ok := c.suits[at]; ok {
		return p
	}
	p := make(packings, c.size)
	digits := make([]int, len(c.radix))
	var fill func(from int, used uint16, index int)
	fill = func(from int, used uint16, index int) {
		p[index]++
		for i := from; i < len(c.e.hands[suit]); i++ {
			h := c.e.hands[suit][i]
			if h.ranks&used != 0 || digits[h.group]+1 >= c.radix[h.group] {
				continue
			}
			digits[h.group]++
			fill(i+1, used|h.ranks, index+c.stride[h.group])
			digits[h.group]--
		}
	}
	fill(0, gone, 0)
	c.suits[at] = p
	return p
}

// times multiplies two counts of packings in different suits. What would be
// more hands of a group than there are boxes is left out.
func (c *counter) times(p, q packings) packings {
	product := make(packings, c.size)
	for i, x := range p {
		if x == 0 {
			continue
		}
		left := c.digits(i)
		for j, y := range q {
			if y == 0 {
				continue
			}
			fits := true
			for g, d := range c.digits(j) {
				fits = fits && left[g]+d < c.radix[g]
			}
			if fits {
				product[i+j] += x * y
			}
		}
	}
	return product
}

// gone returns a function that says which bringing cards a hand, given by its
// index, takes from each suit. Suits in which the same hands bring the same are
// put in order, for they are alike.
func (e *envy) gone() func(hand int) [4]uint16 {
	var relevant, alike [4]uint16
	for suit := range e.hands {
		for _, h := range e.hands[suit] {
			relevant[suit] |= h.ranks
		}
		alike[suit] = uint16(slices.IndexFunc(e.hands[:], func(other []bringer) bool { return slices.Equal(other, e.hands[suit]) }))
	}
	return func(hand int) (gone [4]uint16) {
		for _, x := range e.t.cards[hand] {
			gone[x&3] |= 1 << (x >> 2)
		}
		for suit := range gone {
			gone[suit] &= relevant[suit]
		}
		if gone == [4]uint16{} {
			return gone
		}
		for i := 1; i < 4; i++ {
			for j := i; j > 0; j-- {
				for l := j - 1; l >= 0; l-- {
					if alike[l] == alike[j] && gone[l] < gone[j] {
						gone[l], gone[j] = gone[j], gone[l]
					}
				}
			}
		}
		return gone
	}
}

// packings returns the packings in the deck from which those cards are gone.
func (c *counter) packings(gone [4]uint16) packings {
	product := c.suit(0, gone[0])
	for suit := 1; suit < 4; suit++ {
		product = c.times(product, c.suit(suit, gone[suit]))
	}
	return product
}

// deals returns the number of ways to deal the other boxes, from box k on at
// index k.
func (e *envy) deals() []*big.Int {
	deal := make([]*big.Int, e.others+1)
	deal[e.others] = big.NewInt(1)
	for k := e.others - 1; k >= 0; k-- {
		left := int64(deckSize - 3 - 3*k)
		deal[k] = new(big.Int).Mul(deal[k+1], big.NewInt(left*(left-1)*(left-2)/6))
	}
	return deal
}

// spread returns the distribution of a bet together with its Envy Bonuses, over
// all deals of the box and the others.
func (e *envy) spread(p *payoffs, plays func(class int) bool) (*spread, error) {
	c := e.counter()
	// Hands of the box that are settled alike and leave the same bringing hands
	// in the deck are counted together. Suits in which the same hands bring the
	// same are alike.
	type kind struct {
		kept int // key, or its complement where the hand is folded
		gone [4]uint16
	}
	gone := e.gone()
	kinds := map[kind]int64{}
	for i, class := range e.t.classOf {
		k := kind{gone: gone(i)}
		if k.kept = e.t.classes[class].key; p.folded != nil && !plays(int(class)) {
			k.kept = ^k.kept
		}
		kinds[k]++
	}
	byOwn := map[int]packings{}
	deals := map[int]int64{}
	bySuits := map[[4]uint16]packings{}
	for k, ways := range kinds {
		deals[k.kept] += ways
		if k.kept < 0 && e.foldLoses {
			continue
		}
		product, ok := bySuits[k.gone]
		if !ok {
			product = c.packings(k.gone)
			bySuits[k.gone] = product
		}
		sum := byOwn[k.kept]
		if sum == nil {
			sum = make(packings, c.size)
			byOwn[k.kept] = sum
		}
		for i, n := range product {
			hi, lo := bits.Mul64(uint64(n), uint64(ways))
			if hi != 0 || lo > 1<<62-1 || sum[i] > 1<<62-1 {
				return nil, fmt.Errorf("the ways in which %d boxes can hold bringing hands: %w", e.boxes, ErrTooLarge)
			}
			sum[i] += int64(lo)
		}
	}

	deal := e.deals()
	result := newSpread(Hands)
	result.total.Mul(result.total, deal[0])
	for ourHand, ways := range deals {
		s, folded := (*settled)(nil), ourHand < 0
		if folded {
			s = &p.folded[^ourHand]
		} else {
			s = &p.played[ourHand*e.t.relations+e.t.anyRelation(ourHand)]
		}
		all := new(big.Int).Mul(big.NewInt(ways), deal[0])
		result.addLines(s, all, folded)
		counts := byOwn[ourHand]
		if counts == nil {
			result.addNet(s.net, all)
			continue
		}
		for index, exact := range e.exactly(c, counts, deal) {
			if exact.Sign() == 0 {
				continue
			}
			result.addNet(s.net+e.bring(result, c.digits(index), exact, folded), exact)
		}
	}
	return result, nil
}

// exactly turns counts of packings into the number of deals in which the other
// boxes hold exactly so many bringing hands of each group.
//
// A packing of k hands lies on k of the n boxes in n!/(n-k)! ways, and the rest
// are dealt freely; that counts a deal once for each packing it contains. The
// deals that contain nothing more follow by inclusion and exclusion.
func (e *envy) exactly(c *counter, counts packings, deal []*big.Int) []*big.Int {
	contain := make([]*big.Int, c.size)
	for index, n := range counts {
		k := 0
		for _, d := range c.digits(index) {
			k += d
		}
		contain[index] = new(big.Int)
		if k <= e.boxes {
			contain[index].SetInt64(n)
			for i := range k {
				contain[index].Mul(contain[index], big.NewInt(int64(e.boxes-i)))
			}
			contain[index].Mul(contain[index], deal[k])
		}
	}
	// One group after the other: exactly j is the alternating sum over i >= j
	// of (i choose j) times what contains i.
	for g, radix := range c.radix {
		for index := range contain {
			if index/c.stride[g]%radix != 0 {
				continue
			}
			column := make([]*big.Int, radix)
			for j := range radix {
				column[j] = new(big.Int)
				for i := j; i < radix; i++ {
					term := new(big.Int).Binomial(int64(i), int64(j))
					term.Mul(term, contain[index+i*c.stride[g]])
					if (i-j)%2 == 1 {
						term.Neg(term)
					}
					column[j].Add(column[j], term)
				}
			}
			for j := range radix {
				contain[index+j*c.stride[g]] = column[j]
			}
		}
	}
	return contain
}

// bring returns the pay in minor units for so many bringing hands of each group, and
// counts their lines.
func (e *envy) bring(result *spread, digits []int, ways *big.Int, folded bool) int64 {
	best, sum := -1, int64(0)
	for g, d := range digits {
		if d == 0 {
			continue
		}
		if e.best {
			if best < 0 || e.groups[g].line.Pays > e.groups[best].line.Pays {
				best = g
			}
			continue
		}
		sum += int64(d) * int64(e.groups[g].line.Pays)
		result.addRow(&e.groups[g].line, new(big.Int).Mul(ways, big.NewInt(int64(d))), folded)
	}
	if best >= 0 {
		result.addRow(&e.groups[best].line, ways, folded)
		return int64(e.groups[best].line.Pays)
	}
	return sum
}
