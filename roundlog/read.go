package roundlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"trey/internal/record"
	"trey/internal/stored"
	"trey/rules"
	"trey/table"
)

// maxLineBytes bounds a line; the longest real one, a header, has a few
// thousand.
const maxLineBytes = 1 << 20

// Fault is why a log is refused.
type Fault struct {
	// Line counts from 1.
	Line   int
	Reason string
}

// Error prints the line and the reason.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// Step is one command of a log and what it did.
type Step struct {
	// Line is where the command stands.
	Line    int
	Command table.Command
	Events  []table.Event
	// Before and After are the table's states around it.
	Before, After table.State
}

// Reader checks a log from its first line to its last by doing it again.
type Reader struct {
	// Header is the log's first line.
	Header Header
	// Variant is what the table plays by.
	Variant *rules.Variant

	in            *bufio.Reader
	line          int
	hash          string
	state         table.State
	commands, seq int
	count         ledger
	err           error
}

// NewReader reads the header of a log. Books are looked up with find, such as
// books.Find. The error is a [Fault], or that of the reader.
func NewReader(r io.Reader, find func(ref string) (*rules.Book, error)) (*Reader, error) {
	l := &Reader{in: bufio.NewReader(r)}
	if err := l.begin(find); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Reader) begin(find func(ref string) (*rules.Book, error)) error {
	// The version comes first: what follows may look different in another.
	raw, err := l.next()
	if errors.Is(err, io.EOF) {
		l.line++
		return l.fault("the log is empty")
	} else if err != nil {
		return err
	}
	var kind struct {
		Type    string
		Version int
	}
	if err := json.Unmarshal(raw, &kind); err != nil || kind.Type != typeHeader {
		return l.fault("it is not the header of a round log")
	}
	if kind.Version != Version {
		return l.fault("the log is of version %d; this program reads version %d", kind.Version, Version)
	}
	text, err := l.unseal(raw)
	if err != nil {
		return err
	}
	if err := decode(text, &l.Header); err != nil {
		return l.fault("%v", err)
	}
	if hash := rules.HashOf([]byte(l.Header.Terms)); hash != l.Header.RulesHash {
		return l.fault("the terms have the hash %s, the log says %s", hash, l.Header.RulesHash)
	}
	if l.Variant, err = rules.ReadRules(l.Header.Variant, []byte(l.Header.Declaration), []byte(l.Header.Terms), find); err != nil {
		return l.fault("%v", err)
	}
	if ref := l.Variant.Book.Ref(); ref != l.Header.Book {
		return l.fault("the log is of %s, its variant of %s", l.Header.Book, ref)
	}
	if l.state, err = table.New(l.Variant, l.Header.Config); err != nil {
		return l.fault("%v", err)
	}
	return nil
}

// Next returns the next command with its events, checked. At the log's end, and
// only when that is sound too, the error is io.EOF; a log that does not pass
// gives a [Fault], and nothing after it is read.
func (l *Reader) Next() (Step, error) {
	if l.err != nil {
		return Step{}, l.err
	}
	step, err := l.step()
	if err != nil {
		l.err = err
		return Step{}, err
	}
	return step, nil
}

func (l *Reader) step() (Step, error) {
	text, err := l.text()
	if err != nil {
		return Step{}, err
	}
	switch typeOf(text) {
	case typeCommand:
	case typeEnd:
		return Step{}, l.end(text)
	case typeEvent:
		return Step{}, l.fault("the event does not follow from the command before it")
	default:
		return Step{}, l.fault("it is no line of a round log")
	}
	var c commandLine
	if err := decode(text, &c); err != nil {
		return Step{}, l.fault("%v", err)
	}
	if l.commands++; c.Seq != l.commands {
		return Step{}, l.fault("command %d stands where number %d should", c.Seq, l.commands)
	}
	action, err := record.Actions.Read(stored.Event{Kind: c.Kind, Body: c.Body})
	if errors.Is(err, stored.ErrForm) {
		return Step{}, l.fault("the command %s is not written as version %d of a round log is", c.Kind, Version)
	} else if err != nil {
		return Step{}, l.fault("%v", err)
	}
	step := Step{Line: l.line, Command: table.Command{By: c.By, AtMs: c.AtMs, Do: action}, Before: l.state}
	if step.Events, step.After, err = table.Step(l.state, step.Command); err != nil {
		return Step{}, l.fault("the engine does not accept this command: %v", err)
	}
	for _, e := range step.Events {
		if err := l.compare(e); err != nil {
			return Step{}, err
		}
		if l.state, err = table.Evolve(l.state, e); err != nil {
			return Step{}, l.fault("%v", err)
		}
		if err := l.count.book(e, &l.state); err != nil {
			return Step{}, l.fault("%v", err)
		}
	}
	l.state = step.After
	return step, nil
}

// compare holds the next line to an event that the engine gives.
func (l *Reader) compare(e table.Event) error {
	text, err := l.text()
	if err != nil {
		return err
	}
	want, err := record.TableEvents.Write(e)
	if err != nil {
		return l.fault("%v", err)
	}
	var got eventLine
	if typeOf(text) != typeEvent {
		return l.fault("here the event %s follows from the command, and the log has none", want.Kind)
	}
	if err := decode(text, &got); err != nil {
		return l.fault("%v", err)
	}
	if l.seq++; got.Seq != l.seq {
		return l.fault("event %d stands where number %d should", got.Seq, l.seq)
	}
	if got.Kind != want.Kind {
		return l.fault("the event that follows is %s, the log has %s", want.Kind, got.Kind)
	}
	if !bytes.Equal(got.Body, want.Body) {
		from := difference(want.Body, got.Body)
		return l.fault("the event %s goes on %s, the log has %s", got.Kind, excerpt(want.Body, from), excerpt(got.Body, from))
	}
	return nil
}

// end checks the closing line and that nothing follows it.
func (l *Reader) end(text []byte) error {
	var end endLine
	if err := decode(text, &end); err != nil {
		return l.fault("%v", err)
	}
	if end.Lines != l.line-1 {
		return l.fault("the closing line counts %d lines before it, there are %d", end.Lines, l.line-1)
	}
	if _, err := l.next(); err == nil {
		return l.fault("there is something after the closing line")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return io.EOF
}

// Hash returns the hash of the last line read.
func (l *Reader) Hash() string { return l.hash }

// Lines returns how many lines have been read.
func (l *Reader) Lines() int { return l.line }

// Rounds returns what the rounds read so far came to.
func (l *Reader) Rounds() []Round { return l.count.summary() }

// text returns the next line, unsealed.
func (l *Reader) text() ([]byte, error) {
	raw, err := l.next()
	if errors.Is(err, io.EOF) {
		l.line++
		return nil, l.fault("the log has no closing line: it was cut, or is still being written")
	} else if err != nil {
		return nil, err
	}
	return l.unseal(raw)
}

func (l *Reader) unseal(raw []byte) ([]byte, error) {
	text, hash, err := open(l.hash, raw)
	if err != nil {
		return nil, l.fault("%v", err)
	}
	l.hash = hash
	return text, nil
}

// next returns the next line without its newline, or io.EOF where there is none.
func (l *Reader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLineBytes:
			continue
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		}
		l.line++
		switch {
		case len(line) > maxLineBytes:
			return nil, l.fault("it is longer than %d bytes", maxLineBytes)
		case errors.Is(err, io.EOF):
			return nil, l.fault("it has no end: the log was cut, or is still being written")
		case err != nil:
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

func (l *Reader) fault(format string, args ...any) error {
	return &Fault{Line: l.line, Reason: fmt.Sprintf(format, args...)}
}

func typeOf(text []byte) string {
	var line struct{ Type string }
	if json.Unmarshal(text, &line) != nil {
		return ""
	}
	return line.Type
}

// difference is where two texts that are not the same begin to differ.
func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// excerpt shows a text around a place.
func excerpt(text []byte, at int) string {
	return fmt.Sprintf("%q", text[max(0, at-30):min(len(text), at+30)])
}
