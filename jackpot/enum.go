package jackpot

import (
	"fmt"

	"trey/sentence"
)

// enum is any closed list of this package; 0 is never one of its values.
type enum interface{ ~uint8 }

// nameOf returns the name of a value, or a text that shows it has none. Names
// start at value 1.
func nameOf[E enum](names []string, e E) string {
	if !listed(names, e) {
		return fmt.Sprintf("invalid(%d)", uint8(e))
	}
	return names[e-1]
}

// listed reports whether e is on the list.
func listed[E enum](names []string, e E) bool {
	return e >= 1 && int(e) <= len(names)
}

// textOf writes a value for JSON. The zero value is written as the empty text,
// so that a State that was never opened can be stored too.
func textOf[E enum](names []string, e E) ([]byte, error) {
	if e == 0 {
		return []byte{}, nil
	}
	if !listed(names, e) {
		return nil, fmt.Errorf("jackpot: %d is not on the list %q", uint8(e), names)
	}
	return []byte(names[e-1]), nil
}

// parseText reads what textOf wrote.
func parseText[E enum](names []string, text []byte, e *E) error {
	if len(text) == 0 {
		*e = 0
		return nil
	}
	for i, name := range names {
		if name == string(text) {
			*e = E(i + 1)
			return nil
		}
	}
	return fmt.Errorf("jackpot: %q is not on the list %q", text, names)
}

// words lists the names of an enumeration in a sentence.
func words(names []string) sentence.List {
	list := make([]sentence.Word, len(names))
	for i, name := range names {
		list[i] = sentence.Word(name)
	}
	return sentence.Some(", ", list)
}
