package odds_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

// variant returns a book's standard variant after a change.
func variant(t testing.TB, book string, change func(v *rules.Variant)) *rules.Variant {
	t.Helper()
	b, err := books.Find(book)
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard()
	if change != nil {
		change(v)
	}
	return v
}

func sheet(t testing.TB, v *rules.Variant, o odds.Options) *odds.Sheet {
	t.Helper()
	s, err := odds.Analyse(v, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func use(t testing.TB, w rules.Wager, table string) func(*rules.Variant) {
	return func(v *rules.Variant) {
		if err := v.UsePayTable(w, table); err != nil {
			t.Fatal(err)
		}
	}
}

func pays(t testing.TB, w rules.Wager, toOne ...int64) func(*rules.Variant) {
	return func(v *rules.Variant) {
		if err := v.OverridePays(w, toOne); err != nil {
			t.Fatal(err)
		}
	}
}

func rule(r rules.Ruling, c rules.Choice) func(*rules.Variant) {
	return func(v *rules.Variant) { v.Choices[r] = c }
}

// Every figure here is printed in a rule book or published, and is matched to
// its last printed digit.
func TestPrintedFigures(t *testing.T) {
	akqFifty := func(v *rules.Variant) {
		pays(t, rules.PairPlus, 40, 30, 6, 3, 1)(v)
		table := *v.Pays[rules.PairPlus]
		table.Rows = append([]rules.PayRow{{Combo: rules.AKQSuited, Pay: rules.ToOne(50)}}, table.Rows...)
		v.Pays[rules.PairPlus] = &table
	}
	edge := func(a *odds.Analysis) odds.Fraction { return a.HouseEdge }
	hits := func(a *odds.Analysis) odds.Fraction { return a.HitFrequency }
	tests := []struct {
		name   string
		book   string
		change func(*rules.Variant)
		bet    odds.Bet
		o      odds.Options
		figure func(*odds.Analysis) odds.Fraction
		digits int
		want   string // per cent
	}{
		{"TCPB-01 house advantage", "sm-3cp", use(t, rules.Bonus, "TCPB-01"), odds.Bonus, odds.Options{}, edge, 2, "19.46"},
		{"TCPB-02 house advantage", "sm-3cp", use(t, rules.Bonus, "TCPB-02"), odds.Bonus, odds.Options{}, edge, 2, "20.45"},
		{"TCPB-03E house advantage", "sm-3cp", use(t, rules.Bonus, "TCPB-03E"), odds.Bonus, odds.Options{Others: 6}, edge, 2, "19.59"},
		{"TCPB-04E house advantage", "sm-3cp", use(t, rules.Bonus, "TCPB-04E"), odds.Bonus, odds.Options{Others: 6}, edge, 2, "19.50"},
		{"TCPB-01 hit frequency", "sm-3cp", use(t, rules.Bonus, "TCPB-01"), odds.Bonus, odds.Options{}, hits, 2, "0.45"},
		{"TCPB-02 hit frequency", "sm-3cp", use(t, rules.Bonus, "TCPB-02"), odds.Bonus, odds.Options{}, hits, 2, "3.71"},
		{"TCPB-03E hit frequency", "sm-3cp", use(t, rules.Bonus, "TCPB-03E"), odds.Bonus, odds.Options{Others: 6}, hits, 2, "0.45"},
		{"TCPB-04E hit frequency", "sm-3cp", use(t, rules.Bonus, "TCPB-04E"), odds.Bonus, odds.Options{Others: 6}, hits, 2, "3.71"},
		{"Ante and Play, house edge", "rws-3cp", nil, odds.AntePlay, odds.Options{}, edge, 4, "3.3730"},
		{"Ante and Play, element of risk", "rws-3cp", nil, odds.AntePlay, odds.Options{}, func(a *odds.Analysis) odds.Fraction { return a.ElementOfRisk }, 4, "2.0147"},
		{"Ante and Play, net win", "rws-3cp", nil, odds.AntePlay, odds.Options{}, func(a *odds.Analysis) odds.Fraction { return a.NetWin }, 4, "44.9127"},
		{"Ante and Play, always playing", "rws-3cp", nil, odds.AntePlay, odds.Options{Rule: odds.Always()}, edge, 2, "7.65"},
		{"Ante and Play, playing what the dealer would", "rws-3cp", nil, odds.AntePlay, odds.Options{Rule: mustRule(t, "Q-high")}, edge, 2, "3.45"},
		{"no Ante Bonus on a stand-off", "rws-3cp", rule(rules.AnteBonusOnStandoff, rules.NotPaid), odds.AntePlay, odds.Options{}, edge, 4, "3.3776"},
		{"Pair Plus 40-30-6-4-1", "sm-3cp", nil, odds.PairPlus, odds.Options{}, edge, 2, "2.32"},
		{"Pair Plus 40-30-6-3-1", "sm-3cp", pays(t, rules.PairPlus, 40, 30, 6, 3, 1), odds.PairPlus, odds.Options{}, edge, 2, "7.28"},
		{"Pair Plus with 50 on AKQ suited", "sm-3cp", akqFifty, odds.PairPlus, odds.Options{}, edge, 2, "7.10"},
		{"Tie, three pictures count zero", "mbs-3pictures", nil, odds.Tie, odds.Options{}, edge, 4, "10.0088"},
		{"Tie, three pictures apart", "mbs-3pictures", rule(rules.TiePointTotal, rules.PicturesApart), odds.Tie, odds.Options{}, edge, 4, "11.7750"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := variant(t, test.book, test.change)
			a := sheet(t, v, test.o).Wagers[test.bet]
			if got := test.figure(a).Percent(test.digits); got != test.want {
				t.Errorf("got %s %%, want %s %%", got, test.want)
			}
		})
	}
}

func mustRule(t testing.TB, s string) odds.Rule {
	t.Helper()
	r, err := odds.ParseRule(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFrenchBook holds the exact figures of the French order against an enumeration of
// all deals that was written from the text in another language: every player's hand
// against every dealer's hand, the better of playing and folding taken for each.
func TestFrenchBook(t *testing.T) {
	wagers := sheet(t, variant(t, "fr-p3c", nil), odds.Options{}).Wagers
	for bet, want := range map[odds.Bet]string{
		odds.AntePlay: "7696877/101792600", odds.PairPlus: "402/5525", odds.Bonus: "5028/5525",
	} {
		if got := wagers[bet].HouseEdge.String(); got != want {
			t.Errorf("%s: house edge %s, want %s", bet, got, want)
		}
	}
	if s := wagers[odds.AntePlay].Strategy; s.Played != 14_900 || !s.Exact {
		t.Errorf("strategy %q, exact %t, %d hands played", s.Rule, s.Exact, s.Played)
	}
	always := sheet(t, variant(t, "fr-p3c", nil), odds.Options{Rule: odds.Always()}).Wagers[odds.AntePlay]
	if got := always.HouseEdge.Percent(4); got != "11.8421" {
		t.Errorf("always playing: house edge %s %%", got)
	}
}

// TestFoldedPairPlus: a strategy costs Pair Plus what its folds cost where the bet lies
// only beside an Ante, as in the French order (25, 50, 56), unless the house lets a folded
// box keep it. Where it may be bet alone there is nothing to fold.
func TestFoldedPairPlus(t *testing.T) {
	for _, c := range []struct {
		book   string
		change func(*rules.Variant)
		want   string
	}{
		{"fr-p3c", nil, "1"},
		{"fr-p3c", rule(rules.PairPlusAfterFold, rules.Kept), "402/5525"},
		{"rws-3cp", nil, "308/5525"},
		{"us-3cp", nil, "582/5525"},
		{"sm-3cp", nil, "128/5525"},
	} {
		v := variant(t, c.book, c.change)
		if got := sheet(t, v, odds.Options{Rule: odds.Never()}).Wagers[odds.PairPlus].HouseEdge.String(); got != c.want {
			t.Errorf("%s, every hand folded: house edge of Pair Plus %s, want %s", c.book, got, c.want)
		}
	}
}

// TestEveryBookHasItsEdge holds the edge of each book's first wager against a figure that does not
// come from this program.
func TestEveryBookHasItsEdge(t *testing.T) {
	edges := map[string]string{
		"rws-3cp": "686689/20358520", "us-3cp": "778809/20358520", "sm-3cp": "686689/20358520",
		"mbs-3pictures": "3110763/101792600", "fr-p3c": "7696877/101792600",
	}
	for _, b := range books.All() {
		want := edges[b.ID]
		if want == "" {
			t.Errorf("write down here the house edge of %s: a published one, or one of an enumeration of your own", b.Ref())
			continue
		}
		s := sheet(t, variant(t, b.ID, nil), odds.Options{})
		if got := s.Wagers[s.Order[0]].HouseEdge.String(); got != want {
			t.Errorf("%s: house edge %s, want %s", b.Ref(), got, want)
		}
	}
}

func TestAntePlayOfRWS(t *testing.T) {
	a := sheet(t, variant(t, "rws-3cp", nil), odds.Options{}).Wagers[odds.AntePlay]
	if got := a.HouseEdge.String(); got != "686689/20358520" {
		t.Errorf("house edge %s", got)
	}
	if want := odds.FractionOf(big.NewRat(-13_733_780, odds.Deals)); !a.Expectation.Equal(want) {
		t.Errorf("expectation %s, want %s", a.Expectation, want)
	}
	if a.StdDev != "1.6392527541" {
		t.Errorf("standard deviation %s", a.StdDev)
	}
	if s := a.Strategy; s.Rule != "Q-6-4 or better" || !s.Exact || s.Played != 14_900 || s.Indifferent != 0 {
		t.Errorf("strategy %q, exact %t, %d hands played, %d indifferent", s.Rule, s.Exact, s.Played, s.Indifferent)
	}
	want := []struct{ net, ways string }{
		{"-2", "91126832"},
		{"-1", "132923304"},
		{"0", "249216"},
		{"1", "80955780"},
		{"2", "91100696"},
		{"3", "8976452"},
		{"5", "289104"},
		{"6", "931972"},
		{"7", "617044"},
	}
	if len(a.Distribution) != len(want) {
		t.Fatalf("%d results, want %d", len(a.Distribution), len(want))
	}
	for i, out := range a.Distribution {
		if out.Net.Plain() != want[i].net || out.Ways.String() != want[i].ways {
			t.Errorf("net %s in %s ways, want %s in %s", out.Net.Plain(), out.Ways, want[i].net, want[i].ways)
		}
	}
}

// The form of the report is agreed with whoever reads it: keys, strings, lowest
// terms and ten decimals.
func TestReportAsJSON(t *testing.T) {
	text, err := json.Marshal(sheet(t, variant(t, "rws-3cp", nil), odds.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Book   string
		Wagers map[string]struct {
			HouseEdge struct{ Num, Den, Decimal string } `json:"house_edge"`
			StdDev    string                             `json:"std_dev"`
			Total     string
			Strategy  *struct {
				Rule  string
				Exact bool
			}
			Distribution []struct{ Net, Ways string }
			Rows         []struct{ Wager, Result, Combo, Ways string }
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	ante := report.Wagers["ante-play"]
	if e := ante.HouseEdge; e.Num != "686689" || e.Den != "20358520" || e.Decimal != "0.0337298094" {
		t.Errorf("house edge %+v", e)
	}
	if ante.StdDev != "1.6392527541" || ante.Total != "407170400" || ante.Strategy.Rule != "Q-6-4 or better" || !ante.Strategy.Exact {
		t.Errorf("ante-play %+v", ante)
	}
	if d := ante.Distribution[0]; d.Net != "-2" || d.Ways != "91126832" {
		t.Errorf("first result %+v", d)
	}
	for _, key := range []string{"pair-plus", "progressive"} {
		if w, ok := report.Wagers[key]; !ok || w.Strategy != nil || w.Total != "22100" {
			t.Errorf("%s: %+v", key, w)
		}
	}
	if report.Book != "rws-3cp@3" {
		t.Errorf("book %s", report.Book)
	}
	var f odds.Fraction
	if err := json.Unmarshal([]byte(`{"num":"1","den":"4"}`), &f); err != nil || f.Plain() != "0.25" {
		t.Errorf("a fraction reads back as %s, %v", f.Plain(), err)
	}
}

// What an Envy Bonus is worth for each other box, and that it is proportional
// to their number when every bringing hand pays.
func TestEnvyOfRWS(t *testing.T) {
	tests := []struct {
		name   string
		change func(*rules.Variant)
		want   string
	}{
		{"lost with a fold", nil, "0.0111"},
		{"kept after a fold", rule(rules.EnvyWhenFolded, rules.Kept), "0.0181"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := variant(t, "rws-3cp", test.change)
			var one odds.Fraction
			for others := 1; others < rules.MaxBoxes; others++ {
				s := sheet(t, v, odds.Options{Bets: []odds.Bet{odds.Progressive}, Others: others})
				each := odds.FractionOf(new(big.Rat).Quo(s.Wagers[odds.Progressive].Jackpot.Envy.Rat(), big.NewRat(int64(others), 1)))
				if others == 1 {
					one = each
				}
				if got := each.Decimal(4); got != test.want || !each.Equal(one) {
					t.Fatalf("%d others: %s each", others, got)
				}
			}
		})
	}
	t.Run("kept is 400 dollars in 22,100 hands", func(t *testing.T) {
		v := variant(t, "rws-3cp", rule(rules.EnvyWhenFolded, rules.Kept))
		got := sheet(t, v, odds.Options{Others: 1}).Wagers[odds.Progressive].Jackpot.Envy
		if want := odds.FractionOf(big.NewRat(400, 22_100)); !got.Equal(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("own boxes bring nothing", func(t *testing.T) {
		got := sheet(t, variant(t, "rws-3cp", nil), odds.Options{Others: 2, OwnBoxes: 2}).Wagers[odds.Progressive].Jackpot.Envy
		if got.Sign() != 0 {
			t.Errorf("got %s", got)
		}
	})
	t.Run("own boxes bring as others do by ruling", func(t *testing.T) {
		v := variant(t, "rws-3cp", rule(rules.EnvyOwnBoxes, rules.Yes))
		envy := sheet(t, v, odds.Options{Others: 2, OwnBoxes: 2}).Wagers[odds.Progressive].Jackpot.Envy
		if envy.Decimal(4) != "0.0223" {
			t.Errorf("got %s", envy.Decimal(4))
		}
	})
}

func TestProgressiveOfRWS(t *testing.T) {
	v := variant(t, "rws-3cp", nil)
	j := sheet(t, v, odds.Options{}).Wagers[odds.Progressive].Jackpot
	if got := j.Fixed.Decimal(4); got != "1.3597" {
		t.Errorf("fixed pays return %s", got)
	}
	// 22,100 times what is missing of $5: 110,500 - 30,050.
	if got := j.BreakEven.Plain(); got != "80450" {
		t.Errorf("break-even at %s", got)
	}
	if got := j.Expect(8_045_000); got.Sign() != 0 {
		t.Errorf("at the break-even meter a bet is worth %s", got)
	}
	if got := j.BetsBetweenHits.Plain(); got != "22100" {
		t.Errorf("%s bets between hits", got)
	}
	if got := j.RoundsBetweenHits(4).Plain(); got != "5525" {
		t.Errorf("%s rounds of four bets between hits", got)
	}
	// Without a ceiling it is 10,000 + 22,100 * 2; the ceiling takes a hundred
	// thousandth of a dollar from it.
	if j.MeterAtHit != "54199.9999917245" {
		t.Errorf("meter at a hit %s", j.MeterAtHit)
	}
	// ln 2 * 22,100 is 15,318.5, less about a third of a bet.
	if bets, meter, err := j.Quantile(odds.FractionOf(big.NewRat(1, 2))); err != nil || bets != 15_319 || meter.Plain() != "40638" {
		t.Errorf("median %d bets, meter %s, %v", bets, meter.Plain(), err)
	}
	if one, none := j.HitWithin(1), j.HitWithin(0); one.Decimal(20) != odds.FractionOf(big.NewRat(1, 22_100)).Decimal(20) || none.Sign() != 0 {
		t.Errorf("hit within one bet %s, within none %s", one.Decimal(20), none)
	}
	half := odds.FractionOf(big.NewRat(1, 2))
	if before, at := j.HitWithin(15_318), j.HitWithin(15_319); before.Cmp(half) >= 0 || at.Cmp(half) < 0 {
		t.Errorf("around the median: %s, %s", before.Decimal(8), at.Decimal(8))
	}
	back := variant(t, "rws-3cp", rule(rules.JackpotStake, rules.Returned))
	j = sheet(t, back, odds.Options{}).Wagers[odds.Progressive].Jackpot
	if want := odds.FractionOf(big.NewRat(5*820, 22_100)); !j.Back.Equal(want) {
		t.Errorf("stake back %s, want %s", j.Back, want)
	}
}

// A table that pays nothing, or too much, has an answer or is refused.
func TestDegenerateTables(t *testing.T) {
	v := variant(t, "rws-3cp", pays(t, rules.PairPlus, 0, 0, 0, 0, 0))
	a := sheet(t, v, odds.Options{Bets: []odds.Bet{odds.PairPlus}}).Wagers[odds.PairPlus]
	if a.HouseEdge.Percent(4) != "74.3891" || a.HitFrequency.Sign() != 0 {
		t.Errorf("paying nothing on a win: edge %s, hits %s", a.HouseEdge.Percent(4), a.HitFrequency)
	}
	v = variant(t, "rws-3cp", func(v *rules.Variant) { v.Pays[rules.PairPlus] = &rules.PayTable{} })
	a = sheet(t, v, odds.Options{Bets: []odds.Bet{odds.PairPlus}}).Wagers[odds.PairPlus]
	if a.HouseEdge.Plain() != "1" || a.Variance.Sign() != 0 || a.Skewness != "" || a.StdDev != "0.0000000000" {
		t.Errorf("an empty table: edge %s, variance %s, skewness %q", a.HouseEdge, a.Variance, a.Skewness)
	}
	v = variant(t, "rws-3cp", pays(t, rules.PairPlus, rules.MaxPay, rules.MaxPay, 0, 0, 0))
	a = sheet(t, v, odds.Options{Bets: []odds.Bet{odds.PairPlus}}).Wagers[odds.PairPlus]
	if want := odds.FractionOf(big.NewRat(100*(rules.MaxPay+1)+5560-22_100, 22_100)); !a.Expectation.Equal(want) {
		t.Errorf("the largest pays: %s, want %s", a.Expectation, want)
	}
	refused := []struct {
		name   string
		change func(*rules.Variant)
		o      odds.Options
	}{
		{"a payment beyond counting", pays(t, rules.PairPlus, rules.MaxPay), odds.Options{Stake: 1_000_000 * money.Major}},
		{"odds for an enormous stake", func(v *rules.Variant) {
			v.Pays[rules.PairPlus] = &rules.PayTable{Rows: []rules.PayRow{{Combo: rules.Pair, Pay: rules.Pay{Odds: money.Odds{To: 1, For: 1<<62 + 1}}}}}
		}, odds.Options{}},
		{"a bet of another book", nil, odds.Options{Bets: []odds.Bet{odds.Tie}}},
		{"more boxes than cards", nil, odds.Options{Others: 16}},
		{"more own boxes than boxes", nil, odds.Options{Others: 1, OwnBoxes: 2}},
		{"a negative meter", nil, odds.Options{Meter: -1}},
		{"a negative bet", nil, odds.Options{Stake: -1}},
		{"an empty meter that a row pays", func(v *rules.Variant) { v.Jackpot.Reset = 0 }, odds.Options{}},
	}
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			if s, err := odds.Analyse(variant(t, "rws-3cp", test.change), test.o); err == nil {
				t.Errorf("got %+v", s)
			}
		})
	}
	if _, err := odds.Analyse(variant(t, "us-3cp", nil), odds.Options{Stake: 11 * money.Major}); err == nil {
		t.Error("a bet above the book's limit has a sheet")
	}
	if _, err := odds.Analyse(variant(t, "mbs-3pictures", nil), odds.Options{Rule: odds.Always()}); err == nil {
		t.Error("a strategy for a game without a decision has a sheet")
	}
}
