//go:build unix

package house_test

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/sealing"
	"trey/internal/shuffle"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/sqlite"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

var durableCluster = flag.Bool("durable.cluster", false, "have the benchmark of durable commands record in a database: at three servers that sync, of which two have to hold what is acknowledged")

// durableStore is a store that a benchmark opens anew.
type durableStore interface {
	house.Store
	Close() error
}

// newStores returns what opens stores, each in a place of its own.
func newStores(b *testing.B) func() durableStore {
	b.Helper()
	if !*durableCluster {
		return func() durableStore {
			s, err := sqlite.Open(ctx(), filepath.Join(b.TempDir(), "house.db"))
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
	}
	c := pgserver.StartSyncedClusterFor(b)
	n := 0
	return func() durableStore {
		n++
		address, err := c.Database(ctx(), fmt.Sprint("house_", n))
		if err != nil {
			b.Fatal(err)
		}
		s, err := postgres.Open(ctx(), address, postgres.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
}

// recording is a store that also keeps what was put in line.
type recording struct {
	house.Store
	mu   sync.Mutex
	line []*house.Transaction
}

func (r *recording) Append(tx *house.Transaction) <-chan house.AppendResult {
	r.mu.Lock() // calls come one after the other anyway
	defer r.mu.Unlock()
	r.line = append(r.line, tx)
	return r.Store.Append(tx)
}

// BenchmarkDurableCommands plays rounds of seven seats at many tables, each
// command with a key and acknowledged when it is on the disk. Then the very same transactions
// are given to a bare store, with as many of them waiting at once. ratio is the share of the
// store's speed that is left when a house runs on it.
func BenchmarkDurableCommands(b *testing.B) {
	open := newStores(b)
	for _, of := range []struct {
		tables int
		linked bool // all play for one jackpot, each seat with a bet on it
	}{{1, false}, {16, false}, {256, false}, {2000, false}, {2000, true}} {
		b.Run(fmt.Sprintf("tables=%d,linked=%t", of.tables, of.linked), func(b *testing.B) {
			store, line, elapsed := playTables(b, open, of.tables, of.linked)
			bare := replayBare(b, open, line, of.tables)
			perSecond := float64(b.N) / elapsed.Seconds()
			b.ReportMetric(perSecond, "commands/s")
			b.ReportMetric(float64(len(line))/bare.Seconds(), "bare/s")
			b.ReportMetric(perSecond/(float64(len(line))/bare.Seconds()), "ratio")
			if err := store.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// usualSnapshots is the number of rounds between two snapshots of a table outside of tests.
const usualSnapshots = 4

func playTables(b *testing.B, open func() durableStore, tables int, linked bool) (durableStore, []*house.Transaction, time.Duration) {
	s := &site{TB: b, seed: shuffle.Fresh, sealer: sealing.Numbered(1)}
	s.clock.Store(1_000_000)
	defer house.SnapshotRounds(house.SnapshotRounds(usualSnapshots))
	store := open()
	s.store = store
	record := &recording{Store: store}
	var err error
	if s.House, _, err = house.Open(ctx(), record, s.world()); err != nil {
		b.Fatal(err)
	}
	books := []string{"rws-3cp", "us-3cp", "sm-3cp"}
	if linked {
		books = books[:1]
	}
	var names []string
	var ready sync.WaitGroup
	for i := range tables {
		name := fmt.Sprintf("T%d", i)
		names = append(names, name)
		s.install(name, books[i%len(books)])
		ready.Go(func() {
			for box := 1; box <= 7; box++ {
				s.buyIn(seat(name, box).Name, 1_000_000_000*money.Major)
			}
		})
	}
	ready.Wait()
	record.line = nil
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for _, name := range names {
		all.Go(func() { playUntil(b, s, name, linked, &left) })
	}
	all.Wait()
	elapsed := time.Since(start)
	b.StopTimer()
	return store, record.line, elapsed
}

func seat(name string, box int) access.Person {
	return access.Person{Name: fmt.Sprintf("%s-%d", name, box), Role: access.Player}
}

// playUntil plays rounds at one table until nothing is left to do anywhere.
func playUntil(b *testing.B, s *site, name string, linked bool, left *atomic.Int64) {
	n := 0
	do := func(by access.Person, action table.Action) bool {
		if left.Add(-1) < 0 {
			return false
		}
		n++
		for {
			_, err := s.Do(ctx(), house.CommandRequest{Key: fmt.Sprintf("%s-%d", name, n), Table: name, By: by, Do: action})
			var refused *jackpot.Refusal
			if errors.As(err, &refused) && (refused.Reason == jackpot.ReasonEarlierHit || refused.Reason == jackpot.ReasonEarlierRound) {
				runtime.Gosched() // another table is paid first
				continue
			}
			if err != nil {
				b.Error(err)
			}
			return err == nil
		}
	}
	each := func(action func(name string, box int) table.Action) bool {
		for box := 1; box <= 7; box++ {
			if person := seat(name, box); !do(person, action(person.Name, box)) {
				return false
			}
		}
		return true
	}
	for do(dealer, table.OpenBets{}) &&
		each(func(name string, box int) table.Action {
			return table.Bet{Box: box, Player: name, Wager: rules.Ante, Amount: 10 * money.Major}
		}) &&
		(!linked || each(func(name string, box int) table.Action {
			return table.Bet{Box: box, Player: name, Wager: rules.Progressive, Amount: 5 * money.Major}
		})) &&
		do(dealer, table.CloseBets{}) && do(dealer, table.Deal{}) &&
		each(func(name string, box int) table.Action { return table.Raise{Box: box, Player: name} }) &&
		do(dealer, table.Reveal{}) && do(dealer, table.Settle{}) {
	}
}

// replayBare gives the transactions to a fresh store. Those that it builds on
// are left out of the parts: versions begin where the benchmark began.
func replayBare(b *testing.B, open func() durableStore, line []*house.Transaction, waiting int) time.Duration {
	store := open()
	defer store.Close() //nolint:errcheck // nobody reads it again
	first := map[string]int64{}
	for _, tx := range line {
		for i := range tx.Parts {
			p := &tx.Parts[i]
			if _, known := first[p.Stream]; !known {
				first[p.Stream] = p.After
			}
			p.After -= first[p.Stream]
		}
	}
	var all sync.WaitGroup
	room := make(chan struct{}, waiting)
	start := time.Now()
	for _, tx := range line {
		room <- struct{}{}
		done := store.Append(tx)
		all.Go(func() {
			if d := <-done; d.Err != nil {
				b.Error(d.Err)
			}
			<-room
		})
	}
	all.Wait()
	return time.Since(start)
}
