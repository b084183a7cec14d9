package tables

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/fair"
	"trey/internal/house/timeup"
	"trey/internal/web/live"
	"trey/jackpot"
	"trey/money"
	"trey/table"
)

// moment is a table after a transaction, with the page's account of the round in play and of
// those before it. It does not change once it is shown, and it holds everything, whoever may
// know it: what a reader is sent comes out of a view of it, see look.
type moment struct {
	seq     int64
	atMs    int64
	state   house.State
	inForce house.Table
	// stopped says that the table takes no commands.
	stopped bool

	history []occurrence
	// lines are the lines of the round.
	lines []table.Line
	// linesFrom is the number of lines that the round had when its bets were closed: those are
	// of bets that were taken back.
	linesFrom int
	// decided are the decisions of the round with what could be known then.
	decided []decided
	past    []ended // the latest first
	// counted holds the figures of past rounds, the earliest first, and endedMs the time at
	// which the result of the round stood.
	counted []counted
	endedMs int64

	meter    money.Amount
	hasMeter bool
	denied   denials
	seed     commitment
	pages    live.Frames[class]
}

// occurrence is an event of the round that the page describes, and the state after it.
type occurrence struct {
	seq   int64
	event house.TableEvent
	state house.State
	// before are the lines of the round before the event.
	before []table.Line
	// held is the sum that the transaction paid to a box of a jackpot and withholds until
	// people have verified the hit. It is below zero where the transaction took back such a
	// sum. Neither moves the winner's account.
	held map[int]money.Amount
}

// decided is a decision with the state in which it was taken.
type decided struct {
	box    int
	player string
	before house.State
}

// ended is a round that is over.
type ended struct {
	round   int
	atMs    int64
	state   house.State
	decided []decided
	// linesFrom is that of its moment.
	linesFrom int
}

// lines returns the lines of the round as a reader may know them. It leaves out those of bets
// that were taken back while bets were open: they are nobody's result.
func (e *ended) lines(by table.Viewer) []table.Line {
	return settled(e.state.View(by).Lines, e.linesFrom)
}

func settled(lines []table.Line, from int) []table.Line { return lines[min(from, len(lines)):] }

// denials are the jackpots of a table that were denied after their rounds. They stand in the lines of a
// round, and are nobody's result.
type denials []house.DeniedJackpot

// of returns what was denied to a player in a round.
func (d denials) of(round int, player string) (sum money.Amount) {
	for i := range d {
		if d[i].Round == round && d[i].Player == player {
			sum += d[i].Amount
		}
	}
	return sum
}

// commitment holds the public part of the next deal.
type commitment struct {
	round int
	hash  fair.Hash
	seeds []fair.Own
	ok    bool
}

// clock holds what a table waits for. It changes apart from the table: a player is ready, or
// the autodealer has read the table.
type clock struct {
	autodealer.Awaited
	driven bool
	// warned says that the dealer ends the players' time at DueMs.
	warned bool
	// undoes are the players who can undo a change of their bets.
	undoes []string
	pages  live.Frames[class]
}

func (c *clock) equal(d *clock) bool {
	return c.driven == d.driven && c.warned == d.warned && c.Wait == d.Wait && c.SinceMs == d.SinceMs && c.DueMs == d.DueMs && slices.Equal(c.Ready, d.Ready) && slices.Equal(c.undoes, d.undoes)
}

// kept bounds the past rounds that a page shows.
const kept = 12

// stage follows one table for all who look at it.
type stage struct {
	handlers *handlers
	name     string

	mu    sync.Mutex
	now   *moment
	clock *clock
	err   error         // why it is over
	moved chan struct{} // closed when something has changed
	users int
	since time.Time // when the last of them left
}

// stage returns the stage of a table, which is set up for the first who asks. It has followed
// the table as far as the house shows it by now, so that a page has what its reader just did.
// release must be called.
func (h *handlers) stage(ctx context.Context, name string) (s *stage, release func(), err error) {
	status, err := h.House.Status(name)
	if err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	s = h.stages[name]
	if s == nil {
		s = &stage{handlers: h, name: name, moved: make(chan struct{})}
		h.stages[name] = s
		go s.run(context.WithoutCancel(ctx))
	}
	s.mu.Lock()
	s.users++
	s.mu.Unlock()
	h.mu.Unlock()
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.users--
		s.since = time.Now() //nolint:forbidigo // how long nobody has looked, which is no time of the house
	}
	for {
		now, _, moved, err := s.current()
		if err != nil {
			release()
			return nil, nil, err
		}
		if now != nil && now.seq >= status.Seq {
			return s, release, nil
		}
		select {
		case <-ctx.Done():
			release()
			return nil, nil, ctx.Err()
		case <-moved:
		}
	}
}

// current returns how the stage stands; moved is closed when it stands otherwise.
func (s *stage) current() (now *moment, at *clock, moved <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.clock, s.moved, s.err
}

func (s *stage) show(now *moment, at *clock, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.clock, s.err = now, at, err
	close(s.moved)
	s.moved = make(chan struct{})
}

// clockEvery is the interval of the checks of the clock, which is no event of the table, and
// clockAfter the delay after an event. standsIdle is the time that a stage is kept without a
// reader.
const (
	clockEvery = 250 * time.Millisecond
	clockAfter = 15 * time.Millisecond
	standsIdle = time.Minute
)

// run keeps the stage until it has had no reader for a while, or the house has ended.
func (s *stage) run(ctx context.Context) {
	for {
		err := s.follow(ctx)
		if errors.Is(err, house.ErrSubscriberSlow) {
			continue // it reads everything anew
		}
		if err != nil {
			s.handlers.Log.Debug("a table is no longer followed", "table", s.name, "why", err)
		}
		s.handlers.mu.Lock()
		if s.handlers.stages[s.name] == s {
			delete(s.handlers.stages, s.name)
		}
		s.handlers.mu.Unlock()
		if err == nil {
			err = errIdle
		}
		s.show(s.now, s.clock, err)
		return
	}
}

// errIdle ends a stage without a reader.
var errIdle = errors.New("the table has no readers")

func (s *stage) follow(ctx context.Context) (err error) {
	h := s.handlers
	defer live.Recover(h.Log, &err)
	status, err := h.House.Status(s.name)
	if err != nil {
		return err
	}
	subscription := h.House.Subscribe(house.Topic{Table: s.name, Jackpot: status.Jackpot}, 256)
	defer subscription.Close()
	now, err := s.before(ctx)
	if err != nil {
		return err
	}
	last := now.seq
	s.show(now, s.wait(now), nil)
	soon, ticker := time.NewTimer(clockAfter), time.NewTicker(clockEvery)
	defer soon.Stop()
	defer ticker.Stop()
	for {
		select {
		case <-subscription.Ready():
			// What has happened at once is drawn once.
			next, changed := *now, false
			for {
				n, open := subscription.Next()
				if !open {
					return cmp.Or(subscription.Err(), errIdle)
				}
				if n == nil {
					break
				}
				// Also of a transaction that was read from the record already: the house shows only
				// now what it changed beside the table, such as seeds and the meter.
				changed = true
				if n.Seq > last {
					next.fold(n, s.name)
				}
			}
			if !changed {
				continue
			}
			next.pages = live.NewFrames[class]()
			s.surroundings(&next)
			now = &next
			at := *s.clock
			at.pages = live.NewFrames[class]() // its part names the round and what it waits for
			s.show(now, &at, nil)
			soon.Reset(clockAfter)
		case <-soon.C:
			s.tick(now)
		case <-ticker.C:
			s.tick(now)
			if s.idle() {
				return nil
			}
		}
	}
}

// tick shows another clock, if there is one.
func (s *stage) tick(now *moment) {
	if at := s.wait(now); !at.equal(s.clock) {
		s.show(now, at, nil)
	}
}

func (s *stage) idle() bool {
	s.handlers.mu.Lock()
	defer s.handlers.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || time.Since(s.since) < standsIdle { //nolint:forbidigo // as in stage
		return false
	}
	delete(s.handlers.stages, s.name)
	return true
}

func (s *stage) wait(now *moment) *clock {
	a, driven := s.handlers.Autodealer.Awaited(s.name)
	at := &clock{Awaited: a, driven: driven, undoes: s.handlers.Undo.players(s.name, now.state.Round()), pages: live.NewFrames[class]()}
	if w, ok := s.handlers.Warnings.At(s.name, timeup.MomentOf(now.state), s.handlers.NowMs()); ok {
		at.warned, at.SinceMs, at.DueMs = true, w.AtMs, w.DueMs()
	}
	return at
}

// before returns the table with its last rounds, from the record.
func (s *stage) before(ctx context.Context) (*moment, error) {
	h, now := s.handlers, &moment{pages: live.NewFrames[class]()}
	first := int64(-1)
	err := h.Record.Rounds(ctx, streamOf(s.name), 0, countedRounds+1, func(m house.RoundMark) error {
		first = m.Seq
		return nil
	})
	if err != nil {
		return nil, err
	}
	if first >= 0 {
		err = h.House.EventsSince(ctx, house.Topic{Table: s.name}, first-1, func(n *house.Notice) error {
			now.fold(n, s.name)
			return nil
		})
		if err != nil {
			return nil, err
		}
	} else {
		status, err := h.House.Status(s.name)
		if err != nil {
			return nil, err
		}
		now.state, now.seq = status.State, status.Seq
	}
	s.surroundings(now)
	return now, nil
}

// streamOf returns the name of a table's stream in the record.
func streamOf(name string) string { return "table:" + name }

// surroundings reads what stands beside the table at this moment.
func (s *stage) surroundings(m *moment) {
	if status, err := s.handlers.House.Status(s.name); err == nil {
		m.inForce, m.stopped = status.InForce(), status.Stopped != nil
	}
	if m.inForce.Jackpot != "" {
		if state, ok := s.handlers.House.Jackpot(m.inForce.Jackpot); ok {
			m.meter, m.hasMeter = state.Displayed(), true
		}
	}
	m.denied = s.handlers.House.DeniedJackpots(s.name)
	m.seed = commitment{}
	m.seed.round, m.seed.hash, m.seed.seeds, m.seed.ok = s.handlers.House.Commitment(s.name)
}

// fold takes a notice in.
func (m *moment) fold(n *house.Notice, name string) {
	if n.Seq > m.seq {
		m.seq, m.atMs = n.Seq, n.AtMs
	}
	if n.Table != name {
		return // another table of the same jackpot
	}
	held := heldBy(n)
	for _, e := range n.Events {
		public := e.For(table.Viewer{})
		switch e := public.(type) {
		case table.BetsOpened:
			if m.over() {
				m.past = m.rounds()
				m.counted = append(m.counted[max(0, len(m.counted)-countedRounds+1):], count(m.state, m.endedMs))
			}
			m.history, m.lines, m.decided, m.linesFrom = nil, nil, nil, 0
		case table.BetsClosed:
			m.linesFrom = len(m.state.Lines())
		case table.HandRaised:
			m.decided = append(slices.Clip(m.decided), decided{e.Box, e.Player, m.state})
		case table.HandFolded:
			m.decided = append(slices.Clip(m.decided), decided{e.Box, e.Player, m.state})
		}
		m.history = append(slices.Clip(m.history), occurrence{n.Seq, e, n.State, m.lines, held})
		m.lines = append(slices.Clip(m.lines), table.EffectOf(public).Lines...)
	}
	before := m.over() && m.state.Round() == n.State.Round()
	if m.state = n.State; m.state.Phase() == table.Betting {
		m.linesFrom = len(m.state.Lines())
	}
	if m.over() && !before {
		m.endedMs = n.AtMs
	}
}

// heldBy returns what a transaction held of the jackpots that it paid, by their boxes, less what it
// took back of such sums.
func heldBy(n *house.Notice) (held map[int]money.Amount) {
	hold := func(box int, amount money.Amount) {
		if held == nil {
			held = map[int]money.Amount{}
		}
		held[box] += amount
	}
	for _, e := range n.Moved {
		switch e := e.For(jackpot.LogReader).(type) {
		case jackpot.HitPaid:
			if e.Held {
				hold(e.Hit.Box, e.Amount)
			}
		case jackpot.HitReversed:
			if e.Payable != "" {
				hold(e.Hit.Box, -e.Amount)
			}
		}
	}
	return held
}

// over reports whether the round of the moment has ended with bets in it.
func (m *moment) over() bool {
	return m.state.Phase() == table.Paid || m.state.Phase() == table.Voided
}

// rounds returns the rounds that are over, the latest first.
func (m *moment) rounds() []ended {
	if !m.over() {
		return m.past
	}
	return append([]ended{{m.state.Round(), m.atMs, m.state, m.decided, m.linesFrom}}, m.past[:min(len(m.past), kept-1)]...)
}

// stake is one wager of one player.
type stake struct {
	box    int
	wager  wagerKey
	amount money.Amount
}
