package rules

import (
	"fmt"
	"strings"
)

// Every closed list of this package is written by key in files and on the
// wire; these two do it for all of them.

func keyText[T ~uint8](v T, what string, keys []string) ([]byte, error) {
	if v == 0 || int(v) >= len(keys) {
		return nil, fmt.Errorf("%s %d does not exist", what, v)
	}
	return []byte(keys[v]), nil
}

func parseKey[T ~uint8](s, what string, keys []string) (T, error) {
	for i, key := range keys {
		if i > 0 && key == s {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no %s: choose from %s", s, what, strings.Join(keys[1:], ", "))
}

// Nearest returns which of the words somebody may have meant who wrote another
// one, or nothing if none is near. It is for messages to people only.
func Nearest(wrote string, words []string) string {
	near, fewest := "", 1+len(wrote)/3
	for _, word := range words {
		if n := edits(strings.ToLower(wrote), strings.ToLower(word)); n <= fewest && (near == "" || n < fewest) {
			near, fewest = word, n
		}
	}
	return near
}

// edits is the Levenshtein distance of two short words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			above := row[j]
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above+1, row[j-1]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
