package variant

import (
	"bytes"
	"errors"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// This is the one file that knows the TOML library, and its parser that has the
// positions: that parser's package promises no stability, so the version is
// pinned and nothing of it leaves this file.

// kind is what a value is.
type kind uint8

const (
	_ kind = iota
	textKind
	wholeKind
	truthKind
	listKind
	tableKind // what it holds are entries of their own
	foreignKind
)

// String returns the kind as messages name it.
func (k kind) String() string {
	switch k {
	case textKind:
		return "a text"
	case wholeKind:
		return "a number"
	case truthKind:
		return "true or false"
	case listKind:
		return "a list"
	case tableKind:
		return "a table"
	case foreignKind:
	}
	return "a number with decimals, a date or a time"
}

// value is what stands behind a key.
type value struct {
	kind kind
	// text is the text itself, or a number or truth as written.
	text string
	list []value
}

// entry is a key with its full path, and its line.
type entry struct {
	path  []string
	line  int
	value value
}

// mistake is a breach of TOML itself.
type mistake struct {
	line   int
	reason string
}

// file is a document with its inline tables laid open.
type file struct {
	entries  []entry
	mistakes []mistake
	newlines []int
}

// scan reads a document. Where its syntax breaks, what stands before is read
// all the same, so that its mistakes can be told too.
func scan(doc []byte) *file {
	f := &file{}
	doc = bytes.TrimPrefix(doc, []byte("\ufeff")) // some editors put it there
	for i, b := range doc {
		if b == '\n' {
			f.newlines = append(f.newlines, i)
		}
	}
	var p unstable.Parser
	p.Reset(doc)
	var at []string
	seen := map[string]int{}
	line := 1
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			at, line = f.key(nil, e.Key(), line)
			name := strings.Join(at, ".")
			if e.Kind == unstable.ArrayTable {
				f.mistake(line, "[["+name+"]] is a list of tables: write ["+name+"]")
			} else if first, ok := seen["["+strings.Join(at, "\x00")]; ok {
				f.twice(line, "["+name+"]", first)
			}
			seen["["+strings.Join(at, "\x00")] = line
			f.entries = append(f.entries, entry{path: at, line: line, value: value{kind: tableKind}})
		case unstable.KeyValue:
			line = f.add(at, e, line, seen)
		default:
		}
	}
	// The decoder finds what the parser alone does not, such as a table that is
	// also a text. It stops at the first; the ones found here come with it.
	var whatever map[string]any
	if err := toml.Unmarshal(doc, &whatever); err != nil {
		f.undecodable(err)
	}
	return f
}

// undecodable records the decoder's complaint, unless its line has one already.
func (f *file) undecodable(err error) {
	line := 1
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ = decode.Position()
	}
	line = max(line, 1)
	for _, m := range f.mistakes {
		if m.line == line {
			return
		}
	}
	f.mistake(line, "this is not TOML: "+strings.TrimPrefix(err.Error(), "toml: "))
}

func (f *file) mistake(line int, reason string) {
	f.mistakes = append(f.mistakes, mistake{line, reason})
}

func (f *file) twice(line int, name string, first int) {
	f.mistake(line, name+" stands twice: it was given in line "+strconv.Itoa(first)+" already; remove one of the two")
}

// key returns the path of a key below another, and its line; the line before
// stands in where the parser gives none.
func (f *file) key(under []string, it unstable.Iterator, line int) ([]string, int) {
	path := append([]string{}, under...)
	for it.Next() {
		n := it.Node()
		path = append(path, string(bytes.ToValidUTF8(n.Data, []byte("?"))))
		if n.Raw.Length > 0 {
			line = f.lineAt(int(n.Raw.Offset))
		}
	}
	return path, line
}

// add records a key with its value, and what an inline table holds.
func (f *file) add(under []string, e *unstable.Node, line int, seen map[string]int) int {
	path, line := f.key(under, e.Key(), line)
	id := strings.Join(path, "\x00")
	if first, ok := seen[id]; ok {
		f.twice(line, strings.Join(path, "."), first)
		return line
	}
	seen[id] = line
	v := e.Value()
	if v.Kind != unstable.InlineTable {
		f.entries = append(f.entries, entry{path: path, line: line, value: valueOf(v)})
		return line
	}
	f.entries = append(f.entries, entry{path: path, line: line, value: value{kind: tableKind}})
	for it := v.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.KeyValue {
			f.add(path, n, line, seen)
		}
	}
	return line
}

func valueOf(n *unstable.Node) value {
	switch n.Kind {
	case unstable.String:
		return value{kind: textKind, text: string(n.Data)}
	case unstable.Integer:
		return value{kind: wholeKind, text: string(n.Data)}
	case unstable.Bool:
		return value{kind: truthKind, text: string(n.Data)}
	case unstable.InlineTable:
		return value{kind: tableKind}
	case unstable.Array:
		v := value{kind: listKind}
		for it := n.Children(); it.Next(); {
			if child := it.Node(); child.Kind != unstable.Comment {
				v.list = append(v.list, valueOf(child))
			}
		}
		return v
	default:
		return value{kind: foreignKind, text: string(n.Data)}
	}
}

// lineAt returns the line of an offset, from 1.
func (f *file) lineAt(offset int) int { return 1 + sort.SearchInts(f.newlines, offset) }

// get returns the top-level entry of that key, or nil.
func (f *file) get(key string) *entry {
	for i := range f.entries {
		if e := &f.entries[i]; len(e.path) == 1 && e.path[0] == key {
			return e
		}
	}
	return nil
}

// line returns the line of a key, of the first key below it, or of the table's
// head, in this order; 0 if there is none of them.
func (f *file) line(path string) int {
	below, head := 0, 0
	for i := range f.entries {
		e := &f.entries[i]
		name := strings.Join(e.path, ".")
		switch {
		case name == path && e.value.kind != tableKind:
			return e.line
		case name == path && head == 0:
			head = e.line
		case strings.HasPrefix(name, path+".") && below == 0 && e.value.kind != tableKind:
			below = e.line
		}
	}
	if below > 0 {
		return below
	}
	return head
}
