package table

import "fmt"

// Candidates is what Legal chooses from.
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

// Registered lists the values that the codec knows, by kind.
func Registered() (actions, events map[string]string) {
	actions, events = map[string]string{}, map[string]string{}
	for kind, t := range actionTypes {
		actions[kind] = t.Name()
	}
	for kind, t := range eventTypes {
		events[kind] = t.Name()
	}
	return actions, events
}
