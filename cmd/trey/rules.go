package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"trey/internal/register"
	"trey/rules/books"
	"trey/trace"
)

// rulesCommand is the register of the rule books.
type rulesCommand struct {
	Book   string `arg:"" optional:"" help:"The rule book: ${books}."`
	Clause string `arg:"" optional:"" help:"One clause of it, such as 5.8.6."`

	Variant string `placeholder:"FILE" help:"A variant of the book, whose rulings are then in force."`
	JSON    bool   `name:"json" help:"Print JSON instead of text."`
}

// Help returns the long help of the command.
func (rulesCommand) Help() string {
	return `Without a book it lists the books; with one, all its clauses in our own words, and beside them the rulings in force where the text leaves something open; with a clause, also where it is carried out in the code and which scenarios prove it.

Examples:

    $ trey rules
    $ trey rules rws-3cp
    $ trey rules rws-3cp 3.12.1
    $ trey rules "rws-3cp@3 3.12.1"
    $ trey rules rws-3cp 3.12.1 --variant high-limit.toml
    $ trey rules mbs-3pictures --json`
}

// Run prints what was asked for.
func (cmd *rulesCommand) Run(s *streams) error {
	index, err := trace.Embedded()
	if err != nil {
		return err
	}
	if cmd.Book == "" && cmd.Variant == "" {
		all := register.Books()
		return printForm(s, cmd.JSON, all, register.ListText(all))
	}
	// "rws-3cp@3 5.8.6" in one word is a clause as it is cited everywhere.
	ref, id := cmd.Book, cmd.Clause
	if id == "" {
		ref, id, _ = strings.Cut(ref, " ")
	}
	game := gameFlag{Variant: cmd.Variant}
	if ref != "" {
		if game.Book.Book, err = books.Find(ref); err != nil {
			return usageError{cmp.Or(clauseAlone(ref), err)}
		}
		id = strings.TrimPrefix(id, game.Book.Ref()+" ")
	}
	variant, _, err := game.load()
	if err != nil {
		return err
	}
	if id == "" {
		book := register.Of(variant, &index)
		return printForm(s, cmd.JSON, book, book.Text())
	}
	clause, err := register.Find(variant, id, &index)
	if err != nil {
		return usageError{err}
	}
	return printForm(s, cmd.JSON, clause, clause.Text())
}

// clauseAlone returns the error for a clause without its book, nil for what is no
// clause of any book.
func clauseAlone(id string) error {
	var having []string
	for _, b := range books.All() {
		if _, ok := b.Clause(id); ok {
			having = append(having, fmt.Sprintf("`trey rules %s %s`", b.ID, id))
		}
	}
	if having == nil {
		return nil
	}
	return fmt.Errorf("%s is a clause, and its book is missing: say %s", id, strings.Join(having, " or "))
}

// printForm prints one of the two forms.
func printForm(s *streams, asJSON bool, value any, text []byte) error {
	if !asJSON {
		_, err := s.out.Write(text)
		return err
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
