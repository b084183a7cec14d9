package main

import (
	"strings"

	"trey/rules"
	"trey/rules/books"
)

// bookRef is a flag or argument that names a book, with or without its
// edition. It is nil where none was given.
type bookRef struct{ *rules.Book }

// UnmarshalText finds the book. The error says which one may have been meant.
func (b *bookRef) UnmarshalText(text []byte) (err error) {
	b.Book, err = books.Find(string(text))
	return err
}

// bookIDs lists the books for people to choose from.
func bookIDs() string {
	var ids []string
	for _, b := range books.All() {
		ids = append(ids, b.ID)
	}
	return strings.Join(ids, ", ")
}
