package house

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

// roundText writes the records of the rounds of one table, as far as leaves commit to
// them. It receives the transactions that concern the table, in their order. They come from the
// table while it plays, the reading of a round, or the audit. So there is one text of a round,
// whoever writes it.
//
// A value does not change, but for [roundText.number]: what a transaction leads to is
// another value, which may be thrown away.
type roundText struct {
	table, jackpot string
	config         table.Config
	rules          statedRules
	// token returns what stands in the record for a name.
	token func(name string) string

	// head is that of the round that was opened last. steps are its steps but the last, and
	// last is the last one without its brace and its number, which is seq.
	head  proof.Head
	steps []byte
	last  []byte
	seq   int64
	// follows is the state of the jackpot after the last step that read it.
	follows *jackpot.State

	// next is the seed of the round that is committed to and not opened, and early are the
	// steps that added a seed to it. added is one more step, still without a number.
	next  *proof.Seed
	early []byte
	added []byte

	sum hash.Hash // of the text so far, if a leaf is to commit to it
}

// statedRules are the rules of rounds as a record names them.
type statedRules struct {
	variant                  *rules.Variant
	hash, declaration, terms string
	// members are those of a head, which are the same in all records of these rules.
	members []byte
}

func newRoundText(t *Table, token func(name string) string) *roundText {
	return &roundText{token: token, table: t.Name, jackpot: t.Jackpot, config: t.Config}
}

// outcome is the effect of a transaction, as far as its events do not say it.
type outcome struct {
	// state is the table.
	state *table.State
	// was and meter are the jackpot before and after a transaction that read it.
	was, meter *jackpot.State
}

// with returns the texts with one more transaction, without its number and without its
// postings.
func (t *roundText) with(e *StoredTransaction, result outcome) (*roundText, error) {
	r := *t
	r.sum = nil
	step := proof.Step{AtMs: e.AtMs, By: proof.By{Name: e.Cause.By, Role: e.Cause.Role}, Kind: e.Cause.Kind, Body: e.Cause.Body}
	added := 0
	for i := range e.Parts {
		p := &e.Parts[i]
		var err error
		switch p.Stream {
		case tableStream(t.table):
			step.Events = p.Events
			if p.Round != 0 {
				err = r.open(result.state)
			}
		case dealStream(t.table):
			step.Seeds, added, err = r.seeds(p.Events, e.AtMs)
		case jackpotStream(t.jackpot):
			step.Moved = p.Events
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case added != 0 && added != r.head.Round:
		return &r, r.write(&r.added, &step)
	case r.head.Round == 0 || added == 0 && !record.Actions.Has(e.Cause.Kind):
		return &r, nil
	}
	if result.was != nil {
		if was := proof.Reduced(*result.was, t.table); r.follows == nil || !reflect.DeepEqual(was, *r.follows) {
			stored := record.MeterOf(was)
			step.Meter = &stored
		}
		reduced := proof.Reduced(*result.meter, t.table)
		r.follows = &reduced
	}
	if added == 0 {
		r.ended(step.Events)
	}
	if t.last != nil && r.head.Round == t.head.Round {
		r.steps = numbered(r.steps, t.last, t.seq)
	}
	r.last, r.seq = nil, 0
	return &r, r.write(&r.last, &step)
}

// open begins the text of another round.
func (t *roundText) open(s *table.State) error {
	if t.rules.variant != s.Variant {
		v := s.Variant
		t.rules = statedRules{variant: v, hash: v.Hash(), declaration: string(v.Book.Declaration()), terms: string(v.Terms())}
	}
	t.head = proof.Head{
		Type: proof.Type, Version: proof.Version, Table: t.table, Round: s.Round,
		Book: s.Variant.Book.Ref(), Variant: s.Variant.ID, RulesHash: t.rules.hash, Declaration: t.rules.declaration, Terms: t.rules.terms,
		Config: record.EquipmentOf(t.config), Jackpot: t.jackpot, Carried: record.CarriedOf(t.carried(s)), Seed: t.next,
	}
	if (t.next != nil) != (t.config.Cards == table.Virtual) {
		return fmt.Errorf("%w: round %d of table %s begins, and its deck is not committed to", ErrCorrupt, s.Round, t.table)
	}
	if t.rules.members == nil {
		t.rules.members = proof.Members(&t.head)
	}
	t.steps, t.last, t.seq, t.follows = t.early, nil, 0, nil
	t.next, t.early = nil, nil
	return nil
}

// carried returns what a round has from those before it, as it is recorded.
func (t *roundText) carried(s *table.State) table.Carried {
	c := s.Carried()
	c.Warned, c.Restricted = slices.Clone(c.Warned), slices.Clone(c.Restricted)
	for _, names := range [][]string{c.Warned, c.Restricted} {
		for i := range names {
			names[i] = t.token(names[i])
		}
	}
	return c
}

// seeds reads an event of the seeds. It returns the part of it that belongs to a step, and the
// round to which a player added a seed, zero for none.
func (t *roundText) seeds(events []Event, atMs int64) (of []Event, added int, err error) {
	change := func(round int, how func(*proof.Seed)) {
		into := &t.next
		if t.head.Seed != nil && round == t.head.Round {
			into = &t.head.Seed
		}
		if *into == nil {
			return // of a round before those of which this text knows
		}
		seed := **into
		how(&seed)
		*into = &seed
	}
	for _, e := range events {
		decoded, err := fair.Events.Read(e)
		if err != nil {
			return nil, 0, Corrupt(err, "")
		}
		switch d := decoded.(type) {
		case fair.Committed:
			t.next = &proof.Seed{Commitment: d.Commitment, Committed: proof.Moment{AtMs: atMs}}
			t.early = nil
		case fair.Covered:
			change(d.Round, func(s *proof.Seed) { s.Checkpoint = d.Checkpoint })
		case fair.Added:
			d.Player, d.Instead = t.token(d.Player), t.token(d.Instead)
			change(d.Round, func(s *proof.Seed) {
				playerSeeds := slices.DeleteFunc(slices.Clone(s.Own), func(o fair.Own) bool { return o.Player == d.Player || o.Player == d.Instead })
				s.Own = append(playerSeeds, d.Own)
				slices.SortFunc(s.Own, func(a, b fair.Own) int { return strings.Compare(a.Player, b.Player) })
			})
			added, of = d.Round, append(of, e)
		case fair.Revealed:
			change(d.Round, func(s *proof.Seed) { s.Seed = d.Seed })
			of = append(of, e)
		}
	}
	return of, added, nil
}

// ended notes how the round ended; the last end counts.
func (t *roundText) ended(events []Event) {
	for _, e := range events {
		switch stored.Name(e.Kind) {
		case record.TableEvents.Name(table.Settled{}):
			t.head.Ended = table.Paid.String()
		case record.TableEvents.Name(table.SettlementUndone{}):
			t.head.Ended = "" // it goes on, and ends anew
		case record.TableEvents.Name(table.RoundVoided{}):
			t.head.Ended = table.Voided.String()
		case record.TableEvents.Name(table.TableClosed{}):
			if t.head.Ended == "" {
				t.head.Ended = table.Closed.String()
			}
		}
	}
}

// usualStepBytes is room for most steps.
const usualStepBytes = 1 << 10

// write writes a step as encoding/json writes a [proof.Step], from behind its number up
// to its postings.
func (t *roundText) write(into *[]byte, s *proof.Step) (err error) {
	text := strconv.AppendInt(append(make([]byte, 0, usualStepBytes), `{"at_ms":`...), s.AtMs, 10)
	text = ledger.AppendString(append(text, `,"by":{"name":`...), s.By.Name)
	text = ledger.AppendString(append(text, `,"role":`...), s.By.Role)
	text = ledger.AppendString(append(text, `},"kind":`...), s.Kind)
	body := s.Body
	if len(body) == 0 {
		body = json.RawMessage("null")
	}
	text = append(append(text, `,"body":`...), body...)
	if s.Meter != nil {
		meter, err := json.Marshal(s.Meter)
		if err != nil {
			return err
		}
		text = append(append(text, `,"meter":`...), meter...)
	}
	for _, list := range []struct {
		name   string
		events []Event
	}{{`,"events":`, s.Events}, {`,"moved":`, s.Moved}, {`,"seeds":`, s.Seeds}} {
		if len(list.events) == 0 {
			continue
		}
		if text, err = AppendEvents(append(text, list.name...), list.events); err != nil {
			return err
		}
	}
	recorded, err := people.Rename(append(text, '}'), t.token)
	if err != nil {
		return err
	}
	*into = recorded[1 : len(recorded)-1]
	return nil
}

// numbered appends a step with its number, and what separates it from the next.
func numbered(steps, step []byte, seq int64) []byte {
	steps = append(strconv.AppendInt(append(steps, `{"seq":`...), seq, 10), ',')
	return append(append(append(steps, step...), '}'), proof.Separator...)
}

// post adds the postings of the transaction that was taken in last.
func (t *roundText) post(postings []ledger.Posting) error {
	into := &t.last
	if t.added != nil {
		into = &t.added
	} else if t.last == nil || t.seq != 0 {
		return nil // it is no step
	}
	if len(postings) == 0 {
		return nil
	}
	from := len(*into)
	text, err := ledger.AppendJSON(append(*into, `,"postings":`...), renamePostings(postings, t.token))
	if err != nil {
		return err
	}
	if *into = text; t.sum != nil {
		t.sum.Write(text[from:])
	}
	return nil
}

// commits reports whether the leaf of the last transaction commits to the record of its round.
// It does so if the transaction ends the round or comes after its end.
func (t *roundText) commits() bool {
	return t.added == nil && t.last != nil && t.seq == 0 && t.head.Ended != ""
}

// prepare hashes the text up to the postings of the last step, if a leaf commits to it:
// while the postings are decided everybody waits.
func (t *roundText) prepare() error {
	if !t.commits() {
		return nil
	}
	head, err := proof.AppendHead(nil, &t.head, t.rules.members)
	if err != nil {
		return err
	}
	t.sum = sha256.New()
	for _, piece := range [][]byte{head, t.steps, {'{'}, t.last} {
		t.sum.Write(piece)
	}
	return nil
}

// digest returns the hash of the text, with the postings of its last step.
func (t *roundText) digest() string {
	t.sum.Write([]byte("}" + proof.End))
	return hex.EncodeToString(t.sum.Sum(nil))
}

// commit adds the postings of a transaction, and has the part of the table commit to the
// record of the round where a leaf has to.
func (t *roundText) commit(tx *Transaction, postings []ledger.Posting) error {
	commits := t.commits()
	if err := t.post(postings); err != nil || !commits {
		return err
	}
	for i := range tx.Parts {
		if p := &tx.Parts[i]; p.Stream == tableStream(t.table) {
			p.Record, p.OfRound = t.digest(), t.head.Round
		}
	}
	return nil
}

// text returns what leaves commit to of the round that was opened last.
func (t *roundText) text() ([]byte, error) {
	text, err := proof.AppendHead(nil, &t.head, t.rules.members)
	if err != nil {
		return nil, err
	}
	return append(append(append(append(text, t.steps...), '{'), t.last...), "}"+proof.End...), nil
}

// number says which number the transaction has that was taken in last.
func (t *roundText) number(seq int64) {
	if t.next != nil && t.next.Committed.Seq == 0 {
		t.next.Committed.Seq = seq
	}
	if t.added != nil {
		t.early, t.added = numbered(t.early, t.added, seq), nil
		return
	}
	if t.seq == 0 {
		t.seq = seq
	}
}
