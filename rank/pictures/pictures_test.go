package pictures_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	_ "trey/internal/steady"
	"trey/rank/pictures"
)

func hand(t testing.TB, s string) card.Hand {
	t.Helper()
	h, err := card.ParseHand(s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// order is the thirty-one names from the highest to the lowest, written out.
var order = []string{
	"Three Pictures",
	"Double Picture Nine", "Single Picture Nine", "Nine",
	"Double Picture Eight", "Single Picture Eight", "Eight",
	"Double Picture Seven", "Single Picture Seven", "Seven",
	"Double Picture Six", "Single Picture Six", "Six",
	"Double Picture Five", "Single Picture Five", "Five",
	"Double Picture Four", "Single Picture Four", "Four",
	"Double Picture Three", "Single Picture Three", "Three",
	"Double Picture Two", "Single Picture Two", "Two",
	"Double Picture One", "Single Picture One", "One",
	"Double Picture Zero", "Single Picture Zero", "Zero",
}

// judge names a hand by reading its letters, and its point total off the last
// digit of a written sum: it is what the package under test is checked against.
func judge(h card.Hand) (name, digit string, faces int) {
	sum := 0
	for _, c := range h {
		switch letter := c.String()[:1]; letter {
		case "J", "Q", "K":
			faces++
		case "A":
			sum++
		case "T":
			sum += 10
		default:
			n, err := strconv.Atoi(letter)
			if err != nil {
				panic(err)
			}
			sum += n
		}
	}
	written := strconv.Itoa(sum)
	digit = written[len(written)-1:]
	if faces == 3 {
		return "Three Pictures", digit, faces
	}
	words := strings.Fields("Zero One Two Three Four Five Six Seven Eight Nine")
	return []string{"", "Single Picture ", "Double Picture "}[faces] + words[digit[0]-'0'], digit, faces
}

func TestEveryHandAgainstJudgement(t *testing.T) {
	seen := make(map[string]int)
	for h := range card.Hands() {
		name, digit, faces := judge(h)
		seen[name]++
		want := pictures.Rank(len(order) - slices.Index(order, name))
		for _, p := range []card.Hand{
			{h[0], h[1], h[2]},
			{h[0], h[2], h[1]},
			{h[1], h[0], h[2]},
			{h[1], h[2], h[0]},
			{h[2], h[0], h[1]},
			{h[2], h[1], h[0]},
		} {
			got := pictures.Of(p)
			if got != want || got.String() != name || strconv.Itoa(got.Points()) != digit || got.Pictures() != faces {
				t.Fatalf("%v: rank %d, %v, %d points, %d pictures; want %d, %s, %s points, %d pictures",
					p, got, got, got.Points(), got.Pictures(), want, name, digit, faces)
			}
		}
	}
	if len(seen) != len(order) || len(order) != pictures.Count {
		t.Errorf("%d different ranks, want 31", len(seen))
	}
}

// TestCounts holds the number of hands against what can be chosen by hand: the
// pictures from 12, and the other cards from the 16 that count nothing or the
// 4 of each other value.
func TestCounts(t *testing.T) {
	got := make(map[string]int)
	for h := range card.Hands() {
		r := pictures.Of(h)
		got[r.String()]++
		got["with "+strconv.Itoa(r.Pictures())]++
	}
	for name, want := range map[string]int{
		"Three Pictures":      12 * 11 * 10 / 6,
		"with 2":              66 * 40,
		"with 1":              12 * 780,
		"with 0":              9_880,
		"Double Picture Nine": 66 * 4,
		"Double Picture Zero": 66 * 4,
		"Single Picture Nine": 12 * (5 * 16),     // 10-9, 8-A, 7-2, 6-3, 5-4
		"Single Picture Zero": 12 * (4*16 + 2*6), // 9-A, 8-2, 7-3, 6-4; 5-5, 10-10
		"Single Picture One":  12 * (5 * 16),     // 10-A, 9-2, 8-3, 7-4, 6-5
		"Single Picture Two":  12 * (4*16 + 2*6), // 10-2, 9-3, 8-4, 7-5; 6-6, A-A
	} {
		if got[name] != want {
			t.Errorf("%s: %d hands, want %d", name, got[name], want)
		}
	}
}

// TestClauseExamples has a hand for every name, as clause 3.22 gives one.
func TestClauseExamples(t *testing.T) {
	for s, want := range map[string]string{
		"Kd Jc Qd": "Three Pictures",
		"Qd Jh 9c": "Double Picture Nine",
		"Qd 7c 2d": "Single Picture Nine",
		"6h 9h 4c": "Nine",
		"Qd Jh 8c": "Double Picture Eight",
		"Qd 5c 3h": "Single Picture Eight",
		"9h 2h 7c": "Eight",
		"Qd Jh 7c": "Double Picture Seven",
		"Jd 5c 2h": "Single Picture Seven",
		"6d 6h 5c": "Seven",
		"Qd Jh 6c": "Double Picture Six",
		"Qd 4c 2h": "Single Picture Six",
		"3h 2h Ac": "Six",
		"Qd Jh 5c": "Double Picture Five",
		"Qd 3c 2h": "Single Picture Five",
		"2d 2h Ac": "Five",
		"Qd Jh 4c": "Double Picture Four",
		"Jd Ac 3h": "Single Picture Four",
		"2d As Ac": "Four",
		"Qd Jh 3c": "Double Picture Three",
		"Qd Ac 2h": "Single Picture Three",
		"2h Th Ac": "Three",
		"Qd Jh 2c": "Double Picture Two",
		"Qd Tc 2h": "Single Picture Two",
		"2h Th Tc": "Two",
		"Qd Jh Ac": "Double Picture One",
		"Qd 9c 2h": "Single Picture One",
		"5h 7h 9c": "One",
		"Qd Jh Tc": "Double Picture Zero",
		"Qd 8c 2h": "Single Picture Zero",
		"4h 7h 9c": "Zero",
	} {
		t.Run("3.22 "+want, func(t *testing.T) {
			if got := pictures.Of(hand(t, s)).String(); got != want {
				t.Errorf("%s is %q, want %q", s, got, want)
			}
		})
	}
}

func TestClauses(t *testing.T) {
	for _, tt := range []struct {
		clause string
		a      string
		sign   int // 1 where a is above b, 0 where they stand off
		b      string
	}{
		{"3.17.1 an ace counts one", "As 8d Tc", 1, "8c Tc Td"},
		{"3.17.1.1 a ten counts nothing, and is no picture", "Kd Qd 9c", 1, "Kd Td 9c"},
		{"3.17.1.1 three tens are no three pictures", "As Td Th", 1, "Tc Td Th"},
		{"3.18.1 nine stays nine", "4c 3d 2h", 1, "4c 2d 2h"},
		{"3.18.2 ten becomes zero", "4c 3d 2h", 1, "4c 3d 3h"},
		{"3.18.2 twenty-seven becomes seven", "9c 9d 9h", 0, "4c 2d Ah"},
		{"3.20 two kings are no higher than queen and jack", "Kc Kd 9h", 0, "Qc Jd 9s"},
		{"3.20 three kings are no higher than three jacks", "Kc Kd Kh", 0, "Jc Jd Jh"},
		{"3.21 suits are equal", "Ks 7s 2s", 0, "Kc 7d 2h"},
		{"3.22 three pictures, no points, above nine", "Jc Jd Jh", 1, "Kc Kd 9h"},
		{"3.22 two pictures above one", "Jc Jd 9h", 1, "Kc 9d Th"},
		{"3.22 one picture above none", "Jc 9d Th", 1, "9c Td Th"},
		{"3.22 points before pictures", "9c Td Th", 1, "Kc Kd 8h"},
		{"3.22 the lowest of one total above the highest of the next", "Ac Td Th", 1, "Kc Kd Th"},
	} {
		t.Run(tt.clause, func(t *testing.T) {
			a, b := pictures.Of(hand(t, tt.a)), pictures.Of(hand(t, tt.b))
			if a > b != (tt.sign > 0) || a == b != (tt.sign == 0) {
				t.Errorf("%s is %d, %v; %s is %d, %v", tt.a, a, a, tt.b, b, b)
			}
		})
	}
}

func TestCards(t *testing.T) { // 1.1.2, 3.17.1, 3.17.1.1
	points := map[string]int{"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 0, "J": 0, "Q": 0, "K": 0}
	picture := map[string]bool{"J": true, "Q": true, "K": true}
	for _, c := range card.Deck().Cards() {
		r := c.Rank().String()
		if pictures.Point(c) != points[r] || pictures.IsPicture(c) != picture[r] {
			t.Errorf("%v: %d points, picture %v", c, pictures.Point(c), pictures.IsPicture(c))
		}
	}
	if pictures.Point(card.None) != 0 || pictures.IsPicture(card.None) {
		t.Error("an unknown card counts something")
	}
}

func TestUnknownCardsHaveNoRank(t *testing.T) {
	for a := card.None; a <= 52; a++ {
		for b := card.None; b <= 52; b++ {
			for _, h := range []card.Hand{{a, b, card.None}, {a, card.None, b}, {card.None, a, b}} {
				if got := pictures.Of(h); got != 0 {
					t.Fatalf("%v has rank %d", h, got)
				}
			}
		}
	}
}

func TestSuitsAndPicturesNeverMatter(t *testing.T) { // 3.20, 3.21
	faces := []card.Rank{card.Jack, card.Queen, card.King}
	rapid.Check(t, func(t *rapid.T) {
		h := card.Hand(rapid.Permutation(card.Deck().Cards()).Draw(t, "deck")[:3])
		other := h
		for i, c := range h {
			r := c.Rank()
			if slices.Contains(faces, r) {
				r = rapid.SampledFrom(faces).Draw(t, "face")
			}
			other[i] = card.New(r, card.Suit(rapid.IntRange(1, 4).Draw(t, "suit")))
		}
		if other.Valid() && pictures.Of(h) != pictures.Of(other) {
			t.Fatalf("%v is %v, and %v is %v", h, pictures.Of(h), other, pictures.Of(other))
		}
	})
}

func TestRanksPrintInOrder(t *testing.T) {
	var got []string
	for r := pictures.ThreePictures; r >= 1; r-- {
		got = append(got, r.String())
	}
	if !slices.Equal(got, order) {
		t.Errorf("from the highest to the lowest:\n%v\nwant\n%v", got, order)
	}
}

func TestWhatIsNoRank(t *testing.T) {
	for r, want := range map[pictures.Rank]string{0: "Rank(0)", 32: "Rank(32)", 255: "Rank(255)"} {
		if r.Valid() || r.String() != want || r.Points() != 0 || r.Pictures() != 0 {
			t.Errorf("Rank %d: %v, %d points, %d pictures", uint8(r), r, r.Points(), r.Pictures())
		}
	}
}

func TestOfDoesNotAllocate(t *testing.T) {
	h := hand(t, "Qh 6d 4c")
	if n := testing.AllocsPerRun(100, func() { sink = pictures.Of(h) }); n != 0 {
		t.Errorf("%v allocations a hand", n)
	}
}

var sink pictures.Rank

func BenchmarkOf(b *testing.B) {
	// The hands are shuffled in a fixed way, so that the branch predictor cannot
	// learn the order of the deck.
	hands := slices.Collect(card.Hands())
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(hands), func(i, j int) { hands[i], hands[j] = hands[j], hands[i] })
	b.ReportAllocs()
	var best pictures.Rank
	for n := 0; n < b.N; {
		batch := hands[:min(len(hands), b.N-n)]
		for _, h := range batch {
			best = max(best, pictures.Of(h))
		}
		n += len(batch)
	}
	sink = best
}
