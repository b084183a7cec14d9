package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/table"
)

// The times of the machines, those of package postgres.
const (
	leaseMs       = 3_000
	doorSilenceMs = 2_000
	silenceMs     = 4_000
	pollMs        = 200
	beatMs        = 500
	outOfTouchMs  = 2_000
	awaitMs       = 1_000
	retryMs       = 100
)

type nodeState uint8

const (
	down nodeState = iota
	opening
	door
	writing
	halted
)

// node is a process of the house: a door, and the writer while it holds the lease.
type node struct {
	*cluster
	name  string
	state nodeState
	// life counts its beginnings: what an earlier one has begun is over.
	life     int
	pausedMs int64 // until when it is stopped
	cutMs    int64 // until when it is cut off from the database
	// writes, reads and confirms are its connections, nil for none.
	writes, reads, confirms *server

	record *replica
	house  *house.House
	people *identity.Directory
	// last is the last transaction that it knows, for good: a record without it is not gone
	// on with.
	last   *written
	lastAt int

	// Of the writer.
	epoch      int64
	held       int64
	store      *queue
	autodealer *autodealer.Autodealer
	heardMs    int64
	committing bool
	inbox      []*arrival
	inflight   []*queued // sent to the database, and not answered
	flights    map[*floorTable]int
	running    int

	// Of a door.
	seq       int
	sessions  int
	touchedMs int64
	beatAtMs  int64
	sleeping  bool
	turn      int
	follows   *node // the writer as the door knows it
	awaited   []*awaiting
	streamers []*streamer
}

// awaiting is a read that waits for a transaction.
type awaiting struct {
	seq  int
	then func(there bool)
}

// queued is a transaction in line at the writer.
type queued struct {
	tx     *house.Transaction
	done   chan house.AppendResult
	result house.AppendResult
	flight *landing
}

// landing is a command that the house carries out.
type landing struct {
	*request
	done  chan outcome
	reply func(o outcome, seq int)
}

// arrival is a command that waits at the writer for its table.
type arrival struct {
	*request
	reply func(o outcome, seq int)
}

// queue is the store of the writer as the house has it: what it appends waits for the
// database, and what is read is durable.
type queue struct {
	*memory.Store
	n         *node
	line      []*queued
	arrived   chan struct{}
	immediate bool
	failed    error

	mu sync.Mutex
}

// Append puts a transaction in line.
func (s *queue) Append(tx *house.Transaction) <-chan house.AppendResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &queued{tx: tx, done: make(chan house.AppendResult, 1)}
	if s.failed != nil {
		q.done <- house.AppendResult{Err: s.failed}
		return q.done
	}
	if s.n.sabotage != nil {
		s.n.sabotage(tx)
	}
	s.line = append(s.line, q)
	switch {
	case s.immediate:
		s.n.commitNow()
	case len(tx.Names) > 0: // another one comes right behind it
	default:
		s.arrived <- struct{}{}
	}
	return q.done
}

// WriteSessions has the database write a change of sessions.
func (s *queue) WriteSessions(w identity.SessionWrite) <-chan error {
	done := make(chan error, 1)
	if s.failed == nil && !s.n.atOnce(func(db *server) bool {
		r := db.now()
		if r.epoch != s.n.epoch {
			return false
		}
		db.sessions = append(db.sessions, w)
		r.sessions = len(db.sessions)
		db.log = append(db.log, r)
		return true
	}) {
		s.fail()
	}
	if s.failed != nil {
		done <- s.failed
		return done
	}
	s.n.sessions++
	return s.Store.WriteSessions(w)
}

func (s *queue) fail() { s.failed = fmt.Errorf("%w: %w", house.ErrFailed, errNoAnswer) }

// idle reports whether nothing is under way at the writer.
func (n *node) idle() bool { return n.running == 0 && len(n.store.line) == 0 && !n.committing }

// atOnce has the database carry something out within this moment. It reports whether that
// was acknowledged.
func (n *node) atOnce(do func(db *server) bool) bool {
	db := n.writes
	if db == nil {
		db = n.connected()
		n.writes = db
	}
	fate := 2
	if !n.calm() {
		fate = n.rng.IntN(150)
	}
	if db.ended || db.replaced || n.cutMs > n.nowMs || fate == 0 {
		n.writes = nil
		return false
	}
	before := len(db.log)
	if !do(db) {
		return false
	}
	if db.awayMs > n.nowMs {
		fate = 1
	}
	if fate == 1 {
		commits := len(db.log)
		n.after(5, func() { n.copy(db, commits) })
		return false // nobody hears of it
	}
	if len(db.log) > before {
		n.copy(db, len(db.log))
	}
	n.heardMs = n.nowMs
	return true
}

// commitNow writes what is in line within this moment.
func (n *node) commitNow() {
	s := n.store
	batch := s.line
	s.line = nil
	there := n.atOnce(func(db *server) bool { return db.record(n.cluster, n, len(n.record.txs), batch) > 0 })
	if !there {
		s.fail()
	}
	for _, q := range batch {
		if there {
			n.accept(q)
		} else {
			q.result = house.AppendResult{Err: s.failed}
		}
		q.done <- q.result
	}
}

// accept takes in a transaction that the database has acknowledged.
func (n *node) accept(q *queued) {
	if q.result.Err != nil {
		return
	}
	t := &written{q.tx, n.epoch, n}
	if err := n.record.add(t); err != nil {
		n.broken("the writer and the database differ", "%s: %v", n.name, err)
	}
	n.last, n.lastAt = t, len(n.record.txs)
}

// start begins the process: as a door, which becomes the writer when nobody is.
func (c *cluster) start(n *node) {
	if n.state == halted {
		return
	}
	n.life++
	n.state = opening
	n.writes, n.reads, n.confirms = nil, nil, nil
	n.house, n.people, n.store, n.autodealer = nil, nil, nil, nil
	n.flights, n.inbox, n.running, n.committing = map[*floorTable]int{}, nil, 0, false
	n.touchedMs, n.beatAtMs, n.follows = 0, 0, nil
	n.openDoor()
	c.on(n, 20, n.tryLease)
}

// end ends whatever the process does. Nobody hears anything of what was under way but by a
// reply, if it is alive.
func (n *node) end(alive bool) {
	if s := n.store; s != nil {
		if s.failed == nil {
			s.fail()
		}
		flights := map[*landing]bool{}
		for _, q := range append(slices.Clone(n.inflight), s.line...) {
			q.done <- house.AppendResult{Err: s.failed}
			if q.flight != nil {
				flights[q.flight] = true
			}
		}
		s.line, n.inflight = nil, nil
		for f := range flights {
			select {
			case o := <-f.done:
				_ = o // the outcome of any of these is unknown
			case <-time.After(patience):
				n.broken("a command hangs", "%s is not answered when the writer ends", f.request)
			}
		}
		if alive {
			for _, f := range sortedFlights(flights) {
				f.reply(outcome{err: house.ErrFailed}, 0)
			}
			for _, a := range n.inbox {
				a.reply(outcome{err: house.ErrFailed}, 0)
			}
		}
		n.held = n.epoch
	}
	for _, s := range n.streamers {
		s.lose()
	}
	for _, a := range n.awaited {
		a.then(false)
	}
	n.streamers, n.awaited, n.store, n.inbox = nil, nil, nil, nil
	n.life++
	n.state, n.sleeping = down, false
}

func sortedFlights(of map[*landing]bool) (all []*landing) {
	for f := range of {
		all = append(all, f)
	}
	slices.SortFunc(all, func(x, y *landing) int { return x.number - y.number })
	return all
}

// reopen begins anew within the same process.
func (n *node) reopen(delayMs int64) {
	n.end(true)
	n.on(n, delayMs, func() { n.start(n) })
}

// halt ends the process for good: a person has to look into it.
func (n *node) halt(format string, args ...any) {
	n.note("%s halts: %s", n.name, fmt.Sprintf(format, args...))
	n.outcomes["machines: a machine halts"]++
	n.end(true)
	n.state = halted
	n.haltedBy = append(n.haltedBy, n)
}

// lacks reports whether a record lacks what this process knows.
func (n *node) lacks(txs []*written) bool {
	return n.lastAt > 0 && !n.plant.olderHead && (len(txs) < n.lastAt || !txs[n.lastAt-1].same(n.last))
}

// tryLease asks for the lease, again and again.
func (n *node) tryLease() {
	got, epoch, begun := false, int64(0), n.nowMs
	var txs []*written
	var sessions []identity.SessionWrite
	n.ask(n, &n.writes, silenceMs, func(s *server) int {
		r := s.now()
		free := r.untilMs <= n.nowMs || n.held > 0 && r.epoch == n.held
		if !free {
			return 0
		}
		if r.untilMs > 0 && r.holder != n {
			n.outcomes["machines: another machine takes the writer's place"]++
		}
		r.epoch, r.holder, r.untilMs = r.epoch+1, n, n.nowMs+leaseMs
		epoch, got = r.epoch, true
		commits := n.commit(s, r)
		txs, sessions = s.txs[:r.txs:r.txs], s.sessions[:r.sessions:r.sessions]
		return commits
	}, func(err error) {
		if late := n.nowMs-begun > leaseMs; err != nil || !got || late {
			if got && err == nil {
				n.outcomes["machines: a lease comes late"]++
				n.held = epoch // it is free for this machine, unless another one has it meanwhile
			}
			n.on(n, leaseMs/10, n.tryLease)
			return
		}
		n.lead(epoch, txs, sessions)
	})
}

// lead opens the house as its writer.
func (n *node) lead(epoch int64, txs []*written, sessions []identity.SessionWrite) {
	if n.lacks(txs) {
		n.halt("the record ends with transaction %d, and %d was read", len(txs), n.lastAt)
		return
	}
	n.end(false)
	n.epoch, n.state = epoch, opening
	n.flights, n.running, n.committing = map[*floorTable]int{}, 0, false
	n.record, n.heardMs, n.sessions = n.newReplica(txs, sessions), n.nowMs, len(sessions)
	if len(txs) > 0 {
		n.last, n.lastAt = txs[len(txs)-1], len(txs)
	}
	n.store = &queue{Store: n.record.store, n: n, arrived: make(chan struct{}, 16), immediate: true}
	var err error
	n.house, _, err = house.Open(context.Background(), n.store, house.World{
		NowMs: n.clock, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: func() shuffle.Seed { return n.decks() }, Software: "trey simulated",
	})
	if err == nil {
		n.people, err = n.openPeople(n.store, n.store, false)
	}
	if n.store.failed != nil {
		n.reopen(50)
		return
	}
	if err != nil {
		n.broken("the house cannot be opened", "%s: %v", n.name, err)
	}
	n.autodealer = autodealer.New(n.house, n.clock, slog.New(slog.DiscardHandler))
	n.store.immediate = false
	n.state = writing
	n.outcomes["machines: a machine becomes the writer"]++
	n.note("%s becomes the writer in epoch %d, with %d transactions", n.name, n.epoch, len(txs))
	n.confirm()
	n.every(leaseMs/3, n.renew)
	n.every(100, n.drive)
}

func (n *node) clock() int64 { return n.nowMs }

func (n *node) openPeople(record house.Store, sessions identity.SessionStore, reading bool) (*identity.Directory, error) {
	return identity.Open(context.Background(), identity.World{
		Record: record, Sessions: sessions, NowMs: n.clock, Random: n.chance, MaxGuests: 5, OnePerson: true, Reading: reading,
		Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
}

// every does something again and again in this life.
func (n *node) every(ms int64, do func()) {
	life := n.life
	n.on(n, ms, func() {
		do()
		if n.life == life {
			n.every(ms, do)
		}
	})
}

// renew puts off the end of the lease.
func (n *node) renew() {
	if n.committing {
		return
	}
	lost := false
	n.ask(n, &n.writes, silenceMs, func(s *server) int {
		r := s.now()
		if lost = r.epoch != n.epoch; lost {
			return 0
		}
		r.untilMs = n.nowMs + leaseMs
		return n.commit(s, r)
	}, func(err error) {
		if n.state != writing {
			return
		}
		if err != nil || lost {
			n.reopen(20)
			return
		}
		n.heardMs = n.nowMs
	})
}

// confirm writes down what is durable, and wakes up the doors.
func (n *node) confirm() {
	through, sessions, former := len(n.record.txs), n.sessions, false
	n.ask(n, &n.confirms, silenceMs, func(s *server) int {
		r := s.now()
		if former = r.epoch != n.epoch; former {
			return 0 // a former server may have other transactions under the same numbers
		}
		r.confirmed, r.confirmedSessions = max(r.confirmed, min(through, r.txs)), max(r.confirmedSessions, min(sessions, r.sessions))
		n.commit(s, r) // it waits for nobody
		for _, d := range n.nodes {
			if d.reads == s && !n.plant.lostWakeUp {
				n.on(d, int64(1+n.rng.IntN(3)), d.wake)
			}
		}
		return 0
	}, func(err error) {
		if former {
			n.confirms = nil
		}
		if (err != nil || former) && n.state == writing {
			n.on(n, retryMs, n.confirm)
		}
	})
}

// drive lets the house run its automatic tables.
func (n *node) drive() {
	if n.state != writing || !n.idle() {
		return
	}
	n.now(func() {
		if _, _, err := n.autodealer.Step(context.Background()); err != nil && n.store.failed == nil {
			n.broken("the autodealer", "%v", err)
		}
	})
}

// now does something at the writer whose transactions are written within this moment.
func (n *node) now(do func()) {
	before := len(n.record.txs)
	n.store.immediate = true
	do()
	n.store.immediate = false
	if n.store.failed != nil {
		n.reopen(20)
		return
	}
	if len(n.record.txs) > before {
		n.took()
		n.confirm()
	}
}

// arrive takes a command to the writer's house.
func (n *node) arrive(r *request, reply func(o outcome, seq int)) {
	n.inbox = append(n.inbox, &arrival{r, reply})
	n.admit()
}

// admit begins what waits for no table.
func (n *node) admit() {
	var still []*arrival
	for i, a := range n.inbox {
		if n.state != writing {
			still = append(still, n.inbox[i:]...)
			break
		}
		if n.flights[a.at] > 0 {
			still = append(still, a)
			continue
		}
		n.launch(a)
	}
	if n.state == writing {
		n.inbox = still
		n.flush()
	}
}

// launch has the house carry out a command until it waits for the database.
func (n *node) launch(a *arrival) {
	f := &landing{request: a.request, done: make(chan outcome, 1), reply: a.reply}
	n.flights[a.at]++
	n.running++
	n.world.house = n.house
	go func() { f.done <- n.carry(f.request) }()
	n.advance(f)
}

// advance waits until a command is answered or in line.
func (n *node) advance(f *landing) {
	select {
	case <-n.store.arrived:
		for _, q := range n.store.line {
			if q.flight == nil && len(q.tx.Names) == 0 { // nobody waits for a name alone
				q.flight = f
			}
		}
	case o := <-f.done:
		n.flights[f.at]--
		n.running--
		f.reply(o, len(n.record.txs))
	case <-time.After(patience):
		n.broken("a command hangs", "%s neither waits for the database nor is answered", f.request)
	}
}

// flush sends what is in line to the database, with what comes in the next moment.
func (n *node) flush() {
	if len(n.store.line) == 0 || n.committing {
		return
	}
	n.committing = true
	n.on(n, int64(1+n.rng.IntN(4)), func() {
		batch := n.store.line
		n.store.line, n.inflight = nil, batch
		commits := 0
		n.ask(n, &n.writes, silenceMs, func(s *server) int {
			commits = s.record(n.cluster, n, len(n.record.txs), batch)
			return commits
		}, func(err error) {
			if err != nil || commits == 0 {
				n.outcomes["machines: a commit is not acknowledged"]++
				n.reopen(20)
				return
			}
			n.heardMs, n.inflight, n.committing = n.nowMs, nil, false
			for _, q := range batch {
				n.accept(q)
				q.done <- q.result
				if q.flight != nil {
					n.advance(q.flight)
				}
			}
			if n.house.Fault() != nil {
				n.reopen(20)
				return
			}
			n.took()
			n.confirm()
			n.admit()
		})
	})
}

// took hands out what the house has come to.
func (n *node) took() {
	for _, s := range n.streamers {
		s.hear()
	}
	var still []*awaiting
	for _, a := range n.awaited {
		if a.seq <= n.through() {
			a.then(true)
		} else {
			still = append(still, a)
		}
	}
	n.awaited = still
}

// through returns the last transaction that a process shows.
func (n *node) through() int { return len(n.record.txs) }

// openDoor opens the house for reading.
func (n *node) openDoor() {
	var txs []*written
	var sessions []identity.SessionWrite
	var r rows
	n.ask(n, &n.reads, doorSilenceMs, func(s *server) int {
		r = s.read()
		txs, sessions = s.txs[:r.txs:r.txs], s.sessions[:r.sessions:r.sessions]
		if n.plant.replicaReads {
			return 0
		}
		return n.commit(s, s.now()) // it is the server that counts
	}, func(err error) {
		if err != nil {
			n.on(n, retryMs, n.openDoor)
			return
		}
		if n.lacks(txs) && !n.plant.replicaReads {
			n.halt("the record ends with transaction %d, and %d was read", len(txs), n.lastAt)
			return
		}
		n.record, n.sessions = n.newReplica(txs, sessions), len(sessions)
		n.seq = len(txs)
		if n.house, err = house.OpenReading(context.Background(), n.record.store, house.World{NowMs: n.clock, PlayMoney: true, Software: "trey simulated"}); err == nil {
			n.people, err = n.openPeople(n.record.store, n.record.store, true)
		}
		if err != nil {
			n.broken("the house cannot be read", "%s: %v", n.name, err)
		}
		opened := n.nowMs
		n.follow()
		n.every(100, func() {
			switch {
			case n.state == opening && n.touchedMs > 0:
				n.state = door
				n.outcomes["machines: a door opens"]++
			case n.state == door && n.nowMs-n.touchedMs > outOfTouchMs, n.state == opening && n.nowMs-opened > 5*outOfTouchMs:
				if n.plant.replicaReads || n.plant.lostWakeUp {
					return // it thinks that it is in touch
				}
				n.outcomes["machines: a door is out of touch"]++
				n.reopen(retryMs)
			case n.state == door && n.plant.doubleCroupier:
				n.driveToo()
			}
		})
	})
}

func (n *node) wake() {
	if n.sleeping {
		n.sleeping = false
		n.turn++
		n.follow()
	}
}

// sleep waits until the door is woken up, or for a while.
func (n *node) sleep() {
	n.sleeping = true
	if n.plant.lostWakeUp {
		return
	}
	n.turn++
	turn := n.turn
	n.on(n, pollMs, func() {
		if n.sleeping && n.turn == turn {
			n.wake()
		}
	})
}

// follow reads what the record has come to, with a proof that the server is the one that
// counts.
func (n *node) follow() {
	begun := n.nowMs
	if begun-n.beatAtMs < beatMs || n.plant.replicaReads {
		n.next(begun, n.plant.replicaReads)
		return
	}
	n.ask(n, &n.reads, doorSilenceMs, func(s *server) int { return n.commit(s, s.now()) }, func(err error) {
		if err != nil {
			n.beatAtMs = 0
			n.on(n, retryMs, n.follow)
			return
		}
		n.beatAtMs = begun
		n.next(begun, true)
	})
}

// next reads and takes in what is confirmed.
func (n *node) next(begun int64, proven bool) {
	const page = 40
	var r, all rows
	var txs []*written
	var sessions []identity.SessionWrite
	var same bool
	n.ask(n, &n.reads, doorSilenceMs, func(s *server) int {
		r, all = s.read(), s.now()
		r.confirmed, r.confirmedSessions = min(all.confirmed, r.txs), min(all.confirmedSessions, r.sessions)
		if n.plant.replicaReads {
			r = all
			r.confirmed, r.confirmedSessions = r.txs, r.sessions
		}
		if same = n.seq == 0 || len(s.txs) >= n.seq && s.txs[n.seq-1].same(n.record.txs[n.seq-1]); r.txs < n.seq {
			return 0
		}
		if r.confirmed > n.seq {
			txs = s.txs[n.seq:min(r.confirmed, n.seq+page)]
		}
		sessions = s.sessions[:r.confirmedSessions]
		return 0
	}, func(err error) {
		first := n.touchedMs == 0
		switch {
		case err != nil:
			n.beatAtMs = 0 // a new connection begins with a proof
			n.on(n, retryMs, n.follow)
			return
		case (r.txs < n.seq || !same) && first && !n.plant.replicaReads:
			n.reopen(retryMs) // what was read at first was not durable
			return
		case (r.txs < n.seq || !same) && n.plant.replicaReads:
		case r.txs < n.seq || !same:
			if n.plant.olderHead {
				n.reopen(retryMs)
				return
			}
			n.halt("the record ends with transaction %d, and %d was read", r.txs, n.seq)
			return
		case r.confirmed < n.seq:
			n.on(n, retryMs/10, n.follow) // what was read at first is not confirmed yet
			return
		}
		if n.follows = r.holder; r.untilMs <= n.nowMs {
			n.follows = nil
		}
		n.take(txs)
		if n.state != opening && n.state != door {
			return
		}
		more := n.seq < r.confirmed
		if !more && len(sessions) > n.sessions {
			n.takeSessions(sessions)
		}
		if proven && !more {
			n.touchedMs = max(1, begun)
		}
		if n.lastAt = n.seq; n.seq > 0 {
			n.last = n.record.txs[n.seq-1]
		}
		n.took()
		if more {
			n.follow()
			return
		}
		n.sleep()
	})
}

// take takes in transactions.
func (n *node) take(txs []*written) {
	for i, t := range txs {
		if n.plant.sequenceOrder && i == 0 && len(txs) > 1 && n.one(20) {
			continue // its number can be read later than the next one
		}
		n.seq++
		err := n.record.add(t)
		if err == nil {
			err = n.record.learn(t.tx.Names)
		}
		var e house.StoredTransaction
		if err == nil {
			e, err = n.record.entry(int64(n.seq))
		}
		if err == nil {
			err = n.house.Take(&e)
		}
		if err == nil {
			err = n.people.Take(&e)
		}
		if err != nil {
			n.broken("a door cannot take the record", "%s, transaction %d: %v", n.name, n.seq, err)
		}
	}
}

// takeSessions takes in how sessions have changed.
func (n *node) takeSessions(all []identity.SessionWrite) {
	for _, w := range all[n.sessions:] {
		if n.plant.staleSession {
			w.Drop = nil
		}
		<-n.record.store.WriteSessions(w)
	}
	n.sessions = len(all)
	var kept []identity.KeptSession
	if err := n.record.store.ReadSessions(context.Background(), func(k identity.KeptSession) error { kept = append(kept, k); return nil }); err != nil {
		n.broken("sessions cannot be read", "%v", err)
	}
	n.people.TakeSessions(kept, nil, true)
}

// driveToo injects a fault: another server runs the automatic tables as well, through the
// writer.
func (n *node) driveToo() {
	for _, f := range n.floor {
		if f.mode != house.Automatic {
			continue
		}
		s, err := n.house.Status(f.name)
		if err != nil {
			continue
		}
		state := housetest.State(s.State)
		do, _, ok := autodealer.Due(&state, f.pace, n.nowMs, func(string) bool { return true })
		if _, closes := do.(table.CloseBets); !ok || !closes || !n.one(3) {
			continue
		}
		n.message(func() {
			if w := n.follows; w != nil && w.state == writing && w.idle() {
				w.now(func() { _, _ = w.house.DoAsHouse(context.Background(), "", f.name, do) })
			}
		})
	}
}

// away reports whether the end of a command is that of the house and not of the command.
func away(err error) bool {
	return errors.Is(err, house.ErrStopped) || errors.Is(err, house.ErrFailed) || errors.Is(err, house.ErrKeyBusy)
}

// meterOf returns what a jackpot shows.
func (n *node) meterOf() jackpot.State {
	j, _ := n.house.Jackpot(jackpotName)
	return j
}
