package house_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// dam is a store that records nothing while it is shut.
type dam struct {
	house.Store
	mu      sync.Mutex
	shut    bool
	waiting []func()
}

func (d *dam) Append(tx *house.Transaction) <-chan house.AppendResult {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.shut {
		return d.Store.Append(tx)
	}
	done := make(chan house.AppendResult, 1)
	d.waiting = append(d.waiting, func() { done <- <-d.Store.Append(tx) })
	return done
}

// length waits until so many transactions wait.
func (d *dam) length(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		n := len(d.waiting)
		d.mu.Unlock()
		if n == want {
			return
		}
		if n > want || time.Now().After(deadline) {
			t.Fatalf("%d transactions wait, and not %d", n, want)
		}
	}
}

// open records what waits, and holds up nothing more.
func (d *dam) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = false
	for _, record := range d.waiting {
		record()
	}
	d.waiting = nil
}

// While the record accepts nothing, commands outside of a round in play are refused first, and
// then those of rounds in play. Everything that was accepted is done when the record accepts
// more.
func TestAHouseThatIsOverloaded(t *testing.T) {
	const most = 8
	s := newSiteOnFile(t)
	d := &dam{Store: s.store}
	w := s.world()
	w.MostInLine = most
	var err error
	if s.House, _, err = house.Open(ctx(), d, w); err != nil {
		t.Fatal(err)
	}
	s.buyIn("ann", 10_000*money.Major)
	s.buyIn("ben", money.Major) // whose name is new
	playing := []string{"A", "B", "C", "D", "E"}
	for _, name := range append([]string{"idle"}, playing...) {
		s.install(name, "us-3cp")
	}
	bet := func(name string) error {
		_, err := s.Do(ctx(), house.CommandRequest{Table: name, By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major}})
		return err
	}
	for _, name := range playing {
		s.do(name, dealer, table.OpenBets{})
		if err := bet(name); err != nil {
			t.Fatal(err)
		}
	}
	d.mu.Lock()
	d.shut = true
	d.mu.Unlock()
	buyIn := func() error {
		_, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ben", Amount: money.Major})
		return err
	}
	var work sync.WaitGroup
	taken := func(what string, do func() error) {
		work.Go(func() {
			if err := do(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	for i := range most / 2 {
		taken("a buy-in", buyIn)
		d.length(t, i+1)
	}
	if err := buyIn(); !errors.Is(err, house.ErrOverloaded) {
		t.Errorf("a buy-in too many: %v", err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "idle", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrOverloaded) {
		t.Errorf("a new round: %v", err)
	}
	for i, name := range playing[:most/2] {
		taken("a bet", func() error { return bet(name) })
		d.length(t, most/2+i+1)
	}
	if err := bet(playing[most/2]); !errors.Is(err, house.ErrOverloaded) {
		t.Errorf("a bet too many: %v", err)
	}
	// At one table commands wait for each other.
	for s.WaitingAt("A") < house.MostAtTable {
		n := s.WaitingAt("A")
		taken("a bet that waits", func() error {
			var limit *table.Refusal
			if err := bet("A"); !errors.As(err, &limit) { // each would be the third there
				return fmt.Errorf("it is not refused by the limit: %w", err)
			}
			return nil
		})
		for deadline := time.Now().Add(time.Minute); s.WaitingAt("A") == n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("a command does not come to the table")
			}
		}
	}
	if err := bet("A"); !errors.Is(err, house.ErrOverloaded) {
		t.Errorf("a command too many at a table: %v", err)
	}
	d.open()
	work.Wait()
	s.has("ben", (1+most/2)*money.Major)
	bets := money.Amount(len(playing) + most/2)
	s.has("ann", 10_000*money.Major-bets*5*money.Major)
	if err := buyIn(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if got := fmt.Sprint(s.WaitingAt("A")); got != "0" {
		t.Errorf("%s commands are left at a table", got)
	}
}
