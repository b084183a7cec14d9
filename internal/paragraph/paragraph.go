// Package paragraph sets text for people in lines of a given width. It never
// decides what is said, and it knows no terminal: the caller brings the width.
package paragraph

import (
	"strings"
	"unicode/utf8"
)

// Hang returns the words of a text in lines of at most the columns, the first
// indented by first and the later ones by later spaces, each ended. A word
// longer than a line stands alone; a text without words is empty.
func Hang(columns, first, later int, text string) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case width == 0:
			b.WriteString(strings.Repeat(" ", first))
			width = first
		case width+1+length > columns:
			b.WriteString("\n" + strings.Repeat(" ", later))
			width = later
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += length
	}
	if width > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
