// Package lobby lets guests into a house whose money is play money. Each begins with the same
// sum. The money of a guest who has left goes back, so that the house's accounts do not fill up
// with people who do not exist.
//
// It knows no request and no page. Where the house has real money it lets nobody
// in: guests have no name to pay out to.
package lobby

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
)

// cage is the actor who hands the money out and takes it back.
var cage = house.Lobby

// Lobby is the people of a house, with its guests' money.
type Lobby struct {
	*identity.Directory
	house *house.House
	money money.Amount

	mu sync.Mutex
	// left are guests who have left, with the number of sweeps that will still check their
	// accounts: a round in which they bet may pay them yet.
	left map[string]int

	renewing sync.Mutex
}

// looks is the number of sweeps that check the account of a guest who left.
const looks = 60

// New returns the lobby of a house, where each guest begins with the given money. Guests who
// left before the house was opened may have left money behind, or have it on a layout still:
// the sweeps clear that too.
func New(people *identity.Directory, h *house.House, begin money.Amount) *Lobby {
	l := &Lobby{Directory: people, house: h, money: begin, left: map[string]int{}}
	leftBehind := func(name string) {
		if people.HasLeft(name) {
			l.left[name] = looks
		}
	}
	for account, held := range h.Book() {
		if account.Kind == ledger.Player && held > 0 {
			leftBehind(account.Of)
		}
	}
	for _, table := range h.Tables() {
		state, err := h.Table(table)
		if err != nil {
			continue // there is such a table
		}
		for box := 1; box <= state.Boxes(); box++ {
			for _, bettor := range state.Bettors(box) {
				leftBehind(bettor.Player)
			}
		}
	}
	return l
}

// Guest lets a guest in, by [identity.Directory.Guest], with the guest's money.
func (l *Lobby) Guest(ctx context.Context, from netip.Addr, replaces string) (token string, s identity.Session, err error) {
	before, beforeErr := l.Peek(replaces)
	if token, s, err = l.Directory.Guest(ctx, from, replaces); err != nil {
		return "", identity.Session{}, err
	}
	if beforeErr == nil {
		err = l.leave(ctx, before.Person)
	}
	if l.money > 0 && err == nil {
		in := posting.Transfer{Reason: ledger.BuyIn, Player: s.Person.Name, Amount: l.money}
		_, err = l.house.CageTransfer(ctx, "", cage, in)
	}
	if err != nil {
		return "", identity.Session{}, errors.Join(err, l.Directory.Logout(ctx, token))
	}
	return token, s, nil
}

// The reasons why [Lobby.Renew] gives no money.
var (
	// ErrNoPlayMoney reports that the house plays for real money, or gives its guests none.
	ErrNoPlayMoney = errors.New("this house gives no money away: bring some to the cage")
	// ErrNotBroke reports that the player has enough left for a bet.
	ErrNotBroke = errors.New("new play money is for a player who has too little left for a bet: bet what is left first")
)

// Renewal returns the sum that a player with nothing left is given. It is zero where the house
// gives none: it plays for real money, or its guests begin with nothing.
func (l *Lobby) Renewal() money.Amount {
	if !l.house.PlayMoney() {
		return 0
	}
	return l.money
}

// Renew gives a player who has less left than a bet takes the sum that guests begin with. It
// returns [ErrNoPlayMoney] or [ErrNotBroke] where it does not. The key makes what is sent twice
// happen once.
func (l *Lobby) Renew(ctx context.Context, key string, by access.Person, bet money.Amount) error {
	if err := by.Check(access.Play); err != nil {
		return err
	}
	sum := l.Renewal()
	if sum == 0 {
		return ErrNoPlayMoney
	}
	l.renewing.Lock() // two requests at once do not both find the account empty
	defer l.renewing.Unlock()
	// A renewal that is sent again finds the money of the first: the key is looked up before the balance.
	renewed, err := l.house.Recorded(ctx, cage.Name, key)
	if err != nil {
		return err
	}
	if !renewed && l.house.Balance(ledger.Account{Kind: ledger.Player, Of: by.Name}) >= bet {
		return ErrNotBroke
	}
	_, err = l.house.CageTransfer(ctx, key, cage, posting.Transfer{Reason: ledger.BuyIn, Player: by.Name, Amount: sum})
	return err
}

// Logout ends a session, by [identity.Directory.Logout]. A guest's money goes back.
func (l *Lobby) Logout(ctx context.Context, token string) error {
	s, peekErr := l.Peek(token)
	if err := l.Directory.Logout(ctx, token); err != nil {
		return err
	}
	if peekErr != nil {
		return nil
	}
	return l.leave(ctx, s.Person)
}

// leave takes back what a guest has left, now and for a while.
func (l *Lobby) leave(ctx context.Context, person access.Person) error {
	if person.Role != access.Guest {
		return nil
	}
	l.mu.Lock()
	l.left[person.Name] = looks
	l.mu.Unlock()
	return l.clear(ctx, person.Name)
}

// Sweep ends the sessions that have run out, by [identity.Directory.Sweep], and clears
// the accounts of guests who have left. It is called every minute.
func (l *Lobby) Sweep(ctx context.Context) error {
	names, err := l.Directory.Sweep(ctx)
	l.mu.Lock()
	for _, name := range names {
		l.left[name] = looks
	}
	all := make([]string, 0, len(l.left))
	for name := range l.left {
		all = append(all, name)
		if l.left[name]--; l.left[name] <= 0 {
			delete(l.left, name)
		}
	}
	l.mu.Unlock()
	errs := []error{err}
	for _, name := range all {
		errs = append(errs, l.clear(ctx, name))
	}
	return errors.Join(errs...)
}

func (l *Lobby) clear(ctx context.Context, name string) error {
	held := l.house.Balance(ledger.Account{Kind: ledger.Player, Of: name})
	if held <= 0 {
		return nil
	}
	out := posting.Transfer{Reason: ledger.CashOut, Player: name, Amount: held}
	_, err := l.house.CageTransfer(ctx, "", cage, out)
	var short *ledger.Short
	if errors.As(err, &short) {
		return nil // The guest has bet it in this very moment: the next look finds what is left.
	}
	return err
}
