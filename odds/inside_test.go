package odds

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// What a class promises: its hands are alike in strength and combinations, and
// they are all the hands, 1,755 kinds up to suits but for the spades.
func TestClassesOfHands(t *testing.T) {
	for _, b := range books.All() {
		tables := tablesFor(b)
		ways := make([]int64, len(tables.classes))
		for h := range card.Hands() {
			i := tables.classOf[indexOf(h)]
			ways[i]++
			k := &tables.classes[i]
			if b.Ranking.Strength(h) != k.strength || b.Ranking.Combos(h) != tables.combos[k.key] {
				t.Fatalf("%s: %s is not like %s of its class", b.ID, h, k.hand)
			}
		}
		for i, n := range ways {
			k := &tables.classes[i]
			if k.ways != n {
				t.Errorf("%s: class of %s has %d hands, says %d", b.ID, k.hand, n, k.ways)
			}
			sum := int32(0)
			for _, n := range k.dealer {
				sum += n
			}
			if sum != DealersHands {
				t.Errorf("%s: class of %s meets %d hands", b.ID, k.hand, sum)
			}
		}
		want := 1756
		if b.Ranking == rules.PictureOrder {
			want = 455
		}
		if len(tables.classes) != want {
			t.Errorf("%s: %d classes, want %d", b.ID, len(tables.classes), want)
		}
	}
}

// The settlement of a kind of deal stands for all deals of the kind: the variant
// is asked for one hand of each class against one of each strength, with all
// bets made.
func TestSettlementByKindIsSettlement(t *testing.T) {
	for _, b := range books.All() {
		v := unlimited(b.Standard())
		tables := tablesFor(b)
		var stakes rules.Stakes
		for _, bet := range Bets(v) {
			stakes[bet.Wager()] = 5 * money.Major
		}
		p, err := settleAll(v, tables, stakes, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		counts := tables.count()
		s := rules.Showdown{Stakes: stakes, Meter: 1_000_000}
		if b.Decision != nil {
			s.Stakes[b.Decision.Raise] = s.Stakes[b.Decision.On]
		}
		var lines []rules.Line
		for i := 0; i < len(tables.classes); i += bruteStep * steady.Tries(3, 1) {
			k := &tables.classes[i]
			held := card.NewSet(k.hand[:]...)
			for strength := 1; strength <= tables.top; strength++ {
				for _, index := range counts.sorted[counts.all[strength]:counts.all[strength+1]] {
					dealer := tables.handAt(int(index))
					if card.NewSet(dealer[:]...).Intersect(held) != 0 {
						continue
					}
					s.Player, s.Dealer = k.hand, dealer
					if lines, err = v.Settle(lines[:0], &s); err != nil {
						t.Fatal(err)
					}
					net := int64(0)
					for i := range lines {
						net += int64(lines[i].Net())
					}
					r := tables.relate(k.strength, strength)
					if want := p.played[k.key*tables.relations+r].net; net != want {
						t.Fatalf("%s: %s against %s nets %d, its kind %d", b.ID, k.hand, dealer, net, want)
					}
					break
				}
			}
		}
	}
}

// Envy with one and two other boxes, by looking at every set of hands that
// brings something and letting the variant settle each.
func TestEnvyByEnumeration(t *testing.T) {
	if testing.Short() || bruteStep > 1 {
		t.Skip("fifty million sets of hands")
	}
	tests := []struct {
		name, book string
		bet        Bet
		change     func(*rules.Variant)
		most       int
	}{
		{"rws, lost with a fold", "rws-3cp", Progressive, func(*rules.Variant) {}, 2},
		{"rws, kept", "rws-3cp", Progressive, func(v *rules.Variant) { v.Choices[rules.EnvyWhenFolded] = rules.Kept }, 2},
		{"rws, one a round", "rws-3cp", Progressive, func(v *rules.Variant) { v.Choices[rules.EnvyPer] = rules.PerRound }, 2},
		{"sm, kept", "sm-3cp", Bonus, func(*rules.Variant) {}, 1},
		{"sm, lost", "sm-3cp", Bonus, func(v *rules.Variant) { v.Choices[rules.BonusAfterFold] = rules.Lost }, 2},
	}
	for i, test := range tests {
		if !steady.Turn(i, 3) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			b, err := books.Find(test.book)
			if err != nil {
				t.Fatal(err)
			}
			v := b.Standard()
			test.change(v)
			for others := 1; others <= test.most; others++ {
				sheet, err := Analyse(v, Options{Others: others})
				if err != nil {
					t.Fatal(err)
				}
				compareEnvy(t, v, sheet, test.bet, others)
			}
		})
	}
}

func compareEnvy(t *testing.T, v *rules.Variant, sheet *Sheet, bet Bet, others int) {
	t.Helper()
	tables := tablesFor(v.Book)
	type bringing struct {
		set    card.Set
		combos rules.ComboSet
	}
	var brings []bringing
	for h := range card.Hands() {
		if combos := v.Book.Ranking.Combos(h); v.BringsEnvy(combos) {
			brings = append(brings, bringing{card.NewSet(h[:]...), combos})
		}
	}
	a := sheet.Wagers[bet]
	var stakes, all rules.Stakes
	stakes[bet.Wager()] = a.Stake
	for i := range all {
		all[i] = money.Major
	}
	type deal struct {
		key           int
		folded        bool
		first, second rules.ComboSet
	}
	const rest = 46 * 45 * 44 / 6
	strategy := sheet.Wagers[AntePlay].Strategy
	deals := map[deal]int64{}
	for h := range card.Hands() {
		held := card.NewSet(h[:]...)
		d := deal{key: tables.classes[tables.classOf[indexOf(h)]].key, folded: !strategy.Plays(h)}
		none := int64(DealersHands)
		if others == 2 {
			none *= rest
		}
		for _, one := range brings {
			if one.set.Intersect(held) != 0 {
				continue
			}
			if others == 1 {
				none--
				deals[deal{d.key, d.folded, one.combos, 0}]++
				continue
			}
			alone := int64(rest)
			for _, two := range brings {
				if two.set.Intersect(held.Union(one.set)) == 0 {
					alone--
					none--
					deals[deal{d.key, d.folded, one.combos, two.combos}]++
				}
			}
			none -= 2 * alone // it may lie on either box
			deals[deal{d.key, d.folded, one.combos, 0}] += 2 * alone
		}
		deals[d] += none
	}
	nets := map[string]int64{}
	for d, ways := range deals {
		s := rules.Showdown{Stakes: stakes, Folded: d.folded, Meter: sheet.Meter}
		s.Player, s.Dealer = tables.anyDeal(d.key).player, tables.anyDeal(d.key).dealer
		for _, combos := range []rules.ComboSet{d.first, d.second} {
			if combos != 0 {
				s.Others = append(s.Others, rules.Other{Is: combos, Stakes: &all})
			}
		}
		lines, err := v.Settle(nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		net := money.Amount(0)
		for i := range lines {
			net += lines[i].Net()
		}
		unit := a.Stake
		if a.Unit == Currency {
			unit = money.Major
		}
		nets[frac(int64(net), int64(unit)).Plain()] += ways
	}
	seen := 0
	contributions := Fraction{}
	for _, out := range a.Distribution {
		seen++
		if nets[out.Net.Plain()] != out.Ways.Int64() {
			t.Errorf("%d others: net %s in %s ways, enumerated %d", others, out.Net.Plain(), out.Ways, nets[out.Net.Plain()])
		}
	}
	if seen != len(nets) {
		t.Errorf("%d others: %d results, enumerated %d", others, seen, len(nets))
	}
	for _, r := range a.Rows {
		contributions = contributions.add(r.Contribution)
	}
	if !contributions.Equal(a.Expectation) {
		t.Errorf("%d others: the rows contribute %s, the expectation is %s", others, contributions, a.Expectation)
	}
}

// For any pay table, a bet on the hand alone is what settling all 22,100 hands
// one after the other says, and the deals of every bet add up.
func TestAnyPayTable(t *testing.T) {
	type subject struct {
		book string
		bet  Bet
	}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]subject{{"rws-3cp", PairPlus}, {"sm-3cp", Bonus}, {"mbs-3pictures", RoyalPictures}, {"mbs-3pictures", Main}, {"rws-3cp", AntePlay}}).Draw(t, "bet")
		b, err := books.Find(of.book)
		if err != nil {
			t.Fatal(err)
		}
		v := b.Standard()
		wager := of.bet.Wager()
		if of.bet == AntePlay {
			wager = rules.AnteBonus
		}
		rows := slicesOf(t, len(v.Pays[wager].Rows))
		table := *v.Pays[wager]
		table.Rows = append([]rules.PayRow(nil), table.Rows...)
		for i, pay := range rows {
			table.Rows[i].Pay = rules.Pay{Odds: pay}
		}
		v.Pays[wager] = &table
		sheet, err := Analyse(v, Options{Bets: []Bet{of.bet}})
		if err != nil {
			t.Fatal(err)
		}
		a := sheet.Wagers[of.bet]
		total, mean := new(big.Int), Fraction{}
		for _, out := range a.Distribution {
			total.Add(total, out.Ways)
			mean = mean.add(out.Net.mul(fracInt(out.Ways, a.Total)))
		}
		contributions := Fraction{}
		for _, r := range a.Rows {
			contributions = contributions.add(r.Contribution)
		}
		if total.Cmp(a.Total) != 0 || !mean.Equal(a.Expectation) || !contributions.Equal(mean) {
			t.Fatalf("%s ways of %s; mean %s, rows %s, expectation %s", total, a.Total, mean, contributions, a.Expectation)
		}
		if one := a.NetWin.add(a.Push).add(a.NetLoss); one.Plain() != "1" {
			t.Fatalf("win, push and loss are %s", one)
		}
		if b.Rule(wager).Contest != rules.OnHand {
			return
		}
		var stakes rules.Stakes
		stakes[wager] = a.Stake
		free := unlimited(v)
		nets := map[string]int64{}
		var lines []rules.Line
		for h := range card.Hands() {
			if lines, err = free.Settle(lines[:0], &rules.Showdown{Player: h, Dealer: h, Stakes: stakes}); err != nil {
				t.Fatal(err)
			}
			nets[ratio(lines[0].Net(), a.Stake).Plain()]++
		}
		for _, out := range a.Distribution {
			if nets[out.Net.Plain()] != out.Ways.Int64() {
				t.Fatalf("net %s in %s ways, settled one by one %d", out.Net.Plain(), out.Ways, nets[out.Net.Plain()])
			}
		}
	})
}

func ratio(a, b money.Amount) Fraction { return frac(int64(a), int64(b)) }

func slicesOf(t *rapid.T, n int) []money.Odds {
	pays := make([]money.Odds, n)
	for i := range pays {
		pays[i] = money.Odds{To: rapid.Int64Range(0, 5000).Draw(t, "to"), For: rapid.Int64Range(1, 3).Draw(t, "for")}
	}
	return pays
}

// Two boxes against one dealer's hand, hand by hand: all 18,424 times 15,180
// pairs of disjoint hands.
func TestTwoBoxesByEnumeration(t *testing.T) {
	if testing.Short() || bruteStep > 1 {
		t.Skip("280 million pairs of hands")
	}
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard()
	tables := tablesFor(b)
	box, err := boxOf(v, map[Bet]money.Amount{AntePlay: 100, PairPlus: 100})
	if err != nil {
		t.Fatal(err)
	}
	p, s, err := box.open(v, tables, Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := newResponse(p, func(class int) bool { return s.play[class] })
	unseen := newResponse(p, func(int) bool { return true })
	dealer, _ := card.ParseHand("Qs 9s 4d")
	gone := card.NewSet(dealer[:]...)
	type hand struct {
		set          card.Set
		seen, unseen int64
	}
	var hands []hand
	for h := range card.Deck().Minus(gone).Hands() {
		i := indexOf(h)
		at := int(tables.classOf[i])*tables.relations + tables.relate(int(tables.strength[i]), int(tables.strength[indexOf(dealer)]))
		hands = append(hands, hand{card.NewSet(h[:]...), seen.net[at], unseen.net[at]})
	}
	var same, mixed int64
	for i := range hands {
		x := &hands[i]
		for j := range hands {
			if y := &hands[j]; x.set&y.set == 0 {
				same += x.seen * y.seen
				mixed += x.seen * y.unseen
			}
		}
	}
	const pairs = 18_424 * 15_180
	one := []dealerKind{{dealer, Hands}} // as if the player always had this hand
	products := tables.products(one, seen, unseen)
	if got, want := products[0][0], frac(same, pairs); !got.Equal(want) {
		t.Errorf("two examined boxes: %s, enumerated %s", got, want)
	}
	if got, want := products[0][1], frac(mixed, pairs); !got.Equal(want) {
		t.Errorf("one of each: %s, enumerated %s", got, want)
	}
}

// What knowledge is worth rests on sums over the dealer's hands with certain
// cards; here they are compared with hands dealt from what is left.
func TestGainsFromKnownCards(t *testing.T) {
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard()
	tables := tablesFor(b)
	var stakes rules.Stakes
	stakes[rules.Ante] = 100
	p, err := settleAll(v, tables, stakes, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Qh 6d 4c", "As Ad 2h", "Kh 7h 3d", "5c 3d 2h"} {
		h, _ := card.ParseHand(text)
		k := &tables.classes[tables.classOf[indexOf(h)]]
		byRelation := make([]int64, tables.relations)
		for r := range byRelation {
			byRelation[r] = p.played[k.key*tables.relations+r].net - p.folded[k.key].net
		}
		var g gains
		g.fill(tables, k, byRelation)
		at := func(i int) card.Card { return card.FromIndex(int(g.deck[i])) }
		check := func(what string, sum int64, seen Seen) {
			t.Helper()
			a, err := Advise(v, k.hand, seen)
			if err != nil {
				t.Fatal(err)
			}
			want := a.Played.sub(a.Folded).times(a.DealersHands * 100)
			if !want.Equal(frac(sum, 1)) {
				t.Errorf("%s, %s: %d, dealt %s", k.hand, what, sum, want)
			}
		}
		check("nothing known", g.all, Seen{})
		check("one card", g.one[20], Seen{Dealer: []card.Card{at(20)}})
		check("two cards", g.two[20][7], Seen{Dealer: []card.Card{at(20), at(7)}})
		n := 20*19*18/6 + 7*6/2 + 3
		check("three cards", g.three[n], Seen{Dealer: []card.Card{at(20), at(7), at(3)}})
		gone := g.all - g.one[20] - g.one[7] - g.one[3] + g.two[20][7] + g.two[20][3] + g.two[7][3] - g.three[n]
		check("another hand", gone, Seen{Others: []card.Card{at(20), at(7), at(3)}})
	}
}

// Sums of products beyond 64 bits, of either sign.
func TestInt128(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s int128
		want := new(big.Int)
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			x, y := rapid.Int64().Draw(t, "x")>>3, rapid.Int64().Draw(t, "y")>>3
			s.addProduct(x, y)
			want.Add(want, new(big.Int).Mul(big.NewInt(x), big.NewInt(y)))
		}
		if s.big().Cmp(want) != 0 {
			t.Fatalf("got %s, want %s", s.big(), want)
		}
	})
}
