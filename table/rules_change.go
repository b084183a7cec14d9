package table

import (
	"errors"
	"fmt"

	"trey/rules"
)

// Under returns the table as it goes on by other rules: another variant of the
// same book, from the next round. What was said to last beyond a round stays:
// warnings and restrictions of players, the limit of an area, boxes that are out
// of use as far as the new layout has them. The last round is put away, for it
// was played by other rules: what is still to be found out about it has to be
// found out before.
//
// A [Refusal] says that the table is in a round or that something is still open;
// any other error that the rules are not rules for this table.
func (s State) Under(v *rules.Variant) (State, error) {
	if r := first(
		func() *Refusal { return s.needPhase("", Ready, Paid, Voided, Closed) },
		s.needNothingOpen,
	); r != nil {
		return s, r.inWords()
	}
	if v == nil {
		return s, errors.New("a table needs a book to play by")
	}
	if v.Book.Ref() != s.book().Ref() {
		return s, fmt.Errorf("this table plays %s and goes on with that book: put %s on another table", s.book().Ref(), v.Book.Ref())
	}
	next, err := New(v, s.Config)
	if err != nil {
		return s, err
	}
	next.Round, next.AreaMax = s.Round, s.AreaMax
	next.warned, next.restricted = s.warned, s.restricted
	next.warnedBefore = len(s.warned)
	if s.Phase == Closed {
		next.Phase = Closed
	}
	if v.Jackpot == nil {
		return next, nil // Nothing can be out of order that is not connected.
	}
	next.Down, next.Registered, next.DownOption = s.Down, s.Registered, s.DownOption
	for i := range min(len(s.Boxes), len(next.Boxes)) {
		next.Boxes[i].Suspended = s.Boxes[i].Suspended
	}
	return next, nil
}
