package rules_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "trey/internal/steady"
	"trey/money"
	"trey/rules"
)

func TestPayable(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chips  []money.Amount
		amount money.Amount
		want   bool
	}{
		{"no list of chips: any amount", nil, 1, true},
		{"nothing is no stake", nil, 0, false},
		{"less than nothing is no stake", nil, -100, false},
		{"less than nothing is no stake in chips either", []money.Amount{100}, -100, false},
		{"us equipment.chips: one dollar", []money.Amount{100, 200, 300, 400, 500, 2500}, 100, true},
		{"us equipment.chips: below a dollar", []money.Amount{100, 200, 300, 400, 500, 2500}, 99, false},
		{"us equipment.chips: a dollar and a half", []money.Amount{100, 200, 300, 400, 500, 2500}, 150, false},
		{"us equipment.chips: seven dollars", []money.Amount{100, 200, 300, 400, 500, 2500}, 700, true},
		{"two and five: three", []money.Amount{200, 500}, 300, false},
		{"two and five: one", []money.Amount{200, 500}, 100, false},
		{"two and five: four", []money.Amount{200, 500}, 400, true},
		{"two and five: seven", []money.Amount{200, 500}, 700, true},
		{"two and five: half a step", []money.Amount{200, 500}, 750, false},
		{"the largest gap of six, nine and twenty", []money.Amount{6, 9, 20}, 43, false},
		{"beyond the largest gap of six, nine and twenty", []money.Amount{6, 9, 20}, 44, true},
		{"25 and 60: 55", []money.Amount{2500, 6000}, 5500, false},
		{"25 and 60: 85", []money.Amount{2500, 6000}, 8500, true},
		{"more steps than the stack holds", []money.Amount{1000, 1001}, 2001, true},
		{"the gap after them", []money.Amount{1000, 1001}, 2003, false},
		{"the largest gap of two neighbours", []money.Amount{1000, 1001}, 1000*1001 - 1000 - 1001, false},
		{"one beyond it", []money.Amount{1000, 1001}, 1000*1001 - 1000 - 1001 + 1, true},
		{"the largest amount there is", []money.Amount{2, 3}, math.MaxInt64, true},
		{"a huge chip that comes back to a remainder", []money.Amount{7, math.MaxInt64 - 2}, math.MaxInt64 - 2, true},
		{"chips near the largest amount", []money.Amount{3, math.MaxInt64 - 1}, math.MaxInt64, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &rules.Variant{Chips: tt.chips}
			if got := v.Payable(tt.amount); got != tt.want {
				t.Errorf("Payable(%v) with %v = %t, want %t", tt.amount, tt.chips, got, tt.want)
			}
		})
	}
}

// TestPayableAgainstCounting compares with the obvious way: an amount can be
// laid if it is a chip, or if it can be after taking one chip away.
func TestPayableAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chips := rapid.SliceOfNDistinct(rapid.Int64Range(1, 400), 1, 5, rapid.ID[int64]).Draw(t, "chips")
		slices.Sort(chips)
		v := &rules.Variant{}
		for _, chip := range chips {
			v.Chips = append(v.Chips, money.Amount(chip))
		}
		const top = 2000
		can := [top + 1]bool{0: true}
		for amount := int64(1); amount <= top; amount++ {
			for _, chip := range chips {
				if amount >= chip && can[amount-chip] {
					can[amount] = true
				}
			}
			if got := v.Payable(money.Amount(amount)); got != can[amount] {
				t.Fatalf("Payable(%d) with %v = %t, want %t", amount, chips, got, can[amount])
			}
		}
	})
}

func TestPayableDoesNotAllocate(t *testing.T) {
	for _, chips := range [][]money.Amount{{100, 200, 300, 400, 500, 2500}, {2500, 6000}, {200, 500}} {
		v := &rules.Variant{Chips: chips}
		if n := testing.AllocsPerRun(100, func() { v.Payable(5500) }); n != 0 {
			t.Errorf("%v: %v allocations", chips, n)
		}
	}
}

func BenchmarkPayable(b *testing.B) {
	v := &rules.Variant{Chips: []money.Amount{100, 200, 300, 400, 500, 2500}}
	b.ReportAllocs()
	for b.Loop() {
		if !v.Payable(1700) {
			b.Fatal("seventeen dollars cannot be laid")
		}
	}
}
