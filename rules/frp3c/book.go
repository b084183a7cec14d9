// Package frp3c declares Poker trois cartes as article 55-21 of the French order of 14 May
// 2007 has it. It is data: package table plays it.
package frp3c

import (
	"slices"

	"trey/card"
	"trey/rules"
)

// Book returns the declaration. Its value is shared and must not be changed.
func Book() *rules.Book { return book }

// least is the lowest hand with a Queen.
var least = card.NewHand(card.New(card.Queen, card.Clubs), card.New(card.Three, card.Diamonds), card.New(card.Two, card.Hearts))

var book = &rules.Book{
	ID: "fr-p3c", Edition: "2007", Revision: 2,
	Title: "Poker trois cartes", House: "the French order of 14 May 2007", Language: "fr",
	//clause:fr-p3c@2007 23
	//clause:fr-p3c@2007 33
	//clause:fr-p3c@2007 34
	Ranking: rules.HighestCardOrder,
	//clause:fr-p3c@2007 11
	//clause:fr-p3c@2007 12
	//clause:fr-p3c@2007 13
	Boxes: rules.BoxRule{
		Default: 7, Max: 7, Min: 5, PerArea: 1, Adjacent: true,
		Clauses: rules.BoxClauses{
			Count: "12", PerArea: "13", Others: "13", Taken: "13", Standing: "13", Participate: "11",
			// The staff watch over how the chips are placed; what is only said is no bet.
			//clause:fr-p3c@2007 9
			//clause:fr-p3c@2007 15
			OnBehalf: "9", Announced: "15",
		},
	},
	Wagers: []rules.WagerRule{
		{
			//clause:fr-p3c@2007 14
			//clause:fr-p3c@2007 30
			//clause:fr-p3c@2007 32
			//clause:fr-p3c@2007 35
			//clause:fr-p3c@2007 36
			Wager: rules.Ante, Contest: rules.AgainstDealer, Stake: rules.WithinLimits,
			PaidUnqualified: true, EvenUnqualified: true,
			EvenBeside: rules.Bonus, EvenRuling: rules.AnteBesideBonus,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				//clause:fr-p3c@2007 38
				{Combo: rules.StraightFlush, Pay: rules.ToOne(5), Clause: "38"},
				//clause:fr-p3c@2007 37
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(4), Clause: "37"},
				{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "36"},
			}}},
			Clauses: rules.Outcomes{
				Place: "14", Size: "14", Fold: "26", Unqual: "30", Lose: "32", Push: "35",
			},
		},
		{
			//clause:fr-p3c@2007 27
			//clause:fr-p3c@2007 39
			Wager: rules.Play, Contest: rules.AgainstDealer, Stake: rules.EqualToBasis, Basis: rules.Ante,
			Needs: rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "27"},
			Pays:  []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "39"}}}},
			Clauses: rules.Outcomes{
				Place: "27", Size: "27", Fold: "26", Unqual: "30", Win: "39", Lose: "32", Push: "35",
			},
		},
		{
			//clause:fr-p3c@2007 50
			//clause:fr-p3c@2007 56
			Wager: rules.PairPlus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Needs:      rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "50"},
			FoldRuling: rules.PairPlusAfterFold,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				//clause:fr-p3c@2007 55
				{Combo: rules.StraightFlush, Pay: rules.ToOne(40), Clause: "55"},
				//clause:fr-p3c@2007 54
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(30), Clause: "54"},
				//clause:fr-p3c@2007 53
				{Combo: rules.Straight, Pay: rules.ToOne(6), Clause: "53"},
				//clause:fr-p3c@2007 52
				{Combo: rules.Flush, Pay: rules.ToOne(3), Clause: "52"},
				//clause:fr-p3c@2007 51
				{Combo: rules.Pair, Pay: rules.ToOne(1), Clause: "51"},
			}}},
			Clauses: rules.Outcomes{Place: "56", Size: "14", Fold: "26", Lose: "50", Unclaimed: "57"},
		},
		{
			//clause:fr-p3c@2007 43
			//clause:fr-p3c@2007 44
			Wager: rules.Bonus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Needs: rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "43"},
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				//clause:fr-p3c@2007 48
				{Combo: rules.StraightFlush, Pay: rules.ToOne(5), Clause: "48"},
				//clause:fr-p3c@2007 47
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(4), Clause: "47"},
				//clause:fr-p3c@2007 46
				{Combo: rules.Straight, Pay: rules.ToOne(1), Clause: "46"},
			}}},
			Clauses: rules.Outcomes{Place: "43", Size: "14", Fold: "43", Lose: "43", Unclaimed: "49"},
		},
	},
	Examine: rules.ExamineRule{
		//clause:fr-p3c@2007 24
		AfterDeal: true,
		Clauses:   rules.ExamineClauses{May: "24", One: "13", Opened: "31", Showing: "28", Unrevealed: "49", Claim: "49"},
	},
	//clause:fr-p3c@2007 25
	Decision: &rules.DecisionRule{
		On: rules.Ante, Raise: rules.Play, Play: "27", Fold: "25", Undecided: "24",
	},
	//clause:fr-p3c@2007 30
	Qualify: &rules.Qualification{Least: least, Words: "a Queen", Clause: "30"},
	Devices: []rules.DeviceRule{
		//clause:fr-p3c@2007 16
		//clause:fr-p3c@2007 17
		//clause:fr-p3c@2007 19
		{Device: rules.HandDeal, Clause: "16", StubClause: "19"},
		{Device: rules.Shuffler, Clause: "16", StubClause: "19"},
	},
	//clause:fr-p3c@2007 26
	//clause:fr-p3c@2007 31
	//clause:fr-p3c@2007 43
	//clause:fr-p3c@2007 56
	Order: rules.OrderRule{
		FromRight: true, FoldedFirst: "26", OneByOne: "31",
		Lines:  []rules.Wager{rules.Ante, rules.Play, rules.PairPlus, rules.Bonus},
		Clause: "31",
	},
	Bets: rules.BetRule{
		//clause:fr-p3c@2007 9
		Open: "9",
		//clause:fr-p3c@2007 15
		Closed: "15", LatePlace: "15", LateWithdraw: "15",
		Limits: "14", OverBefore: "14", UnderBefore: "14",
		NeedlessRide: "50",
		Settle:       "31", Interrupted: rules.Interruption.Clause(),
	},
	Offer: rules.SilentOffer(),
	//clause:fr-p3c@2007 28
	//clause:fr-p3c@2007 30
	//clause:fr-p3c@2007 31
	//clause:fr-p3c@2007 40
	//clause:fr-p3c@2007 43
	Announce: rules.AnnounceRule{
		DealerHand: "30", DealerGrouped: "28", Results: "31", BankWins: "40", BonusPaid: "43", WinningHand: "31",
	},
	Incidents: incidents,
	Rulings:   rulings,
	Readings:  readings,
	Clauses:   clauses,
}

var incidents = []rules.IncidentRule{
	//clause:fr-p3c@2007 20
	//clause:fr-p3c@2007 18
	rules.Provide(rules.Misdeal, slices.Concat(
		[]rules.Case{
			rules.Then(rules.Void, "20", rules.DealerCount),
			rules.Then(rules.Void, "20", rules.HandCount),
		},
		// Cards in the wrong place and in the right number are no incident of the text. They
		// lie wrong also where one of them was exposed, which 18 alone would let pass.
		rules.SilentUncovered(rules.Misplaced),
		[]rules.Case{
			rules.Then(rules.TurnDown, "18", rules.OneExposed, rules.WhileDealing),
			rules.Then(rules.TurnDown, "18", rules.OneExposed).Under(rules.TurnedAfterDeal, rules.Yes),
		},
		// Nor is, where the ruling has it so, a card that is turned over after the deal.
		rules.SilentUncovered(),
	)...),
	//clause:fr-p3c@2007 18
	rules.Provide(rules.CardFaceUp, rules.Then(rules.TurnDown, "18")),
	//clause:fr-p3c@2007 20
	rules.Provide(rules.HandsDiscussed, rules.Then(rules.Void, "20")),
	// 21 speaks of the player whose hand it is; another hand is no incident of the text.
	//clause:fr-p3c@2007 21
	rules.Provide(rules.HandTouched, append(
		[]rules.Case{
			rules.Then(rules.FoldUndecidedHands, "21", rules.LookedAt, rules.OwnHand, rules.WhileDealing).Under(rules.EarlyLook, rules.Lost),
			rules.Then(rules.Invalidate, "21", rules.LookedAt, rules.OwnHand, rules.WhileDealing),
			rules.Then(rules.Continue, "24", rules.OwnHand),
		},
		rules.SilentUncovered()...,
	)...),
	rules.Provide(rules.WalkedAway,
		rules.Then(rules.Continue, "24", rules.NothingToDecide),
		rules.Then(rules.Continue, "24").Under(rules.AbsentPlayer, rules.WaitForPlayer),
		rules.Then(rules.FoldUndecidedHands, "24"),
	),
	//clause:fr-p3c@2007 15
	rules.Provide(rules.LateBet, rules.Then(rules.NotHonoured, "15")),
	rules.Provide(rules.LateWithdrawal, rules.Then(rules.Stands, "15")),
	// A payment of another amount is not the settlement yet.
	//clause:fr-p3c@2007 31
	rules.Provide(rules.Mispaid, rules.Then(rules.PayDifference, "31")),
	//clause:fr-p3c@2007 1
	rules.Provide(rules.DeckCount, rules.SilentCount("1")...),
	rules.Provide(rules.TechnicalInterruption, rules.SilentInterruption()...),
	//clause:fr-p3c@2007 1
	rules.Provide(rules.CardMisread, rules.Then(rules.Continue, "1")),
	rules.Provide(rules.Uncovered, rules.SilentUncovered()...),
}
