package simulation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/people"
	"trey/internal/store/memory"
)

// written is a transaction in the database, with the process and the epoch that wrote it.
type written struct {
	tx    *house.Transaction
	epoch int64
	by    *node
}

// same reports whether two are one transaction.
func (t *written) same(o *written) bool { return t.tx == o.tx && t.epoch == o.epoch }

// rows holds what a server has after a commit, beside the transactions themselves.
type rows struct {
	txs      int // how many transactions there are
	sessions int // how many changes of sessions
	// epoch, holder and untilMs are the lease.
	epoch   int64
	holder  *node
	untilMs int64
	// confirmed and confirmedSessions say up to where a writer knows that all is durable.
	confirmed, confirmedSessions int
}

// server is a server of the database that takes writes. Another one has what is copied. A
// commit is acknowledged when it is copied, and cannot be read before that, unless somebody
// cancels the wait.
type server struct {
	txs      []*written
	sessions []identity.SessionWrite
	log      []rows // after each commit
	copied   int    // how many commits the other server has
	readable int    // how many commits can be read
	keys     map[string]bool
	versions map[string]int64
	waiting  []waiting
	// replaced reports whether another server has taken the place of this one, which does not
	// know it: nothing is copied any more. Ended reports that it answers nobody.
	replaced, ended bool
	awayMs          int64 // until when the other server is away
}

// waiting is a commit that waits to be copied.
type waiting struct {
	commits int
	answer  func(warned bool)
}

// now returns what a server has after its last commit.
func (s *server) now() rows {
	if len(s.log) == 0 {
		return rows{}
	}
	return s.log[len(s.log)-1]
}

// read returns what can be read.
func (s *server) read() rows {
	if s.readable == 0 {
		return rows{}
	}
	return s.log[s.readable-1]
}

// from returns the server that goes on from the first commits of another one.
func (s *server) from(commits int) *server {
	next := &server{log: slices.Clone(s.log[:commits]), copied: commits, readable: commits, keys: map[string]bool{}, versions: map[string]int64{}}
	r := next.now()
	next.txs, next.sessions = slices.Clone(s.txs[:r.txs]), slices.Clone(s.sessions[:r.sessions])
	for _, t := range next.txs {
		next.note(t.tx)
	}
	return next
}

func (s *server) note(tx *house.Transaction) {
	if tx.Key != "" {
		s.keys[tx.Key] = true
	}
	for i := range tx.Parts {
		p := &tx.Parts[i]
		s.versions[p.Stream] = p.After + int64(len(p.Events))
	}
}

// commit appends what a server has after one more commit, and returns how many there are.
func (c *cluster) commit(s *server, r rows) int {
	s.log = append(s.log, r)
	commits := len(s.log)
	if s.replaced {
		return commits
	}
	delay := int64(1 + c.rng.IntN(6))
	if s.awayMs > c.nowMs {
		delay += s.awayMs - c.nowMs
	}
	c.after(delay, func() { c.copy(s, commits) })
	return commits
}

// copy has the other server have some commits.
func (c *cluster) copy(s *server, commits int) {
	if s.replaced || s.ended || commits <= s.copied {
		return
	}
	if s.awayMs > c.nowMs { // it went away meanwhile
		c.after(s.awayMs-c.nowMs, func() { c.copy(s, commits) })
		return
	}
	s.copied, s.readable = commits, max(s.readable, commits)
	var still []waiting
	for _, w := range s.waiting {
		if w.commits <= commits {
			w.answer(false)
		} else {
			still = append(still, w)
		}
	}
	s.waiting = still
}

// cancelWaits has somebody cancel the waits for the other server: what was written can be
// read, each commit ends with a warning, and it may be lost.
func (c *cluster) cancelWaits(s *server) {
	if len(s.waiting) > 0 {
		c.outcomes["machines: a wait for the other server is cancelled"]++
	}
	s.readable = len(s.log)
	for _, w := range s.waiting {
		w.answer(true)
	}
	s.waiting = nil
}

// record writes a batch for a process that holds the lease of an epoch and has a number of
// transactions. It reports how many commits there are then, zero if the process is not the
// writer any more.
func (s *server) record(c *cluster, n *node, after int, batch []*queued) (commits int) {
	r := s.now()
	fenced := r.epoch != n.epoch || r.txs != after
	if fenced && !c.plant.noFence {
		c.outcomes["machines: a batch is fenced off"]++
		return 0
	}
	var refused error // a transaction upon which those behind it were decided
	for _, q := range batch {
		q.result = house.AppendResult{}
		for i := range q.tx.Parts {
			if p := &q.tx.Parts[i]; s.versions[p.Stream] != p.After && !fenced {
				q.result.Err = fmt.Errorf("%s: %w", p.Stream, house.ErrConflict)
			}
		}
		if s.keys[q.tx.Key] {
			q.result.Err = house.ErrKeyUsed
		}
		if refused != nil {
			q.result.Err = fmt.Errorf("%w: %w", house.ErrFailed, refused)
		}
		if q.result.Err != nil {
			if q.tx.Binding && refused == nil {
				refused = q.result.Err
			}
			continue
		}
		s.txs = append(s.txs, &written{q.tx, n.epoch, n})
		s.note(q.tx)
		q.result.Seq = int64(len(s.txs))
	}
	r.txs, r.untilMs = len(s.txs), c.nowMs+leaseMs
	return c.commit(s, r)
}

// errNoAnswer is the end of a request to the database of which nobody knows whether it was
// carried out.
var errNoAnswer = errors.New("the database does not answer")

// errWarned is the end of a commit that succeeded with a warning: it is not on the other server.
var errWarned = errors.New("the commit is not on another server")

// ask has a node ask the server that one of its connections leads to. do returns the number of
// commits that have to be copied before the answer, zero for none. A connection that fails is
// made anew.
func (c *cluster) ask(n *node, connection **server, silenceMs int64, do func(s *server) (commits int), then func(err error)) {
	if *connection == nil {
		*connection = n.connected()
	}
	s, over, life := *connection, false, n.life
	finish := func(err error) {
		if over || n.life != life {
			return
		}
		over = true
		if err != nil && *connection == s {
			*connection = nil
		}
		then(err)
	}
	c.on(n, silenceMs, func() { finish(errNoAnswer) })
	there, back := int64(1+c.rng.IntN(3)), int64(1+c.rng.IntN(3))
	cut := 0
	if !c.calm() {
		switch c.rng.IntN(300) {
		case 0:
			cut = 1
		case 1:
			cut = 2
		case 2:
			there += int64(300 + c.rng.IntN(4000))
		case 3:
			back += int64(300 + c.rng.IntN(4000))
		}
	}
	c.after(there, func() {
		switch {
		case s.ended || cut == 1:
			c.on(n, back, func() { finish(errNoAnswer) })
			return
		case n.cutMs > c.nowMs:
			return
		}
		answer := func(warned bool) {
			switch {
			case cut == 2:
				c.on(n, back, func() { finish(errNoAnswer) })
			case warned && !c.plant.cancelledCommit:
				c.on(n, back, func() { finish(errWarned) })
			case n.cutMs <= c.nowMs:
				c.on(n, back, func() { finish(nil) })
			}
		}
		if commits := do(s); commits <= s.copied {
			answer(false)
		} else {
			s.waiting = append(s.waiting, waiting{commits, answer})
		}
	})
}

// connected returns the server that a new connection leads to: nearly always the one that counts.
func (n *node) connected() *server {
	if old := n.former; old != nil && !old.ended && n.one(3) {
		return old
	}
	return n.primary
}

// failOver has the other server take the place of the one that counts, which may not know of
// it for a while.
func (c *cluster) failOver() {
	old := c.primary
	commits := old.copied
	if c.losesAcknowledged {
		commits = max(1, commits-1-c.rng.IntN(12))
	}
	c.outcomes["machines: the database fails over"]++
	if r := old.now(); r.txs > old.log[commits-1].txs {
		c.outcomes["machines: a commit with an unknown end is not there"]++
	}
	c.primary = old.from(commits)
	old.replaced = true
	if c.former != nil {
		c.former.ended = true
	}
	c.former = old
	end := func() { old.ended = true }
	if c.one(2) {
		end()
		return
	}
	c.after(int64(500+c.rng.IntN(6000)), end)
}

// salts draws what a record draws, by number: whatever process holds it, its tree is the same.
type salts struct {
	seq   int64
	drawn uint64
}

func (s *salts) Read(p []byte) (int, error) {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], uint64(s.seq))
	if s.seq < 0 {
		s.drawn++
		binary.BigEndian.PutUint64(seed[8:], s.drawn)
	}
	return rand.NewChaCha8(seed).Read(p)
}

// replica is the record as one process knows it.
type replica struct {
	disk  *memory.Disk
	store *memory.Store
	salts *salts
	txs   []*written
}

// newReplica reads a record.
func (c *cluster) newReplica(txs []*written, sessions []identity.SessionWrite) *replica {
	c.Helper()
	r := &replica{salts: &salts{}}
	r.disk = &memory.Disk{Chance: r.salts}
	r.reopen(c)
	for _, t := range txs {
		if err := r.add(t); err != nil {
			c.broken("the record cannot be read", "%v", err)
		}
	}
	for _, w := range sessions {
		<-r.store.WriteSessions(w)
	}
	r.store.Crash(0)
	r.reopen(c) // with the names that it has now
	return r
}

func (r *replica) reopen(c *cluster) {
	c.Helper()
	var err error
	if r.store, err = r.disk.Open(memory.Faults{}); err != nil {
		c.broken("the record cannot be read", "%v", err)
	}
}

// add appends a transaction that is durable.
func (r *replica) add(t *written) error {
	r.salts.seq = int64(len(r.txs)) + 1
	defer func() { r.salts.seq = -1 }()
	done := <-r.store.Append(t.tx)
	switch {
	case done.Err != nil:
		return done.Err
	case done.Seq != int64(len(r.txs))+1:
		return fmt.Errorf("transaction %d is recorded as %d", len(r.txs)+1, done.Seq)
	}
	r.txs = append(r.txs, t)
	return nil
}

// learn takes in the names that a transaction gives.
func (r *replica) learn(names []people.Name) error {
	for i := range names {
		if err := r.store.Directory().Learn(names[i]); err != nil {
			return err
		}
	}
	return nil
}

// entry returns a transaction as it is read.
func (r *replica) entry(seq int64) (entry house.StoredTransaction, err error) {
	stop := errors.New("found")
	err = r.disk.Entries(seq-1, func(e house.StoredTransaction) error { entry = e; return stop })
	if errors.Is(err, stop) {
		return entry, nil
	}
	return entry, errors.Join(err, fmt.Errorf("transaction %d is missing", seq))
}
