package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/stored"
	"trey/internal/tree"
	"trey/money"
)

// Store keeps the record of a house. It is safe for use by many goroutines. In what it is given
// and what it hands out, persons stand by their numbers: see [Named]. A method that hands
// something out calls yield for each, stops at its first error and returns that. A slow reader
// holds up the store's housekeeping, so a reader that waits for others reads a little at a
// time.
type Store interface {
	// Append queues a transaction and returns at once. The channel receives one value: when the
	// transaction is durable, all of it, or when nothing of it is recorded and never will be.
	// Transactions are recorded in the order of the calls of Append.
	//
	// ErrConflict says that a stream has another version than expected, and ErrKeyUsed that the
	// key was used before. The store goes on after either, but for a transaction that is
	// Binding. Any other error is the end of the store: every transaction behind it in the line
	// fails too, with ErrFailed, until it is opened again.
	Append(tx *Transaction) <-chan AppendResult
	// Find returns what was recorded under a key, or ErrNotFound.
	Find(ctx context.Context, key string) (*Receipt, error)
	// Read hands out the events of a stream in order, those after a version. A
	// stream that nobody wrote to is empty.
	Read(ctx context.Context, stream string, after int64, yield func(StoredEvent) error) error
	// ReadAll hands out whole transactions after a number, in the order of their numbers. If a
	// stream is named, they are those with a part of it, even one without events. Earlier
	// transactions are not read. As with each method that hands out, yield reads nothing of the
	// store where many may read at once: a read holds one of few connections until it ends.
	ReadAll(ctx context.Context, after int64, stream string, yield func(StoredTransaction) error) error
	// Rounds hands out the beginnings of a stream's rounds, the newest first. They are those
	// before a round, or from the newest if that is zero; limit at most.
	Rounds(ctx context.Context, stream string, before, limit int, yield func(RoundMark) error) error
	// Snapshot returns the latest snapshot of a stream that a transaction of at
	// most that number recorded, or the latest of all if it is below zero.
	// ErrNotFound says that there is none.
	Snapshot(ctx context.Context, stream string, atMost int64) (Snapshot, error)
	// Movements hands out what moved an account, the newest first, those before a
	// number, or from the newest if that is zero; limit at most. They are kept for
	// accounts of which [Traced] says so.
	Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(Movement) error) error
	// Balances hands out what each account holds, in no order, and returns the number of the
	// transaction after which they hold it. Where there is no account it may be zero.
	Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error)
	// Names hands out the names of persons in the order of their numbers, those after a
	// number; those that were erased without their text.
	Names(ctx context.Context, after int64, yield func(people.Name) error) error
	// Directory returns the names of persons as the store knew them when it was opened,
	// with those that were given since by whoever writes to it. There is one for a store.
	Directory() *people.Directory
	// Origin returns leaf 0 of the tree over the record, as [tree.Origin] writes it:
	// drawn when the record was made.
	Origin() []byte
	// Head returns the tree over what is durable: after leaf 0, each transaction is
	// the leaf of its number.
	Head() tree.Head
	// Nodes returns hashes of the tree over what is durable, as [tree.Nodes] says.
	Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error)
	// LeafTexts returns the texts of leaves of what is durable: those from one on, in
	// order. It fails if it cannot return as many as are asked for.
	LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error)
	// Leaves hands out the leaves of transactions, those after a number, in order.
	Leaves(ctx context.Context, after int64, yield func(Leaf) error) error
}

// Fenced is a store that more than one process can write to, one at a time.
type Fenced interface {
	Store
	// StillWriter returns an error that wraps [ErrFailed] if another process has become the writer
	// since this store was opened, or if that cannot be found out. It is asked when the record
	// seems corrupt. If another writer wrote to the record while it was read, it shows tables
	// of one moment and balances of another.
	StillWriter(ctx context.Context) error
}

// UnlessOvertaken returns an error of a record that was read from a store. If another process
// became its writer meanwhile, it returns that instead, where the store is [Fenced] and the
// error wraps [ErrCorrupt].
func UnlessOvertaken(ctx context.Context, from Store, err error) error {
	if fenced, ok := from.(Fenced); ok && errors.Is(err, ErrCorrupt) {
		if lost := fenced.StillWriter(ctx); lost != nil {
			return lost
		}
	}
	return err
}

// The errors of a [Store].
var (
	// ErrConflict: a stream has another version than the transaction expects.
	ErrConflict = errors.New("another writer has appended to this stream")
	// ErrKeyUsed: a transaction with this idempotency key is recorded.
	ErrKeyUsed = errors.New("this idempotency key was used before")
	// ErrNotFound: there is no transaction with this key, or no snapshot.
	ErrNotFound = errors.New("nothing is recorded under this key")
	// ErrFailed: the store cannot write any more and must be opened again.
	ErrFailed = errors.New("the store has failed and accepts no more transactions")
)

// Corrupt says that the record is corrupt at a place: what was read there leads to an error. It
// wraps [ErrCorrupt], and the error. If the error is that the store could not be read, which
// says nothing of its contents, it stays that. Its receiver opens the record again.
func Corrupt(err error, place string, args ...any) error {
	if place != "" {
		err = fmt.Errorf("%s: %w", fmt.Sprintf(place, args...), err)
	}
	for _, unread := range []error{ErrFailed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, unread) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// Transaction holds everything that one command records: all of it or nothing is stored.
type Transaction struct {
	// AtMs is the time in milliseconds of the house's clock.
	AtMs int64
	// Key is the idempotency key, empty for none.
	Key   string
	Cause Cause
	// Came is the input that came with the key; nil is the cause.
	Came *Cause
	// Parts are at most MaxParts, each of another stream.
	Parts []StreamAppend
	// Postings move money, and Changes are their effect on each account.
	Postings []ledger.Posting
	Changes  []ledger.Change
	// Names are given to persons with the transaction, and Erase are the numbers whose
	// names are erased with it. They are in no leaf.
	Names []people.Name
	Erase []int64
	// Binding says that what comes behind this transaction in the line is decided upon it,
	// before it is durable. If it is refused, nothing behind it is recorded, and the store has
	// ended: balances would count what was never recorded.
	Binding bool
	// by is whoever gave the command, as they were when it came; zero is the house, and
	// whoever goes on with what they have begun.
	by access.Person
}

// MaxParts is the number of streams, at most, that one transaction appends to.
const MaxParts = 16

// Cause is the recorded request: the command as it was carried out, and its sender.
type Cause struct {
	By   string          `json:"by"`
	Role string          `json:"role"`
	At   string          `json:"at,omitempty"` // the table or jackpot
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// StreamAppend is the part of a transaction that is appended to one stream.
type StreamAppend struct {
	Stream string
	// After is the version that the stream must have: the number of events that
	// it holds.
	After int64
	// Events may be none: the transaction then concerns the stream, and belongs
	// to its history, without an event of it.
	Events []Event
	// Round is the number of the round that begins with these events, zero for
	// none. It is greater than that of any round before it in the stream.
	Round int
	// Snapshot is the state of the stream after these events, if it is to be kept, so that a
	// reader need not read all that came before.
	Snapshot []byte
	// Record is the hash of the record of a round that has ended, up to this transaction, in
	// hexadecimal digits. OfRound is the number of the round. Both are empty or zero for none.
	// At most one part of a transaction has one.
	Record  string
	OfRound int
	// Withheld reports, of a part that was read, that its events are not shown to whoever
	// reads it.
	Withheld bool
}

// Event is an event as it is stored. Its body is JSON as json.Marshal writes it, and
// is kept as it is.
type Event = stored.Event

// StoredEvent is an event as it is read back. Versions count from 1, and Seq is the number
// of its transaction.
type StoredEvent struct {
	Event
	Version   int64
	Seq, AtMs int64
}

// AppendResult is the outcome of a transaction.
type AppendResult struct {
	// Seq is the transaction's number. Numbers count from 1, in the order of the
	// record and without a gap.
	Seq int64
	Err error
}

// Receipt is a transaction that was recorded under a key.
type Receipt struct {
	Seq  int64
	AtMs int64
	// Input is the hash of what came with the key [InputOf].
	Input string
	Parts []StreamAppend
	// token returns what stands in the record for a name; nil where names stand for
	// themselves.
	token func(name string) string
}

// StoredTransaction is a transaction as it is read back, without its snapshots.
type StoredTransaction struct {
	Seq, AtMs int64
	Key       string
	Cause     Cause
	Parts     []StreamAppend
	Postings  []ledger.Posting
	// Withheld reports that the cause is not shown to whoever reads the transaction.
	Withheld bool
}

// Snapshot is the state of a stream when a transaction was recorded.
type Snapshot struct {
	Seq, Version int64
	Body         []byte
}

// RoundMark is the beginning of a round: the transaction, and the version of the stream before
// it.
type RoundMark struct {
	Round              int
	Seq, AtMs, Version int64
}

// Movement is the effect of one transaction on an account: the change, the balance after it,
// and the postings that touch it.
type Movement struct {
	Seq, AtMs    int64
	Delta, After money.Amount
	Cause        Cause
	Postings     []ledger.Posting
}

// Traced reports whether a store keeps the movements of the accounts of a kind.
// Those of layouts, wins, meters and reserves change with nearly every command, and follow from
// the transactions of their table or jackpot.
func Traced(k ledger.Kind) bool {
	switch k {
	case ledger.Layout, ledger.Win, ledger.Meter, ledger.Reserve:
		return false
	default:
		return true
	}
}

// Touching returns those of the postings that move money from or to an account.
func Touching(a ledger.Account, postings []ledger.Posting) (touching []ledger.Posting) {
	for i := range postings {
		if postings[i].From == a || postings[i].To == a {
			touching = append(touching, postings[i])
		}
	}
	return touching
}
