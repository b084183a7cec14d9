package scenario

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"trey/rules"
)

// MaxScript bounds a scenario file, in bytes: an incident fits on a page.
const MaxScript = 1 << 20

// Script is a scenario that was read and not yet played.
type Script struct {
	// Name is the file's name, for messages.
	Name string
	// Book is the reference of the book at the head, such as "rws-3cp@3".
	Book string
	// Clauses are those that the scenario says it proves, the one at the head
	// first.
	Clauses []string
	// What is the sentence at the head.
	What string

	lines []line
	files map[string][]byte
}

// line is one line of the script that does something.
type line struct {
	number int
	text   string   // as it stands in the file
	notes  []string // the comments before it, without their "#"
	refuse bool     // it began with "!"
	verb   string
	words  []Word
}

// Word is one word after the verb of a line: a bare one, or key=value.
type Word struct {
	Key, Value string // Key is empty for a bare word
}

// SyntaxError says where a scenario cannot be read, and why.
type SyntaxError struct {
	File string
	Line int
	Why  string
}

// Error prints the file, the line and the reason.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why) }

// head is the first line: "# rws-3cp@3 5.8.6: what happens".
var head = regexp.MustCompile(`^# (\S+) (\S+): (\S.*)$`)

// Parse reads a scenario. The error is a [*SyntaxError]. Names that mean
// something only at a table, such as books, boxes and wagers, are checked when
// the scenario is played.
func Parse(name string, text []byte) (*Script, error) {
	s := &Script{Name: name, files: make(map[string][]byte)}
	fail := func(number int, format string, args ...any) (*Script, error) {
		return nil, &SyntaxError{File: name, Line: number, Why: fmt.Sprintf(format, args...)}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put it there
	if len(text) > MaxScript {
		return fail(1, "a scenario is at most %d bytes long", MaxScript)
	}
	archive := txtar.Parse(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	for _, f := range archive.Files {
		if _, twice := s.files[f.Name]; twice {
			return fail(1, "the file %s stands twice in the archive", f.Name)
		}
		s.files[f.Name] = f.Data
	}
	var notes []string
	for i, raw := range strings.Split(string(archive.Comment), "\n") {
		number, trimmed := i+1, strings.TrimSpace(raw)
		if number == 1 {
			m := head.FindStringSubmatch(trimmed)
			if m == nil {
				return fail(1, `begin with "# BOOK CLAUSE: what happens", such as "# rws-3cp@3 5.8.6: dealt wrongly, no player has seen a card"`)
			}
			s.Book, s.Clauses, s.What = m[1], []string{m[2]}, m[3]
			continue
		}
		if comment, ok := strings.CutPrefix(trimmed, "#"); ok {
			if more, ok := strings.CutPrefix(strings.TrimSpace(comment), "proves:"); ok {
				if len(s.lines) > 0 {
					return fail(number, "what a scenario proves stands at its head, before the first command")
				}
				s.Clauses = append(s.Clauses, strings.FieldsFunc(more, func(r rune) bool { return r == ' ' || r == ',' })...)
			} else if note := strings.TrimSpace(comment); note != "" {
				notes = append(notes, note)
			}
			continue
		}
		if trimmed == "" {
			continue
		}
		l := line{number: number, text: trimmed, notes: notes}
		notes = nil
		words, err := split(trimmed)
		if err != nil {
			return fail(number, "%v", err)
		}
		if words[0] == (Word{Value: "!"}) {
			l.refuse, words = true, words[1:]
		}
		if len(words) == 0 || words[0].Key != "" {
			return fail(number, "a line begins with what is done, such as bet or want")
		}
		l.verb, l.words = words[0].Value, words[1:]
		if verbs[l.verb] == nil {
			return fail(number, "%q is nothing that can be done: %s", l.verb, meant(l.verb, "the verbs are", verbNames()))
		}
		if l.refuse && (l.verb == "want" || l.verb == "open" || l.verb == "table") {
			return fail(number, "%s is not something that is refused", l.verb)
		}
		s.lines = append(s.lines, l)
	}
	if len(s.lines) == 0 {
		return fail(1, "there is nothing to play: the script stands before the first file of the archive")
	}
	if s.lines[0].verb != "open" {
		return fail(s.lines[0].number, "a script begins with open BOOK")
	}
	return s, nil
}

// meant says which of the words somebody meant who wrote another one, or lists
// them all.
func meant(wrote, list string, words []string) string {
	if near := rules.Nearest(wrote, words); near != "" {
		return "did you mean " + near + "?"
	}
	return list + " " + strings.Join(words, ", ")
}

// split cuts a line into words at spaces. Single quotes hold spaces together,
// and two of them inside quotes are one. A word with = in it is key=value where
// what stands before the first = is a key: small letters, digits, and . _ - ~.
func split(text string) ([]Word, error) {
	var words []Word
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' {
			i++
			continue
		}
		if text[i] == '#' {
			break
		}
		var w Word
		var b strings.Builder
		quoted, keyed := false, false
	scan:
		for ; i < len(text); i++ {
			switch c := text[i]; {
			case c == '\'' && quoted && i+1 < len(text) && text[i+1] == '\'':
				b.WriteByte(c)
				i++
			case c == '\'':
				quoted = !quoted
			case quoted:
				b.WriteByte(c)
			case c == ' ' || c == '\t':
				break scan
			case c == '=' && !keyed && isKey(b.String()):
				w.Key, keyed = b.String(), true
				b.Reset()
			default:
				b.WriteByte(c)
			}
		}
		if quoted {
			return nil, fmt.Errorf("a quote is not closed")
		}
		w.Value = b.String()
		words = append(words, w)
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("the line says nothing")
	}
	return words, nil
}

func isKey(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("._-~", c) {
			return false
		}
	}
	return s != ""
}
