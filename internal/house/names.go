package house

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/stored"
	"trey/money"
)

// NamesStream is the stream of the numbers that persons have in the record.
const NamesStream = "names"

// NameEvent is an event of [NamesStream].
type NameEvent interface{ nameKind() string }

// PersonNumbered says that a person has a number from now on.
type PersonNumbered struct {
	Number int64 `json:"number"`
	// Commitment is the SHA-256, in hexadecimal digits, of the line `trey name v1`, a
	// salt of 32 bytes and the name, which stand apart.
	Commitment string `json:"commitment"`
}

// NameErased says that the name of a person was erased. The number stays.
type NameErased struct {
	Number int64 `json:"number"`
	// By is the first of the two people who decided it.
	By access.Person `json:"by"`
	// And is the second of them.
	And access.Person `json:"and"`
	// Why is their reason.
	Why string `json:"why"`
}

func (PersonNumbered) nameKind() string { return "person-numbered" }
func (NameErased) nameKind() string     { return "name-erased" }

// NameEvents are the kinds of events of [NamesStream], which are stored as they are.
var NameEvents = stored.NewTable("event", nameEvent[PersonNumbered](), nameEvent[NameErased]())

func nameEvent[E NameEvent]() stored.Kind[NameEvent] {
	var e E
	return stored.Own[NameEvent, E](e.nameKind())
}

// numberPerson is the command under which a person gets a number.
const numberPerson = "number-person"

// Named returns a store in which persons have their names. It records transactions with the
// persons' numbers, and hands them out with names again. A person whose name has no number gets
// one, by a transaction of its own, right before the first one that names the person is
// recorded. A name that was erased is the number, as it is recorded.
//
// Leaves, and whatever proves the record, are handed out as they are recorded.
func Named(s Store) Store {
	if n, ok := s.(*named); ok {
		return n
	}
	return &named{Store: s, directory: s.Directory()}
}

// named is a store in which persons stand by their names.
type named struct {
	Store
	directory *people.Directory
}

// Append records a transaction with the numbers of its persons.
func (n *named) Append(tx *Transaction) <-chan AppendResult {
	recorded, err := rename(tx, func(name string) string { return n.token(name, tx.AtMs) })
	if err != nil {
		failed := make(chan AppendResult, 1)
		failed <- AppendResult{Err: fmt.Errorf("%w: %w", ErrFailed, err)}
		return failed
	}
	return n.Store.Append(recorded)
}

// token returns what stands for a person in the record, and gives the person a number
// before that if there is none. Nobody waits for it: what names the person comes after it,
// and is not recorded if it is not.
func (n *named) token(name string, atMs int64) string {
	return n.directory.Give(name, func(number, after int64) {
		given := people.Name{Number: number, Text: name}
		random := n.directory.Random
		if random == nil {
			random = rand.Reader
		}
		_, _ = io.ReadFull(random, given.Salt[:]) // chance never fails
		commitment := given.Commitment()
		e, _ := NameEvents.Write(PersonNumbered{Number: number, Commitment: hex.EncodeToString(commitment[:])}) // digits are always JSON
		cause, _ := ownCause("", NumberPerson{})                                                                // it has no fields
		n.Store.Append(&Transaction{
			AtMs: atMs, Cause: cause, Binding: true,
			Parts: []StreamAppend{{Stream: NamesStream, After: after, Events: []Event{e}}},
			Names: []people.Name{given},
		})
	})
}

// token returns what stands for a person in the record.
func (h *House) token(name string) string { return h.store.token(name, h.world.NowMs()) }

// PersonNumber returns the number of a person in the record; ok is false for a name that has
// none.
func (h *House) PersonNumber(name string) (number int64, ok bool) {
	token, known := h.store.directory.Token(name)
	if !known {
		return 0, false
	}
	return people.Number(token)
}

// CheckNames refuses names that do not agree, or whose count differs from the numbers in the
// record. Otherwise the next person would get another person's number.
func CheckNames(ctx context.Context, s Store) error {
	d := s.Directory()
	if err := d.Fault(); err != nil {
		return Corrupt(err, "")
	}
	recorded := d.Recorded()
	version := max(0, recorded-1)
	err := s.Read(ctx, NamesStream, version, func(r StoredEvent) error { version = r.Version; return nil })
	if err == nil && version != recorded {
		err = fmt.Errorf("%w: the record gives and erases %d names, and the table of names says %d", ErrCorrupt, version, recorded)
	}
	return err
}

// rename returns a transaction with other names. The transaction that is given is not
// changed.
func rename(tx *Transaction, turn func(string) string) (*Transaction, error) {
	recorded := *tx
	var err error
	if recorded.Cause, err = renameCause(&tx.Cause, turn); err != nil {
		return nil, err
	}
	recorded.Key = people.RenameKey(tx.Key, turn)
	if tx.Came != nil {
		came, err := renameCause(tx.Came, turn)
		if err != nil {
			return nil, err
		}
		recorded.Came = &came
	}
	if recorded.Parts, err = renameParts(tx.Parts, turn); err != nil {
		return nil, err
	}
	recorded.Postings = renamePostings(tx.Postings, turn)
	for i := range tx.Changes {
		if a := tx.Changes[i].Account; people.Personal(a) {
			if &recorded.Changes[0] == &tx.Changes[0] {
				recorded.Changes = slices.Clone(tx.Changes)
			}
			recorded.Changes[i].Account = people.RenameAccount(a, turn)
		}
	}
	return &recorded, nil
}

func renameCause(c *Cause, turn func(string) string) (Cause, error) {
	renamed := *c
	renamed.By = turn(c.By)
	if len(c.Body) == 0 {
		return renamed, nil
	}
	var err error
	renamed.Body, err = people.Rename(c.Body, turn)
	return renamed, err
}

func renameParts(parts []StreamAppend, turn func(string) string) ([]StreamAppend, error) {
	renamed := slices.Clone(parts)
	for i := range renamed {
		p := &renamed[i]
		p.Events = slices.Clone(p.Events)
		for k := range p.Events {
			if len(p.Events[k].Body) == 0 {
				continue // the store says what is wrong with it
			}
			body, err := people.Rename(p.Events[k].Body, turn)
			if err != nil {
				return nil, err
			}
			p.Events[k].Body = body
		}
		if p.Snapshot != nil {
			var err error
			if p.Snapshot, err = renameSnapshot(p.Stream, p.After+int64(len(p.Events)), p.Snapshot, turn); err != nil {
				return nil, err
			}
		}
	}
	return renamed, nil
}

// renameSnapshot returns a snapshot with other names, sealed anew.
func renameSnapshot(stream string, version int64, snapshot []byte, turn func(string) string) ([]byte, error) {
	body, err := OpenSnapshot(stream, Snapshot{Version: version, Body: snapshot})
	if err != nil || !json.Valid(body) {
		return snapshot, nil //nolint:nilerr // It is damaged, and whoever reads it finds out.
	}
	renamed, err := people.Rename(body, turn)
	if err != nil {
		return nil, err
	}
	return SealSnapshot(stream, version, renamed), nil
}

func renamePostings(postings []ledger.Posting, turn func(string) string) []ledger.Posting {
	renamed := slices.Clone(postings)
	for i := range renamed {
		p := &renamed[i]
		p.From, p.To = people.RenameAccount(p.From, turn), people.RenameAccount(p.To, turn)
	}
	return renamed
}

// recordedAs returns something as it is recorded, with the number of the person whom it names,
// and whether that person has one.
func recordedAs[T any](of *people.Directory, rename func(T, func(string) string) T, it T) (recorded T, known bool) {
	known = true
	recorded = rename(it, func(name string) string {
		token, has := of.Token(name)
		known = known && has
		return token
	})
	return recorded, known
}

// Find returns what was recorded under a key.
func (n *named) Find(ctx context.Context, key string) (*Receipt, error) {
	key, known := recordedAs(n.directory, people.RenameKey, key)
	if !known {
		return nil, ErrNotFound
	}
	r, err := n.Store.Find(ctx, key)
	if err != nil {
		return nil, err
	}
	if r.Parts, err = renameParts(r.Parts, n.directory.Name); err != nil {
		return nil, Corrupt(err, "transaction %d", r.Seq)
	}
	r.token = func(name string) string { token, _ := n.directory.Token(name); return token }
	return r, nil
}

// Read hands out the events of a stream.
func (n *named) Read(ctx context.Context, stream string, after int64, yield func(StoredEvent) error) error {
	return n.Store.Read(ctx, stream, after, func(r StoredEvent) error {
		body, err := people.Rename(r.Body, n.directory.Name)
		if err != nil {
			return Corrupt(err, "")
		}
		r.Body = body
		return yield(r)
	})
}

// ReadAll hands out whole transactions.
func (n *named) ReadAll(ctx context.Context, after int64, stream string, yield func(StoredTransaction) error) error {
	return n.Store.ReadAll(ctx, after, stream, func(e StoredTransaction) error {
		if err := n.name(&e); err != nil {
			return Corrupt(err, "transaction %d", e.Seq)
		}
		return yield(e)
	})
}

// name puts the names of persons into a transaction that was read.
func (n *named) name(e *StoredTransaction) (err error) {
	turn := n.directory.Name
	if e.Cause, err = renameCause(&e.Cause, turn); err != nil {
		return err
	}
	if e.Key != "" {
		e.Key = people.RenameKey(e.Key, turn)
	}
	e.Postings = renamePostings(e.Postings, turn)
	e.Parts, err = renameParts(e.Parts, turn)
	return err
}

// Snapshot returns the latest snapshot of a stream.
func (n *named) Snapshot(ctx context.Context, stream string, atMost int64) (Snapshot, error) {
	s, err := n.Store.Snapshot(ctx, stream, atMost)
	if err == nil {
		s.Body, err = renameSnapshot(stream, s.Version, s.Body, n.directory.Name)
	}
	return s, err
}

// Movements hands out what moved an account.
func (n *named) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(Movement) error) error {
	of, known := recordedAs(n.directory, people.RenameAccount, of)
	if !known {
		return ctx.Err() // nothing has moved it
	}
	return n.Store.Movements(ctx, of, before, limit, func(m Movement) (err error) {
		if m.Cause, err = renameCause(&m.Cause, n.directory.Name); err != nil {
			return Corrupt(err, "transaction %d", m.Seq)
		}
		m.Postings = renamePostings(m.Postings, n.directory.Name)
		return yield(m)
	})
}

// Balances hands out what each account holds.
func (n *named) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	return n.Store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
		return yield(people.RenameAccount(a, n.directory.Name), held)
	})
}
