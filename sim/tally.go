package sim

import (
	"trey/odds"
	"trey/rules"
)

// rowKey identifies a row of the report: settlement lines with the same key are counted
// together.
type rowKey struct {
	wager  rules.Wager
	result rules.Result
	combo  rules.Combo
	clause string
	net    int64 // minor units
	folded bool
}

// tally holds the counts of one bet.
type tally struct {
	// nets and rows count net results and settlement lines of one box a round:
	// those are independent of each other, as the tests need them. Boxes of
	// one round are not, for they share the dealer and the deck.
	nets map[int64]int64
	rows map[rowKey]int64
	// sums counts the net results of all boxes of a round together. The mean
	// is taken from them: every box counts, and the spread of the sums has
	// the dependence in it.
	sums map[int64]int64
}

func newTally() *tally {
	return &tally{nets: map[int64]int64{}, rows: map[rowKey]int64{}, sums: map[int64]int64{}}
}

func (t *tally) add(u *tally) {
	for net, n := range u.nets {
		t.nets[net] += n
	}
	for key, n := range u.rows {
		t.rows[key] += n
	}
	for sum, n := range u.sums {
		t.sums[sum] += n
	}
}

// key makes the key of a line. A bet that stands alone, such as Pair Plus, is never
// folded, and the exact figures are of it alone. In the engine it lies beside an Ante,
// so some of its losing hands are folded; that changes nothing but the clause, which is
// left out there.
func (p *planned) key(b odds.Bet, key rowKey) rowKey {
	if !b.Decided(p.v) {
		key.folded = false
		if p.engine {
			key.clause = ""
		}
	}
	return key
}

// kernelReport settles each kind of deal once for each bet, counts what the
// histogram says, and reports it.
func (p *planned) kernelReport(d *deals, count *histogram, played int64) (*Report, error) {
	tallies := make([]*tally, len(p.bets))
	for i := range p.bets {
		b := &p.bets[i]
		tallies[i] = newTally()
		for cell := range d.deal {
			if count[cell] == 0 {
				continue
			}
			lines, err := p.settle(b, &d.deal[cell])
			if err != nil {
				return nil, err
			}
			tallies[i].count(p, b.bet, lines, d.deal[cell].folded, int64(count[cell]))
		}
		tallies[i].sums = tallies[i].nets
	}
	return p.report(tallies, played), nil
}

// count adds that many rounds in which one box's bet is settled so.
func (t *tally) count(p *planned, b odds.Bet, lines []rules.Line, folded bool, rounds int64) {
	var net int64
	for i := range lines {
		l := &lines[i]
		net += int64(l.Net())
		t.rows[p.key(b, rowKey{l.Wager, l.Result, l.Combo, l.Clause, int64(l.Net()), folded})] += rounds
	}
	t.nets[net] += rounds
}

// settle has the variant settle one bet alone on a deal, without limits: the
// stake is only a unit to count in. A bet that stands alone on a box is never folded.
func (p *planned) settle(b *planBet, d *deal) ([]rules.Line, error) {
	v := p.v.Clone()
	for w := range v.Limits {
		v.Limits[w] = rules.Limit{}
	}
	s := rules.Showdown{Player: d.player, Dealer: d.dealer, Meter: p.o.Meter}
	s.Stakes[b.bet.Wager()] = b.stake
	if decision := v.Book.Decision; decision != nil && b.bet.Decided(p.v) {
		s.Folded = d.folded
		if !d.folded {
			s.Stakes[decision.Raise] = s.Stakes[decision.On]
		}
	}
	return v.Settle(nil, &s)
}
