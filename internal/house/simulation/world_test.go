package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/auditor"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/people"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

func ctx() context.Context { return context.Background() }

// world is a house and everybody who has to do with it.
type world struct {
	testing.TB
	seed uint64
	rng  *rand.Rand
	// sabotage changes transactions on their way to the store; nil for none.
	sabotage func(*house.Transaction)

	nowMs int64
	decks func() shuffle.Seed
	disk  memory.Disk
	store *memory.Store
	line  *line
	house *house.House
	doors *doors
	// autodealer runs the automatic tables of the house.
	autodealer *autodealer.Autodealer
	all        bool // open from the whole record

	floor   []*floorTable
	players []*player
	// sent holds everything that was ever sent with a key, by the key as the record has it.
	// late holds what is still on its way, and unheard what is to be sent again because no
	// answer came.
	sent          map[string]*request
	late, unheard []*request
	numbered      int

	auditor *auditor.Auditor
	// follower hears of everything that the house does since heardOf.
	follower *house.Subscription
	heardOf  int64
	// ofPeople are the transactions of which nobody is told: who came and who went.
	ofPeople map[int64]bool
	seen     map[string]*witness
	early    map[string]*rules.Variant
	books    map[string]string // declarations that were recorded, by their hashes
	terms    map[string]*rules.Variant
	// outcomes counts the outcomes, for the test that asks whether the simulation sees enough;
	// log holds the latest events.
	outcomes map[string]int
	log      []happened
}

// happened is a line of the log, put into words only if somebody reads it.
type happened struct {
	atMs   int64
	format string
	args   []any
}

// line is the store as the house has it: while it is held it says when something
// has come into line, so that one goroutine runs at a time.
type line struct {
	*memory.Store
	held     bool
	queued   chan struct{}
	sabotage func(*house.Transaction)
	// lines holds the number of transactions that were queued with each that is held. Those
	// before it give its persons their numbers, which have been there since.
	lines []int
	given int
}

// next returns how many transactions the next one is that is held.
func (l *line) next() int {
	if len(l.lines) == 0 {
		return 0
	}
	n := l.lines[0]
	l.lines = l.lines[1:]
	return n
}

func (l *line) Append(tx *house.Transaction) <-chan house.AppendResult {
	if l.sabotage != nil {
		l.sabotage(tx)
	}
	done := l.Store.Append(tx)
	l.given++
	if len(tx.Names) > 0 {
		return done
	}
	given := l.given
	l.given = 0 // before it is said that something came into line: the next request begins then
	if l.held {
		l.lines = append(l.lines, given)
		l.queued <- struct{}{}
	} else {
		l.Flush(given)
	}
	return done
}

// newWorld opens a house on an empty disk and furnishes it.
func newWorld(t testing.TB, seed uint64) *world {
	w := &world{
		TB: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 0x74726579)), nowMs: 1_700_000_000_000, decks: shuffle.Numbered(seed),
		sent: map[string]*request{}, auditor: auditor.New(), ofPeople: map[int64]bool{}, seen: map[string]*witness{}, early: map[string]*rules.Variant{}, books: map[string]string{}, terms: map[string]*rules.Variant{}, outcomes: map[string]int{},
	}
	return w
}

// fail ends the simulation and says how to have the failure again.
func (w *world) fail(format string, args ...any) {
	w.Helper()
	var last strings.Builder
	for _, h := range w.log {
		fmt.Fprintf(&last, "%d  %s\n", h.atMs, fmt.Sprintf(h.format, h.args...))
	}
	w.Fatalf("seed %d, round %d: %s\n\nthe last that happened:\n%s\nto see it again:\n  go test ./internal/house/simulation -run '^TestWholeHouse$' -simulation.seed %d -simulation.rounds %d",
		w.seed, w.auditor.Rounds(), fmt.Sprintf(format, args...), last.String(), w.seed, *roundsEach)
}

func (w *world) note(format string, args ...any) {
	w.log = append(w.log, happened{w.nowMs, format, args})
	if len(w.log) > 60 {
		w.log = w.log[1:]
	}
}

// one reports an event of chance one in n.
func (w *world) one(n int) bool { return w.rng.IntN(n) == 0 }

func pick[T any](w *world, of []T) T { return of[w.rng.IntN(len(of))] }

// faults returns those of one opening of the store: sometimes it ends by itself, at a
// transaction that is decided beforehand, or cannot be read.
func (w *world) faults() memory.Faults {
	end, fate := 0, memory.Recorded
	switch {
	case w.one(3):
		end, fate = 1+w.rng.IntN(1500), memory.Refused
	case w.one(2):
		end, fate = 1+w.rng.IntN(1500), memory.Unheard
	}
	// Failing reads follow from a number of their own: how many reads there are
	// is the house's affair.
	reads := rand.New(rand.NewPCG(w.rng.Uint64(), 1))
	return memory.Faults{
		Hold: true,
		Write: func(n int, _ *house.Transaction) memory.Fate {
			if n == end {
				w.note("the store: %s", fate)
				w.outcomes["store: "+fate.String()]++
				return fate
			}
			return memory.Recorded
		},
		Read: func() error {
			if reads.IntN(400) == 0 {
				w.outcomes["store: a read failed"]++
				return errBadSector
			}
			return nil
		},
	}
}

var errBadSector = errors.New("a bad sector")

// open opens store and house, again if reads fail, and holds what the house says
// of interrupted rounds against the record.
func (w *world) open() {
	w.Helper()
	w.read()
	interrupted := w.auditor.Interrupted()
	stopped := len(w.auditor.Stops())
	for attempt := range 100 {
		store, err := w.disk.Open(w.faults())
		if err != nil {
			w.fail("open the store: %v", err)
		}
		w.store, w.line = store, &line{Store: store, queued: make(chan struct{}, 16), sabotage: w.sabotage}
		var stops []house.Interruption
		w.house, stops, err = house.Open(ctx(), w.line, house.World{NowMs: func() int64 { return w.nowMs }, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: w.decks, Software: "trey simulated", ReplayAll: w.all})
		if err == nil {
			w.read()
			w.autodealer = autodealer.New(w.house, func() int64 { return w.nowMs }, slog.New(slog.DiscardHandler))
			w.follower, w.heardOf = w.house.Subscribe(house.Topic{}, 1<<14), w.auditor.Seq()
			w.interruptions(interrupted, stops, w.auditor.Stops()[stopped:])
			w.openDoors()
			return
		}
		if !errors.Is(err, errBadSector) && !errors.Is(err, house.ErrStopped) {
			w.fail("open the house, attempt %d: %v", attempt, err)
		}
		w.note("the house cannot be opened: %v", err)
		w.store.Crash(0)
		w.read() // it may have dealt with some of the rounds
	}
	w.fail("the house cannot be opened")
}

// interruptions holds that every round with bets on the layout was dealt with
// and recorded, and no other.
func (w *world) interruptions(interrupted map[string]int, stops []house.Interruption, recorded []auditor.Stop) {
	w.Helper()
	dealt := map[string]bool{}
	for _, r := range recorded {
		dealt[r.Table] = true
		w.outcomes["interrupted: "+r.Outcome]++
		if interrupted[r.Table] != r.Round {
			w.fail("round %d of table %s is recorded as interrupted, and had no bets", r.Round, r.Table)
		}
	}
	for _, s := range stops {
		w.note("interrupted: %+v", s)
		var refusal *table.Refusal
		switch {
		case errors.Is(s.Refused, house.ErrStopped):
			w.outcomes["interrupted: the table had stopped"]++
			dealt[s.Table] = true
		case s.Refused != nil:
			if !errors.As(s.Refused, &refusal) || refusal.Reason != table.QuestionOpen {
				w.fail("the interruption of table %s is not reported: %v", s.Table, s.Refused)
			}
			w.outcomes["interrupted: a question comes first"]++
			dealt[s.Table] = true
		}
		if interrupted[s.Table] != s.Round {
			w.fail("round %d of table %s was interrupted, by the record it is round %d", s.Round, s.Table, interrupted[s.Table])
		}
	}
	for name, round := range interrupted {
		if !dealt[name] {
			w.fail("round %d of table %s was interrupted, and nothing was done", round, name)
		}
	}
}

// read follows the record as far as it goes, with the auditor and the witnesses.
func (w *world) read() {
	w.Helper()
	err := w.disk.Entries(w.auditor.Seq(), func(e house.StoredTransaction) error {
		w.auditor.Read(e)
		if slices.ContainsFunc(e.Parts, func(p house.StreamAppend) bool { return p.Stream == identity.Stream || p.Stream == house.NamesStream }) {
			w.ofPeople[e.Seq] = true
		}
		return w.witness(e)
	})
	if err != nil {
		w.fail("read the record: %v", err)
	}
	if found := w.auditor.Findings(); len(found) > 0 {
		w.fail("%v", found[0])
	}
}

// follow holds that what the house has told its followers is in the record, each
// transaction once and in order, and, where nothing is under way, all of it.
func (w *world) follow() {
	w.Helper()
	for {
		w.passPeople()
		n, open := w.follower.Next()
		switch {
		case !open:
			w.fail("the follower was cut off: %v", w.follower.Err())
		case n == nil:
			return
		case n.Seq != w.heardOf+1 || n.Seq > w.auditor.Seq():
			w.fail("the followers hear of transaction %d after %d; the record ends at %d", n.Seq, w.heardOf, w.auditor.Seq())
		}
		w.heardOf = n.Seq
	}
}

// passPeople leaves out what no follower hears of.
func (w *world) passPeople() {
	for w.ofPeople[w.heardOf+1] {
		w.heardOf++
	}
}

// audit compares what everybody says with the record. Nothing may be under way.
func (w *world) audit() {
	w.Helper()
	w.read()
	w.follow()
	if w.heardOf != w.auditor.Seq() {
		w.fail("the followers have heard of transaction %d, and the record ends at %d", w.heardOf, w.auditor.Seq())
	}
	book := map[string]int64{}
	for a, held := range w.house.Book() {
		book[people.RenameAccount(a, w.token).String()] = int64(held)
	}
	w.auditor.Compare("the house", book)
	stored := map[string]int64{}
	for a, held := range w.disk.Accounts() {
		stored[a.String()] = int64(held)
	}
	w.auditor.Compare("the store", stored)
	if found := w.auditor.Findings(); len(found) > 0 {
		w.fail("%v", found[0])
	}
	for _, name := range w.house.Tables() {
		s, err := housetest.Table(w.house, name)
		if err != nil {
			w.fail("%v", err)
		}
		if lies := w.auditor.Held("layout:" + name); int64(s.OnLayout()) != lies {
			w.fail("table %s shows %s on its layout, by the record it is %d", name, s.OnLayout(), lies)
		}
		w.replayed(name, &s)
	}
	if j, ok := w.house.Jackpot(jackpotName); ok {
		if int64(j.Meter) != w.auditor.Held("meter:"+jackpotName) || int64(j.Reserve) != w.auditor.Held("reserve:"+jackpotName) {
			w.fail("the jackpot shows %s and %s in reserve; by the record it is %d and %d", j.Meter, j.Reserve,
				w.auditor.Held("meter:"+jackpotName), w.auditor.Held("reserve:"+jackpotName))
		}
	}
	w.answers()
}

// token returns what stands for a person in the record.
func (w *world) token(name string) string {
	token, _ := w.store.Directory().Token(name)
	return token
}

// answers holds that everything acknowledged is in the record once, as it was
// acknowledged, and that nothing is there that nobody sent. The auditor has seen
// to it that no key is there twice.
func (w *world) answers() {
	w.Helper()
	there := 0
	for _, key := range slices.Sorted(maps.Keys(w.sent)) {
		r := w.sent[key]
		seq, recorded := w.auditor.Transaction(people.RenameKey(key, w.token))
		if recorded {
			there++
		}
		if r.acknowledged && (!recorded || r.seq != 0 && seq != r.seq) {
			w.fail("%s was acknowledged as transaction %d; the record has it as %d", r, r.seq, seq)
		}
		for _, derived := range w.derived(r) {
			if _, recorded := w.auditor.Transaction(people.RenameKey(derived, w.token)); recorded {
				there++
			}
		}
	}
	if there != w.auditor.Keys() {
		w.fail("the record has %d commands with keys, and %d of them were sent", w.auditor.Keys(), there)
	}
}

// derived returns the keys under which the house reports at other tables what was reported at
// one: that the jackpot's system has failed.
func (w *world) derived(r *request) (keys []string) {
	if !r.everywhere() {
		return nil
	}
	for _, f := range w.floor {
		if f != r.at {
			keys = append(keys, fmt.Sprintf("%q jackpot-down %x", r.by.Name, sha256.Sum256([]byte(r.key()+"\n"+f.name))))
		}
	}
	return keys
}

// restart ends the process, at a moment when some transactions may be queued, and begins it
// again after a while.
func (w *world) restart(kept int) {
	w.Helper()
	w.note("the process ends, %d of %d in line are kept", kept, w.store.Waiting())
	w.store.Crash(kept)
	if w.one(4) {
		w.fault(pick(w, w.floor))
	}
	w.nowMs += []int64{50, 2_000, 14_999, 15_000, 40_000, 3_600_000}[w.rng.IntN(6)]
	w.outcomes["restarts"]++
	w.open()
	if w.one(2) {
		for _, name := range w.house.Tables() {
			if !w.conclude(name) {
				w.restart(0)
				return
			}
		}
	}
	w.audit()
}

// conclude ends a round that nobody attends as the house ends those of its own tables;
// it reports whether the house is still there.
func (w *world) conclude(name string) bool {
	w.Helper()
	hurried := house.Pace{BettingMs: 1, DecisionMs: 1, OptionMs: 1}
	for {
		s, err := housetest.Table(w.house, name)
		if err != nil {
			w.fail("%v", err)
		}
		if s.OnLayout() == 0 {
			w.outcomes["concluded"]++
			return true
		}
		do, _, ok := autodealer.Due(&s, hurried, w.nowMs, func(string) bool { return true })
		if !ok {
			w.outcomes["a round that waits for a person"]++
			return true
		}
		status, err := w.house.Status(name)
		if err != nil {
			w.fail("%v", err)
		}
		if status.InForce().Mode == house.Automatic { // nobody ends the players' time there but the clock
			_, err = w.house.DoAsHouse(ctx(), "", name, do)
		} else {
			_, err = w.house.Do(ctx(), house.CommandRequest{Table: name, By: dealer, Do: do})
		}
		w.read()
		var reserved *jackpot.Refusal
		switch {
		case err == nil:
		case w.down(err):
			return false
		case errors.Is(err, errBadSector), errors.Is(err, house.ErrStopped):
			return true
		case errors.As(err, &reserved):
			w.outcomes["a round that waits for a jackpot"]++
			return true
		default:
			w.fail("conclude table %s: %v", name, err)
		}
	}
}

// down reports whether an error is the end of the house. A table that stops by
// itself has found a fault of ours.
func (w *world) down(err error) bool {
	w.Helper()
	if !errors.Is(err, house.ErrStopped) || strings.Contains(err.Error(), aFault.Err().Error()) {
		return false
	}
	if !errors.Is(err, house.ErrFailed) {
		w.fail("%v\n%s", err, w.lastRounds())
	}
	return true
}

// aFault is the fault that stops a table in the simulation: the house has no fault of its own
// that could be had at will.
const aFault = house.DeckFault

// fault has a table found stopped when the house is opened again, as if the house
// had found a fault there before the process ended.
func (w *world) fault(f *floorTable) {
	w.Helper()
	stopped := house.TableStopped{Table: f.name, AtMs: w.nowMs, Fault: aFault}
	if wit := w.seen[f.name]; wit != nil {
		stopped.Round = wit.state.Round
	}
	body, err := json.Marshal(stopped)
	if err != nil {
		w.fail("%v", err)
	}
	versions := map[string]int64{}
	if err := w.disk.Entries(0, func(e house.StoredTransaction) error {
		for i := range e.Parts {
			versions[e.Parts[i].Stream] = e.Parts[i].After + int64(len(e.Parts[i].Events))
		}
		return nil
	}); err != nil {
		w.fail("read the record: %v", err)
	}
	store, err := w.disk.Open(memory.Faults{})
	if err != nil {
		w.fail("open the store: %v", err)
	}
	defer store.Crash(0)
	of := "table:" + f.name
	done := <-store.Append(&house.Transaction{
		AtMs: w.nowMs, Cause: house.Cause{By: "the house", Role: "house", At: f.name, Kind: "stop-table", Body: []byte("{}")},
		Parts: []house.StreamAppend{
			{Stream: "house", After: versions["house"], Events: []house.Event{{Kind: "table-stopped", Body: body}}},
			{Stream: of, After: versions[of]},
		},
	})
	if done.Err != nil {
		w.fail("stop table %s: %v", f.name, done.Err)
	}
	w.note("table %s stops", f.name)
}

// drive lets the house run its own tables up to this moment. It reports when
// something will be due next; ok is false where nothing is, or the house has ended.
func (w *world) drive() (nextMs int64, ok bool) {
	w.Helper()
	before := w.auditor.Seq()
	nextMs, ok, err := w.autodealer.Step(ctx())
	w.read()
	w.outcomes["run by the house"] += int(w.auditor.Seq() - before)
	switch {
	case w.down(err):
		w.outcomes["crashes"]++
		w.restart(0)
		return w.nowMs, true
	case err != nil:
		w.fail("the autodealer: %v", err)
	case ok && nextMs <= w.nowMs:
		w.fail("an order was due at %d, and it is %d", nextMs, w.nowMs)
	}
	return nextMs, ok
}

// runOut lets the clock run until the house has nothing more to do by itself, or
// has done a lot: standing bets play on. The rounds of its tables have come to an
// end then, unless somebody has to act.
func (w *world) runOut() {
	w.Helper()
	rounds := map[string]int{}
	for _, f := range w.floor {
		if wit := w.seen[f.name]; wit != nil {
			rounds[f.name] = wit.state.Round
		}
	}
	for range 300 {
		nextMs, ok := w.drive()
		if !ok {
			break
		}
		w.nowMs = nextMs
	}
	waits := map[string]bool{}
	for _, a := range w.autodealer.Alerts() {
		waits[a.Table] = true
	}
	j, _ := w.house.Jackpot(jackpotName)
	for _, name := range w.house.Tables() {
		status, err := w.house.Status(name)
		if err != nil {
			w.fail("%v", err)
		}
		// The house may have chosen to wait for whoever has left, and a hand at another
		// table may have to be paid first.
		held := status.State.Variant().Is(rules.AbsentPlayer, rules.WaitForPlayer) || status.Jackpot != "" && slices.ContainsFunc(j.Hits, jackpot.Hit.Unpaid)
		of := status.InForce()
		if of.Mode == house.Automatic && of.Pace != (house.Pace{}) && status.State.OnLayout() > 0 && status.State.Round() == rounds[name] && !waits[name] && !held {
			awaited, _ := w.autodealer.Awaited(name)
			w.fail("it is %d, and the round of table %s does not end: it waits for %+v by the clock %+v, %+v", w.nowMs, name, awaited, of.Pace, housetest.State(status.State))
		}
	}
}

// lastRounds returns the last round of each table, from the record.
func (w *world) lastRounds() string {
	rounds := map[string][]string{}
	err := w.disk.Entries(0, func(e house.StoredTransaction) error {
		for _, p := range e.Parts {
			for _, event := range p.Events {
				if event.Kind == "bets-opened" {
					rounds[p.Stream] = nil
				}
				rounds[p.Stream] = append(rounds[p.Stream], fmt.Sprintf("%s %d: %s %s", p.Stream, e.Seq, event.Kind, event.Body))
			}
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, f := range w.floor {
		text.WriteString(strings.Join(rounds["table:"+f.name], "\n") + "\n")
	}
	return text.String()
}

// patience is far beyond what any command takes; it turns a deadlock into a
// failure with a seed.
const patience = 2 * time.Minute

var (
	dealer     = access.Person{Name: "dan", Role: access.Dealer}
	supervisor = access.Person{Name: "pat", Role: access.PitSupervisor}
	manager    = access.Person{Name: "sue", Role: access.ShiftManager}
	deputy     = access.Person{Name: "tom", Role: access.ShiftManager}
	cashier    = access.Person{Name: "kim", Role: access.Cashier}
	admin      = access.Person{Name: "root", Role: access.Administrator}
)
