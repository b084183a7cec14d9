package odds

import (
	"maps"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"trey/card"
	"trey/internal/steady"
	"trey/rank/pictures"
	"trey/rank/threecard"
	"trey/rules/frp3c"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
)

// dealStep takes one player's hand in eleven by default, each of which is held against the tables, and
// with TREY_WHOLE=1 every hand: then the enumeration is whole, and comes to the figures. That the tables
// are of all hands, TestClassesOfHands holds.
var dealStep = max(bruteStep, steady.Share(11, 1))

// outcomes counts the dealer's 18,424 hands against one player's hand, one by
// one. It shares nothing with the fast method: no classes, no inclusion and
// exclusion, no settlement.
type outcomes struct {
	unqualified, lower, equal, higher int
	points                            int // equal point totals, Royal Three Pictures
}

// bruteForce enumerates every deal, or those of one player's hand in step, with
// a table of the hands' ranks by their cards.
func bruteForce(hands []card.Hand, rank func(a, b, c card.Card) int, qualify, step, workers int) []outcomes {
	var table [52][52][52]uint16
	for a := range 52 {
		for b := range 52 {
			for c := range 52 {
				if a != b && b != c && a != c {
					table[a][b][c] = uint16(rank(card.FromIndex(a), card.FromIndex(b), card.FromIndex(c)))
				}
			}
		}
	}
	found := make([]outcomes, len(hands))
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			for i := worker * step; i < len(hands); i += workers * step {
				h := hands[i]
				found[i] = against(&table, card.Deck().Minus(card.NewSet(h[:]...)).Cards(), uint16(rank(h[0], h[1], h[2])), uint16(qualify))
			}
		})
	}
	wait.Wait()
	return found
}

func against(table *[52][52][52]uint16, left []card.Card, player, qualify uint16) outcomes {
	var deck [49]uint8
	for i, c := range left {
		deck[i] = uint8(c.Index())
	}
	var unqualified, least, most int
	for i := 2; i < len(deck); i++ {
		for j := 1; j < i; j++ {
			row := &table[deck[i]][deck[j]]
			for _, c := range deck[:j] {
				dealer := row[c]
				if dealer < qualify {
					unqualified++
				}
				if dealer < player {
					least++
				}
				if dealer <= player {
					most++
				}
			}
		}
	}
	out := outcomes{unqualified: unqualified, equal: most - least, higher: DealersHands - most, lower: least}
	if player < qualify {
		out.equal, out.lower, out.higher = 0, 0, DealersHands-unqualified
	} else {
		out.lower -= unqualified
	}
	return out
}

func allHands() []card.Hand {
	hands := make([]card.Hand, 0, Hands)
	for h := range card.Hands() {
		hands = append(hands, h)
	}
	return hands
}

// meets compares what dealers' hands the tables have for a hand with those that were enumerated.
func meets(t *testing.T, of *tables, h card.Hand, enumerated outcomes) {
	t.Helper()
	k := &of.classes[of.classOf[indexOf(h)]]
	if got := (outcomes{int(k.dealer[unqualified]), int(k.dealer[lower]), int(k.dealer[equal]), int(k.dealer[higher]), 0}); got != enumerated {
		t.Fatalf("%s meets %+v, enumerated %+v", h, got, enumerated)
	}
}

// All 407,170,400 deals of Ante and Play, settled by hand: 5-4-1 for the bonus,
// one unit each for Ante and Play.
func TestEveryDealOfAnteAndPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("407,170,400 deals take a second")
	}
	v := rws3cp.Book().Standard()
	tables := tablesFor(v.Book)
	hands := allHands()
	queen := int(threecard.HighCardRank(card.Queen, card.Three, card.Two))
	found := bruteForce(hands, func(a, b, c card.Card) int { return int(threecard.OfCards(a, b, c)) },
		queen, dealStep, runtime.GOMAXPROCS(0))
	nets := map[int64]int64{}
	for i, h := range hands {
		if i%dealStep != 0 {
			continue
		}
		out := found[i]
		meets(t, tables, h, out)
		bonus := int64(0)
		switch threecard.Of(h).Category() {
		case threecard.StraightFlush:
			bonus = 5
		case threecard.ThreeOfAKind:
			bonus = 4
		case threecard.Straight:
			bonus = 1
		default: // lower hands have no bonus
		}
		play := int64(out.unqualified)*(1+bonus) + int64(out.lower)*(2+bonus) + int64(out.equal)*bonus + int64(out.higher)*(bonus-2)
		if play < -DealersHands {
			nets[-1] += DealersHands
			continue
		}
		nets[1+bonus] += int64(out.unqualified)
		nets[2+bonus] += int64(out.lower)
		nets[bonus] += int64(out.equal)
		nets[bonus-2] += int64(out.higher)
	}
	if dealStep == 1 {
		compareNets(t, v.ID, AntePlay, nets, 1)
	}
}

// french is the order of hands as the French order has it, written from its text: the
// combination, then its highest card, then the cards beside it where it has fewer than
// three of its own.
func french(a, b, c card.Card) int {
	r := []int{int(a.Rank()), int(b.Rank()), int(c.Rank())}
	slices.Sort(r)
	low, middle, high := r[0], r[1], r[2]
	suited := a.Suit() == b.Suit() && b.Suit() == c.Suit()
	sequence := low+1 == middle && middle+1 == high
	if ace, two, three := int(card.Ace), int(card.Two), int(card.Three); low == two && middle == three && high == ace {
		sequence, high = true, three
	}
	place := func(combination, first, second, third int) int { return ((combination*16+first)*16+second)*16 + third }
	switch {
	case low == high:
		return place(5, high, 0, 0)
	case sequence && suited:
		return place(6, high, 0, 0)
	case sequence:
		return place(4, high, 0, 0)
	case suited:
		return place(3, high, 0, 0)
	case low == middle:
		return place(2, low, high, 0)
	case middle == high:
		return place(2, high, low, 0)
	}
	return place(1, high, middle, low)
}

// All deals of the French book: 4 or 5 for a high combination that wins, even money on the
// Ante alone where the dealer does not qualify, and the stakes kept with equal hands.
func TestEveryDealOfTheFrenchBook(t *testing.T) {
	if testing.Short() {
		t.Skip("407,170,400 deals take a second")
	}
	v := frp3c.Book().Standard()
	tables := tablesFor(v.Book)
	hands := allHands()
	least := v.Book.Qualify.Least
	found := bruteForce(hands, french, french(least[0], least[1], least[2]), dealStep, runtime.GOMAXPROCS(0))
	var won int64
	for i, h := range hands {
		if i%dealStep != 0 {
			continue
		}
		out := found[i]
		meets(t, tables, h, out)
		ante := int64(1)
		switch french(h[0], h[1], h[2]) / (16 * 16 * 16) {
		case 6:
			ante = 5
		case 5:
			ante = 4
		}
		won += max(int64(out.unqualified)+int64(out.lower)*(ante+1)-2*int64(out.higher), -DealersHands)
	}
	if dealStep > 1 {
		return
	}
	report, err := Analyse(v, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.Wagers[AntePlay].HouseEdge, FractionOf(big.NewRat(-won, Deals)); !got.Equal(want) {
		t.Errorf("the house edge is %s, enumerated %s", got, want)
	}
}

// All deals of Royal Three Pictures: the main wager in half units, six paying
// one to two, and the Tie wager at eight to one.
func TestEveryDealOfRoyalThreePictures(t *testing.T) {
	if testing.Short() {
		t.Skip("407,170,400 deals take a second")
	}
	v := mbs3pictures.Book().Standard()
	tables := tablesFor(v.Book)
	hands := allHands()
	rank := func(a, b, c card.Card) int { return int(pictures.OfCards(a, b, c)) }
	points := func(a, b, c card.Card) int { return pictures.OfCards(a, b, c).Points() + 1 }
	ranked := bruteForce(hands, rank, 0, dealStep, runtime.GOMAXPROCS(0))
	tied := bruteForce(hands, points, 0, dealStep, runtime.GOMAXPROCS(0))
	main, tie := map[int64]int64{}, map[int64]int64{}
	for i, h := range hands {
		if i%dealStep != 0 {
			continue
		}
		k, met := &tables.classes[tables.classOf[indexOf(h)]], outcomes{}
		for s, ways := range k.dealer {
			switch strength := s + 1; {
			case strength < k.strength:
				met.lower += int(ways)
			case strength == k.strength:
				met.equal += int(ways)
			default:
				met.higher += int(ways)
			}
		}
		if met != ranked[i] {
			t.Fatalf("%s meets %+v, enumerated %+v", h, met, ranked[i])
		}
		win := int64(2)
		if pictures.Of(h).Points() == 6 {
			win = 1
		}
		main[win] += int64(ranked[i].lower)
		main[0] += int64(ranked[i].equal)
		main[-2] += int64(ranked[i].higher)
		tie[8] += int64(tied[i].equal)
		tie[-1] += int64(tied[i].lower + tied[i].higher)
	}
	if dealStep == 1 {
		compareNets(t, v.ID, Main, main, 2)
		compareNets(t, v.ID, Tie, tie, 1)
	}
}

// compareNets compares counts by net result, in that many parts of a unit, with
// the distribution of a standard variant's bet.
func compareNets(t *testing.T, book string, b Bet, nets map[int64]int64, parts int64) {
	t.Helper()
	v := rws3cp.Book().Standard()
	if b != AntePlay {
		v = mbs3pictures.Book().Standard()
	}
	sheet, err := Analyse(v, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := sheet.Wagers[b]
	total := big.NewInt(0)
	maps.DeleteFunc(nets, func(_, ways int64) bool { return ways == 0 })
	for _, out := range a.Distribution {
		net := new(big.Rat).Mul(out.Net.Rat(), big.NewRat(parts, 1))
		if !net.IsInt() || nets[net.Num().Int64()] != out.Ways.Int64() {
			t.Errorf("%s %s: net %s in %s ways, enumerated %d", book, b, out.Net.Plain(), out.Ways, nets[net.Num().Int64()])
		}
		total.Add(total, out.Ways)
		delete(nets, net.Num().Int64())
	}
	if len(nets) != 0 || total.Int64() != Deals {
		t.Errorf("%s %s: %s deals, and enumerated beside them %v", book, b, total, nets)
	}
}

// A complete sheet of rws-3cp with everything worked out anew: tables, strategy,
// distributions, progressive.
func BenchmarkParSheet(b *testing.B) {
	v := rws3cp.Book().Standard()
	b.ReportAllocs()
	for b.Loop() {
		t := newTables(v.Book.Ranking, v.Book.QualifyingStrength())
		if _, err := analyse(v, t, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The same with six other boxes whose hands bring Envy Bonuses.
func BenchmarkParSheetWithEnvy(b *testing.B) {
	v := rws3cp.Book().Standard()
	b.ReportAllocs()
	for b.Loop() {
		t := newTables(v.Book.Ranking, v.Book.QualifyingStrength())
		if _, err := analyse(v, t, Options{Others: 6}); err != nil {
			b.Fatal(err)
		}
	}
}

// The sheet after a pay table has changed, as at a keystroke.
func BenchmarkChangedPayTable(b *testing.B) {
	v := rws3cp.Book().Standard()
	tablesFor(v.Book)
	b.ReportAllocs()
	for b.Loop() {
		changed := v.Clone()
		table, err := v.Pays[1].WithPays([]int64{1})
		if err != nil {
			b.Fatal(err)
		}
		changed.Pays[1] = &table
		if _, err := Analyse(changed, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Every deal, one after the other, on one core: what the fast method replaces.
func BenchmarkBruteForce(b *testing.B) {
	hands := allHands()
	for b.Loop() {
		bruteForce(hands, func(a, b, c card.Card) int { return int(threecard.OfCards(a, b, c)) }, 400, 1, 1)
	}
}

// How many times faster the two are than going through every deal, measured in
// one run on one core.
func BenchmarkTimesFasterThanBruteForce(b *testing.B) {
	v := rws3cp.Book().Standard()
	hands := allHands()
	queen := int(threecard.HighCardRank(card.Queen, card.Three, card.Two))
	const runs = 50
	var brute, sheet, changed time.Duration
	clock := func(sum *time.Duration, f func()) {
		start := time.Now()
		f()
		*sum += time.Since(start)
	}
	for b.Loop() {
		clock(&brute, func() {
			bruteForce(hands, func(a, b, c card.Card) int { return int(threecard.OfCards(a, b, c)) }, queen, 1, 1)
		})
		clock(&sheet, func() {
			for range runs {
				t := newTables(v.Book.Ranking, v.Book.QualifyingStrength())
				if _, err := analyse(v, t, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		t := tablesFor(v.Book)
		clock(&changed, func() {
			for range runs {
				if _, err := analyse(v, t, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.ReportMetric(runs*float64(brute)/float64(sheet), "times/sheet")
	b.ReportMetric(runs*float64(brute)/float64(changed), "times/change")
}
