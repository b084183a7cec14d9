package table

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Actor is the person who gives a command, and the function in which they give it.
type Actor struct {
	Name string     `json:"name"`
	Role rules.Role `json:"role"`
	// Automatic says that the house's own program gives the command, and no
	// person. What it reports is a measurement that nobody confirms.
	Automatic bool `json:"automatic,omitempty"`
}

// Command is one thing somebody does at the table. It carries all that the
// state does not determine.
type Command struct {
	By Actor
	// AtMs is when, in milliseconds of the house's one clock.
	AtMs int64
	Do   Action
}

// Action is the content of a command. The actions are the structs of this file and no
// others.
type Action interface {
	// verify is the one predicate behind Decide and Legal: nil when the action
	// may be done now by this actor, else why not.
	verify(s *State, by Actor) *Refusal
	// perform emits what follows. It is called only after verify.
	perform(d *decision, c Command) error
	// shown returns what everybody may see of it.
	redacted() Action
}

// OpenTable opens a closed table.
type OpenTable struct{}

// CloseTable closes a table between rounds. Anew opens it again in the same moment, so
// that a round which nobody bet in makes room for the next one.
type CloseTable struct {
	Anew bool
}

// OpenBets begins a round: "Place your bets, please".
type OpenBets struct{}

// Bet adds to a player's wager on a box. Staff may enter it for the player.
type Bet struct {
	Box      int
	Player   string
	Wager    rules.Wager
	Amount   money.Amount
	Standing bool
}

// Withdraw takes a whole wager back before the bets are closed.
type Withdraw struct {
	Box    int
	Player string
	Wager  rules.Wager
}

// Found records the chips that the dealer finds on a betting area of a layout, if they differ from
// what was entered: those there now or, with AtCall, those there at "No more bets". Only the latter
// correct the record once the bets are closed; chips that were placed or taken away since then
// change no wager.
type Found struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
	AtCall bool         `json:"at_call,omitempty"`
}

// CloseBets ends the betting: "No more bets".
type CloseBets struct{}

// Drawn is one card out of the dealing device.
type Drawn struct {
	// Card is card.None where the house does not see it.
	Card card.Card
	// To is where a hand dealt it, if not where the order of the deal sends it.
	To Place
	// FaceUp says that it lay face up in the device.
	FaceUp bool
}

// Deal deals the next cards of the round, one or many.
type Deal struct {
	Cards []Drawn
	// SkipBurn says that no card was burnt although one should have been.
	SkipBurn bool
}

// FinishDeal ends a deal whose cards do not lie as they should, because nobody
// has noticed, or one that ends short because the device has given all that it will.
type FinishDeal struct{}

// Examine lets a player look at a hand.
type Examine struct {
	Box    int
	Player string
}

// Raise places the Play wager: the box goes on.
type Raise struct {
	Box    int
	Player string
}

// Fold gives the hand up.
type Fold struct {
	Box    int
	Player string
}

// LayUp lays an examined hand face up on its box.
type LayUp struct {
	Box int
	// Hand names the three cards where the house does not know them yet, with
	// card.None for each that it does.
	Hand []card.Card
}

// Show turns a box's hand face up and names its cards, as a LayUp does; for tables
// where the house does not see the cards before.
type Show struct {
	Box  int
	Hand []card.Card
}

// KeepDown records that a hand stays face down: a folded one that brings nobody an Envy Bonus, as
// the dealer has checked, or a played one that its player never shows.
type KeepDown struct {
	Box int
}

// Reveal turns the dealer's hand.
type Reveal struct {
	// Hand names the cards as that of a LayUp does.
	Hand []card.Card
}

// Settle settles the round: one box, the next in the book's order, or all that are
// left.
type Settle struct {
	// Box is the box; zero is all that are left.
	Box int
	// Meter is the jackpot value displayed at this moment in minor units,
	// needed only when a hand takes a share of it.
	Meter money.Amount
	// Meters is what it displays for each of several such hands that are settled
	// now, in the order of their boxes: it starts again after every payment.
	Meters []money.Amount
	// Pending says that a hand has to wait for the jackpot: the hands are turned, and
	// nothing is paid yet. Package linked states it, from all tables of the jackpot.
	Pending bool
}

// Report says that something went wrong. The book's irregularity table decides
// what follows.
type Report struct {
	Incident rules.Incident `json:"incident"`
	// Box is the box concerned, Dealer that it is the dealer's hand.
	Box    int  `json:"box,omitempty"`
	Dealer bool `json:"dealer,omitempty"`
	// Player is the player concerned.
	Player string `json:"player,omitempty"`
	// Boxes are the boxes affected where there are several; none named means
	// every one, and of a jackpot's failure that its system has failed and not the devices of
	// boxes ([Report.SystemFailed]).
	Boxes []int `json:"boxes,omitempty"`
	// Cards are cards seen by the whole table: those exposed, each at its
	// place; those drawn together; or those that were entered wrongly, each with the
	// face that it has.
	Cards []Exposed `json:"cards,omitempty"`
	// Lies states how many cards lie where, as far as the record says otherwise.
	Lies []Lying `json:"lies,omitempty"`
	// Count is the number of cards counted: in the deck, or at the hand whose
	// number is reported to be wrong.
	Count int `json:"count,omitempty"`
	// Turned says that the cards came out face down and were turned over later.
	Turned bool `json:"turned_later,omitempty"`
	// OrderLost says that the order in which the cards came is not known.
	OrderLost bool `json:"order_lost,omitempty"`
	// OrderKnown says that cards drawn together are named in the order in which they lay.
	OrderKnown bool `json:"order_known,omitempty"`
	// BeforeLook says that what is reported happened, or was noticed, before any player
	// had looked at or touched a hand, although one has by now. Of a player who looked too
	// early it says that the deal was not over, and of talk about hands that the dealer's
	// hand was not turned.
	BeforeLook bool `json:"before_look,omitempty"`
	// Looked says that the player who touched the hand looked at its cards.
	Looked bool `json:"looked,omitempty"`
	// LastedMs is how long an interruption lasted, in milliseconds.
	LastedMs int64 `json:"lasted_ms,omitempty"`
	// Wager and Amount are the late bet, or what a player was given for a settled
	// wager, its stake included.
	Wager  rules.Wager  `json:"wager,omitempty"`
	Amount money.Amount `json:"amount,omitempty"`
	// Counted says that the late bet was counted as a bet: the record has it.
	Counted bool `json:"counted,omitempty"`
	// Meter is what the jackpot registered before its failure.
	Meter money.Amount `json:"meter,omitempty"`
	// Round is the round in which it happened, when it is an earlier one.
	Round int `json:"round,omitempty"`
	// Active says that the player concerned is signed in and was active just now.
	// The house states it, and nobody else.
	Active bool `json:"active,omitempty"`
	// Note is for what the fields cannot say.
	Note string `json:"note,omitempty"`
}

// Exposed is a card that the whole table saw.
type Exposed struct {
	At Place `json:"at,omitempty"`
	// Index counts the cards at the place from 1; zero is the last one there.
	Index int `json:"index,omitempty"`
	// Card names it where the house does not know it.
	Card card.Card `json:"card,omitempty"`
}

// Answer answers the open question.
type Answer struct {
	// Answer is one of the question's keys.
	Answer string
	// Order numbers the cards drawn together in the order in which they are
	// received, for the question of order.
	Order []int
	// Remedies are what is done, where the answer is that.
	Remedies []Remedy
}

// Choose answers an option offered to a player.
type Choose struct {
	// Box is the hand; zero for an offer over all of the player's wagers.
	Box    int
	Player string
	// Return takes the bets back; otherwise the player goes on.
	Return bool
}

// AskWithdrawal is the request of a dissatisfied player to take a wager back.
type AskWithdrawal struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

// Expire ends the time for whatever is awaited: options count as unanswered,
// undecided hands are folded.
type Expire struct{}

// RestrictPlayer holds a player to one position, or lifts that.
type RestrictPlayer struct {
	Player string
	Lift   bool
}

// RestrictAreas lowers the number of wagers on one betting area; zero restores
// the book's number.
type RestrictAreas struct {
	Max int
}

// SuspendProgressive is the house's choice for later rounds while the
// progressive is out of order.
type SuspendProgressive struct {
	Option DownOption
	Boxes  []int
}

// RestoreProgressive puts the progressive back into service.
type RestoreProgressive struct{}
