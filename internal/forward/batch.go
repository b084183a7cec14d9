// Package forward sends the register of significant events to another machine: in
// signed batches that follow one another without a gap, over HTTPS or syslog. It also
// checks what the other machine has stored.
//
// The house never waits for the other machine. What is sent is durable and covered by a
// signed checkpoint.
package forward

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trey/internal/notary"
	"trey/internal/tree"
)

// purpose is for what batches are signed.
const purpose = "significant"

// Batch is every entry of the register that follows from the transactions of a range.
type Batch struct {
	// Tree is the name of the house's tree.
	Tree string
	// From and Through are the first and the last transaction.
	From, Through int64
	// Head is the tree of the checkpoint that covers the transactions.
	Head tree.Head
	// Lines are the entries, each an object of JSON without a line feed.
	Lines []string
	// Note is the signed note, as it is sent.
	Note []byte
}

// sign writes a batch and has it signed.
func (b *Batch) sign(n *notary.Notary) (err error) {
	var text strings.Builder
	fmt.Fprintf(&text, "transactions %d %d\ncheckpoint %d %s\n", b.From, b.Through, b.Head.Size, b.Head.Root)
	for _, line := range b.Lines {
		text.WriteString(line)
		text.WriteByte('\n')
	}
	b.Note, err = n.SignStatement(purpose, text.String())
	return err
}

// parse reads a batch that one of the keys signed. It is not yet held against others.
func parse(text []byte, keys []string) (*Batch, error) {
	name, lines, err := notary.ReadStatement(text, purpose, keys...)
	if err != nil {
		return nil, err
	}
	b := &Batch{Tree: name, Note: text}
	all := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if len(all) < 2 {
		return nil, errors.New("it has no transactions and no checkpoint")
	}
	if b.From, b.Through, err = parseRange(all[0]); err != nil {
		return nil, err
	}
	if b.Head, err = parseCheckpoint(all[1]); err != nil {
		return nil, err
	}
	if b.Through >= b.Head.Size {
		return nil, fmt.Errorf("its transactions go up to %d, and its checkpoint covers those up to %d", b.Through, b.Head.Size-1)
	}
	b.Lines = all[2:]
	var before place
	for i, line := range b.Lines {
		at, err := placeOf(line)
		if err != nil {
			return nil, fmt.Errorf("event %d of it cannot be read: %w", i+1, err)
		}
		if at.Seq < b.From || at.Seq > b.Through || !at.follows(before) {
			return nil, fmt.Errorf("event %d of it is entry %d of transaction %d, which has no place there", i+1, at.Index, at.Seq)
		}
		before = at
	}
	return b, nil
}

// place names an entry of the register: the transaction, and the place in it.
type place struct {
	Seq   int64 `json:"seq"`
	Index int   `json:"index"`
}

// placeOf reads which entry a line is. The rest of it may be of a later version.
func placeOf(line string) (at place, err error) {
	err = json.Unmarshal([]byte(line), &at)
	return at, err
}

// follows reports whether an entry may stand after another one: no place is left out.
func (p place) follows(before place) bool {
	if p.Seq == before.Seq {
		return p.Index == before.Index+1
	}
	return p.Seq > before.Seq && p.Index == 0
}

func parseRange(line string) (from, through int64, err error) {
	fields := strings.Split(line, " ")
	if len(fields) == 3 && fields[0] == "transactions" {
		from, through = number(fields[1]), number(fields[2])
	}
	if from < 1 || through < from {
		return 0, 0, fmt.Errorf("%.80q names no transactions", line)
	}
	return from, through, nil
}

func parseCheckpoint(line string) (head tree.Head, err error) {
	if fields := strings.Split(line, " "); len(fields) == 3 && fields[0] == "checkpoint" {
		head, err = tree.ParseCheckpoint("tree\n" + fields[1] + "\n" + fields[2] + "\n")
		if err == nil {
			return head, nil
		}
	}
	return head, fmt.Errorf("%.80q names no checkpoint", line)
}

// number reads a number in the one way in which it is written; -1 is none.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return -1
	}
	return n
}
