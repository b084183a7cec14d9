package odds_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"trey/card"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// The ruling envy_two_bets is about a player with two bets, and every figure is of one
// bet of a player with one box: no figure changes with it. That the Envy Bonus is that of
// one bet is counted here once more, hand by hand.
func TestTwoBetsOfAPlayerChangeNoFigure(t *testing.T) {
	alone := sheet(t, variant(t, "sm-3cp", use(t, rules.Bonus, "TCPB-03E")), odds.Options{}).Wagers[odds.Bonus]
	for others := range 4 {
		var first string
		for _, choice := range []rules.Choice{rules.PerBet, rules.PerPlayer} {
			v := variant(t, "sm-3cp", func(v *rules.Variant) {
				rule(rules.EnvyTwoBets, choice)(v)
				use(t, rules.Bonus, "TCPB-03E")(v)
			})
			s := sheet(t, v, odds.Options{Others: others})
			// Any other hand is any of 22,100: the bet expects as many times the mean Envy
			// Bonus of a hand more than alone as there are others.
			bonus := s.Wagers[odds.Bonus]
			want := new(big.Rat)
			for h := range card.Deck().Hands() {
				if row, ok := v.Pays[rules.Bonus].Row(v.Book.Ranking.Combos(h)); ok {
					want.Add(want, big.NewRat(int64(others)*int64(row.Envy), 22_100))
				}
			}
			unit := big.NewRat(int64(money.Major), 1)
			if bonus.Unit == odds.Stakes {
				unit.SetInt64(int64(bonus.Stake))
			}
			want.Quo(want, unit)
			want.Add(want, alone.Expectation.Rat())
			if !bonus.Expectation.Equal(odds.FractionOf(want)) {
				t.Errorf("%s: with %d others one bet expects %s, counted %s", choice, others, bonus.Expectation, odds.FractionOf(want))
			}
			s.Hash = ""
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(text)
			}
			if string(text) != first {
				t.Errorf("with %d others the figures are others under %s", others, choice)
			}
		}
	}
	v := variant(t, "sm-3cp", rule(rules.EnvyTwoBets, rules.PerPlayer))
	if _, err := odds.Analyse(v, odds.Options{Others: 2, OwnBoxes: 1}); err == nil {
		t.Error("a player with two boxes has the figures of one")
	}
	v = variant(t, "sm-3cp", nil)
	if _, err := odds.Analyse(v, odds.Options{Others: 2, OwnBoxes: 1}); err != nil {
		t.Errorf("where each bet is paid: %v", err)
	}
}
