package table

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"trey/card"
	"trey/rules"
)

// Evolve returns the state after the events, in order. The state given stays as
// it was. The error is a [Broken]: an event that cannot have happened, such as
// the same card dealt twice or a settlement that does not balance.
func Evolve(s State, events ...Event) (State, error) {
	next := drafts.Get().(*draft)
	defer drafts.Put(next)
	*next = draft{State: s}
	for _, e := range events {
		if err := e.apply(next); err != nil {
			return s, err
		}
	}
	return next.State, nil
}

// draft is a state in the making. It begins by sharing every slice with the
// state it comes from; whatever is written to is copied before the first write,
// so that the old state stays as it was and nothing else is copied.
type draft struct {
	State
	// unshared marks, a bit each, the boxes that are this draft's alone; spare is
	// room for others.
	unshared uint32
	spare    []BoxState
	// ownSlots says that the slots are this draft's alone.
	ownSlots bool
}

// drafts keeps used drafts for the next command: they are large, every command
// needs one, and none outlives it.
var drafts = sync.Pool{New: func() any { return new(draft) }}

// boxCopies is the memory that the first change of a draft takes in one piece: the list
// of the boxes, as many as most layouts have, and room for the one that changes.
type boxCopies struct {
	list  [8]*BoxState
	first [1]BoxState
}

// change returns a box that exists, to be written to.
func (s *draft) change(box int) *BoxState {
	mine := uint32(1) << box
	switch {
	case s.unshared&mine != 0:
		return s.Boxes[box-1]
	case s.unshared == 0:
		copies := new(boxCopies)
		s.Boxes = append(copies.list[:0], s.Boxes...)
		s.spare = copies.first[:]
	case len(s.spare) == 0:
		// Most commands change one box; who changes two often changes all.
		s.spare = make([]BoxState, len(s.Boxes)-bits.OnesCount32(s.unshared))
	}
	b := &s.spare[0]
	s.spare = s.spare[1:]
	*b = *s.Boxes[box-1]
	s.Boxes[box-1] = b
	s.unshared |= mine
	return b
}

// slots returns all cards of the round, to be written to.
func (s *draft) slots() []Slot {
	if !s.ownSlots {
		s.Slots, s.ownSlots = slices.Clone(s.Slots), true
	}
	return s.Slots
}

// addLines appends settlement lines. The first ones of a round are shared with
// the event that brings them: neither is ever written to.
func (s *draft) addLines(lines []Line) {
	if len(s.Lines) == 0 && len(lines) > 0 {
		s.Lines = slices.Clip(lines)
		return
	}
	s.Lines = append(slices.Clip(s.Lines), lines...)
}

func (s *State) requireBox(box int) error {
	if box < 1 || box > len(s.Boxes) {
		return broken("box %d does not exist", box)
	}
	return nil
}

// requireNamed refuses a number of several that is no box's. Zero names none.
func (s *State) requireNamed(boxes ...int) error {
	for _, box := range boxes {
		if box != 0 {
			if err := s.requireBox(box); err != nil {
				return err
			}
		}
	}
	return nil
}

// requireReported refuses a report of a box that the table does not have. What is reported is
// looked up again when the question about it is answered.
func (s *State) requireReported(r *Report) error {
	if err := s.requireNamed(r.Box); err != nil {
		return err
	}
	return s.requireNamed(r.Boxes...)
}

func (Announced) apply(*draft) error { return nil }

func (TableOpened) apply(s *draft) error { s.Phase = Ready; return nil }

func (TableClosed) apply(s *draft) error { s.Phase = Closed; return nil }

func (e BetsOpened) apply(s *draft) error {
	if e.Round != s.Round+1 {
		return broken("round %d follows round %d", e.Round, s.Round)
	}
	s.Phase, s.Round = Betting, e.Round
	s.warnedBefore = len(s.warned)
	cleared := newBoxes(len(s.Boxes))
	for i := range cleared {
		cleared[i].Suspended = s.Boxes[i].Suspended
	}
	s.Boxes, s.unshared = cleared, ^uint32(0)
	s.Slots, s.Lines, s.Offers, s.Question, s.waiting = nil, nil, nil, nil, nil
	s.ownSlots = false
	s.schedule, s.served, s.laid, s.drawn = nil, 0, 0, nil
	s.disputed, s.heard, s.touched, s.accidental, s.Counting, s.revealed = 0, nil, nil, nil, false, false
	// What the jackpot showed when it failed is for that round alone.
	s.Registered = 0
	return nil
}

// setStake changes one player's wagers on a box. Bettor slices are shared
// between states, so they are copied, never written to. While bets are taken,
// whoever has nothing left on the box leaves it; and nobody comes to it with nothing.
func (s *draft) setStake(box int, player string, standing bool, change func(*Bettor)) {
	b := s.change(box)
	i, n := b.bettor(player), len(b.Bettors)
	if i < 0 {
		i = n
		n++
	}
	bettors := make([]Bettor, n)
	if copy(bettors, b.Bettors) == i {
		bettors[i] = Bettor{Player: player, Standing: standing}
	}
	change(&bettors[i])
	if s.book().Boxes.PerArea > 1 {
		s.putInOrder(bettors, &bettors[i])
	}
	if (s.Phase == Betting || n > len(b.Bettors)) && bettors[i].Stakes.None() {
		bettors = slices.Delete(bettors, i, i+1)
	} else if n > len(b.Bettors) && s.book().Boxes.PerArea == 1 && !b.Staked() {
		bettors = bettors[i:] // What was said to be another player's is not.
	}
	b.Bettors = bettors
}

// putInOrder gives a bettor a number among those who placed a wager that needs no
// other one, and takes it away with the last such wager.
func (s *State) putInOrder(bettors []Bettor, b *Bettor) {
	takesPart := slices.ContainsFunc(s.book().Wagers, func(rule rules.WagerRule) bool {
		return rule.Needs.Wager == 0 && b.Stakes[rule.Wager] != 0
	})
	switch {
	case !takesPart:
		b.order = 0
	case b.order == 0:
		last := 0
		for i := range bettors {
			last = max(last, bettors[i].order)
		}
		b.order = last + 1
	}
}

func (e BetPlaced) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if e.Amount <= 0 {
		return broken("a bet of %s", e.Amount)
	}
	s.setStake(e.Box, e.Player, e.Standing, func(b *Bettor) {
		b.Stakes[e.Wager] += e.Amount
		// The player sits down, gets up, or comes back.
		b.Standing, b.gone = e.Standing, false
	})
	return nil
}

// takeLines removes from the boxes the stakes that the lines give back.
func (s *draft) takeLines(lines []Line) error {
	return s.takeStakes(lines, func(*BoxState) bool { return true })
}

// takeLying takes the lines of an event that ends the round of a box, as takeLines does. It passes
// over a settled box, whose stakes have left it already and remain as a record.
func (s *draft) takeLying(lines []Line) error {
	return s.takeStakes(lines, func(b *BoxState) bool { return !b.Settled })
}

func (s *draft) takeStakes(lines []Line, from func(*BoxState) bool) error {
	for i := range lines {
		l := &lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		at := s.box(l.Box).bettor(l.Player)
		if at < 0 || s.box(l.Box).Bettors[at].Stakes[l.Wager] < l.Stake {
			return broken("%s of %s goes back to %s on box %d, who has not staked it", l.Wager, l.Stake, l.Player, l.Box)
		}
		if l.Returned != l.Stake {
			return broken("%s goes back for a stake of %s", l.Returned, l.Stake)
		}
		if from(s.box(l.Box)) {
			s.setStake(l.Box, l.Player, false, func(b *Bettor) {
				b.Stakes[l.Wager] -= l.Stake
			})
		}
	}
	s.addLines(lines)
	s.dropIdleOffers()
	return nil
}

// dropIdleOffers ends the options of players who have nothing left that they
// could take back.
func (s *draft) dropIdleOffers() {
	idle := func(o Offer) bool { return !s.stakedBy(o.Player, o.Box) }
	if slices.ContainsFunc(s.Offers, idle) {
		s.Offers = slices.DeleteFunc(slices.Clone(s.Offers), idle)
	}
}

func (e BetsReturned) apply(s *draft) error {
	ordered := s.ordersWhole()
	if err := s.takeLines(e.Lines); err != nil {
		return err
	}
	s.dropIdleWarnings()
	s.orderDeal()
	for i := range e.Lines {
		s.passBy(e.Lines[i].Box, ordered)
	}
	return nil
}

func (e StakeFound) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	ordered := s.ordersWhole()
	passed := s.passedOver(&Found{Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount})
	claimable := s.claimed(s.box(e.Box), nil)
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.Stakes[e.Wager] = e.Amount })
	if s.Claims() && !claimable && s.claimed(s.box(e.Box), nil) {
		s.turnAgain(e.Box) // Nothing could be claimed when it was kept down.
	}
	s.orderDeal()
	if passed && len(s.Slots) > 0 {
		s.orderAnew()
	}
	s.passBy(e.Box, ordered)
	return nil
}

// passBy takes a position out of the order of a deal if no wager lies there any more and
// no card does. ordered says that the order was that of all positions with a wager.
//
//clause:mbs-3pictures@2 3.12
//clause:mbs-3pictures@2 3.12.1
func (s *draft) passBy(box int, ordered bool) {
	if _, n := s.Hand(Box(box)); ordered && n == 0 && len(s.Slots) > 0 && slices.Contains(s.schedule, Box(box)) && !s.box(box).Staked() {
		s.orderAnew()
	}
}

// orderAnew makes the order of a deal that has begun anew, after a position with a wager was passed
// over or one without was dealt to. Each card is then meant for its place in the new order.
func (s *draft) orderAnew() {
	s.schedule, s.served = s.dealOrder(), 0
	slots := s.slots()
	for i := range slots {
		switch {
		case slots[i].Meant == Out:
		case s.served == len(s.schedule):
			slots[i].Meant = Out // It comes out beyond the deal.
		default:
			slots[i].Meant = s.schedule[s.served]
			s.served++
		}
	}
	s.laid = s.served
	s.advanceDeal()
}

// orderDeal makes the order of a deal that has not begun: cards go to each position
// that holds a wager then, one too whose wager was overlooked at the call.
func (s *draft) orderDeal() {
	if s.Phase == Dealing && len(s.Slots) == 0 {
		s.schedule, s.served, s.laid = s.dealOrder(), 0, 0
	}
}

func (e MinimumAdvised) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.advised |= 1 << e.Wager })
	return nil
}

func (BetsClosed) apply(s *draft) error {
	s.Phase = Dealing
	s.orderDeal()
	return nil
}

func (e CardsDealt) apply(s *draft) error {
	used := s.used()
	slots := make([]Slot, len(s.Slots), max(len(s.Slots)+len(e.Cards), len(s.schedule)))
	copy(slots, s.Slots)
	s.Slots, s.ownSlots = slots, true
	for _, c := range e.Cards {
		if used.Has(c.Card) {
			return broken("%s is dealt twice", c.Card)
		}
		used = used.With(c.Card)
		if c.Place == 0 || c.Place > Out {
			return broken("a card is dealt to place %d", c.Place)
		}
		slot := Slot{Card: c.Card, Place: c.Place, Meant: c.Meant, dealtAtMs: e.AtMs}
		if c.FaceUp {
			slot.seen |= seenByTable
		}
		if c.Place.IsBox() {
			if err := s.requireBox(int(c.Place)); err != nil {
				return err
			}
			// A player who examines a hand during the deal sees its next cards too.
			if b := s.box(int(c.Place)); b.Examiner != "" {
				slot.seen |= seenAt(int(c.Place))
			}
		}
		s.Slots = append(s.Slots, slot)
		if c.Meant != Out {
			next := s.nextServed()
			if next == len(s.schedule) || s.schedule[next] != c.Meant {
				return broken("a card is dealt that is not meant for the %s", c.Meant)
			}
			if c.Meant == BurnPile && c.Place != BurnPile {
				s.laid = next + 1
			}
			s.served = next + 1
			s.laid = min(s.nextFrom(s.laid)+1, len(s.schedule))
		}
	}
	s.drawn = nil
	s.advanceDeal()
	return nil
}

// advanceDeal moves between dealing and deciding as the cards lie.
func (s *draft) advanceDeal() {
	complete := s.dealComplete()
	switch {
	case s.Phase == Dealing && complete:
		s.Phase = Deciding
	case s.Phase == Deciding && !complete && s.nextServed() < len(s.schedule):
		s.Phase = Dealing
	}
}

func (e CardsDrawn) apply(s *draft) error { s.drawn = e.Cards; return nil }

func (e DealFinished) apply(s *draft) error {
	switch {
	case e.Hand == 0:
		if !s.misplaced() {
			// Nothing is to be put right and dealt on: no more cards come.
			s.schedule = s.schedule[:s.dealtTo()]
		}
		s.Phase = Deciding
		return nil
	case e.Hand > Out || e.Hand.IsBox() && int(e.Hand) > len(s.Boxes):
		return broken("the deal ends for place %d", e.Hand)
	}
	dealt := s.dealtTo()
	left := slices.DeleteFunc(slices.Clone(s.schedule[dealt:]), func(p Place) bool { return p == e.Hand })
	s.schedule = append(slices.Clone(s.schedule[:dealt]), left...)
	if len(s.ToCome()) == 0 {
		s.Phase = Deciding
	}
	return nil
}

func (e HandExamined) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.change(e.Box).Examiner = e.Player
	slots := s.slots()
	for i := range slots {
		if slots[i].Place == Box(e.Box) {
			slots[i].seen |= seenAt(e.Box)
		}
	}
	return nil
}

func (e HandRaised) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.change(e.Box).Decision = Played
	s.setStake(e.Box, e.Player, false, func(b *Bettor) { b.Stakes[e.Wager] = e.Amount })
	return nil
}

func (e HandFolded) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.change(e.Box).Decision = Folded
	return nil
}

func (e ForfeitsCollected) apply(s *draft) error {
	for i := range e.Lines {
		l := &e.Lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		b := s.box(l.Box)
		at := b.bettor(l.Player)
		if !s.forfeited(b) || at < 0 || b.Bettors[at].Stakes[l.Wager] != l.Stake {
			return broken("%s of %s on box %d is collected, and no such bet was forfeited", l.Wager, l.Player, l.Box)
		}
		if l.Result != rules.Lose || l.Returned != l.Excess || l.Excess < 0 || l.Excess >= l.Stake {
			return broken("a forfeited bet on box %d does not lose", l.Box)
		}
	}
	for i := range s.Boxes {
		if !s.forfeited(s.Boxes[i]) {
			continue
		}
		var staked, collected rules.Stakes
		for j := range s.Boxes[i].Bettors {
			for w, amount := range s.Boxes[i].Bettors[j].Stakes {
				staked[w] += amount
			}
		}
		for k := range e.Lines {
			if e.Lines[k].Box == i+1 {
				collected[e.Lines[k].Wager] += e.Lines[k].Stake
			}
		}
		if staked != collected {
			return broken("box %d is folded with bets of %s, and %s is collected", i+1, staked.Total(), collected.Total())
		}
		b := s.change(i + 1)
		b.Collected, b.Settled, b.settledFrom = true, true, len(s.Lines)
	}
	s.addLines(e.Lines)
	return nil
}

// turn names the cards at a place and lets the whole table see them.
func (s *draft) turn(p Place, h card.Hand) error {
	used := s.elsewhere(p)
	n := 0
	slots := s.slots()
	for i := range slots {
		slot := &slots[i]
		if slot.Place != p {
			continue
		}
		if n == len(h) || !h[n].Valid() || used.Has(h[n]) || (slot.Card != card.None && slot.Card != h[n]) {
			return broken("the hand at %s cannot be %s", p.Sentence(), h)
		}
		used = used.With(h[n])
		slot.Card = h[n]
		slot.seen |= seenByTable
		n++
	}
	if n != len(h) {
		return broken("the hand at %s holds %d cards", p.Sentence(), n)
	}
	return nil
}

func (e HandShown) apply(s *draft) error {
	if e.Place.IsBox() {
		if err := s.requireBox(int(e.Place)); err != nil {
			return err
		}
		b := s.change(int(e.Place))
		b.Up, b.KeptDown, b.wasFaceUp = true, false, true
	}
	return s.turn(e.Place, e.Hand)
}

func (e HandKeptDown) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	s.change(e.Box).KeptDown = true
	return nil
}

// turnAgain makes a played hand one that has still to be turned, or kept face down.
func (s *draft) turnAgain(box int) {
	if s.box(box).withheld() {
		s.change(box).KeptDown = false
	}
}

func (e DealerShown) apply(s *draft) error {
	s.Phase, s.revealed = Showing, true
	return s.turn(DealerHand, e.Hand)
}

func (e Settled) apply(s *draft) error {
	if err := s.settleBoxes(e.Lines, s.toSettle); err != nil {
		return err
	}
	s.Phase = Paid
	s.Offers = nil
	return nil
}

func (e BoxSettled) apply(s *draft) error {
	switch err := s.requireBox(e.Box); {
	case err != nil:
		return err
	case s.Phase != Showing:
		return broken("box %d is settled while the table is %s", e.Box, s.Phase)
	case !s.toSettle(e.Box):
		return broken("box %d is settled and has nothing that could be", e.Box)
	}
	for i := range e.Lines {
		if l := &e.Lines[i]; l.Box != e.Box {
			return broken("box %d is settled by a line of box %d", e.Box, l.Box)
		}
	}
	return s.settleBoxes(e.Lines, func(box int) bool { return box == e.Box })
}

// settleBoxes takes the stakes of boxes off the layout by the lines, which have to
// balance.
func (s *draft) settleBoxes(lines []Line, these func(box int) bool) error {
	var staked, settled rules.Stakes
	from := len(s.Lines)
	for i, b := range s.Boxes {
		if !these(i + 1) {
			continue
		}
		for j := range b.Bettors {
			for w, amount := range b.Bettors[j].Stakes {
				staked[w] += amount
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		settled[l.Wager] += l.Stake
		if l.Returned < 0 || l.Pays < 0 || l.Returned > l.Stake+l.Pays {
			return broken("the line %s on box %d returns %s for a stake of %s that pays %s", l.Wager, l.Box, l.Returned, l.Stake, l.Pays)
		}
	}
	if staked != settled {
		return broken("the settlement does not balance: %s staked, %s settled", staked.Total(), settled.Total())
	}
	for i := range s.Boxes {
		if these(i + 1) {
			b := s.change(i + 1)
			b.Settled, b.settledFrom = true, from
		}
	}
	s.addLines(lines)
	return nil
}

func (e SettlementUndone) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if b := s.box(e.Box); !b.Settled || b.Collected || b.Invalid || s.Phase != Showing && s.Phase != Paid {
		return broken("the settlement of box %d is undone, and it has none that could be", e.Box)
	}
	if !slices.Equal(e.Stakes, s.laidStakes(e.Box)) {
		return broken("other stakes are laid on box %d again than were settled", e.Box)
	}
	for i := range e.Lines {
		l := &e.Lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		if l.Box != e.Box && l.Wager != rules.Envy || l.Stake != 0 || l.Pays != 0 || l.Returned != 0 || l.Reverses <= 0 || l.Result != rules.GivenBack {
			return broken("a line on box %d collects nothing that was paid", l.Box)
		}
	}
	s.addLines(e.Lines)
	b := s.change(e.Box)
	b.Settled, b.settledFrom = false, 0
	s.Phase = Showing
	s.dropIdleWarnings()
	return nil
}

func (e Reported) apply(s *draft) error {
	if err := cmp.Or(s.requireReported(&e.Report), s.requireNamed(e.Boxes...)); err != nil {
		return err
	}
	if e.Report.Incident == rules.WalkedAway && (e.Report.Round == 0 || e.Report.Round == s.Round) {
		for i := range s.Boxes {
			if s.Boxes[i].bettor(e.Report.Player) >= 0 {
				s.setStake(i+1, e.Report.Player, false, func(b *Bettor) { b.gone = true })
			}
		}
	}
	if e.Report.Round != 0 && e.Report.Round < s.Round {
		return nil
	}
	if e.Report.Incident == rules.HandTouched {
		if err := s.requireBox(e.Report.Box); err != nil {
			return err
		}
		s.touched = append(slices.Clip(s.touched), e.Report.touch())
	}
	switch {
	case e.Outcome == rules.CountCards:
		s.Counting = true
	case e.Report.Incident == rules.DeckCount:
		s.Counting = false
	}
	if e.Report.Incident.Table() == rules.Misdeal && e.Outcome != rules.Void {
		s.ruleOn(&e)
	}
	switch {
	case s.book().Offer.Dissatisfied == "":
	case e.Outcome == rules.Invalidate && len(e.Boxes) == 1:
		s.disputed, s.heard = e.Boxes[0], nil
	case e.Outcome == rules.Invalidate, e.Outcome == rules.Continue && e.Report.Incident.Table() == rules.Misdeal:
		s.disputed, s.heard = -1, nil
	}
	return nil
}

func (e CardsExposed) apply(s *draft) error {
	slots := s.slots()
	for i, at := range e.Slots {
		if at < 0 || at >= len(slots) || i >= len(e.Cards) {
			return broken("card %d of the deal does not exist", at+1)
		}
		if e.Corrected {
			if !slots[at].Exposed() || !e.Cards[i].Valid() {
				return broken("card %d of the deal is corrected and does not lie open", at+1)
			}
			slots[at].Card = e.Cards[i]
			continue
		}
		slots[at].seen |= seenByTable
		slots[at].mistaken = true
		if e.Cards[i] != card.None {
			slots[at].Card = e.Cards[i]
		}
	}
	if !e.Corrected {
		return nil
	}
	if s.book().Examine.Clauses.Claim != "" && !s.Claims() {
		// Nobody has to claim anything: the dealer compares the hands.
		for i := range s.Boxes {
			s.turnAgain(i + 1)
		}
	}
	// A card that lies open is nowhere else: where the record had it face down, nobody
	// knows what lies there until it is turned.
	for i := range slots {
		if slots[i].Card != card.None && !slices.Contains(e.Slots, i) && slices.Contains(e.Cards, slots[i].Card) {
			if slots[i].Exposed() {
				return broken("%s lies open twice", slots[i].Card)
			}
			slots[i].Card = card.None
		}
	}
	return nil
}

func (e CardsMoved) apply(s *draft) error {
	slots := s.slots()
	before := make([]Place, len(slots))
	for i := range slots {
		before[i] = slots[i].Place
	}
	var other [Out + 1]bool // where other cards lie than when they were counted
	for _, m := range e.Moves {
		if m.Slot < 0 || m.Slot >= len(slots) {
			return broken("card %d of the deal does not exist", m.Slot+1)
		}
		if m.To == 0 || m.To > Out {
			return broken("a card is moved to place %d", m.To)
		}
		if m.To.IsBox() {
			if err := s.requireBox(int(m.To)); err != nil {
				return err
			}
		}
		from := slots[m.Slot].Place
		slots[m.Slot].Place, slots[m.Slot].ruled = m.To, e.Ruled
		other[from], other[m.To] = true, true
		for i := range slots {
			if e.Ruled && slots[i].Place == from {
				slots[i].ruled = true
			}
		}
	}
	for i := range slots {
		if other[slots[i].Place] {
			slots[i].counted = 0 // A number that was ruled on can come again, and is another case then.
		}
	}
	s.turnMoved(before)
	s.advanceDeal()
	return nil
}

// turnMoved says anew which hands lie open: a complete hand that was shown is so
// where it lies now, and one to which a card has come that was not shown has to be
// shown again. before is where each card lay.
func (s *draft) turnMoved(before []Place) {
	exposed := func(p Place) bool {
		return p.IsBox() && s.Boxes[p-1].Up || p == DealerHand && s.Phase == Showing
	}
	var count, open [Out + 1]int
	dealers := true
	for i := range s.Slots {
		p := s.Slots[i].Place
		count[p]++
		if exposed(before[i]) && s.Slots[i].Exposed() {
			open[p]++
		}
		dealers = dealers && (p == DealerHand) == (before[i] == DealerHand)
	}
	for i := range s.Boxes {
		p := Box(i + 1)
		if up := count[p] == 3 && open[p] == 3; s.Boxes[i].Up != up || s.Boxes[i].KeptDown {
			b := s.change(i + 1)
			b.Up, b.KeptDown, b.wasFaceUp = up, false, b.wasFaceUp || up
		}
	}
	if s.Phase == Showing && !dealers {
		s.Phase = Deciding
	}
}

func (e RoundVoided) apply(s *draft) error {
	if err := s.takeLying(e.Lines); err != nil {
		return err
	}
	s.warned = s.warned[:s.warnedBefore]
	s.Phase = Voided
	s.Offers, s.Question, s.waiting, s.drawn, s.Counting = nil, nil, nil, nil, false
	return nil
}

func (e HandInvalidated) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if err := s.takeLying(e.Lines); err != nil {
		return err
	}
	s.change(e.Box).Invalid = true
	s.dropIdleWarnings()
	slots := s.slots()
	for i := range slots {
		if slots[i].Place == Box(e.Box) {
			slots[i].Place = Out
		}
	}
	s.dropIdleOffers()
	s.advanceDeal()
	return nil
}

// dropIdleWarnings takes back the warnings of this round that rest on a wager
// whose settlement was reversed: it has not been settled once.
//
//clause:mbs-3pictures@2 5.10
func (s *draft) dropIdleWarnings() {
	if len(s.warned) == s.warnedBefore {
		return
	}
	s.warned = slices.DeleteFunc(slices.Clone(s.warned), func(player string) bool {
		return slices.Contains(s.warned[s.warnedBefore:], player) && !s.settledLow(player)
	})
}

// settledLow reports whether a low wager of a player was settled in this round on
// a hand that has not left it since.
func (s *State) settledLow(player string) bool {
	for i, l := range s.Lines {
		b := s.box(l.Box)
		if l.Player != player || !s.countsOnce(&l.Line) || !b.Settled || b.Invalid || i < b.settledFrom {
			continue
		}
		if at := b.bettor(player); at >= 0 && slices.Contains(s.lowStakes(l.Box, &b.Bettors[at]), l.Wager) {
			return true
		}
	}
	return false
}

func (e QuestionAsked) apply(s *draft) error {
	found := &e.Question.Found
	if err := cmp.Or(s.requireReported(&e.Question.Report), s.requireNamed(found.Box)); err != nil {
		return err
	}
	if *found != (Found{}) && s.book().Rule(found.Wager) == nil {
		return broken("a question of the wager %s, which the game does not have", found.Wager)
	}
	if s.Question != nil {
		s.waiting = append(slices.Clip(s.waiting), *s.Question)
	}
	q := e.Question
	s.Question = &q
	return nil
}

func (e QuestionAnswered) apply(s *draft) error {
	if ask := s.book().Offer.Question; ask != nil && s.Question != nil && s.Question.Key == ask.Key {
		s.heard = append(slices.Clip(s.heard), AskWithdrawal{Box: s.Question.Report.Box, Player: s.Question.Report.Player})
	}
	if q := s.Question; q != nil && q.Report.Incident == rules.SecondHand && q.Key != ConfirmFacts &&
		slices.ContainsFunc(q.Answers, func(a rules.Answer) bool { return a.Key == e.Answer && a.Then == rules.Continue }) {
		s.accidental = append(slices.Clip(s.accidental), q.Report.Box)
	}
	s.Question = nil
	if last := len(s.waiting) - 1; last >= 0 {
		q := s.waiting[last]
		if s.Question, s.waiting = &q, s.waiting[:last]; last == 0 {
			s.waiting = nil
		}
	}
	return nil
}

func (e OffersMade) apply(s *draft) error {
	for i := range e.Offers {
		if err := s.requireNamed(e.Offers[i].Box); err != nil {
			return err
		}
	}
	s.Offers = append(slices.Clip(s.Offers), e.Offers...)
	return nil
}

func (e OfferAnswered) apply(s *draft) error {
	before := len(s.Offers)
	s.Offers = slices.DeleteFunc(slices.Clone(s.Offers), func(o Offer) bool { return o.Box == e.Box && o.Player == e.Player })
	if len(s.Offers) == before {
		return broken("%s answers an option that nobody offered", e.Player)
	}
	return nil
}

func (e PlayerWarned) apply(s *draft) error {
	s.warned = append(slices.Clip(s.warned), e.Player)
	return nil
}

func (e PlayerRestricted) apply(s *draft) error {
	restricted := slices.DeleteFunc(slices.Clone(s.restricted), func(p string) bool { return p == e.Player })
	if !e.Lift {
		restricted = append(restricted, e.Player)
	}
	s.restricted = restricted
	return nil
}

func (e AreasRestricted) apply(s *draft) error { s.AreaMax = e.Max; return nil }

func (e ProgressiveFailed) apply(s *draft) error {
	s.Down, s.Registered, s.DownOption = true, e.Registered, 0
	return nil
}

func (e ProgressiveSuspended) apply(s *draft) error {
	// What was registered was for the round of the failure, which is over.
	s.DownOption, s.Registered = e.Option, 0
	for _, box := range e.Boxes {
		if err := s.requireBox(box); err != nil {
			return err
		}
		s.change(box).Suspended = true
	}
	return nil
}

func (ProgressiveRestored) apply(s *draft) error {
	s.Down, s.Registered, s.DownOption = false, 0, 0
	for i := range s.Boxes {
		s.change(i + 1).Suspended = false
	}
	return nil
}
