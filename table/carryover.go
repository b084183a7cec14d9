package table

import (
	"fmt"
	"slices"

	"trey/rules"
)

// Carried holds the parts of the state that a round takes over from earlier rounds,
// beside its number.
type Carried struct {
	// Down says that the progressive is out of order, and DownOption what the
	// house chose for rounds in which it is; Suspended are the boxes that take no
	// bets because of it.
	Down       bool       `json:"down,omitempty"`
	DownOption DownOption `json:"down_option,omitempty"`
	Suspended  []int      `json:"suspended,omitempty"`
	// AreaMax is the lowered number of wagers on an area, zero for the book's.
	AreaMax int `json:"area_max,omitempty"`
	// Warned are the players whose one low wager was settled, Restricted those
	// held to one position.
	Warned     []string `json:"warned,omitempty"`
	Restricted []string `json:"restricted,omitempty"`
}

// Carried returns the state that the round began with, if it has only been opened yet;
// otherwise the state that the next round would begin with.
func (s *State) Carried() Carried {
	c := Carried{
		Down: s.Down, DownOption: s.DownOption, AreaMax: s.AreaMax,
		Warned: slices.Clone(s.warned), Restricted: slices.Clone(s.restricted),
	}
	for i := range s.Boxes {
		if s.Boxes[i].Suspended {
			c.Suspended = append(c.Suspended, i+1)
		}
	}
	return c
}

// Resume returns a table that is ready for a round, with what the round takes
// over. It is for whoever goes through one round alone.
func Resume(v *rules.Variant, c Config, round int, from Carried) (State, error) {
	s, err := New(v, c)
	if err != nil {
		return s, err
	}
	switch {
	case round < 1:
		return s, fmt.Errorf("rounds count from 1, not from %d", round)
	case from.Down != (from.DownOption != 0) || !from.Down && from.Suspended != nil:
		return s, fmt.Errorf("a round can begin with a progressive out of order only as the house has chosen: %s", from.DownOption)
	case from.Down && v.Jackpot == nil:
		return s, fmt.Errorf("%s has no progressive that could be out of order", v.ID)
	case from.AreaMax < 0:
		return s, fmt.Errorf("an area cannot be lowered to %d wagers", from.AreaMax)
	}
	for i, box := range from.Suspended {
		if box < 1 || box > len(s.Boxes) || i > 0 && box <= from.Suspended[i-1] {
			return s, fmt.Errorf("the table has no box %d, or it is out of use twice", box)
		}
		s.Boxes[box-1].Suspended = true
	}
	s.Round = round - 1
	s.Down, s.DownOption, s.AreaMax = from.Down, from.DownOption, from.AreaMax
	s.warned, s.restricted = slices.Clone(from.Warned), slices.Clone(from.Restricted)
	s.warnedBefore = len(s.warned)
	return s, nil
}
