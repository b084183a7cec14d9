package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

var (
	manyRounds = flag.Int("many.rounds", 0, "how many rounds TestOpenAfterManyRounds plays in the house of -many.folder, which it makes or goes on with")
	manyFolder = flag.String("many.folder", "", "the folder of the house that -many.rounds plays in; it stays there")
)

// manyHouse is a house in which rounds are played as fast as the record takes them. Its
// clock goes on by the rounds.
type manyHouse struct {
	testing.TB
	config string
	nowMs  atomic.Int64
	// perRoundMs is the time between two rounds of the whole house.
	perRoundMs int64
	// players is the number of those who play at each table, four rounds each in turn.
	players int
	// fullTable has seven players bet on two wagers, and on the progressive where there is one,
	// instead of one on one.
	fullTable bool
}

// newManyHouse returns the house in a folder, and writes its configuration if there is none:
// so many tables, of these books in turn.
func newManyHouse(t testing.TB, folder string, perRoundMs int64, tables int, books ...string) *manyHouse {
	t.Helper()
	m := &manyHouse{TB: t, config: filepath.Join(folder, "house.toml"), perRoundMs: perRoundMs, players: 2}
	m.nowMs.Store(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	if !missing(m.config) {
		store, _ := m.openRecord()
		m.must(store.ReadAll(m.Context(), store.Head().Size-2, "", func(tx house.StoredTransaction) error {
			m.nowMs.Store(tx.AtMs)
			return nil
		}))
		m.must(store.Close())
		return m
	}
	var text strings.Builder
	text.WriteString("database = \"house.db\"\n[pace]\nbetting = \"1m\"\ndecision = \"1m\"\ndeal = \"0s\"\nshow = \"0s\"\n[cage]\nday = \"10000000\"\n")
	if slices.Contains(books, "rws-3cp") {
		text.WriteString("[jackpots.linked]\nbet = \"5\"\nreset = \"50\"\nrate = \"40%\"\nceiling = \"300\"\nmeter = \"60\"\n")
	}
	for i := range tables {
		book := books[i%len(books)]
		fmt.Fprintf(&text, "[tables.t%d]\nbook = %q\n", i, book)
		if book == "rws-3cp" {
			text.WriteString("jackpot = \"linked\"\n")
		}
	}
	m.must(os.WriteFile(m.config, []byte(text.String()), 0o600))
	return m
}

func (m *manyHouse) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// startCounts says what one start took.
type startCounts struct {
	took, cpu time.Duration
	// rows are what the store handed out, by method, and bytes what the process read from
	// files, zero where the system does not say.
	rows  map[string]int
	bytes int64
}

func (c *startCounts) allRows() (n int) {
	for _, k := range c.rows {
		n += k
	}
	return n
}

// open opens the house as trey serve does, up to the moment at which it takes requests, and
// counts what that reads.
func (m *manyHouse) open() (*site, startCounts) {
	m.Helper()
	ctx := m.Context()
	p, _, err := readPlan(m.config)
	m.must(err)
	p.Signing, p.Archive = signingBeside(p.Database), sqlite.ArchiveBeside(p.Database)
	before, cpu, began := bytesRead(), cpuUsed(), time.Now()
	opened, err := sqlite.OpenWith(ctx, p.Database, p.Archive)
	m.must(err)
	store := &countingStore{recordStore: opened, rows: map[string]int{}}
	_, err = notLeft(ctx, store)
	m.must(err)
	signed, err := notary.Open(ctx, p.Signing, store)
	m.must(err)
	keys, _, err := openKeys(ctx, store, p.SealKeys)
	m.must(err)
	c := &clock{read: func() (dayMs, ranMs int64) { return m.nowMs.Load(), 0 }}
	s := &site{
		plan: p, log: slog.New(slog.DiscardHandler), store: store, record: store, notary: signed, clock: c, acceptClock: true,
		keys: sealing.NewRing(keys), jumps: make(chan int64, 1), program: m.config, // a program takes as long at each start
	}
	m.must(s.open(ctx, new(strings.Builder), m.config))
	counts := startCounts{took: time.Since(began), cpu: cpuUsed() - cpu, rows: maps.Clone(store.rows), bytes: bytesRead() - before}
	m.nowMs.Store(max(m.nowMs.Load(), c.nowMs()))
	return s, counts
}

// openRecord opens the record of the house and its keys, and not the house.
func (m *manyHouse) openRecord() (recordStore, *sealing.Keys) {
	m.Helper()
	p, _, err := readPlan(m.config)
	m.must(err)
	store, err := sqlite.OpenWith(m.Context(), p.Database, sqlite.ArchiveBeside(p.Database))
	m.must(err)
	keys, _, err := openKeys(m.Context(), store, p.SealKeys)
	m.must(err)
	return store, keys
}

// close signs what is recorded, as the program does at its end, and closes the house.
func (m *manyHouse) close(s *site) {
	m.Helper()
	_, err := s.notary.Sign()
	m.must(err)
	m.must(s.store.Close())
}

// rounds returns how many rounds were begun at all tables.
func (s *site) rounds() (n int) {
	for _, name := range s.house.Tables() {
		if state, err := s.house.Table(name); err == nil {
			n += state.Round()
		}
	}
	return n
}

// play plays rounds with one seat at all tables at once, as many at each.
func (m *manyHouse) play(s *site, each int) {
	m.Helper()
	ctx := m.Context()
	var all sync.WaitGroup
	for _, name := range s.house.Tables() {
		all.Go(func() {
			for range each {
				if err := m.round(ctx, s.house, name); err != nil {
					m.Errorf("table %s: %v", name, err)
					return
				}
			}
		})
	}
	all.Wait()
	if m.Failed() {
		m.FailNow()
	}
}

// round plays a round.
func (m *manyHouse) round(ctx context.Context, h *house.House, name string) error {
	m.nowMs.Add(m.perRoundMs)
	at, err := h.Status(name)
	if err != nil {
		return err
	}
	n := at.State.Round() + 1
	boxes, wagers, decides := 1, []rules.Wager{rules.Ante}, true
	if at.InForce().Variant.Book.ID == "mbs-3pictures" {
		wagers, decides = []rules.Wager{rules.Main}, false
	}
	if m.fullTable {
		boxes, wagers = 7, append(wagers, rules.PairPlus)
		if at.Jackpot != "" {
			wagers = append(wagers, rules.Progressive)
		}
	}
	player := func(box int) access.Person {
		return access.Person{Name: fmt.Sprintf("%s-%d-%d", name, box, n/4%m.players), Role: access.Player}
	}
	asks := func(by access.Person, what string, do table.Action) error {
		// A key as the page draws it.
		drawn := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", name, n, what))
		_, err := h.Do(ctx, house.CommandRequest{Key: hex.EncodeToString(drawn[:12]), Table: name, By: by, Do: do})
		return err
	}
	goesOn := func(do table.Action) error { _, err := h.DoAsHouse(ctx, "", name, do); return err }
	if err := goesOn(table.OpenBets{}); err != nil {
		return err
	}
	for box := 1; box <= boxes; box++ {
		by := player(box)
		if h.Balance(ledger.Account{Kind: ledger.Player, Of: by.Name}) < 100*money.Major {
			move := posting.Transfer{Reason: ledger.BuyIn, Player: by.Name, Amount: 1000 * money.Major}
			if _, err := h.CageTransfer(ctx, fmt.Sprintf("%s %d %d buy-in", name, n, box), house.Lobby, move); err != nil {
				return err
			}
		}
		for _, wager := range wagers {
			amount := 10 * money.Major
			if wager == rules.Progressive {
				amount = 5 * money.Major // as the jackpot prescribes
			}
			if err := asks(by, fmt.Sprintf("%d %s", box, wager), table.Bet{Box: box, Player: by.Name, Wager: wager, Amount: amount}); err != nil {
				return err
			}
		}
	}
	if err := cmp.Or(goesOn(table.CloseBets{}), goesOn(table.Deal{})); err != nil {
		return err
	}
	for box := 1; box <= boxes && decides; box++ {
		if err := asks(player(box), fmt.Sprintf("%d raise", box), table.Raise{Box: box, Player: player(box).Name}); err != nil {
			return err
		}
	}
	if err := goesOn(table.Reveal{}); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); ; {
		// A hand that takes the jackpot waits for those that were dealt before it at other tables:
		// the first settlement turns it and pays nothing, and further ones are refused until then.
		err := goesOn(table.Settle{})
		var refused *jackpot.Refusal
		if err != nil && (!errors.As(err, &refused) || time.Now().After(deadline)) {
			return err
		}
		if at, err = h.Status(name); err != nil || at.State.Phase() != table.Showing {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// countingStore counts what a record hands out.
type countingStore struct {
	recordStore
	mu   sync.Mutex
	rows map[string]int
}

func (c *countingStore) count(method string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows[method] += n
}

// counting returns a function that counts what it hands on.
func counting[T any](c *countingStore, method string, yield func(T) error) func(T) error {
	return func(row T) error { c.count(method, 1); return yield(row) }
}

func (c *countingStore) Find(ctx context.Context, key string) (*house.Receipt, error) {
	c.count("Find", 1)
	return c.recordStore.Find(ctx, key)
}

func (c *countingStore) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return c.recordStore.Read(ctx, stream, after, counting(c, "Read", yield))
}

func (c *countingStore) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return c.recordStore.ReadAll(ctx, after, stream, counting(c, "ReadAll", yield))
}

func (c *countingStore) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return c.recordStore.Rounds(ctx, stream, before, limit, counting(c, "Rounds", yield))
}

func (c *countingStore) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	c.count("Snapshot", 1)
	return c.recordStore.Snapshot(ctx, stream, atMost)
}

func (c *countingStore) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return c.recordStore.Movements(ctx, of, before, limit, counting(c, "Movements", yield))
}

func (c *countingStore) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	return c.recordStore.Balances(ctx, func(a ledger.Account, held money.Amount) error { c.count("Balances", 1); return yield(a, held) })
}

func (c *countingStore) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	return c.recordStore.Names(ctx, after, counting(c, "Names", yield))
}

func (c *countingStore) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	c.count("Nodes", count)
	return c.recordStore.Nodes(ctx, level, from, count)
}

func (c *countingStore) LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error) {
	c.count("LeafTexts", count)
	return c.recordStore.LeafTexts(ctx, from, count)
}

func (c *countingStore) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return c.recordStore.Leaves(ctx, after, counting(c, "Leaves", yield))
}

// bytesRead returns how many bytes this process has read from files, zero where the system
// does not say.
func bytesRead() (n int64) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscanf(string(text), "rchar: %d", &n)
	return n
}

// cpuUsed returns the processor time that this process has taken, in steps of 10 ms, zero
// where the system does not say.
func cpuUsed() time.Duration {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	// The name of the program, in brackets, may hold blanks.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks time.Duration
	for _, field := range fields[11:13] {
		n, _ := strconv.Atoi(field)
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

// words says how many rounds a house has, and what its last start took.
func (m *manyHouse) words(s *site, c *startCounts) string {
	info, err := os.Stat(s.plan.Database)
	m.must(err)
	return fmt.Sprintf("%d rounds, %d transactions, a record of %d MB: opened in %v with %v of a processor, %d KB and %d rows read, %v",
		s.rounds(), s.store.Head().Size-1, info.Size()>>20, c.took.Round(time.Millisecond), c.cpu, c.bytes>>10, c.allRows(), c.rows)
}

// TestOpenAfterManyRounds holds that opening a house reads as much after many rounds as after
// few, but for the way down trees that are somewhat higher. Most of the many are copies of
// rounds that were played. With -many.rounds it goes on to as many as are asked for, and prints
// what each start took.
func TestOpenAfterManyRounds(t *testing.T) {
	steady.Detail(t)
	if *manyRounds > 0 {
		makeMany(t)
		return
	}
	const each, copies, tables = 20, 40, 3
	m := newManyHouse(t, quickFolder(t), (2 * time.Hour).Milliseconds(), tables, "us-3cp", "sm-3cp", "mbs-3pictures")
	c := m.playBlock(each)
	m.must(c.store.Close())
	s, first := m.open()
	t.Log(m.words(s, &first))
	m.close(s)
	c.store, _ = m.openRecord()
	for range copies {
		c.copy()
	}
	m.finish(c)
	s, later := m.open()
	t.Log(m.words(s, &later))
	if due := (copies + 2) * each * tables; s.rounds() != due {
		t.Fatalf("the house has %d rounds, not %d", s.rounds(), due)
	}
	if first.rows["Read"] == 0 || first.rows["ReadAll"] == 0 || first.rows["Balances"] == 0 {
		t.Fatalf("not everything was counted: %v", first.rows)
	}
	// Of the tree a start reads up to 255 hashes of each level.
	rows := func(c *startCounts) int { return c.allRows() - c.rows["Nodes"] - c.rows["LeafTexts"] }
	const moreRows, moreBytes = tables * 4 * 8, 256 << 10 // four rounds of each table, and some pages
	if rows(&later) > rows(&first)+moreRows || later.rows["Nodes"]+later.rows["LeafTexts"] > 4*tree.Width {
		t.Errorf("a start reads %v after %d rounds at each table, and %v after %d more", first.rows, 2*each, later.rows, copies*each)
	}
	if later.bytes > first.bytes+moreBytes {
		t.Errorf("a start reads %d bytes after %d rounds at each table, and %d after %d more", first.bytes, 2*each, later.bytes, copies*each)
	}
	// Had it read all of the record, this would have been seen.
	counted := s.store.(*countingStore)
	before, rowsBefore := bytesRead(), counted.rows["ReadAll"]
	m.must(s.record.ReadAll(t.Context(), 0, "", func(house.StoredTransaction) error { return nil }))
	if more := counted.rows["ReadAll"] - rowsBefore; more <= moreRows {
		t.Errorf("the whole record counts as %d rows", more)
	}
	if more := bytesRead() - before; before > 0 && more <= moreBytes {
		t.Errorf("the whole record counts as %d bytes", more)
	}
	// The house goes on, and what is played in it is proven.
	m.play(s, each)
	m.proven(s)
	m.close(s)
	s, counts := m.open()
	defer m.close(s)
	t.Log(m.words(s, &counts))
}

// opensAfter are the rounds after which a house of many rounds is opened.
var opensAfter = []int{100_000, 300_000, 1_000_000, 3_000_000, 10_000_000}

// makeMany makes a house of as many rounds as are asked for, or goes on with one, and opens it
// now and then. Each time some rounds are played and proven, and then copied.
func makeMany(t *testing.T) {
	const tables, each = 64, 100
	m := newManyHouse(t, *manyFolder, (10 * time.Second).Milliseconds(), tables, "us-3cp", "sm-3cp", "mbs-3pictures", "rws-3cp")
	m.players = 25
	for {
		s, counts := m.open()
		rounds := s.rounds()
		t.Log(m.words(s, &counts))
		m.close(s)
		if rounds >= *manyRounds {
			return
		}
		next := *manyRounds
		for _, n := range opensAfter {
			if n > rounds {
				next = min(next, n)
				break
			}
		}
		c := m.playBlock(each)
		began := time.Now()
		for rounds += 2 * tables * each; rounds < next; rounds += tables * each {
			c.copy()
			if c.copies%50 == 0 {
				t.Logf("%d rounds, %d copies in %v", rounds, c.copies, time.Since(began).Round(time.Second))
			}
		}
		m.finish(c)
	}
}
