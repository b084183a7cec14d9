// Package rws3cp declares 3 Card Poker as Resorts World Sentosa's approved
// rules, version 3, have it. It is data: package table plays it.
package rws3cp

import (
	"trey/card"
	"trey/money"
	"trey/rank/threecard"
	"trey/rules"
)

// Book returns the declaration. Its value is shared and must not be changed.
func Book() *rules.Book { return book }

var book = &rules.Book{
	ID: "rws-3cp", Edition: "3",
	Title: "3 Card Poker", House: "Resorts World Sentosa",
	Ranking: rules.PokerOrder,
	//clause:rws-3cp@3 2.1.1a
	//clause:rws-3cp@3 3.5
	//clause:rws-3cp@3 3.6
	//clause:rws-3cp@3 3.7
	//clause:rws-3cp@3 5.22
	Boxes: rules.BoxRule{
		Default: 7, Max: rules.MaxBoxes, PerArea: 1,
		Clauses: rules.BoxClauses{
			Count: "2.1.1a", PerArea: "3.5", Others: "3.7", Taken: "3.5", Standing: "3.5",
			Participate: "3.6", OnBehalf: "5.22",
		},
	},
	Wagers: []rules.WagerRule{
		{
			//clause:rws-3cp@3 1.1
			//clause:rws-3cp@3 3.6.1
			//clause:rws-3cp@3 3.15
			//clause:rws-3cp@3 4.1
			Wager: rules.Ante, Contest: rules.AgainstDealer, Stake: rules.WithinLimits,
			PaidUnqualified: true,
			Pays:            []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "4.1"}}}},
			//clause:rws-3cp@3 3.12.1
			//clause:rws-3cp@3 3.13
			//clause:rws-3cp@3 3.15.1
			//clause:rws-3cp@3 3.15.2
			//clause:rws-3cp@3 3.15.3
			Clauses: rules.Outcomes{
				Place: "3.6", Size: "3.4", Fold: "3.12.1", Unqual: "3.13",
				Win: "3.15.1", Lose: "3.15.2", Push: "3.15.3",
			},
		},
		{
			//clause:rws-3cp@3 1.12
			//clause:rws-3cp@3 3.12.2
			Wager: rules.Play, Contest: rules.AgainstDealer, Stake: rules.EqualToBasis, Basis: rules.Ante,
			Needs: rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "1.12"},
			Pays:  []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "4.1"}}}},
			//clause:rws-3cp@3 1.21
			Clauses: rules.Outcomes{
				Place: "3.12.2", Size: "1.12", Fold: "3.12.1", Unqual: "3.13",
				Win: "3.15.1", Lose: "3.15.2", Push: "3.15.3",
			},
		},
		{
			//clause:rws-3cp@3 1.11
			//clause:rws-3cp@3 3.6.2
			//clause:rws-3cp@3 3.16
			//clause:rws-3cp@3 4.2
			Wager: rules.PairPlus, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(40), Clause: "4.2"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(30), Clause: "4.2"},
				{Combo: rules.Straight, Pay: rules.ToOne(5), Clause: "4.2"},
				{Combo: rules.Flush, Pay: rules.ToOne(4), Clause: "4.2"},
				{Combo: rules.Pair, Pay: rules.ToOne(1), Clause: "4.2"},
			}}},
			Clauses: rules.Outcomes{Place: "3.6", Size: "3.4", Fold: "3.12.1", Lose: "1.11"},
		},
		{
			//clause:rws-3cp@3 1.2
			//clause:rws-3cp@3 4.3
			Wager: rules.AnteBonus, Contest: rules.Riding, Stake: rules.NoStake, Basis: rules.Ante,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.StraightFlush, Pay: rules.ToOne(5), Clause: "4.3"},
				{Combo: rules.ThreeOfAKind, Pay: rules.ToOne(4), Clause: "4.3"},
				{Combo: rules.Straight, Pay: rules.ToOne(1), Clause: "4.3"},
			}}},
		},
		{
			//clause:rws-3cp@3 2.1.1b
			//clause:rws-3cp@3 3.3
			//clause:rws-3cp@3 3.8
			//clause:rws-3cp@3 3.8.1
			//clause:rws-3cp@3 4.4
			//clause:rws-3cp@3 5.4
			Wager: rules.Progressive, Contest: rules.OnHand, Stake: rules.Prescribed,
			Needs:       rules.Need{Wager: rules.Ante, Scope: rules.SamePlayer, Clause: "3.8"},
			StakeRuling: rules.JackpotStake,
			Envy:        true,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.AKQSpades, Pay: rules.Pay{MeterPercent: 100}, Envy: 250 * money.Major, Clause: "4.4"},
				{Combo: rules.AKQSuited, Pay: rules.Dollars(1250), Envy: 50 * money.Major, Clause: "4.4"},
				{Combo: rules.StraightFlush, Pay: rules.Dollars(175), Clause: "4.4"},
				{Combo: rules.ThreeOfAKind, Pay: rules.Dollars(150), Clause: "4.4"},
				{Combo: rules.Straight, Pay: rules.Dollars(15), Clause: "4.4"},
			}}},
			Clauses: rules.Outcomes{Place: "3.8", Size: "3.3", Fold: "3.12.1", Lose: "4.4", EnvyWin: "4.7"},
		},
	},
	//clause:rws-3cp@3 3.14
	Examine: rules.ExamineRule{
		OnePerPlayer: true, Needs: rules.Ante,
		Clauses: rules.ExamineClauses{
			May: "3.12", One: "3.7", Needs: "3.14", Opened: "3.14", Showing: "3.15",
		},
	},
	//clause:rws-3cp@3 3.12
	//clause:rws-3cp@3 5.5
	Decision: &rules.DecisionRule{
		On: rules.Ante, Raise: rules.Play,
		Play: "3.12.2", Fold: "3.12.1", Undecided: "5.5",
	},
	Qualify: &rules.Qualification{
		Strength: int(threecard.HighCardRank(card.Queen, card.Three, card.Two)),
		Words:    "a Queen", Clause: "1.16",
	},
	Devices: []rules.DeviceRule{
		//clause:rws-3cp@3 3.11
		{Device: rules.Shuffler, BurnRuling: rules.BurnWithShuffler, Clause: "3.11", BurnClause: "1.4"},
		//clause:rws-3cp@3 1.4
		//clause:rws-3cp@3 3.10
		{Device: rules.Shoe, Burn: true, Clause: "3.10", BurnClause: "3.10"},
	},
	Order: rules.OrderRule{
		Lines: []rules.Wager{
			rules.Ante, rules.Play, rules.AnteBonus, rules.PairPlus, rules.Progressive, rules.Envy,
		},
		Clause: "3.15",
	},
	Envy: rules.EnvyRule{
		Needs: rules.Ante, WhenFolded: rules.EnvyWhenFolded, PerRuling: rules.EnvyPer,
		OwnRuling: rules.EnvyOwnBoxes, FromFolded: rules.EnvyFromFolded, Clause: "4.7",
	},
	Bets: rules.BetRule{
		//clause:rws-3cp@3 3.2
		Open: "3.2",
		//clause:rws-3cp@3 3.9
		Closed: "3.9",
		//clause:rws-3cp@3 3.4
		Limits: "3.4",
		//clause:rws-3cp@3 5.1
		OverBefore: "5.1",
		//clause:rws-3cp@3 5.1.1
		OverAfter: "5.1.1",
		//clause:rws-3cp@3 5.2
		UnderBefore: "5.2",
		//clause:rws-3cp@3 5.2.1
		UnderAfter: "5.2.1",
		//clause:rws-3cp@3 5.3.1
		RaiseOver: "5.3.1",
		//clause:rws-3cp@3 5.3.2
		RaiseUnder: "5.3.2",
		//clause:rws-3cp@3 5.11
		LatePlace: "5.11", LateWithdraw: "5.11",
		//clause:rws-3cp@3 5.20
		Position: "5.20",
		//clause:rws-3cp@3 1.22
		//clause:rws-3cp@3 5.21
		VoidReturns: "5.21",
		//clause:rws-3cp@3 5.19
		Earlier:      "5.19",
		NeedlessRide: "5.4",
		Settle:       "1.18",
		Interrupted:  "5.7",
		//clause:rws-3cp@3 5.17.2
		//clause:rws-3cp@3 5.17.2a
		//clause:rws-3cp@3 5.17.2b
		//clause:rws-3cp@3 5.17.2c
		DownClose: "5.17.2a", DownBoxes: "5.17.2b", DownWithout: "5.17.2c",
	},
	Offer: rules.OfferRule{
		//clause:rws-3cp@3 5.10.1
		Continue: "5.10.1",
		//clause:rws-3cp@3 5.10.2
		Restored: "5.10.2",
		//clause:rws-3cp@3 5.10.3
		Return: "5.10.3",
	},
	Incidents: incidents,
	Clauses:   clauses,
}

var incidents = []rules.IncidentRule{
	//clause:rws-3cp@3 5.8
	//clause:rws-3cp@3 5.8.1
	{rules.ForeignCard, []rules.Case{{nil, rules.Void, "5.8.1", nil}}},
	//clause:rws-3cp@3 5.8.3
	{rules.DeckCount, []rules.Case{
		{[]rules.Condition{rules.CountWrong}, rules.Void, "5.8.3", nil},
		{nil, rules.Continue, "5.8.3", nil},
	}},
	//clause:rws-3cp@3 5.8.4
	{rules.InsufficientCards, []rules.Case{{nil, rules.Void, "5.8.4", nil}}},
	//clause:rws-3cp@3 5.8.5
	{rules.Unshuffled, []rules.Case{{nil, rules.Void, "5.8.5", nil}}},
	//clause:rws-3cp@3 5.8.2
	//clause:rws-3cp@3 5.12
	{rules.CardExposed, []rules.Case{
		{[]rules.Condition{rules.SomebodyLooked}, rules.Continue, "5.12", nil},
		{[]rules.Condition{rules.TwoExposed}, rules.Void, "5.8.2", nil},
		// One card and nobody has looked: neither clause fits, so 5.10 does.
		{nil, rules.OfferAffected, "5.10", nil},
	}},
	//clause:rws-3cp@3 5.8.6
	{rules.DealtIncorrectly, []rules.Case{
		{[]rules.Condition{rules.NobodyLooked, rules.HandsMovable}, rules.MoveHands, "5.8.6", nil},
		{[]rules.Condition{rules.NobodyLooked}, rules.Void, "5.8.6", nil},
		{nil, rules.OfferAffected, "5.10", nil},
	}},
	//clause:rws-3cp@3 5.8.7
	//clause:rws-3cp@3 5.15
	{rules.WrongCount, []rules.Case{
		{[]rules.Condition{rules.AtDealer, rules.CardsRestorable}, rules.OfferAll, "5.10", nil},
		{[]rules.Condition{rules.AtDealer}, rules.Void, "5.8.7", nil},
		{[]rules.Condition{rules.CardsRestorable}, rules.OfferAffected, "5.10", nil},
		{nil, rules.Invalidate, "5.15", nil},
	}},
	//clause:rws-3cp@3 5.9
	//clause:rws-3cp@3 1.17
	{rules.BurnMissed, []rules.Case{
		{[]rules.Condition{rules.SomebodyLooked}, rules.Void, "5.9", nil},
		{[]rules.Condition{rules.CardsRestorable}, rules.Ask, "5.9", &rules.Question{
			Key: "reconstruct", Ask: "Can the cards be put back into their intended order?",
			Role: rules.PitSupervisor, Clause: "5.9",
			Answers: []rules.Answer{
				{"yes", rules.RestoreAndOfferAll, "5.9"},
				{"no", rules.Void, "5.9"},
			},
		}},
		{nil, rules.Void, "5.9", nil},
	}},
	//clause:rws-3cp@3 5.10
	{rules.DealingError, []rules.Case{{nil, rules.OfferAffected, "5.10", nil}}},
	//clause:rws-3cp@3 5.13
	{rules.CardFaceUp, []rules.Case{{nil, rules.Continue, "5.13", nil}}},
	//clause:rws-3cp@3 5.14
	//clause:rws-3cp@3 5.14.1
	{rules.DrawnTogether, []rules.Case{{nil, rules.Ask, "5.14", &rules.Question{
		Key: "order", Ask: "Which of the cards is received first?",
		Role: rules.PitSupervisor, Clause: "5.14",
		Answers: []rules.Answer{{"order", rules.OfferAll, "5.14.1"}},
	}}}},
	//clause:rws-3cp@3 5.16
	//clause:rws-3cp@3 5.17
	//clause:rws-3cp@3 5.17.1
	{rules.ProgressiveDown, []rules.Case{
		{[]rules.Condition{rules.NoRound}, rules.Continue, "5.17.2", nil},
		{[]rules.Condition{rules.SomebodyLooked}, rules.KeepRegistered, "5.17.1", nil},
		{nil, rules.Void, "5.16", nil},
	}},
	//clause:rws-3cp@3 5.18
	{rules.SecondHand, []rules.Case{{nil, rules.Ask, "5.18", &rules.Question{
		Key: "intentional", Ask: "Did the player examine the additional hand intentionally?",
		Role: rules.PitSupervisor, Clause: "5.18",
		Answers: []rules.Answer{
			{"yes", rules.Invalidate, "5.18"},
			{"no", rules.Continue, "5.18"},
		},
	}}}},
	//clause:rws-3cp@3 5.6
	{rules.WalkedAway, []rules.Case{{nil, rules.FoldUndecidedHands, "5.5", nil}}},
	{rules.LateBet, []rules.Case{{nil, rules.NotHonoured, "5.11", nil}}},
	{rules.LateWithdrawal, []rules.Case{{nil, rules.Stands, "5.11", nil}}},
	//clause:rws-3cp@3 5.7
	//clause:rws-3cp@3 5.7.1
	//clause:rws-3cp@3 5.7.2
	{rules.TechnicalInterruption, []rules.Case{
		{[]rules.Condition{rules.Brief}, rules.Continue, "5.7", nil},
		{[]rules.Condition{rules.Established}, rules.Continue, "5.7.1", nil},
		{nil, rules.Void, "5.7.2", nil},
	}},
	//clause:rws-3cp@3 5.23
	{rules.Uncovered, []rules.Case{{nil, rules.Ask, "5.23", &rules.Question{
		Key: "resolve", Ask: "The rules do not provide for this. How is it resolved?",
		Role: rules.ShiftManager, Clause: "5.23",
		Answers: []rules.Answer{
			{"continue", rules.Continue, "5.23"},
			{"void", rules.Void, "5.23"},
			{"invalidate", rules.Invalidate, "5.23"},
			{"offer", rules.OfferAffected, "5.23"},
		},
	}}}},
}
