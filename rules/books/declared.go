package books

import (
	_ "embed"
	"strings"
)

// declared lists each declaration that a program of this repository has had, a line for each: its
// hash, the reference of the book and the revision.
//
//go:embed declared.txt
var declared string

// Declared reports whether a program of this repository has declared a book by this hash, now or
// before. Whoever else declares a book may have changed its rules under its name.
func Declared(hash string) bool {
	for line := range strings.Lines(declared) {
		if name, _, _ := strings.Cut(line, " "); name == hash {
			return true
		}
	}
	return false
}
