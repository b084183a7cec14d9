// Package variant reads an operator's file, in TOML, that derives a variant from
// a rule book: other pay tables, limits, chips, boxes, rulings, and the terms of
// the progressive. Whatever is wrong with a file is reported at once, each with
// its line and with what to write instead. docs/variants.md describes the format.
//
// The package will never open a file: whoever calls it has read the text and
// says under which name. It decides nothing about a game: what a variant may be
// is checked by package rules.
package variant

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trey/internal/printable"
	"trey/internal/tomldoc"
	"trey/rules"
	"trey/sentence"
)

// Error is one mistake in a variant file.
type Error struct {
	// Name is the file's name as the caller gave it, Line the line, from 1.
	Name string
	Line int
	// Reason says what is wrong and what to write instead.
	Reason sentence.Sentence
}

// Error returns name, line and reason as compilers do.
func (e *Error) Error() string { return oneLine(e.Name, e.Line, e.Reason) }

// Errors is everything that is wrong with a variant file, in the order of its
// lines. It is never empty.
type Errors []*Error

// Error returns the mistakes, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one, for errors.As.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// Remark is something that a variant file may say, but that should not go by
// unnoticed: a pay table that favours the player, a row that no hand is paid for.
type Remark struct {
	Name string
	Line int
	Text sentence.Sentence
}

// String returns name, line and text as compilers do.
func (r Remark) String() string { return oneLine(r.Name, r.Line, r.Text) }

// oneLine returns a message on one line: what it quotes of the file cannot begin
// another one, nor act on a terminal.
func oneLine(name string, line int, text sentence.Sentence) string {
	return fmt.Sprintf("%s:%d: %s", name, line, printable.Escape(text.String()))
}

// MaxBytes bounds a file: the longest sensible one is some kilobytes.
const MaxBytes = 1 << 20

// Parse reads a variant file. The name is for messages, and the variant's id if
// the text gives none; find returns the book of a reference, such as books.Find.
//
// The error is an [Errors] with every mistake found. Where it is nil, the
// variant has passed [rules.Variant.Check], and the remarks say what is allowed
// but surprising. Of wagers that a player's decisions or the meter bear on, such as
// Ante and Play, nothing is said here: that takes package odds. [Line] serves
// whoever adds it.
func Parse(name string, text []byte, find func(ref string) (*rules.Book, error)) (*rules.Variant, []Remark, error) {
	r := &reader{name: name, find: find, broken: map[string]bool{}}
	if len(text) > MaxBytes {
		r.fail(1, "the file has %d bytes; a variant has at most %d", len(text), MaxBytes)
		return nil, nil, r.failed()
	}
	r.file = tomldoc.Scan(text)
	for _, m := range r.file.Mistakes {
		r.fail(m.Line, "%s", m.Reason)
	}
	r.book = r.base()
	if r.book == nil {
		r.readWithoutBook()
		return nil, nil, r.failed()
	}
	r.v = r.book.Standard().Clone()
	r.read()
	for _, fault := range r.v.Faults() {
		line := r.lineOf(fault.Field)
		if !r.hasError(line) {
			r.fail(line, "%s: %s", fault.Field, fault.Reason)
		}
	}
	r.wholeMeter()
	if err := r.failed(); err != nil {
		return nil, nil, err
	}
	return r.v, r.remarks(), nil
}

// wholeMeter refuses a pay that is a part of the meter. A progressive that is
// switched off pays nobody, so there the row stays: recorded rules may have one.
func (r *reader) wholeMeter() {
	table := r.v.Pays[rules.Progressive]
	if r.v.Jackpot == nil || table == nil {
		return
	}
	for i := range table.Rows {
		field := "pays.progressive." + table.Rows[i].Combo.String()
		if err := table.Rows[i].Pay.WholeMeter(); err != nil && !r.hasError(r.lineOf(field)) {
			r.fail(r.lineOf(field), "%s: %s", field, err)
		}
	}
}

// Line returns the line on which a variant file speaks of the first of the fields
// that it has, such as "pays.ante-bonus", else the line of its base. It is for
// remarks that take more than the rules to make.
func Line(text []byte, fields ...string) int {
	f := tomldoc.Scan(text)
	for _, field := range append(fields, "base") {
		if line := f.Line(field); line > 0 {
			return line
		}
	}
	return 1
}

// reader is one reading of one file.
type reader struct {
	name string
	find func(ref string) (*rules.Book, error)
	file *tomldoc.Document
	book *rules.Book
	v    *rules.Variant
	errs Errors
	// broken holds the paths that have been refused, so that what lies below
	// them is not refused once more.
	broken map[string]bool
}

func (r *reader) fail(line int, form string, args ...any) {
	r.errs = append(r.errs, &Error{Name: r.name, Line: line, Reason: sentence.Of(form, args...)})
}

// failed returns the mistakes in the order of their lines, or nil.
func (r *reader) failed() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return r.errs
}

func (r *reader) hasError(line int) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return e.Line == line })
}

// unknown refuses a key, and says which one may have been meant.
func (r *reader) unknown(e *tomldoc.Entry, depth int, known []string, form string, args ...any) {
	path := strings.Join(e.Path[:depth+1], ".")
	r.broken[path] = true
	what := sentence.Of(form, args...)
	if near := rules.Nearest(e.Path[depth], known); near != "" {
		r.fail(e.Line, "%s %q: did you mean %s?", what, e.Path[depth], near)
		return
	}
	r.fail(e.Line, "%s %q: choose from %s", what, e.Path[depth], strings.Join(known, ", "))
}

// isBroken reports whether the entry lies below a path already refused.
func (r *reader) isBroken(e *tomldoc.Entry) bool {
	for i := range e.Path {
		if r.broken[strings.Join(e.Path[:i+1], ".")] {
			return true
		}
	}
	return false
}

// base finds the book that the file derives from, or nil.
func (r *reader) base() *rules.Book {
	e := r.file.Get("base")
	if e == nil {
		r.fail(1, `base is missing: name the book first, such as base = "rws-3cp@3"`)
		return nil
	}
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Line, `base is %s: write the book in quotes, such as base = "rws-3cp@3"`, sentence.Word(e.Value.Kind.String()))
		return nil
	}
	book, err := r.find(e.Value.Text)
	if err != nil {
		r.fail(e.Line, "base: %s", err)
		return nil
	}
	return book
}

var goodID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// setID takes the variant's id from the text, or else from the file's name.
func (r *reader) setID(e *tomldoc.Entry) {
	line, id := 1, ""
	if e != nil {
		line, id = e.Line, e.Value.Text
		if e.Value.Kind != tomldoc.Text {
			r.fail(line, `id is %s: write a name in quotes, such as id = "high-limit"`, sentence.Word(e.Value.Kind.String()))
			return
		}
	} else {
		id = strings.TrimSuffix(r.name[strings.LastIndexAny(r.name, `/\`)+1:], ".toml")
	}
	if !goodID.MatchString(id) {
		r.fail(line, `the id %q is no name: write up to 64 letters, digits, dots, underscores and hyphens, such as id = "high-limit"`, id)
		return
	}
	if book, err := r.find(id); err == nil {
		r.fail(line, "the id %q is the name of a book (%s): give the variant one of its own", id, book.Ref())
		return
	}
	r.v.ID = id
}

// lineOf returns the line to which a fault of the field belongs: the key itself,
// else one below it, else what the field depends on, else the base.
func (r *reader) lineOf(field string) int {
	related := []string{field}
	section, _, _ := strings.Cut(field, ".")
	for path := field; strings.Contains(path, "."); {
		path = path[:strings.LastIndex(path, ".")]
		related = append(related, path)
		if path == section {
			break
		}
	}
	switch {
	case section == "limits":
		related = slices.Insert(related, len(related)-1, "chips")
	case field == "progressive.ceiling":
		related = slices.Insert(related, 1, "progressive.reset")
	}
	if section == "progressive" {
		related = append(related, "pays.progressive", "rulings.jackpot_stake", "chips")
	}
	for _, path := range append(related, "base") {
		if line := r.file.Line(path); line > 0 {
			return line
		}
	}
	return 1
}
