package variant_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
	"trey/rules/variant"
)

func parse(t testing.TB, text string) (*rules.Variant, []variant.Remark) {
	t.Helper()
	v, remarks, err := variant.Parse("high.toml", []byte(text), books.Find)
	if err != nil {
		t.Fatal(err)
	}
	return v, remarks
}

func TestParse(t *testing.T) {
	v, remarks := parse(t, `
base = "rws-3cp@3"
id = "high-limit"
boxes = 5
chips = ["1", "5", "25", "100"]

[limits.ante]
min = "25"
max = "5000"

[pays]
pair-plus = "40/30/6/4/1"
ante-bonus = "5/4/1"

[pays.progressive]
akq-spades = "100% of the meter"
straight = "$20"

[envy]
akq-spades = "$500"

[rulings]
envy_when_folded = "kept"
interruption_grace = "20s"
six_pays_half_rounding = "chip 0.50"

[progressive]
bet = "5"
reset = "20000"
rate = "12.5%"
ceiling = "500000"
`)
	if v.ID != "high-limit" || v.Book.Ref() != "rws-3cp@3" || v.Boxes != 5 || !slices.Equal(v.Chips, []money.Amount{100, 500, 2500, 10000}) {
		t.Errorf("id %s, book %s, boxes %d, chips %v", v.ID, v.Book.Ref(), v.Boxes, v.Chips)
	}
	if v.Limits[rules.Ante] != (rules.Limit{Min: 2500, Max: 500_000}) {
		t.Errorf("limits %v", v.Limits[rules.Ante])
	}
	var pays []int64
	for _, row := range v.Pays[rules.PairPlus].Rows {
		pays = append(pays, row.Pay.Odds.To)
	}
	if !slices.Equal(pays, []int64{40, 30, 6, 4, 1}) {
		t.Errorf("pair plus pays %v", pays)
	}
	jackpot := v.Pays[rules.Progressive].Rows
	if jackpot[0].Pay != (rules.Pay{MeterPercent: 100}) || jackpot[0].Envy != 50_000 || jackpot[1].Envy != 5_000 ||
		jackpot[4].Pay != (rules.Pay{Fixed: 2000}) || jackpot[3].Pay != (rules.Pay{Fixed: 15_000}) || len(jackpot) != 5 {
		t.Errorf("progressive pays %+v", jackpot)
	}
	if !v.Is(rules.EnvyWhenFolded, rules.Kept) || v.GraceMs != 20_000 || v.Rounding != (money.Rounding{Unit: 50, Favour: money.Player}) {
		t.Errorf("rulings %v, grace %d, rounding %v", v.Choices, v.GraceMs, v.Rounding)
	}
	if *v.Jackpot != (rules.JackpotTerms{Bet: 500, Reset: 2_000_000, RateNum: 1250, RateDen: 10_000, Ceiling: 50_000_000}) {
		t.Errorf("terms %+v", *v.Jackpot)
	}
	if v.Limits[rules.Progressive] != (rules.Limit{Min: 500, Max: 500}) {
		t.Errorf("the progressive's limits are %v", v.Limits[rules.Progressive])
	}
	if len(remarks) != 0 {
		t.Errorf("remarks: %v", remarks)
	}
	if book := v.Book.Standard(); book.Pays[rules.Progressive].Rows[0].Envy != 25_000 || v.Hash() == book.Hash() {
		t.Error("the book itself was changed, or the hash was not")
	}
}

func TestParseForms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		ok         func(v *rules.Variant) bool
	}{
		{"nothing but a base is the book", `base = "us-3cp"`, func(v *rules.Variant) bool {
			return v.ID == "high" && v.Hash() == v.Book.Standard().Hash()
		}},
		{"a text of another editor", "\ufeffbase = 'us-3cp'\r\nboxes = 5\r\n", func(v *rules.Variant) bool {
			return v.Boxes == 5
		}},
		{"a number with an underscore", "base = 'us-3cp'\nboxes = 1_0", func(v *rules.Variant) bool { return v.Boxes == 10 }},
		{"a number of another base", "base = 'us-3cp'\nboxes = 0xA", func(v *rules.Variant) bool { return v.Boxes == 10 }},
		{"a table of the text by its name", "base = 'sm-3cp'\n[pays]\nbonus = \"TCPB-04E\"", func(v *rules.Variant) bool {
			return v.Pays[rules.Bonus].Name == "TCPB-04E"
		}},
		{"a table with one row changed", "base = 'sm-3cp'\n[pays.bonus]\nstraight = \"8\"\ntable = \"TCPB-02\"", func(v *rules.Variant) bool {
			rows := v.Pays[rules.Bonus].Rows
			return len(rows) == 5 && rows[0].Pay == rules.ToOne(4000) && rows[4].Pay == rules.ToOne(8) && v.Pays[rules.Bonus].Name == ""
		}},
		{"a table that comes to the text's own keeps its name", "base = 'sm-3cp'\n[pays.bonus]\nstraight = \"7\"\ntable = \"TCPB-02\"", func(v *rules.Variant) bool {
			return v.Pays[rules.Bonus].Name == "TCPB-02"
		}},
		{"a list finds a table with as many rows", "base = 'sm-3cp'\n[pays]\nbonus = \"3000/1000/50/40/7\"", func(v *rules.Variant) bool {
			rows := v.Pays[rules.Bonus].Rows
			return len(rows) == 5 && rows[4].Combo == rules.Straight && rows[4].Pay == rules.ToOne(7) && rows[2].Envy == 500
		}},
		{"a short list drops the lowest rows", "base = 'us-3cp'\n[pays]\npair-plus = \"40/30\"", func(v *rules.Variant) bool {
			return len(v.Pays[rules.PairPlus].Rows) == 2
		}},
		{"one pay is a list", "base = 'us-3cp'\n[pays]\npair-plus = \"40\"", func(v *rules.Variant) bool {
			return len(v.Pays[rules.PairPlus].Rows) == 1
		}},
		{"a new row finds its place", "base = 'us-3cp'\n[pays.pair-plus]\nakq-suited = \"50 to 1\"\npair = \"none\"", func(v *rules.Variant) bool {
			rows := v.Pays[rules.PairPlus].Rows
			return len(rows) == 5 && rows[0].Combo == rules.AKQSuited && rows[4].Combo == rules.Flush && rows[0].Clause == "pays.pair-plus"
		}},
		{"inline tables, odds with a colon", "base = 'mbs-3pictures'\npays = { main = { six-points = \"1:2\", any-hand = \"1\" } }", func(v *rules.Variant) bool {
			return v.Hash() == v.Book.Standard().Hash()
		}},
		{"dotted keys", "base = 'us-3cp'\nlimits.ante.min = '3'\nlimits.ante.max = '9'", func(v *rules.Variant) bool {
			return v.Limits[rules.Ante] == rules.Limit{Min: 300, Max: 900} && v.Limits[rules.Play] == v.Limits[rules.Ante]
		}},
		{"no maximum", "base = 'us-3cp'\nlimits.ante.max = 'none'", func(v *rules.Variant) bool {
			return v.Limits[rules.Ante] == rules.Limit{Min: 200}
		}},
		{"no chips", "base = 'us-3cp'\nchips = []", func(v *rules.Variant) bool { return v.Payable(1) }},
		{"no progressive", "base = 'rws-3cp'\nprogressive.enabled = false", func(v *rules.Variant) bool {
			return v.Jackpot == nil && v.Limits[rules.Progressive] == rules.Limit{}
		}},
		{"a rate as a fraction", "base = 'rws-3cp'\nprogressive.rate = '2/5'", func(v *rules.Variant) bool {
			return v.Jackpot.RateNum == 2 && v.Jackpot.RateDen == 5
		}},
		{"an Envy Bonus taken away", "base = 'rws-3cp'\nenvy.akq-suited = 'none'", func(v *rules.Variant) bool {
			return v.Pays[rules.Progressive].Rows[1].Envy == 0 && v.Pays[rules.Progressive].Rows[0].Envy == 25_000
		}},
		{"the house keeps half cents", "base = 'mbs-3pictures'\nrulings.six_pays_half_rounding = 'house'", func(v *rules.Variant) bool {
			return v.Rounding == money.Rounding{Favour: money.House}
		}},
		{"a chip in favour of the house", "base = 'mbs-3pictures'\nrulings.six_pays_half_rounding = 'chip 0.50 house'", func(v *rules.Variant) bool {
			return v.Rounding == money.Rounding{Unit: 50, Favour: money.House}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if v, _ := parse(t, tt.text); !tt.ok(v) {
				t.Errorf("%s\ngives %+v", tt.text, v)
			}
		})
	}
}

// TestMistakesAreReportedTogether holds each reason by a piece of it, and that a file
// with many mistakes has all of them told, in the order of lines.
func TestMistakesAreReportedTogether(t *testing.T) {
	text := `base = "rws-3cp@3"
id = "high limit"
boxes = "five"
chips = ["1", 5]
bokses = 4
boxes = 4
[limits.ante]
min = "50"
max = "25"
middle = "30"
[limits.pair-plus]
min = 5
[limits.play]
min = "5"
[limits.progressive]
min = "5"
[limits.pairplus]
min = "5"
[pays]
pair-plus = "40/30/x/4/1"
ante-bonus = "5/4/1/1/1"
ante = "TCPB-01"
bonus = "1"
[pays.progressive]
straigt = "$15"
straight = "15 dollars"
flush = 4
akq-spades = "200% of the meter"
pair = "none"
[envy]
pair = "$5"
akq-spades = "lots"
[rulings]
envy_when_folded = "yes"
envy_wen_folded = "kept"
tie_point_total = "zero"
jackpot_terms = "any"
interruption_grace = "soon"
six_pays_half_rounding = "bank"
[progressive]
rate = "a lot"
reset = "2000000"
bets = "5"
`
	want := []string{
		`2: the id "high limit" is no name`,
		`3: boxes is a text: write a whole number such as boxes = 5`,
		`4: chips is a number: write the amount in quotes, such as "25" or "12.50"`,
		`5: there is no key "bokses": did you mean boxes?`,
		`6: boxes stands twice: it was given in line 3 already`,
		`8: limits.ante: the minimum $50.00 is above the maximum $25.00`,
		`10: a limit has no "middle": choose from min, max`,
		`12: limits.pair-plus.min is a number: write the amount in quotes`,
		`13: limits.play: it always equals ante: limit that`,
		`15: limits.progressive: it has one size: set it as bet in [progressive]`,
		`17: rws-3cp@3 has no limits for "pairplus": did you mean pair-plus?`,
		`20: pays.pair-plus: "x" in "40/30/x/4/1" is no pay`,
		`21: pays.ante-bonus: 5 pays for a table of 3 rows (Straight flush, Three of a kind, Straight)`,
		`22: pays.ante: "TCPB-01" is no list of pays: write one such as 40/30/6/4/1`,
		`23: rws-3cp@3 has no pays for "bonus"`,
		`25: there is no combination "straigt": did you mean straight?`,
		`26: pays.progressive.straight: "15 dollars" are not odds`,
		`27: pays.progressive.flush is a number: write the pay in quotes, such as "5 to 1", "$15" or "none"`,
		`28: pays.progressive.akq-spades: "200% of the meter" is no share of the meter: write 100% of the meter`,
		`29: pays.progressive has no row pair to drop`,
		`31: envy.pair: the pay table of progressive has no such row`,
		`32: envy.akq-spades: "lots" is not an amount`,
		`34: rulings.envy_when_folded cannot be "yes": its values are lost, kept (the first is the default)`,
		`35: there is no ruling "envy_wen_folded": did you mean envy_when_folded?`,
		`36: rulings.tie_point_total: rws-3cp@3 does not leave this open; remove it`,
		`37: rulings.jackpot_terms has no values to choose from: the terms stand in [progressive]`,
		`38: rulings.interruption_grace: "soon" is no such time`,
		`39: rulings.six_pays_half_rounding cannot be "bank"`,
		`41: progressive.rate must be a part of each bet`,
		`42: progressive.ceiling: $1,000,000.00 is below the reset value $2,000,000.00`,
		`43: the progressive has no "bets": did you mean bet?`,
	}
	v, remarks, err := variant.Parse("high.toml", []byte(text), books.Find)
	if v != nil || remarks != nil {
		t.Error("a refused file gives a variant or remarks")
	}
	var all variant.Errors
	if !errors.As(err, &all) {
		t.Fatalf("the error is a %T", err)
	}
	for i := range max(len(all), len(want)) {
		switch {
		case i >= len(all):
			t.Errorf("missing: %s", want[i])
		case i >= len(want):
			t.Errorf("unexpected: %s", all[i])
		case !strings.HasPrefix(all[i].Error(), "high.toml:"+want[i]):
			t.Errorf("got  %s\nwant high.toml:%s", all[i], want[i])
		}
	}
	var one *variant.Error
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("errors.As finds %v", one)
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no base", "boxes = 5", `high.toml:1: base is missing: name the book first, such as base = "rws-3cp@3"`},
		{"no base and more", "\nboks = 5", `high.toml:2: there is no key "boks"`},
		{"a wrong base", "\n\nbase = 'rws3cp'", `high.toml:3: base: there is no book "rws3cp": did you mean rws-3cp`},
		{"another edition", "base = 'rws-3cp@4'", `use rws-3cp@3`},
		{"a base that is no text", "base = 3", `high.toml:1: base is a number: write the book in quotes`},
		{"broken syntax", "base = 'us-3cp'\nboxes = = 5", `high.toml:2: this is not TOML: `},
		{"what stands before broken syntax is told too", "base = 'us-3cp'\nbokses = 5\nboxes = = 5", `high.toml:2: there is no key "bokses"`},
		{"a table twice", "base = 'us-3cp'\n[limits.ante]\nmin = '3'\n[limits.ante]\nmax = '4'", `high.toml:4: [limits.ante] stands twice: it was given in line 2 already`},
		{"a list of tables", "base = 'us-3cp'\n[[limits]]\n", `high.toml:2: [[limits]] is a list of tables: write [limits]`},
		{"a text that is also a table", "base = 'us-3cp'\npays = '4'\n[pays.ante]\nany-hand='1'", `high.toml:2: pays is a table and not a text: write [pays]`},
		{"a section that is a value", "base = 'us-3cp'\nrulings = true", `high.toml:2: rulings is a table and not true or false`},
		{"a key below a value", "base = 'us-3cp'\nboxes.many = 3", `high.toml:2: boxes holds a value and no table: remove boxes.many`},
		{"a date", "base = 'us-3cp'\nboxes = 2020-03-17", `high.toml:2: boxes is a number with decimals, a date or a time`},
		{"too many boxes", "base = 'mbs-3pictures'\nboxes = 9", `high.toml:2: boxes: 9 is outside 1 to 8 (mbs-3pictures@2 appendix.A)`},
		{"no boxes", "base = 'us-3cp'\nboxes = 0", `high.toml:2: boxes: 0 is outside 1 to 16`},
		{"a number beyond all", "base = 'us-3cp'\nboxes = 99999999999999999999", `high.toml:2: this is not TOML: decimal number is too large`},
		{"a number with decimals", "base = 'us-3cp'\nboxes = 5.0", `high.toml:2: boxes is a number with decimals, a date or a time: write a whole number`},
		{"chips that do not ascend", "base = 'rws-3cp'\nchips = ['5', '1']", `high.toml:2: chips: denominations must be positive and ascending`},
		{"chips that are no list", "base = 'rws-3cp'\nchips = '5'", `high.toml:2: chips is a text: write a list such as chips = ["1", "5", "25"]`},
		{"a minimum that no chips make", "base = 'us-3cp'\nchips = ['5', '25']", `high.toml:2: limits.ante: $2.00 cannot be laid in the table's chips: $5.00, $25.00`},
		{"a bet that no chips make", "base = 'rws-3cp'\nchips = ['25', '100']", `high.toml:2: limits.progressive: $5.00 cannot be laid`},
		{"a limit of zero", "base = 'us-3cp'\nlimits.ante.min = '0'", `limits.ante.min is zero: write "none"`},
		{"an amount below zero", "base = 'us-3cp'\nlimits.ante.min = '-3'", `limits.ante.min: -3 is below zero`},
		{"an amount with three decimals", "base = 'us-3cp'\nlimits.ante.min = '3.005'", `more than two decimals`},
		{"limits of what has no stake", "base = 'us-3cp'\nlimits.ante-bonus.min = '3'", `limits.ante-bonus: it takes no stake and has no limits`},
		{"limits that are one value", "base = 'us-3cp'\nlimits.ante = '3'", `limits.ante is a table and not a text: write [limits.ante] with min`},
		{"an unknown pay table", "base = 'sm-3cp'\npays.bonus = 'TCPB-05'", `pays.bonus: there is no pay table "TCPB-05": did you mean TCPB-0`},
		{"a far pay table", "base = 'sm-3cp'\npays.bonus = 'standard'", `choose from TCPB-03E, TCPB-04E, TCPB-01, TCPB-02`},
		{"pays that no list can replace", "base = 'rws-3cp'\npays.progressive = '1/2'", `AKQ of spades pays 100 % of the meter, which a list of odds cannot replace`},
		{"a part of the meter", "base = 'rws-3cp'\npays.progressive.akq-spades = '50% of the meter'", `50 % of the meter cannot be paid: a hit takes the whole meter, which then starts again at its reset value; write 100% of the meter, or a sum such as $500`},
		{"the meter of another wager", "base = 'rws-3cp'\npays.pair-plus.pair = '100% of the meter'", `pays.pair-plus.pair: no meter belongs to Pair Plus`},
		{"a table without a row for a win", "base = 'rws-3cp'\npays.ante.any-hand = 'none'", `high.toml:2: pays.ante: there is no pay table`},
		{"a main table without the rest", "base = 'mbs-3pictures'\npays.main.any-hand = 'none'", `high.toml:2: pays.main: every winning hand must be paid, so the table needs a row any-hand`},
		{"a pay too large", "base = 'us-3cp'\npays.pair-plus = '10000001'", `Straight flush cannot pay 10000001 to 1`},
		{"a pay too large in a row", "base = 'us-3cp'\npays.pair-plus.pair = '10000001'", `high.toml:2: pays.pair-plus.pair: 10000001 to 1 is outside`},
		{"a pay of no dollars", "base = 'rws-3cp'\npays.progressive.straight = '$0'", `$0 pays nothing: write "none" to drop the row`},
		{"Envy where there is none", "base = 'us-3cp'\n[envy]\npair = '$5'", `high.toml:2: us-3cp has no Envy Bonus: remove this section`},
		{"a progressive where there is none", "base = 'us-3cp'\n[progressive]\nbet = '5'", `high.toml:2: us-3cp has no progressive: remove this section`},
		{"a bet that the fixed pays exceed", "base = 'rws-3cp'\n[progressive]\nbet = '1'", `high.toml:3: progressive.bet: a bet of $1.00 favours the player at an empty meter, because the fixed pays alone return $1.3597 for each bet (rws-3cp@3 4.4); prescribe a larger bet`},
		{"fixed pays that exceed the bet", "base = 'rws-3cp'\npays.progressive.straight = '$200'", `high.toml:2: progressive.bet: a bet of $5.00 favours the player`},
		{"terms of a progressive taken away", "base = 'rws-3cp'\n[progressive]\nenabled = false\nbet = '5'", `high.toml:4: progressive.bet contradicts enabled = false`},
		{"enabled that is a text", "base = 'rws-3cp'\n[progressive]\nenabled = 'no'", `high.toml:3: progressive.enabled is a text: write true or false`},
		{"a reset value of zero", "base = 'rws-3cp'\nprogressive.reset = '0'", `high.toml:2: progressive.reset is zero, and the winner after a hit would be paid nothing`},
		{"a rate above all", "base = 'rws-3cp'\nprogressive.rate = '101%'", `high.toml:2: progressive.rate: 101/100 puts more than the whole bet`},
		{"a rate of nothing", "base = 'rws-3cp'\nprogressive.rate = '0%'", `high.toml:2: progressive.rate: 0/100 of each bet is no contribution`},
		{"a rate of no parts", "base = 'rws-3cp'\nprogressive.rate = '1/0'", `high.toml:2: progressive.rate: 1/0`},
		{"a ruling's value nearly right", "base = 'rws-3cp'\nrulings.jackpot_stake = 'return'", `did you mean returned?`},
		{"a ruling that is no text", "base = 'rws-3cp'\nrulings.envy_own_boxes = true", `rulings.envy_own_boxes is true or false: write its value in quotes`},
		{"a reading without a choice", "base = 'mbs-3pictures'\nrulings.picture_pair = 'any'", `high.toml:2: rulings.picture_pair leaves no choice: two of the same rank`},
		{"a grace below zero", "base = 'rws-3cp'\nrulings.interruption_grace = '-1s'", `is no such time`},
		{"a grace of microseconds", "base = 'rws-3cp'\nrulings.interruption_grace = '1us'", `is no such time`},
		{"the name of a book", "base = 'rws-3cp'\nid = 'us-3cp'", `the id "us-3cp" is the name of a book (us-3cp)`},
		{"an id that is no text", "base = 'rws-3cp'\nid = 7", `id is a number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := variant.Parse("high.toml", []byte(tt.text), books.Find)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s\ngives %v\nwant %s", tt.text, err, tt.want)
			}
		})
	}
	if _, _, err := variant.Parse("x", make([]byte, 1<<20+1), books.Find); err == nil || !strings.Contains(err.Error(), "x:1: the file has 1048577 bytes") {
		t.Errorf("a huge file gives %v", err)
	}
	if _, _, err := variant.Parse("no name.toml", []byte("base = 'us-3cp'"), books.Find); err == nil || !strings.Contains(err.Error(), `the id "no name" is no name`) {
		t.Errorf("a file whose name is no id gives %v", err)
	}
}

func TestRemarks(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a sound table", "base = 'us-3cp'\npays.pair-plus = '40/30/6/4/1'", nil},
		// (48 x 40 + 52 x 30 + 720 x 6 + 1,096 x 4 + 3,744 x 2 - 16,440) / 22,100
		{"Pair Plus for the player", "base = 'us-3cp'\n\npays.pair-plus = '40/30/6/4/2'", []string{
			"high.toml:3: Pair Plus favours the player: +14.62 % of each bet",
		}},
		// One more for each flush: -512 + 1,096 = 584 in 22,100.
		{"a row of it", "base = 'us-3cp'\n[pays.pair-plus]\nstraight = '6'\nflush = '5'", []string{
			"high.toml:3: Pair Plus favours the player: +2.64 % of each bet",
		}},
		{"a row without a hand", "base = 'us-3cp'\n[pays.pair-plus]\nthree-kings = '100'", []string{
			"high.toml:3: Pair Plus: no hand is ever paid for Three Kings, because none is one or a row above pays for it",
		}},
		{"a row hidden by better ones", "base = 'mbs-3pictures'\n[pays.royal-pictures]\nany-hand = '0'\n", []string{
			"high.toml:3: Royal Pictures: Any hand pays nothing; a winner gets the stake back and no more",
			// Nobody loses any more: the player keeps all that the other rows pay, 15,520
			// in 22,100.
			"high.toml:3: Royal Pictures favours the player: +70.23 % of each bet",
		}},
		{"a row that pays nothing", "base = 'us-3cp'\npays.pair-plus = '40/30/5/3/0'", []string{
			"high.toml:2: Pair Plus: Pair pays nothing; a winner gets the stake back and no more",
		}},
		// 4,000 + 3 x 1,000 + 44 x 125 + 52 x 200 - 22,000 = 900
		{"Bonus for the player", "base = 'sm-3cp'\npays.bonus = '4000/1000/125/200'", []string{
			"high.toml:2: Bonus: Three of a kind pays more than Straight flush, which is the better hand",
			"high.toml:2: Bonus favours the player: +4.07 % of each bet",
		}},
		// -6,700 / 22,100 and for each other box (1,000 + 3 x 25 + 44 x 5) / 22,100
		{"Envy for the player", "base = 'sm-3cp'\nenvy.akq-spades = '$1000'", []string{
			"high.toml:2: Bonus favours the player beside 6 other boxes: with the Envy Bonus, +4.84 % of a bet of $1.00",
		}},
		// Of 407,170,400 pairs of hands 40,713,556 tie in points.
		{"Tie at 9 to 1", "base = 'mbs-3pictures'\npays.tie = '9'", nil},
		{"Tie at 10 to 1", "base = 'mbs-3pictures'\npays.tie = '10'", []string{"high.toml:2: Tie favours the player: +9.99 % of each bet"}},
		{"Tie at 10 to 1, pictures apart", "base = 'mbs-3pictures'\npays.tie = '10'\nrulings.tie_point_total = 'apart'", []string{
			"high.toml:2: Tie favours the player: +7.83 % of each bet",
		}},
		{"Main at 1 to 1 on six", "base = 'mbs-3pictures'\npays.main.six-points = '1 to 1'", nil},
		{"Main at 2 to 1", "base = 'mbs-3pictures'\npays.main.any-hand = '2'", []string{"high.toml:2: Main favours the player: +38.94 % of each bet"}},
		{"Royal Pictures", "base = 'mbs-3pictures'\npays.royal-pictures.any-king = '2'", []string{
			"high.toml:2: Royal Pictures favours the player: +",
		}},
		{"limits beyond the text's", "base = 'us-3cp'\nlimits.ante.max = '500'", []string{
			"high.toml:2: the text itself has $2.00 to $10.00 for Ante (us-3cp amounts.ante)",
		}},
		{"limits within the text's", "base = 'us-3cp'\nlimits.ante.max = '8'", nil},
		{"a lower hand that pays more", "base = 'us-3cp'\n[pays.pair-plus]\nflush = '6'", []string{
			"high.toml:3: Pair Plus: Flush pays more than Straight, which is the better hand",
			// 40/30/6/4/1 comes to -512 in 22,100 hands, the text's 40/30/5/3/1 to
			// -512 - 720 - 1,096 = -2,328; three more for each flush to 960.
			"high.toml:3: Pair Plus favours the player: +4.34 % of each bet",
		}},
		{"a lower hand that pays more, over a row without hands", "base = 'us-3cp'\n[pays.pair-plus]\nthree-kings = '2'\npair = '1'", []string{
			"high.toml:3: Pair Plus: no hand is ever paid for Three Kings",
		}},
		{"a sum above the meter's part", "base = 'rws-3cp'\npays.progressive.akq-suited = '$20000'\nprogressive.reset = '10000'\nprogressive.bet = '1000'", []string{
			"high.toml:2: Progressive Jackpot: AKQ suited pays more than AKQ of spades, which is the better hand",
		}},
		{"what the text means so", "base = 'mbs-3pictures'\npays.main.six-points = '1 to 3'", nil},
		{"rows dropped", "base = 'us-3cp'\n\npays.pair-plus = '40/30/5'", []string{
			"high.toml:3: Pair Plus: the text has rows for these, which win nothing here: Flush, Pair",
		}},
		{"a row dropped", "base = 'us-3cp'\n[pays.pair-plus]\nflush = '3'\npair = 'none'", []string{
			"high.toml:4: Pair Plus: the text has rows for these, which win nothing here: Pair",
		}},
		{"a row dropped whose hands are paid as lower ones", "base = 'rws-3cp'\n[pays.progressive]\nakq-suited = 'none'", []string{
			"high.toml:3: Progressive Jackpot: the text has a row for AKQ suited, which is paid as Straight flush here",
		}},
		{"no chips where the text names them", "base = 'us-3cp'\nchips = []", []string{
			"high.toml:2: stakes in cents are allowed: there are no chips here, and the text itself names those from $1.00 to $25.00",
		}},
		{"a limit in cents", "base = 'rws-3cp'\n[limits.ante]\nmin = '2.50'\nmax = '100'", []string{
			"high.toml:3: Ante: stakes in cents are allowed: a limit is $2.50",
		}},
		{"a bet in cents", "base = 'rws-3cp'\nprogressive.bet = '5.50'", []string{
			"high.toml:2: Progressive Jackpot: stakes in cents are allowed: the bet is $5.50",
		}},
		{"a chip in cents", "base = 'mbs-3pictures'\nchips = ['0.25', '1']", []string{
			"high.toml:2: stakes in cents are allowed: there is a chip of $0.25",
		}},
		{"a chip in cents, to which is rounded", "base = 'mbs-3pictures'\nchips = ['0.25', '1']\nrulings.six_pays_half_rounding = 'chip 0.25'", nil},
		{"a unit of payment that stakes are in", "base = 'mbs-3pictures'\nchips = ['1', '5']\nrulings.six_pays_half_rounding = 'chip 1'", nil},
		{"a unit of payment beside a smaller chip", "base = 'mbs-3pictures'\nchips = ['0.50', '1', '5']\nrulings.six_pays_half_rounding = 'chip 1'", []string{
			"high.toml:3: every payment is rounded to $1.00, also one at 1 to 1 on a stake that is not in this unit",
		}},
		{"a unit of payment and any stake", "base = 'mbs-3pictures'\nrulings.six_pays_half_rounding = 'chip 0.50'", []string{
			"high.toml:2: every payment is rounded to $0.50",
		}},
		{"half a cent", "base = 'mbs-3pictures'\nrulings.six_pays_half_rounding = 'house'", nil},
		{"chips that the text does not name", "base = 'us-3cp'\nchips = ['1', '100']", []string{
			"high.toml:2: the text itself names no chip of $100.00",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, remarks := parse(t, tt.text)
			for i := range max(len(remarks), len(tt.want)) {
				switch {
				case i >= len(remarks):
					t.Errorf("missing: %s", tt.want[i])
				case i >= len(tt.want):
					t.Errorf("unexpected: %s", remarks[i])
				case !strings.HasPrefix(remarks[i].String(), tt.want[i]):
					t.Errorf("got %s\nwant %s", remarks[i], tt.want[i])
				}
			}
		})
	}
}

func TestLine(t *testing.T) {
	const text = "# ours\nbase = 'rws-3cp'\n[pays]\npair-plus = '40'\n[pays.ante-bonus]\nstraight = '2'\n"
	for _, tt := range []struct {
		fields []string
		want   int
	}{
		{[]string{"pays.ante-bonus"}, 6},
		{[]string{"progressive.reset", "pays.pair-plus"}, 4},
		{[]string{"pays"}, 4},
		{[]string{"envy"}, 2},
		{nil, 2},
	} {
		if got := variant.Line([]byte(text), tt.fields...); got != tt.want {
			t.Errorf("%v stands in line %d, want %d", tt.fields, got, tt.want)
		}
	}
	if got := variant.Line([]byte("= ="), "pays"); got != 1 {
		t.Errorf("a text that is no TOML gives line %d", got)
	}
}

func TestExamples(t *testing.T) {
	for _, b := range books.All() {
		v, remarks := parse(t, string(variant.Example(b)))
		if v.Hash() != b.Standard().Hash() {
			t.Errorf("%s: the example is not the book:\n%s", b.Ref(), variant.Example(b))
		}
		if len(remarks) != 0 {
			t.Errorf("%s: the example has remarks %v", b.Ref(), remarks)
		}
	}
}

// TestWriteAndParse draws variants, and reads back what is written of them.
func TestWriteAndParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(books.All()).Draw(t, "book")
		v := b.Standard().Clone()
		v.ID = "drawn"
		v.Boxes = rapid.IntRange(b.Boxes.Least(), b.Boxes.Max).Draw(t, "boxes")
		v.GraceMs = rapid.Int64Range(0, 86_400_000).Draw(t, "grace")
		v.Rounding = money.Rounding{
			Unit: money.Amount(rapid.IntRange(0, 200).Draw(t, "unit")), Favour: money.Favour(rapid.IntRange(0, 1).Draw(t, "favour")),
		}
		sampled.Rulings(t, "", v)
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			table := rapid.SampledFrom(rule.Pays).Draw(t, "table")
			rows := slices.Clone(table.Rows)
			for k := range rows {
				if rapid.Bool().Draw(t, "changed") && rows[k].Pay.Odds.For != 0 {
					rows[k].Pay.Odds = money.Odds{To: rapid.Int64Range(0, 300).Draw(t, "to"), For: rapid.Int64Range(1, 5).Draw(t, "for")}
				}
			}
			v.Pays[rule.Wager] = &rules.PayTable{Rows: rows}
			for k := range rule.Pays {
				if slices.Equal(rule.Pays[k].Rows, rows) {
					v.Pays[rule.Wager] = &rule.Pays[k]
				}
			}
			if rule.Stake == rules.WithinLimits && b.ID != "us-3cp" {
				low := rapid.Int64Range(0, 1000).Draw(t, "min")
				v.Limits[rule.Wager] = rules.Limit{Min: money.Amount(low), Max: money.Amount(low + rapid.Int64Range(0, 1000).Draw(t, "range"))}
			}
		}
		if v.Jackpot != nil && rapid.Bool().Draw(t, "disabled") {
			v.Jackpot, v.Limits[rules.Progressive] = nil, rules.Limit{}
		}
		if err := v.Check(); err != nil {
			t.Skip(err)
		}
		text := variant.Write(v)
		got, _, err := variant.Parse("drawn.toml", text, books.Find)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got.Hash() != v.Hash() || got.ID != v.ID {
			t.Fatalf("reads back as another variant:\n%s", text)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, b := range books.All() {
		f.Add(variant.Example(b))
	}
	f.Add([]byte("base = 'rws-3cp'\n[pays]\npair-plus = '40/30'\n[[x]]\na.b = {c = 1}\n"))
	f.Add([]byte("base = 'sm-3cp'\npays.bonus = 'TCPB-09'\nchips = ['1', 2, [3]]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, _, err := variant.Parse("fuzz.toml", text, books.Find)
		if err == nil {
			if err := v.Check(); err != nil {
				t.Fatalf("an accepted variant is unsound: %v", err)
			}
			return
		}
		var all variant.Errors
		if !errors.As(err, &all) || len(all) == 0 {
			t.Fatalf("the error %v is a %T", err, err)
		}
		lines, last := 1+strings.Count(string(text), "\n"), 0
		for _, e := range all {
			if e.Line < 1 || e.Line > lines || e.Line < last || e.Reason.String() == "" || e.Name != "fuzz.toml" {
				t.Fatalf("a mistake without a place or reason, or out of order: %v", e)
			}
			last = e.Line
		}
	})
}

func ExampleParse() {
	text := `
base = "us-3cp"
boxes = 20
[pays]
pair-plus = "40/30/6/4/1"
ante-bonsu = "5/4/1"
`
	_, _, err := variant.Parse("table-7.toml", []byte(text), books.Find)
	fmt.Println(err)
	// Output:
	// table-7.toml:3: boxes: 20 is outside 1 to 16 (us-3cp dealing.1)
	// table-7.toml:6: us-3cp has no pays for "ante-bonsu": did you mean ante-bonus?
}

// A part of the meter is refused where it could be paid. Where the progressive is
// switched off the row pays nobody, and rules that were recorded so can be read.
func TestPartOfTheMeterOfNoProgressive(t *testing.T) {
	text := "base = 'rws-3cp'\npays.progressive.akq-spades = '50% of the meter'\nprogressive.enabled = "
	if _, _, err := variant.Parse("v.toml", []byte(text+"true"), books.Find); err == nil || !strings.Contains(err.Error(), "v.toml:2: pays.progressive.akq-spades: 50 % of the meter cannot be paid") {
		t.Errorf("switched on: %v", err)
	}
	if v, _, err := variant.Parse("v.toml", []byte(text+"false"), books.Find); err != nil || v.Jackpot != nil {
		t.Errorf("switched off: %v", err)
	}
}
