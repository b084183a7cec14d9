package house

import (
	"context"
	"encoding/json"
	"errors"

	"trey/internal/ledger"
	"trey/money"
)

// Store keeps what the house has done. It is safe for use by many goroutines.
type Store interface {
	// Append puts a transaction in line and returns at once. The channel
	// receives one value: when the transaction is durable, all of it, or when
	// nothing of it is recorded and never will be. Transactions are recorded in
	// the order of the calls of Append.
	//
	// ErrConflict says that a stream has not the version expected, and
	// ErrKeyUsed that the key was used before; the store goes on after either.
	// Any other error is the end of the store: every transaction behind it in
	// the line fails too, with ErrFailed, until it is opened again.
	Append(tx *Transaction) <-chan Done
	// Find returns what was recorded under a key, or ErrNotFound.
	Find(ctx context.Context, key string) (*Receipt, error)
	// Read hands out the events of a stream in order, those after a version,
	// and stops at the first error of yield, which it returns. A stream that
	// nobody wrote to is empty.
	Read(ctx context.Context, stream string, after int64, yield func(Record) error) error
	// Balances hands out what each account holds, in no order.
	Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) error
}

// The errors of a [Store].
var (
	// ErrConflict: a stream has another version than the transaction expects.
	ErrConflict = errors.New("somebody else wrote to this stream")
	// ErrKeyUsed: a transaction with this idempotency key is recorded.
	ErrKeyUsed = errors.New("this idempotency key was used before")
	// ErrNotFound: there is no transaction with this key.
	ErrNotFound = errors.New("nothing is recorded under this key")
	// ErrFailed: the store cannot write any more and must be opened again.
	ErrFailed = errors.New("the store has failed and takes no more")
)

// Transaction is what one command records: all of it or nothing.
type Transaction struct {
	// AtMs is when, in milliseconds of the house's clock.
	AtMs int64
	// Key is the idempotency key, empty for none, and Input the hash of what
	// came with it.
	Key   string
	Input [32]byte
	Cause Cause
	// Parts are at most MaxParts, each of another stream.
	Parts []Part
	// Postings move money, and Changes are what they do to each account.
	Postings []ledger.Posting
	Changes  []ledger.Change
}

// MaxParts is how many streams one transaction appends to at most.
const MaxParts = 16

// Cause is who asked for what: the command as it was carried out.
type Cause struct {
	By   string          `json:"by"`
	Role string          `json:"role"`
	At   string          `json:"at,omitempty"` // the table or jackpot
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Part is what a transaction appends to one stream.
type Part struct {
	Stream string
	// After is the version that the stream must have: the number of events that
	// it holds.
	After  int64
	Events []Event
}

// Event is an event as it is stored.
type Event struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// Record is an event as it is read back. Versions count from 1.
type Record struct {
	Event
	Version int64
	AtMs    int64
}

// Done is what became of a transaction.
type Done struct {
	// Seq is the transaction's number. Numbers rise in the order of the record;
	// there may be gaps.
	Seq int64
	Err error
}

// Receipt is a transaction that was recorded under a key.
type Receipt struct {
	Seq   int64
	AtMs  int64
	Input [32]byte
	Parts []Part
}
