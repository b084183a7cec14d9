package house

import (
	"errors"
	"testing"

	"trey/internal/house/access"
	"trey/rules"
	"trey/table"
)

// An order of cards beside an answer is not the round going on as it is: such an answer takes a
// second person.
func TestAnOrderIsMoreThanGoingOn(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{nil, {2, 1, 3}} {
		q := &table.OpenQuestion{Key: "k", Confirmed: true, Answers: []rules.Answer{{Key: "go on", Then: rules.Continue}}}
		s := &tableRunner{state: table.State{Question: q}}
		o := &CommandRequest{By: access.Person{Name: "api", Role: access.PitSupervisor, Machine: true}, Do: table.Answer{Answer: "go on", Order: order}}
		if err := new(House).confirms(s, o); errors.Is(err, access.ErrMachine) != (order != nil) {
			t.Errorf("a machine goes on with the order %v: %v", order, err)
		}
	}
}
