package table

import (
	"trey/rules"
	"trey/sentence"
)

//clause:rws-3cp@3 1.19
//clause:rws-3cp@3 3.7
//clause:rws-3cp@3 3.12
//clause:rws-3cp@3 3.14
//clause:us-3cp rules.2
//clause:mbs-3pictures@2 1.1.1
//clause:mbs-3pictures@2 3.7
//clause:mbs-3pictures@2 3.10
//clause:mbs-3pictures@2 3.11
//clause:fr-p3c@2007 24
func (a Examine) verify(s *State, by Actor) *Refusal {
	rule := &s.book().Examine
	return first(
		func() *Refusal { return s.needVoice(by, a.Player) },
		func() *Refusal {
			if rule.AfterDeal {
				return s.needPhase(rule.Clauses.May, Deciding)
			}
			return s.needPhase(rule.Clauses.May, Dealing, Deciding)
		},
		s.needNothingOpen,
		func() *Refusal { return s.needStaked(a.Box) },
		func() *Refusal { return s.needSelf(by, a.Player) },
		func() *Refusal {
			b := s.box(a.Box)
			controller, clause := s.controller(b), rule.Clauses.May
			if rule.Clauses.First != "" {
				clause = rule.Clauses.First
			}
			i := b.bettor(a.Player)
			switch {
			case i < 0:
				return s.refuse(NotYours, clause, "%s has no wager on box %d", a.Player, a.Box)
			case b.Bettors[i].Standing:
				return s.refuse(NotSeated, rule.Clauses.Seated, "only a player who is seated examines cards")
			case controller != a.Player && s.viewedElsewhere(b, a.Player) &&
				s.firstSeated(b, func(bettor *Bettor) bool { return !bettor.gone }) == a.Player:
				return nil // The hand is theirs, but for the one that they have looked at.
			case controller != a.Player:
				return s.refuse(NotYours, clause, "the hand on box %d is %s's to examine", a.Box, controller)
			}
			return nil
		},
		func() *Refusal {
			if !rule.OnePerPlayer && (rule.OneRuling == 0 || s.Variant.Is(rule.OneRuling, rules.AllOwn)) {
				return nil
			}
			if viewed := s.firstViewed(a.Player); viewed != 0 && viewed != a.Box {
				return s.refuse(OneHandOnly, rule.Clauses.One, "%s has examined the hand on box %d: one hand only, the others are played blind", a.Player, viewed)
			}
			return nil
		},
		func() *Refusal {
			if rule.Needs != 0 && !s.box(a.Box).has(rule.Needs) {
				return s.refuse(NeverExamined, rule.Clauses.Needs, "the hand on box %d has no %s bet: the dealer turns it, nobody examines it", a.Box, rule.Needs)
			}
			return nil
		},
		func() *Refusal {
			if s.box(a.Box).Decision == Folded || s.box(a.Box).Up {
				return s.refuse(AlreadyDone, rule.Clauses.May, "the hand on box %d has been given back", a.Box)
			}
			unseen := false
			n := 0
			for _, c := range s.Slots {
				if c.Place == Box(a.Box) {
					n++
					unseen = unseen || c.seen&(seenAt(a.Box)|seenByTable) == 0
				}
			}
			// The player who looked first has seen it for the box, also after leaving.
			if by := s.box(a.Box).Examiner; by != "" && (by != a.Player || !unseen) {
				return s.refuse(AlreadyDone, rule.Clauses.May, "%s has examined this hand", by)
			}
			if n == 0 {
				return s.refuse(Unfinished, rule.Clauses.May, "box %d has no cards yet", a.Box)
			}
			return nil
		},
	)
}

func (a Examine) perform(d *decision, _ Command) error {
	d.record(HandExamined(a))
	return nil
}

// needDecision refuses unless the box is the player's and has still to play or
// fold. When players decide, the provision says by which they first look at their hands.
//
//clause:fr-p3c@2007 24
//clause:rws-3cp@3 1.19
//clause:rws-3cp@3 3.12
//clause:us-3cp rules.3
func (s *State) needDecision(by Actor, box int, player string) *Refusal {
	d := s.book().Decision
	if d == nil {
		return s.refuse(NotInGame, "", "there is no decision to play or fold in %s", s.book().Ref())
	}
	return first(
		func() *Refusal { return s.needVoice(by, player) },
		func() *Refusal { return s.needPhase(s.book().Examine.Clauses.May, Deciding) },
		s.needNothingOpen,
		func() *Refusal { return s.needStaked(box) },
		func() *Refusal {
			if !s.box(box).has(d.On) {
				return s.refuse(NeedsOther, d.Play, "box %d has no %s bet, so there is nothing to decide", box, d.On)
			}
			return nil
		},
		func() *Refusal { return s.needSelf(by, player) },
		func() *Refusal {
			if owner := s.box(box).Player(); owner != player {
				return s.refuse(NotYours, d.Play, "box %d is %s's to decide", box, owner)
			}
			return nil
		},
		func() *Refusal {
			if b := s.box(box); b.Decision != Undecided {
				return s.refuse(AlreadyDone, d.Play, "box %d has been %s", box, sentence.Word(b.Decision.String()))
			}
			return nil
		},
	)
}

func (a Raise) verify(s *State, by Actor) *Refusal { return s.needDecision(by, a.Box, a.Player) }

// perform places a Play wager of the Ante's size, never another: the rulings
// short_play and excess_play are only for chips that are found so.
//
//clause:rws-3cp@3 1.12
//clause:rws-3cp@3 3.12.2
//clause:us-3cp rules.5
//clause:us-3cp amounts.play
func (a Raise) perform(d *decision, _ Command) error {
	rule := d.s.book().Decision
	d.record(HandRaised{
		Box: a.Box, Player: a.Player, Wager: rule.Raise,
		Amount: d.s.stake(a.Box, a.Player, rule.On),
	})
	return nil
}

func (a Fold) verify(s *State, by Actor) *Refusal { return s.needDecision(by, a.Box, a.Player) }

//clause:rws-3cp@3 3.12.1
//clause:us-3cp rules.4
//clause:us-3cp dealing.4
func (a Fold) perform(d *decision, _ Command) error {
	d.record(HandFolded{Box: a.Box, Player: a.Player, Clause: d.s.book().Decision.Fold})
	return nil
}

func (a LayUp) verify(s *State, by Actor) *Refusal {
	rule := &s.book().Examine
	return first(
		func() *Refusal {
			if !rule.ReturnFaceUp {
				return s.refuse(NotInGame, "", "players do not lay their hands up in %s", s.book().Ref())
			}
			return nil
		},
		func() *Refusal { return s.needPhase(rule.Clauses.Return, Deciding) },
		s.needNothingOpen,
		func() *Refusal { return s.needStaked(a.Box) },
		func() *Refusal {
			b := s.box(a.Box)
			switch {
			case b.Examiner == "":
				return s.refuse(NotYours, rule.Clauses.Opened, "nobody has examined the hand on box %d: the dealer opens it", a.Box)
			case by.Role == rules.Player && by.Name != b.Examiner:
				return s.refuse(NotYours, rule.Clauses.Return, "the hand on box %d is with %s", a.Box, b.Examiner)
			case b.Up:
				return s.refuse(AlreadyDone, rule.Clauses.Return, "the hand on box %d lies face up", a.Box)
			}
			return nil
		},
		func() *Refusal { return s.needHand(Box(a.Box), a.Hand, rule.Clauses.Return) },
		func() *Refusal { return s.needNewHand(Box(a.Box), a.Hand, rule.Clauses.Return) },
	)
}

//clause:mbs-3pictures@2 3.13
func (a LayUp) perform(d *decision, _ Command) error {
	d.emit(HandShown{Place: Box(a.Box), Hand: d.s.named(Box(a.Box), a.Hand), Clause: d.s.book().Examine.Clauses.Return})
	return nil
}

// verify lets the dealer end the time for a bet, a decision or an answer.
func (Expire) verify(s *State, by Actor) *Refusal {
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, "") },
		func() *Refusal { return s.needPhase("", Betting, Dealing, Deciding, Showing) },
		func() *Refusal {
			if s.Question != nil {
				return s.needNothingOpen()
			}
			if r := s.needCounted(); r != nil {
				return r
			}
			if len(s.Offers) > 0 {
				return nil
			}
			if s.Phase == Deciding {
				for i := range s.Boxes {
					if s.decides(s.Boxes[i]) {
						return nil
					}
				}
			}
			return s.refuse(NotApplicable, "", "nothing is awaited from a player")
		},
	)
}

//clause:rws-3cp@3 5.5
//clause:us-3cp rules.3
func (Expire) perform(d *decision, _ Command) error {
	if len(d.s.Offers) > 0 {
		back := d.s.Variant.Is(rules.OptionUnanswered, rules.Returned)
		for len(d.s.Offers) > 0 && d.err == nil && d.s.Phase.InRound() {
			d.answerOffer(d.s.Offers[0], back, true)
		}
		return nil
	}
	d.foldUndecided("", d.s.book().Decision.Undecided)
	return nil
}

// foldUndecided folds every undecided box of a player, or of all of them.
func (d *decision) foldUndecided(player, clause string) {
	for i := range d.s.Boxes {
		b := d.s.Boxes[i]
		if d.s.decides(b) && (player == "" || b.Player() == player) {
			d.emit(HandFolded{Box: i + 1, Player: b.Player(), Clause: clause})
		}
	}
}
