package house_test

import (
	"errors"
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// What is tried out is refused as it would be, tells what would come, and leaves
// no trace.
func TestTryingOutDoesNothing(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 30*money.Major)
	s.do("T1", dealer, table.OpenBets{})
	bet := table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}
	before, err := s.Standing("T1")
	if err != nil {
		t.Fatal(err)
	}
	book := s.Book()
	try := func(by access.Person, do table.Action) (house.Result, error) {
		return s.Try(ctx(), house.Order{Key: "k", Table: "T1", By: by, Do: do})
	}
	tried, err := try(ann, bet)
	if err != nil || tried.Seq != 0 || len(tried.Events) != 1 || tried.Version != before.Version+1 {
		t.Fatalf("tried: %+v, %v", tried, err)
	}
	now, err := s.Standing("T1")
	if err != nil || !reflect.DeepEqual(before, now) || !reflect.DeepEqual(book, s.Book()) {
		t.Fatalf("trying out changed the table or the money: %v", err)
	}
	var denied *access.Denied
	if _, err := try(ann, table.CloseBets{}); !errors.As(err, &denied) {
		t.Fatalf("a player tried to close the betting: %v", err)
	}
	var refusal *table.Refusal
	if _, err := try(ann, table.Raise{Box: 1, Player: "ann"}); !errors.As(err, &refusal) || refusal.Reason != table.WrongPhase {
		t.Fatalf("tried to raise while bets are taken: %v", err)
	}
	var short *ledger.Short
	bet.Amount = 40 * money.Major
	if _, err := try(ann, bet); !errors.As(err, &short) {
		t.Fatalf("tried to bet more than there is: %v", err)
	}
	old := before.Version - 1
	if _, err := s.Try(ctx(), house.Order{Table: "T1", By: ann, Do: bet, Expect: &old}); !errors.Is(err, house.ErrMoved) {
		t.Fatalf("tried upon an old version: %v", err)
	}
	// The key is still free, and what was tried comes true.
	bet.Amount = 10 * money.Major
	done, err := s.Do(ctx(), house.Order{Key: "k", Table: "T1", By: ann, Do: bet})
	if err != nil || done.Repeated || !reflect.DeepEqual(done.Events, tried.Events) {
		t.Fatalf("done: %+v, %v", done, err)
	}
}

// A deal that is tried out tells nothing of the cards to come: it deals the same
// ones at every table.
func TestTryingOutADealTellsNothing(t *testing.T) {
	s := newSite(t)
	var dealt [][]table.Dealt
	for _, name := range []string{"T1", "T2"} {
		s.install(name, "us-3cp")
		s.buyIn("ann", 30*money.Major)
		s.do(name, dealer, table.OpenBets{})
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major})
		s.do(name, dealer, table.CloseBets{})
		tried, err := s.Try(ctx(), house.Order{Table: name, By: dealer, Do: table.Deal{}})
		if err != nil {
			t.Fatal(err)
		}
		dealt = append(dealt, tried.Events[0].(table.CardsDealt).Cards)
	}
	if !reflect.DeepEqual(dealt[0], dealt[1]) {
		t.Fatalf("two tables tried to deal %v and %v", dealt[0], dealt[1])
	}
}
