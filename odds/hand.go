package odds

import (
	"errors"
	"fmt"

	"trey/card"
	"trey/rules"
)

// Seen are the cards that a player knows beside those of the player's hand.
type Seen struct {
	// Dealer are cards of the dealer's hand, at most three.
	Dealer []card.Card
	// Others are cards in other boxes, or burnt face up.
	Others []card.Card
}

// Advice holds the value of one hand, played and folded, and the better choice.
type Advice struct {
	Hand card.Hand `json:"hand"`
	// Describes is the hand in words.
	Describes string `json:"describes"`
	// DealersHands is how many hands the dealer may hold for all the player
	// knows. The four after it are how many of them do not qualify, and of the
	// others how many are lower, equal and higher.
	DealersHands int64 `json:"dealers_hands"`
	Unqualified  int64 `json:"unqualified"`
	Lower        int64 `json:"lower"`
	Equal        int64 `json:"equal"`
	Higher       int64 `json:"higher"`
	// Decision reports whether there is one; without it Played is what the main
	// wager is worth.
	Decision bool `json:"decision"`
	// Play is the better choice, true where both are equal.
	Play bool `json:"play"`
	// Played and Folded are the expected net result of each choice, in units of
	// the Ante or the main wager.
	Played Fraction `json:"played"`
	Folded Fraction `json:"folded"`
	// Mistake is what the worse choice costs.
	Mistake Fraction `json:"mistake"`
}

// Advise works out what to do with a hand, given other cards that are known. It
// returns an error if a card is invalid or appears twice.
func Advise(v *rules.Variant, hand card.Hand, seen Seen) (*Advice, error) {
	t := tablesFor(v.Book)
	left, err := remaining(hand, seen)
	if err != nil {
		return nil, err
	}
	bet := Main
	if hasDecision(v) {
		bet = AntePlay
	}
	m := &maker{v: v, t: t}
	stake, err := m.o.stakeOf(v, bet)
	if err != nil {
		return nil, err
	}
	p, err := m.payoffs(bet, stake)
	if err != nil {
		return nil, err
	}
	a := &Advice{
		Hand: hand, Describes: v.Book.Ranking.Describe(hand), Decision: p.folded != nil,
	}
	index := indexOf(hand)
	strength, key := int(t.strength[index]), t.classes[t.classOf[index]].key
	var play int64
	for dealer := range dealersHands(seen.Dealer, left) {
		s := int(t.strength[indexOf(dealer)])
		r := t.relate(strength, s)
		play += p.played[key*t.relations+r].net
		a.DealersHands++
		switch {
		case s < t.qualify:
			a.Unqualified++
		case s < strength:
			a.Lower++
		case s == strength:
			a.Equal++
		default:
			a.Higher++
		}
	}
	a.Play = true
	a.Played = frac(play, a.DealersHands).over(int64(stake))
	if a.Decision {
		a.Folded = frac(p.folded[key].net, int64(stake))
		a.Play = a.Played.Cmp(a.Folded) >= 0
		a.Mistake = Choice{Played: a.Played, Folded: a.Folded}.Mistake()
	}
	return a, nil
}

// remaining returns the cards nobody has seen.
func remaining(hand card.Hand, seen Seen) (card.Set, error) {
	if !hand.Valid() {
		return 0, fmt.Errorf("%s is no hand: give three different cards, such as Qh 6d 4c", hand)
	}
	if len(seen.Dealer) > 3 {
		return 0, fmt.Errorf("%d cards of the dealer: the dealer has three", len(seen.Dealer))
	}
	known := card.NewSet(hand[:]...)
	for _, c := range append(append([]card.Card(nil), seen.Dealer...), seen.Others...) {
		switch {
		case !c.Valid():
			return 0, errors.New("a seen card is not known: leave it out")
		case known.Has(c):
			return 0, fmt.Errorf("%s appears twice: a deck has each card once", c)
		}
		known = known.With(c)
	}
	left := card.Deck().Minus(known)
	if left.Len() < 3-len(seen.Dealer) {
		return 0, errors.New("too many cards are seen: none are left for the dealer")
	}
	return left, nil
}

// dealersHands goes through the hands that complete the known cards of the
// dealer from those left.
func dealersHands(known []card.Card, left card.Set) func(yield func(card.Hand) bool) {
	return func(yield func(card.Hand) bool) {
		cards := left.Cards()
		switch len(known) {
		case 0:
			left.Hands()(yield)
		case 1:
			for i, a := range cards {
				for _, b := range cards[:i] {
					if !yield(card.Hand{known[0], a, b}) {
						return
					}
				}
			}
		case 2:
			for _, a := range cards {
				if !yield(card.Hand{known[0], known[1], a}) {
					return
				}
			}
		default:
			yield(card.Hand{known[0], known[1], known[2]})
		}
	}
}
