package table

import (
	"slices"

	"trey/rules"
)

// This file holds the words for incidents, conditions and outcomes. The narration,
// docs/incidents.md and the pages of the rules all use these.

// IncidentWords returns an incident as part of a sentence.
func IncidentWords(i rules.Incident) string { return incidentWords[i] }

// ConditionWords returns the fact that a condition stands for, as part of a sentence.
func ConditionWords(c rules.Condition) string { return conditionWords[c] }

// OutcomeWords returns an outcome as a sentence without its full stop.
func OutcomeWords(o rules.Outcome) string { return outcomeWords[o] }

// SecondPerson returns the role that confirms the facts of a report that a case decides,
// as [State.needsConfirmation] asks for it. A report that contradicts the record is
// confirmed whatever it leads to.
func SecondPerson(i rules.Incident, c *rules.Case) string {
	switch {
	case i == rules.CardMisread:
		return "a second person"
	case i == rules.HandTouched:
		return "a second person, if a card has been seen"
	case i == rules.DrawnTogether && slices.Contains(c.When, rules.OrderKnown):
		return "a second person, if one of the cards lies open"
	case c.AtOnce:
		return "nobody: it is carried out at once"
	case c.Then.MovesMoney() && i == rules.WalkedAway:
		return "a second person, if the player is active or a card has been seen"
	case c.Then.MovesMoney():
		return "a second person, if a card has been seen"
	case c.Then == rules.Ask:
		return "whoever answers; once a card has been seen not the reporter, unless somebody else has confirmed the facts"
	}
	return "nobody"
}

var conditionWords = map[rules.Condition]string{
	rules.NobodyLooked:        "no player has seen cards dealt to them",
	rules.SomebodyLooked:      "a player has seen cards dealt to them",
	rules.NobodyHandled:       "no player has handled a hand",
	rules.OneExposed:          "a card was turned over by mistake",
	rules.TwoExposed:          "two cards or more were turned over by mistake",
	rules.FirstCardByHand:     "it is the first card from a shoe",
	rules.BurnDealt:           "the burn card was dealt to a hand",
	rules.Misplaced:           "a card lies elsewhere than the order of the deal sends it",
	rules.HandsMovable:        "moving complete hands puts the deal right",
	rules.CardsRestorable:     "the cards can be put back in their intended order",
	rules.CardsLost:           "the cards cannot be put back in their intended order",
	rules.DealerCount:         "the dealer's hand has too few or too many cards",
	rules.HandCount:           "a player's hand has too few or too many cards",
	rules.OthersMisplaced:     "a hand of three holds a card that was meant for another hand",
	rules.ViewedHandCount:     "a hand that its player has examined, or that lies face up, has too few or too many cards",
	rules.CountWrong:          "the number counted is not 52",
	rules.Doubted:             "the number of cards was in doubt",
	rules.Established:         "a wager has certainly won or lost",
	rules.Brief:               "the stop was shorter than the grace",
	rules.NoRound:             "no round is in progress",
	rules.NothingToDecide:     "the player has nothing left to decide",
	rules.NothingToFold:       "the player has no hand left to play or fold",
	rules.WhileDealing:        "cards are still to be dealt",
	rules.OnlyBurnExposed:     "of all cards the burn card alone was turned over by mistake",
	rules.FoldedHand:          "the hand concerned has been folded",
	rules.MisplacedBesideBurn: "the burn card was dealt to a hand, and cards lie wrong beyond that which no complete hands moved put right",
	rules.OrderKnown:          "the order in which the cards lay is known",
	rules.LookedAt:            "the player looked at the cards",
	rules.OwnHand:             "the hand is the player's own",
	rules.DevicesOnly:         "only betting devices have failed, and the jackpot's system has not",
}

var incidentWords = map[rules.Incident]string{
	rules.ForeignCard:           "a card that does not belong to the deck",
	rules.DeckCount:             "the deck was counted",
	rules.InsufficientCards:     "too few cards to complete the round",
	rules.Unshuffled:            "the cards were not shuffled",
	rules.CardExposed:           "a card was exposed by mistake",
	rules.CardFaceUp:            "a card lay face up in the device",
	rules.DrawnTogether:         "cards were drawn together",
	rules.DealtIncorrectly:      "cards were dealt to the wrong places",
	rules.WrongCount:            "a hand has a wrong number of cards",
	rules.BurnMissed:            "the burn card was not discarded",
	rules.DealingError:          "an error in the deal",
	rules.Misdeal:               "the cards were dealt wrongly",
	rules.CountDoubted:          "the number of cards is doubted",
	rules.SecondHand:            "a player examined an additional hand",
	rules.WalkedAway:            "a player walked away",
	rules.LateBet:               "a bet was placed or increased too late, or lies where it may not",
	rules.LateWithdrawal:        "a bet was taken back too late",
	rules.Mispaid:               "a wager was paid too much or too little",
	rules.HandsDiscussed:        "players told each other what they hold",
	rules.ProgressiveDown:       "the progressive is out of order",
	rules.TechnicalInterruption: "a technical interruption",
	rules.HandTouched:           "a player touched a hand without examining it as the rules let them",
	rules.CardMisread:           "a card that lies open was entered wrongly",
	rules.Uncovered:             "something that the rules do not provide for",
}

var outcomeWords = map[rules.Outcome]string{
	rules.Continue:           "The round goes on",
	rules.Void:               "The round is to be void",
	rules.TurnDown:           "The card is turned face down and the round goes on",
	rules.MoveHands:          "Whole hands are moved to where they belong",
	rules.Invalidate:         "The hand leaves the round",
	rules.OfferAffected:      "The players concerned may choose",
	rules.OfferAll:           "Every player may choose",
	rules.OfferWithdrawal:    "Every player may take their wagers back",
	rules.Ask:                "Somebody has to decide",
	rules.FoldUndecidedHands: "Hands not yet decided are folded, all other bets are settled",
	rules.KeepRegistered:     "The round goes on, with the jackpot as it was registered",
	rules.CountCards:         "The cards are counted",
	rules.RestoreAndOfferAll: "The cards are put in order and every player may choose",
	rules.NotHonoured:        "The bet is not honoured",
	rules.TakeBack:           "The player takes their wagers back",
	rules.Stands:             "Bets and results stand as they are",
	rules.OptionsLapse:       "The player's options count as unanswered",
	rules.Adjust:             "A difference is adjusted on the account of the player",
	rules.Remedy:             "What is done is listed",
	rules.PayDifference:      "The difference is collected or paid",
}
