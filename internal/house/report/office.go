package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// ownEvents hands out the events of the house's own stream in a transaction.
func ownEvents(e *house.Entry, yield func(house.OwnEvent) error) error {
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
	// open are the proposals of adjustments, for what becomes of them.
	open map[int64]house.Proposed
}

func newAdjustments(q *Query) *adjustments {
	return &adjustments{
		jackpot: q.Jackpot, player: q.Player, open: map[int64]house.Proposed{},
		done: Section{Title: "Adjustments", Columns: []Column{
			{"at", "At", TimeMs},
			{"seq", "Transaction", Count},
			{"proposal", "Proposal", Count},
			{"what", "What", Text},
			{"of", "Of", Text},
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
			{"at", "At", TimeMs},
			{"seq", "Transaction", Count},
			{"proposal", "Proposal", Count},
			{"what", "What", Text},
			{"of", "Of", Text},
			{"asked", "Asked for by", Text},
			{"declined", "Declined by", Text},
			{"why", "Why", Text},
		}},
	}
}

// adjusted says what a proposal adjusts; ok is false for one that adjusts nothing.
func adjusted(kind string, body []byte) (of, cause, note string, change money.Amount, ok bool, err error) {
	p, err := house.DecodeProposal(kind, body)
	if err != nil {
		return "", "", "", 0, false, fmt.Errorf("%w: %w", house.ErrCorrupt, err)
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

func (g *adjustments) see(e *house.Entry, within bool) error {
	return ownEvents(e, func(event house.OwnEvent) error {
		switch event := event.(type) {
		case house.Proposed:
			g.open[event.ID] = event
		case house.Approved:
			delete(g.open, event.ID)
			of, cause, note, change, ok, err := adjusted(event.Kind, event.Body)
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
			of, _, _, _, ok, err := adjusted(asked.Kind, asked.Body)
			if err != nil || !ok || !within || !g.wanted(asked.Kind, of) {
				return err
			}
			g.declined.add(e.AtMs, e.Seq, event.ID, asked.Kind, of, asked.By.Name, event.By.Name, event.Why)
		}
		return nil
	})
}

func (g *adjustments) sections() ([]Section, []string, error) {
	return []Section{g.done, g.declined}, nil, nil
}

// events lists what somebody who was away has to hear of.
type events struct {
	only  string
	kinds map[string]bool
	list  Section
}

func newEvents(q *Query) *events {
	return &events{
		only: q.Table,
		kinds: kindsOf(
			table.TableOpened{}, table.TableClosed{}, table.Reported{}, table.QuestionAnswered{}, table.PlayerRestricted{},
			table.AreasRestricted{}, table.ProgressiveFailed{}, table.ProgressiveSuspended{}, table.ProgressiveRestored{},
		),
		list: Section{Title: "Events", Columns: []Column{
			{"at", "At", TimeMs},
			{"seq", "Transaction", Count},
			{"where", "Where", Text},
			{"what", "What", Text},
			{"detail", "Detail", Text},
			{"by", "By", Text},
			{"role", "Role", Text},
		}},
	}
}

func (g *events) see(e *house.Entry, within bool) error {
	if !within {
		return nil
	}
	put := func(where, what, detail string) {
		if g.only == "" || g.only == where {
			g.list.add(e.AtMs, e.Seq, where, what, detail, e.Cause.By, e.Cause.Role)
		}
	}
	if err := ownEvents(e, func(event house.OwnEvent) error {
		switch event := event.(type) {
		case house.TableInstalled:
			put(event.Name, "table-installed", fmt.Sprintf("%s (%s), %s", event.Variant, event.Hash, event.Mode))
		case house.RulesChanged:
			is, was := house.Played{Variant: event.Variant, Hash: event.Hash, Mode: event.Mode, Pace: event.Pace}, event.Before
			put(event.Table, "rules-changed", fmt.Sprintf("from round %d: %s; before: %s", event.FromRound, played(is, is.Pace != was.Pace), played(was, is.Pace != was.Pace)))
		case house.TableStopped:
			put(event.Table, "table-stopped", fmt.Sprintf("in round %d, during %s: %s", event.Round, event.During.Kind, event.Found))
		case house.TableReleased:
			put(event.Table, "table-released", event.Why)
		case house.Drained:
			put("", "drained", "no new rounds begin")
		case house.Resumed:
			put("", "resumed", "rounds begin again")
		case house.Restored:
			put("", "restored", fmt.Sprintf("from transaction %d of %s, of which %d were signed, by %s and %s: %s", event.Through, event.Name, event.Known, event.By.Name, event.And.Name, event.Why))
		case house.Proposed, house.Approved, house.Declined:
			// Those have reports of their own.
		}
		return nil
	}); err != nil {
		return err
	}
	if err := g.people(e, put); err != nil {
		return err
	}
	return tableEvents(e, g.kinds, func(name string, event table.Event) error {
		what := table.EventKind(event)
		switch event := event.(type) {
		case table.Reported:
			if event.Report.Incident == rules.TechnicalInterruption || event.Report.Incident == rules.ProgressiveDown {
				put(name, event.Report.Incident.String(), strings.TrimSpace(fmt.Sprintf("%s (%s) %s", event.Outcome, event.Clause, event.Report.Note)))
			}
		case table.TableClosed:
			put(name, what, event.Clause)
		case table.QuestionAnswered:
			put(name, what, fmt.Sprintf("%s: %s (%s)", event.Key, event.Answer, event.Clause))
		case table.PlayerRestricted:
			put(name, what, fmt.Sprintf("%s, lifted: %t (%s)", event.Player, event.Lift, event.Clause))
		case table.AreasRestricted:
			put(name, what, fmt.Sprintf("to %d wagers (%s)", event.Max, event.Clause))
		case table.ProgressiveFailed:
			put(name, what, fmt.Sprintf("registered %s (%s)", event.Registered.Display(), event.Clause))
		case table.ProgressiveSuspended:
			put(name, what, fmt.Sprintf("%s (%s)", event.Option, event.Clause))
		case table.TableOpened, table.ProgressiveRestored:
			put(name, what, "")
		}
		return nil
	})
}

// played says how a table is played and run, and at which pace if that is told too.
func played(p house.Played, pace bool) string {
	text := fmt.Sprintf("%s (%s), %s", p.Variant, p.Hash, p.Mode)
	if pace {
		text += fmt.Sprintf(", betting %d ms, decisions %d ms, options %d ms, deal %d ms, show %d ms",
			p.Pace.BettingMs, p.Pace.DecisionMs, p.Pace.OptionMs, p.Pace.DealMs, p.Pace.ShowMs)
	}
	return text
}

// people tells who came in or tried to, and what was changed about users and tokens. What nobody may read is not
// even looked at.
func (g *events) people(e *house.Entry, put func(where, what, detail string)) error {
	for i := range e.Parts {
		if e.Parts[i].Stream != identity.Stream {
			continue
		}
		for _, stored := range e.Parts[i].Events {
			var about struct {
				Name    string `json:"name"`
				Role    string `json:"role"`
				From    string `json:"from"`
				Address string `json:"address"`
				Why     string `json:"why"`
			}
			if err := json.Unmarshal(identity.Redact(identity.Stream, stored).Body, &about); err != nil {
				return fmt.Errorf("%w: %s: %w", house.ErrCorrupt, stored.Kind, err)
			}
			parts := []string{about.Name, about.Role}
			if about.From != "" {
				parts = append(parts, "before "+about.From)
			}
			if about.Address != "" {
				parts = append(parts, "from "+about.Address)
			}
			detail := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
			if about.Why != "" {
				detail += ": " + about.Why
			}
			put("", stored.Kind, detail)
		}
	}
	return nil
}

func (g *events) sections() ([]Section, []string, error) { return []Section{g.list}, nil, nil }
