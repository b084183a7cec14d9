package house

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/tree"
)

// Line is the recorded form of a transaction: the bytes that a store keeps and that the leaf of
// the transaction commits to. Its number, its time and its salt stand beside it. As text it is
// a line of JSON, which [Line.Append] writes and [ReadLine] reads.
type Line struct {
	// Cause is the cause as [AppendCause] writes it.
	Cause json.RawMessage `json:"cause"`
	// Key is the idempotency key, empty for none. Input is the hash of what came with it
	// [InputOf], empty where that is the cause.
	Key   string `json:"key,omitempty"`
	Input string `json:"input,omitempty"`
	// Postings are the postings as [ledger.AppendJSON] writes them.
	Postings json.RawMessage `json:"postings,omitempty"`
	Parts    []LinePart      `json:"parts,omitempty"`
	// Withheld reports that the cause is not shown to whoever reads the line.
	Withheld bool `json:"-"`
}

// LinePart is the appended part of one stream, without its snapshot.
type LinePart struct {
	Stream string `json:"stream"`
	After  int64  `json:"after,omitempty"`
	Round  int    `json:"round,omitempty"`
	// Events are the events as [AppendEvents] writes them.
	Events json.RawMessage `json:"events,omitempty"`
	// Record is the hash of the record of a round, and OfRound its number: see
	// [StreamAppend.Record].
	Record  string `json:"record,omitempty"`
	OfRound int    `json:"of_round,omitempty"`
	// Withheld reports that the events are not shown to whoever reads the line.
	Withheld bool `json:"-"`
}

// none is a list of nothing: a line leaves it out.
const none = "[]"

var errRecords = errors.New("a transaction commits to the record of one round, by its hash and its number")

// NewLine writes a transaction down. It fails if an event has no body, if there are
// more than [MaxParts] parts, or if it commits to the records of two rounds.
func NewLine(tx *Transaction) (Line, error) {
	if len(tx.Parts) > MaxParts {
		return Line{}, fmt.Errorf("a transaction over %d streams: %d are possible", len(tx.Parts), MaxParts)
	}
	l := Line{Cause: AppendCause(nil, &tx.Cause), Key: tx.Key, Parts: make([]LinePart, len(tx.Parts))}
	var err error
	if tx.Key != "" && tx.Came != nil {
		if l.Input, err = otherInput(tx.Came, &tx.Cause); err != nil {
			return Line{}, err
		}
	}
	if l.Postings, err = ledger.AppendJSON(nil, tx.Postings); err != nil {
		return Line{}, err
	}
	for i := range tx.Parts {
		p := &tx.Parts[i]
		l.Parts[i] = LinePart{Stream: p.Stream, After: p.After, Round: p.Round, Record: p.Record, OfRound: p.OfRound}
		if l.Parts[i].Events, err = AppendEvents(nil, p.Events); err != nil {
			return Line{}, err
		}
	}
	return l, l.oneRecord()
}

// oneRecord refuses a line that commits to more than the record of one round, or to half
// of it.
func (l *Line) oneRecord() error {
	records := 0
	for i := range l.Parts {
		p := &l.Parts[i]
		if digits, err := hex.DecodeString(p.Record); p.Record == "" && p.OfRound == 0 {
			continue
		} else if err != nil || len(digits) != sha256.Size || hex.EncodeToString(digits) != p.Record || p.OfRound < 1 {
			return errRecords
		}
		records++
	}
	if records > 1 {
		return errRecords
	}
	return nil
}

// Append appends the line as text, without a line feed. Whatever holds nothing is left
// out.
func (l *Line) Append(text []byte) []byte {
	size := len(l.Cause) + len(l.Key) + len(l.Input) + len(l.Postings) + 64
	for i := range l.Parts {
		size += len(l.Parts[i].Events) + len(l.Parts[i].Stream) + 64
	}
	text = append(append(slices.Grow(text, size), `{"cause":`...), l.Cause...)
	if l.Key != "" {
		text = ledger.AppendString(append(text, `,"key":`...), l.Key)
		if l.Input != "" {
			text = ledger.AppendString(append(text, `,"input":`...), l.Input)
		}
	}
	if len(l.Postings) > 0 && string(l.Postings) != none {
		text = append(append(text, `,"postings":`...), l.Postings...)
	}
	for i := range l.Parts {
		p := &l.Parts[i]
		if i == 0 {
			text = append(text, `,"parts":[`...)
		} else {
			text = append(text, ',')
		}
		text = ledger.AppendString(append(text, `{"stream":`...), p.Stream)
		if p.After != 0 {
			text = strconv.AppendInt(append(text, `,"after":`...), p.After, 10)
		}
		if p.Round != 0 {
			text = strconv.AppendInt(append(text, `,"round":`...), int64(p.Round), 10)
		}
		if len(p.Events) > 0 && string(p.Events) != none {
			text = append(append(text, `,"events":`...), p.Events...)
		}
		if p.Record != "" {
			text = ledger.AppendString(append(text, `,"record":`...), p.Record)
		}
		if p.OfRound != 0 {
			text = strconv.AppendInt(append(text, `,"of_round":`...), int64(p.OfRound), 10)
		}
		text = append(text, '}')
	}
	if len(l.Parts) > 0 {
		text = append(text, ']')
	}
	return append(text, '}')
}

// otherInput returns the hash of what came with a key, empty where it is that of the
// cause.
func otherInput(came, cause *Cause) (string, error) {
	if came.Role == cause.Role && came.At == cause.At && came.Kind == cause.Kind && bytes.Equal(came.Body, cause.Body) {
		return "", nil
	}
	input, err := InputOf(came)
	if err != nil {
		return "", err
	}
	if of, err := InputOf(cause); err != nil || of != input {
		return input, err
	}
	return "", nil
}

// ReadLine reads what [Line.Append] wrote, and nothing that says the same in other
// bytes. An error wraps [ErrCorrupt].
func ReadLine(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return Line{}, Corrupt(err, "a transaction cannot be read")
	}
	if l.Input != "" {
		if err := l.checkInput(); err != nil {
			return Line{}, Corrupt(err, "the hash of what came with the key %.100q", l.Key)
		}
	}
	if len(l.Postings) == 0 {
		l.Postings = json.RawMessage(none)
	}
	for i := range l.Parts {
		if p := &l.Parts[i]; len(p.Events) == 0 {
			p.Events = json.RawMessage(none)
		}
	}
	if err := l.oneRecord(); err != nil {
		return Line{}, Corrupt(err, "")
	}
	if !bytes.Equal(l.Append(nil), text) {
		return Line{}, fmt.Errorf("%w: a transaction is not written as this program writes it: %.100q", ErrCorrupt, text)
	}
	return l, nil
}

// checkInput refuses a hash of what came with the key that is none, or that says what a
// line leaves out.
func (l *Line) checkInput() error {
	if !inputText.MatchString(l.Input) {
		return errInput
	}
	var cause Cause
	if err := unwrite(l.Cause, &cause); err != nil {
		return err
	}
	if of, err := InputOf(&cause); err != nil || of == l.Input {
		return errors.Join(errors.New("it is that of the cause, and is left out then"), err)
	}
	return nil
}

// Sections returns the commitments of the transaction's leaf, except the record of a round.
// They are its cause, its idempotency key, its postings, and each part. The key includes the
// hash of its input where that is not the cause. Snapshots, balances and movements follow from
// these and are in no leaf.
func (l *Line) Sections() []tree.Section {
	sections := make([]tree.Section, 0, 3+len(l.Parts))
	var key []byte
	if l.Key != "" {
		key = []byte(l.Input + "\n" + l.Key)
	}
	sections = append(sections,
		tree.Section{Name: "cause", Text: l.Cause}, tree.Section{Name: "key", Text: key}, tree.Section{Name: "postings", Text: l.Postings})
	for i := range l.Parts {
		p := &l.Parts[i]
		sections = append(sections, tree.Section{Name: "part " + p.Stream + " " + strconv.FormatInt(p.After, 10) + " " + strconv.Itoa(p.Round), Text: p.Events})
	}
	return sections
}

// Content returns what the transaction's leaf says of the line: the content of its
// sections, and where it commits to the record of a round both.
func (l *Line) Content(salt tree.Salt) tree.Hash {
	sections := l.Sections()
	content := tree.Content(tree.Commitments(salt, sections))
	for i := range l.Parts {
		if p := &l.Parts[i]; p.Record != "" {
			content = tree.Content([]tree.Hash{content, tree.Commit(tree.SectionSalt(salt, len(sections)), proof.Section(p.Stream, p.OfRound, p.Record))})
		}
	}
	return content
}

// Opening returns the values that lead from the hash of a round's record to the line's leaf:
// the salt of the record's section, and the content of all others. It reports false where the
// line commits to no record.
func (l *Line) Opening(salt tree.Salt) (proof.Opening, bool) {
	for i := range l.Parts {
		if l.Parts[i].Record != "" {
			sections := l.Sections()
			return proof.Opening{Salt: tree.SectionSalt(salt, len(sections)), Rest: tree.Content(tree.Commitments(salt, sections))}, true
		}
	}
	return proof.Opening{}, false
}

// Leaf returns the text of the transaction's leaf.
func (l *Line) Leaf(seq, atMs int64, salt tree.Salt) []byte {
	return tree.Leaf(seq, atMs, l.Content(salt))
}

// Entry returns the recorded transaction. An error wraps [ErrCorrupt].
func (l *Line) Entry(seq, atMs int64) (StoredTransaction, error) {
	e := StoredTransaction{Seq: seq, AtMs: atMs, Key: l.Key, Withheld: l.Withheld}
	if !l.Withheld {
		if err := unwrite(l.Cause, &e.Cause); err != nil {
			return StoredTransaction{}, err
		}
	}
	if string(l.Postings) != none {
		if err := unwrite(l.Postings, &e.Postings); err != nil {
			return StoredTransaction{}, err
		}
	}
	for i := range l.Parts {
		p, err := l.Parts[i].part()
		if err != nil {
			return StoredTransaction{}, err
		}
		e.Parts = append(e.Parts, p)
	}
	return e, nil
}

// Receipt returns what the transaction answers to its idempotency key. An error wraps
// [ErrCorrupt].
func (l *Line) Receipt(seq, atMs int64) (*Receipt, error) {
	r := &Receipt{Seq: seq, AtMs: atMs, Input: l.Input}
	if r.Input == "" {
		var cause Cause
		err := unwrite(l.Cause, &cause)
		if err == nil {
			r.Input, err = InputOf(&cause)
		}
		if err != nil {
			return nil, Corrupt(err, "what came with the key %q", l.Key)
		}
	}
	for i := range l.Parts {
		p, err := l.Parts[i].part()
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}

func (p *LinePart) part() (StreamAppend, error) {
	part := StreamAppend{Stream: p.Stream, After: p.After, Round: p.Round, Record: p.Record, OfRound: p.OfRound, Withheld: p.Withheld}
	if p.Withheld || string(p.Events) == none {
		return part, nil
	}
	return part, unwrite(p.Events, &part.Events)
}

// Count returns how many events the part appends. An error wraps [ErrCorrupt].
func (p *LinePart) Count() (int, error) {
	var events []json.RawMessage
	err := unwrite(p.Events, &events)
	return len(events), err
}

func unwrite(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return Corrupt(err, "")
	}
	return nil
}
