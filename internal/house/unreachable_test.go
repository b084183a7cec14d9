package house_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
	"trey/money"
	"trey/table"
)

// dying is a store that can be read no more after a number of reads: of a stream, each event is one.
// With once, it can be read again after one read has failed.
type dying struct {
	house.Store
	left int
	once bool
}

var errDied = fmt.Errorf("%w: the server has ended", house.ErrFailed)

// read reports that the store can still be read.
func (d *dying) read() error {
	if d.left--; d.left == -1 || d.left < 0 && !d.once {
		return errDied
	}
	return nil
}

func (d *dying) Find(ctx context.Context, key string) (*house.Receipt, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.Store.Find(ctx, key)
}

func (d *dying) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Store.Movements(ctx, of, before, limit, func(m house.Movement) error {
		if err := d.read(); err != nil {
			return err
		}
		return yield(m)
	})
}

func (d *dying) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Store.Read(ctx, stream, after, func(e house.StoredEvent) error {
		if err := d.read(); err != nil {
			return err
		}
		return yield(e)
	})
}

func (d *dying) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Store.ReadAll(ctx, after, stream, func(tx house.StoredTransaction) error {
		if err := d.read(); err != nil {
			return err
		}
		return yield(tx)
	})
}

func (d *dying) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Store.Rounds(ctx, stream, before, limit, func(m house.RoundMark) error {
		if err := d.read(); err != nil {
			return err
		}
		return yield(m)
	})
}

func (d *dying) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	if err := d.read(); err != nil {
		return house.Snapshot{}, err
	}
	return d.Store.Snapshot(ctx, stream, atMost)
}

func (d *dying) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	if err := d.read(); err != nil {
		return 0, err
	}
	return d.Store.Balances(ctx, yield)
}

func (d *dying) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Store.Names(ctx, after, yield)
}

func (d *dying) Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.Store.Nodes(ctx, level, from, count)
}

// copied opens a copy of the record.
func (s *site) copied() *sqlite.Store {
	s.Helper()
	path := filepath.Join(s.TempDir(), "copy.db")
	if err := sqlite.Copy(ctx(), s.path, path); err != nil {
		s.Fatal(err)
	}
	store, err := sqlite.Open(ctx(), path)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = store.Close() })
	return store
}

// A house that cannot be opened because its record cannot be read at the moment says so, and
// never that the record is corrupt. Its operator tries again in the first case, and stops for
// good in the second.
func TestAnUnreachableRecordIsNotCorrupt(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	for range 3 {
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	store := s.copied() // which a writer goes on with
	for _, way := range []struct {
		name  string
		store house.Store
		open  func(house.Store) error
	}{
		{"a door", s.store, func(store house.Store) error {
			_, err := house.OpenReading(ctx(), store, s.world())
			return err
		}},
		{"a writer", store, func(store house.Store) error {
			_, _, err := house.Open(ctx(), store, s.world())
			return err
		}},
	} {
		died := 0
		for ; ; died++ {
			err := way.open(&dying{Store: way.store, left: died})
			if err == nil {
				break
			}
			if !errors.Is(err, house.ErrFailed) || errors.Is(err, house.ErrCorrupt) {
				t.Errorf("%s, after %d reads: %v", way.name, died, err)
			}
		}
		if died < 20 {
			t.Errorf("%s was opened with %d reads", way.name, died)
		}
	}
}

// overtaken is a store to which another process may write, and has while this one reads, which is
// seen from the balances on.
type overtaken struct {
	house.Store
	by error // what it knows of who writes
}

func (o *overtaken) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	return o.Store.Balances(ctx, func(a ledger.Account, held money.Amount) error {
		switch a {
		case ledger.Account{Kind: ledger.Layout, Of: "A"}:
			held += money.Major
		case ledger.Account{Kind: ledger.Player, Of: "ann"}:
			held -= money.Major
		}
		return yield(a, held)
	})
}

func (o *overtaken) StillWriter(context.Context) error { return o.by }

// A record that another process writes to while it is read shows the tables of one moment and the
// balances of another. That is no fault of the record: whoever opens it is not the writer any more,
// and opens it again. Without another writer it is a fault.
func TestARecordThatIsWrittenToMeanwhileIsNotCorrupt(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	store := s.copied()
	for _, by := range []error{nil, errDied} {
		_, _, err := house.Open(ctx(), &overtaken{store, by}, s.world())
		if errors.Is(err, house.ErrCorrupt) != (by == nil) || errors.Is(err, house.ErrFailed) != (by != nil) {
			t.Errorf("with %v: %v", by, err)
		}
	}
}
