// Package opaque hides the events and the state of a table from code outside the house. That
// code holds the values, and gets out of them only what one function lets a viewer see
// ([table.View], [table.Redact]). What everybody may know of a table has a method of its own; a
// field that has none is seen by nobody.
//
// [Raw] and [RawEvent] give everything. Only packages of the house can name them.
package opaque

import (
	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// State is a table at one moment. The zero value is no table: it has no events and cannot be
// read.
type State struct{ s *table.State }

// none is the state of no table.
var none table.State

func (s State) state() *table.State {
	if s.s == nil {
		return &none
	}
	return s.s
}

// Of puts a state out of reach. It must not be changed any more.
func Of(s *table.State) State { return State{s} }

// Raw returns the state as it is, nil for no table.
func Raw(s State) *table.State { return s.s }

// View returns the table as a viewer may see it.
func (s State) View(v table.Viewer) table.Picture { return table.View(*s.s, v) }

// Legal lists what somebody may do now, as [table.Legal]. An action may name cards that
// nobody may know: who shows them to anybody asks [table.RedactAction].
func (s State) Legal(by table.Actor) []table.Action { return table.Legal(*s.s, by) }

// None reports whether it is no table.
func (s State) None() bool { return s.s == nil }

// Variant returns the rules by which the round is played, or the last one was.
func (s State) Variant() *rules.Variant { return s.state().Variant }

// Config returns the equipment of the table.
func (s State) Config() table.Config { return s.state().Config }

// Phase returns the phase of the round.
func (s State) Phase() table.Phase { return s.state().Phase }

// Round returns the number of the round in play, or of the last one.
func (s State) Round() int { return s.state().Round }

// Down reports whether the progressive is out of order.
func (s State) Down() bool { return s.state().Down }

// DevicesDown reports whether the progressive stands still because of betting devices of this table
// alone.
func (s State) DevicesDown() bool { return s.state().DevicesDown() }

// DownOption returns what the house chose for the rounds until it works again, zero for nothing yet.
func (s State) DownOption() table.DownOption { return s.state().DownOption }

// OnLayout returns what lies on the layout.
func (s State) OnLayout() money.Amount { return s.state().OnLayout() }

// Lines returns the settlement lines of the round so far.
func (s State) Lines() []table.Line { return s.state().Lines }

// Offers returns the options that are not answered yet.
func (s State) Offers() []table.Offer { return s.state().Offers }

// ToCome returns the places of the cards that are still to be dealt.
func (s State) ToCome() []table.Place { return s.state().ToCome() }

// Boxes returns how many boxes the layout has.
func (s State) Boxes() int { return len(s.state().Boxes) }

// Bettors returns who bets on a box, and what. The list must not be changed.
func (s State) Bettors(box int) []table.Bettor { return s.state().Boxes[box-1].Bettors }

// Staked reports whether any wager lies on a box.
func (s State) Staked(box int) bool { return s.state().Boxes[box-1].Staked() }

// PaysInSteps reports whether some box has been settled, and others have not.
func (s State) PaysInSteps() bool {
	for _, b := range s.state().Boxes {
		if b.Settled && !b.Collected {
			return true
		}
	}
	return false
}

// Claims reports whether the players' hands are turned only where their player claims a
// payment on them.
func (s State) Claims() bool { return s.state().Claims() }

// Dealt returns how many cards have been drawn in the round.
func (s State) Dealt() int { return len(s.state().Slots) }

// Known reports of each card at a place, in the order in which they were drawn, whether
// the house knows it.
func (s State) Known(at table.Place) (known []bool) {
	for i := range s.state().Slots {
		if slot := &s.state().Slots[i]; slot.Place == at {
			known = append(known, slot.Card != card.None)
		}
	}
	return known
}

// Invalid reports whether the hand at a box has left the round.
func (s State) Invalid(box int) bool { return s.state().Boxes[box-1].Invalid }

// KeptDown reports whether it is recorded that the hand at a box stays face down.
func (s State) KeptDown(box int) bool { return s.state().Boxes[box-1].KeptDown }

// Misplaced reports whether a card lies elsewhere than the order of the deal meant it to.
func (s State) Misplaced() bool {
	for i := range s.state().Slots {
		if slot := &s.state().Slots[i]; slot.Place != slot.Meant {
			return true
		}
	}
	return false
}

// Lying is a card where it lies: card.None unless it is open to the whole table.
type Lying struct {
	At   table.Place
	Card card.Card
	Open bool
}

// Cards returns the cards of the round in the order in which they were drawn.
func (s State) Cards() []Lying {
	all := make([]Lying, len(s.state().Slots))
	for i := range s.state().Slots {
		slot := &s.state().Slots[i]
		if all[i] = (Lying{At: slot.Place, Open: slot.Exposed()}); all[i].Open {
			all[i].Card = slot.Card
		}
	}
	return all
}

// Question returns the open question, nil for none. Staff who may be asked to confirm a
// report see all that it states; everybody else sees what the table may know of it.
func (s State) Question(by table.Actor) *table.OpenQuestion {
	if s.state().Question == nil {
		return nil
	}
	if by.Role != 0 && by.Role != rules.Player {
		asked := *s.state().Question
		return &asked
	}
	asked := table.Redact(table.QuestionAsked{Question: *s.state().Question}, *s.s, table.Viewer{}).(table.QuestionAsked)
	return &asked.Question
}

// Event is something that happened at a table.
type Event struct {
	e     table.Event
	after *table.State
}

// EventsOf puts the events of one command out of reach, with the state after them.
func EventsOf(events []table.Event, after *table.State) []Event {
	return each(events, func(e table.Event) Event { return Event{e, after} })
}

// each returns a list of what a function makes of each element, nil for nil.
func each[T, U any](list []T, of func(T) U) []U {
	if list == nil {
		return nil
	}
	made := make([]U, len(list))
	for i, one := range list {
		made[i] = of(one)
	}
	return made
}

// RawEvent returns the event as it is.
func RawEvent(e Event) table.Event { return e.e }

// RawEvents returns events as they are.
func RawEvents(events []Event) []table.Event {
	return each(events, RawEvent)
}

// For returns the event as a viewer may see it.
func (e Event) For(v table.Viewer) table.Event { return table.Redact(e.e, *e.after, v) }
