// Package tomldoc reads TOML documents that people write by hand: every key with its
// place in the text, every value with its kind, and every breach of TOML that can be
// reported at once. Its callers know what keys mean and report what is wrong with them,
// at the place where they stand.
//
// It will never open a file, and it decodes into nothing.
package tomldoc

import (
	"bytes"
	"errors"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// The parser that has the positions is of a package that promises no stability, so
// the version is pinned and nothing of it leaves this file.

// Kind is the kind of a value.
type Kind uint8

// The kinds. The zero value is none of them.
const (
	_ Kind = iota
	Text
	Whole
	Truth
	List
	Table   // what it holds are entries of their own
	Foreign // what TOML has beside these
)

// String returns the kind as messages name it.
func (k Kind) String() string {
	switch k {
	case Text:
		return "a text"
	case Whole:
		return "a number"
	case Truth:
		return "true or false"
	case List:
		return "a list"
	case Table:
		return "a table"
	case Foreign:
	}
	return "a number with decimals, a date or a time"
}

// Pos is a place in a text: the line and the column in characters, both from 1.
type Pos struct{ Line, Column int }

// Value is the value of a key.
type Value struct {
	// Pos is where the value stands, or its key where the parser does not say.
	Pos
	Kind Kind
	// Text is the text itself, or a number or truth as written.
	Text string
	List []Value
}

// Entry is a key with its full path.
type Entry struct {
	Path []string
	// Pos is where the last part of the key stands.
	Pos
	Value Value
}

// Mistake is a breach of TOML itself.
type Mistake struct {
	Pos
	Reason string
}

// Document is a document with its inline tables laid open.
type Document struct {
	Entries  []Entry
	Mistakes []Mistake
	text     []byte
	newlines []int
	// last is the place that was asked for last, and where it is in the text.
	last       Pos
	lastOffset int
}

// Scan reads a document. If the syntax breaks, Scan still reads what stands before, so
// that those mistakes can be reported too.
func Scan(doc []byte) *Document {
	d := &Document{}
	doc = bytes.TrimPrefix(doc, []byte("\ufeff")) // some editors put it there
	d.text = doc
	for i, b := range doc {
		if b == '\n' {
			d.newlines = append(d.newlines, i)
		}
	}
	// The parser is not given what it could not bear, but all that stands before.
	if line, offset, reason := beyondBounds(doc); reason != "" {
		d.mistake(d.at(offset), reason)
		doc = doc[:line]
	}
	d.text = doc
	d.last = Pos{}
	var p unstable.Parser
	p.Reset(doc)
	var at []string
	seen := map[string]int{}
	pos := Pos{1, 1}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			at, pos = d.key(nil, e.Key(), pos)
			name := strings.Join(at, ".")
			if e.Kind == unstable.ArrayTable {
				d.mistake(pos, "[["+name+"]] is a list of tables: write ["+name+"]")
			} else if first, ok := seen["["+strings.Join(at, "\x00")]; ok {
				d.twice(pos, "["+name+"]", first)
			}
			seen["["+strings.Join(at, "\x00")] = pos.Line
			d.Entries = append(d.Entries, Entry{Path: at, Pos: pos, Value: Value{Pos: pos, Kind: Table}})
		case unstable.KeyValue:
			pos = d.add(at, e, pos, seen)
		default:
		}
	}
	d.unparsable(p.Error())
	// The decoder finds what the parser alone does not, such as a table that is
	// also a text. It stops at the first; the ones found here come with it.
	var whatever map[string]any
	if err := toml.Unmarshal(doc, &whatever); err != nil {
		d.undecodable(err)
	}
	return d
}

// unparsable records where the syntax breaks.
func (d *Document) unparsable(err error) {
	var syntax *unstable.ParserError
	if !errors.As(err, &syntax) {
		return
	}
	// What the parser points at is a part of the document, whose end it shares.
	offset := min(max(cap(d.text)-cap(syntax.Highlight), 0), len(d.text))
	d.mistake(d.at(offset), "this is not TOML: "+syntax.Message)
}

// undecodable records the decoder's complaint, unless its line has one already.
func (d *Document) undecodable(err error) {
	pos := Pos{1, 1}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		pos = Pos{max(line, 1), max(column, 1)}
	}
	for _, m := range d.Mistakes {
		if m.Line == pos.Line {
			return
		}
	}
	d.mistake(pos, "this is not TOML: "+strings.TrimPrefix(err.Error(), "toml: "))
}

func (d *Document) mistake(at Pos, reason string) {
	d.Mistakes = append(d.Mistakes, Mistake{at, reason})
}

func (d *Document) twice(at Pos, name string, first int) {
	d.mistake(at, name+" stands twice: it was given in line "+strconv.Itoa(first)+" already; remove one of the two")
}

// key returns the path of a key below another, and where its last part stands; the
// place before stands in where the parser gives none.
func (d *Document) key(under []string, it unstable.Iterator, pos Pos) ([]string, Pos) {
	path := append([]string{}, under...)
	for it.Next() {
		n := it.Node()
		path = append(path, string(bytes.ToValidUTF8(n.Data, []byte("?"))))
		pos = d.place(n, pos)
	}
	return path, pos
}

// add records a key with its value, and what an inline table holds.
func (d *Document) add(under []string, e *unstable.Node, pos Pos, seen map[string]int) Pos {
	path, pos := d.key(under, e.Key(), pos)
	id := strings.Join(path, "\x00")
	if first, ok := seen[id]; ok {
		d.twice(pos, strings.Join(path, "."), first)
		return pos
	}
	seen[id] = pos.Line
	v := e.Value()
	d.Entries = append(d.Entries, Entry{Path: path, Pos: pos, Value: d.value(v, pos)})
	if v.Kind != unstable.InlineTable {
		return pos
	}
	for it := v.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.KeyValue {
			d.add(path, n, pos, seen)
		}
	}
	return pos
}

func (d *Document) value(n *unstable.Node, pos Pos) Value {
	v := Value{Pos: d.place(n, pos), Kind: Foreign}
	switch n.Kind {
	case unstable.String:
		v.Kind, v.Text = Text, string(n.Data)
	case unstable.Integer:
		v.Kind, v.Text = Whole, string(n.Data)
	case unstable.Bool:
		v.Kind, v.Text = Truth, string(n.Data)
	case unstable.InlineTable:
		v.Kind = Table
	case unstable.Array:
		v.Kind = List
		for it := n.Children(); it.Next(); {
			if child := it.Node(); child.Kind != unstable.Comment {
				v.List = append(v.List, d.value(child, v.Pos))
			}
		}
	default:
		v.Text = string(n.Data)
	}
	return v
}

// place returns where a node stands; the place given, if the parser does not say.
func (d *Document) place(n *unstable.Node, otherwise Pos) Pos {
	if n.Raw.Length == 0 {
		return otherwise
	}
	return d.at(int(n.Raw.Offset))
}

// at returns the place of an offset.
func (d *Document) at(offset int) Pos {
	line := sort.SearchInts(d.newlines, offset)
	start := 0
	if line > 0 {
		start = d.newlines[line-1] + 1
	}
	// Places are asked for mostly in order, and a line may be as long as the document:
	// the characters before the last place are not counted again.
	column := 1
	if d.last.Line == 1+line && d.lastOffset <= offset {
		start, column = d.lastOffset, d.last.Column
	}
	d.last, d.lastOffset = Pos{1 + line, column + utf8.RuneCount(d.text[start:offset])}, offset
	return d.last
}

// Get returns the entry of that path, such as "limits.ante", or nil.
func (d *Document) Get(path string) *Entry {
	for i := range d.Entries {
		if e := &d.Entries[i]; strings.Join(e.Path, ".") == path {
			return e
		}
	}
	return nil
}

// Find returns the entry of a key, or of the first key below it, or of the table's
// head, in this order; nil if there is none of them.
func (d *Document) Find(path string) *Entry {
	var below, head *Entry
	for i := range d.Entries {
		e := &d.Entries[i]
		name := strings.Join(e.Path, ".")
		switch {
		case name == path && e.Value.Kind != Table:
			return e
		case name == path && head == nil:
			head = e
		case strings.HasPrefix(name, path+".") && below == nil && e.Value.Kind != Table:
			below = e
		}
	}
	if below != nil {
		return below
	}
	return head
}

// Line returns the line of what Find finds, 0 for nothing.
func (d *Document) Line(path string) int {
	if e := d.Find(path); e != nil {
		return e.Line
	}
	return 0
}
