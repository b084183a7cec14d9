package table

import (
	"cmp"
	"slices"

	"trey/card"
	"trey/rules"
	"trey/sentence"
)

func (a Report) verify(s *State, by Actor) *Refusal {
	b := s.book()
	return first(
		func() *Refusal { return s.wellFormed(a) },
		func() *Refusal { return s.needEquipment(a) },
		func() *Refusal {
			if a.Incident == rules.WalkedAway && by.Role == rules.Player {
				return s.refuse(NotPermitted, "", "the dealer or the house reports who has left")
			}
			return s.needRole(by, rules.Dealer, "")
		},
		func() *Refusal { return s.reportable(a) },
		func() *Refusal {
			if s.Question != nil {
				return s.needNothingOpen()
			}
			return nil
		},
		func() *Refusal {
			if a.Box != 0 {
				if r := s.needBox(a.Box); r != nil {
					return r
				}
			}
			for _, box := range a.Boxes {
				if r := s.needBox(box); r != nil {
					return r
				}
			}
			return nil
		},
		func() *Refusal { return s.fits(a) },
		func() *Refusal {
			if b.Incident(a.Incident) == nil {
				return s.refuse(NotApplicable, "", "%s provides nothing for this", b.Ref())
			}
			return nil
		},
	)
}

// wellFormed refuses a report that lacks what its kind needs.
func (s *State) wellFormed(a Report) *Refusal {
	missing := ""
	switch a.Incident {
	case rules.WrongCount:
		if a.Box == 0 && !a.Dealer {
			missing = "say at which box, or that it is the dealer's hand"
		}
	case rules.CardExposed:
		if len(a.Cards) == 0 {
			missing = "say where each exposed card lies"
		}
		for _, c := range a.Cards {
			if c.At == 0 {
				missing = "say where each exposed card lies"
			}
		}
	case rules.DrawnTogether:
		if len(a.Cards) < 2 {
			missing = "name the cards drawn together, or ?? for each that is not seen"
		}
	case rules.DeckCount:
		if a.Count <= 0 {
			missing = "say how many cards were counted"
		}
	case rules.SecondHand:
		if a.Box == 0 {
			missing = "say which additional hand was examined"
		}
	case rules.WalkedAway:
		if a.Player == "" {
			missing = "say who left"
		}
	case rules.LateBet:
		if a.Box == 0 || a.Player == "" || a.Amount <= 0 {
			missing = "say who placed how much on which box"
		}
	case rules.LateWithdrawal:
		if a.Box == 0 || a.Player == "" {
			missing = "say who withdrew from which box"
		}
	case rules.ForeignCard, rules.InsufficientCards, rules.Unshuffled, rules.CardFaceUp,
		rules.DealtIncorrectly, rules.BurnMissed, rules.DealingError, rules.CountDoubted,
		rules.ProgressiveDown, rules.TechnicalInterruption, rules.Uncovered:
	default:
		missing = "say what happened"
	}
	if a.LastedMs < 0 || a.Meter < 0 || a.Amount < 0 || a.Amount > rules.MaxStake || a.Round < 0 || a.Round > s.Round {
		missing = "a duration, an amount, a meter or a round is out of range"
	}
	if a.Wager != 0 && s.book().Rule(a.Wager) == nil {
		missing = "the book has no such wager"
	}
	for _, c := range a.Cards {
		if c.Card != card.None && !c.Card.Valid() || c.At > Out || c.Index < 0 {
			missing = "a card or its place does not exist"
		}
	}
	if missing == "" {
		return nil
	}
	return s.refuse(Malformed, "", "the report is incomplete: %s", sentence.Word(missing))
}

// reportable refuses a report at a moment when it cannot concern this round.
func (s *State) reportable(a Report) *Refusal {
	if a.Round != 0 && a.Round < s.Round {
		return nil
	}
	phases := []Phase{Dealing, Deciding, Showing}
	switch a.Incident {
	case rules.ProgressiveDown, rules.Uncovered:
		phases = []Phase{Ready, Betting, Dealing, Deciding, Showing, Paid, Voided}
	case rules.ForeignCard, rules.DeckCount, rules.CountDoubted, rules.Unshuffled:
		phases = []Phase{Betting, Dealing, Deciding, Showing, Paid}
	case rules.InsufficientCards, rules.TechnicalInterruption, rules.WalkedAway:
		phases = []Phase{Betting, Dealing, Deciding, Showing}
	case rules.WrongCount:
		phases = []Phase{Dealing, Deciding, Showing, Paid}
	case rules.CardExposed, rules.DealtIncorrectly, rules.BurnMissed, rules.DealingError, rules.CardFaceUp:
		phases = []Phase{Dealing, Deciding, Showing}
	case rules.DrawnTogether:
		phases = []Phase{Dealing}
	case rules.SecondHand:
		phases = []Phase{Dealing, Deciding, Showing}
	case rules.LateBet, rules.LateWithdrawal:
	}
	return s.needPhase(s.incidentClause(a.Incident), phases...)
}

// incidentClause is the clause that an incident's first case names.
func (s *State) incidentClause(i rules.Incident) string {
	if rule := s.book().Incident(i); rule != nil && len(rule.Cases) > 0 {
		return rule.Cases[0].Clause
	}
	return ""
}

// needEquipment refuses a report of what cannot happen at a table equipped as
// this one is.
func (s *State) needEquipment(a Report) *Refusal {
	clause := s.incidentClause(a.Incident)
	if s.Config.Cards == Virtual {
		switch a.Incident {
		case rules.DealtIncorrectly, rules.WrongCount, rules.DrawnTogether, rules.CardExposed,
			rules.BurnMissed, rules.DealingError, rules.SecondHand, rules.CardFaceUp:
			return s.refuse(NotInGame, clause, "no hand deals or holds cards at a virtual table, so this cannot have happened")
		default:
		}
	}
	switch {
	case a.Incident == rules.BurnMissed && !s.Variant.Burns(s.Config.Device):
		return s.refuse(NotInGame, clause, "no card is burnt when dealing from this %s", sentence.Word(s.Config.Device.String()))
	case a.Incident == rules.DrawnTogether && s.Config.Device != rules.Shoe:
		return s.refuse(NotInGame, clause, "single cards are drawn only from a shoe")
	case a.Incident == rules.ProgressiveDown:
		return s.needProgressive()
	}
	return nil
}

func (s *State) needProgressive() *Refusal {
	if s.book().Rule(rules.Progressive) == nil || s.Variant.Jackpot == nil {
		return s.refuse(NotInGame, "", "no progressive is connected to this table")
	}
	return nil
}

// fits refuses a report that contradicts the table's own record.
func (s *State) fits(a Report) *Refusal {
	clause := s.incidentClause(a.Incident)
	if a.Round != 0 && a.Round < s.Round {
		return nil // The record of this round says nothing of that one.
	}
	switch a.Incident {
	case rules.BurnMissed:
		if len(s.Slots) == 0 || s.Slots[0].Place == BurnPile {
			return s.refuse(NotApplicable, clause, "the record shows no deal without its burn card")
		}
	case rules.CardExposed, rules.CardFaceUp:
		slots, r := s.exposedSlots(a.Cards)
		if r != nil {
			return r
		}
		for _, at := range slots {
			if s.Slots[at].Exposed() {
				return s.refuse(AlreadyDone, clause, "the whole table had seen that card at %s already", s.Slots[at].Place)
			}
		}
	case rules.DrawnTogether:
		if left := len(s.ToCome()); len(a.Cards) > left {
			return s.refuse(WrongCards, clause, "only %d cards are still to be dealt", left)
		}
		used := s.used()
		for _, c := range a.Cards {
			if c.Card == card.None {
				if s.Config.Cards == Read {
					return s.refuse(WrongCards, clause, "this device reads its cards: name each one")
				}
				continue
			}
			if used.Has(c.Card) {
				return s.refuse(WrongCards, clause, "%s is already in the round", c.Card)
			}
			used = used.With(c.Card)
		}
	case rules.SecondHand:
		b := s.box(a.Box)
		if !b.Staked() || b.Invalid {
			return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
		}
		if a.Player != "" && b.bettor(a.Player) < 0 {
			return s.refuse(NotYours, clause, "%s has no wager on box %d", a.Player, a.Box)
		}
		who := cmp.Or(a.Player, b.Player())
		if b.Examiner == who {
			return s.refuse(NotApplicable, clause, "the hand on box %d is the one that %s examined first, and stays valid", a.Box, who)
		}
		if !slices.ContainsFunc(s.Boxes, func(o *BoxState) bool { return o.Examiner == who }) {
			return s.refuse(NotApplicable, clause, "%s is not known to have examined a first hand: enter that one before", who)
		}
	case rules.WrongCount:
		if a.Box != 0 && (!s.box(a.Box).Staked() || s.box(a.Box).Invalid) {
			return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
		}
		if s.Phase == Paid && s.paidMajor() {
			return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid: report it as uncovered")
		}
	case rules.ForeignCard, rules.DeckCount, rules.Unshuffled:
		if s.Phase == Paid && s.paidMajor() && a.Count != 52 {
			return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid: report it as uncovered")
		}
	case rules.WalkedAway:
		if s.boxesOf(a.Player) == 0 {
			return s.refuse(NotApplicable, clause, "%s has no bet in this round", a.Player)
		}
	case rules.LateWithdrawal:
		if s.box(a.Box).bettor(a.Player) < 0 {
			return s.refuse(NotYours, clause, "%s has no wager on box %d", a.Player, a.Box)
		}
	case rules.ProgressiveDown:
		if s.Down && s.DownOption != WithoutBoxes {
			return s.refuse(AlreadyDone, clause, "the progressive is already out of order")
		}
		if s.Phase.InRound() && a.Meter == 0 && s.looked() {
			return s.refuse(MeterUnknown, clause, "say what the jackpot registered before it failed")
		}
	default:
	}
	return nil
}

// paidMajor reports whether the settled round paid a share of the meter.
func (s *State) paidMajor() bool {
	for i := range s.Lines {
		if s.paidMajorOn(s.Lines[i].Box) {
			return true
		}
	}
	return false
}

// paidMajorOn reports whether that was paid to a box.
func (s *State) paidMajorOn(box int) bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool {
		return l.Box == box && l.Wager == rules.Progressive && l.Combo == rules.AKQSpades
	})
}

// exposedSlots finds the cards of a report among those dealt.
func (s *State) exposedSlots(cards []Exposed) ([]int, *Refusal) {
	slots := make([]int, 0, len(cards))
	for _, e := range cards {
		at, n := -1, 0
		for i := range s.Slots {
			if s.Slots[i].Place != e.At {
				continue
			}
			n++
			if e.Index == 0 || e.Index == n {
				at = i
			}
		}
		if at < 0 || slices.Contains(slots, at) {
			return nil, s.refuse(WrongCards, "", "there is no such card at %s", e.At)
		}
		slot := &s.Slots[at]
		switch known := slot.Card; {
		case known == card.None && e.Card == card.None:
			return nil, s.refuse(WrongCards, "", "name the card exposed at %s", e.At)
		case known == card.None && s.used().Has(e.Card):
			return nil, s.refuse(WrongCards, "", "%s is already in the round", e.Card)
		case known == card.None || e.Card == card.None:
		case !slot.Exposed():
			// As with a hand that is turned: a name would be a guess to be answered.
			return nil, s.refuse(WrongCards, "", "the house knows the card at %s: say where it lies and leave its name out", e.At)
		case known != e.Card:
			return nil, s.refuse(WrongCards, "", "the card at %s lies open, and it is not %s: look again", e.At, e.Card)
		}
		slots = append(slots, at)
	}
	return slots, nil
}

func (a Report) perform(d *decision, _ Command) error {
	if a.Round != 0 && a.Round < d.s.Round {
		d.earlierRound(a)
		return nil
	}
	slots, _ := d.s.exposedSlots(a.Cards)
	if a.Incident == rules.CardExposed {
		cards := make([]card.Card, len(slots))
		for i, at := range slots {
			cards[i] = d.s.Slots[at].Card
			if cards[i] == card.None {
				cards[i] = a.Cards[i].Card
			}
		}
		d.emit(CardsExposed{Slots: slots, Cards: cards})
	}
	if a.Incident == rules.ProgressiveDown {
		d.emit(ProgressiveFailed{Registered: a.Meter, Clause: d.s.incidentClause(a.Incident)})
	}
	if a.Incident == rules.DrawnTogether {
		cards := make([]card.Card, len(a.Cards))
		for i := range a.Cards {
			cards[i] = a.Cards[i].Card
		}
		d.emit(CardsDrawn{Cards: cards})
	}
	d.incident(a, slots)
	return nil
}

// earlierRound records an error of a round that is over: it changes nothing.
//
//clause:rws-3cp@3 5.19
//clause:mbs-3pictures@2 5.1.2
//clause:mbs-3pictures@2 5.12
func (d *decision) earlierRound(a Report) {
	clause := d.s.book().Bets.Earlier
	if rule := d.s.book().Incident(a.Incident); rule.Earlier != "" {
		clause = rule.Earlier
	}
	if a.Wager != 0 && d.s.book().Bets.EarlierStake != "" {
		clause = d.s.book().Bets.EarlierStake
	}
	d.emit(Reported{Report: a, Outcome: rules.Stands, Clause: clause})
}

// incident applies the book's table to a report: the first case whose
// conditions all hold decides. slots are the cards concerned, if any are known.
//
//clause:rws-3cp@3 5.8
//clause:rws-3cp@3 5.23
//clause:mbs-3pictures@2 6.1
func (d *decision) incident(a Report, slots []int) {
	rule := d.s.book().Incident(a.Incident)
	for i := range rule.Cases {
		c := &rule.Cases[i]
		if !slices.ContainsFunc(c.When, func(w rules.Condition) bool { return !d.s.holds(w, a, slots) }) {
			d.emit(Reported{Report: a, Outcome: c.Then, Clause: c.Clause})
			d.outcome(c.Then, c.Clause, a, c.Question)
			return
		}
	}
	d.err = broken("the book's table has no case for %s", a.Incident)
}

// holds evaluates one condition of a case.
func (s *State) holds(w rules.Condition, a Report, slots []int) bool {
	switch w {
	case rules.NobodyLooked:
		return !s.looked()
	case rules.SomebodyLooked:
		return s.looked()
	case rules.TwoExposed:
		return s.exposed() >= 2
	case rules.FirstCardByHand:
		return s.Config.Device == rules.Shoe && slices.Contains(slots, 0)
	case rules.HandsMovable:
		return !a.OrderLost && s.handsMovable()
	case rules.CardsRestorable:
		return !a.OrderLost && s.Phase.InRound() && s.misplaced()
	case rules.HandLooked:
		return a.Box != 0 && s.box(a.Box).Examiner != ""
	case rules.AtDealer:
		return a.Dealer
	case rules.CountWrong:
		return a.Count != 52
	case rules.Established:
		return s.Established()
	case rules.Brief:
		return a.LastedMs < s.Variant.GraceMs
	case rules.NoRound:
		return !s.Phase.InRound()
	case rules.NothingToDecide:
		return !s.awaits(a.Player)
	case rules.ChoseWithdrawal:
		return s.Variant.Is(rules.Interruption, rules.OfferToWithdraw)
	case rules.ChoseVoid:
		return s.Variant.Is(rules.SilentIrregularity, rules.VoidRound)
	case rules.ChoseWait:
		return s.Variant.Is(rules.AbsentPlayer, rules.WaitForPlayer)
	}
	return false
}

// awaits reports whether a player has still to play, to fold or to answer.
func (s *State) awaits(player string) bool {
	for i := range s.Boxes {
		if b := s.Boxes[i]; s.decides(b) && b.Player() == player {
			return true
		}
	}
	return slices.ContainsFunc(s.Offers, func(o Offer) bool { return o.Player == player })
}

// exposed counts the cards of this deal that the dealer turned by mistake.
func (s *State) exposed() int {
	n := 0
	for _, c := range s.Slots {
		if c.mistaken {
			n++
		}
	}
	return n
}

// outcome carries out what a case or an answer leads to.
func (d *decision) outcome(o rules.Outcome, clause string, a Report, q *rules.Question) {
	if !d.s.possible(o) {
		return
	}
	switch o {
	case rules.Void:
		d.void(clause)
	case rules.MoveHands:
		d.emit(CardsMoved{Clause: clause, Moves: d.s.restoringMoves()})
	case rules.Invalidate:
		if a.Box != 0 && !d.s.box(a.Box).Invalid {
			d.invalidate(a.Box, clause)
		}
	case rules.TakeBack:
		d.leave(a.Box, a.Player, clause)
	case rules.OfferAffected:
		d.offer(clause, a, d.s.affected(a))
	case rules.OfferAll, rules.RestoreAndOfferAll:
		d.offer(clause, a, nil)
	case rules.OfferWithdrawal:
		d.offerWithdrawal(clause)
	case rules.Ask:
		d.emit(QuestionAsked{Question: OpenQuestion{
			Key: q.Key, Ask: q.Ask, Role: q.Role, Clause: q.Clause, Answers: q.Answers, Report: a,
		}})
	case rules.FoldUndecidedHands:
		// Nobody is there to answer an option any more.
		back := d.s.Variant.Is(rules.OptionUnanswered, rules.Returned)
		for d.err == nil {
			i := slices.IndexFunc(d.s.Offers, func(o Offer) bool { return o.Player == a.Player })
			if i < 0 {
				break
			}
			d.answerOffer(d.s.Offers[i], back, true)
		}
		// Also while cards are still coming: he will not be there to decide.
		if d.s.Phase == Dealing || d.s.Phase == Deciding {
			d.foldUndecided(a.Player, clause)
		}
	case rules.CountCards:
		d.announce(clause, Announced{Key: "count-cards"}, sentence.Of("The dealer counts the cards."))
	case rules.Continue, rules.TurnDown, rules.KeepRegistered, rules.NotHonoured, rules.Stands:
		// Nothing changes: the record says why the round goes on.
	}
}

// affected lists the boxes concerned by a report; nil is every box.
func (s *State) affected(a Report) []int {
	if a.Dealer {
		return nil
	}
	boxes := slices.Clone(a.Boxes)
	if a.Box != 0 {
		boxes = append(boxes, a.Box)
	}
	add := func(p Place) bool {
		if p.IsBox() && !slices.Contains(boxes, int(p)) {
			boxes = append(boxes, int(p))
		}
		return p == DealerHand
	}
	if a.Incident == rules.CardExposed {
		for _, c := range a.Cards {
			if add(c.At) {
				return nil
			}
		}
		return boxes
	}
	for i := range s.Slots {
		place, due := s.Slots[i].Place, s.due(&s.Slots[i])
		if place != due && (add(place) || add(due)) {
			return nil
		}
	}
	if len(boxes) == 0 {
		return nil
	}
	return boxes
}

// offer puts the options of a dealing error to the players of the boxes, after
// putting the cards in their intended order where that is known. No boxes means
// every box in the round.
//
//clause:rws-3cp@3 5.9
//clause:rws-3cp@3 5.10
//clause:rws-3cp@3 5.10.1
//clause:rws-3cp@3 5.10.2
//clause:rws-3cp@3 5.14.1
func (d *decision) offer(clause string, a Report, boxes []int) {
	restored := false
	if a.Incident != rules.DrawnTogether && a.Incident != rules.CardExposed && !a.OrderLost && d.s.misplaced() {
		d.emit(CardsMoved{Clause: d.s.book().Offer.Restored, Moves: d.s.restoringMoves()})
		restored = true
	}
	var offers []Offer
	for i := range d.s.Boxes {
		b := d.s.Boxes[i]
		if !b.live() || boxes != nil && !slices.Contains(boxes, i+1) {
			continue
		}
		for j := range b.Bettors {
			o := Offer{Box: i + 1, Player: b.Bettors[j].Player, Clause: clause, Restored: restored}
			pending := slices.ContainsFunc(d.s.Offers, func(p Offer) bool { return p.Box == o.Box && p.Player == o.Player })
			if !pending && !b.Bettors[j].Stakes.None() {
				offers = append(offers, o)
			}
		}
	}
	if offers != nil {
		d.emit(OffersMade{Offers: offers})
	}
}

// offerWithdrawal lets every player take back all of his wagers.
//
//clause:mbs-3pictures@2 5.13.1
func (d *decision) offerWithdrawal(clause string) {
	var offers []Offer
	for i := range d.s.Boxes {
		b := d.s.Boxes[i]
		if b.Invalid {
			continue
		}
		for j := range b.Bettors {
			player := b.Bettors[j].Player
			if b.Bettors[j].Stakes.None() || slices.ContainsFunc(offers, func(o Offer) bool { return o.Player == player }) {
				continue
			}
			offers = append(offers, Offer{Player: player, Clause: clause})
		}
	}
	if offers != nil {
		d.emit(OffersMade{Offers: offers})
	}
}

func (a Choose) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needVoice(by, a.Player) },
		func() *Refusal {
			if s.Question != nil {
				return s.needNothingOpen()
			}
			return nil
		},
		func() *Refusal { return s.needSelf(by, a.Player) },
		func() *Refusal {
			for _, o := range s.Offers {
				if o.Box == a.Box && o.Player == a.Player {
					return nil
				}
			}
			return s.refuse(NotApplicable, "", "%s has no such option", a.Player)
		},
	)
}

//clause:rws-3cp@3 5.10.3
//clause:mbs-3pictures@2 5.13.1
func (a Choose) perform(d *decision, _ Command) error {
	for _, o := range d.s.Offers {
		if o.Box == a.Box && o.Player == a.Player {
			d.answerOffer(o, a.Return, false)
			break
		}
	}
	return nil
}

// answerOffer closes an option: the player goes on, or his bets go back.
func (d *decision) answerOffer(o Offer, back, unanswered bool) {
	rule := &d.s.book().Offer
	clause := rule.Continue
	switch {
	case o.Box == 0:
		clause = rule.Withdraw
	case back:
		clause = rule.Return
	case o.Restored:
		clause = rule.Restored
	}
	d.emit(OfferAnswered{Box: o.Box, Player: o.Player, Return: back, Unanswered: unanswered, Clause: clause})
	if !back || d.err != nil {
		return
	}
	if o.Box == 0 {
		d.withdraw(o.Player, clause)
		return
	}
	d.leave(o.Box, o.Player, clause)
}

// leave gives one player's bets on a hand back; the hand leaves the round with
// its last bettor.
func (d *decision) leave(box int, player, clause string) {
	b := d.s.box(box)
	for i := range b.Bettors {
		if b.Bettors[i].Player != player && !b.Bettors[i].Stakes.None() {
			var lines []Line
			for _, l := range d.s.linesBack(box, clause) {
				if l.Player == player {
					lines = append(lines, l)
				}
			}
			d.emit(BetsReturned{Clause: clause, Lines: lines})
			d.giveBackUnmet(box)
			if d.err == nil && !d.s.box(box).Staked() {
				d.invalidate(box, clause)
			}
			return
		}
	}
	d.invalidate(box, clause)
}

// withdraw takes back all wagers of a player in the round.
func (d *decision) withdraw(player, clause string) {
	for i := range d.s.Boxes {
		if d.err != nil || !d.s.Phase.InRound() {
			return
		}
		b := d.s.Boxes[i]
		if at := b.bettor(player); at >= 0 && !b.Invalid && !b.Bettors[at].Stakes.None() {
			if d.s.Phase == Betting {
				d.emit(BetsReturned{Clause: clause, Lines: d.s.linesOf(i+1, player, clause)})
				d.giveBackUnmet(i + 1)
				continue
			}
			d.leave(i+1, player, clause)
		}
	}
}

func (s *State) linesOf(box int, player, clause string) []Line {
	return slices.DeleteFunc(s.linesBack(box, clause), func(l Line) bool { return l.Player != player })
}

func (a Answer) verify(s *State, by Actor) *Refusal {
	if s.Question == nil {
		return s.refuse(NotApplicable, "", "no question is open")
	}
	q := s.Question
	var then rules.Outcome
	return first(
		func() *Refusal {
			for i := range q.Answers {
				if q.Answers[i].Key != a.Answer {
					continue
				}
				then = q.Answers[i].Then
				if s.drawn == nil || q.Report.Incident != rules.DrawnTogether {
					return nil
				}
				order := slices.Clone(a.Order)
				slices.Sort(order)
				if len(order) != len(s.drawn) {
					return s.refuse(Malformed, q.Clause, "number the %d cards in the order in which they are received", len(s.drawn))
				}
				for k, n := range order {
					if n != k+1 {
						return s.refuse(Malformed, q.Clause, "the order must name each card from 1 to %d once", len(s.drawn))
					}
				}
				return nil
			}
			return s.refuse(Malformed, q.Clause, "%q is no answer that the book allows: %s", a.Answer, answerKeys(q.Answers))
		},
		func() *Refusal { return s.needRole(by, q.Role, q.Clause) },
		func() *Refusal {
			switch {
			case then == rules.Invalidate && q.Report.Box == 0:
				return s.refuse(NotApplicable, q.Clause, "the report names no box whose hand could be invalidated")
			case s.Phase == Paid && s.paidMajor() && (then == rules.Void || then == rules.Invalidate && s.paidMajorOn(q.Report.Box)):
				return s.refuse(NotApplicable, q.Clause, "the jackpot of this round has been paid, and the payment stands")
			case !s.possible(then):
				return s.refuse(NotApplicable, q.Clause, "no round is in progress that this could change")
			}
			return nil
		},
	)
}

// possible reports whether an outcome can still change the round. What gives
// bets back for good comes too late when they are settled: then only a void
// round or an invalid hand reverses what was paid.
func (s *State) possible(o rules.Outcome) bool {
	switch o {
	case rules.Void, rules.Invalidate:
		return s.Phase.InRound() || s.Phase == Paid
	case rules.OfferAffected, rules.OfferAll, rules.RestoreAndOfferAll, rules.OfferWithdrawal,
		rules.TakeBack, rules.FoldUndecidedHands, rules.MoveHands:
		return s.Phase.InRound()
	case rules.Continue, rules.TurnDown, rules.Ask, rules.KeepRegistered, rules.CountCards,
		rules.NotHonoured, rules.Stands:
	}
	return true
}

//clause:rws-3cp@3 5.14
//clause:rws-3cp@3 5.18
//clause:rws-3cp@3 5.23
//clause:mbs-3pictures@2 6.1
func (a Answer) perform(d *decision, c Command) error {
	q := d.s.Question
	at := slices.IndexFunc(q.Answers, func(k rules.Answer) bool { return k.Key == a.Answer })
	answer := q.Answers[at]
	drawn := d.s.drawn
	d.emit(QuestionAnswered{Key: q.Key, Answer: a.Answer, By: c.By, Order: a.Order, Clause: answer.Clause})
	if q.Report.Incident == rules.DrawnTogether && drawn != nil {
		deal := Deal{Cards: make([]Drawn, len(drawn))}
		for i, n := range a.Order {
			deal.Cards[i] = Drawn{Card: drawn[n-1]}
		}
		if err := deal.perform(d, c); err != nil {
			return err
		}
	}
	d.outcome(answer.Then, answer.Clause, q.Report, nil)
	return nil
}

func (a AskWithdrawal) verify(s *State, by Actor) *Refusal {
	rule := &s.book().Offer
	return first(
		func() *Refusal {
			if rule.Dissatisfied == "" {
				return s.refuse(NotInGame, "", "%s gives no such right", s.book().Ref())
			}
			return s.needVoice(by, a.Player)
		},
		func() *Refusal { return s.needPhase(rule.Dissatisfied, Dealing, Deciding, Showing) },
		s.needNothingOpen,
		func() *Refusal { return s.needStaked(a.Box) },
		func() *Refusal {
			if r := s.needSelf(by, a.Player); r != nil {
				return r
			}
			if i := s.box(a.Box).bettor(a.Player); i < 0 || s.box(a.Box).Bettors[i].Stakes.None() {
				return s.refuse(NotYours, rule.Dissatisfied, "%s has no wager on box %d", a.Player, a.Box)
			}
			if s.disputed == 0 {
				return s.refuse(NotApplicable, rule.Dissatisfied, "only after a hand was removed or a wrong deal is played to its conclusion may a player ask this")
			}
			if slices.Contains(s.heard, a) {
				return s.refuse(AlreadyDone, rule.Dissatisfied, "%s has asked this, and it has been answered", a.Player)
			}
			return nil
		},
	)
}

//clause:mbs-3pictures@2 5.7
func (a AskWithdrawal) perform(d *decision, _ Command) error {
	q := d.s.book().Offer.Question
	d.emit(QuestionAsked{Question: OpenQuestion{
		Key: q.Key, Ask: q.Ask, Role: q.Role, Clause: q.Clause, Answers: q.Answers,
		Report: Report{Incident: rules.DealtIncorrectly, Box: a.Box, Player: a.Player},
	}})
	return nil
}

func (a SuspendProgressive) verify(s *State, by Actor) *Refusal {
	clause := s.incidentClause(rules.ProgressiveDown)
	return first(
		func() *Refusal {
			if a.Option == 0 || int(a.Option) >= len(downKeys) || (a.Option == WithoutBoxes) != (len(a.Boxes) > 0) {
				return s.refuse(Malformed, "", "choose close, boxes with the boxes affected, or without")
			}
			return nil
		},
		s.needProgressive,
		func() *Refusal { return s.needRole(by, rules.PitSupervisor, clause) },
		func() *Refusal { return s.needPhase(clause, Ready, Paid, Voided) },
		func() *Refusal {
			for _, box := range a.Boxes {
				if r := s.needBox(box); r != nil {
					return r
				}
			}
			if !s.Down {
				return s.refuse(NotApplicable, "", "the progressive is in order")
			}
			return nil
		},
	)
}

//clause:rws-3cp@3 5.17.2
//clause:rws-3cp@3 5.17.2a
//clause:rws-3cp@3 5.17.2b
//clause:rws-3cp@3 5.17.2c
func (a SuspendProgressive) perform(d *decision, _ Command) error {
	bets := &d.s.book().Bets
	clause := bets.DownWithout
	switch a.Option {
	case CloseTableOption:
		clause = bets.DownClose
	case WithoutBoxes:
		clause = bets.DownBoxes
	case WithoutProgressive:
	}
	d.emit(ProgressiveSuspended{Option: a.Option, Boxes: a.Boxes, Clause: clause})
	if a.Option == CloseTableOption {
		d.emit(TableClosed{Clause: clause})
	}
	return nil
}

func (RestoreProgressive) verify(s *State, by Actor) *Refusal {
	return first(
		s.needProgressive,
		func() *Refusal { return s.needRole(by, rules.PitSupervisor, "") },
		func() *Refusal { return s.needPhase("", Ready, Paid, Voided, Closed) },
		func() *Refusal {
			if !s.Down {
				return s.refuse(NotApplicable, "", "the progressive is in order")
			}
			return nil
		},
	)
}

func (RestoreProgressive) perform(d *decision, _ Command) error {
	d.emit(ProgressiveRestored{})
	return nil
}
