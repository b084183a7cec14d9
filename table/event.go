package table

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Event is something that happened at the table. The events are the structs of
// this file and no others; together, in order, they are the round's record.
type Event interface {
	// apply changes the draft. An error means that the event cannot have
	// happened.
	apply(s *draft) error
	// shown returns what the viewer may see of it in the state after it.
	shown(s *State, v Viewer) Event
}

// Announced is something the dealer says or the table displays: a key and what goes
// into its words. [Announced.Said] has the words.
type Announced struct {
	Key    string `json:"key"`
	Clause string `json:"clause,omitempty"`
	Boxes  []int  `json:"boxes,omitempty"`
	Player string `json:"player,omitempty"`
	// Result is how a position that is called came out: won, lost or a stand-off.
	Result rules.Result `json:"result,omitzero"`
	// Hand is the dealer's hand where the dealer says what it is.
	Hand card.Hand `json:"hand,omitzero"`
}

// TableOpened says that the table is ready for rounds.
type TableOpened struct{}

// TableClosed says that the table takes no rounds.
type TableClosed struct {
	Clause string `json:"clause,omitempty"`
}

// BetsOpened begins a round and clears the last one.
type BetsOpened struct {
	Round int `json:"round"`
}

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

// BetsReturned gives stakes back before the settlement.
type BetsReturned struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines"`
}

// StakeFound sets a wager to what lies on the layout.
type StakeFound struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
	Clause string       `json:"clause"`
}

// MinimumAdvised tells a player that his stake is too low.
type MinimumAdvised struct {
	Box     int          `json:"box"`
	Player  string       `json:"player"`
	Wager   rules.Wager  `json:"wager"`
	Minimum money.Amount `json:"minimum"`
	Clause  string       `json:"clause"`
}

// BetsClosed ends the betting; the boxes with bets are to be dealt.
type BetsClosed struct{}

// Dealt is one card's way out of the device.
type Dealt struct {
	Card   card.Card `json:"card"`
	Place  Place     `json:"place"`
	Meant  Place     `json:"meant"`
	FaceUp bool      `json:"face_up,omitempty"`
}

// CardsDealt deals cards in order.
type CardsDealt struct {
	AtMs  int64   `json:"at_ms"`
	Cards []Dealt `json:"cards"`
}

// CardsDrawn says that cards were drawn at once and wait for their order.
type CardsDrawn struct {
	Cards []card.Card `json:"cards"`
}

// DealFinished ends a deal that does not lie as it should, or for one hand alone:
// the deal goes on, and that hand gets no more cards.
type DealFinished struct {
	// Hand is the only hand for which the deal ends, no place for all of them.
	Hand Place `json:"hand,omitempty"`
}

// HandExamined says that a player looked at a hand.
type HandExamined struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

// HandRaised places the Play wager.
type HandRaised struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
}

// ForfeitsCollected takes in the bets of folded boxes before the dealer's hand is
// turned. The settlement has no lines for them any more.
type ForfeitsCollected struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines"`
}

// HandFolded gives a hand up.
type HandFolded struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	Clause string `json:"clause"`
}

// HandShown turns a hand face up for the whole table.
type HandShown struct {
	Place  Place     `json:"place"`
	Hand   card.Hand `json:"hand"`
	Clause string    `json:"clause,omitempty"`
}

// HandKeptDown says that a hand stays face down, though its cards could count.
type HandKeptDown struct {
	Box    int    `json:"box"`
	Clause string `json:"clause"`
}

// DealerShown turns the dealer's hand; the round can be settled.
type DealerShown struct {
	Hand      card.Hand `json:"hand"`
	Qualifies bool      `json:"qualifies"`
}

// BoxSettled settles one box while others of the round are still to be settled. What
// takes all hands to know, the Envy Bonus, comes with [Settled].
type BoxSettled struct {
	Box   int    `json:"box"`
	Lines []Line `json:"lines"`
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount `json:"meter,omitempty"`
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
	Stakes []LaidStake `json:"stakes"`
}

// LaidStake is a wager that lies on the layout again.
type LaidStake struct {
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
}

// Settled settles what is left of the round, and with it the round.
type Settled struct {
	Lines []Line `json:"lines"`
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount `json:"meter,omitempty"`
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

// CardsExposed says that the whole table has seen cards.
type CardsExposed struct {
	// Slots are the positions of the cards in the order of the deal, from 0.
	Slots []int       `json:"slots"`
	Cards []card.Card `json:"cards"`
	// Corrected says that they lay open before, and that their faces had been entered
	// wrongly.
	Corrected bool `json:"corrected,omitempty"`
}

// Move takes one card to another place.
type Move struct {
	Slot int   `json:"slot"`
	To   Place `json:"to"`
}

// CardsMoved puts cards where the order of the deal meant them to be.
type CardsMoved struct {
	Clause string `json:"clause"`
	Moves  []Move `json:"moves"`
	// Ruled says that a person decided where the cards lie, so that how those at
	// these places lie is no error any more.
	Ruled bool `json:"ruled,omitempty"`
}

// RoundVoided ends the round without result; every bet goes back.
type RoundVoided struct {
	Clause string `json:"clause"`
	Lines  []Line `json:"lines"`
}

// HandInvalidated takes a hand out of the round; its bets go back.
type HandInvalidated struct {
	Box    int    `json:"box"`
	Clause string `json:"clause"`
	Lines  []Line `json:"lines"`
}

// QuestionAsked puts a question to a role.
type QuestionAsked struct {
	Question OpenQuestion `json:"question"`
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

// OffersMade puts options to players.
type OffersMade struct {
	Offers []Offer `json:"offers"`
}

// OfferAnswered is a player's answer, or what the ruling makes of his silence.
type OfferAnswered struct {
	Box        int    `json:"box,omitempty"`
	Player     string `json:"player"`
	Return     bool   `json:"return,omitempty"`
	Unanswered bool   `json:"unanswered,omitempty"`
	Clause     string `json:"clause"`
}

// PlayerWarned records that a player's low wager was settled this once.
type PlayerWarned struct {
	Player string `json:"player"`
	Clause string `json:"clause"`
}

// PlayerRestricted holds a player to one position, or lifts that.
type PlayerRestricted struct {
	Player string `json:"player"`
	Lift   bool   `json:"lift,omitempty"`
	Clause string `json:"clause"`
}

// AreasRestricted changes how many wagers an area takes; zero is the book's.
type AreasRestricted struct {
	Max    int    `json:"max"`
	Clause string `json:"clause"`
}

// ProgressiveFailed takes the progressive out of service.
type ProgressiveFailed struct {
	Registered money.Amount `json:"registered"`
	Clause     string       `json:"clause"`
}

// ProgressiveSuspended is the house's choice for later rounds.
type ProgressiveSuspended struct {
	Option DownOption `json:"option"`
	Boxes  []int      `json:"boxes,omitempty"`
	Clause string     `json:"clause"`
}

// ProgressiveRestored puts the progressive back into service.
type ProgressiveRestored struct{}
