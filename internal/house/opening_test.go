package house_test

import (
	"context"
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/tree"
	"trey/money"
)

// counting is a store that counts what it hands out.
type counting struct {
	house.Store
	read int
}

// counted returns a function that counts what it hands on.
func counted[T any](c *counting, yield func(T) error) func(T) error {
	return func(row T) error { c.read++; return yield(row) }
}

func (c *counting) Find(ctx context.Context, key string) (*house.Receipt, error) {
	c.read++
	return c.Store.Find(ctx, key)
}

func (c *counting) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return c.Store.Read(ctx, stream, after, counted(c, yield))
}

func (c *counting) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return c.Store.ReadAll(ctx, after, stream, counted(c, yield))
}

func (c *counting) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return c.Store.Rounds(ctx, stream, before, limit, counted(c, yield))
}

func (c *counting) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	c.read++
	return c.Store.Snapshot(ctx, stream, atMost)
}

func (c *counting) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return c.Store.Movements(ctx, of, before, limit, counted(c, yield))
}

func (c *counting) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	return c.Store.Balances(ctx, func(a ledger.Account, held money.Amount) error { c.read++; return yield(a, held) })
}

func (c *counting) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	return c.Store.Names(ctx, after, counted(c, yield))
}

func (c *counting) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	c.read += count
	return c.Store.Nodes(ctx, level, from, count)
}

func (c *counting) LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error) {
	c.read += count
	return c.Store.LeafTexts(ctx, from, count)
}

func (c *counting) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return c.Store.Leaves(ctx, after, counted(c, yield))
}

// A start reads the end of what no table had to do with, and not all of it.
func TestAStartReadsTheEndOfWhatHappenedAtTheCage(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	readAfter := func(more int) int {
		t.Helper()
		for range more {
			s.buyIn("ann", money.Major)
		}
		if err := s.store.Close(); err != nil {
			t.Fatal(err)
		}
		s.open()
		store := &counting{Store: s.store}
		if _, _, err := house.Open(ctx(), store, s.world()); err != nil {
			t.Fatal(err)
		}
		return store.read
	}
	if first, later := readAfter(300), readAfter(300); later > first {
		t.Errorf("a start reads %d after 300 buy-ins, and %d after 600", first, later)
	}
}

// A start reads as much of a house with many rounds as of one with few. Tables, jackpots, the
// house's own stream and the protection of players come from their latest snapshots, and seeds
// from the latest round. Everything that the store hands out counts; a start without snapshots
// shows that it does.
func TestAStartReadsNoMoreAfterManyRounds(t *testing.T) {
	steady.Sequential(t)
	s := newSite(t)
	for _, name := range []string{"A", "B"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 1_000_000*money.Major)
	readAfter := func(rounds, more int) int {
		t.Helper()
		for i := range more {
			most := int64(100*i + 100)
			if err := errors.Join(
				s.NoteClock(ctx(), int64(i)), s.Drain(ctx(), "", manager), s.Undrain(ctx(), "", manager),
				s.Decline(ctx(), "", manager, s.propose(manager, gift("ann")), "not now"),
				s.SetLimit(ctx(), "", ben, protection.Key{Kind: protection.Stake, Period: protection.Day}, &most),
			); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"A", "B"} {
				if err := s.round(name, ann); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.restart() // what a start records is there from now on
		if err := s.store.Close(); err != nil {
			t.Fatal(err)
		}
		s.open()
		store := &counting{Store: s.store}
		if _, _, err := house.Open(ctx(), store, s.world()); err != nil {
			t.Fatal(err)
		}
		if store.read == 0 {
			t.Fatal("nothing was counted")
		}
		t.Logf("after %d rounds a start reads %d", rounds, store.read)
		return store.read
	}
	const few = 12
	first, later := readAfter(few, few), readAfter(10*few, 9*few)
	// The house's own stream comes to its end at another distance from its latest snapshot,
	// and so does the protection of players.
	if later > first+few+2*house.EventsBetweenSnapshots {
		t.Errorf("a start reads %d after %d rounds at each table, and %d after %d", first, few, later, 10*few)
	}
	s.all = true
	if replayed := readAfter(10*few, 0); replayed <= later+15*few {
		t.Errorf("a start that reads everything counts %d, and one from snapshots %d", replayed, later)
	}
}
