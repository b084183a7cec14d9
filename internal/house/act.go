package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
)

// ErrNotAnAct is what [House.Act] answers to what is not done to a jackpot by
// hand: bets, hits and payments come from tables.
var ErrNotAnAct = errors.New("this is not done to a jackpot by hand")

// Act carries out what people do to a jackpot: they adjust it for one of the
// listed causes, change the terms that take effect at the next hit, or determine
// the order of hits. A [*jackpot.Refusal] or a [*ledger.Short] says why it may not
// be done. It reports the events and the number of the transaction.
//
// The prescribed bet cannot be changed so: it is part of the rules of the tables.
func (h *House) Act(ctx context.Context, key string, by access.Person, name string, c jackpot.Command) ([]jackpot.Event, int64, error) {
	if err := by.Check(access.ProposeJackpot); err != nil {
		return nil, 0, err
	}
	h.floor.RLock()
	p := h.jackpots[name]
	h.floor.RUnlock()
	if p == nil {
		return nil, 0, fmt.Errorf("jackpot %q: %w", name, ErrNoJackpot)
	}
	var kind string
	switch c.(type) {
	case jackpot.Adjust:
		kind = "adjust"
	case jackpot.ChangeTerms:
		kind = "change-terms"
	case jackpot.DetermineOrder:
		kind = "determine-order"
	default:
		return nil, 0, fmt.Errorf("%T: %w", c, ErrNotAnAct)
	}
	body, err := json.Marshal(c)
	if err != nil {
		return nil, 0, fmt.Errorf("write %s: %w", kind, err)
	}
	tx, repeated, err := h.claim(ctx, key, Cause{By: by.Name, Role: by.Role.String(), At: name, Kind: kind, Body: body})
	if err != nil {
		return nil, 0, err
	}
	if repeated != nil {
		if len(repeated.Parts) != 1 {
			return nil, 0, fmt.Errorf("%w: transaction %d changes %d streams", ErrCorrupt, repeated.Seq, len(repeated.Parts))
		}
		events, err := decodeJackpot(repeated.Parts[0].Events)
		return events, repeated.Seq, err
	}
	defer h.release(tx.Key)
	after, events, inLine, err := h.actOn(p, tx, c)
	if err != nil {
		return nil, 0, err
	}
	seq, err := h.settled(inLine, func(n *Notice) { n.Moved, n.Meter = events, after })
	if err != nil {
		return nil, 0, err
	}
	return events, seq, nil
}

// actOn decides upon a jackpot and puts the transaction in line.
func (h *House) actOn(p *pot, tx *Transaction, c jackpot.Command) (after jackpot.State, events []jackpot.Event, inLine ticket, err error) {
	p.Lock()
	defer p.Unlock()
	if change, ok := c.(jackpot.ChangeTerms); ok && change.Terms.Bet != p.state.Terms.Bet {
		return after, nil, inLine, fmt.Errorf("the bet of $%s belongs to the rules of the tables: %w", p.state.Terms.Bet.Display(), ErrNotAnAct)
	}
	if events, err = jackpot.Decide(p.state, c); err != nil {
		return after, nil, inLine, err
	}
	after = p.state
	for _, e := range events {
		if after, err = jackpot.Evolve(after, e); err != nil {
			return after, nil, inLine, err
		}
	}
	part := Part{Stream: jackpotStream(p.name), After: p.version}
	if part.Events, err = encodeJackpot(events); err != nil {
		return after, nil, inLine, err
	}
	tx.Parts = []Part{part}
	inLine, err = h.commit(tx, func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		return posting.Moved(p.name, after, events, on)
	})
	if err != nil {
		return after, nil, inLine, err
	}
	p.state = after
	p.version += int64(len(events))
	return after, events, inLine, nil
}
