package memory_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/store/memory"
	"trey/internal/store/storetest"
	"trey/money"
)

func ctx() context.Context { return context.Background() }

// folders remembers the disk of each folder, as a file system would.
type folders struct {
	sync.Mutex
	disks map[string]*memory.Disk
}

func (f *folders) open(folder string) (storetest.Store, error) {
	f.Lock()
	defer f.Unlock()
	if f.disks[folder] == nil {
		f.disks[folder] = &memory.Disk{}
	}
	return f.disks[folder].Open(memory.Faults{})
}

func TestConformance(t *testing.T) {
	storetest.Run(t, (&folders{disks: map[string]*memory.Disk{}}).open)
}

func TestSessions(t *testing.T) {
	disks := &folders{disks: map[string]*memory.Disk{}}
	storetest.Sessions(t, func(folder string) (storetest.SessionStore, error) {
		s, err := disks.open(folder)
		if err != nil {
			return nil, err
		}
		return s.(*memory.Store), nil
	})
}

func open(t *testing.T, d *memory.Disk, f memory.Faults) *memory.Store {
	t.Helper()
	s, err := d.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// coin is the n-th event of stream A, and with it n cents that ann has in all.
func coin(n int64) *house.Transaction {
	player, cash := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Cash}
	return &house.Transaction{
		Key:      strconv.FormatInt(n, 10),
		Parts:    []house.StreamAppend{{Stream: "A", After: n - 1, Events: []house.Event{{Kind: "said", Body: []byte("1")}}}},
		Postings: []ledger.Posting{{From: cash, To: player, Amount: 1, For: ledger.Reference{Reason: ledger.BuyIn}}},
		Changes:  []ledger.Change{{Account: player, By: 1, After: money.Amount(n)}, {Account: cash, By: 1, After: money.Amount(n)}},
	}
}

// holds checks that exactly the first n transactions are recorded, whichever way
// one asks.
func holds(t *testing.T, s *memory.Store, n int64) {
	t.Helper()
	var events int64
	var held money.Amount
	if err := s.Read(ctx(), "A", 0, func(house.StoredEvent) error { events++; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Balances(ctx(), func(a ledger.Account, m money.Amount) error {
		if a.Kind == ledger.Player {
			held = m
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if events != n || int64(held) != n {
		t.Errorf("%d events and %d cents are there, want %d", events, held, n)
	}
	for k := int64(1); k <= n+1; k++ {
		if _, err := s.Find(ctx(), strconv.FormatInt(k, 10)); (err == nil) != (k <= n) {
			t.Errorf("transaction %d of %d is found: %v", k, n, err)
		}
	}
}

func TestOneHouseADisk(t *testing.T) {
	var d memory.Disk
	s := open(t, &d, memory.Faults{})
	if _, err := d.Open(memory.Faults{}); !errors.Is(err, memory.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find(ctx(), "k"); !errors.Is(err, house.ErrFailed) {
		t.Errorf("read after the close: %v", err)
	}
	open(t, &d, memory.Faults{})
}

// A crash keeps what was acknowledged, and of the rest in line as much as it is
// told to, from the front; nobody hears of it.
func TestCrash(t *testing.T) {
	for kept := range 5 {
		var d memory.Disk
		s := open(t, &d, memory.Faults{Hold: true})
		var line []<-chan house.AppendResult
		for n := int64(1); n <= 5; n++ {
			line = append(line, s.Append(coin(n)))
		}
		if left := s.Flush(2); left != 3 || s.Waiting() != 3 {
			t.Fatalf("%d wait, want 3", left)
		}
		s.Crash(kept)
		for i, done := range line {
			if res := <-done; (res.Err == nil) != (i < 2) || res.Err != nil && !errors.Is(res.Err, house.ErrFailed) {
				t.Errorf("transaction %d: %+v", i+1, res)
			}
		}
		if res := <-s.Append(coin(3)); !errors.Is(res.Err, house.ErrFailed) {
			t.Errorf("after the crash: %+v", res)
		}
		s = open(t, &d, memory.Faults{})
		holds(t, s, int64(min(2+kept, 5)))
	}
}

// A disk that fails at some transaction takes none behind it. Whether it holds
// the one that nobody heard of is its fate.
func TestFates(t *testing.T) {
	for fate, there := range map[memory.Fate]int64{memory.Recorded: 6, memory.Refused: 3, memory.Unheard: 4} {
		t.Run(fate.String(), func(t *testing.T) {
			var d memory.Disk
			s := open(t, &d, memory.Faults{Write: func(n int, tx *house.Transaction) memory.Fate {
				if n == 4 && tx.Key == "4" {
					return fate
				}
				return memory.Recorded
			}})
			for n := int64(1); n <= 6; n++ {
				res := <-s.Append(coin(n))
				if heard := fate == memory.Recorded || n < 4; (res.Err == nil) != heard || !heard && !errors.Is(res.Err, house.ErrFailed) {
					t.Errorf("transaction %d: %+v", n, res)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, &d, memory.Faults{})
			holds(t, s, there)
		})
	}
	if got := memory.Fate(0).String(); got != "Fate(0)" {
		t.Error(got)
	}
}

func TestReadsThatFail(t *testing.T) {
	var d memory.Disk
	broken := errors.New("a bad sector")
	fail := false
	s := open(t, &d, memory.Faults{Read: func() error {
		if fail {
			return broken
		}
		return nil
	}})
	if res := <-s.Append(coin(1)); res.Err != nil {
		t.Fatal(res.Err)
	}
	fail = true
	if _, err := s.Find(ctx(), "1"); !errors.Is(err, broken) {
		t.Errorf("find: %v", err)
	}
	if err := s.Read(ctx(), "A", 0, func(house.StoredEvent) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Balances(ctx(), func(ledger.Account, money.Amount) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("balances: %v", err)
	}
	fail = false
	holds(t, s, 1)
}

// What the house does with a transaction after it was recorded does not change
// the record.
func TestTheRecordIsACopy(t *testing.T) {
	var d memory.Disk
	s := open(t, &d, memory.Faults{})
	tx := coin(1)
	if res := <-s.Append(tx); res.Err != nil {
		t.Fatal(res.Err)
	}
	tx.Parts[0].Events[0].Body[0] = '2'
	tx.Changes[0].After = 99
	holds(t, s, 1)
	if err := s.Read(ctx(), "A", 0, func(r house.StoredEvent) error {
		if string(r.Body) != "1" {
			t.Errorf("the record says %s", r.Body)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := d.Damage(`"kind":"said"`, `"kind":"sung"`); n != 1 {
		t.Errorf("%d texts damaged", n)
	}
}
