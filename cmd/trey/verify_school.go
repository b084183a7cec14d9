package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/drill"
	"trey/internal/notary"
	"trey/internal/printable"
)

// maxResultBytes bounds a signed result of the dealer school.
const maxResultBytes = 16 << 10

// schoolResult is a signed result of the dealer school, and what is known of its signature.
type schoolResult struct {
	*drill.Result
	// House is the name of the house's record, as the result gives it.
	House string `json:"house"`
	// Signature is proven, or open where no key was given.
	Signature string `json:"signature"`
}

// isSchoolResult reports whether a text begins as a signed result does, with the name of a
// record and what it is signed for. A record of a round begins with a brace.
func isSchoolResult(text *bufio.Reader) bool {
	const most = 256
	head, _ := text.Peek(most) // a shorter text is looked at whole
	first, _, found := strings.Cut(string(head), "\n")
	return found && strings.HasSuffix(first, "/"+drill.Purpose) && !strings.HasPrefix(first, "{")
}

// schoolResult reads a result and holds its signature against the keys that were given.
func (cmd *verifyCommand) schoolResult(in io.Reader) (*schoolResult, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxResultBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxResultBytes {
		return nil, fmt.Errorf("it has more than %d bytes, and no result of the dealer school does", maxResultBytes)
	}
	keys, err := followed(cmd.Key, cmd.Succession)
	if err != nil {
		return nil, err
	}
	signature := "proven"
	name, lines, err := notary.ReadStatement(text, drill.Purpose, keys...)
	var unverified *note.UnverifiedNoteError
	if len(keys) == 0 && errors.As(err, &unverified) {
		signature = "open"
		name, lines, _ = strings.Cut(unverified.Note.Text, "\n")
		name, err = strings.TrimSuffix(name, "/"+drill.Purpose), nil
	}
	if err != nil {
		return nil, err
	}
	result, err := drill.ParseResult(lines)
	if err != nil {
		return nil, err
	}
	return &schoolResult{result, name, signature}, nil
}

// print prints the result.
func (r *schoolResult) print(out io.Writer, file string) {
	verdict := "proven"
	if r.Signature == "open" {
		verdict = "nothing is wrong; open: signature (name the house by --key)"
	}
	fmt.Fprintf(out, "%s: result of the dealer school: %s\n", file, verdict)
	row := func(name, format string, values ...any) {
		fmt.Fprintf(out, "  %-11s %s\n", name, printable.Escape(fmt.Sprintf(format, values...)))
	}
	row("house", "%s", r.House)
	if r.Typed != "" {
		row("typed", "%s", r.Typed)
	}
	if r.Person != 0 {
		row("person", "#%d", r.Person)
	}
	row("book", "%s, revision %d, declaration %s", r.Book, r.Revision, r.Declaration)
	row("rounds", "%d, seed %s", r.Rounds, r.Seed)
	row("right", "%d of %d", r.Tasks-r.Wrong(), r.Tasks)
	if len(r.Errors) > 0 {
		var kinds []string
		for _, kind := range drill.ErrorKinds() {
			if n := r.Errors[kind.String()]; n > 0 {
				kinds = append(kinds, fmt.Sprintf("%s %d", kind, n))
			}
		}
		row("errors", "%s", strings.Join(kinds, ", "))
	}
	row("began", "%s", time.UnixMilli(r.BeganMs).UTC().Format(time.RFC3339))
	row("took", "%s", time.Duration(r.TookMs)*time.Millisecond)
}
