package us3cp

import "trey/rules"

// rulings are the questions that the text leaves open and an operator may settle, with
// the clauses concerned.
var rulings = []rules.OpenRuling{
	rules.Open(rules.OutcomeEstablished, "irregularities.2"),
	rules.Open(rules.Interruption, "irregularities.2"),
	rules.Open(rules.OptionUnanswered, "irregularities.2"),
	rules.Open(rules.SilentIrregularity, "irregularities.2"),
	rules.Open(rules.AbsentPlayer, "rules.3"),
	rules.Open(rules.ExamineOwnBoxes, "rules.2"),
	rules.Open(rules.AdjacentBoxes, "dealing.1d"),
	rules.Open(rules.OutsideLimits, "objective", "ways.3", "amounts.ante", "amounts.pair-plus"),
	rules.Open(rules.AmountsWithoutChips, "objective", "equipment.chips"),
}

// readings are the open points without a list of values.
var readings = []rules.Reading{
	rules.Read("final_decision", "rules.3", "rules.4", "dealing.4"),
	rules.Read("play_unseen", "rules.2", "rules.3"),
	rules.Read("withdrawn_after_the_call", "dealing.2"),
	{
		Key: "forfeit_per_box", Clauses: []string{"dealing.1d", "dealing.4"},
		Question: "A player has two boxes and folds one: does the other forfeit its bets as well?",
		Fixed:    "no: each box has its own decision",
	},
	rules.Read("left_while_betting", "rules.3", "dealing.2"),
	rules.Read("pairplus_after_fold", "dealing.4"),
	rules.Read("ante_bonus_after_fold", "rules.13"),
	rules.Read("standing_players", "dealing.1"),
	rules.Read("earlier_round", "irregularities.2"),
	{
		Key: "us_ranking", Clauses: []string{"rules.9"},
		Question: "The order of hands is announced and is not there. Which is it?",
		Fixed:    "that of 3 Card Poker (rws-3cp) and of Three Card Poker with Bonus (sm-3cp)",
	},
	{
		Key: "wrong_count", Clauses: []string{"irregularities.1", "irregularities.2"},
		Question: "What of a hand with a wrong number of cards, any hand and any number?",
		Fixed:    "every hand is void and the cards are reshuffled",
	},
	rules.Read("advised_low_bet", "amounts.ante"),
	{
		Key: "play_limits", Clauses: []string{"amounts.ante", "amounts.play", "rules.5"},
		Question: "May the limits of Ante and Play differ?",
		Fixed:    "no: a Play bet equals the Ante exactly, so the limits of the Ante are those of the Play bet",
	},
	rules.Read("unequal_play", "rules.5", "ways.3"),
	{
		Key: "late_wrong_count", Clauses: []string{"irregularities.2"},
		Question: "Until when does a wrong number of cards void the round?",
		Fixed:    "until the bets of the next round are opened: the text sets no limit, and an error found after that changes nothing",
	},
	{
		Key: "collected_bets", Clauses: []string{"dealing.5", "irregularities.2"},
		Question: "A wrong number of cards is found after the forfeited bets were collected: what of them?",
		Fixed:    "they go back as well: all hands are void, and a folded hand is one of them",
	},
	{
		Key: "exposed_card", Clauses: []string{"dealing.3", "irregularities.2"},
		Question: "A card is exposed by mistake, such as the bottom card: what of the round?",
		Fixed:    "the ruling silent_irregularity decides: the text forbids it and attaches nothing to it",
	},
	{
		Key: "foreign_card", Clauses: []string{"equipment.cards"},
		Question: "A card of the other deck, or any foreign card, is found: what of the round?",
		Fixed:    "the ruling silent_irregularity decides: the text names the two decks and no consequence",
	},
	{
		Key: "dealing_device", Clauses: []string{"dealing.2", "dealing.3"},
		Question: "What are the cards dealt from?",
		Fixed:    "a shuffler, or the dealer's hand, in packets of three: the text names no device and has stacks dispensed, which a shoe does not do",
	},
}
