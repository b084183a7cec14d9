// Package narration describes the events of a table for the pages, sentence by sentence, with
// the dealer's announcements apart from the rest. It describes only the event that it is given,
// and does not know the reader: its caller has used table.Redact to remove what the reader may
// not know.
package narration

import (
	"trey/sentence"
	"trey/table"
)

// A Line is a sentence about an event.
type Line struct {
	Words sentence.Sentence
	// Aloud marks what the dealer or the table says.
	Aloud bool
}

// Of describes an event. The state is the one after it; see [table.Sentences].
func Of(e table.Event, s *table.State) (all []Line) {
	if said, ok := e.(table.Announced); ok {
		return []Line{{Words: said.Sentence(*s), Aloud: true}}
	}
	for _, words := range table.Sentences(e, *s) {
		all = append(all, Line{Words: words})
	}
	return all
}
