package simulation

import (
	"container/heap"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

var machineSeeds = flag.Uint64("simulation.machines", 0, "how many houses on many machines to play, from seed 1; 0 is a few")

// plants are faults that are put in on purpose, so that the checks are seen to find them.
type plants struct {
	noFence         bool // the database writes what a former writer sends
	cancelledCommit bool // a commit that ends with a warning is acknowledged
	sequenceOrder   bool // a door goes on behind a number that cannot be read yet
	replicaReads    bool // a door reads from whatever server it has, and proves nothing
	keyForgotten    bool // the database forgets idempotency keys
	hitPaidTwice    bool // a hit is paid twice in one transaction
	staleSession    bool // a door does not hear that a session has ended
	lostWakeUp      bool // nothing wakes a door up, and it does not look by itself
	doubleCroupier  bool // a door runs the automatic tables too
	streamGap       bool // a stream that is resumed leaves out what it missed
	numberIgnored   bool // a door answers a request that names a number without having it
	olderHead       bool // a failover loses what was acknowledged, and nobody looks
}

// cluster is a house on several machines, with a database that fails over and people who ask
// at any of the machines.
type cluster struct {
	*world
	plant plants
	// losesAcknowledged has a failover lose what was acknowledged, which no database may do.
	losesAcknowledged bool
	// events are the next ones.
	events  happenings
	counted int
	endMs   int64 // from when nothing fails any more

	primary, former *server
	nodes           []*node
	haltedBy        []*node
	chance          io.Reader

	clients  []*client
	streams  []*streamer
	reads    []sighting
	visits   []*visitAt
	betting  map[string]int64
	finished int
}

// client is somebody who asks one thing after the other.
type client struct {
	*cluster
	number int
	// seen is the highest number that they were answered.
	seen int
	busy bool
}

// sighting is an answer, and the number of the transaction as of which it is.
type sighting struct {
	seq     int
	by      *node
	player  string
	balance money.Amount
	jackpot bool
	meter   money.Amount
	reserve money.Amount
}

// visitAt is a session as those know it who began and ended it.
type visitAt struct {
	name, token string
	// shutOut is the transaction that ended it, zero for none, and endedMs when it was
	// acknowledged that it has ended.
	shutOut int
	endedMs int64
	unsure  bool
}

// noticed is a message of an event stream.
type noticed struct {
	seq   int64
	kinds string
}

// streamer follows a table, now at one machine and now at another.
type streamer struct {
	*cluster
	table string
	got   []noticed
	at    *node
	hears *house.Subscription
	// past is up to where the record was read when the stream was resumed.
	past    int64
	resumed int
}

// happenings are ordered by their time, and of the same time by their order.
type happenings []happening

type happening struct {
	atMs int64
	n    int
	do   func()
}

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, k int) bool {
	return h[i].atMs < h[k].atMs || h[i].atMs == h[k].atMs && h[i].n < h[k].n
}
func (h happenings) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *happenings) Push(x any)   { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// after has something happen after a while.
func (c *cluster) after(ms int64, do func()) {
	c.counted++
	heap.Push(&c.events, happening{c.nowMs + max(0, ms), c.counted, do})
}

// on has something happen at a node after a while: later, while it is stopped, and not at
// all when it has ended.
func (c *cluster) on(n *node, ms int64, do func()) {
	life := n.life
	c.after(ms, func() { c.at(n, life, do) })
}

func (c *cluster) at(n *node, life int, do func()) {
	switch {
	case n.life != life:
	case n.pausedMs > c.nowMs:
		c.after(n.pausedMs-c.nowMs, func() { c.at(n, life, do) })
	default:
		do()
	}
}

// calm reports whether nothing fails any more.
func (c *cluster) calm() bool { return c.endMs > 0 && c.nowMs >= c.endMs }

// message carries something over the network: once, late, twice or not at all.
func (c *cluster) message(do func()) {
	delay := int64(1 + c.rng.IntN(8))
	if !c.calm() {
		switch c.rng.IntN(40) {
		case 0:
			c.outcomes["machines: a message is lost"]++
			return
		case 1:
			c.outcomes["machines: a message comes twice"]++
			c.after(delay+int64(c.rng.IntN(9_000)), do)
		case 2:
			c.outcomes["machines: a message is late"]++
			delay += int64(c.rng.IntN(9_000))
		}
	}
	c.after(delay, do)
}

// broken ends the simulation: a promise is broken.
func (c *cluster) broken(promise, format string, args ...any) {
	c.Helper()
	var last strings.Builder
	for _, h := range c.log {
		fmt.Fprintf(&last, "%d  %s\n", h.atMs, fmt.Sprintf(h.format, h.args...))
	}
	c.Fatalf("%s: %s\nseed %d, after %d ms\n\nthe last that happened:\n%s\nto see it again:\n  go test ./internal/house/simulation -run '^TestManyMachines$' -simulation.seed %d",
		promise, fmt.Sprintf(format, args...), c.seed, c.nowMs-beginMs, last.String(), c.seed)
}

const beginMs = 1_700_000_000_000

// newCluster begins a house on three machines.
func newCluster(t testing.TB, seed uint64, p plants) *cluster {
	c := &cluster{world: newWorld(t, seed), plant: p, betting: map[string]int64{}}
	var chance [32]byte
	chance[0], chance[1] = byte(seed), byte(seed>>8)
	c.chance = rand.NewChaCha8(chance)
	c.primary = (&server{}).from(0)
	switch {
	case p.hitPaidTwice:
		c.sabotage = payTwice
	case p.keyForgotten:
		c.sabotage = func(tx *house.Transaction) {
			if c.one(4) {
				tx.Key = ""
			}
		}
	}
	for i := range 3 {
		c.nodes = append(c.nodes, &node{cluster: c, name: fmt.Sprintf("n%d", i+1)})
	}
	return c
}

// payTwice injects a fault: the payment of a hit is made again.
func payTwice(tx *house.Transaction) {
	for i := range tx.Parts {
		p := &tx.Parts[i]
		at := slices.IndexFunc(p.Events, func(e house.Event) bool { return e.Kind == "hit-paid" })
		if at < 0 {
			continue
		}
		p.Events = slices.Insert(slices.Clone(p.Events), at, p.Events[at])
		for _, paid := range tx.Postings {
			if paid.From.Kind == ledger.Meter {
				tx.Postings = append(slices.Clone(tx.Postings), paid)
				return
			}
		}
	}
}

// writer returns the machine that has the house open as its writer, if one has.
func (c *cluster) writer() *node {
	for _, n := range c.nodes {
		if n.state == writing && n.pausedMs <= c.nowMs && n.nowMs-n.heardMs < outOfTouchMs {
			return n
		}
	}
	return nil
}

// run lets things happen until a time.
func (c *cluster) run(untilMs int64) {
	for len(c.events) > 0 && c.events[0].atMs <= untilMs {
		h := heap.Pop(&c.events).(happening)
		c.nowMs = h.atMs
		h.do()
	}
	c.nowMs = untilMs
}

// play plays a house on many machines: with failures first, then without, until everything is
// answered.
func (c *cluster) play() {
	c.Helper()
	c.endMs = c.nowMs // nothing fails while it is furnished
	for i, n := range c.nodes {
		c.after(int64(i*10), func() { c.start(n) })
	}
	c.until("the first writer", func() bool { return c.writer() != nil && c.writer().idle() })
	c.furnishMachines()
	c.endMs = 0
	for i := range 3 {
		k := &client{cluster: c, number: i}
		c.clients = append(c.clients, k)
		c.after(int64(c.rng.IntN(200)), k.next)
	}
	for _, f := range c.floor {
		s := &streamer{cluster: c, table: f.name}
		c.streams = append(c.streams, s)
		c.after(int64(c.rng.IntN(200)), s.resume)
	}
	c.after(500, c.trouble)
	c.run(c.nowMs + 25_000)
	c.heal()
	c.until("all are answered", func() bool {
		for _, k := range c.clients {
			if k.busy {
				return false
			}
		}
		return c.writer() != nil
	})
	c.run(c.nowMs + 4_000)
	c.until("all machines have the whole record", func() bool {
		for _, n := range c.nodes {
			if n.state != halted && (n.state != door && n.state != writing || len(n.record.txs) != len(c.primary.txs)) {
				return false
			}
		}
		return c.writer().idle()
	})
	c.check()
	for _, n := range c.nodes {
		n.end(false)
	}
}

// until lets things happen until something is so, for a minute.
func (c *cluster) until(what string, done func() bool) {
	c.Helper()
	for deadline := c.nowMs + 60_000; !done(); {
		if c.nowMs > deadline {
			c.broken("the house goes on", "after a minute without failures it is still not so: %s: %s", what, c.states())
		}
		c.run(c.nowMs + 50)
	}
}

func (c *cluster) states() string {
	var text strings.Builder
	for _, n := range c.nodes {
		fmt.Fprintf(&text, "%s is in state %d", n.name, n.state)
		if n.record != nil {
			fmt.Fprintf(&text, " with %d transactions", len(n.record.txs))
		}
		text.WriteString("; ")
	}
	return text.String() + fmt.Sprintf("the database has %d, %d confirmed", len(c.primary.txs), c.primary.now().confirmed)
}

// furnishMachines puts two tables with a jackpot on the floor, and lets people in.
func (c *cluster) furnishMachines() {
	c.Helper()
	w := c.writer()
	c.world.house = w.house
	for i, book := range []string{"rws-3cp", "rws-3cp"} {
		f := &floorTable{name: fmt.Sprintf("%s %d", book, i+1), variant: c.variant(book), mode: house.DealerRun}
		f.config = table.Config{Device: pick(c.world, f.variant.Book.Devices).Device, Cards: table.Virtual}
		if i == 1 {
			f.mode = house.Automatic
			f.pace = house.Pace{BettingMs: 2_500, DecisionMs: 1_500, OptionMs: 1_000, DealMs: 100, ShowMs: 500}
			f.variant.Choices[rules.AbsentPlayer] = rules.FoldUndecided
		}
		c.floor = append(c.floor, f)
		t := house.Table{Name: f.name, Variant: f.variant, Config: f.config, Mode: f.mode, Pace: f.pace}
		if f.variant.Jackpot != nil {
			t.Jackpot = jackpotName
		}
		w.now(func() {
			if err := w.house.Install(context.Background(), t, admin); err != nil {
				c.broken("the house is furnished", "%v", err)
			}
		})
	}
	for i, name := range []string{"ann", "ben", "cai", "dee"} {
		p := &player{name: name, temper: []temper{patient, bold, patient, restless}[i]}
		c.players = append(c.players, p)
		r := c.request(cashier, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: 5_000 * money.Major}, nil)
		w.now(func() {
			seq, err := w.house.CageTransfer(context.Background(), r.key(), cashier, r.what.(posting.Transfer))
			if err != nil {
				c.broken("the house is furnished", "%v", err)
			}
			r.acknowledged, r.seq = true, seq
		})
	}
	w.now(func() {
		for _, u := range []access.Person{admin, {Name: "dov", Role: access.Dealer}, {Name: "mia", Role: access.PitSupervisor}} {
			if _, err := w.people.AddUser(context.Background(), founder, u.Name, u.Role, wordOfTheDay); err != nil {
				c.broken("the house is furnished", "%v", err)
			}
		}
	})
}

const wordOfTheDay = "a word to begin with"

// trouble has something fail, again and again.
func (c *cluster) trouble() {
	if c.calm() {
		return
	}
	n := pick(c.world, c.nodes)
	if c.one(2) {
		if w := c.writer(); w != nil {
			n = w
		}
	}
	switch c.rng.IntN(6) {
	case 0:
		if n.state == halted || n.state == down {
			break
		}
		c.note("%s is killed", n.name)
		c.outcomes["machines: a machine is killed"]++
		n.end(false)
		c.after(int64(200+c.rng.IntN(5_000)), func() {
			if n.state == down {
				n.held = 0 // it knows nothing any more
				c.start(n)
			}
		})
	case 1:
		n.pausedMs = c.nowMs + int64(300+c.rng.IntN(7_000))
		c.outcomes["machines: a machine is stopped"]++
		c.note("%s is stopped for %d ms", n.name, n.pausedMs-c.nowMs)
	case 2:
		n.cutMs = c.nowMs + int64(300+c.rng.IntN(6_000))
		c.outcomes["machines: a machine is cut off from the database"]++
		c.note("%s is cut off for %d ms", n.name, n.cutMs-c.nowMs)
	case 3:
		c.note("the database fails over at %d transactions", len(c.primary.txs))
		c.failOver()
	case 4:
		c.primary.awayMs = c.nowMs + int64(200+c.rng.IntN(3_000))
		c.outcomes["machines: the other server is away"]++
		if c.one(2) {
			s := c.primary
			c.after(int64(100+c.rng.IntN(300)), func() {
				c.cancelWaits(s)
				if c.one(2) && s == c.primary {
					c.failOver()
				}
			})
		}
	default:
		c.cancelWaits(c.primary)
	}
	c.after(int64(300+c.rng.IntN(3_500)), c.trouble)
}

// heal ends all failures.
func (c *cluster) heal() {
	c.endMs = c.nowMs
	c.primary.awayMs = 0
	if c.former != nil {
		c.former.ended = true
	}
	s := c.primary
	c.after(1, func() { c.copy(s, len(s.log)) })
	for _, n := range c.nodes {
		n.cutMs = 0
		n.pausedMs = min(n.pausedMs, c.nowMs)
		if n.state == down {
			life := n.life
			c.after(300, func() {
				if n.state == down && n.life == life {
					n.held = 0
					c.start(n)
				}
			})
		}
	}
}

// next has a client ask for something.
func (k *client) next() {
	if k.calm() {
		return
	}
	k.busy = true
	switch k.rng.IntN(10) {
	case 0:
		r := k.cage()
		k.command(r)
	case 1, 2:
		k.look()
	case 3, 4:
		k.visit()
	default:
		r := k.action()
		if r == nil {
			k.done()
			return
		}
		k.command(r)
	}
}

// done ends what a client asked for, and begins the next.
func (k *client) done() {
	k.busy = false
	k.finished++
	k.after(int64(50+k.rng.IntN(250)), k.next)
}

// action returns an action at a table, by the state on some machine.
func (k *client) action() *request {
	n := pick(k.world, k.nodes)
	if n.state != door && n.state != writing {
		return nil
	}
	f := pick(k.world, k.floor)
	status, err := n.house.Status(f.name)
	if err != nil {
		return nil
	}
	s := housetest.State(status.State)
	k.world.house = n.house
	by, do := k.world.next(f, &s)
	if f.mode == house.Automatic {
		if s.Phase != table.Betting && s.Phase != table.Deciding {
			return nil
		}
		p := pick(k.world, k.players)
		by, do = p.person(), nil
		if s.Phase == table.Betting {
			do = k.bet(p, f, &s)
		} else if q := k.deciding(&s); q != nil {
			by, do = q.person(), k.legal(&s, q.person(), func(string) int { return 1 })
		}
	}
	if do == nil {
		return nil
	}
	if _, report := do.(table.Report); report {
		return nil // who looks into it is in the other simulation
	}
	return k.request(by, do, f)
}

// command asks for something under its key, at one machine after the other, until it is
// answered.
func (k *client) command(r *request) {
	answered := false
	var try func()
	try = func() {
		if answered {
			return
		}
		n := pick(k.world, k.nodes)
		k.message(func() {
			n.command(r, false, func(o outcome, seq int) {
				k.message(func() { answered = k.hear(r, o, seq, answered) || answered })
			})
		})
		k.after(int64(400+k.rng.IntN(1_500)), try)
	}
	try()
}

// hear takes an answer. It reports whether it is one.
func (k *client) hear(r *request, o outcome, seq int, before bool) bool {
	if away(o.err) {
		return false
	}
	k.note("%s -> transaction %d %v", r, o.seq, o.err)
	var refused *table.Refusal
	var denied *access.Denied
	var reserved *jackpot.Refusal
	var short *ledger.Short
	switch {
	case o.err == nil:
		k.outcomes["machines: carried out"]++
		if o.repeated {
			k.outcomes["machines: answered again"]++
		}
		if r.acknowledged && (r.seq != o.seq || r.answer != o.text && r.answer != "") {
			k.broken("a key is answered alike", "%s was answered as transaction %d: %s; and then as %d: %s", r, r.seq, r.answer, o.seq, o.text)
		}
		if o.recorded {
			r.acknowledged, r.seq, r.answer = true, o.seq, o.text
		}
		k.seen = max(k.seen, seq)
	case errors.As(o.err, &refused), errors.As(o.err, &denied), errors.As(o.err, &reserved), errors.As(o.err, &short):
		k.outcomes["machines: refused"]++
	default:
		k.broken("a command is answered", "%s: %v", r, o.err)
	}
	if !before {
		k.done()
	}
	return true
}

// command takes a command at a machine, which hands it on if it does not write.
func (n *node) command(r *request, handedOn bool, reply func(o outcome, seq int)) {
	switch {
	case n.pausedMs > n.nowMs:
		n.after(n.pausedMs-n.nowMs, func() { n.command(r, handedOn, reply) })
	case n.state == writing:
		n.arrive(r, reply)
	case n.state == door && !handedOn && n.follows != nil && n.follows != n:
		w := n.follows
		n.outcomes["machines: a command is handed on"]++
		n.message(func() {
			w.command(r, true, func(o outcome, seq int) { n.message(func() { reply(o, seq) }) })
		})
	default:
		reply(outcome{err: house.ErrFailed}, 0)
	}
}

// look reads an account and the jackpot at some machine, as of what was seen or later.
func (k *client) look() {
	player := pick(k.world, k.players).name
	answered := false
	var try func()
	try = func() {
		if answered {
			return
		}
		n, asked := pick(k.world, k.nodes), k.seen
		k.message(func() {
			n.whenAt(asked, func() {
				// Where a command is under way the meter may be ahead of what is durable.
				r := sighting{seq: n.through(), by: n, player: player, balance: n.house.Balance(ledger.Account{Kind: ledger.Player, Of: player})}
				if n.state == door || n.idle() {
					j := n.meterOf()
					r.jackpot, r.meter, r.reserve = true, j.Meter, j.Reserve
				}
				k.message(func() {
					if answered {
						return
					}
					answered = true
					if r.seq < asked {
						k.broken("who was answered sees it", "client %d was answered as of %d, and reads at %s as of %d", k.number, asked, n.name, r.seq)
					}
					k.seen = max(k.seen, r.seq)
					k.reads = append(k.reads, r)
					k.outcomes["machines: read"]++
					k.done()
				})
			})
		})
		k.after(int64(400+k.rng.IntN(1_500)), try)
	}
	try()
}

// whenAt does something at a machine that shows everything up to a number, and nothing where
// it cannot answer.
func (n *node) whenAt(seq int, do func()) {
	switch {
	case n.pausedMs > n.nowMs:
		n.after(n.pausedMs-n.nowMs, func() { n.whenAt(seq, do) })
		return
	case n.state == writing && n.nowMs-n.heardMs <= outOfTouchMs:
	case n.state == door && (n.nowMs-n.touchedMs <= outOfTouchMs || n.plant.replicaReads || n.plant.lostWakeUp):
	default:
		return
	}
	if seq <= n.through() || n.plant.numberIgnored {
		do()
		return
	}
	n.outcomes["machines: a read waits for its number"]++
	over := false
	n.awaited = append(n.awaited, &awaiting{seq, func(there bool) {
		if there && !over {
			over = true
			do()
		}
	}})
	n.on(n, awaitMs, func() { over = true })
}

// visit begins or ends a session, or uses one.
func (k *client) visit() {
	defer k.done()
	switch w := k.writer(); {
	case w != nil && w.idle() && k.one(2):
		w.now(func() { k.comeOrGo(w) })
	case len(k.visits) > 0:
		n, v := pick(k.world, k.nodes), pick(k.world, k.visits)
		seen := k.seen
		n.whenAt(seen, func() {
			if n.people == nil {
				return
			}
			_, err := n.people.Check(v.token)
			switch {
			case err == nil && v.shutOut > 0 && n.through() >= v.shutOut:
				k.broken("who is shut out is out", "%s is let in at %s as of %d, and was shut out by transaction %d", v.name, n.name, n.through(), v.shutOut)
			case err == nil && v.endedMs > 0 && n.state == door && k.nowMs > v.endedMs+staleSessionMs:
				k.broken("a session that has ended stays so", "%s is let in at %s %d ms after the end", v.name, n.name, k.nowMs-v.endedMs)
			case err == nil:
				k.outcomes["machines: a session is used"]++
			case v.shutOut > 0 || v.endedMs > 0:
				k.outcomes["machines: a session has ended"]++
			}
		})
	}
}

// staleSessionMs bounds the time in which a server may let in a person who has signed out.
// Either it is out of touch, or another writer replaces one that has ended and confirms what
// that had not.
const staleSessionMs = outOfTouchMs + leaseMs + 2*outOfTouchMs

// comeOrGo has somebody sign in or out, or be shut out.
func (k *client) comeOrGo(w *node) {
	name := pick(k.world, []string{"dov", "mia"})
	u, err := w.people.User(name)
	if err != nil {
		return
	}
	by := identity.ChangeRequest{By: admin, Why: "it is decided"}
	open := slices.IndexFunc(k.visits, func(v *visitAt) bool { return v.name == name && v.shutOut == 0 && v.endedMs == 0 && !v.unsure })
	switch {
	case u.Disabled:
		_, _ = w.people.Enable(context.Background(), by, name)
	case open < 0:
		token, _, err := w.people.Login(context.Background(), identity.Credentials{Name: name, Password: wordOfTheDay, From: anAddress})
		if err == nil {
			k.visits = append(k.visits, &visitAt{name: name, token: token})
		}
	case k.one(2):
		v := k.visits[open]
		if v.unsure = true; w.people.Logout(context.Background(), v.token) == nil && w.store.failed == nil {
			v.endedMs = k.nowMs
		}
	default:
		for _, v := range k.visits {
			v.unsure = v.unsure || v.name == name
		}
		if _, err := w.people.Disable(context.Background(), by, name); err != nil || w.store.failed != nil {
			return
		}
		for _, v := range k.visits {
			if v.name == name && v.shutOut == 0 {
				v.shutOut = len(w.record.txs)
			}
		}
	}
}

// last returns the number after which a stream goes on.
func (s *streamer) last() int64 {
	if len(s.got) == 0 {
		return 0
	}
	return s.got[len(s.got)-1].seq
}

// resume follows a table at some machine, from the last message on.
func (s *streamer) resume() {
	n := pick(s.world, s.nodes)
	again := func() { s.after(int64(50+s.rng.IntN(300)), s.resume) }
	ready := n.state == door && n.nowMs-n.touchedMs <= outOfTouchMs || n.state == writing && n.idle()
	if n.pausedMs > s.nowMs || !ready || int64(n.through()) < s.last() {
		again()
		return
	}
	s.at, s.hears = n, n.house.Subscribe(house.Topic{Table: s.table}, 1<<12)
	s.past = s.last()
	from := s.past
	if s.plant.streamGap && s.resumed > 0 {
		from = int64(n.through())
		s.past = from
	}
	s.resumed++
	s.outcomes["machines: a stream is resumed"]++
	err := n.house.EventsSince(context.Background(), house.Topic{Table: s.table}, from, func(m *house.Notice) error {
		s.take(m)
		s.past = m.Seq
		return nil
	})
	if err != nil {
		s.broken("a stream is resumed", "%v", err)
	}
	n.streamers = append(n.streamers, s)
	at, hears := s.at, s.hears
	s.after(int64(200+s.rng.IntN(3_000)), func() {
		if s.at == at && s.hears == hears && !s.calm() {
			at.streamers = slices.DeleteFunc(at.streamers, func(o *streamer) bool { return o == s })
			s.lose()
		}
	})
}

// take takes a message.
func (s *streamer) take(m *house.Notice) {
	var kinds []string
	for _, e := range housetest.Events(m.Events) {
		kinds = append(kinds, record.TableEvents.Name(e))
	}
	s.got = append(s.got, noticed{m.Seq, strings.Join(kinds, " ")})
}

// hear takes what has come. The connection may end in the middle of it.
func (s *streamer) hear() {
	for {
		m, open := s.hears.Next()
		if !open || m == nil {
			return
		}
		if m.Seq <= s.past {
			continue
		}
		s.take(m)
	}
}

// lose ends the connection: what has not arrived is lost.
func (s *streamer) lose() {
	s.hears.Close()
	s.at, s.hears = nil, nil
	s.after(int64(20+s.rng.IntN(500)), s.resume)
}

func TestManyMachines(t *testing.T) {
	t.Parallel()
	first, last := uint64(1), uint64(steady.Share(6, steady.Tries(10, enoughMachines)))
	if *machineSeeds > 0 {
		last = *machineSeeds
	}
	if *oneSeed > 0 {
		first, last = *oneSeed, *oneSeed
	}
	counts := map[string]int{}
	var adding sync.Mutex
	t.Run("seed", func(t *testing.T) {
		for seed := first; seed <= last; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				c := newCluster(t, seed, plants{})
				c.play()
				adding.Lock()
				defer adding.Unlock()
				for what, n := range c.outcomes {
					counts[what] += n
				}
			})
		}
	})
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%7d  %s", counts[what], what)
	}
	for _, what := range seenAtMachines {
		if counts[what] == 0 && last-first+1 >= enoughMachines && !t.Failed() {
			t.Errorf("this was never seen: %s", what)
		}
	}
}

// seenAtMachines lists events that must happen in some hundreds of houses, or they prove little.
var seenAtMachines = []string{
	"machines: a machine becomes the writer", "machines: another machine takes the writer's place", "machines: a door opens",
	"machines: a door is out of touch", "machines: the database fails over", "machines: a commit with an unknown end is not there",
	"machines: a wait for the other server is cancelled", "machines: a batch is fenced off", "machines: a commit is not acknowledged",
	"machines: a machine is killed", "machines: a machine is stopped", "machines: a machine is cut off from the database",
	"machines: the other server is away", "machines: a message is lost", "machines: a message comes twice", "machines: a message is late",
	"machines: a command is handed on", "machines: answered again", "machines: refused", "machines: read", "machines: a read waits for its number",
	"machines: a session is used", "machines: a session has ended", "machines: a stream is resumed",
}
