package mbs3pictures

import "trey/rules"

// clauses is the register of Royal Three Pictures, edition 2 (`mbs-3pictures@2`).
// Every provision stands here under its own number, in the order of the text.
// The summaries are ours and replace the text nowhere.
var clauses = []rules.Clause{
	{
		ID: "1.1", Kind: rules.Definition,
		Summary: "Heading of the definitions.",
	},
	{
		ID: "1.1.1", Kind: rules.Executable,
		Summary: "A player on several hands may look at one of them and plays the others " +
			"blind, without seeing their cards.",
	},
	{
		ID: "1.1.2", Kind: rules.Executable,
		Summary: "Jacks, queens and kings are the picture cards.",
	},
	{
		ID: "1.1.3", Kind: rules.Executable,
		Summary: "A round lasts from the opening of betting until the dealer has declared the " +
			"results, taken the losing wagers and paid the winning ones.",
	},
	{
		ID: "1.1.4", Kind: rules.Executable,
		Summary: "Royal Pictures is one side wager with several winning combinations in the " +
			"player's three cards. It does not depend on how the main wager ends, and loses on " +
			"every other combination.",
	},
	{
		ID: "1.1.4.1", Kind: rules.Executable,
		Summary: "Any Picture Pair is a pair of picture cards with a third card that is no " +
			"picture.",
	},
	{
		ID: "1.1.4.2", Kind: rules.Definition,
		Summary: "Heading of the three forms of Any King.",
	},
	{
		ID: "1.1.4.2.1", Kind: rules.Executable,
		Summary: "Any King is one king with two cards that are no pictures.",
	},
	{
		ID: "1.1.4.2.2", Kind: rules.Executable,
		Summary: "Any King is also one king and one queen with a card that is no picture.",
	},
	{
		ID: "1.1.4.2.3", Kind: rules.Executable,
		Summary: "Any King is also one king and one jack with a card that is no picture.",
	},
	{
		ID: "1.1.4.3", Kind: rules.Executable,
		Summary: "Three Pictures is any hand made of picture cards alone, unless all three " +
			"are of the same rank.",
	},
	{
		ID: "1.1.4.4", Kind: rules.Executable,
		Summary: "Three Jacks is a hand of three jacks.",
	},
	{
		ID: "1.1.4.5", Kind: rules.Executable,
		Summary: "Three Queens is a hand of three queens.",
	},
	{
		ID: "1.1.4.6", Kind: rules.Executable,
		Summary: "Three Kings is a hand of three kings.",
	},
	{
		ID: "1.1.5", Kind: rules.Executable,
		Summary: "Player and Banker stand off when point total and number of picture cards " +
			"are both equal; the main wagers then neither win nor lose.",
	},
	{
		ID: "1.1.6", Kind: rules.Executable,
		Summary: "The Tie wager, placed before betting closes, wins when Player and Banker " +
			"end with equal point totals and loses in every other case.",
	},
	{
		ID: "2.1", Kind: rules.Executable,
		Summary: "One deck of 52 cards is used, without jokers and with uniform backs.",
	},
	{
		ID: "2.2", Kind: rules.Display,
		Summary: "The layout of the appendices has separate areas for the three kinds of " +
			"wager.",
		Where: "the terminal play screen and the table page draw them at every position",
	},
	{
		ID: "2.2.1", Kind: rules.Executable,
		Summary: "Each position has an area for main wagers.",
	},
	{
		ID: "2.2.2", Kind: rules.Executable,
		Summary: "Each position has an area for Tie wagers.",
	},
	{
		ID: "2.2.3", Kind: rules.Executable,
		Summary: "Each position has an area for Royal Pictures wagers.",
	},
	{
		ID: "3.1", Kind: rules.Executable,
		Summary: "The dealer's call \"Place your bets, please\" opens the round and its " +
			"betting.",
	},
	{
		ID: "3.2", Kind: rules.Executable,
		Summary: "The dealer's call \"No more bets\" closes the betting.",
	},
	{
		ID: "3.3", Kind: rules.Definition,
		Summary: "The player aims for a hand that outranks the dealer's.",
	},
	{
		ID: "3.4", Kind: rules.Executable,
		Summary: "To take part, a player places a main wager on an area of the layout before " +
			"betting closes. Several players may wager on one area, as long as the wager is " +
			"within the displayed minimum and maximum.",
	},
	{
		ID: "3.5", Kind: rules.Executable,
		Summary: "Tie and Royal Pictures are open to a player without a main wager of their " +
			"own, but only at a position where somebody's main wager lies.",
	},
	{
		ID: "3.6", Kind: rules.Executable,
		Summary: "A player who asks may have a wager placed by the Dealer, the Pit " +
			"Supervisor or the Pit Manager; whether it is placed right remains the player's own " +
			"affair.",
	},
	{
		ID: "3.7", Kind: rules.Executable,
		Summary: "A player may wager on several hands but look at one only, however many they " +
			"are.",
	},
	{
		ID: "3.8", Kind: rules.Executable,
		Summary: "A Pit Manager may confine a player to one position.",
	},
	{
		ID: "3.9", Kind: rules.Executable,
		Summary: "An area holds three wagers at most.",
	},
	{
		ID: "3.9.1", Kind: rules.Executable,
		Summary: "A Pit Manager may lower that number of three.",
	},
	{
		ID: "3.10", Kind: rules.Executable,
		Summary: "Of several players at one position, the seated one who wagered there first " +
			"looks at the cards.",
	},
	{
		ID: "3.11", Kind: rules.Executable,
		Summary: "Only a seated player may look at cards.",
	},
	{
		ID: "3.12", Kind: rules.Executable,
		Summary: "From an automated device, each position with a wager gets three cards at " +
			"once, face down, clockwise from the dealer's left, and then the dealer gets three.",
	},
	{
		ID: "3.12.1", Kind: rules.Executable,
		Summary: "From a manual device, cards go out singly and face down, clockwise from the " +
			"dealer's left to each position with a wager and then to the dealer, in three turns " +
			"until each hand has three.",
	},
	{
		ID: "3.13", Kind: rules.Executable,
		Summary: "A player who has looked at the cards puts them back at the player's " +
			"position face up.",
	},
	{
		ID: "3.14", Kind: rules.Executable,
		Summary: "Where a player wagers on several positions, the dealer turns over the hands " +
			"that no other player controls and leaves them at their positions.",
	},
	{
		ID: "3.15", Kind: rules.Executable,
		Summary: "The dealer opens and calls the dealer's hand only when every other hand " +
			"is back on the table.",
	},
	{
		ID: "3.16", Kind: rules.Executable,
		Summary: "The dealer compares the dealer's hand with each player's and declares " +
			"whether that player wins, loses or stands off.",
	},
	{
		ID: "3.17", Kind: rules.Executable,
		Summary: "Every hand has three cards, and its points come from the sum of their " +
			"values.",
	},
	{
		ID: "3.17.1", Kind: rules.Executable,
		Summary: "A card counts what is printed on it, except as follows.",
	},
	{
		ID: "3.17.1.1", Kind: rules.Executable,
		Summary: "Tens, jacks, queens and kings count zero; of these, jacks, queens and kings " +
			"are picture cards and tens are not.",
	},
	{
		ID: "3.18", Kind: rules.Definition,
		Summary: "Heading of how a sum becomes a point total.",
	},
	{
		ID: "3.18.1", Kind: rules.Executable,
		Summary: "A sum from 0 to 9 is itself the point total.",
	},
	{
		ID: "3.18.2", Kind: rules.Executable,
		Summary: "Of a sum of 10 or more only the last digit counts.",
	},
	{
		ID: "3.19", Kind: rules.Executable,
		Summary: "The Tie wager is paid when player and dealer have equal point totals.",
	},
	{
		ID: "3.20", Kind: rules.Executable,
		Summary: "Among picture cards none is better: K-K is worth as much as Q-J.",
	},
	{
		ID: "3.21", Kind: rules.Executable,
		Summary: "Suits never decide.",
	},
	{
		ID: "3.22", Kind: rules.Executable,
		Summary: "Three Pictures ranks highest. Below it come the point totals from nine down " +
			"to zero, and within each total two picture cards beat one and one beats none: 31 " +
			"ranks in all.",
	},
	{
		ID: "4.1", Kind: rules.Executable,
		Summary: "A winning main wager pays 1 to 1, but 1 to 2 if the player wins with six " +
			"points; a winning Tie wager pays 8 to 1.",
	},
	{
		ID: "4.2", Kind: rules.Executable,
		Summary: "Royal Pictures pays 188 to 1 on Three Kings, 128 to 1 on Three Queens, 88 " +
			"to 1 on Three Jacks, 18 to 1 on Three Pictures, 8 to 1 on Any Picture Pair and 1 to " +
			"1 on Any King.",
	},
	{
		ID: "5.1", Kind: rules.Executable,
		Summary: "Cards too many or too few, a card foreign to the deck, or unshuffled cards, " +
			"discovered during a round, lead to the two consequences below.",
	},
	{
		ID: "5.1.1", Kind: rules.Executable,
		Summary: "The round in progress is void.",
	},
	{
		ID: "5.1.2", Kind: rules.Executable,
		Summary: "The results of the rounds before it stay as they are.",
	},
	{
		ID: "5.2", Kind: rules.Executable,
		Summary: "Unless another rule allows it, a wager placed or raised after \"No more " +
			"bets\" is refused; the late part is not honoured.",
	},
	{
		ID: "5.3", Kind: rules.Executable,
		Summary: "Unless another rule allows it, no wager may be taken back after \"No more " +
			"bets\"; one that was taken back still wins or loses with the round.",
	},
	{
		ID: "5.4", Kind: rules.Executable,
		Summary: "When cards went to the wrong places and no player has touched their " +
			"cards, the round is void, unless moving whole hands between positions puts the " +
			"deal right.",
	},
	{
		ID: "5.5", Kind: rules.Executable,
		Summary: "A hand found to have too few or too many cards after its player looked at " +
			"it leaves the round and its wager goes back, if this is seen before the next round " +
			"begins.",
	},
	{
		ID: "5.6", Kind: rules.Executable,
		Summary: "A wrong distribution discovered after any player has touched their cards " +
			"does not stop the round, which is played out.",
	},
	{
		ID: "5.7", Kind: rules.Executable,
		Summary: "A player who objects to what 5.5 or 5.6 leads to may be permitted to take the " +
			"wager back before the round of play.",
	},
	{
		ID: "5.8", Kind: rules.Executable,
		Summary: "A card dealt face up is turned face down and the deal goes on, except in " +
			"the case below.",
	},
	{
		ID: "5.8.1", Kind: rules.Executable,
		Summary: "When dealing from a manual device, a face-up first card makes the round " +
			"void.",
	},
	{
		ID: "5.9", Kind: rules.Executable,
		Summary: "Where the number of cards in use is in doubt, the dealer counts them by " +
			"hand; with too many or too few the round is void.",
	},
	{
		ID: "5.10", Kind: rules.Executable,
		Summary: "A wager below the minimum is paid or collected once, if the result is " +
			"already known. Every later one below the minimum by the same player goes back, " +
			"whatever the result.",
	},
	{
		ID: "5.11", Kind: rules.Executable,
		Summary: "A wager above the maximum is paid and collected as if it were the maximum.",
	},
	{
		ID: "5.12", Kind: rules.Executable,
		Summary: "Wagers outside the limits that earlier rounds paid or collected are not " +
			"reopened.",
	},
	{
		ID: "5.13", Kind: rules.Executable,
		Summary: "What a power failure does to a round depends on whether any wager has been " +
			"decided.",
	},
	{
		ID: "5.13.1", Kind: rules.Executable,
		Summary: "If no wager has certainly won or lost yet, each player may withdraw, and " +
			"then must withdraw all their wagers; after that the round is played out.",
	},
	{
		ID: "5.13.2", Kind: rules.Executable,
		Summary: "If at least one wager has certainly won or lost, the round is played out.",
	},
	{
		ID: "6.1", Kind: rules.Executable,
		Summary: "An irregularity outside these rules goes to the Gaming Shift Manager, who " +
			"decides it.",
	},
	{
		ID: "6.2", Kind: rules.Executable,
		Summary: "What the rules assign to a post may also be done by a person acting in that " +
			"post or holding a higher one.",
	},
	{
		ID: "appendix.A", Kind: rules.Executable,
		Summary: "The first of the two layouts; the table has at least 1 and at most 8 " +
			"playing positions.",
	},
	{
		ID: "appendix.B", Kind: rules.Executable,
		Summary: "The second of the two layouts, for the same 1 to 8 positions.",
	},
}
