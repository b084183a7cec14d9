package autodealer

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/journal"
	"trey/internal/record"
	"trey/jackpot"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// House is the part of a house that the autodealer needs: to subscribe to notices, to read tables
// and to command them in the house's own name.
type House interface {
	// Subscribe is [house.House.Subscribe].
	Subscribe(topic house.Topic, buffer int) *house.Subscription
	// Tables is [house.House.Tables].
	Tables() []string
	// Status is [house.House.Status].
	Status(name string) (house.TableStatus, error)
	// ThisRound is [house.House.ThisRound].
	ThisRound(ctx context.Context, name string, yield func(*house.Notice) error) error
	// DoAsHouse is [house.House.DoAsHouse].
	DoAsHouse(ctx context.Context, key, name string, do table.Action) (house.Result, error)
}

// Awaited describes, for display, the event that an automatic table waits for.
type Awaited struct {
	Wait Wait
	// SinceMs is since when, and DueMs when the house goes on by itself; zero where
	// no clock runs.
	SinceMs, DueMs int64
	// Ready are the players who will do no more at this point, in order.
	Ready []string
}

// Alert is a table at which a person has to do something.
type Alert struct {
	Table string
	Round int
	// SinceMs is the time at which it was found.
	SinceMs int64
	// Why says what is in the way.
	Why sentence.Sentence
}

// Autodealer runs the automatic tables of one house. Its methods are safe for use by
// many goroutines; Run or Step is for one of them.
type Autodealer struct {
	house House
	nowMs func() int64
	log   *slog.Logger

	// subscription is the subscription to the house; only Run or Step reads it.
	subscription *house.Subscription
	results      chan result
	wake         chan struct{} // holds one value while somebody is ready

	// observes reports whether the autodealer of another process runs the tables.
	observes bool

	mu     sync.Mutex
	tables map[string]*watch
	line   line
}

// watch is the autodealer's state of one table.
type watch struct {
	standing house.TableStatus
	pace     house.Pace

	awaits  Wait
	round   int
	phase   table.Phase
	sinceMs int64
	ready   map[string]mark // nil for nobody

	// do is due at dueMs while the table is in the queue, at the index.
	do    table.Action
	dueMs int64
	index int // -1 while it is not in the queue

	// busy says that an order is being carried out.
	busy bool
	// held says why the last order was refused, heldMs since when that has been so.
	// It is tried again when something moves, and at retryMs.
	held            error
	heldMs, retryMs int64
	// anew reports whether sinceMs is the time at which the house was opened, and no time of
	// the record.
	anew bool
}

// mark is the point at which a player declared to be ready. It no longer holds when the round
// has gone on, or the player's bets have changed.
type mark struct {
	round int
	phase table.Phase
	laid  []laid
}

type laid struct {
	box    int
	stakes rules.Stakes
}

// markOf returns the point at which a player stands; ok is false if the player has no bet in
// the round.
func markOf(s *table.State, player string) (m mark, ok bool) {
	m = mark{round: s.Round, phase: s.Phase}
	for i, b := range s.Boxes {
		for k := range b.Bettors {
			if b.Bettors[k].Player == player && !b.Bettors[k].Stakes.None() {
				m.laid = append(m.laid, laid{i + 1, b.Bettors[k].Stakes})
			}
		}
	}
	return m, len(m.laid) > 0
}

func (w *watch) isReady(player string) bool {
	said, ok := w.ready[player]
	if !ok {
		return false
	}
	now, _ := markOf(opaque.Raw(w.standing.State), player)
	return now.round == said.round && now.phase == said.phase && slices.Equal(now.laid, said.laid)
}

// noticeBuffer is the number of notices that the autodealer may be behind before the hub
// disconnects it and it reads every table anew. atOnce is the number of commands it sends at a
// time.
const (
	noticeBuffer = 4096
	atOnce       = 1024
)

// retryAfterMs is the time after which a refused order is tried again although no notice has
// arrived that could change the answer. The end of a drain is such a case.
const retryAfterMs = 2_000

// New returns an autodealer for the automatic tables of a house, those there are and
// those to come. The clock is the house's.
func New(h House, nowMs func() int64, log *slog.Logger) *Autodealer {
	return &Autodealer{
		house: h, nowMs: nowMs, log: log, tables: map[string]*watch{},
		results: make(chan result, atOnce), wake: make(chan struct{}, 1),
	}
}

// Run runs the tables until the context ends, which returns nil, or the house
// stops, which returns its error.
func (c *Autodealer) Run(ctx context.Context) error {
	if err := c.subscribe(ctx); err != nil {
		return err
	}
	defer func() { c.subscription.Close() }() // which may be another by then
	timer := time.NewTimer(0)
	defer timer.Stop()
	// A goroutine that has carried out an order carries out the next one too. Its stack has
	// grown to the size that an order needs, and a new goroutine's would have to grow again.
	hands, busy, orders := 0, 0, make(chan order, atOnce)
	defer close(orders)
	work := func() {
		for o := range orders {
			c.results <- c.carryOut(ctx, o)
		}
	}
	defer func() {
		for ; busy > 0; busy-- {
			<-c.results
		}
	}()
	for {
		for busy < atOnce {
			o, ok := c.next(c.nowMs())
			if !ok {
				break
			}
			if busy == hands {
				hands++
				go work()
			}
			busy++
			orders <- o
		}
		c.set(timer, busy < atOnce)
		select {
		case <-ctx.Done():
			return nil
		case <-c.subscription.Ready():
			if err := c.applyNotices(ctx); err != nil {
				return err
			}
		case r := <-c.results:
			busy--
			if err := c.done(r); err != nil {
				return err
			}
		case <-c.wake:
		case <-timer.C:
		}
	}
}

// set sets the timer to the moment when the next order is due.
func (c *Autodealer) set(timer *time.Timer, room bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.line) == 0 || !room {
		timer.Stop()
		return
	}
	timer.Reset(time.Duration(max(0, c.line[0].when()-c.nowMs())) * time.Millisecond)
}

// Step carries out everything that is due at this moment, with all that follows at once. It
// takes one order after the other, by their times and then by the names of the tables. It
// returns when the next order will be due; ok is false if none ever will unless somebody acts.
// It is for houses whose clock is under control: with the same clock and the same house it does
// the same.
func (c *Autodealer) Step(ctx context.Context) (nextMs int64, ok bool, err error) {
	if c.subscription == nil {
		if err := c.subscribe(ctx); err != nil {
			return 0, false, err
		}
	}
	for {
		if err := c.applyNotices(ctx); err != nil {
			return 0, false, err
		}
		o, due := c.next(c.nowMs())
		if !due {
			break
		}
		if err := c.done(c.carryOut(ctx, o)); err != nil {
			return 0, false, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.line) == 0 {
		return 0, false, nil
	}
	return c.line[0].when(), true, nil
}

func (c *Autodealer) applyNotices(ctx context.Context) error {
	for {
		n, open := c.subscription.Next()
		if n == nil && open {
			return nil
		}
		if err := c.applyNotice(ctx, n, open); err != nil {
			return err
		}
	}
}

// subscribe subscribes to the house and reads every table. A notice between the two repeats what
// is known already, which does no harm.
func (c *Autodealer) subscribe(ctx context.Context) error {
	c.subscription = c.house.Subscribe(house.Topic{}, noticeBuffer)
	for _, name := range c.house.Tables() {
		if err := c.begin(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// begin takes in how a table stands, and from the record since when: a process that takes
// the place of another moves no deadline. Players whose time ran out while nobody ran the
// table have all of it again.
func (c *Autodealer) begin(ctx context.Context, name string) error {
	for anew := false; ; anew = true {
		if moved, err := c.beginOnce(ctx, name, anew); err != nil || !moved {
			return err
		}
	}
}

// beginOnce takes in a table, and reports whether the table changed while its round was read
// from the record. What was read is then older than the state, and must not be used. Anew
// replaces what the last try took in.
func (c *Autodealer) beginOnce(ctx context.Context, name string, anew bool) (moved bool, err error) {
	nowMs := c.nowMs()
	version, sinceMs, err := c.since(ctx, name, nowMs)
	unread := err != nil
	switch {
	case ctx.Err() != nil:
		return false, err
	case unread: // the players have more time rather than the tables no autodealer
		c.log.Warn("the record does not say since when a table waits: its players have all of their time again", "table", name, "why", err)
		sinceMs = nowMs
	}
	err = c.refresh(name, sinceMs, func(w *watch) {
		moved = !unread && w.standing.Version != version
		if anew {
			w.awaits = 0
		}
		if w.awaits != 0 {
			return // it is watched already
		}
		s := opaque.Raw(w.standing.State)
		_, dueMs, ok := Due(s, w.pace, sinceMs, w.isReady)
		switch Awaits(s, w.isReady) {
		case Bets, Options, Decisions, Views:
			w.anew = (unread || ok && dueMs <= nowMs) && !c.observes
		case Nothing, Staff, NextRound, FirstBet, Step:
		}
	})
	return moved, err
}

// since returns the time at which a table began to wait for its next step, as far as the record
// says. It also returns the version that the table had before that was read. The record does
// not say who is ready.
func (c *Autodealer) since(ctx context.Context, name string, nowMs int64) (version, sinceMs int64, err error) {
	status, err := c.house.Status(name)
	if err != nil {
		return 0, 0, err
	}
	if status.InForce().Mode != house.Automatic || opaque.Raw(status.State).OnLayout() == 0 {
		return status.Version, nowMs, nil // no clock runs for players
	}
	nobody := func(string) bool { return false }
	awaits, phase := Wait(0), table.Phase(0)
	sinceMs = nowMs
	err = c.house.ThisRound(ctx, name, func(n *house.Notice) error {
		if n.Table != name {
			return nil
		}
		s := opaque.Raw(n.State)
		now := Awaits(s, nobody)
		if now != awaits || s.Phase != phase || slices.ContainsFunc(opaque.RawEvents(n.Events), interruption) {
			awaits, phase, sinceMs = now, s.Phase, n.AtMs
		}
		return nil
	})
	return status.Version, sinceMs, err
}

// Observe keeps up with tables that the autodealer of another process runs, until the context
// ends, which returns nil, or the house stops. It commands nothing.
func (c *Autodealer) Observe(ctx context.Context) error {
	c.observes = true
	if err := c.subscribe(ctx); err != nil {
		return err
	}
	defer func() { c.subscription.Close() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.subscription.Ready():
			if err := c.applyNotices(ctx); err != nil {
				return err
			}
		}
	}
}

// A Note holds the autodealer's knowledge of a table that is in no record. It says who is
// ready, since when the table waits if the record does not say so, and why its next step was
// refused.
type Note struct {
	Table  string      `json:"table"`
	Round  int         `json:"round"`
	Phase  table.Phase `json:"phase"`
	Ready  []string    `json:"ready,omitempty"`
	AnewMs int64       `json:"anew_ms,omitempty"`
	// Held is the reason why a person is needed, empty if nobody is.
	Held   string `json:"held,omitempty"`
	HeldMs int64  `json:"held_ms,omitempty"`
}

// Notes returns what is in no record of all tables, by their names.
func (c *Autodealer) Notes() (all []Note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, w := range c.tables {
		n := Note{Table: name, Round: w.round, Phase: w.phase, Ready: w.allReady()}
		if w.anew {
			n.AnewMs = w.sinceMs
		}
		if w.held != nil && !passing(w.held) {
			n.Held, n.HeldMs = journal.WithoutCards(w.held.Error()), w.heldMs
		}
		if len(n.Ready) > 0 || n.AnewMs != 0 || n.Held != "" {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b Note) int { return cmp.Compare(a.Table, b.Table) })
	return all
}

// TakeNotes takes in what the autodealer knows who runs the tables: it is for [Autodealer.Observe].
// A note of another moment of a round counts for nothing.
func (c *Autodealer) TakeNotes(all []Note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := map[string]*Note{}
	for i := range all {
		of[all[i].Table] = &all[i]
	}
	for name, w := range c.tables {
		n := of[name]
		w.ready, w.held = nil, nil
		if n == nil || n.Round != w.round || n.Phase != w.phase {
			continue
		}
		w.ready = map[string]mark{}
		for _, player := range n.Ready {
			w.ready[player], _ = markOf(opaque.Raw(w.standing.State), player)
		}
		if n.AnewMs != 0 {
			w.sinceMs = n.AnewMs
		}
		if n.Held != "" {
			w.held, w.heldMs = sentence.Errorf("%s", n.Held), n.HeldMs
		}
	}
}

// applyNotice applies a notice.
func (c *Autodealer) applyNotice(ctx context.Context, n *house.Notice, open bool) error {
	if !open {
		err := c.subscription.Err()
		if errors.Is(err, house.ErrSubscriberSlow) {
			c.log.Warn("the autodealer fell behind and looks at every table anew")
			return c.subscribe(ctx)
		}
		return err
	}
	if n.Table != "" {
		stopped := slices.ContainsFunc(opaque.RawEvents(n.Events), interruption)
		free := func(w *watch) {
			w.held = nil
			if stopped {
				w.sinceMs = n.AtMs // Players have their full time after a stop.
			}
		}
		if err := c.refresh(n.Table, n.AtMs, free); err != nil {
			return err
		}
	}
	if len(n.Moved) > 0 {
		c.retry(n.Jackpot)
	}
	return nil
}

// interruption reports whether an event records a technical interruption.
func interruption(e table.Event) bool {
	reported, ok := e.(table.Reported)
	return ok && reported.Report.Incident == rules.TechnicalInterruption
}

// refresh takes in how a table stands since a moment. The state there is as new as every notice of
// it, or newer.
func (c *Autodealer) refresh(name string, atMs int64, change func(*watch)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Under the lock, so that nobody puts an older state over a newer one.
	standing, err := c.house.Status(name)
	if err != nil {
		return err
	}
	w, inForce := c.tables[name], standing.InForce()
	switch {
	case inForce.Mode != house.Automatic && w != nil:
		c.unwatch(w)
		return nil
	case inForce.Mode != house.Automatic:
		return nil
	case w == nil:
		w = &watch{index: -1}
		c.tables[name] = w
	}
	w.standing, w.pace = standing, inForce.Pace
	if change != nil {
		change(w)
	}
	c.settle(w, atMs)
	return nil
}

func (c *Autodealer) unwatch(w *watch) {
	delete(c.tables, w.standing.Name)
	if w.index >= 0 {
		heap.Remove(&c.line, w.index)
	}
}

// settle determines what a table waits for, since when, and queues it. The lock is held.
func (c *Autodealer) settle(w *watch, atMs int64) {
	s := opaque.Raw(w.standing.State)
	awaits := Awaits(s, w.isReady)
	if w.standing.Stopped != nil {
		awaits = Staff
	}
	if awaits != w.awaits || s.Round != w.round || s.Phase != w.phase {
		if w.anew = w.anew && w.awaits == 0; w.anew {
			atMs = c.nowMs()
		}
		w.awaits, w.round, w.phase, w.sinceMs = awaits, s.Round, s.Phase, atMs
		w.held = nil
		if awaits == Staff && !c.observes {
			c.log.Warn("a table needs a person", "table", w.standing.Name, "round", s.Round, "why", journal.WithoutCards(w.staffed().String()))
		}
	}
	do, dueMs, ok := Due(s, w.pace, w.sinceMs, w.isReady)
	ok = ok && !w.busy && w.standing.Stopped == nil
	w.do, w.dueMs = do, dueMs
	switch {
	case !ok && w.index >= 0:
		heap.Remove(&c.line, w.index)
	case ok && w.index >= 0:
		heap.Fix(&c.line, w.index)
	case ok:
		heap.Push(&c.line, w)
	}
}

// staffed says what a person has to do at a table.
func (w *watch) staffed() sentence.Sentence {
	s := opaque.Raw(w.standing.State)
	switch {
	case w.standing.Stopped != nil:
		return sentence.Why(w.standing.Stopped)
	case s.Question != nil:
		return sentence.Of("a %s has to answer: %s", s.Question.Role, sentence.Word(s.Question.Ask(s.Variant.Book)))
	case s.Config.Cards != table.Virtual:
		return sentence.Of("its cards are dealt by hand")
	}
	return sentence.Of("the progressive is out of order: choose to close the table, to take no bets on the boxes affected, or to play on without it")
}

// order is the next command of the autodealer to the house.
type order struct {
	table string
	do    table.Action
	// version is the one at which the table stood.
	version int64
}

// result is the outcome of an order.
type result struct {
	order
	atMs int64
	err  error
}

// next takes the table out of line that is due first; ok is false if none is.
func (c *Autodealer) next(nowMs int64) (o order, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.line) == 0 || c.line[0].when() > nowMs {
		return order{}, false
	}
	w := heap.Pop(&c.line).(*watch)
	w.busy = true
	return order{w.standing.Name, w.do, w.standing.Version}, true
}

func (c *Autodealer) carryOut(ctx context.Context, o order) result {
	// What is in the record by then stays there: an order is not called back.
	done, err := c.house.DoAsHouse(context.WithoutCancel(ctx), "", o.table, o.do)
	return result{o, done.AtMs, err}
}

// done takes in the result of an order.
func (c *Autodealer) done(r result) error {
	nowMs := c.nowMs()
	atMs := r.atMs
	if r.err != nil {
		atMs = nowMs
	}
	return c.refresh(r.table, atMs, func(w *watch) {
		w.busy = false
		if r.err == nil || w.standing.Version != r.version {
			w.held = nil // It was done, or something happened meanwhile that explains it.
			return
		}
		if w.held == nil || w.held.Error() != r.err.Error() {
			w.heldMs = nowMs
			c.log.Log(context.Background(), gravity(r.err), "a table is held up",
				"table", r.table, "round", w.round, "next", record.Actions.Name(r.do), "why", journal.WithoutCards(r.err.Error()))
		}
		w.held, w.retryMs = r.err, nowMs+retryAfterMs
	})
}

// gravity separates what needs a person from what passes by itself, and from what every table
// meets when the house closes.
func gravity(err error) slog.Level {
	switch {
	case errors.Is(err, house.ErrClosing):
		return slog.LevelDebug
	case passing(err):
		return slog.LevelInfo
	}
	return slog.LevelError
}

// passing reports whether an order was refused for now only: an earlier hand has
// to be paid or known first, or no new rounds begin.
func passing(err error) bool {
	var waits *jackpot.Refusal
	return errors.Is(err, house.ErrClosing) || errors.Is(err, house.ErrOverloaded) ||
		errors.As(err, &waits) && (waits.Reason == jackpot.ReasonEarlierHit || waits.Reason == jackpot.ReasonEarlierRound)
}

// retry tries the tables of a jackpot again that were held up, now that it moved.
func (c *Autodealer) retry(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.line {
		if w.held != nil && w.standing.Jackpot == name {
			w.retryMs = 0
		}
	}
	heap.Init(&c.line)
}

// The errors of Ready.
var (
	// ErrNotDriven: the table is not run by the house.
	ErrNotDriven = errors.New("the house does not run this table: its dealer decides when it goes on")
	// ErrNothingToWaitFor: nobody waits for this player now.
	ErrNothingToWaitFor = errors.New("the table does not wait for you: be ready after a bet while you may bet more, while you may still look at a hand, or after your round")
)

// Ready declares that a player will do no more at this point. The player places no more bets
// before "No more bets", looks at no more hands in a game without further decisions, or has
// seen how a round has ended. When all players concerned are ready the round, or the next one,
// goes on at once. A player who then changes a bet has to declare it again. It changes no money
// and no cards, so it is not recorded; what follows is.
func (c *Autodealer) Ready(by access.Person, name string) error {
	if err := by.Check(access.Play); err != nil {
		return err
	}
	err := ErrNotDriven
	refreshErr := c.refresh(name, c.nowMs(), func(w *watch) {
		s := opaque.Raw(w.standing.State)
		said, bets := markOf(s, by.Name)
		looks := s.Phase == table.Deciding && s.Variant.Book.Decision == nil
		over := (s.Phase == table.Paid || s.Phase == table.Voided) && slices.ContainsFunc(s.Lines, func(l table.Line) bool { return l.Player == by.Name })
		if !over && (!bets || s.Phase != table.Betting && !looks) || len(s.Offers) > 0 || s.Question != nil {
			err = ErrNothingToWaitFor
			return
		}
		if err = nil; w.ready == nil || w.round != s.Round {
			w.ready = map[string]mark{}
		}
		w.ready[by.Name] = said
	})
	if refreshErr != nil {
		return refreshErr
	}
	if err != nil {
		return fmt.Errorf("table %q: %w", name, err)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

// Awaited returns what a table waits for; ok is false for one that the house does
// not run.
func (c *Autodealer) Awaited(name string) (a Awaited, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.tables[name]
	if w == nil {
		return Awaited{}, false
	}
	a = Awaited{Wait: w.awaits, SinceMs: w.sinceMs}
	if _, dueMs, ok := Due(opaque.Raw(w.standing.State), w.pace, w.sinceMs, w.isReady); ok && w.held == nil && w.standing.Stopped == nil {
		a.DueMs = dueMs
	}
	a.Ready = w.allReady()
	return a, true
}

// allReady returns the players who are ready, in order.
func (w *watch) allReady() (all []string) {
	for player := range w.ready {
		if w.isReady(player) {
			all = append(all, player)
		}
	}
	slices.Sort(all)
	return all
}

// Alerts lists the automatic tables that need a person, by their names.
func (c *Autodealer) Alerts() []Alert {
	c.mu.Lock()
	defer c.mu.Unlock()
	var alerts []Alert
	for name, w := range c.tables {
		a := Alert{Table: name, Round: w.round, SinceMs: w.sinceMs}
		switch {
		case w.awaits == Staff:
			a.Why = w.staffed()
		case w.held != nil && !passing(w.held):
			a.Why, a.SinceMs = sentence.Why(w.held), w.heldMs
		default:
			continue
		}
		alerts = append(alerts, a)
	}
	slices.SortFunc(alerts, func(a, b Alert) int { return cmp.Compare(a.Table, b.Table) })
	return alerts
}

// when returns the time at which a table in the queue is due.
func (w *watch) when() int64 {
	if w.held != nil {
		return max(w.dueMs, w.retryMs)
	}
	return w.dueMs
}

// line is the tables for which a clock runs, a heap by their times and names.
type line []*watch

func (l line) Len() int { return len(l) }
func (l line) Less(i, j int) bool {
	a, b := l[i], l[j]
	return a.when() < b.when() || a.when() == b.when() && a.standing.Name < b.standing.Name
}

func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

// Push adds a table, for package heap.
func (l *line) Push(x any) {
	w := x.(*watch)
	w.index = len(*l)
	*l = append(*l, w)
}

// Pop removes the last table, for package heap.
func (l *line) Pop() any {
	last := (*l)[len(*l)-1]
	last.index = -1
	*l = (*l)[:len(*l)-1]
	return last
}
