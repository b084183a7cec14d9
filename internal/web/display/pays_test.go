package display

import (
	"slices"
	"testing"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// The wall says of the pays only what holds at every table of the jackpot.
func TestPaysOfSeveralTables(t *testing.T) {
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	first, second := b.Standard(), b.Standard()
	rows := slices.Clone(second.Pays[rules.Progressive].Rows)
	for i := range rows {
		if rows[i].Combo == rules.Straight {
			rows[i].Pay = rules.Dollars(20)
		}
	}
	second.Pays[rules.Progressive] = &rules.PayTable{Rows: rows}
	var m meter
	for _, v := range []*rules.Variant{first, first, second} {
		m.tables++
		m.addPays(v)
	}
	var got []rules.Combo
	for i := range m.pays {
		got = append(got, m.pays[i].Combo)
	}
	if want := []rules.Combo{rules.AKQSpades, rules.AKQSuited, rules.StraightFlush, rules.ThreeOfAKind}; !slices.Equal(got, want) {
		t.Errorf("tables that pay $15 and $20 on a straight: the wall lists %v, not %v", got, want)
	}
	if m.pays[1].Pay.Fixed != 1250*money.Major || first.Pays[rules.Progressive].Rows[4].Pay.Fixed != 15*money.Major {
		t.Error("the pays themselves were changed")
	}
	if row := m.major(); row == nil || row.Combo != rules.AKQSpades {
		t.Errorf("the meter is taken by %v", row)
	}
}
