package roundlog

import (
	"errors"
	"io"

	"trey/internal/record"
	"trey/rules"
	"trey/table"
)

// Writer writes a log as a table goes on. What was appended is written at once,
// a command and its events in one call of the underlying Write, so that a crash
// loses no more than a command that nobody was told of.
//
// A Writer is not for several goroutines at a time.
type Writer struct {
	w             io.Writer
	hash          string
	lines         int
	commands, seq int
	err           error
	closed        bool
}

// NewWriter begins a log of a table that plays by the variant and is equipped so.
// Software names the program and its version.
func NewWriter(w io.Writer, v *rules.Variant, c table.Config, software string) (*Writer, error) {
	l := &Writer{w: w}
	err := l.write(Header{
		Type: typeHeader, Version: Version, Book: v.Book.Ref(), Variant: v.ID, RulesHash: v.Hash(),
		Declaration: string(v.Book.Declaration()), Terms: string(v.Terms()), Config: c, Software: software,
	})
	return l, err
}

// Append writes a command that the engine accepted and the events it returned.
// After an error the log takes nothing more: it would have a hole.
func (l *Writer) Append(c table.Command, events []table.Event) error {
	if l.closed {
		return errors.New("the round log is closed")
	}
	do, err := record.Actions.Write(c.Do)
	if err != nil {
		return l.fail(err)
	}
	lines := make([]any, 0, 1+len(events))
	lines = append(lines, commandLine{
		Type: typeCommand, Seq: l.commands + 1, AtMs: c.AtMs, By: c.By, Kind: do.Kind, Body: do.Body,
	})
	for i, e := range events {
		written, err := record.TableEvents.Write(e)
		if err != nil {
			return l.fail(err)
		}
		lines = append(lines, eventLine{Type: typeEvent, Seq: l.seq + 1 + i, Kind: written.Kind, Body: written.Body})
	}
	if err := l.write(lines...); err != nil {
		return err
	}
	l.commands++
	l.seq += len(events)
	return nil
}

// Close writes the closing line, without which a log counts as cut. It does not
// close what it writes to.
func (l *Writer) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	return l.write(endLine{Type: typeEnd, Lines: l.lines})
}

// Hash returns the hash of the last line written: who keeps it can tell later
// that the log up to there is the same.
func (l *Writer) Hash() string { return l.hash }

func (l *Writer) write(lines ...any) error {
	if l.err != nil {
		return l.err
	}
	var text []byte
	hash := l.hash
	for _, v := range lines {
		var err error
		if text, hash, err = seal(text, hash, v); err != nil {
			return l.fail(err)
		}
	}
	if _, err := l.w.Write(text); err != nil {
		return l.fail(err)
	}
	l.hash = hash
	l.lines += len(lines)
	return nil
}

func (l *Writer) fail(err error) error {
	l.err = err
	return err
}
