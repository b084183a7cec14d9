package odds

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"trey/money"
)

// Chance is a probability, known exactly or between two bounds.
type Chance struct {
	Low  Fraction `json:"low"`
	High Fraction `json:"high"`
}

// Exact reports whether the bounds are the same.
func (c Chance) Exact() bool { return c.Low.Equal(c.High) }

// Bounds are the least and the most that a mean can be; they are equal where it
// is known exactly.
type Bounds struct {
	Low  Fraction `json:"low"`
	High Fraction `json:"high"`
}

// End is one way a session can end.
type End struct {
	Net    Fraction `json:"net"`
	Chance Chance   `json:"chance"`
}

// Session is the result of a number of rounds of one bet. Sums are in the unit of the
// analysis it is made from.
type Session struct {
	Rounds      int      `json:"rounds"`
	Expectation Fraction `json:"expectation"`
	Variance    Fraction `json:"variance"`
	StdDev      Decimal  `json:"std_dev"`
	// Ahead, Even and Behind are the chances to end above, at and below the
	// start. A player who is ruined on the way ends behind.
	Ahead  Chance `json:"ahead"`
	Even   Chance `json:"even"`
	Behind Chance `json:"behind"`
	// Ruin is the chance that the bankroll at some time does not cover what the
	// next round can cost; zero without a bankroll.
	Ruin Chance `json:"ruin"`
	// Stopped is the mean result of a player who stops when ruined, and Played
	// the mean number of rounds until then; nil without a bankroll.
	Stopped *Bounds `json:"stopped_expectation,omitempty"`
	Played  *Bounds `json:"rounds_played,omitempty"`
	// Ends lists what the session can end with, the lowest first, apart from
	// ends that are less likely than one in 10^19 each.
	Ends []End `json:"-"`
}

const (
	// exactRounds bounds the rounds of a session that is worked out in integers of any
	// size, and exactWork the steps of each round.
	exactRounds = 32
	exactWork   = 500_000
	// maxRounds, maxWork and maxWidth bound the longest session: rounds, steps,
	// and positions at a time, eight bytes each.
	maxRounds = 100_000
	maxWork   = 4_000_000_000
	maxWidth  = 2_000_000
)

// Session works out the distribution after a number of rounds, the chance to be ahead,
// and with a bankroll (zero is none: an endless one) the risk of ruin. The player stops
// when ruined.
//
// Up to 32 rounds are exact, but for bets with very many results. Beyond,
// probabilities are whole numbers of 2^-64 that are only ever rounded down, so
// what is lost in rounding bounds the error of every figure: the result says by
// how much ([Chance]). It returns an error
// for a session too long to work out, or a bankroll that does not cover one
// round.
func (a *Analysis) Session(rounds int, bankroll Fraction) (*Session, error) {
	if rounds < 1 || rounds > maxRounds {
		return nil, fmt.Errorf("%d rounds: a session has 1 to %d", rounds, maxRounds)
	}
	w := &walk{}
	if err := w.lattice(a); err != nil {
		return nil, err
	}
	if bankroll.Sign() != 0 {
		if err := w.bank(a, bankroll); err != nil {
			return nil, err
		}
	}
	s := &Session{Rounds: rounds, Expectation: a.Expectation.times(int64(rounds)), Variance: a.Variance.times(int64(rounds))}
	s.StdDev = s.Variance.root()
	span := w.nets[len(w.nets)-1] - w.nets[0] + 1
	if rounds <= exactRounds && span*int64(rounds*len(w.nets)) <= exactWork {
		w.exactly(s, rounds)
		return s, nil
	}
	if err := w.nearly(s, rounds); err != nil {
		return nil, err
	}
	return s, nil
}

// walk is a session on the lattice of the results: multiples of the greatest
// number that divides all of them.
type walk struct {
	step  Fraction
	nets  []int64 // in steps
	ways  []*big.Int
	total *big.Int
	// ruined is the position, in steps, at and below which the player stops;
	// noRuin without a bankroll.
	ruined int64
}

const (
	noRuin  = -1 << 62
	maxStep = 1 << 40
)

func (w *walk) lattice(a *Analysis) error {
	common := new(big.Int)
	den := big.NewInt(1)
	for _, out := range a.Distribution {
		gcd := new(big.Int).GCD(nil, nil, den, out.Net.rat().Denom())
		den.Mul(den, new(big.Int).Quo(out.Net.rat().Denom(), gcd))
	}
	steps := make([]*big.Int, len(a.Distribution))
	for i, out := range a.Distribution {
		steps[i] = new(big.Int).Mul(out.Net.rat().Num(), new(big.Int).Quo(den, out.Net.rat().Denom()))
		common.GCD(nil, nil, common, new(big.Int).Abs(steps[i]))
	}
	if common.Sign() == 0 {
		common.SetInt64(1) // nothing is ever won or lost
	}
	w.step, w.total, w.ruined = fracInt(common, den), a.Total, noRuin
	for i, step := range steps {
		step.Quo(step, common)
		if !step.IsInt64() || step.Int64() > maxStep || step.Int64() < -maxStep {
			return fmt.Errorf("the results of a round have no common measure: %w", ErrTooLarge)
		}
		w.nets = append(w.nets, step.Int64())
		w.ways = append(w.ways, a.Distribution[i].Ways)
	}
	return nil
}

// bank sets where the player is ruined: where the bankroll left is less than the
// most a round can cost.
func (w *walk) bank(a *Analysis, bankroll Fraction) error {
	worst := a.Distribution[0].Net.neg()
	if bankroll.Cmp(worst) < 0 {
		return fmt.Errorf("a bankroll of %s does not cover a round, which can cost %s", bankroll.Plain(), worst.Plain())
	}
	if worst.Sign() <= 0 {
		return nil // nothing can be lost
	}
	// Ruined at position x if bankroll + x step < worst.
	limit := worst.sub(bankroll).quo(w.step).rat() // not above zero
	floor := new(big.Int).Div(limit.Num(), limit.Denom())
	if limit.IsInt() {
		floor.Sub(floor, big.NewInt(1)) // exactly covered is not ruined
	}
	if !floor.IsInt64() {
		return errors.New("the bankroll is too large: leave it out")
	}
	w.ruined = max(floor.Int64(), noRuin)
	return nil
}

// exactly goes round by round in counts of deals.
func (w *walk) exactly(s *Session, rounds int) {
	at := map[int64]*big.Int{0: big.NewInt(1)}
	ruin := map[int64]*big.Int{} // where ruined players stand
	add := func(m map[int64]*big.Int, x int64, ways *big.Int) {
		if m[x] == nil {
			m[x] = new(big.Int)
		}
		m[x].Add(m[x], ways)
	}
	var played Fraction
	for round := range rounds {
		alive := new(big.Int)
		for _, ways := range at {
			alive.Add(alive, ways)
		}
		played = played.add(fracInt(alive, new(big.Int).Exp(w.total, big.NewInt(int64(round)), nil)))
		next := map[int64]*big.Int{}
		for x, ways := range ruin {
			ways.Mul(ways, w.total) // so that all counts are out of the same
			ruin[x] = ways
		}
		for x, ways := range at {
			for i, net := range w.nets {
				product := new(big.Int).Mul(ways, w.ways[i])
				if x+net <= w.ruined {
					add(ruin, x+net, product)
				} else {
					add(next, x+net, product)
				}
			}
		}
		at = next
	}
	total := new(big.Int).Exp(w.total, big.NewInt(int64(rounds)), nil)
	exact := func(ways *big.Int) Chance { return Chance{fracInt(ways, total), fracInt(ways, total)} }
	ruinWays := new(big.Int)
	for x, ways := range ruin {
		ruinWays.Add(ruinWays, ways)
		add(at, x, ways)
	}
	s.Ruin = exact(ruinWays)
	var above, even, below, mean big.Int
	for _, x := range sortedKeys(at) {
		ways := at[x]
		mean.Add(&mean, new(big.Int).Mul(big.NewInt(x), ways))
		switch {
		case x > 0:
			above.Add(&above, ways)
		case x == 0:
			even.Add(&even, ways)
		default:
			below.Add(&below, ways)
		}
		s.Ends = append(s.Ends, End{w.step.times(x), exact(ways)})
	}
	s.Ahead, s.Even, s.Behind = exact(&above), exact(&even), exact(&below)
	if w.ruined != noRuin {
		stopped := w.step.mul(fracInt(&mean, total))
		s.Stopped, s.Played = &Bounds{stopped, stopped}, &Bounds{played, played}
	}
}

// nearly goes round by round in multiples of 2^-64, always rounding down.
func (w *walk) nearly(s *Session, rounds int) error {
	p := make([]uint64, len(w.nets))
	for i, ways := range w.ways {
		share := new(big.Int).Lsh(ways, 64)
		share.Quo(share, w.total)
		if !share.IsUint64() { // one result only: the chance is 1
			share.SetUint64(1<<64 - 1)
		}
		p[i] = share.Uint64()
	}
	low, high := w.nets[0], w.nets[len(w.nets)-1] // they are sorted
	now := row{first: 0, cells: []uint64{1<<64 - 1}}
	ruin := map[int64]uint64{}
	work := 0
	alive := new(big.Int) // rounds begun, in multiples of 2^-64
	for range rounds {
		sum := uint64(0) // the chances are rounded down, and come to less than 1
		for _, chance := range now.cells {
			sum += chance
		}
		alive.Add(alive, new(big.Int).SetUint64(sum))
		width := len(now.cells) + int(high-low)
		if work += width * len(p); work > maxWork || width > maxWidth {
			return fmt.Errorf("%d rounds of a bet whose results are so far apart: %w", rounds, ErrTooLarge)
		}
		next := row{now.first + low, make([]uint64, width)}
		for i, share := range p {
			cells := next.cells[w.nets[i]-low:]
			for x, chance := range now.cells {
				product, _ := bits.Mul64(chance, share)
				cells[x] += product
			}
		}
		for len(next.cells) > 0 && next.first <= w.ruined {
			if c := next.cells[0]; c != 0 {
				ruin[next.first] += c
			}
			next.first++
			next.cells = next.cells[1:]
		}
		now = next.trimmed()
	}
	// Everything that rounding lost is somewhere: it bounds each error.
	lost := new(big.Int).Lsh(big.NewInt(1), 64)
	var ruined big.Int
	ends := map[int64]*big.Int{}
	for x, c := range ruin {
		ends[x] = new(big.Int).SetUint64(c)
		ruined.Add(&ruined, ends[x])
	}
	for i, c := range now.cells {
		if c != 0 {
			x := now.first + int64(i)
			if ends[x] == nil {
				ends[x] = new(big.Int)
			}
			ends[x].Add(ends[x], new(big.Int).SetUint64(c))
		}
	}
	var above, even, below, mean big.Int
	for x, c := range ends {
		lost.Sub(lost, c)
		mean.Add(&mean, new(big.Int).Mul(big.NewInt(x), c))
		switch {
		case x > 0:
			above.Add(&above, c)
		case x == 0:
			even.Add(&even, c)
		default:
			below.Add(&below, c)
		}
	}
	one := new(big.Int).Lsh(big.NewInt(1), 64)
	within := func(n *big.Int) Chance {
		return Chance{fracInt(n, one), fracInt(new(big.Int).Add(n, lost), one)}
	}
	s.Ahead, s.Even, s.Behind, s.Ruin = within(&above), within(&even), within(&below), within(&ruined)
	if w.ruined == noRuin {
		s.Ruin = Chance{}
	} else {
		// What rounding lost ended somewhere between the worst and the best.
		share := fracInt(lost, one)
		stopped := w.step.mul(fracInt(&mean, one))
		worst := max(w.ruined+1+low, int64(rounds)*low)
		s.Stopped = &Bounds{
			stopped.add(w.step.times(min(worst, 0)).mul(share)),
			stopped.add(w.step.times(max(int64(rounds)*high, 0)).mul(share)),
		}
		played := fracInt(alive, one)
		s.Played = &Bounds{played, played.add(share.times(int64(rounds)))}
	}
	for _, x := range sortedKeys(ends) {
		s.Ends = append(s.Ends, End{w.step.times(x), within(ends[x])})
	}
	return nil
}

// row is the chances of neighbouring positions.
type row struct {
	first int64
	cells []uint64
}

// trimmed returns the row without the empty cells at its ends.
func (r row) trimmed() row {
	for len(r.cells) > 0 && r.cells[0] == 0 {
		r.first++
		r.cells = r.cells[1:]
	}
	for len(r.cells) > 0 && r.cells[len(r.cells)-1] == 0 {
		r.cells = r.cells[:len(r.cells)-1]
	}
	return r
}

// LossPerHour returns the expected loss in currency at so many rounds an hour with
// that bet in each; with the bets of a whole table it is the table's
// theoretical win.
func (a *Analysis) LossPerHour(bet money.Amount, rounds Fraction) Fraction {
	return a.HouseEdge.mul(dollars(bet)).mul(rounds)
}
