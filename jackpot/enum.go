package jackpot

import "trey/sentence"

// words lists the names of an enumeration in a sentence.
func words(names []string) sentence.List {
	list := make([]sentence.Word, len(names))
	for i, name := range names {
		list[i] = sentence.Word(name)
	}
	return sentence.Some(", ", list)
}
