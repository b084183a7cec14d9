package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/posting"
	"trey/internal/house/proof"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	stored "trey/internal/record"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A roundCopier puts the rounds of a block behind the end of a record again and again, through
// the store as a house does: with later numbers and times, other keys, and seeds that are
// committed to, sealed and revealed for their new rounds. The rest of a copied round is that of
// the round that was played. So the house opens and plays on; but the cards of a copied round
// are not those of its deck, and its leaf has the hash of the record of the round that was
// played, so no audit would accept them.
type roundCopier struct {
	testing.TB
	store recordStore
	keys  *sealing.Keys
	// book holds the balances after the last copy, and copies counts the copies.
	book   ledger.Book
	copies int

	block []blockTransaction
	// each is the number of rounds of each table in the block, lastsMs how long it lasts, and
	// grows the number of events that it appends to each stream.
	each    int
	lastsMs int64
	grows   map[string]int64
	// secrets are the seeds of a table by the remainder of the round.
	secrets map[string]map[int]shuffle.Seed

	waiting []<-chan house.AppendResult
}

// blockTransaction is a transaction of the block, with what differs in each copy decoded.
type blockTransaction struct {
	house.StoredTransaction
	// events are by part and place; nil is an event that every copy has as it is.
	events [][]any
	// state is the table of a snapshot, and rulesHash names its rules; nil is no snapshot.
	state     *table.State
	rulesHash string
}

// blockSnapshot is the snapshot of a table as it is stored.
type blockSnapshot struct {
	Round     int             `json:"round"`
	RulesHash string          `json:"rules_hash"`
	State     json.RawMessage `json:"state"`
}

// variantsOf returns the rules of each table.
func (s *site) variantsOf(t testing.TB) map[string]*rules.Variant {
	t.Helper()
	variants := map[string]*rules.Variant{}
	for _, name := range s.house.Tables() {
		at, err := s.house.Status(name)
		if err != nil {
			t.Fatal(err)
		}
		variants[name] = at.InForce().Variant
	}
	return variants
}

// newRoundCopier reads the block behind a transaction. No round is in play before and after it,
// and nobody has money.
func (m *manyHouse) newRoundCopier(store recordStore, keys *sealing.Keys, variants map[string]*rules.Variant, after int64, each int) *roundCopier {
	m.Helper()
	ctx := m.Context()
	c := &roundCopier{TB: m.TB, store: store, keys: keys, book: ledger.Book{}, each: each, grows: map[string]int64{}, secrets: map[string]map[int]shuffle.Seed{}}
	m.must(store.ReadAll(ctx, after, "", func(tx house.StoredTransaction) error {
		c.add(ctx, &tx, variants)
		return nil
	}))
	first, last := c.block[0].AtMs, c.block[len(c.block)-1].AtMs
	c.lastsMs = last - first + m.perRoundMs
	_, err := store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
		if c.book[a] = held; a.Kind == ledger.Player && held != 0 {
			return fmt.Errorf("%s has %s", a, held.Display())
		}
		return nil
	})
	m.must(err)
	for name := range variants {
		if len(c.secrets[name]) != each {
			m.Fatalf("the block has the seeds of %d rounds of %s, not of %d", len(c.secrets[name]), name, each)
		}
	}
	return c
}

// add takes a transaction into the block.
func (c *roundCopier) add(ctx context.Context, tx *house.StoredTransaction, variants map[string]*rules.Variant) {
	c.Helper()
	b := blockTransaction{StoredTransaction: *tx, events: make([][]any, len(tx.Parts))}
	for i := range tx.Parts {
		p := &tx.Parts[i]
		c.grows[p.Stream] += int64(len(p.Events))
		b.events[i] = make([]any, len(p.Events))
		for j, written := range p.Events {
			b.events[i][j] = c.decode(p.Stream, written)
		}
		name, isTable := strings.CutPrefix(p.Stream, "table:")
		if !isTable || p.Round == 0 {
			continue
		}
		found, err := c.store.Snapshot(ctx, p.Stream, tx.Seq)
		if errors.Is(err, house.ErrNotFound) || err == nil && found.Seq != tx.Seq {
			continue
		}
		body, opened := house.OpenSnapshot(p.Stream, found)
		var snapshot blockSnapshot
		read := json.Unmarshal(body, &snapshot)
		state, restored := table.Restore(variants[name], snapshot.State)
		if err := errors.Join(err, opened, read, restored); err != nil {
			c.Fatal(err)
		}
		b.state, b.rulesHash = &state, snapshot.RulesHash
	}
	c.block = append(c.block, b)
}

// decode returns an event that is another one in each copy, nil for any other.
func (c *roundCopier) decode(stream string, written house.Event) any {
	c.Helper()
	kind, name, _ := strings.Cut(stream, ":")
	switch kind {
	case "table":
		e, err := stored.TableEvents.Read(written)
		if err != nil {
			c.Fatal(err)
		}
		switch e.(type) {
		case table.BetsOpened, table.CardsDealt:
			return e
		}
		if bytes.Contains(written.Body, []byte(`"round"`)) || bytes.Contains(written.Body, []byte(`_ms"`)) {
			c.Fatalf("%s %s has a round or a time", written.Kind, written.Body)
		}
		return nil
	case "deal", "sealed":
		e, err := fair.Events.Read(written)
		if err != nil {
			c.Fatal(err)
		}
		if sealed, ok := e.(fair.Sealed); ok {
			seed, err := c.keys.Open(name, sealed)
			if err != nil {
				c.Fatal(err)
			}
			if c.secrets[name] == nil {
				c.secrets[name] = map[int]shuffle.Seed{}
			}
			c.secrets[name][sealed.Round%c.each] = seed
		}
		return e
	default:
		c.Fatalf("a round wrote %s into the stream %s", written.Kind, stream)
		return nil
	}
}

// moved writes an event as it is later by so many rounds and milliseconds.
func (c *roundCopier) moved(name string, e any, rounds int, ms int64) (house.Event, error) {
	secret := func(round int) shuffle.Seed { return c.secrets[name][round%c.each] }
	switch e := e.(type) {
	case table.BetsOpened:
		e.Round += rounds
		return stored.TableEvents.Write(e)
	case table.CardsDealt:
		e.AtMs += ms
		return stored.TableEvents.Write(e)
	case fair.Committed:
		e.Round += rounds
		e.Commitment = fair.Commit(name, e.Round, secret(e.Round))
		return fair.Events.Write(e)
	case fair.Covered:
		e.Round += rounds
		return fair.Events.Write(e)
	case fair.Revealed:
		e.Round += rounds
		e.Seed = secret(e.Round)
		return fair.Events.Write(e)
	case fair.Sealed:
		sealed, err := c.keys.Seal(name, e.Round+rounds, secret(e.Round+rounds))
		if err != nil {
			return house.Event{}, err
		}
		return fair.Events.Write(sealed)
	default:
		return house.Event{}, fmt.Errorf("%T is not copied", e)
	}
}

// transaction returns a transaction of the block as it is in the copy of that number.
func (c *roundCopier) transaction(b *blockTransaction, number int) (*house.Transaction, error) {
	rounds, ms := number*c.each, int64(number)*c.lastsMs
	tx := &house.Transaction{AtMs: b.AtMs + ms, Cause: b.Cause, Parts: slices.Clone(b.Parts), Postings: slices.Clone(b.Postings)}
	if person, _, ok := strings.Cut(b.Key, " "); ok {
		drawn := sha256.Sum256(fmt.Appendf(nil, "%s %d", b.Key, number))
		tx.Key = person + " " + hex.EncodeToString(drawn[:12])
	}
	for i := range tx.Parts {
		p := &tx.Parts[i]
		p.After += int64(number) * c.grows[p.Stream]
		if p.Round > 0 {
			p.Round += rounds
		}
		if p.OfRound > 0 {
			p.OfRound += rounds
		}
		_, name, _ := strings.Cut(p.Stream, ":")
		p.Events = slices.Clone(p.Events)
		for j, e := range b.events[i] {
			if e == nil {
				continue
			}
			var err error
			if p.Events[j], err = c.moved(name, e, rounds, ms); err != nil {
				return nil, err
			}
		}
		if b.state != nil && strings.HasPrefix(p.Stream, "table:") {
			state := *b.state
			state.Round += rounds
			text, err := table.Snapshot(state)
			if err != nil {
				return nil, err
			}
			body, err := json.Marshal(blockSnapshot{Round: state.Round, RulesHash: b.rulesHash, State: text})
			if err != nil {
				return nil, err
			}
			p.Snapshot = house.SealSnapshot(p.Stream, p.After+int64(len(p.Events)), body)
		}
	}
	for i := range tx.Postings {
		if of := &tx.Postings[i].For; of.Round > 0 {
			of.Round += rounds
		}
	}
	var err error
	if tx.Changes, err = ledger.Post(c.book, tx.Postings...); err != nil {
		return nil, err
	}
	c.book.Apply(tx.Changes)
	return tx, nil
}

// mostInLine is the number of copied transactions that are in line at the store.
const mostInLine = 4096

// copy appends the block once more.
func (c *roundCopier) copy() {
	c.Helper()
	c.copies++
	for i := range c.block {
		tx, err := c.transaction(&c.block[i], c.copies)
		if err != nil {
			c.Fatal(err)
		}
		if len(c.waiting) == mostInLine {
			c.settle(mostInLine / 2)
		}
		c.waiting = append(c.waiting, c.store.Append(tx))
	}
}

// finish waits for the store, closes it, and has the clock of the house be where the record ends.
func (m *manyHouse) finish(c *roundCopier) {
	m.Helper()
	c.settle(len(c.waiting))
	m.must(c.store.Close())
	m.nowMs.Add(int64(c.copies) * c.lastsMs)
}

// settle waits until the first of the transactions in line are recorded.
func (c *roundCopier) settle(n int) {
	c.Helper()
	for _, done := range c.waiting[:n] {
		if result := <-done; result.Err != nil {
			c.Fatal(result.Err)
		}
	}
	c.waiting = slices.Delete(c.waiting, 0, n)
}

// cashOut pays all players out, so that nobody has money.
func (m *manyHouse) cashOut(s *site) {
	m.Helper()
	for _, a := range s.accounts(m) {
		held := s.house.Balance(a)
		if a.Kind != ledger.Player || held == 0 {
			continue
		}
		cashier := access.Person{Name: "kim", Role: access.Cashier}
		move := posting.Transfer{Reason: ledger.CashOut, Player: a.Of, Amount: held}
		_, err := s.house.CageTransfer(m.Context(), fmt.Sprintf("%s out after %d", a.Of, s.rounds()), cashier, move)
		m.must(err)
	}
}

// accounts returns the accounts of a house, with the names of players.
func (s *site) accounts(m *manyHouse) (all []ledger.Account) {
	_, err := house.Named(s.record).Balances(m.Context(), func(a ledger.Account, _ money.Amount) error {
		all = append(all, a)
		return nil
	})
	m.must(err)
	return all
}

// playBlock plays the rounds that are copied, and as many before them, so that everybody has a
// number by then. It proves the last of them, closes the house, and returns what copies the second half.
func (m *manyHouse) playBlock(each int) *roundCopier {
	m.Helper()
	s, _ := m.open()
	m.play(s, each)
	m.cashOut(s)
	after := s.store.Head().Size - 1
	m.play(s, each)
	m.cashOut(s)
	m.proven(s)
	variants := s.variantsOf(m)
	m.close(s)
	store, keys := m.openRecord()
	return m.newRoundCopier(store, keys, variants, after, each)
}

// proven holds that the latest round of every table is proven by its record, in the tree of the
// house as it is now.
func (m *manyHouse) proven(s *site) {
	m.Helper()
	houses, err := proof.Houses(s.notary.Verifier())
	m.must(err)
	by := &proof.Verifier{Houses: houses}
	for _, name := range s.house.Tables() {
		at, err := s.house.Status(name)
		m.must(err)
		written, err := s.house.Round(m.Context(), name, at.State.Round())
		m.must(err)
		r, err := proof.Read(bytes.NewReader(written.Text))
		m.must(err)
		if report := by.Verify(r); !report.Sound || !report.Proven {
			m.Errorf("round %d of %s: %+v", at.State.Round(), name, report)
		}
	}
}
