// Package sm3cp declares Three Card Poker dealt from a Shuffle Master shuffler,
// with the Three Card Poker Bonus bet in its four pay tables. It is data:
// package table plays it.
package sm3cp

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Book returns the declaration. Its value is shared and must not be changed.
func Book() *rules.Book { return book }

func bonusTable(name, clause string, envy bool, pays ...int64) rules.PayTable {
	combos := []rules.Combo{
		rules.AKQSpades, rules.AKQSuited, rules.StraightFlush, rules.ThreeOfAKind, rules.Straight,
	}
	envies := []money.Amount{100 * money.Major, 25 * money.Major, 5 * money.Major, 0, 0}
	table := rules.PayTable{Name: name}
	for i, n := range pays {
		row := rules.PayRow{Combo: combos[i], Pay: rules.ToOne(n), Clause: clause}
		if envy {
			row.Envy = envies[i]
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// least is the lowest hand with a Queen.
var least = card.NewHand(card.New(card.Queen, card.Clubs), card.New(card.Three, card.Diamonds), card.New(card.Two, card.Hearts))

var book = &rules.Book{
	ID: "sm-3cp", Revision: 1,
	Title: "Three Card Poker with Bonus", House: "Shuffle Master",
	Ranking: rules.PokerOrder,
	Boxes: rules.BoxRule{
		Default: 7, Max: rules.MaxBoxes, PerArea: 1,
		Clauses: rules.BoxClauses{
			Count: "bonus.6", PerArea: "bonus.6", Others: "bonus.10d", Taken: "bonus.6",
			Standing: "bonus.6", Participate: "bonus.6", OnBehalf: "bonus.8",
		},
	},
	Wagers: []rules.WagerRule{
		{
			//clause:sm-3cp ways.1
			Wager: rules.Ante, Contest: rules.AgainstDealer, Stake: rules.WithinLimits,
			PaidUnqualified: true,
			Pays:            []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "ways.1"}}}},
			Clauses: rules.Outcomes{
				Place: "ways.1", Size: "ways.3", Fold: "ways.1", Unqual: "ways.1",
				Win: "ways.1", Lose: "ways.1", Push: "ways.1",
			},
		},
		{
			Wager: rules.Play, Contest: rules.AgainstDealer, Stake: rules.EqualToBasis, Basis: rules.Ante,
			Needs: rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "ways.1"},
			Pays:  []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "ways.1"}}}},
			Clauses: rules.Outcomes{
				Place: "ways.1", Size: "ways.3", Fold: "ways.1", Unqual: "ways.1",
				Win: "ways.1", Lose: "ways.1", Push: "ways.1",
			},
		},
		{
			// The text's own tables are missing: ruling sm_pay_tables.
			Wager: rules.AnteBonus, Contest: rules.Riding, Stake: rules.NoStake, Basis: rules.Ante,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(5), Clause: "ways.1"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(4), Clause: "ways.1"},
				{Combo: rules.Straight, Pay: rules.ToOne(1), Clause: "ways.1"},
			}}},
		},
		{
			//clause:sm-3cp ways.2
			//clause:sm-3cp ways.3
			Wager: rules.PairPlus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(40), Clause: "ways.2"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(30), Clause: "ways.2"},
				{Combo: rules.Straight, Pay: rules.ToOne(6), Clause: "ways.2"},
				{Combo: rules.Flush, Pay: rules.ToOne(4), Clause: "ways.2"},
				{Combo: rules.Pair, Pay: rules.ToOne(1), Clause: "ways.2"},
			}}},
			Clauses: rules.Outcomes{Place: "ways.2", Size: "ways.3", Fold: "ways.3", Lose: "ways.2"},
		},
		{
			//clause:sm-3cp bonus.1
			//clause:sm-3cp bonus.6
			//clause:sm-3cp bonus.9a
			Wager: rules.Bonus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			// The bonus bet comes beside the standard wagers, either of them.
			Needs: rules.Need{
				Wager: rules.Ante, Or: rules.PairPlus, OrRuling: rules.BonusBesidePairPlus,
				Scope: rules.SamePlayer, Clause: "bonus.6",
			},
			FoldRuling: rules.BonusAfterFold,
			Envy:       true,
			Pays: []rules.PayTable{
				//clause:sm-3cp bonus.3
				//clause:sm-3cp bonus.3.TCPB-03E
				bonusTable("TCPB-03E", "bonus.3.TCPB-03E", true, 4000, 1000, 100, 75),
				//clause:sm-3cp bonus.3.TCPB-04E
				bonusTable("TCPB-04E", "bonus.3.TCPB-04E", true, 3000, 1000, 50, 40, 6),
				//clause:sm-3cp bonus.4
				//clause:sm-3cp bonus.4.TCPB-01
				bonusTable("TCPB-01", "bonus.4.TCPB-01", false, 4000, 1000, 125, 100),
				//clause:sm-3cp bonus.4.TCPB-02
				bonusTable("TCPB-02", "bonus.4.TCPB-02", false, 4000, 1000, 60, 40, 7),
			},
			Clauses: rules.Outcomes{Place: "bonus.6", Size: "bonus.5", Fold: "ways.3", Lose: "bonus.9a", EnvyWin: "bonus.10c"},
		},
	},
	Examine: rules.ExamineRule{
		OneRuling: rules.ExamineOwnBoxes,
		Clauses:   rules.ExamineClauses{May: "ways.1", One: "ways.1", Opened: "bonus.8", Showing: "ways.1"},
	},
	Decision: &rules.DecisionRule{
		On: rules.Ante, Raise: rules.Play, Play: "ways.1", Fold: "ways.1", Undecided: "ways.1",
	},
	Qualify: &rules.Qualification{
		Least: least,
		Words: "a Queen", Clause: "ways.1",
	},
	//clause:sm-3cp intro
	Devices: []rules.DeviceRule{{Device: rules.Shuffler, Packets: true, Clause: "intro"}},
	//clause:sm-3cp bonus.10c
	Order: rules.OrderRule{
		Lines: []rules.Wager{
			rules.Ante, rules.Play, rules.AnteBonus, rules.PairPlus, rules.Bonus, rules.Envy,
		},
		Clause: "bonus.9",
	},
	Envy: rules.EnvyRule{
		WhenFolded: rules.BonusAfterFold, OwnRuling: rules.EnvyOwnBoxes, FromFolded: rules.EnvyFromFolded,
		TwoBets: rules.EnvyTwoBets, Clause: "bonus.10c",
	},
	Bets: rules.BetRule{
		Open: "bonus.6", Closed: "bonus.8", Limits: "ways.3",
		LatePlace: "bonus.8", LateWithdraw: "bonus.8",
		NeedlessRide: "bonus.6",
		Settle:       "bonus.9", Interrupted: rules.Interruption.Clause(),
	},
	Offer:    rules.SilentOffer(),
	Announce: rules.AnnounceRule{DealerHand: "ways.1"},
	//clause:sm-3cp bonus.8
	Incidents: []rules.IncidentRule{
		rules.Provide(rules.WalkedAway,
			rules.Then(rules.Continue, "ways.1", rules.NothingToDecide),
			rules.Then(rules.Continue, "ways.1").Under(rules.AbsentPlayer, rules.WaitForPlayer),
			rules.Then(rules.FoldUndecidedHands, "ways.1"),
		),
		rules.Provide(rules.LateBet, rules.Then(rules.NotHonoured, "bonus.8")),
		rules.Provide(rules.LateWithdrawal, rules.Then(rules.Stands, "bonus.8")),
		// A payment of another amount is not the settlement yet.
		//clause:sm-3cp bonus.9
		rules.Provide(rules.Mispaid, rules.Then(rules.PayDifference, "bonus.9")),
		rules.Provide(rules.DeckCount, rules.SilentCount("intro")...),
		rules.Provide(rules.TechnicalInterruption, rules.SilentInterruption()...),
		//clause:sm-3cp intro
		rules.Provide(rules.CardMisread, rules.Then(rules.Continue, "intro")),
		rules.Provide(rules.Uncovered, rules.SilentUncovered()...),
	},
	Rulings:  rulings,
	Readings: readings,
	Clauses:  clauses,
}
