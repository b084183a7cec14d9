package us3cp

import "trey/rules"

// clauses is the register of Three Card Poker as a United States house deals it
// (`us-3cp`).
// The text numbers its provisions within each heading or not at all, so an id
// is the heading and the item.
// The summaries are ours and replace the text nowhere.
var clauses = []rules.Clause{
	{
		ID: "objective", Kind: rules.Definition,
		Summary: "Two games are on offer: Ante against the dealer's hand, and Pair Plus on " +
			"the player's own cards. Each may be played alone or with the other, in amounts " +
			"chosen separately within the posted limits.",
	},
	{
		ID: "rules.1", Kind: rules.Executable,
		Summary: "A player takes part with an Ante, a Pair Plus bet, or both.",
	},
	{
		ID: "rules.2", Kind: rules.Executable,
		Summary: "Every player and the dealer get three cards, the dealer's face down; a " +
			"player may look at their own.",
	},
	{
		ID: "rules.3", Kind: rules.Executable,
		Summary: "A box with an Ante must be folded or raised.",
	},
	{
		ID: "rules.4", Kind: rules.Executable,
		Summary: "Folding costs the Ante.",
	},
	{
		ID: "rules.5", Kind: rules.Executable,
		Summary: "Raising takes a Play bet of exactly the Ante's amount.",
	},
	{
		ID: "rules.6", Kind: rules.Executable,
		Summary: "Then the dealer's cards are turned face up.",
	},
	{
		ID: "rules.7", Kind: rules.Executable,
		Summary: "The dealer qualifies with queen high or anything better: Q-3-2 does, J-10-8 " +
			"does not.",
	},
	{
		ID: "rules.8", Kind: rules.Executable,
		Summary: "Against a dealer who does not qualify, the Ante wins 1 to 1 and the Play " +
			"bet comes back.",
	},
	{
		ID: "rules.9", Kind: rules.Executable,
		Summary: "Against a dealer who qualifies, the better three-card hand wins.",
	},
	{
		ID: "rules.10", Kind: rules.Executable,
		Summary: "A better hand than a qualified dealer's wins 1 to 1 on Ante and Play.",
	},
	{
		ID: "rules.11", Kind: rules.Executable,
		Summary: "A worse hand than a qualified dealer's loses Ante and Play.",
	},
	{
		ID: "rules.12", Kind: rules.Executable,
		Summary: "A hand equal to a qualified dealer's gets Ante and Play back.",
	},
	{
		ID: "rules.13", Kind: rules.Executable,
		Summary: "An Ante with a straight or better earns the Ante Bonus, whatever the dealer " +
			"holds.",
	},
	{
		ID: "equipment", Kind: rules.Procedure,
		Summary: "The floor provides a casino gaming table with the layout of this game, a " +
			"discard rack and two cut cards.",
		Where: "`trey rules` lists them with the book; nothing in the software depends on " +
			"them",
	},
	{
		ID: "equipment.cards", Kind: rules.Executable,
		Summary: "Two distinguishable decks of 52 cards belong to the table; a round is dealt " +
			"from one of them.",
	},
	{
		ID: "equipment.chips", Kind: rules.Executable,
		Summary: "The chips are of $1, $2, $3, $4, $5 and $25, so a wager is a whole number " +
			"of dollars.",
	},
	{
		ID: "ways.1", Kind: rules.Definition,
		Summary: "Overview of how Ante, Play and Ante Bonus end: it gathers what rules.4, " +
			"rules.8, rules.10, rules.11 and rules.13 decide.",
	},
	{
		ID: "ways.2", Kind: rules.Executable,
		Summary: "Pair Plus wins if the player's own three cards hold a pair or better, " +
			"whatever the dealer holds.",
	},
	{
		ID: "ways.3", Kind: rules.Executable,
		Summary: "With Ante and Pair Plus together, the two amounts may differ and each pays " +
			"by its own table. A player who then does not place Play, which equals the Ante, " +
			"loses both.",
	},
	{
		ID: "ways.side-bets", Kind: rules.Procedure,
		Summary: "Players may not bet against each other.",
		Where: "the software takes only the wagers of the book, each of them against the " +
			"house, and moves no money between players",
	},
	{
		ID: "dealing.1", Kind: rules.Definition,
		Summary: "Heading of the ways to wager, within the posted limits, before the deal.",
	},
	{
		ID: "dealing.1a", Kind: rules.Executable,
		Summary: "An Ante on its spot opens the game against the dealer, as rules.1 provides.",
	},
	{
		ID: "dealing.1b", Kind: rules.Executable,
		Summary: "A Pair Plus bet on its spot opens the game on the hand's value, as rules.1 " +
			"provides.",
	},
	{
		ID: "dealing.1c", Kind: rules.Executable,
		Summary: "Both bets on their spots open both games, as rules.1 provides.",
	},
	{
		ID: "dealing.1d", Kind: rules.Executable,
		Summary: "The casino may let a player bet on two boxes in the same round, if they lie " +
			"next to each other.",
	},
	{
		ID: "dealing.2", Kind: rules.Executable,
		Summary: "The dealer calls \"No more bets\" before the first packet leaves the " +
			"device, and names the positions that have no Pair Plus bet.",
	},
	{
		ID: "dealing.3", Kind: rules.Executable,
		Summary: "Three cards go face down to each player, from the dealer's left to the " +
			"dealer's right, and three to the dealer. The bottom card must not be seen.",
	},
	{
		ID: "dealing.4", Kind: rules.Executable,
		Summary: "A player who has looked at the hand either places a Play bet equal to the " +
			"Ante or folds the Ante; with Pair Plus beside it, folding loses that too.",
	},
	{
		ID: "dealing.5", Kind: rules.Executable,
		Summary: "When every player has placed Play or folded, the dealer takes in the folded " +
			"cards and the wagers lost with them.",
	},
	{
		ID: "dealing.6", Kind: rules.Display,
		Summary: "The dealer sorts the dealer's hand from the highest card down and says " +
			"whether it plays or not.",
		Where: "announced in the transcript and on the terminal play screen, with the " +
			"dealer's cards in that order",
	},
	{
		ID: "dealing.7", Kind: rules.Executable,
		Summary: "Hands still in are settled one by one from the dealer's right. At each one " +
			"the order is Play, Ante Bonus, Ante, Pair Plus.",
	},
	{
		ID: "irregularities.1", Kind: rules.Definition,
		Summary: "Heading of the case of a hand with a wrong number of cards.",
	},
	{
		ID: "irregularities.2", Kind: rules.Executable,
		Summary: "If any hand, a player's or the dealer's, was dealt too few or too many " +
			"cards, the whole round is void, every hand of it, and the deck is shuffled anew.",
	},
	{
		ID: "wagers", Kind: rules.Executable,
		Summary: "Ante, Play and Pair Plus are the only wagers.",
	},
	{
		ID: "amounts.ante", Kind: rules.Executable,
		Summary: "An Ante is at least $2 and at most $10.",
	},
	{
		ID: "amounts.play", Kind: rules.Executable,
		Summary: "A Play bet is at least $2 and at most $10.",
	},
	{
		ID: "amounts.pair-plus", Kind: rules.Executable,
		Summary: "A Pair Plus bet is at least $2 and at most $10.",
	},
	{
		ID: "pays.pair-plus", Kind: rules.Executable,
		Summary: "Pair Plus pays 40 to 1 on a straight flush, 30 to 1 on three of a kind, 5 " +
			"to 1 on a straight, 3 to 1 on a flush and 1 to 1 on a pair.",
	},
	{
		ID: "pays.ante-bonus", Kind: rules.Executable,
		Summary: "The Ante Bonus pays 4 to 1 on a straight flush, 3 to 1 on three of a kind " +
			"and 1 to 1 on a straight.",
	},
	{
		ID: "pays.play", Kind: rules.Executable,
		Summary: "A winning Play bet pays 1 to 1.",
	},
}
