package main

import (
	"encoding/json"

	"trey/internal/register"
	"trey/rules/books"
	"trey/trace"
)

// rulesCommand is the register of the rule books.
type rulesCommand struct {
	Book   string `arg:"" optional:"" help:"The rule book: rws-3cp, us-3cp, sm-3cp or mbs-3pictures."`
	Clause string `arg:"" optional:"" help:"One clause of it, such as 5.8.6."`
	JSON   bool   `name:"json" help:"Print JSON instead of text."`
}

// Help is the long help of the command.
func (rulesCommand) Help() string {
	return `Without a book it lists the books; with one, all its clauses in our own words, and beside them the rulings in force where the text leaves something open; with a clause, also where it is carried out in the code and which scenarios prove it.

Examples:

    $ trey rules
    $ trey rules rws-3cp
    $ trey rules rws-3cp 3.12.1
    $ trey rules mbs-3pictures --json`
}

// Run prints what was asked for.
func (cmd *rulesCommand) Run(s *streams) error {
	index, err := trace.Embedded()
	if err != nil {
		return err
	}
	if cmd.Book == "" {
		all := register.Books()
		return cmd.print(s, all, register.ListText(all))
	}
	book, err := books.Find(cmd.Book)
	if err != nil {
		return misuse{err}
	}
	variant := book.Standard()
	if cmd.Clause == "" {
		whole := register.Of(variant, &index)
		return cmd.print(s, whole, whole.Text())
	}
	clause, err := register.Find(variant, cmd.Clause, &index)
	if err != nil {
		return misuse{err}
	}
	return cmd.print(s, clause, clause.Text())
}

// print prints one of the two forms.
func (cmd *rulesCommand) print(s *streams, value any, text []byte) error {
	if !cmd.JSON {
		_, err := s.out.Write(text)
		return err
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
