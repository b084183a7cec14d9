package mbs3pictures

import "trey/rules"

// rulings are the questions that the text leaves open and an operator may settle, with
// the clauses concerned.
var rulings = []rules.OpenRuling{
	rules.Open(rules.OutcomeEstablished, "5.13.1", "5.13.2"),
	rules.Open(rules.OptionUnanswered, "5.7", "5.13.1"),
	rules.Open(rules.TiePointTotal, "1.1.6", "3.17.1.1", "3.19"),
	rules.Open(rules.WithdrawalBy, "5.7"),
	rules.Open(rules.WithdrawalUntil, "1.1.3", "5.7"),
	rules.Open(rules.FirstPlayerLeft, "3.10", "3.14"),
	rules.Open(rules.SideWagerFirst, "3.4", "3.5", "3.10"),
	rules.Open(rules.LimitsPer, "3.4", "5.10", "5.11"),
	rules.Open(rules.LowWagersInRound, "5.10"),
	rules.Open(rules.FoundAfterPayment, "1.1.3", "5.1", "5.1.2", "5.9"),
	rules.Open(rules.UnlookedHand, "3.7", "3.13", "3.14", "3.15"),
	rules.Open(rules.MainWithdrawn, "3.5", "5.3", "5.7", "5.13.1"),
	rules.Open(rules.SideWagersOpen, "3.5"),
	rules.Open(rules.LowStandoff, "1.1.5", "5.10"),
	rules.Open(rules.DealerCountLate, "1.1.3", "5.1.2", "5.9"),
	rules.Open(rules.TurnedAfterDeal, "5.8", "6.1"),
}

// readings are the open points without a list of values.
var readings = []rules.Reading{
	rules.Read("interruption_grace", "5.13"),
	rules.Read("six_pays_half_rounding", "4.1"),
	rules.Read("boxes", "appendix.A"),
	{
		Key: "restricted_later", Clauses: []string{"3.8", "3.9.1"},
		Question: "The Pit Manager restricts a player or the wagers on an area when more lie there already: do those stand?",
		Fixed:    "yes: they were permitted when they were placed, and the restriction holds for what comes after",
	},
	{
		Key: "low_wager_noticed_late", Clauses: []string{"3.4", "5.10"},
		Question: "A wager below the minimum is noticed after the call and before the outcome: does it stand?",
		Fixed:    "yes: it is settled this one time, as if it had been noticed with the outcome",
	},
	{
		Key: "no_hand_at_a_wager", Clauses: []string{"5.6", "6.1"},
		Question: "A position with a wager got no hand, and cards have been handled: how is the round concluded?",
		Fixed:    "the shift manager decides about that position: without cards it cannot be played to a conclusion",
	},
	rules.Read("moved_hands", "5.4"),
	rules.Read("order_of_boxes", "3.16"),
	{
		Key: "picture_pair", Clauses: []string{"1.1.4.1"},
		Question: "What is a pair of picture cards?",
		Fixed:    "two of the same rank: any other reading would leave nothing for 1.1.4.2.2 and 1.1.4.2.3",
	},
	{
		Key: "dealer_wrong_count", Clauses: []string{"5.5", "5.6", "5.9"},
		Question: "The dealer's hand is found to have too few or too many cards after a player has looked at their own: what of the round?",
		Fixed:    "it is void under 5.9: without a dealer's hand of three no wager can be decided, and 5.6 plays out only a deal that can be",
	},
	{
		Key: "blind_wrong_count", Clauses: []string{"5.5", "6.1"},
		Question: "A hand that nobody has looked at is found to have too few or too many cards, while another player has looked at theirs: what of it?",
		Fixed:    "the shift manager decides: 5.5 speaks only of a hand that its player has viewed, or has open before them",
	},
	rules.Read("advised_low_bet", "3.4", "5.10"),
	{
		Key: "low_wager_once", Clauses: []string{"5.10"},
		Question: "The round of a wager below the minimum is void, its hand is removed or it is withdrawn: was that the one time that it is settled?",
		Fixed:    "no: 5.10 speaks of an outcome, and what went back had none",
	},
	{
		Key: "wrong_deal_after_payment", Clauses: []string{"1.1.3", "5.4", "5.6", "5.8"},
		Question: "Hands of three that were dealt to the wrong places, or a card that was exposed, are noticed after the payment: does the round stand?",
		Fixed:    "yes: these clauses say how a round goes on, and the payment ends it; only a wrong number of cards reaches further",
	},
	{
		Key: "low_main_returned", Clauses: []string{"3.5", "5.10"},
		Question: "The only main wager of a position goes back under 5.10 at the settlement: what of the Tie and Royal Pictures wagers there?",
		Fixed:    "they are settled: the position held a main wager when they were placed and while the hand was played",
	},
	{
		Key: "turned_over_later", Clauses: []string{"5.8", "5.8.1"},
		Question: "The first card from the shoe came out face down and was turned over by mistake later: is the round void?",
		Fixed:    "no: 5.8.1 speaks of a card that is dealt exposed, so this one is turned back and the deal goes on, as 5.8 has it",
	},
}
