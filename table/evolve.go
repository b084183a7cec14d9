package table

import (
	"slices"

	"trey/card"
	"trey/rules"
)

// Evolve returns the state after the events, in order. The state given stays as
// it was. The error is a [Broken]: an event that cannot have happened, such as
// the same card dealt twice or a settlement that does not balance.
func Evolve(s State, events ...Event) (State, error) {
	next := s.clone()
	for _, e := range events {
		if err := e.apply(&next); err != nil {
			return s, err
		}
	}
	return next, nil
}

func (s *State) requireBox(box int) error {
	if box < 1 || box > len(s.Boxes) {
		return broken("box %d does not exist", box)
	}
	return nil
}

func (Announced) apply(*State) error { return nil }

func (TableOpened) apply(s *State) error { s.Phase = Ready; return nil }

func (TableClosed) apply(s *State) error { s.Phase = Closed; return nil }

func (e BetsOpened) apply(s *State) error {
	if e.Round != s.Round+1 {
		return broken("round %d follows round %d", e.Round, s.Round)
	}
	s.Phase, s.Round = Betting, e.Round
	for i := range s.Boxes {
		s.Boxes[i] = BoxState{Suspended: s.Boxes[i].Suspended}
	}
	s.Slots, s.Lines, s.Offers, s.Question = nil, nil, nil, nil
	s.schedule, s.served, s.drawn, s.disputed = nil, 0, nil, 0
	return nil
}

// setStake changes one player's wagers on a box. Bettor slices are shared
// between states, so they are copied, never written to. While bets are taken,
// whoever has nothing left on the box leaves it.
func (s *State) setStake(box int, player string, standing bool, change func(*Bettor)) {
	b := s.box(box)
	i := b.bettor(player)
	bettors := make([]Bettor, len(b.Bettors), len(b.Bettors)+1)
	copy(bettors, b.Bettors)
	if i < 0 {
		i = len(bettors)
		bettors = append(bettors, Bettor{Player: player, Standing: standing})
	}
	change(&bettors[i])
	if s.Phase == Betting && bettors[i].Stakes.None() {
		bettors = slices.Delete(bettors, i, i+1)
	}
	b.Bettors = bettors
}

func (e BetPlaced) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if e.Amount <= 0 {
		return broken("a bet of %s", e.Amount)
	}
	s.setStake(e.Box, e.Player, e.Standing, func(b *Bettor) {
		b.Stakes[e.Wager] += e.Amount
		if b.Stakes[e.Wager] >= s.Variant.Limits[e.Wager].Min {
			b.advised = false
		}
	})
	return nil
}

// takeLines removes from the boxes the stakes that the lines give back.
func (s *State) takeLines(lines []Line) error {
	for i := range lines {
		l := &lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		at := s.box(l.Box).bettor(l.Player)
		if at < 0 || s.box(l.Box).Bettors[at].Stakes[l.Wager] < l.Stake {
			return broken("%s of %s goes back to %s on box %d, who has not staked it", l.Wager, l.Stake, l.Player, l.Box)
		}
		if l.Returned != l.Stake {
			return broken("%s goes back for a stake of %s", l.Returned, l.Stake)
		}
		s.setStake(l.Box, l.Player, false, func(b *Bettor) {
			b.Stakes[l.Wager] -= l.Stake
			b.advised = false
		})
	}
	s.Lines = append(s.Lines, lines...)
	return nil
}

func (e BetsReturned) apply(s *State) error { return s.takeLines(e.Lines) }

func (e StakeFound) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.Stakes[e.Wager] = e.Amount })
	return nil
}

func (e MinimumAdvised) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.advised = true })
	return nil
}

func (BetsClosed) apply(s *State) error {
	s.Phase = Dealing
	s.schedule = s.dealOrder()
	s.served = 0
	return nil
}

func (e CardsDealt) apply(s *State) error {
	if s.Slots == nil {
		s.Slots = make([]Slot, 0, len(s.schedule))
	}
	var used card.Set
	for i := range s.Slots {
		if c := s.Slots[i].Card; c != card.None {
			used = used.With(c)
		}
	}
	for _, c := range e.Cards {
		if c.Card != card.None {
			if used.Has(c.Card) {
				return broken("%s is dealt twice", c.Card)
			}
			used = used.With(c.Card)
		}
		slot := Slot{Card: c.Card, Place: c.Place, Meant: c.Meant}
		if c.FaceUp {
			slot.seen |= seenByTable
		}
		if c.Place.IsBox() {
			if err := s.requireBox(int(c.Place)); err != nil {
				return err
			}
			// Whoever examines his hand during the deal sees its next cards too.
			if b := s.box(int(c.Place)); b.Examiner != "" {
				slot.seen |= seenAt(int(c.Place))
			}
		}
		s.Slots = append(s.Slots, slot)
		if c.Meant != Out {
			s.served = s.nextServed() + 1
		}
		if c.Place.IsBox() {
			if _, n := s.Hand(c.Place); n == 3 {
				b := s.box(int(c.Place))
				b.DealtAtMs, b.dealt = e.AtMs, true
			}
		}
	}
	s.drawn = nil
	s.advanceDeal()
	return nil
}

// advanceDeal moves between dealing and deciding as the cards lie.
func (s *State) advanceDeal() {
	complete := s.dealComplete()
	switch {
	case s.Phase == Dealing && complete:
		s.Phase = Deciding
	case s.Phase == Deciding && !complete && s.served < len(s.schedule):
		s.Phase = Dealing
	}
}

func (e CardsDrawn) apply(s *State) error { s.drawn = e.Cards; return nil }

func (DealFinished) apply(s *State) error { s.Phase = Deciding; return nil }

func (e HandExamined) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.box(e.Box).Examiner = e.Player
	for i := range s.Slots {
		if s.Slots[i].Place == Box(e.Box) {
			s.Slots[i].seen |= seenAt(e.Box)
		}
	}
	return nil
}

func (e HandRaised) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.box(e.Box).Decision = Played
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.Stakes[e.Wager] = e.Amount })
	return nil
}

func (e HandFolded) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.box(e.Box).Decision = Folded
	return nil
}

// turn names the cards at a place and lets the whole table see them.
func (s *State) turn(p Place, h card.Hand) error {
	var used card.Set
	for i := range s.Slots {
		if c := s.Slots[i].Card; c != card.None && s.Slots[i].Place != p {
			used = used.With(c)
		}
	}
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place != p {
			continue
		}
		if n == len(h) || !h[n].Valid() || used.Has(h[n]) || (s.Slots[i].Card != card.None && s.Slots[i].Card != h[n]) {
			return broken("the hand at the %s cannot be %s", p, h)
		}
		used = used.With(h[n])
		s.Slots[i].Card = h[n]
		s.Slots[i].seen |= seenByTable
		n++
	}
	if n != len(h) {
		return broken("the hand at the %s holds %d cards", p, n)
	}
	return nil
}

func (e HandShown) apply(s *State) error {
	if e.Place.IsBox() {
		if err := s.requireBox(int(e.Place)); err != nil {
			return err
		}
		s.box(int(e.Place)).Up = true
	}
	return s.turn(e.Place, e.Hand)
}

func (e DealerShown) apply(s *State) error {
	s.Phase = Showing
	return s.turn(DealerHand, e.Hand)
}

func (e Settled) apply(s *State) error {
	var staked, settled rules.Stakes
	for i := range s.Boxes {
		if s.Boxes[i].Invalid {
			continue
		}
		for j := range s.Boxes[i].Bettors {
			for w, amount := range s.Boxes[i].Bettors[j].Stakes {
				staked[w] += amount
			}
		}
	}
	for i := range e.Lines {
		l := &e.Lines[i]
		settled[l.Wager] += l.Stake
		if l.Returned < 0 || l.Pays < 0 || l.Returned > l.Stake+l.Pays {
			return broken("the line %s on box %d returns %s for a stake of %s that pays %s", l.Wager, l.Box, l.Returned, l.Stake, l.Pays)
		}
	}
	if staked != settled {
		return broken("the settlement does not balance: %s staked, %s settled", staked.Total(), settled.Total())
	}
	s.Phase = Paid
	s.Lines = append(s.Lines, e.Lines...)
	return nil
}

func (e Reported) apply(s *State) error {
	switch {
	case s.book().Offer.Dissatisfied == "":
	case e.Outcome == rules.Invalidate:
		s.disputed = e.Report.Box
	case e.Outcome == rules.Continue && e.Report.Incident == rules.DealtIncorrectly:
		s.disputed = -1
	}
	return nil
}

func (e CardsExposed) apply(s *State) error {
	for i, at := range e.Slots {
		if at < 0 || at >= len(s.Slots) || i >= len(e.Cards) {
			return broken("card %d of the deal does not exist", at+1)
		}
		s.Slots[at].seen |= seenByTable
		s.Slots[at].mistaken = true
		if e.Cards[i] != card.None {
			s.Slots[at].Card = e.Cards[i]
		}
	}
	return nil
}

func (e CardsMoved) apply(s *State) error {
	for _, m := range e.Moves {
		if m.Slot < 0 || m.Slot >= len(s.Slots) {
			return broken("card %d of the deal does not exist", m.Slot+1)
		}
		s.Slots[m.Slot].Place = m.To
	}
	s.advanceDeal()
	return nil
}

func (e RoundVoided) apply(s *State) error {
	if s.Phase == Paid {
		// The stakes of a settled round have left the boxes already.
		s.Lines = append(s.Lines, e.Lines...)
	} else if err := s.takeLines(e.Lines); err != nil {
		return err
	}
	s.Phase = Voided
	s.Offers, s.Question, s.drawn = nil, nil, nil
	return nil
}

func (e HandInvalidated) apply(s *State) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if s.Phase == Paid {
		s.Lines = append(s.Lines, e.Lines...)
	} else if err := s.takeLines(e.Lines); err != nil {
		return err
	}
	s.box(e.Box).Invalid = true
	for i := range s.Slots {
		if s.Slots[i].Place == Box(e.Box) {
			s.Slots[i].Place = Out
		}
	}
	s.Offers = slices.DeleteFunc(s.Offers, func(o Offer) bool { return o.Box == e.Box })
	s.advanceDeal()
	return nil
}

func (e QuestionAsked) apply(s *State) error {
	q := e.Question
	s.Question = &q
	return nil
}

func (e QuestionAnswered) apply(s *State) error { s.Question = nil; return nil }

func (e OffersMade) apply(s *State) error {
	s.Offers = append(s.Offers, e.Offers...)
	return nil
}

func (e OfferAnswered) apply(s *State) error {
	before := len(s.Offers)
	s.Offers = slices.DeleteFunc(s.Offers, func(o Offer) bool { return o.Box == e.Box && o.Player == e.Player })
	if len(s.Offers) == before {
		return broken("%s answers an option that nobody offered", e.Player)
	}
	return nil
}

func (e PlayerWarned) apply(s *State) error {
	s.warned = append(s.warned, e.Player)
	return nil
}

func (e PlayerRestricted) apply(s *State) error {
	restricted := slices.DeleteFunc(slices.Clone(s.restricted), func(p string) bool { return p == e.Player })
	if !e.Lift {
		restricted = append(restricted, e.Player)
	}
	s.restricted = restricted
	return nil
}

func (e AreasRestricted) apply(s *State) error { s.AreaMax = e.Max; return nil }

func (e ProgressiveFailed) apply(s *State) error {
	s.Down, s.Registered, s.DownOption = true, e.Registered, 0
	return nil
}

func (e ProgressiveSuspended) apply(s *State) error {
	s.DownOption = e.Option
	for _, box := range e.Boxes {
		if err := s.requireBox(box); err != nil {
			return err
		}
		s.box(box).Suspended = true
	}
	return nil
}

func (ProgressiveRestored) apply(s *State) error {
	s.Down, s.Registered, s.DownOption = false, 0, 0
	for i := range s.Boxes {
		s.Boxes[i].Suspended = false
	}
	return nil
}
