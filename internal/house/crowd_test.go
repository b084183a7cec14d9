package house_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/auditor"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// asked is a request under a key, with all answers to it.
type asked struct {
	house.CommandRequest
	mu      sync.Mutex
	answers []answer
}

type answer struct {
	seq      int64
	repeated bool
	err      error
}

func (a *asked) ask(s *site) {
	r, err := s.Do(ctx(), a.CommandRequest)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = append(a.answers, answer{r.Seq, r.Repeated, err})
}

// Many players crowd two boxes. Each sends several bets under keys of their own, all of them
// several times and in no order, and another bet under a used key. Meanwhile the dealer says
// "No more bets". Every key has exactly one outcome, each request learns it, and the record has
// it once and before the close.
func TestACrowdAtOneBox(t *testing.T) {
	const players, bets, copies = 12, 4, 3
	s := newSiteOnFile(t)
	s.install("A", "us-3cp")
	// byKey are the bets that have one key: the one meant, and another one.
	byKey := map[string][]*asked{}
	var crowd []*asked
	for i := range players {
		person := access.Person{Name: fmt.Sprintf("p%d", i), Role: access.Player}
		s.buyIn(person.Name, 1000*money.Major)
		for k := range bets {
			for _, amount := range []money.Amount{10 * money.Major, 20 * money.Major} {
				bet := table.Bet{Box: 1 + k/2, Player: person.Name, Wager: rules.PairPlus, Amount: amount}
				if k%2 == 0 {
					bet.Wager = rules.Ante
				}
				a := &asked{CommandRequest: house.CommandRequest{Key: fmt.Sprint(k), Table: "A", By: person, Do: bet}}
				crowd = append(crowd, a)
				name := fmt.Sprintf("%q %d", person.Name, k) // as the record has it
				byKey[name] = append(byKey[name], a)
			}
		}
	}
	s.do("A", dealer, table.OpenBets{})
	var all sync.WaitGroup
	begin := make(chan struct{})
	rng := rand.New(rand.NewPCG(1, 2))
	for n, i := range rng.Perm(copies * len(crowd)) {
		if n == copies*len(crowd)/2 {
			all.Go(func() {
				<-begin
				// A round needs a wager: the dealer waits for the first one.
				for {
					_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.CloseBets{}})
					if refused := (*table.Refusal)(nil); errors.As(err, &refused) && refused.Reason == table.Unfinished {
						runtime.Gosched()
						continue
					}
					if err != nil {
						t.Error(err)
					}
					return
				}
			})
		}
		all.Go(func() {
			<-begin
			crowd[i%len(crowd)].ask(s)
		})
	}
	close(begin)
	all.Wait()
	// The outcome is unknown: all send it once more.
	for _, a := range crowd {
		a.ask(s)
	}

	recorded, closed := map[string]int64{}, int64(0)
	if err := house.Named(s.store).ReadAll(ctx(), 0, "table:A", func(e house.StoredTransaction) error {
		switch {
		case e.Cause.Kind == "close-bets":
			closed = e.Seq
		case e.Cause.Kind == "bet" && (closed != 0 || recorded[e.Key] != 0):
			t.Errorf("transaction %d is a bet under key %s, recorded as %d before; the bets closed with %d", e.Seq, e.Key, recorded[e.Key], closed)
		case e.Cause.Kind == "bet":
			recorded[e.Key] = e.Seq
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for key, of := range byKey {
		placed := 0
		for _, a := range of {
			last := a.answers[len(a.answers)-1]
			first := 0 // times that it was carried out
			for _, h := range a.answers {
				var refused *table.Refusal
				switch {
				case h.err == nil && h.seq == recorded[key] && last.err == nil:
					if !h.repeated {
						first++
					}
				case errors.Is(h.err, house.ErrKeyBusy):
				case errors.Is(h.err, house.ErrKeyReused) && recorded[key] != 0 && errors.Is(last.err, house.ErrKeyReused):
				case errors.As(h.err, &refused) && (last.err != nil || h != last):
				default:
					t.Errorf("%s was told %+v, and the record has %d", key, a.answers, recorded[key])
				}
			}
			if last.err == nil {
				placed++
			}
			if first > 1 || (first == 1) != (last.err == nil) {
				t.Errorf("%s was carried out %d times: %+v", key, first, a.answers)
			}
		}
		if (recorded[key] != 0) != (placed == 1) {
			t.Errorf("%s: %d bets stand, and the record has %d", key, placed, recorded[key])
		}
	}
	a, err := auditor.Check(ctx(), s.store)
	if err != nil || len(a.Findings()) > 0 {
		t.Fatal(err, a.Findings())
	}
	if err := s.Audit(); err != nil || len(recorded) == 0 {
		t.Errorf("%d bets are recorded: %v", len(recorded), err)
	}
}
