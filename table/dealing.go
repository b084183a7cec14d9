package table

import (
	"slices"

	"trey/card"
	"trey/rules"
)

func (a Deal) verify(s *State, by Actor) *Refusal {
	clause := s.device().Clause
	dealtTwice := func(c card.Card) *Refusal {
		if c == card.None {
			return nil
		}
		return s.refuse(WrongCards, clause, "%s is already in the round: if it really came twice, report a foreign card", c)
	}
	return first(
		func() *Refusal {
			if len(a.Cards) == 0 {
				return s.refuse(Malformed, "", "a deal needs at least one card")
			}
			for _, c := range a.Cards {
				if c.Card != card.None && !c.Card.Valid() || c.To > Out {
					return s.refuse(Malformed, "", "a card or its place does not exist")
				}
			}
			return nil
		},
		func() *Refusal {
			if s.Config.Cards != Virtual {
				return nil
			}
			for _, c := range a.Cards {
				if c.To != 0 || c.FaceUp || a.SkipBurn {
					return s.refuse(NotInGame, clause, "virtual cards go where the order of the deal sends them, face down")
				}
			}
			return nil
		},
		func() *Refusal {
			if !s.book().Burns() && slices.ContainsFunc(a.Cards, func(c Drawn) bool { return c.To == BurnPile }) {
				// It would take the place of a hand's card, which the hand then lacks.
				return s.refuse(NotInGame, clause, "a deal of %s has no burn card: leave out a card that was burnt and enter the next one; if a hand lacks it, its place is out", s.book().Ref())
			}
			return nil
		},
		func() *Refusal { return s.needRole(by, rules.Dealer, clause) },
		func() *Refusal {
			if stub := s.device().StubClause; s.Phase == Deciding && stub != "" {
				return s.refuse(WrongPhase, stub, "the deal is complete and the cards left over are burnt: no card comes any more")
			}
			// A hand may have received too much before anybody noticed.
			if s.Phase == Deciding && a.Cards[0].To != 0 {
				return nil
			}
			return s.needPhase(clause, Dealing)
		},
		s.needNothingOpen,
		func() *Refusal {
			for _, c := range a.Cards {
				if c.To.IsBox() {
					if r := s.needBox(int(c.To)); r != nil {
						return r
					}
				}
			}
			return nil
		},
		func() *Refusal {
			// A card that a hand put somewhere may be one too many; whatever
			// follows the order of the deal may not.
			left := len(s.ToCome())
			if a.SkipBurn {
				left--
			}
			for i, c := range a.Cards {
				if c.To == 0 && i >= left {
					return s.refuse(WrongCards, clause, "that is %d more than the deal takes", len(a.Cards)-max(left, 0))
				}
			}
			return nil
		},
		func() *Refusal {
			for _, c := range a.Cards {
				switch {
				case c.Card == card.None && s.Config.Cards != Unseen:
					return s.refuse(WrongCards, clause, "this table knows its cards: name each one")
				case c.Card != card.None && s.Config.Cards == Unseen && !c.FaceUp:
					return s.refuse(WrongCards, clause, "the faces are not seen at this table: deal ?? and name a hand when it is turned")
				}
			}
			return dealtTwice(s.openAgain(a.named()))
		},
		func() *Refusal {
			if a.SkipBurn && (len(s.Slots) > 0 || s.schedule[0] != BurnPile) {
				return s.refuse(NotApplicable, clause, "a burn card can be missed only at the first card, where one is due")
			}
			return nil
		},
		func() *Refusal {
			named := a.named()
			switch {
			case !s.downAgain(named):
				return nil
			case len(named) == 1:
				return dealtTwice(named[0])
			}
			return s.refuse(WrongCards, clause, "one of these cards is already in the round: if it really came twice, report a foreign card")
		},
	)
}

// named returns the cards of a deal, in its order.
func (a Deal) named() []card.Card {
	named := make([]card.Card, len(a.Cards))
	for i := range a.Cards {
		named[i] = a.Cards[i].Card
	}
	return named
}

// device returns the book's rules for the device in use; [New] has checked that there are
// some.
func (s *State) device() rules.DeviceRule {
	if rule, ok := s.book().Device(s.Config.Device); ok {
		return *rule
	}
	return rules.DeviceRule{}
}

//clause:rws-3cp@3 2.2.1
//clause:rws-3cp@3 5.13
//clause:us-3cp rules.2
//clause:us-3cp equipment.cards
//clause:mbs-3pictures@2 2.1
//clause:sm-3cp intro
//clause:fr-p3c@2007 1
//clause:fr-p3c@2007 19
func (a Deal) perform(d *decision, c Command) error {
	from := len(d.s.Slots)
	dealt := d.laidOut(a, c.AtMs)
	d.emit(dealt)
	for i, drawn := range a.Cards {
		if drawn.FaceUp && d.err == nil && d.s.Phase.InRound() {
			d.incident(Report{Incident: rules.CardFaceUp, Cards: []Exposed{{At: dealt.Cards[i].Place, Card: drawn.Card}}}, []int{from + i}, c.By, false)
		}
	}
	return nil
}

// laidOut returns a deal with the places at which its cards are meant to lie and do lie.
func (d *decision) laidOut(a Deal, atMs int64) CardsDealt {
	dealt := CardsDealt{AtMs: atMs, Cards: make([]Dealt, 0, len(a.Cards))}
	// Each card is meant for the next place of the order, and lies there too,
	// unless a hand put it elsewhere. Without the burn every card comes one
	// place early: it lies where the next card should.
	coming, lying := d.s.coming(), d.s.ToCome()
	if a.SkipBurn {
		lying = lying[1:]
	}
	at := func(order []Place, i int) Place {
		if i < len(order) {
			return order[i]
		}
		return Out
	}
	for i, drawn := range a.Cards {
		meant, place := at(coming, i), drawn.To
		if place == 0 {
			place = at(lying, i)
		}
		dealt.Cards = append(dealt.Cards, Dealt{Card: drawn.Card, Place: place, Meant: meant, FaceUp: drawn.FaceUp})
	}
	return dealt
}

// burnSkipped reports whether this deal began without the burn card due.
func (s *State) burnSkipped() bool {
	return len(s.Slots) > 0 && s.Slots[0].Meant == BurnPile && s.Slots[0].Place != BurnPile
}

func (FinishDeal) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, s.device().Clause) },
		func() *Refusal { return s.needPhase(s.device().Clause, Dealing) },
		s.needNothingOpen,
		func() *Refusal {
			switch {
			case s.misplaced():
				return nil
			case s.Config.Cards == Virtual:
				return s.refuse(Unfinished, s.device().Clause, "the deal is not complete: %d cards are still to come, and the program has them all", len(s.coming()))
			case len(s.Slots) == 0:
				return s.refuse(Unfinished, s.device().Clause, "no card has been dealt: %d are to come", len(s.coming()))
			}
			return nil
		},
	)
}

func (FinishDeal) perform(d *decision, _ Command) error {
	d.emit(DealFinished{})
	return nil
}
