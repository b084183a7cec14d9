package table

import (
	"fmt"
	"reflect"
)

// Candidates returns the actions from which Legal chooses.
func Candidates(s State, by Actor) []Action { return s.candidates(by) }

// Fingerprint writes down everything in a state, so that a test sees whether it
// was written to.
func Fingerprint(s State) string {
	boxes := make([]BoxState, len(s.Boxes))
	for i := range s.Boxes {
		boxes[i] = *s.Boxes[i]
	}
	var question OpenQuestion
	if s.Question != nil {
		question = *s.Question
	}
	s.Boxes, s.Question, s.Variant = nil, nil, nil
	return fmt.Sprintf("%+v %+v %+v", s, boxes, question)
}

// SnapshotFields counts, of each struct that a state is made of, its fields and
// those of what it is written down as.
func SnapshotFields() map[string][2]int {
	count := func(current, written any) [2]int {
		return [2]int{reflect.TypeOf(current).NumField(), reflect.TypeOf(written).NumField()}
	}
	return map[string][2]int{
		"State": count(State{}, snapshot{}), "BoxState": count(BoxState{}, boxSnapshot{}),
		"Bettor": count(Bettor{}, bettorSnapshot{}), "Slot": count(Slot{}, slotSnapshot{}),
	}
}
