package shuffle

import (
	"cmp"
	"fmt"
	"math"
	chacha "math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"trey/internal/steady"
)

// The statistical tests of docs/shuffle.md. They look at a long series of decks,
// as a test laboratory would, by the tests that GLI-19 names: chi-square, overlaps,
// coupon collector, runs, interplay, serial correlation and duplicates, each at
// 99 % with Holm's correction over all of them together.
//
// The decks follow from a number, so the outcome is always the same; the tests
// are shown to see something on six shuffles that are wrong in a known way.

// order is a deck as card indexes.
type order [cards]uint8

const (
	cards = 52
	hands = 22_100
	// dealt is the number of hands of a deal of seven boxes, the dealer's included.
	dealt = 8
	// significance is that of all tests together.
	significance = 0.01
)

// series counts what the tests ask about, deck by deck. The series of several
// goroutines are added up.
type series struct {
	// every is which of the decks are gone through card by card.
	every, decks, looked int
	// last is the deck before, in the order of this series.
	first, last order
	drawn       bool

	hands      [2][]uint32 // the first of a deal, and each in turn
	places     [cards][cards]uint32
	pairs      [len(apart)][cards][cards]uint32
	lag        [cards][cards]uint32 // first cards of two decks, one after the other
	same       [matches]uint32      // cards in the place where they lay before
	fixed      [matches]uint32      // cards in the place where they lay in the box
	descents   [cards]uint32
	gaps       map[int]uint32 // decks until every card has been the first
	sinceAll   int
	metSinceIt uint64
	product    float64 // of first cards of two decks, about their mean
	// colours counts by the colour of the first card: how many, and how many runs.
	red, runs int
	hashes    []uint64
}

// apart are the places whose cards are held against each other: in one hand, in
// two, and far apart.
var apart = [...][2]int{{0, 1}, {2, 3}, {0, 21}, {20, 23}, {0, 51}, {24, 25}}

// matches is the number of cards in place that are distinguished; more count as the last.
const matches = 8

// kept is the number of decks of a series that are searched for duplicates.
const kept = 500_000

// hash is FNV-1a: two different decks have the same one in 2^64.
func hash(d *order) uint64 {
	h := uint64(14_695_981_039_346_656_037)
	for _, c := range d {
		h = (h ^ uint64(c)) * 1_099_511_628_211
	}
	return h
}

func newSeries() *series {
	return &series{hands: [2][]uint32{make([]uint32, cards*cards*cards), make([]uint32, cards*cards*cards)}, gaps: map[int]uint32{}}
}

func handOf(d *order, at int) int {
	a, b, c := int(d[at]), int(d[at+1]), int(d[at+2])
	low, high := min(a, b, c), max(a, b, c)
	return (low*cards+a+b+c-low-high)*cards + high
}

func (s *series) add(d *order) {
	s.hands[0][handOf(d, 0)]++
	s.hands[1][handOf(d, 3*(s.decks%dealt))]++
	for i, p := range apart {
		s.pairs[i][d[p[0]]][d[p[1]]]++
	}
	red := d[0]%4 == 1 || d[0]%4 == 2
	if red {
		s.red++
	}
	if s.drawn {
		s.lag[s.last[0]][d[0]]++
		s.product += (float64(s.last[0]) - 25.5) * (float64(d[0]) - 25.5)
	}
	if !s.drawn || red != (s.last[0]%4 == 1 || s.last[0]%4 == 2) {
		s.runs++
	}
	s.sinceAll++
	if s.metSinceIt |= 1 << d[0]; s.metSinceIt == 1<<cards-1 {
		s.gaps[s.sinceAll]++
		s.sinceAll, s.metSinceIt = 0, 0
	}
	if len(s.hashes) < kept {
		s.hashes = append(s.hashes, hash(d))
	}
	if !s.drawn {
		s.first = *d
	} else if (s.decks-1)%s.every == 0 {
		s.look(d)
	}
	s.last, s.drawn = *d, true
	s.decks++
}

// look goes through a deck card by card.
func (s *series) look(d *order) {
	falls, inBox, still := 0, 0, 0
	before := uint8(0)
	for i, c := range d {
		s.places[i][c]++
		if int(c) == i {
			inBox++
		}
		if c == s.last[i] {
			still++
		}
		if c < before {
			falls++
		}
		before = c
	}
	s.fixed[min(inBox, matches-1)]++
	s.same[min(still, matches-1)]++
	s.descents[falls]++
	s.looked++
}

// result is the result of a test: the chance of a value at least so far from the expected
// one, on either side.
type result struct {
	name string
	p    float64
}

func bothSides(above float64) float64 { return min(1, 2*min(above, 1-above)) }

func chi(name string, statistic, degrees float64) result {
	return result{name, bothSides(distuv.ChiSquared{K: degrees}.Survival(statistic))}
}

func normal(name string, z float64) result {
	return result{name, math.Erfc(math.Abs(z) / math.Sqrt2)}
}

// pearson is the statistic over counts whose shares are expected.
func pearson(name string, counts []uint32, expected func(i int) float64) result {
	var total, sum float64
	bins := -1.0
	for _, n := range counts {
		total += float64(n)
	}
	if total == 0 {
		return result{name, 0} // what must have happened never has
	}
	for i, n := range counts {
		if e := total * expected(i); e > 0 {
			sum += (float64(n) - e) * (float64(n) - e) / e
			bins++
		} else if n > 0 {
			return result{name, 0}
		}
	}
	return chi(name, sum, bins)
}

// results are all tests of the series together. A series may have been made by
// several goroutines; then each has its own order of decks.
func results(all []*series) []result {
	total := newSeries()
	var found []result
	var product, redZ, overlap, overlapDegrees float64
	for _, s := range all {
		total.decks += s.decks
		total.looked += s.looked
		for which := range s.hands {
			for i, n := range s.hands[which] {
				total.hands[which][i] += n
			}
		}
		for i := range cards {
			total.descents[i] += s.descents[i]
			for k := range cards {
				total.places[i][k] += s.places[i][k]
				for p := range apart {
					total.pairs[p][i][k] += s.pairs[p][i][k]
				}
			}
		}
		for i := range matches {
			total.same[i] += s.same[i]
			total.fixed[i] += s.fixed[i]
		}
		for n, times := range s.gaps {
			total.gaps[n] += times
		}
		total.hashes = append(total.hashes, s.hashes...)
		product += s.product
		redZ += s.colourZ()
		statistic, degrees := s.overlaps()
		overlap, overlapDegrees = overlap+statistic, overlapDegrees+degrees
	}
	n := float64(total.decks)
	for which, name := range []string{"hands: the first of each deal", "hands: every box and the dealer in turn"} {
		found = append(found, handsUniform(name, total.hands[which], n))
	}
	found = append(found, places(&total.places, float64(total.looked))...)
	for i, p := range apart {
		found = append(found, pearson(fmt.Sprintf("interplay: cards %d and %d of a deck", p[0]+1, p[1]+1), flat(&total.pairs[i]), func(i int) float64 {
			if i%cards == i/cards {
				return 0
			}
			return 1.0 / (cards * (cards - 1))
		}))
	}
	const variance = (cards*cards - 1) / 12.0
	found = append(found,
		chi("overlaps: first cards of successive deals", overlap, overlapDegrees),
		normal("serial correlation: first cards of successive deals", product/(variance*math.Sqrt(n-float64(len(all))))),
		pearson("serial: cards where they lay in the deal before", total.same[:], inPlace),
		pearson("cards where they lay in the box", total.fixed[:], inPlace),
		runsWithin(&total.descents),
		normal("runs: colours of the first cards of successive deals", redZ/math.Sqrt(float64(len(all)))),
		collector(total.gaps),
		duplicates(total.hashes),
	)
	return found
}

func handsUniform(name string, counts []uint32, decks float64) result {
	expected, sum, met := decks/hands, 0.0, 0
	for _, n := range counts {
		if n > 0 {
			met++
			sum += (float64(n) - expected) * (float64(n) - expected) / expected
		}
	}
	sum += float64(hands-met) * expected
	return chi(name, sum, hands-1)
}

// places tests which card lies where. The counts of a deck hang together: each
// card and each place comes once, so the usual sum is that of 51 times 51 free
// counts times 52/51. The farthest single count is looked at too, which sees a
// card that sticks.
func places(counts *[cards][cards]uint32, decks float64) []result {
	expected, sum, farthest := decks/cards, 0.0, 0.0
	for i := range counts {
		for _, n := range counts[i] {
			off := float64(n) - expected
			sum += off * off / expected
			farthest = max(farthest, math.Abs(off)/math.Sqrt(expected*(1-1.0/cards)))
		}
	}
	free := float64((cards - 1) * (cards - 1))
	one := math.Erfc(farthest / math.Sqrt2)
	return []result{
		chi("positions: every card in every place", sum*(cards-1)/cards, free),
		{"positions: the farthest of 2,704 counts", -math.Expm1(cards * cards * math.Log1p(-one))},
	}
}

func flat(counts *[cards][cards]uint32) []uint32 {
	var all []uint32
	for i := range counts {
		all = append(all, counts[i][:]...)
	}
	return all
}

// overlaps is Good's test: what pairs that overlap add to what single cards show
// is distributed as if the pairs did not overlap.
func (s *series) overlaps() (statistic, degrees float64) {
	lag := s.lag
	lag[s.last[0]][s.first[0]]++ // the series closed to a ring, as the test wants it
	var single [cards]float64
	n := float64(s.decks)
	for i := range lag {
		for k, times := range lag[i] {
			single[i] += float64(times)
			e := n / (cards * cards)
			statistic += (float64(lag[i][k]) - e) * (float64(times) - e) / e
		}
	}
	for _, times := range single {
		e := n / cards
		statistic -= (times - e) * (times - e) / e
	}
	return statistic, cards*cards - cards
}

// colourZ is the Wald and Wolfowitz test of runs.
func (s *series) colourZ() float64 {
	a, b := float64(s.red), float64(s.decks-s.red)
	n := a + b
	mean := 2*a*b/n + 1
	variance := (mean - 1) * (mean - 2) / (n - 1)
	return (float64(s.runs) - mean) / math.Sqrt(variance)
}

// inPlace is the chance that so many cards of a shuffled deck lie in given places:
// to far more digits than anybody can count, 1/(e k!).
func inPlace(k int) float64 {
	p, below := math.Exp(-1), 0.0
	for i := range k {
		below += p
		p /= float64(i + 1)
	}
	if k == matches-1 {
		return 1 - below
	}
	return p
}

// runsWithin tests how many descents decks have, which is their runs less one: of
// all orders the Eulerian numbers say how many have so many. The few decks with
// very many or very few are counted together.
func runsWithin(descents *[cards]uint32) result {
	shares := []float64{1}
	for n := 2; n <= cards; n++ {
		next := make([]float64, n)
		for k := range next {
			if k < n-1 {
				next[k] += float64(k+1) / float64(n) * shares[k]
			}
			if k > 0 {
				next[k] += float64(n-k) / float64(n) * shares[k-1]
			}
		}
		shares = next
	}
	const fewest, most = 18, 33
	counts, expected := make([]uint32, most-fewest+1), make([]float64, most-fewest+1)
	for k := range descents {
		class := min(max(k, fewest), most) - fewest
		counts[class] += descents[k]
		expected[class] += shares[k]
	}
	return pearson("runs: descents within a deck", counts, func(i int) float64 { return expected[i] })
}

// collector tests how many deals it takes until every card has been the first:
// the chances are those of the coupon collector, worked out draw by draw, in
// twenty classes of about the same size.
func collector(gaps map[int]uint32) result {
	const classes = 20
	var met [cards + 1]float64 // the chance to have met so many cards
	met[0] = 1
	counts, shares := make([]uint32, classes), make([]float64, classes)
	class, below, longest := 0, 0.0, slices.Max(append(slices.Collect(keysOf(gaps)), 2000))
	for draw := 1; draw <= longest; draw++ {
		before := met[cards]
		for k := cards; k > 0; k-- {
			stay := float64(k) / cards
			if k == cards {
				stay = 1
			}
			met[k] = met[k]*stay + met[k-1]*float64(cards-k+1)/cards
		}
		met[0] = 0
		share := met[cards] - before
		shares[class] += share
		counts[class] += gaps[draw]
		if below += share; below > float64(class+1)/classes && class < classes-1 {
			class++
		}
	}
	return pearson("coupon collector: deals until every card was the first", counts, func(i int) float64 { return shares[i] })
}

func keysOf(m map[int]uint32) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// duplicates looks for two equal decks. Among a million of 52! there is none.
func duplicates(hashes []uint64) result {
	slices.Sort(hashes)
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			return result{"duplicates: whole decks", 0}
		}
	}
	return result{"duplicates: whole decks", 1}
}

// holm returns the tests that fail, the level being that of all of them together.
func holm(found []result) (failed []result) {
	sorted := slices.SortedFunc(slices.Values(found), func(a, b result) int { return cmp.Compare(a.p, b.p) })
	for i, r := range sorted {
		if r.p > significance/float64(len(sorted)-i) {
			break
		}
		failed = append(failed, r)
	}
	return failed
}

// watch has several goroutines make decks, each from a source of its own, and goes
// through every so many of them card by card.
func watch(decks, every, workers int, source func(worker int) func(*order)) []result {
	all := make([]*series, workers)
	var done sync.WaitGroup
	for i := range all {
		all[i] = newSeries()
		all[i].every = every
		done.Go(func() {
			next := source(i)
			var d order
			for range decks / workers {
				next(&d)
				all[i].add(&d)
			}
		})
	}
	done.Wait()
	return results(all)
}

// real makes decks as a table gets them.
func real(worker int) func(*order) {
	seeds := Numbered(20_261_121 + uint64(worker))
	return func(d *order) {
		for i, c := range Shuffle(seeds()) {
			d[i] = uint8(c.Index())
		}
	}
}

// enoughDecks is the number of decks that find whatever is planted here.
const enoughDecks = 1_000_000

func TestStatistics(t *testing.T) {
	found := watch(statisticalDecks, 4, 2, real)
	for _, r := range found {
		t.Logf("| %s | %.4f |", r.name, r.p)
	}
	for _, r := range holm(found) {
		t.Errorf("%s: p = %.2g, in %d decks", r.name, r.p, statisticalDecks)
	}
}

// sorted is a deck as it comes out of the box.
func sorted() (d order) {
	for i := range d {
		d[i] = uint8(i)
	}
	return d
}

// wrong are shuffles that are biased, each by a mistake that has been made.
var wrong = map[string]func() func(*order){
	"any card for any other": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{1})
		return func(d *order) {
			*d = sorted()
			naive(d[:], func(n uint64) uint64 { return below(n, draws.Uint64) })
		}
	},
	"no card stays (off by one)": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{2})
		return func(d *order) {
			*d = sorted()
			cyclic(d[:], func(n uint64) uint64 { return below(n, draws.Uint64) })
		}
	},
	"the remainder of a small generator, started by the clock": func() func(*order) {
		clockMs := uint32(1_700_000_000)
		return func(d *order) {
			clockMs += 37
			state := clockMs & 0x7fff_ffff
			*d = sorted()
			permute(d[:], func(n uint64) uint64 {
				state = (state*1_103_515_245 + 12_345) & 0x7fff_ffff
				return uint64(state) % n
			})
		}
	},
	"a good generator with a seed of 31 bits": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{3})
		return func(d *order) {
			*d = sorted()
			small := chacha.NewPCG(draws.Uint64()>>33, 0)
			permute(d[:], func(n uint64) uint64 { return below(n, small.Uint64) })
		}
	},
	"the last deck riffled once": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{4})
		last := sorted()
		return func(d *order) {
			cut := 0
			for bits := draws.Uint64() >> 12; bits > 0; bits &= bits - 1 {
				cut++ // as many as 52 coins show heads
			}
			left, right := last[:cut], last[cut:]
			for i := range d {
				if below(uint64(len(left)+len(right)), draws.Uint64) < uint64(len(left)) {
					d[i], left = left[0], left[1:]
				} else {
					d[i], right = right[0], right[1:]
				}
			}
			last = *d
		}
	},
	"one card sticks once in a thousand": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{5})
		return func(d *order) {
			*d = sorted()
			permute(d[:], func(n uint64) uint64 { return below(n, draws.Uint64) })
			if below(1000, draws.Uint64) == 0 {
				top := slices.Index(d[:], cards-1)
				d[0], d[top] = d[top], d[0]
			}
		}
	},
	"a shuffle, and its deck in reverse": func() func(*order) {
		draws := chacha.NewChaCha8(Seed{6})
		var last order
		again := false
		return func(d *order) {
			if again = !again; again {
				last = sorted()
				permute(last[:], func(n uint64) uint64 { return below(n, draws.Uint64) })
			} else {
				slices.Reverse(last[:])
			}
			*d = last
		}
	},
}

func TestStatisticsSeeWhatIsWrong(t *testing.T) {
	if steady.Raced {
		t.Skip("the race detector has nothing to find here, and takes its time")
	}
	for name, source := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decks := steady.Share(100_000, 300_000)
			if name == "one card sticks once in a thousand" {
				decks = steady.Share(700_000, 1_000_000)
			}
			failed := holm(watch(decks, 1, 1, func(int) func(*order) { return source() }))
			for _, r := range failed {
				t.Logf("%s: p = %.2g", r.name, r.p)
			}
			if len(failed) == 0 {
				t.Errorf("it passes all tests in %d decks", decks)
			}
		})
	}
}
