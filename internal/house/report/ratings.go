package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// ratings gathers the bets of tables and players for which the mathematics gives a
// theoretical win. It rates each round when the next one begins, because until then a
// settlement may be undone. Of a round that the period found in play it takes away what that
// had come to before, so that periods add up. Jackpot wagers and Envy Bonuses are left out:
// their win is shared with the meter.
type ratings struct {
	kind        Kind
	rules       Rules
	player      string
	toMs        int64
	performance *performance
	tables      map[string]*ratedTable
	players     map[string]*ratedPlayer
	current     map[string]*ratedRound
	// begun says that the period has begun.
	begun  bool
	failed error
}

// ratedTable holds what the theoretical win of a table follows from.
type ratedTable struct {
	exposed map[*rules.Variant]*exposed
	win     money.Amount
	// endsMs are the moments at which rounds of the last hour were settled, by their numbers.
	endsMs map[int]int64
}

// exposed sums up stakes on bets by the same rules, in the order of [odds.ExposedBets].
type exposed struct {
	bets   []odds.ExposedBet
	handle []money.Amount
	// same sums up the products of two stakes on one box, other those of two stakes on two
	// boxes of a round.
	same, other map[[2]int]*big.Int
}

// ratedPlayer holds the rating of a player.
type ratedPlayer struct {
	rounds            int64
	bets, handle, win money.Amount
	// staked sums up stakes by rules, in the order of [odds.ExposedBets].
	staked map[*rules.Variant][]money.Amount
}

// ratedRound holds the results of the round of a table so far.
type ratedRound struct {
	number int
	won    map[string]money.Amount // by the house, from each player
}

// hourMs is the time over which the pace of a table is measured.
const hourMs = 60 * 60 * 1000

func newRatings(q *Query, toMs int64) *ratings {
	g := &ratings{
		kind: q.Kind, rules: q.Rules, player: q.Player, toMs: toMs, performance: newPerformance(q),
		tables: map[string]*ratedTable{}, players: map[string]*ratedPlayer{}, current: map[string]*ratedRound{},
	}
	g.performance.next = func(name string, begins int) {
		if g.begun {
			g.rate(name, true, 1)
		}
		g.current[name] = &ratedRound{number: begins, won: map[string]money.Amount{}}
	}
	return g
}

func (g *ratings) see(e *house.StoredTransaction, within bool) error {
	if within && !g.begun {
		g.begun = true
		g.rateAll(-1)
	}
	if err := g.performance.see(e, within); err != nil {
		return err
	}
	for name, round := range g.current {
		switch ends := g.table(name).endsMs; {
		case !g.performance.ended[name]:
			delete(ends, round.number) // Its settlement may have been undone.
		case within && e.AtMs >= g.toMs-hourMs && ends[round.number] == 0:
			ends[round.number] = e.AtMs
		}
	}
	for i := range e.Postings {
		g.posting(&e.Postings[i], within)
	}
	return errors.Join(g.failed, g.performance.add.err)
}

// rated reports whether a wager has a theoretical win.
func rated(w rules.Wager) bool { return w != 0 && w != rules.Progressive && w != rules.Envy }

func (g *ratings) table(name string) *ratedTable {
	rated := g.tables[name]
	if rated == nil {
		rated = &ratedTable{exposed: map[*rules.Variant]*exposed{}, endsMs: map[int]int64{}}
		g.tables[name] = rated
	}
	return rated
}

// posting notes the win of the house from a player at a table.
func (g *ratings) posting(post *ledger.Posting, within bool) {
	name := post.For.Table
	if !rated(post.For.Wager) || g.performance.only != "" && g.performance.only != name {
		return
	}
	add := &g.performance.add
	if within && post.To.Kind == ledger.Win {
		add.to(&g.table(name).win, post.Amount)
	}
	if within && post.From.Kind == ledger.Win {
		add.less(&g.table(name).win, post.Amount)
	}
	round := g.current[name]
	if round == nil {
		return // it began before what is read
	}
	for _, side := range []side{{post.From, false}, {post.To, true}} {
		if side.of.Kind != ledger.Player && side.of.Kind != ledger.Owed {
			continue
		}
		won := round.won[side.of.Of]
		if side.in {
			add.less(&won, post.Amount)
		} else {
			add.to(&won, post.Amount)
		}
		round.won[side.of.Of] = won
	}
}

// rateAll rates the rounds of all tables as they stand.
func (g *ratings) rateAll(times int64) {
	for name := range g.current {
		g.rate(name, g.performance.ended[name], times)
	}
}

// rate adds the round of a table to the rating of the table and, if the round is over, to those
// of its players. Where times is -1, it subtracts the round.
func (g *ratings) rate(name string, over bool, times int64) {
	round := g.current[name]
	if round == nil {
		return
	}
	staked := map[seat]*rules.Stakes{}
	for key, risked := range g.performance.risked[name] {
		if !rated(key.wager) {
			continue
		}
		g.performance.add.to(&at(staked, seat{key.box, key.player})[key.wager], risked)
	}
	if len(staked) > 0 {
		v, err := g.rules.RulesAt(name, round.number)
		if err != nil {
			g.failed = errors.Join(g.failed, err)
			return
		}
		g.table(name).expose(v, staked, times, &g.performance.add)
		if over {
			g.ratePlayers(v, staked, times)
		}
	}
	if !over {
		return
	}
	for player, won := range round.won {
		if rated := g.players[player]; rated != nil {
			g.performance.add.to(&rated.win, won*money.Amount(times))
		}
	}
}

// seat is a player at a box.
type seat struct {
	box    int
	player string
}

// expose adds the stakes of a round, or takes them away.
func (t *ratedTable) expose(v *rules.Variant, staked map[seat]*rules.Stakes, times int64, add *adder) {
	sums := t.exposed[v]
	if sums == nil {
		bets := odds.ExposedBets(v)
		sums = &exposed{bets: bets, handle: make([]money.Amount, len(bets)), same: map[[2]int]*big.Int{}, other: map[[2]int]*big.Int{}}
		t.exposed[v] = sums
	}
	boxes := map[int][]money.Amount{}
	total := make([]money.Amount, len(sums.bets))
	for at, stakes := range staked {
		if boxes[at.box] == nil {
			boxes[at.box] = make([]money.Amount, len(sums.bets))
		}
		for i, bet := range sums.bets {
			add.to(&boxes[at.box][i], bet.Stake(stakes))
			add.to(&total[i], bet.Stake(stakes))
		}
	}
	for i := range sums.bets {
		add.to(&sums.handle[i], total[i]*money.Amount(times))
		for k := range sums.bets {
			pair := [2]int{i, k}
			for _, on := range boxes {
				onBox := product(on[i], on[k], times)
				plus(sums.same, pair, onBox)
				plus(sums.other, pair, onBox.Neg(onBox))
			}
			plus(sums.other, pair, product(total[i], total[k], times))
		}
	}
}

func product(a, b money.Amount, times int64) *big.Int {
	of := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
	return of.Mul(of, big.NewInt(times))
}

func plus(sums map[[2]int]*big.Int, pair [2]int, amount *big.Int) {
	if sums[pair] == nil {
		sums[pair] = new(big.Int)
	}
	sums[pair].Add(sums[pair], amount)
}

// ratePlayers takes the stakes of a round into the ratings of its players, or out of them.
func (g *ratings) ratePlayers(v *rules.Variant, staked map[seat]*rules.Stakes, times int64) {
	bets, add := odds.ExposedBets(v), &g.performance.add
	counted := map[string]bool{}
	for at, stakes := range staked {
		rated := g.players[at.player]
		if rated == nil {
			rated = &ratedPlayer{staked: map[*rules.Variant][]money.Amount{}}
			g.players[at.player] = rated
		}
		if !counted[at.player] {
			counted[at.player] = true
			rated.rounds += times
		}
		if rated.staked[v] == nil {
			rated.staked[v] = make([]money.Amount, len(bets))
		}
		for _, amount := range stakes {
			add.to(&rated.handle, amount*money.Amount(times))
		}
		for i, bet := range bets {
			stake := bet.Stake(stakes) * money.Amount(times)
			add.to(&rated.staked[v][i], stake)
			add.to(&rated.bets, stake)
		}
	}
}

// exposures holds the mathematics of the variants that were rated, by their hashes.
var exposures sync.Map // of func() (*odds.Exposure, error)

func exposureOf(v *rules.Variant) (*odds.Exposure, error) {
	work, _ := exposures.LoadOrStore(v.Hash(), sync.OnceValues(func() (*odds.Exposure, error) { return odds.ExposureOf(v) }))
	return work.(func() (*odds.Exposure, error))()
}

// theoretical returns the theoretical win on stakes, exactly.
func theoretical(e *odds.Exposure, stakes []money.Amount) *big.Rat {
	sum := new(big.Rat)
	for i := range e.Bets {
		stake := new(big.Rat).SetInt64(int64(stakes[i]))
		sum.Add(sum, stake.Mul(stake, e.Edge[i].Rat()))
	}
	return sum
}

// expected returns the theoretical win of a table and its variance, exactly.
func (t *ratedTable) expected() (win, variance *big.Rat, err error) {
	win, variance = new(big.Rat), new(big.Rat)
	for v, sums := range t.exposed {
		e, err := exposureOf(v)
		if err != nil {
			return nil, nil, fmt.Errorf("the mathematics of %s: %w", v.ID, err)
		}
		win.Add(win, theoretical(e, sums.handle))
		for i := range e.Bets {
			for k := range e.Bets {
				pair := [2]int{i, k}
				for _, part := range []struct {
					sum        *big.Int
					covariance odds.Fraction
				}{{sums.same[pair], e.Same[i][k]}, {sums.other[pair], e.Other[i][k]}} {
					if part.sum != nil {
						x := new(big.Rat).SetInt(part.sum)
						variance.Add(variance, x.Mul(x, part.covariance.Rat()))
					}
				}
			}
		}
	}
	return win, variance, nil
}

// rounded returns the nearest amount to an exact one, the farther from zero of two.
func rounded(exact *big.Rat) (money.Amount, error) {
	text := new(big.Rat).Set(exact).FloatString(0)
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || !n.IsInt64() {
		return 0, fmt.Errorf("a theoretical win of %s is too large", text)
	}
	return money.Amount(n.Int64()), nil
}

// band returns half the width of the band in which 95 % of all results lie: 1.96 standard
// deviations by the normal approximation, rounded up.
func band(variance *big.Rat) (money.Amount, error) {
	if variance.Sign() <= 0 {
		return 0, nil
	}
	square := new(big.Rat).Mul(variance, big.NewRat(196*196, 100*100))
	floored := new(big.Int).Quo(square.Num(), square.Denom())
	root := new(big.Int).Sqrt(floored)
	if new(big.Rat).SetInt(new(big.Int).Mul(root, root)).Cmp(square) < 0 {
		root.Add(root, big.NewInt(1))
	}
	if !root.IsInt64() {
		return 0, errors.New("a band of results is too wide")
	}
	return money.Amount(root.Int64()), nil
}

// pace returns rounds an hour by the moments at which rounds were settled, nil for fewer
// than two and for less than a minute.
func pace(endsMs map[int]int64) any {
	moments := slices.Sorted(maps.Values(endsMs))
	n := len(moments)
	if n < 2 || moments[n-1]-moments[0] < 60_000 {
		return nil
	}
	spanMs := moments[n-1] - moments[0]
	return (int64(n-1)*hourMs + spanMs/2) / spanMs
}

func (g *ratings) sections() ([]Section, []Words, error) {
	if g.begun {
		g.rateAll(1)
	}
	err := errors.Join(g.failed, g.performance.add.err)
	if err != nil {
		return nil, nil, err
	}
	if g.kind == PlayerRatings {
		return g.ofPlayers()
	}
	return g.ofTables()
}

func (g *ratings) ofTables() ([]Section, []Words, error) {
	s := Section{Title: "Tables", Columns: []Column{
		{"table", "Table", Text},
		{"pace", "Rounds an hour", Count},
		{"settled", "Rounds settled", Count},
		{"drop", "Bets placed", Money},
		{"handle", "Handle", Money},
		{"win", "Win", Money},
		{"rated_win", "Win without jackpots", Money},
		{"theo", "Theoretical win", Money},
		{"low", "95 % from", Money},
		{"high", "95 % to", Money},
		{"fills", "Fills", Money},
		{"credits", "Credits", Money},
	}}
	var sum made
	var win money.Amount
	theo, variance := new(big.Rat), new(big.Rat)
	add := &g.performance.add
	for _, name := range slices.Sorted(maps.Keys(g.performance.tables)) {
		sums, t := g.performance.tables[name], g.table(name)
		if *sums == (made{}) {
			continue
		}
		mean, spread, err := t.expected()
		if err != nil {
			return nil, nil, err
		}
		theo.Add(theo, mean)
		variance.Add(variance, spread)
		center, half, err := centered(mean, spread)
		if err != nil {
			return nil, nil, err
		}
		s.add(name, pace(t.endsMs), sums.settled, sums.drop, sums.handle, sums.win, t.win, center, center-half, center+half, sums.fills, sums.credits)
		sum.settled += sums.settled
		add.to(&win, t.win)
		for _, pair := range [][2]*money.Amount{
			{&sum.drop, &sums.drop},
			{&sum.handle, &sums.handle},
			{&sum.win, &sums.win},
			{&sum.fills, &sums.fills},
			{&sum.credits, &sums.credits},
		} {
			add.to(pair[0], *pair[1])
		}
	}
	center, half, err := centered(theo, variance)
	s.Totals = Row{"Total", nil, sum.settled, sum.drop, sum.handle, sum.win, win, center, center - half, center + half, sum.fills, sum.credits}
	return append([]Section{s}, g.performance.chipSections()...), nil, errors.Join(err, add.err)
}

// centered returns a theoretical win and half the width of its band.
func centered(mean, variance *big.Rat) (center, half money.Amount, err error) {
	if center, err = rounded(mean); err == nil {
		half, err = band(variance)
	}
	return center, half, err
}

func (g *ratings) ofPlayers() ([]Section, []Words, error) {
	s := Section{Title: "Players", Columns: []Column{
		{"player", "Player", Text},
		{"rounds", "Rounds", Count},
		{"average_bet", "Average bet", Money},
		{"bets", "Bets before the deal", Money},
		{"handle", "Handle", Money},
		{"win", "Win without jackpots", Money},
		{"theo", "Theoretical win", Money},
	}}
	var all ratedPlayer
	add := &g.performance.add
	sum := new(big.Rat)
	type rating struct {
		name string
		of   *ratedPlayer
		theo money.Amount
	}
	var list []rating
	for name, rated := range g.players {
		if g.player != "" && g.player != name || rated.rounds == 0 && rated.bets == 0 && rated.handle == 0 && rated.win == 0 {
			continue
		}
		theo := new(big.Rat)
		for v, stakes := range rated.staked {
			e, err := exposureOf(v)
			if err != nil {
				return nil, nil, fmt.Errorf("the mathematics of %s: %w", v.ID, err)
			}
			theo.Add(theo, theoretical(e, stakes))
		}
		sum.Add(sum, theo)
		center, err := rounded(theo)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, rating{name, rated, center})
	}
	slices.SortFunc(list, func(a, b rating) int { return cmp.Compare(a.name, b.name) })
	for _, r := range list {
		s.add(r.name, r.of.rounds, average(r.of.bets, r.of.rounds), r.of.bets, r.of.handle, r.of.win, r.theo)
		all.rounds += r.of.rounds
		add.to(&all.bets, r.of.bets)
		add.to(&all.handle, r.of.handle)
		add.to(&all.win, r.of.win)
	}
	center, err := rounded(sum)
	s.Totals = Row{"Total", all.rounds, average(all.bets, all.rounds), all.bets, all.handle, all.win, center}
	return []Section{s}, nil, errors.Join(err, add.err)
}

// average returns the bets of one round, rounded to the nearest amount.
func average(bets money.Amount, rounds int64) any {
	if rounds == 0 {
		return nil
	}
	return (bets + money.Amount(rounds)/2) / money.Amount(rounds)
}
