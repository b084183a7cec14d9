package house

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	"trey/internal/house/internal/opaque"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// RoundWager names a wager of a round that is over.
type RoundWager struct {
	Table string      `json:"table"`
	Round int         `json:"round"`
	Box   int         `json:"box"`
	Wager rules.Wager `json:"wager"`
}

// wagerOf is a player's wager.
type wagerOf struct {
	RoundWager
	player string
}

var (
	// ErrNoWager: the player had no such wager in that round.
	ErrNoWager = errors.New("the player had no such wager there when bets were closed")
	// ErrBeyondWager: an adjustment is more than its wager could have brought, or has.
	ErrBeyondWager = errors.New("an adjustment that rests on a wager gives no more than that could have brought, and takes no more than it brought")
	// ErrRemediable: the round is the last of its table, where a person lists remedies.
	ErrRemediable = errors.New("the next round has not begun: report it as uncovered at the table, where a difference is awarded or collected")
)

// check refuses causes that rest on no wager.
func (w *RoundWager) check(cause posting.AdjustmentCause) error {
	switch cause {
	case posting.EntryError, posting.Malfunction, posting.Dispute, posting.Regulator:
		return nil
	case posting.Goodwill, posting.DebtCollected, posting.DebtForgiven:
	}
	return sentence.Errorf("goodwill and debts rest on no wager: %s", ledger.ErrMalformed)
}

// boundOf returns the wager on which a proposal rests; nil for one that rests on none.
func (h *House) boundOf(ctx context.Context, p Proposal) (*table.PastWager, error) {
	a, ok := adjustsWager(p)
	if !ok {
		return nil, nil //nolint:nilnil // nothing bounds it
	}
	round, err := h.pastRound(ctx, a.Of.Table, a.Of.Round)
	if err != nil {
		return nil, err
	}
	past, ok, err := round.Wager(a.Of.Box, a.Player, a.Of.Wager)
	if err == nil && !ok {
		err = sentence.Errorf("%s of %s on box %d in round %d of table %s: %s", a.Of.Wager, a.Player, a.Of.Box, a.Of.Round, a.Of.Table, ErrNoWager)
	}
	return &past, err
}

// pastRound follows a round to its end. What a person still remedies at the table is
// adjusted there.
func (h *House) pastRound(ctx context.Context, name string, n int) (*table.PastRound, error) {
	s, err := h.runner(name)
	if err != nil {
		return nil, err
	}
	if state := opaque.Raw(s.published.Load().State); state.Round == n {
		switch {
		case state.Phase.InRound():
			return nil, sentence.Errorf("table %s, round %d: %s", name, n, ErrRoundOpen)
		case state.Phase == table.Paid:
			return nil, sentence.Errorf("table %s, round %d: %s", name, n, ErrRemediable)
		}
	}
	mark, err := h.mark(ctx, name, tableStream(name), n)
	if err != nil {
		return nil, err
	}
	s.Lock()
	f, err := s.fold(h.rules)
	s.Unlock()
	if err != nil {
		return nil, err
	}
	found := f.restore(ctx, h.store, mark.Seq)
	var round table.PastRound
	err = h.store.ReadAll(ctx, found.from(), tableStream(name), func(e StoredTransaction) error {
		if beginsAfter(&e, n) {
			return errNextRound
		}
		_, err := f.add(&e)
		if f.state.Round == n {
			round.See(f.state)
		}
		return err
	})
	if err != nil && !errors.Is(err, errNextRound) {
		return nil, fmt.Errorf("table %s, round %d: %w", name, n, err)
	}
	return &round, nil
}

// proposal returns an open proposal; nil if there is none.
func (o *adminState) proposal(id int64) Proposal {
	o.Lock()
	defer o.Unlock()
	if one := o.proposals.open[id]; one != nil {
		return one.Proposal
	}
	return nil
}

// broughtSince is the change by approved proposals, after its round, of the sum that a wager
// brought.
type broughtSince struct {
	// brought is that change, below zero where something was taken.
	brought money.Amount
	// denied reports that its share of the meter was denied and is counted no more.
	denied bool
}

// DeniedJackpot is a share of a meter that two people denied after its round: its winner never had it,
// though the lines of the round have it.
type DeniedJackpot struct {
	Round, Box int
	Player     string
	Amount     money.Amount
}

// deniedJackpots are those of each table. They are read without the lock of the proposals, which waits
// for the record.
type deniedJackpots struct {
	atomic.Pointer[map[string][]DeniedJackpot]
}

func (d *deniedJackpots) add(table string, one DeniedJackpot) {
	next := map[string][]DeniedJackpot{}
	if before := d.Load(); before != nil {
		maps.Copy(next, *before)
	}
	next[table] = append(slices.Clip(next[table]), one)
	d.Store(&next)
}

// DeniedJackpots lists what was denied at a table, in the order in which it was.
func (h *House) DeniedJackpots(table string) []DeniedJackpot {
	if all := h.admin.proposals.denied.Load(); all != nil {
		return (*all)[table]
	}
	return nil
}

// within refuses an adjustment beyond the wager on which it rests. What was adjusted on
// that wager before counts as what it brought, and a share of the meter that was denied does
// not.
func (p *proposals) within(past *table.PastWager, proposal Proposal) error {
	a, ok := adjustsWager(proposal)
	if !ok {
		return nil
	}
	if past == nil {
		return sentence.Errorf("%s: %s", a.Player, ErrNoWager)
	}
	since := p.since[wagerOf{*a.Of, a.Player}]
	brought := past.Brought + since.brought
	gives, takes := max(past.Most-brought, 0), max(brought, 0)
	if past.Meter && !since.denied {
		takes = 0 // A share of the meter is given back by an invalid hand alone.
	}
	if a.Change > gives || a.Change < -takes {
		return sentence.Errorf("%s could have brought $%s and brought $%s, so at most $%s can be given and $%s taken: %s",
			a.Of.Wager, past.Most.Display(), brought.Display(), gives.Display(), takes.Display(), ErrBeyondWager)
	}
	return nil
}

// adjustsWager returns the adjustment that a proposal is, if it rests on a wager.
func adjustsWager(proposal Proposal) (AdjustAccount, bool) {
	a, ok := proposal.(AdjustAccount)
	return a, ok && a.Of != nil
}

// changesWager reports whether a proposal changes what a wager of a round brought.
func changesWager(proposal Proposal) bool {
	_, denies := proposal.(DenyJackpot)
	_, adjusts := adjustsWager(proposal)
	return denies || adjusts
}

// carriedOut notes what an approved proposal has changed of what a wager brought.
func (p *proposals) carriedOut(e *Approved, proposal Proposal) error {
	var of wagerOf
	var more broughtSince
	switch proposal := proposal.(type) {
	case AdjustAccount:
		if proposal.Of == nil {
			return nil
		}
		of, more.brought = wagerOf{*proposal.Of, proposal.Player}, proposal.Change
	case DenyJackpot:
		round, err := strconv.Atoi(proposal.Hit.Round)
		if err != nil {
			return fmt.Errorf("proposal %d, round %q: %w", e.ID, proposal.Hit.Round, ErrCorrupt)
		}
		of.RoundWager = RoundWager{Table: proposal.Hit.Table, Round: round, Box: proposal.Hit.Box, Wager: rules.Progressive}
		more.denied = true
		for i := range min(len(e.Before), len(e.After)) {
			// The sum that was held goes back, and the winner stands beside it.
			switch a := e.Before[i].Account; a.Kind {
			case ledger.Payable:
				more.brought += e.After[i].Holds - e.Before[i].Holds
			case ledger.Player:
				of.player = a.Of
			default:
			}
		}
	default:
		return nil
	}
	if p.since == nil {
		p.since = map[wagerOf]broughtSince{}
	}
	if more.denied && more.brought < 0 {
		p.denied.add(of.Table, DeniedJackpot{of.Round, of.Box, of.player, -more.brought})
	}
	before := p.since[of]
	p.since[of] = broughtSince{before.brought + more.brought, before.denied || more.denied}
	return nil
}
