package threecard_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	_ "trey/internal/steady"
	"trey/rank/threecard"
)

func hand(t testing.TB, s string) card.Hand {
	t.Helper()
	h, err := card.ParseHand(s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// judged is a hand as a person at the table judges it: its class, and the ranks of its
// cards in the order of comparison.
type judged struct {
	kind    int
	compare [3]int
}

// judge ranks a hand by looking at it, with no table and no numbering: it is
// what the package under test is checked against.
func judge(h card.Hand) judged {
	n := []int{int(h[0].Rank()), int(h[1].Rank()), int(h[2].Rank())}
	slices.Sort(n)
	low, middle, high := n[0], n[1], n[2]
	flush := h[0].Suit() == h[1].Suit() && h[1].Suit() == h[2].Suit()
	straight := low+1 == middle && middle+1 == high
	if low == 2 && middle == 3 && high == 14 {
		straight, low, middle, high = true, 1, 2, 3
	}
	switch {
	case straight && flush:
		return judged{6, [3]int{high, middle, low}}
	case low == high:
		return judged{5, [3]int{high, middle, low}}
	case straight:
		return judged{4, [3]int{high, middle, low}}
	case flush:
		return judged{3, [3]int{high, middle, low}}
	case low == middle:
		return judged{2, [3]int{low, low, high}}
	case middle == high:
		return judged{2, [3]int{high, high, low}}
	}
	return judged{1, [3]int{high, middle, low}}
}

func (j judged) cmp(k judged) int {
	return cmp.Or(cmp.Compare(j.kind, k.kind), slices.Compare(j.compare[:], k.compare[:]))
}

func TestEveryHandAgainstJudgement(t *testing.T) {
	// The place of a hand is its place among the different judgements, sorted.
	different := make(map[judged]bool)
	for h := range card.Hands() {
		different[judge(h)] = true
	}
	order := slices.SortedFunc(maps.Keys(different), judged.cmp)
	if len(order) != threecard.Count {
		t.Fatalf("%d different values, want %d", len(order), threecard.Count)
	}
	place := make(map[judged]threecard.Rank)
	for i, j := range order {
		place[j] = threecard.Rank(i + 1)
	}
	for h := range card.Hands() {
		j := judge(h)
		for _, p := range []card.Hand{
			{h[0], h[1], h[2]},
			{h[0], h[2], h[1]},
			{h[1], h[0], h[2]},
			{h[1], h[2], h[0]},
			{h[2], h[0], h[1]},
			{h[2], h[1], h[0]},
		} {
			if got := threecard.Of(p); got != place[j] || int(got.Category()) != j.kind {
				t.Fatalf("%v: rank %d, %v; want %d, kind %d", p, got, got, place[j], j.kind)
			}
		}
	}
}

func TestPublishedCounts(t *testing.T) {
	hands := make(map[threecard.Category]int)
	values := make(map[threecard.Rank]bool)
	queen, err := threecard.Threshold("Q")
	if err != nil {
		t.Fatal(err)
	}
	qualify := 0
	for h := range card.Hands() {
		r := threecard.Of(h)
		hands[r.Category()]++
		values[r] = true
		if r >= queen {
			qualify++
		}
	}
	want := map[threecard.Category]int{
		threecard.StraightFlush: 48,
		threecard.ThreeOfAKind:  52,
		threecard.Straight:      720,
		threecard.Flush:         1_096,
		threecard.Pair:          3_744,
		threecard.HighCard:      16_440,
	}
	if !maps.Equal(hands, want) {
		t.Errorf("hands by category %v, want %v", hands, want)
	}
	if len(values) != 741 {
		t.Errorf("%d different ranks, want 741", len(values))
	}
	if qualify != 15_380 {
		t.Errorf("%d hands have a queen or better, want 15,380", qualify)
	}
}

// TestClauses names each test by the clause whose words or example it holds.
func TestClauses(t *testing.T) {
	for _, tt := range []struct {
		clause string
		higher string
		than   string
	}{
		{"3.1.1 ace above king", "Ah Jd 9c", "Kh Jd 9c"},
		{"3.1.1 king above queen", "Kh Jd 9c", "Qh Jd 9c"},
		{"3.1.1 three above two", "Kh Jd 3c", "Kh Jd 2c"},
		{"3.1.1 the ace counts one in 3-2-A", "4c 3h 2d", "3c 2h Ad"},
		{"3.1.1 3-2-A is a straight", "3c 2h Ad", "Kc Jc 9c"},
		{"3.1.1 the ace is high everywhere else", "2c 2h Ad", "2c 2h Kd"},
		{"3.1.1 the ace is high in a flush", "Ac 5c 3c", "Kc Qc Tc"},
		{"3.1.1 K-A-2 is no straight but an ace high", "5c 3h 3d", "Kc Ah 2d"},
		{"3.1.1 K-A-2 is above any king high", "Kc Ah 2d", "Kc Qh Td"},
		{"3.1.2 straight flush above three of a kind", "3h 2h Ah", "As Ah Ac"},
		{"3.1.2 three of a kind above straight", "2s 2h 2c", "Ac Kd Qc"},
		{"3.1.2 straight above flush", "3c 2h Ad", "Ac Kc Jc"},
		{"3.1.2 flush above pair", "5c 3c 2c", "Ac Ad Kc"},
		{"3.1.2 pair above odd cards", "2c 2d 3c", "Ac Kd Jc"},
		{"3.1.2 example straight flush above example three of a kind", "Ah Kh Qh", "Qs Qh Qc"},
		{"3.1.2 example three of a kind above example straight", "Qs Qh Qc", "Ac Kd Qc"},
		{"3.1.2 example straights, ace high above ace low", "Ac Kd Qc", "3c 2h Ad"},
		{"3.1.2 example low straight above example flush", "3c 2h Ad", "Kc Jc 9c"},
		{"3.1.2 example flush above example pair", "Kc Jc 9c", "Tc Th Ks"},
		{"3.1.2 example pair above example odd cards", "Tc Th Ks", "6s 4h 2d"},
		{"3.1.3.a K-Q-J above J-10-9", "Kc Qd Jh", "Jc Td 9h"},
		{"3.1.3.b 5-5-K above 5-5-Q", "5c 5d Kh", "5h 5s Qh"},
		{"3.1.3 the pair decides before the odd card", "6c 6d 2h", "5h 5s Ah"},
		{"3.1.3.c A-K-J above A-K-10", "Ac Kd Jh", "As Kh Td"},
		{"3.1.3 the middle card decides before the lowest", "Ac 8d 2h", "As 7h 6d"},
		{"3.1.3 flushes by their cards", "Kc Jc 9c", "Kd Jd 8d"},
		{"3.1.3 three of a kind by rank", "3c 3d 3h", "2c 2d 2h"},
		{"3.1.3 straight flushes by their top", "4c 3c 2c", "3d 2d Ad"},
	} {
		t.Run(tt.clause, func(t *testing.T) {
			if a, b := threecard.Of(hand(t, tt.higher)), threecard.Of(hand(t, tt.than)); a <= b {
				t.Errorf("%s is %d, %v; %s is %d, %v", tt.higher, a, a, tt.than, b, b)
			}
		})
	}
}

func TestSuitsNeverMatter(t *testing.T) { // 3.1.1
	rapid.Check(t, func(t *rapid.T) {
		deck := rapid.Permutation(card.Deck().Cards()).Draw(t, "deck")
		suits := rapid.Permutation([]card.Suit{card.Clubs, card.Diamonds, card.Hearts, card.Spades}).Draw(t, "suits")
		h := card.Hand(deck[:3])
		var other card.Hand
		for i, c := range h {
			other[i] = card.New(c.Rank(), suits[c.Suit()-card.Clubs])
		}
		if threecard.Of(h) != threecard.Of(other) {
			t.Fatalf("%v is %v, and %v is %v", h, threecard.Of(h), other, threecard.Of(other))
		}
	})
}

func TestUnknownCardsHaveNoRank(t *testing.T) {
	for a := card.None; a <= 52; a++ {
		for b := card.None; b <= 52; b++ {
			for _, h := range []card.Hand{{a, b, card.None}, {a, card.None, b}, {card.None, a, b}} {
				if got := threecard.Of(h); got != 0 {
					t.Fatalf("%v has rank %d", h, got)
				}
			}
		}
	}
}

func TestString(t *testing.T) {
	for s, want := range map[string]string{
		"4c 6d Qh": "High card Q-6-4",
		"2c 3d 5h": "High card 5-3-2",
		"2c Kd Ah": "High card A-K-2",
		"Kd Tc Th": "Pair 10-10-K",
		"2d Ac 2h": "Pair 2-2-A",
		"9c Kc Jc": "Flush K-J-9",
		"Ad 3c 2h": "Straight 3-2-A",
		"Qd Ac Kh": "Straight A-K-Q",
		"Td 9c 8h": "Straight 10-9-8",
		"7d 7c 7h": "Three of a kind 7-7-7",
		"Qh Ah Kh": "Straight flush A-K-Q",
		"2h Ah 3h": "Straight flush 3-2-A",
	} {
		if got := threecard.Of(hand(t, s)).String(); got != want {
			t.Errorf("%s is %q, want %q", s, got, want)
		}
	}
	texts := make(map[string]bool)
	for r := threecard.Rank(1); r <= threecard.Count; r++ {
		texts[r.String()] = true
	}
	if len(texts) != threecard.Count {
		t.Errorf("%d ranks have only %d texts", threecard.Count, len(texts))
	}
	for _, tt := range []struct{ got, want string }{
		{threecard.Rank(0).String(), "Rank(0)"},
		{threecard.Rank(742).String(), "Rank(742)"},
		{threecard.Category(0).String(), "Category(0)"},
		{threecard.Category(7).String(), "Category(7)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	if c := threecard.Rank(0).Category() | threecard.Rank(742).Category(); c != 0 {
		t.Errorf("what is no rank has category %v", c)
	}
}

func TestLowest(t *testing.T) {
	for c, want := range map[threecard.Category]string{
		threecard.HighCard:      "2c 3d 5h",
		threecard.Pair:          "2c 2d 3h",
		threecard.Flush:         "2c 3c 5c",
		threecard.Straight:      "Ac 2d 3h",
		threecard.ThreeOfAKind:  "2c 2d 2h",
		threecard.StraightFlush: "Ac 2c 3c",
	} {
		low := threecard.Lowest(c)
		if low != threecard.Of(hand(t, want)) || low.Category() != c || (low-1).Category() != c-1 {
			t.Errorf("Lowest(%v) = %v; want %s", c, low, want)
		}
	}
	if threecard.Lowest(0) != 0 || threecard.Lowest(7) != 0 {
		t.Error("an invalid category has a lowest rank")
	}
}

func TestHighCardRank(t *testing.T) {
	for a := card.Rank(0); a <= 15; a++ {
		for b := card.Rank(0); b <= 15; b++ {
			for c := card.Rank(0); c <= 15; c++ {
				var want threecard.Rank
				if a.Valid() && b.Valid() && c.Valid() {
					r := threecard.OfCards(card.New(a, card.Clubs), card.New(b, card.Diamonds), card.New(c, card.Hearts))
					if r.Category() == threecard.HighCard {
						want = r
					}
				}
				if got := threecard.HighCardRank(a, b, c); got != want {
					t.Fatalf("HighCardRank(%v, %v, %v) = %d, want %d", a, b, c, got, want)
				}
			}
		}
	}
}

func TestThreshold(t *testing.T) {
	for s, want := range map[string]string{
		"Q-6-4": "Qc 6d 4h", "q-6-4": "Qc 6d 4h", "4-Q-6": "Qc 6d 4h",
		"10-9-2": "Tc 9d 2h", "T-9-2": "Tc 9d 2h",
		"Q": "Qc 3d 2h", "q": "Qc 3d 2h", "Q-high": "Qc 3d 2h", "Q-HIGH": "Qc 3d 2h", "10-high": "Tc 3d 2h",
		"5": "5c 3d 2h", "A": "Ac 4d 2h", "A-high": "Ac 4d 2h",
		"pair": "2c 2d 3h", "Pair": "2c 2d 3h", "flush": "2c 3c 5c", "straight": "Ac 2d 3h",
		"three of a kind": "2c 2d 2h", "Straight flush": "Ac 2c 3c",
	} {
		if got, err := threecard.Threshold(s); err != nil || got != threecard.Of(hand(t, want)) {
			t.Errorf("Threshold(%q) = %v, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "-", "Q-", "-Q", "Q-6", "Q-6-4-2", "Q-Q-4", "Q-Q-Q", "Q-J-10", "3-2-A", "4", "4-high", "3", "2", "1", "X-6-4",
		"queen", "Q high", "Q-high-4", "high", "pairs", "high card", "Q 6 4", "Q-6-4 ",
	} {
		if got, err := threecard.Threshold(s); err == nil || got != 0 {
			t.Errorf("Threshold(%q) = %v, %v; want a refusal", s, got, err)
		}
	}
}

func FuzzThreshold(f *testing.F) {
	for _, s := range []string{"Q-6-4", "Q", "Q-high", "pair", "Q-J-10", "4", "--", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := threecard.Threshold(s)
		if (err == nil) != r.Valid() {
			t.Fatalf("Threshold(%q) = %v, %v", s, r, err)
		}
		if cards, found := strings.CutPrefix(r.String(), "High card "); found {
			if again, err := threecard.Threshold(cards); again != r || err != nil {
				t.Errorf("%q, which %q states, reads as %v, %v", cards, s, again, err)
			}
		} else if again, err := threecard.Threshold(r.Category().String()); err == nil && again != r {
			t.Errorf("%q reads as %v, which is not the lowest of its category", s, r)
		}
	})
}

func TestOfDoesNotAllocate(t *testing.T) {
	h := hand(t, "Qh 6d 4c")
	if n := testing.AllocsPerRun(100, func() { sink = threecard.Of(h) }); n != 0 {
		t.Errorf("%v allocations a hand", n)
	}
}

var sink threecard.Rank

func BenchmarkOf(b *testing.B) {
	// The hands are shuffled in a fixed way, so that neither the cache nor the
	// branch predictor can learn the order of the deck.
	hands := slices.Collect(card.Hands())
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(hands), func(i, j int) { hands[i], hands[j] = hands[j], hands[i] })
	b.ReportAllocs()
	var best threecard.Rank
	for n := 0; n < b.N; {
		batch := hands[:min(len(hands), b.N-n)]
		for _, h := range batch {
			best = max(best, threecard.Of(h))
		}
		n += len(batch)
	}
	sink = best
}

// Where the highest card alone decides between flushes, those of one highest card are
// equal, from five high to ace high, and no other hands are.
func TestByHighestCard(t *testing.T) {
	equal := map[threecard.Rank][]card.Rank{}
	for h := range card.Hands() {
		r, high := threecard.Of(h), h.Sorted()[0].Rank()
		to := r.ByHighestCard()
		switch {
		case to.Category() != r.Category() || to > r:
			t.Fatalf("%v stands for %v", to, r)
		case r.Category() != threecard.Flush && to != r:
			t.Fatalf("%v is equal to %v", r, to)
		case r.Category() == threecard.Flush && !slices.Contains(equal[to], high):
			equal[to] = append(equal[to], high)
		}
	}
	if len(equal) != 10 {
		t.Errorf("flushes have %d heights, want 10", len(equal))
	}
	for r, highs := range equal {
		if len(highs) != 1 {
			t.Errorf("%v is that of flushes with the highest cards %v", r, highs)
		}
	}
}
