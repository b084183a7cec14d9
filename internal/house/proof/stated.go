package proof

import (
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/record"
	"trey/table"
)

// unfounded returns an event of a step that its command does not bring at a table in this
// state, whatever the rules are. Nobody's cards are moved where nobody has reported or decided
// anything. A bet is placed while bets are open and goes back with a cause. Players play and
// fold each hand once, until the dealer's is shown, which waits for all of them. It returns
// nothing where each can follow.
func unfounded(do table.Action, s *table.State, events []table.Event) string {
	_, reports := do.(table.Report)
	_, answers := do.(table.Answer)
	ruled := reports || answers
	chosen := ruled || does[table.Choose](do) || does[table.Expire](do)
	betting, dealing := s.Phase == table.Betting, s.Phase == table.Dealing
	deciding, showing := s.Phase == table.Deciding, s.Phase == table.Showing
	closes := does[table.CloseTable](do) || does[table.SuspendProgressive](do)
	stated := false // a report is recorded, or confirmed first
	for _, event := range events {
		var can bool
		switch e := event.(type) {
		case table.Announced:
			can = true
		case table.TableOpened:
			can = does[table.OpenTable](do) || closes
		case table.TableClosed:
			can = closes
		case table.BetsOpened:
			can = does[table.OpenBets](do)
		case table.BetPlaced:
			can = does[table.Bet](do) && betting
		case table.BetsReturned:
			can = does[table.Withdraw](do) && betting || does[table.CloseBets](do) || does[table.Found](do) && !showing || chosen
		case table.StakeFound:
			can = does[table.Found](do) || ruled
		case table.MinimumAdvised:
			can = does[table.Found](do) && betting
		case table.BetsClosed:
			can = does[table.CloseBets](do)
		case table.CardsDealt, table.CardsDrawn:
			can = does[table.Deal](do) || ruled
		case table.DealFinished:
			can = does[table.FinishDeal](do) || ruled
		case table.CardsMoved, table.CardsExposed, table.PaymentCorrected, table.SettlementUndone, table.ProgressiveFailed:
			can = ruled
		case table.HandExamined:
			can = does[table.Examine](do)
		case table.HandRaised:
			can = does[table.Raise](do) && deciding && undecided(s, e.Box) || ruled
		case table.HandFolded:
			can = (does[table.Fold](do) || does[table.Expire](do)) && deciding && undecided(s, e.Box) || ruled
		case table.DecisionRestored:
			can = does[table.Found](do) || ruled
		case table.DealerShown:
			can = does[table.Reveal](do) && deciding && len(s.Awaited()) == 0
			if e.Qualifies != s.Variant.Book.Qualifies(e.Hand) {
				return "whether the dealer's hand qualifies is not as the rules of the record have it"
			}
		case table.ForfeitsCollected:
			can = does[table.Reveal](do) && deciding
		case table.HandShown:
			can = does[table.LayUp](do) || does[table.Show](do) || does[table.Reveal](do) || does[table.Settle](do) || ruled
		case table.HandKeptDown:
			can = does[table.KeepDown](do)
		case table.BoxSettled:
			can = does[table.Settle](do) && showing || ruled
		case table.Settled:
			can = does[table.Settle](do) && showing || chosen
		case table.RoundVoided:
			can = does[table.Deal](do) && dealing || ruled
		case table.HandInvalidated, table.OfferAnswered:
			can = chosen
		case table.OffersMade:
			can = ruled
		case table.PlayerWarned:
			can = does[table.Settle](do) || ruled
		case table.PlayerRestricted:
			can = does[table.RestrictPlayer](do)
		case table.AreasRestricted:
			can = does[table.RestrictAreas](do)
		case table.ProgressiveSuspended:
			can = does[table.SuspendProgressive](do)
		case table.ProgressiveRestored:
			can = does[table.RestoreProgressive](do)
		case table.QuestionAsked:
			can, stated = does[table.AskWithdrawal](do) || does[table.Deal](do) || does[table.Found](do) || ruled, true
		case table.QuestionAnswered:
			can = answers
		case table.Reported:
			can, stated = does[table.Deal](do) || does[table.Found](do) || ruled, true
		}
		if !can {
			return fmt.Sprintf("%s does not follow from %s in this phase (%s)", record.TableEvents.Name(event), record.Actions.Name(do), s.Phase)
		}
	}
	if reports && !stated {
		return "a report leads to an event that says what was reported, or to a question, and there is none"
	}
	return ""
}

// undecided reports whether nobody has played or folded the hand of a box.
func undecided(s *table.State, box int) bool {
	return box < 1 || box > len(s.Boxes) || s.Boxes[box-1].Decision == table.Undecided
}

// misplaced returns how the cards of a committed deck go elsewhere than the order of the deal sends
// them, by the rules of the record; nothing where they do not.
func misplaced(do table.Action, s *table.State, events []table.Event) string {
	if !does[table.Deal](do) || s.Config.Cards != table.Virtual {
		return ""
	}
	order := s.ToCome()
	for _, event := range events {
		dealt, _ := event.(table.CardsDealt)
		for _, c := range dealt.Cards {
			if len(order) == 0 || c.Place != order[0] {
				return fmt.Sprintf("the order of the deal sends %s elsewhere than to %s", c.Card, c.Place)
			}
			order = order[1:]
		}
	}
	return ""
}

// does reports whether a command is of a type.
func does[A table.Action](do table.Action) bool {
	_, ok := do.(A)
	return ok
}

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

// one does what [each] does, where the command leads to exactly one event of the kind.
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
