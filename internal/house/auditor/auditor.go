// Package auditor reads a house's record and works out for itself to whom all the money
// belongs. It uses the events and a few rules of its own, and none of the code that moved the
// money. It shares with the house the form of the record and nothing else; cards, wagers and
// places are text to it.
//
// In particular it does not read table.EffectOf, the account of an event that postings, proofs
// and reports share. An error there would be in all of them, and only a check that does not use
// it can find it.
//
// It follows the record transaction by transaction and checks each. The postings move what the
// events mean. A line takes the stake of its wager, and takes it once. No card is dealt twice.
// A jackpot holds its opening, contributions and reseeds less its payments. Hits are paid in
// their order. An interrupted round goes on or ends as its book says. What a table, a jackpot
// and every account hold at the end is then compared by whoever asks.
//
// It never changes anything, and never explains a difference away.
package auditor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
)

// Transactions are the part of a record that an audit reads in order.
type Transactions interface {
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
}

// Record is a record with its balances beside it: a [house.Store] is one.
type Record interface {
	Transactions
	Accounts
}

// Accounts are the balances that stand beside a record, and the transaction after which
// the accounts hold them.
type Accounts interface {
	Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error)
}

// A Finding is one violation that the auditor found.
type Finding struct {
	// Seq is the transaction, zero for the record as a whole.
	Seq int64
	// What describes the violation, with both figures.
	What string
}

// Error returns the finding as a sentence; a finding is an error of the record.
func (f Finding) Error() string {
	if f.Seq == 0 {
		return f.What
	}
	return fmt.Sprintf("transaction %d: %s", f.Seq, f.What)
}

// Check reads a whole record and compares the balances that are stored beside
// it. It returns the auditor, for comparisons of one's own, and an error only where the record
// cannot be read: violations are findings.
func Check(ctx context.Context, r Record) (*Auditor, error) {
	a, err := Follow(ctx, r)
	if err != nil {
		return nil, err
	}
	stored, _, err := balancesOf(ctx, r)
	if err != nil {
		return nil, err
	}
	a.Compare("the store", stored)
	return a, nil
}

// balancesOf reads what the accounts hold, and after which transaction.
func balancesOf(ctx context.Context, r Accounts) (held map[string]int64, seq int64, err error) {
	held = map[string]int64{}
	seq, err = r.Balances(ctx, func(account ledger.Account, amount money.Amount) error {
		held[account.String()] = int64(amount)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the balances: %w", err)
	}
	return held, seq, nil
}

// Follow reads all transactions, where no balances stand beside them.
func Follow(ctx context.Context, t Transactions) (*Auditor, error) {
	a := New()
	if err := t.ReadAll(ctx, 0, "", func(e house.StoredTransaction) error { a.Read(e); return nil }); err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	a.end()
	return a, nil
}

// end checks every table against its accounts and its jackpot once more.
func (a *Auditor) end() {
	for _, name := range slices.Sorted(maps.Keys(a.tables)) {
		a.finish(a.tables[name])
	}
	if a.signs {
		a.findings = append(a.findings, a.uncovered...)
	}
}

// Auditor holds the state that follows from the transactions read so far.
type Auditor struct {
	findings []Finding

	seq      int64
	keys     map[string]int64
	versions map[string]int64
	// withheld are the streams of which the latest events were not shown, so that no more
	// is known of their versions than a least one.
	withheld map[string]bool
	// held is the balance of each account; the names are those of the record, such as
	// player:ann.
	held      map[string]int64
	moved     map[string]int64 // by the events of the transaction being read
	collected map[string]bool  // the players from whom it takes a payment back

	// books and terms are the rules recorded so far, by their hashes.
	books map[string]string
	terms map[string]inForce
	// ends are the ways in which each declaration lets a round go on or end after a
	// technical interruption, by its hash.
	ends map[string][]end

	tables    map[string]*layout
	jackpots  map[string]*jackpotAudit
	proposals map[int64]proposal // those that wait
	stops     []Stop
	// decided and agreed are the decisions of two people about jackpots in the transaction that
	// was read last, and the proposals that were approved in it.
	decided []decision
	agreed  []proposal
	// covers are the checkpoints of the transaction that was read last, and restored the
	// records from which this one went on.
	covers   []cover
	restored []restored
	// signs says that some commitment was held by a checkpoint before anybody relied upon it,
	// and uncovered are those that were not.
	signs     bool
	uncovered []Finding
}

// Stop is a technical interruption as it was recorded.
type Stop struct {
	Seq     int64
	Table   string
	Round   int
	Outcome string
	Clause  string
}

// New returns an auditor of an empty record.
func New() *Auditor {
	return &Auditor{
		keys: map[string]int64{}, versions: map[string]int64{}, withheld: map[string]bool{}, held: map[string]int64{},
		books: map[string]string{}, terms: map[string]inForce{}, ends: map[string][]end{},
		tables: map[string]*layout{}, jackpots: map[string]*jackpotAudit{}, proposals: map[int64]proposal{},
	}
}

// Findings lists the violations, in the order of the record.
func (a *Auditor) Findings() []Finding { return a.findings }

// Seq returns the number of the last transaction read.
func (a *Auditor) Seq() int64 { return a.seq }

// Held returns the balance of an account, named as in the record.
func (a *Auditor) Held(account string) int64 { return a.held[account] }

// Stops lists the interruptions recorded so far.
func (a *Auditor) Stops() []Stop { return a.stops }

// Transaction returns the transaction recorded under a key.
func (a *Auditor) Transaction(key string) (seq int64, ok bool) {
	seq, ok = a.keys[key]
	return seq, ok
}

// Keys counts the transactions that have a key.
func (a *Auditor) Keys() int { return len(a.keys) }

// Interrupted lists the tables with bets on their layout, in order, with the
// round: those whose round a stop at this moment interrupts.
func (a *Auditor) Interrupted() map[string]int {
	rounds := map[string]int{}
	for name, l := range a.tables {
		if l.lies() != 0 {
			rounds[name] = l.round
		}
	}
	return rounds
}

// Rounds counts the rounds that were begun.
func (a *Auditor) Rounds() (n int) {
	for _, l := range a.tables {
		n += l.round
	}
	return n
}

// Paid counts the hits that jackpots have paid.
func (a *Auditor) Paid() (n int) {
	for _, p := range a.jackpots {
		n += p.paid
	}
	return n
}

// Compare checks balances that somebody else keeps against what follows from the
// record; accounts that hold nothing may be left out.
func (a *Auditor) Compare(whose string, balances map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(union(a.held, balances))) {
		if a.held[name] != balances[name] {
			a.find("%s holds %s by the record, and %s by %s", name, dollars(a.held[name]), dollars(balances[name]), whose)
		}
	}
	sum := int64(0)
	for name, held := range balances {
		sum += sign(name) * held
	}
	if sum != 0 {
		a.find("the accounts of %s are out of balance by %s", whose, dollars(sum))
	}
}

func union[K comparable](x, y map[K]int64) map[K]int64 {
	all := maps.Clone(x)
	maps.Copy(all, y)
	return all
}

func (a *Auditor) find(format string, args ...any) {
	a.findings = append(a.findings, Finding{Seq: a.seq, What: fmt.Sprintf(format, args...)})
}

func dollars(cents int64) string { return "$" + money.Amount(cents).Display() }

// sign returns -1 for cash and for debts, which grow when money leaves them, and otherwise 1.
func sign(account string) int64 {
	if account == "cash" || strings.HasPrefix(account, "owed:") {
		return -1
	}
	return 1
}

// move takes an amount from one account to another. A negative one goes back.
func (a *Auditor) move(from, to string, amount int64) {
	a.moved[from] -= sign(from) * amount
	a.moved[to] += sign(to) * amount
}

// Read follows one transaction.
func (a *Auditor) Read(e house.StoredTransaction) {
	before := a.seq
	a.seq = e.Seq
	if e.Seq != before+1 {
		a.find("transaction %d follows transaction %d: one is missing, stands there twice, or is out of order", e.Seq, before)
	}
	if e.Key != "" {
		if first, used := a.keys[e.Key]; used {
			a.find("its key was used by transaction %d", first)
		}
		a.keys[e.Key] = e.Seq
	}
	if ofPeople(&e) {
		// Whoever knows users and machines reads their causes.
	} else if e.Withheld {
		a.find("who asked for what is not shown")
	} else if err := house.CheckCause(&e.Cause); err != nil {
		a.find("the cause cannot be read: %v", err)
	}
	a.moved, a.collected, a.covers = map[string]int64{}, map[string]bool{}, nil
	a.decided, a.agreed = nil, nil
	touched := map[string]bool{} // tables
	for i := range e.Parts {
		p := &e.Parts[i]
		if has := a.versions[p.Stream]; p.After < has || p.After > has && !a.withheld[p.Stream] {
			a.find("%s has %d events, and it follows %d", p.Stream, has, p.After)
		}
		a.versions[p.Stream], a.withheld[p.Stream] = p.After+int64(len(p.Events)), p.Withheld
		kind, name, _ := strings.Cut(p.Stream, ":")
		if p.Withheld {
			a.versions[p.Stream]++ // there is one event at least
			a.unseen(kind, name)
		}
		if kind == "table" || kind == "deal" {
			touched[name] = true
		}
		for _, event := range p.Events {
			var err error
			switch kind {
			case "house":
				err = a.house(event)
			case "table":
				err = a.table(name, event)
			case "jackpot":
				err = a.jackpot(name, event)
			case "deal", "sealed":
				err = a.seed(name, event)
			}
			if err != nil {
				a.find("%s of %s cannot be read: %v", event.Kind, p.Stream, err)
			}
		}
	}
	switch e.Cause.Kind {
	case "buy-in", "cash-out":
		a.cage(e.Cause)
	}
	a.matched()
	a.lend()
	a.settle(e.Postings)
	for _, name := range slices.Sorted(maps.Keys(touched)) {
		if l := a.tables[name]; l != nil {
			if e.AtMs < l.atMs {
				a.find("it is of %d ms, and the transaction before it at table %s of %d ms: times go on", e.AtMs, name, l.atMs)
			}
			l.atMs = e.AtMs
			a.finish(l)
		}
	}
}

// unseen takes in that events of a stream were not shown to whoever audits.
func (a *Auditor) unseen(kind, name string) {
	switch kind {
	case "people", "sealed":
		// Users and machines move no money. A seed that is kept shows when it is revealed.
		if l := a.tables[name]; kind == "sealed" && l != nil {
			l.sealed = l.committed
		}
	default:
		a.find("what happened in %s:%s is not shown, and nothing of it is known", kind, name)
	}
}

// ofPeople reports whether a transaction is about users and machines, whose commands are
// their own.
func ofPeople(e *house.StoredTransaction) bool {
	return slices.ContainsFunc(e.Parts, func(p house.StreamAppend) bool { return p.Stream == "people" })
}

// read decodes the fields that matter here; there may be others.
func read[T any](body []byte) (T, error) {
	var t T
	err := json.Unmarshal(body, &t)
	return t, err
}

// house reads an event of the house's own stream.
func (a *Auditor) house(event house.Event) error {
	switch event.Kind {
	case "table-installed":
		e, err := read[struct {
			Table, Jackpot string
			RulesHash      string `json:"rules_hash"`
			Config         struct{ Cards string }
		}](event.Body)
		if err != nil {
			return err
		}
		if a.tables[e.Table] != nil {
			a.find("table %s is installed again", e.Table)
		}
		l := newLayout(e.Table)
		l.jackpot, l.virtual = e.Jackpot, e.Config.Cards == "virtual"
		a.plays(l, 1, e.RulesHash)
		a.tables[e.Table] = l
	case "book-declared":
		return a.declared(event.Body)
	case "terms-stated":
		return a.stated(event.Body)
	case "rules-changed":
		return a.changed(event.Body, false)
	case "rules-carried-over":
		return a.changed(event.Body, true)
	case "proposed":
		e, err := read[proposal](event.Body)
		if err != nil {
			return err
		}
		a.mayAsk(&e)
		a.proposals[e.ID] = e
	case "approved":
		e, err := read[proposal](event.Body)
		if err != nil {
			return err
		}
		asked, open := a.proposals[e.ID]
		if !open || asked.Kind != e.Kind || string(asked.Body) != string(e.Body) || asked.By != e.Of {
			a.find("proposal %d is approved, and nobody asked for this", e.ID)
		}
		a.mayApprove(&e)
		a.agreed = append(a.agreed, e)
		delete(a.proposals, e.ID)
		return a.approved(e)
	case "declined":
		e, err := read[proposal](event.Body)
		if err != nil {
			return err
		}
		if _, open := a.proposals[e.ID]; !open {
			a.find("proposal %d is declined, and does not wait", e.ID)
		}
		delete(a.proposals, e.ID)
	case "restored":
		e, err := read[restored](event.Body)
		if err != nil {
			return err
		}
		a.restored = append(a.restored, e)
	}
	return nil
}

// approved moves what two people have agreed upon. What they do to a jackpot
// stands among the jackpot's own events.
func (a *Auditor) approved(p proposal) error {
	e, err := read[struct {
		Table, Player string
		Reason, Cause string
		Amount        int64
		Change        int64
		Chips         []chips
	}](p.Body)
	if err != nil {
		return err
	}
	switch p.kind() {
	case "fill":
		a.counted(p.ID, e.Amount, e.Chips)
		a.move("house", "rack:"+e.Table, e.Amount)
	case "credit":
		a.counted(p.ID, e.Amount, e.Chips)
		a.move("rack:"+e.Table, "house", e.Amount)
	case "move-cash":
		if e.Reason == "buy-in" {
			a.move("cash", "player:"+e.Player, e.Amount)
		} else {
			a.move("player:"+e.Player, "cash", e.Amount)
		}
	case "adjust-account":
		switch e.Cause {
		case "debt-collected":
			a.move("player:"+e.Player, "owed:"+e.Player, -e.Change)
		case "debt-forgiven":
			a.move("house", "owed:"+e.Player, -e.Change)
		default:
			a.move("house", "player:"+e.Player, e.Change)
		}
	}
	return nil
}

// chips are chips of one denomination.
type chips struct{ Chip, Count int64 }

// counted checks the chips of a fill or a credit, where they are named, against its amount.
func (a *Auditor) counted(proposal, amount int64, all []chips) {
	if len(all) == 0 {
		return
	}
	sum, last := new(big.Int), int64(0)
	for _, c := range all {
		if c.Chip <= last || c.Count <= 0 {
			a.find("proposal %d has %d chips of %s after those of %s", proposal, c.Count, dollars(c.Chip), dollars(last))
		}
		last = c.Chip
		sum.Add(sum, new(big.Int).Mul(big.NewInt(c.Chip), big.NewInt(c.Count)))
	}
	if sum.Cmp(big.NewInt(amount)) != 0 {
		a.find("proposal %d moves %s in chips of %s minor units", proposal, dollars(amount), sum)
	}
}

// cage reads what moves money without any event: the command says it all.
func (a *Auditor) cage(c house.Cause) {
	t, err := read[struct {
		Player string
		Amount int64
	}](c.Body)
	if err != nil {
		a.find("%s cannot be read: %v", c.Kind, err)
		return
	}
	switch c.Kind {
	case "buy-in":
		a.move("cash", "player:"+t.Player, t.Amount)
	case "cash-out":
		a.move("player:"+t.Player, "cash", t.Amount)
	}
}

// lend makes a player from whom more is taken than they have owe the rest. No other account may
// fall below zero.
func (a *Auditor) lend() {
	for _, account := range slices.Sorted(maps.Keys(a.moved)) {
		name, isPlayer := strings.CutPrefix(account, "player:")
		if missing := -a.held[account] - a.moved[account]; isPlayer && missing > 0 && a.collected[name] {
			a.move("owed:"+name, account, missing)
		}
	}
}

// settle checks the postings against what the events moved, and books that.
func (a *Auditor) settle(postings []ledger.Posting) {
	posted := map[string]int64{}
	for _, p := range postings {
		from, to := p.From.String(), p.To.String()
		posted[from] -= sign(from) * int64(p.Amount)
		posted[to] += sign(to) * int64(p.Amount)
		if p.Amount <= 0 {
			a.find("a posting moves %s", dollars(int64(p.Amount)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(union(a.moved, posted))) {
		if a.moved[name] != posted[name] {
			a.find("the events move %s on %s, and the postings %s", dollars(a.moved[name]), name, dollars(posted[name]))
		}
		a.held[name] += a.moved[name]
		kind, _, _ := strings.Cut(name, ":")
		switch kind {
		case "player", "layout", "meter", "reserve", "owed", "payable":
			if a.held[name] < 0 {
				a.find("%s holds %s", name, dollars(a.held[name]))
			}
		}
	}
}

// finish checks a table against its accounts and its jackpot, after whatever
// changed it, and once more at the end.
func (a *Auditor) finish(l *layout) {
	if lies, held := l.lies(), a.held["layout:"+l.name]; lies != held {
		a.find("%s lies on the layout of table %s, and its account holds %s", dollars(lies), l.name, dollars(held))
	}
	for _, box := range l.leaving {
		a.find("a report takes box %d of table %s out of the round, whose bets did not go back", box, l.name)
	}
	l.leaving = nil
	if l.relied && !l.covered {
		l.covered = true // once is enough
		a.uncovered = append(a.uncovered, Finding{Seq: a.seq, What: fmt.Sprintf("somebody relies upon the commitment of round %d of table %s, which no signed checkpoint held before", l.committed, l.name)})
	}
	p := a.jackpots[l.jackpot]
	if p == nil || !l.closed {
		return
	}
	if bets, counted := l.wagers("progressive"), p.bets(l.name, l.round); bets != counted {
		a.find("%d progressive bets lie on table %s in round %d, and %d are in the jackpot", bets, l.name, l.round, counted)
	}
}

// compareHits orders hits as they are paid: by the time of the deal.
func compareHits(x, y *hit) int { return comparePlaces(x.place, y.place) }

func comparePlaces(x, y place) int {
	return cmp.Or(cmp.Compare(x.AtMs, y.AtMs), cmp.Compare(x.Sequence, y.Sequence))
}
