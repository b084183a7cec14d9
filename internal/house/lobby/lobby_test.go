package lobby_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

var here = netip.MustParseAddr("127.0.0.1")

func TestGuestsHaveTheirMoneyAndLeaveNone(t *testing.T) {
	ctx := context.Background()
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	nowMs := int64(1_000_000)
	clock := func() int64 { return nowMs }
	h, _, err := house.Open(ctx, store, house.World{NowMs: clock, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh})
	if err != nil {
		t.Fatal(err)
	}
	people, err := identity.Open(ctx, identity.World{
		Record: store, Sessions: store, NowMs: clock, Random: rand.Reader, MaxGuests: 2,
		Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := lobby.New(people, h, 1000*money.Major)
	has := func(name string, want money.Amount) {
		t.Helper()
		if got := h.Balance(ledger.Account{Kind: ledger.Player, Of: name}); got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
	}
	tokenA, a, err := l.Guest(ctx, here, "")
	if err != nil {
		t.Fatal(err)
	}
	tokenB, b, err := l.Guest(ctx, here, "")
	if err != nil {
		t.Fatal(err)
	}
	has(a.Person.Name, 1000*money.Major)
	if _, _, err := l.Guest(ctx, here, ""); !errors.Is(err, identity.ErrFull) {
		t.Errorf("a third guest: %v", err)
	}
	if err := l.Logout(ctx, tokenA); err != nil {
		t.Fatal(err)
	}
	has(a.Person.Name, 0)

	// Another session takes the place of this one: the money goes back, and the guest has new.
	tokenC, c, err := l.Guest(ctx, here, tokenB)
	if err != nil {
		t.Fatal(err)
	}
	has(b.Person.Name, 0)
	has(c.Person.Name, 1000*money.Major)

	// The guest bets and leaves; the payment of the round goes back later.
	book, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	config := table.Config{Device: rules.Shuffler, Cards: table.Virtual}
	one := house.Table{Name: "A", Variant: book.Standard(), Config: config, Mode: house.Automatic}
	if err := h.Install(ctx, one, access.Person{Name: "ada", Role: access.Administrator}); err != nil {
		t.Fatal(err)
	}
	drive := func(do table.Action) {
		t.Helper()
		if _, err := h.DoAsHouse(ctx, "", "A", do); err != nil {
			t.Fatal(err)
		}
	}
	drive(table.OpenBets{})
	bet := table.Bet{Box: 1, Player: c.Person.Name, Wager: rules.Ante, Amount: 10 * money.Major}
	if _, err := h.Do(ctx, house.CommandRequest{Table: "A", By: c.Person, Do: bet}); err != nil {
		t.Fatal(err)
	}
	nowMs += identity.StandardLimits.Guests.IdleMs + 1
	if err := l.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	has(c.Person.Name, 0)
	if _, err := l.Check(tokenC); !errors.Is(err, identity.ErrNoSession) {
		t.Errorf("the player is still here: %v", err)
	}
	drive(table.CloseBets{})
	drive(table.Report{Incident: rules.TechnicalInterruption, LastedMs: rules.DefaultGraceMs}) // the bet goes back
	has(c.Person.Name, 10*money.Major)
	if err := l.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	has(c.Person.Name, 0)
	if err := h.Audit(); err != nil {
		t.Error(err)
	}
}

// A guest who left before the house was opened again has left money too, be it in the account
// or on a layout. A guest who is still here keeps theirs.
func TestWhatGuestsLeftBeforeAStopGoesBack(t *testing.T) {
	ctx := context.Background()
	var disk memory.Disk
	nowMs := int64(1_000_000)
	clock := func() int64 { return nowMs }
	var store *memory.Store
	open := func() (*house.House, *lobby.Lobby) {
		t.Helper()
		var err error
		store, err = disk.Open(memory.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := house.Open(ctx, store, house.World{NowMs: clock, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh})
		if err != nil {
			t.Fatal(err)
		}
		people, err := identity.Open(ctx, identity.World{
			Record: store, Sessions: store, NowMs: clock, Random: rand.Reader, MaxGuests: 3,
			Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		return h, lobby.New(people, h, 1000*money.Major)
	}
	h, l := open()
	guest := func() (token string, person access.Person) {
		t.Helper()
		token, s, err := l.Guest(ctx, here, "")
		if err != nil {
			t.Fatal(err)
		}
		return token, s.Person
	}
	rich, a := guest()
	bets, b := guest()
	_, stays := guest()
	book, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	one := house.Table{Name: "A", Variant: book.Standard(), Config: table.Config{Device: rules.Shuffler, Cards: table.Virtual}, Mode: house.Automatic}
	if err := h.Install(ctx, one, access.Person{Name: "ada", Role: access.Administrator}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DoAsHouse(ctx, "", "A", table.OpenBets{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(ctx, house.CommandRequest{Table: "A", By: b, Do: table.Bet{Box: 1, Wager: rules.Ante, Amount: 10 * money.Major}}); err != nil {
		t.Fatal(err)
	}
	// The house stops after the sessions have ended, and before the money is back.
	for _, token := range []string{rich, bets} {
		if err := l.Directory.Logout(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	cash := posting.Transfer{Reason: ledger.CashOut, Player: b.Name, Amount: 990 * money.Major}
	if _, err := h.CageTransfer(ctx, "", access.Person{Name: "kim", Role: access.Cashier}, cash); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	h, l = open()
	has := func(when string, person access.Person, want money.Amount) {
		t.Helper()
		if err := l.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if got := h.Balance(ledger.Account{Kind: ledger.Player, Of: person.Name}); got != want {
			t.Errorf("%s, %s has %s, want %s", when, person.Name, got, want)
		}
	}
	has("opened again", a, 0)
	has("opened again", stays, 1000*money.Major)
	// Who has left is not there to take the bet back: a supervisor has the round void.
	for _, next := range []struct {
		by access.Person
		do table.Action
	}{
		{access.Person{Name: "pat", Role: access.PitSupervisor}, table.Report{Incident: rules.Uncovered}},
		{access.Person{Name: "sue", Role: access.ShiftManager}, table.Answer{Answer: "void"}},
	} {
		if _, err := h.Do(ctx, house.CommandRequest{Table: "A", By: next.by, Do: next.do}); err != nil {
			t.Fatal(err)
		}
	}
	has("with the bet back", b, 0)
}

// TestRenewIsForAnEmptyPurse breaks each condition under which a player gets new play money: the
// house plays for it, gives its guests some, and the player has less than a bet takes.
func TestRenewIsForAnEmptyPurse(t *testing.T) {
	const sum, bet = 1000 * money.Major, 5 * money.Major
	for _, test := range []struct {
		name  string
		play  bool
		begin money.Amount
		role  access.Role
		has   money.Amount
		want  error
	}{
		{"nothing left", true, sum, access.Player, 0, nil},
		{"less than a bet", true, sum, access.Player, bet - 1, nil},
		{"a bet left", true, sum, access.Player, bet, lobby.ErrNotBroke},
		{"real money", false, sum, access.Player, 0, lobby.ErrNoPlayMoney},
		{"guests begin with nothing", true, 0, access.Player, 0, lobby.ErrNoPlayMoney},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			var disk memory.Disk
			store, err := disk.Open(memory.Faults{})
			if err != nil {
				t.Fatal(err)
			}
			clock := func() int64 { return 1_000_000 }
			h, _, err := house.Open(ctx, store, house.World{NowMs: clock, PlayMoney: test.play, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh})
			if err != nil {
				t.Fatal(err)
			}
			people, err := identity.Open(ctx, identity.World{
				Record: store, Sessions: store, NowMs: clock, Random: rand.Reader, MaxGuests: 2,
				Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
			})
			if err != nil {
				t.Fatal(err)
			}
			l := lobby.New(people, h, test.begin)
			ann := access.Person{Name: "ann", Role: test.role}
			if test.has > 0 {
				in := posting.Transfer{Reason: ledger.BuyIn, Player: ann.Name, Amount: test.has}
				if _, err := h.CageTransfer(ctx, "", access.Person{Name: "kim", Role: access.Cashier}, in); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Renew(ctx, "once", ann, bet); !errors.Is(err, test.want) {
				t.Errorf("with %s: %v, want %v", test.has, err, test.want)
			}
			if err := l.Renew(ctx, "once", ann, bet); !errors.Is(err, test.want) {
				t.Errorf("sent again: %v, want %v", err, test.want)
			}
			want := test.has
			if test.want == nil {
				want += sum
				if err := l.Renew(ctx, "another", ann, bet); !errors.Is(err, lobby.ErrNotBroke) {
					t.Errorf("under another key, with the new money: %v, want %v", err, lobby.ErrNotBroke)
				}
			}
			if got := h.Balance(ledger.Account{Kind: ledger.Player, Of: ann.Name}); got != want {
				t.Errorf("the player has %s, want %s", got, want)
			}
		})
	}
	t.Run("a dealer", func(t *testing.T) {
		var l lobby.Lobby
		var denied *access.Denied
		if err := l.Renew(t.Context(), "", access.Person{Name: "dan", Role: access.Dealer}, bet); !errors.As(err, &denied) {
			t.Errorf("a dealer asks for play money: %v", err)
		}
	})
}
