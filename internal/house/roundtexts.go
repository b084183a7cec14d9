package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"trey/internal/house/proof"
	"trey/jackpot"
	"trey/table"
)

// RoundTexts makes the records of all rounds once more, from the transactions of a record
// in their order, the first of them first.
type RoundTexts struct {
	rules    *recordedRules
	tables   map[string]*textOfTable
	jackpots map[string]*jackpotFold
	// ownStream and protected are followed for their snapshots alone.
	ownStream ownFold
	protected protectionFold
	// committed is the content that the last added transaction commits to.
	committed []byte
}

// textOfTable is a table as far as it was followed.
type textOfTable struct {
	fold *tableFold
	text *roundText
	// committed is the text of the round as of the last transaction, where that has to commit
	// to it.
	committed []byte
}

// NewRoundTexts returns the texts of an empty record.
func NewRoundTexts() *RoundTexts {
	return &RoundTexts{rules: newRecordedRules(nil), tables: map[string]*textOfTable{}, jackpots: map[string]*jackpotFold{}}
}

// RoundFault says that a transaction does not commit to the record of a round as it
// should.
type RoundFault struct {
	Table string
	Round int
	What  string
}

// Error names table and round.
func (f *RoundFault) Error() string {
	return fmt.Sprintf("table %s, round %d: %s", f.Table, f.Round, f.What)
}

// Add takes in the next transaction. An error is a [*RoundFault], or wraps [ErrCorrupt]
// where the transaction cannot be followed; its table is not followed further then.
func (r *RoundTexts) Add(e *StoredTransaction) error {
	r.committed = nil
	var led outcome
	var name string
	for i := range e.Parts {
		p := &e.Parts[i]
		kind, of, _ := strings.Cut(p.Stream, ":")
		switch kind {
		case houseStream:
			if err := r.house(p, e.AtMs); err != nil {
				return err
			}
		case ProtectionStream:
			if err := r.protected.add(p, e.AtMs); err != nil {
				return err
			}
		case jackpotKind:
			fold := r.jackpots[of]
			if fold == nil {
				fold = &jackpotFold{name: of}
				r.jackpots[of] = fold
			}
			was := fold.state
			if _, err := fold.add(e); err != nil {
				return err
			}
			led.was, led.meter = &was, &fold.state
		case tableKind:
			name = of
		}
	}
	if t := r.tables[name]; t != nil {
		err := t.add(e, led)
		r.committed = t.committed
		var fault *RoundFault
		if err != nil && !errors.As(err, &fault) {
			delete(r.tables, name)
		}
		return err
	}
	return nil
}

// house takes in which tables there are, and by which rules they are played.
func (r *RoundTexts) house(p *StreamAppend, atMs int64) error {
	r.ownStream.version = p.After
	for i := range p.Events {
		e, err := DecodeOwn(p.Events[i])
		if err != nil {
			return err
		}
		r.ownStream.add(p.Events[i], e, atMs)
		if err := r.rules.apply(e); err != nil {
			return Corrupt(err, "")
		}
		installed, ok := e.(TableInstalled)
		if !ok {
			continue
		}
		t, err := installed.table(r.rules)
		if err != nil {
			return err
		}
		fold := newFold(t, &[]rulesPeriod{{Table: t}}, r.rules)
		if err := fold.begin(); err != nil {
			return err
		}
		r.tables[t.Name] = &textOfTable{fold: fold, text: newRoundText(&t, itself)}
	}
	return nil
}

// add takes in the next transaction that concerns the table.
func (t *textOfTable) add(e *StoredTransaction, led outcome) error {
	t.committed = nil
	if _, err := t.fold.add(e); err != nil {
		return err
	}
	led.state = &t.fold.state
	text, err := t.text.with(e, led)
	if err != nil {
		return err
	}
	due := text.commits()
	if err := text.post(e.Postings); err != nil {
		return err
	}
	t.text = text
	fault := t.held(e, due)
	text.number(e.Seq)
	return fault
}

// held reports whether a transaction commits to the record as it stands with it, where
// that is due, and to none otherwise.
func (t *textOfTable) held(e *StoredTransaction, due bool) error {
	head := &t.text.head
	roundFault := func(format string, args ...any) error {
		return &RoundFault{Table: t.text.table, Round: head.Round, What: fmt.Sprintf(format, args...)}
	}
	var part StreamAppend
	for i := range e.Parts {
		if e.Parts[i].Stream == tableStream(t.text.table) {
			part = e.Parts[i]
		}
	}
	if !due {
		if part.Record != "" {
			return roundFault("its leaf commits to a record of round %d, which does not end with it", part.OfRound)
		}
		return nil
	}
	committed, err := t.text.text()
	if err != nil {
		return err
	}
	t.committed = committed
	switch digest := proof.Digest(committed); {
	case part.Record == "":
		return roundFault("its leaf does not commit to the record of the round, which has ended")
	case part.OfRound != head.Round || part.Record != digest:
		return roundFault("its leaf commits to the record %s of round %d, and what happened comes to %s", part.Record, part.OfRound, digest)
	}
	return nil
}

// Committed returns the text of the round that the transaction added last has to commit to
// ([proof.Finish] makes a document of it), nil where it ends and corrects none. It is the
// caller's to keep.
func (r *RoundTexts) Committed() []byte { return r.committed }

// CheckSnapshot checks a snapshot of the transaction that was added last against what the
// events come to, as [CheckSnapshot] does. Streams that are not followed have none.
func (r *RoundTexts) CheckSnapshot(stream string, s Snapshot) error {
	kind, name, _ := strings.Cut(stream, ":")
	switch {
	case stream == houseStream:
		return r.ownStream.check(s)
	case stream == ProtectionStream:
		return r.protected.check(s)
	case kind == tableKind && r.tables[name] != nil:
		f := r.tables[name].fold
		return CheckSnapshot(stream, s, f.version, &f.state, snapshotTable, func(_ int64, body []byte) (*table.State, error) {
			var snapshot tableSnapshot
			if err := json.Unmarshal(body, &snapshot); err != nil {
				return nil, err
			}
			state, err := table.Restore(f.state.Variant, snapshot.State)
			return &state, err
		})
	case kind == jackpotKind && r.jackpots[name] != nil:
		f := r.jackpots[name]
		return CheckSnapshot(stream, s, f.version, f.state, jackpot.Snapshot, func(_ int64, body []byte) (jackpot.State, error) { return jackpot.Restore(body) })
	}
	return nil
}
