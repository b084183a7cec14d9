package rws3cp

import "trey/rules"

// clauses is the register of 3 Card Poker, edition 3 (`rws-3cp@3`).
// Every provision stands here under its own number, in the order of the text;
// the letters of a list follow the number they belong to.
// The summaries are ours and replace the text nowhere.
var clauses = []rules.Clause{
	{
		ID: "1.1", Kind: rules.Definition,
		Summary: "The Ante is the stake with which a player enters a round to contest the " +
			"dealer's hand.",
	},
	{
		ID: "1.2", Kind: rules.Executable,
		Summary: "The Ante Bonus is an extra pay that an Ante earns with three cards worth a " +
			"straight, three of a kind or a straight flush.",
	},
	{
		ID: "1.3", Kind: rules.Definition,
		Summary: "The text treats \"bet\" and \"wager\" as the same word.",
	},
	{
		ID: "1.4", Kind: rules.Definition,
		Summary: "The burnt card is the top card of the undealt deck, thrown aside before " +
			"anybody gets a card.",
	},
	{
		ID: "1.5", Kind: rules.Definition,
		Summary: "A card shoe is the box from which cards are drawn, with or without " +
			"electronics.",
	},
	{
		ID: "1.6", Kind: rules.Definition,
		Summary: "The dealer is whoever deals the game.",
	},
	{
		ID: "1.7", Kind: rules.Definition,
		Summary: "An electronic card shuffler is a machine that mixes one deck or several by " +
			"itself and then hands out the cards.",
	},
	{
		ID: "1.8", Kind: rules.Definition,
		Summary: "To fold is to give up the round by one's own choice.",
	},
	{
		ID: "1.9", Kind: rules.Definition,
		Summary: "A hand is what one player, or the dealer, has been dealt in the round.",
	},
	{
		ID: "1.10", Kind: rules.Definition,
		Summary: "\"House\" stands for the operator of the casino.",
	},
	{
		ID: "1.11", Kind: rules.Executable,
		Summary: "Pair Plus is a stake on the three cards of its own box: a pair suffices to " +
			"win, and the dealer's cards are left out of account.",
	},
	{
		ID: "1.12", Kind: rules.Executable,
		Summary: "A player with an Ante goes on by playing; the Play bet this costs is " +
			"exactly as large as the Ante, neither more nor less, and lies on top of the " +
			"player's cards in the Play area.",
	},
	{
		ID: "1.13", Kind: rules.Executable,
		Summary: "Dealer, Pit Supervisor and Pit Manager are the pit employees; whoever is " +
			"appointed to such a post and acts in it carries its duties.",
	},
	{
		ID: "1.14", Kind: rules.Definition,
		Summary: "A player is anybody with a bet in the round.",
	},
	{
		ID: "1.15", Kind: rules.Executable,
		Summary: "Each Progressive bet that is accepted makes the jackpot grow, until it is " +
			"won. A win takes all that is displayed, with what the bets of its own round have " +
			"added; the jackpot then restarts from a value fixed beforehand and grows in the same " +
			"way.",
	},
	{
		ID: "1.16", Kind: rules.Executable,
		Summary: "The dealer qualifies with a queen among the dealer's cards or with " +
			"anything ranking above that: Q-3-2 is the least hand that qualifies, J-10-8 the " +
			"best that does not.",
	},
	{
		ID: "1.17", Kind: rules.Executable,
		Summary: "To reconstruct is to put cards back in the order, and so in the places, for " +
			"which they were meant.",
	},
	{
		ID: "1.18", Kind: rules.Executable,
		Summary: "A round lasts from the call that opens betting until the last player has " +
			"been settled with.",
	},
	{
		ID: "1.19", Kind: rules.Executable,
		Summary: "The decisions at a box belong to the player whose bet lies on it: the one " +
			"sitting there, or, where nobody sits, the one who placed the bet.",
	},
	{
		ID: "1.20", Kind: rules.Definition,
		Summary: "A standing player is one who bets on a box that belongs to somebody seated.",
	},
	{
		ID: "1.21", Kind: rules.Executable,
		Summary: "When player and dealer rank alike, Ante and Play neither win nor lose. " +
			"Progressive bet, Ante Bonus and Pair Plus are outside the stand-off and are settled " +
			"as always.",
	},
	{
		ID: "1.22", Kind: rules.Executable,
		Summary: "A void round is set aside whole: none of its bets has won or lost.",
	},
	{
		ID: "2.1", Kind: rules.Definition,
		Summary: "Heading of the provisions about the layout.",
	},
	{
		ID: "2.1.1", Kind: rules.Display,
		Summary: "A table must carry one of the two layouts of the appendices.",
		Where: "the boxes and their betting areas are drawn on the terminal play screen and " +
			"on the table page",
	},
	{
		ID: "2.1.1a", Kind: rules.Executable,
		Summary: "Every player has a marked box, and there are only as many boxes as the " +
			"table's layout has; a bet can lie on no other place.",
	},
	{
		ID: "2.1.1b", Kind: rules.Executable,
		Summary: "Above each box is a lit spot for the Progressive bet. It is a bet on the " +
			"hand of that box and on no other.",
	},
	{
		ID: "2.2", Kind: rules.Definition,
		Summary: "Heading of the provisions about the cards.",
	},
	{
		ID: "2.2.1", Kind: rules.Executable,
		Summary: "The game uses one deck of 52 cards, so each card exists once.",
	},
	{
		ID: "3.1", Kind: rules.Definition,
		Summary: "The aim is a hand that outranks the dealer's.",
	},
	{
		ID: "3.1.1", Kind: rules.Executable,
		Summary: "Suits never decide. Cards rank from the ace down to the 2; only in the " +
			"straight 3-2-A does the ace count as 1, which makes it the lowest straight.",
	},
	{
		ID: "3.1.2", Kind: rules.Executable,
		Summary: "From best to worst: straight flush, three of a kind, straight, flush, pair, " +
			"three odd cards. A straight beats a flush, and the ace may stand at either end of a " +
			"straight.",
	},
	{
		ID: "3.1.3", Kind: rules.Executable,
		Summary: "Hands of the same category are told apart by the values of their cards, the " +
			"most important card first.",
	},
	{
		ID: "3.1.3a", Kind: rules.Executable,
		Summary: "Of two straights the one reaching higher is better: K-Q-J above J-10-9.",
	},
	{
		ID: "3.1.3b", Kind: rules.Executable,
		Summary: "Equal pairs are decided by the third card: 5-5-K above 5-5-Q.",
	},
	{
		ID: "3.1.3c", Kind: rules.Executable,
		Summary: "Odd cards are compared from the highest down, if need be to the third: " +
			"A-K-J above A-K-10.",
	},
	{
		ID: "3.2", Kind: rules.Executable,
		Summary: "Bets are accepted from the dealer's call \"Place your bets, please\" on, " +
			"and none earlier.",
	},
	{
		ID: "3.3", Kind: rules.Display,
		Summary: "The smallest and largest bets allowed and the fixed price of the " +
			"Progressive bet can be read at the table.",
		Where: "printed by `trey variant show`, and on the terminal play screen and the table page " +
			"for as long as the table is open",
	},
	{
		ID: "3.4", Kind: rules.Executable,
		Summary: "It is up to the player to keep each bet between the displayed minimum and " +
			"maximum, and the Progressive bet at exactly the displayed amount.",
	},
	{
		ID: "3.5", Kind: rules.Executable,
		Summary: "A box is for one player alone: nobody may bet where another player has bet, " +
			"and standing players are not admitted.",
	},
	{
		ID: "3.6", Kind: rules.Executable,
		Summary: "To take part, a box needs an Ante, a Pair Plus bet, or both; neither of the " +
			"two requires the other.",
	},
	{
		ID: "3.6.1", Kind: rules.Executable,
		Summary: "The Ante contests the dealer's hand and has no other object.",
	},
	{
		ID: "3.6.2", Kind: rules.Executable,
		Summary: "Pair Plus looks at the player's three cards and at nothing else.",
	},
	{
		ID: "3.7", Kind: rules.Executable,
		Summary: "A player may bet Ante, Pair Plus or both on further boxes that nobody " +
			"else has bet on. Such a player may look at one hand only, and is told so; on each " +
			"hand not seen, the Play bet may still be placed blind.",
	},
	{
		ID: "3.8", Kind: rules.Executable,
		Summary: "The Progressive bet is the player's choice and requires an Ante on the same " +
			"box.",
	},
	{
		ID: "3.8.1", Kind: rules.Executable,
		Summary: "It may be placed on the player's further boxes too, each of which needs " +
			"the player's own Ante and must carry no other player's bet.",
	},
	{
		ID: "3.9", Kind: rules.Executable,
		Summary: "From the call \"No more bets\" on, bets are no longer accepted.",
	},
	{
		ID: "3.10", Kind: rules.Executable,
		Summary: "From a shoe, one card is burnt; then everybody gets one card at a time, " +
			"clockwise from the dealer's left with the dealer last, until each hand has three. " +
			"Cards lie face down, each on top of the one before.",
	},
	{
		ID: "3.11", Kind: rules.Executable,
		Summary: "From an electronic shuffler, each player gets a packet of three, clockwise " +
			"from the dealer's left; the dealer's own packet comes last.",
	},
	{
		ID: "3.12", Kind: rules.Executable,
		Summary: "On a box with an Ante the player chooses, after looking at the cards, " +
			"between folding and playing; a box without an Ante has no such choice.",
	},
	{
		ID: "3.12.1", Kind: rules.Executable,
		Summary: "Folding costs the box its Ante and its Pair Plus bet, and table 4.4 pays " +
			"nothing more on its Progressive bet.",
	},
	{
		ID: "3.12.2", Kind: rules.Executable,
		Summary: "Playing costs a Play bet as large as the Ante. A box with Pair Plus alone " +
			"moves its cards to the Play area and pays no Play bet.",
	},
	{
		ID: "3.13", Kind: rules.Executable,
		Summary: "When the dealer's open hand does not qualify, every Ante still in play wins " +
			"and the Play bet comes back unpaid. A Progressive bet whose hand is in table 4.4 is " +
			"paid all the same.",
	},
	{
		ID: "3.14", Kind: rules.Executable,
		Summary: "The player of a box with Pair Plus alone may not look at its cards; the " +
			"dealer turns them over after the dealer's own.",
	},
	{
		ID: "3.15", Kind: rules.Executable,
		Summary: "A dealer who qualifies compares the dealer's hand with that of each " +
			"player.",
	},
	{
		ID: "3.15.1", Kind: rules.Executable,
		Summary: "A hand better than the dealer's wins Ante and Play, both at the odds of " +
			"table 4.1.",
	},
	{
		ID: "3.15.2", Kind: rules.Executable,
		Summary: "A hand worse than the dealer's loses Ante and Play; Progressive bet, Ante " +
			"Bonus and Pair Plus do not depend on this.",
	},
	{
		ID: "3.15.3", Kind: rules.Executable,
		Summary: "A hand ranking level with the dealer's gets Ante and Play back unpaid; the " +
			"Progressive bet and Pair Plus are settled on their own account.",
	},
	{
		ID: "3.16", Kind: rules.Executable,
		Summary: "Pair Plus follows table 4.2 and the Ante Bonus table 4.3, whatever the " +
			"dealer holds.",
	},
	{
		ID: "3.17", Kind: rules.Executable,
		Summary: "The hands that count for the jackpot are, from the top, A-K-Q of spades, " +
			"A-K-Q of another suit, other straight flushes, three of a kind and straights.",
	},
	{
		ID: "4.1", Kind: rules.Executable,
		Summary: "A winning Ante and a winning Play bet pay 1 to 1 each.",
	},
	{
		ID: "4.2", Kind: rules.Executable,
		Summary: "Pair Plus pays 40 to 1 on a straight flush, 30 to 1 on three of a kind, 5 " +
			"to 1 on a straight, 4 to 1 on a flush and 1 to 1 on a pair, whatever the dealer " +
			"holds.",
	},
	{
		ID: "4.3", Kind: rules.Executable,
		Summary: "The Ante Bonus pays 5 to 1 on a straight flush, 4 to 1 on three of a kind " +
			"and 1 to 1 on a straight, whatever the dealer holds.",
	},
	{
		ID: "4.4", Kind: rules.Executable,
		Summary: "A-K-Q of spades wins the whole meter and brings others an Envy Bonus of " +
			"$250; A-K-Q of another suit wins $1,250 and brings $50. Other straight flushes win " +
			"$175, three of a kind $150 and straights $15, without Envy Bonus. All are sums of " +
			"money, not odds.",
	},
	{
		ID: "4.5", Kind: rules.Executable,
		Summary: "A player who does not show the cards must establish alone what they are " +
			"worth. What is never established wins nothing that depends on it.",
	},
	{
		ID: "4.6", Kind: rules.Procedure,
		Summary: "A player whose hand is in the jackpot table calls it, and the cards stay " +
			"open on the table, dealer qualified or not.",
		Where: "settlement finds such a hand by itself, announces it in the transcript and " +
			"keeps it open on the terminal play screen",
	},
	{
		ID: "4.7", Kind: rules.Executable,
		Summary: "When a hand on a box with an Ante is A-K-Q of one suit, every box with a " +
			"Progressive bet receives the Envy Bonus of table 4.4; the triggering box itself " +
			"needs no Progressive bet. No player is paid for the player's own hand.",
	},
	{
		ID: "4.8", Kind: rules.Executable,
		Summary: "A-K-Q of one suit on a box with Pair Plus alone brings nobody an Envy " +
			"Bonus.",
	},
	{
		ID: "4.9", Kind: rules.Definition,
		Summary: "Heading of the order in which several winners of the major jackpot are " +
			"paid.",
	},
	{
		ID: "4.9.1", Kind: rules.Executable,
		Summary: "Major winners at different tables are paid in the order in which their " +
			"three cards were complete, as the House finds it to have been. The first gets the " +
			"amount on the display, each later one what the display shows after the payment " +
			"before.",
	},
	{
		ID: "5.1", Kind: rules.Executable,
		Summary: "When a box carries more than its maximum and the dealer sees it before " +
			"betting closes, the part above the maximum is refused.",
	},
	{
		ID: "5.1.1", Kind: rules.Executable,
		Summary: "An excess that was not refused does not count: the bet wins or loses as if " +
			"it were the maximum.",
	},
	{
		ID: "5.2", Kind: rules.Executable,
		Summary: "When a box carries less than its minimum and the dealer sees it before " +
			"betting closes, the player is told so and may raise the bet or take it back.",
	},
	{
		ID: "5.2.1", Kind: rules.Executable,
		Summary: "A bet below the minimum that the dealer missed wins or loses at its own " +
			"size.",
	},
	{
		ID: "5.3", Kind: rules.Definition,
		Summary: "Heading of what happens to a Play bet found at settlement to differ from " +
			"the Ante.",
	},
	{
		ID: "5.3.1", Kind: rules.Executable,
		Summary: "If the Play bet is the larger, the part above the Ante goes back to the " +
			"player and the rest is settled up to the displayed maximum.",
	},
	{
		ID: "5.3.2", Kind: rules.Executable,
		Summary: "If the Play bet is the smaller, it is settled at its own size.",
	},
	{
		ID: "5.4", Kind: rules.Executable,
		Summary: "A Progressive bet without an Ante on its box, noticed once the round has " +
			"begun, goes back to the player.",
	},
	{
		ID: "5.5", Kind: rules.Executable,
		Summary: "A player who leaves while a decision is still open counts as having " +
			"folded that hand.",
	},
	{
		ID: "5.6", Kind: rules.Executable,
		Summary: "The bets of a player who leaves with nothing left to decide are settled " +
			"in the player's absence.",
	},
	{
		ID: "5.7", Kind: rules.Executable,
		Summary: "A technical stop such as a power failure changes something only if it keeps " +
			"the round from going on; what follows then depends on whether any bet has been " +
			"decided.",
	},
	{
		ID: "5.7.1", Kind: rules.Executable,
		Summary: "If at least one bet has certainly won or lost, the round goes on to its " +
			"end.",
	},
	{
		ID: "5.7.2", Kind: rules.Executable,
		Summary: "If no bet has certainly won or lost yet, the round is void.",
	},
	{
		ID: "5.8", Kind: rules.Executable,
		Summary: "Each of the seven situations listed below makes the current round void; " +
			"earlier rounds keep their results and payments.",
	},
	{
		ID: "5.8.1", Kind: rules.Executable,
		Summary: "The round is void if a card turns up that does not belong to the deck.",
	},
	{
		ID: "5.8.2", Kind: rules.Executable,
		Summary: "The round is void if the dealer wrongly shows two cards or more while " +
			"dealing and no player has seen any card of their own.",
	},
	{
		ID: "5.8.3", Kind: rules.Executable,
		Summary: "The round is void if the deck has fewer or more cards than it should.",
	},
	{
		ID: "5.8.4", Kind: rules.Executable,
		Summary: "The round is void if the shoe or shuffler runs out of cards before the " +
			"round is complete.",
	},
	{
		ID: "5.8.5", Kind: rules.Executable,
		Summary: "The round is void if the cards in use were not shuffled.",
	},
	{
		ID: "5.8.6", Kind: rules.Executable,
		Summary: "The round is void if cards went to the wrong places and no player has " +
			"seen their cards, unless moving whole hands between betting areas puts the deal " +
			"right.",
	},
	{
		ID: "5.8.7", Kind: rules.Executable,
		Summary: "The round is void if the dealer's hand has too few or too many cards, this " +
			"is seen before the next round begins, and reconstruction is out of the question.",
	},
	{
		ID: "5.9", Kind: rules.Executable,
		Summary: "A round without its burn is reconstructed where the House finds that " +
			"possible, and is void if it is not possible or if any player has seen a card of " +
			"their own; earlier rounds stand. If it goes on, every player at the table has the " +
			"options of 5.10.",
	},
	{
		ID: "5.10", Kind: rules.Executable,
		Summary: "An error in the deal that neither 5.8 nor 5.12 describes gives each player " +
			"it touches the options below, reconstructible or not. Whoever stays in takes the " +
			"later cards of the round as they come.",
	},
	{
		ID: "5.10.1", Kind: rules.Executable,
		Summary: "The player may go on with the hand as it is, where the cards cannot be " +
			"reconstructed.",
	},
	{
		ID: "5.10.2", Kind: rules.Executable,
		Summary: "The player may go on with the reconstructed hand, where the cards can be.",
	},
	{
		ID: "5.10.3", Kind: rules.Executable,
		Summary: "The player may take the bets back, and the hand is then out of the round.",
	},
	{
		ID: "5.11", Kind: rules.Executable,
		Summary: "After the call \"No more bets\" a bet can be neither placed nor raised nor " +
			"taken back, and the dealer refuses each attempt.",
	},
	{
		ID: "5.12", Kind: rules.Executable,
		Summary: "If the dealer wrongly shows any card while dealing and some player has " +
			"already seen a card of their own, the round goes on.",
	},
	{
		ID: "5.13", Kind: rules.Executable,
		Summary: "A card lying face up in the shoe or shuffler is dealt in its turn like any " +
			"other.",
	},
	{
		ID: "5.14", Kind: rules.Executable,
		Summary: "When two cards or more come out of the shoe together and nobody can tell " +
			"their order, shown or not, the Pit Supervisor or somebody above rules which comes " +
			"first.",
	},
	{
		ID: "5.14.1", Kind: rules.Executable,
		Summary: "Cards drawn together are an error in the deal, and every player at the " +
			"table has the options of 5.10.",
	},
	{
		ID: "5.15", Kind: rules.Executable,
		Summary: "A player's hand with too few or too many cards, seen before the next round " +
			"begins and beyond reconstruction, is out of the round and its bets go back.",
	},
	{
		ID: "5.16", Kind: rules.Executable,
		Summary: "If a jackpot device or the jackpot system fails before any player has " +
			"seen a card of their own, the round is void.",
	},
	{
		ID: "5.17", Kind: rules.Definition,
		Summary: "Heading of what follows when a jackpot device or the jackpot system fails, " +
			"in the current round and afterwards.",
	},
	{
		ID: "5.17.1", Kind: rules.Executable,
		Summary: "If it fails once any player has seen a card of their own, the round goes " +
			"on, the dealer's hand known or not, and tables 4.1 to 4.4 are paid, the jackpot at " +
			"the amount last registered before the failure.",
	},
	{
		ID: "5.17.2", Kind: rules.Executable,
		Summary: "For the rounds after the failure the House is free to choose among the " +
			"three courses below.",
	},
	{
		ID: "5.17.2a", Kind: rules.Executable,
		Summary: "The House may close the tables concerned.",
	},
	{
		ID: "5.17.2b", Kind: rules.Executable,
		Summary: "The House may take no bets on the box concerned.",
	},
	{
		ID: "5.17.2c", Kind: rules.Executable,
		Summary: "The House may play on without the jackpot: no Progressive bet is taken or " +
			"paid, a notice at the table says so, and players who join are bound by it.",
	},
	{
		ID: "5.18", Kind: rules.Executable,
		Summary: "When a player has looked at a further hand, the Pit Supervisor or somebody " +
			"above rules whether it was on purpose. If so, the cards of that hand leave the round " +
			"and its bets go back; the hand seen first stays in.",
	},
	{
		ID: "5.19", Kind: rules.Executable,
		Summary: "An error discovered only after a later round has begun changes nothing in " +
			"that later round.",
	},
	{
		ID: "5.20", Kind: rules.Executable,
		Summary: "Bets are settled as they lie when betting closes. The House owes nothing " +
			"for a bet put in the wrong place, by the player or by anyone acting for the " +
			"player.",
	},
	{
		ID: "5.21", Kind: rules.Executable,
		Summary: "All bets of a void round go back to the players who made them.",
	},
	{
		ID: "5.22", Kind: rules.Executable,
		Summary: "A pit employee may place a bet for a player who asks; whether it is placed " +
			"right remains the player's own affair.",
	},
	{
		ID: "5.23", Kind: rules.Executable,
		Summary: "An incident or a question of interpretation that the rules leave open is " +
			"decided by the Table Game Shift Manager or somebody above.",
	},
	{
		ID: "appendix.A", Kind: rules.Display,
		Summary: "The first of the two table layouts, with the boxes, their Ante and Pair " +
			"Plus areas, the Play area and the Progressive spot.",
		Where: "the terminal play screen and the table page draw one place for each of these " +
			"on every box",
	},
	{
		ID: "appendix.B", Kind: rules.Display,
		Summary: "The second of the two table layouts, with the same betting areas.",
		Where: "the terminal play screen and the table page draw it like the first, with the " +
			"number of boxes of the variant in force",
	},
}
