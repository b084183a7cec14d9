package house_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/record"
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
	before, err := s.Status("T1")
	if err != nil {
		t.Fatal(err)
	}
	book := s.Book()
	try := func(by access.Person, do table.Action) (house.Result, error) {
		return s.DryRun(ctx(), house.CommandRequest{Key: "k", Table: "T1", By: by, Do: do})
	}
	tried, err := try(ann, bet)
	if err != nil || tried.Seq != 0 || len(tried.Events) != 1 || tried.Version != before.Version+1 {
		t.Fatalf("tried: %+v, %v", tried, err)
	}
	now, err := s.Status("T1")
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
	if _, err := s.DryRun(ctx(), house.CommandRequest{Table: "T1", By: ann, Do: bet, Expect: &old}); !errors.Is(err, house.ErrVersionMismatch) {
		t.Fatalf("tried upon an old version: %v", err)
	}
	// The key is still free, and what was tried comes true.
	bet.Amount = 10 * money.Major
	done, err := s.Do(ctx(), house.CommandRequest{Key: "k", Table: "T1", By: ann, Do: bet})
	if err != nil || done.Repeated || !reflect.DeepEqual(done.Events, tried.Events) {
		t.Fatalf("done: %+v, %v", done, err)
	}
}

// A deal that is tried out tells nothing of the cards to come: it deals the same
// ones at every table.
func TestTryingOutADealDisclosesNothing(t *testing.T) {
	s := newSite(t)
	var dealt [][]table.Dealt
	for _, name := range []string{"T1", "T2"} {
		s.install(name, "us-3cp")
		s.buyIn("ann", 30*money.Major)
		s.do(name, dealer, table.OpenBets{})
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major})
		s.do(name, dealer, table.CloseBets{})
		tried, err := s.DryRun(ctx(), house.CommandRequest{Table: name, By: dealer, Do: table.Deal{}})
		if err != nil {
			t.Fatal(err)
		}
		dealt = append(dealt, housetest.Events(tried.Events)[0].(table.CardsDealt).Cards)
	}
	if !reflect.DeepEqual(dealt[0], dealt[1]) {
		t.Fatalf("two tables tried to deal %v and %v", dealt[0], dealt[1])
	}
}

// Nobody finds out a card that lies face down, or that it is in the round, by a dry run with a
// guess. Nor does an order that is refused and leaves no trace disclose it.
func TestNamingACardAnswersNoGuess(t *testing.T) {
	s := newSite(t)
	v := variant(t, "us-3cp")
	if err := s.Install(ctx(), house.Table{Name: "T1", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Read}}, admin); err != nil {
		t.Fatal(err)
	}
	s.buyIn("ann", 30*money.Major)
	s.do("T1", dealer, table.OpenBets{})
	s.do("T1", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major})
	s.do("T1", dealer, table.CloseBets{})
	s.do("T1", dealer, dealOf(t, "2c", "7d", "9h"))
	tried := func(do table.Action) string {
		tried, err := s.DryRun(ctx(), house.CommandRequest{Table: "T1", By: dealer, Do: do})
		kinds := fmt.Sprint(err)
		for _, e := range tried.Events {
			kinds += " " + record.TableEvents.Name(e.For(table.Viewer{}))
		}
		return kinds
	}
	dealt := func(c string) table.Action { return dealOf(t, c) }
	if in, out := tried(dealt("7d")), tried(dealt("Qh")); in != out || !strings.Contains(out, "cards-dealt") {
		t.Errorf("tried out, a card of the round is answered %q and another %q", in, out)
	}
	s.do("T1", dealer, dealOf(t, "Kc", "4s", "5d"))
	s.do("T1", ann, table.Raise{Box: 1, Player: "ann"})
	exposed := func(c string) table.Action {
		return table.Report{Incident: rules.CardExposed, Cards: []table.Exposed{{At: table.Box(1), Index: 1, Card: cards(t, c)[0]}}}
	}
	turned := func(texts ...string) table.Action { return table.Reveal{Hand: cards(t, texts...)} }
	for _, guess := range []struct{ right, wrong table.Action }{
		{exposed("2c"), exposed("Qh")},
		{turned("Kc", "4s", "5d"), turned("Kc", "4s", "6d")},
		{turned("Kc", "4s", "5d"), turned("Qh", "4s", "5d")},
	} {
		if right, wrong := tried(guess.right), tried(guess.wrong); right != wrong {
			t.Errorf("%#v is answered %q when it is tried out, and a wrong card %q", guess.right, right, wrong)
		}
		_, right := s.Do(ctx(), house.CommandRequest{Table: "T1", By: dealer, Do: guess.right})
		_, wrong := s.Do(ctx(), house.CommandRequest{Table: "T1", By: dealer, Do: guess.wrong})
		if right == nil || wrong == nil || right.Error() != wrong.Error() {
			t.Errorf("%#v is answered %v, and a wrong card %v", guess.right, right, wrong)
		}
	}
	// Who names nothing has the card shown that lies there.
	s.do("T1", dealer, table.Report{Incident: rules.CardExposed, Cards: []table.Exposed{{At: table.Box(1), Index: 1}}})
	state, err := housetest.Table(s, "T1")
	if err != nil || !state.Slots[0].Exposed() || state.Slots[0].Card != cards(t, "2c")[0] {
		t.Errorf("the exposed card is %+v: %v", state.Slots, err)
	}
}
