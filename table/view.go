package table

import (
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// Viewer is somebody who looks at the table. Player is empty for anyone who is
// not betting, staff and surveillance included: no function at the table lets a
// person see a card that lies face down.
type Viewer struct {
	Player string
}

// Picture is the table as one viewer may see it. It holds no card that the viewer may not
// know; such a card is card.None, printed "??".
type Picture struct {
	Book    string       `json:"book"`
	Variant string       `json:"variant"`
	Phase   Phase        `json:"phase"`
	Round   int          `json:"round"`
	Boxes   []BoxPicture `json:"boxes"`
	// Dealer are the cards before the dealer, Burn those on the burn pile.
	Dealer []card.Card `json:"dealer,omitempty"`
	Burn   []card.Card `json:"burn,omitempty"`
	// DealerRank names the dealer's hand once it is shown.
	DealerRank string  `json:"dealer_rank,omitempty"`
	Lines      []Line  `json:"lines,omitempty"`
	Question   string  `json:"question,omitempty"`
	Offers     []Offer `json:"offers,omitempty"`
	// ProgressiveDown says that no Progressive Jackpot bets are accepted.
	ProgressiveDown bool `json:"progressive_down,omitempty"`
	// SettleNext is the box that is settled next in the book's order.
	SettleNext int `json:"settle_next,omitempty"`
}

// BoxPicture is one box as a viewer may see it.
type BoxPicture struct {
	Box     int             `json:"box"`
	Bettors []BettorPicture `json:"bettors,omitempty"`
	Cards   []card.Card     `json:"cards,omitempty"`
	// Rank names the hand when the viewer may know all of it.
	Rank     string   `json:"rank,omitempty"`
	Decision Decision `json:"decision"`
	Examined bool     `json:"examined,omitempty"`
	Up       bool     `json:"up,omitempty"`
	Invalid  bool     `json:"invalid,omitempty"`
	// Settled says that the box is settled: no bets lie on it any more.
	Settled bool `json:"settled,omitempty"`
	// Lammer marks a bonus bet that may still bring an Envy Bonus.
	Lammer    bool `json:"lammer,omitempty"`
	Suspended bool `json:"suspended,omitempty"`
}

// BettorPicture is one player's wagers on a box.
type BettorPicture struct {
	Player   string                       `json:"player"`
	Standing bool                         `json:"standing,omitempty"`
	Stakes   map[rules.Wager]money.Amount `json:"stakes"`
}

// View returns the table as the viewer may see it. It is the only way in which
// anything about a round reaches a person.
func View(s State, v Viewer) Picture {
	p := Picture{
		Book: s.book().Ref(), Variant: s.Variant.ID, Phase: s.Phase, Round: s.Round,
		Boxes: make([]BoxPicture, len(s.Boxes)), Lines: s.Lines, Offers: s.Offers,
		ProgressiveDown: s.Down && s.DownOption != WithoutBoxes, SettleNext: s.NextToSettle(),
	}
	if s.Question != nil {
		p.Question = s.Question.Ask(s.book())
	}
	mine := seenByTable
	for i := range s.Boxes {
		if v.Player != "" && s.Boxes[i].Examiner == v.Player {
			mine |= seenAt(i + 1)
		}
	}
	// A card once seen stays seen, wherever it was moved to since.
	p.Dealer, p.Burn = s.visible(DealerHand, mine), s.visible(BurnPile, mine)
	p.DealerRank = s.rankOf(p.Dealer)
	if len(p.Dealer) == 3 {
		h := Arranged(s.book(), DealerHand, card.Hand(p.Dealer))
		copy(p.Dealer, h[:])
	}
	for i := range s.Boxes {
		b := s.Boxes[i]
		box := BoxPicture{
			Box: i + 1, Decision: b.Decision, Examined: b.Examiner != "", Up: b.Up,
			Invalid: b.Invalid, Settled: b.Settled, Suspended: b.Suspended, Cards: s.visible(Box(i+1), mine),
		}
		box.Rank = s.rankOf(box.Cards)
		for j := range b.Bettors {
			stakes := make(map[rules.Wager]money.Amount)
			for w := rules.Ante; int(w) < len(b.Bettors[j].Stakes); w++ {
				if amount := b.Bettors[j].Stakes[w]; amount != 0 && !(b.Settled && s.Phase.InRound()) {
					stakes[w] = amount
				}
			}
			box.Lammer = box.Lammer || s.marked(b, &b.Bettors[j])
			box.Bettors = append(box.Bettors, BettorPicture{b.Bettors[j].Player, b.Bettors[j].Standing, stakes})
		}
		p.Boxes[i] = box
	}
	return p
}

// marked reports whether an Envy lammer lies beside a bettor's Bonus bet. It stays when the box
// is settled, until every Bonus bet is.
//
//clause:sm-3cp bonus.7
//clause:sm-3cp bonus.9a
func (s *State) marked(b *BoxState, bettor *Bettor) bool {
	w, ok := s.Variant.EnvyCarrier()
	return ok && w == rules.Bonus && s.Phase.InRound() && !b.Invalid && s.Variant.ClaimsEnvy(&bettor.Stakes, b.Decision == Folded)
}

// Arranged returns a hand as it lies before the people at the table: where the book
// has the dealer's cards laid from the highest down or by their combination, in that
// order. The record keeps the order of the deal.
//
//clause:us-3cp dealing.6
//clause:fr-p3c@2007 28
func Arranged(b *rules.Book, p Place, h card.Hand) card.Hand {
	grouped := b.Announce.DealerGrouped != ""
	if p != DealerHand || b.Announce.DealerSorted == "" && !grouped || !h.Valid() {
		return h
	}
	slices.SortStableFunc(h[:], func(x, y card.Card) int { return int(y.Rank()) - int(x.Rank()) })
	if h[0].Rank() == card.Ace && h[1].Rank() == card.Three && h[2].Rank() == card.Two {
		// In 3-2-A the ace is low.
		h[0], h[1], h[2] = h[1], h[2], h[0]
	}
	if grouped && h[0].Rank() != h[1].Rank() && h[1].Rank() == h[2].Rank() {
		h[0], h[1], h[2] = h[1], h[2], h[0]
	}
	return h
}

// visible returns the cards at a place, those hidden that none of the given
// eyes has seen.
func (s *State) visible(p Place, eyes seen) []card.Card {
	var cards []card.Card
	for _, c := range s.Slots {
		if c.Place != p {
			continue
		}
		if c.seen&(eyes|seenByTable) == 0 {
			c.Card = card.None
		}
		cards = append(cards, c.Card)
	}
	return cards
}

func (s *State) rankOf(cards []card.Card) string {
	if len(cards) != 3 {
		return ""
	}
	h := card.Hand{cards[0], cards[1], cards[2]}
	if !h.Valid() {
		return ""
	}
	return s.book().Ranking.Describe(h)
}
