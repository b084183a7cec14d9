package house

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"trey/internal/ledger"
)

// Topic says what a [Subscription] hears of: a table, a jackpot, either of two if
// both are named, and everything if none is. A subscriber may name a table that does not exist
// yet, and receives its notices once it is installed.
type Topic struct {
	Table   string
	Jackpot string
	// Player is the player whose account moves. It stands alone.
	Player string
}

// Notice is a durable transaction as those who follow it see it. It is shared by
// all of them and never written to. What somebody may not know of it is out of reach.
type Notice struct {
	Seq, AtMs int64
	// Cause says who asked for what, without the command itself.
	Cause Cause
	// Table is the table concerned, empty for none, with its events, the round that it is in
	// and its state after them.
	Table  string
	Round  int
	Events []TableEvent
	State  State
	// Jackpot is the jackpot concerned, empty for none: what moved it, and how it
	// stands after it if it was moved.
	Jackpot string
	Moved   []JackpotEvent
	Meter   Meter
	// House are the kinds of the events of the house's own stream. Deal holds those of
	// the table's deals, which are public.
	House []string
	Deal  []Event

	ownEvents []Event  // those of the house's own stream
	players   []string // whose accounts move, for [Topic.Player]
}

// ErrSubscriberSlow ends a [Subscription] whose buffer was full: nobody waits for a reader.
var ErrSubscriberSlow = errors.New("subscriber too slow: read the missed events with EventsSince, then subscribe again")

// A Subscription receives transactions in the order of their numbers, each once, as soon as
// they are durable.
type Subscription struct {
	hub   *hub
	topic Topic
	from  int64
	last  int64 // the number last received, guarded by the hub
	most  int   // notices that wait

	mu sync.Mutex
	// waiting are the notices that nobody has taken yet. There may be many followers,
	// most of whom have none, so nothing is kept for what may come.
	waiting []*Notice
	ready   chan struct{} // holds one value when there may be something to take
	over    bool
	err     error
}

// Subscribe begins a subscription. It keeps as many notices as buffer allows, one at least, for
// a reader who is busy. A reader that falls further behind is disconnected with
// [ErrSubscriberSlow]. It must be closed. To receive everything since a number without a gap
// and without duplicates, first subscribe. Then read the past with [House.EventsSince]. Then
// skip the subscription's notices up to the last number of the past. A reader that is so far
// behind that its buffer fills up meanwhile reads the past once before it subscribes.
func (h *House) Subscribe(topic Topic, buffer int) *Subscription {
	return h.hub.subscribe(topic, buffer)
}

// Ready hands out a value when [Subscription.Next] may have something, or has come to its
// end.
func (f *Subscription) Ready() <-chan struct{} { return f.ready }

// Next takes the next notice: nil if there is none yet. It is no longer open when it was closed
// or disconnected or the house has stopped, and everything before that was taken;
// [Subscription.Err] says which.
func (f *Subscription) Next() (n *Notice, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) == 0 {
		return nil, !f.over
	}
	n, f.waiting[0] = f.waiting[0], nil
	f.waiting = f.waiting[1:]
	return n, true
}

// put has a notice wait. The hub is locked. It returns false if there is no room.
func (f *Subscription) put(n *Notice) (room bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) >= f.most {
		return false
	}
	f.waiting, f.last = append(f.waiting, n), n.Seq
	f.signal()
	return true
}

func (f *Subscription) signal() {
	select {
	case f.ready <- struct{}{}:
	default: // the reader is awake already
	}
}

// From returns the last sequence number published before the subscription began, or 0 if there
// was none since the house was opened. What the house shows after [House.Subscribe] includes
// it, so its reader may ask [House.EventsSince] for what comes after.
func (f *Subscription) From() int64 { return f.from }

// Close ends the subscription. It may be called more than once.
func (f *Subscription) Close() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.hub.end(f, nil)
}

// Err says why the subscription came to its end: [ErrSubscriberSlow], an error that wraps [ErrStopped], or nil
// after Close and while it is open.
func (f *Subscription) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// hub hands out what is durable. A transaction takes a ticket when it is queued, and the
// goroutine that waited for it completes it here. The waiting goroutines wake up in any order. The
// hub therefore keeps early transactions and hands them out in the order of the tickets, which
// is that of the record. Whoever comes early waits here for those before them: they are about
// to come, because all is durable up to the one that came.
type hub struct {
	mu            sync.Mutex
	next          uint64 // the ticket to be handed out next
	early         map[uint64]earlyOutcome
	subscriptions map[Topic]map[*Subscription]struct{}
	last          int64 // the transaction handed out last, or the last one that stood there when the house was opened
	stopped       error
	// recorded is the last transaction of the record when the house was opened, and
	// awaited are those who wait for all tickets before one.
	recorded int64
	awaited  map[uint64][]chan int64
}

// commitOutcome is the outcome of a ticket.
type commitOutcome struct {
	notice *Notice
	err    error
}

// earlyOutcome is one that came before those before it.
type earlyOutcome struct {
	commitOutcome
	out chan struct{} // closed when it is handed out
}

func newHub() *hub {
	return &hub{early: map[uint64]earlyOutcome{}, subscriptions: map[Topic]map[*Subscription]struct{}{}}
}

func (u *hub) subscribe(topic Topic, buffer int) *Subscription {
	f := &Subscription{hub: u, topic: topic, most: max(1, buffer), ready: make(chan struct{}, 1)}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stopped != nil {
		u.end(f, u.stopped)
		return f
	}
	f.from = u.last
	for _, key := range topic.keys() {
		if u.subscriptions[key] == nil {
			u.subscriptions[key] = map[*Subscription]struct{}{}
		}
		u.subscriptions[key][f] = struct{}{}
	}
	return f
}

// keys returns the topics of one thing each that make up this one.
func (t Topic) keys() []Topic {
	if t.Table != "" && t.Jackpot != "" {
		return []Topic{{Table: t.Table}, {Jackpot: t.Jackpot}}
	}
	return []Topic{t}
}

// end stops the notices of a subscription, once. The hub is locked.
func (u *hub) end(f *Subscription, why error) {
	f.mu.Lock()
	over := f.over
	if !over {
		f.over, f.err = true, why
		f.signal()
	}
	f.mu.Unlock()
	if over {
		return
	}
	for _, key := range f.topic.keys() {
		if delete(u.subscriptions[key], f); len(u.subscriptions[key]) == 0 {
			delete(u.subscriptions, key)
		}
	}
}

// complete hands out a ticket and those behind it that came early. It returns when all before it
// were completed too. Everybody then sees their effects, also where their goroutines wake up
// later than others. So nobody is answered who would then read, of something else, what was
// before.
func (u *hub) complete(ticket uint64, b commitOutcome) {
	u.mu.Lock()
	if ticket != u.next {
		early := earlyOutcome{b, make(chan struct{})}
		u.early[ticket] = early
		u.mu.Unlock()
		<-early.out
		return
	}
	defer u.mu.Unlock()
	for one, here := (earlyOutcome{commitOutcome: b}), true; here; {
		u.publish(one.commitOutcome)
		if one.out != nil {
			close(one.out)
		}
		u.next++
		for _, c := range u.awaited[u.next] {
			c <- max(u.last, u.recorded)
		}
		delete(u.awaited, u.next)
		if one, here = u.early[u.next]; here {
			delete(u.early, u.next)
		}
	}
}

// before returns a channel that receives one value when all tickets before the given one, the
// next to be given out, have been published. The value is the number of the last transaction of
// the record before it. The value is the number of the last transaction of the record before
// it. The books are locked.
func (u *hub) before(ticket uint64) <-chan int64 {
	c := make(chan int64, 1)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next == ticket {
		c <- max(u.last, u.recorded)
		return c
	}
	if u.awaited == nil {
		u.awaited = map[uint64][]chan int64{}
	}
	u.awaited[ticket] = append(u.awaited[ticket], c)
	return c
}

// publish hands one notice to all who follow it. After a transaction that failed
// nothing is known until the house is opened again, so all are sent away.
func (u *hub) publish(b commitOutcome) {
	if u.stopped != nil {
		return
	}
	if u.stopped = b.err; u.stopped != nil {
		for _, subscriptions := range u.subscriptions {
			for f := range subscriptions {
				u.end(f, u.stopped)
			}
		}
		return
	}
	n := b.notice
	u.last = n.Seq
	u.deliver(Topic{}, n)
	if n.Table != "" {
		u.deliver(Topic{Table: n.Table}, n)
	}
	if n.Jackpot != "" {
		u.deliver(Topic{Jackpot: n.Jackpot}, n)
	}
	for _, name := range n.players {
		u.deliver(Topic{Player: name}, n)
	}
}

func (u *hub) deliver(topic Topic, n *Notice) {
	for f := range u.subscriptions[topic] {
		if f.last == n.Seq {
			continue // it concerns two things that they follow, or moves one account twice
		}
		if !f.put(n) {
			u.end(f, ErrSubscriberSlow)
		}
	}
}

// ticket is a transaction queued at the store. Whoever holds it must bring it to an end by
// [House.awaitDurable]: the hub waits for every one.
type ticket struct {
	tx     *Transaction
	number uint64
	done   <-chan AppendResult
}

// awaitDurable waits until a transaction is durable, applies show to make its effect visible in
// the notice, and hands the notice out. If it was not recorded the house stops.
func (h *House) awaitDurable(t ticket, show func(*Notice)) (seq int64, err error) {
	res := <-t.done
	if res.Err != nil {
		err = h.stop(res.Err)
		h.hub.complete(t.number, commitOutcome{err: err})
		return 0, err
	}
	h.recorded(t)
	n := (&StoredTransaction{Seq: res.Seq, AtMs: t.tx.AtMs, Cause: t.tx.Cause, Parts: t.tx.Parts, Postings: t.tx.Postings}).notice()
	show(n)
	h.hub.complete(t.number, commitOutcome{notice: n})
	return res.Seq, nil
}

// fail ends the house because of its store, apart from any transaction, and lets those
// who follow it know.
func (h *House) fail(why error) error {
	err := h.stop(why)
	h.hub.mu.Lock()
	defer h.hub.mu.Unlock()
	h.hub.publish(commitOutcome{err: err})
	return err
}

// recorded publishes the balances after a transaction and after those before it. Transactions
// are recorded in the order of the tickets, and their waiters wake up in any order.
func (h *House) recorded(t ticket) {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	for h.firstInLine <= t.number {
		h.durable.Apply(h.inLine[0])
		h.inLine[0] = nil
		h.inLine = h.inLine[1:]
		h.firstInLine++
	}
}

// notice returns the notice of a transaction. A part without events marks a stream that is
// concerned.
func (e *StoredTransaction) notice() *Notice {
	n := &Notice{Seq: e.Seq, AtMs: e.AtMs, Cause: e.Cause}
	n.Cause.Body = nil // it may name cards
	for i := range e.Parts {
		n.concern(&e.Parts[i])
	}
	for i := range e.Postings {
		for _, a := range []ledger.Account{e.Postings[i].From, e.Postings[i].To} {
			if a.Kind == ledger.Player && !slices.Contains(n.players, a.Of) {
				n.players = append(n.players, a.Of)
			}
		}
	}
	return n
}

// published reports whether subscribers of the house receive a transaction. Streams that the
// house does not know belong to somebody else.
func (e *StoredTransaction) published() bool {
	for i := range e.Parts {
		switch kind, _, _ := strings.Cut(e.Parts[i].Stream, ":"); kind {
		case houseStream, tableKind, dealKind, jackpotKind, ProtectionStream:
			return true
		}
	}
	return len(e.Parts) == 0
}

// concern names the table or jackpot of a part, and keeps events that are handed
// out as they are stored. Streams that it does not name are the house's own: what
// stands in them is for nobody.
func (n *Notice) concern(p *StreamAppend) {
	kind, of, _ := strings.Cut(p.Stream, ":")
	switch kind {
	case houseStream:
		n.ownEvents = p.Events
		for i := range p.Events {
			n.House = append(n.House, p.Events[i].Kind)
		}
	case dealKind:
		n.Table, n.Deal = of, p.Events
	case tableKind:
		n.Table = of
	case jackpotKind:
		n.Jackpot = of
	}
}
