// Package us3cp declares Three Card Poker as a United States house deals it.
// It is data: package table plays it.
package us3cp

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Book returns the declaration. Its value is shared and must not be changed.
func Book() *rules.Book { return book }

// least is the lowest hand with a Queen.
var least = card.NewHand(card.New(card.Queen, card.Clubs), card.New(card.Three, card.Diamonds), card.New(card.Two, card.Hearts))

var book = &rules.Book{
	ID: "us-3cp", Revision: 1,
	Title: "Three Card Poker", House: "a United States house",
	Ranking: rules.PokerOrder,
	//clause:us-3cp dealing.1d
	//clause:us-3cp rules.1
	Boxes: rules.BoxRule{
		Default: 7, Max: rules.MaxBoxes, PerArea: 1, Adjacent: true,
		Clauses: rules.BoxClauses{
			Count: "dealing.1", PerArea: "dealing.1", Others: "dealing.1d", Taken: "dealing.1",
			Standing: "dealing.1", Participate: "rules.1", OnBehalf: "dealing.1",
		},
	},
	//clause:us-3cp equipment.chips
	Chips: []money.Amount{100, 200, 300, 400, 500, 2500},
	//clause:us-3cp wagers
	Wagers: []rules.WagerRule{
		{
			//clause:us-3cp dealing.1a
			//clause:us-3cp amounts.ante
			//clause:us-3cp ways.1
			//clause:us-3cp rules.4
			//clause:us-3cp rules.8
			//clause:us-3cp rules.10
			//clause:us-3cp rules.11
			//clause:us-3cp rules.12
			Wager: rules.Ante, Contest: rules.AgainstDealer, Stake: rules.WithinLimits,
			Limit:           rules.Limit{Min: 2 * money.Major, Max: 10 * money.Major},
			PaidUnqualified: true,
			Pays:            []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "rules.10"}}}},
			Clauses: rules.Outcomes{
				Place: "rules.1", Size: "amounts.ante", Fold: "rules.4", Unqual: "rules.8",
				Win: "rules.10", Lose: "rules.11", Push: "rules.12",
			},
		},
		{
			//clause:us-3cp rules.5
			//clause:us-3cp amounts.play
			//clause:us-3cp pays.play
			Wager: rules.Play, Contest: rules.AgainstDealer, Stake: rules.EqualToBasis, Basis: rules.Ante,
			Limit: rules.Limit{Min: 2 * money.Major, Max: 10 * money.Major},
			Needs: rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "rules.5"},
			Pays:  []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "pays.play"}}}},
			Clauses: rules.Outcomes{
				Place: "rules.5", Size: "rules.5", Fold: "rules.4", Unqual: "rules.8",
				Win: "rules.10", Lose: "rules.11", Push: "rules.12",
			},
		},
		{
			//clause:us-3cp rules.13
			//clause:us-3cp pays.ante-bonus
			Wager: rules.AnteBonus, Contest: rules.Riding, Stake: rules.NoStake, Basis: rules.Ante,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(4), Clause: "pays.ante-bonus"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(3), Clause: "pays.ante-bonus"},
				{Combo: rules.Straight, Pay: rules.ToOne(1), Clause: "pays.ante-bonus"},
			}}},
		},
		{
			//clause:us-3cp dealing.1b
			//clause:us-3cp dealing.1c
			//clause:us-3cp amounts.pair-plus
			//clause:us-3cp ways.2
			//clause:us-3cp ways.3
			//clause:us-3cp pays.pair-plus
			Wager: rules.PairPlus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Limit: rules.Limit{Min: 2 * money.Major, Max: 10 * money.Major},
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(40), Clause: "pays.pair-plus"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(30), Clause: "pays.pair-plus"},
				{Combo: rules.Straight, Pay: rules.ToOne(5), Clause: "pays.pair-plus"},
				{Combo: rules.Flush, Pay: rules.ToOne(3), Clause: "pays.pair-plus"},
				{Combo: rules.Pair, Pay: rules.ToOne(1), Clause: "pays.pair-plus"},
			}}},
			Clauses: rules.Outcomes{Place: "rules.1", Size: "amounts.pair-plus", Fold: "dealing.4", Lose: "ways.2"},
		},
	},
	//clause:us-3cp rules.2
	Examine: rules.ExamineRule{
		OneRuling: rules.ExamineOwnBoxes,
		Clauses:   rules.ExamineClauses{May: "rules.2", One: "rules.2", Opened: "dealing.7", Showing: "dealing.7"},
	},
	//clause:us-3cp rules.3
	//clause:us-3cp dealing.4
	Decision: &rules.DecisionRule{
		On: rules.Ante, Raise: rules.Play, Play: "rules.5", Fold: "dealing.4", Undecided: "rules.3",
	},
	Qualify: &rules.Qualification{
		Least: least,
		Words: "a Queen", Clause: "rules.7",
	},
	Devices: []rules.DeviceRule{
		//clause:us-3cp dealing.3
		{Device: rules.Shuffler, Packets: true, Clause: "dealing.3"},
		{Device: rules.HandDeal, Packets: true, Clause: "dealing.3"},
	},
	//clause:us-3cp dealing.5
	//clause:us-3cp dealing.7
	Order: rules.OrderRule{
		FromRight: true, FoldedFirst: "dealing.5", OneByOne: "dealing.7",
		Lines:  []rules.Wager{rules.Play, rules.AnteBonus, rules.Ante, rules.PairPlus},
		Clause: "dealing.7",
	},
	Bets: rules.BetRule{
		//clause:us-3cp equipment.chips
		Chips: "equipment.chips",
		//clause:us-3cp dealing.2
		Open: "dealing.1", Closed: "dealing.2", Limits: "dealing.2",
		LatePlace: "dealing.2", LateWithdraw: "dealing.2",
		NeedlessRide: "rules.5",
		Settle:       "dealing.7", Interrupted: rules.Interruption.Clause(),
	},
	Offer:     rules.SilentOffer(),
	Announce:  rules.AnnounceRule{NoPairPlus: "dealing.2", DealerHand: "dealing.6", DealerSorted: "dealing.6"},
	Incidents: incidents,
	Rulings:   rulings,
	Readings:  readings,
	Clauses:   clauses,
}

var incidents = []rules.IncidentRule{
	//clause:us-3cp irregularities.1
	//clause:us-3cp irregularities.2
	rules.Provide(rules.Misdeal, append(
		[]rules.Case{
			rules.Then(rules.Void, "irregularities.2", rules.DealerCount),
			rules.Then(rules.Void, "irregularities.2", rules.HandCount),
		},
		// Cards in the wrong place and in the right number are no incident of the text.
		rules.SilentUncovered()...,
	)...),
	rules.Provide(rules.WalkedAway,
		rules.Then(rules.Continue, "rules.3", rules.NothingToDecide),
		rules.Then(rules.Continue, "rules.3").Under(rules.AbsentPlayer, rules.WaitForPlayer),
		rules.Then(rules.FoldUndecidedHands, "rules.3"),
	),
	rules.Provide(rules.LateBet, rules.Then(rules.NotHonoured, "dealing.2")),
	rules.Provide(rules.LateWithdrawal, rules.Then(rules.Stands, "dealing.2")),
	// A payment of another amount is not the settlement yet.
	//clause:us-3cp dealing.7
	rules.Provide(rules.Mispaid, rules.Then(rules.PayDifference, "dealing.7")),
	rules.Provide(rules.DeckCount, rules.SilentCount("equipment.cards")...),
	rules.Provide(rules.TechnicalInterruption, rules.SilentInterruption()...),
	//clause:us-3cp equipment.cards
	rules.Provide(rules.CardMisread, rules.Then(rules.Continue, "equipment.cards")),
	rules.Provide(rules.Uncovered, rules.SilentUncovered()...),
}
