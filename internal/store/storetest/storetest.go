// Package storetest holds every store to the contract of [house.Store]: one
// suite that each engine runs, the test of a process killed while it writes
// included.
package storetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/tree"
	"trey/money"
)

// Store is a store that can be closed. Close waits for what is in line.
type Store interface {
	house.Store
	Close() error
}

// Opener opens the store that lives in a folder, and makes it where there is
// none. Opening the same folder again must bring back what was acknowledged.
type Opener func(folder string) (Store, error)

// Run runs the suite.
func Run(t *testing.T, open Opener) { RunSome(t, open, func(int) bool { return true }) }

// RunSome runs those tests of the suite whose numbers are chosen.
func RunSome(t *testing.T, open Opener, chosen func(number int) bool) {
	for i, test := range []struct {
		name string
		run  func(*testing.T, *suite)
	}{
		{"empty", testEmpty},
		{"what is recorded is read back", testReadBack},
		{"a transaction over several streams is one", testAtomic},
		{"a version that is not expected", testConflict},
		{"a key is used once", testKey},
		{"nothing is recorded behind a binding transaction that is refused", testBinding},
		{"order", testOrder},
		{"many writers, one stream", testOneStream},
		{"many writers, many streams", testManyStreams},
		{"a long stream", testLong},
		{"closed", testClosed},
		{"a transaction that concerns a stream without an event", testConcerned},
		{"whole transactions", testReadAll},
		{"rounds", testRounds},
		{"snapshots", testSnapshots},
		{"movements", testMovements},
		{"what was refused is in no index", testNothingOfARefused},
		{"names", testNames},
		{"the tree", testTree},
		{"a reader who stops", testStops},
		{"a reader whose time is over", testCancelled},
	} {
		if !chosen(i) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &suite{T: t, open: open, folder: t.TempDir()}
			s.start()
			t.Cleanup(func() { s.store.Close() }) //nolint:errcheck // it may be closed already
			test.run(t, s)
		})
	}
}

type suite struct {
	*testing.T
	open   Opener
	folder string
	store  Store
}

func (s *suite) start() {
	s.Helper()
	var err error
	if s.store, err = s.open(s.folder); err != nil {
		s.Fatal(err)
	}
}

// again closes the store and opens it again.
func (s *suite) again() {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Fatal(err)
	}
	s.start()
}

func ctx() context.Context { return context.Background() }

func event(text string) house.Event {
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return house.Event{Kind: "said", Body: body}
}

func part(stream string, after int64, texts ...string) house.StreamAppend {
	p := house.StreamAppend{Stream: stream, After: after}
	for _, text := range texts {
		p.Events = append(p.Events, event(text))
	}
	return p
}

func tx(parts ...house.StreamAppend) *house.Transaction {
	return &house.Transaction{AtMs: 7, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet"}, Parts: parts}
}

func (s *suite) add(t *house.Transaction) int64 {
	s.Helper()
	done := <-s.store.Append(t)
	if done.Err != nil {
		s.Fatal(done.Err)
	}
	return done.Seq
}

// texts reads a stream and checks that its versions have no gaps.
func (s *suite) texts(stream string, after int64) []string {
	s.Helper()
	var all []string
	next := after
	err := s.store.Read(ctx(), stream, after, func(r house.StoredEvent) error {
		if next++; r.Version != next || r.Kind != "said" || r.AtMs != 7 {
			return fmt.Errorf("event %d of %s: %+v", next, stream, r)
		}
		var body struct{ Text string }
		err := json.Unmarshal(r.Body, &body)
		all = append(all, body.Text)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *suite) want(stream string, want ...string) {
	s.Helper()
	if got := s.texts(stream, 0); strings.Join(got, " ") != strings.Join(want, " ") {
		s.Errorf("%s holds %q, want %q", stream, got, want)
	}
}

func (s *suite) book() ledger.Book {
	s.Helper()
	book := ledger.Book{}
	_, err := s.store.Balances(ctx(), func(a ledger.Account, held money.Amount) error {
		if _, twice := book[a]; twice {
			return fmt.Errorf("%s is there twice", a)
		}
		book[a] = held
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return book
}

func testEmpty(t *testing.T, s *suite) {
	s.want("nothing")
	if book := s.book(); len(book) != 0 {
		t.Errorf("accounts: %v", book)
	}
	if r, err := s.store.Find(ctx(), "key"); !errors.Is(err, house.ErrNotFound) {
		t.Errorf("a key that nobody used: %v, %v", r, err)
	}
	if got, err := s.store.Snapshot(ctx(), "nothing", -1); !errors.Is(err, house.ErrNotFound) {
		t.Errorf("a snapshot of nothing: %+v, %v", got, err)
	}
	for _, stream := range []string{"", "nothing"} {
		if got := s.entries(0, stream); len(got) != 0 {
			t.Errorf("transactions of %q: %+v", stream, got)
		}
	}
	if got := s.rounds("nothing", 0, 9); len(got) != 0 {
		t.Errorf("rounds: %v", got)
	}
	if got := s.movements("ann", 0, 9); len(got) != 0 {
		t.Errorf("movements: %v", got)
	}
}

// buyIn moves money, and keeps the book that it is posted in.
func buyIn(book ledger.Book, name string, amount money.Amount) ([]ledger.Posting, []ledger.Change) {
	p := ledger.Posting{
		From: ledger.Account{Kind: ledger.Cash}, To: ledger.Account{Kind: ledger.Player, Of: name},
		Amount: amount, For: ledger.Reference{Reason: ledger.BuyIn},
	}
	changes, err := ledger.Post(book, p)
	if err != nil {
		panic(err)
	}
	book.Apply(changes)
	return []ledger.Posting{p}, changes
}

func testReadBack(t *testing.T, s *suite) {
	book := ledger.Book{}
	first := tx(part("A", 0, "one", "two\x01 \"quoted\" ♠", ""))
	first.Postings, first.Changes = buyIn(book, "änn:1", 100)
	first.Key, first.Came = "a 'key'\n", &house.Cause{Kind: "asked", Body: json.RawMessage(`{"for":1}`)}
	input, err := house.InputOf(first.Came)
	if err != nil {
		t.Fatal(err)
	}
	seq := s.add(first)
	second := tx(part("A", 3, "four"))
	second.Postings, second.Changes = buyIn(book, "änn:1", 1<<60)
	if next := s.add(second); next <= seq {
		t.Errorf("transaction %d follows %d", next, seq)
	}
	for range 2 {
		s.want("A", "one", "two\x01 \"quoted\" ♠", "", "four")
		if got := s.texts("A", 1); len(got) != 3 {
			t.Errorf("after the first come %q", got)
		}
		if got := s.texts("A", 4); len(got) != 0 {
			t.Errorf("after the last come %q", got)
		}
		if got := s.book(); !reflect.DeepEqual(got, book) {
			t.Errorf("the accounts hold %v, want %v", got, book)
		}
		r, err := s.store.Find(ctx(), first.Key)
		if err != nil {
			t.Fatal(err)
		}
		if want := (house.Receipt{Seq: seq, AtMs: 7, Input: input, Parts: first.Parts}); !reflect.DeepEqual(*r, want) {
			t.Errorf("the key finds %+v, want %+v", *r, want)
		}
		s.again()
	}
}

func testAtomic(t *testing.T, s *suite) {
	s.add(tx(part("A", 0, "a1"), part("B", 0, "b1", "b2")))
	refused := tx(part("A", 1, "lost"), part("C", 0, "lost"), part("B", 1, "lost"))
	refused.Key = "lost"
	refused.Postings, refused.Changes = buyIn(ledger.Book{}, "ann", 5)
	if done := <-s.store.Append(refused); !errors.Is(done.Err, house.ErrConflict) {
		t.Fatalf("got %+v", done)
	}
	for range 2 {
		s.want("A", "a1")
		s.want("B", "b1", "b2")
		s.want("C")
		if book := s.book(); len(book) != 0 {
			t.Errorf("money moved: %v", book)
		}
		if _, err := s.store.Find(ctx(), "lost"); !errors.Is(err, house.ErrNotFound) {
			t.Errorf("the key is used: %v", err)
		}
		s.again()
	}
	s.add(tx(part("A", 1, "a2"), part("B", 2, "b3"), part("C", 0, "c1")))
}

func testConflict(t *testing.T, s *suite) {
	s.add(tx(part("A", 0, "a1", "a2")))
	for _, after := range []int64{0, 1, 3, -1, 1 << 40} {
		if done := <-s.store.Append(tx(part("A", after, "no"))); !errors.Is(done.Err, house.ErrConflict) {
			t.Errorf("after %d: %+v", after, done)
		}
	}
	s.again()
	if done := <-s.store.Append(tx(part("A", 0, "no"))); !errors.Is(done.Err, house.ErrConflict) {
		t.Errorf("opened again, after 0: %+v", done)
	}
	s.add(tx(part("A", 2, "a3")))
	s.want("A", "a1", "a2", "a3")
}

// What is decided upon a transaction counts on it. So where that is refused, nothing behind it
// is recorded, in the same write or in a later one: a balance would hold what was never paid in.
func testBinding(t *testing.T, s *suite) {
	book := ledger.Book{}
	paidIn := func(key, text string, after int64) *house.Transaction {
		in := tx(part("A", after, text))
		in.Key, in.Binding = key, true
		in.Postings, in.Changes = buyIn(book, "ann", 100)
		return in
	}
	s.add(paidIn("k", "a1", 0))
	before, refused := paidIn("l", "a2", 1), paidIn("k", "a3", 2)
	line := []<-chan house.AppendResult{s.store.Append(before), s.store.Append(refused)}
	for i := range 40 {
		behind := tx(part("B", int64(i), "b"))
		behind.Binding = true
		behind.Postings, behind.Changes = buyIn(book, "ann", 100)
		line = append(line, s.store.Append(behind))
	}
	for i, want := range []error{nil, house.ErrKeyUsed, house.ErrFailed} {
		if done := <-line[i]; !errors.Is(done.Err, want) {
			t.Errorf("transaction %d: %v, want %v", i, done.Err, want)
		}
	}
	for i, done := range line[3:] {
		if done := <-done; !errors.Is(done.Err, house.ErrFailed) {
			t.Errorf("transaction %d: %v", i+3, done.Err)
		}
	}
	if done := <-s.store.Append(tx(part("C", 0, "c1"))); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("the store goes on: %v", done.Err)
	}
	s.again()
	s.want("A", "a1", "a2")
	s.want("B")
	if held := s.book()[ledger.Account{Kind: ledger.Player, Of: "ann"}]; held != 200 {
		t.Errorf("ann holds %d of the 200 that were paid in", held)
	}
}

func testKey(t *testing.T, s *suite) {
	first := tx(part("A", 0, "a1"))
	first.Key = "k"
	s.add(first)
	for range 2 {
		again := tx(part("A", 1, "twice"))
		again.Key = "k"
		if done := <-s.store.Append(again); !errors.Is(done.Err, house.ErrKeyUsed) {
			t.Fatalf("got %+v", done)
		}
		s.want("A", "a1")
		s.again()
	}
	// Both of the next two may come into one write.
	x, y := tx(part("B", 0, "b1")), tx(part("C", 0, "c1"))
	x.Key, y.Key = "same", "same"
	one, other := s.store.Append(x), s.store.Append(y)
	if done := <-one; done.Err != nil {
		t.Errorf("the first: %v", done.Err)
	}
	if done := <-other; !errors.Is(done.Err, house.ErrKeyUsed) {
		t.Errorf("the second: %+v", done)
	}
	s.want("C")
	s.add(tx(part("C", 0, "c1"))) // no key is no key in common
	s.add(tx(part("C", 1, "c2")))
}

// What is put in line without waiting is recorded in that order, and a
// transaction may build on one that is not acknowledged yet.
func testOrder(t *testing.T, s *suite) {
	const n = 300
	var line []<-chan house.AppendResult
	for i := range int64(n) {
		line = append(line, s.store.Append(tx(part("A", i, strconv.FormatInt(i, 10)))))
	}
	var last int64
	for i, done := range line {
		d := <-done
		if d.Err != nil || d.Seq <= last {
			t.Fatalf("transaction %d: %+v after %d", i, d, last)
		}
		last = d.Seq
	}
	if got := s.texts("A", 0); len(got) != n || got[n-1] != strconv.Itoa(n-1) {
		t.Errorf("%d events, the last %q", len(got), got[len(got)-1])
	}
}

// Of all who expect the same version one wins, each time.
func testOneStream(t *testing.T, s *suite) {
	const writers, rounds = 8, 20
	wins := make([]int, writers)
	for round := range int64(rounds) {
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				done := <-s.store.Append(tx(part("A", round, strconv.Itoa(i))))
				switch {
				case done.Err == nil:
					wins[i]++
				case !errors.Is(done.Err, house.ErrConflict):
					t.Error(done.Err)
				}
			})
		}
		all.Wait()
	}
	won := 0
	for _, n := range wins {
		won += n
	}
	if got := len(s.texts("A", 0)); got != rounds || won != rounds {
		t.Errorf("%d events, %d acknowledged, want %d", got, won, rounds)
	}
}

func testManyStreams(t *testing.T, s *suite) {
	const writers, each = 16, 40
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			stream := "table " + strconv.Itoa(i)
			for n := range int64(each) {
				if done := <-s.store.Append(tx(part(stream, n, "x"))); done.Err != nil {
					t.Error(done.Err)
					return
				}
			}
		})
	}
	all.Wait()
	s.again()
	for i := range writers {
		if got := len(s.texts("table "+strconv.Itoa(i), 0)); got != each {
			t.Errorf("table %d has %d events", i, got)
		}
	}
}

func testLong(t *testing.T, s *suite) {
	const parts, each = 40, 500
	long := strings.Repeat("♠", 300)
	texts := make([]string, each)
	for i := range texts {
		texts[i] = long
	}
	var line []<-chan house.AppendResult
	for i := range int64(parts) {
		line = append(line, s.store.Append(tx(part("A", i*each, texts...))))
	}
	for _, done := range line {
		if d := <-done; d.Err != nil {
			t.Fatal(d.Err)
		}
	}
	s.again()
	got := s.texts("A", 0)
	if len(got) != parts*each || got[len(got)-1] != long {
		t.Errorf("%d events came back", len(got))
	}
	if got := s.texts("A", parts*each-3); len(got) != 3 {
		t.Errorf("%d events after the last but three", len(got))
	}
}

func testClosed(t *testing.T, s *suite) {
	var line []<-chan house.AppendResult
	for i := range int64(50) {
		line = append(line, s.store.Append(tx(part("A", i, "x"))))
	}
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, done := range line {
		if d := <-done; d.Err != nil {
			t.Errorf("in line before the close: %v", d.Err)
		}
	}
	if done := <-s.store.Append(tx(part("A", 50, "late"))); !errors.Is(done.Err, house.ErrFailed) {
		t.Errorf("after the close: %+v", done)
	}
	s.start()
	if got := len(s.texts("A", 0)); got != 50 {
		t.Errorf("%d events", got)
	}
}

func testStops(t *testing.T, s *suite) {
	s.add(tx(part("A", 0, "1", "2", "3")))
	s.add(tx(part("A", 3, "4")))
	enough := errors.New("enough")
	n := 0
	err := s.store.Read(ctx(), "A", 0, func(house.StoredEvent) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 2 {
		t.Errorf("got %v after %d events", err, n)
	}
	for _, stream := range []string{"", "A"} {
		n = 0
		err = s.store.ReadAll(ctx(), 0, stream, func(house.StoredTransaction) error { n++; return enough })
		if !errors.Is(err, enough) || n != 1 {
			t.Errorf("got %v after %d transactions of %q", err, n, stream)
		}
	}
	s.want("A", "1", "2", "3", "4")
}

func testCancelled(t *testing.T, s *suite) {
	over, cancel := context.WithCancel(ctx())
	cancel()
	if err := s.store.Read(over, "A", 0, func(house.StoredEvent) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.store.Find(over, "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("find: %v", err)
	}
	if err := s.store.ReadAll(over, 0, "", func(house.StoredTransaction) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("read all: %v", err)
	}
	if err := s.store.Rounds(over, "A", 0, 1, func(house.RoundMark) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("rounds: %v", err)
	}
	if _, err := s.store.Snapshot(over, "A", -1); !errors.Is(err, context.Canceled) {
		t.Errorf("snapshot: %v", err)
	}
	if err := s.store.Movements(over, ledger.Account{Kind: ledger.Cash}, 0, 1, func(house.Movement) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("movements: %v", err)
	}
	s.add(tx(part("A", 0, "1"))) // and the store lives
}

// entries reads transactions and checks that their numbers rise.
func (s *suite) entries(after int64, stream string) (all []house.StoredTransaction) {
	s.Helper()
	err := s.store.ReadAll(ctx(), after, stream, func(e house.StoredTransaction) error {
		if e.Seq <= after {
			return fmt.Errorf("transaction %d comes after %d", e.Seq, after)
		}
		after = e.Seq
		all = append(all, e)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *suite) rounds(stream string, before, limit int) (all []house.RoundMark) {
	s.Helper()
	err := s.store.Rounds(ctx(), stream, before, limit, func(m house.RoundMark) error { all = append(all, m); return nil })
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *suite) movements(player string, before int64, limit int) (all []house.Movement) {
	s.Helper()
	of := ledger.Account{Kind: ledger.Player, Of: player}
	err := s.store.Movements(ctx(), of, before, limit, func(m house.Movement) error { all = append(all, m); return nil })
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// entryOf returns a transaction as it is read back.
func entryOf(seq int64, tx *house.Transaction) house.StoredTransaction {
	e := house.StoredTransaction{Seq: seq, AtMs: tx.AtMs, Key: tx.Key, Cause: tx.Cause, Postings: tx.Postings}
	for _, p := range tx.Parts {
		p.Snapshot = nil
		e.Parts = append(e.Parts, p)
	}
	return e
}

func (s *suite) wantEntries(what string, got, want []house.StoredTransaction) {
	s.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		s.Errorf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

// A part without events holds its transaction to the version like any other,
// and is of the stream's history without being of its events.
func testConcerned(t *testing.T, s *suite) {
	if done := <-s.store.Append(tx(part("A", 1))); !errors.Is(done.Err, house.ErrConflict) {
		t.Errorf("nothing after the first of none: %+v", done)
	}
	first := tx(part("A", 0), part("B", 0, "b1"))
	first.Key = "k"
	second, third, last := tx(part("A", 0, "a1", "a2")), tx(part("A", 2)), tx(part("A", 2, "a3"))
	var want []house.StoredTransaction
	for _, tx := range []*house.Transaction{first, second, third, last} {
		want = append(want, entryOf(s.add(tx), tx))
	}
	if done := <-s.store.Append(tx(part("A", 2))); !errors.Is(done.Err, house.ErrConflict) {
		t.Errorf("nothing after the second of three: %+v", done)
	}
	for range 2 {
		s.want("A", "a1", "a2", "a3")
		if got := s.texts("A", 2); len(got) != 1 {
			t.Errorf("after the second come %q", got)
		}
		s.wantEntries("the history of A", s.entries(0, "A"), want)
		if r, err := s.store.Find(ctx(), "k"); err != nil || !reflect.DeepEqual(r.Parts, first.Parts) {
			t.Errorf("the key finds %+v, %v", r, err)
		}
		s.again()
	}
}

func testReadAll(t *testing.T, s *suite) {
	book := ledger.Book{}
	var all, ofA []house.StoredTransaction
	add := func(tx *house.Transaction) house.StoredTransaction {
		e := entryOf(s.add(tx), tx)
		all = append(all, e)
		return e
	}
	cage := tx()
	cage.Key, cage.Cause.Body = "cage", json.RawMessage(`{"amount":5}`)
	cage.Postings, cage.Changes = buyIn(book, "ann", 5)
	for i := range int64(20) {
		next := tx(part("B", 2*i, "b"), part("A", 3*i, "x", "♠", "z"), part("house", i, "h"))
		if i%2 == 1 {
			next.Parts[1].Record, next.Parts[1].OfRound = strings.Repeat("0a", 32), int(i)
		}
		ofA = append(ofA, add(next))
		add(tx(part("B", 2*i+1, "b")))
	}
	add(cage)
	for range 2 {
		s.wantEntries("everything", s.entries(0, ""), all)
		s.wantEntries("A", s.entries(0, "A"), ofA)
		for i := range all {
			s.wantEntries("after one of all", s.entries(all[i].Seq, ""), all[i+1:])
		}
		for i := range ofA {
			s.wantEntries("after one of A", s.entries(ofA[i].Seq, "A"), ofA[i+1:])
			s.wantEntries("before one of A", s.entries(ofA[i].Seq-1, "A"), ofA[i:])
			if got := s.texts("A", int64(3*i+1)); len(got) != 3*len(ofA)-3*i-1 {
				t.Errorf("after version %d there are %d events", 3*i+1, len(got))
			}
		}
		if err := s.store.Read(ctx(), "A", 1, func(r house.StoredEvent) error {
			if want := ofA[(r.Version-1)/3].Seq; r.Seq != want {
				return fmt.Errorf("event %d is of transaction %d, not %d", r.Version, r.Seq, want)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		s.wantEntries("after the last", s.entries(all[len(all)-1].Seq+100, ""), nil)
		s.wantEntries("after the last of A", s.entries(1<<62, "A"), nil)
		s.again()
	}
}

func testRounds(t *testing.T, s *suite) {
	var want []house.RoundMark // the newest first
	version := int64(0)
	for i := range 30 {
		next := tx(part("A", version, "x", "y"), part("B", version, "x", "y"))
		if i%3 == 0 {
			next.Parts[0].Round = i + 1
		}
		seq := s.add(next)
		if i%3 == 0 {
			want = append([]house.RoundMark{{Round: i + 1, Seq: seq, AtMs: 7, Version: version}}, want...)
		}
		version += 2
	}
	for range 2 {
		if got := s.rounds("A", 0, 100); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := s.rounds("A", 0, 2); !reflect.DeepEqual(got, want[:2]) {
			t.Errorf("the newest two: %v, want %v", got, want[:2])
		}
		if got := s.rounds("A", want[3].Round, 2); !reflect.DeepEqual(got, want[4:6]) {
			t.Errorf("two before round %d: %v, want %v", want[3].Round, got, want[4:6])
		}
		if got := s.rounds("A", want[3].Round+1, 1); !reflect.DeepEqual(got, want[3:4]) {
			t.Errorf("round %d: %v", want[3].Round, got)
		}
		for name, got := range map[string][]house.RoundMark{"B": s.rounds("B", 0, 9), "none asked for": s.rounds("A", 0, 0), "before the first": s.rounds("A", 1, 9)} {
			if len(got) != 0 {
				t.Errorf("%s: %v", name, got)
			}
		}
		s.again()
	}
	if e := s.entries(want[0].Seq-1, "A"); e[0].Parts[0].Round != want[0].Round {
		t.Errorf("read back, the part says %+v", e[0].Parts[0])
	}
}

func testSnapshots(t *testing.T, s *suite) {
	var seqs []int64
	for i := range int64(10) {
		next := tx(part("A", 3*i, "x", "y", "z"), part("B", i, "x"))
		if i%4 == 1 {
			next.Parts[0].Snapshot = []byte{0, byte(i), 0xff}
		}
		seqs = append(seqs, s.add(next))
	}
	for range 2 {
		for _, test := range []struct {
			atMost int64
			want   int
		}{{-1, 9}, {1 << 62, 9}, {seqs[9], 9}, {seqs[9] - 1, 5}, {seqs[5], 5}, {seqs[4], 1}, {seqs[1], 1}} {
			got, err := s.store.Snapshot(ctx(), "A", test.atMost)
			want := house.Snapshot{Seq: seqs[test.want], Version: int64(3*test.want + 3), Body: []byte{0, byte(test.want), 0xff}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("at most %d: %+v, %v, want %+v", test.atMost, got, err, want)
			}
		}
		for _, of := range []struct {
			stream string
			atMost int64
		}{{"A", seqs[1] - 1}, {"A", 0}, {"B", -1}} {
			if got, err := s.store.Snapshot(ctx(), of.stream, of.atMost); !errors.Is(err, house.ErrNotFound) {
				t.Errorf("%s at most %d: %+v, %v", of.stream, of.atMost, got, err)
			}
		}
		s.again()
	}
	s.want("A", strings.Split(strings.Repeat("x y z ", 10), " ")[:30]...)
}

func testMovements(t *testing.T, s *suite) {
	book := ledger.Book{}
	player, layout := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Layout, Of: "A"}
	var want []house.Movement // the newest first
	for i := range 12 {
		next := tx()
		next.Cause.Kind = strconv.Itoa(i)
		bet := ledger.Posting{From: player, To: layout, Amount: money.Amount(i), For: ledger.Reference{Reason: ledger.Bet, Table: "A", Round: i}}
		in := ledger.Posting{From: ledger.Account{Kind: ledger.Cash}, To: player, Amount: 100, For: ledger.Reference{Reason: ledger.BuyIn}}
		other := in
		other.To.Of = "ben"
		next.Postings = []ledger.Posting{other, in, bet}[:2+min(i, 1)]
		var err error
		if next.Changes, err = ledger.Post(book, next.Postings...); err != nil {
			t.Fatal(err)
		}
		book.Apply(next.Changes)
		seq := s.add(next)
		want = append([]house.Movement{{
			Seq: seq, AtMs: 7, Delta: money.Amount(100 - i), After: money.Amount(100*(i+1) - i*(i+1)/2),
			Cause: next.Cause, Postings: next.Postings[1:],
		}}, want...)
	}
	for range 2 {
		if got := s.movements("ann", 0, 100); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := s.movements("ann", want[4].Seq, 3); !reflect.DeepEqual(got, want[5:8]) {
			t.Errorf("three before %d: %+v, want %+v", want[4].Seq, got, want[5:8])
		}
		if got := s.movements("ben", 0, 100); len(got) != 12 || got[0].After != 1200 {
			t.Errorf("ben: %+v", got)
		}
		for name, got := range map[string][]house.Movement{"nobody": s.movements("eve", 0, 9), "none asked for": s.movements("ann", 0, 0), "before the first": s.movements("ann", want[11].Seq, 9)} {
			if len(got) != 0 {
				t.Errorf("%s: %v", name, got)
			}
		}
		s.again()
	}
}

// A transaction that is refused leaves no trace in what is asked for later.
func testNothingOfARefused(t *testing.T, s *suite) {
	book := ledger.Book{}
	first := tx(part("A", 0, "a1"))
	first.Key = "k"
	first.Postings, first.Changes = buyIn(book, "ann", 100)
	seq := s.add(first)
	for why, want := range map[string]error{"version": house.ErrConflict, "key": house.ErrKeyUsed} {
		refused := tx(part("A", 1, "a2"), part("B", 0, "b1"))
		if why == "version" {
			refused.Parts[1].After = 7
		} else {
			refused.Key = "k"
		}
		refused.Parts[0].Round, refused.Parts[0].Snapshot = 1, []byte("x")
		refused.Postings, refused.Changes = buyIn(book.Clone(), "ann", 100)
		if done := <-s.store.Append(refused); !errors.Is(done.Err, want) {
			t.Fatalf("%s: %+v", why, done)
		}
	}
	for range 2 {
		if got := s.entries(0, ""); len(got) != 1 || got[0].Seq != seq {
			t.Errorf("transactions: %+v", got)
		}
		if got := s.entries(0, "B"); len(got) != 0 {
			t.Errorf("of B: %+v", got)
		}
		if got := s.rounds("A", 0, 9); len(got) != 0 {
			t.Errorf("rounds: %v", got)
		}
		if _, err := s.store.Snapshot(ctx(), "A", -1); !errors.Is(err, house.ErrNotFound) {
			t.Errorf("snapshot: %v", err)
		}
		if got := s.movements("ann", 0, 9); len(got) != 1 || got[0].After != 100 {
			t.Errorf("movements: %+v", got)
		}
		s.again()
	}
}

const crashVariable = "TREY_STORETEST_CRASH"

// Crash kills a process that writes, several times over the same record, and
// looks for what had been acknowledged: all of it must be there, in order, and
// money and events must not have come apart. It runs the test that calls it as
// the other process, so its name must be the test's alone.
func Crash(t *testing.T, open Opener, times int) {
	if folder := os.Getenv(crashVariable); folder != "" {
		writeUntilKilled(t, open, folder)
		return
	}
	folder := t.TempDir()
	for kill := range times {
		acknowledged := killed(t, folder, time.Duration(30+kill*17%90)*time.Millisecond)
		s := &suite{T: t, open: open, folder: folder}
		s.start()
		for _, stream := range []string{"A", "B"} {
			if got := len(s.texts(stream, 0)); got < acknowledged {
				t.Errorf("kill %d: %d of %d acknowledged events of %s are there", kill, got, acknowledged, stream)
			}
		}
		a, b := len(s.texts("A", 0)), len(s.texts("B", 0))
		held := int(s.book()[ledger.Account{Kind: ledger.Player, Of: "ann"}])
		if a != b || a != held {
			t.Errorf("kill %d: %d and %d events and %d cents belong to the same transactions", kill, a, b, held)
		}
		moved, rounds := len(s.movements("ann", 0, a+1)), len(s.rounds("A", 0, a+1))
		last, err := s.store.Snapshot(ctx(), "A", -1)
		if total := len(s.entries(0, "")); moved != a || rounds != a || total != a || a > 0 && (err != nil || int(last.Version) != a) {
			t.Errorf("kill %d: of %d transactions there are %d, with %d movements, %d rounds and a snapshot of %d, %v", kill, a, total, moved, rounds, last.Version, err)
		}
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killed runs the writer for a while after its first word, kills it, and returns
// the last number that it said was durable.
func killed(t *testing.T, folder string, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), crashVariable+"="+folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, lines := 0, bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		n, found := strings.CutPrefix(lines.Text(), "durable ")
		if !found {
			t.Fatalf("the writer says %q", lines.Text())
		}
		if last, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
		if first {
			time.AfterFunc(after, func() { cmd.Process.Kill() }) //nolint:errcheck // it is waited for below
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the writer ended by itself")
	}
	return last
}

// writeUntilKilled keeps a few transactions in line and says what is durable.
func writeUntilKilled(t *testing.T, open Opener, folder string) {
	s := &suite{T: t, open: open, folder: folder}
	s.start()
	book := s.book()
	n := int64(len(s.texts("A", 0)))
	var line []<-chan house.AppendResult
	for {
		next := tx(part("A", n, "a"), part("B", n, "b"))
		next.Parts[0].Round, next.Parts[0].Snapshot = int(n)+1, []byte("so far")
		next.Postings, next.Changes = buyIn(book, "ann", 1)
		line = append(line, s.store.Append(next))
		n++
		if len(line) < 5 {
			continue
		}
		if done := <-line[0]; done.Err != nil {
			t.Fatal(done.Err)
		}
		line = line[1:]
		fmt.Printf("durable %d\n", n-int64(len(line)))
	}
}

// testTree holds the tree against one that is built here from the leaves' texts, with
// transactions that were refused in between, across the edge of a tile and an opening.
func testTree(t *testing.T, s *suite) {
	origin := bytes.Clone(s.store.Origin())
	texts := [][]byte{origin}
	if head := s.store.Head(); head.Size != 1 || head.Root != tree.LeafHash(origin) {
		t.Fatalf("an empty record has the tree %+v, with leaf 0 %q", head, origin)
	}
	book, version := ledger.Book{}, int64(0)
	for i := range 300 {
		next := tx(part("A", version, strconv.Itoa(i)), part("B", 0))
		next.Key = fmt.Sprint("key ", i)
		if i%2 == 0 {
			next.Came = &house.Cause{Kind: "asked", Body: fmt.Appendf(nil, `{"for":%d}`, i)}
		}
		next.Postings, next.Changes = buyIn(book, "ann", 100)
		switch {
		case i == 0:
			next.Key = "first"
		case i%7 == 0:
			next.Key = ""
		}
		version++
		if i%9 == 0 {
			next.Parts[0].Record, next.Parts[0].OfRound = strings.Repeat("0a", 32), i+1
		}
		if seq := s.add(next); seq != int64(i+1) {
			t.Fatalf("transaction %d has the number %d", i+1, seq)
		}
		if i%50 == 0 {
			if done := <-s.store.Append(tx(part("A", 0, "too late"))); !errors.Is(done.Err, house.ErrConflict) {
				t.Fatalf("a version that was there before: %v", done.Err)
			}
			again := tx(part("A", version, "twice"))
			again.Key = "first"
			if done := <-s.store.Append(again); !errors.Is(done.Err, house.ErrKeyUsed) {
				t.Fatalf("a key that was used: %v", done.Err)
			}
		}
		if i == 200 {
			s.again()
		}
	}
	read := func() {
		t.Helper()
		texts = texts[:1]
		err := s.store.Leaves(ctx(), 0, func(l house.Leaf) error {
			if l.Seq != int64(len(texts)) || l.Fault != "" {
				return fmt.Errorf("leaf %d comes as the %dth: %s", l.Seq, len(texts), l.Fault)
			}
			texts = append(texts, l.Text())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		edge := &tree.Edge{}
		for _, text := range texts {
			edge.Add(tree.LeafHash(text))
		}
		if got, want := s.store.Head(), edge.Head(); got != want {
			t.Errorf("the tree is %+v, want %+v", got, want)
		}
	}
	read()
	s.again()
	read()
	if !bytes.Equal(s.store.Origin(), origin) {
		t.Error("leaf 0 became another")
	}
	nodes := tree.NodesOf(ctx(), s.store)
	head := s.store.Head()
	for _, size := range []int64{1, 2, 256, 257, head.Size} {
		old, err := nodes.At(size)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := nodes.Consistency(size, head.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.CheckConsistency(proof, head, old); err != nil {
			t.Errorf("from %d to %d: %v", size, head.Size, err)
		}
		inside, err := nodes.Inclusion(size-1, head.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.CheckInclusion(inside, head, size-1, texts[size-1]); err != nil {
			t.Errorf("leaf %d: %v", size-1, err)
		}
	}
	got, err := s.store.LeafTexts(ctx(), 0, len(texts))
	if err != nil || !reflect.DeepEqual(got, texts) {
		t.Errorf("the texts of the leaves are others (%v)", err)
	}
	if _, err := s.store.LeafTexts(ctx(), head.Size-1, 2); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("the text of a leaf that is not there yet: %v", err)
	}
	if _, err := s.store.Nodes(ctx(), 0, head.Size-1, 2); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("a leaf that is not there yet: %v", err)
	}
	if tail := 0; s.store.Leaves(ctx(), head.Size-2, func(house.Leaf) error { tail++; return nil }) != nil || tail != 1 {
		t.Errorf("%d leaves follow the last but one", tail)
	}
}
