package house_test

import (
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
)

// The clock is held to the last transaction that was in time, to the millisecond: to the one
// before the house was opened at first, and to each one after it. A clock that goes back moves
// nothing, and neither does one that was refused.
func TestTheClockIsHeldToTheLastTransaction(t *testing.T) {
	const gapMs = 1000
	s := newSite(t)
	gap := func(w *house.World) { w.MaxGapMs = gapMs }
	s.reopen(gap)
	atMs := s.clock.Load()
	moves := func(what string, ms int64, want error) {
		t.Helper()
		s.clock.Store(ms)
		if err := s.moveCash(cashier, ledger.BuyIn, 1); !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	moves("the first of the record", atMs+gapMs, nil)
	for range 2 {
		lastMs := s.clock.Load()
		moves("too late", lastMs+gapMs+1, house.ErrClock)
		moves("once more", lastMs+gapMs+1, house.ErrClock)
		moves("just in time", lastMs+gapMs, nil)
		moves("from that on", lastMs+2*gapMs, nil)
		moves("a clock that was set back", lastMs, nil)
		moves("too late after that", lastMs+3*gapMs+1, house.ErrClock)
		moves("as late as before", lastMs+3*gapMs, nil)
		s.reopen(gap)
	}
	s.has("ann", 9)

	lastMs := s.clock.Load()
	read, err := house.OpenReading(ctx(), s.store, house.World{NowMs: s.clock.Load, MaxGapMs: gapMs})
	if err != nil {
		t.Fatal(err)
	}
	for ms, want := range map[int64]error{lastMs + gapMs: nil, lastMs + gapMs + 1: house.ErrClock} {
		if err := read.InTime(ms); !errors.Is(err, want) {
			t.Errorf("where the house is read, %d ms later: %v", ms-lastMs, err)
		}
	}
	s.clock.Store(lastMs + gapMs + 1)
	w := s.world()
	gap(&w)
	if _, _, err := house.Open(ctx(), s.store, w); !errors.Is(err, house.ErrClock) {
		t.Errorf("opened too late: %v", err)
	}
	s.reopen(func(w *house.World) { gap(w); w.AcceptClock = true })
	moves("when somebody has looked at the clock", lastMs+2*gapMs+1, nil)
}
