package tables

import (
	"context"
	"sync"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/money"
)

// purse holds the figures of a player's money that always stand on the page.
type purse struct {
	balance money.Amount
	// net is the change by play since the session began. Chips on the layout are not counted as
	// lost.
	net     money.Amount
	sinceMs int64
}

// purses keeps how far the accounts of players were added up, so that only what
// is new is read.
type purses struct {
	mu  sync.Mutex
	all map[string]*tally
}

type tally struct {
	sinceMs, seq int64
	sum          money.Amount
}

// mostPurses bounds the cache; what was dropped is added up again.
const mostPurses = 4096

// purse adds up what play has done to a player's account in this session.
func (h *handlers) purse(ctx context.Context, s *identity.Session, down money.Amount) (purse, error) {
	p := purse{sinceMs: s.SinceMs}
	account := ledger.Account{Kind: ledger.Player, Of: s.Name}
	h.purses.mu.Lock()
	before := tally{sinceMs: s.SinceMs}
	if t := h.purses.all[s.Name]; t != nil && t.sinceMs == s.SinceMs {
		before = *t
	}
	h.purses.mu.Unlock()
	after := before
	const page = 100
	for next, more := int64(0), true; more; {
		n := 0
		err := h.Record.Movements(ctx, account, next, page, func(m house.Movement) error {
			n, next = n+1, m.Seq
			if m.Seq <= before.seq || m.AtMs < s.SinceMs {
				n = 0 // the rest is known, or from before
				return errEnough
			}
			after.seq = max(after.seq, m.Seq)
			for i := range m.Postings {
				after.sum += played(&m.Postings[i], account)
			}
			return nil
		})
		if err != nil && err != errEnough { //nolint:errorlint // it is handed through as it is
			return p, err
		}
		more = n == page
	}
	h.purses.mu.Lock()
	defer h.purses.mu.Unlock()
	if h.purses.all == nil || len(h.purses.all) >= mostPurses {
		h.purses.all = map[string]*tally{}
	}
	h.purses.all[s.Name] = &after
	p.balance, p.net = h.House.Balance(account), after.sum+down
	return p, nil
}

// played returns the change that a posting makes for a player by play; buy-ins, cash-outs and
// adjustments do not count.
func played(p *ledger.Posting, a ledger.Account) money.Amount {
	switch p.For.Reason {
	case ledger.BuyIn, ledger.CashOut, ledger.Adjusted, ledger.DebtCollected, ledger.DebtForgiven:
		return 0
	default:
	}
	switch a {
	case p.From:
		return -p.Amount
	case p.To:
		return p.Amount
	}
	return 0
}
