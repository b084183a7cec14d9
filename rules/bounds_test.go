package rules_test

import (
	"testing"

	"trey/money"
	"trey/rules"
)

// A pay table may hold the largest and the smallest pays, and nothing beyond them.
func TestPaysHaveBounds(t *testing.T) {
	for _, tt := range []struct {
		row   rules.PayRow
		sound bool
	}{
		{rules.PayRow{Pay: rules.ToOne(0)}, true},
		{rules.PayRow{Pay: rules.ToOne(rules.MaxPay)}, true},
		{rules.PayRow{Pay: rules.ToOne(rules.MaxPay + 1)}, false},
		{rules.PayRow{Pay: rules.ToOne(-1)}, false},
		{rules.PayRow{Pay: rules.Pay{Odds: money.Odds{To: 1, For: rules.MaxPay}}}, true},
		{rules.PayRow{Pay: rules.Pay{Odds: money.Odds{To: 1, For: rules.MaxPay + 1}}}, false},
		{rules.PayRow{Pay: rules.Pay{Odds: money.Odds{To: 1, For: -1}}}, false},
		{rules.PayRow{Pay: rules.Pay{Fixed: rules.MaxStake}}, true},
		{rules.PayRow{Pay: rules.Pay{Fixed: rules.MaxStake + 1}}, false},
		{rules.PayRow{Pay: rules.ToOne(1), Envy: rules.MaxStake}, true},
		{rules.PayRow{Pay: rules.ToOne(1), Envy: rules.MaxStake + 1}, false},
	} {
		v := standard(t, "sm-3cp").Clone()
		tt.row.Combo = rules.Pair
		v.Pays[rules.Bonus] = &rules.PayTable{Rows: []rules.PayRow{tt.row}}
		if err := v.Check(); (err == nil) != tt.sound {
			t.Errorf("%+v: %v", tt.row, err)
		}
	}
}

// What is changed in a copy of a variant stays as it was in the variant.
func TestACloneIsApart(t *testing.T) {
	v := standard(t, "rws-3cp").Clone()
	v.Chips = []money.Amount{100, 500}
	before := v.Hash()
	clone := v.Clone()
	if clone.Hash() != before {
		t.Fatal("the copy is another variant")
	}
	clone.Chips[0] = 200
	clone.Jackpot.Reset++
	clone.Choices[rules.EnvyPer] = rules.PerRound
	clone.Limits[rules.Ante].Min = 1000
	if v.Hash() != before {
		t.Error("the variant changed with its copy")
	}
}
