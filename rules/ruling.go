package rules

import (
	"fmt"
	"slices"
	"strings"

	"trey/sentence"
)

// Ruling names a question that the rule books leave open and that an operator
// may settle. The value in force is recorded with each round.
type Ruling uint8

// The rulings with a choice. The zero value is none of them. Points on which
// the text, read closely, leaves no choice are fixed and have none here.
const (
	_ Ruling = iota
	EnvyWhenFolded
	EnvyPer
	EnvyOwnBoxes
	EnvyFromFolded
	JackpotStake
	AnteBonusOnStandoff
	BurnWithShuffler
	OutcomeEstablished
	Interruption
	OptionUnanswered
	TiePointTotal
	BonusAfterFold
	SilentIrregularity
	AbsentPlayer
	ExamineOwnBoxes
	AdjacentBoxes
	UnseenWrongCount
	WithdrawalBy
	WithdrawalUntil
	FirstPlayerLeft
	SideWagerFirst
	LimitsPer
	LowWagersInRound
	FoldBeforeDeal
	PaidJackpotStands
	FoundAfterPayment
	MovedHandsOptions
	FoldedOptions
	ExposedAfterDeal
	LowProgressive
	SecondHitDown
	UnrevealedHand
	UnrevealedUnqualified
	UnrevealedEnvy
	EnvyTwoBets
	FoldedAffected
	SecondHandFolded
	ExposedBurn
	OutsideLimits
	AmountsWithoutChips
	BonusBesidePairPlus
	DrawnInOrder
	UnlookedHand
	SettledOptions
	UnseenCountPutRight
	DealersHandAffects
	MainWithdrawn
	SideWagersOpen
	LowStandoff
	DealerCountLate
	TurnedAfterDeal
	numRulings
)

// Choice is one value of a ruling.
type Choice uint8

// The choices of all rulings. The zero value is none of them.
const (
	_ Choice = iota
	Lost
	Kept
	PerHand
	PerRound
	No
	Yes
	KeptByHouse
	Returned
	Paid
	NotPaid
	FirstExposure
	AtDeal
	AtDealWhereCommitted
	ConcludeOrVoid
	OfferToWithdraw
	Continues
	PointsAlone
	PicturesApart
	AskShiftManager
	VoidRound
	FoldUndecided
	WaitForPlayer
	AllOwn
	OneOnly
	ByPitSupervisor
	ByPitManager
	ByShiftManager
	UntilReveal
	UntilSettlement
	PassesOn
	DealerOpens
	PerWager
	PerArea
	Stand
	ResetValue
	RegisteredValue
	PerBet
	PerPlayer
	AgainstIt
	Everybody
	numChoices
)

var choiceKeys = [numChoices]string{
	Lost: "lost", Kept: "kept", PerHand: "hand", PerRound: "round", No: "no", Yes: "yes",
	KeptByHouse: "kept-by-house", Returned: "returned", Paid: "paid", NotPaid: "not-paid",
	FirstExposure: "first-exposure", AtDeal: "at-deal", AtDealWhereCommitted: "at-deal-where-committed",
	ConcludeOrVoid: "conclude-or-void", OfferToWithdraw: "offer-to-withdraw",
	Continues: "continues", PointsAlone: "zero", PicturesApart: "apart",
	AskShiftManager: "ask", VoidRound: "void", FoldUndecided: "fold", WaitForPlayer: "wait",
	AllOwn: "all", OneOnly: "one",
	ByPitSupervisor: "pit-supervisor", ByPitManager: "pit-manager", ByShiftManager: "shift-manager",
	UntilReveal: "reveal", UntilSettlement: "settlement", PassesOn: "passes-on", DealerOpens: "dealer-opens",
	PerWager: "wager", PerArea: "area",
	Stand: "stands", ResetValue: "reset", RegisteredValue: "registered",
	PerBet: "bet", PerPlayer: "player", AgainstIt: "against-it", Everybody: "everybody",
}

// String returns the choice's key in files.
func (c Choice) String() string {
	if c == 0 || c >= numChoices {
		return "unknown"
	}
	return choiceKeys[c]
}

// RulingRule describes one ruling: its question, its default and its choices.
type RulingRule struct {
	Ruling Ruling
	Key    string
	// Books maps the id of each book that leaves the point open to the clauses
	// concerned.
	Books map[string][]string
	// Question is what the text leaves open.
	Question string
	// Choices lists the permitted values, the default first.
	Choices []Choice
}

// Later is since when a book leaves a point open that it had settled before.
type Later struct {
	// Since is the first revision of the book that leaves it open.
	Since int
	// Older is the value by which rounds of earlier revisions were played.
	Older Choice
}

// laterRulings says of each ruling that a book left open only in a later revision, by
// the id of the book, since which one. Version 1 has none. A ruling that is added to a
// book after it stands here, or the older records of the book could not go on.
var laterRulings = map[Ruling]map[string]Later{}

// OpenRuling is a question that one book leaves open.
type OpenRuling struct {
	Ruling Ruling
	// Values lists those permitted, the default first.
	Values []Choice
	// Since and Older are as in [Later]; zero where the first revision had the ruling.
	Since int
	Older Choice
}

var rulingRules = [numRulings]RulingRule{
	EnvyWhenFolded: {
		EnvyWhenFolded, "envy_when_folded",
		map[string][]string{"rws-3cp": {"3.12.1", "4.4", "4.7"}},
		"Does a folded box keep its claim to an Envy Bonus?",
		[]Choice{Lost, Kept},
	},
	EnvyPer: {
		EnvyPer, "envy_per",
		map[string][]string{"rws-3cp": {"4.7"}},
		"One Envy Bonus for each hand that brings it, or only the best one a round?",
		[]Choice{PerHand, PerRound},
	},
	EnvyOwnBoxes: {
		EnvyOwnBoxes, "envy_own_boxes",
		map[string][]string{"rws-3cp": {"4.7"}, "sm-3cp": {"bonus.10d"}},
		"Does a hand on another box of the same player bring that player an Envy Bonus?",
		[]Choice{No, Yes},
	},
	EnvyFromFolded: {
		EnvyFromFolded, "envy_from_folded",
		map[string][]string{"rws-3cp": {"4.7"}, "sm-3cp": {"bonus.10b", "bonus.10c"}},
		"Does a folded hand still bring the other boxes their Envy Bonus?",
		[]Choice{Yes, No},
	},
	JackpotStake: {
		JackpotStake, "jackpot_stake",
		map[string][]string{"rws-3cp": {"4.4"}},
		"Does the Progressive Jackpot stake come back with a win?",
		[]Choice{KeptByHouse, Returned},
	},
	AnteBonusOnStandoff: {
		AnteBonusOnStandoff, "ante_bonus_on_standoff",
		map[string][]string{"rws-3cp": {"1.21", "3.15.3", "3.16"}},
		"Is the Ante Bonus paid when the hands stand off?",
		[]Choice{Paid, NotPaid},
	},
	BurnWithShuffler: {
		BurnWithShuffler, "burn_with_shuffler",
		map[string][]string{"rws-3cp": {"1.4", "3.10", "3.11"}},
		"Is a card burnt when a shuffler deals packets of three?",
		[]Choice{No, Yes},
	},
	OutcomeEstablished: {
		OutcomeEstablished, "outcome_established",
		map[string][]string{
			"rws-3cp": {"5.7", "5.7.1", "5.7.2"}, "mbs-3pictures": {"5.13.1", "5.13.2"},
			"us-3cp": {"irregularities.2"}, "sm-3cp": {"bonus.8"},
		},
		"When has a wager conclusively won or lost: at the first accepted fold or hand shown to the table, or as soon as all cards are dealt (everywhere, or where the deck was committed to)?",
		[]Choice{AtDealWhereCommitted, FirstExposure, AtDeal},
	},
	Interruption: {
		Interruption, "interruption",
		map[string][]string{"us-3cp": {"irregularities.2"}, "sm-3cp": {"bonus.8"}},
		"What does a technical interruption do to a round when the book says nothing?",
		[]Choice{ConcludeOrVoid, OfferToWithdraw},
	},
	OptionUnanswered: {
		OptionUnanswered, "option_unanswered",
		map[string][]string{"rws-3cp": {"5.10"}, "mbs-3pictures": {"5.7", "5.13.1"}, "us-3cp": {"irregularities.2"}, "sm-3cp": {"bonus.8"}},
		"What becomes of a hand whose player does not answer an option in time?",
		[]Choice{Continues, Returned},
	},
	TiePointTotal: {
		TiePointTotal, "tie_point_total",
		map[string][]string{"mbs-3pictures": {"1.1.6", "3.17.1.1", "3.19"}},
		"For the Tie wager, has Three Pictures a point total of zero, or does it tie only with itself?",
		[]Choice{PointsAlone, PicturesApart},
	},
	BonusAfterFold: {
		BonusAfterFold, "bonus_after_fold",
		map[string][]string{"sm-3cp": {"ways.3", "bonus.9", "bonus.10"}},
		"Does a folded box keep its Bonus bet and its Envy Bonus?",
		[]Choice{Kept, Lost},
	},
	SilentIrregularity: {
		SilentIrregularity, "silent_irregularity",
		map[string][]string{"us-3cp": {"irregularities.2"}, "sm-3cp": {"bonus.8"}},
		"Who settles a situation that the text does not provide for?",
		[]Choice{AskShiftManager, VoidRound},
	},
	AbsentPlayer: {
		AbsentPlayer, "absent_player",
		map[string][]string{"us-3cp": {"rules.3"}, "sm-3cp": {"ways.1"}},
		"Is the undecided hand of a player who walked away folded, or does the table wait?",
		[]Choice{FoldUndecided, WaitForPlayer},
	},
	ExamineOwnBoxes: {
		ExamineOwnBoxes, "examine_own_boxes",
		map[string][]string{"us-3cp": {"rules.2"}, "sm-3cp": {"ways.1"}},
		"May a player with several boxes examine each of their hands, or one only?",
		[]Choice{AllOwn, OneOnly},
	},
	AdjacentBoxes: {
		AdjacentBoxes, "adjacent_boxes",
		map[string][]string{"us-3cp": {"dealing.1d"}},
		"Does the house let a player bet on two adjacent boxes?",
		[]Choice{No, Yes},
	},
	UnseenWrongCount: {
		UnseenWrongCount, "unseen_wrong_count",
		map[string][]string{"rws-3cp": {"5.8.6", "5.15"}},
		"A player's hand has too few or too many cards, they cannot be put right and nobody has looked: does it cost the hand or the round?",
		[]Choice{PerHand, PerRound},
	},
	UnseenCountPutRight: {
		UnseenCountPutRight, "unseen_count_put_right",
		map[string][]string{"rws-3cp": {"5.8.6", "5.8.7", "5.10", "5.15"}},
		"A hand has too few or too many cards, nobody has looked and the order is known: are the cards put right, with options for those affected, or is the round void?",
		[]Choice{No, Yes},
	},
	DealersHandAffects: {
		DealersHandAffects, "dealers_hand_affects",
		map[string][]string{"rws-3cp": {"3.6.2", "5.10"}},
		"A dealing error concerns the dealer's hand: whom does it affect, those who have a bet against that hand, or every player?",
		[]Choice{AgainstIt, Everybody},
	},
	WithdrawalBy: {
		WithdrawalBy, "withdrawal_permitted_by",
		map[string][]string{"mbs-3pictures": {"5.7"}},
		"Who may permit a dissatisfied player to withdraw a wager?",
		[]Choice{ByPitSupervisor, ByPitManager, ByShiftManager},
	},
	WithdrawalUntil: {
		WithdrawalUntil, "withdrawal_until",
		map[string][]string{"mbs-3pictures": {"1.1.3", "5.7"}},
		"Until when may a dissatisfied player withdraw a wager: until the dealer's hand is revealed, or until the settlement?",
		[]Choice{UntilReveal, UntilSettlement},
	},
	FirstPlayerLeft: {
		FirstPlayerLeft, "first_player_left",
		map[string][]string{"mbs-3pictures": {"3.10", "3.14"}},
		"The seated player who wagered first on a shared position has left without looking, or has looked at another hand: does the right to look pass on, or does the dealer open the hand?",
		[]Choice{PassesOn, DealerOpens},
	},
	SideWagerFirst: {
		SideWagerFirst, "side_wager_first",
		map[string][]string{"mbs-3pictures": {"3.4", "3.5", "3.10"}},
		"Does a player who has no main wager on a shared position, but a Tie or Royal Pictures wager, count as the one who wagered there first?",
		[]Choice{Yes, No},
	},
	LimitsPer: {
		LimitsPer, "limits_per",
		map[string][]string{"mbs-3pictures": {"3.4", "5.10", "5.11"}},
		"Do the minimum and the maximum apply to each player's wager on a shared area, or to all wagers there together?",
		[]Choice{PerWager, PerArea},
	},
	LowWagersInRound: {
		LowWagersInRound, "low_wagers_in_round",
		map[string][]string{"mbs-3pictures": {"5.10"}},
		"A player has several wagers below the minimum in the first such round: are all settled this once, or only one of them?",
		[]Choice{AllOwn, OneOnly},
	},
	FoldBeforeDeal: {
		FoldBeforeDeal, "fold_before_deal",
		map[string][]string{"rws-3cp": {"5.5", "5.7.1"}},
		"A player has left before the deal is complete and so has folded: has an outcome been established when the round is then interrupted?",
		[]Choice{Yes, No},
	},
	PaidJackpotStands: {
		PaidJackpotStands, "paid_jackpot_stands",
		map[string][]string{"rws-3cp": {"5.8", "5.8.7", "5.15", "5.23"}},
		"An error that voids the round or invalidates the hand is found when the major jackpot has been paid: does the payment stand?",
		[]Choice{No, Yes},
	},
	FoundAfterPayment: {
		FoundAfterPayment, "found_after_payment",
		map[string][]string{
			"rws-3cp": {"1.18", "5.8", "5.8.1", "5.8.3", "5.8.5", "5.9"}, "mbs-3pictures": {"1.1.3", "5.1", "5.1.2", "5.9"},
		},
		"A foreign card, a wrong deck, unshuffled cards or a missed burn card are found after the payment and before the next round: does the round just played stand?",
		[]Choice{Stand, VoidRound},
	},
	MovedHandsOptions: {
		MovedHandsOptions, "moved_hands_options",
		map[string][]string{"rws-3cp": {"5.8.6", "5.10"}},
		"Whole hands have been moved to where they belong: do the players affected then have the options of a dealing error?",
		[]Choice{Yes, No},
	},
	SettledOptions: {
		SettledOptions, "settled_options",
		map[string][]string{"rws-3cp": {"1.18", "5.10"}},
		`Does an error of the deal that is noticed during the settlement give its options to a player whose box is settled?`,
		[]Choice{Yes, No},
	},
	FoldedOptions: {
		FoldedOptions, "folded_options",
		map[string][]string{"rws-3cp": {"5.9", "5.14.1"}},
		`Does "all Players at the gaming table" take in a player who has folded?`,
		[]Choice{No, Yes},
	},
	ExposedAfterDeal: {
		ExposedAfterDeal, "exposed_after_deal",
		map[string][]string{"rws-3cp": {"5.8.2", "5.10", "5.12"}},
		`Does "during the deal" take in a card exposed once every hand has its three?`,
		[]Choice{Yes, No, AskShiftManager},
	},
	LowProgressive: {
		LowProgressive, "low_progressive",
		map[string][]string{"rws-3cp": {"3.4", "5.2.1", "5.20"}},
		"A Progressive Jackpot bet is found below the prescribed amount after the bets were closed: what of it?",
		[]Choice{Returned, Stand},
	},
	SecondHitDown: {
		SecondHitDown, "second_hit_down",
		map[string][]string{"rws-3cp": {"1.15", "4.9.1", "5.17.1"}},
		"The jackpot fails while two hands are to be paid the whole of it: is the second paid the reset value, or what was registered?",
		[]Choice{ResetValue, RegisteredValue},
	},
	UnrevealedHand: {
		UnrevealedHand, "unrevealed_hand",
		map[string][]string{"rws-3cp": {"4.5"}},
		"A player has played and never shows the cards: what of the wagers that depend on their rank?",
		[]Choice{Lost, Returned},
	},
	UnrevealedUnqualified: {
		UnrevealedUnqualified, "unrevealed_unqualified",
		map[string][]string{"rws-3cp": {"3.13", "4.5"}},
		"The dealer does not qualify and a player who has played never shows the cards: is the Ante paid?",
		[]Choice{Paid, NotPaid},
	},
	UnrevealedEnvy: {
		UnrevealedEnvy, "unrevealed_envy",
		map[string][]string{"rws-3cp": {"4.5", "4.7"}},
		"Does a box whose player never shows the cards keep its claim to an Envy Bonus for another hand?",
		[]Choice{Kept, Lost},
	},
	EnvyTwoBets: {
		EnvyTwoBets, "envy_two_bets",
		map[string][]string{"sm-3cp": {"bonus.7", "bonus.10c", "bonus.10e"}},
		"A player has Bonus bets on two boxes: does a hand that brings an Envy Bonus pay it to each bet, or once to the player?",
		[]Choice{PerBet, PerPlayer},
	},
	FoldedAffected: {
		FoldedAffected, "folded_affected",
		map[string][]string{"rws-3cp": {"3.12.1", "5.10", "5.10.3"}},
		"A player has folded a hand that was dealt wrongly: is the player one of those affected, who have the options?",
		[]Choice{Yes, No},
	},
	SecondHandFolded: {
		SecondHandFolded, "second_hand_folded",
		map[string][]string{"rws-3cp": {"1.8", "3.12.1", "5.18"}},
		"A player looks on purpose at a further hand that the player has folded: do its bets go back, or do they stay lost?",
		[]Choice{Lost, Returned},
	},
	ExposedBurn: {
		ExposedBurn, "exposed_burn",
		map[string][]string{"rws-3cp": {"1.4", "3.10", "5.8.2", "5.10", "5.12"}},
		"Does an exposed burn card count as a card exposed during the deal?",
		[]Choice{No, Yes},
	},
	OutsideLimits: {
		OutsideLimits, "stake_outside_limits",
		map[string][]string{
			"us-3cp": {"objective", "ways.3", "amounts.ante", "amounts.pair-plus"}, "sm-3cp": {"ways.3", "bonus.5", "bonus.6"},
		},
		"A stake above the maximum or below the minimum is found after the bets were closed: does what is outside the limits go back, or does somebody decide?",
		[]Choice{Returned, AskShiftManager},
	},
	AmountsWithoutChips: {
		AmountsWithoutChips, "amounts_without_chips",
		map[string][]string{"us-3cp": {"objective", "equipment.chips"}},
		"Where no chips lie on the table, may a bet be any amount within the limits?",
		[]Choice{Yes, No},
	},
	BonusBesidePairPlus: {
		BonusBesidePairPlus, "bonus_beside_pair_plus",
		map[string][]string{"sm-3cp": {"bonus.6"}},
		"May a Bonus bet stand beside a Pair Plus bet alone, or does it need an Ante?",
		[]Choice{Yes, No},
	},
	DrawnInOrder: {
		DrawnInOrder, "drawn_in_order",
		map[string][]string{"rws-3cp": {"5.14", "5.14.1"}},
		"Cards were drawn together, and the order in which they lay is known: is that a dealing error with options for all players?",
		[]Choice{No, Yes},
	},
	UnlookedHand: {
		UnlookedHand, "unlooked_hand",
		map[string][]string{"mbs-3pictures": {"3.7", "3.13", "3.14", "3.15"}},
		"A seated player who may look at the hand does not: may the dealer open it?",
		[]Choice{Yes, No},
	},
	MainWithdrawn: {
		MainWithdrawn, "main_withdrawn",
		map[string][]string{"mbs-3pictures": {"3.5", "5.3", "5.7", "5.13.1"}},
		"A player takes back the only main wager of a position after the call: do the Tie and Royal Pictures wagers of others there stand, or do they go back?",
		[]Choice{Stand, Returned},
	},
	SideWagersOpen: {
		SideWagersOpen, "side_wagers_before_the_call",
		map[string][]string{"mbs-3pictures": {"3.5"}},
		"The only main wager of a position is taken back while bets are open: do the Tie and Royal Pictures wagers there go back at once, or may they lie there until the call?",
		[]Choice{Returned, Stand},
	},
	LowStandoff: {
		LowStandoff, "low_standoff",
		map[string][]string{"mbs-3pictures": {"1.1.5", "5.10"}},
		"A wager below the minimum ends in a stand-off: was that the one time that it is settled?",
		[]Choice{Yes, No},
	},
	DealerCountLate: {
		DealerCountLate, "dealer_count_after_payment",
		map[string][]string{"mbs-3pictures": {"1.1.3", "5.1.2", "5.9"}},
		"The dealer's hand is found to have too few or too many cards after the payment, a player having handled cards: is the round void, or does it stand?",
		[]Choice{VoidRound, Stand},
	},
	TurnedAfterDeal: {
		TurnedAfterDeal, "turned_after_deal",
		map[string][]string{"mbs-3pictures": {"5.8", "6.1"}},
		"A card is turned over by mistake when all cards have been dealt: is it turned face down as one that is dealt exposed?",
		[]Choice{Yes, No},
	},
}

// PermitsWithdrawal returns the least authority that may let a dissatisfied player
// withdraw a wager.
//
//clause:mbs-3pictures@2 5.7
func (v *Variant) PermitsWithdrawal() Role {
	switch v.Choices[WithdrawalBy] {
	case ByPitManager:
		return PitManager
	case ByShiftManager:
		return ShiftManager
	default:
		return PitSupervisor
	}
}

// Rule returns the ruling's description.
func (r Ruling) Rule() *RulingRule {
	if r == 0 || r >= numRulings {
		return &RulingRule{}
	}
	return &rulingRules[r]
}

// String returns the ruling's key in files, such as "envy_per".
func (r Ruling) String() string { return r.Rule().Key }

// rulingMark begins the id of a provision that is a ruling.
const rulingMark = "ruling."

// Clause returns the id under which a result cites the ruling where the text has
// no provision of its own, such as "ruling.silent_irregularity".
func (r Ruling) Clause() string { return rulingMark + r.String() }

// CitedRuling returns the ruling that a provision's id cites in place of a clause.
func CitedRuling(id string) (Ruling, bool) {
	key, cites := strings.CutPrefix(id, rulingMark)
	if !cites {
		return 0, false
	}
	r, err := ParseRuling(key)
	return r, err == nil
}

// Provides reports whether the id is a clause of the book, or a ruling on a point
// that the book leaves open.
func (b *Book) Provides(id string) bool {
	if r, cites := CitedRuling(id); cites {
		return b.Values(r) != nil
	}
	_, ok := b.Clause(id)
	return ok
}

// ParseRuling reads a ruling's key.
func ParseRuling(s string) (Ruling, error) {
	keys := make([]string, 0, numRulings)
	for r := EnvyWhenFolded; r < numRulings; r++ {
		if rulingRules[r].Key == s {
			return r, nil
		}
		keys = append(keys, rulingRules[r].Key)
	}
	return 0, fmt.Errorf("%q is not a ruling: the rulings are %s", s, strings.Join(keys, ", "))
}

// ParseChoice reads a value of this ruling. The error lists the values.
func (r Ruling) ParseChoice(s string) (Choice, error) {
	choices := r.Rule().Choices
	keys := make([]string, len(choices))
	for i, c := range choices {
		if c.String() == s {
			return c, nil
		}
		keys[i] = c.String()
	}
	return 0, sentence.Errorf("%s cannot be %q: its values are %s (the first is the default)", r.String(), s, strings.Join(keys, ", "))
}

// OpenRulings lists the questions that the book leaves open, in the order of the
// rulings.
func (b *Book) OpenRulings() []OpenRuling {
	if b.Rulings != nil {
		return b.Rulings
	}
	var open []OpenRuling
	for r := EnvyWhenFolded; r < numRulings; r++ {
		rule := &rulingRules[r]
		if _, ok := rule.Books[b.ID]; ok {
			later := laterRulings[r][b.ID]
			open = append(open, OpenRuling{r, rule.Choices, later.Since, later.Older})
		}
	}
	return open
}

// Open lists the rulings that the book leaves open, in their order.
func (b *Book) Open() []Ruling {
	var open []Ruling
	for _, r := range b.OpenRulings() {
		open = append(open, r.Ruling)
	}
	return open
}

// Values lists the permitted values of a ruling that the book leaves open, the
// default first; nil if it does not leave it open.
func (b *Book) Values(r Ruling) []Choice {
	for _, open := range b.OpenRulings() {
		if open.Ruling == r {
			return open.Values
		}
	}
	return nil
}

// addedSince returns the rulings that the book has and another declaration of it does
// not have.
func (b *Book) addedSince(than *Book) []OpenRuling {
	return slices.DeleteFunc(slices.Clone(b.OpenRulings()), func(r OpenRuling) bool { return than.Values(r.Ruling) != nil })
}

// choices returns the value of every ruling where nobody has settled any: the book's
// default, and for what its declaration does not have the value that it means.
func (b *Book) choices() Choices {
	c := DefaultChoices()
	for _, r := range b.OpenRulings() {
		c[r.Ruling] = r.Values[0]
	}
	for _, r := range b.later {
		if r.Older != 0 {
			c[r.Ruling] = r.Older
		}
	}
	return c
}

// Choices holds the value in force of every ruling, indexed by Ruling. Rulings
// that the book does not leave open hold their default.
type Choices [numRulings]Choice

// DefaultChoices returns every ruling's default.
func DefaultChoices() Choices {
	var c Choices
	for r := EnvyWhenFolded; r < numRulings; r++ {
		c[r] = rulingRules[r].Choices[0]
	}
	return c
}
