package strict

import (
	"strings"
	"unicode"
)

// Doubled returns the first key that stands twice in one object, with the path to it
// such as rounds[2].bets, or nothing if there is none. Which of the two values was
// meant nobody can know, and [Read] takes the last. Capital letters make no difference,
// nor does a letter such as the long s, because they make none where a struct is read.
// What is no JSON has no such key.
func Doubled(text []byte) string { return firstWrong(text, once{}) }

// once is the place of a value in whose objects no key stands twice.
type once struct{}

func (o once) object() func(key string) (value, bool) {
	seen := map[string]bool{}
	return func(key string) (value, bool) {
		same := strings.Map(folded, key)
		first := !seen[same]
		seen[same] = true
		return o, first
	}
}

func (o once) element() value { return o }

// folded returns the first of the letters that encoding/json takes for the same in a key.
func folded(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
