package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// text is JSON that is read in one pass, from the front, and of which only the requested
// fields are kept. A player receives all events of the table, in dozens of fields of
// which few are needed: encoding/json takes many times as long for them all, and the
// house has to wait for the processor meanwhile.
//
// An object is read so, and an array in the same way without names:
//
//	for t.open('{'); t.more('}'); {
//		switch string(t.name()) {
//		case "round":
//			round = t.number()
//		default:
//			t.skip()
//		}
//	}
//
// What cannot be read leaves an error and ends every loop. Null is nothing of
// whatever is asked for. What is passed over is held to the ends of its strings and
// brackets only.
type text struct {
	source      []byte
	at          int
	first, none bool // what was opened has had no element yet, or is null
	err         error
}

// finish returns what was wrong, or that something follows what was read.
func (t *text) finish() error {
	if t.err == nil && t.next() != 0 {
		t.fail("the end")
	}
	return t.err
}

// open begins an object or an array.
func (t *text) open(bracket byte) {
	if t.none = t.null(); !t.none {
		t.take(bracket)
		t.first = true
	}
}

// more reports whether another element comes before the bracket that ends them.
func (t *text) more(end byte) bool {
	switch c := t.next(); {
	case t.none || t.err != nil:
		t.none = false
		return false
	case c == end:
		t.at++
		t.first = false
		return false
	case !t.first:
		t.take(',')
	}
	t.first = false
	return t.err == nil
}

// name reads the name of a field, as it is written.
func (t *text) name() []byte {
	value := t.quoted()
	t.take(':')
	return value
}

// word reads a string. It may lie in the text itself.
func (t *text) word() []byte {
	if t.null() {
		return nil
	}
	value := t.quoted()
	if bytes.IndexByte(value, '\\') < 0 {
		return value
	}
	var clear string
	if err := json.Unmarshal(t.source[t.at-len(value)-2:t.at], &clear); err != nil {
		t.fail("a string")
	}
	return []byte(clear)
}

// number reads a whole number.
func (t *text) number() int64 {
	if t.null() {
		return 0
	}
	n, err := strconv.ParseInt(string(t.plain()), 10, 64)
	if err != nil {
		t.fail("a whole number")
	}
	return n
}

func (t *text) null() bool {
	return t.next() == 'n' && string(t.plain()) == "null"
}

// skip passes a value over.
func (t *text) skip() {
	depth := 0
	for t.err == nil {
		switch t.next() {
		case '"':
			t.quoted()
		case '{', '[':
			depth++
			t.at++
		case '}', ']':
			depth--
			t.at++
		case ',', ':':
			if depth == 0 {
				t.fail("a value")
			}
			t.at++
		default:
			if len(t.plain()) == 0 {
				t.fail("a value")
			}
		}
		if depth == 0 {
			return
		}
		if depth < 0 {
			t.fail("a value")
		}
	}
}

// quoted reads a string as it is written, without its quotation marks.
func (t *text) quoted() []byte {
	t.take('"')
	from := t.at
	for t.err == nil {
		n := bytes.IndexByte(t.source[t.at:], '"')
		if n < 0 {
			t.fail("the end of a string")
			break
		}
		t.at += n + 1
		value, escapes := t.source[from:t.at-1], 0
		for escapes < len(value) && value[len(value)-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return value
		}
	}
	return nil
}

// plain reads a number, true, false or null as it is written.
func (t *text) plain() []byte {
	t.next()
	for from := t.at; ; t.at++ {
		if t.at == len(t.source) {
			return t.source[from:]
		}
		switch c := t.source[t.at]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
		default:
			return t.source[from:t.at]
		}
	}
}

// take passes a character over that has to come next.
func (t *text) take(c byte) {
	if t.next() != c || t.err != nil {
		t.fail(string(rune(c)))
		return
	}
	t.at++
}

// next returns the character that comes next, white space left out; zero at the end.
func (t *text) next() byte {
	for ; t.at < len(t.source); t.at++ {
		switch c := t.source[t.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (t *text) fail(wanted string) {
	if t.err == nil {
		t.err = fmt.Errorf("%s is missing at character %d of what the house says", wanted, t.at+1)
	}
}
