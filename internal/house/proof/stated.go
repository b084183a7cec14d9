package proof

import (
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/record"
	"trey/table"
)

// contradicted returns how the events of a step contradict what its command itself
// states, whatever the rules are: which bet is placed, which hand is played, which cards
// are dealt. It returns nothing where they agree.
func contradicted(do table.Action, by table.Actor, events []table.Event) string {
	switch do := do.(type) {
	case table.Bet:
		return one(events, "bet-placed", func(e table.BetPlaced) bool {
			return e.Box == do.Box && e.Player == do.Player && e.Wager == do.Wager && e.Amount == do.Amount && e.Standing == do.Standing
		})
	case table.Examine:
		return one(events, "hand-examined", func(e table.HandExamined) bool { return e.Box == do.Box && e.Player == do.Player })
	case table.Raise:
		return one(events, "hand-raised", func(e table.HandRaised) bool { return e.Box == do.Box && e.Player == do.Player })
	case table.Fold:
		return one(events, "hand-folded", func(e table.HandFolded) bool { return e.Box == do.Box && e.Player == do.Player })
	case table.RestrictPlayer:
		return one(events, "player-restricted", func(e table.PlayerRestricted) bool { return e.Player == do.Player && e.Lift == do.Lift })
	case table.RestrictAreas:
		return one(events, "areas-restricted", func(e table.AreasRestricted) bool { return e.Max == do.Max })
	case table.Answer:
		return one(events, "question-answered", func(e table.QuestionAnswered) bool {
			_, why := compare(marshal(record.Actions.Stored(table.Answer{Remedies: do.Remedies})), record.Actions.Stored(table.Answer{Remedies: e.Remedies}))
			return e.Answer == do.Answer && e.By == by && slices.Equal(e.Order, do.Order) && why == ""
		})
	case table.Choose:
		return each(events, "offer-answered", func(e table.OfferAnswered) bool {
			return e.Player == do.Player && (do.Box == 0 || e.Box == do.Box) && e.Return == do.Return
		})
	case table.Found:
		return each(events, "stake-found", func(e table.StakeFound) bool {
			return e.Box == do.Box && e.Player == do.Player && e.Wager == do.Wager && e.Amount == do.Amount
		})
	case table.Report:
		return each(events, "reported", func(e table.Reported) bool {
			_, why := compare(marshal(record.Actions.Stored(do)), record.Actions.Stored(e.Report))
			return why == ""
		})
	case table.Deal:
		var dealt []card.Card
		for _, e := range events {
			does := table.EffectOf(e)
			for _, c := range does.Cards.Dealt {
				dealt = append(dealt, c.Card)
			}
			dealt = append(dealt, does.Cards.Drawn...)
		}
		if !slices.EqualFunc(do.Cards, dealt, func(d table.Drawn, c card.Card) bool { return d.Card == c }) {
			return fmt.Sprintf("the command deals %d cards, and they are not the %d of its events", len(do.Cards), len(dealt))
		}
	}
	return ""
}

// each finds events of a kind that are not as the command states.
func each[E table.Event](events []table.Event, kind string, as func(E) bool) string {
	for _, event := range events {
		if e, ok := event.(E); ok && !as(e) {
			return kind + " says something else than the command"
		}
	}
	return ""
}

// one is [each] where the command leads to exactly one event of the kind.
func one[E table.Event](events []table.Event, kind string, as func(E) bool) string {
	n := 0
	for _, event := range events {
		if _, ok := event.(E); ok {
			n++
		}
	}
	if n != 1 {
		return fmt.Sprintf("the command leads to %s, and it stands there %d times", kind, n)
	}
	return each(events, kind, as)
}
