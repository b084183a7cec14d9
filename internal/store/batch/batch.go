// Package batch keeps the line in which transactions wait for the one goroutine that
// writes them. It takes all that wait and records them in one durable write, so that the
// more tables play the less each of them waits.
package batch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/store/packed"
	"trey/internal/tree"
)

// Max is the most items in one write, so that the first of them does not
// wait for a long line behind it.
const Max = 512

// Item is a transaction as it will be written, or a change of the sessions, which wait in
// the same line.
type Item struct {
	// Sessions is nil for a transaction.
	Sessions *identity.SessionWrite
	kept     chan error

	Tx *house.Transaction
	// Line is what the transaction recorded, packed; Salt and Content are those of its
	// leaf.
	Line    []byte
	Salt    tree.Salt
	Content tree.Hash
	done    chan house.AppendResult
}

// Writer writes what waits in line. Its methods are called by one goroutine.
type Writer interface {
	// Record writes items durably, in their order, and puts what became of each
	// transaction into results. A transaction that meets [house.ErrConflict] or
	// [house.ErrKeyUsed] is left out and says so there, as [Refuse] does: behind one that is
	// binding all others are left out too. An error means that nothing is known of any of
	// them.
	Record(items []Item, results []house.AppendResult) error
	// Idle is called now and then while nothing waits, if the line was made with a
	// time for that.
	Idle() error
}

// errBehind: a transaction was refused upon which those behind it were decided.
var errBehind = errors.New("a transaction upon which others were decided was refused")

// Refuse notes in the results that an item is refused. It reports whether that ends the line:
// then those behind it are refused with it.
func Refuse(items []Item, results []house.AppendResult, i int, why error) (ends bool) {
	results[i] = house.AppendResult{Err: why}
	if !items[i].Tx.Binding {
		return false
	}
	for k := i + 1; k < len(items); k++ {
		results[k] = house.AppendResult{Err: fmt.Errorf("%w: %w: %w", house.ErrFailed, errBehind, why)}
	}
	return true
}

// ended returns why the line has ended with a batch that was recorded, nil if it has not.
func ended(batch []Item, results []house.AppendResult) error {
	for i := range batch {
		if batch[i].Tx != nil && batch[i].Tx.Binding && results[i].Err != nil {
			return fmt.Errorf("%w: %w", errBehind, results[i].Err)
		}
	}
	return nil
}

// Line holds what waits for the writer. It is safe for use by many goroutines.
type Line struct {
	writer Writer
	idle   time.Duration

	mu      sync.Mutex
	waiting []Item
	failed  error
	closed  bool
	wake    chan struct{} // holds one value while the line may not be empty
	done    chan struct{} // closed when the writer has ended
	broken  chan struct{} // closed when the line takes no more
}

// Start returns the line before a writer. Idle is after how much time without a write the
// writer is called all the same; zero is never.
func Start(w Writer, idle time.Duration) *Line {
	l := &Line{writer: w, idle: idle, wake: make(chan struct{}, 1), done: make(chan struct{}), broken: make(chan struct{})}
	go l.run()
	return l
}

// Broken returns a channel that is closed when the line takes no more.
func (l *Line) Broken() <-chan struct{} { return l.broken }

// Close waits for what is in line. Nothing is taken any more.
func (l *Line) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.nudge()
	<-l.done
}

// fail ends the line. It is locked.
func (l *Line) fail(why error) {
	if l.failed == nil {
		l.failed = fmt.Errorf("%w: %w", house.ErrFailed, why)
		close(l.broken)
	}
}

// end ends the line and returns the error for those in it.
func (l *Line) end(why error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(why)
	return l.failed
}

func (l *Line) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Append puts a transaction in line.
func (l *Line) Append(tx *house.Transaction) <-chan house.AppendResult {
	w := Item{Tx: tx, done: make(chan house.AppendResult, 1)}
	l.enter(w, w.encode())
	return w.done
}

// WriteSessions puts a change of the sessions in line, behind and before the
// transactions and in the same durable writes.
func (l *Line) WriteSessions(change identity.SessionWrite) <-chan error {
	w := Item{Sessions: &change, kept: make(chan error, 1)}
	l.enter(w, nil)
	return w.kept
}

// enter puts something in line, if it can be written.
func (l *Line) enter(w Item, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.fail(errors.New("it is closed"))
	}
	if err != nil {
		// The caller may have decided upon this transaction already.
		l.fail(err)
	}
	if l.failed != nil {
		w.answer(house.AppendResult{Err: l.failed})
		return
	}
	l.waiting = append(l.waiting, w)
	l.nudge()
}

// answer sends the result to the goroutine that waits for it.
func (w *Item) answer(done house.AppendResult) {
	if w.Sessions != nil {
		w.kept <- done.Err
		return
	}
	w.done <- done
}

// texts are where transactions are written down before they are packed.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// maxText is the longest text whose buffer is kept for the next one, in bytes.
const maxText = 64 << 10

// NewItem returns an item for a writer that is called without a line.
func NewItem(tx *house.Transaction) (Item, error) {
	w := Item{Tx: tx}
	return w, w.encode()
}

// encode writes the transaction down and works out what its leaf says of it, before it
// waits for the writer, who only puts it into the tree.
func (w *Item) encode() error {
	line, err := house.NewLine(w.Tx)
	if err != nil {
		return err
	}
	kept := texts.Get().(*[]byte)
	defer texts.Put(kept)
	text := line.Append((*kept)[:0])
	w.Line = packed.Pack(nil, text)
	rand.Read(w.Salt[:tree.DrawnBytes]) //nolint:errcheck // it never fails
	w.Content = line.Content(w.Salt)
	if cap(text) <= maxText {
		*kept = text
	}
	return nil
}

// next waits until something may be in line, and calls the writer meanwhile.
func (l *Line) next() {
	if l.idle == 0 {
		<-l.wake
		return
	}
	for {
		select {
		case <-l.wake:
			return
		case <-time.After(l.idle):
		}
		if l.failure() == nil {
			if err := l.writer.Idle(); err != nil {
				_ = l.end(err)
			}
		}
	}
}

func (l *Line) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// run writes the batches; it is a goroutine of its own.
func (l *Line) run() {
	defer close(l.done)
	var batch []Item
	results := make([]house.AppendResult, Max)
	for {
		l.next()
		for {
			l.mu.Lock()
			n := min(len(l.waiting), Max)
			batch = append(batch[:0], l.waiting[:n]...)
			l.waiting = slices.Delete(l.waiting, 0, n)
			closed, failed := l.closed, l.failed
			l.mu.Unlock()
			if n == 0 {
				if closed {
					return
				}
				break
			}
			if failed == nil {
				if err := l.writer.Record(batch, results[:n]); err != nil {
					failed = l.end(err)
				} else if err := ended(batch, results); err != nil {
					_ = l.end(err) // what was recorded before the refusal is recorded
				}
			}
			for i := range batch {
				if failed != nil {
					results[i] = house.AppendResult{Err: failed}
				}
				batch[i].answer(results[i])
			}
			clear(batch) // nothing that is recorded is kept for it
			// Those who were waiting go first: what they ask for next then comes
			// into one write, instead of the first of it into one of its own.
			runtime.Gosched()
		}
	}
}
