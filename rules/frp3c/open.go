package frp3c

import "trey/rules"

// rulings are the questions that the text leaves open and an operator may settle, with
// the clauses concerned.
var rulings = []rules.OpenRuling{
	rules.Open(rules.OutcomeEstablished, "8", "15"),
	rules.Open(rules.Interruption, "8", "15"),
	rules.Open(rules.OptionUnanswered, "8", "15"),
	rules.Open(rules.SilentIrregularity, "8", "20"),
	rules.Open(rules.AbsentPlayer, "24"),
	rules.Open(rules.UnrevealedHand, "49", "57"),
	rules.Open(rules.OutsideLimits, "14"),
	rules.Open(rules.TurnedAfterDeal, "18"),
	rules.Open(rules.PairPlusAfterFold, "26", "50", "56"),
	rules.Open(rules.AnteBesideBonus, "36", "37", "38", "43", "47", "48"),
	rules.Open(rules.EarlyLook, "21", "31", "35"),
}

// readings are the open points without a list of values.
var readings = []rules.Reading{
	rules.Read("boxes", "12"),
	rules.Read("final_decision", "24", "25", "27"),
	rules.Read("play_unseen", "24"),
	rules.Read("withdrawn_after_the_call", "15"),
	rules.Read("left_while_betting", "15", "24"),
	rules.Read("earlier_round", "8"),
	rules.Read("unequal_play", "27"),
	rules.Read("advised_low_bet", "14"),
	{
		Key: "order_of_combinations", Clauses: []string{"31", "33", "34", "43", "46", "47", "48", "50", "51", "52", "53", "54", "55"},
		Question: "The text orders the cards and not the combinations. Which is the order of the combinations?",
		Fixed:    "that of the scales: 43 pays a straight or better, and of what 52 to 55 pay it leaves out the flush alone; 50 pays a pair or better; and each scale of three rises from the straight to three of a kind to the straight flush",
	},
	{
		Key: "ace_two_three", Clauses: []string{"23", "34"},
		Question: "The Ace is the highest card: is A-2-3 a straight, and which?",
		Fixed:    "yes, the lowest: a straight is cards in sequence in every poker game, in which the Ace also stands below the two; its highest card is then the three",
	},
	{
		Key: "limits_of_a_player", Clauses: []string{"14"},
		Question: "The amount of the bets lies between minimum and maximum for each player: does this hold for each bet or for all bets of a player together?",
		Fixed:    "for each bet: the layout has an area for each, and a Play bet equals the Ante even where that is at the maximum",
	},
	{
		Key: "pair_plus_beside_an_ante", Clauses: []string{"50", "56"},
		Question: "May a player bet on Pair Plus alone?",
		Fixed:    "no: it takes an additional stake, above the area of the initial one",
	},
	{
		Key: "bonus_after_a_fold", Clauses: []string{"26", "43"},
		Question: "Does folding lose the Bonus bet?",
		Fixed:    "yes: the Bonus is for a player who has gone on",
	},
	{
		Key: "unqualified_high_hand", Clauses: []string{"30", "36"},
		Question: "The dealer does not qualify and a player has three of a kind or a straight flush: what is the Ante paid?",
		Fixed:    "even money: 30 says always, and 36 speaks of a hand that has won a comparison",
	},
	{
		Key: "claim_where_cards_are_known", Clauses: []string{"49", "57"},
		Question: "The house knows the cards when the dealer does not qualify: must a player still announce a winning hand?",
		Fixed:    "no: the program announces it for the player and turns these cards alone; where the cards are not known, the dealer turns those that are announced",
	},
	{
		Key: "talk_until_the_dealers_hand", Clauses: []string{"20", "24", "28"},
		Question: "Until when does talk about hands void the round?",
		Fixed:    "until the dealer's hand is turned: after that no player has a decision left; that it came before can be noticed until the bets of the next round are opened",
	},
	{
		Key: "folded_pair_plus_claim", Clauses: []string{"25", "26", "57"},
		Question: "The house lets a folded box keep Pair Plus and the dealer does not qualify: must its player announce a winning hand?",
		Fixed:    "no: the dealer has the cards, spreads them by 26 and turns the hand",
	},
	{
		Key: "void_hand_in_the_deal", Clauses: []string{"16", "21"},
		Question: "A hand is void while cards are still dealt: does it get its other cards?",
		Fixed:    "no: a void hand is out of the round, and the next card goes to the next hand; only where the early look loses its bets is it dealt to the end",
	},
	{
		Key: "deck_face_up", Clauses: []string{"5", "17", "18"},
		Question: "A card lies face up in the deck and is dealt so: is it burnt or turned down?",
		Fixed:    "turned down: it is an exposed card of the deal; one that comes off the deck before its turn is burnt",
	},
	{
		Key: "count_after_payment", Clauses: []string{"20"},
		Question: "Until when does a wrong number of cards void the round?",
		Fixed:    "until the bets of the next round are opened: the text sets no limit, and an error found after that changes nothing",
	},
}
