package rules

import (
	"sync"

	"trey/card"
	"trey/internal/enum"
	"trey/rank/pictures"
	"trey/rank/threecard"
)

// Combo is something a hand can be that a pay table pays for.
type Combo uint8

// The combinations of all pay tables. The zero value is none of them.
const (
	_ Combo = iota
	// AnyHand matches every hand: the last row of a table that pays any win.
	AnyHand
	AKQSpades
	AKQSuited
	StraightFlush
	ThreeOfAKind
	Straight
	Flush
	Pair
	ThreeKings
	ThreeQueens
	ThreeJacks
	// ThreePictures is any three picture cards; tables list the three of a
	// kind rows above it.
	ThreePictures
	// PicturePair is two pictures of one rank and a card that is no picture
	// (ruling picture_pair).
	PicturePair
	// AnyKing is one King with two cards that are no pictures, or with one
	// Queen or Jack and one card that is no picture.
	AnyKing
	// SixPoints is a hand of six points in Royal Three Pictures.
	SixPoints
	numCombos
)

var comboKeys = enum.New("a combination", numCombos, []string{
	AnyHand: "any-hand", AKQSpades: "akq-spades", AKQSuited: "akq-suited",
	StraightFlush: "straight-flush", ThreeOfAKind: "three-of-a-kind",
	Straight: "straight", Flush: "flush", Pair: "pair",
	ThreeKings: "three-kings", ThreeQueens: "three-queens", ThreeJacks: "three-jacks",
	ThreePictures: "three-pictures", PicturePair: "picture-pair", AnyKing: "any-king",
	SixPoints: "six-points",
})

var comboNames = [numCombos]string{
	AnyHand: "Any hand", AKQSpades: "AKQ of spades", AKQSuited: "AKQ suited",
	StraightFlush: "Straight flush", ThreeOfAKind: "Three of a kind",
	Straight: "Straight", Flush: "Flush", Pair: "Pair",
	ThreeKings: "Three Kings", ThreeQueens: "Three Queens", ThreeJacks: "Three Jacks",
	ThreePictures: "Three Pictures", PicturePair: "Any Picture Pair", AnyKing: "Any King",
	SixPoints: "Six points",
}

// String returns the combination's key in files, such as "straight-flush".
func (c Combo) String() string { return comboKeys.Key(c) }

// Name returns the combination's name for people.
func (c Combo) Name() string {
	if c == 0 || c >= numCombos {
		return "Unknown"
	}
	return comboNames[c]
}

// ParseCombo reads a combination's key. The error lists the keys there are.
func ParseCombo(s string) (Combo, error) { return comboKeys.Parse(s) }

// MarshalText writes the combination's key; no combination is empty text.
func (c Combo) MarshalText() ([]byte, error) { return comboKeys.MarshalOrNone(c) }

// UnmarshalText reads a combination's key.
func (c *Combo) UnmarshalText(text []byte) error { return comboKeys.UnmarshalOrNone(c, text) }

// ComboSet is the set of combinations that one hand is, a bit each.
type ComboSet uint32

// Has reports whether the hand is the combination.
func (s ComboSet) Has(c Combo) bool { return s>>c&1 == 1 }

func bit(c Combo) ComboSet { return 1 << c }

// Ranking is the order of hands that a book plays by.
type Ranking uint8

// The rankings. The zero value is none of them.
const (
	_ Ranking = iota
	// PokerOrder is three-card poker's: straight above flush, A-2-3 the lowest
	// straight.
	PokerOrder
	// PictureOrder is that of Royal Three Pictures: picture cards and points.
	PictureOrder
	// HighestCardOrder is three-card poker's, but of two flushes the highest card
	// alone decides: their other cards do not.
	HighestCardOrder
	numRankings
)

// Strength returns the hand's place in the order, which begins at 1; higher is better.
// Hands of equal rank have equal strength. The hand must be valid.
//
//clause:rws-3cp@3 3.1.3a
//clause:rws-3cp@3 3.1.3b
//clause:rws-3cp@3 3.1.3c
//clause:fr-p3c@2007 34
func (r Ranking) Strength(h card.Hand) int {
	switch r {
	case PictureOrder:
		return int(pictures.Of(h))
	case HighestCardOrder:
		return int(threecard.Of(h).ByHighestCard())
	case PokerOrder:
	}
	return int(threecard.Of(h))
}

// Describe names the hand in words, such as "High card Q-6-4" or "Double
// Picture Nine".
func (r Ranking) Describe(h card.Hand) string {
	if r == PictureOrder {
		return pictures.Of(h).String()
	}
	return threecard.Of(h).String()
}

// Named returns a number that only hands share which [Ranking.Describe] names alike. It is not
// the strength where hands of several names are equally strong.
func (r Ranking) Named(h card.Hand) int {
	if r == HighestCardOrder {
		return int(threecard.Of(h))
	}
	return r.Strength(h)
}

// Spoken returns the words with which a dealer announces the hand in play, such as "a
// Queen", "a pair of Tens" or "a straight flush"; in Royal Three Pictures it is the
// hand's name.
func (r Ranking) Spoken(h card.Hand) string {
	if r == PictureOrder {
		return r.Describe(h)
	}
	sorted := h.Sorted()
	switch threecard.Of(h).Category() {
	case threecard.HighCard:
		if sorted[0].Rank() == card.Ace {
			return "an Ace"
		}
		return "a " + sorted[0].Rank().Name()
	case threecard.Pair:
		// In a sorted hand the middle card always belongs to the pair.
		return "a pair of " + sorted[1].Rank().Plural()
	case threecard.Flush:
		return "a flush"
	case threecard.Straight:
		return "a straight"
	case threecard.ThreeOfAKind:
		return "three " + sorted[0].Rank().Plural()
	case threecard.StraightFlush:
		return "a straight flush"
	}
	return "no hand"
}

// Combos returns everything the hand is under this ranking.
func (r Ranking) Combos(h card.Hand) ComboSet {
	if r == PictureOrder {
		return pictureCombos(h)
	}
	return pokerCombos(h)
}

// hands returns how many of all hands are exactly these combinations. The hands are counted
// once, because every check of a pay table asks for them.
func (r Ranking) hands() map[ComboSet]int {
	if r == PictureOrder {
		return pictureHands()
	}
	return pokerHands()
}

var pokerHands, pictureHands = countHands(pokerCombos), countHands(pictureCombos)

func countHands(combos func(card.Hand) ComboSet) func() map[ComboSet]int {
	return sync.OnceValue(func() map[ComboSet]int {
		hands := map[ComboSet]int{}
		for h := range card.Hands() {
			hands[combos(h)]++
		}
		return hands
	})
}

var categoryCombo = [...]Combo{
	threecard.Pair: Pair, threecard.Flush: Flush, threecard.Straight: Straight,
	threecard.ThreeOfAKind: ThreeOfAKind, threecard.StraightFlush: StraightFlush,
}

//clause:rws-3cp@3 3.17
//clause:sm-3cp bonus.2
func pokerCombos(h card.Hand) ComboSet {
	rank := threecard.Of(h)
	set := bit(AnyHand)
	category := rank.Category()
	if category == threecard.HighCard {
		return set
	}
	set |= bit(categoryCombo[category])
	if rank == threecard.Count {
		set |= bit(AKQSuited)
		if h[0].Suit() == card.Spades {
			set |= bit(AKQSpades)
		}
	}
	return set
}

//clause:mbs-3pictures@2 1.1.4
//clause:mbs-3pictures@2 1.1.4.1
//clause:mbs-3pictures@2 1.1.4.2
//clause:mbs-3pictures@2 1.1.4.2.1
//clause:mbs-3pictures@2 1.1.4.2.2
//clause:mbs-3pictures@2 1.1.4.2.3
//clause:mbs-3pictures@2 1.1.4.3
//clause:mbs-3pictures@2 1.1.4.4
//clause:mbs-3pictures@2 1.1.4.5
//clause:mbs-3pictures@2 1.1.4.6
func pictureCombos(h card.Hand) ComboSet {
	set := bit(AnyHand)
	var jacks, queens, kings int
	for _, c := range h {
		switch c.Rank() {
		case card.Jack:
			jacks++
		case card.Queen:
			queens++
		case card.King:
			kings++
		default:
		}
	}
	switch jacks + queens + kings {
	case 3:
		set |= bit(ThreePictures)
		switch {
		case kings == 3:
			set |= bit(ThreeKings)
		case queens == 3:
			set |= bit(ThreeQueens)
		case jacks == 3:
			set |= bit(ThreeJacks)
		}
	case 2:
		if kings == 2 || queens == 2 || jacks == 2 {
			set |= bit(PicturePair)
		} else if kings == 1 {
			set |= bit(AnyKing)
		}
	case 1:
		if kings == 1 {
			set |= bit(AnyKing)
		}
	}
	// Three Pictures is a rank of its own and no hand of six points.
	if pictures.Of(h).Points() == 6 {
		set |= bit(SixPoints)
	}
	return set
}
