package register

import (
	"bytes"
	"fmt"
	"strings"

	"trey/internal/paragraph"
	"trey/rules"
)

// columns is the width of a plain terminal.
const columns = 80

// ListText prints the books.
func ListText(all []Book) []byte {
	var b bytes.Buffer
	for _, book := range all {
		fmt.Fprintf(&b, "%s  %s, %s\n    %s\n", book.Ref, book.Title, book.House, book.counts())
	}
	fmt.Fprintf(&b, "\nSay `trey rules BOOK` for its clauses, `trey rules BOOK CLAUSE` for one of them.\n")
	return b.Bytes()
}

// counts returns the number of clauses of each kind in words.
func (book *Book) counts() string {
	total := 0
	var kinds []string
	for _, kind := range []string{"executable", "display", "procedure", "definition"} {
		if n := book.Counts[kind]; n > 0 {
			total += n
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return fmt.Sprintf("%d clauses: %s", total, strings.Join(kinds, ", "))
}

// Text prints all clauses of a book, each with the rulings in force.
func (book *Book) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s, %s\n%s\n", book.Ref, book.Title, book.House, book.counts())
	if book.Variant != "" {
		wrap(&b, 0, "Rulings as the variant "+book.Variant+" has them, hash "+rules.ShortHash(book.Hash))
	}
	for i := range book.Clauses {
		c := &book.Clauses[i]
		fmt.Fprintf(&b, "\n%s  %s\n", c.ID, c.Kind)
		if c.Title != "" {
			wrap(&b, 4, c.Title)
		}
		wrap(&b, 4, c.Summary)
		for _, r := range c.Rulings {
			wrap(&b, 4, "Ruling "+r.Key+": "+r.inForce())
		}
	}
	return b.Bytes()
}

func (r *Ruling) inForce() string {
	if len(r.Others) == 0 {
		return r.InForce
	}
	return r.InForce + " (or " + strings.Join(r.Others, ", ") + ")"
}

// Text prints one clause whole.
func (c *Clause) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n\n", c.Ref, c.Kind)
	if c.Title != "" {
		wrap(&b, 4, c.Title)
	}
	wrap(&b, 4, c.Summary)
	if c.Where != "" {
		heading := "Where it is shown"
		if c.Kind == "procedure" {
			heading = "What the software offers the hands that do it"
		}
		fmt.Fprintf(&b, "\n%s\n", heading)
		wrap(&b, 4, c.Where)
	}
	if len(c.Rulings) > 0 {
		b.WriteString("\nRulings that concern it")
		if c.Variant != "" {
			b.WriteString(", as " + c.Variant + " has them")
		}
		b.WriteByte('\n')
		for _, r := range c.Rulings {
			wrap(&b, 4, r.Key+": "+r.Question)
			wrap(&b, 8, "In force: "+r.InForce)
			switch {
			case len(r.Others) > 0:
				wrap(&b, 8, "Other values: "+strings.Join(r.Others, ", "))
			case r.Settable:
				wrap(&b, 8, "A variant may state another.")
			default:
				wrap(&b, 8, "The text leaves no other answer.")
			}
		}
	}
	if len(c.Code) > 0 {
		b.WriteString("\nCarried out by\n")
		for _, place := range c.Code {
			fmt.Fprintf(&b, "    %s: %s\n", place.File, place.Decl)
		}
	}
	if len(c.Scenarios) > 0 {
		b.WriteString("\nProved by\n")
		for _, file := range c.Scenarios {
			fmt.Fprintf(&b, "    %s\n", file)
		}
	}
	if c.Kind == "executable" && (len(c.Code) == 0 || len(c.Scenarios) == 0) {
		b.WriteString("\nIt is executable and not yet whole: code or scenario is missing.\n")
	}
	return b.Bytes()
}

// wrap prints a text in lines of at most the terminal's width, indented.
func wrap(b *bytes.Buffer, indent int, text string) {
	b.WriteString(paragraph.Hang(columns, indent, indent, text))
}
