package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// needHand refuses unless the place holds three cards that the house knows, or
// whose names are given now and fit. Nobody names a card that the house knows and
// the whole table has not seen: if the wrong name were turned down and the right
// one taken, trying one after the other would tell which card lies there.
func (s *State) needHand(p Place, given []card.Card, clause string) *Refusal {
	if _, n := s.Hand(p); n != 3 {
		return s.refuse(WrongCards, clause, "%s has %d cards: report the wrong count", p, n)
	}
	if len(given) == 0 {
		if _, known := s.known(p); !known {
			return s.refuse(WrongCards, clause, "the cards at %s are not known yet: name the three that are turned", p)
		}
		return nil
	}
	if len(given) != 3 {
		return s.refuse(WrongCards, clause, "a hand is three cards, not %d", len(given))
	}
	n := 0
	for i := range s.Slots {
		slot := &s.Slots[i]
		if slot.Place != p {
			continue
		}
		name := given[n]
		n++
		switch {
		case slot.Card == card.None || name == card.None:
		case !slot.Exposed():
			return s.refuse(WrongCards, clause, "the house knows card %d at %s: leave its name out, or write ?? for it", n, p)
		case name != slot.Card:
			return s.refuse(WrongCards, clause, "card %d at %s lies open, and it is not %s: look again", n, p, name)
		}
	}
	faces := s.facesAt(p, given)
	if i := slices.IndexFunc(faces, func(c card.Card) bool { return !c.Valid() }); i >= 0 {
		return s.refuseFace(clause, faces[i])
	}
	if c := s.openAgain(faces); c != card.None {
		return s.refuseFace(clause, c)
	}
	return nil
}

// needNewHand refuses to name a card of a hand which lies face down in the round. It comes last,
// as [State.downAgain] says.
func (s *State) needNewHand(p Place, given []card.Card, clause string) *Refusal {
	faces := s.facesAt(p, given)
	switch {
	case !s.downAgain(faces):
		return nil
	case len(faces) == 1:
		return s.refuseFace(clause, faces[0])
	}
	return s.refuse(WrongCards, clause, "one of these cards is already in the round: check them, and if it is there twice report a foreign card")
}

func (s *State) refuseFace(clause string, c card.Card) *Refusal {
	return s.refuse(WrongCards, clause, "%s is already in the round, or is no card: check it, and if it is there twice report a foreign card", c)
}

// facesAt returns the names that are given to cards at a place which the house does not know.
func (s *State) facesAt(p Place, given []card.Card) (faces []card.Card) {
	if len(given) == 0 {
		return nil
	}
	h, _ := s.Hand(p)
	for i := range h {
		if h[i] == card.None && i < len(given) {
			faces = append(faces, given[i])
		}
	}
	return faces
}

// named returns the hand at a place as the house knows it, with the names given for
// what it does not know.
func (s *State) named(p Place, given []card.Card) card.Hand {
	h, _ := s.Hand(p)
	for i := range h {
		if h[i] == card.None && i < len(given) {
			h[i] = given[i]
		}
	}
	return h
}

// elsewhere returns the set of cards whose faces are known at all other places.
func (s *State) elsewhere(p Place) card.Set {
	var used card.Set
	for i := range s.Slots {
		if c := s.Slots[i].Card; c != card.None && s.Slots[i].Place != p {
			used = used.With(c)
		}
	}
	return used
}

func (a Show) verify(s *State, by Actor) *Refusal {
	clause := s.book().Examine.Clauses.Opened
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, clause) },
		func() *Refusal {
			if s.Phase == Deciding && s.book().Decision != nil {
				return s.refuse(WrongPhase, clause, "the players' hands are turned after the dealer's")
			}
			return s.needPhase(clause, Deciding, Showing)
		},
		s.needNothingOpen,
		func() *Refusal { return s.needBox(a.Box) },
		func() *Refusal {
			b := s.box(a.Box)
			switch {
			case !b.Staked() || b.Invalid:
				return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
			case s.Phase == Deciding && b.Examiner != "":
				return s.refuse(NotYours, clause, "the hand on box %d is with %s, who lays it up", a.Box, b.Examiner)
			case b.Up:
				return s.refuse(AlreadyDone, clause, "the hand on box %d lies face up", a.Box)
			case s.Claims() && b.Settled && b.withheld():
				// Nothing was claimed on it until then.
				return s.refuse(AlreadyDone, s.claimedBy(b), "box %d is settled", a.Box)
			case s.awaitsLook(b):
				return s.refuse(NotYours, clause, "%s may still look at the hand on box %d, and by the ruling of this house the dealer does not open it: the player examines it and lays it up, or has left", s.controller(b), a.Box)
			}
			return nil
		},
		func() *Refusal { return s.needTurn(a.Box) },
		func() *Refusal {
			if s.Claims() && s.box(a.Box).live() && !s.claimed(s.box(a.Box), nil) {
				return s.refuse(NotApplicable, s.book().Examine.Clauses.Claim, "no payment depends on the hand on box %d: it stays face down", a.Box)
			}
			return nil
		},
		func() *Refusal { return s.needHand(Box(a.Box), a.Hand, clause) },
		func() *Refusal {
			// What was folded is nobody's business unless something depends on it.
			b, at := s.box(a.Box), Box(a.Box)
			if _, known := s.known(at); known || b.Decision != Folded || s.keepsBets(b) {
				return nil
			}
			if !s.claimsEnvy(a.Box) || !s.bringsEnvy(b, s.named(at, a.Hand)) {
				return s.refuse(NotApplicable, s.book().Envy.Clause, "the folded hand on box %d brings nobody an Envy Bonus: it stays face down", a.Box)
			}
			return nil
		},
		func() *Refusal { return s.needNewHand(Box(a.Box), a.Hand, clause) },
	)
}

// Claims reports whether the players' hands are turned only where their player claims a
// payment on them: the book has it so when the dealer's hand does not qualify.
//
//clause:fr-p3c@2007 49
//clause:fr-p3c@2007 57
func (s *State) Claims() bool {
	if s.book().Examine.Clauses.Claim == "" || s.Phase != Showing {
		return false
	}
	dealer, known := s.known(DealerHand)
	return known && !s.book().Qualifies(dealer)
}

// claimed reports whether a payment depends on the hand of a box that its player can
// claim, and on the cards given, if any, whether it is won.
func (s *State) claimed(b *BoxState, hand *card.Hand) bool {
	for i := range s.book().Wagers {
		rule := &s.book().Wagers[i]
		if rule.Contest != rules.OnHand || !b.has(rule.Wager) {
			continue
		}
		if hand == nil {
			return true
		}
		if _, pays := s.Variant.Pays[rule.Wager].Row(s.book().Ranking.Combos(*hand)); pays {
			return true
		}
	}
	return false
}

// claimedBy returns the provision by which the player of a box claims a payment: the one
// about the first wager on it that can be claimed.
//
//clause:fr-p3c@2007 49
//clause:fr-p3c@2007 57
func (s *State) claimedBy(b *BoxState) string {
	for i := range s.book().Wagers {
		if rule := &s.book().Wagers[i]; rule.Contest == rules.OnHand && b.has(rule.Wager) {
			return cmp.Or(rule.Clauses.Unclaimed, s.book().Examine.Clauses.Claim)
		}
	}
	return s.book().Examine.Clauses.Claim
}

// awaitsLook reports whether a hand waits for a player who may still look at it. At a
// virtual table nobody waits: the time for a look is over when the program goes on.
//
//clause:mbs-3pictures@2 3.13
//clause:mbs-3pictures@2 3.15
func (s *State) awaitsLook(b *BoxState) bool {
	return s.book().Examine.ReturnFaceUp && s.Config.Cards != Virtual &&
		s.Variant.Is(rules.UnlookedHand, rules.No) && s.mayLook(b)
}

// needTurn refuses to show a box before those whose turn is earlier, where the book
// has the hands shown one by one. Of the boxes that are folded none waits for a turn.
//
//clause:us-3cp dealing.7
//clause:fr-p3c@2007 31
func (s *State) needTurn(box int) *Refusal {
	clause := s.book().Order.OneByOne
	if clause == "" || s.Phase != Showing || s.Claims() {
		return nil // Whoever claims a payment does so when they like.
	}
	for n := range s.Boxes {
		next := s.nth(n)
		if next == box {
			return nil
		}
		if b := s.box(next); b.live() && !b.Up && !b.KeptDown {
			return s.refuse(Unfinished, clause, "the hands are shown one by one in the dealer's order: first show the hand on box %d", next)
		}
	}
	return nil
}

//clause:mbs-3pictures@2 3.14
//clause:rws-3cp@3 3.14
//clause:rws-3cp@3 3.15
func (a Show) perform(d *decision, _ Command) error {
	d.emit(HandShown{Place: Box(a.Box), Hand: d.s.named(Box(a.Box), a.Hand), Clause: d.s.turnedBy(d.s.box(a.Box))})
	return nil
}

// turnedBy returns the provision by which the dealer turns a hand: one that plays against the
// dealer's, one that nobody else turns, or a folded one that counts for others.
func (s *State) turnedBy(b *BoxState) string {
	rule := &s.book().Examine
	switch {
	case rule.ReturnFaceUp && s.mayLook(b):
		return rules.UnlookedHand.Clause()
	case b.Decision == Folded && !s.keepsBets(b) && s.book().Envy.Clause != "":
		return s.book().Envy.Clause
	case s.Claims() && b.live():
		return s.claimedBy(b)
	case rule.Clauses.Compared != "" && b.has(rule.Needs):
		return rule.Clauses.Compared
	}
	return rule.Clauses.Opened
}

// claimsEnvy reports whether an Envy Bonus could be paid for the hand of a box: its
// wagers let it bring one, and another box has a claim.
//
//clause:rws-3cp@3 4.7
//clause:sm-3cp bonus.10c
func (s *State) claimsEnvy(box int) bool {
	envy, b := &s.book().Envy, s.box(box)
	carrier, ok := s.Variant.EnvyCarrier()
	if !ok || envy.Needs != 0 && !b.has(envy.Needs) {
		return false
	}
	if b.Decision == Folded && envy.FromFolded != 0 && !s.Variant.Is(envy.FromFolded, rules.Yes) {
		return false
	}
	for i, o := range s.Boxes {
		switch {
		case i+1 == box || o.Invalid || !o.has(carrier):
		case o.Decision == Folded && envy.WhenFolded != 0 && s.Variant.Is(envy.WhenFolded, rules.Lost):
		case o.withheld() && s.Variant.Is(rules.UnrevealedEnvy, rules.Lost):
		case o.Player() == b.Player() && !s.Variant.Is(rules.EnvyOwnBoxes, rules.Yes):
		default:
			return true
		}
	}
	return false
}

// asksEnvy reports whether the dealer has to look at a folded hand before the
// settlement, because an Envy Bonus can depend on it and nobody knows its cards.
func (s *State) asksEnvy(box int) bool {
	b := s.box(box)
	if b.Decision != Folded || !b.Staked() || b.Invalid || b.KeptDown || s.keepsBets(b) {
		return false
	}
	_, known := s.known(Box(box))
	return !known && s.claimsEnvy(box)
}

func (a KeepDown) verify(s *State, by Actor) *Refusal {
	envy, unrevealed := s.book().Envy.Clause, s.book().Examine.Clauses.Unrevealed
	clauseOpened := s.book().Examine.Clauses.Opened
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, "") },
		func() *Refusal { return s.needPhase("", Showing) },
		s.needNothingOpen,
		func() *Refusal { return s.needStaked(a.Box) },
		func() *Refusal {
			b := s.box(a.Box)
			_, known := s.known(Box(a.Box))
			_, n := s.Hand(Box(a.Box))
			switch {
			case b.KeptDown:
				return s.refuse(AlreadyDone, "", "that the hand on box %d stays face down is recorded", a.Box)
			case known:
				return s.refuse(NotApplicable, "", "the cards on box %d are known: the settlement turns what counts", a.Box)
			case s.keepsBets(b) && b.Decision == Folded:
				return s.refuse(NotApplicable, clauseOpened, "a bet on the folded hand on box %d is still in play: the dealer turns the hand", a.Box)
			case b.Decision == Folded && !s.asksEnvy(a.Box):
				return s.refuse(NotApplicable, envy, "nothing depends on the folded hand on box %d", a.Box)
			case b.Decision == Folded:
				return nil
			case unrevealed == "":
				return s.refuse(NotInGame, "", "%s says nothing of a hand that its player never shows: report it as uncovered", s.book().Ref())
			case b.Decision != Played || !b.has(s.book().Decision.On):
				return s.refuse(NotApplicable, unrevealed, "the dealer turns the hand on box %d", a.Box)
			case s.book().Examine.Clauses.Claim != "" && !s.Claims():
				return s.refuse(NotApplicable, clauseOpened, "the dealer qualifies, and compares the hand on box %d", a.Box)
			case n != 3:
				return s.refuse(WrongCards, unrevealed, "box %d has %d cards: report the wrong count", a.Box, n)
			}
			if s.Claims() {
				return nil
			}
			return s.needRole(by, rules.PitSupervisor, unrevealed)
		},
	)
}

//clause:rws-3cp@3 4.5
//clause:rws-3cp@3 4.7
func (a KeepDown) perform(d *decision, _ Command) error {
	clause, b := d.s.book().Examine.Clauses.Unrevealed, d.s.box(a.Box)
	switch {
	case b.Decision == Folded:
		clause = d.s.book().Envy.Clause
	case d.s.Claims():
		clause = d.s.claimedBy(b)
	}
	d.emit(HandKeptDown{Box: a.Box, Clause: clause})
	return nil
}

func (a Reveal) verify(s *State, by Actor) *Refusal {
	b := s.book()
	clause := b.Examine.Clauses.Showing
	return first(
		func() *Refusal { return s.needRole(by, rules.Dealer, clause) },
		func() *Refusal { return s.needPhase(clause, Deciding) },
		s.needNothingOpen,
		func() *Refusal {
			var undecided, out []int
			for i := range s.Boxes {
				box := s.Boxes[i]
				if s.decides(box) {
					undecided = append(undecided, i+1)
				}
				if !b.Examine.ReturnFaceUp || !box.live() || box.Up {
					continue
				}
				if _, known := s.known(Box(i + 1)); box.Examiner != "" || !known || s.awaitsLook(box) {
					out = append(out, i+1)
				}
			}
			if undecided != nil {
				return s.refuse(Unfinished, b.Decision.Play, "first %s must play or fold", countedBoxes("box %s", "boxes %s", undecided))
			}
			if out != nil {
				return s.refuse(Unfinished, clause, "first %s must lie face up", countedBoxes("the hand on box %s", "the hands on boxes %s", out))
			}
			return nil
		},
		func() *Refusal { return s.needHand(DealerHand, a.Hand, clause) },
		func() *Refusal { return s.needNewHand(DealerHand, a.Hand, clause) },
	)
}

//clause:rws-3cp@3 3.13
//clause:us-3cp rules.6
//clause:us-3cp dealing.6
//clause:mbs-3pictures@2 3.14
//clause:mbs-3pictures@2 3.15
//clause:fr-p3c@2007 28
func (a Reveal) perform(d *decision, _ Command) error {
	b := d.s.book()
	if b.Examine.ReturnFaceUp {
		d.openHands(false, 0)
	}
	if err := d.collectForfeits(); err != nil {
		return err
	}
	hand := d.s.named(DealerHand, a.Hand)
	qualifies := b.Qualifies(hand)
	d.emit(DealerShown{Hand: hand, Qualifies: qualifies})
	d.announce(b.Announce.DealerHand, Announced{Key: "dealer-hand", Hand: hand})
	return nil
}

// collectForfeits takes in the bets of the folded boxes, where the book has it done
// before the dealer's hand is turned. A box is collected once, also where that hand
// has to be turned a second time.
//
//clause:us-3cp dealing.5
func (d *decision) collectForfeits() error {
	clause := d.s.book().Order.FoldedFirst
	if clause == "" {
		return nil
	}
	var lines []Line
	var wagers [12]rules.Line
	for n := range d.s.Boxes {
		box := d.s.nth(n)
		b := d.s.box(box)
		if !d.s.forfeited(b) {
			continue
		}
		for i := range b.Bettors {
			forfeited, err := d.s.Variant.Settle(wagers[:0], &rules.Showdown{Stakes: b.Bettors[i].Stakes, Folded: true})
			if err != nil {
				return fmt.Errorf("box %d cannot be collected: %w", box, err)
			}
			for k := range forfeited {
				lines = append(lines, Line{Box: box, Player: b.Bettors[i].Player, Line: forfeited[k]})
			}
		}
	}
	if lines != nil {
		d.emit(ForfeitsCollected{Clause: clause, Lines: lines})
	}
	return nil
}

// forfeited reports whether a box is folded with all of its bets, and they have
// not been taken in yet.
func (s *State) forfeited(b *BoxState) bool {
	return b.Decision == Folded && b.Staked() && !b.Invalid && !b.Collected && !s.keepsBets(b)
}

// openHands turns the hands of all boxes in the round, or of one, face up if the house has read
// them: those still in play, and folded ones only if they bring others an Envy Bonus or their own
// bets survived the fold.
//
//clause:rws-3cp@3 3.14
//clause:rws-3cp@3 3.15
//clause:mbs-3pictures@2 3.14
//clause:fr-p3c@2007 49
//clause:fr-p3c@2007 57
func (d *decision) openHands(folded bool, only int) {
	claims := d.s.Claims()
	for n := range d.s.Boxes {
		box := d.s.nth(n)
		b := d.s.box(box)
		if only != 0 && box != only || !b.Staked() || b.Invalid || b.Up {
			continue
		}
		hand, known := d.s.known(Box(box))
		if !known {
			continue
		}
		if claims && b.live() && !d.s.claimed(b, &hand) {
			continue
		}
		if b.Decision == Folded && !(folded && (d.s.keepsBets(b) || d.s.bringsEnvy(b, hand))) {
			continue
		}
		d.emit(HandShown{Place: Box(box), Hand: hand, Clause: d.s.turnedBy(b)})
	}
}

// nth returns the box to which the dealer turns after n others: the order in which hands
// are shown and paid.
//
//clause:us-3cp dealing.7
func (s *State) nth(n int) int {
	if s.book().Order.FromRight {
		return len(s.Boxes) - n
	}
	return n + 1
}

// keepsBets reports whether a folded box holds wagers that the fold did not end.
func (s *State) keepsBets(b *BoxState) bool {
	for i := range s.book().Wagers {
		rule := &s.book().Wagers[i]
		if rule.FoldRuling != 0 && s.Variant.Is(rule.FoldRuling, rules.Kept) && b.has(rule.Wager) {
			return true
		}
	}
	return false
}

// bringsEnvy reports whether a hand brings the other boxes an Envy Bonus.
func (s *State) bringsEnvy(b *BoxState, hand card.Hand) bool {
	envy := &s.book().Envy
	if envy.Needs != 0 && !b.has(envy.Needs) {
		return false
	}
	if b.Decision == Folded && envy.FromFolded != 0 && !s.Variant.Is(envy.FromFolded, rules.Yes) {
		return false
	}
	return s.Variant.BringsEnvy(s.book().Ranking.Combos(hand))
}

// toSettle reports whether a box has bets that are still to be settled.
func (s *State) toSettle(box int) bool {
	b := s.box(box)
	return b.Staked() && !b.Invalid && !b.Settled
}

// NextToSettle returns the box that is settled next in the book's order; zero while
// nothing is settled yet, and where no box is left.
//
//clause:us-3cp dealing.7
func (s *State) NextToSettle() int {
	for n := range s.Boxes {
		if box := s.nth(n); s.Phase == Showing && s.toSettle(box) {
			return box
		}
	}
	return 0
}

// settles returns the boxes that a Settle of a box, or of none, takes: with the last
// one that is left the round is settled.
func (s *State) settles(box int) (boxes []int, last bool) {
	left := 0
	for i := range s.Boxes {
		if !s.toSettle(i + 1) {
			continue
		}
		left++
		if box == 0 || box == i+1 {
			boxes = append(boxes, i+1)
		}
	}
	return boxes, len(boxes) == left
}

// hitsAmong returns the boxes of the given ones that win a share of the meter.
func (s *State) hitsAmong(boxes []int) []int {
	return slices.DeleteFunc(s.MajorHits(), func(box int) bool { return !slices.Contains(boxes, box) })
}

// lacksMeter reports whether a settlement says nothing of what the jackpot displays.
func (s *State) lacksMeter(a *Settle) bool {
	return a.Meter == 0 && len(a.Meters) == 0 && s.Registered == 0
}

// turnsFirst reports whether a settlement turns the hands and pays nothing yet: it does not match
// the hands that take the jackpot, and a hand that could take it lies face down. A refusal would
// reveal that hand.
func (s *State) turnsFirst(a *Settle, boxes, hits []int) bool {
	if lacks := s.lacksMeter(a) && len(hits) > 0; !lacks && (len(a.Meters) == 0 || len(a.Meters) == len(hits)) {
		return false
	}
	return slices.ContainsFunc(s.Undisclosed(), func(box int) bool { return slices.Contains(boxes, box) })
}

func (a Settle) verify(s *State, by Actor) *Refusal {
	clause := s.book().Bets.Settle
	var boxes []int
	var last bool
	return first(
		func() *Refusal {
			if a.Meter < 0 || slices.ContainsFunc(a.Meters, func(amount money.Amount) bool { return amount <= 0 }) {
				return s.refuse(Malformed, "", "a meter cannot show less than nothing")
			}
			return nil
		},
		func() *Refusal { return s.needRole(by, rules.Dealer, clause) },
		func() *Refusal { return s.needPhase(clause, Showing) },
		s.needNothingOpen,
		func() *Refusal {
			if a.Box == 0 {
				return nil
			}
			if r := s.needBox(a.Box); r != nil {
				return r
			}
			switch b, next := s.box(a.Box), s.NextToSettle(); {
			case !b.Staked() || b.Invalid:
				return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
			case b.Settled:
				return s.refuse(AlreadyDone, clause, "box %d is settled", a.Box)
			case next != a.Box:
				return s.refuse(Unfinished, s.book().Order.Clause, "the boxes are settled one after the other: first settle box %d", next)
			}
			return nil
		},
		// A card too many may have been found there since it was shown.
		func() *Refusal { return s.needHand(DealerHand, nil, clause) },
		func() *Refusal {
			boxes, last = s.settles(a.Box)
			for i := range s.Boxes {
				b := s.Boxes[i]
				if last && s.asksEnvy(i+1) {
					return s.refuse(Unfinished, s.book().Envy.Clause, "first look at the folded hand on box %d: show it if it brings an Envy Bonus, else record that it stays face down", i+1)
				}
				if !slices.Contains(boxes, i+1) || b.withheld() || b.Decision == Folded && !s.keepsBets(b) {
					continue
				}
				_, n := s.Hand(Box(i + 1))
				if _, known := s.known(Box(i + 1)); s.Claims() && n == 3 && !known {
					return s.refuse(Unfinished, s.claimedBy(b), "first record of the hand on box %d that it stays face down, or show it if its player claims a payment", i+1)
				}
				if r := s.needHand(Box(i+1), nil, clause); r != nil {
					return r
				}
			}
			return nil
		},
		func() *Refusal {
			hits := s.hitsAmong(boxes)
			if a.Pending || s.turnsFirst(&a, boxes, hits) {
				return nil
			}
			switch {
			case s.lacksMeter(&a) && len(hits) > 0:
				return s.refuse(MeterUnknown, s.Variant.Pays[rules.Progressive].Rows[0].Clause, "box %d takes the jackpot: say what the meter displays", hits[0])
			case len(a.Meters) > 0 && len(a.Meters) != len(hits):
				return s.refuse(Malformed, "", "%d hands take the jackpot, and the meter is given for %d", len(hits), len(a.Meters))
			}
			return nil
		},
	)
}

//clause:rws-3cp@3 1.18
//clause:rws-3cp@3 3.14
//clause:rws-3cp@3 3.15
//clause:rws-3cp@3 4.6
//clause:us-3cp dealing.7
//clause:sm-3cp bonus.10b
//clause:mbs-3pictures@2 3.16
func (a Settle) perform(d *decision, _ Command) error {
	b := d.s.book()
	boxes, last := d.s.settles(a.Box)
	hits := d.s.hitsAmong(boxes)
	turnsFirst := d.s.turnsFirst(&a, boxes, hits)
	if last {
		d.openHands(true, 0)
	} else {
		d.openHands(true, a.Box)
	}
	if a.Pending {
		d.announce(b.Announce.Pending, Announced{Key: "jackpot-pending"})
		return nil
	}
	if turnsFirst {
		return nil
	}
	meter := a.Meter
	if meter == 0 && d.s.Down {
		meter = d.s.Registered
	}
	only := a.Box
	if last {
		only = 0
	}
	lines, warned, err := d.s.settlement(only, func(box int) money.Amount {
		if i := slices.Index(hits, box); i >= 0 && i < len(a.Meters) {
			return a.Meters[i]
		}
		return meter
	})
	if err != nil {
		return err
	}
	if b.Announce.Results != "" {
		d.announceResults(lines)
	}
	d.announcePayments(lines, last)
	switch {
	case len(hits) == 0:
		meter = 0
	case len(hits) == 1 && len(a.Meters) == 1:
		meter = a.Meters[0]
	}
	if last {
		d.emit(Settled{Lines: lines, Meter: meter})
	} else {
		d.emit(BoxSettled{Box: a.Box, Lines: lines, Meter: meter})
	}
	for _, player := range warned {
		d.emit(PlayerWarned{Player: player, Clause: b.Bets.UnderOnce})
	}
	return nil
}

// settlement returns the lines of the boxes still to be settled, in the book's order of payment,
// and the players whose low stakes were settled this once. For one box it returns the lines without
// Envy Bonuses. Meter is what the jackpot displays when a box takes a share of it.
//
//clause:us-3cp dealing.7
//clause:sm-3cp bonus.10c
func (s *State) settlement(only int, meter func(box int) money.Amount) (lines []Line, warned []string, err error) {
	b := s.book()
	dealer, known := s.known(DealerHand)
	envious := s.envious()
	claims := s.envyClaims()
	// The Envy Bonus comes last, because it takes all hands to know it. Its
	// lines are gathered behind the room that the others can need.
	most, mostEnvy := s.mostLines(len(envious))
	room := make([]Line, most+mostEnvy)
	lines, envy := room[:0:most], room[most:most]
	var wagers [12]rules.Line
	var others [rules.MaxBoxes]rules.Other
	for n := range s.Boxes {
		box := s.nth(n)
		at := s.box(box)
		if !at.Staked() || at.Invalid || at.Collected || only != 0 && box != only {
			continue
		}
		displayed := meter(box)
		switch {
		case at.Settled:
			displayed = money.Minor // Only its Envy Bonus is left, which no meter or dealer's hand decides.
		case !known:
			return nil, nil, broken("the dealer's hand is not known")
		}
		hand, _ := s.known(Box(box))
		for i := range at.Bettors {
			bettor := &at.Bettors[i]
			showdown := rules.Showdown{
				Player: hand, Dealer: dealer, Stakes: bettor.Stakes,
				Folded: at.Decision == Folded, Unrevealed: at.withheld(), Meter: displayed, Others: others[:0],
			}
			var once []rules.Wager // The low wagers that are settled this one time.
			settledOne := slices.Contains(warned, bettor.Player) || slices.Contains(s.warned[s.warnedBefore:], bettor.Player)
			for _, w := range s.lowStakes(box, bettor) {
				if at.Settled {
					break
				}
				if s.isWarned(bettor.Player) || (settledOne || once != nil) && s.Variant.Is(rules.LowWagersInRound, rules.OneOnly) {
					lines = append(lines, givenBack(box, bettor.Player, w, bettor.Stakes[w], b.Bets.UnderOnce))
					showdown.Stakes[w] = 0
				} else {
					once = append(once, w)
				}
			}
			for _, o := range envious {
				if only != 0 {
					break
				}
				if o.box != box && claims.take(s, bettor, at.Decision == Folded, o.box) {
					o.other.SamePlayer = o.player == bettor.Player
					showdown.Others = append(showdown.Others, o.other)
				}
			}
			settled, err := s.Variant.Settle(wagers[:0], &showdown)
			if err != nil {
				var broke *Broken
				if errors.As(err, &broke) {
					return nil, nil, err
				}
				return nil, nil, fmt.Errorf("box %d cannot be settled: %w", box, err)
			}
			if !settledOne && slices.ContainsFunc(settled, func(l rules.Line) bool { return s.countsOnce(&l) && slices.Contains(once, l.Wager) }) {
				warned = append(warned, bettor.Player)
			}
			for k := range settled {
				if settled[k].Wager == rules.Envy {
					envy = append(envy, Line{Box: box, Player: bettor.Player, Line: settled[k]})
				} else if !at.Settled {
					lines = append(lines, Line{Box: box, Player: bettor.Player, Line: settled[k]})
				}
			}
		}
	}
	if len(lines)+len(envy) == 0 {
		return nil, warned, nil
	}
	return append(room[:len(lines)], envy...), warned, nil
}

// envyClaims are the hands that have paid a player an Envy Bonus already, where the
// ruling envy_two_bets has each pay a player once; nil where it pays each bet.
type envyClaims map[string][]int

func (s *State) envyClaims() envyClaims {
	if r := s.book().Envy.TwoBets; r == 0 || !s.Variant.Is(r, rules.PerPlayer) {
		return nil
	}
	return envyClaims{}
}

// take reports whether the hand of a box counts for a bettor's claim on another
// box, and notes it.
func (c envyClaims) take(s *State, b *Bettor, folded bool, box int) bool {
	if c == nil || !s.Variant.ClaimsEnvy(&b.Stakes, folded) {
		return true
	}
	if slices.Contains(c[b.Player], box) {
		return false
	}
	c[b.Player] = append(c[b.Player], box)
	return true
}

// mostLines bounds how many lines the stakes of the round can come to: one for
// each and one for what rides on it; and how many Envy Bonuses the hands that
// bring them can.
func (s *State) mostLines(envious int) (wagers, envy int) {
	for i := range s.Boxes {
		for j := range s.Boxes[i].Bettors {
			for _, stake := range s.Boxes[i].Bettors[j].Stakes {
				if stake != 0 {
					wagers++
				}
			}
			wagers++
			envy += envious
		}
	}
	return wagers, envy
}

type enviousHand struct {
	box    int
	player string
	other  rules.Other
}

// envious lists the hands that bring Envy Bonuses to other boxes.
func (s *State) envious() []enviousHand {
	var hands []enviousHand
	for i := range s.Boxes {
		b := s.Boxes[i]
		if !b.Staked() || b.Invalid {
			continue
		}
		hand, known := s.known(Box(i + 1))
		if !known || !s.bringsEnvy(b, hand) {
			continue
		}
		hands = append(hands, enviousHand{i + 1, b.Player(), rules.Other{
			Is: s.book().Ranking.Combos(hand), Folded: b.Decision == Folded, Stakes: &b.Bettors[0].Stakes,
		}})
	}
	return hands
}

// lowStakes lists the wagers of a bettor that lie below the minimum, in books
// that settle such a wager only once for each player.
//
//clause:mbs-3pictures@2 5.10
func (s *State) lowStakes(box int, b *Bettor) []rules.Wager {
	if s.book().Bets.UnderOnce == "" {
		return nil
	}
	var low []rules.Wager
	for i := range s.book().Wagers {
		w := s.book().Wagers[i].Wager
		if b.Stakes[w] != 0 && s.limited(box, b, w) < s.Variant.Limits[w].Min {
			low = append(low, w)
		}
	}
	return low
}

// countsOnce reports whether the line of a low wager was the one time that it is
// settled. Whether a stand-off was is the ruling low_standoff.
//
//clause:mbs-3pictures@2 5.10
func (s *State) countsOnce(l *rules.Line) bool {
	return l.Result != rules.GivenBack && (l.Result != rules.Push || s.Variant.Is(rules.LowStandoff, rules.Yes))
}

// isWarned reports whether a low wager of a player was settled in an earlier round.
func (s *State) isWarned(player string) bool {
	return slices.Contains(s.warned[:s.warnedBefore], player)
}

// announcePayments declares which boxes are paid their Bonus, and with the last box that
// the dealer's hand has beaten every other one.
//
//clause:fr-p3c@2007 40
//clause:fr-p3c@2007 43
func (d *decision) announcePayments(lines []Line, last bool) {
	say := &d.s.book().Announce
	if say.BonusPaid != "" {
		var paid []int
		for i := range lines {
			if l := &lines[i]; l.Wager == rules.Bonus && l.Result == rules.Win {
				paid = append(paid, l.Box)
			}
		}
		if paid != nil {
			d.announce(say.BonusPaid, Announced{Key: "bonus-paid", Boxes: paid})
		}
	}
	if say.BankWins == "" || !last {
		return
	}
	compared := false
	for k, each := range [][]Line{d.s.Lines, lines} {
		for i := range each {
			l := &each[i]
			b := d.s.box(l.Box)
			if b.Decision != Played || b.Invalid || l.Result == rules.GivenBack {
				continue
			}
			if k == 0 && (!b.Settled || i < b.settledFrom) {
				continue // Its settlement was undone, and what follows is another.
			}
			if rule := d.s.book().Rule(l.Wager); rule != nil && rule.Contest == rules.AgainstDealer {
				if compared = true; l.Result != rules.Lose {
					return
				}
			}
		}
	}
	if compared {
		d.announce(say.BankWins, Announced{Key: "bank-wins"})
	}
}

// announceResults declares, box by box, whether the hand against the dealer has
// won, lost or stands off, and which combination has won where the book has that said.
//
//clause:fr-p3c@2007 31
func (d *decision) announceResults(lines []Line) {
	names := d.s.book().Announce.WinningHand != ""
	dealers, _ := d.s.known(DealerHand)
	if names && !d.s.book().Qualifies(dealers) {
		return // No hands are compared.
	}
	last := 0
	for i := range lines {
		l := &lines[i]
		rule := d.s.book().Rule(l.Wager)
		if rule == nil || rule.Contest != rules.AgainstDealer || l.Box == last {
			continue
		}
		if l.Result == rules.GivenBack || names && d.s.box(l.Box).Decision == Folded {
			continue
		}
		last = l.Box
		said := Announced{Key: "result", Boxes: []int{l.Box}, Result: l.Result}
		switch {
		case !names:
		case l.Result == rules.Lose:
			said.Hand = dealers
		case l.Result == rules.Win:
			said.Hand, _ = d.s.known(Box(l.Box))
		}
		d.announce(d.s.book().Announce.Results, said)
	}
}
