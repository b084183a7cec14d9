package rules_test

import (
	"errors"
	"strings"
	"testing"

	"trey/money"
	"trey/rules"
)

// TestFaults changes one thing in a sound variant and looks for one fault, by
// its field and a piece of its reason.
func TestFaults(t *testing.T) {
	rows := func(rows ...rules.PayRow) *rules.PayTable { return &rules.PayTable{Rows: rows} }
	for _, tt := range []struct {
		name, book    string
		change        func(v *rules.Variant)
		field, reason string
	}{
		{"no box", "us-3cp", func(v *rules.Variant) { v.Boxes = 0 }, "boxes", "0 is outside 1 to 16 (us-3cp dealing.1)"},
		{"a ninth box", "mbs-3pictures", func(v *rules.Variant) { v.Boxes = 9 }, "boxes", "9 is outside 1 to 8 (mbs-3pictures@2 appendix.A)"},
		{"chips that fall", "rws-3cp", func(v *rules.Variant) { v.Chips = []money.Amount{500, 100} }, "chips", "positive and ascending"},
		{"a chip of nothing", "rws-3cp", func(v *rules.Variant) { v.Chips = []money.Amount{0, 100} }, "chips", "positive and ascending"},
		{"chips beyond reckoning", "rws-3cp", func(v *rules.Variant) { v.Chips = []money.Amount{10_001, 10_002} }, "chips", "at most 10000"},
		{"a limit below zero", "rws-3cp", func(v *rules.Variant) { v.Limits[rules.Ante].Min = -1 }, "limits.ante", "below zero"},
		{"limits the wrong way round", "rws-3cp", func(v *rules.Variant) { v.Limits[rules.Ante] = rules.Limit{Min: 200, Max: 100} }, "limits.ante", "$2.00 is above the maximum $1.00"},
		{"a stake too large", "rws-3cp", func(v *rules.Variant) { v.Limits[rules.Ante].Max = rules.MaxStake + 1 }, "limits.ante", "the largest stake"},
		{"a Play bet with limits of its own", "us-3cp", func(v *rules.Variant) {
			v.Limits[rules.Ante] = rules.Limit{Min: 200, Max: 2500}
		}, "limits.play", "Play always equals Ante"},
		{"limits of Play where the text has none", "rws-3cp", func(v *rules.Variant) {
			v.Limits[rules.Play] = rules.Limit{Max: 1000}
		}, "limits.play", "Play always equals Ante"},
		{"a minimum between chips", "rws-3cp", func(v *rules.Variant) {
			v.Chips, v.Limits[rules.Ante].Min = []money.Amount{500}, 700
		}, "limits.ante", "$7.00 cannot be laid in the table's chips: $5.00"},
		{"a maximum below the chips", "rws-3cp", func(v *rules.Variant) {
			v.Chips, v.Limits[rules.Ante].Max = []money.Amount{500}, 400
		}, "limits.ante", "below the smallest chip: $5.00"},
		{"no table", "us-3cp", func(v *rules.Variant) { v.Pays[rules.PairPlus] = nil }, "pays.pair-plus", "no pay table"},
		{"an empty table", "us-3cp", func(v *rules.Variant) { v.Pays[rules.PairPlus] = rows() }, "pays.pair-plus", "no pay table"},
		{"a row of nothing", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Pay: rules.ToOne(1)})
		}, "pays.pair-plus", "row 1 names no combination"},
		{"a row twice", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.ToOne(2)}, rules.PayRow{Combo: rules.Pair, Pay: rules.ToOne(1)})
		}, "pays.pair-plus.pair", "stands twice"},
		{"a row that does not pay", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair})
		}, "pays.pair-plus.pair", "exactly one of the three"},
		{"a row that pays two ways", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{Fixed: 1, Odds: money.Odds{To: 1, For: 1}}})
		}, "pays.pair-plus.pair", "exactly one of the three"},
		{"odds on no stake", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{Odds: money.Odds{To: 1}}})
		}, "pays.pair-plus.pair", "is outside"},
		{"a sum below zero", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{Fixed: -1}})
		}, "pays.pair-plus.pair", "is outside"},
		{"more than the meter", "rws-3cp", func(v *rules.Variant) {
			v.Pays[rules.Progressive] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{MeterPercent: 101}})
		}, "pays.progressive.pair", "1 to 100 %"},
		{"the meter of another wager", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{MeterPercent: 1}})
		}, "pays.pair-plus.pair", "no meter belongs to Pair Plus"},
		{"Envy where nobody receives it", "us-3cp", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.ToOne(1), Envy: 1})
		}, "pays.pair-plus.pair", "Pair Plus brings no Envy Bonus in us-3cp"},
		{"Envy below zero", "sm-3cp", func(v *rules.Variant) {
			v.Pays[rules.Bonus] = rows(rules.PayRow{Combo: rules.Pair, Pay: rules.ToOne(1), Envy: -1})
		}, "pays.bonus.pair", "an Envy Bonus of"},
		{"a win without a row", "mbs-3pictures", func(v *rules.Variant) {
			v.Pays[rules.Main] = rows(rules.PayRow{Combo: rules.SixPoints, Pay: rules.ToOne(1)})
		}, "pays.main", "needs a row any-hand"},
		{"a ruling of another kind", "rws-3cp", func(v *rules.Variant) { v.Choices[rules.EnvyPer] = rules.Kept }, "rulings.envy_per", "cannot be kept"},
		{"a void hand that is paid", "fr-p3c", func(v *rules.Variant) {
			v.Choices[rules.EarlyLook], v.Choices[rules.PairPlusAfterFold] = rules.Lost, rules.Kept
		}, "rulings.pair_plus_after_fold", "by the ruling early_look it counts as folded (fr-p3c@2007 21)"},
		{"no rounding", "rws-3cp", func(v *rules.Variant) { v.Rounding.Unit = -1 }, "rulings.six_pays_half_rounding", "is no rounding"},
		{"grace below zero", "rws-3cp", func(v *rules.Variant) { v.GraceMs = -1 }, "rulings.interruption_grace", "negative"},
		{"a jackpot without a wager", "us-3cp", func(v *rules.Variant) { v.Jackpot = &rules.JackpotTerms{Bet: 500} }, "progressive", "us-3cp has no progressive"},
		{"a bet of two sizes", "rws-3cp", func(v *rules.Variant) { v.Limits[rules.Progressive].Max = 1000 }, "limits.progressive", "one size, $5.00"},
		{"a reset below zero", "rws-3cp", func(v *rules.Variant) { v.Jackpot.Reset = -1 }, "progressive.reset", "is outside"},
		{"a rate of nothing", "rws-3cp", func(v *rules.Variant) { v.Jackpot.RateNum = 0 }, "progressive.rate", "increases with each bet (rws-3cp@3 1.15)"},
		{"a rate of no parts", "rws-3cp", func(v *rules.Variant) { v.Jackpot.RateDen = 0 }, "progressive.rate", "40/0"},
		{"more than the bet", "rws-3cp", func(v *rules.Variant) { v.Jackpot.RateNum = 101 }, "progressive.rate", "more than the whole bet"},
		{"a ceiling below the reset", "rws-3cp", func(v *rules.Variant) { v.Jackpot.Ceiling = 100 }, "progressive.ceiling", "$1.00 is below the reset value $10,000.00"},
		{"a ceiling beyond all", "rws-3cp", func(v *rules.Variant) { v.Jackpot.Ceiling = rules.MaxStake + 1 }, "progressive.ceiling", "is above"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := standard(t, tt.book)
			if err := v.Check(); err != nil {
				t.Fatal(err)
			}
			before := v.Hash()
			tt.change(v)
			faults := v.Faults()
			if len(faults) != 1 || faults[0].Field != tt.field || !strings.Contains(faults[0].Reason.String(), tt.reason) {
				t.Errorf("faults %v; want %s: ... %s", faults, tt.field, tt.reason)
			}
			var fault *rules.Fault
			if err := v.Check(); !errors.As(err, &fault) || fault.Field != tt.field {
				t.Errorf("Check gives %v", err)
			}
			if v.Hash() == before {
				t.Error("the hash does not show the change")
			}
		})
	}
}

// TestHashShowsWhatMatters holds that what plays alike has one hash.
func TestHashShowsWhatMatters(t *testing.T) {
	v := standard(t, "rws-3cp")
	before := v.Hash()
	v.ID = "another name"
	v.Chips = []money.Amount{}
	v.Rounding.Unit = money.Minor
	v.Choices[rules.TiePointTotal] = rules.PicturesApart // not open in this book
	if v.Hash() != before {
		t.Error("the hash shows what changes nothing")
	}
	v.Choices[rules.EnvyPer] = rules.PerRound
	if v.Hash() == before {
		t.Error("the hash hides a ruling")
	}
}

func TestOverrides(t *testing.T) {
	v := standard(t, "rws-3cp")
	for _, err := range []error{
		v.OverridePays(rules.Tie, []int64{9}),
		v.OverridePays(rules.PairPlus, nil),
		v.OverridePays(rules.PairPlus, []int64{1, 2, 3, 4, 5, 6}),
		v.OverridePays(rules.PairPlus, []int64{-1}),
		v.OverridePays(rules.PairPlus, []int64{rules.MaxPay + 1}),
		v.OverridePays(rules.Progressive, []int64{1}),
		v.UsePayTable(rules.Bonus, "TCPB-01"),
		v.UsePayTable(rules.PairPlus, "TCPB-01"),
	} {
		if err == nil {
			t.Error("an impossible table was taken")
		}
	}
	if err := v.OverridePays(rules.PairPlus, []int64{50, 40}); err != nil {
		t.Fatal(err)
	}
	if rows := v.Pays[rules.PairPlus].Rows; len(rows) != 2 || rows[1].Pay != rules.ToOne(40) || rows[1].Clause != "4.2" {
		t.Errorf("rows %v", rows)
	}
	if n := len(v.Book.Standard().Pays[rules.PairPlus].Rows); n != 5 {
		t.Errorf("the book's own table now has %d rows", n)
	}
	if err := v.OverridePays(rules.PairPlus, []int64{rules.MaxPay}); err != nil {
		t.Errorf("the largest pay is refused: %v", err)
	}
}

// TestPaysFindTheirTable holds that a list of pays for the Bonus bet goes with the
// first of its four tables that has as many rows, unless the one in force has.
func TestPaysFindTheirTable(t *testing.T) {
	four, five := []int64{1000, 200, 90, 30}, []int64{4000, 1000, 50, 40, 6}
	for _, tt := range []struct {
		name, inForce string
		toOne         []int64
		clause        string // of the first row; empty for a refusal
		rows          int
	}{
		{"as many as the first", "", four, "bonus.3.TCPB-03E", 4},
		{"one more", "", five, "bonus.3.TCPB-04E", 5},
		{"as many as another in force", "TCPB-01", four, "bonus.4.TCPB-01", 4},
		{"fewer than another in force", "TCPB-02", four, "bonus.4.TCPB-02", 4},
		{"more than any", "", append(five, 1), "", 0},
		{"none", "", nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := standard(t, "sm-3cp").Clone()
			if tt.inForce != "" {
				if err := v.UsePayTable(rules.Bonus, tt.inForce); err != nil {
					t.Fatal(err)
				}
			}
			err := v.OverridePays(rules.Bonus, tt.toOne)
			if (err == nil) != (tt.clause != "") {
				t.Fatalf("error %v", err)
			}
			if rows := v.Pays[rules.Bonus].Rows; err == nil && (len(rows) != tt.rows || rows[0].Clause != tt.clause || rows[0].Pay != rules.ToOne(tt.toOne[0])) {
				t.Errorf("rows %v", rows)
			}
		})
	}
	// A table that an operator has cut is no limit: the text still has the row.
	v := standard(t, "rws-3cp").Clone()
	for _, toOne := range [][]int64{{50}, {40, 30, 6, 4, 1}} {
		if err := v.OverridePays(rules.PairPlus, toOne); err != nil || len(v.Pays[rules.PairPlus].Rows) != len(toOne) {
			t.Errorf("%v: %v", toOne, err)
		}
	}
	if standard(t, "rws-3cp").TableWith(rules.Tie, 1) != nil {
		t.Error("a wager that the book does not have has a table")
	}
}

func TestPayInWords(t *testing.T) {
	for want, pay := range map[string]rules.Pay{
		"40 to 1": rules.ToOne(40), "1 to 2": {Odds: money.Odds{To: 1, For: 2}}, "$1,250.00": rules.Dollars(1250),
		"100 % of the meter": {MeterPercent: 100},
	} {
		if pay.String() != want {
			t.Errorf("%+v is %q, want %q", pay, pay, want)
		}
	}
}
