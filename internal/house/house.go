package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/posting"
	"trey/internal/house/proof"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// World holds the effects that the house needs beside its store.
type World struct {
	// ReplayAll opens the house from everything that was ever recorded, without
	// the snapshots by which it opens sooner.
	ReplayAll bool
	// NowMs returns the time in milliseconds of the Unix clock. It is the one
	// clock of the house.
	NowMs func() int64
	// NotBefore, unless it is nil, receives the time of the latest transaction that the house
	// is opened from, before anything happens by the clock. A clock that is behind it was set
	// back, and can be put forward.
	NotBefore func(ms int64)
	// MaxGapMs is the longest time between the last transaction and the next one, unless it is
	// zero: beyond it, [ErrClock] refuses. AcceptClock says that the clock is right when the
	// house is opened, however long it was closed.
	MaxGapMs    int64
	AcceptClock bool
	// AliveMs is the time at which another process was last known to run the house, zero if
	// that is not known. A stop since then that is shorter than the grace of a table interrupts
	// no round there, and is not recorded.
	AliveMs int64
	// MostInLine bounds the transactions that wait to be recorded; zero is
	// [DefaultMostInLine]. What does not belong to a round in play has half of it.
	MostInLine int
	// EvenIfMoved opens the house also from a record that it has left: two people have
	// decided to go on from a copy of it.
	EvenIfMoved bool
	// Seed returns a seed that nobody can foretell, such as [shuffle.Fresh] does. It
	// is called by many goroutines, once for each round of a virtual table.
	Seed func() shuffle.Seed
	// Sealer encrypts the seeds that the record keeps until their rounds have ended.
	// A house cannot be opened without one.
	Sealer Sealer
	// Notary signs what the record has come to, before anybody bets upon a commitment in
	// it. Where it is nil, nothing is signed: a record that nobody is to trust.
	Notary Notary
	// Active reports whether a person is signed in and was active just now. Where it is
	// nil, the house knows of no such person.
	Active func(name string) bool
	// Plays reports whether somebody of a name can come in and play, so that money is taken in
	// for them. Where it is nil, everybody can.
	Plays func(name string) bool
	// RealityCheckMs is the time at play after which each player must answer a reality check.
	// It shows how long they have played and their result. Zero is never.
	RealityCheckMs int64
	// Independent returns an error where one person may not approve a request that the other
	// made at a time. Either the accounts depend on each other, or the other has lost their
	// role or access since. Where the time is 0, the request stands. Where it is nil, all
	// accounts are taken for independent.
	Independent func(first access.Person, askedMs int64, second access.Person) error
	// Acts returns an error where a person has lost their role or access since they were let in.
	// It is asked at the place of their command in the record, so that nothing follows the loss
	// but what they had begun. If it is nil, nobody loses either. It calls nothing of the
	// house.
	Acts func(by access.Person) error
	// PlayMoney says that nothing in the house is worth anything: its automatic tables may
	// do without clocks.
	PlayMoney bool
	// Cage bounds what one cashier moves alone.
	Cage CageLimits
	// Software names the program and its version in what it writes for others.
	Software string
	// FindBook returns the book of a reference as this program declares it; nil is
	// [books.Find].
	FindBook func(ref string) (*rules.Book, error)
	// Unread returns the names of the machines of the house that do not read a revision of a
	// book; nil is a house of one machine. It is called while tables are locked, and has to
	// be quick.
	Unread func(ref string, revision int) []string
}

// Notary signs the record, as package notary does. It is called by many goroutines.
type Notary interface {
	// Covering returns a signed checkpoint, as a note, of a tree that holds a
	// transaction, which is durable.
	Covering(seq int64) (note []byte, err error)
}

// Sealer encrypts a seed for the record and decrypts it again, such as
// [sealing.Keys] does. It is called by many goroutines.
type Sealer interface {
	Seal(table string, round int, seed shuffle.Seed) (fair.Sealed, error)
	// Open wraps [fair.ErrNoKey] if it does not have the key.
	Open(table string, sealed fair.Sealed) (shuffle.Seed, error)
}

// Table is a table as it is put on the floor.
type Table struct {
	// Name names the table for good: its rounds, accounts and streams.
	Name    string
	Variant *rules.Variant
	Config  table.Config
	// Jackpot names the jackpot that a variant with a progressive plays for.
	// Tables that give the same name share one.
	Jackpot string
	// Meter is the initial display of a jackpot that is put into service with this table; zero
	// is its reset value.
	Meter money.Amount
	// VerifyFrom is the amount from which people verify a hit of such a jackpot;
	// zero for none.
	VerifyFrom money.Amount
	// Mode says who runs the rounds; zero is a person. Pace is the clock of a table
	// that runs by itself.
	Mode Mode
	Pace Pace
}

// The errors of the house, beside the refusals of the packages it joins.
var (
	// ErrNoTable: no table has that name.
	ErrNoTable = errors.New("there is no such table")
	// ErrNoJackpot: no jackpot has that name.
	ErrNoJackpot = errors.New("there is no such jackpot")
	// ErrStopped: the house or the table has stopped and takes no commands.
	ErrStopped = errors.New("stopped")
	// ErrTableStopped is [ErrStopped] of one table, while the house goes on: what was asked of
	// the table was not done.
	ErrTableStopped = fmt.Errorf("%w", ErrStopped)
	// ErrKeyReused: the idempotency key was used for something else.
	ErrKeyReused = errors.New("this idempotency key was used for another command")
	// ErrKeyBusy: a command with this key is being carried out at this moment.
	ErrKeyBusy = errors.New("a command with this idempotency key is being carried out: send it again in a second")
	// ErrVersionMismatch: the table has another version than the order expects.
	ErrVersionMismatch = errors.New("the table has changed: check it, then send the command again")
	// ErrOverloaded: too many commands wait already. Rounds in play go first: it is said to
	// them last.
	ErrOverloaded = errors.New("too many commands wait to be recorded: send it again in a second")
	// ErrBadName: a name that cannot be recorded.
	ErrBadName = errors.New("invalid name")
)

// Unsure reports whether an error of a command leaves it open if the command was recorded. Only
// its idempotency key shows that, when the house is open again.
func Unsure(err error) bool {
	return errors.Is(err, ErrFailed) || errors.Is(err, ErrStopped) && !errors.Is(err, ErrTableStopped)
}

// House is all tables, jackpots and accounts. Its methods are safe for use by
// many goroutines.
type House struct {
	// store is the record with the names of persons, and raw as its bytes are, with their
	// numbers.
	store *named
	raw   Store
	world World

	admin adminState
	// rules are those that the record holds.
	rules *recordedRules
	// whereabouts says whether the house has left the record.
	whereabouts Whereabouts

	// floor guards the maps. No other lock is taken under it.
	floor    sync.RWMutex
	tables   map[string]*tableRunner
	jackpots map[string]*jackpotRunner

	// ledgerMu guards the balances, the protection of players, the queue at the store and the
	// tickets, of which each queued transaction has one. Draining says that no round begins in
	// it.
	ledgerMu sync.Mutex
	book     ledger.Book
	cashiers cashiers
	guard    guard
	tickets  uint64
	draining bool
	// durable holds the recorded balances, and inLine the changes by the queued transactions,
	// in their order; the first of them has the ticket firstInLine. Only what is durable is
	// shown to anybody; decisions are made upon book.
	durable     ledger.Book
	inLine      [][]ledger.Change
	firstInLine uint64

	hub *hub

	keys    sync.Mutex
	claimed map[string]bool // idempotency keys being worked on

	fault atomic.Pointer[error]
	// reading is the reason why the house takes no commands, nil where it does.
	reading error
	// lastMs is the time of the last transaction that was in time.
	lastMs atomic.Int64

	// shuffle turns a seed into a deck. Only tests put anything else here.
	shuffle func(shuffle.Seed) [52]card.Card
}

// tableRunner is one table. The lock is held until a command is durable.
type tableRunner struct {
	sync.Mutex
	Table
	// origin holds the rules with which it was installed, periods those by which it was and
	// will be played since. Both are replaced, never changed, so that a reader needs no lock.
	origin TableInstalled
	// waiting counts the commands that came and are not answered.
	waiting atomic.Int64
	periods atomic.Pointer[[]rulesPeriod]
	state   table.State
	version int64
	seq     int64          // of the last command since the house was opened
	jackpot *jackpotRunner // nil for none
	seeds   *seeds         // nil where cards are dealt by hand
	stopped *stopCause     // nil while it runs
	// restores is the person who wants the progressive back in service when the round in play
	// is over, nil for nobody.
	restores *access.Person
	// text is the record of the last round, nil until the first command since the house was
	// opened.
	text *roundText
	// published is the table as it was last recorded, for those who only look.
	published atomic.Pointer[TableStatus]
}

// jackpotRunner is one jackpot. The lock is held until a command is in line at the store.
type jackpotRunner struct {
	sync.Mutex
	name    string
	state   jackpot.State
	version int64
	written int64 // the version of the latest snapshot
	paid    paidHits
	// wanted says that a table waits to have its progressive back in service. It waits until no
	// table of the jackpot has a round that is paid what was registered.
	wanted atomic.Bool
	// published is the jackpot as it was last recorded, for those who only look.
	published atomic.Pointer[meterAt]
}

// meterAt is a jackpot at one version.
type meterAt struct {
	state   jackpot.State
	version int64
}

// show lets those who only look see the jackpot at a version that is durable. Who waits
// for a transaction may wake up after who waits for a later one, whose state has both.
func (p *jackpotRunner) show(state jackpot.State, version int64) {
	next := &meterAt{state, version}
	for {
		now := p.published.Load()
		if now != nil && now.version >= version || p.published.CompareAndSwap(now, next) {
			return
		}
	}
}

// CommandRequest is a command to a table.
type CommandRequest struct {
	// Key is the idempotency key, empty for none. Keys are each person's own.
	Key   string
	Table string
	By    access.Person
	// Do is the action. A player who names no player means themselves.
	Do table.Action
	// Expect is the version that the table must have, nil for any. An order that
	// is repeated under its key gets its answer whatever the version is by then.
	Expect *int64
	// begun says that the command is part of what the same person has begun by another one: it
	// is ended whatever has become of them.
	begun bool
}

// giver returns the person who must still have their role and access when the command is
// recorded.
func (o *CommandRequest) giver() access.Person {
	if o.begun {
		return access.Person{}
	}
	return o.By
}

// Result is the outcome of a command.
type Result struct {
	// Seq is the number of the transaction; zero if nothing had to be recorded.
	Seq  int64
	AtMs int64
	// Repeated says that the command was carried out before, under its key, and
	// that this is the answer of that time. The states are of today.
	Repeated bool
	// Version is the table's version after the command.
	Version int64
	// Events are those of the command. The same command is answered the same when it is
	// repeated, so they hold nothing that depends on the later state of the table. Reports are
	// shown as if the table had seen no card.
	Events []TableEvent
	Moved  []JackpotEvent
	State  State

	command table.Command // as it was carried out; empty if repeated
	before  State         // upon which a dry run decided; empty for what was done
}

// answerEvents returns the events of a command as its answer holds them.
func answerEvents(events []table.Event, v *rules.Variant) []TableEvent {
	return opaque.EventsOf(events, &table.State{Variant: v})
}

// State is a table at one moment as it leaves the house: out of reach, but for what a
// viewer may see of it.
type State = opaque.State

// TableEvent is something that happened at a table as it leaves the house.
type TableEvent = opaque.Event

// JackpotEvent is something that happened to a jackpot, as [opaque.JackpotEvent] keeps it.
type JackpotEvent = opaque.JackpotEvent

// Meter is a jackpot at one moment, as [opaque.Meter] keeps it.
type Meter = opaque.Meter

// Do carries out a command at a table. When it returns without an error, what it
// returns is durable. A [*access.Denied], a [*table.Refusal], a [*jackpot.Refusal] or a
// [*ledger.Short] says why it may not be done, and nothing has changed. An error that wraps
// [ErrStopped] is a fault of the house. Only when the house is opened again is it known whether
// the command was recorded: send it again with the same key.
//
// A report that the system of a jackpot has failed is one at all of its tables. After an error of
// another table than the first, the same key carries it on where it ended.
func (h *House) Do(ctx context.Context, o CommandRequest) (Result, error) {
	done, err := h.orderBy(ctx, o)
	if err != nil {
		return Result{}, err
	}
	return done, h.failElsewhere(ctx, o, &done)
}

// orderBy carries out a command of a person at one table.
func (h *House) orderBy(ctx context.Context, o CommandRequest) (Result, error) {
	if err := o.admit(); err != nil {
		return Result{}, err
	}
	done, err := h.order(ctx, o, o.By.Actor(), o.By.Role.String())
	return done, withheldFrom(o.By, err)
}

// withheldFrom returns an error without what a person may not see of the player whom it
// concerns. A person who enters bets for others would otherwise learn from a refusal what they
// hold, and what their limits are.
func withheldFrom(by access.Person, err error) error {
	if short, ok := errors.AsType[*ledger.Short](err); ok {
		a := short.Account
		if (a.Kind == ledger.Player || a.Kind == ledger.Owed) && a.Of != by.Name && !by.Role.Can(access.SeeAccounts) {
			return &ledger.Short{Account: a, Needed: short.Needed, Withheld: true}
		}
	}
	if refused, ok := errors.AsType[*protection.Refusal](err); ok && refused.Player != by.Name && !by.Role.Can(access.ExcludePlayer) {
		return refused.Withheld()
	}
	return err
}

// admit checks permissions and fills in the player's name.
func (o *CommandRequest) admit() error {
	if o.Do == nil {
		return &table.Refusal{Reason: table.Malformed, Detail: "a command needs something to do"}
	}
	if err := o.By.CheckAction(o.Do); err != nil {
		return err
	}
	if o.By.Name == keeper.Name {
		return sentence.Errorf("%q is the house's own name: %s", o.By.Name, ErrBadName)
	}
	if report, ok := o.Do.(table.Report); ok && report.Active {
		return &table.Refusal{Reason: table.Malformed, Detail: "the house itself states whether a player is active: leave active out of the report"}
	}
	o.Do = o.By.Own(o.Do)
	return nil
}

// withAttested states in a report of a player who has left whether that player is active. The house
// knows it, and nobody else may state it.
func (h *House) withAttested(do table.Action) table.Action {
	report, ok := do.(table.Report)
	if ok && report.Incident == rules.WalkedAway && h.world.Active != nil {
		report.Active = h.world.Active(report.Player)
		return report
	}
	return do
}

// keeper is the house itself, where it acts without anybody's order. It is no
// role of the matrix, so that nobody can come in as the house.
var keeper = table.Actor{Name: "the house", Role: rules.Dealer, Automatic: true}

// keeperRole is the role under which its commands are recorded.
const keeperRole = proof.KeeperRole

// ErrNotAutomatic: the house runs the rounds of automatic tables only.
var ErrNotAutomatic = errors.New("this table is run by a person")

// DoAsHouse carries out a command that the house gives itself, where it runs the
// rounds of an automatic table. Everything else is as for [House.Do].
func (h *House) DoAsHouse(ctx context.Context, key, name string, do table.Action) (Result, error) {
	s, err := h.runner(name)
	if err != nil {
		return Result{}, err
	}
	if status := s.published.Load(); status.InForce().Mode != Automatic {
		return Result{}, sentence.Errorf("table %q: %s", name, ErrNotAutomatic)
	}
	return h.drive(ctx, key, name, do)
}

func (h *House) drive(ctx context.Context, key, name string, do table.Action) (Result, error) {
	return h.order(ctx, CommandRequest{Key: key, Table: name, By: access.Person{Name: keeper.Name}, Do: do}, keeper, keeperRole)
}

// order carries out a command that its sender may give, up to the durable answer:
//
//  1. [House.Do] has checked the person's permission, by admit, and [House.DoAsHouse] that
//     the house runs the table.
//  2. checkNames refuses names that can have no account. countBettor counts what the limits of a
//     bettor need.
//  3. cause writes the command as it is recorded. claim takes its idempotency key: a
//     command that was recorded under it is not carried out, and replayed returns its answer.
//  4. lockCovered locks the table once a signed checkpoint covers the deck's commitment, if
//     the command relies on it.
//  5. carryOut checks the version and what this house permits, adds the cards, and has
//     [linked.Step] decide. record writes the events into the transaction.
//  6. enqueue decides the postings on the balances of that moment and puts the
//     transaction in line at the store. Nothing before it has changed the house.
//  7. awaitDurable waits until the transaction is recorded. Only then follow takes the new
//     state over and subscribers receive it.
//
// Locks are taken in the order table, jackpot, ledgerMu.
func (h *House) order(ctx context.Context, o CommandRequest, by table.Actor, role string) (_ Result, err error) {
	defer func() { h.noteRefused(ctx, err) }() // when the table is unlocked
	s, err := h.runner(o.Table)
	if err != nil {
		return Result{}, err
	}
	if err := o.checkNames(); err != nil {
		return Result{}, err
	}
	defer h.restoreWaiting(ctx, s) // when the table is unlocked
	if err := h.countBettor(ctx, opaque.Raw(s.published.Load().State), o.Do); err != nil {
		return Result{}, err
	}
	cause, err := o.cause(by, role)
	if err != nil {
		return Result{}, err
	}
	tx, repeated, err := h.claim(ctx, o.Key, o.giver(), cause)
	if err != nil {
		return Result{}, err
	}
	if repeated != nil {
		return s.replayed(repeated)
	}
	defer h.release(tx.Key)
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > mostAtTable {
		return Result{}, sentence.Errorf("table %s: %s", s.Name, ErrOverloaded)
	}
	covered, err := h.lockCovered(s, relies(o.Do))
	if err != nil {
		return Result{}, err
	}
	defer s.Unlock()
	done, err := h.carryOut(ctx, s, o, by, tx, covered)
	s.dropRestore(o.Do, err)
	if err == nil {
		h.endIdle(ctx, s)
		h.restoreBetween(ctx, s)
	}
	return done, err
}

// continueAt carries out a command at a table that is locked, as a part of the work in progress
// there. Nothing comes in between, and the work is completed even if nobody waits for the
// answer.
func (h *House) continueAt(ctx context.Context, s *tableRunner, by table.Actor, role string, do table.Action) (Result, error) {
	o := CommandRequest{Table: s.Name, Do: do}
	cause, err := o.cause(by, role)
	if err != nil {
		return Result{}, err
	}
	ctx = context.WithoutCancel(ctx)
	tx, _, err := h.claim(ctx, "", access.Person{}, cause)
	if err != nil {
		return Result{}, err
	}
	return h.carryOut(ctx, s, o, by, tx, nil)
}

// cause returns the recorded form of the order.
func (o *CommandRequest) cause(by table.Actor, role string) (Cause, error) {
	written, err := record.Actions.Write(o.Do)
	if err != nil {
		return Cause{}, incomplete(record.Actions.Name(o.Do), err)
	}
	return Cause{By: by.Name, Role: role, At: o.Table, Kind: written.Kind, Body: written.Body}, nil
}

// checkNames refuses an order by or for somebody who can have no account: it must not
// come so far that the ledger finds it.
func (o *CommandRequest) checkNames() error {
	player, bets := "", false // player is whom it names that the record may not know yet
	switch do := o.Do.(type) {
	case table.Bet:
		player, bets = do.Player, true
	case table.Found:
		player, bets = do.Player, true
	case table.RestrictPlayer:
		player = do.Player // the table says that it names nobody
	case table.Report:
		player = do.Player
	}
	if bets && player == "" {
		return sentence.Errorf("player says whose bet it is, and is empty: %s", ErrBadName)
	}
	if o.By.Name != keeper.Name { // Do has seen to it that it is the house itself.
		if err := nameable(o.By.Name); err != nil {
			return err
		}
	}
	if player == "" {
		return nil
	}
	return nameable(player)
}

// nameable refuses a text that cannot be a person's name. A name has to be the same for its
// readers and for comparisons, so that no two people look alike in the log, and nobody looks
// like the house.
func nameable(name string) error {
	seen := func(r rune) bool { return unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) }
	if !(ledger.Account{Kind: ledger.Player, Of: name}).Valid() || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return !seen(r) }) {
		return sentence.Errorf("%.210q: %s", name, ErrBadName)
	}
	if people.Reserved(name) {
		return sentence.Errorf("%q is the house's own name: %s", name, ErrBadName)
	}
	return nil
}

// carryOut decides a command, queues its transaction and waits for it.
func (h *House) carryOut(ctx context.Context, s *tableRunner, o CommandRequest, by table.Actor, tx *Transaction, covered *seedChange) (Result, error) {
	if err := h.checkRunning(s); err != nil {
		return Result{}, err
	}
	if o.Expect != nil && *o.Expect != s.version {
		return Result{}, sentence.Errorf("table %s is at version %d, not %d: %s", s.Name, s.version, *o.Expect, ErrVersionMismatch)
	}
	if err := h.confirms(s, &o); err != nil {
		return Result{}, err
	}
	if err := s.checkBehalf(&s.state, by, o.Do); err != nil {
		return Result{}, err
	}
	if err := h.checkTimeUp(&s.state, by, o.Do); err != nil {
		return Result{}, err
	}
	if err := h.checkCurrentRules(s, o.Do); err != nil {
		return Result{}, err
	}
	do, err := h.deal(s, h.withAttested(o.Do))
	if err != nil {
		return Result{}, err
	}
	written, err := h.textFor(ctx, s, do)
	if err != nil {
		return Result{}, err
	}
	var meter jackpot.State
	unlock := func() {}
	if s.jackpot != nil {
		s.jackpot.Lock()
		unlock = sync.OnceFunc(s.jackpot.Unlock)
		meter = s.jackpot.state
	}
	defer unlock()
	// Read under the lock, so that hands on linked tables are dealt at times in the order in
	// which the jackpot receives them.
	tx.AtMs = h.world.NowMs()
	before := s.stateFor(do)
	refused := func(err error) (Result, error) {
		unlock()
		return Result{}, h.refused(s, tx.Cause, err)
	}
	done, err := linked.Step(s.Name, *before, meter, table.Command{By: by, AtMs: tx.AtMs, Do: do})
	if err != nil {
		return refused(err)
	}
	if !done.Read {
		unlock() // Others may move the jackpot: this command has nothing to do with it.
	}
	seeds, err := h.after(s, &done.State)
	if err != nil {
		return refused(err)
	}
	if seeds == nil {
		seeds = covered // a bet ends no round
	}
	if err := tx.record(s, &done); err != nil {
		return Result{}, err
	}
	if err := seeds.record(tx, s.seeds); err != nil {
		return Result{}, err
	}
	led := outcome{state: &done.State}
	if done.Read {
		led.was, led.meter = &meter, &done.Meter
	}
	if written, err = written.with(&StoredTransaction{AtMs: tx.AtMs, Cause: tx.Cause, Parts: tx.Parts}, led); err == nil {
		err = written.prepare()
	}
	if err != nil {
		return Result{}, err
	}
	most := h.mostInLine()
	if !before.Phase.InRound() || begins(before, do) {
		most /= 2
	}
	inLine, err := h.enqueueWithin(most, tx, func(on ledger.Balances) (postings []ledger.Posting, changes []ledger.Change, err error) {
		if h.draining && begins(before, do) {
			return nil, nil, ErrClosing
		}
		postings, changes, err = posting.Of(s.place(), before, &done, on)
		if err == nil {
			err = h.mayBet(s.Name, before, &done.State, done.Events, tx.AtMs)
		}
		if err == nil {
			err = written.commit(tx, postings)
		}
		if err == nil {
			h.guard.reserve(s.Name, reservations(&done.State))
		}
		return postings, changes, err
	})
	if err != nil {
		return refused(err)
	}
	meterVersion := int64(0)
	if len(done.Moved) > 0 {
		s.jackpot.state = done.Meter
		s.jackpot.version += int64(len(done.Moved))
		meterVersion = s.jackpot.version
	}
	unlock()
	seq, err := h.awaitDurable(inLine, func(n *Notice) {
		s.seq = n.Seq
		written.number(n.Seq)
		s.text = written
		s.follow(done.State, int64(len(done.Events)))
		s.seeds.follow(seeds, n.Seq)
		n.Round, n.Events, n.State = done.State.Round, opaque.EventsOf(done.Events, &done.State), opaque.Of(&done.State)
		if len(done.Moved) > 0 {
			n.Moved, n.Meter = opaque.JackpotEventsOf(done.Moved), opaque.MeterOf(&done.Meter)
			s.jackpot.show(done.Meter, meterVersion)
		}
	})
	if err != nil {
		return Result{}, err
	}
	return Result{
		Seq: seq, AtMs: tx.AtMs, Version: s.version,
		command: done.Command, Events: answerEvents(done.Events, done.State.Variant), Moved: opaque.JackpotEventsOf(done.Moved), State: opaque.Of(&done.State),
	}, nil
}

// record puts the events of a command into its transaction.
func (tx *Transaction) record(s *tableRunner, done *linked.Outcome) (err error) {
	switch done.Command.Do.(type) {
	case table.Deal, table.Settle, table.Report:
		// It was carried out with cards or a value that it was not given with.
		written, err := record.Actions.Write(done.Command.Do)
		if err != nil {
			return err
		}
		tx.Cause.Body = written.Body
	}
	part := StreamAppend{Stream: tableStream(s.Name), After: s.version}
	if part.Events, err = encodeTable(done.Events); err != nil {
		return err
	}
	for _, e := range done.Events {
		if opened, ok := e.(table.BetsOpened); ok {
			part.Round = opened.Round
		}
	}
	if part.Round != 0 && part.Round%snapshotRounds == 0 {
		body, err := snapshotTable(&done.State)
		if err != nil {
			return err
		}
		part.seal(body)
	}
	tx.Parts = append(tx.Parts, part)
	if !done.Read {
		return nil
	}
	// Without events the part says which state of the jackpot the command read.
	part, err = s.jackpot.part(done.Moved, &done.Meter)
	tx.Parts = append(tx.Parts, part)
	return err
}

// part returns the appended part of a jackpot's stream, with a snapshot where it is time for
// one. The jackpot is locked.
func (p *jackpotRunner) part(moved []jackpot.Event, after *jackpot.State) (part StreamAppend, err error) {
	part = StreamAppend{Stream: jackpotStream(p.name), After: p.version}
	if part.Events, err = encodeJackpot(moved); err != nil {
		return part, err
	}
	version := p.version + int64(len(moved))
	if !pace.Due(version-p.written, 2*int64(len(after.Rounds))) {
		return part, nil
	}
	p.written = version
	body, err := jackpot.Snapshot(*after)
	part.seal(body)
	return part, err
}

// DefaultMostInLine is the number of transactions that may wait to be recorded.
const DefaultMostInLine = 8192

// mostAtTable is the number of commands that may wait at one table.
const mostAtTable = 128

func (h *House) mostInLine() int { return cmp.Or(h.world.MostInLine, DefaultMostInLine) }

// enqueue does what enqueueWithin does for a command that does not belong to a round in play.
func (h *House) enqueue(tx *Transaction, post func(ledger.Balances) ([]ledger.Posting, []ledger.Change, error)) (ticket, error) {
	return h.enqueueWithin(h.mostInLine()/2, tx, post)
}

// enqueueWithin decides the postings of a transaction on the present balances and queues it,
// both before anybody else can. It refuses a line that is longer than most, and a person who
// may not act any more.
func (h *House) enqueueWithin(most int, tx *Transaction, post func(ledger.Balances) ([]ledger.Posting, []ledger.Change, error)) (ticket, error) {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	if err := h.checkRunning(nil); err != nil {
		return ticket{}, err
	}
	if len(h.inLine) >= most {
		return ticket{}, ErrOverloaded
	}
	if err := h.mayAct(tx.by); err != nil {
		return ticket{}, err
	}
	if err := h.dated(tx.AtMs); err != nil {
		return ticket{}, err
	}
	var err error
	if tx.Postings, tx.Changes, err = post(h.book); err != nil {
		return ticket{}, err
	}
	if err := h.mayDeposit(tx.Postings, tx.AtMs); err != nil {
		return ticket{}, err
	}
	h.book.Apply(tx.Changes)
	h.guard.count(tx)
	if h.world.Cage.Day > 0 {
		h.cashiers.count(tx)
	}
	tx.Binding = true // the next decisions count on it
	t := ticket{tx: tx, number: h.tickets, done: h.store.Append(tx)}
	h.inLine = append(h.inLine, tx.Changes)
	h.tickets++
	return t, nil
}

func (s *tableRunner) place() posting.Place { return posting.Place{Table: s.Name, Jackpot: s.Jackpot} }

func (s *tableRunner) follow(to table.State, events int64) {
	s.state = to
	s.version += events
	now := s.at(to.Round)
	s.Variant, s.Mode, s.Pace = now.Variant, now.Mode, now.Pace
	s.show()
}

// show lets those who only look see the table as it is now.
func (s *tableRunner) show() {
	state := s.state // others hold what is shown
	status := &TableStatus{Table: s.Table, State: opaque.Of(&state), Version: s.version, Next: s.next(), Seq: s.seq}
	if s.stopped != nil {
		status.Stopped = s.stopped.err
	}
	s.published.Store(status)
}

// checkRunning refuses while the house or the table is stopped, or another process writes.
func (h *House) checkRunning(s *tableRunner) error {
	if h.reading != nil && h.fault.Load() == nil {
		return h.reading
	}
	return h.checkNotStopped(s)
}

// checkNotStopped refuses while the house or the table is stopped.
func (h *House) checkNotStopped(s *tableRunner) error {
	if fault := h.fault.Load(); fault != nil {
		return *fault
	}
	if s != nil && s.stopped != nil {
		return s.stopped.err
	}
	return nil
}

// Fault returns the reason for which the house has stopped, nil while it runs. It wraps [ErrStopped].
func (h *House) Fault() error {
	if fault := h.fault.Load(); fault != nil {
		return *fault
	}
	return nil
}

// stop ends the house: what it knows may be ahead of what is recorded.
func (h *House) stop(why error) error {
	err := fmt.Errorf("the house has %w: %w", ErrStopped, why)
	h.fault.CompareAndSwap(nil, &err)
	return *h.fault.Load()
}

// ErrIncomplete is wrapped where a request lacks a field or has an unknown value in one.
var ErrIncomplete = errors.New("a required field is missing or has an unknown value")

// incomplete says why a request cannot be recorded.
func incomplete(kind string, err error) error {
	if field, ok := errors.AsType[*stored.FieldError](err); ok {
		err = field
	}
	return sentence.Errorf("%s: %s: %s", kind, ErrIncomplete, err)
}

// ErrBadKey is wrapped where an idempotency key cannot be one.
var ErrBadKey = errors.New("invalid idempotency key")

// maxKey is the longest idempotency key, in bytes.
const maxKey = 200

// claim begins a transaction that somebody gave, or the house itself where by is zero. If its key
// was used before, it returns what was recorded then, or ErrKeyReused. Otherwise the key is this
// caller's until release.
func (h *House) claim(ctx context.Context, key string, by access.Person, cause Cause) (*Transaction, *Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	tx := &Transaction{AtMs: h.world.NowMs(), Cause: cause, by: by}
	if key == "" {
		return tx, nil, nil
	}
	if len(key) > maxKey || !utf8.ValidString(key) {
		return nil, nil, sentence.Errorf("%s: it is text of at most %d bytes, and this one has %d", ErrBadKey, maxKey, len(key))
	}
	// The cause may become another on the way: a deal gets its cards.
	tx.Key, tx.Came = storedKey(cause.By, key), &cause
	h.keys.Lock()
	busy := h.claimed[tx.Key]
	h.claimed[tx.Key] = true
	h.keys.Unlock()
	if busy {
		return nil, nil, ErrKeyBusy
	}
	receipt, err := h.store.Find(ctx, tx.Key)
	if errors.Is(err, ErrNotFound) {
		return tx, nil, nil
	}
	h.release(tx.Key)
	if err == nil {
		err = receipt.Answers(&cause)
	}
	if err != nil {
		return nil, nil, err
	}
	Replayed(ctx)
	return nil, receipt, nil
}

// Answers refuses, with [ErrKeyReused], to answer another command than came with the key
// the first time.
func (r *Receipt) Answers(c *Cause) error {
	came := *c
	if r.token != nil {
		var err error
		if came, err = renameCause(c, r.token); err != nil {
			return err
		}
	}
	input, err := InputOf(&came)
	if err == nil && input != r.Input {
		err = ErrKeyReused
	}
	return err
}

func (h *House) release(key string) {
	if key == "" {
		return
	}
	h.keys.Lock()
	delete(h.claimed, key)
	h.keys.Unlock()
}

// replayed returns the recorded answer of a command that is repeated.
func (s *tableRunner) replayed(r *Receipt) (Result, error) {
	result := Result{Seq: r.Seq, AtMs: r.AtMs, Repeated: true, State: s.published.Load().State}
	for _, part := range r.Parts {
		var err error
		switch kind, _, _ := strings.Cut(part.Stream, ":"); kind {
		case tableKind:
			result.Version = part.After + int64(len(part.Events))
			var events []table.Event
			events, err = decodeTable(part.Events)
			result.Events = answerEvents(events, result.State.Variant())
		case jackpotKind:
			var events []jackpot.Event
			events, err = decodeJackpot(part.Events)
			result.Moved = opaque.JackpotEventsOf(events)
		}
		if err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

func (h *House) runner(name string) (*tableRunner, error) {
	h.floor.RLock()
	defer h.floor.RUnlock()
	s := h.tables[name]
	if s == nil {
		return nil, sentence.Errorf("table %q: %s", name, ErrNoTable)
	}
	return s, nil
}

// Install puts a table on the floor, and with the first table of a jackpot the
// jackpot. A table that exists with the same rules and equipment, or plays by these rules now,
// is left as it is. With others it is refused, because [House.Change] changes rules.
func (h *House) Install(ctx context.Context, t Table, by access.Person) error {
	if err := by.Check(access.InstallTable); err != nil {
		return err
	}
	if t.Mode == 0 {
		t.Mode = DealerRun
	}
	if err := t.Pace.Check(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	if strings.TrimSpace(t.Name) != t.Name || !(ledger.Account{Kind: ledger.Layout, Of: t.Name}).Valid() {
		return fmt.Errorf("table %q: %w", t.Name, ErrBadName)
	}
	state, err := table.New(t.Variant, t.Config)
	if err != nil {
		return err
	}
	if err := t.attended(h.world.PlayMoney); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	if (t.Variant.Jackpot != nil) != (t.Jackpot != "") {
		return fmt.Errorf("table %s: a jackpot is named where the rules have a progressive, and only there", t.Name)
	}
	if err := h.ownBook(t.Variant, nil); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	entry := t.installed()
	h.admin.Lock()
	defer h.admin.Unlock()
	if s, err := h.runner(t.Name); err == nil {
		return s.checkSame(entry)
	}
	tx, _, err := h.begin(ctx, "", by, t.Name, InstallTable{})
	if err != nil {
		return err
	}
	tx.Parts = []StreamAppend{{Stream: tableStream(t.Name)}}
	if err := h.appendRulesEvent(tx, t.Variant, entry); err != nil {
		return sentence.Errorf("table %s: %s", t.Name, err)
	}
	p, events, err := h.jackpotFor(t)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		part := StreamAppend{Stream: jackpotStream(t.Jackpot)}
		if part.Events, err = encodeJackpot(events); err != nil {
			return err
		}
		tx.Parts = append(tx.Parts, part)
	}
	s := newTableRunner(t, state, p)
	first, err := h.after(s, &state)
	if err != nil {
		return err
	}
	if err := first.record(tx, s.seeds); err != nil {
		return err
	}
	inLine, err := h.enqueue(tx, func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		if len(events) == 0 {
			return nil, nil, nil
		}
		return posting.Moved(t.Jackpot, p.state, events, on)
	})
	if err != nil {
		return err
	}
	_, err = h.awaitAdminEvent(inLine, func(n *Notice) {
		h.floor.Lock()
		defer h.floor.Unlock()
		n.State = opaque.Of(&state)
		if p != nil {
			h.jackpots[p.name] = p
		}
		if len(events) > 0 {
			meter := p.state
			n.Moved, n.Meter = opaque.JackpotEventsOf(events), opaque.MeterOf(&meter)
			p.show(p.state, p.version)
		}
		s.seeds.follow(first, n.Seq)
		h.tables[t.Name] = s
	})
	return err
}

// checkSame refuses a table that is already on the floor in another way.
func (s *tableRunner) checkSame(entry TableInstalled) error {
	status := s.published.Load()
	now, next := status.Table, status.InForce()
	if entry != s.origin && entry != now.installed() && entry != next.installed() {
		return fmt.Errorf("table %s is on the floor with other rules or equipment: change its rules by a change, and give other equipment to another table", s.Name)
	}
	return nil
}

// jackpotFor returns the jackpot of a table, and the events that open it if it is
// new. It is nil for a table without one.
func (h *House) jackpotFor(t Table) (*jackpotRunner, []jackpot.Event, error) {
	if t.Jackpot == "" {
		return nil, nil, nil
	}
	if !(ledger.Account{Kind: ledger.Meter, Of: t.Jackpot}).Valid() {
		return nil, nil, fmt.Errorf("jackpot %q: %w", t.Jackpot, ErrBadName)
	}
	if p := h.jackpots[t.Jackpot]; p != nil {
		p.Lock()
		defer p.Unlock()
		return p, nil, linked.Check(t.Variant, p.state)
	}
	events, state, err := linked.Open(t.Variant, t.Meter, t.VerifyFrom)
	if err == nil {
		err = linked.Check(t.Variant, state)
	}
	return &jackpotRunner{name: t.Jackpot, state: state, version: int64(len(events))}, events, err
}

// newTableRunner returns a table without rounds, with the jackpot that it plays for, nil for none.
func newTableRunner(t Table, state table.State, p *jackpotRunner) *tableRunner {
	s := &tableRunner{Table: t, origin: t.installed(), state: state, jackpot: p}
	s.periods.Store(&[]rulesPeriod{{Table: t}})
	if t.Config.Cards == table.Virtual {
		s.seeds = &seeds{state: fair.State{Table: t.Name}}
		s.seeds.published.Store(&fair.State{Table: t.Name})
	}
	s.show()
	return s
}

// nothingMoves returns no postings.
func nothingMoves(ledger.Balances) ([]ledger.Posting, []ledger.Change, error) { return nil, nil, nil }

// PlayMoney reports whether nothing in the house is worth anything.
func (h *House) PlayMoney() bool { return h.world.PlayMoney }

// CageTransfer takes a player's money in or pays it out, and reports the number of the
// transaction. A stake in a round has left the account, so it cannot be paid out. Fills and
// credits take two people, and so does a transfer beyond the limits of one cashier: see
// [House.Propose].
func (h *House) CageTransfer(ctx context.Context, key string, by access.Person, t posting.Transfer) (seq int64, err error) {
	defer func() { h.noteRefused(ctx, err) }()
	if err := by.Check(access.MoveAtCage); err != nil {
		return 0, err
	}
	command, err := transferring(t)
	if err != nil {
		return 0, err
	}
	if err := nameable(t.Player); t.Reason == ledger.BuyIn && err != nil {
		return 0, err
	}
	move, err := t.Posting()
	if err != nil {
		return 0, err
	}
	if err := disinterested(by, move.From, move.To); err != nil {
		return 0, err
	}
	tx, repeated, err := h.begin(ctx, key, by, "", command)
	if err != nil {
		return 0, err
	}
	if repeated != nil {
		return repeated.Seq, nil
	}
	defer h.release(tx.Key)
	if by.Name != Lobby.Name { // It lets guests in itself.
		err = h.comesIn(ctx, move)
	}
	if err != nil {
		return 0, err
	}
	inLine, err := h.enqueue(tx, func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		if err := h.mayMoveAlone(by, t.Amount, tx.AtMs); err != nil {
			return nil, nil, err
		}
		changes, err := ledger.Post(on, move)
		return []ledger.Posting{move}, changes, err
	})
	if err != nil {
		return 0, err
	}
	return h.awaitDurable(inLine, func(*Notice) {})
}

// Table returns a table as it was last recorded.
func (h *House) Table(name string) (State, error) {
	status, err := h.Status(name)
	return status.State, err
}

// TableStatus is a table on the floor as it was last recorded. The table is as it is
// played in this round, or was in the last one.
type TableStatus struct {
	Table
	State State
	// Version counts the events that made the state.
	Version int64
	// Next holds the rules from the next round on, nil if they do not change.
	Next *Table
	// Stopped is the reason why it takes no commands, nil if it does. It wraps [ErrStopped].
	Stopped error
	// Seq is the number of the last command at the table since the house was
	// opened, zero if there was none: notices up to it are in the state.
	Seq int64
}

// InForce returns the table with the rules for a player who sits down now. They are those of
// the round in play, or between rounds those of the next one.
func (s *TableStatus) InForce() Table {
	if s.Next != nil && !s.State.Phase().InRound() {
		return *s.Next
	}
	return s.Table
}

// Status returns a table with its equipment and its version.
func (h *House) Status(name string) (TableStatus, error) {
	s, err := h.runner(name)
	if err != nil {
		return TableStatus{}, err
	}
	return *s.published.Load(), nil
}

// Tables lists the names of all tables in order.
func (h *House) Tables() []string {
	h.floor.RLock()
	defer h.floor.RUnlock()
	return slices.Sorted(maps.Keys(h.tables))
}

// Jackpots lists the names of all jackpots in order.
func (h *House) Jackpots() []string {
	h.floor.RLock()
	defer h.floor.RUnlock()
	return slices.Sorted(maps.Keys(h.jackpots))
}

// Jackpot returns a jackpot as it was last recorded; ok is false if there is none of
// that name.
func (h *House) Jackpot(name string) (s jackpot.State, ok bool) {
	p := h.jackpotNamed(name)
	if p == nil {
		return jackpot.State{}, false
	}
	return p.published.Load().state, true
}

// jackpotNamed returns a jackpot, nil if there is none of that name.
func (h *House) jackpotNamed(name string) *jackpotRunner {
	h.floor.RLock()
	defer h.floor.RUnlock()
	return h.jackpots[name]
}

// Balance returns what an account holds by what is recorded.
func (h *House) Balance(a ledger.Account) money.Amount {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	return h.durable.Balance(a)
}

// Book returns a copy of all balances by what is recorded.
func (h *House) Book() ledger.Book {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	return h.durable.Clone()
}
