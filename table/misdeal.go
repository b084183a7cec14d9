package table

import (
	"slices"

	"trey/rules"
)

// This file finds what the state shows of a wrong deal. A report adds facts to its
// record; the book's conditions over both find the clause.

// Lying states how many cards lie at a place, where a report says otherwise than
// the record.
type Lying struct {
	At    Place `json:"at"`
	Count int   `json:"count"`
	// Meant is where the order of the deal sends these cards. No place means all
	// the cards there, wherever they were meant to lie.
	Meant Place `json:"meant,omitempty"`
}

// lies returns the positions of cards that a report states: for a hand with a wrong
// number of cards also by its count.
func (a *Report) lies() []Lying {
	if a.Incident.Table() != rules.Misdeal || a.Count == 0 {
		return a.Lies
	}
	return append(slices.Clip(a.Lies), Lying{At: a.hand(), Count: a.Count})
}

// hand returns the hand that a report is about: a box's, or else the dealer's.
func (a *Report) hand() Place {
	if a.Box != 0 {
		return Box(a.Box)
	}
	return DealerHand
}

// correction holds the changes of the record after which the cards lie as a report
// states: cards that lie elsewhere, and cards at places that the record lacks.
type correction struct {
	moves  []Move
	extras []Place
}

func (c *correction) none() bool { return len(c.moves) == 0 && len(c.extras) == 0 }

// correct compares a statement with the record. Of a place with fewer cards than
// recorded the last ones lie elsewhere: at the places with more, in the order of
// the statement, and what is left over was never dealt to a hand.
func (s *State) correct(lies []Lying) correction {
	var c correction
	at := make([]Place, len(s.Slots))
	for i := range s.Slots {
		at[i] = s.Slots[i].Place
	}
	lying := func(p Place) (n int) {
		for _, other := range at {
			if other == p {
				n++
			}
		}
		return n
	}
	for _, l := range lies {
		for i, n := 0, 0; l.Meant != 0 && i < len(at) && n < l.Count; i++ {
			if s.Slots[i].Meant == l.Meant {
				at[i] = l.At
				n++
			}
		}
	}
	for _, l := range lies {
		if l.Meant != 0 {
			continue
		}
		n := lying(l.At)
		for i := len(at) - 1; i >= 0 && n > l.Count; i-- {
			if at[i] == l.At {
				at[i] = Out
				n--
			}
		}
	}
	for _, l := range lies {
		if l.Meant != 0 {
			continue
		}
		n := lying(l.At)
		for i := 0; i < len(at) && n < l.Count; i++ {
			if at[i] == Out && s.Slots[i].Place != Out {
				at[i] = l.At
				n++
			}
		}
		for ; n < l.Count; n++ {
			c.extras = append(c.extras, l.At)
		}
	}
	for i, p := range at {
		if p != s.Slots[i].Place {
			c.moves = append(c.moves, Move{Slot: i, To: p})
		}
	}
	return c
}

// correctRecord makes the record say where the cards lie. A card that it lacks is one
// that nobody has named: cards stick together, and readers miss one.
func (d *decision) correctRecord(c correction, atMs int64) {
	if len(c.moves) > 0 {
		d.move(CardsMoved{Moves: c.moves})
	}
	if len(c.extras) > 0 {
		dealt := CardsDealt{AtMs: atMs}
		for _, p := range c.extras {
			dealt.Cards = append(dealt.Cards, Dealt{Place: p, Meant: Out})
		}
		d.emit(dealt)
	}
}

// wrongCount reports whether a hand in the round has too few or too many cards
// and this has not been ruled on. While a card can still come for it, it can only have
// too many.
func (s *State) wrongCount(p Place) bool {
	n, ruled := s.lying(p), true
	for i := range s.Slots {
		ruled = ruled && (s.Slots[i].Place != p || int(s.Slots[i].counted) == n)
	}
	return n > 3 && !ruled || n < 3 && !s.unfinished(p, n) && !(n > 0 && ruled)
}

// lying counts the cards at a place.
func (s *State) lying(p Place) (n int) {
	for i := range s.Slots {
		if s.Slots[i].Place == p {
			n++
		}
	}
	return n
}

// unfinished reports whether a hand of n cards can still get the rest of its three.
// A hand that has none was passed over, and the deal can come back to it as long as it
// goes on: nothing has been dealt to it that could be too little.
func (s *State) unfinished(p Place, n int) bool { return s.comes(p) || n == 0 && s.cardsToCome() }

// comes reports whether the deal is still going on and sends another card to a
// place.
func (s *State) comes(p Place) bool {
	return s.Phase == Dealing && slices.Contains(s.schedule[s.dealtTo():], p)
}

// dealtTo returns the entry of the order from which cards are still to come.
func (s *State) dealtTo() int {
	if s.burnSkipped() {
		return s.laid
	}
	return s.served
}

// endsShort returns the hand that, by a report, gets no more cards and has fewer than three,
// although the order sends it more: the packet was short, or the device gives no more. The report
// states the number of cards there, and the cards that the hand lacks are the next ones due. It
// returns no place if there is no such hand.
func (s *State) endsShort(a *Report) Place {
	if a.Incident.Table() != rules.Misdeal || s.Phase != Dealing {
		return 0
	}
	order := s.ToCome()
	for _, l := range a.lies() {
		_, n := s.Hand(l.At)
		lacks := 0
		for _, p := range order {
			if p == l.At {
				lacks++
			}
		}
		if l.Meant == 0 && n > 0 && n == l.Count && lacks > 0 && n+lacks <= 3 && !slices.ContainsFunc(order[:lacks], func(p Place) bool { return p != l.At }) {
			return l.At
		}
	}
	return 0
}

// cardsToCome reports whether the deal is still going on.
func (s *State) cardsToCome() bool { return s.Phase == Dealing && len(s.ToCome()) > 0 }

// wrongHands lists the boxes in the round whose hands have a wrong count.
func (s *State) wrongHands() []int {
	var boxes []int
	for i, b := range s.Boxes {
		if b.Staked() && !b.Invalid && s.wrongCount(Box(i+1)) {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// uncounted reports whether a hand has a wrong number of cards on which the book
// has been applied: no report decides it any more. A hand without any card has none
// that could say so.
func (s *State) uncounted(p Place) bool {
	_, n := s.Hand(p)
	return n != 3 && (n > 3 || !s.unfinished(p, n)) && (n == 0 || !s.wrongCount(p))
}

// undecidedHands lists the boxes in the round whose hands have a wrong number of
// cards, where a report of a wrong deal has led to a question: the answer decides
// them all.
func (s *State) undecidedHands(a Report) []int {
	if a.Incident.Table() != rules.Misdeal {
		return nil
	}
	var boxes []int
	for i, b := range s.Boxes {
		if b.Staked() && !b.Invalid && s.uncounted(Box(i+1)) {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// leavesUndecided reports whether an answer would let a round go on that cannot
// be settled, because nothing decides a hand with a wrong number of cards. Hands that
// leave the round leave the dealer's.
func (s *State) leavesUndecided(then rules.Outcome) bool {
	hands := true
	switch then {
	case rules.Continue, rules.OfferAffected, rules.OfferAll, rules.TurnDown, rules.Stands:
	case rules.Invalidate:
		hands = false
	default:
		return false
	}
	if !s.Phase.InRound() || s.Phase == Betting {
		return false
	}
	return s.uncounted(DealerHand) || hands && s.undecidedHands(Report{Incident: rules.Misdeal}) != nil
}

// dealt reports whether the round has come to its deal.
func (s *State) dealt() bool { return s.Phase >= Dealing && s.Phase <= Paid }

// misdealt reports whether a card lies elsewhere than it belongs and this has not
// been ruled on.
func (s *State) misdealt() bool {
	for i := range s.Slots {
		if c := &s.Slots[i]; !c.ruled && c.Place != s.due(c) {
			return true
		}
	}
	return false
}

// othersMisplaced reports whether a hand of three in the round holds a card that was
// meant for another, and this has not been ruled on.
func (s *State) othersMisplaced() bool {
	if s.device().Packets {
		return !s.packetsInOrder()
	}
	for i := range s.Slots {
		c := &s.Slots[i]
		inHand := c.Place == DealerHand || c.Place.IsBox() && s.box(int(c.Place)).Staked() && !s.box(int(c.Place)).Invalid
		if !c.ruled && inHand && c.Place != s.due(c) && !s.wrongCount(c.Place) {
			return true
		}
	}
	return false
}

// packetsInOrder reports whether each hand of three in the round got one packet, in
// the order of the deal as far as it has come. Another hand's packet too large or too
// small then puts no other hand's cards elsewhere, although every later card comes
// sooner or later than the order has it.
func (s *State) packetsInOrder() bool {
	var want, got []Place
	add := func(places []Place, p Place) []Place {
		hand := p == DealerHand || p.IsBox() && !s.box(int(p)).Invalid
		if !hand || s.wrongCount(p) || len(places) > 0 && places[len(places)-1] == p {
			return places
		}
		return append(places, p)
	}
	for _, p := range s.dealOrder() {
		want = add(want, p)
	}
	for i := range s.Slots {
		got = add(got, s.Slots[i].Place)
	}
	if s.Phase == Dealing {
		want = want[:min(len(got), len(want))]
	}
	return slices.Equal(want, got)
}

// wrongDeal reports whether the record shows anything wrong with the deal that has
// not been ruled on, cards turned over by mistake apart.
func (s *State) wrongDeal() bool {
	return s.dealt() && (s.misdealt() || s.wrongHandsAnywhere())
}

// burnDealt reports whether the card due on the burn pile lies elsewhere and this
// has not been ruled on.
func (s *State) burnDealt() bool { return s.burnSkipped() && !s.Slots[0].ruled }

// misplacedBesideBurn reports whether the burn card was dealt to a hand and the cards
// lie wrong beyond that: elsewhere than the order without its burn card sends them, so
// that no complete hands moved put it right.
func (s *State) misplacedBesideBurn() bool {
	if !s.burnDealt() {
		return false
	}
	order := slices.DeleteFunc(s.dealOrder(), func(p Place) bool {
		return p == BurnPile || p.IsBox() && s.box(int(p)).Invalid
	})
	early := make([]Place, len(s.Slots))
	wrong, n := false, 0
	for i := range s.Slots {
		early[i] = Out
		if s.Slots[i].Place != Out && n < len(order) {
			early[i] = order[n]
			n++
		}
		wrong = wrong || s.Slots[i].Place != early[i]
	}
	return wrong && !s.movable(func(i int) Place { return early[i] })
}

// restorable reports whether putting each card in its intended place gives every
// hand its three, also in a round that is settled.
//
//clause:rws-3cp@3 1.17
func (s *State) restorable(orderLost bool) bool { return !orderLost && s.misplaced() }

// exposed counts the cards of this deal that the dealer turned by mistake, those apart of
// which it is ruled that a player had looked by then.
//
//clause:rws-3cp@3 5.8.2
func (s *State) exposed() int {
	n := 0
	for i := range s.Slots {
		if c := &s.Slots[i]; s.countsExposed(c) && !c.turnedLate {
			n++
		}
	}
	return n
}

// newlyExposed reports whether one of them has not been ruled on.
func (s *State) newlyExposed() bool {
	for i := range s.Slots {
		if c := &s.Slots[i]; s.countsExposed(c) && !c.turnRuled {
			return true
		}
	}
	return false
}

// newlyTurned reports whether a card was turned over by mistake, the burn card too, and
// this has not been ruled on.
func (s *State) newlyTurned() bool { return s.newlyExposed() || s.onlyBurnExposed() }

// countsExposed reports whether a card counts as one exposed during the deal. The burn
// card is discarded before it, so that one counts by the ruling exposed_burn alone.
func (s *State) countsExposed(c *Slot) bool {
	return c.mistaken && (c.Place != BurnPile || s.Variant.Is(rules.ExposedBurn, rules.Yes))
}

// onlyBurnExposed reports whether the burn card was turned over by mistake, this has
// not been ruled on, and no other card is in that state.
func (s *State) onlyBurnExposed() bool {
	burn := false
	for i := range s.Slots {
		if c := &s.Slots[i]; c.mistaken && !c.turnRuled {
			if c.Place != BurnPile {
				return false
			}
			burn = true
		}
	}
	return burn
}

// fitsDeal refuses a report of a wrong deal that does not fit the cards, as the
// record has them or as the report states.
func (s *State) fitsDeal(a Report, clause string) *Refusal {
	after := s.after(&a)
	switch a.Incident {
	case rules.WrongCount:
		at := a.hand()
		if a.Box != 0 && (!s.box(a.Box).Staked() || s.box(a.Box).Invalid) {
			return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
		}
		switch _, n := after.Hand(at); {
		case n < 3 && after.unfinished(at, n):
			return s.refuse(NotApplicable, clause, "the record shows %d cards at %s, and more are still to come for it: if it gets no more, say so by the count once they are the next ones due", n, at.Sentence())
		case n == 3:
			return s.refuse(NotApplicable, clause, "the record shows %d cards at %s: say how many lie there", n, at.Sentence())
		}
		if !after.wrongCount(at) {
			return s.refuse(AlreadyDone, clause, "the number of cards at %s has been ruled on", at.Sentence())
		}
	case rules.BurnMissed:
		if !after.burnSkipped() {
			return s.refuse(NotApplicable, clause, "the record shows no deal without its burn card")
		}
		if !after.burnDealt() {
			return s.refuse(AlreadyDone, clause, "the missed burn card has been ruled on")
		}
	case rules.DealtIncorrectly, rules.Misdeal:
		if !after.wrongDeal() {
			if s.misplaced() {
				return s.refuse(AlreadyDone, clause, "how the cards lie has been ruled on")
			}
			return s.refuse(NotApplicable, clause, "the record shows every card where it belongs: say how many lie where, or report an error that moved no card")
		}
	default:
	}
	if wrong := after.wrongHands(); after.wrongCount(DealerHand) && s.jackpotStands(0) || slices.ContainsFunc(wrong, s.jackpotStands) {
		return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid, and by the ruling of this house it stands: report it as uncovered")
	}
	if after.wrongDeal() && len(a.Boxes) > 0 && a.Incident != rules.CardExposed {
		return s.refuse(Malformed, clause, "the cards that lie wrong show which boxes are affected: name none")
	}
	return nil
}

// after returns the state as it is once the facts of a report are in the record,
// cards turned over apart.
func (s *State) after(a *Report) *State {
	after := s.with(s.correct(a.lies()))
	if hand := after.endsShort(a); hand != 0 {
		d := decisionOn(*after)
		defer decisions.Put(d)
		d.emit(DealFinished{Hand: hand})
		ended := d.s.State
		return &ended
	}
	return after
}

// with returns the state as it is once the record says where the cards lie.
func (s *State) with(c correction) *State {
	if c.none() {
		return s
	}
	d := decisionOn(*s)
	defer decisions.Put(d)
	d.correctRecord(c, 0)
	after := d.s.State
	return &after
}

// ruleOn marks the cards that lie wrong, or that were turned over by mistake, as
// ruled on: a second report of them is refused, whatever it is called. Where hands
// leave the round and others got cards that were not meant for them, only what goes
// with the hands is; and where cards lie wrong, one that was only turned over is left
// for the next case.
func (s *draft) ruleOn(e *Reported) {
	slots, open := s.slots(), e.Outcome == rules.Invalidate && s.othersMisplaced()
	// What a case about the place of cards leaves is a case of its own: a card that was
	// turned over besides.
	turned := e.Outcome == rules.Ask || !s.wrongDeal()
	for i := range slots {
		c := &slots[i]
		inHand := c.Place.IsBox() || c.Place == DealerHand
		leaves := c.Place.IsBox() && slices.Contains(e.Boxes, int(c.Place))
		wrong := inHand && s.wrongCount(c.Place)
		stays := e.Outcome == rules.Invalidate && (open || !leaves && wrong)
		switch {
		case stays:
			c.ruled = c.ruled || leaves
		case c.Place != s.due(c), wrong:
			c.ruled = true
		}
		if c.mistaken && !c.turnRuled && (turned || leaves) {
			c.turnRuled, c.turnedLate = true, s.looked() && !e.Report.BeforeLook
		}
		if wrong && (leaves || !stays) {
			c.counted = uint8(min(s.lying(c.Place), deckSize))
		}
	}
}

// concerned lists the boxes whose hands a report of a wrong deal invalidates: those
// of a wrong number, and of them only the ones that their players have examined
// where the case says so.
func (s *State) concerned(c *rules.Case) []int {
	boxes := s.wrongHands()
	if slices.Contains(c.When, rules.ViewedHandCount) {
		boxes = slices.DeleteFunc(boxes, func(box int) bool { return !s.viewed(box) })
	}
	return boxes
}

// deckSize is the number of cards in a deck (rws-3cp@3 2.2.1, mbs-3pictures@2 2.1).
const deckSize = 52

// possibleLies reports whether the places of a statement exist, each is counted
// once, and no more cards lie there than there are.
func (s *State) possibleLies(lies []Lying) bool {
	var places []Place
	for _, l := range lies {
		if l.At == 0 || l.At > Out || l.Meant > Out || l.Count < 0 || l.Count > deckSize {
			return false
		}
		if l.At.IsBox() && int(l.At) > len(s.Boxes) || l.Meant.IsBox() && int(l.Meant) > len(s.Boxes) {
			return false
		}
		if l.Meant == 0 {
			if slices.Contains(places, l.At) {
				return false
			}
			places = append(places, l.At)
		}
	}
	return true
}
