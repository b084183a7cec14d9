package house

import (
	"context"
	"errors"

	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/money"
	"trey/sentence"
)

// CageLimits bound what one cashier moves alone. Zero is no limit.
type CageLimits struct {
	// Each bounds one buy-in or cash-out, and Day all of one cashier within 24 hours.
	Each, Day money.Amount
}

// ErrCageLimit reports that a movement at the cage takes a second person.
var ErrCageLimit = errors.New("this is more than one cashier moves alone: propose it, and have another cashier or a shift manager approve it")

// ErrNoPlayer: money would be taken in for somebody who cannot play with it.
var ErrNoPlayer = errors.New("there is no player of that name who may come in: register them first, or check the spelling")

// comesIn refuses to take money in for a person who cannot come in and play. It also has the
// deposit counted where a limit needs it. Paid out is also what somebody has who may not come
// in any more.
func (h *House) comesIn(ctx context.Context, moves ...ledger.Posting) error {
	for i := range moves {
		if moves[i].For.Reason != ledger.BuyIn {
			continue
		}
		player := moves[i].To.Of
		if h.world.Plays != nil && !h.world.Plays(player) {
			return sentence.Errorf("player %q: %s", player, ErrNoPlayer)
		}
		if err := h.countIfNeeded(ctx, player, false); err != nil {
			return err
		}
	}
	return nil
}

// Lobby is the house itself, where it gives play money to guests and takes it back. No
// limit of a cashier holds for it, and nobody can come in by its name.
var Lobby = access.Person{Name: "the cage", Role: access.Cashier}

// cageDayMs is for how long a movement counts.
const cageDayMs = 24 * 60 * 60 * 1000

// cashed is one movement that a cashier made alone.
type cashed struct {
	atMs   int64
	amount money.Amount
}

// cashiers are the movements of each cashier within the last 24 hours. [House.ledgerMu]
// guards them.
type cashiers map[string][]cashed

// alone reports whether a transaction is a movement that one cashier made.
func alone(c *Cause) bool {
	return (c.Kind == ledger.BuyIn.String() || c.Kind == ledger.CashOut.String()) && c.By != Lobby.Name
}

// count adds a transaction that is queued.
func (c cashiers) count(tx *Transaction) {
	if alone(&tx.Cause) {
		for i := range tx.Postings {
			c.add(tx.Cause.By, tx.AtMs, tx.Postings[i].Amount)
		}
	}
}

func (c cashiers) add(name string, atMs int64, amount money.Amount) {
	c[name] = append(c[name], cashed{atMs, amount})
}

// within returns the sum that a cashier has moved alone in the 24 hours before a time, and
// discards older movements.
func (c cashiers) within(name string, nowMs int64) (sum money.Amount) {
	kept := c[name][:0]
	for _, one := range c[name] {
		if one.atMs > nowMs-cageDayMs {
			kept = append(kept, one)
			sum += one.amount // far below the largest: each is at most posting.MaxTransfer
		}
	}
	c[name] = kept
	return sum
}

// mayMoveAlone refuses a movement beyond the limits of a cashier. The books are locked.
func (h *House) mayMoveAlone(by access.Person, amount money.Amount, nowMs int64) error {
	most := h.world.Cage
	if by.Name == Lobby.Name {
		return nil
	}
	if most.Each > 0 && amount > most.Each {
		return sentence.Errorf("$%s, where one cashier moves $%s at once: %s", amount.Display(), most.Each.Display(), ErrCageLimit)
	}
	if most.Day > 0 {
		if moved := h.cashiers.within(by.Name, nowMs); amount > most.Day-moved {
			return sentence.Errorf("$%s after $%s, where one cashier moves $%s within 24 hours: %s", amount.Display(), moved.Display(), most.Day.Display(), ErrCageLimit)
		}
	}
	return nil
}

// loadCashiers reads what each cashier moved alone in the last 24 hours, the newest
// first.
func (h *House) loadCashiers(ctx context.Context) error {
	if h.world.Cage.Day == 0 {
		return nil
	}
	const page = 1000
	enough := errors.New("what follows is older")
	sinceMs := h.world.NowMs() - cageDayMs
	for before := int64(0); ; {
		n := 0
		err := h.store.Movements(ctx, ledger.Account{Kind: ledger.Cash}, before, page, func(m Movement) error {
			n, before = n+1, m.Seq
			if m.AtMs <= sinceMs {
				return enough
			}
			if alone(&m.Cause) {
				h.cashiers.add(m.Cause.By, m.AtMs, max(m.Delta, -m.Delta))
			}
			return nil
		})
		switch {
		case errors.Is(err, enough) || err == nil && n < page:
			return nil
		case err != nil:
			return err
		}
	}
}

// MoveCash is a buy-in or a cash-out beyond the limits of one cashier.
type MoveCash struct {
	Reason ledger.Reason `json:"reason"`
	Player string        `json:"player"`
	Amount money.Amount  `json:"amount"`
	Note   string        `json:"note,omitempty"`
}

func (MoveCash) takes() (ask, approve access.Permission) {
	return access.MoveAtCage, access.ApproveCage
}

func (p MoveCash) prepare(*House, jackpot.Approvers) (proposalEffect, error) {
	if p.Reason != ledger.BuyIn && p.Reason != ledger.CashOut {
		return proposalEffect{}, sentence.Errorf("a movement at the cage is a buy-in or a cash-out: %s", ledger.ErrMalformed)
	}
	if err := nameable(p.Player); err != nil {
		return proposalEffect{}, sentence.Errorf("player %q: %s", p.Player, ErrBadName)
	}
	move, err := posting.Transfer{Reason: p.Reason, Player: p.Player, Amount: p.Amount, Note: p.Note}.Posting()
	return proposalEffect{}.moving(move), err
}
