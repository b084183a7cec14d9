package rws3cp

import "trey/rules"

// rulings are the questions that the text leaves open and an operator may settle, with
// the clauses concerned.
var rulings = []rules.OpenRuling{
	rules.Open(rules.EnvyWhenFolded, "3.12.1", "4.4", "4.7"),
	rules.Open(rules.EnvyPer, "4.7"),
	rules.Open(rules.EnvyOwnBoxes, "4.7"),
	rules.Open(rules.EnvyFromFolded, "4.7"),
	rules.Open(rules.JackpotStake, "4.4"),
	rules.Open(rules.AnteBonusOnStandoff, "1.21", "3.15.3", "3.16"),
	rules.Open(rules.BurnWithShuffler, "1.4", "3.10", "3.11"),
	rules.Open(rules.OutcomeEstablished, "5.7", "5.7.1", "5.7.2"),
	rules.Open(rules.OptionUnanswered, "5.10"),
	rules.Open(rules.UnseenWrongCount, "5.8.6", "5.15"),
	rules.Open(rules.FoldBeforeDeal, "5.5", "5.7.1"),
	rules.Open(rules.PaidJackpotStands, "5.8", "5.8.7", "5.15", "5.23"),
	rules.Open(rules.FoundAfterPayment, "1.18", "5.8", "5.8.1", "5.8.3", "5.8.5", "5.9"),
	rules.Open(rules.MovedHandsOptions, "5.8.6", "5.10"),
	rules.Open(rules.FoldedOptions, "5.9", "5.14.1"),
	rules.Open(rules.ExposedAfterDeal, "5.8.2", "5.10", "5.12"),
	rules.Open(rules.LowProgressive, "3.4", "5.2.1", "5.20"),
	rules.Open(rules.SecondHitDown, "1.15", "4.9.1", "5.17.1"),
	rules.Open(rules.UnrevealedHand, "4.5"),
	rules.Open(rules.UnrevealedUnqualified, "3.13", "4.5"),
	rules.Open(rules.UnrevealedEnvy, "4.5", "4.7"),
	rules.Open(rules.FoldedAffected, "3.12.1", "5.10", "5.10.3"),
	rules.Open(rules.SecondHandFolded, "1.8", "3.12.1", "5.18"),
	rules.Open(rules.ExposedBurn, "1.4", "3.10", "5.8.2", "5.10", "5.12"),
	rules.Open(rules.DrawnInOrder, "5.14", "5.14.1"),
	rules.Open(rules.SettledOptions, "1.18", "5.10"),
	rules.Open(rules.UnseenCountPutRight, "5.8.6", "5.8.7", "5.10", "5.15"),
	rules.Open(rules.DealersHandAffects, "3.6.2", "5.10"),
	rules.Open(rules.DeviceFailure, "1.15", "5.16", "5.17", "5.17.1").Later(2, rules.RegisteredValue),
}

// readings are the open points without a list of values.
var readings = []rules.Reading{
	rules.Read("jackpot_terms", "1.15", "3.3"),
	rules.Read("interruption_grace", "5.7"),
	rules.Read("boxes", "2.1.1a"),
	{
		Key: "reconstructable_by_fact", Clauses: []string{"1.17", "5.8.7", "5.15"},
		Question: "Who says whether the cards of a wrong number can be put back?",
		Fixed:    "the report, as a fact: unless it says that the order is lost, the order in which the cards were recorded holds",
	},
	{
		Key: "put_right_after_payment", Clauses: []string{"1.17", "5.8.7", "5.10", "5.15", "5.23"},
		Question: "A wrong number of cards is noticed after the payment, and the cards could be put back: what of the round?",
		Fixed:    "the shift manager decides: 5.8.7 and 5.15 speak of cards that cannot be put back, and the options of 5.10 of a hand that goes on",
	},
	{
		Key: "play_beside_excess", Clauses: []string{"1.12", "3.12.2", "5.1.1", "5.3.1"},
		Question: "An Ante above the maximum is found once the bets are closed, and the player plays: how much is the Play bet?",
		Fixed:    "as much as lies on the Ante: of each the part above the maximum comes back",
	},
	rules.Read("left_while_betting", "5.5"),
	{
		Key: "envy_pairplus_only", Clauses: []string{"4.8"},
		Question: "Does a box with Pair Plus alone ever bring an Envy Bonus?",
		Fixed:    "no, by the text",
	},
	{
		Key: "short_play", Clauses: []string{"1.12", "5.3.2"},
		Question: "What of a Play bet found at settlement to be smaller than the Ante?",
		Fixed:    "it is settled at its own size, where chips are found so on a physical layout; a Play bet made through the system always equals the Ante",
	},
	{
		Key: "excess_play", Clauses: []string{"1.12", "5.3.1"},
		Question: "What of a Play bet found to be larger than the Ante?",
		Fixed:    "the part above the Ante goes back, and the rest counts up to the maximum",
	},
	rules.Read("pairplus_after_fold", "3.12.1"),
	rules.Read("ante_bonus_after_fold", "1.2", "3.12.1", "3.16"),
	{
		Key: "blind_box_undecided", Clauses: []string{"3.7", "5.5"},
		Question: "What of a second box that its player neither saw nor played?",
		Fixed:    "it is folded",
	},
	{
		Key: "single_exposed_card", Clauses: []string{"5.8.2", "5.10", "5.12"},
		Question: "The dealer shows one card by mistake and nobody has looked at their own: which clause is it?",
		Fixed:    "5.10: its options go to the players affected, for 5.8.2 wants two cards and 5.12 a player who has looked",
	},
	{
		Key: "seen_means_examined", Clauses: []string{"5.8.2", "5.8.6", "5.9", "5.12", "5.16"},
		Question: `When has a player "seen the cards distributed" to them?`,
		Fixed:    "when somebody has examined a hand dealt to them, or a whole hand lies face up before its player; while cards are being dealt, one that was exposed to all does not count, or 5.8.2 would never apply",
	},
	rules.Read("moved_hands", "5.8.6"),
	rules.Read("order_of_boxes", "3.15"),
	{
		Key: "dealt_when_put_right", Clauses: []string{"1.9", "1.17", "4.9.1"},
		Question: "A hand got cards by being put right: when was it dealt, for the order of jackpots at several tables?",
		Fixed:    "when the last of its three cards was dealt, wherever that card lay then; the House can determine another order",
	},
	{
		Key: "reset_with_reserve", Clauses: []string{"1.15"},
		Question: "After a win, does what was kept above the ceiling replace part of the reset value or add to it?",
		Fixed:    "it adds to it: the house pays in the whole reset value, and the reserve goes on top as far as the ceiling allows",
	},
	{
		Key: "jackpot_paid_again", Clauses: []string{"1.15", "4.9.1", "5.10"},
		Question: "A jackpot that was paid is collected again for an error, and the hand takes it after all: what is it paid?",
		Fixed:    "what it was paid first: what bets have added since belongs to the jackpot that began then",
	},
	{
		Key: "returned_bet_contribution", Clauses: []string{"1.15", "5.4", "5.21"},
		Question: "What becomes of the contribution of a Progressive Jackpot bet that goes back to its player?",
		Fixed:    "it is taken back, first from what overflowed since the last win, then from the meter, which never falls below the reset value for it; the house makes good the rest, and the whole if the jackpot was paid since",
	},
	{
		Key: "found_while_down", Clauses: []string{"1.15", "5.17.1", "5.20"},
		Question: "A Progressive Jackpot bet that lay there at the call is found when the system has failed: what is it paid, and where does its contribution go?",
		Fixed:    "it is a bet like those that were counted, and is paid by what was registered, which its contribution does not change: that goes to what is kept above the ceiling, for the next jackpot",
	},
	rules.Read("advised_low_bet", "5.2", "5.2.1"),
}
