package rules_test

import (
	"testing"

	"trey/rules"
)

func BenchmarkSettle(b *testing.B) {
	v := standard(b, "rws-3cp")
	down := rules.Showdown{
		Player: hand(b, "Ah Kd 4c"), Dealer: hand(b, "Qh 6d 4s"), Meter: 1_000_000,
		Stakes: rules.Stakes{rules.Ante: 1000, rules.Play: 1000, rules.PairPlus: 500, rules.Progressive: 500},
	}
	var lines []rules.Line
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if lines, err = v.Settle(lines[:0], &down); err != nil {
			b.Fatal(err)
		}
	}
}
