package house

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"trey/card"
	"trey/internal/house/internal/opaque"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// PendingHit is an unpaid hit of a jackpot whose hand the whole table has seen.
type PendingHit struct {
	jackpot.Hit
	// Hand are its cards and Rank what they are called, as long as they lie on the
	// table.
	Hand []card.Card
	Rank string
}

// PendingHits lists the unpaid hits of a jackpot in the order of payment. A hit is
// registered when the whole table has seen its hand, and not before.
//
//clause:rws-3cp@3 4.9.1
func (h *House) PendingHits(name string) ([]PendingHit, error) {
	state, ok := h.Jackpot(name)
	if !ok {
		return nil, sentence.Errorf("jackpot %q: %s", name, ErrNoJackpot)
	}
	var all []PendingHit
	for _, hit := range state.Queue() {
		pending := PendingHit{Hit: hit}
		if state := h.playing(hit.ID); state != nil {
			box := table.View(*state, table.Viewer{}).Boxes[hit.ID.Box-1]
			pending.Hand, pending.Rank = box.Cards, box.Rank
		}
		all = append(all, pending)
	}
	return all, nil
}

// playing returns the table of a hit while it is in that round, nil otherwise.
func (h *House) playing(hit jackpot.HitID) *table.State {
	s, err := h.runner(hit.Table)
	if err != nil {
		return nil
	}
	if state := opaque.Raw(s.published.Load().State); hit.Round == strconv.Itoa(state.Round) {
		return state
	}
	return nil
}

// The kinds of events that record the outcome of a payment.
var (
	paidKind     = record.JackpotEvents.Name(jackpot.HitPaid{})
	reversedKind = record.JackpotEvents.Name(jackpot.HitReversed{})
)

// PaidHit is a hit of a jackpot that was paid.
type PaidHit struct {
	Hit  jackpot.HitID
	AtMs int64
	// Amount is the sum that the winner was paid, Anew the one with which the meter started
	// again.
	Amount, Anew money.Amount
	// Combo is the combination that it was paid for.
	Combo rules.Combo
}

// maxPaidHits is the number of paid hits of a jackpot that are remembered.
const maxPaidHits = 20

// paidHits are the latest hits of a jackpot that were paid, as read from the record.
type paidHits struct {
	sync.Mutex
	seq int64 // how far the record has been read
	all []PaidHit
}

// PaidHits lists the hits of a jackpot that were paid and not collected again, the
// latest first, at most twenty. They are read from the record, of which only what is new is read again.
func (h *House) PaidHits(ctx context.Context, name string) ([]PaidHit, error) {
	p := h.jackpotNamed(name)
	if p == nil {
		return nil, sentence.Errorf("jackpot %q: %s", name, ErrNoJackpot)
	}
	p.paid.Lock()
	defer p.paid.Unlock()
	err := h.store.ReadAll(ctx, p.paid.seq, jackpotStream(name), func(e StoredTransaction) error {
		var found []PaidHit
		var collected []jackpot.HitID
		for i := range e.Parts {
			if e.Parts[i].Stream != jackpotStream(name) {
				continue
			}
			for _, written := range e.Parts[i].Events {
				if name := stored.Name(written.Kind); name != paidKind && name != reversedKind {
					continue
				}
				events, err := decodeJackpot([]Event{written})
				if err != nil {
					return err
				}
				for _, moved := range events {
					switch does := jackpot.EffectOf(moved); {
					case does.Hits > 0:
						combo, err := paidFor(&e, does.Hit)
						if err != nil {
							return err
						}
						found = append(found, PaidHit{Hit: does.Hit, AtMs: e.AtMs, Amount: does.Paid, Anew: does.Meter.Amount, Combo: combo})
					case does.Hits < 0:
						collected = append(collected, does.Hit)
					}
				}
			}
		}
		p.paid.seq, p.paid.all = e.Seq, append(p.paid.all, found...)
		p.paid.all = slices.DeleteFunc(p.paid.all, func(hit PaidHit) bool { return slices.Contains(collected, hit.Hit) })
		p.paid.all = p.paid.all[max(0, len(p.paid.all)-maxPaidHits):]
		return nil
	})
	latest := slices.Clone(p.paid.all)
	slices.Reverse(latest)
	return latest, err
}

// paidFor returns the combination by which a hit was paid. It is that of the wager's line in
// the settlement, which is in the same transaction.
func paidFor(e *StoredTransaction, hit jackpot.HitID) (rules.Combo, error) {
	for i := range e.Parts {
		if e.Parts[i].Stream != tableStream(hit.Table) {
			continue
		}
		events, err := decodeTable(e.Parts[i].Events)
		if err != nil {
			return 0, err
		}
		for _, event := range events {
			does := table.EffectOf(event)
			for j := range does.Lines {
				if l := &does.Lines[j]; l.Box == hit.Box && l.Wager == rules.Progressive {
					return l.Combo, nil
				}
			}
		}
	}
	return 0, nil
}
