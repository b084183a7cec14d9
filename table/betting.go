package table

import (
	"cmp"
	"slices"

	"trey/money"
	"trey/rules"
	"trey/sentence"
)

func (OpenTable) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.PitSupervisor, "") },
		func() *Refusal { return s.needPhase("", Closed) },
	)
}

func (OpenTable) perform(d *decision, _ Command) error {
	d.emit(TableOpened{})
	return nil
}

// verify lets a table be closed between rounds, and while its bets are open and
// nobody has placed one: a table that runs by itself stands so when it is idle.
func (CloseTable) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.PitSupervisor, "") },
		func() *Refusal {
			if s.Phase == Betting && s.OnLayout() == 0 {
				return nil
			}
			return s.needPhase("", Ready, Paid, Voided)
		},
		s.needNothingOpen,
	)
}

func (a CloseTable) perform(d *decision, _ Command) error {
	d.emit(TableClosed{})
	if a.Anew {
		d.emit(TableOpened{})
	}
	return nil
}

func (OpenBets) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, s.book().Bets.Open) },
		func() *Refusal { return s.needPhase(s.book().Bets.Open, Ready, Paid, Voided) },
		s.needNothingOpen,
		func() *Refusal {
			if s.Down && (s.DownOption == 0 || s.DownOption == CloseTableOption) {
				return s.refuse(Unfinished, s.incidentClause(rules.ProgressiveDown), "the progressive is out of order: first choose to close the table, to take no bets on the boxes affected, or to play on without it")
			}
			return nil
		},
	)
}

//clause:rws-3cp@3 3.2
//clause:mbs-3pictures@2 3.1
func (OpenBets) perform(d *decision, _ Command) error {
	d.emit(BetsOpened{Round: d.s.Round + 1})
	d.announce(d.s.book().Bets.Open, Announced{Key: "place-your-bets"})
	if d.s.Down && d.s.DownOption == WithoutProgressive {
		d.announce(d.s.book().Announce.Notice, Announced{Key: "no-progressive"})
	}
	return nil
}

// rule returns the wager's declaration, or why it is not one that is placed
// while bets are open.
func (s *State) rule(w rules.Wager) (*rules.WagerRule, *Refusal) {
	rule := s.book().Rule(w)
	switch {
	case rule == nil:
		return nil, s.refuse(NoSuchWager, "", "%s has no wager %s", s.book().Ref(), w)
	case rule.Stake == rules.NoStake:
		return nil, s.refuse(NoSuchWager, "", "%s is a payment, not a wager", w)
	case rule.Stake == rules.EqualToBasis:
		return nil, s.refuse(NoSuchWager, rule.Clauses.Place, "%s is placed after the deal, by going on", w)
	case rule.Stake == rules.Prescribed && s.Variant.Jackpot == nil:
		return nil, s.refuse(NoSuchWager, rule.Clauses.Place, "no progressive is connected to this table")
	}
	return rule, nil
}

// needBetting refuses whatever would change a bet after "No more bets".
//
//clause:rws-3cp@3 3.9
//clause:rws-3cp@3 5.11
//clause:us-3cp dealing.2
//clause:sm-3cp bonus.8
//clause:mbs-3pictures@2 5.2
//clause:mbs-3pictures@2 5.3
func (s *State) needBetting(clause string) *Refusal {
	switch s.Phase {
	case Dealing, Deciding, Showing:
		return s.refuse(WrongPhase, clause, "no more bets: since they were closed none may be placed, increased or withdrawn")
	default:
		return s.needPhase(s.book().Bets.Open, Betting)
	}
}

//clause:us-3cp wagers
//clause:us-3cp rules.1
//clause:us-3cp equipment.chips
//clause:rws-3cp@3 3.4
//clause:rws-3cp@3 3.6
//clause:sm-3cp bonus.6
//clause:mbs-3pictures@2 3.4
//clause:mbs-3pictures@2 3.5
//clause:mbs-3pictures@2 3.6
//clause:fr-p3c@2007 15
func (a Bet) verify(s *State, by Actor) *Refusal {
	b := s.book()
	var rule *rules.WagerRule
	return first(
		func() *Refusal {
			if a.Player == "" || a.Amount <= 0 {
				return s.refuse(Malformed, "", "a bet needs a player and an amount above zero")
			}
			return nil
		},
		func() *Refusal {
			// Staff may place bets at a player's request.
			if by.Role == rules.Player && by.Name != a.Player {
				return s.refuse(NotPermitted, b.Boxes.Clauses.OnBehalf, "only the dealer or the pit may place a bet for %s", a.Player)
			}
			return nil
		},
		func() *Refusal {
			// Where chips lie on the layout, staff enter those that the player has laid.
			if by.Role != rules.Player && !s.Config.Chips && b.Boxes.Clauses.Announced != "" {
				return s.refuse(NotPermitted, b.Boxes.Clauses.Announced, "no bet is made by announcing it: at this table %s places it", a.Player)
			}
			return nil
		},
		func() *Refusal { return s.needBetting(b.Bets.LatePlace) },
		s.needNothingOpen,
		func() *Refusal { return s.needBox(a.Box) },
		func() (r *Refusal) { rule, r = s.rule(a.Wager); return r },
		func() *Refusal { return s.needInService(a.Box, rule) },
		func() *Refusal { return s.needSeat(a) },
		func() *Refusal { return s.needFreeBox(a.Box, a.Player) },
		func() *Refusal { return s.needNotFolded(a.Box) },
		func() *Refusal { return s.needArea(a.Box, a.Player, a.Wager) },
		func() *Refusal { return s.needOther(a.Box, a.Player, rule) },
		func() *Refusal { return s.needStake(a, rule) },
	)
}

// needNotFolded refuses a change of bets on a box whose player has left and so has
// folded it.
//
//clause:rws-3cp@3 5.5
func (s *State) needNotFolded(box int) *Refusal {
	if d := s.book().Decision; d != nil && s.box(box).Decision == Folded {
		return s.refuse(AlreadyDone, d.Undecided, "box %d is folded, because its player left: its bets stay as they are", box)
	}
	return nil
}

//clause:rws-3cp@3 5.17.2b
//clause:rws-3cp@3 5.17.2c
func (s *State) needInService(box int, rule *rules.WagerRule) *Refusal {
	if s.box(box).Suspended {
		return s.refuse(Suspended, s.book().Bets.DownBoxes, "box %d takes no bets while its jackpot device is out of order", box)
	}
	if rule.Stake == rules.Prescribed && s.Down && s.DownOption == WithoutProgressive {
		return s.refuse(Suspended, s.book().Bets.DownWithout, "no Progressive Jackpot bets are accepted while the progressive is out of order")
	}
	return nil
}

// suspendedSince reports whether a settled round has bets of a kind that the house has suspended
// for the rounds to come.
//
//clause:rws-3cp@3 5.17.2
func (s *State) suspendedSince(box int) bool {
	b := s.box(box)
	return s.Phase == Paid && (b.Suspended && b.Staked() || s.DownOption == WithoutProgressive && s.ProgressiveBets() > 0)
}

// needSeat refuses a bet by a player who does not sit at the box, where the book has
// none. Where nobody sits at a box, whoever bets there may count as sitting there.
//
//clause:mbs-3pictures@2 3.11
//clause:rws-3cp@3 1.19
//clause:rws-3cp@3 1.20
//clause:rws-3cp@3 3.5
func (s *State) needSeat(a Bet) *Refusal {
	if a.Standing && !s.book().Boxes.Standing && (s.book().Boxes.Clauses.Unattended == "" || s.box(a.Box).Staked()) {
		return s.refuse(NotSeated, s.book().Boxes.Clauses.Standing, "standing players do not take part in this game: take a seat at a box")
	}
	return nil
}

// needFreeBox refuses a box that is another player's, or one more box than this
// player may have.
//
//clause:rws-3cp@3 3.5
//clause:rws-3cp@3 3.7
//clause:rws-3cp@3 3.8.1
//clause:us-3cp dealing.1d
//clause:mbs-3pictures@2 3.8
func (s *State) needFreeBox(box int, player string) *Refusal {
	clauses := &s.book().Boxes.Clauses
	if s.book().Boxes.PerArea == 1 {
		if owner := s.box(box).Player(); s.box(box).Staked() && owner != player {
			return s.refuse(BoxTaken, clauses.Taken, "box %d is %s's: choose a box that nobody has bet on", box, owner)
		}
	}
	for i := range s.Boxes {
		other := i + 1
		if other == box || s.Boxes[i].bettor(player) < 0 {
			continue
		}
		if slices.Contains(s.restricted, player) {
			return s.refuse(BoxTaken, clauses.RestrictPlayer, "the Pit Manager has held %s to one position, which is box %d", player, other)
		}
		if !s.book().Boxes.Adjacent {
			continue
		}
		if !s.Variant.Is(rules.AdjacentBoxes, rules.Yes) {
			return s.refuse(BoxTaken, clauses.Others, "%s already has box %d, and this house gives a player one box", player, other)
		}
		if s.boxesOf(player) == 2 && s.box(box).bettor(player) < 0 || other != box-1 && other != box+1 {
			return s.refuse(BoxTaken, clauses.Others, "%s has box %d: a second box must be next to it, and there is no third", player, other)
		}
	}
	return nil
}

func (s *State) boxesOf(player string) int {
	n := 0
	for i := range s.Boxes {
		if s.Boxes[i].bettor(player) >= 0 {
			n++
		}
	}
	return n
}

//clause:mbs-3pictures@2 3.9
//clause:mbs-3pictures@2 3.9.1
func (s *State) needArea(box int, player string, w rules.Wager) *Refusal {
	if most, clause := s.areaRule(); s.fillsArea(box, player, w) {
		return s.refuse(AreaFull, clause, "the %s area of box %d takes %d at most", w, box, most)
	}
	return nil
}

// areaRule returns the number of wagers that an area takes, and the provision for it.
func (s *State) areaRule() (most int, clause string) {
	rule := &s.book().Boxes
	if s.AreaMax > 0 && s.AreaMax < rule.PerArea {
		return s.AreaMax, rule.Clauses.RestrictAreas
	}
	return rule.PerArea, rule.Clauses.PerArea
}

// fillsArea reports whether a wager would be one more than its area takes.
func (s *State) fillsArea(box int, player string, w rules.Wager) bool {
	most, _ := s.areaRule()
	n := 0
	for i := range s.box(box).Bettors {
		if s.box(box).Bettors[i].Stakes[w] != 0 {
			n++
		}
	}
	// More money on a wager that lies there already is not another wager.
	return n >= most && s.stake(box, player, w) == 0
}

// needOther refuses a wager whose condition on another wager is not met.
//
//clause:rws-3cp@3 3.8
//clause:mbs-3pictures@2 3.5
func (s *State) needOther(box int, player string, rule *rules.WagerRule) *Refusal {
	if s.meets(box, player, rule) {
		return nil
	}
	need := s.Variant.Needs(rule)
	other := sentence.Of("%s", need.Wager)
	if need.Or != 0 {
		other = sentence.Of("%s or a %s", need.Wager, need.Or)
	}
	if need.Scope == rules.SamePlayer {
		return s.refuse(NeedsOther, need.Clause, "a %s bet needs your own %s bet on box %d first", rule.Wager, other, box)
	}
	return s.refuse(NeedsOther, need.Clause, "a %s bet needs a %s bet on box %d first", rule.Wager, other, box)
}

func (s *State) meets(box int, player string, rule *rules.WagerRule) bool {
	need := s.Variant.Needs(rule)
	holds := func(b *Bettor) bool {
		return b.Stakes[need.Wager] != 0 || need.Or != 0 && b.Stakes[need.Or] != 0
	}
	switch need.Scope {
	case rules.SamePlayer:
		i := s.box(box).bettor(player)
		return i >= 0 && holds(&s.box(box).Bettors[i])
	case rules.SameBox:
		for i := range s.box(box).Bettors {
			if holds(&s.box(box).Bettors[i]) {
				return true
			}
		}
		return false
	}
	return true
}

// needStake refuses an amount that does not fit the limits, the prescribed size
// or the chips.
//
//clause:rws-3cp@3 3.4
//clause:rws-3cp@3 5.1
//clause:rws-3cp@3 5.2
//clause:us-3cp amounts.ante
//clause:us-3cp amounts.pair-plus
//clause:us-3cp equipment.chips
func (s *State) needStake(a Bet, rule *rules.WagerRule) *Refusal {
	total := a.Amount + s.counted(a.Box, a.Player, a.Wager)
	limit := s.Variant.Limits[a.Wager]
	clause := rule.Clauses.Size
	switch {
	case total < a.Amount || total > rules.MaxStake:
		return s.refuse(StakeSize, clause, "%s is beyond any stake there is", a.Amount)
	case rule.Stake == rules.Prescribed && total != limit.Max:
		return s.refuse(StakeSize, clause, "a %s bet is exactly %s", rule.Wager, limit.Max)
	case limit.Max > 0 && total > limit.Max:
		clause = cmp.Or(s.book().Bets.OverBefore, clause)
		return s.refuse(StakeSize, clause, "%s on %s would be above the maximum of %s", total, rule.Wager, limit.Max)
	case total < limit.Min:
		clause = cmp.Or(s.book().Bets.UnderBefore, clause)
		return s.refuse(StakeSize, clause, "%s on %s is below the minimum of %s: increase it or leave it", total, rule.Wager, limit.Min)
	case !s.payable(a.Amount):
		return s.refuse(NotChips, cmp.Or(s.book().Bets.Chips, clause), "%s cannot be laid with the chips in use", a.Amount)
	}
	return nil
}

// payable reports whether an amount can be staked at this table. It can in the chips in use, which
// an operator may name. By the ruling amounts_without_chips any amount can, at a table without
// chips that keeps the list of the text.
//
//clause:us-3cp objective
//clause:us-3cp equipment.chips
func (s *State) payable(amount money.Amount) bool {
	return s.Variant.Payable(amount) ||
		amount > 0 && !s.Config.Chips && slices.Equal(s.Variant.Chips, s.book().Chips) && s.Variant.Is(rules.AmountsWithoutChips, rules.Yes)
}

// counted returns the money to which the limits of a wager apply: what the player has on
// it or, by the ruling limits_per, all that lies on the area.
//
//clause:mbs-3pictures@2 3.4
func (s *State) counted(box int, player string, w rules.Wager) (sum money.Amount) {
	for i := range s.box(box).Bettors {
		if b := &s.box(box).Bettors[i]; b.Player == player || s.Variant.Is(rules.LimitsPer, rules.PerArea) {
			sum += b.Stakes[w]
		}
	}
	return sum
}

// limited returns the money to which the limits apply for a wager of a bettor.
func (s *State) limited(box int, b *Bettor, w rules.Wager) money.Amount {
	if s.Variant.Is(rules.LimitsPer, rules.PerArea) {
		return s.counted(box, b.Player, w)
	}
	return b.Stakes[w]
}

//clause:rws-3cp@3 5.22
//clause:mbs-3pictures@2 3.6
func (a Bet) perform(d *decision, c Command) error {
	e := BetPlaced{Box: a.Box, Player: a.Player, Wager: a.Wager, Amount: a.Amount, Standing: a.Standing && d.s.book().Boxes.Standing}
	if c.By.Role != rules.Player {
		e.EnteredBy = c.By.Name
		e.Clause = d.s.book().Boxes.Clauses.OnBehalf
	}
	d.record(e)
	return nil
}

func (a Withdraw) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal {
			if by.Role == rules.Player && by.Name != a.Player {
				return s.refuse(NotPermitted, s.book().Boxes.Clauses.OnBehalf, "only the dealer or the pit may take back a bet for %s", a.Player)
			}
			return nil
		},
		func() *Refusal { return s.needBetting(s.book().Bets.LateWithdraw) },
		s.needNothingOpen,
		func() *Refusal { return s.needBox(a.Box) },
		func() *Refusal {
			if s.stake(a.Box, a.Player, a.Wager) == 0 {
				return s.refuse(NotYours, "", "%s has no %s bet on box %d", a.Player, a.Wager, a.Box)
			}
			return s.needNotFolded(a.Box)
		},
	)
}

func (s *State) stake(box int, player string, w rules.Wager) money.Amount {
	i := s.box(box).bettor(player)
	if i < 0 || int(w) >= len(s.box(box).Bettors[i].Stakes) {
		return 0
	}
	return s.box(box).Bettors[i].Stakes[w]
}

func (a Withdraw) perform(d *decision, _ Command) error {
	line := givenBack(a.Box, a.Player, a.Wager, d.s.stake(a.Box, a.Player, a.Wager), d.s.book().Bets.Limits)
	d.changeStake(a.Box, BetsReturned{Clause: d.s.book().Bets.Limits, Lines: []Line{line}})
	return nil
}

func (d *decision) giveBack(box int, player string, w rules.Wager, amount money.Amount, clause string) {
	d.emit(BetsReturned{Clause: clause, Lines: []Line{givenBack(box, player, w, amount, clause)}})
}

// giveBackUnmetNow returns the wagers on a box that have lost the wager they need,
// unless bets are open and the ruling side_wagers_before_the_call lets them lie there
// until the call.
func (d *decision) giveBackUnmetNow(box int) {
	if d.s.Phase != Betting || d.s.Variant.Is(rules.SideWagersOpen, rules.Returned) {
		d.giveBackUnmet(box)
	}
}

// standUnmet reports whether wagers stand on a box without the wager they need: its
// player took that one back after the call, and by the ruling main_withdrawn they stand.
// They do so whatever else becomes of the box.
//
//clause:mbs-3pictures@2 3.5
func (s *State) standUnmet(box int) bool {
	b := s.box(box)
	return s.Phase != Betting && slices.ContainsFunc(b.Bettors, func(bettor Bettor) bool {
		return slices.ContainsFunc(s.book().Wagers, func(rule rules.WagerRule) bool {
			return bettor.Stakes[rule.Wager] != 0 && !s.meets(box, bettor.Player, &rule)
		})
	})
}

// changeStake carries out an event by which the stakes on a box change, and returns the
// wagers that lose by it the wager they need. Where some stood without it before, all do.
func (d *decision) changeStake(box int, e Event) {
	stand := d.s.standUnmet(box)
	if d.emit(e); d.err == nil && !stand {
		d.giveBackUnmetNow(box)
	}
}

// giveBackUnmet returns the wagers on a box that have lost the wager they need.
//
//clause:rws-3cp@3 5.4
//clause:mbs-3pictures@2 3.5
func (d *decision) giveBackUnmet(box int) {
	b, book := d.s.box(box), d.s.book()
	returned := map[string][]Line{}
	var clauses []string
	for i := range b.Bettors {
		for k := range book.Wagers {
			rule := &book.Wagers[k]
			stake := b.Bettors[i].Stakes[rule.Wager]
			if stake == 0 || d.s.meets(box, b.Bettors[i].Player, rule) {
				continue
			}
			clause := book.Needless(rule)
			if returned[clause] == nil {
				clauses = append(clauses, clause)
			}
			returned[clause] = append(returned[clause], d.s.stakeBack(box, b.Bettors[i].Player, rule.Wager, clause)...)
		}
	}
	for _, clause := range clauses {
		d.emit(BetsReturned{Clause: clause, Lines: returned[clause]})
	}
}

func (a Found) verify(s *State, by Actor) *Refusal {
	bets := &s.book().Bets
	return first(
		func() *Refusal {
			if a.Player == "" || a.Amount < 0 || a.Amount > rules.MaxStake {
				return s.refuse(Malformed, "", "say whose chips lie there and how much, from 0 to %s", rules.MaxStake)
			}
			return nil
		},
		func() *Refusal {
			if !s.Config.Chips {
				return s.refuse(NotInGame, bets.Position, "no chips lie on this layout: the system holds the bets")
			}
			return nil
		},
		func() *Refusal { return s.needRole(by, rules.Dealer, bets.Position) },
		func() *Refusal {
			if a.AtCall && s.Phase == Betting {
				return s.refuse(WrongPhase, bets.Closed, "the bets are still open: say what lies there now")
			}
			if s.Phase == Paid && s.tooLate(&a) {
				return s.refuse(WrongPhase, bets.Position, "the round is settled: say what lay there at the call, which is settled anew")
			}
			return s.needPhase(bets.Position, Betting, Dealing, Deciding, Showing, Paid)
		},
		s.needNothingOpen,
		func() *Refusal { return s.needBox(a.Box) },
		func() *Refusal {
			rule := s.book().Rule(a.Wager)
			if rule == nil || rule.Stake == rules.NoStake {
				return s.refuse(NoSuchWager, "", "%s has no betting area %s", s.book().Ref(), a.Wager)
			}
			if rule.Stake == rules.Prescribed && s.Variant.Jackpot == nil {
				return s.refuse(NoSuchWager, rule.Clauses.Place, "no progressive is connected to this table")
			}
			if a.AtCall && rule.Stake == rules.EqualToBasis {
				return s.refuse(NoSuchWager, rule.Clauses.Place, "%s is placed after the call: say what lies there now", a.Wager)
			}
			return nil
		},
		func() *Refusal {
			switch tooLate := s.tooLate(&a); {
			case tooLate && s.box(a.Box).Settled && a.Amount == s.stake(a.Box, a.Player, a.Wager):
				return s.refuse(AlreadyDone, bets.Position, "box %d is settled with that", a.Box)
			case tooLate || s.noBet(&a) != "":
				return nil // Whoever laid it there, and where: it takes no part.
			}
			return s.fitsBets(a)
		},
	)
}

// noBet returns the provision by which chips that were found are no bet in the round, whenever they
// were placed. That is so on another player's box, and for a Play bet on a box without the Ante
// that it has to equal. It returns an empty text if they may be a bet.
//
//clause:rws-3cp@3 3.5
//clause:rws-3cp@3 3.12.2
//clause:rws-3cp@3 5.3.1
//clause:rws-3cp@3 5.20
func (s *State) noBet(a *Found) string {
	boxes, rule, b := &s.book().Boxes, s.book().Rule(a.Wager), s.box(a.Box)
	switch {
	case a.Amount == 0 || s.Phase == Betting:
		return ""
	case rule.Stake == rules.EqualToBasis && b.Staked() && !b.has(rule.Basis):
		return cmp.Or(s.book().Bets.RaiseOver, rule.Clauses.Place)
	case a.AtCall && boxes.PerArea == 1 && b.Staked() && b.bettor(a.Player) < 0:
		return boxes.Clauses.Taken
	}
	return ""
}

// tooLate reports whether a statement is about chips that were laid down or taken
// away after "No more bets". A bet that is placed after the deal, such as Play, is
// counted where it is found.
func (s *State) tooLate(a *Found) bool {
	rule := s.book().Rule(a.Wager)
	return s.Phase != Betting && !a.AtCall && rule != nil && rule.Stake != rules.EqualToBasis
}

// fitsBets refuses a stake that cannot be what a player has in the round.
func (s *State) fitsBets(a Found) *Refusal {
	bets, rule := &s.book().Bets, s.book().Rule(a.Wager)
	return first(
		func() *Refusal {
			if a.Amount == 0 || s.suspendedSince(a.Box) {
				return nil
			}
			return s.needInService(a.Box, rule)
		},
		func() *Refusal {
			if s.box(a.Box).bettor(a.Player) >= 0 {
				return nil
			}
			return s.needFreeBox(a.Box, a.Player)
		},
		func() *Refusal {
			if s.Phase != Betting {
				return nil // One more than the area takes is recorded, and goes back.
			}
			return s.needArea(a.Box, a.Player, a.Wager)
		},
		func() *Refusal {
			if rule.Stake == rules.EqualToBasis && s.box(a.Box).Decision != Played {
				return s.refuse(NotApplicable, rule.Clauses.Place, "box %d has not been played", a.Box)
			}
			if a.Amount != 0 && !s.payable(a.Amount) {
				return s.refuse(NotChips, cmp.Or(bets.Chips, s.book().Rule(a.Wager).Clauses.Size), "%s cannot lie there in the chips in use: count it again", a.Amount)
			}
			if s.Phase == Betting {
				return s.needNotFolded(a.Box)
			}
			if r := s.needEqual(&a); r != nil {
				return r
			}
			limit := s.Variant.Limits[a.Wager]
			if rule.Stake != rules.EqualToBasis && s.Variant.Is(rules.OutsideLimits, rules.AskShiftManager) && (limit.Max > 0 && a.Amount > limit.Max && bets.OverAfter == "" ||
				a.Amount > 0 && a.Amount < limit.Min && bets.UnderAfter == "") {
				return s.refuse(NotApplicable, "", "%s has no rule for a stake outside the limits that is found now: report it as uncovered", s.book().Ref())
			}
			if bets.NeedlessRide != "" && s.Phase != Paid && !s.box(a.Box).Staked() && !s.box(a.Box).Invalid && !s.meets(a.Box, a.Player, rule) {
				return nil // It takes no part, and goes back at once.
			}
			b, d := s.box(a.Box), s.book().Decision
			envy := 0
			if b.Settled && !b.Collected {
				envy = s.envyCorrected()
			}
			switch {
			case !b.Staked() && !b.Invalid && s.Phase == Dealing && len(s.Slots) == 0:
				return nil // It was overlooked, and cards can still be dealt to it.
			case a.AtCall && s.passedOver(&a):
				return nil // It was overlooked and passed over, so cards lie where they should not.
			case b.Settled && !b.Collected && a.Amount == s.stake(a.Box, a.Player, a.Wager):
				return s.refuse(AlreadyDone, bets.Position, "box %d is settled with that", a.Box)
			case !b.Staked() && !s.leftOut(&a) || b.Invalid:
				return s.refuse(NotApplicable, bets.LatePlace, "box %d takes no part in the round: what lies on it now is a late bet, and a bet that was overlooked is reported as uncovered", a.Box)
			case b.Settled && !b.Collected && s.needThree(a.Box) != nil:
				return s.needThree(a.Box)
			case b.Settled && !b.Collected && s.paidMeter(a.Box):
				return s.refuse(NotApplicable, bets.Settle, "box %d is settled with a share of the meter, which is not paid anew: report it as uncovered", a.Box)
			case b.Settled && !b.Collected && s.wouldTakeMeter(a):
				return s.refuse(NotApplicable, bets.Settle, "box %d is settled, and with this stake its hand would take the jackpot: report it as uncovered", a.Box)
			case b.Settled && !b.Collected && s.corrected(a.Box):
				return s.refuse(NotApplicable, bets.Settle, "a person has corrected what box %d was paid, which a new settlement would undo: report it as uncovered", a.Box)
			case envy != 0:
				return s.refuseEnvyAnew(envy)
			case b.Collected:
				return s.refuse(NotApplicable, s.book().Order.FoldedFirst, "box %d is folded and its forfeited bets have been taken in, so nothing can be found on it: report it as uncovered", a.Box)
			case s.dealerTurned() && d != nil && a.Wager == d.On && b.Decision == Undecided && a.Amount > 0:
				return s.refuse(NotApplicable, d.Undecided, "the dealer's hand is shown, and box %d can neither play nor fold with the %s any more: report it as uncovered", a.Box, d.On)
			}
			return nil
		},
	)
}

// passedOver reports whether a position without cards turns out to have held a wager
// when the deal began. Of a deal on which the book has been applied, or that a person
// has ended, nothing can be said any more.
func (s *State) passedOver(a *Found) bool {
	b := s.box(a.Box)
	if b.Staked() || b.Invalid || a.Amount == 0 || !s.meets(a.Box, a.Player, s.book().Rule(a.Wager)) {
		return false
	}
	return s.ordersWhole()
}

// leftOut reports whether a box that was said to hold no wager turns out to have held one
// at the call: it was dealt to, and its cards still lie there.
func (s *State) leftOut(a *Found) bool {
	b := s.box(a.Box)
	_, n := s.Hand(Box(a.Box))
	return a.AtCall && a.Amount > 0 && s.Phase.InRound() && len(b.Bettors) > 0 && !b.Staked() && !b.Invalid &&
		n > 0 && slices.Contains(s.schedule, Box(a.Box)) && s.meets(a.Box, a.Player, s.book().Rule(a.Wager))
}

// ordersWhole reports whether the deal follows the order of all positions that hold a
// wager, so that it can be made anew for another one or one less.
func (s *State) ordersWhole() bool {
	if s.Phase != Dealing && s.Phase != Deciding || s.burnSkipped() || len(s.schedule) != len(s.dealOrder()) {
		return false
	}
	return !slices.ContainsFunc(s.Boxes, func(b *BoxState) bool { return b.Invalid }) &&
		!slices.ContainsFunc(s.Slots, func(c Slot) bool { return c.ruled || c.turnRuled })
}

// wouldTakeMeter reports whether a hand wins a share of the meter with the stake that is found.
func (s *State) wouldTakeMeter(a Found) bool {
	hand, known := s.known(Box(a.Box))
	if a.Wager != rules.Progressive || !known {
		return false
	}
	return s.takesMeter(hand)
}

// corrected reports whether a person has awarded, collected or returned something on
// a settled box.
func (s *State) corrected(box int) bool {
	staked := rules.Stakes{}
	for _, stake := range s.laidStakes(box) {
		staked[stake.Wager] += stake.Amount
	}
	for i := s.box(box).settledFrom; i < len(s.Lines); i++ {
		l := &s.Lines[i]
		if l.Box != box {
			continue
		}
		if l.awarded() || l.Reverses != 0 && l.Wager != rules.Envy {
			return true
		}
		staked[l.Wager] -= l.Stake
	}
	return staked != rules.Stakes{}
}

// needEqual refuses chips by which a wager and the one that it has to equal would be of
// different sizes, where the book provides nothing for that. It makes no difference which
// of the two is found.
//
//clause:us-3cp rules.5
//clause:sm-3cp ways.1
func (s *State) needEqual(a *Found) *Refusal {
	bets := &s.book().Bets
	for i := range s.book().Wagers {
		rule := &s.book().Wagers[i]
		if rule.Stake != rules.EqualToBasis || a.Wager != rule.Wager && a.Wager != rule.Basis {
			continue
		}
		stake, basis := s.stake(a.Box, a.Player, rule.Wager), s.stake(a.Box, a.Player, rule.Basis)
		if a.Wager == rule.Wager {
			stake = a.Amount
		} else {
			if stake == 0 {
				continue // It is still to be placed, or will not be.
			}
			basis = s.withinLimits(a)
		}
		if stake > basis && bets.RaiseOver == "" || stake < basis && bets.RaiseUnder == "" {
			return s.refuse(NotApplicable, rule.Clauses.Place, "%s has no rule for a %s bet that does not equal the %s: report it as uncovered", s.book().Ref(), rule.Wager, rule.Basis)
		}
	}
	return nil
}

// withinLimits returns the part of a stake found after the call that stays, where by the
// ruling stake_outside_limits the part outside the limits goes back.
func (s *State) withinLimits(a *Found) money.Amount {
	bets, limit := &s.book().Bets, s.Variant.Limits[a.Wager]
	switch {
	case bets.OverAfter == "" && limit.Max > 0 && a.Amount > limit.Max:
		return limit.Max
	case bets.UnderAfter == "" && a.Amount < limit.Min:
		return 0
	}
	return a.Amount
}

// perform applies what was found. Before the close it rejects an excess and advises a player of a
// low stake. A stake that lay there at the call stands, and the settlement deals with its size.
// Chips that were laid down or taken away since are a late bet or a late withdrawal, as if that had
// been reported.
//
//clause:rws-3cp@3 5.1
//clause:rws-3cp@3 5.2
//clause:rws-3cp@3 5.2.1
//clause:rws-3cp@3 5.3.1
//clause:rws-3cp@3 5.3.2
//clause:rws-3cp@3 5.4
//clause:rws-3cp@3 5.11
//clause:rws-3cp@3 5.20
//clause:mbs-3pictures@2 5.2
//clause:mbs-3pictures@2 5.3
//clause:mbs-3pictures@2 5.10
//clause:mbs-3pictures@2 5.11
func (a Found) perform(d *decision, c Command) error {
	bets := &d.s.book().Bets
	stake := d.s.stake(a.Box, a.Player, a.Wager)
	late := Report{Box: a.Box, Player: a.Player, Wager: a.Wager}
	clause := d.s.foundClause(a)
	switch more := a.Amount - stake; {
	case more == 0:
	case d.s.noBet(&a) != "":
		late.Incident, late.Amount = rules.LateBet, a.Amount
		d.emit(Reported{Report: late, Outcome: rules.NotHonoured, Clause: d.s.noBet(&a)})
		return nil
	case d.s.tooLate(&a) && more > 0:
		late.Incident, late.Amount = rules.LateBet, more
		d.incident(late, nil, c.By, false)
		return nil
	case d.s.tooLate(&a):
		late.Incident, late.Amount = rules.LateWithdrawal, -more
		d.incident(late, nil, c.By, false)
		return nil
	case d.s.Phase != Betting && d.s.seen() && !c.By.Automatic:
		// With cards seen it could be a bet on a hand that is known, or the end of one
		// that has lost.
		if clause == "" && more > 0 {
			clause = bets.LatePlace
		}
		clause = cmp.Or(clause, bets.LateWithdraw)
		d.emit(QuestionAsked{Question: OpenQuestion{
			Key: ConfirmFacts, Role: rules.PitSupervisor, Clause: clause, By: c.By, Found: a,
			Answers: []rules.Answer{rules.Reply("yes", rules.Continue, clause), rules.Reply("no", rules.Continue, clause)},
		}})
		return nil
	}
	d.lay(a, clause)
	return nil
}

// foundClause returns the provision about a stake of the size that is found.
func (s *State) foundClause(a Found) string {
	bets, limit, rule := &s.book().Bets, s.Variant.Limits[a.Wager], s.book().Rule(a.Wager)
	size := s.sizeFound(a)
	over := limit.Max > 0 && size > limit.Max
	under := size < limit.Min && a.Amount > 0
	switch {
	case rule.Stake == rules.EqualToBasis:
		if basis := s.stake(a.Box, a.Player, rule.Basis); a.Amount > basis {
			return bets.RaiseOver
		} else if a.Amount < basis {
			return bets.RaiseUnder
		}
		return ""
	case s.Phase == Betting && over:
		return cmp.Or(bets.OverBefore, rule.Clauses.Size)
	case s.Phase == Betting && under:
		return cmp.Or(bets.UnderBefore, rule.Clauses.Size)
	case over:
		return cmp.Or(bets.OverAfter, rule.Clauses.Size)
	case under && s.noneBelow(rule):
		return rule.Clauses.Size
	case under:
		return cmp.Or(bets.UnderAfter, rule.Clauses.Size)
	}
	return bets.Position
}

// noneBelow reports whether a bet of a prescribed size that is found lower is none, by the
// ruling low_progressive.
//
//clause:rws-3cp@3 3.4
func (s *State) noneBelow(rule *rules.WagerRule) bool {
	return rule.Stake == rules.Prescribed && s.Variant.Is(rules.LowProgressive, rules.Returned)
}

// sizeFound returns the money to which the limits apply once the statement is entered.
func (s *State) sizeFound(a Found) money.Amount {
	return s.counted(a.Box, a.Player, a.Wager) - s.stake(a.Box, a.Player, a.Wager) + a.Amount
}

// lay makes a stake what was found. A box that is settled is settled anew; where a hand
// has to be looked at first, because the stake brings a claim, the dealer goes on.
func (d *decision) lay(a Found, clause string) {
	if b := d.s.box(a.Box); !b.Settled {
		d.enter(a, clause)
		d.liftDecision(a.Box)
		return
	}
	d.undo(a.Box, cmp.Or(clause, d.s.book().Bets.Position, d.s.book().Bets.Settle))
	d.enter(a, clause)
	d.liftDecision(a.Box)
	if d.err != nil {
		return
	}
	again := Settle{Box: a.Box}
	boxes, last := d.s.settles(a.Box)
	switch {
	case last:
		again.Box = 0
	case len(boxes) == 0:
		return
	}
	if again.verify(&d.s.State, Actor{Role: rules.Dealer}) == nil {
		d.err = again.perform(d, Command{})
	}
}

// liftDecision undoes the decision on a box that turns out to hold no bet that its player could
// play or fold. Only such a bet is folded, and other bets on the box are lost only with it; the
// dealer turns a hand that nobody could play. If the box holds nothing any more, a fold remains,
// whatever is found later, and a played hand is decided anew.
//
//clause:rws-3cp@3 3.12.1
//clause:rws-3cp@3 3.12.2
//clause:us-3cp dealing.4
//clause:sm-3cp ways.3
func (d *decision) liftDecision(box int) {
	rule, b := d.s.book().Decision, d.s.box(box)
	if d.err != nil || rule == nil || b.Decision == Undecided || b.has(rule.On) || b.Decision == Folded && !b.Staked() || b.Invalid {
		return
	}
	clause := rule.Fold
	if b.Decision == Played {
		clause = rule.Play
	}
	d.emit(DecisionRestored{Box: box, Player: b.Player(), Was: b.Decision, Clause: clause})
}

// enter enters a stake that was found. A wager beyond those that its area takes was not
// permitted and goes back. Where the limits apply to an area, what lies above its
// maximum goes back at once: each wager alone may be within it.
func (d *decision) enter(a Found, clause string) {
	limit := d.s.Variant.Limits[a.Wager]
	if _, full := d.s.areaRule(); d.s.Phase != Betting && a.Amount > 0 && d.s.fillsArea(a.Box, a.Player, a.Wager) {
		d.emit(StakeFound{Box: a.Box, Player: a.Player, Wager: a.Wager, Amount: a.Amount, Clause: full})
		d.giveBack(a.Box, a.Player, a.Wager, a.Amount, full)
		return
	}
	d.changeStake(a.Box, StakeFound{Box: a.Box, Player: a.Player, Wager: a.Wager, Amount: a.Amount, Clause: clause})
	if d.err != nil || d.s.stake(a.Box, a.Player, a.Wager) == 0 || d.s.book().Rule(a.Wager).Stake == rules.EqualToBasis {
		return
	}
	open, size := d.s.Phase == Betting, d.s.counted(a.Box, a.Player, a.Wager)
	switch {
	case !open && d.s.book().Rule(a.Wager).Stake == rules.Prescribed && size < limit.Min:
		if d.s.noneBelow(d.s.book().Rule(a.Wager)) { // Otherwise it stands as it lies.
			d.giveBack(a.Box, a.Player, a.Wager, a.Amount, d.s.book().Rule(a.Wager).Clauses.Size)
		}
	case !open && d.s.book().Rule(a.Wager).Stake == rules.WithinLimits && d.s.withinLimits(&a) != a.Amount:
		d.giveBack(a.Box, a.Player, a.Wager, a.Amount-d.s.withinLimits(&a), clause)
		d.giveBackUnmet(a.Box)
	case limit.Max > 0 && size > limit.Max && (open || d.s.Variant.Is(rules.LimitsPer, rules.PerArea)):
		d.giveBack(a.Box, a.Player, a.Wager, min(a.Amount, size-limit.Max), clause)
	case open && size < limit.Min:
		d.emit(MinimumAdvised{Box: a.Box, Player: a.Player, Wager: a.Wager, Minimum: limit.Min, Clause: clause})
	}
}

func (CloseBets) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, s.book().Bets.Closed) },
		func() *Refusal { return s.needPhase(s.book().Bets.Closed, Betting) },
		s.needNothingOpen,
		func() *Refusal {
			for n, b := range s.Boxes {
				for i := range b.Bettors {
					for w := rules.Ante; int(w) < len(b.Bettors[i].Stakes); w++ {
						// What needs another wager stands only where that one does.
						if b.Bettors[i].Stakes[w] != 0 && s.book().Rule(w).Needs.Wager == 0 && !s.leftLow(n+1, &b.Bettors[i], w) {
							return nil
						}
					}
				}
			}
			return s.refuse(Unfinished, s.book().Boxes.Clauses.Participate, "nobody has a bet that stands: a round needs a wager")
		},
	)
}

// leftLow reports whether a player was advised of a stake below the minimum and has
// left it there. Where the limits apply to an area, a wager may also be low because
// another one there has been withdrawn, of which the system knows.
//
//clause:rws-3cp@3 5.2
func (s *State) leftLow(box int, b *Bettor, w rules.Wager) bool {
	known := b.advised>>w&1 == 1 || s.Variant.Is(rules.LimitsPer, rules.PerArea)
	return known && b.Stakes[w] != 0 && s.limited(box, b, w) < s.Variant.Limits[w].Min
}

//clause:rws-3cp@3 3.9
//clause:rws-3cp@3 3.7
//clause:us-3cp dealing.2
//clause:mbs-3pictures@2 3.2
func (CloseBets) perform(d *decision, _ Command) error {
	b := d.s.book()
	// A player who was advised of a low stake had to raise or withdraw it, and did neither.
	for i := range d.s.Boxes {
		for _, bettor := range d.s.Boxes[i].Bettors {
			for w := rules.Ante; int(w) < len(bettor.Stakes); w++ {
				if d.s.leftLow(i+1, &bettor, w) {
					d.giveBack(i+1, bettor.Player, w, bettor.Stakes[w], cmp.Or(b.Bets.UnderBefore, b.Rule(w).Clauses.Size))
				}
			}
		}
		d.giveBackUnmet(i + 1)
	}
	d.emit(BetsClosed{})
	d.announce(b.Bets.Closed, Announced{Key: "no-more-bets"})
	if clause := b.Announce.NoPairPlus; clause != "" {
		var without []int
		for i := range d.s.Boxes {
			if box := d.s.Boxes[i]; box.Staked() && !box.has(rules.PairPlus) {
				without = append(without, i+1)
			}
		}
		if len(without) > 0 {
			d.announce(clause, Announced{Key: "no-pair-plus", Boxes: without})
		}
	}
	if clause := b.Announce.OneHand; clause != "" {
		d.announceOneHand(clause)
	}
	return nil
}

// announceOneHand announces to each player with several hands that they may examine only one.
func (d *decision) announceOneHand(clause string) {
	var announced []string
	for i := range d.s.Boxes {
		for _, bettor := range d.s.Boxes[i].Bettors {
			if slices.Contains(announced, bettor.Player) || d.s.boxesOf(bettor.Player) < 2 {
				continue
			}
			announced = append(announced, bettor.Player)
			d.announce(clause, Announced{Key: "one-hand-only", Player: bettor.Player})
		}
	}
}

func (a RestrictPlayer) verify(s *State, by Actor) *Refusal {
	clause := s.book().Boxes.Clauses.RestrictPlayer
	return first(
		func() *Refusal {
			if a.Player == "" {
				return s.refuse(Malformed, "", "say which player")
			}
			return nil
		},
		func() *Refusal {
			if clause == "" {
				return s.refuse(NotInGame, "", "%s gives nobody the power to hold a player to one position", s.book().Ref())
			}
			return nil
		},
		func() *Refusal { return s.needRole(by, rules.PitManager, clause) },
		func() *Refusal {
			if slices.Contains(s.restricted, a.Player) != a.Lift {
				return s.refuse(AlreadyDone, clause, "%s is in that state already", a.Player)
			}
			return nil
		},
	)
}

//clause:mbs-3pictures@2 3.8
func (a RestrictPlayer) perform(d *decision, _ Command) error {
	d.emit(PlayerRestricted{Player: a.Player, Lift: a.Lift, Clause: d.s.book().Boxes.Clauses.RestrictPlayer})
	return nil
}

func (a RestrictAreas) verify(s *State, by Actor) *Refusal {
	clause := s.book().Boxes.Clauses.RestrictAreas
	return first(
		func() *Refusal {
			if clause == "" {
				return s.refuse(NotInGame, "", "%s gives nobody the power to change the number of wagers on an area", s.book().Ref())
			}
			return nil
		},
		func() *Refusal { return s.needRole(by, rules.PitManager, clause) },
		func() *Refusal {
			if a.Max < 0 || a.Max >= s.book().Boxes.PerArea {
				return s.refuse(NotApplicable, clause, "the number can only be lowered, to less than %d; zero restores it", s.book().Boxes.PerArea)
			}
			return nil
		},
		func() *Refusal {
			if a.Max == s.AreaMax {
				return s.refuse(AlreadyDone, clause, "the areas are in that state already")
			}
			return nil
		},
	)
}

//clause:mbs-3pictures@2 3.9.1
func (a RestrictAreas) perform(d *decision, _ Command) error {
	d.emit(AreasRestricted{Max: a.Max, Clause: d.s.book().Boxes.Clauses.RestrictAreas})
	return nil
}
