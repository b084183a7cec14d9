package table

import (
	"slices"

	"trey/card"
)

// Here stands what may leave the house of each event and each action, field by field:
// what is not named is not shown. A new kind does not compile before somebody has
// decided about it, and a new field is hidden until then.

// Redact returns the event as the viewer may see it in the given state, which is the one after the
// event. Cards that the viewer may not know become card.None. A report's cards and notes are
// removed, except for viewers who have the record of the round.
func Redact(e Event, s State, v Viewer) Event { return e.redacted(&s, v) }

// RedactAction returns an action as everybody may see it while its round is in play:
// without the cards that it names, the figures of the meter and words that are for those
// who have the record of the round.
func RedactAction(a Action) Action { return a.redacted() }

func (e Announced) redacted(*State, Viewer) Event {
	return Announced{Key: e.Key, Clause: e.Clause, Boxes: e.Boxes, Player: e.Player, Result: e.Result, Hand: e.Hand}
}

func (TableOpened) redacted(*State, Viewer) Event { return TableOpened{} }

func (e TableClosed) redacted(*State, Viewer) Event {
	return TableClosed{Clause: e.Clause}
}

func (e BetsOpened) redacted(*State, Viewer) Event {
	return BetsOpened{Round: e.Round}
}

func (e BetPlaced) redacted(*State, Viewer) Event {
	return BetPlaced{
		Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, Standing: e.Standing,
		EnteredBy: e.EnteredBy, Clause: e.Clause,
	}
}

func (e BetsReturned) redacted(*State, Viewer) Event {
	return BetsReturned{Clause: e.Clause, Lines: e.Lines}
}

func (e StakeFound) redacted(*State, Viewer) Event {
	return StakeFound{Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, Clause: e.Clause}
}

func (e MinimumAdvised) redacted(*State, Viewer) Event {
	return MinimumAdvised{Box: e.Box, Player: e.Player, Wager: e.Wager, Minimum: e.Minimum, Clause: e.Clause}
}

func (BetsClosed) redacted(*State, Viewer) Event { return BetsClosed{} }

func (e CardsDealt) redacted(*State, Viewer) Event {
	cards := make([]Dealt, len(e.Cards))
	for i, c := range e.Cards {
		cards[i] = Dealt{Place: c.Place, Meant: c.Meant, FaceUp: c.FaceUp}
		// Whatever is dealt face down is seen by nobody at that moment.
		if c.FaceUp {
			cards[i].Card = c.Card
		}
	}
	return CardsDealt{AtMs: e.AtMs, Cards: cards}
}

func (e CardsDrawn) redacted(*State, Viewer) Event {
	return CardsDrawn{Cards: make([]card.Card, len(e.Cards))}
}

func (e DealFinished) redacted(*State, Viewer) Event {
	return DealFinished{Hand: e.Hand}
}

func (e HandExamined) redacted(*State, Viewer) Event {
	return HandExamined{Box: e.Box, Player: e.Player}
}

func (e HandRaised) redacted(*State, Viewer) Event {
	return HandRaised{Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount}
}

func (e HandFolded) redacted(*State, Viewer) Event {
	return HandFolded{Box: e.Box, Player: e.Player, Clause: e.Clause}
}

func (e ForfeitsCollected) redacted(*State, Viewer) Event {
	return ForfeitsCollected{Clause: e.Clause, Lines: e.Lines}
}

func (e HandShown) redacted(*State, Viewer) Event {
	return HandShown{Place: e.Place, Hand: e.Hand, Clause: e.Clause}
}

func (e HandKeptDown) redacted(*State, Viewer) Event {
	return HandKeptDown{Box: e.Box, Clause: e.Clause}
}

func (e DealerShown) redacted(*State, Viewer) Event {
	return DealerShown{Hand: e.Hand, Qualifies: e.Qualifies}
}

func (e Settled) redacted(*State, Viewer) Event {
	return Settled{Lines: e.Lines, Meter: e.Meter}
}

func (e BoxSettled) redacted(*State, Viewer) Event {
	return BoxSettled{Box: e.Box, Lines: e.Lines, Meter: e.Meter}
}

func (e SettlementUndone) redacted(*State, Viewer) Event {
	return SettlementUndone{Box: e.Box, Clause: e.Clause, Lines: e.Lines, Stakes: e.Stakes}
}

func (e Reported) redacted(s *State, _ Viewer) Event {
	return Reported{Report: s.redacted(e.Report), Outcome: e.Outcome, Clause: e.Clause, Boxes: e.Boxes, Due: e.Due}
}

func (e CardsExposed) redacted(*State, Viewer) Event {
	return CardsExposed{Slots: e.Slots, Cards: e.Cards, Corrected: e.Corrected}
}

func (e CardsMoved) redacted(*State, Viewer) Event {
	return CardsMoved{Clause: e.Clause, Moves: e.Moves, Ruled: e.Ruled}
}

func (e RoundVoided) redacted(*State, Viewer) Event {
	return RoundVoided{Clause: e.Clause, Lines: e.Lines}
}

func (e HandInvalidated) redacted(*State, Viewer) Event {
	return HandInvalidated{Box: e.Box, Clause: e.Clause, Lines: e.Lines}
}

func (e QuestionAsked) redacted(s *State, _ Viewer) Event {
	q := &e.Question
	return QuestionAsked{OpenQuestion{
		Key: q.Key, Role: q.Role, Clause: q.Clause, Answers: q.Answers,
		Report: s.redacted(q.Report), By: q.By, Confirmed: q.Confirmed, Found: q.Found,
	}}
}

func (e QuestionAnswered) redacted(*State, Viewer) Event {
	return QuestionAnswered{
		Key: e.Key, Answer: e.Answer, By: e.By, Order: e.Order, Clause: e.Clause, Remedies: withoutReasons(e.Remedies),
	}
}

func (e OffersMade) redacted(*State, Viewer) Event {
	return OffersMade{Offers: e.Offers}
}

func (e OfferAnswered) redacted(*State, Viewer) Event {
	return OfferAnswered{Box: e.Box, Player: e.Player, Return: e.Return, Unanswered: e.Unanswered, Clause: e.Clause}
}

func (e PlayerWarned) redacted(*State, Viewer) Event {
	return PlayerWarned{Player: e.Player, Clause: e.Clause}
}

func (e PlayerRestricted) redacted(*State, Viewer) Event {
	return PlayerRestricted{Player: e.Player, Lift: e.Lift, Clause: e.Clause}
}

func (e AreasRestricted) redacted(*State, Viewer) Event {
	return AreasRestricted{Max: e.Max, Clause: e.Clause}
}

func (e ProgressiveFailed) redacted(*State, Viewer) Event {
	return ProgressiveFailed{Registered: e.Registered, Clause: e.Clause}
}

func (e ProgressiveSuspended) redacted(*State, Viewer) Event {
	return ProgressiveSuspended{Option: e.Option, Boxes: e.Boxes, Clause: e.Clause}
}

func (ProgressiveRestored) redacted(*State, Viewer) Event { return ProgressiveRestored{} }

func (e DecisionRestored) redacted(*State, Viewer) Event {
	return DecisionRestored{Box: e.Box, Player: e.Player, Was: e.Was, Clause: e.Clause, Lines: e.Lines}
}

func (e PaymentCorrected) redacted(*State, Viewer) Event {
	return PaymentCorrected{Clause: e.Clause, Lines: e.Lines}
}

func (OpenTable) redacted() Action { return OpenTable{} }

func (e CloseTable) redacted() Action {
	return CloseTable{Anew: e.Anew}
}

func (OpenBets) redacted() Action { return OpenBets{} }

func (e Bet) redacted() Action {
	return Bet{Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, Standing: e.Standing}
}

func (e Withdraw) redacted() Action {
	return Withdraw{Box: e.Box, Player: e.Player, Wager: e.Wager}
}

func (e Found) redacted() Action {
	return Found{Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, AtCall: e.AtCall}
}

func (CloseBets) redacted() Action { return CloseBets{} }

func (e Deal) redacted() Action {
	cards := make([]Drawn, len(e.Cards))
	for i, c := range e.Cards {
		cards[i] = Drawn{To: c.To, FaceUp: c.FaceUp}
	}
	return Deal{Cards: cards, SkipBurn: e.SkipBurn}
}

func (FinishDeal) redacted() Action { return FinishDeal{} }

func (e Examine) redacted() Action {
	return Examine{Box: e.Box, Player: e.Player}
}

func (e Raise) redacted() Action {
	return Raise{Box: e.Box, Player: e.Player}
}

func (e Fold) redacted() Action {
	return Fold{Box: e.Box, Player: e.Player}
}

func (e LayUp) redacted() Action { return LayUp{Box: e.Box, Hand: make([]card.Card, len(e.Hand))} }

func (e Show) redacted() Action { return Show{Box: e.Box, Hand: make([]card.Card, len(e.Hand))} }

func (e KeepDown) redacted() Action {
	return KeepDown{Box: e.Box}
}

func (e Reveal) redacted() Action { return Reveal{Hand: make([]card.Card, len(e.Hand))} }

func (e Settle) redacted() Action { return Settle{Box: e.Box, Pending: e.Pending} }

func (e Report) redacted() Action {
	visible := e.shownWith(slices.Clone(e.Cards))
	visible.Meter = 0
	for i := range visible.Cards {
		visible.Cards[i].Card = card.None
	}
	return visible
}

func (e Answer) redacted() Action {
	return Answer{Answer: e.Answer, Order: e.Order, Remedies: withoutReasons(e.Remedies)}
}

func (e Choose) redacted() Action {
	return Choose{Box: e.Box, Player: e.Player, Return: e.Return}
}

func (e AskWithdrawal) redacted() Action {
	return AskWithdrawal{Box: e.Box, Player: e.Player}
}

func (Expire) redacted() Action { return Expire{} }

func (e RestrictPlayer) redacted() Action {
	return RestrictPlayer{Player: e.Player, Lift: e.Lift}
}

func (e RestrictAreas) redacted() Action {
	return RestrictAreas{Max: e.Max}
}

func (e SuspendProgressive) redacted() Action {
	return SuspendProgressive{Option: e.Option, Boxes: e.Boxes}
}

func (RestoreProgressive) redacted() Action { return RestoreProgressive{} }

// shownWith returns the part of a report that may be shown, with these of its cards: the
// note is for those who have the record of the round.
func (e *Report) shownWith(cards []Exposed) Report {
	return Report{
		Incident: e.Incident, Box: e.Box, Dealer: e.Dealer, Player: e.Player, Boxes: e.Boxes, Lies: e.Lies,
		Count: e.Count, Turned: e.Turned, OrderLost: e.OrderLost, OrderKnown: e.OrderKnown,
		BeforeLook: e.BeforeLook, Looked: e.Looked, LastedMs: e.LastedMs, Wager: e.Wager,
		Amount: e.Amount, Counted: e.Counted, Meter: e.Meter, Round: e.Round, Active: e.Active, Cards: cards,
	}
}

// redacted returns a report without what only the staff may know: notes, and cards
// that the table has not seen.
func (s *State) redacted(a Report) Report {
	var seen []Exposed
	for _, c := range a.Cards {
		if slices.ContainsFunc(s.Slots, func(slot Slot) bool { return slot.Card == c.Card && slot.Exposed() }) {
			seen = append(seen, c)
		}
	}
	return a.shownWith(seen)
}
