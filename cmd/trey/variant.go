package main

import (
	"fmt"
	"os"

	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
)

// gameFlag is how a command is told which game is meant: a rule book as its text
// has it, or an operator's variant of one. A command embeds it, and both flags
// are its own.
type gameFlag struct {
	Book    bookRef `placeholder:"BOOK" help:"The rule book: rws-3cp, us-3cp, sm-3cp or mbs-3pictures."`
	Variant string  `placeholder:"FILE" help:"A variant file, in the place of a book: docs/variants.md."`
}

// load returns the variant asked for, the book's standard variant if it is a
// book, and what is to be said aloud about it. It is an error to ask for neither,
// and for a book from which the file does not derive; a command with a game of
// its own for when nothing is asked sets Book first.
func (g *gameFlag) load() (*rules.Variant, []variant.Remark, error) {
	if g.Variant == "" {
		if g.Book.Book == nil {
			return nil, nil, misuse{fmt.Errorf("which book? Say --book and one of %s, or --variant and a file", bookIDs())}
		}
		return g.Book.Standard(), nil, nil
	}
	v, remarks, err := readVariant(g.Variant)
	if err != nil {
		return nil, nil, misuse{err}
	}
	if g.Book.Book != nil && g.Book.Ref() != v.Book.Ref() {
		return nil, nil, misuse{fmt.Errorf("--book %s contradicts --variant %s, which derives from %s: leave --book out",
			g.Book.Ref(), g.Variant, v.Book.Ref())}
	}
	return v, remarks, nil
}

// readVariant reads a variant file. The error is a [variant.Errors] with every
// mistake, or says that there is no such file.
func readVariant(name string) (*rules.Variant, []variant.Remark, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("the variant cannot be read: %w", err)
	}
	return variant.Parse(name, text, books.Find)
}

// sayAloud prints the remarks of a variant, each on a line of its own.
func sayAloud(s *streams, remarks []variant.Remark) {
	for _, remark := range remarks {
		fmt.Fprintln(s.err, remark)
	}
}
