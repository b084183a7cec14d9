package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"trey/internal/register"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/sentence"
)

// gameFlag names the game of a command: a rule book as its text has it, or an operator's
// variant of one. A command embeds it, and both flags are its own.
type gameFlag struct {
	Book    bookRef `placeholder:"BOOK" help:"The rule book: ${books}."`
	Variant string  `placeholder:"FILE" help:"A variant file, in the place of a book: see trey variant --help."`
}

// load returns the variant asked for, the book's standard variant if it is a
// book, and the warnings about it. It is an error to ask for neither,
// and for a book from which the file does not derive; a command with a game of
// its own for when nothing is asked sets Book first.
func (g *gameFlag) load() (*rules.Variant, []variant.Remark, error) {
	if g.Variant == "" {
		if g.Book.Book == nil {
			return nil, nil, usageError{fmt.Errorf("which book? Say --book and one of %s, or --variant and a file", bookIDs())}
		}
		return g.Book.Standard(), nil, nil
	}
	v, remarks, err := readVariant(g.Variant)
	if mistakes := variant.Errors(nil); errors.As(err, &mistakes) {
		return nil, nil, usageError{fmt.Errorf("%s cannot be played:\n%w", g.Variant, err)}
	}
	if err != nil {
		return nil, nil, usageError{err}
	}
	if g.Book.Book != nil && g.Book.Ref() != v.Book.Ref() {
		return nil, nil, usageError{fmt.Errorf("%s contradicts --variant %s, which derives from %s: leave the book out",
			g.Book.Ref(), g.Variant, v.Book.Ref())}
	}
	return v, remarks, nil
}

// readVariant reads a variant file. The error is a [variant.Errors] with every
// mistake, or says that there is no such file.
func readVariant(name string) (*rules.Variant, []variant.Remark, error) {
	text, err := readFile(name, "a variant", variant.MaxBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("the variant cannot be read: %w", err)
	}
	v, remarks, err := variant.Parse(name, text, books.Find)
	if err != nil {
		return nil, nil, err
	}
	for _, favour := range register.Favours(v) {
		remarks = append(remarks, variant.Remark{Name: name, Line: variant.Line(text, favour.Fields...), Text: sentence.Of("%s", sentence.Word(favour.Text))})
	}
	slices.SortStableFunc(remarks, func(a, b variant.Remark) int { return cmp.Compare(a.Line, b.Line) })
	return v, remarks, nil
}

// printRemarks prints the remarks of a variant, each on a line of its own.
func printRemarks(s *streams, remarks []variant.Remark) {
	for _, remark := range remarks {
		fmt.Fprintln(s.err, remark)
	}
}

// variantCommand holds the commands about variants.
type variantCommand struct {
	Check variantCheckCommand `cmd:"" help:"Check variant files, and sum up what they change."`
	Init  variantInitCommand  `cmd:"" help:"Write a complete variant file to start from, with comments."`
	Show  variantShowCommand  `cmd:"" help:"Show the complete rules of a table under a book or a variant."`
}

// Help returns the long help of the command.
func (variantCommand) Help() string {
	return `A variant is a rule book as an operator's tables play it: with the limits, pay tables, rulings and progressive of the house. It is a file; docs/variants.md describes it.

Examples:

    $ trey variant init rws-3cp > high-limit.toml
    $ trey variant check high-limit.toml
    $ trey settle --variant high-limit.toml --jsonl < rounds.jsonl`
}

// variantCheckCommand checks variant files.
type variantCheckCommand struct {
	Files []string `arg:"" name:"file" help:"The variant files to check."`
	Quiet bool     `short:"q" help:"Print no summary, only mistakes and remarks."`
}

// Help returns the long help of the command.
func (variantCheckCommand) Help() string {
	return `For each good file it prints what the table will play: the book it derives from, the hash that is recorded with each round, boxes, chips and limits, the pays that differ from the book's, what the house keeps of each bet, the progressive, and the rulings that differ from the default. What is allowed but surprising is said last: a table that favours the player, a row that no hand is ever paid for, limits beyond those of the text.

Examples:

    $ trey variant check high-limit.toml

    $ trey variant check --quiet variants/*.toml

Every mistake of a file is printed at once, as file:line: reason. If any file has one, the exit status is 1; remarks alone leave it 0. A file that cannot be opened makes it 2.`
}

// Run checks the files, each by itself.
func (cmd *variantCheckCommand) Run(s *streams) error {
	bad := 0
	for i, name := range cmd.Files {
		v, remarks, err := readVariant(name)
		if mistakes := variant.Errors(nil); errors.As(err, &mistakes) {
			bad++
			fmt.Fprintln(s.err, mistakes)
			continue
		}
		if err != nil {
			return usageError{err}
		}
		if cmd.Quiet {
			printRemarks(s, remarks)
			continue
		}
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		summary := register.DescribeVariant(v)
		if _, err := s.out.Write(summary.Text(true)); err != nil {
			return err
		}
		if len(remarks) > 0 {
			fmt.Fprintln(s.out, "\nAccepted with a warning")
			for _, remark := range remarks {
				fmt.Fprintf(s.out, "    %v\n", remark)
			}
		}
	}
	if bad > 0 {
		fmt.Fprintf(s.err, "trey: %d of %d variants cannot be played\n", bad, len(cmd.Files))
		return errReported
	}
	return nil
}

// variantInitCommand writes a variant file to start from.
type variantInitCommand struct {
	Book bookRef `arg:"" help:"The rule book to derive from: ${books}."`
}

// Help returns the long help of the command.
func (variantInitCommand) Help() string {
	return `It writes a complete file to standard output, with every value that can be set at the book's own and with what each means. Change what is to differ; the rest can be removed.

Examples:

    $ trey variant init rws-3cp > high-limit.toml`
}

// Run writes the file.
func (cmd *variantInitCommand) Run(s *streams) error {
	_, err := s.out.Write(variant.Example(cmd.Book.Book))
	return err
}

// variantShowCommand shows a book or a variant whole.
type variantShowCommand struct {
	Game string `arg:"" name:"book|file" help:"A rule book, or a variant file."`
	JSON bool   `name:"json" help:"Print JSON instead of text."`
}

// Help returns the long help of the command.
func (variantShowCommand) Help() string {
	return `All pay tables row by row, all limits and all rulings, beside what the book itself has. In JSON amounts are whole minor units: 1000 is 10.00.

Examples:

    $ trey variant show us-3cp
    $ trey variant show high-limit.toml --json`
}

// Run shows it.
func (cmd *variantShowCommand) Run(s *streams) error {
	var game gameFlag
	book, err := books.Find(cmd.Game)
	switch {
	case err == nil:
		game.Book.Book = book
	case isFile(cmd.Game):
		game.Variant = cmd.Game
	default:
		return usageError{fmt.Errorf("%w; nor is there a file of that name", err)}
	}
	v, remarks, err := game.load()
	if err != nil {
		return err
	}
	printRemarks(s, remarks)
	variant := register.DescribeVariant(v)
	return printForm(s, cmd.JSON, variant, variant.Text(false))
}

// isFile reports whether a name was meant as a file's: one is there, or it looks
// like one.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil || strings.HasSuffix(name, ".toml")
}
