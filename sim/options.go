package sim

import (
	"errors"
	"fmt"
	"runtime"

	"trey/card"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// Options say what is played. Only Rounds must be given.
type Options struct {
	// Rounds is how many rounds to play, 1 to [MaxRounds].
	Rounds int64
	// Seed decides all cards.
	Seed uint64
	// Workers is how many rounds are played at the same time; zero is one for
	// each processor. It does not change the result.
	Workers int
	// Rule decides between Play and fold; the zero value is optimal.
	Rule odds.Rule
	// Meter is what the jackpot displays in every round, in minor units; zero
	// is its reset value.
	Meter money.Amount
	// Boxes is how many boxes play against one dealer, in the engine only;
	// zero is one.
	Boxes int
	// Progress is called after each block with the number of rounds played, and never twice at
	// once.
	Progress func(played int64)
}

// MaxRounds is the largest number of rounds: weeks of them, and far below where
// a count would overflow.
const MaxRounds = 1_000_000_000_000_000

// maxWorkers bounds the memory for counts.
const maxWorkers = 1024

var errKernelBoxes = errors.New("the kernel plays one box: play several through the engine")

// planned is a simulation that is ready to run: the bets with their exact
// analyses, and the strategy.
type planned struct {
	v     *rules.Variant
	o     Options
	plays func(card.Hand) bool
	bets  []planBet
	// strategy is the rule in words, empty where there is nothing to decide.
	strategy string
	engine   bool
}

// planBet is one bet of a box.
type planBet struct {
	bet   odds.Bet
	stake money.Amount
	unit  int64 // what results are reported in, in minor units
	// exact is nil where the mathematics of the bet alone is not that of the
	// bet as it is played here; why says so.
	exact *odds.Analysis
	why   string
}

// Unplayable is an error in what was asked for, found before the first round.
type Unplayable struct{ Err error }

// Error returns the reason.
func (u *Unplayable) Error() string { return u.Err.Error() }

// Unwrap returns the error itself.
func (u *Unplayable) Unwrap() error { return u.Err }

// plan checks the options, fills in those left open, and analyses the bets. Its
// errors are all [Unplayable].
func plan(v *rules.Variant, o *Options, engine bool) (*planned, error) {
	p, err := makePlan(v, o, engine)
	if err != nil {
		return nil, &Unplayable{err}
	}
	return p, nil
}

func makePlan(v *rules.Variant, o *Options, engine bool) (*planned, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	if o.Boxes == 0 {
		o.Boxes = 1
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.Rounds < 1 || o.Rounds > MaxRounds:
		return nil, fmt.Errorf("%d rounds: play 1 to %d", o.Rounds, int64(MaxRounds))
	case o.Workers < 1 || o.Workers > maxWorkers:
		return nil, fmt.Errorf("%d workers: set 1 to %d to work", o.Workers, maxWorkers)
	case o.Boxes > 1 && !engine:
		return nil, errKernelBoxes
	case o.Boxes < 1 || o.Boxes > v.Boxes:
		return nil, fmt.Errorf("%d boxes: %s has 1 to %d", o.Boxes, v.ID, v.Boxes)
	}
	if o.Meter != 0 && v.Jackpot == nil {
		return nil, fmt.Errorf("%s has no progressive, so no meter", v.ID)
	}
	p := &planned{v: v, plays: everyHand, engine: engine}
	if o.Meter == 0 && v.Jackpot != nil {
		o.Meter = v.Jackpot.Reset
	}
	p.o = *o
	exact, err := odds.Analyse(v, odds.Options{Rule: o.Rule, Meter: o.Meter})
	if err != nil {
		return nil, err
	}
	if a := exact.Wagers[odds.AntePlay]; a != nil && a.Strategy != nil {
		p.plays, p.strategy = a.Strategy.Plays, a.Strategy.Rule
	}
	for _, b := range exact.Order {
		bet := planBet{bet: b, exact: exact.Wagers[b]}
		if engine {
			if bet, err = p.engineBet(b, bet.exact.Stake); err != nil {
				return nil, err
			}
		}
		bet.stake, bet.unit = bet.exact.Stake, int64(bet.exact.Stake)
		if bet.exact.Unit == odds.Currency {
			bet.unit = int64(money.Major)
		}
		if engine && b == odds.PairPlus && !b.Decided(v) && p.foldsPaid(rules.PairPlus) {
			bet.exact = nil
			bet.why = "this strategy folds hands that Pair Plus pays, and the exact figures are of Pair Plus on hands that stay"
		}
		p.bets = append(p.bets, bet)
	}
	return p, nil
}

// engineBet analyses a bet as it stands at a table: within its limits, in chips,
// and among other boxes that hold the same bets.
func (p *planned) engineBet(b odds.Bet, even money.Amount) (planBet, error) {
	o := odds.Options{Bets: []odds.Bet{b}, Rule: p.o.Rule, Meter: p.o.Meter, Others: p.o.Boxes - 1, Beside: true}
	if b != odds.Progressive {
		var err error
		if o.Stake, err = leastStake(p.v, b.Wager(), even); err != nil {
			return planBet{}, err
		}
	}
	// The exact figures take it that no box folds a hand that brings an Envy
	// Bonus. A strategy that does, and a ruling by which such hands then bring
	// nothing, leave none at all, for every box here plays alike.
	envy := &p.v.Book.Envy
	if envy.FromFolded != 0 && p.v.Is(envy.FromFolded, rules.No) && p.foldsEnvy() {
		o.Others = 0
	}
	sheet, err := odds.Analyse(p.v, o)
	if err != nil {
		return planBet{}, err
	}
	return planBet{bet: b, exact: sheet.Wagers[b]}, nil
}

// leastStake returns the least stake that the limits and the chips permit and that
// is a multiple of the one which every row pays evenly.
func leastStake(v *rules.Variant, w rules.Wager, even money.Amount) (money.Amount, error) {
	const tries = 10_000
	limit := v.Limits[w]
	first := max(1, (limit.Min+even-1)/even)
	for n := first; n < first+tries; n++ {
		stake := n * even
		if limit.Max > 0 && stake > limit.Max {
			break
		}
		if v.Payable(stake) {
			return stake, nil
		}
	}
	return 0, fmt.Errorf("%s: no stake from $%s to $%s that can be laid in chips is a multiple of $%s, on which every row pays evenly",
		w.Name(), limit.Min.Display(), limit.Max.Display(), even.Display())
}

func (p *planned) foldsPaid(w rules.Wager) bool {
	return p.folds(func(combos rules.ComboSet) bool {
		_, paid := p.v.Pays[w].Row(combos)
		return paid
	})
}

func (p *planned) foldsEnvy() bool { return p.folds(p.v.BringsEnvy) }

// folds reports whether the strategy folds any hand of the kind.
func (p *planned) folds(kind func(rules.ComboSet) bool) bool {
	for h := range card.Hands() {
		if !p.plays(h) && kind(p.v.Book.Ranking.Combos(h)) {
			return true
		}
	}
	return false
}
