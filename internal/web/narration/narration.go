// Package narration describes the events of a table for the pages, sentence by sentence, with
// the dealer's announcements apart from the rest. It tells what the event says that it is
// handed, and knows nobody who reads: whoever calls it has asked table.Redact what may be told.
package narration

import (
	"trey/sentence"
	"trey/table"
)

// Saying is a sentence about what happened.
type Saying struct {
	Words sentence.Sentence
	// Aloud marks what the dealer or the table says.
	Aloud bool
}

// Of tells an event. The state is the one after it; see [table.Telling].
func Of(e table.Event, s *table.State) (all []Saying) {
	if said, ok := e.(table.Announced); ok {
		return []Saying{{Words: said.Said(*s), Aloud: true}}
	}
	for _, words := range table.Telling(e, *s) {
		all = append(all, Saying{Words: words})
	}
	return all
}
