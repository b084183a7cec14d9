package report

import (
	"fmt"

	"trey/internal/house"
	"trey/internal/house/significant"
	"trey/money"
)

// ownEvents hands out the events of the house's own stream in a transaction.
func ownEvents(e *house.StoredTransaction, yield func(house.OwnEvent) error) error {
	for i := range e.Parts {
		if e.Parts[i].Stream != "house" {
			continue
		}
		for _, stored := range e.Parts[i].Events {
			event, err := house.DecodeOwn(stored)
			if err == nil {
				err = yield(event)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// adjustments lists what two people changed by hand.
type adjustments struct {
	jackpot, player string
	done, declined  Section
	// open are the proposals of adjustments, kept until they are decided.
	open map[int64]house.Proposed
}

func newAdjustments(q *Query) *adjustments {
	return &adjustments{
		jackpot: q.Jackpot, player: q.Player, open: map[int64]house.Proposed{},
		done: Section{Title: "Adjustments", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"proposal", "Proposal", Count},
			{"what", "What", Text},
			{"of", "Subject", Text},
			{"cause", "Cause", Text},
			{"change", "Change", Money},
			{"account", "Account", Text},
			{"before", "Before", Money},
			{"after", "After", Money},
			{"asked", "Asked for by", Text},
			{"approved", "Approved by", Text},
			{"note", "Note", Text},
		}},
		declined: Section{Title: "Declined", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"proposal", "Proposal", Count},
			{"what", "What", Text},
			{"of", "Subject", Text},
			{"asked", "Asked for by", Text},
			{"declined", "Declined by", Text},
			{"why", "Reason", Text},
		}},
	}
}

// adjusted says what a proposal adjusts; ok is false for one that adjusts nothing.
func adjusted(p house.Proposal, err error) (of, cause, note string, change money.Amount, ok bool, failed error) {
	if err != nil {
		return "", "", "", 0, false, err
	}
	switch p := p.(type) {
	case house.AdjustAccount:
		return p.Player, p.Cause.String(), p.Note, p.Change, true, nil
	case house.AdjustJackpot:
		return p.Jackpot, p.Cause.String(), p.Note, p.Change, true, nil
	}
	return "", "", "", 0, false, nil
}

// wanted reports whether an adjustment is asked for.
func (g *adjustments) wanted(kind, of string) bool {
	if kind == "adjust-account" {
		return g.jackpot == "" && (g.player == "" || g.player == of)
	}
	return g.player == "" && (g.jackpot == "" || g.jackpot == of)
}

func (g *adjustments) see(e *house.StoredTransaction, within bool) error {
	return ownEvents(e, func(event house.OwnEvent) error {
		switch event := event.(type) {
		case house.Proposed:
			g.open[event.ID] = event
		case house.Approved:
			delete(g.open, event.ID)
			of, cause, note, change, ok, err := adjusted(event.Proposal())
			if err != nil || !ok || !within || !g.wanted(event.Kind, of) {
				return err
			}
			if len(event.After) != len(event.Before) {
				return fmt.Errorf("%w: proposal %d changes %d accounts to %d amounts", house.ErrCorrupt, event.ID, len(event.Before), len(event.After))
			}
			for i, before := range event.Before {
				if after := event.After[i].Holds; after != before.Holds {
					g.done.add(e.AtMs, e.Seq, event.ID, event.Kind, of, cause, change, before.Account.String(), before.Holds, after, event.Of.Name, event.By.Name, note)
				}
			}
		case house.Declined:
			asked, known := g.open[event.ID]
			delete(g.open, event.ID)
			if !known {
				return fmt.Errorf("%w: proposal %d is declined and was not made", house.ErrCorrupt, event.ID)
			}
			of, _, _, _, ok, err := adjusted(asked.Proposal())
			if err != nil || !ok || !within || !g.wanted(asked.Kind, of) {
				return err
			}
			g.declined.add(e.AtMs, e.Seq, event.ID, asked.Kind, of, asked.By.Name, event.By.Name, event.Why)
		}
		return nil
	})
}

func (g *adjustments) sections() ([]Section, []Words, error) {
	return []Section{g.done, g.declined}, nil, nil
}

// events is the register of significant events.
type events struct {
	only string
	kind significant.Kind
	list Section
}

func newEvents(q *Query) *events {
	return &events{
		only: q.Table, kind: q.Event,
		list: Section{Title: "Events", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"kind", "Kind", Text},
			{"where", "Where", Text},
			{"what", "What", Text},
			{"detail", "Consequence", Text},
			{"by", "By", Text},
			{"role", "Role", Text},
		}},
	}
}

func (g *events) see(e *house.StoredTransaction, within bool) error {
	if !within {
		return nil
	}
	all, err := significant.Of(e)
	for i := range all {
		if event := &all[i]; (g.only == "" || g.only == event.Where) && (g.kind == 0 || g.kind == event.Kind) {
			g.list.add(event.AtMs, event.Seq, event.Kind.String(), event.Where, event.Event, event.Consequence, event.By, event.Role)
		}
	}
	return err
}

func (g *events) sections() ([]Section, []Words, error) { return []Section{g.list}, nil, nil }
