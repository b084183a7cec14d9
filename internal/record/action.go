package record

import (
	"trey/card"
	"trey/internal/stored"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Actions are the commands of a table.
var Actions = stored.NewTable(
	"command",
	stored.Of[table.Action]("open-table", openTableOf, OpenTable.engine),
	stored.Of[table.Action]("close-table", closeTableOf, CloseTable.engine),
	stored.Of[table.Action]("open-bets", openBetsOf, OpenBets.engine),
	stored.Of[table.Action]("bet", betOf, Bet.engine),
	stored.Of[table.Action]("withdraw", withdrawOf, Withdraw.engine),
	stored.Of[table.Action]("found", foundOf, Found.engine),
	stored.Of[table.Action]("close-bets", closeBetsOf, CloseBets.engine),
	stored.Of[table.Action]("deal", dealOf, Deal.engine),
	stored.Of[table.Action]("finish-deal", finishDealOf, FinishDeal.engine),
	stored.Of[table.Action]("examine", examineOf, Examine.engine),
	stored.Of[table.Action]("raise", raiseOf, Raise.engine),
	stored.Of[table.Action]("fold", foldOf, Fold.engine),
	stored.Of[table.Action]("lay-up", layUpOf, LayUp.engine),
	stored.Of[table.Action]("show", showOf, Show.engine),
	stored.Of[table.Action]("keep-down", keepDownOf, KeepDown.engine),
	stored.Of[table.Action]("reveal", revealOf, Reveal.engine),
	stored.Of[table.Action]("settle", settleOf, Settle.engine),
	stored.Of[table.Action]("report", reportOf, Report.engine),
	stored.Of[table.Action]("answer", answerOf, Answer.engine),
	stored.Of[table.Action]("choose", chooseOf, Choose.engine),
	stored.Of[table.Action]("ask-withdrawal", askWithdrawalOf, AskWithdrawal.engine),
	stored.Of[table.Action]("expire", expireOf, Expire.engine),
	stored.Of[table.Action]("restrict-player", restrictPlayerOf, RestrictPlayer.engine),
	stored.Of[table.Action]("restrict-areas", restrictAreasOf, RestrictAreas.engine),
	stored.Of[table.Action]("suspend-progressive", suspendProgressiveOf, SuspendProgressive.engine),
	stored.Of[table.Action]("restore-progressive", restoreProgressiveOf, RestoreProgressive.engine),
)

// OpenTable opens a closed table.
type OpenTable struct{}

func openTableOf(e table.OpenTable) OpenTable { return OpenTable(e) }

func (s OpenTable) engine() table.OpenTable { return table.OpenTable(s) }

// CloseTable closes a table between rounds. Anew opens it again in the same moment, so
// that a round which nobody bet in makes room for the next one.
type CloseTable struct {
	Anew bool `json:"anew,omitempty"`
}

func closeTableOf(e table.CloseTable) CloseTable { return CloseTable(e) }

func (s CloseTable) engine() table.CloseTable { return table.CloseTable(s) }

// OpenBets begins a round: "Place your bets, please".
type OpenBets struct{}

func openBetsOf(e table.OpenBets) OpenBets { return OpenBets(e) }

func (s OpenBets) engine() table.OpenBets { return table.OpenBets(s) }

// Bet adds to a player's wager on a box. Staff may enter it for the player.
type Bet struct {
	Box      int          `json:"box"`
	Player   string       `json:"player"`
	Wager    rules.Wager  `json:"wager"`
	Amount   money.Amount `json:"amount"`
	Standing bool         `json:"standing,omitempty"`
}

func betOf(e table.Bet) Bet { return Bet(e) }

func (s Bet) engine() table.Bet { return table.Bet(s) }

// Withdraw takes a whole wager back before the bets are closed.
type Withdraw struct {
	Box    int         `json:"box"`
	Player string      `json:"player"`
	Wager  rules.Wager `json:"wager"`
}

func withdrawOf(e table.Withdraw) Withdraw { return Withdraw(e) }

func (s Withdraw) engine() table.Withdraw { return table.Withdraw(s) }

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

func foundOf(e table.Found) Found { return Found(e) }

func (s Found) engine() table.Found { return table.Found(s) }

// CloseBets ends the betting: "No more bets".
type CloseBets struct{}

func closeBetsOf(e table.CloseBets) CloseBets { return CloseBets(e) }

func (s CloseBets) engine() table.CloseBets { return table.CloseBets(s) }

// Deal deals the next cards of the round, one or many.
type Deal struct {
	Cards []Drawn `json:"cards,omitempty"`
	// SkipBurn says that no card was burnt although one should have been.
	SkipBurn bool `json:"skip_burn,omitempty"`
}

func dealOf(e table.Deal) Deal { return Deal{Cards: each(e.Cards, drawnOf), SkipBurn: e.SkipBurn} }

func (s Deal) engine() table.Deal {
	return table.Deal{Cards: each(s.Cards, Drawn.engine), SkipBurn: s.SkipBurn}
}

// FinishDeal ends a deal whose cards do not lie as they should, because nobody
// has noticed, or one that ends short because the device has given all that it will.
type FinishDeal struct{}

func finishDealOf(e table.FinishDeal) FinishDeal { return FinishDeal(e) }

func (s FinishDeal) engine() table.FinishDeal { return table.FinishDeal(s) }

// Examine lets a player look at a hand.
type Examine struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

func examineOf(e table.Examine) Examine { return Examine(e) }

func (s Examine) engine() table.Examine { return table.Examine(s) }

// Raise places the Play wager: the box goes on.
type Raise struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

func raiseOf(e table.Raise) Raise { return Raise(e) }

func (s Raise) engine() table.Raise { return table.Raise(s) }

// Fold gives the hand up.
type Fold struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

func foldOf(e table.Fold) Fold { return Fold(e) }

func (s Fold) engine() table.Fold { return table.Fold(s) }

// LayUp lays an examined hand face up on its box.
type LayUp struct {
	Box int `json:"box"`
	// Hand names the three cards where the house does not know them yet, with
	// card.None for each that it does.
	Hand []card.Card `json:"hand,omitempty"`
}

func layUpOf(e table.LayUp) LayUp { return LayUp(e) }

func (s LayUp) engine() table.LayUp { return table.LayUp(s) }

// Show turns a box's hand face up and names its cards, as a LayUp does; for tables
// where the house does not see the cards before.
type Show struct {
	Box  int         `json:"box"`
	Hand []card.Card `json:"hand,omitempty"`
}

func showOf(e table.Show) Show { return Show(e) }

func (s Show) engine() table.Show { return table.Show(s) }

// KeepDown records that a hand stays face down: a folded one that brings nobody an Envy Bonus, as
// the dealer has checked, or a played one that its player never shows.
type KeepDown struct {
	Box int `json:"box"`
}

func keepDownOf(e table.KeepDown) KeepDown { return KeepDown(e) }

func (s KeepDown) engine() table.KeepDown { return table.KeepDown(s) }

// Reveal turns the dealer's hand.
type Reveal struct {
	// Hand names the cards as that of a LayUp does.
	Hand []card.Card `json:"hand,omitempty"`
}

func revealOf(e table.Reveal) Reveal { return Reveal(e) }

func (s Reveal) engine() table.Reveal { return table.Reveal(s) }

// Settle settles the round: one box, the next in the book's order, or all that are
// left.
type Settle struct {
	// Box is the box; zero is all that are left.
	Box int `json:"box,omitempty"`
	// Meter is the jackpot value displayed at this moment in minor units,
	// needed only when a hand takes a share of it.
	Meter money.Amount `json:"meter,omitempty"`
	// Meters is what it displays for each of several such hands that are settled
	// now, in the order of their boxes: it starts again after every payment.
	Meters []money.Amount `json:"meters,omitempty"`
	// Pending says that a hand has to wait for the jackpot: the hands are turned, and
	// nothing is paid yet. Package linked states it, from all tables of the jackpot.
	Pending bool `json:"pending,omitempty"`
}

func settleOf(e table.Settle) Settle { return Settle(e) }

func (s Settle) engine() table.Settle { return table.Settle(s) }

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
	// every one.
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
	// Wager is the wager of the late bet, or the settled one for which a player was given chips.
	Wager rules.Wager `json:"wager,omitempty"`
	// Amount is the amount of the late bet, or what a player was given for the settled wager,
	// its stake included.
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

func reportOf(e table.Report) Report {
	return Report{
		Incident: e.Incident, Box: e.Box, Dealer: e.Dealer, Player: e.Player, Boxes: e.Boxes,
		Cards: each(e.Cards, exposedOf), Lies: each(e.Lies, lyingOf), Count: e.Count, Turned: e.Turned,
		OrderLost: e.OrderLost, OrderKnown: e.OrderKnown, BeforeLook: e.BeforeLook, Looked: e.Looked,
		LastedMs: e.LastedMs, Wager: e.Wager, Amount: e.Amount, Counted: e.Counted, Meter: e.Meter, Round: e.Round,
		Active: e.Active, Note: e.Note,
	}
}

func (s Report) engine() table.Report {
	return table.Report{
		Incident: s.Incident, Box: s.Box, Dealer: s.Dealer, Player: s.Player, Boxes: s.Boxes,
		Cards: each(s.Cards, Exposed.engine), Lies: each(s.Lies, Lying.engine), Count: s.Count, Turned: s.Turned,
		OrderLost: s.OrderLost, OrderKnown: s.OrderKnown, BeforeLook: s.BeforeLook, Looked: s.Looked,
		LastedMs: s.LastedMs, Wager: s.Wager, Amount: s.Amount, Counted: s.Counted, Meter: s.Meter, Round: s.Round,
		Active: s.Active, Note: s.Note,
	}
}

// Answer answers the open question.
type Answer struct {
	// Answer is one of the question's keys.
	Answer string `json:"answer"`
	// Order numbers the cards drawn together in the order in which they are
	// received, for the question of order.
	Order []int `json:"order,omitempty"`
	// Remedies are what is done, where the answer is that.
	Remedies []Remedy `json:"remedies,omitempty"`
}

func answerOf(e table.Answer) Answer {
	return Answer{Answer: e.Answer, Order: e.Order, Remedies: each(e.Remedies, remedyOf)}
}

func (s Answer) engine() table.Answer {
	return table.Answer{Answer: s.Answer, Order: s.Order, Remedies: each(s.Remedies, Remedy.engine)}
}

// Choose answers an option offered to a player.
type Choose struct {
	// Box is the hand; zero for an offer over all of the player's wagers.
	Box    int    `json:"box,omitempty"`
	Player string `json:"player"`
	// Return takes the bets back; otherwise the player goes on.
	Return bool `json:"return,omitempty"`
}

func chooseOf(e table.Choose) Choose { return Choose(e) }

func (s Choose) engine() table.Choose { return table.Choose(s) }

// AskWithdrawal is the request of a dissatisfied player to take a wager back.
type AskWithdrawal struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

func askWithdrawalOf(e table.AskWithdrawal) AskWithdrawal { return AskWithdrawal(e) }

func (s AskWithdrawal) engine() table.AskWithdrawal { return table.AskWithdrawal(s) }

// Expire ends the time for whatever is awaited: options count as unanswered,
// undecided hands are folded.
type Expire struct{}

func expireOf(e table.Expire) Expire { return Expire(e) }

func (s Expire) engine() table.Expire { return table.Expire(s) }

// RestrictPlayer holds a player to one position, or lifts that.
type RestrictPlayer struct {
	Player string `json:"player"`
	Lift   bool   `json:"lift,omitempty"`
}

func restrictPlayerOf(e table.RestrictPlayer) RestrictPlayer { return RestrictPlayer(e) }

func (s RestrictPlayer) engine() table.RestrictPlayer { return table.RestrictPlayer(s) }

// RestrictAreas lowers the number of wagers on one betting area; zero restores
// the book's number.
type RestrictAreas struct {
	Max int `json:"max"`
}

func restrictAreasOf(e table.RestrictAreas) RestrictAreas { return RestrictAreas(e) }

func (s RestrictAreas) engine() table.RestrictAreas { return table.RestrictAreas(s) }

// SuspendProgressive is the house's choice for later rounds while the
// progressive is out of order.
type SuspendProgressive struct {
	Option table.DownOption `json:"option"`
	Boxes  []int            `json:"boxes,omitempty"`
}

func suspendProgressiveOf(e table.SuspendProgressive) SuspendProgressive {
	return SuspendProgressive(e)
}

func (s SuspendProgressive) engine() table.SuspendProgressive { return table.SuspendProgressive(s) }

// RestoreProgressive puts the progressive back into service.
type RestoreProgressive struct{}

func restoreProgressiveOf(e table.RestoreProgressive) RestoreProgressive {
	return RestoreProgressive(e)
}

func (s RestoreProgressive) engine() table.RestoreProgressive { return table.RestoreProgressive(s) }
