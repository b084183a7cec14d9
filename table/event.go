package table

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Event is something that happened at the table. The events are the structs of
// this file and no others; together, in order, they are the round's record. How they are
// stored, package record says.
type Event interface {
	// apply changes the draft. An error means that the event cannot have
	// happened.
	apply(s *draft) error
	// redacted returns what the viewer may see of it in the state after it.
	redacted(s *State, v Viewer) Event
	// effect returns the account of what it does.
	effect() Effect
}

// Announced is something the dealer says or the table displays: a key and what goes
// into its words. [Announced.Sentence] has the words.
type Announced struct {
	Key    string
	Clause string
	Boxes  []int
	Player string
	// Result is how a position that is called came out: won, lost or a stand-off.
	Result rules.Result
	// Hand is the dealer's hand where the dealer says what it is, or the one that has won
	// against the other where the dealer says with which combination.
	Hand card.Hand
}

// TableOpened says that the table is ready for rounds.
type TableOpened struct{}

// TableClosed says that the table takes no rounds.
type TableClosed struct {
	Clause string
}

// BetsOpened begins a round and clears the last one.
type BetsOpened struct {
	Round int
}

// BetPlaced adds to a wager.
type BetPlaced struct {
	Box      int
	Player   string
	Wager    rules.Wager
	Amount   money.Amount
	Standing bool
	// EnteredBy is the member of staff who placed it for the player.
	EnteredBy string
	Clause    string
}

// BetsReturned gives stakes back before the settlement.
type BetsReturned struct {
	Clause string
	Lines  []Line
}

// StakeFound sets a wager to what lies on the layout.
type StakeFound struct {
	Box    int
	Player string
	Wager  rules.Wager
	Amount money.Amount
	Clause string
}

// MinimumAdvised advises a player that a stake is too low.
type MinimumAdvised struct {
	Box     int
	Player  string
	Wager   rules.Wager
	Minimum money.Amount
	Clause  string
}

// BetsClosed ends the betting; the boxes with bets are to be dealt.
type BetsClosed struct{}

// Dealt is one card's way out of the device.
type Dealt struct {
	Card   card.Card
	Place  Place
	Meant  Place
	FaceUp bool
}

// CardsDealt deals cards in order.
type CardsDealt struct {
	AtMs  int64
	Cards []Dealt
}

// CardsDrawn says that cards were drawn at once and wait for their order.
type CardsDrawn struct {
	Cards []card.Card
}

// DealFinished ends a deal that does not lie as it should, or for one hand alone:
// the deal goes on, and that hand gets no more cards.
type DealFinished struct {
	// Hand is the only hand for which the deal ends, no place for all of them.
	Hand Place
}

// HandExamined says that a player looked at a hand.
type HandExamined struct {
	Box    int
	Player string
}

// HandRaised places the Play wager.
type HandRaised struct {
	Box    int
	Player string
	Wager  rules.Wager
	Amount money.Amount
}

// ForfeitsCollected takes in the bets of folded boxes before the dealer's hand is
// turned. The settlement has no lines for them any more. A folded box with a wager that
// the fold leaves in play is not among them: it is settled with the others.
type ForfeitsCollected struct {
	Clause string
	Lines  []Line
}

// HandFolded gives a hand up.
type HandFolded struct {
	Box    int
	Player string
	Clause string
}

// HandShown turns a hand face up for the whole table.
type HandShown struct {
	Place  Place
	Hand   card.Hand
	Clause string
}

// HandKeptDown says that a hand stays face down, though its cards could count.
type HandKeptDown struct {
	Box    int
	Clause string
}

// DealerShown turns the dealer's hand; the round can be settled.
type DealerShown struct {
	Hand      card.Hand
	Qualifies bool
}

// BoxSettled settles one box while others of the round are still to be settled. What
// takes all hands to know, the Envy Bonus, comes with [Settled].
type BoxSettled struct {
	Box   int
	Lines []Line
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount
}

// SettlementUndone takes back what a box was paid and lays its stakes on the layout
// again, because something that it was settled by was wrong. The box is settled anew.
// If the round was settled, it is not any more, and the Envy Bonuses go back too.
type SettlementUndone struct {
	Box    int
	Clause string
	// Lines collect again what was paid.
	Lines []Line
	// Stakes are what lies on the box again.
	Stakes []LaidStake
}

// LaidStake is a wager that lies on the layout again.
type LaidStake struct {
	Player string
	Wager  rules.Wager
	Amount money.Amount
}

// Settled settles what is left of the round, and with it the round.
type Settled struct {
	Lines []Line
	// Meter is the jackpot value by which a share of it was paid.
	Meter money.Amount
}

// Reported records an incident and what the book makes of it.
type Reported struct {
	Report  Report
	Outcome rules.Outcome
	Clause  string
	// Boxes are the hands that the outcome takes out of the round.
	Boxes []int
	// Due is what the wager of a wrong payment brought, in the lines that stand.
	Due money.Amount
}

// CardsExposed says that the whole table has seen cards.
type CardsExposed struct {
	// Slots are the positions of the cards in the order of the deal, from 0.
	Slots []int
	Cards []card.Card
	// Corrected says that these are the faces of cards that had been entered wrongly.
	// Another card that was entered with such a face is not known any more.
	Corrected bool
}

// Move takes one card to another place.
type Move struct {
	Slot int
	To   Place
}

// CardsMoved puts cards where the order of the deal meant them to be.
type CardsMoved struct {
	Clause string
	Moves  []Move
	// Ruled says that a person decided where the cards lie, so that how those at
	// these places lie is no error any more.
	Ruled bool
}

// RoundVoided ends the round without result; every bet goes back.
type RoundVoided struct {
	Clause string
	Lines  []Line
}

// HandInvalidated takes a hand out of the round; its bets go back.
type HandInvalidated struct {
	Box    int
	Clause string
	Lines  []Line
}

// QuestionAsked puts a question to a role.
type QuestionAsked struct {
	Question OpenQuestion
}

// QuestionAnswered closes the open question.
type QuestionAnswered struct {
	Key    string
	Answer string
	By     Actor
	Order  []int
	Clause string
	// Remedies are what the answer lists.
	Remedies []Remedy
}

// OffersMade puts options to players.
type OffersMade struct {
	Offers []Offer
}

// OfferAnswered is the answer of a player, or the one that the ruling assumes if there is
// none.
type OfferAnswered struct {
	Box        int
	Player     string
	Return     bool
	Unanswered bool
	Clause     string
}

// PlayerWarned records that a player's low wager was settled this once.
type PlayerWarned struct {
	Player string
	Clause string
}

// PlayerRestricted holds a player to one position, or lifts that.
type PlayerRestricted struct {
	Player string
	Lift   bool
	Clause string
}

// AreasRestricted changes how many wagers an area takes; zero is the book's.
type AreasRestricted struct {
	Max    int
	Clause string
}

// ProgressiveFailed takes the progressive out of service.
type ProgressiveFailed struct {
	// Registered is what the jackpot's system had registered before, in minor units; zero if only
	// devices of this table have failed and the round is paid what is displayed
	// ([State.DevicesDown]).
	Registered money.Amount
	Clause     string
}

// ProgressiveSuspended is the house's choice for later rounds.
type ProgressiveSuspended struct {
	Option DownOption
	Boxes  []int
	Clause string
}

// ProgressiveRestored puts the progressive back into service.
type ProgressiveRestored struct{}
