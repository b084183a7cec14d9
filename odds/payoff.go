package odds

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"trey/money"
	"trey/rules"
)

// ErrTooLarge is returned, wrapped, where a payment or a table of counts is
// beyond what this package computes exactly.
var ErrTooLarge = errors.New("too large to analyse exactly")

// maxNet is the largest net result of one deal, in minor units, about 170
// million in currency. So that the sum over all deals fits in 63 bits:
// 2^34 times 407,170,400 is below 2^63.
const maxNet money.Amount = 1 << 34

// settled is one deal as the variant settles it.
type settled struct {
	lines []rules.Line
	net   int64 // minor units
}

// payoffs are all the ways one box's stakes can be settled, each worked out by
// the variant on one deal of its kind.
type payoffs struct {
	t      *tables
	stakes rules.Stakes
	// played holds the settlements by key and relation; folded by key alone,
	// for a folded hand is compared with nothing. folded is nil where the
	// stakes bring no decision.
	played, folded []settled
	// onHand says that no stake looks at the dealer's hand.
	onHand bool
}

// settleAll asks the variant for the settlement of every kind of deal. The
// stake of the wager that continues a hand is added for hands that are played.
func settleAll(v *rules.Variant, t *tables, stakes rules.Stakes, meter money.Amount) (*payoffs, error) {
	p := &payoffs{t: t, stakes: stakes, played: make([]settled, len(t.deals)), onHand: true}
	for w := range stakes {
		if stakes[w] != 0 {
			rule := v.Book.Rule(rules.Wager(w))
			if rule == nil {
				return nil, fmt.Errorf("%s has no wager %s", v.Book.Ref(), rules.Wager(w))
			}
			p.onHand = p.onHand && rule.Contest == rules.OnHand
		}
	}
	s := rules.Showdown{Meter: meter, Stakes: stakes}
	decision := v.Book.Decision
	if decision != nil {
		s.Stakes[decision.Raise] = stakes[decision.On]
		p.folded = make([]settled, len(t.combos))
	}
	arena := make([]rules.Line, 0, 4*len(t.deals))
	settle := func(into *settled) error {
		start := len(arena)
		var err error
		if arena, err = v.Settle(arena, &s); err != nil {
			return fmt.Errorf("%s against %s: %w", s.Player, s.Dealer, err)
		}
		into.lines = arena[start:len(arena):len(arena)]
		for i := range into.lines {
			net := into.lines[i].Net()
			if net > maxNet || net < -maxNet {
				return fmt.Errorf("%s for %s changes the player's money by %s in one round: %w; analyse a smaller bet or lower pays",
					into.lines[i].Wager, v.Book.Ranking.Describe(s.Player), net.Display(), ErrTooLarge)
			}
			into.net += int64(net)
		}
		if into.net > int64(maxNet) || into.net < -int64(maxNet) {
			return fmt.Errorf("the bets together: %w", ErrTooLarge)
		}
		return nil
	}
	for i, deal := range t.deals {
		if !deal.player.Valid() {
			continue // no deal is of this kind
		}
		s.Player, s.Dealer = deal.player, deal.dealer
		if err := settle(&p.played[i]); err != nil {
			return nil, err
		}
	}
	if decision == nil {
		return p, nil
	}
	s.Folded, s.Stakes = true, stakes
	for key := range p.folded {
		deal := t.anyDeal(key)
		s.Player, s.Dealer = deal.player, deal.dealer
		if err := settle(&p.folded[key]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// only leaves the lines of a bet, where the stakes of others lie beside it.
func (p *payoffs) only(b Bet) {
	for _, all := range [][]settled{p.played, p.folded} {
		for i := range all {
			s := &all[i]
			s.lines = slices.DeleteFunc(s.lines, func(l rules.Line) bool { return betOf[l.Wager] != b })
			s.net = 0
			for k := range s.lines {
				s.net += int64(s.lines[k].Net())
			}
		}
	}
}

// anyDeal returns a deal in which the player's hand is of the key.
func (t *tables) anyDeal(key int) showdown {
	for _, deal := range t.deals[key*t.relations : (key+1)*t.relations] {
		if deal.player.Valid() {
			return deal
		}
	}
	panic("odds: a kind of hand that no deal has")
}

// expect returns the net result of a hand of the class in minor units, summed over all
// dealer's hands, if it is played and if it is folded.
func (p *payoffs) expect(k *class) (play, fold int64) {
	row := p.played[k.key*p.t.relations:]
	for r, ways := range k.dealer {
		play += int64(ways) * row[r].net
	}
	if p.folded != nil {
		fold = DealersHands * p.folded[k.key].net
	}
	return play, fold
}

// tally counts, over all deals, how often each settlement occurs.
type tally struct {
	p              *payoffs
	played, folded []int64 // by key and relation, and by key
	total          int64
}

// count tallies every deal under a strategy; plays reports whether hands of the
// class with that number are played.
func (p *payoffs) count(plays func(class int) bool) *tally {
	t := &tally{p: p, played: make([]int64, len(p.played)), folded: make([]int64, len(p.folded)), total: Deals}
	if p.onHand {
		t.total = Hands
	}
	for i := range p.t.classes {
		k := &p.t.classes[i]
		switch {
		case p.folded != nil && !plays(i):
			t.folded[k.key] += k.ways * (t.total / Hands)
		case p.onHand:
			// Whatever the dealer has, the settlement is the same.
			t.played[k.key*p.t.relations+p.t.anyRelation(k.key)] += k.ways
		default:
			row := t.played[k.key*p.t.relations:]
			for r, ways := range k.dealer {
				row[r] += k.ways * int64(ways)
			}
		}
	}
	return t
}

func (t *tables) anyRelation(key int) relation {
	for r, deal := range t.deals[key*t.relations : (key+1)*t.relations] {
		if deal.player.Valid() {
			return r
		}
	}
	panic("odds: a kind of hand that no deal has")
}

// each calls f for every settlement that occurs, with its number of ways.
func (t *tally) each(f func(s *settled, ways int64, folded bool)) {
	for i, ways := range t.played {
		if ways != 0 {
			f(&t.p.played[i], ways, false)
		}
	}
	for i, ways := range t.folded {
		if ways != 0 {
			f(&t.p.folded[i], ways, true)
		}
	}
}

// unitStake returns the smallest stake, in minor units, on which no pay of the table is rounded, so
// that rounding does not change the figures: 1 to 2 needs two dollars.
func unitStake(v *rules.Variant, w rules.Wager) (money.Amount, error) {
	unit := big.NewInt(int64(money.Major))
	lcm := func(n int64) {
		x := big.NewInt(n)
		gcd := new(big.Int).GCD(nil, nil, unit, x)
		unit.Mul(unit, x.Quo(x, gcd))
	}
	lcm(max(int64(v.Rounding.Unit), 1))
	for _, wager := range ridingOn(v, w) {
		if table := v.Pays[wager]; table != nil {
			fors := big.NewInt(1)
			for _, row := range table.Rows {
				if row.Pay.Odds.For > 0 {
					x := big.NewInt(row.Pay.Odds.For)
					gcd := new(big.Int).GCD(nil, nil, fors, x)
					fors.Mul(fors, x.Quo(x, gcd))
				}
			}
			unit.Mul(unit, fors)
		}
	}
	if !unit.IsInt64() || unit.Int64() > int64(rules.MaxStake) {
		return 0, fmt.Errorf("%s: no stake up to %s pays every row without a fraction: %w; give the bet", w, rules.MaxStake.Display(), ErrTooLarge)
	}
	return money.Amount(unit.Int64()), nil
}

// ridingOn lists a wager and those whose stake follows from it.
func ridingOn(v *rules.Variant, w rules.Wager) []rules.Wager {
	all := []rules.Wager{w}
	for i := range v.Book.Wagers {
		if v.Book.Wagers[i].Basis == w {
			all = append(all, v.Book.Wagers[i].Wager)
		}
	}
	return all
}
