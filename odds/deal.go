package odds

import (
	"slices"
	"sync"

	"trey/card"
	"trey/rules"
)

// The numbers of deals: hands of the deck, dealer's hands once the player has three
// cards, and both together.
const (
	deckSize     = 52
	Hands        = 22_100
	DealersHands = 18_424
	Deals        = Hands * DealersHands
)

// relation is the comparison of a dealer's hand with a player's hand, as fine as any
// wager needs it. In the poker order it is one of the four below. In the picture order a
// bet may look at the dealer's points, so there it is the rank of the dealer's hand
// itself, counted from zero.
type relation = int

const (
	unqualified relation = iota
	lower
	equal
	higher
	pokerRelations
)

// class is a set of player's hands that meet equally many dealer's hands of
// each relation and are the same combinations: hands that differ by an exchange
// of suits, or, in the picture order, in suits at all.
type class struct {
	hand     card.Hand // one of them
	ways     int64     // how many there are
	strength int
	key      int
	dealer   []int32 // ways of a dealer's hand, by relation
}

// showdown is one deal of a kind.
type showdown struct{ player, dealer card.Hand }

// tables are all that depends on the order of hands and on the qualification
// but on no pay table: every deal there is, counted by kind.
type tables struct {
	ranking   rules.Ranking
	qualify   int // least qualifying strength, 0 where every hand qualifies
	top       int // the greatest strength
	relations int
	classes   []class
	combos    []rules.ComboSet // by key
	// deals holds for each key and relation (key*relations + relation) one
	// deal, where there is any.
	deals []showdown

	// By hand, in the order of the index that handIndex returns.
	cards    [Hands][3]uint8
	strength [Hands]uint16
	classOf  [Hands]uint16
}

var (
	tablesMu sync.Mutex
	tablesOf = map[[2]int]*tables{}
)

// tablesFor returns the tables of a book, which are worked out once for each
// order and qualification, in about two milliseconds.
func tablesFor(b *rules.Book) *tables {
	qualify := 0
	if b.Qualify != nil {
		qualify = b.QualifyingStrength()
	}
	key := [2]int{int(b.Ranking), qualify}
	tablesMu.Lock()
	defer tablesMu.Unlock()
	t := tablesOf[key]
	if t == nil {
		t = newTables(b.Ranking, qualify)
		tablesOf[key] = t
	}
	return t
}

// Qualification returns the least hand with which the dealer of the book
// qualifies, such as "Q-3-2", and the chance of that; ok is false where every hand
// does.
func Qualification(b *rules.Book) (least string, chance Fraction, ok bool) {
	t := tablesFor(b)
	if t.qualify <= 1 {
		return "", frac(1, 1), false
	}
	var ways int64
	for i := range t.classes {
		if t.classes[i].strength >= t.qualify {
			ways += t.classes[i].ways
		}
	}
	return leastHand(t.qualify), frac(ways, Hands), true
}

// handIndex returns the place of three card indexes a < b < c among all hands.
func handIndex(a, b, c int) int { return c*(c-1)*(c-2)/6 + b*(b-1)/2 + a }

func indexOf(h card.Hand) int {
	h = h.Sorted()
	return handIndex(h[2].Index(), h[1].Index(), h[0].Index())
}

const (
	ranks     = 13
	pairKinds = ranks * ranks * 2
)

// pairKind numbers the kinds of a pair of cards, for cards given by index with
// the lower first: their ranks, and whether the suits are the same.
func pairKind(a, b int) int {
	kind := (a>>2*ranks + b>>2) * 2
	if (a^b)&3 == 0 {
		kind++
	}
	return kind
}

func newTables(ranking rules.Ranking, qualify int) *tables {
	t := &tables{ranking: ranking, qualify: qualify}
	t.sortIntoClasses()
	c := t.count()
	t.relations = pokerRelations
	if ranking == rules.PictureOrder {
		t.relations = t.top
	}
	ways := make([]int32, len(t.classes)*t.relations)
	for i := range t.classes {
		k := &t.classes[i]
		k.dealer = ways[i*t.relations : (i+1)*t.relations]
		if ranking == rules.PictureOrder {
			t.meetPictures(c, k)
		} else {
			t.meetPoker(c, k)
		}
	}
	t.findDeals(c)
	return t
}

// sortIntoClasses goes through all hands once. Hands of the same three ranks
// and suit pattern are one class, or several where they are not the same
// combinations: ace, king and queen of spades is more than those of hearts.
func (t *tables) sortIntoClasses() {
	const suitPatterns = 8
	// first holds a class by ranks and pattern, next the one that differs from
	// it in its combinations; both are the class's number plus one.
	var first [ranks * ranks * ranks * suitPatterns]uint16
	next := make([]uint16, 0, usualClasses)
	t.classes = make([]class, 0, usualClasses)
	poker := t.ranking != rules.PictureOrder
	var strengths []int                                // by key, picture order only
	classes := make([]rules.ComboSet, 0, usualClasses) // by class, as the two below
	strength := make([]uint16, 0, usualClasses)
	ways := make([]int64, 0, usualClasses)
	add := func(h card.Hand, combos rules.ComboSet) uint16 {
		s := t.ranking.Strength(h)
		t.top = max(t.top, s)
		key := 0
		for key < len(t.combos) && (t.combos[key] != combos || !poker && strengths[key] != s) {
			key++
		}
		if key == len(t.combos) {
			t.combos = append(t.combos, combos)
			strengths = append(strengths, s)
		}
		t.classes = append(t.classes, class{hand: h, strength: s, key: key})
		classes, next = append(classes, combos), append(next, 0)
		strength, ways = append(strength, uint16(s)), append(ways, 0)
		return uint16(len(t.classes))
	}
	combosOf, i := combosByHand(t.ranking), 0
	for c := 2; c < deckSize; c++ {
		for b := 1; b < c; b++ {
			for a := range b {
				shape := ((c>>2*ranks+b>>2)*ranks + a>>2) * suitPatterns
				if poker {
					shape += suitPattern(a, b, c)
				}
				combos, class := combosOf[i], first[shape]
				for class != 0 && classes[class-1] != combos {
					class = next[class-1]
				}
				if class == 0 {
					class = add(card.Hand{card.FromIndex(c), card.FromIndex(b), card.FromIndex(a)}, combos)
					next[class-1], first[shape] = first[shape], class
				}
				ways[class-1]++
				t.classOf[i] = class - 1
				t.cards[i] = [3]uint8{uint8(a), uint8(b), uint8(c)}
				t.strength[i] = strength[class-1]
				i++
			}
		}
	}
	for i := range t.classes {
		t.classes[i].ways = ways[i]
	}
}

var pokerCombos, pictureCombos = askEveryHand(rules.PokerOrder), askEveryHand(rules.PictureOrder)

// combosByHand returns what every hand is, by its index. Each hand is asked, so that a row of a
// pay table may go by suits or colors; but once for all tables, in half a millisecond.
func combosByHand(r rules.Ranking) []rules.ComboSet {
	if r == rules.PictureOrder {
		return pictureCombos()
	}
	return pokerCombos()
}

func askEveryHand(r rules.Ranking) func() []rules.ComboSet {
	return sync.OnceValue(func() []rules.ComboSet {
		combos := make([]rules.ComboSet, Hands)
		for h := range card.Hands() {
			combos[indexOf(h)] = r.Combos(h)
		}
		return combos
	})
}

// usualClasses is room for the classes of our books: 1,755 up to suits, and a few more.
const usualClasses = 1800

// suitPattern tells apart hands of the same ranks that an exchange of suits
// does not turn into each other. In a pair the two cards of one rank are
// interchangeable, so only whether the odd card shares a suit with one counts.
func suitPattern(a, b, c int) int {
	pattern := int(sameSuits[a&3<<4|b&3<<2|c&3])
	switch {
	case a>>2 == c>>2:
		return 0
	case a>>2 == b>>2, b>>2 == c>>2:
		return min(pattern, 1)
	}
	return pattern
}

// sameSuits holds, by three suits, a bit for each two of them that are the
// same.
var sameSuits = func() (same [64]uint8) {
	for i := range same {
		a, b, c := i>>4, i>>2&3, i&3
		for bit, yes := range [...]bool{a == b, b == c, a == c} {
			if yes {
				same[i] |= 1 << bit
			}
		}
	}
	return same
}()

// counts holds how many hands there are below each strength: of the whole deck,
// with one given card in it, and with two.
type counts struct {
	all  []int32   // by strength
	with [][]int16 // by rank of the card, by strength
	pair [][]int16 // by pairKind, by strength; nil for kinds that cannot be
	// sorted lists the hands by strength.
	sorted []uint16
}

// count fills the counts. Suits are alike, so one card of each rank and one
// pair of each kind stand for all.
func (t *tables) count() *counts {
	c := &counts{
		all: make([]int32, t.top+2), with: make([][]int16, ranks), pair: make([][]int16, pairKinds),
		sorted: make([]uint16, Hands),
	}
	for i := range t.classes {
		c.all[t.classes[i].strength+1] += int32(t.classes[i].ways)
	}
	accumulate(c.all)
	next := slices.Clone(c.all)
	for i, s := range t.strength {
		c.sorted[next[s]] = uint16(i)
		next[s]++
	}
	cells := make([]int16, (ranks+ranks*ranks)*(t.top+2))
	row := func() []int16 {
		first := cells[: t.top+2 : t.top+2]
		cells = cells[t.top+2:]
		return first
	}
	for r := range c.with {
		c.with[r] = row()
	}
	for a := range ranks {
		for b := a; b < ranks; b++ {
			for _, second := range [...]int{b * 4, b*4 + 1} {
				first := a * 4
				if second == first {
					continue
				}
				below := row()
				for third := range deckSize {
					if third != first && third != second {
						below[t.strengthOf(first, second, third)+1]++
					}
				}
				accumulate(below)
				c.pair[pairKind(first, second)] = below
			}
		}
	}
	// Each hand with a given card is counted with either of its two others.
	for r := range ranks {
		below := c.with[r]
		for other := range ranks {
			kind := pairKind(min(r, other)*4, max(r, other)*4+1)
			unsuited := c.pair[kind][:len(below)]
			if other == r {
				for s := range below {
					below[s] += 3 * unsuited[s]
				}
				continue
			}
			suited := c.pair[kind^1][:len(below)]
			for s := range below {
				below[s] += 3*unsuited[s] + suited[s]
			}
		}
		for s := range below {
			below[s] /= 2
		}
	}
	return c
}

func accumulate[T int16 | int32](counts []T) {
	var sum T
	for i := range counts {
		sum += counts[i]
		counts[i] = sum
	}
}

// strengthOf returns the strength of the hand of three different card indexes
// in any order.
func (t *tables) strengthOf(a, b, c int) int {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
		if a > b {
			a, b = b, a
		}
	}
	return int(t.strength[handIndex(a, b, c)])
}

// left counts the dealer's hands once the hand of a class is gone from the
// deck.
type left struct {
	strength            int
	all                 []int32
	x, y, z, xy, xz, yz []int16
}

func (c *counts) without(k *class) left {
	x, y, z := k.hand[2].Index(), k.hand[1].Index(), k.hand[0].Index() // ascending
	return left{
		k.strength, c.all, c.with[x>>2], c.with[y>>2], c.with[z>>2],
		c.pair[pairKind(x, y)], c.pair[pairKind(x, z)], c.pair[pairKind(y, z)],
	}
}

// below counts the dealer's hands below a strength. It is inclusion and
// exclusion on the three cards that are gone: all hands, less those with one of
// them, plus those with two, less the one with all three.
func (l *left) below(s int) int32 {
	n := l.all[s] - int32(l.x[s]+l.y[s]+l.z[s]) + int32(l.xy[s]+l.xz[s]+l.yz[s])
	if l.strength < s {
		n--
	}
	return n
}

// meetPoker counts a class's dealer's hands by relation.
func (t *tables) meetPoker(c *counts, k *class) {
	left := c.without(k)
	var short int32
	if t.qualify > 0 {
		short = left.below(t.qualify)
	}
	k.dealer[unqualified] = short
	if k.strength < t.qualify {
		k.dealer[higher] = DealersHands - short
		return
	}
	least, more := left.below(k.strength), left.below(k.strength+1)
	k.dealer[lower], k.dealer[equal], k.dealer[higher] = least-short, more-least, DealersHands-more
}

// meetPictures counts a class's dealer's hands by rank.
func (t *tables) meetPictures(c *counts, k *class) {
	left := c.without(k)
	for s := 1; s <= t.top; s++ {
		k.dealer[s-1] = left.below(s+1) - left.below(s)
	}
}

// relate returns the relation of a dealer's hand to a player's hand, by their strengths.
func (t *tables) relate(player, dealer int) relation {
	switch {
	case t.ranking == rules.PictureOrder:
		return dealer - 1
	case dealer < t.qualify:
		return unqualified
	case dealer < player:
		return lower
	case dealer == player:
		return equal
	}
	return higher
}

// reach returns the strengths, from the first up to but without the second,
// that a dealer's hand of the relation can have.
func (t *tables) reach(k *class, r relation) (from, to int) {
	if t.ranking == rules.PictureOrder {
		return r + 1, r + 2
	}
	switch r {
	case unqualified:
		return 0, t.qualify
	case lower:
		return t.qualify, k.strength
	case equal:
		return k.strength, k.strength + 1
	}
	return max(k.strength+1, t.qualify), t.top + 1
}

// findDeals finds one deal for each key and relation.
func (t *tables) findDeals(c *counts) {
	t.deals = make([]showdown, len(t.combos)*t.relations)
	for i := range t.classes {
		k := &t.classes[i]
		player := card.NewSet(k.hand[:]...)
		for r, ways := range k.dealer {
			deal := &t.deals[k.key*t.relations+r]
			if ways == 0 || deal.player.Valid() {
				continue
			}
			from, to := t.reach(k, r)
			for _, index := range c.sorted[c.all[from]:c.all[to]] {
				dealer := t.handAt(int(index))
				if card.NewSet(dealer[:]...).Intersect(player) == 0 {
					*deal = showdown{k.hand, dealer}
					break
				}
			}
		}
	}
}

func (t *tables) handAt(i int) card.Hand {
	x := t.cards[i]
	return card.Hand{card.FromIndex(int(x[2])), card.FromIndex(int(x[1])), card.FromIndex(int(x[0]))}
}
