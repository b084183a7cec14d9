package house

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/money"
)

// boughtIn is a store in which ann bought in for a cent in each transaction, at these times.
type boughtIn struct {
	Store
	atMs         []int64
	reads, given int
	fails        error
}

func (s *boughtIn) Movements(_ context.Context, of ledger.Account, before int64, limit int, yield func(Movement) error) error {
	s.reads++
	for seq := min(before-1, int64(len(s.atMs))); seq > 0 && limit > 0; seq, limit = seq-1, limit-1 {
		s.given++
		p := ledger.Posting{To: of, Amount: 1, For: ledger.Reference{Reason: ledger.BuyIn}}
		if err := yield(Movement{Seq: seq, AtMs: s.atMs[seq-1], Postings: []ledger.Posting{p}}); err != nil {
			return fmt.Errorf("transaction %d: %w", seq, err)
		}
	}
	return s.fails
}

// A player is counted by every movement of the last month up to a transaction, however many they
// are. Nothing older is read than the first that is too old.
func TestAMonthOfMovementsIsCounted(t *testing.T) {
	t.Parallel()
	const nowMs = 100 * 24 * 60 * 60 * 1000
	since := protection.KeptSinceMs(nowMs)
	var names people.Directory
	each := func(_ context.Context, _ int64, yield func(people.Name) error) error {
		return yield(people.Name{Number: 1, Text: "ann"})
	}
	if err := names.Load(t.Context(), each); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, recent    int
		through        int
		counted, reads int
	}{
		{0, 0, 0, 0, 0},
		{0, 3, 0, 0, 0}, // recorded since
		{0, 1, 1, 1, 1},
		{0, 3, 3, 3, 1},
		{0, 3, 2, 2, 1},
		{0, pageSize - 1, pageSize - 1, pageSize - 1, 1},
		{0, pageSize, pageSize, pageSize, 2},
		{0, 2*pageSize + 1, 2*pageSize + 1, 2*pageSize + 1, 3},
		{5, 3, 8, 3, 1},
		{5, pageSize - 1, pageSize + 4, pageSize - 1, 1},
		{5, pageSize, pageSize + 5, pageSize, 2},
	} {
		s := &boughtIn{}
		for range c.old {
			s.atMs = append(s.atMs, since-1)
		}
		for i := range c.recent {
			s.atMs = append(s.atMs, since+int64(i)*60_000)
		}
		h := &House{store: &named{Store: s, directory: &names}, world: World{NowMs: func() int64 { return nowMs }}}
		tally, err := h.readTally(t.Context(), "ann", int64(c.through))
		if err != nil {
			t.Fatal(err)
		}
		if got := tally.Sum(0).Deposit; got != money.Amount(c.counted) || s.reads != c.reads || s.given != c.counted+min(c.old, 1) {
			t.Errorf("%+v: %v is counted, of %d read at %d times", c, got, s.given, s.reads)
		}
		s.fails = errors.New("the record cannot be read")
		if _, err := h.readTally(t.Context(), "ann", int64(c.through)); c.through > 0 && c.old == 0 && !errors.Is(err, s.fails) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
