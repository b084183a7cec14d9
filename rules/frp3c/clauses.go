package frp3c

import "trey/rules"

// clauses is the register of article 55-21 of the French order of 14 May 2007
// (`fr-p3c@2007`). The text has no numbers, so an id counts its paragraphs from 1, with
// each line of a list as a paragraph. The summaries are ours and replace the text nowhere.
var clauses = []rules.Clause{
	{
		ID: "1", Kind: rules.Executable, Title: "Un jeu de cinquante-deux cartes",
		Summary: "The game is played with one deck of 52 cards, of the type and size used at black jack and punto banco.",
	},
	{
		ID: "2", Kind: rules.Procedure, Title: "Cartes neuves au début de la séance",
		Summary: "Each session begins with new cards. A deck may serve several times, and is replaced by a new one as soon as it is no longer in perfect condition.",
		Where:   "The operator's procedure; a foreign card that is found is reported as an incident, and a marked one as an incident that is not listed.",
	},
	{
		ID: "3", Kind: rules.Procedure, Title: "Dépôt, usage et mélange des cartes",
		Summary: "Articles 39 and 40 on the storage, use and shuffle of cards hold here too. An automatic shuffler may be used as article 40-1 provides.",
		Where:   "A table is dealt from the hand, or from the deck that a shuffler has delivered whole: device = \"hand\" or \"shuffler\".",
	},
	{
		ID: "4", Kind: rules.Procedure, Title: "Mélange et coupe",
		Summary: "After the count the dealer shuffles the cards five times and cuts them twice. The player at the dealer's outer left makes the last cut, onto the blue cut card.",
		Where:   "At a virtual table the program shuffles, and the players' seeds take the place of the cut; elsewhere human hands do it before the deal.",
	},
	{
		ID: "5", Kind: rules.Procedure, Title: "Carte détachée et découverte",
		Summary: "From then on a card that comes off the deck and is uncovered by mistake is burnt at once.",
		Where:   "The dealer burns it by hand before it is dealt, so that it lies in no hand, and enters the next card in its place.",
	},
	{
		ID: "6", Kind: rules.Procedure, Title: "Coupe refusée",
		Summary: "A player who refuses the cut passes it on clockwise. If every player refuses, it goes back to the first.",
		Where:   "Human hands do it; nothing that is settled depends on who cuts.",
	},
	{
		ID: "7", Kind: rules.Procedure, Title: "Personnel de la table",
		Summary: "A table has one dealer and a table manager, who controls two tables at most.",
		Where:   "The roles dealer and pit supervisor; the pit page shows a supervisor all tables at once.",
	},
	{
		ID: "8", Kind: rules.Procedure, Title: "Responsabilité du personnel",
		Summary: "Both are responsible for a clear and regular game, for the payments and for everything done at the table.",
		Where:   "Each command is recorded with the person who gave it.",
	},
	{
		ID: "9", Kind: rules.Executable, Title: "Le croupier anime la partie",
		Summary: "The dealer runs the game: invites the players to bet, closes the bets and checks with the table manager how they are placed before the cards are shuffled and dealt.",
	},
	{
		ID: "10", Kind: rules.Procedure, Title: "Pas de relève en cours de coup",
		Summary: "The staff are not relieved during the deal, the play or the payments.",
		Where:   "Each command is recorded with the person who gave it, so the record shows a relief within a round; the house relieves its staff between rounds.",
	},
	{
		ID: "11", Kind: rules.Executable, Title: "Un seul joueur suffit",
		Summary: "The game can begin with a single player, who sits at the table and watches the count of the cards.",
	},
	{
		ID: "12", Kind: rules.Executable, Title: "De cinq à sept emplacements",
		Summary: "The places marked on the layout give the number of seated players, who alone have a hand: five at least and seven at most, numbered clockwise.",
	},
	{
		ID: "13", Kind: rules.Executable, Title: "Une seule main, personne debout",
		Summary: "A player has one hand only. Nobody who stands may bet on the hand of a seated player.",
	},
	{
		ID: "14", Kind: rules.Executable, Title: "Mises entre minimum et maximum",
		Summary: "Before the deal the staff check that every bet is placed correctly and that its amount lies between the table's minimum and maximum.",
	},
	{
		ID: "15", Kind: rules.Executable, Title: "Rien ne va plus",
		Summary: "Bets are chips or plaques alone. After \"no more bets\" none is placed, changed or taken back, and no bet is made by announcing it.",
	},
	{
		ID: "16", Kind: rules.Executable, Title: "Une carte à la fois",
		Summary: "The dealer gives each hand one card face down, from the left and clockwise, and then one to the own hand; and so twice more.",
	},
	{
		ID: "17", Kind: rules.Executable, Title: "Figure cachée",
		Summary: "All cards are dealt face down, each a little shifted on the one before it, so that the hand can be checked.",
	},
	{
		ID: "18", Kind: rules.Executable, Title: "Carte exposée",
		Summary: "An exposed card is no misdeal. It is turned down and the deal goes on.",
	},
	{
		ID: "19", Kind: rules.Executable, Title: "Cartes restantes brûlées",
		Summary: "The cards that are left after the deal are burnt and go into the discard holder.",
	},
	{
		ID: "20", Kind: rules.Executable, Title: "Coup nul",
		Summary: "The round is void if a player's hand or the dealer's has a wrong number of cards, or if players tell each other what they hold.",
	},
	{
		ID: "21", Kind: rules.Executable, Title: "Main nulle",
		Summary: "A player's hand is void if the player looks at it before the deal is over.",
	},
	{
		ID: "22", Kind: rules.Definition, Title: "Ordre des cartes",
		Summary: "What follows is the order of the cards, from the highest down.",
	},
	{
		ID: "23", Kind: rules.Executable, Title: "De l'as au deux",
		Summary: "Ace, King, Queen, Jack, and from the ten down to the two.",
	},
	{
		ID: "24", Kind: rules.Executable, Title: "Après la donne seulement",
		Summary: "Only when the deal is over do the players look at their hands and decide whether to give up or to go on.",
	},
	{
		ID: "25", Kind: rules.Executable, Title: "Renonce",
		Summary: "A player who gives up says \"pass\" and lays the cards down by the Ante, face down.",
	},
	{
		ID: "26", Kind: rules.Executable, Title: "La mise ramassée",
		Summary: "The dealer takes in the stake of a player who gives up, spreads the cards, counts and burns them.",
	},
	{
		ID: "27", Kind: rules.Executable, Title: "Relance",
		Summary: "A player who goes on places the same amount as the Ante on Play and lays the cards there, face down.",
	},
	{
		ID: "28", Kind: rules.Executable, Title: "La main du croupier",
		Summary: "When every player has decided, the dealer turns the own hand face up and lays it out by its best combination.",
	},
	{
		ID: "29", Kind: rules.Procedure, Title: "Cartes bien en évidence",
		Summary: "After looking, players at once lay their cards face down in the dealer's sight, and touch them no more.",
		Where:   "A hand that a player touches again is reported as an incident; on the page a player cannot touch cards.",
	},
	{
		ID: "30", Kind: rules.Executable, Title: "Pas de jeu",
		Summary: "If the dealer has less than a Queen, the dealer says so and pays the Antes, always at even money. The Play bets stay with their players.",
	},
	{
		ID: "31", Kind: rules.Executable, Title: "Comparaison main par main",
		Summary: "If the dealer has a Queen or better, the dealer's hand is compared with each player's in turn, anticlockwise, and the combination that wins is announced: what has lost is collected, what has won is paid, and equal hands are void.",
	},
	{
		ID: "32", Kind: rules.Executable, Title: "Main battue",
		Summary: "A hand beaten by the dealer's loses Ante and Play.",
	},
	{
		ID: "33", Kind: rules.Executable, Title: "Main gagnante",
		Summary: "The higher combination wins.",
	},
	{
		ID: "34", Kind: rules.Executable, Title: "Combinaisons équivalentes",
		Summary: "Between equal combinations their highest card decides, and nothing else where they have three cards; where they have fewer, the cards beside them decide next.",
	},
	{
		ID: "35", Kind: rules.Executable, Title: "Égalité parfaite",
		Summary: "If the hands are completely equal, the player keeps Ante and Play.",
	},
	{
		ID: "36", Kind: rules.Executable, Title: "Mise initiale à égalité",
		Summary: "A winning hand is paid even money on the Ante, but for two combinations.",
	},
	{
		ID: "37", Kind: rules.Executable, Title: "Brelan : quatre fois",
		Summary: "With three of a kind the Ante is paid 4 times.",
	},
	{
		ID: "38", Kind: rules.Executable, Title: "Suite couleur : cinq fois",
		Summary: "With a straight flush the Ante is paid 5 times.",
	},
	{
		ID: "39", Kind: rules.Executable, Title: "Relance à égalité",
		Summary: "The Play bet is always paid even money, whatever the player's combination.",
	},
	{
		ID: "40", Kind: rules.Display, Title: "Banque gagne",
		Summary: "When the dealer's hand beats every player's, the dealer announces that the bank wins.",
		Where:   "The announcement at the table and in the record of the round.",
	},
	{
		ID: "41", Kind: rules.Procedure, Title: "Ramassage des cartes",
		Summary: "In every case the dealer takes up the cards hand by hand, from right to left, and burns the own ones last.",
		Where:   "Human hands do it; the record of the round keeps every card that was turned.",
	},
	{
		ID: "42", Kind: rules.Procedure, Title: "Un nouveau coup",
		Summary: "The dealer takes the deck back, removes the blue cut card, shuffles and has it cut, and a new round begins.",
		Where:   "A new round is opened by the dealer, or by the program at an automatic table.",
	},
	{
		ID: "43", Kind: rules.Executable, Title: "Le bonus",
		Summary: "The Bonus pays a player who has gone on with a straight or better, also if the dealer does not qualify. It is paid by a displayed scale, after the Play bet.",
	},
	{
		ID: "44", Kind: rules.Executable, Title: "Bonus d'une main battue",
		Summary: "If the dealer qualifies, a player whose hand is beaten and is a straight or better is still paid the Bonus.",
	},
	{
		ID: "45", Kind: rules.Definition, Title: "Barème du bonus",
		Summary: "What follows is the scale of the Bonus.",
	},
	{
		ID: "46", Kind: rules.Executable, Title: "Bonus : suite",
		Summary: "A straight pays the Bonus bet once.",
	},
	{
		ID: "47", Kind: rules.Executable, Title: "Bonus : brelan",
		Summary: "Three of a kind pays the Bonus bet 4 times.",
	},
	{
		ID: "48", Kind: rules.Executable, Title: "Bonus : suite couleur",
		Summary: "A straight flush pays the Bonus bet 5 times.",
	},
	{
		ID: "49", Kind: rules.Executable, Title: "Bonus annoncé à haute voix",
		Summary: "If the dealer does not qualify, a player with a Bonus bet who has gone on and believes to have won announces it aloud, and only these cards are turned by the dealer.",
	},
	{
		ID: "50", Kind: rules.Executable, Title: "La Paire Plus",
		Summary: "Pair Plus is optional and takes a stake of its own. It is paid with a pair or better, whatever the dealer has and whatever becomes of the Ante.",
	},
	{
		ID: "51", Kind: rules.Executable, Title: "Paire Plus : une paire",
		Summary: "A pair pays Pair Plus once.",
	},
	{
		ID: "52", Kind: rules.Executable, Title: "Paire Plus : couleur",
		Summary: "A flush pays Pair Plus 3 times.",
	},
	{
		ID: "53", Kind: rules.Executable, Title: "Paire Plus : suite",
		Summary: "A straight pays Pair Plus 6 times.",
	},
	{
		ID: "54", Kind: rules.Executable, Title: "Paire Plus : brelan",
		Summary: "Three of a kind pays Pair Plus 30 times.",
	},
	{
		ID: "55", Kind: rules.Executable, Title: "Paire Plus : suite couleur",
		Summary: "A straight flush pays Pair Plus 40 times.",
	},
	{
		ID: "56", Kind: rules.Executable, Title: "Placement de la Paire Plus",
		Summary: "Pair Plus is placed in its own area before the deal, and is collected or paid with the Ante and the Play bet.",
	},
	{
		ID: "57", Kind: rules.Executable, Title: "Paire Plus annoncée à haute voix",
		Summary: "If the dealer does not qualify, a player with Pair Plus who believes to have won announces it aloud; the dealer turns these cards to check them, and pays.",
	},
}
