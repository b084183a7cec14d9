package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"trey/internal/house"
	"trey/internal/house/significant"
	"trey/internal/notary"
)

// Sink is the other machine.
type Sink interface {
	// Send returns nil once the other machine has taken a batch. It ends in a bounded
	// time, whatever the other machine does.
	Send(ctx context.Context, b *Batch) error
}

// Config holds the parts that a forwarder works with.
type Config struct {
	Record significant.Record
	Notary *notary.Notary
	Sink   Sink
	// Address names the other machine. Another one is sent everything from the beginning.
	Address string
	// NowMs is the clock of the house.
	NowMs func() int64
	// LateMs is after how long a delay is significant itself: Late records it then.
	LateMs int64
	Late   func(ctx context.Context, through, sinceMs int64) error
	Log    *slog.Logger
	// Pause is the time between two reads of the record, and after the first failure; 0 is a
	// second.
	Pause time.Duration
}

// The bounds of a batch and of one read of the record. A batch has whole transactions, and one at
// least.
const (
	maxEvents       = 200
	maxBytes        = 256 << 10
	maxTransactions = 10_000
)

// quietMs is after how long a batch without an event is sent if none had to be reported:
// it says that there was none.
const quietMs = 10 * 60 * 1000

// maxPauses limits how long a pause becomes after failures, as a multiple of the first.
const maxPauses = 60

// cursorFile, beside the signing key, says what the other machine has taken.
const cursorFile = "significant-sent"

// cursor is the content of the file that holds the forwarder's position.
type cursor struct {
	Address string `json:"address"`
	Tree    string `json:"tree"`
	// Through is the last transaction of the last batch that was taken, at SentMs; without
	// one, SentMs is when the first was to be sent.
	Through int64 `json:"through"`
	SentMs  int64 `json:"sent_ms"`
}

// Forwarder sends what the register holds, batch after batch.
type Forwarder struct {
	Config
	taken cursor
	// read is the last transaction that was read.
	read int64
	// waiting is the batch that is being sent, nil for none.
	waiting *Batch
	// sinceMs is when the forwarder began: what waited before, while the house was closed,
	// is no delay. late reports whether the delay that there is was recorded.
	sinceMs int64
	late    bool

	// mu guards what the metrics show.
	mu sync.Mutex
	// oldestMs is the time of the oldest event that waits, 0 for none.
	oldestMs       int64
	sent, failures int64
}

// New returns a forwarder that goes on where the last one ended. A place that was kept
// for another machine or another tree, or that nobody can read, is none: everything is
// sent from the beginning.
func New(c Config) (*Forwarder, error) {
	f := &Forwarder{Config: c, sinceMs: c.NowMs()}
	if f.Pause == 0 {
		f.Pause = time.Second
	}
	text, err := c.Notary.Kept(cursorFile)
	if err != nil {
		return nil, fmt.Errorf("the file that notes which significant events were sent cannot be read: %w", err)
	}
	last := c.Notary.Last()
	err = json.Unmarshal(text, &f.taken)
	if err != nil || f.taken.Address != c.Address || f.taken.Tree != last.Name || f.taken.Through < 0 || f.taken.Through >= last.Size {
		if len(text) > 0 {
			c.Log.Warn("the significant events are sent from the first on: what was sent before was sent to another address or for another record", "address", c.Address)
		}
		f.taken = cursor{Address: c.Address, Tree: last.Name, SentMs: c.NowMs()}
		if err := f.keep(); err != nil {
			return nil, err
		}
	}
	f.read = f.taken.Through
	return f, nil
}

func (f *Forwarder) keep() error {
	text, err := json.Marshal(f.taken)
	if err != nil {
		return err
	}
	if err := f.Notary.Keep(cursorFile, append(text, '\n')); err != nil {
		return fmt.Errorf("keep what was sent of the significant events: %w", err)
	}
	return nil
}

// Run sends until the context ends. It says in the log when it falls behind and when it
// has caught up.
func (f *Forwarder) Run(ctx context.Context) {
	failed := 0
	for ctx.Err() == nil {
		more, err := f.step(ctx)
		pauses := 1
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pauses = min(1<<min(failed, maxPauses), maxPauses)
			failed++
			f.behind(ctx, failed == 1, err)
		case failed > 0:
			failed = 0
			f.Log.Warn("the significant events are sent again", "through", f.taken.Through)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(pauses) * f.Pause):
		}
	}
}

// step reads on in the record or sends what waits. It reports whether there is more to do at once.
func (f *Forwarder) step(ctx context.Context) (more bool, err error) {
	if f.waiting == nil {
		if more, err = f.look(ctx); err != nil || f.waiting == nil {
			return more, err
		}
	}
	if err := f.Sink.Send(ctx, f.waiting); err != nil {
		return false, err
	}
	f.slow(ctx)
	f.taken.Through, f.taken.SentMs = f.waiting.Through, f.NowMs()
	f.count(func() { f.sent, f.oldestMs = f.sent+int64(len(f.waiting.Lines)), 0 })
	f.waiting = nil
	// If the place is not kept the next one is, or the batch is sent once more.
	return true, f.keep()
}

// look reads on in the record, as far as a signed checkpoint covers it, and makes a
// batch if there is something to send.
func (f *Forwarder) look(ctx context.Context) (more bool, err error) {
	last := f.Notary.Last()
	b := &Batch{Tree: last.Name, From: f.taken.Through + 1, Through: f.read, Head: last.Head}
	var oldestMs int64
	size := 0
	errEnough := errors.New("this is enough for one batch")
	err = f.Record.ReadAll(ctx, f.read, "", func(e house.StoredTransaction) error {
		if e.Seq >= last.Size {
			return errEnough
		}
		if len(b.Lines) >= maxEvents || size >= maxBytes || e.Seq > f.read+maxTransactions {
			more = true
			return errEnough
		}
		events, err := significant.Of(&e)
		if err != nil {
			return err
		}
		for i := range events {
			line, err := json.Marshal(&events[i])
			if err != nil {
				return err
			}
			b.Lines, size = append(b.Lines, string(line)), size+len(line)
			if oldestMs == 0 {
				oldestMs = events[i].AtMs
			}
		}
		b.Through = e.Seq
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, fmt.Errorf("the significant events cannot be read: %w", err)
	}
	quiet := len(b.Lines) == 0
	if quiet && (more || b.Through < b.From || f.NowMs()-f.taken.SentMs < quietMs) {
		f.read = b.Through
		return more, nil
	}
	if err := b.sign(f.Notary); err != nil {
		return false, err
	}
	if quiet {
		oldestMs = f.NowMs()
	}
	f.count(func() { f.oldestMs = oldestMs })
	f.read, f.waiting = b.Through, b
	return more, nil
}

// behind logs that events wait, and records it once they have waited for long.
func (f *Forwarder) behind(ctx context.Context, first bool, why error) {
	f.count(func() { f.failures++ })
	sinceMs := max(f.oldest(), f.taken.SentMs)
	waitedMs := f.NowMs() - sinceMs
	if first {
		f.Log.Error("the significant events cannot be sent: the house goes on and tries again", "address", f.Address, "through", f.taken.Through, "why", why)
	}
	if waitedMs < f.LateMs {
		return
	}
	f.Log.Error("the significant events wait for long to be sent", "address", f.Address, "through", f.taken.Through, "behind", time.Duration(f.behindMs())*time.Millisecond, "why", why)
	f.recordLate(ctx, sinceMs)
}

// slow records a delay where the other machine takes what it is sent, but too slowly: no
// attempt fails then. It is one delay until a batch is taken in time.
func (f *Forwarder) slow(ctx context.Context) {
	sinceMs := max(f.oldest(), f.sinceMs)
	switch {
	case f.NowMs()-sinceMs < f.LateMs:
		f.late = false
	case !f.late:
		f.Log.Error("the significant events are sent too slowly", "address", f.Address, "through", f.taken.Through, "behind", time.Duration(f.behindMs())*time.Millisecond)
		f.recordLate(ctx, sinceMs)
	}
}

// recordLate records that events wait since a moment.
func (f *Forwarder) recordLate(ctx context.Context, sinceMs int64) {
	f.late = true
	if err := f.Late(ctx, f.taken.Through, sinceMs); err != nil && ctx.Err() == nil {
		f.Log.Error("a significant event could not be recorded", "why", err)
	}
}

func (f *Forwarder) count(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *Forwarder) oldest() (ms int64) {
	f.count(func() { ms = f.oldestMs })
	return ms
}

// behindMs returns the age of the oldest event that waits, 0 for none.
func (f *Forwarder) behindMs() int64 {
	oldest := f.oldest()
	if oldest == 0 {
		return 0
	}
	return max(0, f.NowMs()-oldest)
}

// Collectors returns the metrics of the forwarder.
func (f *Forwarder) Collectors() []prometheus.Collector {
	counted := func(n *int64) func() float64 {
		return func() (value float64) {
			f.count(func() { value = float64(*n) })
			return value
		}
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "trey_significant_behind_seconds", Help: "How old the oldest significant event is that waits to be sent to another machine; 0 if none waits.",
		}, func() float64 { return float64(f.behindMs()) / 1000 }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "trey_significant_sent_total", Help: "Significant events that another machine has taken.",
		}, counted(&f.sent)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "trey_significant_failures_total", Help: "Attempts to send significant events that failed.",
		}, counted(&f.failures)),
	}
}
