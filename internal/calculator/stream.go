package calculator

import (
	"bytes"
	"fmt"
	"io"
)

// MaxLine is the longest line that is read, in bytes without its end. A longer
// one is a bad line, and reading goes on with the next.
const MaxLine = 1 << 20

const (
	leastRead = 64 << 10  // what a read has room for at least
	mostHeld  = 256 << 10 // answers are written when there are that many bytes
)

// Tally counts the lines of a stream.
type Tally struct {
	// Lines is how many lines there were, Bad how many of them were answered
	// with an error.
	Lines, Bad int
}

// Stream answers every line of r on w, in order, one for one; an empty line
// too, so that whoever waits for answers can count them. Answers are held back
// only as long as there is more to read at once: before it waits for input it
// has written everything, so a person at a terminal is answered line by line.
//
// The error is of reading or writing; bad lines are counted and are none.
func (c *Calculator) Stream(r io.Reader, w io.Writer) (Tally, error) {
	st := stream{c: c, w: w, in: make([]byte, MaxLine+leastRead), out: make([]byte, 0, 2*mostHeld)}
	for empty := 0; ; {
		if err := st.flush(); err != nil {
			return st.tally, err
		}
		st.makeRoom()
		n, err := r.Read(st.in[st.end:])
		st.end += n
		if werr := st.answer(); werr != nil {
			return st.tally, werr
		}
		switch {
		case err == io.EOF:
			st.last()
			return st.tally, st.flush()
		case err != nil:
			_ = st.flush() // what was read is answered; the error of reading counts
			return st.tally, fmt.Errorf("reading after line %d: %w", st.tally.Lines, err)
		case n > 0:
			empty = 0
		default:
			if empty++; empty == 100 {
				return st.tally, fmt.Errorf("reading after line %d: %w", st.tally.Lines, io.ErrNoProgress)
			}
		}
	}
}

// stream is where a calculator stands in its input: in[start:end] is read and
// not answered, and has no line end before in[searched].
type stream struct {
	c                    *Calculator
	w                    io.Writer
	in                   []byte
	start, searched, end int
	tooLong              bool // the line at hand was answered as too long
	out                  []byte
	tally                Tally
}

var byteOrderMark = []byte("\uFEFF")

// answer answers every line that is complete.
func (st *stream) answer() error {
	for {
		i := bytes.IndexByte(st.in[st.searched:st.end], '\n')
		if i < 0 {
			st.searched = st.end
			break
		}
		line := st.in[st.start : st.searched+i]
		st.start = st.searched + i + 1
		st.searched = st.start
		st.line(line)
		if len(st.out) >= mostHeld {
			if err := st.flush(); err != nil {
				return err
			}
		}
	}
	if st.end-st.start > MaxLine && !st.tooLong {
		st.refuse()
		st.tooLong = true
	}
	if st.tooLong { // the rest of it is of no interest
		st.start = st.end
	}
	return nil
}

// line answers one complete line.
func (st *stream) line(line []byte) {
	if st.tooLong {
		st.tooLong = false
		return
	}
	if len(line) > MaxLine {
		st.refuse()
		return
	}
	st.tally.Lines++
	if st.tally.Lines == 1 {
		// Some programs put this mark before the text they write.
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	var good bool
	if st.out, good = st.c.AppendLine(st.out, line, st.tally.Lines); !good {
		st.tally.Bad++
	}
}

// refuse answers a line that is too long.
func (st *stream) refuse() {
	st.tally.Lines++
	st.tally.Bad++
	st.out = appendError(st.out, nil, fmt.Sprintf("the line is longer than %d bytes", MaxLine), st.tally.Lines)
}

// last answers a line that ends with the input and not with a newline.
func (st *stream) last() {
	if st.end > st.start {
		st.line(st.in[st.start:st.end])
	}
}

// makeRoom moves what is not answered to the front where a read would have too
// little room. As that is at most MaxLine, there is always enough.
func (st *stream) makeRoom() {
	if len(st.in)-st.end >= leastRead && st.start != st.end {
		return
	}
	n := copy(st.in, st.in[st.start:st.end])
	st.searched -= st.start
	st.start, st.end = 0, n
}

func (st *stream) flush() error {
	if len(st.out) == 0 {
		return nil
	}
	_, err := st.w.Write(st.out)
	st.out = st.out[:0]
	return err
}
