// Package memory keeps a house's record in the memory of the process, for tests
// and for houses that need not outlive it. It is the second store that fulfils
// the contract of [house.Store], and the one that can be made to fail.
//
// A [Disk] is what survives; a [Store] is one process that has it open. What is
// recorded is kept as the text that a file would hold, so that nothing which the
// house still holds in its hands can leak back out of the record. There is no
// goroutine here: whoever calls Append writes, so that with one caller the same
// calls always lead to the same record.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/tree"
	"trey/money"
)

// ErrInUse is returned where a disk is open already. A house decides ahead of its
// record, so nobody else may write to it.
var ErrInUse = errors.New("the record is in use")

// Disk is where records lie between two openings. The zero value is empty.
type Disk struct {
	// Chance is what leaf 0 and the salts are drawn from, nil for the system's: tests have
	// the same leaves in every run.
	Chance io.Reader

	mu   sync.Mutex
	open *Store

	// txs are the transactions in order: the one with number n stands at n-1. Only appended
	// to, so a reader may walk on over the part it saw.
	txs       []stored
	keys      map[string]int64
	streams   map[string]*stream
	accounts  map[ledger.Account]money.Amount
	movements map[ledger.Account][]movement

	names    []people.Name
	sessions map[identity.SessionID]identity.KeptSession

	// The tree: leaf 0, the right edge, and its full subtrees.
	origin []byte
	edge   tree.Edge
	nodes  map[place]tree.Hash
}

// place is where a node stands in the tree.
type place struct {
	level int
	n     int64
}

// movement is the effect of a transaction on an account.
type movement struct {
	seq          int64
	delta, after money.Amount
}

// stored is a transaction as it is kept.
type stored struct {
	atMs  int64
	salt  tree.Salt
	line  []byte // as [house.Line.Append] writes it
	parts []piece
	read  *reading
}

// reading holds what the line of a transaction says, from when somebody first asks: the checks of a
// simulation go over the whole record again and again.
type reading struct {
	once  sync.Once
	entry house.StoredTransaction
	err   error
}

// piece says of a part where it stands in its stream.
type piece struct {
	stream       string
	after, count int64
	round        int
	snapshot     []byte
}

// stream is where the parts of a stream lie, in order.
type stream struct {
	version int64
	parts   []at
}

// at is the place of a part: the transaction's number and the part in it.
type at struct {
	seq  int64
	part int
}

// Store is a disk that is open. It is a [house.Store].
type Store struct {
	disk   *Disk
	faults Faults

	// line is what waits to be written, and failed why nothing more will be; both
	// under the lock of the disk.
	line    []waiting
	failed  error
	written int

	people people.Directory
}

var _ house.Store = (*Store)(nil)

// waiting is a transaction in line, as it will be kept.
type waiting struct {
	stored
	leaf tree.Hash // what the leaf says of it
	tx   *house.Transaction
	done chan house.AppendResult
}

// Open opens the disk, with the faults that are to befall it. It fails with
// [ErrInUse] while it is open.
func (d *Disk) Open(f Faults) (*Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		return nil, ErrInUse
	}
	if d.keys == nil {
		d.keys, d.streams, d.accounts = map[string]int64{}, map[string]*stream{}, map[ledger.Account]money.Amount{}
		d.movements, d.nodes = map[ledger.Account][]movement{}, map[place]tree.Hash{}
		var drawn [32]byte
		if err := d.draw(drawn[:]); err != nil {
			return nil, err
		}
		d.origin = tree.Origin(drawn, "")
		d.grow(tree.LeafHash(d.origin))
	}
	s := &Store{disk: d, faults: f}
	s.people.Random = d.Chance
	if err := s.people.Load(context.Background(), d.eachName); err != nil {
		return nil, err
	}
	d.open = s
	return s, nil
}

// Close writes what is in line, held or not, and gives the disk free.
func (s *Store) Close() error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	s.write(len(s.line))
	s.end(fmt.Errorf("%w: it is closed", house.ErrFailed))
	return nil
}

// end fails what is in line and everything to come, and gives the disk free.
func (s *Store) end(why error) {
	if s.failed == nil {
		s.failed = why
	}
	for _, w := range s.line {
		w.done <- house.AppendResult{Err: s.failed}
	}
	s.line = nil
	if s.disk.open == s {
		s.disk.open = nil
	}
}

// Append puts a transaction in line, and unless the line is held writes it.
func (s *Store) Append(tx *house.Transaction) <-chan house.AppendResult {
	w := waiting{tx: tx, done: make(chan house.AppendResult, 1)}
	err := w.encode(s.disk)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if s.failed == nil && err != nil {
		// The caller may have decided upon this transaction already.
		s.failed = fmt.Errorf("%w: %w", house.ErrFailed, err)
	}
	if s.failed != nil {
		w.done <- house.AppendResult{Err: s.failed}
		return w.done
	}
	s.line = append(s.line, w)
	if !s.faults.Hold {
		s.write(1)
	}
	return w.done
}

// draw fills bytes by chance.
func (d *Disk) draw(drawn []byte) error {
	from := d.Chance
	if from == nil {
		from = rand.Reader
	}
	_, err := io.ReadFull(from, drawn)
	return err
}

func (w *waiting) encode(d *Disk) error {
	line, err := house.NewLine(w.tx)
	if err != nil {
		return err
	}
	w.atMs, w.line, w.read = w.tx.AtMs, line.Append(nil), new(reading)
	if err := d.draw(w.salt[:]); err != nil {
		return err
	}
	w.leaf = line.Content(w.salt)
	w.parts = make([]piece, len(w.tx.Parts))
	for i := range w.tx.Parts {
		p := &w.tx.Parts[i]
		w.parts[i] = piece{stream: p.Stream, after: p.After, count: int64(len(p.Events)), round: p.Round, snapshot: slices.Clone(p.Snapshot)}
	}
	return nil
}

// write records the first n transactions in line, each by its fate, and answers
// each as soon as it is recorded.
func (s *Store) write(n int) {
	for ; n > 0 && len(s.line) > 0; n-- {
		w := s.line[0]
		s.line = s.line[1:]
		if s.failed != nil {
			w.done <- house.AppendResult{Err: s.failed}
			continue
		}
		s.written++
		fate := Recorded
		if s.faults.Write != nil {
			fate = s.faults.Write(s.written, w.tx)
		}
		var done house.AppendResult
		if fate != Refused {
			done.Seq, done.Err = s.disk.record(&w)
		}
		if done.Err != nil && w.tx.Binding {
			s.failed = fmt.Errorf("%w: a transaction upon which others were decided was refused: %w", house.ErrFailed, done.Err)
		}
		if fate != Recorded && done.Err == nil {
			s.failed = fmt.Errorf("%w: %s", house.ErrFailed, fate)
			done = house.AppendResult{Err: s.failed}
		}
		w.done <- done
	}
}

// record keeps one transaction. Both conflicts are found before anything of it is
// kept.
func (d *Disk) record(w *waiting) (int64, error) {
	for i := range w.parts {
		p, version := &w.parts[i], int64(0)
		if known := d.streams[p.stream]; known != nil {
			version = known.version
		}
		if version != p.after {
			return 0, fmt.Errorf("%s has %d events, not %d: %w", p.stream, version, p.after, house.ErrConflict)
		}
	}
	if _, used := d.keys[w.tx.Key]; used {
		return 0, house.ErrKeyUsed
	}
	seq := int64(len(d.txs)) + 1
	d.txs = append(d.txs, w.stored)
	d.grow(tree.LeafHash(tree.Leaf(seq, w.atMs, w.leaf)))
	if w.tx.Key != "" {
		d.keys[w.tx.Key] = seq
	}
	for i := range w.parts {
		p := &w.parts[i]
		to := d.streams[p.stream]
		if to == nil {
			to = &stream{}
			d.streams[p.stream] = to
		}
		to.version += p.count
		to.parts = append(to.parts, at{seq, i})
	}
	for i := range w.tx.Changes {
		c := &w.tx.Changes[i]
		d.accounts[c.Account] = c.After
		if house.Traced(c.Account.Kind) {
			d.movements[c.Account] = append(d.movements[c.Account], movement{seq, c.By, c.After})
		}
	}
	d.names = append(slices.Clip(d.names), w.tx.Names...)
	for _, number := range w.tx.Erase {
		d.erase(number)
	}
	return seq, nil
}

// erase removes a name and the sessions of its person. Whoever reads the names has those
// of before.
func (d *Disk) erase(number int64) {
	d.names = slices.Clone(d.names)
	for i := range d.names {
		n := &d.names[i]
		if n.Number != number {
			continue
		}
		maps.DeleteFunc(d.sessions, func(_ identity.SessionID, s identity.KeptSession) bool { return s.Name == n.Text })
		*n = people.Name{Number: number}
	}
}

// eachName hands out the names of persons. The disk is locked.
func (d *Disk) eachName(_ context.Context, _ int64, yield func(people.Name) error) error {
	for _, n := range d.names {
		if err := yield(n); err != nil {
			return err
		}
	}
	return nil
}

// Names hands out the names of persons, those after a number.
func (s *Store) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	s.disk.mu.Lock()
	names := s.disk.names
	s.disk.mu.Unlock()
	for _, n := range names {
		if n.Number <= after {
			continue
		}
		if err := yield(n); err != nil {
			return err
		}
	}
	return nil
}

// Directory returns the names of persons.
func (s *Store) Directory() *people.Directory { return &s.people }

// reading returns the error of a read that cannot begin. Every read calls it first.
func (s *Store) reading(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if s.disk.open != s {
		return fmt.Errorf("%w: it is closed", house.ErrFailed)
	}
	if s.faults.Read != nil {
		return s.faults.Read()
	}
	return nil
}

// Find returns what was recorded under a key.
func (s *Store) Find(ctx context.Context, key string) (*house.Receipt, error) {
	if err := s.reading(ctx); err != nil {
		return nil, err
	}
	s.disk.mu.Lock()
	seq, used := s.disk.keys[key]
	s.disk.mu.Unlock()
	if !used {
		return nil, house.ErrNotFound
	}
	tx := s.disk.tx(seq)
	line, err := house.ReadLine(tx.line)
	if err != nil {
		return nil, err
	}
	return line.Receipt(seq, tx.atMs)
}

func (d *Disk) tx(seq int64) *stored {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &d.txs[seq-1]
}

// Read hands out the events of a stream.
func (s *Store) Read(ctx context.Context, name string, after int64, yield func(house.StoredEvent) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	for _, where := range s.disk.partsOf(name) {
		if err := ctx.Err(); err != nil {
			return err
		}
		tx := s.disk.tx(where.seq)
		p := &tx.parts[where.part]
		if p.after+p.count <= after {
			continue
		}
		read, err := tx.entry(where.seq)
		if err != nil {
			return err
		}
		for i, e := range read.Parts[where.part].Events {
			version := p.after + int64(i) + 1
			if version <= after {
				continue
			}
			if err := yield(house.StoredEvent{Event: e, Version: version, Seq: where.seq, AtMs: tx.atMs}); err != nil {
				return err
			}
		}
	}
	return nil
}

// partsOf returns where the parts of a stream lie, in order.
func (d *Disk) partsOf(name string) []at {
	d.mu.Lock()
	defer d.mu.Unlock()
	if of := d.streams[name]; of != nil {
		return of.parts
	}
	return nil
}

// ReadAll hands out whole transactions.
func (s *Store) ReadAll(ctx context.Context, after int64, name string, yield func(house.StoredTransaction) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	next := after
	parts := s.disk.partsOf(name)
	for {
		switch i, _ := slices.BinarySearchFunc(parts, next+1, at.compare); {
		case name == "":
			next++
		case i == len(parts):
			return nil
		default:
			next = parts[i].seq
		}
		s.disk.mu.Lock()
		end := next > int64(len(s.disk.txs))
		s.disk.mu.Unlock()
		if end {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := s.disk.tx(next).entry(next)
		if err != nil {
			return err
		}
		if err := yield(e); err != nil {
			return err
		}
	}
}

// compare orders a part before a transaction of a higher number.
func (a at) compare(seq int64) int { return cmp.Compare(a.seq, seq) }

// entry reads the transaction. Whoever gets it may change it: the next one reads what is kept.
func (tx *stored) entry(seq int64) (house.StoredTransaction, error) {
	r := tx.read
	r.once.Do(func() {
		var line house.Line
		if line, r.err = house.ReadLine(tx.line); r.err == nil {
			r.entry, r.err = line.Entry(seq, tx.atMs)
		}
	})
	if r.err != nil {
		return house.StoredTransaction{}, r.err
	}
	e := r.entry
	e.Cause.Body, e.Postings, e.Parts = slices.Clone(e.Cause.Body), slices.Clone(e.Postings), slices.Clone(e.Parts)
	for i := range e.Parts {
		p := &e.Parts[i]
		p.Events = slices.Clone(p.Events)
		for j := range p.Events {
			p.Events[j].Body = slices.Clone(p.Events[j].Body)
		}
	}
	return e, nil
}

// Rounds hands out where the rounds of a stream begin.
func (s *Store) Rounds(ctx context.Context, name string, before, limit int, yield func(house.RoundMark) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	for _, where := range slices.Backward(s.disk.partsOf(name)) {
		tx := s.disk.tx(where.seq)
		p := &tx.parts[where.part]
		if p.round == 0 || before != 0 && p.round >= before {
			continue
		}
		if limit--; limit < 0 {
			break
		}
		if err := yield(house.RoundMark{Round: p.round, Seq: where.seq, AtMs: tx.atMs, Version: p.after}); err != nil {
			return err
		}
	}
	return nil
}

// Snapshot returns the latest snapshot up to a transaction.
func (s *Store) Snapshot(ctx context.Context, name string, atMost int64) (house.Snapshot, error) {
	if err := s.reading(ctx); err != nil {
		return house.Snapshot{}, err
	}
	for _, where := range slices.Backward(s.disk.partsOf(name)) {
		p := &s.disk.tx(where.seq).parts[where.part]
		if p.snapshot != nil && (atMost < 0 || where.seq <= atMost) {
			return house.Snapshot{Seq: where.seq, Version: p.after + p.count, Body: slices.Clone(p.snapshot)}, nil
		}
	}
	return house.Snapshot{}, house.ErrNotFound
}

// Movements hands out what moved an account.
func (s *Store) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	if err := s.reading(ctx); err != nil {
		return err
	}
	s.disk.mu.Lock()
	moved := s.disk.movements[of]
	s.disk.mu.Unlock()
	for _, m := range slices.Backward(moved) {
		if before != 0 && m.seq >= before {
			continue
		}
		if limit--; limit < 0 {
			break
		}
		e, err := s.disk.tx(m.seq).entry(m.seq)
		if err != nil {
			return err
		}
		if err := yield(house.Movement{Seq: m.seq, AtMs: e.AtMs, Delta: m.delta, After: m.after, Cause: e.Cause, Postings: house.Touching(of, e.Postings)}); err != nil {
			return err
		}
	}
	return nil
}

// Entries hands out whole transactions, those after a number, whether anybody has
// the disk open or not, and whatever befalls whoever has.
func (d *Disk) Entries(after int64, yield func(house.StoredTransaction) error) error {
	d.mu.Lock()
	txs := d.txs
	d.mu.Unlock()
	for i := max(0, after); i < int64(len(txs)); i++ {
		e, err := txs[i].entry(i + 1)
		if err == nil {
			err = yield(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Accounts returns what each account holds by what is recorded.
func (d *Disk) Accounts() ledger.Book {
	d.mu.Lock()
	defer d.mu.Unlock()
	return ledger.Book(d.accounts).Clone()
}

// Balances hands out what each account holds.
func (s *Store) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error) {
	if err := s.reading(ctx); err != nil {
		return 0, err
	}
	s.disk.mu.Lock()
	book, seq := ledger.Book(s.disk.accounts).Clone(), int64(len(s.disk.txs))
	s.disk.mu.Unlock()
	for _, a := range book.Accounts() {
		if err := yield(a, book[a]); err != nil {
			return 0, err
		}
	}
	return seq, nil
}

// Damage replaces old in every transaction that holds it, as another hand might
// change a file. It reports how many it changed. It is for tests of what reads
// the record.
func (d *Disk) Damage(old, other string) (changed int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.txs {
		if tx := &d.txs[i]; bytes.Contains(tx.line, []byte(old)) {
			changed++
			tx.line, tx.read = bytes.ReplaceAll(tx.line, []byte(old), []byte(other)), new(reading)
		}
	}
	return changed
}
