package odds

import (
	"testing"

	"trey/card"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

func mustVariant(t testing.TB, book string) *rules.Variant {
	t.Helper()
	b, err := books.Find(book)
	if err != nil {
		t.Fatal(err)
	}
	return b.Standard()
}

func mustAnalyse(t testing.TB, book string, b Bet) *Analysis {
	t.Helper()
	s, err := Analyse(mustVariant(t, book), Options{Bets: []Bet{b}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Wagers[b]
}

// The threshold of the strategy, from below, at and above.
func TestAdviceAtTheThreshold(t *testing.T) {
	v := mustVariant(t, "rws-3cp")
	tests := []struct {
		hand string
		play bool
	}{
		{"Qh 6d 3c", false}, {"Qh 6d 4c", true}, {"Qh 6d 5c", true}, {"Jh 10d 8c", false}, {"2h 2d 3c", true},
	}
	for _, test := range tests {
		h, err := card.ParseHand(test.hand)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Advise(v, h, Seen{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Play != test.play || a.Unqualified+a.Lower+a.Equal+a.Higher != DealersHands {
			t.Errorf("%s: play %t, %+v", test.hand, a.Play, a)
		}
	}
	h, _ := card.ParseHand("Qh 6d 4c")
	king, _ := card.ParseList("Kd")
	if a, err := Advise(v, h, Seen{Dealer: king}); err != nil || a.Play || a.Mistake.Plain() != "1" {
		t.Errorf("against a king: %+v, %v", a, err)
	}
	royal, _ := card.ParseHand("Kh Qd Jc")
	if a, err := Advise(mustVariant(t, "mbs-3pictures"), royal, Seen{}); err != nil || a.Decision || a.Higher != 0 {
		t.Errorf("three pictures: %+v, %v", a, err)
	}
	four, _ := card.ParseList("2c 3c 4d 5c")
	for name, seen := range map[string]Seen{
		"a card of the hand": {Dealer: h[:1]}, "four cards": {Dealer: four},
		"a card twice": {Dealer: four[:1], Others: four[:1]}, "a hidden card": {Others: []card.Card{card.None}},
	} {
		if _, err := Advise(v, h, seen); err == nil {
			t.Errorf("%s: advice", name)
		}
	}
	if _, err := Advise(v, card.Hand{}, Seen{}); err == nil {
		t.Error("advice for no hand")
	}
}

// Published for one exposed card: any hand is played against a jack or lower,
// and Q-9-2, K-9-2 or A-9-2 against those; the player then has 3.48 %.
func TestKnowledge(t *testing.T) {
	v := mustVariant(t, "rws-3cp")
	k, err := Know(v, Options{})
	if err != nil {
		t.Fatal(err)
	}
	basic := mustAnalyse(t, "rws-3cp", AntePlay)
	if !k.Dealer[0].HouseEdge.Equal(basic.HouseEdge) || k.Dealer[0].Gain.Sign() != 0 {
		t.Errorf("with nothing known: %s", k.Dealer[0].HouseEdge)
	}
	for known, want := range []string{"3.3730", "-3.4829", "-17.2032", "-37.8773"} {
		if got := k.Dealer[known].HouseEdge.Percent(4); got != want {
			t.Errorf("%d cards known: house edge %s, want %s", known, got, want)
		}
	}
	want := map[string]string{"Q": "Q-9-2 or better", "K": "K-9-2 or better", "A": "A-9-2 or better"}
	mean := Fraction{}
	for i, s := range k.Shown {
		rule := want[s.Rank]
		if rule == "" {
			rule = Always().String()
		}
		if s.Rule != rule || !s.Exact {
			t.Errorf("against %s: %s, exact %t", s.Rank, s.Rule, s.Exact)
		}
		mean = mean.add(k.Shown[i].Worth.HouseEdge.over(ranks))
	}
	if !mean.Equal(k.Dealer[1].HouseEdge) {
		t.Errorf("over all ranks the edge is %s, with one card known %s", mean, k.Dealer[1].HouseEdge)
	}
	if got := k.OtherHand.Gain.Percent(4); got != "0.0616" {
		t.Errorf("another hand is worth %s", got)
	}
	if _, err := Know(mustVariant(t, "mbs-3pictures"), Options{}); err == nil {
		t.Error("knowledge where nothing is decided")
	}

	// The estimate for one hand holds the exact value.
	state := uint64(1)
	next := func() uint64 {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return state * 0x2545F4914F6CDD1D
	}
	e, err := EstimateSeen(v, 1, 4000, next)
	if err != nil {
		t.Fatal(err)
	}
	if exact := k.OtherHand.Gain.Float64(); e.Gain-2*e.Margin > exact || e.Gain+2*e.Margin < exact {
		t.Errorf("estimate %v, exact %v", e, exact)
	}
}

func TestTogether(t *testing.T) {
	v := mustVariant(t, "rws-3cp")
	stakes := map[Bet]money.Amount{AntePlay: 1000, PairPlus: 500, Progressive: 500}
	j, err := Together(v, stakes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Each bet alone is what its sheet says, for its stake.
	for i, b := range j.Bets {
		a := mustAnalyse(t, "rws-3cp", b)
		scale := frac(1, 1)
		if a.Unit == Stakes {
			scale = j.Stakes[i]
		}
		if !j.Expectation[i].Equal(a.Expectation.mul(scale)) || !j.Covariance[i][i].Equal(a.Variance.mul(scale).mul(scale)) {
			t.Errorf("%s: expectation %s, variance %s", b, j.Expectation[i], j.Covariance[i][i])
		}
	}
	variance, mean := Fraction{}, Fraction{}
	for i := range j.Bets {
		mean = mean.add(j.Expectation[i])
		for k := range j.Bets {
			variance = variance.add(j.Covariance[i][k])
			if j.Covariance[i][k].Cmp(j.Covariance[k][i]) != 0 {
				t.Error("the covariances are not symmetric")
			}
		}
	}
	if !j.Sum.Variance.Equal(variance) || !j.Sum.Expectation.Equal(mean) {
		t.Errorf("sum: %s and %s, of the parts %s and %s", j.Sum.Expectation, j.Sum.Variance, mean, variance)
	}

	// Ante and Play with Pair Plus, by hand: 5-4-1 and 40-30-5-4-1, counted
	// from the dealer's hands that each class meets.
	var cross int64
	tables := tablesFor(v.Book)
	for i := range tables.classes {
		k := &tables.classes[i]
		combos := tables.combos[k.key]
		plus, bonus := int64(-1), int64(0)
		switch {
		case combos.Has(rules.StraightFlush):
			plus, bonus = 40, 5
		case combos.Has(rules.ThreeOfAKind):
			plus, bonus = 30, 4
		case combos.Has(rules.Straight):
			plus, bonus = 5, 1
		case combos.Has(rules.Flush):
			plus = 4
		case combos.Has(rules.Pair):
			plus = 1
		}
		net := int64(k.dealer[unqualified])*(1+bonus) + int64(k.dealer[lower])*(2+bonus) + int64(k.dealer[equal])*bonus + int64(k.dealer[higher])*(bonus-2)
		if net < -DealersHands {
			net = -DealersHands
		}
		cross += k.ways * net * plus
	}
	ante, plus := mustAnalyse(t, "rws-3cp", AntePlay), mustAnalyse(t, "rws-3cp", PairPlus)
	want := frac(cross, Deals).sub(ante.Expectation.mul(plus.Expectation)).times(10 * 5)
	if !j.Covariance[0][1].Equal(want) {
		t.Errorf("covariance of Ante and Play with Pair Plus %s, by hand %s", j.Covariance[0][1], want)
	}

	for name, stakes := range map[string]map[Bet]money.Amount{
		"nothing": {}, "a bet of another book": {Tie: 100}, "a progressive without an Ante": {PairPlus: 100, Progressive: 500},
		"a progressive of another size": {AntePlay: 100, Progressive: 100}, "a negative stake": {AntePlay: -1},
	} {
		if _, err := Together(v, stakes, Options{}); err == nil {
			t.Errorf("%s: joint results", name)
		}
	}
	if _, err := Together(v, stakes, Options{Others: 1}); err == nil {
		t.Error("joint results with other boxes")
	}
	// Pair Plus alone has no decision.
	if j, err := Together(v, map[Bet]money.Amount{PairPlus: 100}, Options{}); err != nil || j.Sum.Strategy != nil || j.Sum.HouseEdge.String() != plus.HouseEdge.String() {
		t.Errorf("Pair Plus alone: %v", err)
	}
}

func TestAgainstOneDealer(t *testing.T) {
	if !Whole {
		t.Skip("one goroutine: nothing for the race detector, at ten times the cost")
	}
	v := mustVariant(t, "rws-3cp")
	b, err := AgainstOneDealer(v, map[Bet]money.Amount{AntePlay: 100}, Options{}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	a := mustAnalyse(t, "rws-3cp", AntePlay)
	if !b.Examined.Variance.Equal(a.Variance) || !b.Examined.Expectation.Equal(a.Expectation) {
		t.Errorf("one box: %s, %s", b.Examined.Expectation, b.Examined.Variance)
	}
	if b.Correlation != "0.1930779179" {
		t.Errorf("correlation %s", b.Correlation)
	}
	want := b.Examined.Variance.times(2).add(b.Unseen.Variance).add(b.Covariance.times(2)).add(b.Mixed.times(4))
	if !b.Sum.Variance.Equal(want) {
		t.Errorf("variance of three boxes %s, want %s", b.Sum.Variance, want)
	}
	royal, err := AgainstOneDealer(mustVariant(t, "mbs-3pictures"), map[Bet]money.Amount{Main: 200}, Options{}, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	if royal.Correlation != "0.3391382812" {
		t.Errorf("correlation at Royal Three Pictures %s", royal.Correlation)
	}
	// Spades matter to the progressive, so its dealer's hands are told apart
	// by them; its two boxes do not see the dealer at all.
	if !steady.Whole() {
		return
	}
	both, err := AgainstOneDealer(v, map[Bet]money.Amount{AntePlay: 100, Progressive: 500}, Options{}, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	joint, err := Together(v, map[Bet]money.Amount{AntePlay: 100, Progressive: 500}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !both.Examined.Variance.Equal(joint.Sum.Variance) {
		t.Errorf("one box with both bets: %s, %s", both.Examined.Variance, joint.Sum.Variance)
	}
}

// The search finds exactly the tables that an analysis of each finds.
func TestDesigns(t *testing.T) {
	v := mustVariant(t, "sm-3cp")
	target := Target{
		Wager:   rules.PairPlus,
		Rows:    []Range{{35, 45, 5}, {25, 30, 5}, {5, 6, 1}, {3, 4, 1}, {1, 1, 0}},
		MinEdge: frac(2, 100), MaxEdge: frac(6, 100),
	}
	found, err := Designs(v, target)
	if err != nil {
		t.Fatal(err)
	}
	want := map[[5]int64]string{}
	for _, flush := range []int64{35, 40, 45} {
		for _, three := range []int64{25, 30} {
			for _, straight := range []int64{5, 6} {
				for _, same := range []int64{3, 4} {
					c := v.Clone()
					if err := c.OverridePays(rules.PairPlus, []int64{flush, three, straight, same, 1}); err != nil {
						t.Fatal(err)
					}
					s, err := Analyse(c, Options{Bets: []Bet{PairPlus}})
					if err != nil {
						t.Fatal(err)
					}
					if e := s.Wagers[PairPlus].HouseEdge; e.Cmp(target.MinEdge) >= 0 && e.Cmp(target.MaxEdge) <= 0 {
						want[[5]int64{flush, three, straight, same, 1}] = e.String()
					}
				}
			}
		}
	}
	last := Fraction{}
	for i, d := range found {
		if want[[5]int64(d.Pays)] != d.HouseEdge.String() {
			t.Errorf("%v has the edge %s, want %q", d.Pays, d.HouseEdge, want[[5]int64(d.Pays)])
		}
		off := d.HouseEdge.sub(frac(4, 100))
		if off.Sign() < 0 {
			off = off.neg()
		}
		if i > 0 && off.Cmp(last) < 0 {
			t.Errorf("%v is out of order", d.Pays)
		}
		last = off
	}
	if len(found) != len(want) || len(found) == 0 {
		t.Errorf("%d tables, want %d", len(found), len(want))
	}

	// The Ante Bonus that makes 3.37 % of Ante and Play is the standard one.
	bonus, err := Designs(mustVariant(t, "rws-3cp"), Target{
		Wager: rules.AnteBonus, Rows: []Range{{5, 5, 0}, {3, 5, 1}, {1, 1, 0}},
		MinEdge: frac(337, 10_000), MaxEdge: frac(338, 10_000),
	})
	if err != nil || len(bonus) != 1 || bonus[0].Pays[1] != 4 {
		t.Errorf("Ante Bonus: %+v, %v", bonus, err)
	}
	for name, bad := range map[string]Target{
		"no such table":   {Wager: rules.Tie, Rows: []Range{{1, 1, 1}}},
		"too many rows":   {Wager: rules.AnteBonus, Rows: make([]Range, 9)},
		"a step backward": {Wager: rules.AnteBonus, Rows: []Range{{5, 1, 1}}},
		"edges crossed":   {Wager: rules.AnteBonus, Rows: []Range{{1, 5, 1}}, MinEdge: frac(1, 2)},
		"too much": {Wager: rules.PairPlus, AnyOrder: true, MinEdge: frac(-1000, 1), MaxEdge: frac(1, 1), Rows: []Range{
			{0, 5000, 1}, {0, 5000, 1}, {0, 5000, 1},
		}},
	} {
		if _, err := Designs(mustVariant(t, "rws-3cp"), bad); err == nil {
			t.Errorf("%s: designs", name)
		}
	}
}

func TestRulesOfPlay(t *testing.T) {
	for text, want := range map[string]string{
		"optimal": "optimal", "always": "always play", "never": "always fold",
		"Q-6-4": "Q-6-4 or better", "Q-6-4 or better": "Q-6-4 or better", "Q-high": "Q-3-2 or better", "pair": "pair or better",
	} {
		r, err := ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("%q is %q, %v", text, r, err)
		}
	}
	if _, err := ParseRule("sometimes"); err == nil {
		t.Error("sometimes is a rule")
	}
	// Under a rule the sheet is of that rule.
	s, err := Analyse(mustVariant(t, "rws-3cp"), Options{Rule: Never()})
	if err != nil {
		t.Fatal(err)
	}
	a := s.Wagers[AntePlay]
	if a.HouseEdge.Plain() != "1" || a.Strategy.Rule != "always fold" || a.Strategy.Exact || a.Variance.Sign() != 0 {
		t.Errorf("never playing: %+v", a.Strategy)
	}
	choices := 0
	for c := range a.Strategy.Hands() {
		if c.Play {
			choices++
		}
	}
	if choices != 14_900 {
		t.Errorf("%d hands are worth playing", choices)
	}
}

func TestNamesOfBets(t *testing.T) {
	for b := AntePlay; b < numBets; b++ {
		if back, err := ParseBet(b.String()); err != nil || back != b || b.Name() == "" || b.Wager() == 0 {
			t.Errorf("%d: %s, %v", b, back, err)
		}
	}
	if _, err := ParseBet("insurance"); err == nil {
		t.Error("insurance is a bet")
	}
	if Bet(0).String() != "unknown" || numBets.Name() != "Unknown bet" || numBets.Wager() != 0 {
		t.Error("an invalid bet has a name")
	}
	v := mustVariant(t, "rws-3cp")
	v.Jackpot = nil
	if got := len(Bets(v)); got != 2 {
		t.Errorf("%d bets without a progressive", got)
	}
}

// The rule found is the best of all thresholds, also where the game is another:
// here Antes that pay less when they win.
func TestRuleIsTheBestThreshold(t *testing.T) {
	// At 2 to 5 some hands of one rank are worth playing and some are not, by
	// the suits they take from the dealer: no rule by rank is exact.
	for name, pays := range map[string]struct {
		odds  money.Odds
		exact bool
	}{
		"an Ante that pays nothing": {money.Odds{To: 0, For: 1}, true},
		"an Ante that pays 2 to 5":  {money.Odds{To: 2, For: 5}, false},
	} {
		v := mustVariant(t, "rws-3cp")
		v.Pays[rules.Ante] = &rules.PayTable{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.Pay{Odds: pays.odds}}}}
		best, err := Analyse(v, Options{Bets: []Bet{AntePlay}})
		if err != nil {
			t.Fatal(err)
		}
		least, rule := Fraction{}, ""
		for strength := 1; strength <= tablesFor(v.Book).top; strength++ {
			r := AtLeast(strength)
			s, err := Analyse(v, Options{Bets: []Bet{AntePlay}, Rule: r})
			if err != nil {
				t.Fatal(err)
			}
			if e := s.Wagers[AntePlay].HouseEdge; rule == "" || e.Cmp(least) < 0 {
				least, rule = e, s.Wagers[AntePlay].Strategy.Rule
			}
		}
		a := best.Wagers[AntePlay]
		if a.Strategy.Rule != rule || !a.HouseEdge.add(a.Strategy.Cost).Equal(least) {
			t.Errorf("%s: %s at %s, the best is %s at %s", name, a.Strategy.Rule, a.HouseEdge.add(a.Strategy.Cost), rule, least)
		}
		if a.Strategy.Exact != pays.exact || a.Strategy.Exact != (a.Strategy.Cost.Sign() == 0) {
			t.Errorf("%s: exact %t at a cost of %s", name, a.Strategy.Exact, a.Strategy.Cost)
		}
	}
}

// Six points pay one to two: on five dollars, in whole dollars, that is three
// for the player or two for the house (ruling six_pays_half_rounding).
func TestRoundedPays(t *testing.T) {
	for favour, want := range map[money.Favour]string{money.Player: "0.6", money.House: "0.4"} {
		v := mustVariant(t, "mbs-3pictures")
		v.Rounding = money.Rounding{Unit: money.Major, Favour: favour}
		s, err := Analyse(v, Options{Bets: []Bet{Main}, Stake: 5 * money.Major})
		if err != nil {
			t.Fatal(err)
		}
		d := s.Wagers[Main].Distribution
		if d[2].Net.Plain() != want || d[2].Ways.Int64() != 24_886_104 {
			t.Errorf("%s: %s in %s ways", favour, d[2].Net.Plain(), d[2].Ways)
		}
		even, err := Analyse(v, Options{Bets: []Bet{Main}})
		if err != nil {
			t.Fatal(err)
		}
		if got := even.Wagers[Main].HouseEdge.String(); got != "3110763/101792600" {
			t.Errorf("where it comes out even: %s", got)
		}
	}
}
