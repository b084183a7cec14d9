package sim

import (
	"math"
	"math/big"
	chacha "math/rand/v2"
	"slices"
	"testing"

	"trey/card"
	"trey/internal/steady"
	"trey/rank/threecard"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
)

// at returns the number of a hand in the tables of the kernel.
func at(t *testing.T, h card.Hand) uint64 {
	t.Helper()
	slices.Sort(h[:])
	n := uint64(0)
	for x := range card.Hands() {
		if x == h {
			return n
		}
		n++
	}
	t.Fatalf("no hand %s", h)
	return 0
}

// everyIndex lists all hands by their number.
func everyIndex() []card.Hand { return slices.Collect(card.Hands()) }

// planOf plans a run of the kernel.
func planOf(t *testing.T, v *rules.Variant, rounds int64) *planned {
	t.Helper()
	o := Options{Rounds: rounds}
	p, err := plan(v, &o, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every kind of deal is settled as the variant settles any deal of that kind:
// deals drawn at random are settled directly and through the tables.
func TestTablesAgreeWithSettle(t *testing.T) {
	const deals = 20_000
	hand := everyIndex()
	r := chacha.New(chacha.NewPCG(1, 2))
	for _, book := range books.All() {
		t.Run(book.ID, func(t *testing.T) {
			v := book.Standard()
			p := planOf(t, v, 1)
			d := newDeals(book, p.plays)
			looked := map[uint16]bool{}
			for range deals {
				i, j := r.Uint64N(hands), r.Uint64N(hands)
				player, dealer := hand[i], hand[j]
				cell, counts := d.compare(i, j, int64(d.qualify))
				if d.byRank {
					cell, counts = d.rank(i, j)
				}
				apart := card.NewSet(player[:]...).Intersect(card.NewSet(dealer[:]...)) == 0
				if (counts == 1) != apart {
					t.Fatalf("%s against %s counts %d", player, dealer, counts)
				}
				if !apart {
					continue
				}
				looked[cell] = true
				for k := range p.bets {
					got, err := p.settle(&p.bets[k], &d.deal[cell])
					if err != nil {
						t.Fatal(err)
					}
					want, err := p.settle(&p.bets[k], &deal{player, dealer, !p.plays(player)})
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s against %s: %+v, but directly %+v", player, dealer, got, want)
					}
				}
			}
			if len(looked) < 15 {
				t.Errorf("only %d kinds of deals were met", len(looked))
			}
		})
	}
}

// The branchless comparison is the plain one, at its edges too.
func TestCompareAtTheEdges(t *testing.T) {
	d := newDeals(rws3cp.Book(), everyHand)
	for _, tt := range []struct {
		player, dealer string
		want           uint16
	}{
		{"As Ks Qs", "Js 9c 2d", 0},
		{"2s 3s 5h", "Js 9c 2d", 0},
		{"Qs 3h 2s", "Qd 3c 2d", 1},
		{"Qs 4h 2s", "Qd 3c 2d", 2},
		{"Qs 3h 2s", "Qd 4c 2d", 3},
		{"As Ks Qs", "Ad Kd Qd", 1},
		{"As Ks Qs", "Kd Qd Jd", 2},
		{"Ks Qs Js", "Ad Kd Qd", 3},
		{"2s 2h 3c", "2d 2c 3d", 1},
	} {
		p, err := card.ParseHand(tt.player)
		if err != nil {
			t.Fatal(err)
		}
		q, err := card.ParseHand(tt.dealer)
		if err != nil {
			t.Fatal(err)
		}
		cell, counts := d.compare(at(t, p), at(t, q), int64(d.qualify))
		if got := cell % compared; got != tt.want || counts != 1 {
			t.Errorf("%s against %s: relation %d, counts %d; want %d", p, q, got, counts, tt.want)
		}
		if got := d.relate(int(threecard.Of(p)), int(threecard.Of(q))); got != int(tt.want) {
			t.Errorf("%s against %s: relate %d, want %d", p, q, got, tt.want)
		}
	}
}

// Of all 2^64 draws every four hands get the same number: those at the ends of
// a run of draws that lead to the same hands are found and counted, by integers
// of any size.
func TestDrawIsUnbiased(t *testing.T) {
	f, range64 := big.NewInt(fourHands), new(big.Int).Lsh(big.NewInt(1), 64)
	each := new(big.Int).Quo(range64, f).Int64()
	if rest := new(big.Int).Mod(range64, f); rest.Cmp(big.NewInt(surplus)) != 0 {
		t.Fatalf("surplus is %d, want %s", int64(surplus), rest)
	}
	r := chacha.New(chacha.NewPCG(3, 4))
	for i := range int64(2_000) {
		// Number n below F, its run of draws, and how many of them count.
		n := big.NewInt(r.Int64N(fourHands))
		if i < 50 {
			n.SetInt64(i)
		} else if i < 100 {
			n.SetInt64(fourHands - 1 - (i - 50))
		}
		first := new(big.Int).Mul(n, range64)
		first.Add(first, new(big.Int).Sub(f, big.NewInt(1))).Quo(first, f)
		counted := int64(0)
		for x := first.Uint64(); ; x++ {
			a, b, c, d, ok := draw(x)
			got := new(big.Int).SetUint64(((a*hands+b)*hands+c)*hands + d)
			if got.Cmp(n) != 0 {
				break
			}
			if ok {
				counted++
			}
			if x == math.MaxUint64 {
				break
			}
		}
		if counted != each {
			t.Fatalf("hands number %s are drawn by %d numbers, want %d", n, counted, each)
		}
	}
}

// The test that finds the kernel consistent finds faults of the kinds that
// simulations have. Each is a kernel with one thing wrong.
func TestBiasedKernelsAreCaught(t *testing.T) {
	if RaceDetector {
		t.Skip("one goroutine: nothing for the race detector, at ten times the cost")
	}
	rounds := uint64(steady.Share(2_000_000, 4_000_000))
	v := rws3cp.Book().Standard()
	p := planOf(t, v, int64(rounds))
	fair := newDeals(v.Book, p.plays)
	play := func(d *deals, accept func(cell uint16, counts uint64, r *chacha.Rand) uint64, pick func(r *chacha.Rand) (player, dealer uint64)) *Report {
		var count histogram
		r := chacha.New(generator(11, 0))
		for n := uint64(0); n < rounds; {
			i, j := pick(r)
			cell, counts := d.compare(i, j, int64(d.qualify))
			counts = accept(cell, counts, r)
			count[cell] += counts
			n += counts
		}
		report, err := p.kernelReport(fair, &count, int64(rounds))
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	pick := func(r *chacha.Rand) (player, dealer uint64) { return r.Uint64N(hands), r.Uint64N(hands) }
	accept := func(_ uint16, counts uint64, _ *chacha.Rand) uint64 { return counts }

	if r := play(fair, accept, pick); !r.Verdict.Consistent {
		t.Fatalf("the fair kernel is called inconsistent: %+v", r.Verdict)
	}
	shifted, generous, doubled := *fair, *fair, *fair
	shifted.qualify = int(threecard.Lowest(threecard.Pair))
	generous.strength = fair.strength
	// The dealer never looks at the last two hundredths of the deck's order.
	for i := range 40 {
		doubled.hand[i*500] = fair.hand[hands-1-i]
	}
	for n := range generous.strength {
		generous.strength[n] = fair.strength[n] / 2 * 2 // neighbours tie
	}
	for _, tt := range []struct {
		name   string
		deals  *deals
		accept func(cell uint16, counts uint64, r *chacha.Rand) uint64
		pick   func(r *chacha.Rand) (player, dealer uint64)
	}{
		{
			"the dealer may hold the player's cards", fair,
			func(uint16, uint64, *chacha.Rand) uint64 { return 1 }, pick,
		},
		{"the dealer qualifies with a pair", &shifted, accept, pick},
		{"neighbouring hands tie", &generous, accept, pick},
		{"forty hands of 22,100 come twice, others never", &doubled, accept, pick},
		{
			"one lost round in a hundred is dealt again", fair,
			func(cell uint16, counts uint64, r *chacha.Rand) uint64 {
				if cell%compared == 3 && r.Uint64N(100) == 0 {
					return 0
				}
				return counts
			}, pick,
		},
		{
			"sixteen bits modulo the number of hands", fair, accept,
			func(r *chacha.Rand) (player, dealer uint64) {
				x := r.Uint64()
				return x & 0xffff % hands, x >> 16 & 0xffff % hands
			},
		},
		{
			"a linear congruential generator's low bits", fair, accept,
			func() func(r *chacha.Rand) (player, dealer uint64) {
				state := uint32(1)
				return func(*chacha.Rand) (player, dealer uint64) {
					state = state*1103515245 + 12345
					player = uint64(state&0xffff) * hands >> 16
					state = state*1103515245 + 12345
					return player, uint64(state&0xffff) * hands >> 16
				}
			}(),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r := play(tt.deals, tt.accept, tt.pick); r.Verdict.Consistent {
				t.Errorf("not caught: %+v", r.Verdict)
			}
		})
	}
}

// A result that the exact figures do not know is never put down to chance.
func TestWhatCannotHappenIsCaught(t *testing.T) {
	p := planOf(t, rws3cp.Book().Standard(), 10)
	tallies := make([]*tally, len(p.bets))
	for i := range tallies {
		tallies[i] = newTally()
	}
	tallies[0].nets[12345]++
	r := p.report(tallies, 1)
	if r.Verdict.Consistent || r.Verdict.LeastP != 0 || r.Verdict.Where != "net results of Ante and Play, the rare rows" {
		t.Errorf("%+v", r.Verdict)
	}
}

// The chances against values from published tables.
func TestChances(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 2e-4*want }
	for _, tt := range []struct {
		x       float64
		degrees int
		want    float64
	}{
		{3.841459, 1, 0.05},
		{6.634897, 1, 0.01},
		{18.307038, 10, 0.05},
		{29.588298, 10, 0.001},
		{124.342113, 100, 0.05},
		{149.449253, 100, 0.001},
		{0, 5, 1},
	} {
		if got := chiSquare(tt.x, tt.degrees); !near(got, tt.want) {
			t.Errorf("chi-square %v of %d: %v, want %v", tt.x, tt.degrees, got, tt.want)
		}
	}
	// P(X >= 10) = 0.0318281 and P(X <= 1) = 0.0404277 for a mean of 5.
	for _, tt := range []struct {
		seen     int64
		expected float64
		want     float64
	}{
		{10, 5, 2 * 0.0318281},
		{1, 5, 2 * 0.0404277},
		{5, 5, 1},
		{0, 0, 1},
		{1, 0, 0},
		{0, 3, 2 * math.Exp(-3)},
	} {
		if got := poisson(tt.seen, tt.expected); !near(got, tt.want) {
			t.Errorf("%d for %v expected: %v, want %v", tt.seen, tt.expected, got, tt.want)
		}
	}
}

// Rare rows are one category of the chi-square, of at least the size needed.
func TestRareRowsArePooled(t *testing.T) {
	table := Table{Rows: []Row{
		{Seen: 900, Expected: 890},
		{Seen: 60, Expected: 55},
		{Seen: 30, Expected: 40},
		{Seen: 10, Expected: 15},
	}}
	table.goodness()
	want := 100.0/890 + 25.0/55 + 225.0/55
	if table.Degrees != 2 || math.Abs(table.ChiSquare-want) > 1e-9 {
		t.Errorf("chi-square %v of %d, want %v of 2", table.ChiSquare, table.Degrees, want)
	}
	for i, r := range table.Rows {
		if r.Rare != (i >= 2) {
			t.Errorf("row %d: rare %t", i, r.Rare)
		}
	}
	if table = (Table{Rows: []Row{{Seen: 3, Expected: 4}}}); true {
		table.goodness()
		if table.Degrees != 0 || table.P != 1 {
			t.Errorf("one category is no test: %+v", table)
		}
	}
}

// Fair runs are called inconsistent no more often than the level says. The
// bound is wide of one in a thousand: it would notice one in a hundred.
func TestFairRunsPass(t *testing.T) {
	if RaceDetector {
		t.Skip("one goroutine: nothing for the race detector, at ten times the cost")
	}
	const rounds = 100_000
	seeds := steady.Share(100, 500)
	p := planOf(t, rws3cp.Book().Standard(), rounds)
	d := newDeals(p.v.Book, p.plays)
	failed := 0
	for seed := range uint64(seeds) {
		var count histogram
		d.play(generator(seed, 0), &count, rounds)
		r, err := p.kernelReport(d, &count, rounds)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Verdict.Consistent {
			failed++
			t.Logf("seed %d: %+v", seed, r.Verdict)
		}
	}
	if failed > max(1, seeds*3/500) {
		t.Errorf("%d of %d fair runs are called inconsistent", failed, seeds)
	}
}
