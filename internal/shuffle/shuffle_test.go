package shuffle

import (
	"fmt"
	"math"
	"math/big"
	chacha "math/rand/v2"
	"testing"

	"trey/card"
)

// orders counts how often each order of a small deck comes out of a shuffle
// when every sequence of indexes it could draw is tried once.
func orders(size int, shuffle func(items []int, index func(n uint64) uint64)) map[string]int {
	counts := map[string]int{}
	// An odometer over the indexes: digits holds the ones drawn, limits how
	// many there were to choose from.
	var digits, limits []uint64
	for {
		at := 0
		items := make([]int, size)
		for i := range items {
			items[i] = i
		}
		shuffle(items, func(n uint64) uint64 {
			if at == len(digits) {
				digits, limits = append(digits, 0), append(limits, n)
			}
			at++
			return digits[at-1]
		})
		counts[fmt.Sprint(items)]++
		for at--; at >= 0; at-- {
			if digits[at]++; digits[at] < limits[at] {
				break
			}
			digits[at] = 0
		}
		if at < 0 {
			return counts
		}
	}
}

// even reports whether every order of the deck came out, all equally often.
func even(size int, counts map[string]int) bool {
	factorial := 1
	for n := 2; n <= size; n++ {
		factorial *= n
	}
	if len(counts) != factorial {
		return false
	}
	first := -1
	for _, n := range counts {
		if first < 0 {
			first = n
		}
		if n != first {
			return false
		}
	}
	return true
}

func TestEveryOrderOnce(t *testing.T) {
	for size := 1; size <= 8; size++ {
		counts := orders(size, permute[int])
		if !even(size, counts) {
			t.Errorf("%d cards: the orders are not equally likely: %d of them", size, len(counts))
		}
		for order, n := range counts {
			if n != 1 {
				t.Fatalf("%d cards: %s comes from %d lists of indexes, want 1", size, order, n)
			}
		}
	}
}

// The well-known wrong shuffle changes each card with any card. The test above
// must be able to tell it from a right one, and so must the statistics below.
func naive[T any](items []T, index func(n uint64) uint64) {
	for i := range items {
		j := index(uint64(len(items)))
		items[i], items[j] = items[j], items[i]
	}
}

// Sattolo's shuffle never leaves a card in its place: another known mistake.
func cyclic[T any](items []T, index func(n uint64) uint64) {
	for n := len(items); n > 1; n-- {
		i := index(uint64(n - 1))
		items[i], items[n-1] = items[n-1], items[i]
	}
}

func TestBiasedShufflesAreCaught(t *testing.T) {
	for size := 3; size <= 6; size++ {
		if even(size, orders(size, naive[int])) {
			t.Errorf("%d cards: the naive shuffle passes", size)
		}
		if even(size, orders(size, cyclic[int])) {
			t.Errorf("%d cards: the cyclic shuffle passes", size)
		}
	}
}

// The draws that count are a whole multiple of n in number and without a gap,
// so that each index has the same number of draws. That is exact for all 2^64.
func TestIndexIsUnbiased(t *testing.T) {
	space := new(big.Int).Lsh(big.NewInt(1), 64)
	for n := uint64(1); n <= 1000; n++ {
		left := surplus(n)
		if left >= n {
			t.Fatalf("below %d: %d draws thrown away", n, left)
		}
		kept := new(big.Int).Sub(space, new(big.Int).SetUint64(left))
		if new(big.Int).Mod(kept, new(big.Int).SetUint64(n)).Sign() != 0 {
			t.Errorf("below %d: %s draws cannot be shared out evenly", n, kept)
		}
	}
}

func TestIndexAtItsBoundary(t *testing.T) {
	// 2^64 modulo 52 is 16: 15 is thrown away, 16 is the first that counts.
	const n = 52
	if surplus(n) != 16 {
		t.Fatalf("surplus %d, want 16", surplus(n))
	}
	tests := []struct {
		draws []uint64
		want  uint64
		used  int
	}{
		{[]uint64{0, 15, 16}, 16, 3},
		{[]uint64{16, 99}, 16, 1},
		{[]uint64{52, 99}, 0, 1},
		{[]uint64{math.MaxUint64, 99}, 15, 1},
	}
	for _, test := range tests {
		used := 0
		got := below(n, func() uint64 { used++; return test.draws[used-1] })
		if got != test.want || used != test.used {
			t.Errorf("draws %d: index %d after %d draws, want %d after %d", test.draws, got, used, test.want, test.used)
		}
	}
}

func TestShuffleIsADeckAndRepeats(t *testing.T) {
	seeds := Numbered(7)
	seen := map[[52]card.Card]bool{}
	for range 1000 {
		seed := seeds()
		deck := Shuffle(seed)
		if card.NewSet(deck[:]...) != card.Deck() {
			t.Fatalf("not a deck: %v", deck)
		}
		if deck != Shuffle(seed) {
			t.Fatal("the same seed gave two orders")
		}
		if seen[deck] {
			t.Fatal("two seeds gave the same order")
		}
		seen[deck] = true
	}
	if one, other := Fresh(), Fresh(); one == other {
		t.Error("two fresh seeds are the same")
	}
	if again := Numbered(7); again() != Numbered(7)() || again() == Numbered(7)() {
		t.Error("numbered seeds do not repeat, or do not go on")
	}
}

// A recorded order: if it ever changes, seeds that people have kept would give
// other cards than they did.
func TestShuffleIsForEver(t *testing.T) {
	deck := Shuffle(Seed{})
	got := fmt.Sprint(deck[:8])
	const want = "[2c 8h 2s 6h 9c Qs 3d 9h]"
	if got != want {
		t.Errorf("the zero seed begins %s, want %s", got, want)
	}
}

// chiSquare counts the first three cards of many shuffles as hands, and returns
// how far the counts lie from even, in standard deviations of the statistic.
func chiSquare(rounds int, shuffle func(deck []card.Card)) float64 {
	var counts [52 * 52 * 52]int // by the three indexes in ascending order
	var deck [52]card.Card
	for range rounds {
		for i := range deck {
			deck[i] = card.FromIndex(i)
		}
		shuffle(deck[:])
		a, b, c := deck[0].Index(), deck[1].Index(), deck[2].Index()
		low, high := min(a, b, c), max(a, b, c)
		counts[(low*52+a+b+c-low-high)*52+high]++
	}
	expected := float64(rounds) / 22_100
	sum, hands := 0.0, 0
	for _, n := range counts {
		if n > 0 {
			hands++
			sum += (float64(n) - expected) * (float64(n) - expected) / expected
		}
	}
	sum += float64(22_100-hands) * expected
	const degrees = 22_100 - 1
	return (sum - degrees) / math.Sqrt(2*degrees)
}

func TestHandsAreUniform(t *testing.T) {
	const rounds = 5 * 22_100
	seeds := Numbered(3)
	if far := chiSquare(rounds, func(deck []card.Card) {
		order := Shuffle(seeds())
		copy(deck, order[:])
	}); math.Abs(far) > 4 {
		t.Errorf("hands lie %.1f standard deviations from even", far)
	}
	source := chacha.NewChaCha8(Seed{1})
	if far := chiSquare(rounds, func(deck []card.Card) {
		naive(deck, func(n uint64) uint64 { return below(n, source.Uint64) })
	}); far < 4 {
		t.Errorf("the naive shuffle lies only %.1f standard deviations from even: the test is blind", far)
	}
}

func ExampleShuffle() {
	deck := Shuffle(Numbered(42)())
	fmt.Println(len(deck), deck == Shuffle(Numbered(42)()))
	// Output: 52 true
}

func BenchmarkShuffle(b *testing.B) {
	b.ReportAllocs()
	seed := Fresh()
	for b.Loop() {
		Shuffle(seed)
	}
}
