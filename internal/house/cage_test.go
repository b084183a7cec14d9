package house_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/store/memory"
	"trey/money"
)

// reopen closes the house and opens it again in another world.
func (s *site) reopen(change func(*house.World)) {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Fatal(err)
	}
	var err error
	if s.store, err = s.disk.Open(memory.Faults{}); err != nil {
		s.Fatal(err)
	}
	w := s.world()
	change(&w)
	if s.House, _, err = house.Open(ctx(), s.store, w); err != nil {
		s.Fatal(err)
	}
}

// moveCash moves money of ann at the cage.
func (s *site) moveCash(by access.Person, reason ledger.Reason, amount money.Amount) error {
	s.Helper()
	_, err := s.CageTransfer(ctx(), "", by, posting.Transfer{Reason: reason, Player: "ann", Amount: amount})
	return err
}

// The limits of a cashier hold to the cent and to the millisecond, for money in and out. What
// two people moved, the house itself and another cashier do not count, and neither does a round.
func TestTheLimitsOfACashier(t *testing.T) {
	const (
		each, day = 200 * money.Major, 250 * money.Major
		some      = 100 * money.Major
		dayMs     = 24 * 60 * 60 * 1000
	)
	s := newSite(t)
	open := func() {
		t.Helper()
		s.reopen(func(w *house.World) { w.Cage = house.CageLimits{Each: each, Day: day} })
	}
	open()
	s.install("A", "rws-3cp")
	other := access.Person{Name: "cas", Role: access.Cashier}
	moves := func(what string, by access.Person, reason ledger.Reason, amount money.Amount, want error) {
		t.Helper()
		if err := s.moveCash(by, reason, amount); !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	moves("the house itself", house.Lobby, ledger.BuyIn, 10*day, nil)
	moves("more than at once", cashier, ledger.BuyIn, each+1, house.ErrCageLimit)
	moves("more than at once, out", cashier, ledger.CashOut, each+1, house.ErrCageLimit)
	moves("some", cashier, ledger.BuyIn, some, nil)
	if _, err := s.Approve(ctx(), "", other, s.propose(cashier, house.MoveCash{Reason: ledger.BuyIn, Player: "ann", Amount: 2 * day})); err != nil {
		t.Fatal(err)
	}
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	s.clock.Add(1)
	moves("out counts as in does", cashier, ledger.CashOut, some, nil)
	for range 2 {
		moves("more than is left of the day", cashier, ledger.CashOut, day-2*some+1, house.ErrCageLimit)
		open()
	}
	moves("what is left of the day", cashier, ledger.CashOut, day-2*some, nil)
	for range 2 {
		moves("nothing is left", cashier, ledger.BuyIn, 1, house.ErrCageLimit)
		open()
	}
	moves("another cashier", other, ledger.BuyIn, each, nil)
	moves("another cashier again", other, ledger.CashOut, day-each, nil)
	s.clock.Add(dayMs - 2)
	for range 2 {
		moves("a millisecond early", cashier, ledger.BuyIn, 1, house.ErrCageLimit)
		open()
	}
	s.clock.Add(1)
	moves("the first is a day old, and the second not", cashier, ledger.BuyIn, some+1, house.ErrCageLimit)
	moves("as much as the first", cashier, ledger.BuyIn, some, nil)
	for range 2 {
		moves("a cent more", cashier, ledger.BuyIn, 1, house.ErrCageLimit)
		open()
	}
	s.clock.Add(1)
	open()
	moves("the others are a day old too", cashier, ledger.BuyIn, day-some+1, house.ErrCageLimit)
	moves("as much as they were", cashier, ledger.BuyIn, day-some, nil)
}

// What is a day old is let go also where it is asked twice, and the house was not opened in between.
func TestADayOfACashierPasses(t *testing.T) {
	s := newSite(t)
	s.reopen(func(w *house.World) { w.Cage.Day = 250 })
	for i, amount := range []money.Amount{100, 50} {
		if err := s.moveCash(cashier, ledger.BuyIn, amount); err != nil {
			t.Fatal(i, err)
		}
		s.clock.Add(1)
	}
	s.clock.Add(24*60*60*1000 - 2)
	for range 3 {
		if err := s.moveCash(cashier, ledger.BuyIn, 201); !errors.Is(err, house.ErrCageLimit) {
			t.Errorf("a cent more than is left: %v", err)
		}
	}
	if err := s.moveCash(cashier, ledger.BuyIn, 200); err != nil {
		t.Errorf("what is left: %v", err)
	}
}

// All movements of the last 24 hours are read when the house is opened, however many they are.
func TestManyMovementsOfACashierAreRead(t *testing.T) {
	s := newSite(t)
	const many = 1001
	for range many {
		s.buyIn("ann", 1)
	}
	s.reopen(func(w *house.World) { w.Cage.Day = many + 1 })
	if err := s.moveCash(cashier, ledger.BuyIn, 2); !errors.Is(err, house.ErrCageLimit) {
		t.Errorf("a cent more than is left: %v", err)
	}
	if err := s.moveCash(cashier, ledger.BuyIn, 1); err != nil {
		t.Errorf("what is left: %v", err)
	}
}

// unmoved is a store whose movements cannot be read.
type unmoved struct{ house.Store }

var errUnmoved = errors.New("the movements cannot be read")

func (unmoved) Movements(context.Context, ledger.Account, int64, int, func(house.Movement) error) error {
	return errUnmoved
}

// Where what a cashier or a player has moved cannot be read, nothing goes on as if it was nothing.
func TestMovementsThatCannotBeRead(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100)
	w := s.world()
	w.Cage.Day = 1
	if _, _, err := house.Open(ctx(), unmoved{s.store}, w); !errors.Is(err, errUnmoved) {
		t.Errorf("opened: %v", err)
	}
	h, _, err := house.Open(ctx(), unmoved{s.store}, s.world())
	if err != nil {
		t.Fatal(err)
	}
	s.apart = true // the house on the store is another one
	if err := h.TakeTimeOut(ctx(), "", ann, protection.LeastExclusionMs); !errors.Is(err, errUnmoved) {
		t.Errorf("a pause began: %v", err)
	}
}

// Money is taken in for those alone who can come in, by one person and by two. Whoever cannot
// any more is paid out.
func TestMoneyIsTakenInForThoseWhoCanComeIn(t *testing.T) {
	s := newSite(t)
	comesIn := true
	s.reopen(func(w *house.World) { w.Plays = func(name string) bool { return comesIn && name == "ann" } })
	if err := s.moveCash(cashier, ledger.BuyIn, 100); err != nil {
		t.Fatal(err)
	}
	move := func(reason ledger.Reason, amount money.Amount) house.MoveCash {
		return house.MoveCash{Reason: reason, Player: "ann", Amount: amount}
	}
	id := s.propose(cashier, move(ledger.BuyIn, 5))
	comesIn = false
	if err := s.moveCash(cashier, ledger.BuyIn, 1); !errors.Is(err, house.ErrNoPlayer) {
		t.Errorf("taken in by one: %v", err)
	}
	if _, err := s.Propose(ctx(), "", cashier, move(ledger.BuyIn, 5)); !errors.Is(err, house.ErrNoPlayer) {
		t.Errorf("proposed: %v", err)
	}
	if _, err := s.Approve(ctx(), "", manager, id); !errors.Is(err, house.ErrNoPlayer) {
		t.Errorf("approved: %v", err)
	}
	s.has("ann", 100)
	if err := s.moveCash(cashier, ledger.CashOut, 40); err != nil {
		t.Errorf("paid out by one: %v", err)
	}
	if _, err := s.Approve(ctx(), "", manager, s.propose(cashier, move(ledger.CashOut, 60))); err != nil {
		t.Errorf("paid out by two: %v", err)
	}
	s.has("ann", 0)
}

// One person moves nothing at the cage but a buy-in or a cash-out.
func TestWhatOnePersonMovesAtTheCage(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100)
	for reason, want := range map[ledger.Reason]error{
		0: ledger.ErrMalformed, ledger.Bet: ledger.ErrMalformed, ledger.Awarded: ledger.ErrMalformed,
		ledger.Fill: house.ErrTakesTwo, ledger.Credit: house.ErrTakesTwo,
	} {
		err := s.moveCash(cashier, reason, 1)
		if !errors.Is(err, want) || want == ledger.ErrMalformed && !strings.Contains(err.Error(), "one person at the cage moves nothing as") {
			t.Errorf("%s: %v", reason, err)
		}
	}
	s.has("ann", 100)
}

// A movement at the cage that two people make is a buy-in or a cash-out of somebody.
func TestWhatTwoPeopleMoveAtTheCage(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100)
	const what = "a movement at the cage is a buy-in or a cash-out"
	for name, test := range map[string]struct {
		p    house.MoveCash
		want error
	}{
		"a fill":     {house.MoveCash{Reason: ledger.Fill, Player: "ann", Amount: 1}, ledger.ErrMalformed},
		"a bet":      {house.MoveCash{Reason: ledger.Bet, Player: "ann", Amount: 1}, ledger.ErrMalformed},
		"nothing":    {house.MoveCash{Reason: ledger.BuyIn, Player: "ann"}, ledger.ErrMalformed},
		"too much":   {house.MoveCash{Reason: ledger.BuyIn, Player: "ann", Amount: posting.MaxTransfer + 1}, ledger.ErrMalformed},
		"of nobody":  {house.MoveCash{Reason: ledger.BuyIn, Amount: 1}, house.ErrBadName},
		"of a blank": {house.MoveCash{Reason: ledger.CashOut, Player: " ", Amount: 1}, house.ErrBadName},
		"of a line":  {house.MoveCash{Reason: ledger.BuyIn, Player: "an\nn", Amount: 1}, house.ErrBadName},
	} {
		_, err := s.Propose(ctx(), "", cashier, test.p)
		moves := test.p.Reason == ledger.BuyIn || test.p.Reason == ledger.CashOut
		if !errors.Is(err, test.want) || strings.Contains(err.Error(), what) == moves || test.p.Amount > 1 && !strings.Contains(err.Error(), "may be moved at once") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.has("ann", 100)
}
