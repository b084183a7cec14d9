package sim

import (
	"trey/card"
	"trey/rank/pictures"
	"trey/rules"
)

// hands is the number of hands of three cards.
const hands = 22_100

// deals are the tables from which the kernel reads what kind of deal two hands are. They are small
// so that they stay in the processor's nearest memory.
type deals struct {
	// hand holds for each hand its cards, a bit each, and from bit valueShift
	// on its value. The length is the next power of two, so that an index of
	// fifteen bits needs no check.
	hand [1 << 15]uint64
	// strength and base are by value: the hand's place in the order, and the
	// first cell of its kind if the player holds it.
	strength [maxValues]uint16
	base     [maxValues]uint16
	// qualify is the least strength with which the dealer plays.
	qualify int
	// byRank says that the dealer's hand matters by its rank, as for a bet on
	// equal points, and not just by how it compares.
	byRank bool
	// deal holds for each cell one deal of that kind; its player's hand is
	// invalid where there is none.
	deal []deal
}

const (
	// A value stands for hands of one strength, of the same combinations, and
	// played or folded alike. The 52 cards leave twelve bits for it.
	valueShift = 52
	maxValues  = 1 << (64 - valueShift)
	// maxCells is the room for cells; a cell is a kind of deal: a player's hand
	// of one kind and its relation to the dealer's.
	maxCells = 1 << 12
	// The relations where hands are only compared: the dealer does not
	// qualify, the player's hand is equal, lower, higher.
	compared = 4
)

// deal is one deal and whether the player folds.
type deal struct {
	player, dealer card.Hand
	folded         bool
}

// relate numbers what the dealer's hand is to the player's, by their strengths.
// The kernel's loops compute the same without a branch.
func (d *deals) relate(player, dealer int) int {
	switch {
	case d.byRank:
		return dealer
	case dealer < d.qualify:
		return 0
	case player == dealer:
		return 1
	case player > dealer:
		return 2
	}
	return 3
}

// newDeals makes the tables of a book for a player who plays or folds as said.
func newDeals(b *rules.Book, plays func(card.Hand) bool) *deals {
	d := &deals{byRank: b.Ranking == rules.PictureOrder}
	if b.Qualify != nil {
		d.qualify = b.QualifyingStrength()
	}
	relations := compared
	if d.byRank {
		relations = int(pictures.Count) + 1
	}
	type value struct {
		strength int
		combos   rules.ComboSet
		folded   bool
	}
	type kind struct {
		strength int // where the rank itself matters
		combos   rules.ComboSet
		folded   bool
	}
	numbers, kinds := map[value]int{}, map[kind]int{}
	var of [][]card.Hand // by value
	var folds []bool
	n := 0
	for h := range card.Hands() {
		v := value{b.Ranking.Strength(h), b.Ranking.Combos(h), !plays(h)}
		number, ok := numbers[v]
		if !ok {
			number = len(numbers)
			numbers[v] = number
			of, folds = append(of, nil), append(folds, v.folded)
			k := kind{0, v.combos, v.folded}
			if d.byRank {
				k.strength = v.strength
			}
			if _, ok := kinds[k]; !ok {
				kinds[k] = len(kinds)
			}
			d.strength[number] = uint16(v.strength)
			d.base[number] = uint16(kinds[k] * relations)
		}
		of[number] = append(of[number], h)
		d.hand[n] = uint64(card.NewSet(h[:]...)) | uint64(number)<<valueShift
		n++
	}
	d.deal = make([]deal, len(kinds)*relations)
	for p := range of {
		for q := range of {
			at := int(d.base[p]) + d.relate(int(d.strength[p]), int(d.strength[q]))
			if !d.deal[at].player.Valid() {
				d.deal[at] = apart(of[p], of[q])
				d.deal[at].folded = folds[p]
			}
		}
	}
	return d
}

// apart finds two hands, one of each list, that can be dealt from one deck.
func apart(players, dealers []card.Hand) deal {
	for _, p := range players {
		held := card.NewSet(p[:]...)
		for _, q := range dealers {
			if card.NewSet(q[:]...).Intersect(held) == 0 {
				return deal{player: p, dealer: q}
			}
		}
	}
	return deal{}
}
