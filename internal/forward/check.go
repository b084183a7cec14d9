package forward

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"trey/internal/tree"
)

// Finding is something that is wrong with a stored stream.
type Finding struct {
	File string
	Line int
	Text string
}

// String returns the place and what is wrong there, as compilers do.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Stream is the content of a stored stream of one house.
type Stream struct {
	// Tree is the name of the house's tree.
	Tree string
	// From and Through are the first and the last transaction, Head is the last tree that
	// was signed.
	From, Through int64
	Head          tree.Head
	// Batches are how many were stored, and Events how many there are, each counted once.
	Batches, Events int
}

// Checker holds what another machine has stored against the keys of houses. Files are
// given in the order in which they were stored.
type Checker struct {
	keys     []string
	after    int64
	streams  []*stream
	findings []Finding
}

type stream struct {
	Stream
	// events are those of each transaction that has any, and seqs these transactions in order.
	events map[int64]content
	seqs   []int64
	// gaps are transactions of which nothing was seen when it was their turn.
	gaps []span
	// roots are those of the checkpoints, by their sizes.
	roots map[int64]tree.Hash
}

// content describes the events of a transaction: the hash of their lines, and their number.
type content struct {
	hash  [sha256.Size]byte
	count int
}

type span struct{ from, through int64 }

// NewChecker returns a checker of streams that begin after a transaction: after 0 for
// whole ones. A key is the line that a house shows at /log/key.
func NewChecker(after int64, keys ...string) *Checker { return &Checker{keys: keys, after: after} }

// maxLine bounds a line of a stored stream.
const maxLine = 1 << 20

// Read checks the next file. It returns an error where the file cannot be read; what is
// wrong with what it holds is a finding.
func (c *Checker) Read(name string, file io.Reader) error {
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	var text []string // of the batch that is being read
	var signed bool   // whether its signatures have begun
	var begin, at int // lines of the file
	end := func() {
		if len(text) > 0 {
			c.batch(name, begin, text)
		}
		text, signed = nil, false
	}
	for lines.Scan() {
		at++
		line := strings.TrimSuffix(lines.Text(), "\r")
		signature := strings.HasPrefix(line, "\u2014 ")
		switch {
		case line == "":
			continue // the one before the signatures; syslog leaves it out
		case signed && !signature:
			end()
		}
		if text == nil {
			begin = at
		}
		text, signed = append(text, line), signature
	}
	end()
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s, line %d: it is longer than %d bytes, and no line of a batch is", name, at+1, maxLine)
	} else if err != nil {
		return fmt.Errorf("%s, line %d: %w", name, at+1, err)
	}
	return nil
}

func (c *Checker) fail(file string, line int, format string, args ...any) {
	c.findings = append(c.findings, Finding{file, line, fmt.Sprintf(format, args...)})
}

// batch checks the lines of a batch, which begins at a line of a file.
func (c *Checker) batch(file string, at int, lines []string) {
	var text strings.Builder
	signed := false
	for _, line := range lines {
		if !signed && strings.HasPrefix(line, "\u2014 ") {
			signed = true
			text.WriteByte('\n')
		}
		text.WriteString(line)
		text.WriteByte('\n')
	}
	b, err := parse([]byte(text.String()), c.keys)
	if err != nil {
		c.fail(file, at, "this batch does not hold: %v", err)
		return
	}
	s := c.of(b.Tree)
	if root, ok := s.roots[b.Head.Size]; ok && root != b.Head.Root {
		c.fail(file, at, "the house has signed two trees of %d leaves: the root is %s here and %s before", b.Head.Size, b.Head.Root, root)
	}
	s.roots[b.Head.Size] = b.Head.Root
	if b.From > s.Through+1 {
		c.fail(file, at, "the events of transactions %d to %d are missing before this batch", s.Through+1, b.From-1)
		s.gaps = append(s.gaps, span{s.Through + 1, b.From - 1})
	}
	sent := b.byTransaction()
	// What was sent before is sent alike.
	for _, seq := range s.known(b.From, min(b.Through, s.Through)) {
		if sent[seq] != s.events[seq] {
			c.fail(file, at, "the events of transaction %d are not those that were sent before", seq)
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(sent)) {
		if _, known := s.events[seq]; known {
			continue
		}
		if seq <= s.Through && !slices.ContainsFunc(s.gaps, func(g span) bool { return g.from <= seq && seq <= g.through }) {
			c.fail(file, at, "the events of transaction %d were left out when it was sent before", seq)
		}
		i, _ := slices.BinarySearch(s.seqs, seq)
		s.seqs = slices.Insert(s.seqs, i, seq)
		s.events[seq] = sent[seq]
		s.Events += sent[seq].count
	}
	s.Batches++
	if b.Through > s.Through {
		s.Through = b.Through
	}
	if b.Head.Size > s.Head.Size {
		s.Head = b.Head
	}
}

// of returns what is known of the stream of a tree.
func (c *Checker) of(name string) *stream {
	for _, s := range c.streams {
		if s.Tree == name {
			return s
		}
	}
	s := &stream{Stream: Stream{Tree: name, From: c.after + 1, Through: c.after}, events: map[int64]content{}, roots: map[int64]tree.Hash{}}
	if c.after > 0 {
		s.gaps = []span{{1, c.after}} // not looked for
	}
	c.streams = append(c.streams, s)
	return s
}

// known lists the transactions of a range of which events have been seen.
func (s *stream) known(from, through int64) []int64 {
	begin, _ := slices.BinarySearch(s.seqs, from)
	end, _ := slices.BinarySearch(s.seqs, through+1)
	return slices.Clone(s.seqs[begin:max(begin, end)])
}

// byTransaction returns what a batch says of each transaction that has events.
func (b *Batch) byTransaction() map[int64]content {
	lines := map[int64][]string{}
	for _, line := range b.Lines {
		at, _ := placeOf(line) // parse has read it
		lines[at.Seq] = append(lines[at.Seq], line)
	}
	all := map[int64]content{}
	for seq, of := range lines {
		all[seq] = content{sha256.Sum256([]byte(strings.Join(of, "\n"))), len(of)}
	}
	return all
}

// Findings returns what is wrong with what was read.
func (c *Checker) Findings() []Finding { return c.findings }

// Streams returns what was read, for each tree.
func (c *Checker) Streams() []Stream {
	all := make([]Stream, len(c.streams))
	for i, s := range c.streams {
		all[i] = s.Stream
	}
	return all
}
