package table

import (
	"cmp"
	"slices"
	"sync"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// Decide returns the events that follow from a command. The error is a [Refusal] if the rules do
// not allow the command now, and a [Broken] if the record is corrupt. The state does not change, so
// deciding without keeping the events is a dry run.
func Decide(s State, c Command) ([]Event, error) {
	d := decisionOn(s)
	defer decisions.Put(d)
	if err := d.decide(c); err != nil {
		return nil, err
	}
	return d.events, nil
}

// Step decides a command and returns the events together with the state after
// them, which is what Evolve makes of them.
func Step(s State, c Command) ([]Event, State, error) {
	d := decisionOn(s)
	defer decisions.Put(d)
	if err := d.decide(c); err != nil {
		return nil, s, err
	}
	if d.last != nil {
		if err := d.last.apply(&d.s); err != nil {
			return nil, s, err
		}
	}
	return d.events, d.s.State, nil
}

// decision collects the events of one command and the state they lead to, so
// that each step is decided upon what the steps before it changed.
type decision struct {
	s      draft
	events []Event
	// last is the event recorded and not yet applied.
	last Event
	err  error
}

// decisions keeps used decisions for the next command, as drafts does.
var decisions = sync.Pool{New: func() any { return new(decision) }}

func decisionOn(s State) *decision {
	d := decisions.Get().(*decision)
	*d = decision{s: draft{State: s}}
	return d
}

func (d *decision) decide(c Command) error {
	if c.Do == nil || c.By.Role < rules.Player || c.By.Role > rules.ShiftManager {
		return d.s.refuse(Malformed, "", "a command needs an actor with a role and something to do").inWords()
	}
	if r := c.Do.verify(&d.s.State, c.By); r != nil {
		return r.inWords()
	}
	if err := c.Do.perform(d, c); err != nil {
		return err
	}
	return d.err
}

func (d *decision) emit(e Event) {
	if d.err != nil {
		return
	}
	d.events = append(d.events, e)
	d.err = e.apply(&d.s)
}

// record emits the one event of a command that verify has found to be possible.
// Nothing is decided upon the state after it, so only Step applies it here.
func (d *decision) record(e Event) {
	d.events, d.last = []Event{e}, e
}

// announce has the dealer say something by a provision of the book.
func (d *decision) announce(clause string, a Announced) {
	a.Clause = clause
	d.emit(a)
}

// givenBack returns the line that returns a stake in full.
func givenBack(box int, player string, w rules.Wager, stake money.Amount, clause string) Line {
	return Line{Box: box, Player: player, Line: rules.Line{
		Wager: w, Stake: stake, Result: rules.GivenBack, Returned: stake, Clause: clause,
	}}
}

// linesBack returns lines that give back every stake of a box, or reverse what
// a settlement already paid for it.
func (s *State) linesBack(box int, clause string) []Line {
	var lines []Line
	b := s.box(box)
	for i := range b.Bettors {
		bettor := &b.Bettors[i]
		for w := rules.Ante; int(w) < len(bettor.Stakes); w++ {
			if bettor.Stakes[w] != 0 {
				lines = append(lines, givenBack(box, bettor.Player, w, bettor.Stakes[w], clause))
			}
		}
	}
	if !b.Settled {
		return lines
	}
	// The box was settled: what it was paid is collected again, wager by wager,
	// and payments without a stake of their own get a line for that.
	for i := b.settledFrom; i < len(s.Lines); i++ {
		paid := &s.Lines[i]
		if paid.Box != box {
			continue
		}
		if again := paid.Reverses; again != 0 {
			// Part of it has been collected again already.
			for j := range lines {
				if lines[j].Wager == paid.Wager && lines[j].Player == paid.Player {
					less := min(again, lines[j].Reverses)
					lines[j].Reverses -= less
					again -= less
				}
			}
			continue
		}
		if paid.Returned == 0 || paid.Result == rules.GivenBack && s.stake(box, paid.Player, paid.Wager) == 0 {
			continue // Nothing was paid, or the stake went back since and stays there.
		}
		found := false
		for j := range lines {
			if lines[j].Wager == paid.Wager && lines[j].Player == paid.Player && lines[j].Reverses == 0 {
				lines[j].Reverses, found = paid.Returned, true
				break
			}
		}
		if !found {
			line := givenBack(box, paid.Player, paid.Wager, 0, clause)
			line.Reverses = paid.Returned
			lines = append(lines, line)
		}
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Stake == 0 && l.Reverses == 0 })
}

// envyBack returns lines that collect again what a settlement paid other boxes
// as Envy Bonus for a hand that now leaves the round.
//
//clause:rws-3cp@3 4.7
func (s *State) envyBack(box int, clause string) ([]Line, error) {
	type place struct {
		box    int
		player string
	}
	paid := map[place]money.Amount{}
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Wager == rules.Envy && l.Box != box && !l.awarded() {
			paid[place{l.Box, l.Player}] += l.Net()
		}
	}
	if len(paid) == 0 {
		return nil, nil
	}
	without := *s
	without.Boxes = slices.Clone(s.Boxes)
	gone := *s.box(box)
	gone.Invalid = true
	without.Boxes[box-1] = &gone
	// No Envy Bonus depends on the meter, which other lines may.
	due, _, err := without.settlement(0, func(int) money.Amount { return money.Minor })
	for i := range due {
		if l := &due[i]; l.Wager == rules.Envy {
			paid[place{l.Box, l.Player}] -= l.Returned
		}
	}
	var lines []Line
	for i := range s.Lines {
		l := &s.Lines[i]
		if over := paid[place{l.Box, l.Player}]; l.Wager == rules.Envy && over > 0 && !s.box(l.Box).Invalid {
			line := givenBack(l.Box, l.Player, rules.Envy, 0, clause)
			line.Reverses = over
			lines = append(lines, line)
			paid[place{l.Box, l.Player}] = 0
		}
	}
	return lines, err
}

// laidStakes returns the stakes of a box in the order of its bettors and wagers.
func (s *State) laidStakes(box int) (stakes []LaidStake) {
	for _, b := range s.box(box).Bettors {
		for w := rules.Ante; int(w) < len(b.Stakes); w++ {
			if b.Stakes[w] != 0 {
				stakes = append(stakes, LaidStake{b.Player, w, b.Stakes[w]})
			}
		}
	}
	return stakes
}

// undo takes back the settlement of a box that has one: what it was paid is collected
// again, and its stakes lie there once more. If the round was settled, the Envy Bonuses
// go back with it, because they follow again when it is.
func (d *decision) undo(box int, clause string) {
	b := d.s.box(box)
	if d.err != nil || !b.Settled || b.Collected || b.Invalid {
		return
	}
	undone := SettlementUndone{Box: box, Clause: clause, Stakes: d.s.laidStakes(box)}
	for i := range d.s.Boxes {
		if i+1 != box && d.s.Phase != Paid {
			continue
		}
		for _, l := range d.s.linesBack(i+1, clause) {
			if l.Reverses != 0 && (i+1 == box || l.Wager == rules.Envy && !d.s.Boxes[i].Invalid) {
				again := givenBack(l.Box, l.Player, l.Wager, 0, clause)
				again.Reverses = l.Reverses
				undone.Lines = append(undone.Lines, again)
			}
		}
	}
	d.emit(undone)
}

// move puts cards elsewhere. What was settled by a hand that changes is settled anew.
func (d *decision) move(e CardsMoved) {
	for i := range d.s.Boxes {
		if d.s.settledAnew(i+1, e.Moves) {
			d.undo(i+1, cmp.Or(e.Clause, d.s.book().Bets.Settle))
		}
	}
	d.emit(e)
}

// settledAnew reports whether a box is settled anew once cards are moved: its own hand
// changes, or the dealer's.
func (s *State) settledAnew(box int, moves []Move) bool {
	at := func(p Place) bool { return p == Box(box) || p == DealerHand }
	return s.Phase == Showing && slices.ContainsFunc(moves, func(m Move) bool { return at(m.To) || at(s.Slots[m.Slot].Place) })
}

// void ends the round and gives every bet back.
//
//clause:rws-3cp@3 5.21
//clause:mbs-3pictures@2 5.1.1
func (d *decision) void(clause string) {
	var lines []Line
	for i := range d.s.Boxes {
		if !d.s.Boxes[i].Invalid {
			lines = append(lines, d.s.linesBack(i+1, cmp.Or(d.s.book().Bets.VoidReturns, clause))...)
		}
	}
	d.emit(RoundVoided{Clause: clause, Lines: lines})
	d.announce(clause, Announced{Key: "void"})
}

// invalidate takes a hand out of the round and gives its bets back. When none
// is left the round is over.
func (d *decision) invalidate(box int, clause string) {
	if d.s.Phase == Betting {
		// There is no hand yet, and others may still bet on the box.
		d.emit(BetsReturned{Clause: clause, Lines: d.s.linesBack(box, clause)})
		return
	}
	lines := d.s.linesBack(box, clause)
	if d.s.Phase == Paid {
		envy, err := d.s.envyBack(box, clause)
		if err != nil {
			d.err = err
			return
		}
		lines = append(lines, envy...)
	}
	d.emit(HandInvalidated{Box: box, Clause: clause, Lines: lines})
	if d.err != nil || !d.s.Phase.InRound() {
		return
	}
	for i := range d.s.Boxes {
		if d.s.Boxes[i].Staked() && !d.s.Boxes[i].Invalid {
			return
		}
	}
	d.emit(Settled{})
}

// positions writes box numbers as a dealer says them: "2, 3 and 5".
func positions(boxes []int) sentence.Sentence {
	switch n := len(boxes); n {
	case 0:
		return sentence.Sentence{}
	case 1:
		return sentence.Of("%d", boxes[0])
	default:
		return sentence.Of("%s and %d", sentence.Some(", ", boxes[:n-1]), boxes[n-1])
	}
}

// countedBoxes writes boxes with their word: "box 2", "boxes 1 and 3".
func countedBoxes(one, several string, boxes []int) sentence.Sentence {
	form := several
	if len(boxes) == 1 {
		form = one
	}
	return sentence.Of(form, positions(boxes))
}

// dealOrder returns the place of each card of a complete deal to the boxes that have
// bets, in the order the device deals them.
//
//clause:rws-3cp@3 3.10
//clause:rws-3cp@3 3.11
//clause:us-3cp dealing.3
//clause:mbs-3pictures@2 3.12
//clause:mbs-3pictures@2 3.12.1
//clause:fr-p3c@2007 16
func (s *State) dealOrder() []Place {
	places := make([]Place, 0, len(s.Boxes)+1)
	for i := range s.Boxes {
		if s.Boxes[i].Staked() {
			places = append(places, Box(i+1))
		}
	}
	places = append(places, DealerHand)
	order := make([]Place, 0, 3*len(places)+1)
	if s.Variant.Burns(s.Config.Device) {
		order = append(order, BurnPile)
	}
	if !s.device().Packets {
		for range 3 {
			order = append(order, places...)
		}
		return order
	}
	for _, p := range places {
		order = append(order, p, p, p)
	}
	return order
}

// nextServed returns the index in the schedule of the next card's place, passing
// over hands that have left the round; the schedule's length when it is done.
func (s *State) nextServed() int { return s.nextFrom(s.served) }

func (s *State) nextFrom(entry int) int {
	for i := entry; i < len(s.schedule); i++ {
		if p := s.schedule[i]; !p.IsBox() || !s.box(int(p)).Invalid {
			return i
		}
	}
	return len(s.schedule)
}

// dealComplete reports whether the dealer and every box in the round have
// exactly three cards.
func (s *State) dealComplete() bool {
	if _, n := s.Hand(DealerHand); n != 3 {
		return false
	}
	for i := range s.Boxes {
		if b := s.Boxes[i]; b.Staked() && !b.Invalid {
			if _, n := s.Hand(Box(i + 1)); n != 3 {
				return false
			}
		}
	}
	return true
}

// used returns the set of cards whose faces the house has in this round.
func (s *State) used() card.Set {
	var used card.Set
	for i := range s.Slots {
		if c := s.Slots[i].Card; c != card.None {
			used = used.With(c)
		}
	}
	return used
}

// openAgain returns the first of the cards named that is named before, or that the whole table
// sees in the round already, and none where there is no such card. Of those that lie face down it
// says nothing.
func (s *State) openAgain(named []card.Card) card.Card {
	var open card.Set
	for i := range s.Slots {
		if s.Slots[i].Exposed() && s.Slots[i].Card != card.None {
			open = open.With(s.Slots[i].Card)
		}
	}
	return firstOf(named, open)
}

// downAgain reports whether one of the named cards is in the round already, face down or not. A
// refusal for it reveals that such a card is there. So this check is the last one, and its refusal
// names the card only if no other card is named: nobody can find the card out by commands that are
// refused in any case, which leave no trace.
func (s *State) downAgain(named []card.Card) bool { return firstOf(named, s.used()) != card.None }

// firstOf returns the first card that is in the set or named before, and none where there is no
// such card.
func firstOf(named []card.Card, in card.Set) card.Card {
	for _, c := range named {
		if c == card.None {
			continue
		}
		if in.Has(c) {
			return c
		}
		in = in.With(c)
	}
	return card.None
}

// due returns the place where a card belongs: the one it was meant for, unless the hand there has
// left the round and its cards with it.
func (s *State) due(c *Slot) Place {
	if c.Meant.IsBox() && s.box(int(c.Meant)).Invalid {
		return Out
	}
	return c.Meant
}

// misplaced reports whether any card lies elsewhere than it belongs.
func (s *State) misplaced() bool {
	for i := range s.Slots {
		if s.Slots[i].Place != s.due(&s.Slots[i]) {
			return true
		}
	}
	return false
}

// restoringMoves returns the moves that put every card where it belongs.
//
//clause:rws-3cp@3 1.17
func (s *State) restoringMoves() []Move {
	var moves []Move
	for i := range s.Slots {
		if due := s.due(&s.Slots[i]); s.Slots[i].Place != due {
			moves = append(moves, Move{Slot: i, To: due})
		}
	}
	return moves
}

// handsMovable reports whether the cards lie wrong but every hand is complete, so
// that moving hands as they are puts the deal right. Packets from a shuffler stay
// apart when two of them lie at one place; single cards from a shoe do not.
func (s *State) handsMovable() bool {
	return s.misplaced() && s.movable(func(i int) Place { return s.due(&s.Slots[i]) })
}

// movable reports whether moving hands as they are takes each card of the round to
// where it belongs.
func (s *State) movable(belongs func(slot int) Place) bool {
	var lie [Out + 1][Out + 1]int // how many cards at a place belong where
	for i := range s.Slots {
		place, due := s.Slots[i].Place, belongs(i)
		if place == BurnPile || place == Out {
			if due != place {
				return false
			}
			continue
		}
		lie[place][due]++
	}
	for place := range lie {
		hands := 0
		for _, n := range lie[place] {
			if n%3 != 0 {
				return false
			}
			hands += n / 3
		}
		if hands > 1 && !s.device().Packets {
			return false
		}
	}
	return true
}
