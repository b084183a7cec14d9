package trace

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"trey/rules"
	"trey/rules/books"
)

//go:generate go run generate.go

//go:embed index.json
var embedded []byte

// The files that `go generate ./trace` writes, by their path in the repository.
const (
	IndexFile  = "trace/index.json"
	MatrixFile = "docs/TRACEABILITY.md"
)

// Embedded returns the index of the source tree that the program was built
// from.
func Embedded() (Index, error) {
	var x struct {
		Code      []Citation
		Scenarios []Proof
	}
	if err := json.Unmarshal(embedded, &x); err != nil {
		return Index{}, fmt.Errorf("%s cannot be read, write it anew with `go generate ./trace`: %w", IndexFile, err)
	}
	return Index{Code: x.Code, Scenarios: x.Scenarios}, nil
}

// JSON returns the index as it is embedded: one entry a line, so that a change
// of one shows as one.
func (x *Index) JSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\n\"code\": [")
	if err := writeEach(&b, x.Code); err != nil {
		return nil, err
	}
	b.WriteString("],\n\"scenarios\": [")
	if err := writeEach(&b, x.Scenarios); err != nil {
		return nil, err
	}
	b.WriteString("]\n}\n")
	return b.Bytes(), nil
}

func writeEach[T any](b *bytes.Buffer, entries []T) error {
	for i := range entries {
		text, err := json.Marshal(&entries[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteByte('\n')
	return nil
}

// Markdown returns the matrix of all books, one table each, as
// docs/TRACEABILITY.md holds it.
func (x *Index) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString(`# From clause to code to test

Written by ` + "`go generate ./trace`" + ` from the registers, the code and the
scenarios; not edited by hand. CONTRIBUTING.md says how a clause gets here.

An executable clause has code that carries it out and a scenario that proves it.
A display clause says where people see it, a procedure what the software offers
the hands that carry it out, and a definition gives a word its meaning.
`)
	for _, book := range books.All() {
		fmt.Fprintf(&b, "\n## %s, %s (`%s`)\n\n%s\n\n", book.Title, book.House, book.Ref(), x.summary(book))
		b.WriteString("| clause | kind | what it provides | code | scenarios, or where |\n| --- | --- | --- | --- | --- |\n")
		for i := range book.Clauses {
			c := &book.Clauses[i]
			var code, proof []string
			for _, place := range x.CodeOf(book.Ref(), c.ID) {
				code = append(code, fmt.Sprintf("[%s](../%s) `%s`", place.File, place.File, place.Decl))
			}
			for _, p := range x.ScenariosOf(book.Ref(), c.ID) {
				proof = append(proof, fmt.Sprintf("[%s](../%s)", p.Name(), p.File))
			}
			if c.Where != "" {
				proof = append(proof, c.Where)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.ID, c.Kind, cell(c.Summary), cell(strings.Join(code, "<br>")), cell(strings.Join(proof, "<br>")))
		}
	}
	return b.Bytes()
}

// summary counts a book's clauses.
func (x *Index) summary(book *rules.Book) string {
	var executable, coded, proved int
	for i := range book.Clauses {
		c := &book.Clauses[i]
		if c.Kind != rules.Executable {
			continue
		}
		executable++
		if len(x.CodeOf(book.Ref(), c.ID)) > 0 {
			coded++
		}
		if len(x.ScenariosOf(book.Ref(), c.ID)) > 0 {
			proved++
		}
	}
	return fmt.Sprintf("%d clauses, %d of them executable: %d with code, %d with scenarios.", len(book.Clauses), executable, coded, proved)
}

// cell makes a text safe inside a row of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
