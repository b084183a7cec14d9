package rules

import "strings"

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

// edits returns the Levenshtein distance of two short words.
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
