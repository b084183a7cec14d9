package sm3cp

import "trey/rules"

// clauses is the register of Three Card Poker with the Three Card Poker Bonus
// (`sm-3cp`).
// The text numbers only its second part, so an id is the heading and the item.
// The letters under bonus.10 begin with b, as they do there.
// The summaries are ours and replace the text nowhere.
var clauses = []rules.Clause{
	{
		ID: "intro", Kind: rules.Executable,
		Summary: "One ordinary deck of 52 cards is used, and the cards come from a shuffler " +
			"by Shuffle Master. A player may bet against the dealer, on the value of the " +
			"player's own hand, or on both.",
	},
	{
		ID: "ranking", Kind: rules.Executable,
		Summary: "From best to worst: straight flush, three of a kind, straight, flush, pair; " +
			"a straight beats a flush. Without a pair the highest cards decide, and the ace is " +
			"high except in 3-2-A.",
	},
	{
		ID: "ways.1", Kind: rules.Executable,
		Summary: "After looking, a player with an Ante folds and loses it, or places a Play " +
			"bet equal to it. A dealer below queen high pays the Ante 1 to 1 and returns Play; " +
			"otherwise the better hand takes both at 1 to 1. The Ante Bonus on the three best " +
			"kinds of hand does not depend on the dealer.",
	},
	{
		ID: "ways.2", Kind: rules.Executable,
		Summary: "Pair Plus wins if the player's own three cards hold a pair or better, " +
			"whatever the dealer holds.",
	},
	{
		ID: "ways.3", Kind: rules.Executable,
		Summary: "Ante and Pair Plus together may differ in amount, each between the table's " +
			"minimum and maximum, and each pays by its own table. A player who then does not " +
			"place Play, which equals the Ante, loses both.",
	},
	{
		ID: "ways.side-bets", Kind: rules.Procedure,
		Summary: "Players may not bet against each other.",
		Where: "the software takes only the wagers of the book, each of them against the " +
			"house, and moves no money between players",
	},
	{
		ID: "bonus.1", Kind: rules.Executable,
		Summary: "The Bonus is a side bet that nobody has to make.",
	},
	{
		ID: "bonus.2", Kind: rules.Executable,
		Summary: "The Bonus bet is judged by the rank of the player's own three cards alone.",
	},
	{
		ID: "bonus.3", Kind: rules.Executable,
		Summary: "Under the two tables with Envy Bonus, the hands that bring one are A-K-Q of " +
			"spades ($100), A-K-Q of another suit ($25) and any other straight flush ($5).",
	},
	{
		ID: "bonus.3.TCPB-03E", Kind: rules.Executable,
		Summary: "Table TCPB-03E pays 4,000 to 1 on A-K-Q of spades, 1,000 to 1 on A-K-Q of " +
			"another suit, 100 to 1 on another straight flush and 75 to 1 on three of a kind; a " +
			"straight loses. House advantage 19.59 %, hit frequency 0.45 %.",
	},
	{
		ID: "bonus.3.TCPB-04E", Kind: rules.Executable,
		Summary: "Table TCPB-04E pays 3,000 to 1 on A-K-Q of spades, 1,000 to 1 on A-K-Q of " +
			"another suit, 50 to 1 on another straight flush, 40 to 1 on three of a kind and 6 to " +
			"1 on a straight. House advantage 19.50 %, hit frequency 3.71 %.",
	},
	{
		ID: "bonus.4", Kind: rules.Executable,
		Summary: "Under the other two tables no Envy Bonus is paid.",
	},
	{
		ID: "bonus.4.TCPB-01", Kind: rules.Executable,
		Summary: "Table TCPB-01 pays 4,000 to 1 on A-K-Q of spades, 1,000 to 1 on A-K-Q of " +
			"another suit, 125 to 1 on another straight flush and 100 to 1 on three of a kind; a " +
			"straight loses. House advantage 19.46 %, hit frequency 0.45 %.",
	},
	{
		ID: "bonus.4.TCPB-02", Kind: rules.Executable,
		Summary: "Table TCPB-02 pays 4,000 to 1 on A-K-Q of spades, 1,000 to 1 on A-K-Q of " +
			"another suit, 60 to 1 on another straight flush, 40 to 1 on three of a kind and 7 to " +
			"1 on a straight. House advantage 20.45 %, hit frequency 3.71 %.",
	},
	{
		ID: "bonus.5", Kind: rules.Definition,
		Summary: "The maker's advice, binding on nobody, is a Bonus bet of $1.",
	},
	{
		ID: "bonus.6", Kind: rules.Executable,
		Summary: "A Bonus bet is made at the start of the round, and only by a player with a " +
			"standard wager.",
	},
	{
		ID: "bonus.7", Kind: rules.Display,
		Summary: "An Envy marker is put beside each Bonus bet.",
		Where:   "shown beside the bet on the terminal play screen and the table page",
	},
	{
		ID: "bonus.8", Kind: rules.Executable,
		Summary: "The Bonus bet leaves the deal as it is: the house's ordinary procedure " +
			"applies.",
	},
	{
		ID: "bonus.9", Kind: rules.Definition,
		Summary: "Heading of how the Bonus bet itself is paid.",
	},
	{
		ID: "bonus.9a", Kind: rules.Executable,
		Summary: "A hand in the posted table is paid by it, and the cards of any other hand " +
			"are taken away. The Envy marker remains until every Bonus bet has been settled.",
	},
	{
		ID: "bonus.10", Kind: rules.Definition,
		Summary: "Heading of how Envy Bonuses are paid, where the table in force has them.",
	},
	{
		ID: "bonus.10b", Kind: rules.Executable,
		Summary: "A hand that brings an Envy Bonus stays open on the layout; other cards are " +
			"locked away before the dealer turns to the next player.",
	},
	{
		ID: "bonus.10c", Kind: rules.Executable,
		Summary: "Envy Bonuses are paid last in the round. One player's straight flush or " +
			"better is enough, and everybody with a Bonus bet is paid by the table in force.",
	},
	{
		ID: "bonus.10d", Kind: rules.Executable,
		Summary: "Neither a player's own hand nor the dealer's brings that player an Envy " +
			"Bonus.",
	},
	{
		ID: "bonus.10e", Kind: rules.Executable,
		Summary: "Several such hands in one round bring as many Envy Bonuses to each Bonus " +
			"bet.",
	},
}
