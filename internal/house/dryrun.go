package house

import (
	"context"
	"errors"
	"slices"

	"trey/card"
	"trey/internal/house/fair"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/sentence"
	"trey/table"
)

// DryRun says what an order would lead to, and does nothing: no command is recorded,
// no key is used and nobody waits for it. Its errors are those of [House.Do].
//
// It replaces the cards to come at a virtual table by cards without meaning, and also those
// that the order names and not everybody has seen. A dry run must not disclose whether such a
// card is in the round already. Nevertheless the events hold cards that lie face down and that
// the order turns. A caller that shows them has to leave out what follows from them, as
// [Result.Foreseen] does.
func (h *House) DryRun(ctx context.Context, o CommandRequest) (r Result, err error) {
	for range dryRuns {
		if r, err = h.dryRun(ctx, o); o.Expect != nil || !errors.Is(err, ErrVersionMismatch) {
			break
		}
	}
	return r, withheldFrom(o.By, err)
}

// dryRuns bounds how often an order for any version is tried out: the table may move on meanwhile.
const dryRuns = 3

func (h *House) dryRun(ctx context.Context, o CommandRequest) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if err := o.admit(); err != nil {
		return Result{}, err
	}
	s, err := h.runner(o.Table)
	if err != nil {
		return Result{}, err
	}
	if err := o.checkNames(); err != nil {
		return Result{}, err
	}
	s.Lock()
	err = errors.Join(h.checkNotStopped(s), h.checkCurrentRules(s, o.Do))
	status, before := *s.published.Load(), *s.stateFor(o.Do)
	s.Unlock()
	if err != nil {
		return Result{}, err
	}
	if o.Expect != nil && *o.Expect != status.Version {
		return Result{}, sentence.Errorf("table %s is at version %d, not %d: %s", status.Name, status.Version, *o.Expect, ErrVersionMismatch)
	}
	if err := h.CheckMove(&status, o.By, o.Do); err != nil {
		return Result{}, err
	}
	do, err := status.dealBlank(unguessed(h.withAttested(o.Do), opaque.Raw(status.State)))
	if err != nil {
		return Result{}, err
	}
	if h.Draining() && begins(opaque.Raw(status.State), o.Do) {
		return Result{}, ErrClosing
	}
	var meter jackpot.State
	if status.Jackpot != "" {
		meter, _ = h.Jackpot(status.Jackpot)
	}
	c := table.Command{By: o.By.Actor(), AtMs: h.world.NowMs(), Do: do}
	done, err := linked.Step(status.Name, before, meter, c)
	if err != nil {
		return Result{}, err
	}
	place := posting.Place{Table: status.Name, Jackpot: status.Jackpot}
	if _, _, err := posting.Of(place, &before, &done, live{h}); err != nil {
		var mismatch *posting.Mismatch
		if errors.As(err, &mismatch) {
			// The balances are of now and the table is of a moment ago.
			return Result{}, sentence.Errorf("table %s: %s", status.Name, ErrVersionMismatch)
		}
		return Result{}, err
	}
	if err := h.wouldBet(ctx, status.Name, &before, &done, o.Do, c.AtMs); err != nil {
		return Result{}, err
	}
	return Result{
		AtMs: c.AtMs, Version: status.Version + int64(len(done.Events)),
		command: done.Command, Events: answerEvents(done.Events, done.State.Variant), Moved: opaque.JackpotEventsOf(done.Moved), State: opaque.Of(&done.State),
		before: status.State,
	}, nil
}

// live are the balances that are durable at the moment of each question.
type live struct{ h *House }

// Balance returns what an account holds.
func (l live) Balance(a ledger.Account) money.Amount { return l.h.Balance(a) }

// unguessed replaces the cards that an order names, except those that everybody has seen.
// Otherwise a person could try card after card to find out which are in the round, and leave no
// trace. What the order leads to does not depend on them.
func unguessed(do table.Action, s *table.State) table.Action {
	free, open := card.Deck(), card.Set(0)
	for i := range s.Slots {
		free = free.Without(s.Slots[i].Card)
		if s.Slots[i].Exposed() {
			open = open.With(s.Slots[i].Card)
		}
	}
	blanks := map[card.Card]card.Card{}
	blank := func(c card.Card) card.Card {
		if !c.Valid() || open.Has(c) {
			return c
		}
		if _, known := blanks[c]; !known && free.Len() > 0 {
			blanks[c] = free.Cards()[0]
			free = free.Without(blanks[c])
		}
		return blanks[c]
	}
	hand := func(named []card.Card) []card.Card {
		named = slices.Clone(named)
		for i := range named {
			named[i] = blank(named[i])
		}
		return named
	}
	switch a := do.(type) {
	case table.Deal:
		a.Cards = slices.Clone(a.Cards)
		for i := range a.Cards {
			a.Cards[i].Card = blank(a.Cards[i].Card)
		}
		return a
	case table.Reveal:
		a.Hand = hand(a.Hand)
		return a
	case table.LayUp:
		a.Hand = hand(a.Hand)
		return a
	case table.Show:
		a.Hand = hand(a.Hand)
		return a
	case table.Report:
		a.Cards = slices.Clone(a.Cards)
		for i := range a.Cards {
			a.Cards[i].Card = blank(a.Cards[i].Card)
		}
		return a
	}
	return do
}

// dealBlank puts cards into a deal at a virtual table that are not in the round,
// and are not those to come.
func (status *TableStatus) dealBlank(do table.Action) (table.Action, error) {
	deal, ok := do.(table.Deal)
	if !ok || status.Config.Cards != table.Virtual {
		return do, nil
	}
	// The deck as it comes from the factory: the same for everybody.
	var factory [52]card.Card
	for i := range factory {
		factory[i] = card.FromIndex(i)
	}
	return fill(opaque.Raw(status.State), deal, func(dealt card.Set, n int) []card.Card { return fair.Next(factory, dealt, n) })
}

// Foreseen returns the events of an order that was tried out and that may be shown to anybody.
// They end before the first one with a card that the whole table has not seen. All says that it
// is all of them.
func (r *Result) Foreseen() (foreseen []TableEvent, all bool) {
	before := opaque.Raw(r.before)
	open := func(p table.Place) bool {
		for _, slot := range before.Slots {
			if slot.Place == p && !slot.Exposed() {
				return false
			}
		}
		return true
	}
	// What the house does not know itself decides nothing: it settles without it.
	settles := func(p table.Place) bool {
		for _, slot := range before.Slots {
			if slot.Place == p && !slot.Exposed() && slot.Card.Valid() {
				return false
			}
		}
		return true
	}
	_, envy := before.Variant.EnvyCarrier()
	for i, e := range r.Events {
		known := true
		switch e := opaque.RawEvent(e).(type) {
		case table.HandShown:
			known = open(e.Place)
		case table.DealerShown:
			known = open(table.DealerHand)
		case table.CardsExposed:
			known = false
		case table.Settled, table.BoxSettled:
			only, one := e.(table.BoxSettled)
			known = open(table.DealerHand)
			for b := range before.Boxes {
				box := before.Boxes[b]
				// A folded hand may bring others an Envy Bonus.
				folded := box.Decision == table.Folded && (!envy || settles(table.Box(b+1)))
				unshown := folded || box.KeptDown && settles(table.Box(b+1))
				known = known && (one && b+1 != only.Box || !box.Staked() || box.Invalid || unshown || open(table.Box(b+1)))
			}
		}
		if !known {
			return r.Events[:i], false
		}
	}
	return r.Events, true
}
