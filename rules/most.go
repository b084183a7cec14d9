package rules

import (
	"cmp"
	"slices"

	"trey/card"
	"trey/money"
)

// MostReturned returns the most that a wager could have returned to its bettor in a round, with the
// stake if it goes back. It takes the best row of the pay table on the part of the stakes at risk.
// For the Envy Bonus others is the number of hands that can bring one. It leaves out a share of the
// meter, which only the settlement pays.
func (v *Variant) MostReturned(w Wager, stakes *Stakes, others int) (money.Amount, error) {
	if w == Envy {
		return v.mostEnvy(stakes, others), nil
	}
	rule := v.Book.Rule(w)
	if rule == nil {
		return 0, nil
	}
	stake, back := stakes[w], stakes[w]
	if rule.Contest == Riding {
		stake, back = stakes[rule.Basis], 0
	}
	if stake == 0 {
		return 0, nil
	}
	atRisk, _ := v.atRisk(rule, stakes)
	if rule.StakeRuling != 0 && v.Is(rule.StakeRuling, KeptByHouse) {
		back -= atRisk
	}
	var best money.Amount
	if table := v.Pays[w]; table != nil {
		for i := range table.Rows {
			pay := &table.Rows[i].Pay
			pays := pay.Fixed
			if pays == 0 && pay.MeterPercent == 0 {
				var err error
				if pays, err = pay.Odds.Pay(atRisk, v.Rounding); err != nil {
					return 0, err
				}
			}
			best = max(best, pays)
		}
	}
	return back.Add(best)
}

// mostEnvy returns the most that so many hands, dealt from one deck, bring as Envy Bonus.
func (v *Variant) mostEnvy(stakes *Stakes, others int) (sum money.Amount) {
	rule, envy := v.envyWager(), &v.Book.Envy
	if rule == nil || stakes[rule.Wager] == 0 {
		return 0
	}
	if envy.PerRuling != 0 && v.Is(envy.PerRuling, PerRound) {
		others = min(others, 1)
	}
	type bringer struct {
		cards card.Set
		pays  money.Amount
	}
	var bringers []bringer
	for h := range card.Deck().Hands() {
		if row, ok := v.Pays[rule.Wager].Row(v.Book.Ranking.Combos(h)); ok && row.Envy != 0 {
			bringers = append(bringers, bringer{card.Set(0).With(h[0]).With(h[1]).With(h[2]), row.Envy})
		}
	}
	slices.SortStableFunc(bringers, func(a, b bringer) int { return cmp.Compare(b.pays, a.pays) })
	var dealt card.Set
	for _, b := range bringers {
		if others > 0 && dealt.Intersect(b.cards).Len() == 0 {
			dealt = dealt.Union(b.cards)
			sum += b.pays
			others--
		}
	}
	return sum
}
