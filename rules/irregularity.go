package rules

import (
	"strings"

	"trey/internal/enum"
)

// Role is a person's function at the table, from the least to the highest
// authority. Whoever holds a higher one may act in a lower one
// (rws-3cp@3 1.13, mbs-3pictures@2 6.2).
type Role uint8

// The roles. The zero value is none of them.
const (
	_ Role = iota
	Player
	Dealer
	PitSupervisor
	PitManager
	ShiftManager
	numRoles
)

var roleKeys = enum.New("a role", numRoles, []string{
	Player: "player", Dealer: "dealer", PitSupervisor: "pit-supervisor",
	PitManager: "pit-manager", ShiftManager: "shift-manager",
})

// String returns the role's key, such as "pit-supervisor".
func (r Role) String() string { return roleKeys.Key(r) }

// Name returns the role in words, such as "pit supervisor".
func (r Role) Name() string { return strings.ReplaceAll(r.String(), "-", " ") }

// AtLeast reports whether the role has the authority of the other one.
//
//clause:rws-3cp@3 1.13
//clause:mbs-3pictures@2 6.2
func (r Role) AtLeast(other Role) bool { return r >= other }

// ParseRole reads a role's key.
func ParseRole(s string) (Role, error) { return roleKeys.Parse(s) }

// MarshalText writes the role's key.
func (r Role) MarshalText() ([]byte, error) { return roleKeys.Marshal(r) }

// UnmarshalText reads a role's key.
func (r *Role) UnmarshalText(text []byte) error { return roleKeys.Unmarshal(r, text) }

// Incident is a kind of irregularity that somebody at the table can report.
type Incident uint8

// The incidents. The zero value is none of them.
const (
	_ Incident = iota
	// ForeignCard: a card that does not belong to the deck was found.
	ForeignCard
	// DeckCount: the deck was counted; the report says how many cards.
	DeckCount
	// InsufficientCards: the device cannot complete the round.
	InsufficientCards
	// Unshuffled: the cards in use were not shuffled.
	Unshuffled
	// CardExposed: the dealer turned cards over that should lie face down.
	CardExposed
	// CardFaceUp: a card lay face up in the device.
	CardFaceUp
	// DrawnTogether: cards were drawn at once and their order is not known.
	DrawnTogether
	// DealtIncorrectly: cards lie where they should not.
	DealtIncorrectly
	// WrongCount: a hand holds too few or too many cards.
	WrongCount
	// BurnMissed: the burn card was not discarded.
	BurnMissed
	// DealingError: any other error in the deal.
	DealingError
	// CountDoubted: somebody doubts that the number of cards is right.
	CountDoubted
	// SecondHand: a player examined a hand beyond the one allowed.
	SecondHand
	// WalkedAway: a player left with bets on the table.
	WalkedAway
	// LateBet: a bet was placed or increased after "No more bets".
	LateBet
	// LateWithdrawal: a bet was taken back after "No more bets".
	LateWithdrawal
	// ProgressiveDown: a jackpot device or the jackpot system failed.
	ProgressiveDown
	// TechnicalInterruption: a power failure or the like.
	TechnicalInterruption
	// Uncovered: anything the rules do not provide for.
	Uncovered
	// Misdeal: the cards were dealt wrongly in whatever way.
	Misdeal
	// HandTouched: a player touched a hand, or looked at one, without examining it as
	// the rules let them.
	HandTouched
	// CardMisread: a card that lies open was entered with a wrong face.
	CardMisread
	// Mispaid: a player was given more or less for a settled wager than it brought.
	Mispaid
	// HandsDiscussed: players told each other what they hold.
	HandsDiscussed
	numIncidents
)

var incidentKeys = enum.New("an incident", numIncidents, []string{
	ForeignCard: "foreign-card", DeckCount: "deck-count", InsufficientCards: "insufficient-cards",
	Unshuffled: "unshuffled", CardExposed: "card-exposed", CardFaceUp: "card-face-up",
	DrawnTogether: "drawn-together", DealtIncorrectly: "dealt-incorrectly", WrongCount: "wrong-count",
	BurnMissed: "burn-missed", DealingError: "dealing-error", CountDoubted: "count-doubted",
	SecondHand: "second-hand-examined", WalkedAway: "walked-away", LateBet: "late-bet",
	LateWithdrawal: "late-withdrawal", ProgressiveDown: "progressive-down",
	TechnicalInterruption: "interruption", Uncovered: "uncovered", Misdeal: "misdeal",
	HandTouched: "hand-touched", CardMisread: "card-misread",
	Mispaid: "mispaid", HandsDiscussed: "hands-discussed",
})

// String returns the incident's key, such as "dealt-incorrectly".
func (i Incident) String() string { return incidentKeys.Key(i) }

// Table returns the incident under which a book declares what a report of this
// one leads to. All words for a wrong deal are entrances to the one table of
// Misdeal: where the cards lie decides there, and never the word.
func (i Incident) Table() Incident {
	switch i {
	case CardExposed, DealtIncorrectly, WrongCount, BurnMissed, DealingError, Misdeal:
		return Misdeal
	default:
		return i
	}
}

// Emergency reports whether the incident is one that no open question and no
// unanswered option may keep from being reported: the round cannot go on
// whatever the answer is.
func (i Incident) Emergency() bool {
	switch i {
	case ForeignCard, DeckCount, InsufficientCards, Unshuffled, CountDoubted, ProgressiveDown, TechnicalInterruption:
		return true
	default:
		return false
	}
}

// Incidents lists every incident in the order of declaration.
func Incidents() []Incident { return incidentKeys.All() }

// ParseIncident reads an incident's key.
func ParseIncident(s string) (Incident, error) { return incidentKeys.Parse(s) }

// MarshalText writes the incident's key.
func (i Incident) MarshalText() ([]byte, error) { return incidentKeys.Marshal(i) }

// UnmarshalText reads an incident's key.
func (i *Incident) UnmarshalText(text []byte) error { return incidentKeys.Unmarshal(i, text) }

// Condition is a fact about the round that a case of an incident depends on. Those
// about a misdeal speak of what has not been ruled on yet.
type Condition uint8

// The conditions. The zero value is none of them.
const (
	_ Condition = iota
	// NobodyLooked: no player has seen cards dealt to them, examined or lying face
	// up before them.
	NobodyLooked
	// SomebodyLooked: a player has.
	SomebodyLooked
	// NobodyHandled: no player has examined a hand. A hand that the dealer opened
	// has been handled by no player.
	NobodyHandled
	// OneExposed: a card was turned over by mistake.
	OneExposed
	// TwoExposed: two cards or more were.
	TwoExposed
	// FirstCardByHand: the first card came out exposed, from a shoe, that is a
	// device from which a hand draws single cards.
	FirstCardByHand
	// BurnDealt: the card due on the burn pile was dealt to a hand.
	BurnDealt
	// MisplacedBesideBurn: it was, and cards lie wrong beyond the one place by which
	// every card then comes early, so that no complete hands moved put that right.
	MisplacedBesideBurn
	// Misplaced: a card lies elsewhere than the order of the deal sends it.
	Misplaced
	// HandsMovable: moving complete hands puts the distribution right.
	HandsMovable
	// CardsRestorable: the order in which the cards were drawn is known, and
	// putting each in its intended place gives every hand its three.
	CardsRestorable
	// CardsLost: it is not, or it does not.
	CardsLost
	// DealerCount: the dealer's hand holds too few or too many cards.
	DealerCount
	// HandCount: a player's hand does.
	HandCount
	// OthersMisplaced: a hand of three holds a card that was meant for another.
	OthersMisplaced
	// ViewedHandCount: a hand that a player has examined, or that lies face up, does.
	ViewedHandCount
	// CountWrong: the count reported is not that of a full deck.
	CountWrong
	// Doubted: the number of cards was in doubt, so that it had to be counted.
	Doubted
	// Established: an available bet has conclusively won or lost.
	Established
	// Brief: the interruption was too short to affect the round.
	Brief
	// NoRound: no round is in progress.
	NoRound
	// NothingToDecide: the player concerned has no decision left to take.
	NothingToDecide
	// NothingToFold: the player concerned has no hand that is still to be played
	// or folded.
	NothingToFold
	// WhileDealing: cards are still to be dealt.
	WhileDealing
	// OnlyBurnExposed: the burn card was turned over by mistake, and no other card.
	OnlyBurnExposed
	// FoldedHand: the hand concerned has been folded.
	FoldedHand
	// OrderKnown: the order in which cards were drawn together is known.
	OrderKnown
	// LookedAt: the player looked at the hand that they touched.
	LookedAt
	// OwnHand: the player who touched the hand has the bets on it.
	OwnHand
	// DevicesOnly: betting devices of boxes have failed, and the jackpot's system has not.
	DevicesOnly
	numConditions
)

var conditionKeys = enum.New("a condition", numConditions, []string{
	NobodyLooked: "nobody-looked", SomebodyLooked: "somebody-looked", NobodyHandled: "nobody-handled",
	OneExposed: "one-exposed", TwoExposed: "two-exposed", FirstCardByHand: "first-card-by-hand",
	BurnDealt: "burn-dealt", Misplaced: "misplaced", HandsMovable: "hands-movable",
	CardsRestorable: "cards-restorable", CardsLost: "cards-lost", DealerCount: "dealer-count",
	HandCount: "hand-count", OthersMisplaced: "others-misplaced", ViewedHandCount: "viewed-hand-count", CountWrong: "count-wrong",
	Doubted: "doubted", Established: "established", Brief: "brief", NoRound: "no-round", NothingToDecide: "nothing-to-decide",
	NothingToFold: "nothing-to-fold", WhileDealing: "while-dealing",
	OnlyBurnExposed: "only-burn-exposed", FoldedHand: "folded-hand",
	MisplacedBesideBurn: "misplaced-beside-burn", OrderKnown: "order-known", LookedAt: "looked-at",
	OwnHand: "own-hand", DevicesOnly: "devices-only",
})

// String returns the condition's key, such as "nobody-looked".
func (c Condition) String() string { return conditionKeys.Key(c) }

// Outcome is the consequence of an incident.
type Outcome uint8

// The outcomes. The zero value is none of them.
const (
	_ Outcome = iota
	// Continue: the round goes on as it is.
	Continue
	// Void: the round is void and every bet goes back.
	Void
	// TurnDown: the exposed cards are turned face down and the deal goes on.
	TurnDown
	// MoveHands: complete hands are moved to where they belong; the round goes on.
	MoveHands
	// Invalidate: the hand concerned leaves the round, its bets go back.
	Invalidate
	// OfferAffected: the players whose hands are concerned choose between
	// going on and having their bets back; cards that can be put in their
	// intended order are first.
	OfferAffected
	// OfferAll: the same for every player at the table.
	OfferAll
	// OfferWithdrawal: all players may take back all their wagers, then the round is
	// concluded.
	OfferWithdrawal
	// Ask: the case's Question is put to the role it names.
	Ask
	// FoldUndecidedHands: the player's undecided hands are folded.
	FoldUndecidedHands
	// KeepRegistered: the round goes on, a jackpot is paid at the value
	// registered before the failure.
	KeepRegistered
	// CountCards: the deck is counted by hand; its count is reported next.
	CountCards
	// RestoreAndOfferAll: cards return to their intended order, then every
	// player has the options.
	RestoreAndOfferAll
	// NotHonoured: the bet concerned is not honoured and goes back.
	NotHonoured
	// TakeBack: the player concerned takes back the wagers on the hand.
	TakeBack
	// Stands: the bet concerned wins or loses with the round all the same.
	Stands
	// OptionsLapse: the options of the player concerned count as unanswered.
	OptionsLapse
	// Remedy: whoever decides says in a list what is done, item by item.
	Remedy
	// Adjust: a difference of a round that is over is paid or collected by an adjustment
	// of the player's account, which takes two persons of its own.
	Adjust
	// PayDifference: the dealer collects or pays what a payment differed by from
	// what the wager brought.
	PayDifference
	numOutcomes
)

var outcomeKeys = enum.New("an outcome", numOutcomes, []string{
	Continue: "continue", Void: "void", TurnDown: "turn-down", MoveHands: "move-hands",
	Invalidate: "invalidate", OfferAffected: "offer-affected", OfferAll: "offer-all",
	OfferWithdrawal: "offer-withdrawal", Ask: "ask", FoldUndecidedHands: "fold",
	KeepRegistered: "keep-registered", CountCards: "count-cards",
	RestoreAndOfferAll: "restore-and-offer-all", NotHonoured: "not-honoured", TakeBack: "take-back", Stands: "stands",
	OptionsLapse: "options-lapse",
	Remedy:       "remedy", Adjust: "adjust", PayDifference: "pay-difference",
})

// String returns the outcome's key, such as "offer-all".
func (o Outcome) String() string { return outcomeKeys.Key(o) }

// MovesMoney reports whether the outcome can take money from somebody or give it
// back, or change the cards that somebody plays.
func (o Outcome) MovesMoney() bool {
	switch o {
	case Void, MoveHands, Invalidate, OfferAffected, OfferAll, OfferWithdrawal, FoldUndecidedHands,
		RestoreAndOfferAll, TakeBack, OptionsLapse, Remedy, PayDifference:
		return true
	default:
		return false
	}
}

// MarshalText writes the outcome's key.
func (o Outcome) MarshalText() ([]byte, error) { return outcomeKeys.Marshal(o) }

// UnmarshalText reads an outcome's key.
func (o *Outcome) UnmarshalText(text []byte) error { return outcomeKeys.Unmarshal(o, text) }

// Question is a decision that the text gives to a named role.
type Question struct {
	// Key names the question, such as "intentional".
	Key string
	// Ask is the question in words.
	Ask string
	// Role is the least authority that may answer.
	Role   Role
	Clause string
	// Answers are those the book allows. Order questions have none: their
	// answer is the order of the cards.
	Answers []Answer
}

// Answer is one permitted answer to a question and what it leads to.
type Answer struct {
	Key    string  `json:"key"`
	Then   Outcome `json:"then"`
	Clause string  `json:"clause"`
}

// Case is one row of an incident's table: when all conditions hold and the ruling
// it depends on has the value it names, the outcome follows.
type Case struct {
	When   []Condition
	Then   Outcome
	Clause string
	// Question is put when Then is Ask.
	Question *Question
	// Ruling and Choice make the case one of a ruling's value; zero: of any.
	Ruling Ruling
	Choice Choice
	// AtOnce says that the text ends the round while it is being dealt: no
	// second person is waited for.
	AtOnce bool
}

// Under returns the case as one that holds only where a ruling has the value.
func (c Case) Under(r Ruling, value Choice) Case {
	c.Ruling, c.Choice = r, value
	return c
}

// WithoutDelay returns the case as one that is carried out at once.
func (c Case) WithoutDelay() Case {
	c.AtOnce = true
	return c
}

// IncidentRule is the rule of a book for an incident: the first case whose conditions
// hold decides, so the order of the cases is the order in which the clauses apply.
type IncidentRule struct {
	Incident Incident
	Cases    []Case
	// Earlier is the provision by which it comes too late for a round before
	// this one; empty: the book's general one.
	Earlier string
}

// Provide makes an incident's table of its cases.
func Provide(i Incident, cases ...Case) IncidentRule {
	return IncidentRule{Incident: i, Cases: cases}
}

// TooLate names the provision by which the incident changes nothing any more
// once the next round has begun.
func (r IncidentRule) TooLate(clause string) IncidentRule {
	r.Earlier = clause
	return r
}

// Then makes the case in which the outcome follows when all conditions hold.
func Then(o Outcome, clause string, when ...Condition) Case {
	return Case{When: when, Then: o, Clause: clause}
}

// AskIf makes the case in which a question is put when all conditions hold.
func AskIf(q *Question, when ...Condition) Case {
	return Case{When: when, Then: Ask, Clause: q.Clause, Question: q}
}

// Reply makes a permitted answer.
func Reply(key string, then Outcome, clause string) Answer {
	return Answer{Key: key, Then: then, Clause: clause}
}
