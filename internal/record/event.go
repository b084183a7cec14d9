package record

import (
	"trey/card"
	"trey/internal/stored"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TableEvents are the events of a table.
var TableEvents = stored.NewTable(
	"event",
	stored.Of[table.Event]("announced", announcedOf, Announced.engine),
	stored.Of[table.Event]("table-opened", tableOpenedOf, TableOpened.engine),
	stored.Of[table.Event]("table-closed", tableClosedOf, TableClosed.engine),
	stored.Of[table.Event]("bets-opened", betsOpenedOf, BetsOpened.engine),
	stored.Of[table.Event]("bet-placed", betPlacedOf, BetPlaced.engine),
	stored.Of[table.Event]("bets-returned", betsReturnedOf, BetsReturned.engine),
	stored.Of[table.Event]("stake-found", stakeFoundOf, StakeFound.engine),
	stored.Of[table.Event]("minimum-advised", minimumAdvisedOf, MinimumAdvised.engine),
	stored.Of[table.Event]("bets-closed", betsClosedOf, BetsClosed.engine),
	stored.Of[table.Event]("cards-dealt", cardsDealtOf, CardsDealt.engine),
	stored.Of[table.Event]("cards-drawn", cardsDrawnOf, CardsDrawn.engine),
	stored.Of[table.Event]("deal-finished", dealFinishedOf, DealFinished.engine),
	stored.Of[table.Event]("hand-examined", handExaminedOf, HandExamined.engine),
	stored.Of[table.Event]("hand-raised", handRaisedOf, HandRaised.engine),
	stored.Of[table.Event]("hand-folded", handFoldedOf, HandFolded.engine),
	stored.Of[table.Event]("forfeits-collected", forfeitsCollectedOf, ForfeitsCollected.engine),
	stored.Of[table.Event]("hand-shown", handShownOf, HandShown.engine),
	stored.Of[table.Event]("hand-kept-down", handKeptDownOf, HandKeptDown.engine),
	stored.Of[table.Event]("dealer-shown", dealerShownOf, DealerShown.engine),
	stored.Of[table.Event]("settled", settledOf, Settled.engine),
	stored.Of[table.Event]("box-settled", boxSettledOf, BoxSettled.engine),
	stored.Of[table.Event]("settlement-undone", settlementUndoneOf, SettlementUndone.engine),
	stored.Of[table.Event]("reported", reportedOf, Reported.engine),
	stored.Of[table.Event]("cards-exposed", cardsExposedOf, CardsExposed.engine),
	stored.Of[table.Event]("cards-moved", cardsMovedOf, CardsMoved.engine),
	stored.Of[table.Event]("round-voided", roundVoidedOf, RoundVoided.engine),
	stored.Of[table.Event]("hand-invalidated", handInvalidatedOf, HandInvalidated.engine),
	stored.Of[table.Event]("question-asked", questionAskedOf, QuestionAsked.engine),
	stored.Of[table.Event]("question-answered", questionAnsweredOf, QuestionAnswered.engine),
	stored.Of[table.Event]("offers-made", offersMadeOf, OffersMade.engine),
	stored.Of[table.Event]("offer-answered", offerAnsweredOf, OfferAnswered.engine),
	stored.Of[table.Event]("player-warned", playerWarnedOf, PlayerWarned.engine),
	stored.Of[table.Event]("player-restricted", playerRestrictedOf, PlayerRestricted.engine),
	stored.Of[table.Event]("areas-restricted", areasRestrictedOf, AreasRestricted.engine),
	stored.Of[table.Event]("progressive-failed", progressiveFailedOf, ProgressiveFailed.engine),
	stored.Of[table.Event]("progressive-suspended", progressiveSuspendedOf, ProgressiveSuspended.engine),
	stored.Of[table.Event]("progressive-restored", progressiveRestoredOf, ProgressiveRestored.engine),
	stored.Of[table.Event]("decision-restored", decisionRestoredOf, DecisionRestored.engine),
	stored.Of[table.Event]("payment-corrected", paymentCorrectedOf, PaymentCorrected.engine),
)

// Announced is something the dealer says or the table displays: a key and what goes
// into its words. [Announced.Said] has the words.
type Announced struct {
	Key    string `json:"key"`
	Clause string `json:"clause,omitempty"`
	Boxes  []int  `json:"boxes,omitempty"`
	Player string `json:"player,omitempty"`
	// Result is how a position that is called came out: won, lost or a stand-off.
	Result rules.Result `json:"result,omitzero"`
	// Hand is the dealer's hand where the dealer says what it is, or the one that has won
	// against the other where the dealer says with which combination.
	Hand card.Hand `json:"hand,omitzero"`
}

func announcedOf(e table.Announced) Announced { return Announced(e) }

func (s Announced) engine() table.Announced { return table.Announced(s) }

// TableOpened says that the table is ready for rounds.
type TableOpened struct{}

func tableOpenedOf(e table.TableOpened) TableOpened { return TableOpened(e) }

func (s TableOpened) engine() table.TableOpened { return table.TableOpened(s) }

// TableClosed says that the table takes no rounds.
type TableClosed struct {
	Clause string `json:"clause,omitempty"`
}

func tableClosedOf(e table.TableClosed) TableClosed { return TableClosed(e) }

func (s TableClosed) engine() table.TableClosed { return table.TableClosed(s) }

// BetsOpened begins a round and clears the last one.
type BetsOpened struct {
	Round int `json:"round"`
}

func betsOpenedOf(e table.BetsOpened) BetsOpened { return BetsOpened(e) }

func (s BetsOpened) engine() table.BetsOpened { return table.BetsOpened(s) }

// BetPlaced adds to a wager.
type BetPlaced struct {
	Box      int          `json:"box"`
	Player   string       `json:"player"`
	Wager    rules.Wager  `json:"wager"`
	Amount   money.Amount `json:"amount"`
	Standing bool         `json:"standing,omitempty"`
	// EnteredBy is the member of staff who placed it for the player.
	EnteredBy string `json:"entered_by,omitempty"`
	Clause    string `json:"clause,omitempty"`
}

func betPlacedOf(e table.BetPlaced) BetPlaced { return BetPlaced(e) }

func (s BetPlaced) engine() table.BetPlaced { return table.BetPlaced(s) }

// BetsReturned gives stakes back before the settlement.
type BetsReturned struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines,omitempty"`
}

func betsReturnedOf(e table.BetsReturned) BetsReturned {
	return BetsReturned{Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s BetsReturned) engine() table.BetsReturned {
	return table.BetsReturned{Clause: s.Clause, Lines: each(s.Lines, Line.engine)}
}

// StakeFound sets a wager to what lies on the layout.
type StakeFound struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
	Clause string       `json:"clause"`
}

func stakeFoundOf(e table.StakeFound) StakeFound { return StakeFound(e) }

func (s StakeFound) engine() table.StakeFound { return table.StakeFound(s) }

// MinimumAdvised advises a player that a stake is too low.
type MinimumAdvised struct {
	Box     int          `json:"box"`
	Player  string       `json:"player"`
	Wager   rules.Wager  `json:"wager"`
	Minimum money.Amount `json:"minimum"`
	Clause  string       `json:"clause"`
}

func minimumAdvisedOf(e table.MinimumAdvised) MinimumAdvised { return MinimumAdvised(e) }

func (s MinimumAdvised) engine() table.MinimumAdvised { return table.MinimumAdvised(s) }

// BetsClosed ends the betting; the boxes with bets are to be dealt.
type BetsClosed struct{}

func betsClosedOf(e table.BetsClosed) BetsClosed { return BetsClosed(e) }

func (s BetsClosed) engine() table.BetsClosed { return table.BetsClosed(s) }

// CardsDealt deals cards in order.
type CardsDealt struct {
	AtMs  int64   `json:"at_ms"`
	Cards []Dealt `json:"cards,omitempty"`
}

func cardsDealtOf(e table.CardsDealt) CardsDealt {
	return CardsDealt{AtMs: e.AtMs, Cards: each(e.Cards, dealtOf)}
}

func (s CardsDealt) engine() table.CardsDealt {
	return table.CardsDealt{AtMs: s.AtMs, Cards: each(s.Cards, Dealt.engine)}
}

// CardsDrawn says that cards were drawn at once and wait for their order.
type CardsDrawn struct {
	Cards []card.Card `json:"cards,omitempty"`
}

func cardsDrawnOf(e table.CardsDrawn) CardsDrawn { return CardsDrawn(e) }

func (s CardsDrawn) engine() table.CardsDrawn { return table.CardsDrawn(s) }

// DealFinished ends a deal that does not lie as it should, or for one hand alone:
// the deal goes on, and that hand gets no more cards.
type DealFinished struct {
	// Hand is the only hand for which the deal ends, no place for all of them.
	Hand table.Place `json:"place,omitempty"`
}

func dealFinishedOf(e table.DealFinished) DealFinished { return DealFinished(e) }

func (s DealFinished) engine() table.DealFinished { return table.DealFinished(s) }

// HandExamined says that a player looked at a hand.
type HandExamined struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

func handExaminedOf(e table.HandExamined) HandExamined { return HandExamined(e) }

func (s HandExamined) engine() table.HandExamined { return table.HandExamined(s) }

// HandRaised places the Play wager.
type HandRaised struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
}

func handRaisedOf(e table.HandRaised) HandRaised { return HandRaised(e) }

func (s HandRaised) engine() table.HandRaised { return table.HandRaised(s) }

// HandFolded gives a hand up.
type HandFolded struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	Clause string `json:"clause"`
}

func handFoldedOf(e table.HandFolded) HandFolded { return HandFolded(e) }

func (s HandFolded) engine() table.HandFolded { return table.HandFolded(s) }

// ForfeitsCollected takes in the bets of folded boxes before the dealer's hand is
// turned. The settlement has no lines for them any more. A folded box with a wager that
// the fold leaves in play is not among them: it is settled with the others.
type ForfeitsCollected struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines,omitempty"`
}

func forfeitsCollectedOf(e table.ForfeitsCollected) ForfeitsCollected {
	return ForfeitsCollected{Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s ForfeitsCollected) engine() table.ForfeitsCollected {
	return table.ForfeitsCollected{Clause: s.Clause, Lines: each(s.Lines, Line.engine)}
}

// HandShown turns a hand face up for the whole table.
type HandShown struct {
	Place  table.Place `json:"place"`
	Hand   card.Hand   `json:"hand"`
	Clause string      `json:"clause,omitempty"`
}

func handShownOf(e table.HandShown) HandShown { return HandShown(e) }

func (s HandShown) engine() table.HandShown { return table.HandShown(s) }

// HandKeptDown says that a hand stays face down, though its cards could count.
type HandKeptDown struct {
	Box    int    `json:"box"`
	Clause string `json:"clause"`
}

func handKeptDownOf(e table.HandKeptDown) HandKeptDown { return HandKeptDown(e) }

func (s HandKeptDown) engine() table.HandKeptDown { return table.HandKeptDown(s) }

// DealerShown turns the dealer's hand; the round can be settled.
type DealerShown struct {
	Hand      card.Hand `json:"hand"`
	Qualifies bool      `json:"qualifies"`
}

func dealerShownOf(e table.DealerShown) DealerShown { return DealerShown(e) }

func (s DealerShown) engine() table.DealerShown { return table.DealerShown(s) }

// Settled settles what is left of the round, and with it the round.
type Settled struct {
	Lines []Line `json:"lines,omitempty"`
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount `json:"meter,omitempty"`
}

func settledOf(e table.Settled) Settled { return Settled{Lines: each(e.Lines, lineOf), Meter: e.Meter} }

func (s Settled) engine() table.Settled {
	return table.Settled{Lines: each(s.Lines, Line.engine), Meter: s.Meter}
}

// BoxSettled settles one box while others of the round are still to be settled. What
// takes all hands to know, the Envy Bonus, comes with [Settled].
type BoxSettled struct {
	Box   int    `json:"box"`
	Lines []Line `json:"lines,omitempty"`
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount `json:"meter,omitempty"`
}

func boxSettledOf(e table.BoxSettled) BoxSettled {
	return BoxSettled{Box: e.Box, Lines: each(e.Lines, lineOf), Meter: e.Meter}
}

func (s BoxSettled) engine() table.BoxSettled {
	return table.BoxSettled{Box: s.Box, Lines: each(s.Lines, Line.engine), Meter: s.Meter}
}

// SettlementUndone takes back what a box was paid and lays its stakes on the layout
// again, because something that it was settled by was wrong. The box is settled anew.
// If the round was settled, it is not any more, and the Envy Bonuses go back too.
type SettlementUndone struct {
	Box    int    `json:"box"`
	Clause string `json:"clause"`
	// Lines collect again what was paid.
	Lines []Line `json:"lines,omitempty"`
	// Stakes are what lies on the box again.
	Stakes []LaidStake `json:"stakes,omitempty"`
}

func settlementUndoneOf(e table.SettlementUndone) SettlementUndone {
	return SettlementUndone{
		Box: e.Box, Clause: e.Clause, Lines: each(e.Lines, lineOf), Stakes: each(e.Stakes, laidStakeOf),
	}
}

func (s SettlementUndone) engine() table.SettlementUndone {
	return table.SettlementUndone{
		Box: s.Box, Clause: s.Clause, Lines: each(s.Lines, Line.engine), Stakes: each(s.Stakes, LaidStake.engine),
	}
}

// Reported records an incident and what the book makes of it.
type Reported struct {
	Report  Report        `json:"report"`
	Outcome rules.Outcome `json:"outcome"`
	Clause  string        `json:"clause"`
	// Boxes are the hands that the outcome takes out of the round.
	Boxes []int `json:"boxes,omitempty"`
	// Due is what the wager of a wrong payment brought, in the lines that stand.
	Due money.Amount `json:"due,omitempty"`
}

func reportedOf(e table.Reported) Reported {
	return Reported{Report: reportOf(e.Report), Outcome: e.Outcome, Clause: e.Clause, Boxes: e.Boxes, Due: e.Due}
}

func (s Reported) engine() table.Reported {
	return table.Reported{Report: s.Report.engine(), Outcome: s.Outcome, Clause: s.Clause, Boxes: s.Boxes, Due: s.Due}
}

// CardsExposed says that the whole table has seen cards.
type CardsExposed struct {
	// Slots are the positions of the cards in the order of the deal, from 0.
	Slots []int       `json:"slots,omitempty"`
	Cards []card.Card `json:"cards,omitempty"`
	// Corrected says that these are the faces of cards that had been entered wrongly.
	// Another card that was entered with such a face is not known any more.
	Corrected bool `json:"corrected,omitempty"`
}

func cardsExposedOf(e table.CardsExposed) CardsExposed { return CardsExposed(e) }

func (s CardsExposed) engine() table.CardsExposed { return table.CardsExposed(s) }

// CardsMoved puts cards where the order of the deal meant them to be.
type CardsMoved struct {
	Clause string `json:"clause"`
	Moves  []Move `json:"moves,omitempty"`
	// Ruled says that a person decided where the cards lie, so that how those at
	// these places lie is no error any more.
	Ruled bool `json:"ruled,omitempty"`
}

func cardsMovedOf(e table.CardsMoved) CardsMoved {
	return CardsMoved{Clause: e.Clause, Moves: each(e.Moves, moveOf), Ruled: e.Ruled}
}

func (s CardsMoved) engine() table.CardsMoved {
	return table.CardsMoved{Clause: s.Clause, Moves: each(s.Moves, Move.engine), Ruled: s.Ruled}
}

// RoundVoided ends the round without result; every bet goes back.
type RoundVoided struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines,omitempty"`
}

func roundVoidedOf(e table.RoundVoided) RoundVoided {
	return RoundVoided{Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s RoundVoided) engine() table.RoundVoided {
	return table.RoundVoided{Clause: s.Clause, Lines: each(s.Lines, Line.engine)}
}

// HandInvalidated takes a hand out of the round; its bets go back.
type HandInvalidated struct {
	Box    int    `json:"box"`
	Clause string `json:"clause"`
	Lines  []Line `json:"lines,omitempty"`
}

func handInvalidatedOf(e table.HandInvalidated) HandInvalidated {
	return HandInvalidated{Box: e.Box, Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s HandInvalidated) engine() table.HandInvalidated {
	return table.HandInvalidated{Box: s.Box, Clause: s.Clause, Lines: each(s.Lines, Line.engine)}
}

// QuestionAsked puts a question to a role.
type QuestionAsked struct {
	Question Question `json:"question"`
}

func questionAskedOf(e table.QuestionAsked) QuestionAsked {
	return QuestionAsked{Question: questionOf(e.Question)}
}

func (s QuestionAsked) engine() table.QuestionAsked {
	return table.QuestionAsked{Question: s.Question.engine()}
}

// QuestionAnswered closes the open question.
type QuestionAnswered struct {
	Key    string `json:"key"`
	Answer string `json:"answer"`
	By     Actor  `json:"by"`
	Order  []int  `json:"order,omitempty"`
	Clause string `json:"clause"`
	// Remedies are what the answer lists.
	Remedies []Remedy `json:"remedies,omitempty"`
}

func questionAnsweredOf(e table.QuestionAnswered) QuestionAnswered {
	return QuestionAnswered{
		Key: e.Key, Answer: e.Answer, By: actorOf(e.By), Order: e.Order, Clause: e.Clause,
		Remedies: each(e.Remedies, remedyOf),
	}
}

func (s QuestionAnswered) engine() table.QuestionAnswered {
	return table.QuestionAnswered{
		Key: s.Key, Answer: s.Answer, By: s.By.engine(), Order: s.Order, Clause: s.Clause,
		Remedies: each(s.Remedies, Remedy.engine),
	}
}

// OffersMade puts options to players.
type OffersMade struct {
	Offers []Offer `json:"offers,omitempty"`
}

func offersMadeOf(e table.OffersMade) OffersMade { return OffersMade{Offers: each(e.Offers, offerOf)} }

func (s OffersMade) engine() table.OffersMade {
	return table.OffersMade{Offers: each(s.Offers, Offer.engine)}
}

// OfferAnswered is the answer of a player, or the one that the ruling assumes if there is
// none.
type OfferAnswered struct {
	Box        int    `json:"box,omitempty"`
	Player     string `json:"player"`
	Return     bool   `json:"return,omitempty"`
	Unanswered bool   `json:"unanswered,omitempty"`
	Clause     string `json:"clause"`
}

func offerAnsweredOf(e table.OfferAnswered) OfferAnswered { return OfferAnswered(e) }

func (s OfferAnswered) engine() table.OfferAnswered { return table.OfferAnswered(s) }

// PlayerWarned records that a player's low wager was settled this once.
type PlayerWarned struct {
	Player string `json:"player"`
	Clause string `json:"clause"`
}

func playerWarnedOf(e table.PlayerWarned) PlayerWarned { return PlayerWarned(e) }

func (s PlayerWarned) engine() table.PlayerWarned { return table.PlayerWarned(s) }

// PlayerRestricted holds a player to one position, or lifts that.
type PlayerRestricted struct {
	Player string `json:"player"`
	Lift   bool   `json:"lift,omitempty"`
	Clause string `json:"clause"`
}

func playerRestrictedOf(e table.PlayerRestricted) PlayerRestricted { return PlayerRestricted(e) }

func (s PlayerRestricted) engine() table.PlayerRestricted { return table.PlayerRestricted(s) }

// AreasRestricted changes how many wagers an area takes; zero is the book's.
type AreasRestricted struct {
	Max    int    `json:"max"`
	Clause string `json:"clause"`
}

func areasRestrictedOf(e table.AreasRestricted) AreasRestricted { return AreasRestricted(e) }

func (s AreasRestricted) engine() table.AreasRestricted { return table.AreasRestricted(s) }

// ProgressiveFailed takes the progressive out of service.
type ProgressiveFailed struct {
	Registered money.Amount `json:"registered"`
	Clause     string       `json:"clause"`
}

func progressiveFailedOf(e table.ProgressiveFailed) ProgressiveFailed { return ProgressiveFailed(e) }

func (s ProgressiveFailed) engine() table.ProgressiveFailed { return table.ProgressiveFailed(s) }

// ProgressiveSuspended is the house's choice for later rounds.
type ProgressiveSuspended struct {
	Option table.DownOption `json:"option"`
	Boxes  []int            `json:"boxes,omitempty"`
	Clause string           `json:"clause"`
}

func progressiveSuspendedOf(e table.ProgressiveSuspended) ProgressiveSuspended {
	return ProgressiveSuspended(e)
}

func (s ProgressiveSuspended) engine() table.ProgressiveSuspended {
	return table.ProgressiveSuspended(s)
}

// ProgressiveRestored puts the progressive back into service.
type ProgressiveRestored struct{}

func progressiveRestoredOf(e table.ProgressiveRestored) ProgressiveRestored {
	return ProgressiveRestored(e)
}

func (s ProgressiveRestored) engine() table.ProgressiveRestored { return table.ProgressiveRestored(s) }

// DecisionRestored makes a box undecided again; a Play bet goes back.
type DecisionRestored struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	// Was is the decision that is undone.
	Was    table.Decision `json:"was"`
	Clause string         `json:"clause"`
	Lines  []Line         `json:"lines,omitempty"`
}

func decisionRestoredOf(e table.DecisionRestored) DecisionRestored {
	return DecisionRestored{Box: e.Box, Player: e.Player, Was: e.Was, Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s DecisionRestored) engine() table.DecisionRestored {
	return table.DecisionRestored{
		Box: s.Box, Player: s.Player, Was: s.Was, Clause: s.Clause, Lines: each(s.Lines, Line.engine),
	}
}

// PaymentCorrected awards or collects a difference after the settlement.
type PaymentCorrected struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines,omitempty"`
}

func paymentCorrectedOf(e table.PaymentCorrected) PaymentCorrected {
	return PaymentCorrected{Clause: e.Clause, Lines: each(e.Lines, lineOf)}
}

func (s PaymentCorrected) engine() table.PaymentCorrected {
	return table.PaymentCorrected{Clause: s.Clause, Lines: each(s.Lines, Line.engine)}
}
