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

// Note is a [Remark] without its place: what a variant may say, but that should not go
// by unnoticed.
type Note struct {
	// Field is the key of a variant file that the note is about, such as
	// "pays.pair-plus.flush".
	Field string
	Text  sentence.Sentence
}

// Notes returns the terms of a variant that are allowed but surprising, wherever they
// come from. It notes nothing about the book as it stands.
func Notes(v *rules.Variant) []Note {
	n := &notes{v: v}
	b := v.Book
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		w := rule.Wager
		if v.Pays[w] != &rule.Pays[0] {
			n.rows(rule)
			n.dropped(rule)
			n.order(rule)
			if edge := handEdge(v, rule); edge != nil && edge.Sign() > 0 {
				n.remark("pays."+w.String(), "%s favours the player: %s of each bet", w, signedPercent(edge))
			}
		}
		n.envy(rule)
		n.limits(rule)
	}
	n.chips()
	if unit := v.Rounding.Unit; unit > money.Minor && !laidIn(v, unit) {
		n.remark("rulings.six_pays_half_rounding", "every payment is rounded to $%s, also one at 1 to 1 on a stake that is not in this unit: name chips that are multiples of it, or leave the unit out", unit.Display())
	}
	if v.Jackpot != nil && v.Jackpot.Bet%money.Major != 0 {
		n.remark("progressive.bet", "%s: stakes in cents are allowed: the bet is $%s", rules.Progressive, v.Jackpot.Bet.Display())
	}
	return n.all
}

// remarks gives each note its line, in the order of the lines.
func (r *reader) remarks() []Remark {
	var out []Remark
	for _, n := range Notes(r.v) {
		out = append(out, Remark{Name: r.name, Line: r.lineOf(n.Field), Text: n.Text})
	}
	slices.SortStableFunc(out, func(a, b Remark) int { return a.Line - b.Line })
	return out
}

// notes gathers the notes of a variant.
type notes struct {
	v   *rules.Variant
	all []Note
}

func (n *notes) remark(field, form string, args ...any) {
	n.all = append(n.all, Note{Field: field, Text: sentence.Of(form, args...)})
}

// limits notes limits beyond those of the text, and those that make stakes in cents.
func (n *notes) limits(rule *rules.WagerRule) {
	if rule.Stake != rules.WithinLimits {
		return
	}
	text, set, field := rule.Limit, n.v.Limits[rule.Wager], "limits."+rule.Wager.String()
	if text != (rules.Limit{}) && wider(set, text) {
		n.remark(field, "the text itself has $%s to $%s for %s (%s)",
			text.Min.Display(), text.Max.Display(), rule.Wager, n.v.Book.ClauseRef(rule.Clauses.Size))
	}
	for _, bound := range []struct {
		key string
		sum money.Amount
	}{{".min", set.Min}, {".max", set.Max}} {
		if bound.sum%money.Major != 0 {
			n.remark(field+bound.key, "%s: stakes in cents are allowed: a limit is $%s", rule.Wager, bound.sum.Display())
		}
	}
}

// wider reports whether limits permit what those of the text do not.
func wider(set, text rules.Limit) bool {
	return set.Min < text.Min || set.Max > text.Max || set.Max == 0
}

// chips notes chips that the text does not name, and stakes in cents that it does not
// provide for. A house that rounds to its smallest chip has thought of that.
func (n *notes) chips() {
	text, set := n.v.Book.Chips, n.v.Chips
	if len(text) > 0 && len(set) == 0 {
		n.remark("chips", "stakes in cents are allowed: there are no chips here, and the text itself names those from $%s to $%s",
			text[0].Display(), text[len(text)-1].Display())
	}
	for _, chip := range set {
		switch {
		case len(text) > 0 && !slices.Contains(text, chip):
			n.remark("chips", "the text itself names no chip of $%s", chip.Display())
		case len(text) == 0 && chip%money.Major != 0 && n.v.Rounding.Unit <= money.Minor:
			n.remark("chips", "stakes in cents are allowed: there is a chip of $%s", chip.Display())
		}
	}
}

// rows notes rows that pay nothing, and rows that no hand is paid for.
func (n *notes) rows(rule *rules.WagerRule) {
	table := n.v.Pays[rule.Wager]
	for i, ways := range table.Ways(n.v.Book.Ranking) {
		row := &table.Rows[i]
		field := "pays." + rule.Wager.String() + "." + row.Combo.String()
		switch {
		case ways == 0:
			n.remark(field, "%s: no hand is ever paid for %s, because none is one or a row above pays for it", rule.Wager, row.Combo)
		case row.Pay.Odds.For != 0 && row.Pay.Odds.To == 0:
			n.remark(field, "%s: %s pays nothing; a winner gets the stake back and no more", rule.Wager, row.Combo)
		}
	}
}

// dropped notes rows of the text's table that the variant's lacks: those whose hands
// win nothing now, and those whose hands are paid as a lower one.
func (n *notes) dropped(rule *rules.WagerRule) {
	table := n.v.Pays[rule.Wager]
	text := origin(rule, table)
	var lost []rules.Combo
	for i := range text.Rows {
		combo := text.Rows[i].Combo
		if slices.ContainsFunc(table.Rows, func(row rules.PayRow) bool { return row.Combo == combo }) {
			continue
		}
		lower := rules.Combo(0)
		for h := range card.Hands() {
			combos := n.v.Book.Ranking.Combos(h)
			if first, ok := text.Row(combos); !ok || first.Combo != combo {
				continue
			}
			if row, ok := table.Row(combos); ok {
				lower = row.Combo
				break
			}
		}
		if lower == 0 {
			lost = append(lost, combo)
			continue
		}
		n.remark("pays."+rule.Wager.String()+"."+combo.String(), "%s: the text has a row for %s, which is paid as %s here", rule.Wager, combo, lower)
	}
	if len(lost) > 0 {
		field := "pays." + rule.Wager.String()
		if len(lost) == 1 {
			field += "." + lost[0].String()
		}
		n.remark(field, "%s: the text has rows for these, which win nothing here: %s", rule.Wager, sentence.Some(", ", lost))
	}
}

// order notes a hand that pays more than a better one, where it does not do so in the
// text's own table.
func (n *notes) order(rule *rules.WagerRule) {
	if rule.Stake == rules.Prescribed && n.v.Jackpot == nil {
		return // nobody can place it
	}
	table := n.v.Pays[rule.Wager]
	text := origin(rule, table)
	ways := table.Ways(n.v.Book.Ranking)
	above := -1 // the row before that any hand is paid for
	for i := range table.Rows {
		if ways[i] == 0 {
			continue
		}
		better, row := above, &table.Rows[i]
		above = i
		if better < 0 || n.value(rule, row).Cmp(n.value(rule, &table.Rows[better])) <= 0 {
			continue
		}
		first := &table.Rows[better]
		textFirst, textRow := rowOf(text, first.Combo), rowOf(text, row.Combo)
		if textFirst != nil && textRow != nil && n.value(rule, textRow).Cmp(n.value(rule, textFirst)) > 0 {
			continue // the text means it so: no order of hands is behind these rows
		}
		n.remark("pays."+rule.Wager.String()+"."+row.Combo.String(), "%s: %s pays more than %s, which is the better hand", rule.Wager, row.Combo, first.Combo)
	}
}

func rowOf(t *rules.PayTable, c rules.Combo) *rules.PayRow {
	for i := range t.Rows {
		if t.Rows[i].Combo == c {
			return &t.Rows[i]
		}
	}
	return nil
}

// value returns the pay of a row on the smallest bet, as a part of it; the meter counts
// at its reset value.
func (n *notes) value(rule *rules.WagerRule, row *rules.PayRow) *big.Rat {
	if row.Pay.MeterPercent != 0 && n.v.Jackpot != nil {
		part := big.NewRat(int64(n.v.Jackpot.Reset), 100*int64(smallest(n.v, rule)))
		return part.Mul(part, big.NewRat(int64(row.Pay.MeterPercent), 1))
	}
	return worth(n.v, rule, row, 1)
}

// envy notes from how many other boxes on the Envy Bonus makes the wager favour the
// player, where the wager alone does not.
func (n *notes) envy(rule *rules.WagerRule) {
	table := n.v.Pays[rule.Wager]
	if !rule.Envy || !table.HasEnvy() {
		return
	}
	edge := handEdge(n.v, rule)
	if edge == nil || edge.Sign() > 0 {
		return
	}
	// An Envy Bonus is a fixed sum, so it weighs most on the smallest bet.
	stake := smallest(n.v, rule)
	one := new(big.Rat)
	for i, ways := range table.Ways(n.v.Book.Ranking) {
		one.Add(one, big.NewRat(int64(ways)*int64(table.Rows[i].Envy), 22_100))
	}
	one.Quo(one, big.NewRat(int64(stake), 1))
	with := new(big.Rat).Set(edge)
	for others := 1; others < n.v.Boxes; others++ {
		if with.Add(with, one); with.Sign() > 0 {
			n.remark("envy", "%s favours the player beside %d other boxes: with the Envy Bonus, %s of a bet of $%s",
				rule.Wager, others, signedPercent(with), stake.Display())
			return
		}
	}
}

// smallest returns the least stake that can be laid on a wager; a dollar where
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

// handEdge returns the average result of a wager for the player, as an exact part of the
// bet: below zero in any sound table. It is nil for wagers that decisions or the meter
// bear on. Fixed sums are reckoned on the smallest bet, and rounding is left out.
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

// worth returns the pay of a row on a bet of one, so many times.
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
				combos := v.Book.Ranking.Combos(p)
				at := slices.IndexFunc(table.Rows, func(row rules.PayRow) bool { return combos.Has(row.Combo) })
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

// laidIn reports whether every stake that can be laid is a multiple of the unit.
func laidIn(v *rules.Variant, unit money.Amount) bool {
	return len(v.Chips) > 0 && !slices.ContainsFunc(v.Chips, func(chip money.Amount) bool { return chip%unit != 0 })
}
