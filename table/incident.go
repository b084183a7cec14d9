package table

import (
	"cmp"
	"slices"

	"trey/card"
	"trey/money"
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
			if s.Question == nil || a.Incident.Emergency() && (by.Automatic || !s.asked(a.Incident)) {
				return nil
			}
			return s.needNoQuestion()
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
				return s.refuse(NotApplicable, "", "%s has no rule for this incident: report it as uncovered", b.Ref())
			}
			return nil
		},
		func() *Refusal { return s.needJackpotKept(a) },
		func() *Refusal { return s.needNew(a) },
	)
}

// named returns the cards that a report names, in its order. A card that lies face down is
// card.None, because nobody has seen it, whatever the device reads.
func (a *Report) named() []card.Card {
	named := make([]card.Card, len(a.Cards))
	for i := range a.Cards {
		named[i] = a.Cards[i].Card
	}
	return named
}

// refuseAgain refuses a card that a report brings into the round and that is there already, and
// card.None not.
func (s *State) refuseAgain(clause string, c card.Card) *Refusal {
	if c == card.None {
		return nil
	}
	return s.refuse(WrongCards, clause, "%s is already in the round", c)
}

// needNew refuses a report that brings a card into the round which lies face down there.
func (s *State) needNew(a Report) *Refusal {
	if a.Round != 0 && a.Round < s.Round {
		return nil
	}
	var named []card.Card
	clause := ""
	switch a.Incident {
	case rules.DrawnTogether:
		named, clause = a.named(), s.incidentClause(a.Incident)
	case rules.CardExposed, rules.CardFaceUp:
		named = s.facesOf(a.Cards)
	default:
	}
	switch {
	case !s.downAgain(named):
		return nil
	case len(named) == 1:
		return s.refuseAgain(clause, named[0])
	}
	return s.refuse(WrongCards, clause, "one of these cards is already in the round")
}

// facesOf returns the faces that a report gives to cards which the house does not know.
func (s *State) facesOf(cards []Exposed) (faces []card.Card) {
	for _, e := range cards {
		if at := s.slotAt(e); at >= 0 && s.Slots[at].Card == card.None {
			faces = append(faces, e.Card)
		}
	}
	return faces
}

// wellFormed refuses a report that lacks what its kind needs.
func (s *State) wellFormed(a Report) *Refusal {
	missing := ""
	switch a.Incident {
	case rules.WrongCount:
		if a.Box == 0 && !a.Dealer {
			missing = "say at which box, or that it is the dealer's hand"
		}
		if a.Box != 0 && a.Dealer {
			missing = "report one hand at a time, or say with lies how many cards each holds"
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
	case rules.TechnicalInterruption:
		if a.LastedMs <= 0 {
			missing = "say how long the interruption lasted"
		}
	case rules.LateBet:
		if a.Box == 0 || a.Player == "" || a.Amount <= 0 {
			missing = "say who placed how much on which box"
		}
	case rules.LateWithdrawal:
		if a.Box == 0 || a.Player == "" {
			missing = "say who withdrew from which box"
		}
	case rules.Mispaid:
		if a.Box == 0 || a.Player == "" || a.Wager == 0 {
			missing = "say who was given how much for which wager, on which box"
		}
	case rules.ForeignCard, rules.InsufficientCards, rules.Unshuffled, rules.CardFaceUp,
		rules.DealtIncorrectly, rules.BurnMissed, rules.DealingError, rules.CountDoubted,
		rules.ProgressiveDown, rules.Uncovered, rules.Misdeal:
	case rules.HandsDiscussed:
		if a.Player == "" {
			missing = "say which player told others about a hand"
		}
	case rules.HandTouched:
		if a.Box == 0 || a.Player == "" {
			missing = "say which player touched the hand of which box"
		}
	case rules.CardMisread:
		if len(a.Cards) == 0 || slices.ContainsFunc(a.Cards, func(c Exposed) bool { return c.At == 0 || c.Card == card.None }) {
			missing = "say where the card lies and which card it is"
		}
	default:
		missing = "say what happened"
	}
	if a.LastedMs < 0 || a.Meter < 0 || a.Amount < 0 || a.Amount > rules.MaxStake || a.Round < 0 || a.Round > s.Round {
		missing = "a duration, an amount, a meter or a round is out of range"
	}
	if a.Wager != 0 && s.book().Rule(a.Wager) == nil && !(a.Incident == rules.Mispaid && a.Wager == rules.Envy) {
		missing = "the book has no such wager"
	}
	if late := a.Incident == rules.LateBet || a.Incident == rules.LateWithdrawal; late && a.Wager != 0 && missing == "" && s.book().Rule(a.Wager).Stake == rules.NoStake {
		missing = "that is a payment, not a wager"
	}
	switch {
	case len(a.Lies) > 0 && a.Incident.Table() != rules.Misdeal:
		missing = "only a report of a wrong deal states how many cards lie where"
	case a.Counted && (a.Incident != rules.LateBet || a.Wager == 0):
		missing = "only a report of a late bet that names its wager says that it was counted"
	case a.Turned && a.Incident != rules.CardExposed:
		missing = "only a report of exposed cards says that they were turned over later"
	case a.OrderKnown && a.Incident != rules.DrawnTogether:
		missing = "only a report of cards drawn together says that their order is known"
	case a.BeforeLook && a.Incident == rules.HandTouched:
		if !a.Looked || !s.book().Examine.AfterDeal {
			missing = "only a report that a player looked too early says that it came before the deal was over"
		}
	case a.BeforeLook && a.Incident.Table() != rules.Misdeal && a.Incident != rules.ProgressiveDown && a.Incident != rules.HandsDiscussed:
		missing = "only a report of a wrong deal or of the progressive says that it came before any player looked"
	case a.Looked && a.Incident != rules.HandTouched:
		missing = "only a report of a hand that was touched says that the player looked at it"
	case !s.possibleLies(a.lies()):
		missing = "a place where cards are said to lie does not exist, is named twice or holds more than a deck"
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
	phases := ReportPhases(a.Incident)
	switch a.Incident {
	case rules.DealtIncorrectly, rules.Misdeal:
		if after := s.with(s.correct(a.lies())); s.Phase == Paid && (after.wrongHandsAnywhere() || after.burnDealt()) {
			return nil // A wrong number is noticed in time until the next round begins.
		}
	default:
	}
	if a.BeforeLook && slices.Contains(LatePhases(a.Incident), s.Phase) {
		return nil // What it leads to depends on when it happened, not on when it is noticed.
	}
	if rule := s.book().Incident(a.Incident); s.Phase == Paid && rule != nil && rule.Incident == rules.Uncovered {
		return nil // The book has nothing of it, so it is put to a person as late as that.
	}
	return s.needPhase(s.incidentClause(a.Incident), phases...)
}

// LatePhases lists the phases beside those of [ReportPhases] in which an incident can
// still be reported if the report says that it came before the look that ends them
// ([Report.BeforeLook]).
func LatePhases(i rules.Incident) []Phase {
	switch i {
	case rules.CardExposed:
		return []Phase{Showing}
	case rules.HandTouched:
		return []Phase{Paid}
	case rules.HandsDiscussed:
		return []Phase{Showing, Paid}
	default:
		return nil
	}
}

// ReportPhases lists the phases of a round in which an incident of this round can be
// reported. A wrong deal may also be reported once the round is settled, if a hand
// has a wrong number of cards.
func ReportPhases(i rules.Incident) []Phase {
	switch i {
	case rules.ProgressiveDown:
		// A closed table opens again with the same system.
		return []Phase{Ready, Betting, Dealing, Deciding, Showing, Paid, Voided, Closed}
	case rules.Uncovered:
		return []Phase{Ready, Betting, Dealing, Deciding, Showing, Paid, Voided}
	case rules.ForeignCard, rules.DeckCount, rules.CountDoubted, rules.Unshuffled:
		return []Phase{Betting, Dealing, Deciding, Showing, Paid}
	case rules.InsufficientCards, rules.TechnicalInterruption, rules.WalkedAway:
		return []Phase{Betting, Dealing, Deciding, Showing}
	case rules.WrongCount, rules.BurnMissed:
		return []Phase{Dealing, Deciding, Showing, Paid}
	case rules.LateBet, rules.LateWithdrawal, rules.CardMisread:
		return []Phase{Dealing, Deciding, Showing, Paid}
	case rules.Mispaid:
		return []Phase{Showing, Paid}
	case rules.DrawnTogether:
		return []Phase{Dealing}
	case rules.HandsDiscussed:
		// Once the dealer's hand is turned, no player has a decision left.
		return []Phase{Dealing, Deciding}
	case rules.CardExposed:
		// Once the dealer's hand is shown, the players' hands are turned as they should be.
		return []Phase{Dealing, Deciding}
	case rules.DealingError, rules.CardFaceUp, rules.DealtIncorrectly, rules.Misdeal, rules.SecondHand,
		rules.HandTouched:
	}
	return []Phase{Dealing, Deciding, Showing}
}

// incidentClause returns the clause to name where a report of the incident is refused:
// that of the first case in force about what the word means, else of the first one in
// force.
func (s *State) incidentClause(i rules.Incident) string {
	rule := s.book().Incident(i)
	if rule == nil || len(rule.Cases) == 0 {
		return ""
	}
	if i == rules.DealingError || i == rules.Misdeal {
		return rule.Cases[len(rule.Cases)-1].Clause
	}
	about := wordConditions[i]
	for k := range rule.Cases {
		c := &rule.Cases[k]
		if c.Ruling != 0 && !s.Variant.Is(c.Ruling, c.Choice) {
			continue
		}
		if slices.ContainsFunc(c.When, func(w rules.Condition) bool { return slices.Contains(about, w) }) {
			return c.Clause
		}
	}
	if i == rules.SecondHand {
		return rule.Cases[len(rule.Cases)-1].Clause // Before it stand the hands it does not reach.
	}
	inForce := slices.IndexFunc(rule.Cases, func(c rules.Case) bool { return c.Ruling == 0 || s.Variant.Is(c.Ruling, c.Choice) })
	return rule.Cases[max(inForce, 0)].Clause
}

// wordConditions are the conditions that an everyday word for a wrong deal means.
var wordConditions = map[rules.Incident][]rules.Condition{
	rules.CardExposed:      {rules.OneExposed},
	rules.DealtIncorrectly: {rules.Misplaced},
	rules.WrongCount:       {rules.HandCount},
	rules.BurnMissed:       {rules.BurnDealt},
}

// needEquipment refuses a report of what cannot happen at a table equipped as
// this one is.
func (s *State) needEquipment(a Report) *Refusal {
	clause := s.incidentClause(a.Incident)
	if s.Config.Cards == Virtual {
		switch a.Incident {
		case rules.DealtIncorrectly, rules.WrongCount, rules.DrawnTogether, rules.CardExposed, rules.Misdeal,
			rules.BurnMissed, rules.DealingError, rules.SecondHand, rules.CardFaceUp, rules.HandTouched, rules.CardMisread:
			return s.refuse(NotInGame, clause, "no hand deals or holds cards at a virtual table, so this cannot have happened")
		case rules.ForeignCard, rules.DeckCount, rules.CountDoubted, rules.Unshuffled, rules.InsufficientCards:
			return s.refuse(NotInGame, clause, "the program deals 52 cards that it has shuffled at a virtual table, and the round's record proves it, so this cannot have happened")
		default:
		}
	}
	switch {
	case a.Counted && !s.Config.Chips:
		return s.refuse(NotInGame, clause, "no chips lie on this layout: the system takes no late bets")
	case a.Incident == rules.BurnMissed && !s.Variant.Burns(s.Config.Device):
		return s.refuse(NotInGame, clause, "no card is burnt when dealing from this %s", sentence.Word(s.Config.Device.String()))
	case a.Incident == rules.DrawnTogether && s.device().Packets:
		return s.refuse(NotInGame, clause, "this device gives packets of three, so no single cards are drawn together")
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

// fitsStill refuses to confirm a report that an emergency has overtaken: it contradicts
// what the record has by now.
func (s *State) fitsStill(a Report) *Refusal {
	if a.Incident == rules.ProgressiveDown {
		return nil // The record has the failure since it was reported.
	}
	return first(
		func() *Refusal { return s.reportable(a) },
		func() *Refusal { return s.fits(a) },
		func() *Refusal { return s.needJackpotKept(a) },
		func() *Refusal { return s.needNew(a) },
	)
}

// fits refuses a report that contradicts the table's own record.
func (s *State) fits(a Report) *Refusal {
	clause := s.incidentClause(a.Incident)
	if a.Round != 0 && a.Round < s.Round {
		return nil // The record of this round says nothing of that one.
	}
	switch a.Incident {
	case rules.CardExposed, rules.CardFaceUp:
		slots, r := s.exposedSlots(a.Cards)
		if r != nil {
			return r
		}
		for _, at := range slots {
			// Once its hand is turned a card lies open as it should, and can have been
			// turned by mistake before.
			late := a.BeforeLook && !s.Slots[at].mistaken && (s.Phase == Showing || s.laidOpen(s.Slots[at].Place))
			if s.Slots[at].Exposed() && !late {
				return s.refuse(AlreadyDone, clause, "the whole table had seen that card at %s already", s.Slots[at].Place)
			}
		}
		return s.fitsDeal(a, clause)
	case rules.BurnMissed, rules.DealtIncorrectly, rules.WrongCount, rules.DealingError, rules.Misdeal:
		return s.fitsDeal(a, clause)
	case rules.DrawnTogether:
		// One of them is due at least; what comes out beyond the deal is surplus.
		switch left := len(s.ToCome()); {
		case left == 0:
			return s.refuse(WrongCards, clause, "no card is still to be dealt")
		case len(s.Slots)+len(a.Cards) > deckSize:
			return s.refuse(WrongCards, clause, "only %d cards are left in the deck", deckSize-len(s.Slots))
		}
		return s.refuseAgain(clause, s.openAgain(a.named()))
	case rules.SecondHand:
		b := s.box(a.Box)
		if !b.Staked() || b.Invalid {
			return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
		}
		if r := s.needUndetermined(a.Box); r != nil {
			return r
		}
		if a.Player != "" && b.bettor(a.Player) < 0 {
			return s.refuse(NotYours, clause, "%s has no wager on box %d", a.Player, a.Box)
		}
		player := cmp.Or(a.Player, b.Player())
		switch s.firstViewed(player) {
		case a.Box:
			return s.refuse(NotApplicable, clause, "the hand on box %d is the one that %s examined first, and stays valid", a.Box, player)
		case 0:
			return s.refuse(NotApplicable, clause, "%s is not known to have examined a first hand: enter that one before, or report it as touched", player)
		}
	case rules.HandTouched:
		return s.fitsTouch(a, clause)
	case rules.HandsDiscussed:
		if s.boxesOf(a.Player) == 0 {
			return s.refuse(NotYours, clause, "%s has no wager in this round", a.Player)
		}
		// Where people hold the cards a look need not have been entered, and once the
		// dealer's hand is turned none can be any more.
		heldByHand := s.Config.Chips && slices.Contains(LatePhases(a.Incident), s.Phase)
		if !heldByHand && !s.hasSeenAHand(a.Player) {
			return s.refuse(NotApplicable, clause, "%s is not known to have looked at a hand, so there was nothing to tell: enter the look first", a.Player)
		}
	case rules.CardMisread:
		if _, r := s.misread(a.Cards); r != nil {
			return r
		}
		return s.needAnew(a.Cards)
	case rules.InsufficientCards:
		if s.Phase != Betting && s.dealComplete() {
			return s.refuse(NotApplicable, clause, "every hand has its three cards, so no card is lacking to complete the round")
		}
	case rules.CountDoubted:
		if s.Counting {
			return s.refuse(AlreadyDone, clause, "the number of cards is in doubt already: count them and report how many there are")
		}
	case rules.WalkedAway:
		if s.boxesOf(a.Player) == 0 {
			return s.refuse(NotApplicable, clause, "%s has no bet in this round", a.Player)
		}
	case rules.LateWithdrawal:
		if s.box(a.Box).bettor(a.Player) < 0 {
			return s.refuse(NotYours, clause, "%s has no wager on box %d", a.Player, a.Box)
		}
	case rules.LateBet:
		if a.Counted {
			return s.fitsCounted(a, clause)
		}
	case rules.Mispaid:
		return s.fitsPayment(a, clause)
	case rules.ProgressiveDown:
		if s.Down && s.DownOption != WithoutBoxes && !(s.DevicesDown() && a.SystemFailed()) {
			return s.refuse(AlreadyDone, clause, "the progressive is already out of order")
		}
		if s.Phase.InRound() && a.Meter == 0 && s.looked() && !a.BeforeLook && !s.devicesAlone(&a) {
			return s.refuse(MeterUnknown, clause, "say what the jackpot registered before it failed")
		}
	default:
	}
	return nil
}

// laidOpen reports whether the hand at a place lies face up because it was laid up or
// opened.
//
//clause:mbs-3pictures@2 3.13
//clause:mbs-3pictures@2 3.14
func (s *State) laidOpen(p Place) bool { return p.IsBox() && s.box(int(p)).Up }

// fitsCounted refuses a late bet that is said to be in the record and cannot be taken
// out of it.
func (s *State) fitsCounted(a Report, clause string) *Refusal {
	stake := s.stake(a.Box, a.Player, a.Wager)
	switch rule := s.book().Rule(a.Wager); {
	case rule.Stake == rules.EqualToBasis:
		return s.refuse(NoSuchWager, clause, "%s is placed after the call: state what lies there", a.Wager)
	case a.Amount > stake:
		return s.refuse(StakeSize, clause, "the record has %s of %s for %s on box %d, so no late bet of %s was counted", stake, a.Wager, a.Player, a.Box, a.Amount)
	}
	return s.fitsBets(a.atCall(stake))
}

// atCall returns the stake that lay at the call where a late bet was counted.
func (a *Report) atCall(stake money.Amount) Found {
	return Found{Box: a.Box, Player: a.Player, Wager: a.Wager, Amount: stake - a.Amount, AtCall: true}
}

// fitsPayment refuses a payment that was not made, or that was right.
func (s *State) fitsPayment(a Report, clause string) *Refusal {
	carrier := s.carrier(a.Wager)
	stakes := s.stakesOf(a.Box, a.Player)
	switch b := s.box(a.Box); {
	case carrier == 0 || stakes[carrier] == 0 || b.Invalid:
		return s.refuse(NotYours, clause, "%s has no %s on box %d", a.Player, a.Wager, a.Box)
	case !b.Settled:
		return s.refuse(WrongPhase, clause, "box %d is not settled yet", a.Box)
	case a.Amount == s.received(a.Box, a.Player, a.Wager):
		return s.refuse(NotApplicable, clause, "%s is what %s on box %d brought: nothing was paid wrongly", a.Amount, a.Wager, a.Box)
	}
	return nil
}

// jackpotStands reports whether a share of the meter was paid to the box in this
// round, or to any box for box zero, and stands by the ruling
// paid_jackpot_stands.
func (s *State) jackpotStands(box int) bool {
	if !s.Variant.Is(rules.PaidJackpotStands, rules.Yes) {
		return false
	}
	for i := range s.Boxes {
		if (box == 0 || box == i+1) && s.paidMeter(i+1) {
			return true
		}
	}
	return false
}

// needJackpotKept refuses a report by which a paid jackpot that stands would be collected
// again.
//
//clause:rws-3cp@3 5.8
func (s *State) needJackpotKept(a Report) *Refusal {
	if a.Round != 0 && a.Round < s.Round || !s.jackpotStands(0) {
		return nil
	}
	trial := decisionOn(*s)
	defer decisions.Put(trial)
	trial.found(a, 0)
	row := trial.row(a)
	if trial.err != nil || row == nil || !trial.s.collectsStanding(row.Then) {
		return nil
	}
	return s.refuse(NotApplicable, row.Clause, "the jackpot of this round has been paid, and by the ruling of this house it stands: report it as uncovered")
}

// collectsStanding reports whether an outcome would void a round, or settle a box anew,
// in which a paid jackpot stands.
func (s *State) collectsStanding(then rules.Outcome) bool {
	switch then {
	case rules.Void:
		return s.jackpotStands(0)
	case rules.MoveHands, rules.OfferAffected, rules.OfferAll, rules.RestoreAndOfferAll:
		return s.settlesStanding(s.restoringMoves())
	default:
		return false
	}
}

// settlesStanding reports whether a box in which a paid jackpot stands would be settled
// anew once the cards are moved.
func (s *State) settlesStanding(moves []Move) bool {
	for i := range s.Boxes {
		if s.jackpotStands(i+1) && s.settledAnew(i+1, moves) {
			return true
		}
	}
	return false
}

// fromMeter reports whether a line paid a share of the meter.
func (s *State) fromMeter(l *Line) bool {
	if l.Wager != rules.Progressive || l.Result != rules.Win {
		return false
	}
	return slices.ContainsFunc(s.Variant.Pays[rules.Progressive].Rows, func(row rules.PayRow) bool {
		return row.Combo == l.Combo && row.Pay.MeterPercent != 0
	})
}

// hasSeenAHand reports whether a player has examined a hand, or looked at one without
// being allowed to.
func (s *State) hasSeenAHand(player string) bool {
	return s.firstViewed(player) != 0 ||
		slices.ContainsFunc(s.touched, func(t Touch) bool { return t.Player == player && t.Looked })
}

// touch returns the touch that a report states.
func (a *Report) touch() Touch { return Touch{Box: a.Box, Player: a.Player, Looked: a.Looked} }

// fitsTouch refuses a report of a touched hand that does not fit the record.
func (s *State) fitsTouch(a Report, clause string) *Refusal {
	if r := s.needStaked(a.Box); r != nil {
		return r
	}
	_, n := s.Hand(Box(a.Box))
	look := Examine{Box: a.Box, Player: a.Player}
	switch {
	case s.boxesOf(a.Player) == 0:
		return s.refuse(NotYours, clause, "%s has no wager in this round", a.Player)
	case n == 0:
		return s.refuse(Unfinished, clause, "box %d has no cards yet", a.Box)
	case a.BeforeLook && s.Phase != Dealing && s.Variant.Is(rules.EarlyLook, rules.Lost) && !s.decides(s.box(a.Box)):
		return s.refuse(NotApplicable, clause, "the hand on box %d has been played or folded, and by the ruling of this house the bets on it would be lost with it: report it as uncovered", a.Box)
	case s.box(a.Box).Up && !a.BeforeLook:
		return s.refuse(AlreadyDone, clause, "the hand on box %d lies face up", a.Box)
	case s.box(a.Box).Examiner == a.Player && !a.BeforeLook:
		return s.refuse(AlreadyDone, clause, "%s has examined the hand on box %d", a.Player, a.Box)
	case slices.ContainsFunc(s.touched, func(t Touch) bool { return t.Box == a.Box && t.Player == a.Player && (t.Looked || !a.Looked) }):
		return s.refuse(AlreadyDone, clause, "that %s touched the hand on box %d is recorded", a.Player, a.Box)
	case a.Looked && !a.BeforeLook && look.verify(s, Actor{Name: a.Player, Role: rules.Player}) == nil:
		return s.refuse(NotApplicable, clause, "%s may look at the hand on box %d: enter that they examine it", a.Player, a.Box)
	case a.Looked && !a.BeforeLook && s.addsHand(a.Box, a.Player):
		return s.refuse(NotApplicable, s.incidentClause(rules.SecondHand), "%s has looked at the hand on box %d first: report that an additional hand was examined", a.Player, s.firstViewed(a.Player))
	case a.Looked && s.box(a.Box).bettor(a.Player) >= 0:
		return s.needUndetermined(a.Box)
	case !a.Looked && !s.book().Declares(rules.HandTouched):
		return s.refuse(NotApplicable, clause, "in %s nothing depends on who touched a hand without looking at it", s.book().Ref())
	}
	return nil
}

// needUndetermined refuses to ask again whether a further hand was examined on purpose.
//
//clause:rws-3cp@3 5.18
func (s *State) needUndetermined(box int) *Refusal {
	if !slices.Contains(s.accidental, box) {
		return nil
	}
	return s.refuse(AlreadyDone, s.incidentClause(rules.SecondHand), "it has been decided that the hand on box %d was examined without intent", box)
}

// addsHand reports whether the book has a rule for a player's look at the hand on a box
// beside the one that they looked at first, and the hand on the box is such a one.
//
//clause:rws-3cp@3 5.18
func (s *State) addsHand(box int, player string) bool {
	return s.book().Declares(rules.SecondHand) && s.fits(Report{Incident: rules.SecondHand, Box: box, Player: player}) == nil
}

// misread finds the cards of a correction among those that lie open, and refuses one
// that does not fit the record. Where the record has such a card face down, it says
// nothing of it: a refusal would tell that it is there.
func (s *State) misread(cards []Exposed) ([]int, *Refusal) {
	slots := make([]int, 0, len(cards))
	var named card.Set
	for _, e := range cards {
		at := s.slotAt(e)
		switch {
		case at < 0 || slices.Contains(slots, at):
			return nil, s.refuse(WrongCards, "", "there is no such card at %s", e.At)
		case !s.Slots[at].Exposed():
			return nil, s.refuse(WrongCards, "", "the card at %s lies face down: turn it before it is corrected", e.At)
		case s.Slots[at].Card == e.Card:
			return nil, s.refuse(AlreadyDone, "", "the card at %s is recorded as %s", e.At, e.Card)
		case named.Has(e.Card):
			return nil, s.refuse(WrongCards, "", "%s is named twice", e.Card)
		}
		named = named.With(e.Card)
		slots = append(slots, at)
	}
	for i := range s.Slots {
		if c := &s.Slots[i]; c.Exposed() && named.Has(c.Card) && !slices.Contains(slots, i) {
			return nil, s.refuse(WrongCards, "", "%s lies open at %s: correct both together, or report a foreign card if it is there twice", c.Card, c.Place)
		}
	}
	return slots, nil
}

// settledBy lists the boxes that were settled by a hand to which one of the cards
// belongs: its own box, or every one for the dealer's hand.
func (s *State) settledBy(cards []Exposed) (boxes []int) {
	for i, b := range s.Boxes {
		settled := b.Settled && !b.Collected && !b.Invalid
		if settled && slices.ContainsFunc(cards, func(c Exposed) bool { return c.At == DealerHand || c.At == Box(i+1) }) {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// needAnew refuses to correct cards of settled boxes that cannot be settled anew: a paid jackpot
// stands by the ruling of the house, or a person has corrected the payment. Envy Bonuses follow
// from all hands, and are settled anew with any of them.
func (s *State) needAnew(cards []Exposed) *Refusal {
	clause := s.book().Bets.Settle
	boxes := s.settledBy(cards)
	for _, box := range boxes {
		if r := s.needThree(box); r != nil {
			return r
		}
		switch {
		case s.jackpotStands(box):
			return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid, and by the ruling of this house it stands: report it as uncovered")
		case s.paidMeter(box) && s.takesMeter(s.correctedHand(box, cards)):
			// Its payment would be collected and made again for a difference of other wagers.
			return s.refuse(NotApplicable, clause, "box %d is settled with a share of the meter, which is not paid anew: report it as uncovered", box)
		case s.corrected(box):
			return s.refuse(NotApplicable, clause, "a person has corrected what box %d was paid, which a new settlement would undo: report it as uncovered", box)
		}
	}
	if box := s.envyCorrected(); len(boxes) > 0 && box != 0 {
		return s.refuseEnvyAnew(box)
	}
	return nil
}

// correctedHand returns the hand of a box with the faces that a correction gives its cards.
func (s *State) correctedHand(box int, cards []Exposed) card.Hand {
	hand, _ := s.Hand(Box(box))
	slots, _ := s.misread(cards)
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place != Box(box) || n == len(hand) {
			continue
		}
		if k := slices.Index(slots, i); k >= 0 {
			hand[n] = cards[k].Card
		}
		n++
	}
	return hand
}

// needThree refuses to settle a settled box anew where its record, or that of the dealer's
// hand, has another number of cards than three, with which the round stands.
func (s *State) needThree(box int) *Refusal {
	for _, p := range []Place{DealerHand, Box(box)} {
		if _, n := s.Hand(p); n != 3 {
			return s.refuse(NotApplicable, s.book().Bets.Settle, "%d cards lie at %s, so box %d cannot be settled anew: report it as uncovered", n, p.Sentence(), box)
		}
	}
	return nil
}

// envyCorrected returns a box whose Envy Bonus a person has corrected in a round that is
// settled, zero for none. Envy Bonuses go back with the settlement of any box.
func (s *State) envyCorrected() int {
	for i := range s.Lines {
		if l := &s.Lines[i]; s.Phase == Paid && l.Wager == rules.Envy && (l.awarded() || l.Reverses != 0 && s.personDecides(l.Clause)) {
			return l.Box
		}
	}
	return 0
}

func (s *State) refuseEnvyAnew(box int) *Refusal {
	return s.refuse(NotApplicable, s.book().Bets.Settle, "a person has corrected the Envy Bonus of box %d, which a new settlement would undo: report it as uncovered", box)
}

// slotAt finds a card by its place, -1 if there is none.
func (s *State) slotAt(e Exposed) int {
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
	return at
}

// exposedSlots finds the cards of a report among those dealt.
func (s *State) exposedSlots(cards []Exposed) ([]int, *Refusal) {
	slots := make([]int, 0, len(cards))
	for _, e := range cards {
		at := s.slotAt(e)
		if at < 0 || slices.Contains(slots, at) {
			return nil, s.refuse(WrongCards, "", "there is no such card at %s", e.At)
		}
		slot := &s.Slots[at]
		switch known := slot.Card; {
		case known == card.None && e.Card == card.None:
			return nil, s.refuse(WrongCards, "", "name the card exposed at %s", e.At)
		case known == card.None || e.Card == card.None:
		case !slot.Exposed():
			// As with a hand that is turned: a name would be a guess to be answered.
			return nil, s.refuse(WrongCards, "", "the house knows the card at %s: say where it lies and leave its name out", e.At)
		case known != e.Card:
			return nil, s.refuse(WrongCards, "", "the card at %s lies open, and it is not %s: look again", e.At, e.Card)
		}
		slots = append(slots, at)
	}
	if r := s.refuseAgain("", s.openAgain(s.facesOf(cards))); r != nil {
		return nil, r
	}
	return slots, nil
}

// openSlots returns the cards that a report says lay open. Those that a report of something
// else names are only concerned by it.
func (s *State) openSlots(a *Report) []int {
	if a.Incident != rules.CardExposed && a.Incident != rules.CardFaceUp {
		return nil
	}
	slots, _ := s.exposedSlots(a.Cards)
	return slots
}

// SystemFailed reports whether a report says that the jackpot's system has failed: a failure of
// betting devices names their boxes.
//
//clause:rws-3cp@3 5.16
func (a Report) SystemFailed() bool {
	return a.Incident == rules.ProgressiveDown && a.Box == 0 && len(a.Boxes) == 0
}

// devicesAlone reports whether a report takes the progressive out of order at this table alone,
// while the jackpot's system goes on.
//
//clause:rws-3cp@3 5.17.1
func (s *State) devicesAlone(a *Report) bool {
	return s.holds(rules.DevicesOnly, *a, nil) && s.Variant.Is(rules.DeviceFailure, rules.DisplayedValue)
}

// DevicesDown reports whether the progressive is suspended at this table alone, because its betting
// devices have failed and the jackpot's system has not. The round is then paid what is displayed,
// and the house has yet to choose how the table plays on. The ruling [rules.DeviceFailure] decides
// whether that is possible.
//
//clause:rws-3cp@3 5.17.1
//clause:rws-3cp@3 5.17.2
func (s *State) DevicesDown() bool {
	return s.Down && s.DownOption == 0 && s.Registered == 0 && s.Variant.Is(rules.DeviceFailure, rules.DisplayedValue)
}

func (a Report) perform(d *decision, c Command) error {
	if a.Round != 0 && a.Round < d.s.Round {
		d.earlierRound(a, c.By)
		return nil
	}
	// What would follow is found on a copy: whether a second person has to confirm
	// the facts depends on it.
	seen := d.s.seen()
	trial := decision{s: draft{State: d.s.State}}
	trial.found(a, c.AtMs)
	if trial.err != nil {
		return trial.err
	}
	row := trial.row(a)
	if row == nil {
		return broken("the book's table has no case for %s", a.Incident)
	}
	if a.Incident == rules.ProgressiveDown {
		// It is out of order whatever a second person says of the time, of which the
		// record alone decides until then.
		now := a
		now.BeforeLook = false
		failed := ProgressiveFailed{Registered: a.Meter, Clause: trial.row(now).Clause}
		if d.s.devicesAlone(&a) {
			failed.Registered = 0
		}
		d.emit(failed)
	}
	// Nothing that a player knows could be undone by what is void at once.
	atOnce := row.AtOnce && !d.s.looksLater(&a) && (d.s.Phase == Dealing || !d.s.handled())
	// Where the reporter is one who decides, nobody else may be there who does: then
	// somebody of the pit confirms the facts, and the reporter may answer. Cards drawn
	// together lie there for everybody.
	decides := row.Then == rules.Ask && seen && a.Incident != rules.DrawnTogether && c.By.Role.AtLeast(row.Question.Role)
	if !atOnce && !c.By.Automatic && (decides || d.s.needsConfirmation(a, row.Then, seen)) {
		d.emit(QuestionAsked{Question: OpenQuestion{
			Key: ConfirmFacts, Role: rules.PitSupervisor,
			Clause: row.Clause, Report: a, By: c.By,
			Answers: []rules.Answer{
				rules.Reply("yes", row.Then, row.Clause),
				rules.Reply("no", rules.Continue, row.Clause),
			},
		}})
		return nil
	}
	d.resolve(a, c, false)
	return nil
}

// found enters the facts of a report into the record: where cards lie, and which
// were turned over. It returns the cards that were.
func (d *decision) found(a Report, atMs int64) []int {
	d.correctRecord(d.s.correct(a.lies()), atMs)
	if hand := d.s.endsShort(&a); hand != 0 {
		d.emit(DealFinished{Hand: hand})
	}
	slots := d.s.openSlots(&a)
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
	if a.Incident == rules.CardMisread {
		d.correctFaces(a.Cards)
	}
	return slots
}

// correctFaces gives cards that lie open the faces that they have. If the dealer's
// hand is shown, the dealer says anew what it is.
func (d *decision) correctFaces(corrected []Exposed) {
	slots, _ := d.s.misread(corrected)
	cards := make([]card.Card, len(slots))
	dealers := false
	for i := range slots {
		cards[i] = corrected[i].Card
		dealers = dealers || corrected[i].At == DealerHand
	}
	for _, box := range d.s.settledBy(corrected) {
		// What was settled by another card is settled anew.
		d.undo(box, d.s.book().Bets.Settle)
	}
	d.emit(CardsExposed{Slots: slots, Cards: cards, Corrected: true})
	if hand, known := d.s.known(DealerHand); d.err == nil && known && dealers && d.s.Phase == Showing {
		d.announce(d.s.book().Announce.DealerHand, Announced{Key: "dealer-hand", Hand: hand})
	}
}

// looksLater reports whether a report states that it came before a look or a touch
// that the record has.
func (s *State) looksLater(a *Report) bool { return a.BeforeLook && (s.looked() || s.handled()) }

// resolve enters the facts of a report, which a second person may have confirmed, and
// applies the book's table to them.
func (d *decision) resolve(a Report, c Command, confirmed bool) {
	slots := d.found(a, c.AtMs)
	if a.Incident == rules.DrawnTogether {
		cards := make([]card.Card, len(a.Cards))
		for i := range a.Cards {
			cards[i] = a.Cards[i].Card
		}
		d.emit(CardsDrawn{Cards: cards})
	}
	if a.OrderKnown {
		for i := range a.Cards {
			if a.Cards[i].Card != card.None {
				slots = append(slots, len(d.s.Slots)+i)
			}
		}
		d.dealDrawn(nil, c)
	}
	if d.err == nil {
		d.incident(a, slots, c.By, confirmed)
	}
}

// needsConfirmation reports whether a second person has to confirm the facts of a report before
// anything follows. That is so if the report contradicts the record, if it says that an active
// player has left, and if it takes or gives money after a card has been examined or exposed.
func (s *State) needsConfirmation(a Report, then rules.Outcome, seen bool) bool {
	if c := s.correct(a.lies()); !c.none() || s.looksLater(&a) {
		return true
	}
	switch a.Incident {
	case rules.CardMisread:
		return true
	case rules.DrawnTogether:
		// Whoever states the order of cards that lie open states who gets which.
		if a.OrderKnown && slices.ContainsFunc(a.Cards, func(c Exposed) bool { return c.Card != card.None }) {
			return true
		}
	case rules.HandTouched:
		// What an exposed card or a wrong count leads to can depend on it.
		return seen
	default:
	}
	return (then.MovesMoney() || a.Counted) && (seen || a.Incident == rules.WalkedAway && a.Active)
}

// asked reports whether a question over the same kind of report is open.
func (s *State) asked(i rules.Incident) bool {
	same := func(q OpenQuestion) bool { return q.Report.Incident == i }
	return s.Question != nil && same(*s.Question) || slices.ContainsFunc(s.waiting, same)
}

// wrongHandsAnywhere reports whether a hand in the round, the dealer's included,
// has a wrong count that has not been ruled on.
func (s *State) wrongHandsAnywhere() bool { return s.wrongPlaces() != nil }

// earlierRound records an error of a round that is over. It changes nothing, or is put
// to whoever decides what the text does not cover; neither touches the round in
// progress.
//
//clause:rws-3cp@3 5.19
//clause:mbs-3pictures@2 5.1.2
//clause:mbs-3pictures@2 5.12
func (d *decision) earlierRound(a Report, by Actor) {
	clause, ask := d.s.book().OfEarlier(a.Incident)
	limit := d.s.Variant.Limits[a.Wager]
	outside := a.Amount > 0 && (limit.Max > 0 && a.Amount > limit.Max || a.Amount < limit.Min)
	if of := d.s.book().Bets.EarlierStake; of != "" && a.Incident == rules.Uncovered && outside {
		clause, ask = of, nil
	}
	if ask != nil {
		d.emit(Reported{Report: a, Outcome: rules.Ask, Clause: ask.Clause})
		d.emit(QuestionAsked{Question: OpenQuestion{
			Key: ask.Key, Role: ask.Role, Clause: ask.Clause, Answers: ask.Answers, Report: a, By: by,
		}})
		return
	}
	d.emit(Reported{Report: a, Outcome: rules.Stands, Clause: clause})
}

// incident applies the book's table to a report: the first case whose
// conditions all hold decides.
//
//clause:rws-3cp@3 5.8
//clause:rws-3cp@3 5.23
//clause:mbs-3pictures@2 6.1
func (d *decision) incident(a Report, slots []int, by Actor, confirmed bool) {
	row := d.rowFor(a, slots)
	if row == nil {
		d.err = broken("the book's table has no case for %s", a.Incident)
		return
	}
	reported := Reported{Report: a, Outcome: row.Then, Clause: row.Clause}
	if row.Then == rules.Invalidate && a.Incident.Table() == rules.Misdeal {
		reported.Boxes = d.s.concerned(row)
	}
	e := effect{
		question: row.Question, boxes: reported.Boxes, by: by, confirmed: confirmed,
		affected: d.s.affected(a),
	}
	if d.s.Variant.Is(rules.FoldedAffected, rules.Yes) {
		e.folded = d.s.foldedWrong()
	}
	lay := a.Incident.Table() == rules.Misdeal && d.s.wrongDeal()
	if row.Then == rules.PayDifference {
		reported.Due = d.s.received(a.Box, a.Player, a.Wager)
	}
	d.emit(reported)
	d.outcome(row.Then, row.Clause, a, e)
	left := reported.Boxes != nil && (d.s.wrongHands() != nil || d.s.misdealt()) || lay && d.s.newlyTurned()
	if d.err == nil && left && d.s.Phase.InRound() && d.s.Question == nil {
		// What is wrong with the hands that remain, or was turned over besides, is the
		// next case's. The order that is lost is that of the hand that left: packets stay
		// apart, so the complete ones can still be moved to where they belong.
		if reported.Boxes != nil && d.s.device().Packets && d.s.handsMovable() {
			a.OrderLost = false
		}
		d.incident(a, nil, by, confirmed)
	}
}

// row returns the case that decides a report whose facts have been entered.
func (d *decision) row(a Report) *rules.Case {
	return d.rowFor(a, d.s.openSlots(&a))
}

func (d *decision) rowFor(a Report, slots []int) *rules.Case {
	rule := d.s.book().Incident(a.Incident)
	for i := range rule.Cases {
		c := &rule.Cases[i]
		if c.Ruling != 0 && !d.s.Variant.Is(c.Ruling, c.Choice) {
			continue
		}
		if !slices.ContainsFunc(c.When, func(w rules.Condition) bool { return !d.s.holds(w, a, slots) }) {
			return c
		}
	}
	return nil
}

// holds evaluates one condition of a case. slots are the cards that the report
// says were turned over.
func (s *State) holds(w rules.Condition, a Report, slots []int) bool {
	switch w {
	case rules.NobodyLooked:
		return !s.looked() || a.BeforeLook
	case rules.SomebodyLooked:
		return s.looked() && !a.BeforeLook
	case rules.NobodyHandled:
		return !s.handled() || a.BeforeLook
	case rules.OneExposed:
		return s.newlyExposed()
	case rules.TwoExposed:
		return s.newlyExposed() && s.exposed() >= 2
	case rules.FirstCardByHand:
		return s.Config.Device == rules.Shoe && !a.Turned && (slices.Contains(slots, 0) || s.firstDrawnOpen(&a))
	case rules.BurnDealt:
		return s.burnDealt()
	case rules.MisplacedBesideBurn:
		return s.misplacedBesideBurn()
	case rules.Misplaced:
		return s.misdealt()
	case rules.HandsMovable:
		return !a.OrderLost && s.handsMovable()
	case rules.CardsRestorable:
		return s.restorable(a.OrderLost)
	case rules.CardsLost:
		return !s.restorable(a.OrderLost)
	case rules.DealerCount:
		return s.wrongCount(DealerHand)
	case rules.HandCount:
		return s.wrongHands() != nil
	case rules.OthersMisplaced:
		return s.othersMisplaced()
	case rules.ViewedHandCount:
		return !a.BeforeLook && slices.ContainsFunc(s.wrongHands(), s.viewed)
	case rules.CountWrong:
		return a.Count != deckSize
	case rules.Doubted:
		return s.Counting
	case rules.Established:
		return s.established()
	case rules.Brief:
		return a.LastedMs < s.Variant.GraceMs
	case rules.NoRound:
		return !s.Phase.InRound()
	case rules.NothingToDecide:
		return !s.awaits(a.Player)
	case rules.NothingToFold:
		return !s.toFold(a.Player)
	case rules.WhileDealing:
		return s.cardsToCome() || a.Incident == rules.HandTouched && a.BeforeLook
	case rules.OnlyBurnExposed:
		return s.onlyBurnExposed()
	case rules.FoldedHand:
		return a.Box != 0 && s.box(a.Box).Decision == Folded
	case rules.OrderKnown:
		return a.OrderKnown
	case rules.LookedAt:
		return a.Looked
	case rules.OwnHand:
		return a.Box != 0 && s.box(a.Box).bettor(a.Player) >= 0
	case rules.DevicesOnly:
		return a.Incident == rules.ProgressiveDown && !a.SystemFailed()
	}
	return false
}

// firstDrawnOpen reports whether cards that were drawn together, and have not been dealt
// yet, are the first ones of the deal and the first of them lies open: the first that is
// named, where their order is known, else each of them.
//
//clause:mbs-3pictures@2 5.8.1
func (s *State) firstDrawnOpen(a *Report) bool {
	if a.Incident != rules.DrawnTogether || len(a.Cards) == 0 || len(s.Slots) != 0 {
		return false
	}
	cards := a.Cards
	if a.OrderKnown {
		cards = cards[:1]
	}
	return !slices.ContainsFunc(cards, func(c Exposed) bool { return c.Card == card.None })
}

// awaits reports whether a player has still to play, to fold or to answer.
func (s *State) awaits(player string) bool {
	return s.toFold(player) || slices.ContainsFunc(s.Offers, func(o Offer) bool { return o.Player == player })
}

// toFold reports whether a player has a hand that is still to be played or folded.
func (s *State) toFold(player string) bool {
	return slices.ContainsFunc(s.Boxes, func(b *BoxState) bool { return s.decides(b) && b.Player() == player })
}

// effect holds what carrying out an outcome needs beside the report.
type effect struct {
	question *rules.Question
	// boxes are the hands that leave the round, affected those whose players are
	// given options; none means every one.
	boxes, affected []int
	// folded are boxes that were folded and whose players are given them as well.
	folded []int
	// by is who reported; confirmed says that a second person has confirmed the facts.
	by        Actor
	confirmed bool
}

// outcome carries out what a case or an answer leads to.
func (d *decision) outcome(o rules.Outcome, clause string, a Report, e effect) {
	// Complete hands are moved to where they were settled also once the round is over: its
	// record says where they lay, and nothing is settled anew by that.
	moves := o == rules.MoveHands && d.s.Phase == Paid
	if !moves && !d.s.possible(o) {
		return
	}
	switch o {
	case rules.Void:
		d.void(clause)
	case rules.MoveHands:
		d.move(CardsMoved{Clause: clause, Moves: d.s.restoringMoves()})
	case rules.Invalidate:
		boxes := e.boxes
		if boxes == nil && a.Box != 0 {
			boxes = []int{a.Box}
		}
		for _, box := range boxes {
			if d.err == nil && !d.s.box(box).Invalid && (d.s.Phase.InRound() || d.s.Phase == Paid) {
				d.invalidate(box, clause)
			}
		}
	case rules.TakeBack:
		d.leave(a.Box, a.Player, clause)
	case rules.OfferAffected:
		d.offer(clause, a, e.affected, e.folded)
	case rules.OfferAll, rules.RestoreAndOfferAll:
		d.offer(clause, a, nil, d.s.foldedGivenAll())
	case rules.OfferWithdrawal:
		d.offerWithdrawal(clause)
	case rules.Ask:
		if a.Incident.Table() == rules.Misdeal && len(e.affected) > 0 {
			// The cards that lie wrong show it no more once they have been ruled on.
			a.Boxes = e.affected
		}
		d.emit(QuestionAsked{Question: OpenQuestion{
			Key: e.question.Key, Role: e.question.Role, Clause: e.question.Clause,
			Answers: e.question.Answers, Report: a, By: e.by, Confirmed: e.confirmed,
		}})
	case rules.OptionsLapse:
		d.lapse(a.Player)
	case rules.FoldUndecidedHands:
		// Nobody is there to answer an option any more, nor to decide once bets are
		// closed and cards have come: the fold does not wait for them.
		d.lapse(a.Player)
		if d.s.Phase == Betting || d.s.Phase == Dealing || d.s.Phase == Deciding {
			d.foldUndecided(a.Player, clause)
		}
	case rules.CountCards:
		d.announce(clause, Announced{Key: "count-cards"})
	case rules.NotHonoured:
		if a.Counted {
			d.lay(a.atCall(d.s.stake(a.Box, a.Player, a.Wager)), clause)
		}
	case rules.Continue, rules.TurnDown, rules.KeepRegistered, rules.Stands, rules.Remedy, rules.PayDifference, rules.Adjust:
		// Nothing changes, or the answer has listed what does: the record says why the round goes on.
	}
}

// lapse closes the options of a player who has left as unanswered.
func (d *decision) lapse(player string) {
	back := d.s.Variant.Is(rules.OptionUnanswered, rules.Returned)
	for d.err == nil {
		i := slices.IndexFunc(d.s.Offers, func(o Offer) bool { return o.Player == player })
		if i < 0 {
			return
		}
		d.answerOffer(d.s.Offers[i], back, true)
	}
}

// affected lists the boxes concerned by a report; nil is every box. Where cards
// lie wrong they show it, else those that were turned over by mistake; where there
// are none, the report says it.
func (s *State) affected(a Report) []int {
	var boxes []int
	dealers := false
	add := func(p Place) {
		dealers = dealers || p == DealerHand
		if p.IsBox() && !slices.Contains(boxes, int(p)) {
			boxes = append(boxes, int(p))
		}
	}
	for i := range s.Slots {
		c := &s.Slots[i]
		if due := s.due(c); !c.ruled && c.Place != due {
			add(c.Place)
			add(due)
		}
	}
	misplaced := boxes != nil || dealers
	for i := range s.Slots {
		if c := &s.Slots[i]; !misplaced && c.mistaken && !c.turnRuled {
			add(c.Place)
		}
	}
	if boxes == nil && !dealers {
		boxes, dealers = slices.Clone(a.Boxes), a.Dealer
		if a.Box != 0 {
			boxes = append(boxes, a.Box)
		}
		for _, c := range a.Cards {
			add(c.At)
		}
	}
	if dealers {
		return s.playAgainst(boxes)
	}
	return boxes
}

// playAgainst adds to the boxes those with a bet against the dealer's hand, or every
// box by the ruling dealers_hand_affects, and where the book has none.
//
//clause:rws-3cp@3 3.6.2
func (s *State) playAgainst(boxes []int) []int {
	if !s.Variant.Is(rules.DealersHandAffects, rules.AgainstIt) {
		return nil
	}
	against := slices.Clone(boxes)
	for i := range s.Boxes {
		for j := range s.Boxes[i].Bettors {
			for w, amount := range s.Boxes[i].Bettors[j].Stakes {
				if amount > 0 && s.book().Rule(rules.Wager(w)).Contest == rules.AgainstDealer && !slices.Contains(against, i+1) {
					against = append(against, i+1)
				}
			}
		}
	}
	if against == nil {
		against = []int{} // Nobody, and not every box.
	}
	return against
}

// offer puts the options of a dealing error to the players of the boxes, after
// putting the cards in their intended order where that is known. No boxes means
// every box in the round. folded are boxes that were folded and are given them too.
//
//clause:rws-3cp@3 5.9
//clause:rws-3cp@3 5.10
//clause:rws-3cp@3 5.10.1
//clause:rws-3cp@3 5.10.2
//clause:rws-3cp@3 5.14.1
func (d *decision) offer(clause string, a Report, boxes, folded []int) {
	offers := slices.DeleteFunc(d.s.offersTo(boxes, folded), func(o Offer) bool {
		return slices.ContainsFunc(d.s.Offers, func(p Offer) bool { return p.Box == o.Box && p.Player == o.Player })
	})
	restored := false
	if a.Incident != rules.DrawnTogether && d.s.restorable(a.OrderLost) {
		by := d.s.book().Offer.Restored
		if d.s.personDecides(clause) {
			by = clause
		}
		d.move(CardsMoved{Clause: by, Moves: d.s.restoringMoves()})
		restored = true
	}
	for i := range offers {
		offers[i].Clause, offers[i].Restored = clause, restored
	}
	if len(offers) > 0 {
		d.emit(OffersMade{Offers: offers})
	}
}

// offersTo lists an option for each player with bets in the round on one of the
// boxes, or on any box for none, and on those of the boxes that were folded.
func (s *State) offersTo(boxes, folded []int) []Offer {
	var offers []Offer
	for i, b := range s.Boxes {
		in := b.live() && (boxes == nil || slices.Contains(boxes, i+1))
		if !in && !slices.Contains(folded, i+1) {
			continue
		}
		if b.Settled && s.Variant.Is(rules.SettledOptions, rules.No) || s.jackpotStands(i+1) {
			continue
		}
		for j := range b.Bettors {
			if !b.Bettors[j].Stakes.None() {
				offers = append(offers, Offer{Box: i + 1, Player: b.Bettors[j].Player})
			}
		}
	}
	return offers
}

// foldedBoxes lists the boxes in the round that were folded.
func (s *State) foldedBoxes() []int {
	var boxes []int
	for i, b := range s.Boxes {
		if b.Staked() && !b.Invalid && b.Decision == Folded {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// foldedGivenAll lists those of them that are given what every player is given, by the
// ruling folded_options.
func (s *State) foldedGivenAll() []int {
	if s.Variant.Is(rules.FoldedOptions, rules.Yes) {
		return s.foldedBoxes()
	}
	return nil
}

// foldedWrong lists those of them whose cards lie wrong, which has not been ruled on:
// the player decided on another hand. A card that was only turned over since changes
// nothing for a hand that was folded.
func (s *State) foldedWrong() []int {
	return slices.DeleteFunc(s.foldedBoxes(), func(box int) bool {
		return !slices.ContainsFunc(s.Slots, func(c Slot) bool {
			due := s.due(&c)
			return !c.ruled && c.Place != due && (c.Place == Box(box) || due == Box(box))
		})
	})
}

// reachesNobody reports whether an answer would give options to players of whom
// none has a hand in the round, and would put no card in its place either.
func (s *State) reachesNobody(then rules.Outcome, a Report) bool {
	switch then {
	case rules.OfferAffected:
		if s.offersTo(s.affected(a), nil) != nil {
			return false
		}
	case rules.OfferAll, rules.RestoreAndOfferAll:
		if s.offersTo(nil, s.foldedGivenAll()) != nil {
			return false
		}
	default:
		return false
	}
	return a.Incident == rules.DrawnTogether || !s.restorable(a.OrderLost)
}

// offerWithdrawal lets all players take back all of their wagers.
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
			same := func(o Offer) bool { return o.Box == 0 && o.Player == player }
			if b.Bettors[j].Stakes.None() || slices.ContainsFunc(offers, same) || slices.ContainsFunc(d.s.Offers, same) {
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
			return s.needCounted()
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

// personDecides reports whether a clause is the one by which a person decides what
// the book does not provide for: all that follows is booked under it.
//
//clause:mbs-3pictures@2 6.1
func (s *State) personDecides(clause string) bool {
	cases := s.book().Incident(rules.Uncovered).Cases
	return slices.ContainsFunc(cases, func(c rules.Case) bool { return c.Question != nil && c.Question.Clause == clause })
}

// answerOffer closes an option: the player goes on, or gets the bets back.
func (d *decision) answerOffer(o Offer, back, unanswered bool) {
	rule := &d.s.book().Offer
	clause := rule.Continue
	switch {
	case d.s.personDecides(o.Clause):
		clause = o.Clause
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
			// Whoever else bets there has taken nothing back, and the position held a main
			// wager when they bet.
			if d.s.Variant.Is(rules.MainWithdrawn, rules.Returned) {
				d.giveBackUnmet(box)
			}
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
				d.changeStake(i+1, BetsReturned{Clause: clause, Lines: d.s.linesOf(i+1, player, clause)})
				continue
			}
			d.leave(i+1, player, clause)
		}
	}
}

func (s *State) linesOf(box int, player, clause string) []Line {
	return slices.DeleteFunc(s.linesBack(box, clause), func(l Line) bool { return l.Player != player })
}

// SecondAnswers reports whether the open question is answered by somebody else than the
// person who reported.
func (s *State) SecondAnswers() bool {
	q := s.Question
	return q != nil && (q.Key == ConfirmFacts || s.earlier(q) || !q.Confirmed && s.seen())
}

// earlier reports whether a question is about a round that is over.
func (s *State) earlier(q *OpenQuestion) bool {
	return q.Report.Round != 0 && q.Report.Round < s.Round
}

func (a Answer) verify(s *State, by Actor) *Refusal {
	if s.Question == nil {
		return s.refuse(NotApplicable, "", "no question is open")
	}
	q := s.Question
	var then rules.Outcome
	facts, earlier := q.Key == ConfirmFacts, s.earlier(q)
	return first(
		func() *Refusal {
			for i := range q.Answers {
				if q.Answers[i].Key != a.Answer {
					continue
				}
				then = q.Answers[i].Then
				if facts || s.drawn == nil || q.Report.Incident != rules.DrawnTogether {
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
		func() *Refusal { return s.needRemedyList(a, then, q.Clause) },
		func() *Refusal { return s.needRole(by, q.Role, q.Clause) },
		func() *Refusal {
			if q.Report.Incident.Emergency() {
				return nil // The count itself, or what makes it idle.
			}
			return s.needCounted()
		},
		func() *Refusal {
			switch same := by.Name == q.By.Name && !by.Automatic; {
			case same && facts:
				return s.refuse(NotPermitted, q.Clause, "%s reported this, and a second person confirms the facts: another %s or somebody above answers", by.Name, sentence.Word(q.Role.Name()))
			case same && earlier:
				return s.refuse(NotPermitted, q.Clause, "%s reported this, and a second person decides it: another %s or somebody above answers", by.Name, sentence.Word(q.Role.Name()))
			case same && s.SecondAnswers():
				return s.refuse(NotPermitted, q.Clause, "%s reported this and cards have been seen: another %s or somebody above answers", by.Name, sentence.Word(q.Role.Name()))
			}
			return nil
		},
		func() *Refusal {
			switch {
			case facts && q.Found != (Found{}) && a.Answer == "yes":
				return s.fitsBets(q.Found)
			case facts && a.Answer == "yes":
				return s.fitsStill(q.Report)
			case facts, earlier:
				return nil
			case s.settlesDeal(q, then):
				return s.refuseDeal(q.Clause)
			case then == rules.MoveHands && !s.handsMovable():
				return s.refuse(NotApplicable, q.Clause, "moving complete hands does not put the deal right")
			case s.leavesUndecided(then):
				return s.refuse(NotApplicable, q.Clause, "a hand with a wrong number of cards cannot be settled: choose an answer that decides it")
			case then == rules.Invalidate && q.Report.Box == 0 && s.undecidedHands(q.Report) == nil:
				return s.refuse(NotApplicable, q.Clause, "the report names no box whose hand could be invalidated")
			case s.collectsStanding(then), then == rules.Invalidate && s.jackpotStands(q.Report.Box):
				return s.refuse(NotApplicable, q.Clause, "the jackpot of this round has been paid, and by the ruling of this house it stands")
			case !s.possible(then):
				return s.refuse(NotApplicable, q.Clause, "no round is in progress that this could change")
			case s.reachesNobody(then, q.Report):
				return s.refuse(NotApplicable, q.Clause, "nobody is there to whom options could be given: of the boxes concerned none has a hand in the round")
			}
			return nil
		},
		func() *Refusal { return s.needRemedies(a, q.Clause) },
	)
}

// settlesDeal reports whether a person would decide, as if the book had no rule, about a wrong deal
// for which it has one: a deal that the record shows and that can be reported. Otherwise a report
// under another name would let a round go on that the book voids.
//
//clause:rws-3cp@3 5.23
func (s *State) settlesDeal(q *OpenQuestion, then rules.Outcome) bool {
	if !s.personDecides(q.Clause) || !s.dealToReport(q) {
		return false
	}
	switch then {
	case rules.OfferAffected, rules.MoveHands:
		return true // Cards would be put where they belong.
	case rules.Invalidate:
		return q.Report.Box != 0 && s.wrongCount(Box(q.Report.Box))
	default:
		return false
	}
}

// dealToReport reports whether the record shows a wrong deal that the open question is not
// about and that can be reported.
func (s *State) dealToReport(q *OpenQuestion) bool {
	deal := Report{Incident: rules.Misdeal}
	return q.Report.Incident.Table() != rules.Misdeal && s.wrongDeal() && s.book().Declares(deal.Incident) &&
		s.reportable(deal) == nil && s.fits(deal) == nil && s.needJackpotKept(deal) == nil
}

func (s *State) refuseDeal(clause string) *Refusal {
	return s.refuse(NotApplicable, clause, "the rules provide for what lies wrong on the table: answer continue and report the deal, or void the round")
}

// possible reports whether an outcome can still change the round. What gives
// bets back for good comes too late when they are settled: then only a void
// round or an invalid hand reverses what was paid.
func (s *State) possible(o rules.Outcome) bool {
	switch o {
	case rules.Void, rules.Invalidate, rules.Remedy:
		return s.Phase.InRound() || s.Phase == Paid
	case rules.OfferAffected, rules.OfferAll, rules.RestoreAndOfferAll, rules.OfferWithdrawal,
		rules.TakeBack, rules.FoldUndecidedHands, rules.MoveHands, rules.OptionsLapse:
		return s.Phase.InRound()
	case rules.Continue, rules.TurnDown, rules.Ask, rules.KeepRegistered, rules.CountCards,
		rules.NotHonoured, rules.Stands, rules.PayDifference, rules.Adjust:
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
	d.emit(QuestionAnswered{Key: q.Key, Answer: a.Answer, By: c.By, Order: a.Order, Clause: answer.Clause, Remedies: a.Remedies})
	if q.Key == ConfirmFacts {
		switch {
		case a.Answer != "yes" && q.Report.OrderKnown:
			// The cards are drawn all the same, and their order is not known then.
			unordered := q.Report
			unordered.OrderKnown = false
			d.resolve(unordered, Command{By: q.By, AtMs: c.AtMs}, false)
		case a.Answer != "yes" && q.Report.Incident == rules.ProgressiveDown && q.Report.BeforeLook && d.s.looked():
			// It has failed all the same, and not before the look.
			since := q.Report
			since.BeforeLook = false
			d.resolve(since, Command{By: q.By, AtMs: c.AtMs}, false)
		case a.Answer != "yes":
		case q.Found != (Found{}):
			d.lay(q.Found, d.s.foundClause(q.Found))
		default:
			d.resolve(q.Report, Command{By: q.By, AtMs: c.AtMs}, true)
		}
		return nil
	}
	if q.Report.Incident == rules.DrawnTogether && drawn != nil {
		d.dealDrawn(a.Order, c)
	}
	for i := range a.Remedies {
		d.remedy(&a.Remedies[i], answer.Clause)
	}
	d.outcome(answer.Then, answer.Clause, q.Report, effect{
		boxes: d.s.undecidedHands(q.Report), affected: d.s.affected(q.Report),
	})
	return nil
}

// dealDrawn deals the cards drawn together in their order, counted from 1; no order
// is the one in which they were named. Those that were named lie open, and not by a
// mistake in the deal: only the first card of a deal makes a difference by that.
//
//clause:rws-3cp@3 5.14
func (d *decision) dealDrawn(order []int, c Command) {
	drawn := d.s.drawn
	deal := Deal{Cards: make([]Drawn, len(drawn))}
	for i := range drawn {
		n := i
		if order != nil {
			n = order[i] - 1
		}
		deal.Cards[i] = Drawn{Card: drawn[n], FaceUp: drawn[n] != card.None}
	}
	d.emit(d.laidOut(deal, c.AtMs))
}

func (a AskWithdrawal) verify(s *State, by Actor) *Refusal {
	rule := &s.book().Offer
	return first(
		func() *Refusal {
			if rule.Dissatisfied == "" {
				return s.refuse(NotInGame, "", "%s does not let a player ask for this", s.book().Ref())
			}
			return s.needVoice(by, a.Player)
		},
		func() *Refusal {
			if s.Phase.InRound() && s.wasRevealed() && !s.Variant.Is(rules.WithdrawalUntil, rules.UntilSettlement) {
				return s.refuse(WrongPhase, rule.Dissatisfied, "the dealer's hand is revealed: a wager could be withdrawn until then")
			}
			return s.needPhase(rule.Dissatisfied, Dealing, Deciding, Showing)
		},
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
			if s.box(a.Box).Settled {
				return s.refuse(WrongPhase, rule.Dissatisfied, "box %d is settled: a wager could be withdrawn until then", a.Box)
			}
			if slices.Contains(s.heard, a) {
				return s.refuse(AlreadyDone, rule.Dissatisfied, "%s has asked this, and it has been answered", a.Player)
			}
			return nil
		},
	)
}

//clause:mbs-3pictures@2 5.7
func (a AskWithdrawal) perform(d *decision, c Command) error {
	q := d.s.book().Offer.Question
	d.emit(QuestionAsked{Question: OpenQuestion{
		Key: q.Key, Role: d.s.Variant.PermitsWithdrawal(), Clause: q.Clause, Answers: q.Answers, By: c.By,
		Report: Report{Incident: rules.DealtIncorrectly, Box: a.Box, Player: a.Player},
	}})
	return nil
}

func (a SuspendProgressive) verify(s *State, by Actor) *Refusal {
	clause := s.incidentClause(rules.ProgressiveDown)
	return first(
		func() *Refusal {
			if !downKeys.Has(a.Option) || (a.Option == WithoutBoxes) != (len(a.Boxes) > 0) {
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
