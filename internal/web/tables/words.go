package tables

import (
	"slices"
	"strings"

	"trey/card"
	"trey/internal/web/felt"
	"trey/internal/web/lang"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// narrationLine is a sentence about the round for a reader.
type narrationLine struct {
	text string
	// dealer reports that the dealer says it aloud.
	dealer bool
	// clause is the provision behind it, without the book's name.
	clause string
	mine   bool // it is about the reader
}

// tell describes the events of the round in their order. It leaves out what the reader may not
// know, and what the felt shows to everybody without words.
func (v *view) tell(all []occurrence) []narrationLine {
	var out []narrationLine
	for i := range all {
		out = append(out, v.words(&all[i])...)
	}
	return out
}

// words puts an event into words: what it is, then the lines that it carries out. Bets that a
// player takes back before they are closed are on the felt, and not described.
func (v *view) words(t *occurrence) []narrationLine {
	e := t.event.For(v.viewer())
	does := table.EffectOf(e)
	if does.LineUse == table.LinesReturn && t.state.Phase() == table.Betting {
		return nil
	}
	return append(v.heading(t, e), v.settled(t, does.Lines)...)
}

// heading puts an event into words, without its lines.
func (v *view) heading(t *occurrence, e table.Event) []narrationLine {
	say := func(clause, text string) []narrationLine { return []narrationLine{{text: text, clause: clause}} }
	mine := func(player string) bool { return v.plays() && player == v.person.Name }
	ranking := v.variant.Book.Ranking
	switch e := e.(type) {
	case table.Announced:
		return []narrationLine{{text: v.announced(&e, t.state.Variant()), dealer: true, clause: e.Clause, mine: mine(e.Player)}}
	case table.BetsOpened:
		return say("", v.T("told.opened", "round", e.Round))
	case table.CardsDealt:
		if !slices.ContainsFunc(e.Cards, func(c table.Dealt) bool { return c.Meant != table.Out }) {
			return say("", v.N("told.surplus", len(e.Cards)))
		}
		return say("", v.N("told.dealt", len(e.Cards)))
	case table.StakeFound:
		return []narrationLine{{
			text:   v.T("told.stake-found", "box", e.Box, "player", v.called(e.Player), "wager", v.Term(e.Wager.Name()), "amount", v.Money(e.Amount)),
			clause: e.Clause, mine: mine(e.Player),
		}}
	case table.MinimumAdvised:
		if !mine(e.Player) {
			return nil
		}
		return []narrationLine{{
			text:   v.T("told.minimum", "box", e.Box, "wager", v.Term(e.Wager.Name()), "amount", v.Money(e.Minimum)),
			clause: e.Clause, mine: true,
		}}
	case table.PlayerWarned:
		if !mine(e.Player) {
			return nil
		}
		return []narrationLine{{text: v.T("told.warned"), clause: e.Clause, mine: true}}
	case table.HandExamined:
		if !mine(e.Player) {
			return say("", v.T("told.examined", "player", v.called(e.Player), "box", e.Box))
		}
		seen := t.state.View(v.viewer()).Boxes[e.Box-1].Cards
		if len(seen) != 3 {
			return nil
		}
		h := card.Hand{seen[0], seen[1], seen[2]}
		if !h.Valid() {
			return nil
		}
		return []narrationLine{{text: v.T("told.your-hand", "box", e.Box, "cards", v.cards(h), "hand", v.Hand(ranking, h)), mine: true}}
	case table.HandRaised:
		if mine(e.Player) {
			return []narrationLine{{text: v.T("told.you-play", "box", e.Box, "amount", v.Money(e.Amount)), mine: true}}
		}
		return []narrationLine{{text: v.T("told.plays", "player", v.called(e.Player), "box", e.Box, "amount", v.Money(e.Amount))}}
	case table.HandFolded:
		if mine(e.Player) {
			return []narrationLine{{text: v.T("told.you-fold", "box", e.Box), clause: e.Clause, mine: true}}
		}
		return []narrationLine{{text: v.T("told.folds", "player", v.called(e.Player), "box", e.Box), clause: e.Clause}}
	case table.HandKeptDown:
		return say(e.Clause, v.T("told.kept-down", "box", e.Box))
	case table.HandShown:
		if !e.Hand.Valid() || !e.Place.IsBox() {
			return nil
		}
		return say(e.Clause, v.T("told.shown", "box", int(e.Place), "cards", v.cards(e.Hand), "hand", v.Hand(ranking, e.Hand)))
	case table.DealerShown:
		if !e.Hand.Valid() {
			return nil
		}
		text := v.T("told.dealer", "cards", v.cards(table.Arranged(v.variant.Book, table.DealerHand, e.Hand)), "hand", v.Hand(ranking, e.Hand))
		return append(say("", text), v.claims(t)...)
	case table.ForfeitsCollected:
		return say(e.Clause, v.T("told.collected"))
	case table.BoxSettled:
		return say("", v.T("told.box-settled", "box", e.Box))
	case table.SettlementUndone:
		return say(e.Clause, v.T("told.undone", "box", e.Box))
	case table.RoundVoided:
		return say(e.Clause, v.T("told.void"))
	case table.HandInvalidated:
		return say(e.Clause, v.T("told.invalid", "box", e.Box))
	case table.DecisionRestored:
		return say(e.Clause, v.T("told.restored", "box", e.Box))
	case table.Reported:
		return say(e.Clause, v.T("told.reported", "what", v.T("incident."+e.Report.Incident.String()), "then", v.T("outcome."+e.Outcome.String())))
	case table.QuestionAsked:
		return say(e.Question.Clause, v.T("told.question"))
	case table.ProgressiveFailed:
		return say(e.Clause, v.T("told.progressive-failed"))
	case table.ProgressiveRestored:
		return say("", v.T("told.progressive-restored"))
	}
	return nil
}

// called returns a player's name as the page shows it, or the word with which it addresses the
// reader.
func (v *view) called(player string) string {
	if v.plays() && player == v.person.Name {
		return v.T("tables.you")
	}
	return signin.Called(v.Printer, player)
}

func (v *view) cards(h card.Hand) string {
	var names []string
	for _, c := range h {
		names = append(names, v.Card(c))
	}
	return strings.Join(names, v.T("told.comma"))
}

// claims lists the payments that the reader has to announce, where nobody knows their cards and
// the hands are turned only for those who do.
//
//clause:fr-p3c@2007 49
//clause:fr-p3c@2007 57
func (v *view) claims(t *occurrence) (out []narrationLine) {
	if !v.plays() || !t.state.Claims() || t.state.Config().Cards != table.Unseen {
		return nil
	}
	boxes := t.state.View(table.Viewer{}).Boxes
	for _, rule := range placed(t.state.Variant()) {
		if rule.Contest != rules.OnHand {
			continue
		}
		for box := 1; box <= t.state.Boxes(); box++ {
			for _, b := range t.state.Bettors(box) {
				if b.Player == v.person.Name && b.Stakes[rule.Wager] != 0 && boxes[box-1].Decision == table.Played && !boxes[box-1].Up {
					out = append(out, narrationLine{text: v.T("told.claim", "box", box, "wager", v.Term(rule.Wager.Name())), clause: rule.Clauses.Unclaimed, mine: true})
				}
			}
		}
	}
	return out
}

// settled describes the reader's own lines of an event, and wins that everybody may know. A
// line that gives a bet back after its settlement changes something else than one before it.
func (v *view) settled(t *occurrence, lines []table.Line) []narrationLine {
	var out []narrationLine
	var net, held money.Amount
	any, apart := false, false // apart: a part of it does not move the account
	nets := felt.Nets(append(slices.Clip(t.before), lines...))[len(t.before):]
	for i := range lines {
		l := &lines[i]
		mine := v.plays() && l.Player == v.person.Name
		loud := l.Returned > l.Stake && (l.Wager == rules.Envy || l.Wager == rules.Progressive)
		if !mine && !loud {
			continue
		}
		if mine {
			net, any = net+nets[i], true
			if of := t.held[l.Box]; of != 0 && l.Wager == rules.Progressive && (l.Combo != 0 || l.Reverses != 0) {
				apart, held = true, held+max(0, of)
			}
		}
		out = append(out, narrationLine{
			text: v.T("told.line", "box", l.Box, "player", v.called(l.Player), "wager", v.Term(l.Wager.Name()), "ended", felt.EndedLine(v.Printer, l), "net", v.Change(nets[i])),
			mine: mine, clause: l.Clause,
		})
	}
	switch {
	case apart:
		out = append(out, narrationLine{text: v.T("told.net-held", "net", v.Change(net)), mine: true})
	case any:
		out = append(out, narrationLine{text: v.T("told.net", "net", v.Change(net)), mine: true})
	}
	if held > 0 {
		out = append(out, narrationLine{text: v.T("told.held", "amount", v.Money(held)), mine: true})
	}
	return out
}

// announced returns the dealer's words, with the names of those who are spoken to.
func (v *view) announced(e *table.Announced, by *rules.Variant) string {
	said := e.Sentence(table.State{Variant: by})
	said.Args = slices.Clone(said.Args)
	for i, of := range said.Args {
		if name, ok := of.(string); ok && name != "" && name == e.Player {
			said.Args[i] = v.called(name)
		}
	}
	text, _ := v.Sentence(said)
	if v.Language == lang.Chinese {
		// A name in other letters stands apart from Chinese ones; "you" does not.
		text = strings.ReplaceAll(text, v.T("tables.you")+" ", v.T("tables.you"))
	}
	return text
}

// bubble returns what the dealer says now: what was said last, or what players are waited for once
// the cards are dealt. The rules require no announcement of that, so the record has none.
func (v *view) bubble(m *moment, sentences []narrationLine) string {
	if m.state.Phase() != table.Deciding || v.variant.Book.Decision == nil {
		return last(sentences)
	}
	for _, t := range slices.Backward(m.history) {
		switch t.event.For(v.viewer()).(type) {
		case table.Announced:
			return last(sentences)
		case table.CardsDealt:
			return v.T("tables.play-or-fold")
		}
	}
	return last(sentences)
}

// peekHint says on a first visit how a player looks at a hand: on the page, or at the table where
// only the player sees it.
func peekHint(v *site.Visit, m *moment) string {
	if m.state.Config().Cards == table.Unseen {
		return v.T("tables.hint-look-unseen")
	}
	return v.T("tables.hint-look")
}

// last returns what the dealer said last.
func last(all []narrationLine) string {
	for _, s := range slices.Backward(all) {
		if s.dealer {
			return s.text
		}
	}
	return ""
}
