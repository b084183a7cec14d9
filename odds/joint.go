package odds

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// Joint is several bets on one box together. Sums of money are in currency
// units, variances in their squares.
type Joint struct {
	// Bets lists the bets; the rows and columns of what follows are in its
	// order.
	Bets        []Bet        `json:"bets"`
	Stakes      []Fraction   `json:"stakes"`
	Expectation []Fraction   `json:"expectation"`
	Covariance  [][]Fraction `json:"covariance"`
	// Correlation is empty where a bet has only one result.
	Correlation [][]Decimal `json:"correlation"`
	// Sum is the analysis of all the bets as one; its house edge is of the
	// stakes placed before the deal, and its strategy counts in currency.
	Sum *Analysis `json:"sum"`
	// Accrual is nil without a Progressive bet.
	Accrual *Accrual `json:"accrual,omitempty"`
}

// Accrual separates the win of the house on a Progressive bet from its liability
// to the meter. Sums are of one round of one box, in currency.
type Accrual struct {
	// Meter is the displayed jackpot by which the bets were worked out.
	Meter money.Amount `json:"-"`
	// ToMeter is the contribution of the bet to the meter: a liability of the house.
	ToMeter Fraction `json:"to_meter"`
	// FromMeter is the mean payment of hits above the reset value. It is taken from
	// the liability and costs the house nothing.
	FromMeter Fraction `json:"from_meter"`
	// HouseWin is the expected win of the house on all the bets: the loss of the box
	// at this meter, less ToMeter, plus FromMeter. It is the same at every meter,
	// because at a hit the house pays in the reset value and nothing else.
	HouseWin Fraction `json:"house_win"`
}

// box is the stakes of one box, checked.
type box struct {
	stakes rules.Stakes
	bets   []Bet
	placed money.Amount
}

func boxOf(v *rules.Variant, stakes map[Bet]money.Amount) (*box, error) {
	b := &box{}
	offered := Bets(v)
	for bet, amount := range stakes {
		if amount == 0 {
			continue
		}
		if !slices.Contains(offered, bet) {
			return nil, fmt.Errorf("%s offers no %s: its bets are %v", v.ID, bet, offered)
		}
		limit := v.Limits[bet.Wager()]
		if amount < 0 || amount < limit.Min || (limit.Max > 0 && amount > limit.Max) {
			return nil, fmt.Errorf("%s on %s is outside its limits, %s to %s", amount.Display(), bet, limit.Min.Display(), limit.Max.Display())
		}
		b.stakes[bet.Wager()] = amount
		b.placed += amount
	}
	for _, bet := range offered {
		need := v.Needs(v.Book.Rule(bet.Wager()))
		if b.stakes[bet.Wager()] == 0 {
			continue
		}
		b.bets = append(b.bets, bet)
		if need.Wager != 0 && b.stakes[need.Wager] == 0 && (need.Or == 0 || b.stakes[need.Or] == 0) {
			return nil, fmt.Errorf("%s needs %s beside it (%s)", bet, need.Wager.Name(), v.Book.ClauseRef(need.Clause))
		}
	}
	if len(b.bets) == 0 {
		return nil, errors.New("nothing is staked")
	}
	return b, nil
}

// open works out the settlements and the strategy of a box with those stakes.
func (b *box) open(v *rules.Variant, t *tables, o Options) (*payoffs, *Strategy, error) {
	if err := o.check(v); err != nil {
		return nil, nil, err
	}
	p, err := settleAll(v, t, b.stakes, o.meter(v))
	if err != nil {
		return nil, nil, err
	}
	// Without an Ante there is nothing to decide, and nothing is folded.
	if d := v.Book.Decision; d != nil && b.stakes[d.On] == 0 {
		p.folded = nil
	}
	return p, p.decide(o.Rule, int64(money.Major), t.qualify), nil
}

// Together works out several bets on one box: their covariances and the
// distribution of their sum, exactly. The hand is decided for the sum of the
// stakes. Envy Bonuses are not in it: o.Others must be zero.
func Together(v *rules.Variant, stakes map[Bet]money.Amount, o Options) (*Joint, error) {
	if o.Others != 0 {
		return nil, errors.New("joint results are of one box alone: leave the other boxes out")
	}
	t := tablesFor(v.Book)
	b, err := boxOf(v, stakes)
	if err != nil {
		return nil, err
	}
	p, s, err := b.open(v, t, o)
	if err != nil {
		return nil, err
	}
	counted := p.count(func(class int) bool { return s == nil || s.play[class] })
	j := &Joint{Bets: b.bets}
	n := len(b.bets)
	first := make([]big.Int, n)
	second := make([][]big.Int, n)
	for i := range second {
		second[i] = make([]big.Int, n)
		j.Stakes = append(j.Stakes, dollars(b.stakes[b.bets[i].Wager()]))
	}
	sum := newSpread(counted.total)
	nets := make([]int64, n)
	var scratch big.Int
	counted.each(func(s *settled, ways int64, folded bool) {
		sum.add(s, big.NewInt(ways), folded)
		clear(nets)
		for i := range s.lines {
			nets[slices.Index(b.bets, betOf[s.lines[i].Wager])] += int64(s.lines[i].Net())
		}
		for i, x := range nets {
			scratch.Mul(big.NewInt(x), big.NewInt(ways))
			first[i].Add(&first[i], &scratch)
			for k, y := range nets {
				product := new(big.Int).Mul(&scratch, big.NewInt(y))
				second[i][k].Add(&second[i][k], product)
			}
		}
	})
	total := big.NewInt(counted.total)
	for i := range n {
		j.Expectation = append(j.Expectation, fracInt(&first[i], total).over(int64(money.Major)))
	}
	for i := range n {
		row := make([]Fraction, n)
		for k := range n {
			product := fracInt(&second[i][k], total).over(int64(money.Major) * int64(money.Major))
			row[k] = product.sub(j.Expectation[i].mul(j.Expectation[k]))
		}
		j.Covariance = append(j.Covariance, row)
	}
	for i := range n {
		row := make([]Decimal, n)
		for k := range n {
			row[k] = correlation(j.Covariance[i][k], j.Covariance[i][i], j.Covariance[k][k])
		}
		j.Correlation = append(j.Correlation, row)
	}
	j.Sum = &Analysis{Unit: Currency, Stake: b.placed, Strategy: s}
	sum.describe(j.Sum, int64(money.Major), int64(b.placed), v.Book.Order.Lines)
	if b.stakes[rules.Progressive] != 0 {
		if j.Accrual, err = b.accrual(v, t, s, o.meter(v), j.Sum.Expectation); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// accrual settles the box once more with the meter at its reset value, the sum that
// the house pays in at a hit, and compares the result with the expectation at the
// meter displayed.
func (b *box) accrual(v *rules.Variant, t *tables, s *Strategy, meter money.Amount, expectation Fraction) (*Accrual, error) {
	terms := v.Jackpot
	a := &Accrual{Meter: meter, ToMeter: dollars(terms.Bet).mul(frac(terms.RateNum, terms.RateDen))}
	p, err := settleAll(v, t, b.stakes, terms.Reset)
	if err != nil {
		return nil, err
	}
	if d := v.Book.Decision; d != nil && b.stakes[d.On] == 0 {
		p.folded = nil
	}
	counted := p.count(func(class int) bool { return s == nil || s.play[class] })
	var total, product big.Int
	counted.each(func(s *settled, ways int64, _ bool) {
		total.Add(&total, product.Mul(big.NewInt(s.net), big.NewInt(ways)))
	})
	atReset := fracInt(&total, big.NewInt(counted.total)).over(int64(money.Major))
	a.FromMeter = expectation.sub(atReset)
	a.HouseWin = atReset.neg().sub(a.ToMeter)
	return a, nil
}

// correlation returns cov / sqrt(v w), empty if one of the variances is zero.
func correlation(cov, v, w Fraction) Decimal {
	if v.Sign() == 0 || w.Sign() == 0 {
		return ""
	}
	return signedRoot(cov.mul(cov).quo(v.mul(w)), cov.Sign())
}

// Boxes are several boxes with the same stakes against one dealer. Sums of
// money are in currency units.
type Boxes struct {
	N int `json:"boxes"`
	// Blind is how many of them are played without being looked at: a player
	// may examine one hand only (rws-3cp@3 3.7). They are always played.
	Blind int `json:"blind"`
	// Examined and Unseen are one box of each kind alone.
	Examined Moments `json:"examined"`
	Unseen   Moments `json:"unseen"`
	// Covariance is between two examined boxes, Mixed between one of each kind,
	// BlindCovariance between two blind ones; where none is blind they are all
	// the first.
	Covariance      Fraction `json:"covariance"`
	Mixed           Fraction `json:"mixed_covariance"`
	BlindCovariance Fraction `json:"blind_covariance"`
	// Correlation is between two examined boxes.
	Correlation Decimal `json:"correlation"`
	// Sum is all boxes together.
	Sum Moments `json:"sum"`
}

// Moments are the mean and the spread of a net result.
type Moments struct {
	Expectation Fraction `json:"expectation"`
	Variance    Fraction `json:"variance"`
	StdDev      Decimal  `json:"std_dev"`
}

func momentsOf(mean, variance Fraction) Moments {
	return Moments{mean, variance, variance.root()}
}

// AgainstOneDealer works out n boxes with the same stakes against one dealer,
// of which some are played blind, exactly: the variance of the sum follows from
// the covariances of two. Every box is decided by o.Rule for its own stakes;
// Envy Bonuses are not in it. It takes a second or two.
func AgainstOneDealer(v *rules.Variant, stakes map[Bet]money.Amount, o Options, n, blind int) (*Boxes, error) {
	switch {
	case n < 1 || n > rules.MaxBoxes:
		return nil, fmt.Errorf("%d boxes: a deck serves 1 to %d", n, rules.MaxBoxes)
	case blind < 0 || blind > n:
		return nil, fmt.Errorf("%d blind boxes of %d", blind, n)
	case o.Others != 0:
		return nil, errors.New("boxes against one dealer are without Envy Bonuses: leave the other boxes out")
	}
	t := tablesFor(v.Book)
	b, err := boxOf(v, stakes)
	if err != nil {
		return nil, err
	}
	p, s, err := b.open(v, t, o)
	if err != nil {
		return nil, err
	}
	seen := newResponse(p, func(class int) bool { return s == nil || s.play[class] })
	unseen := newResponse(p, func(int) bool { return true })
	dealers := t.dealers(p)
	both := &Boxes{N: n, Blind: blind}
	scale := frac(1, int64(money.Major))
	of := func(r *response) Moments {
		mean, square := r.alone(t)
		return momentsOf(mean.mul(scale), square.sub(mean.mul(mean)).mul(scale).mul(scale))
	}
	both.Examined, both.Unseen = of(seen), of(unseen)
	results := []*response{seen}
	if blind > 0 && s != nil && s.Played != Hands { // else every hand is played, looked at or not
		results = append(results, unseen)
	}
	products := t.products(dealers, results...)
	covariance := func(x, y int) Fraction {
		of := []Moments{both.Examined, both.Unseen}
		return products[x][y].mul(scale).mul(scale).sub(of[x].Expectation.mul(of[y].Expectation))
	}
	both.Covariance = covariance(0, 0)
	both.Mixed, both.BlindCovariance = both.Covariance, both.Covariance
	if len(results) > 1 {
		both.Mixed, both.BlindCovariance = covariance(1, 0), covariance(1, 1)
	}
	both.Correlation = correlation(both.Covariance, both.Examined.Variance, both.Examined.Variance)
	a, c := int64(n-blind), int64(blind)
	both.Sum = momentsOf(
		both.Examined.Expectation.times(a).add(both.Unseen.Expectation.times(c)),
		both.Examined.Variance.times(a).add(both.Unseen.Variance.times(c)).
			add(both.Covariance.times(a*(a-1))).add(both.Mixed.times(2*a*c)).add(both.BlindCovariance.times(c*(c-1))),
	)
	return both, nil
}

// response holds the net result of each hand against each relation, under a strategy.
type response struct {
	p   *payoffs
	net []int64 // by class and relation
}

func newResponse(p *payoffs, plays func(class int) bool) *response {
	t := p.t
	r := &response{p: p, net: make([]int64, len(t.classes)*t.relations)}
	for i := range t.classes {
		key := t.classes[i].key
		for rel := range t.relations {
			if p.folded != nil && !plays(i) {
				r.net[i*t.relations+rel] = p.folded[key].net
			} else {
				r.net[i*t.relations+rel] = p.played[key*t.relations+rel].net
			}
		}
	}
	return r
}

// alone returns the mean of a response and of its square.
func (r *response) alone(t *tables) (mean, square Fraction) {
	var first, second big.Int
	for i := range t.classes {
		k := &t.classes[i]
		var sum int64
		var squares int128
		for rel, ways := range k.dealer {
			net := r.net[i*t.relations+rel]
			sum += int64(ways) * net
			squares.addProduct(int64(ways)*net, net)
		}
		first.Add(&first, new(big.Int).Mul(big.NewInt(sum), big.NewInt(k.ways)))
		second.Add(&second, new(big.Int).Mul(squares.big(), big.NewInt(k.ways)))
	}
	deals := big.NewInt(Deals)
	return fracInt(&first, deals), fracInt(&second, deals)
}

// dealerKind is a dealer's hand that stands for others.
type dealerKind struct {
	hand card.Hand
	ways int64
}

// dealers lists the dealer's hands that differ for the players: up to suits, or
// up to the suits that no result tells apart. Spades are special where a pay
// table has a row for the ace, king and queen of them.
func (t *tables) dealers(p *payoffs) []dealerKind {
	if t.ranking == rules.PictureOrder {
		kinds := make([]dealerKind, len(t.classes))
		for i := range t.classes {
			kinds[i] = dealerKind{t.classes[i].hand, t.classes[i].ways}
		}
		return kinds
	}
	special := false
	for i := range t.classes {
		for j := range t.classes[:i] {
			x, y := &t.classes[i], &t.classes[j]
			if x.strength != y.strength || x.key == y.key {
				continue
			}
			for r := range t.relations {
				special = special || p.played[x.key*t.relations+r].net != p.played[y.key*t.relations+r].net
			}
		}
	}
	alike := 4
	if special {
		alike = 3 // all but the last, spades
	}
	index := map[[4]uint16]int{}
	var kinds []dealerKind
	for i := range Hands {
		var suits [4]uint16
		for _, x := range t.cards[i] {
			suits[x&3] |= 1 << (x >> 2)
		}
		slices.Sort(suits[:alike])
		at, ok := index[suits]
		if !ok {
			at = len(kinds)
			index[suits] = at
			kinds = append(kinds, dealerKind{hand: t.handAt(i)})
		}
		kinds[at].ways++
	}
	return kinds
}

// products returns the mean of the product of two boxes' results, for each two of some responses
// and for each beside itself. What is returned has a row and a column for each of them.
//
// For a dealer's hand let f and g be the results of the two. The hands must be
// disjoint, and 1{disjoint} is the sum over all sets S of common cards of
// (-1)^|S|, so the sum of f(P) g(Q) over disjoint P and Q is
//
//	F G - sum over cards of F_c G_c + sum over pairs of F_cd G_cd - sum of f g
//
// where F_S is the sum of f over hands that contain S. These sums are made once for each response:
// those of pairs hand by hand, and from them those of cards, since a hand that contains a card has
// two pairs with it, and three cards.
func (t *tables) products(dealers []dealerKind, results ...*response) [][]Fraction {
	type sums struct {
		net []int64 // by class, against this dealer
		all int64
		one [deckSize]int64
		two [deckSize * deckSize]int64
	}
	n := len(results)
	of := make([]sums, n)
	for f := range of {
		of[f].net = make([]int64, len(t.classes))
	}
	met := make([]int64, len(t.classes)) // hands of each class
	totals := make([]big.Int, n*n)       // of f g, where g is not after f
	for _, d := range dealers {
		var gone uint64
		for _, c := range d.hand {
			gone |= 1 << c.Index()
		}
		dealer := int(t.strength[indexOf(d.hand)])
		clear(met)
		for f, result := range results {
			of[f] = sums{net: of[f].net}
			for class := range t.classes {
				of[f].net[class] = result.net[class*t.relations+t.relate(t.classes[class].strength, dealer)]
			}
		}
		for i := range Hands {
			x := &t.cards[i]
			a, b, c := int(x[0]), int(x[1]), int(x[2])
			if (gone>>a|gone>>b|gone>>c)&1 != 0 {
				continue
			}
			class := t.classOf[i]
			met[class]++
			for f := range of {
				u, two := of[f].net[class], &of[f].two
				two[a*deckSize+b] += u
				two[a*deckSize+c] += u
				two[b*deckSize+c] += u
			}
		}
		for f := range of {
			sum := &of[f]
			for cd, u := range sum.two {
				sum.one[cd/deckSize] += u
				sum.one[cd%deckSize] += u
			}
			for c := range sum.one {
				sum.one[c] /= 2
				sum.all += sum.one[c]
			}
			sum.all /= 3
		}
		for f := range n {
			for g := range f + 1 {
				var plus, minus int128
				plus.addProduct(of[f].all, of[g].all)
				for c := range of[f].one {
					minus.addProduct(of[f].one[c], of[g].one[c])
				}
				for class, hands := range met {
					minus.addProduct(hands*of[f].net[class], of[g].net[class])
				}
				for cd := range of[f].two {
					if of[f].two[cd] != 0 {
						plus.addProduct(of[f].two[cd], of[g].two[cd])
					}
				}
				exact := plus.big()
				exact.Sub(exact, minus.big())
				total := &totals[f*n+g]
				total.Add(total, exact.Mul(exact, big.NewInt(d.ways)))
			}
		}
	}
	const otherHands = 46 * 45 * 44 / 6 * DealersHands // of two players, once the dealer has a hand
	pairs := new(big.Int).Mul(big.NewInt(Hands), big.NewInt(otherHands))
	means := make([][]Fraction, n)
	for f := range n {
		means[f] = make([]Fraction, n)
		for g := range f + 1 {
			means[f][g] = fracInt(&totals[f*n+g], pairs)
			means[g][f] = means[f][g]
		}
	}
	return means
}

// int128 is a sum of products of 64-bit integers. The results here, up to 2^34
// minor units each, would overflow 64 bits when squared and summed.
type int128 struct {
	hi int64
	lo uint64
}

func (s *int128) addProduct(x, y int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Mul64 took negative factors for 2^64 more than they are.
	hi -= uint64(x>>63&y) + uint64(y>>63&x)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += int64(hi + carry)
}

func (s *int128) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.lo))
}
