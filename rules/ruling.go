package rules

import (
	"slices"
	"strings"

	"trey/internal/enum"
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
	PairPlusAfterFold
	AnteBesideBonus
	EarlyLook
	DeviceFailure
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
	DisplayedValue
	numChoices
)

var choiceKeys = enum.New("a value of a ruling", numChoices, []string{
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
	DisplayedValue: "displayed",
})

// String returns the choice's key in files.
func (c Choice) String() string { return choiceKeys.Key(c) }

// RulingRule describes one ruling: its question, its default and its choices.
type RulingRule struct {
	Ruling Ruling
	Key    string
	// Question is what the text leaves open.
	Question string
	// Choices lists the permitted values, the default first.
	Choices []Choice
}

// OpenRuling is a question that one book leaves open.
type OpenRuling struct {
	Ruling Ruling
	// Values lists those permitted, the default first.
	Values []Choice
	// Since is the first revision of the book that leaves it open, and Older the value by
	// which rounds of earlier revisions were played; zero where the first revision had the
	// ruling.
	Since int
	Older Choice
	// Clauses are those of the book that the question concerns.
	Clauses []string
}

// Open returns a question that a book leaves open, with all its values.
func Open(r Ruling, clauses ...string) OpenRuling {
	return OpenRuling{Ruling: r, Values: rulingRules[r].Choices, Clauses: clauses}
}

// Later returns the question as one that a later revision of the book leaves open. Rounds
// of earlier revisions were played by the value older.
func (r OpenRuling) Later(since int, older Choice) OpenRuling {
	r.Since, r.Older = since, older
	return r
}

var rulingRules = [numRulings]RulingRule{
	EnvyWhenFolded: {
		EnvyWhenFolded, "envy_when_folded",
		"Does a folded box keep its claim to an Envy Bonus?",
		[]Choice{Lost, Kept},
	},
	EnvyPer: {
		EnvyPer, "envy_per",
		"One Envy Bonus for each hand that brings it, or only the best one a round?",
		[]Choice{PerHand, PerRound},
	},
	EnvyOwnBoxes: {
		EnvyOwnBoxes, "envy_own_boxes",
		"Does a hand on another box of the same player bring that player an Envy Bonus?",
		[]Choice{No, Yes},
	},
	EnvyFromFolded: {
		EnvyFromFolded, "envy_from_folded",
		"Does a folded hand still bring the other boxes their Envy Bonus?",
		[]Choice{Yes, No},
	},
	JackpotStake: {
		JackpotStake, "jackpot_stake",
		"Does the Progressive Jackpot stake come back with a win?",
		[]Choice{KeptByHouse, Returned},
	},
	AnteBonusOnStandoff: {
		AnteBonusOnStandoff, "ante_bonus_on_standoff",
		"Is the Ante Bonus paid when the hands stand off?",
		[]Choice{Paid, NotPaid},
	},
	BurnWithShuffler: {
		BurnWithShuffler, "burn_with_shuffler",
		"Is a card burnt when a shuffler deals packets of three?",
		[]Choice{No, Yes},
	},
	OutcomeEstablished: {
		OutcomeEstablished, "outcome_established",
		"When has a wager conclusively won or lost: at the first accepted fold or hand shown to the table, or as soon as all cards are dealt (everywhere, or where the deck was committed to)?",
		[]Choice{AtDealWhereCommitted, FirstExposure, AtDeal},
	},
	Interruption: {
		Interruption, "interruption",
		"What does a technical interruption do to a round when the book says nothing?",
		[]Choice{ConcludeOrVoid, OfferToWithdraw},
	},
	OptionUnanswered: {
		OptionUnanswered, "option_unanswered",
		"What becomes of a hand whose player does not answer an option in time?",
		[]Choice{Continues, Returned},
	},
	TiePointTotal: {
		TiePointTotal, "tie_point_total",
		"For the Tie wager, has Three Pictures a point total of zero, or does it tie only with itself?",
		[]Choice{PointsAlone, PicturesApart},
	},
	BonusAfterFold: {
		BonusAfterFold, "bonus_after_fold",
		"Does a folded box keep its Bonus bet and its Envy Bonus?",
		[]Choice{Kept, Lost},
	},
	SilentIrregularity: {
		SilentIrregularity, "silent_irregularity",
		"Who settles a situation that the text does not provide for?",
		[]Choice{AskShiftManager, VoidRound},
	},
	AbsentPlayer: {
		AbsentPlayer, "absent_player",
		"Is the undecided hand of a player who walked away folded, or does the table wait?",
		[]Choice{FoldUndecided, WaitForPlayer},
	},
	ExamineOwnBoxes: {
		ExamineOwnBoxes, "examine_own_boxes",
		"May a player with several boxes examine each of their hands, or one only?",
		[]Choice{AllOwn, OneOnly},
	},
	AdjacentBoxes: {
		AdjacentBoxes, "adjacent_boxes",
		"Does the house let a player bet on two adjacent boxes?",
		[]Choice{No, Yes},
	},
	UnseenWrongCount: {
		UnseenWrongCount, "unseen_wrong_count",
		"A player's hand has too few or too many cards, they cannot be put right and nobody has looked: does it cost the hand or the round?",
		[]Choice{PerHand, PerRound},
	},
	UnseenCountPutRight: {
		UnseenCountPutRight, "unseen_count_put_right",
		"A hand has too few or too many cards, nobody has looked and the order is known: are the cards put right, with options for those affected, or is the round void?",
		[]Choice{No, Yes},
	},
	DealersHandAffects: {
		DealersHandAffects, "dealers_hand_affects",
		"A dealing error concerns the dealer's hand: whom does it affect, those who have a bet against that hand, or every player?",
		[]Choice{AgainstIt, Everybody},
	},
	WithdrawalBy: {
		WithdrawalBy, "withdrawal_permitted_by",
		"Who may permit a dissatisfied player to withdraw a wager?",
		[]Choice{ByPitSupervisor, ByPitManager, ByShiftManager},
	},
	WithdrawalUntil: {
		WithdrawalUntil, "withdrawal_until",
		"Until when may a dissatisfied player withdraw a wager: until the dealer's hand is revealed, or until the settlement?",
		[]Choice{UntilReveal, UntilSettlement},
	},
	FirstPlayerLeft: {
		FirstPlayerLeft, "first_player_left",
		"The seated player who wagered first on a shared position has left without looking, or has looked at another hand: does the right to look pass on, or does the dealer open the hand?",
		[]Choice{PassesOn, DealerOpens},
	},
	SideWagerFirst: {
		SideWagerFirst, "side_wager_first",
		"Does a player who has no main wager on a shared position, but a Tie or Royal Pictures wager, count as the one who wagered there first?",
		[]Choice{Yes, No},
	},
	LimitsPer: {
		LimitsPer, "limits_per",
		"Do the minimum and the maximum apply to each player's wager on a shared area, or to all wagers there together?",
		[]Choice{PerWager, PerArea},
	},
	LowWagersInRound: {
		LowWagersInRound, "low_wagers_in_round",
		"A player has several wagers below the minimum in the first such round: are all settled this once, or only one of them?",
		[]Choice{AllOwn, OneOnly},
	},
	FoldBeforeDeal: {
		FoldBeforeDeal, "fold_before_deal",
		"A player has left before the deal is complete and so has folded: has an outcome been established when the round is then interrupted?",
		[]Choice{Yes, No},
	},
	PaidJackpotStands: {
		PaidJackpotStands, "paid_jackpot_stands",
		"An error that voids the round or invalidates the hand is found when the major jackpot has been paid: does the payment stand?",
		[]Choice{No, Yes},
	},
	FoundAfterPayment: {
		FoundAfterPayment, "found_after_payment",
		"A foreign card, a wrong deck, unshuffled cards or a missed burn card are found after the payment and before the next round: does the round just played stand?",
		[]Choice{Stand, VoidRound},
	},
	MovedHandsOptions: {
		MovedHandsOptions, "moved_hands_options",
		"Whole hands have been moved to where they belong: do the players affected then have the options of a dealing error?",
		[]Choice{Yes, No},
	},
	SettledOptions: {
		SettledOptions, "settled_options",
		`Does an error of the deal that is noticed during the settlement give its options to a player whose box is settled?`,
		[]Choice{Yes, No},
	},
	FoldedOptions: {
		FoldedOptions, "folded_options",
		`Does "all Players at the gaming table" take in a player who has folded?`,
		[]Choice{No, Yes},
	},
	ExposedAfterDeal: {
		ExposedAfterDeal, "exposed_after_deal",
		`Does "during the deal" take in a card exposed once every hand has its three?`,
		[]Choice{Yes, No, AskShiftManager},
	},
	LowProgressive: {
		LowProgressive, "low_progressive",
		"A Progressive Jackpot bet is found below the prescribed amount after the bets were closed: what of it?",
		[]Choice{Returned, Stand},
	},
	SecondHitDown: {
		SecondHitDown, "second_hit_down",
		"The jackpot fails while two hands are to be paid the whole of it: is the second paid the reset value, or what was registered?",
		[]Choice{ResetValue, RegisteredValue},
	},
	DeviceFailure: {
		DeviceFailure, "device_failure",
		"Only betting devices fail, and the system of the jackpot works: is a hit of that round paid what was registered before, for which the jackpot stands still at all tables, or what is displayed?",
		[]Choice{RegisteredValue, DisplayedValue},
	},
	UnrevealedHand: {
		UnrevealedHand, "unrevealed_hand",
		"A player has played and never shows the cards: what of the wagers that depend on their rank?",
		[]Choice{Lost, Returned},
	},
	UnrevealedUnqualified: {
		UnrevealedUnqualified, "unrevealed_unqualified",
		"The dealer does not qualify and a player who has played never shows the cards: is the Ante paid?",
		[]Choice{Paid, NotPaid},
	},
	UnrevealedEnvy: {
		UnrevealedEnvy, "unrevealed_envy",
		"Does a box whose player never shows the cards keep its claim to an Envy Bonus for another hand?",
		[]Choice{Kept, Lost},
	},
	EnvyTwoBets: {
		EnvyTwoBets, "envy_two_bets",
		"A player has Bonus bets on two boxes: does a hand that brings an Envy Bonus pay it to each bet, or once to the player?",
		[]Choice{PerBet, PerPlayer},
	},
	FoldedAffected: {
		FoldedAffected, "folded_affected",
		"A player has folded a hand that was dealt wrongly: is the player one of those affected, who have the options?",
		[]Choice{Yes, No},
	},
	SecondHandFolded: {
		SecondHandFolded, "second_hand_folded",
		"A player looks on purpose at a further hand that the player has folded: do its bets go back, or do they stay lost?",
		[]Choice{Lost, Returned},
	},
	ExposedBurn: {
		ExposedBurn, "exposed_burn",
		"Does an exposed burn card count as a card exposed during the deal?",
		[]Choice{No, Yes},
	},
	OutsideLimits: {
		OutsideLimits, "stake_outside_limits",
		"A stake above the maximum or below the minimum is found after the bets were closed: does what is outside the limits go back, or does somebody decide?",
		[]Choice{Returned, AskShiftManager},
	},
	AmountsWithoutChips: {
		AmountsWithoutChips, "amounts_without_chips",
		"Where no chips lie on the table, may a bet be any amount within the limits?",
		[]Choice{Yes, No},
	},
	BonusBesidePairPlus: {
		BonusBesidePairPlus, "bonus_beside_pair_plus",
		"May a Bonus bet stand beside a Pair Plus bet alone, or does it need an Ante?",
		[]Choice{Yes, No},
	},
	DrawnInOrder: {
		DrawnInOrder, "drawn_in_order",
		"Cards were drawn together, and the order in which they lay is known: is that a dealing error with options for all players?",
		[]Choice{No, Yes},
	},
	UnlookedHand: {
		UnlookedHand, "unlooked_hand",
		"A seated player who may look at the hand does not: may the dealer open it?",
		[]Choice{Yes, No},
	},
	MainWithdrawn: {
		MainWithdrawn, "main_withdrawn",
		"A player takes back the only main wager of a position after the call: do the Tie and Royal Pictures wagers of others there stand, or do they go back?",
		[]Choice{Stand, Returned},
	},
	SideWagersOpen: {
		SideWagersOpen, "side_wagers_before_the_call",
		"The only main wager of a position is taken back while bets are open: do the Tie and Royal Pictures wagers there go back at once, or may they lie there until the call?",
		[]Choice{Returned, Stand},
	},
	LowStandoff: {
		LowStandoff, "low_standoff",
		"A wager below the minimum ends in a stand-off: was that the one time that it is settled?",
		[]Choice{Yes, No},
	},
	DealerCountLate: {
		DealerCountLate, "dealer_count_after_payment",
		"The dealer's hand is found to have too few or too many cards after the payment, a player having handled cards: is the round void, or does it stand?",
		[]Choice{VoidRound, Stand},
	},
	TurnedAfterDeal: {
		TurnedAfterDeal, "turned_after_deal",
		"A card is turned over by mistake when all cards have been dealt: is it turned face down as one that is dealt exposed?",
		[]Choice{Yes, No},
	},
	PairPlusAfterFold: {
		PairPlusAfterFold, "pair_plus_after_fold",
		"Does a folded box keep its Pair Plus bet?",
		[]Choice{Lost, Kept},
	},
	AnteBesideBonus: {
		AnteBesideBonus, "ante_beside_bonus",
		"Is a winning Ante paid at its higher rate beside a Bonus bet that is paid for the same hand?",
		[]Choice{Yes, No},
	},
	EarlyLook: {
		EarlyLook, "early_look",
		"A hand is void because its player looked before the deal was over: do its bets go back, or are they lost?",
		[]Choice{Returned, Lost},
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

var rulingKeys = func() *enum.Keys[Ruling] {
	keys := make([]string, numRulings)
	for r := range keys {
		keys[r] = rulingRules[r].Key
	}
	return enum.New("a ruling", numRulings, keys)
}()

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
func ParseRuling(s string) (Ruling, error) { return rulingKeys.Parse(s) }

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

// OpenRuling returns the question as the book leaves it open, nil if it does not.
func (b *Book) OpenRuling(r Ruling) *OpenRuling {
	for i := range b.Rulings {
		if b.Rulings[i].Ruling == r {
			return &b.Rulings[i]
		}
	}
	return nil
}

// OpenRulings lists the questions that the book leaves open, in the order of the
// rulings.
func (b *Book) OpenRulings() []OpenRuling { return b.Rulings }

// Open lists the rulings that the book leaves open, in their order.
func (b *Book) Open() []Ruling {
	open := make([]Ruling, len(b.Rulings))
	for i := range b.Rulings {
		open[i] = b.Rulings[i].Ruling
	}
	return open
}

// Values lists the permitted values of a ruling that the book leaves open, the
// default first; nil if it does not leave it open.
func (b *Book) Values(r Ruling) []Choice {
	if open := b.OpenRuling(r); open != nil {
		return open.Values
	}
	return nil
}

// addedSince returns the rulings that the book has and another declaration of it does
// not have.
func (b *Book) addedSince(than *Book) []OpenRuling {
	return slices.DeleteFunc(slices.Clone(b.Rulings), func(r OpenRuling) bool { return than.Values(r.Ruling) != nil })
}

// choices returns the value of every ruling where nobody has settled any: the book's
// default, and for what its declaration does not have the value that it means.
func (b *Book) choices() Choices {
	c := defaultChoices()
	for _, r := range b.Rulings {
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

// defaultChoices returns every ruling's default.
func defaultChoices() Choices {
	var c Choices
	for r := EnvyWhenFolded; r < numRulings; r++ {
		c[r] = rulingRules[r].Choices[0]
	}
	return c
}
