package house_test

import (
	"context"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
)

// counting is a store that counts what it hands out.
type counting struct {
	house.Store
	read int
}

func (c *counting) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return c.Store.Read(ctx, stream, after, func(r house.StoredEvent) error { c.read++; return yield(r) })
}

func (c *counting) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return c.Store.ReadAll(ctx, after, stream, func(e house.StoredTransaction) error { c.read++; return yield(e) })
}

func (c *counting) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return c.Store.Rounds(ctx, stream, before, limit, func(m house.RoundMark) error { c.read++; return yield(m) })
}

func (c *counting) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return c.Store.Movements(ctx, of, before, limit, func(m house.Movement) error { c.read++; return yield(m) })
}

// A start reads as much of a house with many rounds as of one with few: tables and jackpots
// from their latest snapshots, seeds from the latest round.
func TestAStartReadsNoMoreAfterManyRounds(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A", "B"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 1_000_000*money.Major)
	readAfter := func(rounds, more int) int {
		t.Helper()
		for range more {
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
	if first, later := readAfter(few, few), readAfter(10*few, 9*few); later > first+few {
		t.Errorf("a start reads %d after %d rounds at each table, and %d after %d", first, few, later, 10*few)
	}
}
