package table

import (
	"cmp"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// Legal lists what the actor may do now, by asking of every possible action the
// same question as Decide. A Bet carries the least amount that would be
// accepted; where cards have to be named, the lowest ones not in the round stand
// for them: a device or whoever turns them says which they are, and nobody is
// shown them, because they tell which cards are in the round. Reports that only
// describe what people did are listed once for each box, player or card they could
// concern.
//
// Not listed is what takes a word from outside: bets of people who have none yet,
// reports of earlier rounds, and cards that a hand deals where they do not belong.
func Legal(s State, by Actor) []Action {
	var legal []Action
	for _, a := range s.candidates(by) {
		if a.verify(&s, by) == nil {
			legal = append(legal, a)
		}
	}
	return legal
}

// candidates lists every action that could conceivably be legal for the actor.
func (s *State) candidates(by Actor) []Action {
	var all []Action
	players := s.players()
	if by.Role == rules.Player && by.Name != "" && !slices.Contains(players, by.Name) {
		players = append(players, by.Name)
	}
	for i := range s.Boxes {
		box := i + 1
		for _, player := range players {
			if by.Role == rules.Player && player != by.Name {
				continue
			}
			for k := range s.book().Wagers {
				w := s.book().Wagers[k].Wager
				all = append(
					all,
					Bet{Box: box, Player: player, Wager: w, Amount: s.leastBet(box, player, w)},
					Withdraw{Box: box, Player: player, Wager: w},
				)
				if s.Config.Chips {
					found := Found{Box: box, Player: player, Wager: w, Amount: s.stake(box, player, w)}
					all = append(all, found)
					found.AtCall = true
					all = append(all, found)
					if s.box(box).Settled {
						found.Amount = 0
						all = append(all, found)
					}
				}
			}
			all = append(
				all,
				Examine{Box: box, Player: player},
				Raise{Box: box, Player: player},
				Fold{Box: box, Player: player},
				Choose{Box: box, Player: player},
				Choose{Box: box, Player: player, Return: true},
				AskWithdrawal{Box: box, Player: player},
			)
		}
		hand := s.toName(Box(box))
		all = append(all, LayUp{Box: box, Hand: hand}, Show{Box: box, Hand: hand}, KeepDown{Box: box})
		if s.Phase == Showing && by.Role != rules.Player && s.asksEnvy(box) {
			all = append(all, Show{Box: box, Hand: s.bringingEnvy(box)})
		}
	}
	for _, player := range players {
		all = append(all, Choose{Player: player}, Choose{Player: player, Return: true})
	}
	if by.Role == rules.Player {
		return all
	}
	all = append(
		all,
		OpenTable{}, CloseTable{}, OpenBets{}, CloseBets{}, s.restOfDeal(), FinishDeal{},
		Reveal{Hand: s.toName(DealerHand)}, Settle{Meter: s.Variant.Limits[rules.Progressive].Max}, Expire{},
	)
	if next := s.NextToSettle(); next != 0 {
		all = append(all, Settle{Box: next, Meter: s.Variant.Limits[rules.Progressive].Max})
	}
	for _, player := range players {
		all = append(all, RestrictPlayer{Player: player}, RestrictPlayer{Player: player, Lift: true})
	}
	for n := range s.book().Boxes.PerArea {
		all = append(all, RestrictAreas{Max: n})
	}
	all = append(
		all,
		SuspendProgressive{Option: CloseTableOption}, SuspendProgressive{Option: WithoutProgressive},
		RestoreProgressive{},
	)
	for i := range s.Boxes {
		all = append(all, SuspendProgressive{Option: WithoutBoxes, Boxes: []int{i + 1}})
	}
	if s.Question != nil {
		order := make([]int, len(s.drawn))
		for i := range order {
			order[i] = i + 1
		}
		for _, a := range s.Question.Answers {
			if a.Then == rules.Remedy {
				all = append(all, s.possibleRemedies()...)
				continue
			}
			all = append(all, Answer{Answer: a.Key, Order: order})
		}
	}
	return append(all, s.possibleReports(players)...)
}

// players lists everybody who has bet, in the order of their boxes.
func (s *State) players() []string {
	var players []string
	for i := range s.Boxes {
		for j := range s.Boxes[i].Bettors {
			if p := s.Boxes[i].Bettors[j].Player; !slices.Contains(players, p) {
				players = append(players, p)
			}
		}
	}
	return players
}

// leastBet returns the least amount that could be added to a wager now.
func (s *State) leastBet(box int, player string, w rules.Wager) money.Amount {
	least := max(s.Variant.Limits[w].Min-s.counted(box, player, w), money.Minor)
	if len(s.Variant.Chips) == 0 || s.payable(least) {
		return least
	}
	// The least payable amount is at most one smallest chip above, where the
	// denominations share no coarser unit; looking a little further is cheap.
	for a := least; a < least+2*s.Variant.Chips[len(s.Variant.Chips)-1]; a++ {
		if s.Variant.Payable(a) {
			return a
		}
	}
	return least
}

// restOfDeal returns a deal of all cards still to come.
func (s *State) restOfDeal() Deal {
	cards := make([]Drawn, len(s.ToCome()))
	if s.Config.Cards != Unseen {
		for i, c := range s.free(len(cards)) {
			cards[i].Card = c
		}
	}
	return Deal{Cards: cards}
}

// free returns the lowest cards that are not known to be in the round, at most n.
func (s *State) free(n int) []card.Card {
	free := card.Deck()
	for i := range s.Slots {
		free = free.Without(s.Slots[i].Card)
	}
	return free.Cards()[:min(n, free.Len())]
}

// toName returns a hand that is to be turned, with a free card for each that the house has not
// read; nil if it has read all three.
func (s *State) toName(p Place) []card.Card {
	hand, n := s.Hand(p)
	free := s.free(len(hand))
	if _, known := s.known(p); known || n != 3 || len(free) < len(hand) {
		return nil
	}
	for i, c := range hand {
		if c == card.None {
			hand[i] = free[i]
		} else {
			hand[i] = card.None
		}
	}
	return hand[:]
}

// bringingEnvy returns what toName does, for a folded hand that is shown only if it brings an Envy
// Bonus: the first such hand of free cards.
func (s *State) bringingEnvy(box int) []card.Card {
	hand, n := s.Hand(Box(box))
	if n != len(hand) {
		return nil
	}
	given := make([]card.Card, len(hand))
	free := s.free(deckSize)
	// The hands that bring one are high: they are found soon.
	slices.SortStableFunc(free, func(a, b card.Card) int { return cmp.Compare(b.Rank(), a.Rank()) })
	var try func(at, from int) bool
	try = func(at, from int) bool {
		if at == len(hand) {
			return s.bringsEnvy(s.box(box), s.named(Box(box), given))
		}
		if hand[at] != card.None {
			return try(at+1, from)
		}
		for i := from; i < len(free); i++ {
			if given[at] = free[i]; try(at+1, i+1) {
				return true
			}
		}
		given[at] = card.None
		return false
	}
	if !try(0, 0) {
		return nil
	}
	return given
}

func (s *State) possibleReports(players []string) []Action {
	var all []Action
	add := func(r Report) { all = append(all, r) }
	for _, i := range rules.Incidents() {
		switch i {
		case rules.WrongCount:
			add(Report{Incident: i, Dealer: true})
			add(Report{Incident: i, Dealer: true, Count: 4})
			for b := range s.Boxes {
				add(Report{Incident: i, Box: b + 1})
				add(Report{Incident: i, Box: b + 1, Count: 4})
			}
		case rules.SecondHand:
			for b := range s.Boxes {
				add(Report{Incident: i, Box: b + 1})
			}
		case rules.CardExposed:
			var lie [Out + 1]int
			for _, c := range s.Slots {
				lie[c.Place]++
				if s.Phase == Showing && c.Exposed() {
					continue // It may have been turned too early, and as a rule it was not.
				}
				e := Exposed{At: c.Place, Index: lie[c.Place]}
				if free := s.free(1); c.Card == card.None && len(free) > 0 {
					e.Card = free[0]
				}
				add(Report{Incident: i, Cards: []Exposed{e}, BeforeLook: s.Phase == Showing})
			}
		case rules.DrawnTogether:
			rest := s.restOfDeal().Cards
			if len(rest) >= 2 {
				add(Report{Incident: i, Cards: []Exposed{{Card: rest[0].Card}, {Card: rest[1].Card}}})
			}
		case rules.DeckCount:
			add(Report{Incident: i, Count: 52})
		case rules.WalkedAway:
			for _, p := range players {
				add(Report{Incident: i, Player: p})
			}
		case rules.HandsDiscussed:
			for _, p := range players {
				add(Report{Incident: i, Player: p, BeforeLook: s.Phase > Deciding})
			}
		case rules.LateBet:
			for b := range s.Boxes {
				for _, p := range players {
					add(Report{Incident: i, Box: b + 1, Player: p, Amount: 1})
					for k := range s.book().Wagers {
						w := s.book().Wagers[k].Wager
						if stake := s.stake(b+1, p, w); stake > 0 {
							add(Report{Incident: i, Box: b + 1, Player: p, Wager: w, Amount: stake, Counted: true})
						}
					}
				}
			}
		case rules.Mispaid:
			for b := range s.Boxes {
				for _, p := range players {
					for k := range s.book().Wagers {
						w := s.book().Wagers[k].Wager
						add(Report{Incident: i, Box: b + 1, Player: p, Wager: w, Amount: s.received(b+1, p, w) + money.Minor})
					}
				}
			}
		case rules.LateWithdrawal:
			for b := range s.Boxes {
				for _, p := range players {
					add(Report{Incident: i, Box: b + 1, Player: p})
				}
			}
		case rules.ProgressiveDown:
			add(Report{Incident: i, Meter: money.Major})
		case rules.HandTouched:
			for b := range s.Boxes {
				for _, p := range players {
					if len(s.Slots) > 0 && s.Config.Cards != Virtual {
						add(Report{Incident: i, Box: b + 1, Player: p})
						add(Report{Incident: i, Box: b + 1, Player: p, Looked: true})
						if s.book().Examine.AfterDeal && s.Phase > Dealing {
							add(Report{Incident: i, Box: b + 1, Player: p, Looked: true, BeforeLook: true})
						}
					}
				}
			}
		case rules.CardMisread:
			var lie [Out + 1]int
			for _, c := range s.Slots {
				lie[c.Place]++
				if free := s.free(1); c.Exposed() && len(free) > 0 {
					add(Report{Incident: i, Cards: []Exposed{{At: c.Place, Index: lie[c.Place], Card: free[0]}}})
				}
			}
		case rules.ForeignCard, rules.InsufficientCards, rules.Unshuffled, rules.CardFaceUp,
			rules.DealtIncorrectly, rules.BurnMissed, rules.DealingError, rules.CountDoubted,
			rules.Uncovered, rules.Misdeal:
			add(Report{Incident: i})
		case rules.TechnicalInterruption:
			add(Report{Incident: i, LastedMs: 1})
		}
	}
	return all
}
