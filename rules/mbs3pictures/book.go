// Package mbs3pictures declares Royal Three Pictures as Marina Bay Sands'
// approved rules, version 2, have it. It is data: package table plays it.
package mbs3pictures

import (
	"trey/money"
	"trey/rules"
)

// Book returns the declaration. Its value is shared and must not be changed.
func Book() *rules.Book { return book }

var book = &rules.Book{
	ID: "mbs-3pictures", Edition: "2", Revision: 1,
	Title: "Royal Three Pictures", House: "Marina Bay Sands",
	Ranking: rules.PictureOrder,
	//clause:mbs-3pictures@2 3.4
	//clause:mbs-3pictures@2 3.6
	//clause:mbs-3pictures@2 3.7
	//clause:mbs-3pictures@2 3.8
	//clause:mbs-3pictures@2 3.9
	//clause:mbs-3pictures@2 3.9.1
	//clause:mbs-3pictures@2 appendix.A
	//clause:mbs-3pictures@2 appendix.B
	Boxes: rules.BoxRule{
		Default: 8, Max: 8, PerArea: 3, Standing: true, OnRequest: true,
		Clauses: rules.BoxClauses{
			Count: "appendix.A", PerArea: "3.9", Others: "3.7", Taken: "3.9", Standing: "3.11",
			Participate: "3.4", RestrictPlayer: "3.8", RestrictAreas: "3.9.1", OnBehalf: "3.6",
		},
	},
	Wagers: []rules.WagerRule{
		{
			//clause:mbs-3pictures@2 2.2.1
			//clause:mbs-3pictures@2 1.1.5
			//clause:mbs-3pictures@2 3.16
			//clause:mbs-3pictures@2 4.1
			Wager: rules.Main, Contest: rules.AgainstDealer, Stake: rules.WithinLimits,
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.SixPoints, Pay: rules.Pay{Odds: money.Odds{To: 1, For: 2}}, Clause: "4.1"},
				{Combo: rules.AnyHand, Pay: rules.ToOne(1), Clause: "4.1"},
			}}},
			Clauses: rules.Outcomes{Place: "3.4", Size: "3.4", Win: "4.1", Lose: "3.16", Push: "1.1.5"},
		},
		{
			//clause:mbs-3pictures@2 2.2.2
			//clause:mbs-3pictures@2 1.1.6
			//clause:mbs-3pictures@2 3.5
			//clause:mbs-3pictures@2 3.19
			Wager: rules.Tie, Contest: rules.EqualPoints, Stake: rules.WithinLimits,
			Needs:   rules.Need{Wager: rules.Main, Scope: rules.SameBox, Clause: "3.5"},
			Pays:    []rules.PayTable{{Rows: []rules.PayRow{{Combo: rules.AnyHand, Pay: rules.ToOne(8), Clause: "4.1"}}}},
			Clauses: rules.Outcomes{Place: "3.5", Size: "3.4", Win: "3.19", Lose: "1.1.6"},
		},
		{
			//clause:mbs-3pictures@2 2.2.3
			//clause:mbs-3pictures@2 4.2
			Wager: rules.RoyalPictures, Contest: rules.OnHand, Stake: rules.WithinLimits,
			Needs: rules.Need{Wager: rules.Main, Scope: rules.SameBox, Clause: "3.5"},
			Pays: []rules.PayTable{{Rows: []rules.PayRow{
				{Combo: rules.ThreeKings, Pay: rules.ToOne(188), Clause: "4.2"},
				{Combo: rules.ThreeQueens, Pay: rules.ToOne(128), Clause: "4.2"},
				{Combo: rules.ThreeJacks, Pay: rules.ToOne(88), Clause: "4.2"},
				{Combo: rules.ThreePictures, Pay: rules.ToOne(18), Clause: "4.2"},
				{Combo: rules.PicturePair, Pay: rules.ToOne(8), Clause: "4.2"},
				{Combo: rules.AnyKing, Pay: rules.ToOne(1), Clause: "4.2"},
			}}},
			Clauses: rules.Outcomes{Place: "3.5", Size: "3.4", Lose: "1.1.4"},
		},
	},
	//clause:mbs-3pictures@2 1.1.1
	//clause:mbs-3pictures@2 3.10
	//clause:mbs-3pictures@2 3.11
	//clause:mbs-3pictures@2 3.13
	//clause:mbs-3pictures@2 3.14
	//clause:mbs-3pictures@2 3.15
	Examine: rules.ExamineRule{
		OnePerPlayer: true, ReturnFaceUp: true,
		Clauses: rules.ExamineClauses{
			May: "3.7", One: "3.7", First: "3.10", Seated: "3.11", Return: "3.13", Opened: "3.14", Showing: "3.15",
		},
	},
	Devices: []rules.DeviceRule{
		//clause:mbs-3pictures@2 3.12
		{Device: rules.Shuffler, Packets: true, Clause: "3.12"},
		//clause:mbs-3pictures@2 3.12.1
		{Device: rules.Shoe, Clause: "3.12.1"},
	},
	Order: rules.OrderRule{
		Lines:  []rules.Wager{rules.Main, rules.Tie, rules.RoyalPictures},
		Clause: "3.16",
	},
	Bets: rules.BetRule{
		//clause:mbs-3pictures@2 3.1
		Open: "3.1",
		//clause:mbs-3pictures@2 3.2
		Closed: "3.2",
		Limits: "3.4", OverBefore: "3.4", UnderBefore: "3.4",
		//clause:mbs-3pictures@2 5.11
		OverAfter: "5.11",
		//clause:mbs-3pictures@2 5.10
		UnderAfter: "5.10", UnderOnce: "5.10",
		//clause:mbs-3pictures@2 5.2
		LatePlace: "5.2",
		//clause:mbs-3pictures@2 5.3
		LateWithdraw: "5.3",
		EarlierAsk:   resolveEarlier,
		//clause:mbs-3pictures@2 5.12
		EarlierStake: "5.12",
		NeedlessRide: "3.5",
		Settle:       "1.1.3",
		Interrupted:  "5.13",
	},
	Offer: rules.OfferRule{
		Continue: "5.13.1", Restored: "5.4", Return: "5.5", Withdraw: "5.13.1",
		//clause:mbs-3pictures@2 5.7
		Dissatisfied: "5.7",
		Question: &rules.Question{
			Key: "permit", Ask: "May the dissatisfied player withdraw the wager?",
			Role: rules.PitSupervisor, Clause: "5.7",
			Answers: []rules.Answer{
				rules.Reply("yes", rules.TakeBack, "5.7"),
				rules.Reply("no", rules.Continue, "5.7"),
			},
		},
	},
	Announce:  rules.AnnounceRule{OneHand: "3.7", DealerHand: "3.15", Results: "3.16"},
	Incidents: incidents,
	Rulings:   rulings,
	Readings:  readings,
	Clauses:   clauses,
}

// resolveEarlier decides an error that the rules do not cover, noticed once the next
// round has begun: 5.1.2 and 5.12 leave settled what they name, and no more.
var resolveEarlier = &rules.Question{
	Key: "resolve-earlier", Ask: "The rules do not provide for this error of an earlier round. How is it resolved?",
	Role: rules.ShiftManager, Clause: "6.1",
	Answers: []rules.Answer{
		rules.Reply("stands", rules.Stands, "6.1"),
		rules.Reply("adjust", rules.Adjust, "6.1"),
	},
}

// resolve decides what the rules do not cover.
var resolve = &rules.Question{
	Key: "resolve", Ask: "The rules do not provide for this. How is it resolved?",
	Role: rules.ShiftManager, Clause: "6.1",
	Answers: []rules.Answer{
		rules.Reply("continue", rules.Continue, "6.1"),
		rules.Reply("void", rules.Void, "6.1"),
		rules.Reply("invalidate", rules.Invalidate, "6.1"),
		rules.Reply("offer", rules.OfferAffected, "6.1"),
		rules.Reply("move", rules.MoveHands, "6.1"),
		rules.Reply("remedy", rules.Remedy, "6.1"),
	},
}

var incidents = []rules.IncidentRule{
	//clause:mbs-3pictures@2 5.1
	//clause:mbs-3pictures@2 5.1.1
	// 5.1 speaks of the course of a round, which by 1.1.3 ends with the payment.
	//clause:mbs-3pictures@2 5.1.2
	rules.Provide(rules.ForeignCard,
		rules.Then(rules.Stands, "5.1.2", rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.1.1"),
	).TooLate("5.1.2"),
	rules.Provide(rules.Unshuffled,
		rules.Then(rules.Stands, "5.1.2", rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.1.1"),
	).TooLate("5.1.2"),
	rules.Provide(rules.InsufficientCards, rules.Then(rules.Void, "5.1.1")).TooLate("5.1.2"),
	// What is wrong with a deal is one table, whatever it is reported as. Its order:
	// what voids the round while it is dealt (5.8.1); a distribution that no player
	// has handled (5.4); the dealer's hand, without which nothing can be decided
	// (5.9), and beyond the payment, where the round then stands, a hand by 5.5 alone;
	// hands of a wrong number, which 5.5 names before 5.6; a distribution
	// that is played out (5.6); cards turned over (5.8).
	rules.Provide(
		rules.Misdeal,
		//clause:mbs-3pictures@2 5.8.1
		rules.Then(rules.Void, "5.8.1", rules.FirstCardByHand).WithoutDelay(),
		//clause:mbs-3pictures@2 5.4
		rules.Then(rules.MoveHands, "5.4", rules.Misplaced, rules.NobodyHandled, rules.HandsMovable),
		rules.Then(rules.Void, "5.4", rules.Misplaced, rules.NobodyHandled),
		rules.Then(rules.Void, "5.4", rules.DealerCount, rules.NobodyHandled),
		rules.Then(rules.Void, "5.4", rules.HandCount, rules.NobodyHandled),
		rules.Then(rules.Invalidate, "5.5", rules.DealerCount, rules.ViewedHandCount, rules.NoRound).Under(rules.DealerCountLate, rules.Stand),
		rules.Then(rules.Stands, "5.1.2", rules.DealerCount, rules.NoRound).Under(rules.DealerCountLate, rules.Stand),
		rules.Then(rules.Void, "5.9", rules.DealerCount),
		//clause:mbs-3pictures@2 5.5
		rules.Then(rules.Invalidate, "5.5", rules.ViewedHandCount),
		// A blind hand: 5.5 speaks only of a hand its player has viewed.
		rules.AskIf(resolve, rules.HandCount),
		//clause:mbs-3pictures@2 5.6
		rules.Then(rules.Continue, "5.6", rules.Misplaced),
		//clause:mbs-3pictures@2 5.8
		rules.Then(rules.TurnDown, "5.8", rules.OneExposed, rules.WhileDealing),
		rules.AskIf(resolve, rules.OneExposed).Under(rules.TurnedAfterDeal, rules.No),
		rules.Then(rules.TurnDown, "5.8", rules.OneExposed),
		rules.AskIf(resolve),
	).TooLate("5.5"),
	// The order is known: each card goes to the place that is next. The first card of all
	// may lie open among them.
	rules.Provide(
		rules.DrawnTogether,
		rules.Then(rules.Void, "5.8.1", rules.FirstCardByHand).WithoutDelay(),
		rules.Then(rules.Continue, "3.12.1", rules.OrderKnown),
		rules.AskIf(resolve),
	),
	// 5.4 and 5.6 ask who handled cards, and handling is permitted; looking at a hand
	// beyond the one of 3.7 has no clause of its own.
	//clause:mbs-3pictures@2 5.4
	//clause:mbs-3pictures@2 5.6
	rules.Provide(
		rules.HandTouched,
		rules.AskIf(resolve, rules.LookedAt),
		rules.Then(rules.Continue, "3.10"),
	),
	rules.Provide(rules.CardFaceUp,
		rules.Then(rules.Void, "5.8.1", rules.FirstCardByHand).WithoutDelay(),
		rules.Then(rules.TurnDown, "5.8"),
	),
	//clause:mbs-3pictures@2 5.9
	rules.Provide(rules.CountDoubted, rules.Then(rules.CountCards, "5.9")),
	rules.Provide(rules.DeckCount,
		rules.Then(rules.Void, "5.9", rules.CountWrong, rules.Doubted),
		// Nobody doubted the number: extra or missing cards came to light (5.1).
		rules.Then(rules.Stands, "5.1.2", rules.CountWrong, rules.NoRound).Under(rules.FoundAfterPayment, rules.Stand),
		rules.Then(rules.Void, "5.1.1", rules.CountWrong),
		rules.Then(rules.Continue, "5.9"),
	).TooLate("5.1.2"),
	rules.Provide(rules.LateBet, rules.Then(rules.NotHonoured, "5.2")),
	rules.Provide(rules.LateWithdrawal, rules.Then(rules.Stands, "5.3")),
	// A payment of another amount is not the settlement yet.
	//clause:mbs-3pictures@2 1.1.3
	rules.Provide(rules.Mispaid, rules.Then(rules.PayDifference, "1.1.3")),
	// A player who leaves has nothing to decide, except an offer to withdraw: the dealer
	// opens the hand.
	rules.Provide(rules.WalkedAway,
		rules.Then(rules.Continue, "3.14", rules.NothingToDecide),
		rules.Then(rules.FoldUndecidedHands, "5.13.1"),
	),
	//clause:mbs-3pictures@2 5.13
	//clause:mbs-3pictures@2 5.13.1
	//clause:mbs-3pictures@2 5.13.2
	rules.Provide(rules.TechnicalInterruption,
		rules.Then(rules.Continue, "5.13", rules.Brief),
		rules.Then(rules.Continue, "5.13.2", rules.Established),
		rules.Then(rules.OfferWithdrawal, "5.13.1"),
	),
	//clause:mbs-3pictures@2 3.17
	rules.Provide(rules.CardMisread, rules.Then(rules.Continue, "3.17")),
	//clause:mbs-3pictures@2 6.1
	rules.Provide(rules.Uncovered, rules.AskIf(resolve)),
}
