package variant

import (
	"math/big"
	"slices"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// remarks says what is allowed but should not go by unnoticed, in the order of
// the lines.
func (r *reader) remarks() []Remark {
	var out []Remark
	remark := func(line int, form string, args ...any) {
		out = append(out, Remark{Name: r.name, Line: line, Text: sentence.Of(form, args...)})
	}
	for i := range r.book.Wagers {
		rule := &r.book.Wagers[i]
		w := rule.Wager
		// Of the book's own table there is nothing to say that the file said.
		if r.v.Pays[w] != &rule.Pays[0] {
			r.remarkRows(rule, remark)
			if edge := handEdge(r.v, rule); edge != nil && edge.Sign() > 0 {
				remark(r.lineOf("pays."+w.String()), "%s favours the player: %s of each bet", w, signedPercent(edge))
			}
		}
		r.remarkEnvy(rule, remark)
		if text, set := rule.Limit, r.v.Limits[w]; text != (rules.Limit{}) && rule.Stake == rules.WithinLimits && wider(set, text) {
			remark(r.lineOf("limits."+w.String()), "the text itself has $%s to $%s for %s (%s)",
				text.Min.Display(), text.Max.Display(), w, r.book.ClauseRef(rule.Clauses.Size))
		}
	}
	if len(r.book.Chips) > 0 {
		for _, chip := range r.v.Chips {
			if !slices.Contains(r.book.Chips, chip) {
				remark(r.lineOf("chips"), "the text itself names no chip of $%s", chip.Display())
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Remark) int { return a.Line - b.Line })
	return out
}

// wider reports whether limits permit what those of the text do not.
func wider(set, text rules.Limit) bool {
	return set.Min < text.Min || set.Max > text.Max || set.Max == 0
}

// remarkRows names rows that pay nothing, and rows that no hand is paid for.
func (r *reader) remarkRows(rule *rules.WagerRule, remark func(line int, form string, args ...any)) {
	table := r.v.Pays[rule.Wager]
	for i, ways := range table.Ways(r.book.Ranking) {
		row := &table.Rows[i]
		line := r.lineOf("pays." + rule.Wager.String() + "." + row.Combo.String())
		switch {
		case ways == 0:
			remark(line, "%s: no hand is ever paid for %s, because none is one or a row above pays for it", rule.Wager, row.Combo)
		case row.Pay.Odds.For != 0 && row.Pay.Odds.To == 0:
			remark(line, "%s: %s pays nothing; a winner has his stake back and no more", rule.Wager, row.Combo)
		}
	}
}

// remarkEnvy says from how many other boxes on the Envy Bonus makes the wager
// favour the player, where the wager alone does not.
func (r *reader) remarkEnvy(rule *rules.WagerRule, remark func(line int, form string, args ...any)) {
	table := r.v.Pays[rule.Wager]
	if !rule.Envy || !table.HasEnvy() {
		return
	}
	edge := handEdge(r.v, rule)
	if edge == nil || edge.Sign() > 0 {
		return
	}
	// An Envy Bonus is a fixed sum, so it weighs most on the smallest bet.
	stake := smallest(r.v, rule)
	one := new(big.Rat)
	for i, ways := range table.Ways(r.book.Ranking) {
		one.Add(one, big.NewRat(int64(ways)*int64(table.Rows[i].Envy), 22_100))
	}
	one.Quo(one, big.NewRat(int64(stake), 1))
	with := new(big.Rat).Set(edge)
	for others := 1; others < r.v.Boxes; others++ {
		if with.Add(with, one); with.Sign() > 0 {
			remark(r.lineOf("envy"), "%s favours the player beside %d other boxes: with the Envy Bonus, %s of a bet of $%s",
				rule.Wager, others, signedPercent(with), stake.Display())
			return
		}
	}
}

// smallest is the least stake that can be laid on a wager; a dollar where
// nothing says so.
func smallest(v *rules.Variant, rule *rules.WagerRule) money.Amount {
	switch {
	case v.Limits[rule.Wager].Min > 0:
		return v.Limits[rule.Wager].Min
	case len(v.Chips) > 0:
		return v.Chips[0]
	}
	return money.Major
}

// signedPercent writes a part of a bet as a percentage with its sign.
func signedPercent(part *big.Rat) string {
	s := new(big.Rat).Mul(part, big.NewRat(100, 1)).FloatString(2)
	if !strings.HasPrefix(s, "-") {
		s = "+" + s
	}
	return s + " %"
}

// handEdge is what a wager brings the player on average, as an exact part of his
// bet: below zero in any sound table. It is nil for wagers that decisions or the
// meter bear on. Fixed sums are reckoned on the smallest bet, and rounding is
// left out.
func handEdge(v *rules.Variant, rule *rules.WagerRule) *big.Rat {
	table := v.Pays[rule.Wager]
	switch {
	case rule.Stake == rules.Prescribed || rule.Contest == rules.Riding:
		return nil
	case rule.Contest == rules.OnHand:
		won, net := 0, new(big.Rat)
		for i, ways := range table.Ways(v.Book.Ranking) {
			won += ways
			net.Add(net, worth(v, rule, &table.Rows[i], int64(ways)))
		}
		net.Sub(net, big.NewRat(int64(22_100-won), 1))
		return net.Quo(net, big.NewRat(22_100, 1))
	case v.Book.Decision == nil:
		return showdownEdge(v, rule)
	}
	return nil
}

// worth is what a row pays on a bet of one, so many times.
func worth(v *rules.Variant, rule *rules.WagerRule, row *rules.PayRow, times int64) *big.Rat {
	part := new(big.Rat)
	if row.Pay.Fixed != 0 {
		part.SetFrac64(int64(row.Pay.Fixed), int64(smallest(v, rule)))
	} else {
		part.SetFrac64(row.Pay.Odds.To, row.Pay.Odds.For)
	}
	return part.Mul(part, big.NewRat(times, 1))
}

// showdownEdge reckons a wager of a game without suits and without decisions
// over all pairs of hands. Hands of the same ranks are alike there, so each pair
// of rank patterns is settled once and counts for as many hands as it has.
func showdownEdge(v *rules.Variant, rule *rules.WagerRule) *big.Rat {
	table := v.Pays[rule.Wager]
	plain := v.Clone()
	plain.Limits[rule.Wager] = rules.Limit{}
	var (
		won         = make([]int64, len(table.Rows))
		lost, total int64
		down        rules.Showdown
		lines       []rules.Line
	)
	down.Stakes[rule.Wager] = money.Major
	patterns := rankPatterns()
	for _, player := range patterns {
		for _, dealer := range patterns {
			p, d, ways := deal(player, dealer)
			if ways == 0 {
				continue
			}
			total += ways
			down.Player, down.Dealer = p, d
			var err error
			if lines, err = plain.Settle(lines[:0], &down); err != nil || len(lines) != 1 {
				return nil // It would be refused at the table as well.
			}
			switch lines[0].Result {
			case rules.Lose:
				lost += ways
			case rules.Win:
				is := v.Book.Ranking.Combos(p)
				at := slices.IndexFunc(table.Rows, func(row rules.PayRow) bool { return is.Has(row.Combo) })
				won[at] += ways
			case rules.Push, rules.GivenBack:
			}
		}
	}
	net := big.NewRat(-lost, 1)
	for i := range table.Rows {
		net.Add(net, worth(v, rule, &table.Rows[i], won[i]))
	}
	return net.Quo(net, big.NewRat(total, 1))
}

// rankPatterns lists the ways in which three cards can be of the thirteen ranks,
// each in falling order.
func rankPatterns() [][3]card.Rank {
	var all [][3]card.Rank
	for a := card.Two; a <= card.Ace; a++ {
		for b := card.Two; b <= a; b++ {
			for c := card.Two; c <= b; c++ {
				all = append(all, [3]card.Rank{a, b, c})
			}
		}
	}
	return all
}

// deal makes one pair of hands of two patterns, and says how many pairs there are.
func deal(player, dealer [3]card.Rank) (p, d card.Hand, ways int64) {
	var mine, theirs [card.Ace + 1]int64
	ways = 1
	for i, rank := range player {
		p[i] = card.New(rank, card.Clubs+card.Suit(mine[rank]))
		mine[rank]++
	}
	for i, rank := range dealer {
		if mine[rank]+theirs[rank] == 4 {
			return p, d, 0
		}
		d[i] = card.New(rank, card.Clubs+card.Suit(mine[rank]+theirs[rank]))
		theirs[rank]++
	}
	for rank := range mine {
		ways *= choose[4][mine[rank]] * choose[4-mine[rank]][theirs[rank]]
	}
	return p, d, ways
}

// choose holds the binomial coefficients of up to four.
var choose = [5][5]int64{{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}}
