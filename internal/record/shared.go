package record

import (
	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Line is one settlement line: whose wager on which box, and how it ended.
type Line struct {
	Box    int          `json:"box"`
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Stake  money.Amount `json:"stake"`
	Result rules.Result `json:"result"`
	// Pays is the winnings without the stake.
	Pays money.Amount `json:"pays"`
	// Returned is all that goes to the player: winnings and whatever part of the
	// stake goes back.
	Returned money.Amount `json:"returned"`
	Clause   string       `json:"clause"`
	// Combo is the pay-table row that paid, if one did.
	Combo rules.Combo `json:"combo,omitempty"`
	// Excess is the part of the stake that was never at risk because it lay above
	// what the book lets stand; it is part of returned.
	Excess money.Amount `json:"excess,omitempty"`
	// Reverses is what had been paid for the wager before an error of the settled
	// round was found; it is collected again.
	Reverses money.Amount `json:"reverses,omitempty"`
}

func lineOf(e table.Line) Line {
	return Line{
		Box: e.Box, Player: e.Player, Wager: e.Wager, Stake: e.Stake, Result: e.Result, Pays: e.Pays,
		Returned: e.Returned, Clause: e.Clause, Combo: e.Combo, Excess: e.Excess, Reverses: e.Reverses,
	}
}

func (s Line) engine() table.Line {
	return table.Line{Box: s.Box, Player: s.Player, Reverses: s.Reverses, Line: rules.Line{
		Wager: s.Wager, Stake: s.Stake, Result: s.Result, Pays: s.Pays,
		Returned: s.Returned, Clause: s.Clause, Combo: s.Combo, Excess: s.Excess,
	}}
}

// Choice is one permitted answer to a question and what it leads to.
type Choice struct {
	Key    string        `json:"key"`
	Then   rules.Outcome `json:"then"`
	Clause string        `json:"clause"`
}

func choiceOf(e rules.Answer) Choice { return Choice(e) }

func (s Choice) engine() rules.Answer { return rules.Answer(s) }

// Dealt is one card's way out of the device.
type Dealt struct {
	Card   card.Card   `json:"card"`
	Place  table.Place `json:"place"`
	Meant  table.Place `json:"meant"`
	FaceUp bool        `json:"face_up,omitempty"`
}

func dealtOf(e table.Dealt) Dealt { return Dealt(e) }

func (s Dealt) engine() table.Dealt { return table.Dealt(s) }

// Move takes one card to another place.
type Move struct {
	Slot int         `json:"slot"`
	To   table.Place `json:"to"`
}

func moveOf(e table.Move) Move { return Move(e) }

func (s Move) engine() table.Move { return table.Move(s) }

// Drawn is one card out of the dealing device.
type Drawn struct {
	// Card is card.None where the house does not see it.
	Card card.Card `json:"card"`
	// To is where a hand dealt it, if not where the order of the deal sends it.
	To table.Place `json:"to,omitempty"`
	// FaceUp says that it lay face up in the device.
	FaceUp bool `json:"face_up,omitempty"`
}

func drawnOf(e table.Drawn) Drawn { return Drawn(e) }

func (s Drawn) engine() table.Drawn { return table.Drawn(s) }

// Exposed is a card that the whole table saw.
type Exposed struct {
	At table.Place `json:"place,omitempty"`
	// Index counts the cards at the place from 1; zero is the last one there.
	Index int `json:"index,omitempty"`
	// Card names it where the house does not know it.
	Card card.Card `json:"card,omitempty"`
}

func exposedOf(e table.Exposed) Exposed { return Exposed(e) }

func (s Exposed) engine() table.Exposed { return table.Exposed(s) }

// Lying states how many cards lie at a place, where a report says otherwise than
// the record.
type Lying struct {
	At    table.Place `json:"place"`
	Count int         `json:"count"`
	// Meant is where the order of the deal sends these cards. No place means all
	// the cards there, wherever they were meant to lie.
	Meant table.Place `json:"meant,omitempty"`
}

func lyingOf(e table.Lying) Lying { return Lying(e) }

func (s Lying) engine() table.Lying { return table.Lying(s) }

// Question is a decision that a named role has not yet taken.
type Question struct {
	Key     string     `json:"key"`
	Role    rules.Role `json:"role"`
	Clause  string     `json:"clause"`
	Answers []Choice   `json:"answers,omitempty"`
	// Report is the report that led to it.
	Report Report `json:"report,omitzero"`
	// By is the person who reported. Once a card has been seen, that person does not answer.
	By Actor `json:"by,omitzero"`
	// Confirmed says that a second person has confirmed the facts, so that whoever
	// reported may answer as well.
	Confirmed bool `json:"confirmed,omitempty"`
	// Found is the statement about chips that is to be confirmed, in place of a
	// report.
	Found Found `json:"found,omitzero"`
}

func questionOf(e table.OpenQuestion) Question {
	return Question{
		Key: e.Key, Role: e.Role, Clause: e.Clause, Answers: each(e.Answers, choiceOf), Report: reportOf(e.Report),
		By: actorOf(e.By), Confirmed: e.Confirmed, Found: foundOf(e.Found),
	}
}

func (s Question) engine() table.OpenQuestion {
	return table.OpenQuestion{
		Key: s.Key, Role: s.Role, Clause: s.Clause, Answers: each(s.Answers, Choice.engine),
		Report: s.Report.engine(), By: s.By.engine(), Confirmed: s.Confirmed, Found: s.Found.engine(),
	}
}

// Actor is the person who gives a command, and the function in which they give it.
type Actor struct {
	Name string     `json:"name"`
	Role rules.Role `json:"role"`
	// Automatic says that the house's own program gives the command, and no
	// person. What it reports is a measurement that nobody confirms.
	Automatic bool `json:"automatic,omitempty"`
}

func actorOf(e table.Actor) Actor { return Actor(e) }

func (s Actor) engine() table.Actor { return table.Actor(s) }

// Remedy is one thing that is done by the answer [rules.Remedy].
type Remedy struct {
	Do table.RemedyKind `json:"do"`
	// Box is the box concerned; zero is the dealer's hand, of which only the first
	// three cards can be kept.
	Box int `json:"box,omitempty"`
	// Player is the player whose wager is returned, awarded or collected on.
	Player string `json:"player,omitempty"`
	// Wager is that wager.
	Wager rules.Wager `json:"wager,omitempty"`
	// Amount is how much; for a wager that is returned, zero is all of it.
	Amount money.Amount `json:"amount,omitempty"`
	// Decision is what the hand's decision is after one is undone; undecided lets
	// its player decide anew.
	Decision table.Decision `json:"decision,omitempty"`
	// Reason is why, in words of the staff, which are in the record and in no stream.
	Reason string `json:"reason"`
}

func remedyOf(e table.Remedy) Remedy { return Remedy(e) }

func (s Remedy) engine() table.Remedy { return table.Remedy(s) }

// Offer is an option put to a player who has not answered yet.
type Offer struct {
	// Box is the hand concerned; zero when the offer is to take back all of
	// the player's wagers.
	Box    int    `json:"box,omitempty"`
	Player string `json:"player"`
	Clause string `json:"clause"`
	// Restored says that the cards have been put in their intended order.
	Restored bool `json:"restored,omitempty"`
}

func offerOf(e table.Offer) Offer { return Offer(e) }

func (s Offer) engine() table.Offer { return table.Offer(s) }

// LaidStake is a wager that lies on the layout again.
type LaidStake struct {
	Player string       `json:"player"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
}

func laidStakeOf(e table.LaidStake) LaidStake { return LaidStake(e) }

func (s LaidStake) engine() table.LaidStake { return table.LaidStake(s) }

// each turns a list into one of another type; none stays none.
func each[A, B any](list []A, turn func(A) B) []B {
	if list == nil {
		return nil
	}
	turned := make([]B, len(list))
	for i := range list {
		turned[i] = turn(list[i])
	}
	return turned
}

// pointer turns what a pointer points to, nil into nil.
func pointer[A, B any](p *A, turn func(A) B) *B {
	if p == nil {
		return nil
	}
	turned := turn(*p)
	return &turned
}
