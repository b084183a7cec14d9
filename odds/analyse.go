package odds

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"trey/internal/enum"
	"trey/money"
	"trey/rules"
)

// Options say what is analysed. The zero value analyses every bet that the
// variant offers, alone at the table.
type Options struct {
	// Bets are the bets to analyse; empty is all that the variant offers.
	Bets []Bet
	// Stake is the size of the bet in minor units. It matters where a table
	// pays fixed sums or a fraction of a cent is rounded. Zero is one currency
	// unit, or the least multiple of it that every row pays evenly, without
	// regard to the limits of the table. The progressive has its prescribed
	// size whatever stands here.
	Stake money.Amount
	// Meter is the displayed jackpot in minor units; zero is the reset value.
	Meter money.Amount
	// Others is how many other boxes are in the round, each with the wagers
	// that bring an Envy Bonus and none of them folding a hand that does.
	Others int
	// OwnBoxes is how many of the others belong to the same player.
	OwnBoxes int
	// Rule decides between Play and fold; the zero value is optimal for the
	// Ante alone.
	Rule Rule
	// Beside says that each bet lies beside all others of its box, where a ruling has
	// it paid otherwise then.
	Beside bool
}

// Sheet is a par sheet: the analysis of the bets of one variant.
type Sheet struct {
	// Book is the book's full name, Variant the operator's name for what is
	// derived from it, and Hash says exactly what was analysed.
	Book    string `json:"book"`
	Variant string `json:"variant"`
	Hash    string `json:"hash"`
	// Version is the program's, filled in by whoever prints the sheet.
	Version string       `json:"version,omitempty"`
	Others  int          `json:"others"`
	Meter   money.Amount `json:"-"`
	// Wagers holds the analyses; Order lists its keys in the book's order.
	Wagers map[Bet]*Analysis `json:"wagers"`
	Order  []Bet             `json:"-"`
}

// Unit is the unit in which net results are counted.
type Unit uint8

// The units. The zero value is none of them.
const (
	_ Unit = iota
	// Stakes are units of the bet, of one Ante where the bet is Ante and Play.
	Stakes
	// Currency is the currency's main unit.
	Currency
	numUnits
)

var unitKeys = enum.New("a unit", numUnits, []string{Stakes: "stake", Currency: "currency"})

// String returns "stake" or "currency".
func (u Unit) String() string { return unitKeys.Key(u) }

// MarshalText writes the unit's name.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// Analysis is everything about one bet. House edge, return, element of risk
// and average wager are in units of the bet; expectation, variance, the
// distribution and the rows in Unit.
type Analysis struct {
	Unit  Unit         `json:"unit"`
	Stake money.Amount `json:"-"`
	// HouseEdge is the expected loss on one bet, for Ante and Play on one Ante.
	HouseEdge Fraction `json:"house_edge"`
	// Return is what comes back of one bet, 1 - HouseEdge.
	Return Fraction `json:"return"`
	// ElementOfRisk is the expected loss on all that is staked.
	ElementOfRisk Fraction `json:"element_of_risk"`
	// AverageWager is all that is staked on average.
	AverageWager Fraction `json:"average_wager"`
	// HitFrequency is how often at least one line of the bet is paid for the
	// hand of the box itself, also where the round as a whole is lost. Envy
	// Bonuses do not count.
	HitFrequency Fraction `json:"hit_frequency"`
	NetWin       Fraction `json:"p_net_win"`
	Push         Fraction `json:"p_push"`
	NetLoss      Fraction `json:"p_net_loss"`
	// Expectation is the mean of the net result.
	Expectation Fraction `json:"expectation"`
	Variance    Fraction `json:"variance"`
	StdDev      Decimal  `json:"std_dev"`
	// Skewness is the third central moment over the cube of the standard
	// deviation. Kurtosis is the fourth over its fourth power; 3 is normal.
	Skewness Decimal  `json:"skewness,omitempty"`
	Kurtosis Fraction `json:"kurtosis"`
	// VolatilityIndex is 1.65 standard deviations of one round: with the
	// normal approximation nine results of n rounds in ten lie within it over
	// the root of n.
	VolatilityIndex Decimal `json:"volatility_index"`
	// Distribution lists every net result, the lowest first.
	Distribution []Outcome `json:"distribution"`
	// Total is the number of deals: 22,100 where only the hand matters,
	// 407,170,400 where the dealer's does too, and times the hands of the other
	// boxes where they bring Envy Bonuses.
	Total *big.Int `json:"-"`
	// Rows is what each row of the pay table, or each way a line ends,
	// contributes.
	Rows []Row `json:"rows"`
	// Strategy is nil where there is nothing to decide.
	Strategy *Strategy `json:"strategy,omitempty"`
	// Jackpot is nil for a bet without a meter.
	Jackpot *Jackpot `json:"jackpot,omitempty"`
}

// Outcome is one net result and the number of deals that end so.
type Outcome struct {
	Net  Fraction
	Ways *big.Int
}

// Row is one way in which a line of the bet ends.
type Row struct {
	Wager  rules.Wager  `json:"wager"`
	Result rules.Result `json:"result"`
	// Combo is the row of the pay table; zero where the line has none.
	Combo  rules.Combo `json:"combo,omitempty"`
	Clause string      `json:"clause"`
	// Folded marks what happens to hands that are folded.
	Folded bool `json:"folded,omitempty"`
	// Pays is the winnings without the stake, Net what the line changes.
	Pays Fraction `json:"pays"`
	Net  Fraction `json:"net"`
	// Ways is the number of deals, or of Envy Bonuses in all deals.
	Ways *big.Int `json:"-"`
	// Probability is Ways of all deals. For Envy Bonuses, of which a deal can bring
	// several, it is their expected number.
	Probability Fraction `json:"probability"`
	// Contribution is Net times Probability; the contributions of a bet add up
	// to its expectation.
	Contribution Fraction `json:"contribution"`
}

// Analyse works out the par sheet of a variant, exactly.
//
// It returns an error where the variant has no such bet, the stake is outside
// the limits, the meter or the number of others makes no sense, or a payment is
// too large ([ErrTooLarge]).
func Analyse(v *rules.Variant, o Options) (*Sheet, error) {
	return analyse(v, tablesFor(v.Book), o)
}

func analyse(v *rules.Variant, t *tables, o Options) (*Sheet, error) {
	if err := o.check(v); err != nil {
		return nil, err
	}
	sheet := &Sheet{
		Book: v.Book.Ref(), Variant: v.ID, Hash: v.Hash(),
		Others: o.Others, Meter: o.meter(v), Wagers: map[Bet]*Analysis{}, Order: o.Bets,
	}
	if len(sheet.Order) == 0 {
		sheet.Order = Bets(v)
	}
	m := &maker{v: v, t: t, o: o}
	for _, b := range sheet.Order {
		a, err := m.analysis(b)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", b, v.ID, err)
		}
		sheet.Wagers[b] = a
	}
	return sheet, nil
}

// check returns the first mistake in the options for this variant.
func (o *Options) check(v *rules.Variant) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	offered := Bets(v)
	for _, b := range o.Bets {
		if !slices.Contains(offered, b) {
			fail("%s offers no %s: its bets are %v", v.ID, b, offered)
		}
	}
	switch {
	case o.Others < 0 || o.Others > rules.MaxBoxes-1:
		fail("%d other boxes: a deck serves 0 to %d", o.Others, rules.MaxBoxes-1)
	case o.OwnBoxes < 0 || o.OwnBoxes > o.Others:
		fail("%d own boxes among %d others", o.OwnBoxes, o.Others)
	case o.OwnBoxes > 0 && v.Book.Envy.TwoBets != 0 && v.Is(v.Book.Envy.TwoBets, rules.PerPlayer):
		fail("under the ruling %s a hand pays one bet of the player, and the order of the boxes decides which: leave the own boxes out", v.Book.Envy.TwoBets)
	}
	if table := v.Pays[rules.Progressive]; table != nil && v.Jackpot != nil {
		for i := range table.Rows {
			if err := table.Rows[i].Pay.WholeMeter(); err != nil {
				fail("%s: %w", table.Rows[i].Combo.Name(), err)
			}
		}
	}
	if o.Meter < 0 {
		fail("a meter of %s is below zero", o.Meter.Display())
	}
	if o.Stake < 0 {
		fail("a bet of %s is below zero", o.Stake.Display())
	}
	for _, b := range offered {
		limit := v.Limits[b.Wager()]
		if o.Stake == 0 || b == Progressive || (len(o.Bets) > 0 && !slices.Contains(o.Bets, b)) {
			continue
		}
		if o.Stake < limit.Min || (limit.Max > 0 && o.Stake > limit.Max) {
			fail("a bet of %s on %s is outside its limits %s to %s", o.Stake.Display(), b, limit.Min.Display(), limit.Max.Display())
		}
	}
	if o.Rule.kind != optimal && !hasDecision(v) {
		fail("%s has nothing to decide, so no strategy", v.Book.Ref())
	}
	if o.Rule.kind == atLeast && (o.Rule.strength < 1 || o.Rule.strength > tablesFor(v.Book).top) {
		fail("no hand has strength %d", o.Rule.strength)
	}
	return errors.Join(errs...)
}

func (o *Options) meter(v *rules.Variant) money.Amount {
	if o.Meter == 0 && v.Jackpot != nil {
		return v.Jackpot.Reset
	}
	return o.Meter
}

// stakeOf returns the size of a bet.
func (o *Options) stakeOf(v *rules.Variant, b Bet) (money.Amount, error) {
	switch {
	case b == Progressive:
		return v.Jackpot.Bet, nil
	case o.Stake != 0:
		return o.Stake, nil
	}
	return unitStake(v, b.Wager())
}

// unlimited returns the variant without limits, which would cut a stake that is
// only a unit to count in.
func unlimited(v *rules.Variant) *rules.Variant {
	c := v.Clone()
	for w := range c.Limits {
		c.Limits[w] = rules.Limit{}
	}
	return c
}

// maker makes the analyses of one sheet. The decision between Play and fold is
// the same for all bets of a box, so it is worked out once.
type maker struct {
	v        *rules.Variant
	t        *tables
	o        Options
	strategy *Strategy
}

// decision returns the strategy for the Ante alone, nil where there is none.
func (m *maker) decision() (*Strategy, error) {
	if m.strategy != nil || !hasDecision(m.v) {
		return m.strategy, nil
	}
	stake, err := m.o.stakeOf(m.v, AntePlay)
	if err != nil {
		return nil, err
	}
	p, err := m.payoffs(AntePlay, stake)
	if err != nil {
		return nil, err
	}
	m.strategy = p.decide(m.o.Rule, int64(stake), m.t.qualify)
	if m.o.Rule.kind == optimal {
		m.strategy.Claim = m.claim(m.strategy)
	}
	return m.strategy, nil
}

func (m *maker) payoffs(b Bet, stake money.Amount) (*payoffs, error) {
	var beside rules.Wager
	if m.o.Beside {
		beside = m.v.EvenBeside(m.v.Book.Rule(b.Wager()))
	}
	return m.payoffsBeside(b, stake, beside)
}

// payoffsBeside settles a bet beside a bet on another wager of the box, zero for none.
func (m *maker) payoffsBeside(b Bet, stake money.Amount, beside rules.Wager) (*payoffs, error) {
	v := m.v
	if m.o.Stake == 0 {
		v = unlimited(v)
	}
	var stakes rules.Stakes
	stakes[b.Wager()] = stake
	if beside == 0 {
		return settleAll(v, m.t, stakes, m.o.meter(m.v))
	}
	stakes[beside] = money.Major // of any size
	p, err := settleAll(v, m.t, stakes, m.o.meter(m.v))
	if err != nil {
		return nil, err
	}
	p.only(b)
	return p, nil
}

func (m *maker) analysis(b Bet) (*Analysis, error) {
	stake, err := m.o.stakeOf(m.v, b)
	if err != nil {
		return nil, err
	}
	p, err := m.payoffs(b, stake)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Unit: Stakes, Stake: stake}
	unit := int64(stake)
	if b == Progressive {
		a.Unit, unit = Currency, int64(money.Major)
	}
	plays := func(int) bool { return true }
	var s *Strategy
	if b.Decided(m.v) {
		if s, err = m.decision(); err != nil {
			return nil, err
		}
		if s != nil {
			plays = func(class int) bool { return s.play[class] }
		}
	}
	if b == AntePlay {
		a.Strategy = s
	}
	counted := p.count(plays)
	result := newSpread(counted.total)
	rule := m.v.Book.Rule(b.Wager())
	if rule.Envy && m.o.Others > 0 {
		e, err := m.envy(b, stake)
		if err != nil {
			return nil, err
		}
		if e != nil {
			if result, err = e.spread(p, plays); err != nil {
				return nil, err
			}
			counted = nil
		}
	}
	if counted != nil {
		counted.each(func(s *settled, ways int64, folded bool) {
			result.add(s, big.NewInt(ways), folded)
		})
	}
	result.describe(a, unit, int64(stake), m.v.Book.Order.Lines)
	if b == Progressive {
		if a.Jackpot, err = m.jackpot(a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// rowKey identifies a row of the report: lines with the same key are counted together.
type rowKey struct {
	wager     rules.Wager
	result    rules.Result
	combo     rules.Combo
	clause    string
	pays, net money.Amount
	folded    bool
}

// spread collects the deals of a bet by net result and by row.
type spread struct {
	total  *big.Int
	nets   map[int64]*big.Int
	rows   map[rowKey]*big.Int
	hits   *big.Int
	staked *big.Int // minor units, summed over all deals
}

func newSpread(total int64) *spread {
	return &spread{
		total: big.NewInt(total), nets: map[int64]*big.Int{}, rows: map[rowKey]*big.Int{},
		hits: new(big.Int), staked: new(big.Int),
	}
}

// add counts that many deals that are settled so.
func (r *spread) add(s *settled, ways *big.Int, folded bool) {
	r.addNet(s.net, ways)
	r.addLines(s, ways, folded)
}

func (r *spread) addNet(net int64, ways *big.Int) {
	sum := r.nets[net]
	if sum == nil {
		sum = new(big.Int)
		r.nets[net] = sum
	}
	sum.Add(sum, ways)
}

func (r *spread) addLines(s *settled, ways *big.Int, folded bool) {
	hit := false
	for i := range s.lines {
		line := &s.lines[i]
		r.addRow(line, ways, folded)
		hit = hit || (line.Result == rules.Win && line.Pays > 0)
		r.staked.Add(r.staked, new(big.Int).Mul(ways, big.NewInt(int64(line.Stake))))
	}
	if hit {
		r.hits.Add(r.hits, ways)
	}
}

func (r *spread) addRow(line *rules.Line, ways *big.Int, folded bool) {
	key := rowKey{line.Wager, line.Result, line.Combo, line.Clause, line.Pays, line.Net(), folded}
	sum := r.rows[key]
	if sum == nil {
		sum = new(big.Int)
		r.rows[key] = sum
	}
	sum.Add(sum, ways)
}

// describe fills an analysis from the counts. unit is what results are counted
// in and stake the size of the bet, both in minor units; order is the order of
// the lines.
func (r *spread) describe(a *Analysis, unit, stake int64, order []rules.Wager) {
	a.Total = r.total
	nets := make([]int64, 0, len(r.nets))
	for net := range r.nets {
		nets = append(nets, net)
	}
	slices.Sort(nets)
	for _, net := range nets {
		if ways := r.nets[net]; ways.Sign() != 0 {
			a.Distribution = append(a.Distribution, Outcome{frac(net, unit), ways})
		}
	}
	var win, push, loss big.Int
	for _, out := range a.Distribution {
		switch out.Net.Sign() {
		case 1:
			win.Add(&win, out.Ways)
		case 0:
			push.Add(&push, out.Ways)
		default:
			loss.Add(&loss, out.Ways)
		}
	}
	a.NetWin, a.Push, a.NetLoss = fracInt(&win, r.total), fracInt(&push, r.total), fracInt(&loss, r.total)
	a.HitFrequency = fracInt(r.hits, r.total)
	a.moments(r, nets, unit)
	a.HouseEdge = a.Expectation.mul(frac(-unit, stake))
	a.Return = frac(1, 1).sub(a.HouseEdge)
	a.AverageWager = fracInt(r.staked, r.total).over(stake)
	if a.AverageWager.Sign() > 0 {
		a.ElementOfRisk = a.HouseEdge.quo(a.AverageWager)
	}
	for key, ways := range r.rows {
		if ways.Sign() == 0 {
			continue
		}
		p := fracInt(ways, r.total)
		net := frac(int64(key.net), unit)
		a.Rows = append(a.Rows, Row{
			Wager: key.wager, Result: key.result, Combo: key.combo, Clause: key.clause, Folded: key.folded,
			Pays: frac(int64(key.pays), unit), Net: net,
			Ways: ways, Probability: p, Contribution: p.mul(net),
		})
	}
	slices.SortFunc(a.Rows, func(x, y Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Wager), slices.Index(order, y.Wager)),
			-x.Net.Cmp(y.Net), cmp.Compare(x.Combo, y.Combo), cmp.Compare(x.Clause, y.Clause),
			cmp.Compare(x.Result, y.Result), -x.Pays.Cmp(y.Pays), foldedLast(x, y),
		)
	})
}

// foldedLast orders two rows that differ in nothing else: without it their order
// would be chance.
func foldedLast(x, y Row) int {
	switch {
	case x.Folded == y.Folded:
		return 0
	case x.Folded:
		return 1
	}
	return -1
}

// moments fills in mean, variance and shape. All four sums are of integers;
// with N deals and sums S1 to S4 of the powers of the net result,
//
//	N^2 variance = N S2 - S1^2
//	N^3 third    = N^2 S3 - 3 N S1 S2 + 2 S1^3
//	N^4 fourth   = N^3 S4 - 4 N^2 S1 S3 + 6 N S1^2 S2 - 3 S1^4
func (a *Analysis) moments(r *spread, nets []int64, unit int64) {
	var sums [5]*big.Int
	for i := range sums {
		sums[i] = new(big.Int)
	}
	for _, net := range nets {
		term := new(big.Int).Set(r.nets[net])
		x := big.NewInt(net)
		for i := 1; i <= 4; i++ {
			term.Mul(term, x)
			sums[i].Add(sums[i], term)
		}
	}
	mul := func(factors ...*big.Int) *big.Int {
		product := big.NewInt(1)
		for _, f := range factors {
			product.Mul(product, f)
		}
		return product
	}
	n, s1, s2, s3, s4 := r.total, sums[1], sums[2], sums[3], sums[4]
	second := mul(n, s2)
	second.Sub(second, mul(s1, s1))
	third := mul(n, n, s3)
	third.Sub(third, mul(big.NewInt(3), n, s1, s2)).Add(third, mul(big.NewInt(2), s1, s1, s1))
	fourth := mul(n, n, n, s4)
	fourth.Sub(fourth, mul(big.NewInt(4), n, n, s1, s3)).
		Add(fourth, mul(big.NewInt(6), n, s1, s1, s2)).
		Sub(fourth, mul(big.NewInt(3), s1, s1, s1, s1))

	u := big.NewInt(unit)
	a.Expectation = fracInt(s1, mul(n, u))
	a.Variance = fracInt(second, mul(n, n, u, u))
	a.StdDev = a.Variance.root()
	a.VolatilityIndex = a.Variance.mul(frac(165*165, 100*100)).root()
	if second.Sign() == 0 {
		return // a bet with one result only has no shape
	}
	// third/N^3 over (second/N^2)^(3/2): its square is third^2 / second^3.
	a.Skewness = signedRoot(fracInt(mul(third, third), mul(second, second, second)), third.Sign())
	a.Kurtosis = fracInt(fourth, mul(second, second))
}
