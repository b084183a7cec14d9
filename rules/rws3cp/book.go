// Package rws3cp declares 3 Card Poker as Resorts World Sentosa's approved
// rules, version 3, have it. It is data: package table plays it.
package rws3cp

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
	ID: "rws-3cp", Edition: "3", Revision: 2,
	Title: "3 Card Poker", House: "Resorts World Sentosa",
	Ranking: rules.PokerOrder,
	//clause:rws-3cp@3 2.1.1a
	//clause:rws-3cp@3 3.5
	//clause:rws-3cp@3 3.6
	//clause:rws-3cp@3 3.7
	//clause:rws-3cp@3 5.22
	Boxes: rules.BoxRule{
		Default: 7, Max: rules.MaxBoxes, PerArea: 1, OnRequest: true,
		Clauses: rules.BoxClauses{
			Count: "2.1.1a", PerArea: "3.5", Others: "3.7", Taken: "3.5", Standing: "3.5", Unattended: "1.19",
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
			Clauses: rules.Outcomes{Place: "3.8", Size: "3.4", Fold: "3.12.1", Lose: "4.4", EnvyWin: "4.7"},
		},
	},
	//clause:rws-3cp@3 3.14
	//clause:rws-3cp@3 4.5
	Examine: rules.ExamineRule{
		OnePerPlayer: true, Needs: rules.Ante,
		Clauses: rules.ExamineClauses{
			May: "3.12", One: "3.7", Needs: "3.14", Opened: "3.14", Compared: "3.15", Showing: "3.15", Unrevealed: "4.5",
		},
	},
	//clause:rws-3cp@3 3.12
	//clause:rws-3cp@3 5.5
	Decision: &rules.DecisionRule{
		On: rules.Ante, Raise: rules.Play,
		Play: "3.12.2", Fold: "3.12.1", Undecided: "5.5",
	},
	Qualify: &rules.Qualification{
		Least: least,
		Words: "a Queen", Clause: "1.16",
	},
	Devices: []rules.DeviceRule{
		//clause:rws-3cp@3 3.11
		{Device: rules.Shuffler, Packets: true, BurnRuling: rules.BurnWithShuffler, Clause: "3.11", BurnClause: "1.4"},
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
		Earlier: "5.19", EarlierAsk: resolveEarlier,
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
	Announce:  rules.AnnounceRule{OneHand: "3.7", DealerHand: "1.16", Notice: "5.17.2c", Pending: "4.9.1"},
	Incidents: incidents,
	Rulings:   rulings,
	Readings:  readings,
	Clauses:   clauses,
}

var incidents = []rules.IncidentRule{
	// 5.8 speaks of the current round, which by 1.18 ends with the settlement; 5.8.7
	// and 5.15 alone say that they reach to the next one.
	//clause:rws-3cp@3 5.8
	//clause:rws-3cp@3 1.18
	//clause:rws-3cp@3 5.8.1
	rules.Provide(rules.ForeignCard,
		rules.Then(rules.Stands, "5.8", rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.8.1"),
	),
	//clause:rws-3cp@3 5.8.3
	rules.Provide(rules.DeckCount,
		rules.Then(rules.Stands, "5.8", rules.CountWrong, rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.8.3", rules.CountWrong),
		rules.Then(rules.Continue, "5.8.3"),
	),
	//clause:rws-3cp@3 5.8.4
	rules.Provide(rules.InsufficientCards, rules.Then(rules.Void, "5.8.4")),
	//clause:rws-3cp@3 5.8.5
	rules.Provide(rules.Unshuffled,
		rules.Then(rules.Stands, "5.8", rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.8.5"),
	),
	// What is wrong with a deal is one table, whatever it is reported as. Its order:
	// what voids the round while it is dealt (5.8.2); the burn card, of which 5.9
	// alone speaks; hands of a wrong number that cannot be put right, which 5.8.7
	// and 5.15 name before 5.8.6; a distribution that nobody has seen (5.8.6); any
	// other distribution, which 5.10 leaves to those affected; and cards turned
	// over, of which 5.12 speaks before 5.10.
	rules.Provide(
		rules.Misdeal,
		//clause:rws-3cp@3 5.8.2
		rules.Then(rules.Void, "5.8.2", rules.NobodyLooked, rules.TwoExposed, rules.WhileDealing).WithoutDelay(),
		rules.Then(rules.Void, "5.8.2", rules.NobodyLooked, rules.TwoExposed).WithoutDelay().Under(rules.ExposedAfterDeal, rules.Yes),
		// Once the round is over (1.18) only a wrong number still counts, until the next
		// one begins, and only where the cards cannot be put back. Where they can, 5.10 has
		// no hand left that could go on, and nothing else speaks of it.
		rules.Then(rules.Void, "5.8.7", rules.DealerCount, rules.NoRound, rules.CardsLost),
		rules.Then(rules.Invalidate, "5.15", rules.HandCount, rules.NoRound, rules.CardsLost),
		rules.AskIf(resolve, rules.DealerCount, rules.NoRound),
		rules.AskIf(resolve, rules.HandCount, rules.NoRound),
		//clause:rws-3cp@3 5.9
		//clause:rws-3cp@3 1.17
		rules.Then(rules.Stands, "5.9", rules.BurnDealt, rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.9", rules.BurnDealt, rules.NoRound),
		rules.Then(rules.Void, "5.9", rules.BurnDealt, rules.SomebodyLooked),
		// 5.9 puts right the shift that the missing burn card makes, and no other error.
		rules.Then(rules.Void, "5.8.6", rules.MisplacedBesideBurn, rules.NobodyLooked),
		rules.AskIf(&rules.Question{
			Key: "reconstruct", Ask: "Can the cards be put back into their intended order?",
			Role: rules.PitSupervisor, Clause: "5.9",
			Answers: []rules.Answer{
				rules.Reply("yes", rules.RestoreAndOfferAll, "5.9"),
				rules.Reply("no", rules.Void, "5.9"),
			},
		}, rules.BurnDealt, rules.CardsRestorable),
		rules.Then(rules.Void, "5.9", rules.BurnDealt),
		//clause:rws-3cp@3 5.8.7
		rules.Then(rules.Void, "5.8.7", rules.DealerCount, rules.CardsLost),
		// 5.15 speaks of one hand; hands of three that got each other's cards as well
		// are a wrong distribution, which 5.8.6 has whatever that hand holds.
		rules.Then(rules.Void, "5.8.6", rules.HandCount, rules.CardsLost, rules.NobodyLooked, rules.OthersMisplaced),
		//clause:rws-3cp@3 5.15
		rules.Then(rules.Void, "5.8.6", rules.HandCount, rules.CardsLost, rules.NobodyLooked).
			Under(rules.UnseenWrongCount, rules.PerRound),
		rules.Then(rules.Invalidate, "5.15", rules.HandCount, rules.CardsLost),
		//clause:rws-3cp@3 5.8.6
		rules.Then(rules.OfferAffected, "5.10", rules.Misplaced, rules.NobodyLooked, rules.HandsMovable).
			Under(rules.MovedHandsOptions, rules.Yes),
		rules.Then(rules.MoveHands, "5.8.6", rules.Misplaced, rules.NobodyLooked, rules.HandsMovable),
		// Whether 5.8.7 and 5.15, which speak of a wrong number that cannot be put right,
		// leave one that can to 5.10, is a ruling. Hands of three that got each other's
		// cards are a wrong distribution in any case.
		rules.Then(rules.Void, "5.8.6", rules.Misplaced, rules.NobodyLooked, rules.OthersMisplaced),
		rules.Then(rules.OfferAffected, "5.10", rules.DealerCount, rules.NobodyLooked).Under(rules.UnseenCountPutRight, rules.Yes),
		rules.Then(rules.OfferAffected, "5.10", rules.HandCount, rules.NobodyLooked).Under(rules.UnseenCountPutRight, rules.Yes),
		rules.Then(rules.Void, "5.8.6", rules.Misplaced, rules.NobodyLooked),
		//clause:rws-3cp@3 5.10
		rules.Then(rules.OfferAffected, "5.10", rules.Misplaced),
		//clause:rws-3cp@3 5.12
		rules.Then(rules.Continue, "5.12", rules.OneExposed, rules.SomebodyLooked, rules.WhileDealing),
		rules.Then(rules.Continue, "5.12", rules.OneExposed, rules.SomebodyLooked).Under(rules.ExposedAfterDeal, rules.Yes),
		rules.Then(rules.OfferAffected, "5.10", rules.OneExposed, rules.WhileDealing),
		// By 3.10 the deal ends with the last card: a card exposed after it is no case of
		// 5.8.2 or 5.12, and hardly an error of the deal.
		rules.AskIf(resolve, rules.OneExposed).Under(rules.ExposedAfterDeal, rules.AskShiftManager),
		// The burn card is no card of a hand, and is discarded before the deal.
		//clause:rws-3cp@3 1.4
		rules.Then(rules.Continue, "1.4", rules.OnlyBurnExposed).Under(rules.ExposedBurn, rules.No),
		// One card and nobody has looked, or an error that moved no card: neither
		// 5.8 nor 5.12 describes it.
		rules.Then(rules.OfferAffected, "5.10"),
	),
	//clause:rws-3cp@3 5.13
	rules.Provide(rules.CardFaceUp, rules.Then(rules.Continue, "5.13")),
	//clause:rws-3cp@3 5.14
	//clause:rws-3cp@3 5.14.1
	rules.Provide(
		rules.DrawnTogether,
		rules.Then(rules.OfferAll, "5.14.1", rules.OrderKnown).Under(rules.DrawnInOrder, rules.Yes),
		rules.Then(rules.Continue, "5.14", rules.OrderKnown),
		rules.AskIf(&rules.Question{
			Key: "order", Ask: "Which of the cards is received first?",
			Role: rules.PitSupervisor, Clause: "5.14",
			Answers: []rules.Answer{rules.Reply("order", rules.OfferAll, "5.14.1")},
		}),
	),
	//clause:rws-3cp@3 5.16
	//clause:rws-3cp@3 5.17
	//clause:rws-3cp@3 5.17.1
	rules.Provide(rules.ProgressiveDown,
		rules.Then(rules.Continue, "5.17.2", rules.NoRound),
		rules.Then(rules.Continue, "5.17.1", rules.SomebodyLooked, rules.DevicesOnly).Under(rules.DeviceFailure, rules.DisplayedValue),
		rules.Then(rules.KeepRegistered, "5.17.1", rules.SomebodyLooked),
		rules.Then(rules.Void, "5.16"),
	),
	//clause:rws-3cp@3 5.18
	rules.Provide(
		rules.SecondHand,
		// Its bets are lost and it takes part in the round no more: a look does not
		// bring them back.
		rules.Then(rules.Continue, "3.12.1", rules.FoldedHand).Under(rules.SecondHandFolded, rules.Lost),
		rules.AskIf(&rules.Question{
			Key: "intentional", Ask: "Did the player examine the additional hand intentionally?",
			Role: rules.PitSupervisor, Clause: "5.18",
			Answers: []rules.Answer{
				rules.Reply("yes", rules.Invalidate, "5.18"),
				rules.Reply("no", rules.Continue, "5.18"),
			},
		}),
	),
	//clause:rws-3cp@3 5.5
	//clause:rws-3cp@3 5.6
	rules.Provide(rules.WalkedAway,
		rules.Then(rules.Continue, "5.6", rules.NothingToDecide),
		// An option that is open goes unanswered; there is no hand left to fold.
		rules.Then(rules.OptionsLapse, "5.10", rules.NothingToFold),
		rules.Then(rules.FoldUndecidedHands, "5.5"),
	),
	rules.Provide(rules.LateBet, rules.Then(rules.NotHonoured, "5.11")),
	rules.Provide(rules.LateWithdrawal, rules.Then(rules.Stands, "5.11")),
	// A payment of another amount is not the settlement yet.
	//clause:rws-3cp@3 1.18
	rules.Provide(rules.Mispaid, rules.Then(rules.PayDifference, "1.18")),
	//clause:rws-3cp@3 5.7
	//clause:rws-3cp@3 5.7.1
	//clause:rws-3cp@3 5.7.2
	rules.Provide(rules.TechnicalInterruption,
		rules.Then(rules.Continue, "5.7", rules.Brief),
		rules.Then(rules.Continue, "5.7.1", rules.Established),
		rules.Then(rules.Void, "5.7.2"),
	),
	// A look that 3.14 forbids has no clause of its own; a touch alone is no look.
	//clause:rws-3cp@3 3.14
	rules.Provide(
		rules.HandTouched,
		rules.AskIf(resolve, rules.LookedAt),
		rules.Then(rules.Continue, "3.12"),
	),
	//clause:rws-3cp@3 1.9
	rules.Provide(rules.CardMisread, rules.Then(rules.Continue, "1.9")),
	//clause:rws-3cp@3 5.23
	rules.Provide(rules.Uncovered, rules.AskIf(resolve)),
}

// resolveEarlier decides an error that the rules do not cover, noticed once the next
// round has begun: 5.19 protects the later rounds and ends no claim.
var resolveEarlier = &rules.Question{
	Key: "resolve-earlier", Ask: "The rules do not provide for this error of an earlier round. How is it resolved?",
	Role: rules.ShiftManager, Clause: "5.23",
	Answers: []rules.Answer{
		rules.Reply("stands", rules.Stands, "5.23"),
		rules.Reply("adjust", rules.Adjust, "5.23"),
	},
}

// resolve decides what the rules do not cover.
var resolve = &rules.Question{
	Key: "resolve", Ask: "The rules do not provide for this. How is it resolved?",
	Role: rules.ShiftManager, Clause: "5.23",
	Answers: []rules.Answer{
		rules.Reply("continue", rules.Continue, "5.23"),
		rules.Reply("void", rules.Void, "5.23"),
		rules.Reply("invalidate", rules.Invalidate, "5.23"),
		rules.Reply("offer", rules.OfferAffected, "5.23"),
		rules.Reply("remedy", rules.Remedy, "5.23"),
	},
}
