package sm3cp

import "trey/rules"

// rulings are the questions that the text leaves open and an operator may settle, with
// the clauses concerned.
var rulings = []rules.OpenRuling{
	rules.Open(rules.EnvyOwnBoxes, "bonus.10d"),
	rules.Open(rules.EnvyFromFolded, "bonus.10b", "bonus.10c"),
	rules.Open(rules.OutcomeEstablished, "bonus.8"),
	rules.Open(rules.Interruption, "bonus.8"),
	rules.Open(rules.OptionUnanswered, "bonus.8"),
	rules.Open(rules.BonusAfterFold, "ways.3", "bonus.9", "bonus.10"),
	rules.Open(rules.SilentIrregularity, "bonus.8"),
	rules.Open(rules.AbsentPlayer, "ways.1"),
	rules.Open(rules.ExamineOwnBoxes, "ways.1"),
	rules.Open(rules.EnvyTwoBets, "bonus.7", "bonus.10c", "bonus.10e"),
	rules.Open(rules.OutsideLimits, "ways.3", "bonus.5", "bonus.6"),
	rules.Open(rules.BonusBesidePairPlus, "bonus.6"),
}

// readings are the open points without a list of values.
var readings = []rules.Reading{
	rules.Read("sm_pay_tables", "ways.1", "ways.2"),
	rules.Read("sm_bonus_table", "bonus.3", "bonus.4"),
	{
		Key: "short_dealer_hand", Clauses: []string{"ways.1", "ways.2", "bonus.8"},
		Question: "The dealer's hand has fewer than three cards and gets no more: what can the shift manager decide?",
		Fixed:    "a void round only: it cannot be shown or compared, and a card given later would not come from the deal",
	},
	rules.Read("final_decision", "ways.1"),
	rules.Read("play_unseen", "ways.1"),
	rules.Read("withdrawn_after_the_call", "bonus.8"),
	rules.Read("left_while_betting", "ways.1"),
	rules.Read("pairplus_after_fold", "ways.3"),
	rules.Read("ante_bonus_after_fold", "ways.1", "ways.3"),
	{
		Key: "equal_hands", Clauses: []string{"ways.1"},
		Question: "What of hands of equal rank, when the dealer plays?",
		Fixed:    "Ante and Play go back: they win or lose only where one hand beats the other",
	},
	rules.Read("standing_players", "bonus.6"),
	rules.Read("order_of_boxes", "bonus.9"),
	rules.Read("earlier_round", "bonus.8"),
	rules.Read("advised_low_bet", "ways.3"),
	{
		Key: "sm_envy_hands", Clauses: []string{"bonus.3", "bonus.10c"},
		Question: "Which hands bring an Envy Bonus, and how much?",
		Fixed:    "the three rows that have a sum in the printed table, at that sum whatever the bet",
	},
	rules.Read("unequal_play", "ways.1", "ways.3"),
	{
		Key: "card_irregularities", Clauses: []string{"intro", "bonus.8"},
		Question: "A hand has a wrong number of cards, a card is exposed, dealt wrongly or foreign: what of the round?",
		Fixed:    "the ruling silent_irregularity decides: bonus.8 refers to the house's procedures, and the text has none of them",
	},
	{
		Key: "envy_without_bonus", Clauses: []string{"bonus.10b", "bonus.10c"},
		Question: "Does a hand without a Bonus bet bring the others an Envy Bonus?",
		Fixed:    "yes: bonus.10c asks for the bet only of the players who are paid",
	},
	{
		Key: "lammer_without_envy", Clauses: []string{"bonus.4", "bonus.7"},
		Question: "Is an Envy lammer placed under a pay table without Envy Bonus?",
		Fixed:    "no: it marks a claim to an Envy Bonus, and these tables pay none",
	},
	{
		Key: "envy_lammer", Clauses: []string{"bonus.7", "bonus.9a"},
		Question: "What is the marker beside a Bonus bet here?",
		Fixed:    "a mark on the screen beside the bet until every Bonus bet is settled",
	},
}
