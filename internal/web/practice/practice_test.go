package practice_test

import (
	"math/big"
	"slices"
	"testing"

	"trey/card"
	"trey/internal/web/practice"
	"trey/odds"
	"trey/rules/books"
)

// worth orders hands of three cards by a number, written here from the order of hands alone:
// high card, pair, flush, straight, three of a kind, straight flush.
func worth(h [3]card.Card) int {
	r := []int{int(h[0].Rank()), int(h[1].Rank()), int(h[2].Rank())}
	slices.Sort(r)
	ace, two, three := int(card.Ace), int(card.Two), int(card.Three)
	flush := h[0].Suit() == h[1].Suit() && h[1].Suit() == h[2].Suit()
	low := r[0] == two && r[1] == three && r[2] == ace
	straight := r[1] == r[0]+1 && r[2] == r[1]+1 || low
	if low {
		r = []int{1, two, three}
	}
	kind := 0
	switch {
	case straight && flush:
		kind = 5
	case r[0] == r[2]:
		kind = 4
	case straight:
		kind = 3
	case flush:
		kind = 2
	case r[0] == r[1]:
		kind, r = 1, []int{r[2], r[0], r[0]}
	case r[1] == r[2]:
		kind = 1
	}
	return ((kind*20+r[2])*20+r[1])*20 + r[0]
}

// TestFiguresAreCounted counts the dealer's 18,424 hands against each hand of the practice. The
// Ante wins where the dealer has less than a Queen, Ante and Play win or lose together
// otherwise, and an equal hand stands off. Royal Three Pictures has no such hand.
func TestFiguresAreCounted(t *testing.T) {
	queen := worth([3]card.Card{card.New(card.Queen, card.Hearts), card.New(card.Three, card.Spades), card.New(card.Two, card.Spades)})
	for _, book := range books.All() {
		v := book.Standard()
		sheet, err := odds.Analyse(v, odds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hands := practice.Hands(v, sheet.Wagers[odds.Bets(v)[0]].Strategy)
		if book.Decision == nil {
			if hands != nil {
				t.Errorf("%s, which has no decision, drills %d hands", book.ID, len(hands))
			}
			continue
		}
		var played, folded int
		ranks := map[int]bool{}
		for _, h := range hands {
			mine := worth(h.Cards)
			ranks[mine] = true
			deck := slices.DeleteFunc(card.Deck().Cards(), func(c card.Card) bool { return slices.Contains(h.Cards[:], c) })
			sum := int64(0)
			for i := range deck {
				for j := range i {
					for k := range j {
						switch dealers := worth([3]card.Card{deck[i], deck[j], deck[k]}); {
						case dealers < queen:
							sum++
						case dealers < mine:
							sum += 2
						case dealers > mine:
							sum -= 2
						}
					}
				}
			}
			if want := big.NewRat(sum, 18_424); h.Played.Rat().Cmp(want) != 0 || h.Fold.Rat().Cmp(big.NewRat(-1, 1)) != 0 {
				t.Errorf("%s: %v is worth %s played, want %s, and %s folded", book.ID, h.Cards, h.Played.Rat(), want, h.Fold.Rat())
			}
			if h.Played.Cmp(h.Fold) > 0 {
				played++
			} else {
				folded++
			}
		}
		if len(ranks) != 24 || played < 40 || folded < 40 {
			t.Errorf("%s drills %d ranks, %d hands that are played and %d that are folded", book.ID, len(ranks), played, folded)
		}
	}
}
